// What the core says of a cell it cannot use. Columns and rows go by their numbers; Python's checks
// come first and know the names.
#pragma once

#include <string>

#include "types.hpp"

namespace bough {

[[noreturn]] inline void refuse_cell(size_t column, uint32_t row, const std::string& what) {
  throw InputError("column " + std::to_string(column) + ", row " + std::to_string(row) + ": " +
                   what);
}

[[noreturn]] inline void refuse_infinite(size_t column, uint32_t row) {
  refuse_cell(column, row, "the value is infinite");
}

// Levels are 0 … n_levels − 1; negative codes are missing cells.
inline void check_level(const Column& column, size_t index, uint32_t row) {
  const int32_t level = column.code(row);
  if (level >= column.n_levels)
    refuse_cell(index, row,
                "level code " + std::to_string(level) + " of " + std::to_string(column.n_levels));
}

}  // namespace bough
