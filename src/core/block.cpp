#include "block.hpp"

#include <algorithm>

namespace bough {

Block::Block(const std::vector<Column>& columns, Orders orders, size_t table_rows,
             const Target& target)
    : columns_(columns),
      orders_(std::move(orders)),
      child_of_(std::make_unique_for_overwrite<uint16_t[]>(table_rows)),
      target_(&target) {}

Block::Block(const std::vector<Column>& columns, Orders orders, std::vector<uint32_t> table_row,
             const Target& whole)
    : columns_(columns),
      orders_(std::move(orders)),
      child_of_(std::make_unique_for_overwrite<uint16_t[]>(table_row.size())),
      own_rows_(std::move(table_row)),
      own_target_(std::make_unique<const Target>(whole, own_rows_.data(), own_rows_.size())),
      table_row_(&own_rows_),
      target_(own_target_.get()) {}

Block::Block(const std::vector<Column>& columns, Orders orders,
             const std::vector<uint32_t>* piece_row, const Target& target)
    : columns_(columns), orders_(std::move(orders)), table_row_(piece_row), target_(&target) {}

Segment Block::segment(size_t c, uint32_t begin, uint32_t end) const {
  const Column& column = columns_[c];
  Segment segment{orders_.list(c) + begin,
                  end - begin,
                  end - begin,
                  &column,
                  table_row_ ? table_row_->data() : nullptr,
                  target_};
  if (!orders_.has_missing[c]) return segment;
  const auto missing = [&](uint32_t entry) {
    const double value = column.number(segment.table_row(entry));
    return value != value;
  };
  if (!missing(segment.entry[segment.n - 1])) return segment;
  const uint32_t* first = std::partition_point(segment.entry, segment.entry + segment.n,
                                               [&](uint32_t entry) { return !missing(entry); });
  segment.known = static_cast<uint32_t>(first - segment.entry);
  return segment;
}

bool Block::constant(size_t c, uint32_t begin, uint32_t end) const {
  const uint32_t* entry = orders_.list(c);
  for (uint32_t i = begin + 1; i < end;) {
    // A run at a time, so that the compiler can use wide registers.
    const uint32_t stop = std::min(end, i + 256);
    uint32_t any = 0;
    for (; i < stop; ++i) any |= entry[i];
    if (any & new_value) return false;
  }
  return true;
}

void Block::assign(size_t c, uint32_t begin, uint32_t end, const Found& found,
                   std::vector<uint32_t>& child_rows) {
  const Segment node = segment(c, begin, end);
  child_rows.assign(static_cast<size_t>(found.n_children), 0);
  const auto send = [&](uint32_t from, uint32_t to, int16_t child) {
    for (uint32_t i = from; i < to; ++i)
      child_of_[node.entry[i] & row_of] = static_cast<uint16_t>(child);
    child_rows[static_cast<size_t>(child)] += to - from;
  };
  if (found.kind == SplitKind::threshold) {
    send(0, found.cut, 0);
    send(found.cut, node.known, 1);
  } else {
    size_t level = 0;
    for (uint32_t i = 0; i < node.known;) {
      uint32_t next = i + 1;
      while (next < node.known && !(node.entry[next] & new_value)) ++next;
      send(i, next, found.level_child[level++]);
      i = next;
    }
  }
  if (node.known == node.n) return;
  if (known_only(node.column->missing)) {
    child_rows.push_back(0);
    send(node.known, node.n, static_cast<int16_t>(found.n_children));
  } else {
    send(node.known, node.n, found.missing_to);
  }
}

namespace {

// Two children: the left one is packed in place, the right one waits in the buffer. Both are
// written every time and only the right count moves, so there is no branch to guess.
void part_two(uint32_t* entry, uint32_t n, const uint16_t* child_of, uint32_t* buffer) {
  uint32_t left = 0, right = 0, value = 0, left_value = ~0u, right_value = ~0u;
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t row = entry[i] & row_of;
    value += entry[i] >> 31;
    const uint32_t side = child_of[row];
    entry[left] = row | (left_value != value ? new_value : 0);
    buffer[right] = row | (right_value != value ? new_value : 0);
    left_value = side ? left_value : value;
    right_value = side ? value : right_value;
    left += 1 - side;
    right += side;
  }
  std::copy(buffer, buffer + right, entry + left);
}

void part_many(uint32_t* entry, uint32_t n, const uint16_t* child_of,
               const std::vector<uint32_t>& child_rows, uint32_t* buffer) {
  std::vector<uint32_t> at(child_rows.size(), 0), last(child_rows.size(), ~0u);
  for (size_t m = 1; m < at.size(); ++m) at[m] = at[m - 1] + child_rows[m - 1];
  uint32_t value = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t row = entry[i] & row_of;
    value += entry[i] >> 31;
    const uint32_t child = child_of[row];
    buffer[at[child]++] = row | (last[child] != value ? new_value : 0);
    last[child] = value;
  }
  std::copy(buffer, buffer + n, entry);
}

}  // namespace

void Block::part(size_t c, uint32_t begin, uint32_t end, const std::vector<uint32_t>& child_rows,
                 std::vector<uint32_t>& buffer) {
  const uint32_t n = end - begin;
  if (buffer.size() < n + size_t{1}) buffer.resize(n + size_t{1});
  uint32_t* entry = orders_.list(c) + begin;
  if (child_rows.size() == 2) part_two(entry, n, child_of_.get(), buffer.data());
  else part_many(entry, n, child_of_.get(), child_rows, buffer.data());
}

}  // namespace bough
