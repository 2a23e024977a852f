// No cut inside a bin gains more than its bounds say: every way to part a few rows is tried.
//
//   rows of the table:  left of the bin | in the bin | right of it | cell missing | in other nodes
//
// Each side may be empty, so that the bin holds the first row of the node, the last one, or all.
#include <algorithm>

#include "../bound.hpp"
#include "../criteria/chi2.hpp"
#include "../criteria/cost_gini.hpp"
#include "../criteria/entropy.hpp"
#include "../criteria/error.hpp"
#include "../criteria/gain_ratio.hpp"
#include "../criteria/gini.hpp"
#include "../criteria/squared_error.hpp"
#include "../criteria/twoing.hpp"
#include "../search_bins.hpp"
#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

struct Sums {
  std::vector<double> s;
  double weight = 0, squares = 0;
  uint32_t rows = 0;

  explicit Sums(const Target& target) : s(static_cast<size_t>(target.k()), 0.0) {}
  void add(const Target& target, uint32_t row) {
    rows += 1;
    if (target.regression()) {
      NumberRows{target.moments()}.add(s.data(), weight, row);
      squares += target.moments()[moments_per_row * size_t{row} + 3];
    } else if (target.unit_weights()) {
      ClassRows{target.classes()}.add(s.data(), weight, row);
    } else {
      WeightedClassRows{target.classes(), target.weights()}.add(s.data(), weight, row);
    }
  }
};

enum Part { left, bin, right, lost, elsewhere };

// A node with one bin, and how far its bounds are from the best cut inside.
struct Case {
  Table table;
  std::vector<double> costs;
  std::vector<uint32_t> rows_of[5];

  Case(Random& random, int32_t classes, bool missing) {
    const uint32_t sizes[] = {random.below(12), 2 + random.below(6), random.below(12),
                              missing ? 1 + random.below(5) : 0, random.below(4)};
    for (int part = left; part <= elsewhere; ++part)
      while (rows_of[part].size() < sizes[part])
        rows_of[part].push_back(static_cast<uint32_t>(all_rows()));
    fill_target(random, classes);
  }
  size_t all_rows() const {
    size_t n = 0;
    for (const auto& rows : rows_of) n += rows.size();
    return n;
  }

 private:
  void fill_target(Random& random, int32_t classes);
};

// Whole targets, tenths, or numbers that are close together but far from the rest of the table.
double number(Random& random, uint32_t style, double far) {
  if (style == 0) return random.below(5);
  if (style == 1) return 0.1 * random.below(30);
  if (style == 2) return random.unit() * random.unit() * 1000;
  return far + (style == 3 ? random.unit() : 0.1 * random.below(2));
}

void Case::fill_target(Random& random, int32_t classes) {
  const size_t n = all_rows();
  if (classes == 0) {
    const uint32_t style = random.below(5);
    const double far = std::ldexp(1.0, static_cast<int>(random.below(50)));
    std::vector<double> numbers;
    for (size_t i = 0; i < n; ++i)
      numbers.push_back(number(random, style, i < n - rows_of[elsewhere].size() ? far : 0));
    table.targets(numbers);
  } else {
    std::vector<int32_t> codes;
    const auto most = 1 + random.below(static_cast<uint32_t>(classes));
    for (size_t i = 0; i < n; ++i) codes.push_back(static_cast<int32_t>(random.below(most)));
    table.classes(classes, codes);
    const auto k = static_cast<size_t>(classes);
    costs.assign(k * k, 0.0);
    for (size_t i = 0; i < k * k; ++i) costs[i] = i % (k + 1) == 0 ? 0 : 4 + random.unit();
  }
  if (random.chance(0.5)) return;
  std::vector<double> weights;
  const bool whole = random.chance(0.5);
  for (size_t i = 0; i < n; ++i)
    weights.push_back(whole ? 1 + random.below(3) : 0.01 + random.unit());
  table.weights(weights);
}

struct Tried {
  int cases = 0, useful = 0;  // useful: the bound is below what a perfect cut would gain
};

// The most that any cut inside the bin gains: rows go left in all ways but none and all.
template <class Judge>
double best_inside(const Judge& judge, const Target& target, const Case& one, const Sums& before) {
  const std::vector<uint32_t>& rows = one.rows_of[bin];
  double most = -infinity;
  for (uint32_t set = 1; set + 1 < 1u << rows.size(); ++set) {
    Sums side = before;
    for (size_t i = 0; i < rows.size(); ++i)
      if (set >> i & 1) side.add(target, rows[i]);
    for (int way = 0; way < Judge::ways; ++way)
      if (judge.legal(way, side.rows))
        most = std::max(most, judge.gain(way, side.s.data(), side.weight));
  }
  return most;
}

// What growing knows of a node; numbers are taken about the table's centre.
struct Node {
  Sums all, missing;
  Parent parent;
  double lowest = infinity, highest = -infinity;
};

template <class C, class Judge>
void compare(const Judge& judge, const Target& target, const Case& one, const Node& node,
             Tried& tried) {
  Sums before(target), inside(target);
  for (uint32_t row : one.rows_of[left]) before.add(target, row);
  for (uint32_t row : one.rows_of[bin]) inside.add(target, row);
  const double most = best_inside(judge, target, one, before);
  if (most == -infinity) return;
  std::vector<double> corner(before.s.size());
  const Bound<Judge> bound(judge, C::regression, corner.data());
  Inside in{before.s.data(), before.weight, inside.s.data(), inside.weight};
  in.lowest = node.lowest;
  in.highest = node.highest;
  const double scale = C::scale(judge.node.impurity, judge.node.weight);
  Floor floor(1e-12 * scale);
  floor.raise(most);
  for (bool squares : {false, true}) {
    if (squares && target.regression()) in.squares = inside.squares;
    const double quick = bound.quick(in), tight = bound.tight(in);
    CHECK(floor.lets(quick, scale));
    CHECK(floor.lets(tight, scale));
    if (!floor.lets(quick, scale) || !floor.lets(tight, scale))
      std::printf("%s, %zu ways, %zu children, %zu | %zu | %zu rows: best %.17g, %.17g, %.17g\n",
                  C::name, size_t{Judge::ways}, size_t{Judge::children}, one.rows_of[left].size(),
                  one.rows_of[bin].size(), one.rows_of[right].size(), most, quick, tight);
    tried.useful += tight < most * 1.5 + 1e-9 * scale;
    tried.cases += 1;
  }
  if (!C::regression)
    CHECK(floor.lets(judge.relaxed(in.left, in.left_weight, in.bin, in.bin_weight), scale));
}

template <class C>
Node node_of(const Case& one, const Target& target) {
  Node node{Sums(target), Sums(target), {}};
  for (int part : {left, bin, right, lost})
    for (uint32_t row : one.rows_of[part]) {
      node.all.add(target, row);
      if (part == lost) node.missing.add(target, row);
      if (!target.regression()) continue;
      node.lowest = std::min(node.lowest, target.number(row) - target.centre());
      node.highest = std::max(node.highest, target.number(row) - target.centre());
    }
  node.parent = {node.all.s.data(), target.k(), node.all.weight, 0};
  node.parent.costs = one.costs.data();
  if constexpr (C::regression) {
    SquaredError::find_centre(node.parent, target.unit_of_sums());
    const double mean = node.parent.centre + node.parent.offset;
    for (int part : {left, bin, right, lost})
      for (uint32_t row : one.rows_of[part]) {
        const double gap = target.number(row) - target.centre() - mean;
        node.parent.impurity += target.weight(row) * gap * gap / node.all.weight;
      }
  } else {
    node.parent.impurity =
        C::impurity(node.all.s.data(), target.k(), node.all.weight, one.costs.data());
  }
  return node;
}

template <class C, int K>
void try_case(Random& random, int32_t classes, Missing policy, Tried& tried) {
  const bool missing = policy != Missing::stop;
  const Case one(random, classes, missing);
  const Target target(one.table.problem);
  const Node node = node_of<C>(one, target);
  if (C::regression && node.lowest == node.highest) return;  // a leaf; nobody asks
  const uint32_t known = node.all.rows - node.missing.rows, least = 1 + random.below(2);
  const Lost these{node.missing.s.data(), node.missing.weight, node.missing.rows};
  std::vector<double> scratch(node.all.s.size());
  const auto check = [&](const auto& judge) { compare<C>(judge, target, one, node, tried); };
  if (!missing) check(NoMissing<C, K>{node.parent, known, least});
  else if (policy == Missing::learned)
    check(LearnedMissing<C, 0>{node.parent, known, least, these, scratch.data()});
  else check(OwnMissing<C, 0>{node.parent, known, least, these, scratch.data()});
}

template <class C>
void bounds_hold() {
  Random random(4);
  for (Missing policy : {Missing::stop, Missing::learned, Missing::own}) {
    if (policy == Missing::own && std::string(C::name) == "twoing") continue;
    Tried tried;
    for (int round = 0; round < 4000; ++round) {
      if constexpr (C::regression) {
        for (int again = 0; again < 10; ++again) try_case<C, 0>(random, 0, policy, tried);
      } else {
        try_case<C, 2>(random, 2, policy, tried);
        for (int32_t classes : {3, 5, 22}) try_case<C, 0>(random, classes, policy, tried);
      }
    }
    CHECK(tried.cases > 1000);
    CHECK(tried.useful * 4 > tried.cases);  // a bound of infinity would hold, too
  }
}

constexpr Test tests[] = {
    {"bound: entropy", &bounds_hold<Entropy>},
    {"bound: gain ratio", &bounds_hold<GainRatio>},
    {"bound: gini", &bounds_hold<Gini>},
    {"bound: error", &bounds_hold<Error>},
    {"bound: twoing", &bounds_hold<Twoing>},
    {"bound: chi2", &bounds_hold<Chi2>},
    {"bound: cost gini", &bounds_hold<CostGini>},
    {"bound: squared error", &bounds_hold<SquaredError>},
};

}  // namespace

Suite bound_tests() { return tests; }

}  // namespace bough::test
