// Pearson's χ² of the table children × classes: Σ (observed − expected)² / expected.
#pragma once

#include "criterion.hpp"

namespace bough {

struct Chi2 {
  static constexpr const char* name = "chi2";
  static constexpr bool regression = false;

  static double impurity(const double* s, int32_t k, double weight, const double* = nullptr) {
    return gini_impurity(s, k, weight);
  }
  static double scale(double, double weight) { return weight; }
  static double priority(double gain, double) { return gain; }

  template <int K>
  static double two(const Parent& node, const double* left, double left_weight) {
    const int32_t k = K ? K : node.k;
    double sum = 0;
    for (int32_t c = 0; c < k; ++c) {
      if (node.s[c] == 0) continue;  // an absent class expects nothing anywhere
      const double d = share_gap(node, left, left_weight, c);
      sum += d * d / node.s[c];
    }
    return sum / (left_weight * (node.weight - left_weight));
  }
  static double relaxed(const Parent& node, const double* left, const double* bin, double w0,
                        double w1) {
    return relaxed_gaps(
        node, left, bin, w0, w1,
        [&](double sum, int32_t c, double gap) {
          return node.s[c] == 0 ? sum : sum + gap * gap / node.s[c];
        },
        [](double sum) { return sum; });
  }
  static double many(const Parent& node, const double* const* child, const double* weight,
                     int32_t m) {
    double sum = 0;
    for (int32_t i = 0; i < m; ++i) {
      for (int32_t c = 0; c < node.k; ++c) {
        if (node.s[c] == 0) continue;
        const double d = child[i][c] * node.weight - node.s[c] * weight[i];
        sum += d * d / (node.s[c] * weight[i]);
      }
    }
    return sum / node.weight;
  }
};

}  // namespace bough
