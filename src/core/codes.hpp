// Values → codes: every cell as one byte, the place of its bin.
//
//   number column:  bin b holds the values in (edge[b−1], edge[b]]; the edges are quantiles of a
//                   sample, or every value there is. `mixed[b]`: more than one value lies in it.
//   level column:   bin b is level b.
//   missing cell:   code n_bins, a bin of its own.
//
// Bins of several values have a second byte, the fine code: 256 equal steps of value inside the
// bin. Both bytes together never fall while the value rises, so equal ones are all that is left to
// compare by value.
//
// Codes lie twice: row by row, since a histogram asks for all cells of a row at once, and column by
// column, since parting rows asks for one:
//
//   by_row:     row 0: [c0 c1 c2 … ]  row 1: [c0 c1 c2 … ]  …    in panels of up to 64 columns
//   by_column:  column 0: [r0 r1 r2 … ]  column 1: [r0 r1 r2 … ]  …
//
// Category columns of more levels than a byte can hold have no codes; see Groups.
#pragma once

#include <span>
#include <vector>

#include "big_vector.hpp"
#include "parallel.hpp"
#include "types.hpp"

namespace bough {

struct CodedColumn {
  bool coded = false;
  int32_t n_bins = 0;          // of known cells
  bool missing = false;        // has the table a missing cell here
  uint32_t first_bin = 0;      // its place in a histogram
  std::vector<double> edge;    // numbers
  std::vector<uint8_t> mixed;  // numbers; for levels all 0
  int32_t place = -1;          // among the coded columns
  int32_t fine_place = -1;     // among those with fine codes

  // Bins in a histogram, the one for missing cells included.
  int32_t all_bins() const { return n_bins + missing; }
};

// Up to 64 columns whose codes lie side by side.
struct Panel {
  const uint8_t* codes;
  size_t stride;                    // bytes per row
  std::vector<uint32_t> first_bin;  // per column of the panel
};

class Codes {
 public:
  // Codes the cells of `rows` (rising rows of the table). Throws InputError for an infinite number
  // or a level out of range. `most_bins` ≤ 254; tests ask for few.
  Codes(const std::vector<Column>& columns, std::span<const uint32_t> rows, size_t table_rows,
        int most_bins, Pool& pool);

  const CodedColumn& operator[](size_t c) const { return columns_[c]; }
  const uint8_t* column(size_t c) const {
    return by_column_.data() + static_cast<size_t>(columns_[c].place) * table_rows_;
  }
  // The fine codes; null where the column has few values.
  const uint8_t* fine(size_t c) const {
    const int32_t place = columns_[c].fine_place;
    return place < 0 ? nullptr : fine_.data() + static_cast<size_t>(place) * table_rows_;
  }
  const std::vector<Panel>& panels() const { return panels_; }
  uint32_t n_bins() const { return n_bins_; }  // of all columns

 private:
  size_t table_rows_;
  uint32_t n_bins_ = 0;
  std::vector<CodedColumn> columns_;
  BigVector<uint8_t> by_row_, by_column_, fine_;
  std::vector<Panel> panels_;

  void lay_out();
};

}  // namespace bough
