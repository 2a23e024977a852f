// Gini: the drop of 1 − Σ p². For two sides the drop is W₀W₁/W² · Σ (p₀ − p₁)², which loses no
// digits.
#pragma once

#include "criterion.hpp"

namespace bough {

struct Gini {
  static constexpr const char* name = "gini";
  static constexpr bool regression = false;

  static double impurity(const double* s, int32_t k, double weight, const double* = nullptr) {
    return gini_impurity(s, k, weight);
  }
  static double scale(double impurity, double) { return impurity; }
  static double priority(double gain, double weight) { return gain * weight; }

  template <int K>
  static double two(const Parent& node, const double* left, double left_weight) {
    const double right_weight = node.weight - left_weight;
    double squares = 0;
    if (K == 2 || (K == 0 && node.k == 2)) {  // the two gaps are the same but for their sign
      const double d = share_gap(node, left, left_weight, 1);
      squares = 2 * d * d;
    } else {
      for (int32_t c = 0; c < node.k; ++c) {
        const double d = share_gap(node, left, left_weight, c);
        squares += d * d;
      }
    }
    return squares / (node.weight * node.weight * left_weight * right_weight);
  }
  static double relaxed(const Parent& node, const double* left, const double* bin, double w0,
                        double w1) {
    return relaxed_gaps(
        node, left, bin, w0, w1, [](double sum, int32_t, double gap) { return sum + gap * gap; },
        [&](double sum) { return sum / (node.weight * node.weight); });
  }
  // Σ over children of Wᵢ/W · Σ (pᵢ − p)²
  static double many(const Parent& node, const double* const* child, const double* weight,
                     int32_t m) {
    double sum = 0;
    for (int32_t i = 0; i < m; ++i) {
      double squares = 0;
      for (int32_t c = 0; c < node.k; ++c) {
        const double d = child[i][c] * node.weight - node.s[c] * weight[i];
        squares += d * d;
      }
      sum += squares / weight[i];
    }
    return sum / (node.weight * node.weight * node.weight);
  }
};

}  // namespace bough
