// No cut inside a bin gains more than this.
//
// Inside a bin some of its rows go left; which ones can be, depends on values not looked at yet.
// Every criterion here is quasi-convex in what goes left (docs/speed.md), so over all that *could*
// go left it is largest at a corner:
//
//   classes: any number of rows of each class, so a box; its corners send whole classes left.
//            At least one row goes left and one stays, which cuts the corners "nothing" and "all"
//            off and puts "one row of one class" and "all but one row of one class" in their place.
//   numbers: weight t and sum s of what goes left lie in a parallelogram, whose sides are the
//            node's least and largest target; and in an ellipse given by the bin's squares.
//
// Numbers far from the table's centre, compared with how far they are apart, lose digits in the
// sums of a node: there a bound allows for what rounding can do (`slip`).
//
// `quick` takes "nothing" and "all" as they are, since the cuts beside the bin are judged anyway;
// `tight` cuts them off. Many classes have many corners: from three on `quick` takes every class by
// itself (`relaxed`), which is a little more than can be, and from nine on `tight` does so, too.
#pragma once

#include <algorithm>
#include <cmath>

#include "cuts.hpp"

namespace bough {

// A bin, what lies left of it, and what is known of the node.
struct Inside {
  const double* left;
  double left_weight;
  const double* bin;
  double bin_weight;
  double squares = -1;             // numbers: of the bin, about the centre; negative: not known
  double lowest = 0, highest = 0;  // numbers: targets of the node, about the centre
};

template <class Judge>
class Bound {
 public:
  // `corner`: scratch for k numbers.
  Bound(const Judge& judge, bool regression, double* corner)
      : judge_(judge), regression_(regression), corner_(corner) {}

  double quick(const Inside& in) const {
    if (!regression_ && classes_in(in) > 2) return relaxed(in);
    const bool first = in.left_weight == 0;
    const bool last = in.left_weight + in.bin_weight == judge_.known_weight();
    double most = corners(in);
    if (!first || Judge::ways == 2) most = std::max(most, at_nothing(in));
    if (!last || Judge::ways == 2) most = std::max(most, at_all(in));
    if (first) most = std::max(most, one_row(in, true));
    if (last) most = std::max(most, one_row(in, false));
    return regression_ ? std::min(most, ellipse(in)) : most;
  }

  double tight(const Inside& in) const {
    if (!regression_ && classes_in(in) > most_classes) return relaxed(in);
    const double most = std::max({corners(in), one_row(in, true), one_row(in, false)});
    return regression_ ? std::min(most, ellipse(in)) : most;
  }

 private:
  static constexpr int most_classes = 8;
  const Judge& judge_;
  bool regression_;
  double* corner_;

  // The most gained, whichever way missing cells go; a side may be empty only if they fill it.
  double most_of(const double* left, double weight) const {
    double most = -infinity;
    for (int way = 0; way < Judge::ways; ++way) {
      const double first = judge_.first_weight(way, weight);
      if (first <= 0 || first >= judge_.node.weight) continue;
      const double gain = judge_.gain(way, left, weight);
      if (gain > most) most = gain;
    }
    return most;
  }
  size_t k() const { return static_cast<size_t>(judge_.node.k); }

  double at_nothing(const Inside& in) const {
    return regression_ ? with(in, 0, 0) : most_of(in.left, in.left_weight);
  }
  double at_all(const Inside& in) const {
    if (regression_) return with(in, in.bin_weight, sum_of_bin(in));
    for (size_t c = 0; c < k(); ++c) corner_[c] = in.left[c] + in.bin[c];
    return most_of(corner_, in.left_weight + in.bin_weight);
  }

  double corners(const Inside& in) const {
    return regression_ ? parallelogram(in) : whole_classes(in);
  }
  double one_row(const Inside& in, bool goes_left) const {
    return regression_ ? one_number(in, goes_left) : one_of_a_class(in, goes_left);
  }

  // ---- classes ---------------------------------------------------------------------------------

  double relaxed(const Inside& in) const {
    return judge_.relaxed(in.left, in.left_weight, in.bin, in.bin_weight);
  }
  int classes_in(const Inside& in) const {
    int m = 0;
    for (size_t c = 0; c < k(); ++c) m += in.bin[c] != 0;
    return m;
  }

  double whole_classes(const Inside& in) const {
    size_t present[most_classes];
    int m = 0;
    for (size_t c = 0; c < k(); ++c) {
      if (in.bin[c] == 0) continue;
      present[m++] = c;
    }
    double most = -infinity;
    for (int set = 1; set + 1 < 1 << m; ++set) {
      std::copy(in.left, in.left + k(), corner_);
      double weight = in.left_weight;
      for (int i = 0; i < m; ++i) {
        if (!(set >> i & 1)) continue;
        corner_[present[i]] += in.bin[present[i]];
        weight += in.bin[present[i]];
      }
      most = std::max(most, most_of(corner_, weight));
    }
    return most;
  }

  // Weights are whole: one row weighs at least 1.
  double one_of_a_class(const Inside& in, bool goes_left) const {
    double most = -infinity;
    for (size_t one = 0; one < k(); ++one) {
      if (in.bin[one] == 0) continue;
      for (size_t c = 0; c < k(); ++c) corner_[c] = in.left[c] + (goes_left ? 0 : in.bin[c]);
      corner_[one] += goes_left ? 1 : -1;
      const double weight = in.left_weight + (goes_left ? 1 : in.bin_weight - 1);
      most = std::max(most, most_of(corner_, weight));
    }
    return most;
  }

  // ---- numbers ---------------------------------------------------------------------------------

  double with(const Inside& in, double weight, double sum) const {
    corner_[0] = in.left[0] + weight;
    corner_[1] = in.left[1] + sum;
    corner_[2] = in.left[2];
    const double most = most_of(corner_, in.left_weight + weight), by = slip(in);
    if (by == 0) return most;
    corner_[2] = in.left[2] + by;
    const double above = most_of(corner_, in.left_weight + weight);
    corner_[2] = in.left[2] - by;
    return std::max({most, above, most_of(corner_, in.left_weight + weight)});
  }
  // By how much rounding can move a sum of the node. Nothing, where that moves no gain by 10⁻⁹ of
  // the node's impurity: sides weigh at least 1, so √(w₀ · w₁) is at least about √W.
  double slip(const Inside& in) const {
    const double all = judge_.node.weight;
    const double by = 0x1p-49 * std::max(std::fabs(in.lowest), std::fabs(in.highest)) * all;
    return by * by <= 1e-20 * judge_.node.impurity * all ? 0 : by;
  }
  static double sum_of_bin(const Inside& in) { return in.bin[1] + in.bin[2]; }

  // The largest targets alone, the smallest alone.
  double parallelogram(const Inside& in) const {
    const double range = in.highest - in.lowest;
    const double above = std::fma(-in.bin_weight, in.lowest, in.bin[1]) + in.bin[2];
    const double large = std::clamp(above / range, 0.0, in.bin_weight);
    const double small = in.bin_weight - large;
    return std::max(with(in, large, large * in.highest), with(in, small, small * in.lowest));
  }

  double one_number(const Inside& in, bool goes_left) const {
    if (goes_left) return std::max(with(in, 1, in.lowest), with(in, 1, in.highest));
    const double rest = in.bin_weight - 1, sum = sum_of_bin(in);
    return std::max(with(in, rest, sum - in.lowest), with(in, rest, sum - in.highest));
  }

  // Cauchy and Schwarz: a part of weight t has a sum at most √(t · (1 − t/weight) · spread) away
  // from its share of the bin's sum. The gain is d² / (weight left · weight right), d the sum of
  // deviations from the node's mean on one side.
  double ellipse(const Inside& in) const {
    if constexpr (Judge::ways == 2 || Judge::children == 3) return infinity;
    if (in.squares < 0) return infinity;
    const double all = judge_.node.weight, before = in.left_weight, after = before + in.bin_weight;
    const double sum = sum_of_bin(in);
    const double spread = std::max(in.squares * (1 + 1e-9) - sum * sum / in.bin_weight, 0.0);
    const double d0 = deviation(in, 0, 0) + slip(in);
    const double d1 = deviation(in, in.bin_weight, sum) + slip(in);
    // With nothing on the one side, d there is that of the part alone, and √t cancels.
    if (before <= 0) return (d1 * d1 / in.bin_weight + spread) / (all - after);
    if (after >= all) return (d0 * d0 / in.bin_weight + spread) / before;
    const double away = std::sqrt(in.bin_weight * spread) / 2;
    const double far = std::max(d0, d1) + away;
    return far * far / std::min(before * (all - before), after * (all - after));
  }

  // |Σ weight · (target − mean of the node)| of what is left and a part of the bin.
  double deviation(const Inside& in, double weight, double sum) const {
    const double left[3] = {in.left[0] + weight, in.left[1] + sum, in.left[2]};
    const double w = in.left_weight + weight, rest = judge_.node.weight - w;
    if (w <= 0 || rest <= 0) return 0;
    return std::sqrt(std::max(judge_.gain(0, left, w), 0.0) * w * rest);
  }
};

}  // namespace bough
