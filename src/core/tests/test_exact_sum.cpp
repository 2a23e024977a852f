#include "../exact_sum.hpp"

#include <algorithm>
#include <limits>

#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

constexpr double least = 0x1p-1074;  // the smallest number there is
constexpr double largest = std::numeric_limits<double>::max();

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (double term : terms) sum.add(term);
  return sum.value();
}

// Whole numbers of up to 53 bits at exponents near each other: __int128 holds their sum exactly,
// and its conversion rounds once, to nearest and even.
void sum_equals_whole_arithmetic() {
  Random random(3);
  for (int round = 0; round < 20'000; ++round) {
    const int lowest = static_cast<int>(random.below(1900)) - 1074;
    std::vector<double> terms;
    __int128 whole = 0;
    for (uint32_t n = 1 + random.below(30), i = 0; i < n; ++i) {
      auto mantissa = static_cast<int64_t>(random.next() >> (11 + random.below(53)));
      if (random.chance(0.5)) mantissa = -mantissa;
      const int shift = static_cast<int>(random.below(60));
      whole += static_cast<__int128>(mantissa) * (static_cast<__int128>(1) << shift);
      terms.push_back(std::ldexp(static_cast<double>(mantissa), lowest + shift));
    }
    CHECK_SAME(sum_of(terms), std::ldexp(static_cast<double>(whole), lowest));
  }
}

void sum_has_no_order() {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> terms;
    for (int i = 0; i < 40; ++i)
      terms.push_back(std::ldexp(random.unit() - 0.5, static_cast<int>(random.below(2040)) - 1030));
    const double first = sum_of(terms);
    for (int again = 0; again < 5; ++again) {
      random.shuffle(terms);
      CHECK_SAME(sum_of(terms), first);
    }
    std::vector<double> negative;
    for (double term : terms) negative.push_back(-term);
    CHECK_SAME(sum_of(negative), -first);
  }
}

void halves_go_to_even_unless_something_lies_below() {
  const double ulp = 0x1p-52, half = 0x1p-53;
  CHECK_SAME(sum_of({1, half}), 1.0);
  CHECK_SAME(sum_of({1, ulp, half}), 1 + 2 * ulp);
  for (double below : {least, 0x1p-300, 0x1p-110, 0x1p-60}) {
    CHECK_SAME(sum_of({1, half, below}), 1 + ulp);
    CHECK_SAME(sum_of({1, half, -below}), 1.0);
    CHECK_SAME(sum_of({1, ulp, half, -below}), 1 + ulp);
    CHECK_SAME(sum_of({-1, -half, -below}), -1 - ulp);
    CHECK_SAME(sum_of({-1, -half, below}), -1.0);
  }
}

void what_cancels_leaves_the_rest() {
  CHECK_SAME(sum_of({1e308, 1, -1e308}), 1.0);
  CHECK_SAME(sum_of({1e308, least, -1e308}), least);
  CHECK_SAME(sum_of({largest, largest, -largest, 3.5, -largest}), 3.5);
  CHECK_SAME(sum_of({0.1, 0.2, -0.1, -0.2}), 0.0);
  CHECK(!std::signbit(sum_of({-0.0, -0.0})));
  CHECK_SAME(sum_of({}), 0.0);
}

void subnormal_sums_are_exact() {
  for (int n : {1, 2, 3, 1000, 4097}) {
    const auto count = static_cast<size_t>(n);
    CHECK_SAME(sum_of(std::vector<double>(count, least)), n * least);
    CHECK_SAME(sum_of(std::vector<double>(count, -least)), -n * least);
  }
  const double normal = 0x1p-1022;
  CHECK_SAME(sum_of({normal, -least}), normal - least);
  CHECK_SAME(sum_of({normal - least, least}), normal);
}

void huge_sums_overflow_only_at_the_end() {
  CHECK_SAME(sum_of({largest, largest}), std::numeric_limits<double>::infinity());
  CHECK_SAME(sum_of({-largest, -largest}), -std::numeric_limits<double>::infinity());
  CHECK_SAME(sum_of({largest, -least}), largest);
  CHECK_SAME(sum_of({largest, largest, -largest}), largest);
}

void a_sum_can_be_read_and_go_on() {
  Random random(5);
  ExactSum sum;
  std::vector<double> terms;
  for (int i = 0; i < 2000; ++i) {
    const double term = std::ldexp(random.unit() - 0.5, static_cast<int>(random.below(200)));
    terms.push_back(term);
    sum.add(term);
    if (i % 100 == 0) CHECK_SAME(sum.value(), sum_of(terms));
    CHECK_SAME(sum.value(), sum.value());
  }
}

constexpr Test tests[] = {
    {"sum: equals whole arithmetic", &sum_equals_whole_arithmetic},
    {"sum: has no order", &sum_has_no_order},
    {"sum: halves go to even unless something lies below",
     &halves_go_to_even_unless_something_lies_below},
    {"sum: what cancels leaves the rest", &what_cancels_leaves_the_rest},
    {"sum: subnormal sums are exact", &subnormal_sums_are_exact},
    {"sum: huge sums overflow only at the end", &huge_sums_overflow_only_at_the_end},
    {"sum: can be read and go on", &a_sum_can_be_read_and_go_on},
};

}  // namespace

Suite exact_sum_tests() { return tests; }

}  // namespace bough::test
