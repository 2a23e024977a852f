// What a set of rows says about the target, as k doubles that add and subtract without rounding.
//
//   classes:     s[c] = weight of class c                                   k = number of classes
//   regression:  s[0] = weight, s[1] + s[2] = Σ weight · (target − centre)  k = 3
//
// Exactness: weights become whole numbers (× weight_scale) and targets multiples of a unit, once,
// at the start, such that no sum can pass 2^53 of them. Then sums have no order, and "parent minus
// left" is exactly "right". Weights that are decimals, like 0.1, keep their decimal value. A
// target's sum has two parts, coarse and fine, which together keep more bits than a double has.
#pragma once

#include <cstdint>
#include <vector>

#include "big_vector.hpp"
#include "types.hpp"

namespace bough {

// Regression: weight, the two parts of the sum, and weight · (target − centre)², rounded up: bounds
// are made from it.
constexpr size_t moments_per_row = 4;

class Target {
 public:
  // Keeps no pointer into the problem. Rows of weight 0 stay, adding nothing.
  // `pieces`: weights keep many bits behind the point, so that rows can be shared out.
  explicit Target(const Problem& problem, bool pieces = false);

  // The rows of a block, numbered from 0.
  Target(const Target& whole, const uint32_t* rows, size_t n);

  // What is said of a row will be asked for soon.
  void expect(uint32_t row) const {
#if defined(__GNUC__)
    if (regression()) __builtin_prefetch(&moment_[moments_per_row * row]);
    else __builtin_prefetch(&class_[row]);
    if (!weight_.empty()) __builtin_prefetch(&weight_[row]);
#endif
  }

  // A piece of a row (or of a piece): the same target, another weight. Its number.
  uint32_t add_piece(uint32_t of, double weight);

  bool regression() const { return n_classes_ == 0; }
  int32_t k() const { return regression() ? 3 : n_classes_; }
  bool unit_weights() const { return weight_.empty(); }
  const uint16_t* classes() const { return class_.data(); }
  const double* weights() const { return weight_.data(); }
  const double* moments() const { return moment_.data(); }
  double weight(uint32_t row) const { return unit_weights() ? 1.0 : weight_[row]; }
  // What the first part of a target's sum is a multiple of.
  double unit_of_sums() const { return unit_; }
  // A weight of the caller is ours divided by this.
  double weight_scale() const { return scale_; }
  double number(uint32_t row) const { return number_[row]; }
  // What sums of targets are taken about.
  double centre() const { return centre_; }
  // Are the squares of targets kept? Not where they would be too large for a number.
  bool has_squares() const { return square_unit_ > 0; }

 private:
  int32_t n_classes_;
  BigVector<uint16_t> class_;  // per row
  BigVector<double> weight_;   // per row, whole; empty: all 1
  double scale_ = 1, unit_ = 0;
  BigVector<double> moment_;  // regression: moments_per_row each, the first 3 the terms of s
  BigVector<double> number_;  // regression: the raw targets

  double centre_ = 0, fine_unit_ = 0, square_unit_ = 0;
  void set_weights(const Problem& problem, bool pieces);
  void set_moments(const Problem& problem);
  void put_moments(double* to, double weight, double number) const;
};

// How a row adds to s; the hot loops are compiled once per kind of row.
struct ClassRows {
  const uint16_t* classes;
  double weight(uint32_t) const { return 1.0; }
  void add(double* s, double& weight, uint32_t row) const {
    s[classes[row]] += 1.0;
    weight += 1.0;
  }
};
struct WeightedClassRows {
  const uint16_t* classes;
  const double* weights;
  double weight(uint32_t row) const { return weights[row]; }
  void add(double* s, double& weight, uint32_t row) const {
    const double w = weights[row];
    s[classes[row]] += w;
    weight += w;
  }
};
struct NumberRows {
  const double* moments;
  double weight(uint32_t row) const { return moments[moments_per_row * row]; }
  void add(double* s, double& weight, uint32_t row) const {
    const double* m = moments + moments_per_row * row;
    s[0] += m[0];
    s[1] += m[1];
    s[2] += m[2];
    weight += m[0];
  }
};

}  // namespace bough
