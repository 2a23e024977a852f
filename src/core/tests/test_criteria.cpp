#include <algorithm>
#include <numbers>
#include <numeric>
#include <set>

#include "../criteria/chi2.hpp"
#include "../criteria/entropy.hpp"
#include "../criteria/error.hpp"
#include "../criteria/gain_ratio.hpp"
#include "../criteria/gini.hpp"
#include "../criteria/registry.hpp"
#include "../criteria/squared_error.hpp"
#include "../criteria/twoing.hpp"
#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

using Real = long double;
using Sides = std::vector<std::vector<double>>;  // per child: weight of every class

std::vector<double> together(const Sides& sides) {
  std::vector<double> all(sides[0].size(), 0.0);
  for (const auto& side : sides)
    for (size_t c = 0; c < side.size(); ++c) all[c] += side[c];
  return all;
}
double weight_of(const std::vector<double>& s) { return std::accumulate(s.begin(), s.end(), 0.0); }

// ---- the formulas of docs/splits.md, as they stand there ----------------------------------------

Real entropy(const std::vector<double>& s) {
  Real sum = 0;
  const Real weight = weight_of(s);
  for (Real x : s)
    if (x > 0) sum -= x / weight * std::log2(x / weight);
  return sum;
}
Real gini(const std::vector<double>& s) {
  Real squares = 0;
  const Real weight = weight_of(s);
  for (Real x : s) squares += (x / weight) * (x / weight);
  return 1 - squares;
}
Real error(const std::vector<double>& s) {
  return 1 - *std::max_element(s.begin(), s.end()) / Real(weight_of(s));
}
Real drop(Real (*impurity)(const std::vector<double>&), const Sides& sides) {
  const auto all = together(sides);
  Real gain = impurity(all);
  for (const auto& side : sides) gain -= weight_of(side) / Real(weight_of(all)) * impurity(side);
  return gain;
}
Real information(const Sides& sides) {
  std::vector<double> weights;
  for (const auto& side : sides) weights.push_back(weight_of(side));
  return entropy(weights);
}
Real twoing(const Sides& sides) {
  const Real w0 = weight_of(sides[0]), w1 = weight_of(sides[1]), all = w0 + w1;
  Real gaps = 0;
  for (size_t c = 0; c < sides[0].size(); ++c)
    gaps += std::fabs(sides[0][c] / w0 - sides[1][c] / w1);
  return w0 / all * (w1 / all) * gaps * gaps;
}
Real chi2(const Sides& sides) {
  const auto all = together(sides);
  Real sum = 0;
  for (const auto& side : sides)
    for (size_t c = 0; c < all.size(); ++c) {
      const Real expected = Real(all[c]) * weight_of(side) / weight_of(all);
      if (expected > 0) sum += (side[c] - expected) * (side[c] - expected) / expected;
    }
  return sum;
}
// −log₁₀ of the chance of this χ², by the finite sums for whole degrees of freedom. A long double
// reaches to 10⁻⁴⁹³².
Real significance(const Sides& sides) {
  const auto all = together(sides);
  const auto classes = std::count_if(all.begin(), all.end(), [](double w) { return w > 0; });
  const auto df = static_cast<int64_t>(sides.size() - 1) * (classes - 1);
  if (df < 1) return 0;
  const Real y = chi2(sides) / 2;
  Real a = df % 2 ? 0.5L : 1, p = df % 2 ? std::erfc(std::sqrt(y)) : std::exp(-y);
  Real term =
      df % 2 ? 2 * std::sqrt(y / std::numbers::pi_v<Real>) * std::exp(-y) : y * std::exp(-y);
  for (; a + 0.25L < Real(df) / 2; a += 1) p += term, term *= y / (a + 1);
  return -std::log10(p);
}
Real by_formula(std::string_view name, const Sides& sides) {
  if (name == "entropy") return drop(&entropy, sides);
  if (name == "gain_ratio") {
    const Real gain = drop(&entropy, sides);
    return gain > 1e-12L ? gain / information(sides) : 0;
  }
  if (name == "gini" || name == "cost_gini") return drop(&gini, sides);  // unit costs
  if (name == "error") return drop(&error, sides);
  if (name == "twoing") return twoing(sides);
  if (name == "chi2") return chi2(sides);
  if (name == "significance") return significance(sides);
  throw std::logic_error("no formula for " + std::string(name));
}
Real impurity_by_formula(std::string_view name, const std::vector<double>& s) {
  if (name == "entropy" || name == "gain_ratio") return entropy(s);
  return name == "error" ? error(s) : gini(s);
}

// ---- the core's side ----------------------------------------------------------------------------

struct Judged {
  Sides sides;
  std::vector<double> all, costs;
  Parent node;
  std::vector<const double*> child;
  std::vector<double> weight;

  Judged(const Criterion& criterion, Sides given)
      : sides(std::move(given)),
        all(together(sides)),
        node{all.data(), static_cast<int32_t>(all.size()), weight_of(all), 0} {
    const size_t k = all.size();
    costs.assign(k * k, 1.0);
    for (size_t c = 0; c < k; ++c) costs[c * k + c] = 0.0;
    node.costs = costs.data();
    node.impurity = criterion.impurity(all.data(), node.k, node.weight, costs.data());
    for (const auto& side : sides) {
      child.push_back(side.data());
      weight.push_back(weight_of(side));
    }
  }
  double two(const Criterion& criterion, size_t side) const {
    return criterion.two(node, child[side], weight[side]);
  }
  double many(const Criterion& criterion) const {
    return criterion.many(node, child.data(), weight.data(), static_cast<int32_t>(child.size()));
  }
};

// Random children, none empty; `unit` is the smallest weight.
Sides random_sides(Random& random, size_t m, size_t k, uint32_t most, double unit) {
  Sides sides(m, std::vector<double>(k, 0.0));
  for (auto& side : sides) {
    for (auto& x : side) x = random.chance(0.3) ? 0 : unit * random.below(most);
    side[random.below(static_cast<uint32_t>(k))] += unit;
  }
  return sides;
}

template <class Check>
void for_each_class_criterion(Check check) {
  for (const Criterion& criterion : criteria)
    if (!criterion.regression) check(criterion);
}

void gains_follow_their_formulas() {
  Random random(9);
  for_each_class_criterion([&](const Criterion& criterion) {
    for (int round = 0; round < 5000; ++round) {
      const size_t m = criterion.name == "twoing" ? 2 : 2 + random.below(4);
      const size_t k = 2 + random.below(4);
      const Sides sides = random_sides(random, m, k, 200, random.chance(0.5) ? 1 : 0.125);
      const Judged judged(criterion, sides);
      const double scale = criterion.scale(judged.node.impurity, judged.node.weight);
      const auto wanted = static_cast<double>(by_formula(criterion.name, sides));
      const double near = 1e-12 * std::max(scale, 1.0);
      CHECK_NEAR(judged.many(criterion), wanted, near);
      CHECK_NEAR(judged.node.impurity,
                 static_cast<double>(impurity_by_formula(criterion.name, judged.all)), 1e-14);
      if (m == 2) CHECK_NEAR(judged.two(criterion, 0), wanted, near);
    }
  });
}

void gains_are_never_negative() {
  Random random(10);
  for_each_class_criterion([&](const Criterion& criterion) {
    for (int round = 0; round < 5000; ++round) {
      Sides sides = random_sides(random, 2, 2 + random.below(3), 50, 1);
      if (random.chance(0.3)) {  // the same shares on both sides: nothing is gained
        const double times = 1 + random.below(5);
        for (size_t c = 0; c < sides[0].size(); ++c) sides[1][c] = times * sides[0][c];
      }
      const Judged judged(criterion, sides);
      CHECK(judged.two(criterion, 0) >= 0);
      CHECK(judged.many(criterion) >= 0);
    }
  });
}

// Small whole counts: products are exact, so the sides can be swapped without changing a bit.
void two_sides_can_be_swapped() {
  Random random(11);
  for_each_class_criterion([&](const Criterion& criterion) {
    for (int round = 0; round < 5000; ++round) {
      const Judged judged(criterion, random_sides(random, 2, 2 + random.below(4), 30, 1));
      CHECK_SAME(judged.two(criterion, 0), judged.two(criterion, 1));
    }
  });
}

template <class C>
void check_two_classes(Random& random) {
  const Criterion& criterion = criteria[static_cast<size_t>(criterion_index(C::name))];
  for (int round = 0; round < 5000; ++round) {
    const Sides sides = random_sides(random, 2, 2, 1000, random.chance(0.5) ? 1 : 0.375);
    const Judged judged(criterion, sides);
    const double general = judged.two(criterion, 0);
    const double special = C::template two<2>(judged.node, judged.child[0], judged.weight[0]);
    CHECK_NEAR(special, general, 4e-16 * std::fabs(general));
  }
}

void two_classes_known_or_not_give_the_same() {
  Random random(12);
  check_two_classes<Entropy>(random);
  check_two_classes<GainRatio>(random);
  check_two_classes<Gini>(random);
  check_two_classes<Error>(random);
  check_two_classes<Twoing>(random);
  check_two_classes<Chi2>(random);
}

void gains_of_well_known_tables() {
  const auto criterion = [](std::string_view name) { return criteria[criterion_index(name)]; };
  // The fourteen days of tennis: outlook, and wind.
  const Sides outlook{{3, 2}, {0, 4}, {2, 3}}, wind{{2, 6}, {3, 3}};
  const auto many = [&](std::string_view name, const Sides& sides) {
    return Judged(criterion(name), sides).many(criterion(name));
  };
  CHECK_NEAR(many("entropy", outlook), 0.24674981977443911, 1e-15);
  CHECK_NEAR(many("gain_ratio", outlook), 0.15642756242117517, 1e-15);
  CHECK_NEAR(many("entropy", wind), 0.048127030408269489, 1e-15);
  CHECK_NEAR(many("gini", outlook), 0.11632653061224485, 1e-15);
  CHECK_NEAR(many("error", {{10, 0}, {5, 20}}), 10.0 / 35, 1e-15);
  CHECK_NEAR(many("chi2", {{10, 20}, {30, 40}}), 0.79365079365079361, 1e-14);
  CHECK_SAME(many("twoing", {{10, 0}, {0, 10}}), 1.0);
  CHECK(std::isnan(many("twoing", outlook)));  // it compares two sides
}

// Huge counts, one row moved: the gap formulas keep their digits where 1 − Σ p² loses them.
void tiny_gains_keep_their_digits() {
  const double n = 1 << 26;
  const Sides sides{{n + 1, n}, {n, n}};
  const auto& criterion = criteria[criterion_index("gini")];
  const Judged judged(criterion, sides);
  // W₀W₁/W² · 2 · (p₀ − p₁)², with p₀ − p₁ = 1 / (2 (2n + 1))
  const double gap = 1 / (2 * (2 * n + 1)), all = 4 * n + 1;
  const double wanted = (2 * n + 1) / all * (2 * n / all) * 2 * gap * gap;
  CHECK_NEAR(judged.two(criterion, 0), wanted, 1e-14 * wanted);
  CHECK_NEAR(judged.many(criterion), wanted, 1e-14 * wanted);
}

void squared_error_follows_its_formula() {
  Random random(13);
  const auto& criterion = criteria[criterion_index("squared_error")];
  for (int round = 0; round < 5000; ++round) {
    const size_t m = 2 + random.below(3);
    Sides children(m);
    std::vector<double> all(3, 0.0), weight;
    std::vector<const double*> child;
    for (auto& s : children) {
      // the coarse part in whole numbers, the fine part in eighths
      s = {1.0 + random.below(9), 8.0 * random.below(100) - 400, random.below(8) / 8.0};
      for (size_t i = 0; i < 3; ++i) all[i] += s[i];
      weight.push_back(s[0]);
      child.push_back(s.data());
    }
    Parent node{all.data(), 3, all[0], 0};
    SquaredError::find_centre(node, random.chance(0.5) ? 1 : 0);
    const Real mean = (Real(all[1]) + all[2]) / all[0];
    Real wanted = 0;
    for (const auto& s : children) {
      const Real gap = (Real(s[1]) + s[2]) / s[0] - mean;
      wanted += s[0] / Real(all[0]) * gap * gap;
    }
    const auto near = static_cast<double>(wanted) * 1e-9 + 1e-18;
    CHECK_NEAR(criterion.many(node, child.data(), weight.data(), static_cast<int32_t>(m)),
               static_cast<double>(wanted), near);
    if (m == 2) {
      const double gain = criterion.two(node, child[0], weight[0]);
      CHECK_NEAR(gain, static_cast<double>(wanted), near);
      CHECK_NEAR(criterion.two(node, child[1], weight[1]), gain, near);
    }
  }
}

void registry_finds_every_name() {
  std::set<std::string_view> names;
  for (size_t i = 0; i < std::size(criteria); ++i) {
    CHECK_SAME(criterion_index(criteria[i].name), static_cast<int>(i));
    names.insert(criteria[i].name);
  }
  CHECK_SAME(names.size(), std::size(criteria));
  CHECK_SAME(criterion_index("no such criterion"), -1);
}

constexpr Test tests[] = {
    {"criteria: gains follow their formulas", &gains_follow_their_formulas},
    {"criteria: gains are never negative", &gains_are_never_negative},
    {"criteria: two sides can be swapped", &two_sides_can_be_swapped},
    {"criteria: two classes known or not give the same", &two_classes_known_or_not_give_the_same},
    {"criteria: gains of well-known tables", &gains_of_well_known_tables},
    {"criteria: tiny gains keep their digits", &tiny_gains_keep_their_digits},
    {"criteria: squared error follows its formula", &squared_error_follows_its_formula},
    {"criteria: the registry finds every name", &registry_finds_every_name},
};

}  // namespace

Suite criteria_tests() { return tests; }

}  // namespace bough::test
