#include "apply.hpp"

#include <algorithm>
#include <string>

#include "parallel.hpp"

namespace bough {

namespace {

// What routing needs of a node, side by side. A leaf leads to itself, so that a walk may go on
// past it without harm: no value is above its threshold, NaN.
struct Step {
  double threshold;
  ptrdiff_t offset;  // of the column's cell from the first column's, in bytes
  int32_t first_child;
  int16_t missing_to;
  SplitKind kind;

  bool leaf() const { return kind == SplitKind::leaf; }
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
    if (kind == SplitKind::leaf) steps[i] = {nan, 0, static_cast<int32_t>(i), 0, kind};
    else steps[i] = {tree.threshold[i], 0, tree.first_child[i], tree.missing_to[i], kind};
  }
  return steps;
}

// Thresholds only, on columns whose cells of a row lie equally far apart in every row: matrices,
// and frames of one type. `strict` and the type of the cells are known when compiling.
template <class Value, bool strict>
struct NumberWalk {
  const Step* steps;
  intptr_t data;  // an address: columns may be separate arrays, between which pointers do not lead
  ptrdiff_t stride;
  ptrdiff_t first, last;  // the offsets asked for

  int32_t operator()(int32_t at, size_t row) const {
    const Step& step = steps[at];
    const double value = *reinterpret_cast<const Value*>(cell(row, step.offset));
    if (value != value) {
      const int32_t child = step.missing_to;
      return step.leaf() || child < 0 ? at : step.first_child + child;
    }
    return step.first_child + (strict ? value >= step.threshold : value > step.threshold);
  }

  // Rows that lie together are asked for before they are needed.
  void expect(size_t row) const {
#if defined(__GNUC__)
    constexpr ptrdiff_t line = 64, most = 8 * line;
    if (last - first > most) return;
    for (ptrdiff_t at = first; at <= last; at += line)
      __builtin_prefetch(reinterpret_cast<const void*>(cell(row, at)));
#endif
  }
  intptr_t cell(size_t row, ptrdiff_t offset) const {
    return data + static_cast<ptrdiff_t>(row) * stride + offset;
  }
};

// Any columns and splits.
struct AnyWalk {
  const Step* steps;
  const TreeView& tree;
  const std::vector<Column>& columns;

  int32_t operator()(int32_t at, size_t row) const {
    const Step& step = steps[at];
    if (step.leaf()) return at;
    const auto node = static_cast<size_t>(at);
    const Column& column = columns[static_cast<size_t>(tree.column[node])];
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
  void expect(size_t) const {}

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
  constexpr size_t most = 1024, ahead = 16;
  uint16_t open[most];
  size_t n = end - begin;
  for (size_t i = 0; i < n; ++i) open[i] = static_cast<uint16_t>(i);
  for (bool first = true; n > 0; first = false) {
    size_t left = 0;
    for (size_t i = 0; i < n; ++i) {
      const size_t row = begin + open[i];
      if (first && i + ahead < n) walk.expect(row + ahead);
      int32_t at = leaf[row], before = at;
      for (int question = 0; question < 4; ++question) {
        before = at;
        at = walk(at, row);
      }
      leaf[row] = at;
      open[left] = open[i];
      left += at != before && !walk.steps[at].leaf();  // who stands still has arrived, too
    }
    n = left;
  }
}

template <class Walk>
void walk_all(const Walk& walk, size_t n_rows, int threads, const int32_t* start, int32_t* leaf) {
  constexpr size_t block = 1024;
  const size_t blocks = (n_rows + block - 1) / block;
  Pool pool(blocks > 16 ? threads : 1);
  pool.each(blocks, [&](size_t b, int) {
    const size_t begin = b * block, end = std::min(n_rows, begin + block);
    if (start) std::copy(start + begin, start + end, leaf + begin);
    else std::fill(leaf + begin, leaf + end, 0);
    walk_block(walk, begin, end, leaf);
  });
}

// The column all columns asked about are like, if thresholds alone lead through the tree; else
// null.
const Column* pattern_of(const TreeView& tree, const std::vector<Column>& columns) {
  if (tree.surrogate_at) return nullptr;
  const Column* one = nullptr;
  for (size_t i = 0; i < tree.n_nodes; ++i) {
    if (static_cast<SplitKind>(tree.split_kind[i]) == SplitKind::leaf) continue;
    const Column& column = columns[static_cast<size_t>(tree.column[i])];
    if (!one) one = &column;
    if (column.cell == Cell::i32 || column.cell != one->cell || column.stride != one->stride)
      return nullptr;
  }
  return one;
}

template <class Value>
void walk_numbers(const TreeView& tree, const std::vector<Column>& columns, const Column& pattern,
                  std::vector<Step>& steps, size_t n_rows, int threads, const int32_t* start,
                  int32_t* leaf) {
  const auto address = [](const Column& column) { return reinterpret_cast<intptr_t>(column.data); };
  ptrdiff_t first = 0, last = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].leaf()) continue;  // reads the pattern's cell, and ignores it
    steps[i].offset = address(columns[static_cast<size_t>(tree.column[i])]) - address(pattern);
    first = std::min(first, steps[i].offset);
    last = std::max(last, steps[i].offset);
  }
  const auto walk = [&]<bool strict>(NumberWalk<Value, strict> how) {
    walk_all(how, n_rows, threads, start, leaf);
  };
  const intptr_t data = address(pattern);
  if (tree.strict) walk(NumberWalk<Value, true>{steps.data(), data, pattern.stride, first, last});
  else walk(NumberWalk<Value, false>{steps.data(), data, pattern.stride, first, last});
}

}  // namespace

void apply(const TreeView& tree, const std::vector<Column>& columns, size_t n_rows, int threads,
           const int32_t* start, int32_t* leaf) {
  std::vector<Step> steps = checked_steps(tree, columns);
  for (size_t row = 0; start && row < n_rows; ++row)
    if (start[row] < 0 || static_cast<size_t>(start[row]) >= tree.n_nodes)
      throw InputError("a row starts at a node that is not there");
  check_surrogates(tree, columns);
  const Column* pattern = pattern_of(tree, columns);
  if (!pattern) return walk_all(AnyWalk{steps.data(), tree, columns}, n_rows, threads, start, leaf);
  const auto walk = pattern->cell == Cell::f64 ? walk_numbers<double> : walk_numbers<float>;
  walk(tree, columns, *pattern, steps, n_rows, threads, start, leaf);
}

}  // namespace bough
