#include "grower.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "criteria/chi2.hpp"
#include "criteria/gain_ratio.hpp"
#include "criteria/squared_error.hpp"
#include "fractional.hpp"
#include "groups.hpp"
#include "measure.hpp"
#include "surrogates.hpp"
#include "threshold.hpp"

namespace bough {

namespace {

std::vector<int32_t> usable_columns(const Problem& problem) {
  std::vector<int32_t> usable;
  for (size_t c = 0; c < problem.columns.size(); ++c)
    if (!too_many_levels(problem, c)) usable.push_back(static_cast<int32_t>(c));
  return usable;
}

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

bool by_level(const Column& column, const Options& options) {
  return column.kind == Kind::category ||
         (column.kind == Kind::ordered && options.categories == Categories::merged);
}

bool too_many_levels(const Problem& problem, size_t c) {
  return problem.options.categories == Categories::branches &&
         problem.columns[c].kind == Kind::category && problem.columns[c].n_levels > 32'000;
}

Grower::Grower(const Problem& problem, Target& target, Pool& pool, Control& control,
               int64_t block_rows)
    : problem_(problem),
      options_(problem.options),
      target_(target),
      pool_(pool),
      control_(control),
      block_rows_(block_rows),
      verdict_(problem, target),
      rules_{static_cast<uint32_t>(std::min<int64_t>(options_.min_rows_leaf, row_of)),
             options_.categories, options_.merge_p, target.weight_scale()},
      scratch_(static_cast<size_t>(pool.threads())),
      buffer_(static_cast<size_t>(pool.threads())) {}

std::vector<NodeList> Grower::run(std::shared_ptr<Block> block, bool pieces, Tally& tally) {
  root_block_ = std::move(block);
  if (pieces) {
    piece_row_.resize(problem_.n_rows);
    std::iota(piece_row_.begin(), piece_row_.end(), 0u);
  }
  return run(tally);
}

std::vector<NodeList> Grower::run(std::unique_ptr<Large> large, Tally& tally) {
  large_ = std::move(large);
  return run(tally);
}

std::vector<NodeList> Grower::run(Tally& tally) {
  std::vector<NodeList> lists(1);
  push_root(lists[0]);
  if (options_.max_leaves > 0) {
    grow_best_first(lists[0], tally);
  } else {
    std::vector<int32_t> small = grow_shared(lists[0], tally);
    grow_subtrees(lists, small, tally);
  }
  return lists;
}

// ---- the three orders of growing ---------------------------------------------------------------

// Nodes of many cells, all threads on each; the others become subtrees, one thread each. Returns
// the nodes left for `grow_subtrees`.
std::vector<int32_t> Grower::grow_shared(NodeList& list, Tally& tally) {
  std::vector<int32_t> stack{0}, small;
  while (!stack.empty()) {
    const int32_t at = stack.back();
    stack.pop_back();
    if (!shared(list, at)) {
      small.push_back(at);
      continue;
    }
    if (!choose(list, at, tally, &pool_, 0)) continue;
    split(list, at, &pool_, 0);
    push_children(list, at, stack);
  }
  return small;
}

// Subtrees of small nodes, one thread each, the largest first so that none is left waiting.
void Grower::grow_subtrees(std::vector<NodeList>& lists, std::vector<int32_t>& small,
                           Tally& tally) {
  std::stable_sort(small.begin(), small.end(),
                   [&](int32_t a, int32_t b) { return cells(lists[0], a) > cells(lists[0], b); });
  lists.resize(1 + small.size());
  std::vector<Tally> tallies(small.size());
  pool_.each(small.size(), [&](size_t i, int thread) {
    NodeList& list = lists[i + 1];
    const auto at = static_cast<size_t>(small[i]);
    list.node.push_back(std::move(lists[0].node[at]));
    list.node[0].parent = -1;
    const double* sums = &lists[0].sums[at * k()];
    list.sums.assign(sums, sums + k());
    std::vector<int32_t> stack{0};
    while (!stack.empty()) {
      const int32_t node = stack.back();
      stack.pop_back();
      control_.check();
      if (!choose(list, node, tallies[i], nullptr, thread)) continue;
      split(list, node, nullptr, thread);
      push_children(list, node, stack);
    }
  });
  for (size_t i = 0; i < small.size(); ++i) {
    lists[0].node[static_cast<size_t>(small[i])].subtree = static_cast<int32_t>(i + 1);
    tally.ordered_subsets += tallies[i].ordered_subsets;
  }
}

// A limited number of leaves: always the split that wins most, the earlier node on a tie.
void Grower::grow_best_first(NodeList& list, Tally& tally) {
  using Entry = std::pair<double, int32_t>;
  const auto later = [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Entry, std::vector<Entry>, decltype(later)> queue(later);
  const auto enter = [&](int32_t at) {
    if (!choose(list, at, tally, shared(list, at), 0)) return;
    Growing& node = list.node[static_cast<size_t>(at)];
    if (node.histogram && !has_room(0, *node.histogram)) node.histogram = nullptr;
    queue.emplace(verdict_.criterion().priority(node.found.gain, node.weight), at);
  };
  int64_t leaves = 1;
  enter(0);
  while (!queue.empty()) {
    const int32_t at = queue.top().second;
    queue.pop();
    Growing& node = list.node[static_cast<size_t>(at)];
    const int64_t more = node.found.n_children + has_empty_child(node) - 1;
    if (leaves + more > options_.max_leaves) {
      node.column = -1;
      settle(node);
      continue;
    }
    control_.check();
    leaves += more;
    split(list, at, shared(list, at), 0);
    std::vector<int32_t> children;
    push_children(list, at, children);
    for (auto child = children.rbegin(); child != children.rend(); ++child) enter(*child);
  }
}

uint64_t Grower::cells(const NodeList& list, int32_t at) const {
  const Growing& node = list.node[static_cast<size_t>(at)];
  return static_cast<uint64_t>(node.rows()) * node.active->size();
}

Pool* Grower::shared(const NodeList& list, int32_t at) {
  const auto most = static_cast<uint64_t>(options_.shared_cells);
  return pool_.threads() > 1 && cells(list, at) > most ? &pool_ : nullptr;
}

// All columns of a node, by all threads or by this one.
void Grower::each_column(Pool* pool, size_t n, int thread,
                         const std::function<void(size_t, int)>& job) {
  if (pool) return pool->each(n, job);
  for (size_t i = 0; i < n; ++i) job(i, thread);
}

// ---- one node ----------------------------------------------------------------------------------

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
    tally.ordered_subsets += found[i].approximate;
  }
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

void Grower::search_block(const Growing& node, const Parent& parent, Pool* pool, int thread,
                          std::vector<Found>& found, std::vector<char>& constant) {
  each_column(pool, found.size(), thread, [&](size_t i, int worker) {
    const auto c = static_cast<size_t>((*node.active)[i]);
    constant[i] = node.block->constant(c, node.begin, node.end);
    if (!constant[i])
      search_column(parent, c, node, scratch_[static_cast<size_t>(worker)], found[i]);
  });
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
  Parent known{sums.data(), target_.k(), weight, parent.impurity};
  known.costs = problem_.costs;
  if (target_.regression()) SquaredError::find_centre(known, target_.unit_of_sums());
  else known.impurity = criterion.impurity(sums.data(), target_.k(), weight, problem_.costs);
  known.unknown = found.unknown_weight = parent.weight - weight;
  search_segment(known, segment, scratch, found);
  if (criterion.name != Chi2::name && criterion.name != GainRatio::name)
    found.gain *= weight / parent.weight;
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

// ---- from a node to its children ---------------------------------------------------------------

// In Branches, levels of the schema that no row here has share one empty child.
int Grower::has_empty_child(const Growing& node) const {
  if (node.found.kind != SplitKind::branches || options_.categories == Categories::merged) return 0;
  const auto levels = problem_.columns[static_cast<size_t>(node.column)].n_levels;
  return static_cast<int>(node.found.levels.size()) < levels;
}

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
  if (any_may_split(list, first))  // else nobody will look at the other columns here again
    each_column(pool, parent.active->size(), thread, [&](size_t i, int worker) {
      const auto column = static_cast<size_t>((*parent.active)[i]);
      if (column != c) part(column, worker);
    });
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
          [&](uint32_t entry) { return block.child_of(entry & row_of); }};
}
SentRows sent_rows(Large& large, const Growing& node, std::vector<uint32_t>& sorted) {
  return {large.target(), [&](size_t c) { return large.sorted(node, c, sorted); },
          [&](uint32_t entry) { return large.child_of(entry & row_of); }};
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

void Grower::push_root(NodeList& list) {
  Growing root;
  root.active = std::make_shared<const std::vector<int32_t>>(usable_columns(problem_));
  root.prices = first_prices(problem_.test_costs);
  root.depth = -1;
  const uint32_t n = root_block_ ? root_block_->n_rows() : large_->n_rows();
  push(list, -1, root, 0, n, root_block_ ? root_block_->segment(0, 0, n) : large_->rows(0, n),
       root_block_, &pool_);
  all_weight_ = list.node[0].weight;
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
