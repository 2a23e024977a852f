// Growing: the histograms of large nodes. A node is counted when it is searched; its children are
// counted, or subtracted from it, as long as it has its own; waiting nodes keep theirs while there
// is room.
#include "grower.hpp"

namespace bough {

// Waiting nodes keep their histograms while there is room; otherwise they are counted anew.
bool Grower::has_room(size_t histograms, const Histogram& like) const {
  return large_->held() + histograms * like.bytes() <= static_cast<size_t>(options_.most_waiting);
}

void Grower::count(Growing& node, Pool* pool) const {
  if (!node.histogram) node.histogram = large_->count(node.begin, node.end, pool);
}

// Counts the children that will be searched; the largest is what the others leave of the parent,
// where that means fewer rows to look at.
void Grower::count_children(NodeList& list, int32_t first, const Growing& parent,
                            Pool* pool) const {
  std::vector<Growing*> wanted;
  Growing* largest = nullptr;
  uint32_t in_wanted = 0, in_children = 0;
  for (auto i = static_cast<size_t>(first); i < list.node.size(); ++i) {
    Growing& child = list.node[i];
    in_children += child.rows();
    if (child.rows() == 0 || goes_to_block(child) ||
        verdict_.must_be_leaf(child, &list.sums[i * k()]))
      continue;
    wanted.push_back(&child);
    in_wanted += child.rows();
    if (!largest || child.rows() > largest->rows()) largest = &child;
  }
  if (wanted.empty() || !has_room(wanted.size(), *parent.histogram)) return;
  if (options_.subtract && in_children == parent.rows() &&
      in_children - largest->rows() <= in_wanted)
    return subtract(wanted, largest, parent, pool);
  for (Growing* child : wanted) count(*child, pool);
}

// Takes every row but those of the largest child out of the parent's histogram. Children that will
// not be searched stand side by side, so they are counted together.
void Grower::subtract(const std::vector<Growing*>& wanted, const Growing* largest,
                      const Growing& parent, Pool* pool) const {
  const std::shared_ptr<Histogram> rest = parent.histogram;
  uint32_t from = parent.begin;
  const auto take_until = [&](uint32_t to) {
    if (to > from) rest->subtract(*large_->count(from, to, pool));
  };
  for (Growing* child : wanted) {
    take_until(child->begin);
    from = child->end;
    if (child == largest) {
      child->histogram = rest;
      continue;
    }
    count(*child, pool);
    rest->subtract(*child->histogram);
  }
  take_until(parent.end);
}

}  // namespace bough
