// Edges of bins, and the way from a value to its bin.
#include "../binning.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

size_t bin_of(const std::vector<double>& edge, double value) {
  return static_cast<size_t>(std::lower_bound(edge.begin(), edge.end(), value) - edge.begin());
}

std::vector<double> random_sample(Random& random) {
  std::vector<double> sample(1 + random.below(400));
  const size_t values = random.chance(0.5) ? 6 : 100'000;
  for (double& value : sample)
    value = random.chance(0.3) ? 7.0 : static_cast<double>(random.below(values)) / 8;
  std::sort(sample.begin(), sample.end());
  return sample;
}

void edges_rise_and_end_in_infinity() {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<double> sample = random_sample(random);
    const int most = static_cast<int>(2 + random.below(60));
    bool few = false, all_mixed = false;
    const std::vector<double> edge = choose_edges(sample, most, few, all_mixed);
    CHECK(edge.size() <= static_cast<size_t>(most));
    CHECK(edge.back() == infinity);
    CHECK(std::adjacent_find(edge.begin(), edge.end(), std::greater_equal<>()) == edge.end());
    if (few) {  // every value has a bin that ends with it
      for (double value : sample) CHECK(edge[bin_of(edge, value)] == value);
    }
    if (!all_mixed) continue;
    std::vector<double> first(edge.size(), nan);
    std::vector<char> two(edge.size(), 0);
    for (double value : sample) {
      const size_t bin = bin_of(edge, value);
      if (first[bin] != first[bin]) first[bin] = value;
      two[bin] |= value != first[bin];
    }
    CHECK(std::find(two.begin(), two.end(), 0) == two.end());
  }
}

void a_value_of_many_rows_lies_alone() {
  for (int distinct : {5, 300}) {
    std::vector<double> sample(600, 0.0);
    for (int i = 0; i < distinct; ++i) sample.push_back(1 + i);
    bool few = false, all_mixed = false;
    const std::vector<double> edge = choose_edges(sample, 254, few, all_mixed);
    const size_t bin = bin_of(edge, 0.0);
    CHECK(edge[bin] == 0.0);
    CHECK(bin > 0 && edge[bin - 1] == std::nextafter(0.0, -1.0));
    CHECK(!all_mixed);
  }
}

void values_find_their_bin() {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const std::vector<double> sample = random_sample(random);
    bool few = false, all_mixed = false;
    const auto edge = choose_edges(sample, static_cast<int>(2 + random.below(60)), few, all_mixed);
    std::vector<double> value = sample;
    for (double e : edge)
      for (double near : {-infinity, infinity})
        if (std::isfinite(e)) value.push_back(std::nextafter(e, near));
    value.push_back(nan);
    std::vector<uint8_t> code(value.size()), beside(value.size());
    CHECK(Ladder(edge).place(value.data(), value.size(), code.data(), beside.data()));
    for (size_t i = 0; i + 1 < value.size(); ++i) {
      const size_t bin = bin_of(edge, value[i]);
      CHECK_SAME(size_t{code[i]}, bin);
      CHECK_SAME(beside[i] != 0, value[i] != edge[bin]);
    }
    CHECK_SAME(size_t{code.back()}, edge.size());
  }
}

constexpr Test tests[] = {
    {"edges rise and end in infinity", edges_rise_and_end_in_infinity},
    {"a value of many rows lies alone", a_value_of_many_rows_lies_alone},
    {"values find their bin", values_find_their_bin},
};

}  // namespace

Suite binning_tests() { return tests; }

}  // namespace bough::test
