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
  Block(const std::vector<Column>& columns, Orders orders, size_t table_rows);

  uint32_t n_rows() const { return orders_.n_rows; }

  // The rows of a node as column c sorts them.
  Segment segment(size_t c, uint32_t begin, uint32_t end) const;

  // Has the column one value (or only missing cells) in the node?
  bool constant(size_t c, uint32_t begin, uint32_t end) const;

  // Says which child each row of the node goes to, read off the list of the split's own column.
  // Fills `child_rows` with the number of rows per child. Any thread; rows of one node only.
  void assign(size_t c, uint32_t begin, uint32_t end, const Found& found,
              std::vector<uint32_t>& child_rows);

  // Parts the node's range in the list of column c by what `assign` said. `buffer` is scratch.
  void part(size_t c, uint32_t begin, uint32_t end, const std::vector<uint32_t>& child_rows,
            std::vector<uint32_t>& buffer);

 private:
  const std::vector<Column>& columns_;
  Orders orders_;
  std::unique_ptr<uint16_t[]> child_of_;  // per row of the table
};

}  // namespace bough
