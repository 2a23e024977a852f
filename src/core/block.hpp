// A block: rows whose whole subtree is grown from presorted columns.
//
// Every column has its order list; a node is one range [begin, end) of all of them. A split parts
// the range of each list, keeping the order, so nothing is ever sorted again:
//
//   list of column c:   [ … | node: rows sorted by c            | … ]
//   after the split:    [ … | child 0, sorted | child 1, sorted | … ]
//
// Nodes that stand in different ranges can be worked on by different threads.
#pragma once

#include <memory>
#include <vector>

#include "encode.hpp"
#include "search.hpp"

namespace bough {

class Block {
 public:
  // The whole table.
  Block(const std::vector<Column>& columns, Orders orders, size_t table_rows, const Target& target);

  // Some rows of it, numbered from 0 in the lists; their targets are copied side by side.
  Block(const std::vector<Column>& columns, Orders orders, std::vector<uint32_t> table_row,
        const Target& whole);

  // Pieces of rows (fractional.hpp); `piece_row` and `target` must outlive it.
  Block(const std::vector<Column>& columns, Orders orders, const std::vector<uint32_t>* piece_row,
        const Target& target);

  Block(const Block&) = delete;

  // Of the rows as they are numbered here.
  const Target& target() const { return *target_; }

  uint32_t n_rows() const { return orders_.n_rows; }

  // The rows of a node as column c sorts them.
  Segment segment(size_t c, uint32_t begin, uint32_t end) const;

  // Has the column one value (or only missing cells) in the node?
  bool constant(size_t c, uint32_t begin, uint32_t end) const;

  // Says which child each row of the node goes to, read off the list of the split's own column.
  // Fills `child_rows` with the number of rows per child, and last, if there are any, of rows that
  // go to none of them (yet): their cell is missing and the split searched among known cells. Any
  // thread; rows of one node only.
  void assign(size_t c, uint32_t begin, uint32_t end, const Found& found,
              std::vector<uint32_t>& child_rows);

  // Sends one row of those that went nowhere; the caller corrects child_rows.
  void send(uint32_t row, int16_t child) { child_of_[row] = static_cast<uint16_t>(child); }

  // The child `assign` sent a row to; the number of children if to none.
  uint16_t child_of(uint32_t row) const { return child_of_[row]; }

  // Parts the node's range in the list of column c by what `assign` said. `buffer` is scratch.
  void part(size_t c, uint32_t begin, uint32_t end, const std::vector<uint32_t>& child_rows,
            std::vector<uint32_t>& buffer);

 private:
  const std::vector<Column>& columns_;
  Orders orders_;
  std::unique_ptr<uint16_t[]> child_of_;  // per row as it is numbered here
  std::vector<uint32_t> own_rows_;
  std::unique_ptr<const Target> own_target_;
  const std::vector<uint32_t>* table_row_ = nullptr;  // null: rows have the table's numbers
  const Target* target_;
};

}  // namespace bough
