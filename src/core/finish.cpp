#include "finish.hpp"

namespace bough {

namespace {

struct Place {
  int32_t list, at;
  int32_t parent;  // its final number
};

// A node that was grown as a subtree lives on as node 0 of that list.
Place settle(const std::vector<NodeList>& lists, Place place) {
  const int32_t subtree =
      lists[static_cast<size_t>(place.list)].node[static_cast<size_t>(place.at)].subtree;
  return subtree < 0 ? place : Place{subtree, 0, place.parent};
}

void append_stats(Grown& out, const Growing& node, const double* sums, const Target& target) {
  const double scale = target.weight_scale();
  if (target.regression()) {
    out.stats.insert(out.stats.end(), {node.weight / scale, node.mean, node.deviation / scale});
    return;
  }
  for (int32_t c = 0; c < target.k(); ++c) out.stats.push_back(sums[c] / scale);
}

void append_surrogate(Grown& out, const Surrogate& surrogate) {
  out.surrogate_column.push_back(surrogate.column);
  out.surrogate_threshold.push_back(surrogate.threshold);
  out.surrogate_flipped.push_back(surrogate.flipped);
  out.surrogate_agreement.push_back(surrogate.agreement);
  out.surrogate_levels.insert(out.surrogate_levels.end(), surrogate.levels.begin(),
                              surrogate.levels.end());
  out.surrogate_level_child.insert(out.surrogate_level_child.end(), surrogate.level_child.begin(),
                                   surrogate.level_child.end());
  out.surrogate_levels_at.push_back(static_cast<int64_t>(out.surrogate_levels.size()));
}

void append(Grown& out, const Growing& node, int32_t parent, int32_t first_child,
            double weight_scale) {
  const bool leaf = node.column < 0;
  const Found& found = node.found;
  out.parent.push_back(parent);
  out.first_child.push_back(leaf ? -1 : first_child);
  out.n_children.push_back(leaf ? 0 : found.n_children);
  out.column.push_back(node.column);
  out.split_kind.push_back(static_cast<uint8_t>(leaf ? SplitKind::leaf : found.kind));
  out.threshold.push_back(leaf ? nan : node.threshold);
  if (!leaf) {
    out.levels.insert(out.levels.end(), found.levels.begin(), found.levels.end());
    out.level_child.insert(out.level_child.end(), found.level_child.begin(),
                           found.level_child.end());
  }
  out.levels_at.push_back(static_cast<int64_t>(out.levels.size()));
  out.unseen_to.push_back(leaf ? int16_t{-1} : found.unseen_to);
  out.missing_to.push_back(leaf ? int16_t{-1} : found.missing_to);
  out.missing_rows.push_back(leaf ? 0 : node.missing_rows);
  out.rows.push_back(node.rows());
  out.weight.push_back(node.weight / weight_scale);
  out.impurity.push_back(node.impurity);
  out.ties += !leaf && node.tie;
  out.gain.push_back(leaf ? 0.0 : found.gain);
  out.p_value.push_back(leaf ? nan : node.p_value);
  if (!leaf)
    for (const Surrogate& surrogate : found.surrogates) append_surrogate(out, surrogate);
  out.surrogate_at.push_back(static_cast<int64_t>(out.surrogate_column.size()));
  for (const RunnerUp& runner : node.runners_up) {
    if (leaf) break;
    out.runner_column.push_back(runner.column);
    out.runner_gain.push_back(runner.gain);
    out.runner_threshold.push_back(runner.threshold);
  }
  out.runner_at.push_back(static_cast<int64_t>(out.runner_column.size()));
}

}  // namespace

Grown finish(const std::vector<NodeList>& lists, const Target& target) {
  Grown out;
  out.n_stats = target.k();
  out.levels_at.push_back(0);
  out.runner_at.push_back(0);
  out.surrogate_at.push_back(0);
  out.surrogate_levels_at.push_back(0);
  std::vector<Place> queue{{0, 0, -1}};
  for (size_t number = 0; number < queue.size(); ++number) {
    const Place place = settle(lists, queue[number]);
    const NodeList& list = lists[static_cast<size_t>(place.list)];
    const auto at = static_cast<size_t>(place.at);
    const Growing& node = list.node[at];
    append(out, node, place.parent, static_cast<int32_t>(queue.size()), target.weight_scale());
    append_stats(out, node, &list.sums[at * static_cast<size_t>(target.k())], target);
    if (node.column < 0) continue;
    for (int32_t i = 0; i < node.found.n_children; ++i)
      queue.push_back({place.list, node.first_child + i, static_cast<int32_t>(number)});
  }
  return out;
}

}  // namespace bough
