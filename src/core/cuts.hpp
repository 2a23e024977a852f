// How a cut of a node's known rows is judged, by what becomes of its missing cells.
//
//   NoMissing       left | right                                one way
//   LearnedMissing  left + missing | right, left | right + missing   two ways
//   OwnMissing      left | right | missing                      one way
//
// `left` holds known rows only. Used wherever cuts are met: between bins, inside bins, and at the
// corners a bound is made from.
#pragma once

#include <algorithm>

#include "best.hpp"
#include "search.hpp"

namespace bough {

// The missing cells of a node in one column.
struct Lost {
  const double* s = nullptr;
  double weight = 0;
  uint32_t rows = 0;
};

// A bound that is quick for any number of classes (criteria/criterion.hpp); weights are whole, so
// each side has at least 1.
template <class C>
double relaxed_between(const Parent& node, const double* left, const double* bin, double w0,
                       double w1) {
  return C::relaxed(node, left, bin, std::max(w0, 1.0), std::min(w1, node.weight - 1));
}

template <class C, int K>
struct NoMissing {
  static constexpr int ways = 1, children = 2;
  const Parent& node;
  uint32_t known, least;

  bool legal(int, uint32_t left) const { return left >= least && known - left >= least; }
  double gain(int, const double* left, double weight) const {
    return C::template two<K>(node, left, weight);
  }
  double relaxed(const double* left, double weight, const double* bin, double bin_weight) const {
    return relaxed_between<C>(node, left, bin, weight, weight + bin_weight);
  }
  int16_t missing_to(int) const { return -1; }
  double known_weight() const { return node.weight; }
  double first_weight(int, double left) const { return left; }
};

template <class C, int K>
struct LearnedMissing {
  static constexpr int ways = 2, children = 2;
  const Parent& node;
  uint32_t known, least;
  Lost lost;
  double* both;  // scratch

  bool legal(int way, uint32_t left) const {
    const uint32_t right = known - left;
    return way == 0 ? left + lost.rows >= least && right >= least
                    : left >= least && right + lost.rows >= least;
  }
  double gain(int way, const double* left, double weight) const {
    if (way == 1) return C::template two<K>(node, left, weight);
    for (int32_t c = 0; c < node.k; ++c) both[c] = left[c] + lost.s[c];
    return C::template two<K>(node, both, weight + lost.weight);
  }
  double relaxed(const double* left, double weight, const double* bin, double bin_weight) const {
    const double goes_right = relaxed_between<C>(node, left, bin, weight, weight + bin_weight);
    for (int32_t c = 0; c < node.k; ++c) both[c] = left[c] + lost.s[c];
    const double w = weight + lost.weight;
    return std::max(goes_right, relaxed_between<C>(node, both, bin, w, w + bin_weight));
  }
  int16_t missing_to(int way) const { return static_cast<int16_t>(way); }
  double known_weight() const { return node.weight - lost.weight; }
  double first_weight(int way, double left) const { return way == 0 ? left + lost.weight : left; }
};

template <class C, int K>
struct OwnMissing {
  static constexpr int ways = 1, children = 3;
  const Parent& node;
  uint32_t known, least;
  Lost lost;
  double* right;  // scratch

  bool legal(int, uint32_t left) const { return left >= least && known - left >= least; }
  double gain(int, const double* left, double weight) const {
    for (int32_t c = 0; c < node.k; ++c) right[c] = node.s[c] - left[c] - lost.s[c];
    const double* child[3] = {left, right, lost.s};
    const double w[3] = {weight, node.weight - weight - lost.weight, lost.weight};
    return C::many(node, child, w, 3);
  }
  double relaxed(const double*, double, const double*, double) const { return infinity; }
  int16_t missing_to(int) const { return 2; }
  double known_weight() const { return node.weight - lost.weight; }
  double first_weight(int, double left) const { return left; }
};

}  // namespace bough
