// Large nodes: the rows as one column sorts them, from codes: by counting them, and by a look at
// the values inside mixed bins only. So a node that has become small gets order lists of its own.
#include <algorithm>

#include "large.hpp"
#include "open_bin.hpp"

namespace bough {

namespace {

// Puts entries of one bin in the order of their values and flags where these change. Fine codes
// decide where they differ; values are looked at where they do not.
void sort_bin(const Column& column, const uint8_t* fine, const uint32_t* rows, uint32_t* begin,
              uint32_t* end) {
  const auto step = [&](uint32_t entry) { return fine ? fine[rows[entry & row_of]] : 0; };
  const auto n = end - begin;
  if (n == 1) return;
  std::sort(begin, end,
            [&](uint32_t a, uint32_t b) { return step(a) != step(b) ? step(a) < step(b) : a < b; });
  std::vector<Item> items;
  for (ptrdiff_t i = 0; i < n;) {
    ptrdiff_t next = i + 1;
    while (next < n && step(begin[next]) == step(begin[i])) ++next;
    if (next - i > 1) {
      items.clear();
      for (ptrdiff_t j = i; j < next; ++j)
        items.push_back({column.number(rows[begin[j]]), begin[j]});
      std::sort(items.begin(), items.end(), by_value);
      for (ptrdiff_t j = i; j < next; ++j) {
        const auto& item = items[static_cast<size_t>(j - i)];
        const bool changed = j > i && item.value != items[static_cast<size_t>(j - i - 1)].value;
        begin[j] = item.row | (changed ? new_value : 0);
      }
    }
    begin[i] |= new_value;
    i = next;
  }
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
  const bool missing = at[known_codes] < n;
  std::vector<uint32_t> next(at.begin(), at.end() - 1);
  for (uint32_t i = 0; i < n; ++i) entry[next[code_of(i)]++] = i;

  for (size_t b = 0; b <= known_codes; ++b) {
    if (at[b] == at[b + 1]) continue;
    if (b < coded.mixed.size() && coded.mixed[b])
      sort_bin(column, codes_.fine(c), rows, entry + at[b], entry + at[b + 1]);
    entry[at[b]] |= new_value;
  }
  return missing;
}

Segment Large::sorted(const Growing& node, size_t c, std::vector<uint32_t>& entry) const {
  entry.resize(node.rows());
  sort(node, c, entry.data());
  Segment segment{entry.data(), node.rows(), node.rows(), &problem_.columns[c], nullptr, &target_};
  segment.known -= missing_rows(node, c);
  for (uint32_t& e : entry) e = rows_[node.begin + (e & row_of)] | (e & new_value);
  return segment;
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
