#include "../best.hpp"

#include <algorithm>

#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

// docs/splits.md: let g be the largest gain; the first with gain ≥ g − tolerance is the best.
int by_definition(const std::vector<double>& gains, double tolerance) {
  double largest = -infinity;
  for (double gain : gains)
    if (gain > largest) largest = gain;
  for (size_t i = 0; i < gains.size(); ++i)
    if (gains[i] >= largest - tolerance && gains[i] > -infinity) return static_cast<int>(i);
  return -1;
}

void check_against_definition(const std::vector<double>& gains, double tolerance) {
  Best<int> best(tolerance);
  for (size_t i = 0; i < gains.size(); ++i) best.offer(gains[i], static_cast<int>(i));
  const int wanted = by_definition(gains, tolerance);
  CHECK_SAME(best.empty(), wanted < 0);
  if (wanted < 0 || best.empty()) return;
  CHECK_SAME(best.first(), wanted);
  CHECK_SAME(best.gain(), gains[static_cast<size_t>(wanted)]);
}

void best_follows_the_rule_on_near_ties() {
  Random random(8);
  for (int round = 0; round < 50'000; ++round) {
    const double tolerance = random.chance(0.2) ? 0 : 1e-12;
    std::vector<double> gains(random.below(12));
    for (auto& gain : gains) {
      gain = 0.25 * random.below(3) + 0.3e-12 * random.below(10);
      if (random.chance(0.05)) gain = nan;
    }
    check_against_definition(gains, tolerance);
  }
}

// A slow climb: each offer is within the tolerance of the last, not of the first.
void best_lets_go_of_what_falls_behind() {
  std::vector<double> gains;
  for (int i = 0; i < 1000; ++i) {
    gains.push_back(1 + 0.3e-12 * i);
    check_against_definition(gains, 1e-12);
  }
}

void best_of_nothing_is_empty() {
  Best<int> best(1e-12);
  CHECK(best.empty());
  best.offer(nan, 1);
  best.offer(-infinity, 2);
  CHECK(best.empty());
  best.offer(0.0, 3);
  CHECK(!best.empty());
  CHECK_SAME(best.first(), 3);
  CHECK(!best.beats(0.0));
  CHECK(best.beats(1e-300));
}

constexpr Test tests[] = {
    {"best: follows the rule on near ties", &best_follows_the_rule_on_near_ties},
    {"best: lets go of what falls behind", &best_lets_go_of_what_falls_behind},
    {"best: of nothing is empty", &best_of_nothing_is_empty},
};

}  // namespace

Suite best_tests() { return tests; }

}  // namespace bough::test
