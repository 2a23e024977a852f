#include "apply.hpp"

#include <string>

#include "parallel.hpp"

namespace bough {

namespace {

// What routing needs of a node, side by side.
struct Step {
  double threshold;
  int32_t first_child;  // −1: leaf
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
  if (tree.missing_to[i] < 0 || tree.missing_to[i] >= n) refuse(i, "missing_to out of range");
  if (tree.unseen_to[i] >= n) refuse(i, "unseen_to out of range");
  const int32_t c = tree.column[i];
  if (c < 0 || static_cast<size_t>(c) >= columns.size()) refuse(i, "column out of range");
  const bool by_level = kind != SplitKind::threshold;
  if (by_level != (columns[static_cast<size_t>(c)].kind == Kind::category))
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

std::vector<Step> checked_steps(const TreeView& tree, const std::vector<Column>& columns) {
  if (tree.n_nodes == 0) throw InputError("a tree without nodes");
  const int64_t n_levels = tree.levels_at[tree.n_nodes];
  std::vector<Step> steps(tree.n_nodes);
  for (size_t i = 0; i < tree.n_nodes; ++i) {
    check_node(tree, i, columns);
    check_levels(tree, i, n_levels);
    const auto kind = static_cast<SplitKind>(tree.split_kind[i]);
    steps[i] = {tree.threshold[i], kind == SplitKind::leaf ? -1 : tree.first_child[i],
                tree.column[i], tree.missing_to[i], kind};
  }
  return steps;
}

}  // namespace

void apply(const TreeView& tree, const std::vector<Column>& columns, size_t n_rows, int threads,
           int32_t* leaf) {
  const std::vector<Step> steps = checked_steps(tree, columns);
  constexpr size_t block = 4096;
  const size_t blocks = (n_rows + block - 1) / block;
  Pool pool(blocks > 4 ? threads : 1);
  pool.each(blocks, [&](size_t b, int) {
    const size_t end = std::min(n_rows, (b + 1) * block);
    for (size_t row = b * block; row < end; ++row) {
      int32_t at = 0;
      for (;;) {
        const Step& step = steps[static_cast<size_t>(at)];
        if (step.first_child < 0) break;
        const Column& column = columns[static_cast<size_t>(step.column)];
        at = step.first_child +
             (step.kind == SplitKind::threshold
                  ? route_number(column.number(row), step.threshold, tree.strict, step.missing_to)
                  : route_level(tree, static_cast<size_t>(at), column.code(row)));
      }
      leaf[row] = at;
    }
  });
}

}  // namespace bough
