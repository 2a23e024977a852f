// The best threshold of a number or ordered column: one pass along its sorted rows.
//
// The left side grows row by row; wherever a new value begins, the split between is judged. See
// docs/splits.md for the candidates and their order.
#pragma once

#include <algorithm>
#include <type_traits>

#include "best.hpp"
#include "search.hpp"
#include "vectors.hpp"

namespace bough {

namespace detail {

struct Cut {
  uint32_t at;         // known rows in child 0
  int16_t missing_to;  // −1: no missing cell here
  double weight;       // of child 0
};

// What the cuts after `first`, `first` + 1, … rows gain, two classes; `one`: how many of the second
// class lie left.
template <class C>
BOUGH_VECTORS void gains_of_two(const Parent& node, const double* one, uint32_t first, uint32_t n,
                                double* gain) {
  const double s[2] = {node.s[0], node.s[1]};  // where nobody writes, so that gains go side by side
  Parent mine = node;
  mine.s = s;
  for (uint32_t j = 0; j < n; ++j) {
    const double weight = static_cast<double>(first) + j;
    const double left[2] = {weight - one[j], one[j]};
    gain[j] = C::template two<2>(mine, left, weight);
  }
}

// The same as `scan_known`, many gains at once; most do not come near the best.
template <class C>
void scan_two(const Parent& node, const ClassRows& rows, const Segment& segment, uint32_t least,
              Best<Cut>& best) {
  constexpr uint32_t most = 64;
  double one[most], gain[most], ones = 0;
  for (uint32_t i = 0; i < least; ++i) ones += rows.classes[segment.entry[i] & row_of];
  for (uint32_t i = least; i + least <= segment.n; i += most) {
    const uint32_t n = std::min(most, segment.n - least + 1 - i);
    const uint32_t* entry = segment.entry + i;
    uint32_t any = 0;
    for (uint32_t j = 0; j < n; ++j) {
      any |= entry[j];
      one[j] = ones;
      ones += rows.classes[entry[j] & row_of];
    }
    if (!(any & new_value)) continue;
    gains_of_two<C>(node, one, i, n, gain);
    for (uint32_t j = 0; j < n; ++j)
      if (best.beats(gain[j]) && entry[j] & new_value)
        best.offer(gain[j], {i + j, -1, 1.0 * (i + j)});
  }
}

// No cell is missing: the loop that most of all time is spent in.
template <class C, int K, class Rows>
void scan_known(const Parent& node, const Rows& rows, const Segment& segment, uint32_t least,
                double* left, Best<Cut>& best) {
  double weight = 0;
  for (uint32_t i = 0; i < least; ++i) rows.add(left, weight, segment.entry[i] & row_of);
  for (uint32_t i = least; i + least <= segment.n; ++i) {
    const uint32_t entry = segment.entry[i];
    if (entry & new_value) {
      const double gain = C::template two<K>(node, left, weight);
      if (best.beats(gain)) best.offer(gain, {i, -1, weight});
    }
    rows.add(left, weight, entry & row_of);
  }
}

// Missing cells join the side that gains more.
template <class C, int K, class Rows>
void scan_learned(const Parent& node, const Rows& rows, const Segment& segment, uint32_t least,
                  Scratch& scratch, Best<Cut>& best) {
  const int32_t k = node.k;
  const uint32_t lost = segment.n - segment.known;
  double *left = scratch.left.data(), *both = scratch.side.data();
  const double* missing = scratch.missing.data();
  double missing_weight = 0, weight = 0;
  for (uint32_t i = segment.known; i < segment.n; ++i)
    rows.add(scratch.missing.data(), missing_weight, segment.entry[i] & row_of);

  for (uint32_t i = 0; i < segment.known; ++i) {
    const uint32_t entry = segment.entry[i];
    if (i > 0 && (entry & new_value)) {
      const uint32_t right = segment.known - i;
      if (i + lost >= least && right >= least) {
        for (int32_t c = 0; c < k; ++c) both[c] = left[c] + missing[c];
        const double w = weight + missing_weight;
        best.offer(C::template two<K>(node, both, w), {i, 0, w});
      }
      if (i >= least && right + lost >= least)
        best.offer(C::template two<K>(node, left, weight), {i, 1, weight});
    }
    rows.add(left, weight, entry & row_of);
  }
  if (segment.known >= least && lost >= least)
    best.offer(C::template two<K>(node, left, weight), {segment.known, 1, weight});
}

// Missing cells get a third child.
template <class C, int K, class Rows>
void scan_own(const Parent& node, const Rows& rows, const Segment& segment, uint32_t least,
              Scratch& scratch, Best<Cut>& best) {
  const int32_t k = node.k;
  const uint32_t lost = segment.n - segment.known;
  double *left = scratch.left.data(), *right = scratch.side.data();
  double missing_weight = 0, weight = 0;
  for (uint32_t i = segment.known; i < segment.n; ++i)
    rows.add(scratch.missing.data(), missing_weight, segment.entry[i] & row_of);

  for (uint32_t i = 0; i < segment.known; ++i) {
    const uint32_t entry = segment.entry[i];
    if (i >= least && i > 0 && (entry & new_value) && segment.known - i >= least) {
      for (int32_t c = 0; c < k; ++c) right[c] = node.s[c] - left[c] - scratch.missing[c];
      const double* child[3] = {left, right, scratch.missing.data()};
      const double w[3] = {weight, node.weight - weight - missing_weight, missing_weight};
      best.offer(C::many(node, child, w, 3), {i, 2, weight});
    }
    rows.add(left, weight, entry & row_of);
  }
  if (segment.known >= least && lost >= least)
    best.offer(C::template two<K>(node, left, weight), {segment.known, 1, weight});
}

template <class C, int K, class Rows>
void scan(const Parent& node, const Rows& rows, const Segment& segment, const Rules& rules,
          Scratch& scratch, Found& found) {
  const uint32_t least = std::max<uint32_t>(rules.min_rows_leaf, 1);
  Best<Cut> best(1e-12 * C::scale(node.impurity, node.weight));
  const auto k = static_cast<size_t>(node.k);
  if (segment.known == segment.n) {
    if constexpr (K == 2 && std::is_same_v<Rows, ClassRows>) {
      scan_two<C>(node, rows, segment, least, best);
    } else if constexpr (K > 0) {
      double left[K] = {};  // stays in registers
      scan_known<C, K>(node, rows, segment, least, left, best);
    } else {
      scratch.left.assign(k, 0.0);
      scan_known<C, K>(node, rows, segment, least, scratch.left.data(), best);
    }
  } else {
    scratch.left.assign(k, 0.0);
    scratch.missing.assign(k, 0.0);
    scratch.side.assign(k, 0.0);
    if (segment.column->missing == Missing::own)
      scan_own<C, K>(node, rows, segment, least, scratch, best);
    else scan_learned<C, K>(node, rows, segment, least, scratch, best);
  }
  found.any = !best.empty();
  if (!found.any) return;

  const Cut& cut = best.first();
  const bool third = cut.missing_to == 2;
  found.gain = best.gain();
  found.kind = SplitKind::threshold;
  found.cut = cut.at;
  found.n_children = third ? 3 : 2;
  double missing_weight = 0;
  if (third)
    for (uint32_t i = segment.known; i < segment.n; ++i)
      missing_weight += rows.weight(segment.entry[i] & row_of);
  found.child_weight = {cut.weight, node.weight - cut.weight - missing_weight};
  if (third) found.child_weight.push_back(missing_weight);
  found.missing_to = cut.missing_to >= 0 ? cut.missing_to : heaviest(found.child_weight);
}

}  // namespace detail

template <class C>
void search_threshold(const Parent& node, const Target& target, const Segment& segment,
                      const Rules& rules, Scratch& scratch, Found& found) {
  using namespace detail;
  if constexpr (C::regression) {
    scan<C, 0>(node, NumberRows{target.moments()}, segment, rules, scratch, found);
  } else if (target.unit_weights()) {
    const ClassRows rows{target.classes()};
    if (node.k == 2) scan<C, 2>(node, rows, segment, rules, scratch, found);
    else scan<C, 0>(node, rows, segment, rules, scratch, found);
  } else {
    const WeightedClassRows rows{target.classes(), target.weights()};
    if (node.k == 2) scan<C, 2>(node, rows, segment, rules, scratch, found);
    else scan<C, 0>(node, rows, segment, rules, scratch, found);
  }
}

}  // namespace bough
