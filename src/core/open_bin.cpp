#include "open_bin.hpp"

namespace bough {

Opened gather(const ColumnBins& column, const std::vector<uint8_t>& marked,
              const std::vector<uint32_t>& size) {
  Opened opened;
  opened.at.assign(size.size() + 1, 0);
  for (size_t b = 0; b < size.size(); ++b) opened.at[b + 1] = opened.at[b] + size[b];
  const uint32_t n = opened.at.back();
  std::vector<uint32_t> some(n + size_t{1});
  uint32_t m = 0;
  for (uint32_t i = 0; i < column.n; ++i) {  // written every time, kept if marked: no guessing
    const uint32_t row = column.rows[i];
    some[m] = row;
    m += marked[column.code[row]];
  }
  opened.items.resize(n);
  std::vector<uint32_t> next(opened.at.begin(), opened.at.end() - 1);
  for (uint32_t i = 0; i < n; ++i)
    opened.items[next[column.code[some[i]]]++] = {column.column.number(some[i]), some[i]};
  return opened;
}

}  // namespace bough
