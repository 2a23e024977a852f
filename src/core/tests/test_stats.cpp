#include "../stats.hpp"

#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

struct Sums {
  std::vector<double> s;
  double weight = 0;
};

template <class Rows>
Sums add_up(const Rows& rows, int32_t k, const std::vector<uint32_t>& of) {
  Sums sums{std::vector<double>(static_cast<size_t>(k), 0.0), 0};
  for (uint32_t row : of) rows.add(sums.s.data(), sums.weight, row);
  return sums;
}

std::vector<uint32_t> first_rows(uint32_t n) {
  std::vector<uint32_t> rows(n);
  for (uint32_t i = 0; i < n; ++i) rows[i] = i;
  return rows;
}

// The sums of all rows in any order, and "all minus some" against "the others", bit for bit.
template <class Rows>
void check_exact(const Rows& rows, int32_t k, uint32_t n, Random& random) {
  std::vector<uint32_t> order = first_rows(n);
  const Sums all = add_up(rows, k, order);
  random.shuffle(order);
  const Sums again = add_up(rows, k, order);
  const auto middle = order.begin() + random.below(n);
  const Sums left = add_up(rows, k, {order.begin(), middle});
  const Sums right = add_up(rows, k, {middle, order.end()});
  CHECK_SAME(all.weight, again.weight);
  CHECK_SAME(all.weight - left.weight, right.weight);
  for (size_t c = 0; c < static_cast<size_t>(k); ++c) {
    CHECK_SAME(all.s[c], again.s[c]);
    CHECK_SAME(all.s[c] - left.s[c], right.s[c]);
  }
}

void sums_of_weights_are_exact() {
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    const uint32_t n = 2 + random.below(500);
    Table table;
    fill(table, {.rows = n, .classes = 3}, random);
    std::vector<double> weights(n);
    const int magnitude = static_cast<int>(random.below(100)) - 50;
    for (auto& w : weights)
      w = std::ldexp(random.unit(), magnitude - static_cast<int>(random.below(20)));
    table.weights(weights);
    const Target target(table.problem);
    CHECK(!target.unit_weights());
    check_exact(WeightedClassRows{target.classes(), target.weights()}, 3, n, random);
    for (uint32_t i = 0; i < n; ++i)
      CHECK_NEAR(target.weight(i) / target.weight_scale(), weights[i],
                 std::ldexp(1.0, magnitude) * 0x1p-41);
  }
}

void sums_of_numbers_are_exact() {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    const uint32_t n = 2 + random.below(500);
    Table table;
    std::vector<double> numbers(n), weights(n);
    const double offset = random.chance(0.5) ? 1e9 : 0;
    for (auto& y : numbers) y = offset + random.unit();
    for (auto& w : weights) w = 0.1 + random.unit();
    table.targets(numbers);
    if (random.chance(0.5)) table.weights(weights);
    const Target target(table.problem);
    CHECK_SAME(target.k(), 3);
    check_exact(NumberRows{target.moments()}, 3, n, random);
  }
}

void whole_targets_and_weights_stay_whole() {
  Table table;
  table.targets({1, 2, 3, 10});
  table.weights({1, 2, 0, 5});
  const Target target(table.problem);
  const double* m = target.moments();
  for (int i : {0, 1, 3}) {
    const double term = m[moments_per_row * i + 1] + m[moments_per_row * i + 2];
    CHECK_SAME(m[moments_per_row * i], table.problem.weights[i]);
    // Σ weight · (target − centre): differences of targets survive unrounded
    CHECK_SAME(term / m[moments_per_row * i] - (m[1] + m[2]) / m[0],
               table.problem.numbers[i] - table.problem.numbers[0]);
  }
  CHECK_SAME(m[moments_per_row * 2], 0.0);
}

void weights_of_one_are_not_kept() {
  Table table;
  table.classes(2, {0, 1});
  table.weights({1, 1});
  CHECK(Target(table.problem).unit_weights());
}

constexpr Test tests[] = {
    {"stats: sums of weights are exact", &sums_of_weights_are_exact},
    {"stats: sums of numbers are exact", &sums_of_numbers_are_exact},
    {"stats: whole targets and weights stay whole", &whole_targets_and_weights_stay_whole},
    {"stats: weights of one are not kept", &weights_of_one_are_not_kept},
};

}  // namespace

Suite stats_tests() { return tests; }

}  // namespace bough::test
