// Large nodes: which child each row goes to, and the rows in the order of the children. Both work
// on stretches of the node's rows, one per thread, and write to places of their own.
#include <algorithm>

#include "large.hpp"

namespace bough {

namespace {

constexpr int16_t ask = -1;  // the code alone does not tell: the value must

// The child of every code (or level, where there are no codes).
std::vector<int16_t> children_by_code(const Found& found, size_t codes, size_t missing_code,
                                      int16_t missing_child) {
  std::vector<int16_t> child(codes, 1);
  if (found.kind == SplitKind::threshold) {
    const auto last = static_cast<size_t>(found.bin);
    std::fill(child.begin(), child.begin() + static_cast<ptrdiff_t>(last) + 1, 0);
    child[last] = ask;
  } else {
    for (size_t l = 0; l < found.levels.size(); ++l)
      child[static_cast<size_t>(found.levels[l])] = found.level_child[l];
  }
  if (missing_code < codes) child[missing_code] = missing_child;
  return child;
}

}  // namespace

void Large::assign(const Growing& node, size_t c, const Found& found, Pool* pool,
                   std::vector<uint32_t>& child_rows) {
  const Column& column = problem_.columns[c];
  const CodedColumn& coded = codes_[c];
  const bool stays = known_only(column.missing);
  const auto slots = static_cast<size_t>(found.n_children) + stays;
  const int16_t lost = stays ? static_cast<int16_t>(found.n_children) : found.missing_to;
  const auto known_codes = static_cast<size_t>(coded.coded ? coded.n_bins : column.n_levels);
  const std::vector<int16_t> child = children_by_code(found, known_codes + 1, known_codes, lost);
  const uint8_t* code = coded.coded ? codes_.column(c) : nullptr;

  const size_t parts = pool ? static_cast<size_t>(pool->threads()) : 1;
  std::vector<std::vector<uint32_t>> counts(parts, std::vector<uint32_t>(slots, 0));
  each(pool, parts, [&](size_t part, int) {
    const uint64_t n = node.rows();
    const auto begin = static_cast<uint32_t>(node.begin + n * part / parts);
    const auto end = static_cast<uint32_t>(node.begin + n * (part + 1) / parts);
    std::vector<uint32_t>& count = counts[part];
    for (uint32_t i = begin; i < end; ++i) {
      const uint32_t row = rows_[i];
      int16_t to;
      if (code) {
        to = child[code[row]];
        if (to == ask) to = column.number(row) <= found.below ? 0 : 1;
      } else {
        const int32_t level = column.code(row);
        to = child[level < 0 ? known_codes : static_cast<size_t>(level)];
      }
      child_of_[row] = static_cast<uint16_t>(to);
      ++count[static_cast<size_t>(to)];
    }
  });
  child_rows.assign(slots, 0);
  for (const auto& count : counts)
    for (size_t m = 0; m < slots; ++m) child_rows[m] += count[m];
}

void Large::part(const Growing& node, const std::vector<uint32_t>& child_rows, Pool* pool) {
  const size_t parts = pool ? static_cast<size_t>(pool->threads()) : 1;
  const uint64_t n = node.rows();
  const auto begin_of = [&](size_t part) {
    return static_cast<uint32_t>(node.begin + n * part / parts);
  };
  // Where every part writes its rows of every child.
  std::vector<std::vector<uint32_t>> at(parts, std::vector<uint32_t>(child_rows.size(), 0));
  if (parts > 1)
    each(pool, parts - 1, [&](size_t part, int) {
      for (uint32_t i = begin_of(part); i < begin_of(part + 1); ++i)
        ++at[part + 1][child_of_[rows_[i]]];
    });
  uint32_t before = node.begin;
  for (size_t m = 0; m < child_rows.size(); ++m) {
    at[0][m] = before;
    for (size_t part = 1; part < parts; ++part) at[part][m] += at[part - 1][m];
    before += child_rows[m];
  }
  each(pool, parts, [&](size_t part, int) {
    std::vector<uint32_t>& to = at[part];
    for (uint32_t i = begin_of(part); i < begin_of(part + 1); ++i)
      parted_[to[child_of_[rows_[i]]]++] = rows_[i];
  });
  each(pool, parts, [&](size_t part, int) {
    std::copy(parted_.begin() + begin_of(part), parted_.begin() + begin_of(part + 1),
              rows_.begin() + begin_of(part));
  });
}

}  // namespace bough
