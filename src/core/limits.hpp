// A matrix of numbers → the smallest and the largest known number of every column.
#pragma once

#include <vector>

#include "types.hpp"

namespace bough {

struct Matrix {
  const char* data = nullptr;
  size_t rows = 0, columns = 0;
  ptrdiff_t row_stride = 0, column_stride = 0;  // in bytes
  Cell cell = Cell::f64;                        // f64 or f32
};

struct Limits {
  std::vector<double> low, high;  // NaN where no cell is known
};

// One pass over the memory, in the order it lies in.
Limits limits_of(const Matrix& matrix);

}  // namespace bough
