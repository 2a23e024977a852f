// Information gain: H(node) − Σ Wᵢ/W · H(childᵢ), with H = −Σ p·log₂ p.
#pragma once

#include "../log2.hpp"
#include "criterion.hpp"

namespace bough {

struct Entropy {
  static constexpr const char* name = "entropy";
  static constexpr bool regression = false;

  // W·H, from W·log₂ W − Σ s·log₂ s.
  template <int K>
  static double bits(const double* s, int32_t classes, double weight) {
    const double* table = detail::xlogx_table();
    const int32_t k = K ? K : classes;
    double sum = 0;
    for (int32_t c = 0; c < k; ++c) sum += xlogx(s[c], table);
    const double bits = xlogx(weight, table) - sum;
    return bits > 0 ? bits : 0;
  }
  static double impurity(const double* s, int32_t k, double weight, const double* = nullptr) {
    return bits<0>(s, k, weight) / weight;
  }
  static double scale(double, double) { return 1; }
  static double priority(double gain, double weight) { return gain * weight; }

  template <int K>
  static double two(const Parent& node, const double* left, double left_weight) {
    const double* table = detail::xlogx_table();
    const int32_t k = K ? K : node.k;
    double in_left = 0, in_right = 0;
    for (int32_t c = 0; c < k; ++c) {
      in_left += xlogx(left[c], table);
      in_right += xlogx(node.s[c] - left[c], table);
    }
    const double left_bits = xlogx(left_weight, table) - in_left;
    const double right_bits = xlogx(node.weight - left_weight, table) - in_right;
    return at_least_0(node.impurity - (left_bits + right_bits) / node.weight);
  }
  // At a given left weight each class is best sent whole; how the weight is parted counts apart,
  // and is most in the middle.
  static double relaxed(const Parent& node, const double* left, const double* bin, double w0,
                        double w1) {
    const double* table = detail::xlogx_table();
    double in_sides = 0;
    for (int32_t c = 0; c < node.k; ++c) {
      const double right = node.s[c] - left[c];
      const double stays = xlogx(left[c], table) + xlogx(right, table);
      if (bin[c] == 0) {
        in_sides += stays;
        continue;
      }
      const double goes = xlogx(left[c] + bin[c], table) + xlogx(right - bin[c], table);
      in_sides += stays > goes ? stays : goes;
    }
    const double middle = node.weight / 2, w = middle < w0 ? w0 : middle > w1 ? w1 : middle;
    const double bits = xlogx(w, table) + xlogx(node.weight - w, table) - in_sides;
    return node.impurity - bits / node.weight;
  }
  static double many(const Parent& node, const double* const* child, const double* weight,
                     int32_t m) {
    double left = 0;
    for (int32_t i = 0; i < m; ++i) left += bits<0>(child[i], node.k, weight[i]);
    return at_least_0(node.impurity - left / node.weight);
  }

 private:
  static double at_least_0(double gain) { return gain > 0 ? gain : 0; }
};

}  // namespace bough
