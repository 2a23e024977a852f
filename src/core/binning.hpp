// Which bins a number column has, and which bin a value lies in.
//
//   edge:   e0      e1   e2          …        ∞         the upper ends, rising
//   bin:  0 ──┤ 1 ────┤2 ──┤ 3 ───────┤ …  ────┤        code: the number of edges below the value
//   fine:     │0 … 255│                                 256 equal steps inside a bin
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "types.hpp"

namespace bough {

// Known values of up to 8,192 rows spread evenly over the table, sorted.
std::vector<double> sample_of(const Column& column, std::span<const uint32_t> rows);

// Upper ends of at most `most_bins` bins, the last of them infinity: every value of the sample
// where they are few, else parts of about equal size. A value that fills a part by itself gets a
// bin with nothing else in it: opening that would mean to look at many equal values. `all_mixed`:
// every bin is known to hold more than one value.
std::vector<double> choose_edges(const std::vector<double>& sample, int most_bins, bool& few_values,
                                 bool& all_mixed);

// A quick way to the bin of a value: the range of the edges is cut into many equal steps, each of
// which knows the first bin that reaches into it; from there a short binary search. The step of a
// value never falls while the value rises (rounding included), so the answer is exact.
class Ladder {
 public:
  Ladder() = default;
  explicit Ladder(const std::vector<double>& edge);

  // code[i] = number of edges below value[i]; NaN gets the number of edges. Is any NaN?
  // beside[i]: value[i] is not its bin's upper end.
  bool place(const double* value, size_t n, uint8_t* code, uint8_t* beside) const;

 private:
  static constexpr int steps = 2048;
  static constexpr uint32_t few = 8;  // edges that are all compared with, without a step
  double low_ = 0, scale_ = 0;
  int halvings_ = 0;
  uint32_t n_edges_ = 0;
  std::vector<int32_t> first_;  // per step
  std::vector<double> edge_;    // and infinities behind, so that no search leaves the array

  bool place_few(const double* value, size_t n, uint8_t* code, uint8_t* beside) const;
  bool place_many(const double* value, size_t n, uint8_t* code, uint8_t* beside) const;
};

// Fine codes: 256 equal steps from the lower to the upper end of every bin.
class Steps {
 public:
  Steps() = default;
  Steps(const std::vector<double>& edge, double lowest, double highest);
  void place(const double* value, const uint8_t* code, size_t n, uint8_t* fine) const;

 private:
  std::vector<double> low_, scale_;  // per bin, and one for missing cells
};

}  // namespace bough
