// Gain ratio: information gain over split information, −Σ Wᵢ/W · log₂ Wᵢ/W.
//
// A split that gains nothing has ratio 0, however small its split information. Rows that were left
// out of the search because their cell is missing share in no gain and count as one more part
// (C4.5), so the gain is scaled by the share of the others.
#pragma once

#include <vector>

#include "entropy.hpp"

namespace bough {

// −Σ Wᵢ/W · log₂ Wᵢ/W
inline double split_information(const double* weight, int32_t m, double total) {
  const double* table = detail::xlogx_table();
  double sum = 0;
  for (int32_t i = 0; i < m; ++i) sum += xlogx(weight[i], table);
  const double bits = xlogx(total, table) - sum;
  return bits > 0 ? bits / total : 0;
}

struct GainRatio {
  static constexpr const char* name = "gain_ratio";
  static constexpr bool regression = false;

  static double impurity(const double* s, int32_t k, double weight, const double* = nullptr) {
    return Entropy::impurity(s, k, weight);
  }
  static double scale(double, double) { return 1; }
  static double priority(double gain, double weight) { return gain * weight; }

  static double ratio(double gain, double information) {
    return gain > 1e-12 && information > 0 ? gain / information : 0;
  }
  template <int K>
  static double two(const Parent& node, const double* left, double left_weight) {
    const double weight[3] = {left_weight, node.weight - left_weight, node.unknown};
    const double all = node.weight + node.unknown;
    return ratio(Entropy::two<K>(node, left, left_weight) * (node.weight / all),
                 split_information(weight, 3, all));
  }
  static double relaxed(const Parent& node, const double* left, const double* bin, double w0,
                        double w1) {
    const double all = node.weight + node.unknown;
    double least = 1.0 / 0.0;  // split information is concave: least at an end
    for (double w : {w0, w1}) {
      const double weight[3] = {w, node.weight - w, node.unknown};
      const double information = split_information(weight, 3, all);
      least = information < least ? information : least;
    }
    return ratio(Entropy::relaxed(node, left, bin, w0, w1) * (node.weight / all), least);
  }
  static double many(const Parent& node, const double* const* child, const double* weight,
                     int32_t m) {
    std::vector<double> part(weight, weight + m);
    part.push_back(node.unknown);
    const double all = node.weight + node.unknown;
    return ratio(Entropy::many(node, child, weight, m) * (node.weight / all),
                 split_information(part.data(), m + 1, all));
  }
};

}  // namespace bough
