// Growing: from a node with a split to its children. The split's own column says which child each
// row goes to, the rows are parted by that, and every child is pushed with its stats.
#include <algorithm>
#include <numeric>

#include "fractional.hpp"
#include "grower.hpp"
#include "measure.hpp"
#include "surrogates.hpp"

namespace bough {

namespace {

// Branches of an ordered column are stretches of levels: a level no row has goes with the one below
// it, or, where none is below, with the one above.
void fill_gaps(Found& found, const Problem& problem, int32_t c) {
  const Column& column = problem.columns[static_cast<size_t>(c)];
  if (column.kind != Kind::ordered) return;
  std::vector<int16_t> child(static_cast<size_t>(column.n_levels), found.level_child.front());
  for (size_t l = 0; l < found.levels.size(); ++l)
    std::fill(child.begin() + found.levels[l], child.end(), found.level_child[l]);
  found.levels.resize(child.size());
  std::iota(found.levels.begin(), found.levels.end(), 0);
  found.level_child = std::move(child);
}

}  // namespace

void Grower::split(NodeList& list, int32_t at, Pool* pool, int thread) {
  const Growing& node = list.node[static_cast<size_t>(at)];
  const Missing policy = problem_.columns[static_cast<size_t>(node.column)].missing;
  if (policy == Missing::fractional && !piece_row_.empty()) split_in_pieces(list, at);
  else if (node.block) split_block(list, at, pool, thread);
  else split_large(list, at, pool);
  Growing& done = list.node[static_cast<size_t>(at)];
  done.block = nullptr;  // nobody will look at its rows again
  done.histogram = nullptr;
  done.prices = nullptr;
}

void Grower::split_block(NodeList& list, int32_t at, Pool* pool, int thread) {
  Growing& node = list.node[static_cast<size_t>(at)];
  Block& block = *node.block;
  const auto c = static_cast<size_t>(node.column);
  const Segment segment = block.segment(c, node.begin, node.end);
  node.missing_rows = segment.n - segment.known;
  std::vector<uint32_t> child_rows;
  block.assign(c, node.begin, node.end, node.found, child_rows);
  if (problem_.columns[c].missing == Missing::surrogate) stand_in(node, segment, block, child_rows);
  const Growing parent = node;  // a copy: the list will move
  const auto part = [&](size_t column, int worker) {
    block.part(column, parent.begin, parent.end, child_rows, buffer_[static_cast<size_t>(worker)]);
  };
  part(c, thread);
  const auto first = static_cast<int32_t>(list.node.size());
  uint32_t begin = parent.begin;
  for (int32_t i = 0; i < parent.found.n_children; ++i) {
    const uint32_t end = begin + child_rows[static_cast<size_t>(i)];
    push(list, at, parent, begin, end, block.segment(c, begin, end), parent.block, pool);
    begin = end;
  }  // rows that stay at the node come last, in no child
  const auto part_other = [&](size_t i, int worker) {
    const auto column = static_cast<size_t>((*parent.active)[i]);
    if (column != c) part(column, worker);
  };
  if (any_may_split(list, first))  // else nobody will look at the other columns here again
    each(pool, parent.active->size(), part_other, thread);
  finish_split(list, at, first);
}

void Grower::split_large(NodeList& list, int32_t at, Pool* pool) {
  Growing& node = list.node[static_cast<size_t>(at)];
  const auto c = static_cast<size_t>(node.column);
  count(node, pool);
  node.missing_rows = large_->missing_rows(node, c);
  std::vector<uint32_t> child_rows;
  large_->assign(node, c, node.found, pool, child_rows);
  if (problem_.columns[c].missing == Missing::surrogate)
    stand_in(node, large_->rows(node.begin, node.end), *large_, child_rows);
  large_->part(node, child_rows, pool);
  const Growing parent = node;  // a copy: the list will move
  const auto first = static_cast<int32_t>(list.node.size());
  uint32_t begin = parent.begin;
  for (int32_t i = 0; i < parent.found.n_children; ++i) {
    const uint32_t end = begin + child_rows[static_cast<size_t>(i)];
    push(list, at, parent, begin, end, large_->rows(begin, end), nullptr, pool);
    begin = end;
  }
  count_children(list, first, parent, pool);
  finish_split(list, at, first);
}

void Grower::finish_split(NodeList& list, int32_t at, int32_t first) {
  Growing& node = list.node[static_cast<size_t>(at)];
  node.first_child = first;
  node.p_value = verdict_.p_value(list, node);
  int64_t stay = node.rows();
  for (auto i = static_cast<size_t>(first); i < list.node.size(); ++i) stay -= list.node[i].rows();
  if (stay > 0) control_.rows_done.fetch_add(stay, std::memory_order_relaxed);
  if (node.found.kind == SplitKind::branches) fill_gaps(node.found, problem_, node.column);
  if (!has_empty_child(node)) return;
  node.found.unseen_to = static_cast<int16_t>(node.found.n_children++);
  const Growing parent = node;
  push(list, at, parent, 0, 0, {}, nullptr, nullptr);
}

// Every child gets order lists of its own, with pieces of the rows that go to all of them.
void Grower::split_in_pieces(NodeList& list, int32_t at) {
  Growing& node = list.node[static_cast<size_t>(at)];
  const auto c = static_cast<size_t>(node.column);
  const Segment whole = node.block->segment(c, node.begin, node.end);
  node.missing_rows = whole.n - whole.known;
  const Growing parent = node;
  const auto blocks = share_out(problem_.columns, *parent.block, parent, target_, piece_row_);
  const auto first = static_cast<int32_t>(list.node.size());
  for (const auto& block : blocks)
    push(list, at, parent, 0, block->n_rows(), block->segment(c, 0, block->n_rows()), block,
         nullptr);
  finish_split(list, at, first);
}

namespace {

// The node's rows as a column sorts them, and how its entries are numbered.
SentRows sent_rows(Block& block, const Growing& node, std::vector<uint32_t>&) {
  return {block.target(), [&](size_t c) { return block.segment(c, node.begin, node.end); },
          [&](uint32_t entry) { return block.child_of(entry & row_of); },
          [](size_t) { return 1.0; }};
}
SentRows sent_rows(Large& large, const Growing& node, std::vector<uint32_t>& sorted) {
  return {large.target(), [&](size_t c) { return large.sorted(node, c, sorted); },
          [&](uint32_t entry) { return large.child_of(entry & row_of); },
          [&](size_t c) { return large.most_agreement(node, c); }};
}

}  // namespace

// Finds the surrogates of a split and sends the rows it cannot send itself. `place` holds the rows:
// a block, or the large nodes.
template <class Place>
void Grower::stand_in(Growing& node, const Segment& segment, Place& place,
                      std::vector<uint32_t>& child_rows) const {
  std::vector<uint32_t> sorted;
  node.found.surrogates = find_surrogates(problem_, sent_rows(place, node, sorted), node);
  const auto nowhere = static_cast<uint16_t>(node.found.n_children);
  for (uint32_t i = 0; i < segment.n; ++i) {
    const uint32_t entry = segment.entry[i] & row_of;
    if (place.child_of(entry) != nowhere) continue;
    int16_t child = node.found.missing_to;
    for (const Surrogate& surrogate : node.found.surrogates) {
      const int16_t there = route_by(surrogate, problem_, segment.table_row(entry));
      if (there < 0) continue;
      child = there;
      break;
    }
    place.send(entry, child);
    child_rows[static_cast<size_t>(child)] += 1;
  }
  child_rows.resize(2);  // none is left that goes nowhere
}

// Will any node from `first` on be searched?
bool Grower::any_may_split(const NodeList& list, int32_t first) const {
  for (auto i = static_cast<size_t>(first); i < list.node.size(); ++i)
    if (!verdict_.must_be_leaf(list.node[i], &list.sums[i * k()])) return true;
  return false;
}

// A new node over a range; its stats are read off the segment.
void Grower::push(NodeList& list, int32_t parent_at, const Growing& parent, uint32_t begin,
                  uint32_t end, const Segment& segment, const std::shared_ptr<Block>& block,
                  Pool* pool) {
  Growing node;
  node.block = block;
  node.parent = parent_at;
  node.depth = parent.depth + 1;
  node.begin = begin;
  node.end = end;
  node.active = parent.active;
  node.prices = parent.prices;
  list.sums.resize(list.sums.size() + k(), 0.0);
  double* sums = &list.sums[list.sums.size() - k()];
  if (begin < end)
    measure(verdict_.criterion(), block ? block->target() : target_, problem_.costs, segment, pool,
            node, sums);
  list.node.push_back(std::move(node));
}

void Grower::push_children(const NodeList& list, int32_t at, std::vector<int32_t>& stack) const {
  const Growing& node = list.node[static_cast<size_t>(at)];
  for (int32_t i = node.found.n_children - 1; i >= 0; --i)
    if (list.node[static_cast<size_t>(node.first_child + i)].rows() > 0)
      stack.push_back(node.first_child + i);
}

}  // namespace bough
