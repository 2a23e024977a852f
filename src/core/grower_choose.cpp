// Growing: one node and its split, or the word that it is a leaf.
#include <algorithm>
#include <cmath>

#include "criteria/chi2.hpp"
#include "criteria/squared_error.hpp"
#include "groups.hpp"
#include "grower.hpp"
#include "known.hpp"
#include "measure.hpp"
#include "threshold.hpp"

namespace bough {

namespace {

// How many candidates a threshold column has (docs/splits.md), as ln.
double log_thresholds(const Segment& segment) {
  uint32_t boundaries = 0;
  for (uint32_t i = 1; i < segment.known; ++i) boundaries += segment.entry[i] >> 31;
  if (segment.known == segment.n) return std::log(boundaries);
  const bool both_ways = segment.column->missing == Missing::learned;
  return std::log((both_ways ? 2.0 : 1.0) * boundaries + 1);  // the last: known | missing
}

// A column with one value here has one value in every node below: leave it out from now on.
void drop_constant(Growing& node, const std::vector<char>& constant) {
  if (std::find(constant.begin(), constant.end(), 1) == constant.end()) return;
  std::vector<int32_t> rest;
  for (size_t i = 0; i < constant.size(); ++i)
    if (!constant[i]) rest.push_back((*node.active)[i]);
  node.active = std::make_shared<const std::vector<int32_t>>(std::move(rest));
}

}  // namespace

// Finds the node's split. False: it is a leaf.
bool Grower::choose(NodeList& list, int32_t at, Tally& tally, Pool* pool, int thread) {
  Growing& node = list.node[static_cast<size_t>(at)];
  const double* sums = &list.sums[static_cast<size_t>(at) * k()];
  if (verdict_.must_be_leaf(node, sums)) return settle(node);
  if (!node.block && goes_to_block(node)) {
    node.block = large_->hand_over(node);
    node.end -= node.begin;
    node.begin = 0;
    node.histogram = nullptr;
  }
  Parent parent{sums, target_.k(), node.weight, node.impurity};
  parent.costs = problem_.costs;
  if (target_.regression()) SquaredError::find_centre(parent, target_.unit_of_sums());
  std::vector<Found> found(node.active->size());
  std::vector<char> constant(found.size(), 0);
  search(node, parent, pool, thread, found, constant);
  for (const Found& of_column : found) tally.ordered_subsets += of_column.approximate;
  const int winner = verdict_.best_column(node, parent, all_weight_, found);
  if (winner < 0) return settle(node);
  if (options_.runners_up) keep_runners_up(node, found, winner);
  node.column = (*node.active)[static_cast<size_t>(winner)];
  node.found = std::move(found[static_cast<size_t>(winner)]);
  write_threshold(node, static_cast<size_t>(node.column), node.found);
  node.threshold = node.found.threshold;
  drop_constant(node, constant);
  node.prices = prices_below(problem_.test_costs, node.prices, node.column);
  return true;
}

bool Grower::goes_to_block(const Growing& node) const { return node.rows() <= block_rows_; }

bool Grower::settle(Growing& node) {
  control_.rows_done.fetch_add(node.rows(), std::memory_order_relaxed);
  node.block = nullptr;
  node.histogram = nullptr;
  node.prices = nullptr;
  return false;
}

// The best split of every active column, where the node's rows are.
void Grower::search(Growing& node, const Parent& parent, Pool* pool, int thread,
                    std::vector<Found>& found, std::vector<char>& constant) {
  if (node.block) {
    search_block(node, parent, pool, thread, found, constant);
  } else {
    count(node, pool);
    large_->search(verdict_.search_criterion(), node, parent, verdict_.every_column(), pool, found,
                   constant);
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const Missing policy = problem_.columns[static_cast<size_t>((*node.active)[i])].missing;
    if (policy == Missing::fractional) found[i].missing_to = to_all;
    if (policy == Missing::stop) found[i].missing_to = to_none;
    if (verdict_.criterion().name == Chi2::name) found[i].gain /= target_.weight_scale();
  }
}

void Grower::search_block(const Growing& node, const Parent& parent, Pool* pool, int thread,
                          std::vector<Found>& found, std::vector<char>& constant) {
  const auto search = [&](size_t i, int worker) {
    const auto c = static_cast<size_t>((*node.active)[i]);
    constant[i] = node.block->constant(c, node.begin, node.end);
    if (!constant[i])
      search_column(parent, c, node, scratch_[static_cast<size_t>(worker)], found[i]);
  };
  each(pool, found.size(), search, thread);
}

void Grower::search_column(const Parent& parent, size_t c, const Growing& node, Scratch& scratch,
                           Found& found) const {
  const Segment segment = node.block->segment(c, node.begin, node.end);
  if (known_only(problem_.columns[c].missing) && segment.known < segment.n)
    search_known(parent, segment, scratch, found);
  else search_segment(parent, segment, scratch, found);
}

void Grower::search_segment(const Parent& parent, const Segment& segment, Scratch& scratch,
                            Found& found) const {
  const Criterion& criterion = verdict_.search_criterion();
  const Target& target = *segment.target;
  if (by_level(*segment.column, options_)) {
    search_levels(criterion, parent, groups_of(target, segment), rules_, *segment.column, found);
  } else {
    criterion.search_threshold(parent, target, segment, rules_, scratch, found);
    if (verdict_.by_significance()) found.log_ways = log_thresholds(segment);
  }
  if (verdict_.by_significance() && found.any) found.gain = verdict_.significance_of(parent, found);
}

// Rows whose cell is missing take no part; what the others gain counts by their share of the
// weight.
void Grower::search_known(const Parent& parent, Segment segment, Scratch& scratch,
                          Found& found) const {
  const Criterion& criterion = verdict_.search_criterion();
  std::vector<double> sums(k(), 0.0);
  double weight = 0;
  if (segment.known == 0) return;
  segment.n = segment.known;
  add_up(*segment.target, segment, sums.data(), weight);
  const KnownParent known = known_parent(parent, std::move(sums), weight, criterion, target_);
  found.unknown_weight = known.parent.unknown;
  search_segment(known.parent, segment, scratch, found);
  weigh_gain(criterion, known.parent, parent, found);
}

// Fills in the threshold of a split, read off the two values it separates.
void Grower::write_threshold(const Growing& node, size_t c, Found& found) const {
  if (found.kind != SplitKind::threshold) return;
  const Column& column = problem_.columns[c];
  if (!node.block) {
    large_->look_at_cut(node, c, found);
  } else {
    const Segment segment = node.block->segment(c, node.begin, node.end);
    const auto value = [&](uint32_t i) {
      return i < segment.known ? column.number(segment.table_row(segment.entry[i])) : infinity;
    };
    found.below = value(found.cut - 1);
    found.above = value(found.cut);
  }
  found.threshold = found.above == infinity
                        ? infinity
                        : threshold_between(found.below, found.above, column, options_);
}

void Grower::keep_runners_up(Growing& node, std::vector<Found>& found, int winner) const {
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].any || static_cast<int>(i) == winner) continue;
    const int32_t column = (*node.active)[i];
    write_threshold(node, static_cast<size_t>(column), found[i]);
    node.runners_up.push_back({column, found[i].gain, found[i].threshold});
  }
}

}  // namespace bough
