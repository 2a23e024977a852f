// log2 and x·log2(x), the same bits on every platform.
//
// A library's log2 may differ in its last bit from one machine to the next, and a last bit can turn
// a tie into a win. This one uses only + − × ÷, which are the same everywhere.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace bough {

// x > 0 and normal. Error below 2 units in the last place.
inline double log2_of(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
  double m = std::bit_cast<double>(bits);  // in [1, 2)
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  // log2 m = 2/ln 2 · (s + s³/3 + s⁵/5 + …) with s = (m−1)/(m+1), |s| ≤ 0.1716
  const double s = (m - 1.0) / (m + 1.0), z = s * s, z2 = z * z, z4 = z2 * z2;
  constexpr double c = 2.8853900817779268;  // 2/ln 2
  const double p0 = c + z * (c / 3), p1 = c / 5 + z * (c / 7), p2 = c / 9 + z * (c / 11);
  const double p3 = c / 13 + z * (c / 15), p4 = c / 17 + z * (c / 19), p5 = c / 21 + z * (c / 23);
  const double series = (p0 + z2 * p1) + z4 * ((p2 + z2 * p3) + z4 * (p4 + z2 * p5));
  return exponent + s * series;
}

namespace detail {
inline constexpr uint32_t xlogx_size = 1u << 16;
inline const double* xlogx_table() {
  static const std::vector<double> table = [] {
    std::vector<double> t(xlogx_size, 0.0);
    for (uint32_t i = 2; i < xlogx_size; ++i) t[i] = i * log2_of(i);
    return t;
  }();
  return table.data();
}
}  // namespace detail

// x·log2(x), 0 at 0. Small whole numbers, the common case, come from a table of the same values.
inline double xlogx(double x, const double* table) {
  if (x < detail::xlogx_size) {
    const auto i = static_cast<uint32_t>(x);
    if (static_cast<double>(i) == x) return table[i];
    if (x < 2.2250738585072014e-308) return 0.0;
  }
  return x * log2_of(x);
}

}  // namespace bough
