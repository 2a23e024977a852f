// The number written down between two neighbouring values a < b (docs/splits.md, "The threshold").
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "types.hpp"

namespace bough {

// "value ≤ t" separates when a ≤ t < b; the strict form "value < t" when a < t ≤ b.
inline bool separates(double a, double t, double b, bool strict) {
  return strict ? a < t && t <= b : a <= t && t < b;
}

// mantissa · 10^exponent, correctly rounded.
inline double decimal(int64_t mantissa, int exponent) {
  const std::string text = std::to_string(mantissa) + "e" + std::to_string(exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The decimal with the fewest digits that separates; of those the one nearest to the middle, then
// the lower.
inline double shortest_between(double a, double b, double middle, bool strict) {
  if (middle == 0) return 0.0;
  char text[64];  // d.ddde±xx, all digits of the middle
  const char* begin = text;
  const char* end =
      std::to_chars(text, text + sizeof text, std::fabs(middle), std::chars_format::scientific).ptr;
  const char* e = std::find(begin, end, 'e');
  int exponent = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  std::string all(begin, e);
  std::erase(all, '.');
  all.resize(17, '0');

  const double sign = middle < 0 ? -1 : 1;
  for (int digits = 1; digits <= 17; ++digits) {
    const int64_t below = std::stoll(all.substr(0, static_cast<size_t>(digits)));
    double best = nan;
    for (int64_t near = below - 1; near <= below + 1; ++near) {
      const double t = sign * decimal(near, exponent - digits + 1);
      if (!separates(a, t, b, strict)) continue;
      const double gap = std::fabs(t - middle), least = std::fabs(best - middle);
      if (best != best || gap < least || (gap == least && t < best)) best = t;
    }
    if (best == best) return best + 0.0;
  }
  return middle;
}

inline double threshold_between(double a, double b, const Column& column, const Options& options) {
  const bool strict = options.strict;
  if (options.style == Style::observed) return (strict ? b : a) + 0.0;
  double middle = a + (b - a) / 2;
  if (!std::isfinite(middle)) middle = a / 2 + b / 2;
  if (column.kind == Kind::ordered) return strict ? std::ceil(middle) : std::floor(middle);
  if (!separates(a, middle, b, strict)) middle = strict ? b : a;
  return options.style == Style::shortest ? shortest_between(a, b, middle, strict) : middle + 0.0;
}

}  // namespace bough
