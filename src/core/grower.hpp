// Growing: take a node, find its split, part its rows, go on with the children.
//
// A node's rows are in one of two places. Large nodes: in the row list of `Large`, searched by
// histograms. Small ones: in a block, searched along order lists. A large node whose rows have
// become few is handed over to a block of its own. Where a node is searched changes the time, never
// the split.
#pragma once

#include <memory>
#include <vector>

#include "block.hpp"
#include "frontier.hpp"
#include "large.hpp"
#include "parallel.hpp"
#include "verdict.hpp"

namespace bough {

// Is the column split by levels, and not at a threshold?
bool by_level(const Column& column, const Options& options);

// Branches address their children with 16 bits.
bool too_many_levels(const Problem& problem, size_t c);

class Grower {
 public:
  // `block_rows`: nodes of at most so many rows are grown from order lists.
  Grower(const Problem& problem, Target& target, Pool& pool, Control& control, int64_t block_rows);

  // Grows from the rows of a block, which may be shared out in pieces; or from large nodes. The
  // first of the lists holds the root, the others subtrees of its nodes.
  std::vector<NodeList> run(std::shared_ptr<Block> block, bool pieces, Tally& tally);
  std::vector<NodeList> run(std::unique_ptr<Large> large, Tally& tally);

 private:
  const Problem& problem_;
  const Options& options_;
  Target& target_;
  Pool& pool_;
  Control& control_;
  const int64_t block_rows_;
  const Verdict verdict_;
  const Rules rules_;
  std::shared_ptr<Block> root_block_;
  std::unique_ptr<Large> large_;
  std::vector<uint32_t> piece_row_;  // fractional: the row of the table behind every piece of one
  std::vector<Scratch> scratch_;
  std::vector<std::vector<uint32_t>> buffer_;
  double all_weight_ = 0;

  // The three orders of growing: grower.cpp.
  std::vector<NodeList> run(Tally& tally);
  void push_root(NodeList& list);
  std::vector<int32_t> grow_shared(NodeList& list, Tally& tally);
  void grow_subtrees(std::vector<NodeList>& lists, std::vector<int32_t>& small, Tally& tally);
  void grow_best_first(NodeList& list, Tally& tally);

  // One node: grower_choose.cpp.
  bool choose(NodeList& list, int32_t at, Tally& tally, Pool* pool, int thread);
  void search(Growing& node, const Parent& parent, Pool* pool, int thread,
              std::vector<Found>& found, std::vector<char>& constant);
  void search_block(const Growing& node, const Parent& parent, Pool* pool, int thread,
                    std::vector<Found>& found, std::vector<char>& constant);
  void search_column(const Parent& parent, size_t c, const Growing& node, Scratch& scratch,
                     Found& found) const;
  void search_segment(const Parent& parent, const Segment& segment, Scratch& scratch,
                      Found& found) const;
  void search_known(const Parent& parent, Segment segment, Scratch& scratch, Found& found) const;
  void write_threshold(const Growing& node, size_t c, Found& found) const;
  void keep_runners_up(Growing& node, std::vector<Found>& found, int winner) const;
  bool settle(Growing& node);

  // From a node to its children: grower_split.cpp.
  void split(NodeList& list, int32_t at, Pool* pool, int thread);
  void split_block(NodeList& list, int32_t at, Pool* pool, int thread);
  void split_large(NodeList& list, int32_t at, Pool* pool);
  void split_in_pieces(NodeList& list, int32_t at);
  void finish_split(NodeList& list, int32_t at, int32_t first);
  template <class Place>
  void stand_in(Growing& node, const Segment& segment, Place& place,
                std::vector<uint32_t>& child_rows) const;
  void push(NodeList& list, int32_t parent_at, const Growing& parent, uint32_t begin, uint32_t end,
            const Segment& segment, const std::shared_ptr<Block>& block, Pool* pool);
  void push_children(const NodeList& list, int32_t at, std::vector<int32_t>& stack) const;

  // Histograms of large nodes: grower_count.cpp.
  void count(Growing& node, Pool* pool) const;
  bool has_room(size_t histograms, const Histogram& like) const;
  void count_children(NodeList& list, int32_t first, const Growing& parent, Pool* pool) const;
  void subtract(const std::vector<Growing*>& wanted, const Growing* largest, const Growing& parent,
                Pool* pool) const;

  size_t k() const { return static_cast<size_t>(target_.k()); }
  uint64_t cells(const NodeList& list, int32_t at) const;
  Pool* shared(const NodeList& list, int32_t at);
  int has_empty_child(const Growing& node) const;
  bool any_may_split(const NodeList& list, int32_t first) const;
  bool goes_to_block(const Growing& node) const;
};

}  // namespace bough
