// Histograms find what order lists find: the same bytes, on thousands of small tables with few
// bins, so that bins hold several values and bounds matter.
#include "../criteria/registry.hpp"
#include "check.hpp"
#include "trees.hpp"

namespace bough::test {
namespace {

void fill_any(Table& table, Random& random) {
  fill(table,
       {.rows = 2 + random.below(random.chance(0.1) ? 600 : 80),
        .classes = static_cast<int32_t>(random.below(6)),
        .numbers = 1 + random.below(4),
        .ordered = random.below(3),
        .categories = random.below(3),
        .values = random.chance(0.5) ? 1'000'000 : 3 + random.below(20),
        .n_levels = static_cast<int32_t>(2 + random.below(random.chance(0.2) ? 40 : 6)),
        .missing = random.chance(0.5) ? 0 : 0.2,
        .weighted = random.chance(0.3)},
       random);
  if (table.problem.n_classes == 1) table.problem.n_classes = 2;
}

// The classes follow the first number, more or less, so that trees grow deep and gains differ.
void set_options(Table& table, std::vector<double>& costs, Random& random) {
  Problem& problem = table.problem;
  Options& o = problem.options;
  const char* names[] = {"entropy", "gain_ratio", "gini", "error", "chi2", "twoing", "cost_gini"};
  const bool regression = problem.n_classes == 0;
  const char* name = regression ? "squared_error" : names[random.below(7)];
  o.criterion = criterion_index(name);
  const auto k = static_cast<size_t>(problem.n_classes);
  costs.assign(k * k, 0.0);
  for (size_t i = 0; i < k * k; ++i)
    costs[i] = i % (k + 1) == 0 ? 0 : random.chance(0.7) ? 1 : 1 + random.below(5);
  problem.costs = costs.data();
  const bool twoing = std::string(name) == "twoing";
  o.categories = static_cast<Categories>(random.below(3));
  if (twoing && o.categories == Categories::branches) o.categories = Categories::subset;
  const Missing policies[] = {Missing::learned, Missing::own, Missing::surrogate, Missing::stop};
  Missing policy = policies[random.below(4)];
  if (twoing && policy == Missing::own) policy = Missing::learned;
  if (policy == Missing::surrogate && o.categories == Categories::branches) policy = Missing::stop;
  for (Column& column : problem.columns)
    column.missing = random.chance(0.8) || twoing ? policy : Missing::learned;
  o.ratio_average = random.chance(0.5);
  o.runners_up = random.chance(0.3);
  o.strict = random.chance(0.3);
  o.style = static_cast<Style>(random.below(3));
  if (random.chance(0.3)) o.min_rows_leaf = 1 + random.below(5);
  if (random.chance(0.3)) o.max_depth = static_cast<int32_t>(1 + random.below(4));
  if (random.chance(0.3)) o.max_leaves = 1 + random.below(9);
}

// Whole costs, so that some tie; some columns free, some bought together.
void set_test_costs(Problem& problem, Random& random) {
  TestCosts& costs = problem.test_costs;
  costs = {static_cast<CostRule>(random.below(3)), {}, {}, {1.0 * random.below(4), 2}};
  for (size_t c = 0; c < problem.columns.size(); ++c) {
    costs.cost.push_back(random.below(6));
    costs.group.push_back(static_cast<int32_t>(random.below(4)) % 3 - 1);
  }
}

void histograms_find_the_same_tree() {
  Random random(2026);
  for (int round = 0; round < 6000; ++round) {
    Table table;
    std::vector<double> costs;
    fill_any(table, random);
    set_options(table, costs, random);
    if (random.chance(0.4)) set_test_costs(table.problem, random);
    Options& o = table.problem.options;
    o.block_rows = 1'000'000;
    const std::string expected = bytes(grow_tree(table.problem));
    o.block_rows = random.below(3) * random.below(10);
    o.most_bins = 2 + static_cast<int>(random.below(random.chance(0.5) ? 6 : 200));
    o.subtract = random.chance(0.8);
    o.threads = 1 + static_cast<int>(random.below(2));
    for (bool bound : {true, false}) {
      o.bound = bound;
      const std::string got = bytes(grow_tree(table.problem));
      CHECK(got == expected);
      if (got != expected) {
        std::printf("round %d: %s, %d classes, %zu rows, policy %d, bins %d, bound %d\n", round,
                    std::string(criteria[o.criterion].name).c_str(), table.problem.n_classes,
                    table.problem.n_rows, static_cast<int>(table.problem.columns[0].missing),
                    o.most_bins, bound);
      }
    }
  }
}

constexpr Test tests[] = {
    {"large: histograms find the same tree", &histograms_find_the_same_tree},
};

}  // namespace

Suite large_tests() { return tests; }

}  // namespace bough::test
