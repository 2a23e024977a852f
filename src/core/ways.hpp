// In how many ways c levels can be put into r groups, none empty: what Kass (1980) multiplies p by.
// All as ln, since the numbers soon pass what a double holds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bough {

// c over r.
inline double log_binomial(int64_t c, int64_t r) {
  double sum = 0;
  for (int64_t i = 1; i <= std::min(r, c - r); ++i)
    sum += std::log(static_cast<double>(c - i + 1) / static_cast<double>(i));
  return sum;
}

// Any level with any other: Stirling's number of the second kind, S(c, r) = r · S(c − 1, r) +
// S(c − 1, r − 1). A row of them is kept within a double by taking powers of two out.
inline double log_ways_free(int64_t c, int64_t r) {
  std::vector<double> ways(static_cast<size_t>(r) + 1, 0.0);
  ways[0] = 1;
  int64_t out = 0;
  for (int64_t n = 1; n <= c; ++n) {
    double most = 0;
    for (size_t j = ways.size() - 1; j > 0; --j) {
      ways[j] = static_cast<double>(j) * ways[j] + ways[j - 1];
      most = std::max(most, ways[j]);
    }
    ways[0] = 0;
    if (most < 0x1p900) continue;
    for (double& way : ways) way *= 0x1p-450;
    out += 450;
  }
  return std::log(ways.back()) + static_cast<double>(out) * M_LN2;
}

// Neighbours only.
inline double log_ways_ordered(int64_t c, int64_t r) { return log_binomial(c - 1, r - 1); }

// Neighbours only, but for one of the c, which may join any group or be one (Kass's floating kind).
inline double log_ways_floating(int64_t c, int64_t r) {
  const double alone = log_binomial(c - 2, r - 2);
  if (c - 2 < r - 1) return alone;  // all others are groups of their own
  const double joins = std::log(static_cast<double>(r)) + log_binomial(c - 2, r - 1);
  return joins + std::log1p(std::exp(alone - joins));
}

// `missing`: the last level is missing cells.
inline double log_ways_merged(int64_t c, int64_t r, bool ordered, bool missing) {
  if (!ordered) return log_ways_free(c, r);
  return missing ? log_ways_floating(c, r) : log_ways_ordered(c, r);
}

}  // namespace bough
