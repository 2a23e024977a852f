// Significance: −log₁₀ of the chance (p) that a table children × classes with nothing going on
// has a χ² at least this large. 1.3 is p = 0.05, 3 is p = 0.001.
//
// A column is searched by χ²; its best split is then judged by p times the number of candidates
// the column had (Bonferroni): who looks often, finds something by chance. `two` and `many` know
// of no search, so they adjust nothing.
#pragma once

#include <algorithm>

#include "../chi2_p.hpp"
#include "chi2.hpp"

namespace bough {

inline double significance(double log_p) { return log_p < 0 ? -log_p / M_LN10 : 0.0; }

// (children − 1) · (classes here − 1)
inline int64_t chi2_freedom(const double* s, int32_t k, int32_t children) {
  const auto classes = std::count_if(s, s + k, [](double of_class) { return of_class > 0; });
  return static_cast<int64_t>(children - 1) * (static_cast<int64_t>(classes) - 1);
}

struct Significance {
  static constexpr const char* name = "significance";

  static double scale(double, double weight) { return std::max(1.0, weight); }

  static double two(const Parent& node, const double* left, double left_weight) {
    const double chi2 = Chi2::two<0>(node, left, left_weight);
    return significance(chi2_log_p(chi2, chi2_freedom(node.s, node.k, 2)));
  }
  static double many(const Parent& node, const double* const* child, const double* weight,
                     int32_t m) {
    const double chi2 = Chi2::many(node, child, weight, m);
    return significance(chi2_log_p(chi2, chi2_freedom(node.s, node.k, m)));
  }
};

}  // namespace bough
