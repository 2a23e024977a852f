// Small tables whose tree is known.
#include "../criteria/registry.hpp"
#include "check.hpp"
#include "trees.hpp"

namespace bough::test {
namespace {

void gini(Table& table) { table.problem.options.criterion = criterion_index("gini"); }
void squared_error(Table& table) {
  table.problem.options.criterion = criterion_index("squared_error");
}

void one_row_is_a_leaf() {
  Table table;
  table.number({1});
  table.classes(2, {1});
  gini(table);
  const Grown tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK_SAME(tree.parent.size(), 1u);
  CHECK_SAME(tree.stats[0], 0.0);
  CHECK_SAME(tree.stats[1], 1.0);
  CHECK_SAME(tree.impurity[0], 0.0);
}

void nothing_to_ask_is_a_leaf() {
  Table table;
  table.number({5, 5, 5, 5});
  table.number({nan, nan, nan, nan});
  table.levels(Kind::category, 3, {2, 2, 2, 2});
  table.levels(Kind::ordered, 3, {-1, -1, -1, -1});
  table.classes(2, {0, 1, 0, 1});
  gini(table);
  const Grown tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK_SAME(tree.parent.size(), 1u);
  CHECK_SAME(tree.impurity[0], 0.5);
}

void nothing_to_learn_is_a_leaf() {
  Table table;
  table.number({1, 2, 3});
  table.targets({0.1, 0.1, 0.1});
  squared_error(table);
  const Grown tree = grow_tree(table.problem);
  CHECK_SAME(tree.parent.size(), 1u);
  CHECK_SAME(tree.stats[1], 0.1);  // the mean of equal targets is exactly that
  CHECK_SAME(tree.stats[2], 0.0);
}

void a_threshold_parts_two_classes() {
  Table table;
  table.number({1, 2, 4, 8});
  table.classes(2, {0, 0, 1, 1});
  gini(table);
  for (bool strict : {false, true}) {
    table.problem.options.strict = strict;
    const Grown tree = grow_tree(table.problem);
    check_tree(tree, table.problem);
    CHECK_SAME(tree.parent.size(), 3u);
    CHECK_SAME(tree.threshold[0], 3.0);
    CHECK_SAME(tree.gain[0], 0.5);
    CHECK_NEAR(tree.p_value[0], 0.045500263896358, 1e-14);  // χ² = 4, one degree of freedom
  }
}

void xor_needs_a_split_that_gains_nothing() {
  Table table;
  table.number({0, 0, 1, 1});
  table.number({0, 1, 0, 1});
  table.classes(2, {0, 1, 1, 0});
  gini(table);
  Grown tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK_SAME(tree.parent.size(), 7u);
  CHECK_SAME(tree.gain[0], 0.0);
  CHECK_SAME(tree.ties, 1);
  CHECK_SAME(tree.column[0], 0);
  table.problem.options.zero_gain_split = false;
  tree = grow_tree(table.problem);
  CHECK_SAME(tree.parent.size(), 1u);
  CHECK_SAME(tree.ties, 0);
}

void a_tie_goes_to_the_earlier_column() {
  Table table;
  table.number({7, 7, 7, 7});
  table.number({4, 3, 2, 1});
  table.number({1, 2, 3, 4});
  table.classes(2, {0, 0, 1, 1});
  gini(table);
  table.problem.options.runners_up = true;
  const Grown tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK_SAME(tree.column[0], 1);
  CHECK_SAME(tree.ties, 1);
  CHECK_SAME(tree.runner_at[1], 1);
  CHECK_SAME(tree.runner_column[0], 2);
  CHECK_SAME(tree.runner_gain[0], tree.gain[0]);
  CHECK_SAME(tree.runner_threshold[0], 2.5);
}

void regression_splits_at_the_jump() {
  Table table;
  table.number({1, 2, 3, 4});
  table.targets({10, 10, 20, 22});
  squared_error(table);
  const Grown tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK_SAME(tree.threshold[0], 2.5);
  CHECK_SAME(tree.stats[1], 15.5);
  CHECK_SAME(tree.stats[2], 123.0);
  CHECK_SAME(tree.impurity[0], 30.75);
  CHECK_SAME(tree.gain[0], 30.25);
  table.problem.options.stop_error = 30.75;  // "below": a node of just that error is split
  CHECK_SAME(grow_tree(table.problem).parent.size(), 3u);
  table.problem.options.stop_error = 31;
  CHECK_SAME(grow_tree(table.problem).parent.size(), 1u);
}

void missing_cells_join_the_side_that_gains_more() {
  Table table;
  table.number({1, 2, 3, 4, nan, nan});
  table.classes(2, {0, 0, 1, 1, 1, 1});
  gini(table);
  Grown tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK_SAME(tree.threshold[0], 2.5);
  CHECK_SAME(tree.missing_to[0], 1);
  CHECK_SAME(tree.missing_rows[0], 2);
  CHECK_SAME(tree.n_children[0], 2);
  for (auto& column : table.problem.columns) column.missing = Missing::own;
  table.problem.options.min_rows_leaf = 2;
  tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK_SAME(tree.missing_to[0], 2);
  CHECK_SAME(tree.n_children[0], 3);
  CHECK_SAME(tree.rows[3], 2);
}

void known_or_missing_can_be_the_question() {
  Table table;
  table.number({1, 2, 3, nan, nan});
  table.classes(2, {0, 0, 0, 1, 1});
  gini(table);
  for (Missing missing : {Missing::learned, Missing::own}) {
    for (auto& column : table.problem.columns) column.missing = missing;
    // With branches of their own for missing cells, 1 | 2 3 | missing would win as much, and first.
    table.problem.options.min_rows_leaf = 2;
    const Grown tree = grow_tree(table.problem);
    check_tree(tree, table.problem);
    CHECK_SAME(tree.threshold[0], infinity);
    CHECK_SAME(tree.missing_to[0], 1);
    CHECK_SAME(tree.n_children[0], 2);
    CHECK_SAME(tree.parent.size(), 3u);
  }
}

void a_subset_takes_the_levels_of_one_class() {
  Table table;
  table.levels(Kind::category, 5, {1, 1, 2, 4, 4, 2});
  table.classes(2, {1, 1, 0, 1, 1, 0});
  gini(table);
  const Grown tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK(tree.levels == (std::vector<int32_t>{1, 2, 4}));
  CHECK(tree.level_child == (std::vector<int16_t>{0, 1, 0}));
  CHECK_SAME(tree.missing_to[0], 0);  // the heavier side
  CHECK_SAME(tree.unseen_to[0], -1);
}

void branches_have_a_child_per_level_and_an_empty_one() {
  Table table;
  table.levels(Kind::category, 5, {1, 1, 2, 4, 4, 4});
  table.classes(3, {1, 1, 0, 2, 2, 2});
  gini(table);
  table.problem.options.categories = Categories::branches;
  const Grown tree = grow_tree(table.problem);
  check_tree(tree, table.problem);
  CHECK_SAME(tree.n_children[0], 4);
  CHECK_SAME(tree.unseen_to[0], 3);
  CHECK_SAME(tree.rows[4], 0);
  CHECK_SAME(tree.missing_to[0], 2);
  CHECK(tree.levels == (std::vector<int32_t>{1, 2, 4}));
}

void too_many_levels_for_branches_are_told() {
  Table table;
  table.levels(Kind::category, 32'001, {5, 32'000, 5, 7});
  table.number({1, 2, 3, 4});
  table.classes(2, {0, 1, 0, 1});
  gini(table);
  table.problem.options.categories = Categories::branches;
  Grown tree = grow_tree(table.problem);
  CHECK(tree.too_many_levels == std::vector<int32_t>{0});
  CHECK_SAME(tree.column[0], 1);
  table.problem.options.categories = Categories::subset;
  tree = grow_tree(table.problem);
  CHECK(tree.too_many_levels.empty());
  CHECK_SAME(tree.column[0], 0);
}

void limits_stop_the_growing() {
  Table table;
  Random random(17);
  fill(table, {.rows = 300, .classes = 3, .values = 100, .missing = 0}, random);
  gini(table);
  Options& options = table.problem.options;
  const size_t full = grow_tree(table.problem).parent.size();
  CHECK(full > 50);
  options.max_depth = 0;
  CHECK_SAME(grow_tree(table.problem).parent.size(), 1u);
  options.max_depth = 2;
  const Grown shallow = grow_tree(table.problem);
  check_tree(shallow, table.problem);
  CHECK(shallow.parent.size() > 3 && shallow.parent.size() <= 7);
  options = {};
  gini(table);
  options.min_rows_leaf = 20;
  const Grown coarse = grow_tree(table.problem);
  check_tree(coarse, table.problem);
  CHECK(coarse.parent.size() > 3 && coarse.parent.size() < full);
  options.min_rows_leaf = 151;
  CHECK_SAME(grow_tree(table.problem).parent.size(), 1u);
  options.min_rows_leaf = std::numeric_limits<int64_t>::max();
  CHECK_SAME(grow_tree(table.problem).parent.size(), 1u);
  options = {};
  gini(table);
  options.min_rows_split = 301;
  CHECK_SAME(grow_tree(table.problem).parent.size(), 1u);
  options = {};
  gini(table);
  options.min_gain = 0.9;
  CHECK_SAME(grow_tree(table.problem).parent.size(), 1u);
  options = {};
  gini(table);
  options.min_drop = 5e-3;
  const Grown few = grow_tree(table.problem);
  CHECK(few.parent.size() < full);
  for (size_t i = 0; i < few.parent.size(); ++i)
    CHECK(few.n_children[i] == 0 || few.gain[i] * few.weight[i] / few.weight[0] >= 5e-3);
}

void leaves_are_limited_best_first() {
  Table table;
  // The second jump, within the right half, is the larger one: it is split before the left half.
  table.number({1, 2, 3, 4, 5, 6, 7, 8});
  table.targets({0, 0, 1, 1, 50, 50, 60, 60});
  squared_error(table);
  Options& options = table.problem.options;
  for (int64_t leaves = 1; leaves <= 4; ++leaves) {
    options.max_leaves = leaves;
    const Grown tree = grow_tree(table.problem);
    check_tree(tree, table.problem);
    CHECK_SAME(tree.parent.size(), static_cast<size_t>(2 * leaves - 1));
    if (leaves == 3) {
      CHECK_SAME(tree.n_children[1], 0);
      CHECK_SAME(tree.n_children[2], 2);
    }
  }
  options.max_leaves = 0;
  const std::string all = bytes(grow_tree(table.problem));
  options.max_leaves = 1000;
  CHECK(bytes(grow_tree(table.problem)) == all);
}

void a_split_that_would_pass_the_limit_is_left_out() {
  Table table;
  table.levels(Kind::category, 3, {0, 0, 1, 1, 2, 2});
  table.number({1, 2, 1, 2, 1, 2});
  table.classes(3, {0, 0, 1, 1, 2, 2});
  gini(table);
  table.problem.options.categories = Categories::branches;
  for (int64_t leaves : {1, 2, 3}) {
    table.problem.options.max_leaves = leaves;
    const Grown tree = grow_tree(table.problem);
    check_tree(tree, table.problem);
    CHECK_SAME(tree.parent.size(), leaves == 3 ? 4u : 1u);
  }
}

constexpr Test tests[] = {
    {"grow: one row is a leaf", &one_row_is_a_leaf},
    {"grow: nothing to ask is a leaf", &nothing_to_ask_is_a_leaf},
    {"grow: nothing to learn is a leaf", &nothing_to_learn_is_a_leaf},
    {"grow: a threshold parts two classes", &a_threshold_parts_two_classes},
    {"grow: XOR needs a split that gains nothing", &xor_needs_a_split_that_gains_nothing},
    {"grow: a tie goes to the earlier column", &a_tie_goes_to_the_earlier_column},
    {"grow: regression splits at the jump", &regression_splits_at_the_jump},
    {"grow: missing cells join the side that gains more",
     &missing_cells_join_the_side_that_gains_more},
    {"grow: known or missing can be the question", &known_or_missing_can_be_the_question},
    {"grow: a subset takes the levels of one class", &a_subset_takes_the_levels_of_one_class},
    {"grow: branches have a child per level and an empty one",
     &branches_have_a_child_per_level_and_an_empty_one},
    {"grow: too many levels for branches are told", &too_many_levels_for_branches_are_told},
    {"grow: limits stop the growing", &limits_stop_the_growing},
    {"grow: leaves are limited best first", &leaves_are_limited_best_first},
    {"grow: a split that would pass the limit is left out",
     &a_split_that_would_pass_the_limit_is_left_out},
};

}  // namespace

Suite grow_tests() { return tests; }

}  // namespace bough::test
