// Large nodes: the rows as one column sorts them, from codes: by counting them, and by a look at
// the values inside mixed bins only. So a node that has become small gets order lists of its own.
#include <algorithm>

#include "large.hpp"
#include "open_bin.hpp"
#include "surrogates.hpp"

namespace bough {

namespace {

// Puts the items of one bin in the order of their values; equal values keep their rows in order.
void sort_bin(Item* begin, Item* end) {
  if (end - begin > 24) return std::sort(begin, end, by_value);
  for (Item* next = begin; next < end; ++next) {
    const Item item = *next;
    Item* to = next;
    for (; to > begin && item.value < to[-1].value; --to) *to = to[-1];
    *to = item;
  }
}

// All rows as items, bin by bin. Values are only looked at where a bin holds several.
template <class CodeOf>
std::vector<Item> items_by_bin(const Column& column, const CodedColumn& coded, const uint32_t* rows,
                               uint32_t n, std::vector<uint32_t> next, CodeOf code_of) {
  std::vector<Item> items(n);
  const auto take = [&](auto value_of) {
    for (uint32_t i = 0; i < n; ++i) {
      const size_t code = code_of(i);
      const bool several = code < coded.mixed.size() && coded.mixed[code];
      items[next[code]++] = {several ? value_of(rows[i]) : 0.0, i};
    }
  };
  const auto at = [&](uint32_t row) {
    return column.data + static_cast<ptrdiff_t>(row) * column.stride;
  };
  if (column.cell == Cell::f64)
    take([&](uint32_t row) { return *reinterpret_cast<const double*>(at(row)); });
  else take([&](uint32_t row) { return column.number(row); });
  return items;
}

}  // namespace

bool Large::sort(const Growing& node, size_t c, uint32_t* entry) const {
  const Column& column = problem_.columns[c];
  const CodedColumn& coded = codes_[c];
  const uint32_t* rows = rows_.data() + node.begin;
  const uint32_t n = node.rows();
  const auto known_codes = static_cast<size_t>(coded.coded ? coded.n_bins : column.n_levels);
  const uint8_t* code = coded.coded ? codes_.column(c) : nullptr;
  const auto code_of = [&](uint32_t i) -> size_t {
    if (code) return code[rows[i]];
    const int32_t level = column.code(rows[i]);
    return level < 0 ? known_codes : static_cast<size_t>(level);
  };
  std::vector<uint32_t> at(known_codes + 2, 0);
  for (uint32_t i = 0; i < n; ++i) ++at[code_of(i) + 1];
  for (size_t b = 1; b < at.size(); ++b) at[b] += at[b - 1];
  std::vector<Item> items = items_by_bin(column, coded, rows, n, at, code_of);
  for (size_t b = 0; b <= known_codes; ++b) {
    if (at[b] == at[b + 1]) continue;
    Item* begin = items.data() + at[b];
    Item* end = items.data() + at[b + 1];
    if (b < coded.mixed.size() && coded.mixed[b]) sort_bin(begin, end);
    for (const Item* item = begin; item != end; ++item) {
      const bool starts = item == begin || item->value != item[-1].value;
      *entry++ = item->row | (starts ? new_value : 0);
    }
  }
  return at[known_codes] < n;
}

Segment Large::sorted(const Growing& node, size_t c, std::vector<uint32_t>& entry) const {
  entry.resize(node.rows());
  sort(node, c, entry.data());
  Segment segment{entry.data(), node.rows(), node.rows(), &problem_.columns[c], nullptr, &target_};
  segment.known -= missing_rows(node, c);
  for (uint32_t& e : entry) e = rows_[node.begin + (e & row_of)] | (e & new_value);
  return segment;
}

namespace {

// Agreement of the best threshold, bin by bin: between bins it is exact; inside one, all rows of
// the one child may come before all rows of the other.
double most_of_bins(const CodedColumn& coded, const std::vector<Sides>& bins, const Sides& all) {
  Sides low;
  double most = 0;
  for (size_t b = 0; b < bins.size(); ++b) {
    const bool several = b < coded.mixed.size() && coded.mixed[b];
    const Sides bin = several ? bins[b] : Sides{};
    most = std::max({most, low.to[0] + bin.to[0] + all.to[1] - low.to[1],
                     low.to[1] + bin.to[1] + all.to[0] - low.to[0]});
    for (int side = 0; side < 2; ++side) low.to[side] += bins[b].to[side];
  }
  return most;
}

}  // namespace

double Large::most_agreement(const Growing& node, size_t c) const {
  const CodedColumn& coded = codes_[c];
  if (!coded.coded) return 1;
  std::vector<Sides> bins(static_cast<size_t>(coded.n_bins) + 1);
  const uint8_t* code = codes_.column(c);
  for (uint32_t i = node.begin; i < node.end; ++i) {
    const uint32_t row = rows_[i];
    if (child_of_[row] < 2) bins[code[row]].to[child_of_[row]] += target_.weight(row);
  }
  bins.pop_back();  // missing cells
  Sides all;
  for (const Sides& bin : bins)
    for (int side = 0; side < 2; ++side) all.to[side] += bin.to[side];
  if (all.sum() == 0) return 0;
  double most = 0;
  if (!by_level(c)) most = most_of_bins(coded, bins, all);
  else
    for (const Sides& level : bins) most += level.larger();
  return most / all.sum();
}

std::shared_ptr<Block> Large::hand_over(const Growing& node) const {
  Orders orders;
  orders.n_rows = node.rows();
  orders.entry = std::make_unique_for_overwrite<uint32_t[]>(problem_.columns.size() * node.rows());
  orders.has_missing.assign(problem_.columns.size(), 0);
  for (int32_t c : *node.active) {
    const auto column = static_cast<size_t>(c);
    orders.has_missing[column] = sort(node, column, orders.list(column));
  }
  const uint32_t* rows = rows_.data() + node.begin;
  return std::make_shared<Block>(problem_.columns, std::move(orders),
                                 std::vector<uint32_t>(rows, rows + node.rows()), target_);
}

}  // namespace bough
