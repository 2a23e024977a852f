// Gini with costs: the drop of Σ cost(i, j) · pᵢ · pⱼ. With all costs 1 it is Gini; with two
// classes it is a multiple of Gini and finds the same splits.
//
// The impurity is a square form, so its drop for two sides is −W₀W₁/W² · Σ cost(i, j)·gapᵢ·gapⱼ.
// Some matrices of three classes and more make that negative: such a split loses, and is never
// made.
#pragma once

#include "criterion.hpp"

namespace bough {

struct CostGini {
  static constexpr const char* name = "cost_gini";
  static constexpr bool regression = false;

  static double impurity(const double* s, int32_t k, double weight, const double* costs) {
    double sum = 0;
    for (int32_t i = 0; i < k; ++i)
      for (int32_t j = 0; j < k; ++j) sum += costs[i * k + j] * (s[i] / weight) * (s[j] / weight);
    return sum;
  }
  static double scale(double impurity, double) { return impurity; }
  static double priority(double gain, double weight) { return gain * weight; }

  template <int K>
  static double two(const Parent& node, const double* left, double left_weight) {
    const int32_t k = K ? K : node.k;
    const double* costs = node.costs;
    double sum = 0;
    for (int32_t i = 0; i < k; ++i) {
      const double gap = share_gap(node, left, left_weight, i);
      if (gap == 0) continue;
      for (int32_t j = 0; j < k; ++j)
        sum += costs[i * k + j] * gap * share_gap(node, left, left_weight, j);
    }
    return -sum / (node.weight * node.weight * left_weight * (node.weight - left_weight));
  }
  static double relaxed(const Parent&, const double*, const double*, double, double) {
    return 1.0 / 0.0;  // classes do not add up apart
  }
  static double many(const Parent& node, const double* const* child, const double* weight,
                     int32_t m) {
    double sum = 0;
    for (int32_t side = 0; side < m; ++side) {
      double form = 0;
      const auto gap = [&](int32_t c) {
        return child[side][c] * node.weight - node.s[c] * weight[side];
      };
      for (int32_t i = 0; i < node.k; ++i)
        for (int32_t j = 0; j < node.k; ++j) form += node.costs[i * node.k + j] * gap(i) * gap(j);
      sum += form / weight[side];
    }
    return -sum / (node.weight * node.weight * node.weight);
  }
};

}  // namespace bough
