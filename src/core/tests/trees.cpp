#include "trees.hpp"

#include <algorithm>

#include "../criteria/registry.hpp"
#include "check.hpp"

namespace bough::test {

Grown grow_tree(const Problem& problem) {
  Control control;
  Grown tree = grow(problem, control);
  int64_t counted = 0, done = control.rows_done;
  for (size_t i = 0; i < problem.n_rows; ++i) counted += !problem.weights || problem.weights[i] > 0;
  CHECK_SAME(done, counted);  // the progress bar ends at its end
  return tree;
}

TreeView view_of(const Grown& tree, bool strict) {
  TreeView view;
  view.n_nodes = tree.parent.size();
  view.strict = strict;
  view.first_child = tree.first_child.data();
  view.n_children = tree.n_children.data();
  view.column = tree.column.data();
  view.split_kind = tree.split_kind.data();
  view.threshold = tree.threshold.data();
  view.levels_at = tree.levels_at.data();
  view.levels = tree.levels.data();
  view.level_child = tree.level_child.data();
  view.unseen_to = tree.unseen_to.data();
  view.missing_to = tree.missing_to.data();
  return view;
}

std::vector<int32_t> leaves_of(const Grown& tree, const Problem& problem) {
  std::vector<int32_t> leaf(problem.n_rows, 0);
  apply(view_of(tree, problem.options.strict), problem.columns, problem.n_rows, 1, nullptr,
        leaf.data());
  return leaf;
}

namespace {

void check_sizes(const Grown& t) {
  const size_t n = t.parent.size();
  for (size_t size : {t.first_child.size(), t.n_children.size(), t.column.size(),
                      t.split_kind.size(), t.threshold.size(), t.unseen_to.size(),
                      t.missing_to.size(), t.rows.size(), t.missing_rows.size(), t.weight.size(),
                      t.impurity.size(), t.gain.size(), t.p_value.size(), t.levels_at.size() - 1,
                      t.runner_at.size() - 1, t.stats.size() / static_cast<size_t>(t.n_stats)})
    CHECK_SAME(size, n);
  CHECK_SAME(t.levels_at[n], static_cast<int64_t>(t.levels.size()));
  CHECK_SAME(t.level_child.size(), t.levels.size());
  CHECK_SAME(t.runner_at[n], static_cast<int64_t>(t.runner_column.size()));
}

// Level by level, left to right: the children of node after node fill the numbers 1, 2, 3 … in
// turn.
void check_numbering(const Grown& t) {
  int32_t next = 1;
  CHECK_SAME(t.parent[0], -1);
  for (size_t i = 0; i < t.parent.size(); ++i) {
    if (t.n_children[i] == 0) {
      CHECK_SAME(t.first_child[i], -1);
      continue;
    }
    CHECK_SAME(t.first_child[i], next);
    for (int32_t c = 0; c < t.n_children[i]; ++c)
      CHECK_SAME(t.parent[static_cast<size_t>(next + c)], static_cast<int32_t>(i));
    next += t.n_children[i];
  }
  CHECK_SAME(next, static_cast<int32_t>(t.parent.size()));
}

void check_sums(const Grown& t, size_t node, bool regression) {
  const auto k = static_cast<size_t>(t.n_stats);
  int64_t rows = 0;
  double weight = 0;
  std::vector<double> stats(k, 0.0);
  for (int32_t c = 0; c < t.n_children[node]; ++c) {
    const auto child = static_cast<size_t>(t.first_child[node] + c);
    rows += t.rows[child];
    weight += t.weight[child];
    for (size_t s = 0; s < k; ++s) stats[s] += t.stats[child * k + s];
  }
  CHECK_SAME(rows, t.rows[node]);
  const double near = 1e-14 * t.weight[node];
  CHECK_NEAR(weight, t.weight[node], near);
  for (size_t s = 0; s < (regression ? 1 : k); ++s)
    CHECK_NEAR(stats[s], t.stats[node * k + s], near);
}

void check_split(const Grown& t, size_t node, const Problem& problem) {
  const auto kind = static_cast<SplitKind>(t.split_kind[node]);
  const int32_t n = t.n_children[node];
  const Column& column = problem.columns[static_cast<size_t>(t.column[node])];
  const bool merged = problem.options.categories == Categories::merged;
  CHECK_SAME(kind == SplitKind::threshold,
             column.kind == Kind::number || (column.kind == Kind::ordered && !merged));
  if (column.kind == Kind::ordered && merged)  // every level has its place
    CHECK_SAME(t.levels_at[node + 1] - t.levels_at[node], column.n_levels);
  CHECK_SAME(kind == SplitKind::threshold, !std::isnan(t.threshold[node]));
  CHECK(kind == SplitKind::branches ? n >= 2
        : kind == SplitKind::subset ? n == 2
                                    : n == 2 || n == 3);
  CHECK(t.missing_to[node] >= 0 && t.missing_to[node] < n);
  CHECK(t.unseen_to[node] >= -1 && t.unseen_to[node] < n);
  for (auto l = t.levels_at[node]; l < t.levels_at[node + 1]; ++l) {
    const auto at = static_cast<size_t>(l);
    CHECK(l == t.levels_at[node] || t.levels[at] > t.levels[at - 1]);
    CHECK(t.level_child[at] >= 0 && t.level_child[at] < n);
  }
  CHECK(t.gain[node] >= problem.options.min_gain && t.gain[node] >= 0);
  CHECK(problem.n_classes == 0 ? std::isnan(t.p_value[node])
                               : t.p_value[node] >= 0 && t.p_value[node] <= 1);
  CHECK(t.rows[node] >= problem.options.min_rows_split);
  CHECK(t.impurity[node] > 0);
  int32_t large = 0;
  for (int32_t c = 0; c < n; ++c)
    large += t.rows[static_cast<size_t>(t.first_child[node] + c)] >= problem.options.min_rows_leaf;
  CHECK(large >= (merged && kind == SplitKind::branches ? n : 2));
  CHECK(kind != SplitKind::subset || large == 2);
}

void check_runners_up(const Grown& t, size_t node) {
  for (auto r = t.runner_at[node]; r < t.runner_at[node + 1]; ++r) {
    const auto at = static_cast<size_t>(r);
    CHECK(t.runner_column[at] != t.column[node]);
    CHECK(r == t.runner_at[node] || t.runner_column[at] > t.runner_column[at - 1]);
  }
}

// Every row counts for the nodes on its way.
void check_routes(const Grown& t, const Problem& problem) {
  std::vector<int64_t> reached(t.parent.size(), 0);
  const std::vector<int32_t> leaf = leaves_of(t, problem);
  for (size_t row = 0; row < leaf.size(); ++row) {
    if (problem.weights && problem.weights[row] == 0) continue;
    for (int32_t at = leaf[row]; at >= 0; at = t.parent[static_cast<size_t>(at)])
      ++reached[static_cast<size_t>(at)];
  }
  for (size_t i = 0; i < reached.size(); ++i) CHECK_SAME(reached[i], t.rows[i]);
}

}  // namespace

void check_tree(const Grown& t, const Problem& problem) {
  check_sizes(t);
  check_numbering(t);
  for (size_t i = 0; i < t.parent.size(); ++i) {
    check_runners_up(t, i);
    if (t.n_children[i] > 0) {
      check_sums(t, i, problem.n_classes == 0);
      check_split(t, i, problem);
    } else {
      CHECK_SAME(t.column[i], -1);
      CHECK_SAME(t.gain[i], 0.0);
      CHECK_SAME(t.levels_at[i], t.levels_at[i + 1]);
    }
  }
  check_routes(t, problem);
}

}  // namespace bough::test
