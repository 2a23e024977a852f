// What a criterion offers. Each has a header of its own and one line in registry.hpp.
//
//   name         as the user writes it
//   regression   reads the stats of numbers, not of classes (see stats.hpp)
//   impurity(s, k, weight, costs)  of one node; classes only, regression hands its error in
//   scale(impurity, weight)      the size of a large gain here; ties are 10⁻¹² of it apart at most
//   priority(gain, weight)       which leaf to split first when leaves are limited
//   two<K>(node, left, w)        gain of two sides; the right one is node − left
//   relaxed(node, left, bin, w0, w1)  no split gains more that has `left` and any part of `bin` on
//                                its left, and there a weight of w0 … w1; classes only
//   many(node, child, w, m)      gain of m sides, none empty; NaN if m > 2 cannot be judged
//
// `two` is the hot one. K is the number of classes where it is known when compiling, else 0.
#pragma once

#include <cmath>
#include <cstdint>

namespace bough {

struct Parent {
  const double* s;  // k stats
  int32_t k;
  double weight;
  double impurity;
  // Regression: the node's mean is centre + offset. The centre is a multiple of the unit of the
  // sums, so taking it out of a sum is exact, and what is left is small.
  double centre = 0, offset = 0;
  double unknown = 0;             // weight of rows left out of the search: gain_ratio counts them
  const double* costs = nullptr;  // cost_gini: k × k, row = actual class, column = answer
  bool bounded = true;            // is the gain quasi-convex, so that bounds hold (bound.hpp)
};

// Left counts against right counts, both as shares: d[c] = left[c]·W − node[c]·W_left, which is
// W_left·W_right·(share in left − share in right). Differences of products of whole numbers, so a
// small gain keeps all its digits.
inline double share_gap(const Parent& node, const double* left, double left_weight, int32_t c) {
  return left[c] * node.weight - node.s[c] * left_weight;
}

// For gains of the form f(gaps) / (left weight · right weight) with f a sum over classes that grows
// with every |gap|: at a given left weight each class is best sent whole, to one side or the other,
// and over left weights the quotient is quasi-convex, so one end of the range is the largest.
// add(sum, class, gap) adds a class.
template <class Add, class Value>
double relaxed_gaps(const Parent& node, const double* left, const double* bin, double w0, double w1,
                    Add add, Value value) {
  double most = -1.0 / 0.0;
  for (double w : {w0, w1}) {
    double sum = 0;
    for (int32_t c = 0; c < node.k; ++c) {
      const double stays = std::fabs(left[c] * node.weight - node.s[c] * w);
      const double goes = std::fabs((left[c] + bin[c]) * node.weight - node.s[c] * w);
      sum = add(sum, c, stays > goes ? stays : goes);
    }
    const double gain = value(sum) / (w * (node.weight - w));
    most = gain > most ? gain : most;
  }
  return most;
}

inline double gini_impurity(const double* s, int32_t k, double weight) {
  double squares = 0;
  for (int32_t c = 0; c < k; ++c) {
    const double p = s[c] / weight;
    squares += p * p;
  }
  return squares < 1 ? 1 - squares : 0;
}

}  // namespace bough
