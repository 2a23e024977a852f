// The number written down between two neighbouring values a < b (docs/splits.md, "The threshold").
#pragma once

#include <charconv>
#include <cmath>

#include "types.hpp"

namespace bough {

// "value ≤ t" separates when a ≤ t < b; the strict form "value < t" when a < t ≤ b.
inline bool separates(double a, double t, double b, bool strict) {
  return strict ? a < t && t <= b : a <= t && t < b;
}

// The decimal with the fewest digits that separates, nearest to the middle.
inline double shortest_between(double a, double b, double middle, bool strict) {
  for (int digits = 0; digits < 17; ++digits) {
    char text[64];
    const auto written =
        std::to_chars(text, text + sizeof text, middle, std::chars_format::scientific, digits);
    double t = 0;
    std::from_chars(text, written.ptr, t);
    if (separates(a, t, b, strict)) return t + 0.0;
  }
  return middle;
}

inline double threshold_between(double a, double b, const Column& column, const Options& options) {
  const bool strict = options.strict;
  if (options.style == Style::observed) return strict ? b : a;
  double middle = a + (b - a) / 2;
  if (!std::isfinite(middle)) middle = a / 2 + b / 2;
  if (column.kind == Kind::ordered) return strict ? std::ceil(middle) : std::floor(middle);
  if (!separates(a, middle, b, strict)) middle = strict ? b : a;
  return options.style == Style::shortest ? shortest_between(a, b, middle, strict) : middle + 0.0;
}

}  // namespace bough
