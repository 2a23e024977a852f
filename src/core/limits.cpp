#include "limits.hpp"

#include <algorithm>

#include "vectors.hpp"

namespace bough {

namespace {

constexpr size_t lanes = 64;  // cells side by side that are compared at once

// Raises and lowers n limits by n cells. NaN is neither below nor above.
template <class Value>
inline void take(const Value* cell, size_t n, Value* low, Value* high) {
  for (size_t i = 0; i < n; ++i) {
    low[i] = cell[i] < low[i] ? cell[i] : low[i];
    high[i] = cell[i] > high[i] ? cell[i] : high[i];
  }
}

template <class Value>
const Value* cells(const Matrix& m, size_t row, size_t column) {
  return reinterpret_cast<const Value*>(m.data + static_cast<ptrdiff_t>(row) * m.row_stride +
                                        static_cast<ptrdiff_t>(column) * m.column_stride);
}

// Rows whose cells touch: all columns at once.
template <class Value>
BOUGH_VECTORS void along_rows(const Matrix& m, Value* low, Value* high) {
  for (size_t row = 0; row < m.rows; ++row) take(cells<Value>(m, row, 0), m.columns, low, high);
}

// Columns whose cells touch: each in lanes, which are then compared among themselves.
template <class Value>
BOUGH_VECTORS void down_column(const Value* cell, size_t n, Value& low, Value& high) {
  Value lows[lanes], highs[lanes];
  std::fill(lows, lows + lanes, low);
  std::fill(highs, highs + lanes, high);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) take(cell + i, lanes, lows, highs);
  take(cell + i, n - i, lows, highs);
  low = *std::min_element(lows, lows + lanes);
  high = *std::max_element(highs, highs + lanes);
}

template <class Value>
Limits limits(const Matrix& m) {
  constexpr auto size = static_cast<ptrdiff_t>(sizeof(Value));
  constexpr Value end = std::numeric_limits<Value>::infinity();
  std::vector<Value> low(m.columns, end), high(m.columns, -end);
  if (m.column_stride == size) along_rows(m, low.data(), high.data());
  else
    for (size_t c = 0; c < m.columns; ++c) {
      if (m.row_stride == size) down_column(cells<Value>(m, 0, c), m.rows, low[c], high[c]);
      else
        for (size_t row = 0; row < m.rows; ++row)
          take(cells<Value>(m, row, c), 1, &low[c], &high[c]);
    }
  Limits found{{low.begin(), low.end()}, {high.begin(), high.end()}};
  for (size_t c = 0; c < m.columns; ++c)
    if (low[c] > high[c]) found.low[c] = found.high[c] = nan;
  return found;
}

}  // namespace

Limits limits_of(const Matrix& matrix) {
  return matrix.cell == Cell::f64 ? limits<double>(matrix) : limits<float>(matrix);
}

}  // namespace bough
