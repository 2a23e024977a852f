// Values → order lists: for each column the rows, sorted by value, missing cells last.
//
// One 32-bit entry per cell: the row, and a flag where a new value begins (see search.hpp). That is
// all the exact search needs: it never looks at a value again, except to write a threshold down.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "types.hpp"

namespace bough {

struct Orders {
  uint32_t n_rows = 0;                // rows in every list
  std::unique_ptr<uint32_t[]> entry;  // column after column
  std::vector<char> has_missing;      // per column

  uint32_t* list(size_t column) const { return entry.get() + column * n_rows; }
};

// Sorts `rows` by every column. Throws InputError for an infinite number or a level out of range.
Orders encode(const std::vector<Column>& columns, std::span<const uint32_t> rows, Pool& pool);

}  // namespace bough
