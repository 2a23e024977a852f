// Twoing (Breiman): W₀/W · W₁/W · (Σ |p₀ − p₁|)². Two sides only.
#pragma once

#include <cmath>

#include "../types.hpp"
#include "criterion.hpp"

namespace bough {

struct Twoing {
  static constexpr const char* name = "twoing";
  static constexpr bool regression = false;

  static double impurity(const double* s, int32_t k, double weight, const double* = nullptr) {
    return gini_impurity(s, k, weight);
  }
  static double scale(double, double) { return 1; }
  static double priority(double gain, double weight) { return gain * weight; }

  template <int K>
  static double two(const Parent& node, const double* left, double left_weight) {
    const int32_t k = K ? K : node.k;
    double gaps = 0;
    for (int32_t c = 0; c < k; ++c) gaps += std::fabs(share_gap(node, left, left_weight, c));
    const double right_weight = node.weight - left_weight;
    return gaps * gaps / (node.weight * node.weight * left_weight * right_weight);
  }
  static double relaxed(const Parent& node, const double* left, const double* bin, double w0,
                        double w1) {
    return relaxed_gaps(
        node, left, bin, w0, w1, [](double sum, int32_t, double gap) { return sum + gap; },
        [&](double sum) { return sum * sum / (node.weight * node.weight); });
  }
  static double many(const Parent& node, const double* const* child, const double* weight,
                     int32_t m) {
    return m == 2 ? two<0>(node, child[0], weight[0]) : nan;
  }
};

}  // namespace bough
