// Large nodes: rows in one list, cells as codes, the search by histograms.
//
//   rows:   [ … | node: rows of the table, rising                | … ]
//   parted: [ … | child 0: rising | child 1: rising | (stay here) | … ]
//
// A node that has become small leaves for a block of its own (`hand_over`).
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "big_vector.hpp"
#include "block.hpp"
#include "codes.hpp"
#include "criteria/registry.hpp"
#include "frontier.hpp"
#include "groups.hpp"
#include "search_bins.hpp"

namespace bough {

class Large {
 public:
  Large(const Problem& problem, const Target& target, BigVector<uint32_t> rows, Pool& pool);

  uint32_t n_rows() const { return static_cast<uint32_t>(rows_.size()); }
  // The rows of a node; no column sorts them.
  Segment rows(uint32_t begin, uint32_t end) const {
    return {rows_.data() + begin, end - begin, end - begin, nullptr, nullptr, &target_};
  }

  std::shared_ptr<Histogram> count(uint32_t begin, uint32_t end, Pool* pool) const;
  // Bytes of all histograms that are kept somewhere.
  size_t held() const { return *held_; }

  // large_search.cpp. The best split of every active column; `every`: each one's own best is asked
  // for. constant[i]: one value only.
  void search(const Criterion& criterion, const Growing& node, const Parent& parent, bool every,
              Pool* pool, std::vector<Found>& found, std::vector<char>& constant) const;

  // The values on both sides of a threshold, where the search did not look.
  void look_at_cut(const Growing& node, size_t c, Found& found) const;

  uint32_t missing_rows(const Growing& node, size_t c) const;

  // large_part.cpp. Says which child each row of the node goes to; see Block::assign.
  void assign(const Growing& node, size_t c, const Found& found, Pool* pool,
              std::vector<uint32_t>& child_rows);
  void send(uint32_t row, int16_t child) { child_of_[row] = static_cast<uint16_t>(child); }
  uint16_t child_of(uint32_t row) const { return child_of_[row]; }

  // Parts the node's rows by what `assign` said.
  void part(const Growing& node, const std::vector<uint32_t>& child_rows, Pool* pool);

  // large_sort.cpp. The node's rows as a block of its own, with the order lists of the active
  // columns.
  std::shared_ptr<Block> hand_over(const Growing& node) const;

  // The node's rows as one column sorts them; entries are places in the node's range. Is
  // any cell missing?
  bool sort(const Growing& node, size_t c, uint32_t* entry) const;
  // The same as a segment; entries are rows of the table. `entry` holds it.
  Segment sorted(const Growing& node, size_t c, std::vector<uint32_t>& entry) const;

  // For surrogates: no threshold or sides of levels of a column agree with what `assign` said on a
  // larger share of the weight.
  double most_agreement(const Growing& node, size_t c) const;

  const Target& target() const { return target_; }

 private:
  const Problem& problem_;
  const Target& target_;
  BigVector<uint32_t> rows_, parted_;
  BigVector<uint16_t> child_of_;  // per row of the table
  std::shared_ptr<const Codes> kept_;
  const Codes& codes_;
  bool bounded_;
  std::shared_ptr<std::atomic<size_t>> held_ = std::make_shared<std::atomic<size_t>>(0);

  ColumnBins bins(const Growing& node, size_t c) const;
  bool by_level(size_t c) const { return problem_.columns[c].kind == Kind::category; }
  void search_groups(const Criterion& criterion, const Growing& node, const Parent& parent,
                     size_t c, Found& found, char& constant) const;
};

}  // namespace bough
