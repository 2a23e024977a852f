// What a criterion offers. Each has a header of its own and one line in registry.hpp.
//
//   name         as the user writes it
//   regression   reads the stats of numbers, not of classes (see stats.hpp)
//   impurity(s, k, weight, costs)  of one node; classes only, regression hands its error in
//   scale(impurity, weight)      the size of a large gain here; ties are 10⁻¹² of it apart at most
//   priority(gain, weight)       which leaf to split first when leaves are limited
//   two<K>(node, left, w)        gain of two sides; the right one is node − left
//   many(node, child, w, m)      gain of m sides, none empty; NaN if m > 2 cannot be judged
//
// `two` is the hot one. K is the number of classes where it is known when compiling, else 0.
#pragma once

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

inline double gini_impurity(const double* s, int32_t k, double weight) {
  double squares = 0;
  for (int32_t c = 0; c < k; ++c) {
    const double p = s[c] / weight;
    squares += p * p;
  }
  return squares < 1 ? 1 - squares : 0;
}

}  // namespace bough
