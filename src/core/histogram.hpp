// What the rows of a node say about the target, bin by bin: stats of every bin of every column.
//
//   column 0                     column 1
//   [bin 0 | bin 1 | … | missing][bin 0 | …          width() numbers per bin
//
//   classes, every row counts once:  counts[k]                                as 32-bit integers
//   classes with weights:            weights[k], rows                         as doubles
//   numbers:                         the 3 terms of the sum (stats.hpp), squares, rows
//
// All are whole multiples of a unit, so sums are exact: neither the order of rows nor taking one
// histogram from another leaves a trace.
#pragma once

#include <vector>

#include "codes.hpp"
#include "parallel.hpp"
#include "stats.hpp"

namespace bough {

class Histogram {
 public:
  // All bins empty.
  Histogram(const Codes& codes, const Target& target);

  // Adds rows of the table; with a pool, all threads share them out.
  void add(const Codes& codes, const Target& target, const uint32_t* rows, size_t n, Pool* pool);

  // Takes away the rows of another one.
  void subtract(const Histogram& other);

  // Writes the k stats of a bin; returns its rows.
  uint32_t read(uint32_t bin, double* s) const {
    if (sums_.empty()) {
      const uint32_t* counts = &counts_[bin * width_];
      uint32_t rows = 0;
      for (size_t c = 0; c < k_; ++c) {
        s[c] = counts[c];
        rows += counts[c];
      }
      return rows;
    }
    const double* sums = &sums_[bin * width_];
    for (size_t c = 0; c < k_; ++c) s[c] = sums[c];
    return static_cast<uint32_t>(sums[width_ - 1]);
  }
  // Numbers: Σ weight · (target − centre)², rounded up.
  double squares(uint32_t bin) const { return sums_[bin * width_ + 3]; }

  size_t bytes() const { return counts_.size() * 4 + sums_.size() * 8; }

 private:
  size_t k_, width_;
  std::vector<uint32_t> counts_;
  std::vector<double> sums_;

  void add_some(const Codes& codes, const Target& target, const uint32_t* rows, size_t n);
  void merge(const Histogram& other);
};

}  // namespace bough
