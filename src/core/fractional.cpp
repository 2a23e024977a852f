#include "fractional.hpp"

#include <cmath>
#include <unordered_map>

namespace bough {

namespace {

constexpr uint32_t nothing = ~0u;

// Where the pieces of a node go: one child for those whose cell is known, new pieces for the
// others.
struct Shares {
  std::unordered_map<uint32_t, int16_t> child_of;
  std::unordered_map<uint32_t, std::vector<uint32_t>> pieces_of;  // per child; `nothing`: too small

  uint32_t piece_in(uint32_t piece, int16_t child) const {
    const auto known = child_of.find(piece);
    if (known != child_of.end()) return known->second == child ? piece : nothing;
    return pieces_of.at(piece)[static_cast<size_t>(child)];
  }
};

void send_known(const Segment& segment, const Found& found, Shares& shares) {
  size_t level = 0;
  for (uint32_t i = 0; i < segment.known; ++i) {
    const uint32_t entry = segment.entry[i];
    int16_t child = i < found.cut ? 0 : 1;
    if (found.kind != SplitKind::threshold) {
      if (i > 0 && (entry & new_value)) ++level;
      child = found.level_child[level];
    }
    shares.child_of[entry & row_of] = child;
  }
}

// Parts a weight as the known rows are parted; what rounding leaves goes to the last child.
std::vector<uint32_t> pieces(uint32_t of, const std::vector<double>& child_weight, Target& target,
                             std::vector<uint32_t>& piece_row) {
  double total = 0, rest = target.weight(of);
  for (double w : child_weight) total += w;
  const double whole = rest;
  std::vector<uint32_t> made;
  for (size_t m = 0; m < child_weight.size(); ++m) {
    const bool last = m + 1 == child_weight.size();
    const double weight = last ? rest : std::floor(whole * (child_weight[m] / total));
    rest -= weight;
    if (weight <= 0) {
      made.push_back(nothing);
      continue;
    }
    made.push_back(target.add_piece(of, weight));
    piece_row.push_back(piece_row[of]);
  }
  return made;
}

Orders lists_of(const std::vector<Column>& columns, const Block& block, const Growing& node,
                const Shares& shares, int16_t child, uint32_t n) {
  Orders orders;
  orders.n_rows = n;
  orders.entry = std::make_unique_for_overwrite<uint32_t[]>(columns.size() * n);
  orders.has_missing.assign(columns.size(), 1);
  for (int32_t c : *node.active) {
    const Segment segment = block.segment(static_cast<size_t>(c), node.begin, node.end);
    uint32_t* out = orders.list(static_cast<size_t>(c));
    bool changed = true;
    for (uint32_t i = 0; i < segment.n; ++i) {
      changed |= (segment.entry[i] & new_value) != 0;
      const uint32_t piece = shares.piece_in(segment.entry[i] & row_of, child);
      if (piece == nothing) continue;
      *out++ = piece | (changed ? new_value : 0);
      changed = false;
    }
  }
  return orders;
}

}  // namespace

std::vector<std::shared_ptr<Block>> share_out(const std::vector<Column>& columns,
                                              const Block& block, const Growing& node,
                                              Target& target, std::vector<uint32_t>& piece_row) {
  const Segment segment = block.segment(static_cast<size_t>(node.column), node.begin, node.end);
  Shares shares;
  send_known(segment, node.found, shares);
  for (uint32_t i = segment.known; i < segment.n; ++i) {
    const uint32_t piece = segment.entry[i] & row_of;
    shares.pieces_of[piece] = pieces(piece, node.found.child_weight, target, piece_row);
  }
  std::vector<std::shared_ptr<Block>> blocks;
  for (int16_t child = 0; child < node.found.n_children; ++child) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < segment.n; ++i)
      n += shares.piece_in(segment.entry[i] & row_of, child) != nothing;
    blocks.push_back(std::make_shared<Block>(
        columns, lists_of(columns, block, node, shares, child, n), &piece_row, target));
  }
  return blocks;
}

}  // namespace bough
