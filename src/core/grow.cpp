#include "grow.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "best.hpp"
#include "block.hpp"
#include "chi2_p.hpp"
#include "criteria/registry.hpp"
#include "encode.hpp"
#include "exact_sum.hpp"
#include "finish.hpp"
#include "fractional.hpp"
#include "frontier.hpp"
#include "surrogates.hpp"
#include "threshold.hpp"

namespace bough {

namespace {

// Nodes of more cells than this are worked on by all threads together, column by column; smaller
// ones become subtrees, one thread each. The tree does not depend on it.
constexpr uint64_t shared_cells = 200'000;

const Criterion& find_criterion(const char* name) { return criteria[criterion_index(name)]; }

// Branches address their children with 16 bits.
bool too_many_levels(const Problem& problem, size_t c) {
  return problem.options.categories == Categories::branches &&
         problem.columns[c].kind == Kind::category && problem.columns[c].n_levels > 32'000;
}

std::vector<int32_t> usable_columns(const Problem& problem) {
  std::vector<int32_t> usable;
  for (size_t c = 0; c < problem.columns.size(); ++c)
    if (!too_many_levels(problem, c)) usable.push_back(static_cast<int32_t>(c));
  return usable;
}

class Grower {
 public:
  Grower(const Problem& problem, Target& target, Block& block, Pool& pool, Control& control)
      : problem_(problem),
        options_(problem.options),
        target_(target),
        block_(block),
        pool_(pool),
        control_(control),
        criterion_(criteria[options_.criterion]),
        average_(criterion_.name == GainRatio::name && options_.ratio_average),
        search_criterion_(average_ ? find_criterion(Entropy::name) : criterion_),
        rules_{static_cast<uint32_t>(std::min<int64_t>(options_.min_rows_leaf, row_of)),
               options_.categories},
        scratch_(static_cast<size_t>(pool.threads())),
        buffer_(static_cast<size_t>(pool.threads())) {}

  // The finished lists: the first holds the root, the others subtrees of its nodes.
  std::vector<NodeList> run(Tally& tally) {
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

 private:
  const Problem& problem_;
  const Options& options_;
  Target& target_;
  Block& block_;
  std::vector<uint32_t> piece_row_;  // fractional: the row of the table behind every piece of one
  Pool& pool_;
  Control& control_;
  const Criterion& criterion_;
  const bool average_;                 // C4.5: search by gain, then compare ratios
  const Criterion& search_criterion_;  // what a column's best is chosen by
  const Rules rules_;
  std::vector<Scratch> scratch_;
  std::vector<std::vector<uint32_t>> buffer_;
  double all_weight_ = 0;

  const Block& block_of(const Growing& node) const { return node.block ? *node.block : block_; }

  const double* costs() const { return problem_.costs; }

  size_t k() const { return static_cast<size_t>(target_.k()); }

  // ---- the three orders of growing -------------------------------------------------------------

  // Large nodes, all threads on each. Returns the nodes left for `grow_subtrees`.
  std::vector<int32_t> grow_shared(NodeList& list, Tally& tally) {
    std::vector<int32_t> stack{0}, small;
    while (!stack.empty()) {
      const int32_t at = stack.back();
      stack.pop_back();
      if (cells(list, at) <= shared_cells) {
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
  void grow_subtrees(std::vector<NodeList>& lists, std::vector<int32_t>& small, Tally& tally) {
    std::stable_sort(small.begin(), small.end(),
                     [&](int32_t a, int32_t b) { return cells(lists[0], a) > cells(lists[0], b); });
    lists.resize(1 + small.size());
    std::vector<Tally> tallies(small.size());
    pool_.each(small.size(), [&](size_t i, int thread) {
      NodeList& list = lists[i + 1];
      const auto at = static_cast<size_t>(small[i]);
      list.node.push_back(lists[0].node[at]);
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
  void grow_best_first(NodeList& list, Tally& tally) {
    using Entry = std::pair<double, int32_t>;
    const auto later = [](const Entry& a, const Entry& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    };
    std::priority_queue<Entry, std::vector<Entry>, decltype(later)> queue(later);
    const auto enter = [&](int32_t at) {
      if (!choose(list, at, tally, shared(list, at), 0)) return;
      const Growing& node = list.node[static_cast<size_t>(at)];
      queue.emplace(criterion_.priority(node.found.gain, node.weight), at);
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

  uint64_t cells(const NodeList& list, int32_t at) const {
    const Growing& node = list.node[static_cast<size_t>(at)];
    return static_cast<uint64_t>(node.rows()) * node.active->size();
  }
  Pool* shared(const NodeList& list, int32_t at) {
    return cells(list, at) > shared_cells ? &pool_ : nullptr;
  }
  // All columns of a node, by all threads or by this one.
  void each_column(Pool* pool, size_t n, int thread, const std::function<void(size_t, int)>& job) {
    if (pool) return pool->each(n, job);
    for (size_t i = 0; i < n; ++i) job(i, thread);
  }

  // ---- one node --------------------------------------------------------------------------------

  // Finds the node's split. False: it is a leaf.
  bool choose(NodeList& list, int32_t at, Tally& tally, Pool* pool, int thread) {
    Growing& node = list.node[static_cast<size_t>(at)];
    const double* sums = &list.sums[static_cast<size_t>(at) * k()];
    if (must_be_leaf(node, sums)) return settle(node);

    Parent parent{sums, target_.k(), node.weight, node.impurity};
    parent.costs = costs();
    if (target_.regression()) SquaredError::find_centre(parent, target_.unit_of_sums());
    const std::vector<int32_t>& active = *node.active;
    std::vector<Found> found(active.size());
    std::vector<char> constant(active.size(), 0);
    each_column(pool, active.size(), thread, [&](size_t i, int worker) {
      const auto c = static_cast<size_t>(active[i]);
      constant[i] = block_of(node).constant(c, node.begin, node.end);
      if (!constant[i]) search(parent, c, node, scratch_[static_cast<size_t>(worker)], found[i]);
    });
    for (const Found& f : found) tally.ordered_subsets += f.approximate;

    const int winner = best_column(parent, found, node.tie);
    if (winner < 0 || !worth_it(node, found[static_cast<size_t>(winner)].gain)) return settle(node);
    if (options_.runners_up) keep_runners_up(node, found, winner);
    node.column = active[static_cast<size_t>(winner)];
    node.found = std::move(found[static_cast<size_t>(winner)]);
    const auto c = static_cast<size_t>(node.column);
    node.threshold = write_threshold(node, c, node.found);
    const Segment segment = block_of(node).segment(c, node.begin, node.end);
    node.missing_rows = segment.n - segment.known;
    drop_constant(node, constant);
    return true;
  }

  bool settle(const Growing& node) {
    control_.rows_done.fetch_add(node.rows(), std::memory_order_relaxed);
    return false;
  }

  bool must_be_leaf(const Growing& node, const double* sums) const {
    if (node.depth >= options_.max_depth || node.rows() < options_.min_rows_split) return true;
    if (node.rows() < 2 * static_cast<int64_t>(rules_.min_rows_leaf) || node.active->empty())
      return true;
    if (target_.regression()) return node.deviation == 0 || node.impurity < options_.stop_error;
    return *std::max_element(sums, sums + k()) == node.weight;
  }

  void search(const Parent& parent, size_t c, const Growing& node, Scratch& scratch,
              Found& found) const {
    Segment segment = block_of(node).segment(c, node.begin, node.end);
    const Column& column = problem_.columns[c];
    if (known_only(column.missing) && segment.known < segment.n)
      search_known(parent, segment, scratch, found);
    else search_segment(parent, segment, scratch, found);
    if (column.missing == Missing::fractional) found.missing_to = to_all;
    if (column.missing == Missing::stop) found.missing_to = to_none;
    if (criterion_.name == Chi2::name) found.gain /= target_.weight_scale();
  }

  void search_segment(const Parent& parent, const Segment& segment, Scratch& scratch,
                      Found& found) const {
    if (segment.column->kind == Kind::category)
      search_levels(search_criterion_, parent, target_, segment, rules_, scratch, found);
    else search_criterion_.search_threshold(parent, target_, segment, rules_, scratch, found);
  }

  // Rows whose cell is missing take no part; what the others gain counts by their share of the
  // weight.
  void search_known(const Parent& parent, Segment segment, Scratch& scratch, Found& found) const {
    std::vector<double> sums(k(), 0.0);
    double weight = 0;
    if (segment.known == 0) return;
    segment.n = segment.known;
    add_up(segment, sums.data(), weight);
    Parent known{sums.data(), target_.k(), weight, parent.impurity};
    known.costs = costs();
    if (target_.regression()) SquaredError::find_centre(known, target_.unit_of_sums());
    else known.impurity = search_criterion_.impurity(sums.data(), target_.k(), weight, costs());
    known.unknown = found.unknown_weight = parent.weight - weight;
    search_segment(known, segment, scratch, found);
    if (search_criterion_.name != Chi2::name && search_criterion_.name != GainRatio::name)
      found.gain *= weight / parent.weight;
  }

  // The place of the best column in `found`, −1 if none has a split. Sets `tie` when another is as
  // good. With `average_` the gains become ratios, and columns of less than average gain drop out.
  int best_column(const Parent& parent, std::vector<Found>& found, bool& tie) const {
    double least = -infinity;
    if (average_) {
      double sum = 0;
      int n = 0;
      for (const Found& f : found)
        if (f.any) sum += f.gain, ++n;
      least = sum / n - 1e-12;
    }
    const double tolerance = tolerance_at(parent.impurity, parent.weight);
    Best<int> best(tolerance);
    std::vector<char> candidate(found.size(), 0);
    for (size_t i = 0; i < found.size(); ++i) {
      Found& f = found[i];
      if (!f.any) continue;
      candidate[i] = f.gain >= least;
      if (average_) f.gain = ratio(parent, f);
      if (candidate[i]) best.offer(f.gain, static_cast<int>(i));
    }
    if (best.empty()) return -1;
    for (size_t i = 0; i < found.size(); ++i)
      if (candidate[i] && static_cast<int>(i) != best.first())
        tie |= found[i].gain >= best.gain() - tolerance;
    return best.first();
  }

  // How far apart gains may be, in the caller's weights, and still tie.
  double tolerance_at(double impurity, double weight) const {
    return 1e-12 * criterion_.scale(impurity, weight / target_.weight_scale());
  }

  static double ratio(const Parent& parent, const Found& found) {
    std::vector<double> part = found.child_weight;  // unknown cells count as a part, too (C4.5)
    if (found.unknown_weight > 0) part.push_back(found.unknown_weight);
    const auto m = static_cast<int32_t>(part.size());
    return GainRatio::ratio(found.gain, split_information(part.data(), m, parent.weight));
  }

  bool worth_it(const Growing& node, double gain) const {
    if (gain < options_.min_gain || gain * node.weight / all_weight_ < options_.min_drop)
      return false;
    const double tolerance = tolerance_at(node.impurity, node.weight);
    if (gain < -tolerance) return false;  // cost_gini can lose
    return options_.zero_gain_split || gain > tolerance;
  }

  double write_threshold(const Growing& node, size_t c, const Found& found) const {
    if (found.kind != SplitKind::threshold) return nan;
    const Column& column = problem_.columns[c];
    const Segment segment = block_of(node).segment(c, node.begin, node.end);
    if (found.cut == segment.known) return infinity;
    const double below = column.number(segment.table_row(segment.entry[found.cut - 1]));
    const double above = column.number(segment.table_row(segment.entry[found.cut]));
    return threshold_between(below, above, column, options_);
  }

  void keep_runners_up(Growing& node, const std::vector<Found>& found, int winner) const {
    for (size_t i = 0; i < found.size(); ++i) {
      if (!found[i].any || static_cast<int>(i) == winner) continue;
      const int32_t column = (*node.active)[i];
      node.runners_up.push_back(
          {column, found[i].gain, write_threshold(node, static_cast<size_t>(column), found[i])});
    }
  }

  // A column with one value here has one value in every node below: leave it out from now on.
  static void drop_constant(Growing& node, const std::vector<char>& constant) {
    if (std::find(constant.begin(), constant.end(), 1) == constant.end()) return;
    std::vector<int32_t> rest;
    for (size_t i = 0; i < constant.size(); ++i)
      if (!constant[i]) rest.push_back((*node.active)[i]);
    node.active = std::make_shared<const std::vector<int32_t>>(std::move(rest));
  }

  // ---- from a node to its children -------------------------------------------------------------

  // In Branches, levels of the schema that no row here has share one empty child.
  int has_empty_child(const Growing& node) const {
    if (node.found.kind != SplitKind::branches) return 0;
    const auto levels = problem_.columns[static_cast<size_t>(node.column)].n_levels;
    return static_cast<int>(node.found.levels.size()) < levels;
  }

  void split(NodeList& list, int32_t at, Pool* pool, int thread) {
    const Growing parent = list.node[static_cast<size_t>(at)];  // a copy: the list will move
    const auto c = static_cast<size_t>(parent.column);
    if (problem_.columns[c].missing == Missing::fractional) return split_in_pieces(list, at);
    std::vector<uint32_t> child_rows;
    block_.assign(c, parent.begin, parent.end, parent.found, child_rows);
    if (problem_.columns[c].missing == Missing::surrogate) stand_in(list, at, child_rows);
    const auto part = [&](size_t column, int worker) {
      block_.part(column, parent.begin, parent.end, child_rows,
                  buffer_[static_cast<size_t>(worker)]);
    };
    part(c, thread);
    const auto first = static_cast<int32_t>(list.node.size());
    uint32_t begin = parent.begin;
    for (int32_t i = 0; i < parent.found.n_children; ++i) {
      const uint32_t rows = child_rows[static_cast<size_t>(i)];
      push(list, at, parent, begin, begin + rows, c);
      begin += rows;
    }  // rows that stay at the node come last, in no child
    if (any_may_split(list, first))  // else nobody will look at the other columns here again
      each_column(pool, parent.active->size(), thread, [&](size_t i, int worker) {
        const auto column = static_cast<size_t>((*parent.active)[i]);
        if (column != c) part(column, worker);
      });
    finish_split(list, at, first);
  }

  void finish_split(NodeList& list, int32_t at, int32_t first) {
    Growing& node = list.node[static_cast<size_t>(at)];
    node.first_child = first;
    node.p_value = p_value(list, at);
    if (!has_empty_child(node)) return;
    node.found.unseen_to = static_cast<int16_t>(node.found.n_children++);
    const Growing parent = node;
    push(list, at, parent, 0, 0, 0);
  }

  // Every child gets order lists of its own, with pieces of the rows that go to all of them.
  void split_in_pieces(NodeList& list, int32_t at) {
    const Growing parent = list.node[static_cast<size_t>(at)];
    const auto blocks = share_out(problem_.columns, block_of(parent), parent, target_, piece_row_);
    const auto first = static_cast<int32_t>(list.node.size());
    for (const auto& block : blocks)
      push(list, at, parent, 0, block->n_rows(), static_cast<size_t>(parent.column), block);
    list.node[static_cast<size_t>(at)].block = nullptr;  // nobody will look at it again
    finish_split(list, at, first);
  }

  // Finds the surrogates of a split and sends the rows it cannot send itself.
  void stand_in(NodeList& list, int32_t at, std::vector<uint32_t>& child_rows) {
    Growing& node = list.node[static_cast<size_t>(at)];
    node.found.surrogates = find_surrogates(problem_, target_, block_, node);
    const Segment segment = block_.segment(static_cast<size_t>(node.column), node.begin, node.end);
    for (uint32_t i = segment.known; i < segment.n; ++i) {
      const uint32_t row = segment.entry[i] & row_of;
      int16_t child = node.found.missing_to;
      for (const Surrogate& surrogate : node.found.surrogates) {
        const int16_t there = route_by(surrogate, problem_, row);
        if (there < 0) continue;
        child = there;
        break;
      }
      block_.send(row, child);
      child_rows[static_cast<size_t>(child)] += 1;
    }
    child_rows.resize(2);  // none is left that goes nowhere
  }

  // Will any node from `first` on be searched?
  bool any_may_split(const NodeList& list, int32_t first) const {
    for (auto i = static_cast<size_t>(first); i < list.node.size(); ++i)
      if (!must_be_leaf(list.node[i], &list.sums[i * k()])) return true;
    return false;
  }

  void push_root(NodeList& list) {
    Growing root;
    root.active = std::make_shared<const std::vector<int32_t>>(usable_columns(problem_));
    root.depth = -1;
    piece_row_.resize(problem_.n_rows);
    std::iota(piece_row_.begin(), piece_row_.end(), 0u);
    push(list, -1, root, 0, block_.n_rows(), 0);
    all_weight_ = list.node[0].weight;
  }

  // A new node over a range; its stats are read off the list of column c.
  void push(NodeList& list, int32_t parent_at, const Growing& parent, uint32_t begin, uint32_t end,
            size_t c, std::shared_ptr<const Block> block = nullptr) {
    Growing node;
    node.block = std::move(block);
    node.parent = parent_at;
    node.depth = parent.depth + 1;
    node.begin = begin;
    node.end = end;
    node.active = parent.active;
    list.sums.resize(list.sums.size() + k(), 0.0);
    double* sums = &list.sums[list.sums.size() - k()];
    if (begin < end) measure(node, block_of(node).segment(c, begin, end), sums);
    list.node.push_back(std::move(node));
  }

  // Adds the rows of a segment to `sums` and `weight`.
  void add_up(const Segment& segment, double* sums, double& weight) const {
    const auto add = [&](const auto& rows) {
      for (uint32_t i = 0; i < segment.n; ++i) rows.add(sums, weight, segment.entry[i] & row_of);
    };
    if (target_.regression()) add(NumberRows{target_.moments()});
    else if (target_.unit_weights()) add(ClassRows{target_.classes()});
    else add(WeightedClassRows{target_.classes(), target_.weights()});
  }

  void measure(Growing& node, const Segment& segment, double* sums) const {
    add_up(segment, sums, node.weight);
    if (target_.regression()) return measure_numbers(node, segment);
    node.impurity = criterion_.impurity(sums, target_.k(), node.weight, costs());
  }

  // Mean and deviation by sums without order; equal targets give exactly their value and 0.
  void measure_numbers(Growing& node, const Segment& segment) const {
    const double one = target_.number(segment.entry[0] & row_of);
    ExactSum sum;
    bool same = true;
    for (uint32_t i = 0; i < segment.n; ++i) {
      const uint32_t row = segment.entry[i] & row_of;
      same &= target_.number(row) == one;
      sum.add(target_.weight(row) * target_.number(row));
    }
    node.mean = same ? one : sum.value() / node.weight;
    if (same) return;
    ExactSum squares;
    for (uint32_t i = 0; i < segment.n; ++i) {
      const uint32_t row = segment.entry[i] & row_of;
      const double gap = target_.number(row) - node.mean;
      squares.add(target_.weight(row) * (gap * gap));
    }
    node.deviation = squares.value();
    node.impurity = node.deviation / node.weight;
  }

  // χ² of the table children × classes; children and classes without weight do not count.
  double p_value(const NodeList& list, int32_t at) const {
    if (target_.regression()) return nan;
    const Growing& node = list.node[static_cast<size_t>(at)];
    std::vector<double> sums(k(), 0.0);  // of the children: rows that stay behind do not count
    std::vector<const double*> child;
    std::vector<double> weight;
    double total = 0;
    for (auto i = static_cast<size_t>(node.first_child); i < list.node.size(); ++i) {
      child.push_back(&list.sums[i * k()]);
      weight.push_back(list.node[i].weight);
      total += weight.back();
      for (size_t c = 0; c < k(); ++c) sums[c] += child.back()[c];
    }
    const auto m = static_cast<int32_t>(child.size());
    const auto classes = std::count_if(sums.begin(), sums.end(), [](double s) { return s > 0; });
    const Parent parent{sums.data(), target_.k(), total, 0};
    const double chi2 = Chi2::many(parent, child.data(), weight.data(), m);
    return chi2_p(chi2 / target_.weight_scale(), (m - 1) * (classes - 1));
  }

  void push_children(const NodeList& list, int32_t at, std::vector<int32_t>& stack) const {
    const Growing& node = list.node[static_cast<size_t>(at)];
    for (int32_t i = node.found.n_children - 1; i >= 0; --i)
      if (list.node[static_cast<size_t>(node.first_child + i)].rows() > 0)
        stack.push_back(node.first_child + i);
  }
};

void check(const Problem& problem) {
  if (problem.n_rows == 0) throw InputError("no rows");
  if (problem.n_rows > row_of) throw InputError("more than 2147483647 rows");
  if (problem.columns.empty()) throw InputError("no columns");
  if (problem.n_classes > 65'535) throw InputError("more than 65535 classes");
  const bool regression = problem.n_classes == 0;
  if (criteria[problem.options.criterion].name == CostGini::name && !problem.costs)
    throw InputError("cost_gini needs costs");
  if (criteria[problem.options.criterion].regression != regression)
    throw InputError("the criterion does not fit the target");
  for (size_t i = 0; i < problem.n_rows; ++i) {
    if (problem.weights && !(problem.weights[i] >= 0 && std::isfinite(problem.weights[i])))
      throw InputError("row " + std::to_string(i) + ": the weight is negative or not a number");
    if (regression ? !std::isfinite(problem.numbers[i])
                   : problem.classes[i] < 0 || problem.classes[i] >= problem.n_classes)
      throw InputError("row " + std::to_string(i) + ": the target is out of range");
  }
}

}  // namespace

Grown grow(const Problem& problem, Control& control) {
  check(problem);
  const bool pieces = std::any_of(problem.columns.begin(), problem.columns.end(),
                                  [](const Column& c) { return c.missing == Missing::fractional; });
  Target target(problem, pieces);
  std::vector<uint32_t> rows;
  rows.reserve(problem.n_rows);
  for (size_t i = 0; i < problem.n_rows; ++i)
    if (target.weight(static_cast<uint32_t>(i)) > 0) rows.push_back(static_cast<uint32_t>(i));
  if (rows.empty()) throw InputError("all weights are zero");

  const uint64_t cells = static_cast<uint64_t>(rows.size()) * problem.columns.size();
  // Pieces of rows are made one after the other, so that their numbers do not depend on threads.
  const int threads = cells > shared_cells / 4 && !pieces ? problem.options.threads : 1;
  Pool pool(threads, &control);
  Block block(problem.columns, encode(problem.columns, rows, pool), problem.n_rows);
  Tally tally;
  Grower grower(problem, target, block, pool, control);
  const std::vector<NodeList> lists = grower.run(tally);

  Grown grown = finish(lists, target);
  grown.ordered_subsets = tally.ordered_subsets;
  for (size_t c = 0; c < problem.columns.size(); ++c)
    if (too_many_levels(problem, c)) grown.too_many_levels.push_back(static_cast<int32_t>(c));
  return grown;
}

}  // namespace bough
