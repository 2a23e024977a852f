// Classification error: the drop of 1 − max p.
#pragma once

#include <algorithm>

#include "criterion.hpp"

namespace bough {

struct Error {
  static constexpr const char* name = "error";
  static constexpr bool regression = false;

  static double impurity(const double* s, int32_t k, double weight, const double* = nullptr) {
    return (weight - *std::max_element(s, s + k)) / weight;
  }
  static double scale(double impurity, double) { return impurity; }
  static double priority(double gain, double weight) { return gain * weight; }

  template <int K>
  static double two(const Parent& node, const double* left, double) {
    const int32_t k = K ? K : node.k;
    double most_left = 0, most_right = 0, most = 0;
    for (int32_t c = 0; c < k; ++c) {
      most_left = std::max(most_left, left[c]);
      most_right = std::max(most_right, node.s[c] - left[c]);
      most = std::max(most, node.s[c]);
    }
    return (most_left + most_right - most) / node.weight;
  }
  static double relaxed(const Parent& node, const double* left, const double* bin, double, double) {
    double most_left = 0, most_right = 0, most = 0;
    for (int32_t c = 0; c < node.k; ++c) {
      most_left = std::max(most_left, left[c] + bin[c]);
      most_right = std::max(most_right, node.s[c] - left[c]);
      most = std::max(most, node.s[c]);
    }
    return (most_left + most_right - most) / node.weight;
  }
  static double many(const Parent& node, const double* const* child, const double*, int32_t m) {
    double right_answers = 0;
    for (int32_t i = 0; i < m; ++i) right_answers += *std::max_element(child[i], child[i] + node.k);
    return (right_answers - *std::max_element(node.s, node.s + node.k)) / node.weight;
  }
};

}  // namespace bough
