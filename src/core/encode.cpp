#include "encode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "search.hpp"

namespace bough {

namespace {

template <class Key>
struct Item {
  Key key;
  uint32_t row;
};

// Unsigned keys in the order of the numbers; −0 and 0 are one value.
uint64_t key_of(double value) {
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);
  return bits >> 63 ? ~bits : bits | (uint64_t{1} << 63);
}
uint32_t key_of(float value) {
  const auto bits = std::bit_cast<uint32_t>(value + 0.0f);
  return bits >> 31 ? ~bits : bits | (uint32_t{1} << 31);
}

// Stable radix sort, 11 bits a pass, all counts taken in one pass; a digit that never differs is
// skipped. Rows come in rising, so equal values keep their rows in order.
template <class Key>
void sort(std::vector<Item<Key>>& items, std::vector<Item<Key>>& other) {
  const size_t n = items.size();
  if (n < 1024) {
    std::sort(items.begin(), items.end(), [](const Item<Key>& a, const Item<Key>& b) {
      return a.key != b.key ? a.key < b.key : a.row < b.row;
    });
    return;
  }
  constexpr int bits = 11, digits = (8 * sizeof(Key) + bits - 1) / bits, values = 1 << bits;
  std::vector<std::array<uint32_t, values>> count(digits);
  for (auto& c : count) c.fill(0);
  for (const auto& item : items)
    for (int d = 0; d < digits; ++d)
      ++count[static_cast<size_t>(d)][(item.key >> (bits * d)) & (values - 1)];
  other.resize(n);
  for (int d = 0; d < digits; ++d) {
    auto& c = count[static_cast<size_t>(d)];
    if (c[(items[0].key >> (bits * d)) & (values - 1)] == n) continue;
    uint32_t before = 0;
    for (auto& slot : c) before += std::exchange(slot, before);
    for (const auto& item : items) other[c[(item.key >> (bits * d)) & (values - 1)]++] = item;
    items.swap(other);
  }
}

template <class Key, class Read>
bool sort_column(std::span<const uint32_t> rows, uint32_t* out, Read read) {
  std::vector<Item<Key>> items, other;
  items.reserve(rows.size());
  std::vector<uint32_t> missing;
  for (uint32_t row : rows) {
    Key key{};
    if (read(row, key)) items.push_back({key, row});
    else missing.push_back(row);
  }
  sort(items, other);
  for (size_t i = 0; i < items.size(); ++i)
    *out++ = items[i].row | (i == 0 || items[i].key != items[i - 1].key ? new_value : 0);
  for (size_t i = 0; i < missing.size(); ++i) *out++ = missing[i] | (i == 0 ? new_value : 0);
  return !missing.empty();
}

[[noreturn]] void refuse(size_t column, uint32_t row, const std::string& what) {
  throw InputError("column " + std::to_string(column) + ", row " + std::to_string(row) + ": " +
                   what);
}

template <class Value>
bool encode_numbers(const Column& column, size_t index, std::span<const uint32_t> rows,
                    uint32_t* out) {
  using Key = decltype(key_of(Value{}));
  return sort_column<Key>(rows, out, [&](uint32_t row, Key& key) {
    const Value value =
        *reinterpret_cast<const Value*>(column.data + static_cast<ptrdiff_t>(row) * column.stride);
    if (std::isnan(value)) return false;
    if (std::isinf(value)) refuse(index, row, "the value is infinite");
    key = key_of(value);
    return true;
  });
}

bool encode_levels(const Column& column, size_t index, std::span<const uint32_t> rows,
                   uint32_t* out) {
  return sort_column<uint32_t>(rows, out, [&](uint32_t row, uint32_t& key) {
    const int32_t code = column.code(row);
    if (code < 0) return false;
    if (code >= column.n_levels)
      refuse(index, row,
             "level code " + std::to_string(code) + " of " + std::to_string(column.n_levels));
    key = static_cast<uint32_t>(code);
    return true;
  });
}

}  // namespace

Orders encode(const std::vector<Column>& columns, std::span<const uint32_t> rows, Pool& pool) {
  Orders orders;
  orders.n_rows = static_cast<uint32_t>(rows.size());
  orders.entry = std::make_unique_for_overwrite<uint32_t[]>(columns.size() * rows.size());
  orders.has_missing.assign(columns.size(), 0);
  pool.each(columns.size(), [&](size_t c, int) {
    const Column& column = columns[c];
    bool missing = false;
    switch (column.cell) {
      case Cell::f64: missing = encode_numbers<double>(column, c, rows, orders.list(c)); break;
      case Cell::f32: missing = encode_numbers<float>(column, c, rows, orders.list(c)); break;
      case Cell::i32: missing = encode_levels(column, c, rows, orders.list(c)); break;
    }
    orders.has_missing[c] = missing;
  });
  return orders;
}

}  // namespace bough
