// The split of the root against every candidate of docs/splits.md, measured from its definition.
#include <algorithm>
#include <map>

#include "../criteria/registry.hpp"
#include "check.hpp"
#include "trees.hpp"

namespace bough::test {
namespace {

using Sides = std::vector<int>;  // the child of every row

// Rows of one value of the column; those with a missing cell are the last group.
struct Groups {
  std::vector<std::vector<uint32_t>> rows;
  bool missing = false;
  size_t levels() const { return rows.size() - missing; }
};

struct Root {
  const Problem& problem;
  const Column& column = problem.columns[0];
  Groups groups{};
  std::vector<Sides> candidates{};

  double weight(uint32_t row) const { return problem.weights ? problem.weights[row] : 1; }

  void group() {
    std::map<double, std::vector<uint32_t>> known;
    std::vector<uint32_t> missing;
    for (uint32_t row = 0; row < problem.n_rows; ++row)
      if (weight(row) > 0) {
        const double value = column.number(row);
        (std::isnan(value) ? missing : known[value]).push_back(row);
      }
    for (auto& [value, rows] : known) groups.rows.push_back(rows);
    groups.missing = !missing.empty();
    if (groups.missing) groups.rows.push_back(missing);
  }

  // `child` says where each group goes. `sides`: how many of the children have a least size.
  void add(const std::vector<int>& child, int sides) {
    std::map<int, int64_t> rows;
    Sides candidate(problem.n_rows, -1);
    for (size_t g = 0; g < child.size(); ++g) {
      rows[child[g]] += static_cast<int64_t>(groups.rows[g].size());
      for (uint32_t row : groups.rows[g]) candidate[row] = child[g];
    }
    for (int side = 0; side < sides; ++side)
      if (rows[side] < problem.options.min_rows_leaf) return;
    candidates.push_back(candidate);
  }

  void thresholds() {
    const size_t known = groups.levels();
    for (size_t cut = 1; cut < known; ++cut) {
      std::vector<int> child(groups.rows.size(), 0);
      for (size_t g = cut; g < known; ++g) child[g] = 1;
      if (!groups.missing) {
        add(child, 2);
        continue;
      }
      const bool own = column.missing == Missing::own;
      for (int to : own ? std::vector<int>{2} : std::vector<int>{0, 1}) {
        child.back() = to;
        add(child, 2);
      }
    }
    if (!groups.missing || known == 0) return;
    std::vector<int> child(groups.rows.size(), 0);
    child.back() = 1;
    add(child, 2);
  }

  void subsets() {
    for (uint32_t i = 1; i < 1u << (groups.rows.size() - 1); ++i) {
      const uint32_t others = i ^ (i >> 1);  // Gray code, as docs/splits.md says
      std::vector<int> child{0};
      for (size_t g = 1; g < groups.rows.size(); ++g) child.push_back(others >> (g - 1) & 1);
      add(child, 2);
    }
  }

  void one_vs_rest() {
    for (size_t one = 0; one < groups.rows.size(); ++one) {
      std::vector<int> child(groups.rows.size(), 1);
      child[one] = 0;
      add(child, 2);
      if (!groups.missing || column.missing == Missing::own || one == groups.levels()) continue;
      child.back() = 0;
      if (groups.levels() > 1) add(child, 2);
    }
  }

  void branches() {
    std::vector<int> child(groups.rows.size());
    for (size_t g = 0; g < child.size(); ++g) child[g] = static_cast<int>(g);
    const bool joins = groups.missing && column.missing == Missing::learned && groups.levels() > 1;
    for (size_t to = 0; to < (joins ? groups.levels() : 1); ++to) {
      if (joins) child.back() = static_cast<int>(to);
      add_if_two_are_large(child);
    }
  }
  void add_if_two_are_large(const std::vector<int>& child) {
    std::map<int, int64_t> rows;
    for (size_t g = 0; g < child.size(); ++g)
      rows[child[g]] += static_cast<int64_t>(groups.rows[g].size());
    const auto large = std::count_if(rows.begin(), rows.end(), [&](const auto& side) {
      return side.second >= problem.options.min_rows_leaf;
    });
    if (large >= 2) add(child, 0);
  }

  void enumerate() {
    group();
    if (groups.rows.size() < 2) return;
    if (column.kind != Kind::category) return thresholds();
    if (problem.options.categories == Categories::subset) return subsets();
    if (problem.options.categories == Categories::one_vs_rest) return one_vs_rest();
    branches();
  }

  // The drop of 1 − Σ p².
  double gain(const Sides& sides) const {
    std::map<int, std::vector<long double>> classes;
    std::vector<long double> all(static_cast<size_t>(problem.n_classes), 0);
    for (uint32_t row = 0; row < problem.n_rows; ++row) {
      if (sides[row] < 0) continue;
      auto& side = classes[sides[row]];
      side.resize(all.size(), 0);
      const auto c = static_cast<size_t>(problem.classes[row]);
      side[c] += weight(row);
      all[c] += weight(row);
    }
    const long double whole = sum(all);
    long double gain = impurity(all);
    for (const auto& [child, s] : classes) gain -= sum(s) / whole * impurity(s);
    return static_cast<double>(gain);
  }
  static long double sum(const std::vector<long double>& s) {
    long double total = 0;
    for (long double x : s) total += x;
    return total;
  }
  static long double impurity(const std::vector<long double>& s) {
    long double squares = 0;
    for (long double x : s) squares += x * x;
    return 1 - squares / (sum(s) * sum(s));
  }
};

// The children of the root as the tree sends the rows there.
Sides sides_of(const Grown& tree, const Problem& problem) {
  Sides sides = leaves_of(tree, problem);
  for (uint32_t row = 0; row < problem.n_rows; ++row)
    sides[row] = problem.weights && problem.weights[row] == 0 ? -1 : sides[row] - 1;
  return sides;
}

void check_root(const Problem& problem) {
  const Grown tree = grow_tree(problem);
  check_tree(tree, problem);
  if (tree.impurity[0] == 0 || tree.rows[0] < problem.options.min_rows_split) return;
  Root root{problem};
  root.enumerate();
  CHECK_SAME(tree.n_children[0] > 0, !root.candidates.empty());
  if (tree.n_children[0] == 0 || root.candidates.empty()) return;
  double most = 0;
  for (const Sides& sides : root.candidates) most = std::max(most, root.gain(sides));
  CHECK_NEAR(tree.gain[0], most, 1e-12);
  // Of those as good, the first. Nearer than 1e-14 to the tolerance, rounding may decide.
  const double tolerance = 1e-12 * tree.impurity[0];
  for (const Sides& sides : root.candidates) {
    if (root.gain(sides) < most - tolerance - 1e-14) continue;
    CHECK(sides == sides_of(tree, problem));
    break;
  }
}

Taste one_column(Kind kind, Random& random) {
  return {.rows = 2 + random.below(40),
          .classes = 3,
          .numbers = kind == Kind::number,
          .ordered = kind == Kind::ordered,
          .categories = kind == Kind::category,
          .values = 2 + random.below(12),
          .n_levels = static_cast<int32_t>(2 + random.below(5)),
          .missing = random.chance(0.4) ? 0 : 0.25,
          .weighted = random.chance(0.4)};
}

void the_root_is_split_by_the_best_candidate() {
  Random random(27);
  for (int round = 0; round < 4000; ++round) {
    Table table;
    const auto kind = static_cast<Kind>(random.below(3));
    fill(table, one_column(kind, random), random);
    Options& options = table.problem.options;
    options.criterion = criterion_index("gini");
    options.max_depth = 1;
    options.categories = static_cast<Categories>(random.below(3));
    const Missing missing = random.chance(0.5) ? Missing::learned : Missing::own;
    for (Column& column : table.problem.columns) column.missing = missing;
    options.strict = random.chance(0.5);
    options.min_rows_leaf = 1 + random.below(6);
    check_root(table.problem);
  }
}

constexpr Test tests[] = {
    {"search: the root is split by the best candidate", &the_root_is_split_by_the_best_candidate},
};

}  // namespace

Suite search_tests() { return tests; }

}  // namespace bough::test
