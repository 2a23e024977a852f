#include "apply.hpp"

#include <algorithm>
#include <string>

#include "parallel.hpp"

namespace bough {

namespace {

// What routing needs of a node, side by side. A leaf leads to itself, so that a walk may go on
// past it without harm.
struct Step {
  double threshold;
  int32_t first_child;
  int32_t column;
  int16_t missing_to;
  SplitKind kind;
};

[[noreturn]] void refuse(size_t node, const char* what) {
  throw InputError("node " + std::to_string(node) + ": " + what);
}

void check_node(const TreeView& tree, size_t i, const std::vector<Column>& columns) {
  const int64_t first = tree.first_child[i], n = tree.n_children[i];
  const auto kind = static_cast<SplitKind>(tree.split_kind[i]);
  if (kind == SplitKind::leaf) {
    if (n != 0) refuse(i, "a leaf with children");
    return;
  }
  if (kind > SplitKind::branches) refuse(i, "unknown kind of split");
  // Children come after their parent, so no walk can go round in circles.
  if (first <= static_cast<int64_t>(i) || n < 1 || first + n > static_cast<int64_t>(tree.n_nodes))
    refuse(i, "children out of range");
  if (tree.missing_to[i] >= n || (tree.missing_to[i] < 0 && tree.missing_to[i] != to_none))
    refuse(i, "missing_to out of range");
  if (tree.unseen_to[i] >= n) refuse(i, "unseen_to out of range");
  const int32_t c = tree.column[i];
  if (c < 0 || static_cast<size_t>(c) >= columns.size()) refuse(i, "column out of range");
  const bool by_level = kind != SplitKind::threshold;
  const Kind of_column = columns[static_cast<size_t>(c)].kind;
  const bool stretches = kind == SplitKind::branches && of_column == Kind::ordered;
  if (!stretches && by_level != (of_column == Kind::category))
    refuse(i, "the kind of split does not fit the column");
  if (!by_level && n < 2) refuse(i, "a threshold with one child");
}

void check_levels(const TreeView& tree, size_t i, int64_t n_levels) {
  const int64_t begin = tree.levels_at[i], end = tree.levels_at[i + 1];
  if (begin < 0 || begin > end || end > n_levels) refuse(i, "levels out of range");
  for (int64_t l = begin; l < end; ++l) {
    if (l > begin && tree.levels[l] <= tree.levels[l - 1]) refuse(i, "levels not rising");
    if (tree.level_child[l] < 0 || tree.level_child[l] >= tree.n_children[i])
      refuse(i, "child of a level out of range");
  }
}

void check_surrogates(const TreeView& tree, const std::vector<Column>& columns) {
  if (!tree.surrogate_at) return;
  for (size_t i = 0; i < tree.n_nodes; ++i) {
    const int64_t begin = tree.surrogate_at[i], end = tree.surrogate_at[i + 1];
    if (begin < 0 || begin > end || end > tree.n_surrogates) refuse(i, "surrogates out of range");
    if (begin < end && tree.n_children[i] != 2)
      refuse(i, "surrogates of a split that is not in two");
    for (int64_t j = begin; j < end; ++j) {
      const int32_t c = tree.surrogate_column[j];
      if (c < 0 || static_cast<size_t>(c) >= columns.size()) refuse(i, "column of a surrogate");
      const bool by_level = tree.surrogate_threshold[j] != tree.surrogate_threshold[j];
      if (by_level != (columns[static_cast<size_t>(c)].kind == Kind::category))
        refuse(i, "a surrogate does not fit its column");
      const int64_t first = tree.surrogate_levels_at[j], last = tree.surrogate_levels_at[j + 1];
      if (first < 0 || first > last || last > tree.n_surrogate_levels)
        refuse(i, "levels of a surrogate out of range");
      for (int64_t l = first; l < last; ++l)
        if (tree.surrogate_level_child[l] < 0 || tree.surrogate_level_child[l] > 1 ||
            (l > first && tree.surrogate_levels[l] <= tree.surrogate_levels[l - 1]))
          refuse(i, "a level of a surrogate");
    }
  }
}

std::vector<Step> checked_steps(const TreeView& tree, const std::vector<Column>& columns) {
  if (tree.n_nodes == 0) throw InputError("a tree without nodes");
  const int64_t n_levels = tree.levels_at[tree.n_nodes];
  std::vector<Step> steps(tree.n_nodes);
  for (size_t i = 0; i < tree.n_nodes; ++i) {
    check_node(tree, i, columns);
    check_levels(tree, i, n_levels);
    const auto kind = static_cast<SplitKind>(tree.split_kind[i]);
    if (kind == SplitKind::leaf)
      steps[i] = {infinity, static_cast<int32_t>(i), -1, 0, SplitKind::leaf};
    else
      steps[i] = {tree.threshold[i], tree.first_child[i], tree.column[i], tree.missing_to[i], kind};
  }
  return steps;
}

// Thresholds on float64 columns only, the common case. `strict` is known when compiling.
template <bool strict>
struct NumberWalk {
  const Step* steps;
  std::vector<const char*> data;  // per column
  std::vector<ptrdiff_t> stride;

  int32_t operator()(int32_t at, size_t row) const {
    const Step& step = steps[at];
    const auto c = static_cast<size_t>(step.column);
    const double value =
        *reinterpret_cast<const double*>(data[c] + static_cast<ptrdiff_t>(row) * stride[c]);
    const int32_t child = route_number(value, step.threshold, strict, step.missing_to);
    return child < 0 ? at : step.first_child + child;
  }
};

// Any columns and splits.
struct AnyWalk {
  const Step* steps;
  const TreeView& tree;
  const std::vector<Column>& columns;

  int32_t operator()(int32_t at, size_t row) const {
    const Step& step = steps[at];
    if (step.kind == SplitKind::leaf) return at;
    const Column& column = columns[static_cast<size_t>(step.column)];
    const auto node = static_cast<size_t>(at);
    int32_t child;
    if (step.kind == SplitKind::threshold) {
      const double value = column.number(row);
      child = value == value || !tree.surrogate_at
                  ? route_number(value, step.threshold, tree.strict, step.missing_to)
                  : stand_in(node, row);
    } else {
      const int32_t code = column.code(row);
      child = code >= 0 || !tree.surrogate_at ? route_level(tree, node, code) : stand_in(node, row);
    }
    return child < 0 ? at : step.first_child + child;
  }

  // The first surrogate that can tell, else where missing cells go.
  int32_t stand_in(size_t node, size_t row) const {
    for (int64_t j = tree.surrogate_at[node]; j < tree.surrogate_at[node + 1]; ++j) {
      const Column& column = columns[static_cast<size_t>(tree.surrogate_column[j])];
      const double threshold = tree.surrogate_threshold[j];
      const int32_t* levels = tree.surrogate_levels;
      const int64_t begin = tree.surrogate_levels_at[j], end = tree.surrogate_levels_at[j + 1];
      const int16_t child =
          threshold == threshold
              ? route_threshold_surrogate(column.number(row), threshold, tree.strict,
                                          tree.surrogate_flipped[j])
              : route_level_surrogate(column.code(row), levels + begin, levels + end,
                                      tree.surrogate_level_child + begin);
      if (child >= 0) return child;
    }
    return tree.missing_to[node];
  }
};

// Walks the rows of a block four questions at a time, then drops those that have arrived. Rows do
// not wait for each other, so the processor has many loads under way at once.
template <class Walk>
void walk_block(const Walk& walk, size_t begin, size_t end, int32_t* leaf) {
  constexpr size_t most = 1024;
  uint16_t open[most];
  size_t n = end - begin;
  for (size_t i = 0; i < n; ++i) open[i] = static_cast<uint16_t>(i);
  while (n > 0) {
    size_t left = 0;
    for (size_t i = 0; i < n; ++i) {
      const size_t row = begin + open[i];
      int32_t at = leaf[row], before = at;
      for (int question = 0; question < 4; ++question) {
        before = at;
        at = walk(at, row);
      }
      leaf[row] = at;
      open[left] = open[i];
      left += at != before;  // who stands still has arrived
    }
    n = left;
  }
}

template <class Walk>
void walk_all(const Walk& walk, size_t n_rows, int threads, int32_t* leaf) {
  constexpr size_t block = 1024;
  const size_t blocks = (n_rows + block - 1) / block;
  Pool pool(blocks > 16 ? threads : 1);
  pool.each(blocks, [&](size_t b, int) {
    walk_block(walk, b * block, std::min(n_rows, (b + 1) * block), leaf);
  });
}

}  // namespace

void apply(const TreeView& tree, const std::vector<Column>& columns, size_t n_rows, int threads,
           int32_t* leaf) {
  std::vector<Step> steps = checked_steps(tree, columns);
  for (size_t row = 0; row < n_rows; ++row)
    if (leaf[row] < 0 || static_cast<size_t>(leaf[row]) >= tree.n_nodes)
      throw InputError("a row starts at a node that is not there");
  if (steps.size() == 1) return;
  bool numbers = true;
  for (const Step& step : steps)
    if (step.kind != SplitKind::leaf)
      numbers &= columns[static_cast<size_t>(step.column)].cell == Cell::f64;
  for (Step& step :
       steps)  // a leaf reads a cell, too, and ignores it: one that is sure to be there
    if (step.kind == SplitKind::leaf) step.column = steps[0].column;
  check_surrogates(tree, columns);
  if (!numbers || tree.surrogate_at)
    return walk_all(AnyWalk{steps.data(), tree, columns}, n_rows, threads, leaf);

  std::vector<const char*> data;
  std::vector<ptrdiff_t> stride;
  for (const Column& column : columns) {
    data.push_back(column.data);
    stride.push_back(column.stride);
  }
  if (tree.strict) walk_all(NumberWalk<true>{steps.data(), data, stride}, n_rows, threads, leaf);
  else walk_all(NumberWalk<false>{steps.data(), data, stride}, n_rows, threads, leaf);
}

}  // namespace bough
