#include "grower.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace bough {

namespace {

std::vector<int32_t> usable_columns(const Problem& problem) {
  std::vector<int32_t> usable;
  for (size_t c = 0; c < problem.columns.size(); ++c)
    if (!too_many_levels(problem, c)) usable.push_back(static_cast<int32_t>(c));
  return usable;
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

// In Branches, levels of the schema that no row here has share one empty child.
int Grower::has_empty_child(const Growing& node) const {
  if (node.found.kind != SplitKind::branches || options_.categories == Categories::merged) return 0;
  const auto levels = problem_.columns[static_cast<size_t>(node.column)].n_levels;
  return static_cast<int>(node.found.levels.size()) < levels;
}

}  // namespace bough
