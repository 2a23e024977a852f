#include "open_bin.hpp"

namespace bough {

Opened gather(const ColumnBins& column, const std::vector<uint8_t>& marked,
              const std::vector<uint32_t>& size) {
  Opened opened;
  opened.at.assign(size.size() + 1, 0);
  for (size_t b = 0; b < size.size(); ++b) opened.at[b + 1] = opened.at[b] + size[b];
  const uint32_t n = opened.at.back();
  std::vector<uint32_t> some(n + size_t{1});
  const uint8_t* code = column.code;
  const uint8_t* mark = marked.data();
  uint32_t m = 0;
  for (uint32_t i = 0; i < column.n; ++i) {  // written every time, kept if marked: no guessing
    const uint32_t row = column.rows[i];
    some[m] = row;
    m += mark[code[row]];
  }
  opened.rows.resize(n);
  std::vector<uint32_t> next(opened.at.begin(), opened.at.end() - 1);
  for (uint32_t i = 0; i < n; ++i) opened.rows[next[code[some[i]]]++] = some[i];
  return opened;
}

namespace {

template <class Value>
void load_as(const Column& column, const uint32_t* rows, size_t n, Item* item) {
  constexpr size_t ahead = 24;  // rows lie far apart: ask for their cells early
  const auto at = [&](uint32_t row) {
    return column.data + static_cast<ptrdiff_t>(row) * column.stride;
  };
  for (size_t i = 0; i < n; ++i) {
#if defined(__GNUC__)
    if (i + ahead < n) __builtin_prefetch(at(rows[i + ahead]));
#endif
    item[i] = {static_cast<double>(*reinterpret_cast<const Value*>(at(rows[i]))), rows[i]};
  }
}

}  // namespace

std::vector<Item> load(const Column& column, const uint32_t* begin, const uint32_t* end) {
  const auto n = static_cast<size_t>(end - begin);
  std::vector<Item> items(n);
  switch (column.cell) {  // a missing level has no bin that is opened
    case Cell::f64: load_as<double>(column, begin, n, items.data()); break;
    case Cell::f32: load_as<float>(column, begin, n, items.data()); break;
    case Cell::i32: load_as<int32_t>(column, begin, n, items.data()); break;
  }
  return items;
}

Buckets deal(const uint8_t* fine, const uint32_t* begin, const uint32_t* end) {
  Buckets buckets;
  buckets.at.assign(257, 0);
  for (const uint32_t* row = begin; row != end; ++row) ++buckets.at[fine[*row] + size_t{1}];
  for (size_t b = 0; b < 256; ++b) buckets.at[b + 1] += buckets.at[b];
  std::vector<uint32_t> next(buckets.at.begin(), buckets.at.end() - 1);
  buckets.rows.resize(static_cast<size_t>(end - begin));
  for (const uint32_t* row = begin; row != end; ++row) buckets.rows[next[fine[*row]]++] = *row;
  return buckets;
}

}  // namespace bough
