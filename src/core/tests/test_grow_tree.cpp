// Random tables: what must be true of every tree, and what must not change it.
#include <algorithm>
#include <numeric>

#include "../criteria/registry.hpp"
#include "check.hpp"
#include "trees.hpp"

namespace bough::test {
namespace {

const Criterion& random_criterion(Random& random, bool regression) {
  for (;;) {
    const Criterion& criterion = criteria[random.below(std::size(criteria))];
    if (criterion.regression == regression && criterion.name != "cost_gini") return criterion;
  }
}

void random_options(Problem& problem, Random& random, bool regression) {
  Options& options = problem.options;
  const Criterion& criterion = random_criterion(random, regression);
  options.criterion = criterion_index(criterion.name);
  options.ratio_average = random.chance(0.5);
  options.categories = static_cast<Categories>(random.below(regression ? 3 : 4));
  options.merge_p = random.chance(0.5) ? 0.05 : random.unit();
  options.max_adjusted_p = random.chance(0.5) ? 1 : 0.2;
  const auto missing = static_cast<Missing>(random.below(2));
  for (auto& column : problem.columns) column.missing = missing;
  options.style = static_cast<Style>(random.below(3));
  options.strict = random.chance(0.5);
  options.zero_gain_split = random.chance(0.7);
  options.runners_up = random.chance(0.3);
  options.min_rows_leaf = 1 + random.below(3);
  options.min_rows_split = 2 + random.below(4);
  if (random.chance(0.3)) options.max_leaves = 1 + random.below(20);
}

void fill_any(Table& table, Random& random, uint32_t rows) {
  fill(table,
       {.rows = rows,
        .classes = static_cast<int32_t>(random.below(4)) % 4 == 1
                       ? 5
                       : static_cast<int32_t>(random.below(3)) * 2,
        .values = 2 + random.below(20),
        .n_levels = static_cast<int32_t>(2 + random.below(14)),
        .missing = random.chance(0.4) ? 0 : 0.2,
        .weighted = random.chance(0.4)},
       random);
  random_options(table.problem, random, table.problem.n_classes == 0);
}

void every_tree_is_sound() {
  Random random(19);
  for (int round = 0; round < 1500; ++round) {
    Table table;
    fill_any(table, random, 1 + random.below(150));
    check_tree(grow_tree(table.problem), table.problem);
  }
}

// The rows of a table in another order.
void permute(const Problem& from, Table& to, const std::vector<uint32_t>& order) {
  const size_t n = order.size();
  for (const Column& column : from.columns) {
    std::vector<double> numbers(n);
    std::vector<float> singles(n);
    std::vector<int32_t> codes(n);
    for (size_t i = 0; i < n; ++i) {
      if (column.cell == Cell::i32) codes[i] = column.code(order[i]);
      else numbers[i] = column.number(order[i]);
    }
    std::copy(numbers.begin(), numbers.end(), singles.begin());
    if (column.cell == Cell::i32) to.levels(column.kind, column.n_levels, codes);
    else if (column.cell == Cell::f64) to.number(numbers);
    else to.single(singles);
  }
  std::vector<int32_t> classes(n);
  std::vector<double> numbers(n), weights(n);
  for (size_t i = 0; i < n; ++i) {
    if (from.classes) classes[i] = from.classes[order[i]];
    else numbers[i] = from.numbers[order[i]];
    if (from.weights) weights[i] = from.weights[order[i]];
  }
  if (from.classes) to.classes(from.n_classes, classes);
  else to.targets(numbers);
  if (from.weights) to.weights(weights);
  to.problem.options = from.options;
  for (size_t c = 0; c < from.columns.size(); ++c)
    to.problem.columns[c].missing = from.columns[c].missing;
}

void the_order_of_rows_does_not_matter() {
  Random random(20);
  for (int round = 0; round < 300; ++round) {
    Table table, other;
    fill_any(table, random, 2 + random.below(100));
    std::vector<uint32_t> order(table.problem.n_rows);
    std::iota(order.begin(), order.end(), 0u);
    random.shuffle(order);
    permute(table.problem, other, order);
    CHECK(bytes(grow_tree(table.problem)) == bytes(grow_tree(other.problem)));
  }
}

// A weight of 2 equals a repeated row: the same questions and the same sums.
void weights_equal_repeated_rows() {
  Random random(21);
  for (int round = 0; round < 200; ++round) {
    Table table, repeated;
    fill_any(table, random, 2 + random.below(60));
    table.problem.options.min_rows_leaf = 1;
    table.problem.options.min_rows_split = 2;
    std::vector<uint32_t> order;
    std::vector<double> weights(table.problem.n_rows);
    table.problem.weights = nullptr;
    for (uint32_t i = 0; i < weights.size(); ++i) {
      weights[i] = random.below(4);
      if (i == 0) weights[i] = 3;
      order.insert(order.end(), static_cast<size_t>(weights[i]), i);
    }
    permute(table.problem, repeated, order);
    table.weights(weights);
    const Grown a = grow_tree(table.problem), b = grow_tree(repeated.problem);
    CHECK(a.column == b.column);
    CHECK(a.first_child == b.first_child);
    CHECK(a.levels == b.levels && a.level_child == b.level_child);
    CHECK(a.weight == b.weight);
    if (table.problem.n_classes > 0) CHECK(a.stats == b.stats);
  }
}

// Large enough for nodes shared by all threads, and for subtrees.
void threads_do_not_change_a_byte() {
  Random random(22);
  for (int round = 0; round < 6; ++round) {
    Table table;
    fill(table,
         {.rows = 16'000,
          .classes = round % 3 == 0 ? 0 : round % 3 + 1,
          .numbers = 10,
          .ordered = 3,
          .categories = 5,
          .values = round < 3 ? 40u : 100'000u,
          .n_levels = 30,
          .missing = 0.02,
          .weighted = round % 2 == 1},
         random);
    Options& options = table.problem.options;
    random_options(table.problem, random, table.problem.n_classes == 0);
    options.max_leaves = round == 5 ? 200 : 0;
    options.runners_up = true;
    options.min_rows_leaf = 5;
    options.threads = 1;
    const Grown one = grow_tree(table.problem);
    CHECK(one.parent.size() > 20);
    check_tree(one, table.problem);
    for (int threads : {2, 4, 8}) {
      options.threads = threads;
      CHECK(bytes(grow_tree(table.problem)) == bytes(one));
    }
  }
}

void splitting_best_first_reaches_the_same_tree() {
  Random random(23);
  for (int round = 0; round < 100; ++round) {
    Table table;
    fill_any(table, random, 2 + random.below(100));
    table.problem.options.max_leaves = 0;
    const std::string all = bytes(grow_tree(table.problem));
    table.problem.options.max_leaves = 1'000'000;
    CHECK(bytes(grow_tree(table.problem)) == all);
  }
}

void never_more_leaves_than_allowed() {
  Random random(24);
  for (int round = 0; round < 200; ++round) {
    Table table;
    fill_any(table, random, 2 + random.below(100));
    table.problem.options.max_leaves = 1 + random.below(15);
    const Grown tree = grow_tree(table.problem);
    CHECK(std::count(tree.n_children.begin(), tree.n_children.end(), 0) <=
          table.problem.options.max_leaves);
  }
}

constexpr Test tests[] = {
    {"trees: every tree is sound", &every_tree_is_sound},
    {"trees: the order of rows does not matter", &the_order_of_rows_does_not_matter},
    {"trees: weights equal repeated rows", &weights_equal_repeated_rows},
    {"trees: threads do not change a byte", &threads_do_not_change_a_byte},
    {"trees: splitting best first reaches the same tree",
     &splitting_best_first_reaches_the_same_tree},
    {"trees: never more leaves than allowed", &never_more_leaves_than_allowed},
};

}  // namespace

Suite grow_tree_tests() { return tests; }

}  // namespace bough::test
