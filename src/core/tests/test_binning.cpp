// The way to a bin is quick (steps, wide registers); the answer is that of counting edges.
#include "../binning.hpp"

#include <algorithm>

#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

// Numbers of one taste: even, in a heap with a tail, whole, tiny, or wider apart than a double
// holds.
double taste(Random& random, uint32_t style) {
  const double u = 2 * random.unit() - 1;
  switch (style) {
    case 0: return u;
    case 1: return std::ldexp(u, static_cast<int>(random.below(60)));
    case 2: return random.below(1000);
    case 3: return 5e-324 * random.below(1000);
    case 4: return u * largest;
    default: return 1e6 + 1e-9 * random.below(300);
  }
}

std::vector<double> some_edges(Random& random, uint32_t style) {
  std::vector<double> edge(random.below(254));
  for (double& e : edge) e = taste(random, style);
  std::sort(edge.begin(), edge.end());
  edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
  edge.push_back(infinity);
  return edge;
}

// The edges themselves, their neighbours, the largest numbers and missing cells among them.
std::vector<double> some_values(Random& random, uint32_t style, const std::vector<double>& edge) {
  std::vector<double> value(random.below(700));
  for (double& v : value) {
    const double e = edge[random.below(static_cast<uint32_t>(edge.size()))];
    v = taste(random, style);
    if (std::isfinite(e) && random.chance(0.5))
      v = random.chance(0.3) ? e : std::nextafter(e, random.chance(0.5) ? -infinity : infinity);
    if (random.chance(0.1)) v = random.chance(0.5) ? nan : random.chance(0.5) ? largest : -largest;
    if (std::isinf(v)) v = largest;
  }
  return value;
}

void a_ladder_counts_the_edges_below() {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const uint32_t style = random.below(6);
    const std::vector<double> edge = some_edges(random, style);
    const std::vector<double> value = some_values(random, style, edge);
    std::vector<uint8_t> code(value.size()), beside(value.size());
    const bool missing = Ladder(edge).place(value.data(), value.size(), code.data(), beside.data());
    bool unknown = false;
    for (size_t i = 0; i < value.size(); ++i) {
      const auto at = std::lower_bound(edge.begin(), edge.end(), value[i]) - edge.begin();
      const bool none = value[i] != value[i];
      CHECK_SAME(int{code[i]}, static_cast<int>(none ? std::ssize(edge) : at));
      unknown |= none;
      if (!none) CHECK_SAME(beside[i] != 0, value[i] != edge[code[i]]);
    }
    CHECK_SAME(missing, unknown);
  }
}

// One after the other and without wide registers.
uint8_t plain_step(const std::vector<double>& edge, double lowest, double highest, uint8_t code,
                   double value) {
  if (code == edge.size()) return 0;
  const double low = code == 0 ? lowest : edge[code - 1u];
  const double high = edge[code] == infinity ? highest : edge[code];
  const double scale = 256 / (high - low);
  const double step = std::isfinite(scale) ? (value - low) * scale : 0;
  return static_cast<uint8_t>(step > 0 ? std::min(step, 255.0) : 0.0);
}

void codes_and_fine_codes_rise_with_the_value() {
  Random random(2);
  for (int round = 0; round < 1500; ++round) {
    const uint32_t style = random.below(6);
    const std::vector<double> edge = some_edges(random, style);
    std::vector<double> value = some_values(random, style, edge);
    std::sort(value.begin(), value.end(), [](double a, double b) {  // NaN last
      return a < b || (a == a && b != b);
    });
    const double lowest = taste(random, style);
    const double highest = std::max(lowest, taste(random, style));
    std::vector<uint8_t> code(value.size()), fine(value.size());
    Ladder(edge).place(value.data(), value.size(), code.data(), fine.data());
    Steps(edge, lowest, highest).place(value.data(), code.data(), value.size(), fine.data());
    for (size_t i = 0; i < value.size(); ++i) {
      if (value[i] != value[i]) break;
      CHECK_SAME(int{fine[i]}, int{plain_step(edge, lowest, highest, code[i], value[i])});
      if (i == 0) continue;
      const int before = code[i - 1] * 256 + fine[i - 1], here = code[i] * 256 + fine[i];
      CHECK(before <= here);
      CHECK(value[i - 1] != value[i] || before == here);
    }
  }
}

void edges_part_the_sample() {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const uint32_t style = random.below(6);
    std::vector<double> sample(random.below(random.chance(0.5) ? 20 : 3000));
    for (double& value : sample) value = random.chance(0.2) ? 1 : taste(random, style);
    std::sort(sample.begin(), sample.end());
    const int most = 1 + static_cast<int>(random.below(254));
    bool few = false, all_mixed = false;
    const std::vector<double> edge = choose_edges(sample, most, few, all_mixed);
    CHECK(std::ssize(edge) <= most && edge.back() == infinity);
    CHECK(std::is_sorted(edge.begin(), edge.end(), std::less_equal<>()));  // no two alike
    for (size_t b = 0; b < edge.size(); ++b) {
      const auto low =
          b == 0 ? sample.begin() : std::upper_bound(sample.begin(), sample.end(), edge[b - 1]);
      const auto high = std::upper_bound(sample.begin(), sample.end(), edge[b]);
      const bool several = low < high && *low != *(high - 1);
      if (few) CHECK(!several);
      if (all_mixed) CHECK(several);
    }
  }
}

void a_value_of_many_rows_lies_alone() {
  for (int distinct : {5, 300}) {
    std::vector<double> sample(600, 0.0);
    for (int i = 0; i < distinct; ++i) sample.push_back(1 + i);
    bool few = false, all_mixed = false;
    const std::vector<double> edge = choose_edges(sample, 254, few, all_mixed);
    const auto at = std::find(edge.begin(), edge.end(), 0.0);
    CHECK(at != edge.begin() && at != edge.end());
    CHECK(at[-1] == std::nextafter(0.0, -1.0) && !all_mixed);
  }
}

constexpr Test tests[] = {
    {"binning: a ladder counts the edges below", &a_ladder_counts_the_edges_below},
    {"binning: codes and fine codes rise with the value",
     &codes_and_fine_codes_rise_with_the_value},
    {"binning: a value of many rows lies alone", &a_value_of_many_rows_lies_alone},
    {"binning: edges part the sample", &edges_part_the_sample},
};

}  // namespace

Suite binning_tests() { return tests; }

}  // namespace bough::test
