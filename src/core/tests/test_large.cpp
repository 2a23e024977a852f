// Histograms find what order lists find: the same bytes, on thousands of small tables with few
// bins, so that bins hold several values and bounds matter.
#include "../criteria/registry.hpp"
#include "check.hpp"
#include "trees.hpp"

namespace bough::test {
namespace {

// Targets close together, but far from one that is not.
void move_away(Table& table, Random& random) {
  const double far = std::ldexp(1.0, static_cast<int>(random.below(45)));
  std::vector<double> numbers(table.problem.n_rows);
  for (double& number : numbers) number = far + 0.1 * random.below(1 + random.below(4));
  numbers[0] = 0;
  table.targets(numbers);
}

void fill_any(Table& table, Random& random) {
  const int32_t classes[] = {0, 0, 2, 2, 3, 4, 5, 22};
  fill(table,
       {.rows = 2 + random.below(random.chance(0.1) ? 600 : 80),
        .classes = classes[random.below(8)],
        .numbers = 1 + random.below(4),
        .ordered = random.below(3),
        .categories = random.below(3),
        .values = random.chance(0.5) ? 1'000'000 : 3 + random.below(20),
        .n_levels = static_cast<int32_t>(2 + random.below(random.chance(0.2) ? 40 : 6)),
        .missing = random.chance(0.5) ? 0 : 0.2,
        .weighted = random.chance(0.3)},
       random);
  if (table.problem.n_classes == 0 && random.chance(0.3)) move_away(table, random);
  if (random.chance(0.8)) return;
  std::vector<double> weights(table.problem.n_rows);  // no decimals: sums have many bits
  for (double& weight : weights) weight = random.chance(0.1) ? 0 : 0.01 + random.unit();
  weights[0] = 1;
  table.weights(weights);
}

bool has_missing(const Problem& problem) {
  for (const Column& column : problem.columns)
    for (size_t row = 0; row < problem.n_rows; ++row)
      if (std::isnan(column.number(row))) return true;
  return false;
}

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
  auto policy = static_cast<Missing>(random.below(5));
  if (policy == Missing::fractional && has_missing(problem)) policy = Missing::stop;  // no pieces
  if (twoing && policy == Missing::own) policy = Missing::learned;
  if (policy == Missing::surrogate && o.categories == Categories::branches) policy = Missing::stop;
  for (Column& column : problem.columns)
    column.missing =
        random.chance(0.8) || twoing || policy == Missing::fractional ? policy : Missing::learned;
  o.ratio_average = random.chance(0.5);
  o.runners_up = random.chance(0.3);
  o.strict = random.chance(0.3);
  o.style = static_cast<Style>(random.below(3));
  if (random.chance(0.3)) o.min_rows_leaf = 1 + random.below(5);
  if (random.chance(0.3)) o.max_depth = static_cast<int32_t>(1 + random.below(4));
  if (random.chance(0.3)) o.max_leaves = 1 + random.below(9);
}

// How the search goes about it: anything is right.
void turn_switches(Options& o, Random& random) {
  o.block_rows = random.below(3) * random.below(10);
  o.most_bins = 1 + static_cast<int>(random.below(random.chance(0.5) ? 6 : 254));
  o.subtract = random.chance(0.7);
  o.fine_codes = random.chance(0.7);
  o.bound = random.chance(0.7);
  o.most_waiting = random.chance(0.7) ? o.most_waiting : random.below(5000);
  o.shared_cells = random.chance(0.5) ? o.shared_cells : random.below(2) * random.below(500);
  o.threads = random.chance(0.8) ? 1 : 2 + static_cast<int>(random.below(2));
}

std::string told(const Problem& problem) {
  const Options& o = problem.options;
  std::ostringstream out;
  out << criteria[o.criterion].name << ", " << problem.n_classes << " classes, " << problem.n_rows
      << " rows, policy " << static_cast<int>(problem.columns[0].missing) << ", weights "
      << (problem.weights != nullptr) << ", leaves " << o.max_leaves << "; bins " << o.most_bins
      << ", subtract " << o.subtract << ", fine " << o.fine_codes << ", bound " << o.bound
      << ", waiting " << o.most_waiting << ", shared " << o.shared_cells << ", threads "
      << o.threads << ", block " << o.block_rows;
  return out.str();
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
  for (int round = 0; round < 8000; ++round) {
    Table table;
    std::vector<double> costs;
    fill_any(table, random);
    set_options(table, costs, random);
    if (random.chance(0.4)) set_test_costs(table.problem, random);
    Options& o = table.problem.options;
    o.block_rows = 1'000'000;
    const std::string expected = bytes(grow_tree(table.problem));
    for (int again = 0; again < 2; ++again) {
      turn_switches(o, random);
      const std::string got = bytes(grow_tree(table.problem));
      expect(got == expected, told(table.problem), "round", round);
    }
  }
}

// Cut between bins only, trees differ with the bins, but with nothing else.
void approximate_trees_are_the_same_every_time() {
  Random random(7);
  for (int round = 0; round < 1500; ++round) {
    Table table;
    std::vector<double> costs;
    fill_any(table, random);
    set_options(table, costs, random);
    Options& o = table.problem.options;
    turn_switches(o, random);
    o.exact = false;
    const std::string one = bytes(grow_tree(table.problem));
    const int bins = o.most_bins;
    const int64_t block_rows = o.block_rows;
    turn_switches(o, random);
    o.most_bins = bins;
    o.block_rows = block_rows;
    expect(bytes(grow_tree(table.problem)) == one, told(table.problem), "round", round);
  }
}

constexpr Test tests[] = {
    {"large: histograms find the same tree", &histograms_find_the_same_tree},
    {"large: approximate trees are the same every time",
     &approximate_trees_are_the_same_every_time},
};

}  // namespace

Suite large_tests() { return tests; }

}  // namespace bough::test
