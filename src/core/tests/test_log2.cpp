#include "../log2.hpp"

#include <limits>

#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

double ulp_of(double x) {
  const double a = std::fabs(x);
  return std::nextafter(a, std::numeric_limits<double>::infinity()) - a;
}

// |log2_of(x) − log₂ x| in units of the last place of the right value.
double error_in_ulps(double x) {
  const long double right = std::log2(static_cast<long double>(x));
  return static_cast<double>(std::fabs(static_cast<long double>(log2_of(x)) - right)) /
         ulp_of(static_cast<double>(right));
}

void log2_within_five_ulps_at_all_magnitudes() {
  Random random(1);
  for (int exponent = -1022; exponent <= 1023; ++exponent)
    for (int i = 0; i < 200; ++i)
      CHECK(error_in_ulps(std::ldexp(1 + random.unit(), exponent)) <= 5);
}

void log2_within_five_ulps_near_one() {
  double up = 1, down = 1;
  for (int i = 0; i < 1000; ++i) {
    up = std::nextafter(up, 2);
    down = std::nextafter(down, 0);
    CHECK(error_in_ulps(up) <= 5);
    CHECK(error_in_ulps(down) <= 5);
  }
  Random random(2);
  for (int i = 0; i < 100'000; ++i) CHECK(error_in_ulps(0.5 + 1.5 * random.unit()) <= 5);
}

void log2_exact_at_powers_of_two() {
  for (int exponent = -1022; exponent <= 1023; ++exponent)
    CHECK_SAME(log2_of(std::ldexp(1.0, exponent)), exponent);
}

void xlogx_table_holds_the_direct_values() {
  const double* table = detail::xlogx_table();
  CHECK_SAME(table[0], 0.0);
  CHECK_SAME(table[1], 0.0);
  for (uint32_t i = 2; i < detail::xlogx_size; ++i) {
    const double x = i;
    CHECK_SAME(table[i], x * log2_of(x));
    CHECK_SAME(xlogx(x, table), x * log2_of(x));
  }
}

void xlogx_between_beyond_and_below_the_table() {
  const double* table = detail::xlogx_table();
  for (double x : {0.5, 0.1, 1.5, 65535.5, 65536.0, 65537.0, 1e9, 1e300, 0x1p-1022})
    CHECK_SAME(xlogx(x, table), x * log2_of(x));
  CHECK_SAME(xlogx(0x1p-1074, table), 0.0);  // too small for log2_of, and worth nothing
  CHECK_SAME(xlogx(0.0, table), 0.0);
}

constexpr Test tests[] = {
    {"log2: within 5 ulps at all magnitudes", &log2_within_five_ulps_at_all_magnitudes},
    {"log2: within 5 ulps near one", &log2_within_five_ulps_near_one},
    {"log2: exact at powers of two", &log2_exact_at_powers_of_two},
    {"xlogx: the table holds the direct values", &xlogx_table_holds_the_direct_values},
    {"xlogx: between, beyond and below the table", &xlogx_between_beyond_and_below_the_table},
};

}  // namespace

Suite log2_tests() { return tests; }

}  // namespace bough::test
