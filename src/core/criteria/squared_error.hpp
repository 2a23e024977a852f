// Squared error: the drop of the mean squared deviation, Σ Wᵢ/W · (meanᵢ − mean)².
#pragma once

#include <cmath>

#include "criterion.hpp"

namespace bough {

struct SquaredError {
  static constexpr const char* name = "squared_error";
  static constexpr bool regression = true;

  // Regression cannot read its error off the stats; see grow.cpp.
  static double impurity(const double*, int32_t, double, const double*) { return 0; }
  static double scale(double impurity, double) { return impurity; }
  static double priority(double gain, double weight) { return gain * weight; }

  // Σ weight · (target − centre of the node), of the rows with stats s
  static double about_centre(const double* s, double centre) {
    return (s[1] - centre * s[0]) + s[2];
  }
  // Σ weight · (target − mean of the node)
  static double deviation(const Parent& node, const double* s) {
    return about_centre(s, node.centre) - node.offset * s[0];
  }
  // Sets centre and offset; `unit` is that of s[1].
  static void find_centre(Parent& node, double unit) {
    const double mean = (node.s[1] + node.s[2]) / node.weight;
    node.centre = unit > 0 ? std::nearbyint(mean / unit) * unit : 0;
    node.offset = about_centre(node.s, node.centre) / node.weight;
  }
  template <int K>
  static double two(const Parent& node, const double* left, double left_weight) {
    const double d = deviation(node, left);
    return d * d / (left_weight * (node.weight - left_weight));
  }
  static double relaxed(const Parent&, const double*, const double*, double, double) {
    return 1.0 / 0.0;
  }
  static double many(const Parent& node, const double* const* child, const double* weight,
                     int32_t m) {
    double sum = 0;
    for (int32_t i = 0; i < m; ++i) {
      const double d = deviation(node, child[i]);
      sum += d * d / weight[i];
    }
    return sum / node.weight;
  }
};

}  // namespace bough
