// Large nodes: the best split of every column. Threshold columns are surveyed, all of them, and
// then refined with the greatest gain of all as the floor (search_bins.hpp); category columns are
// searched by level.
#include <algorithm>

#include "known.hpp"
#include "large.hpp"
#include "open_bin.hpp"

namespace bough {

namespace {

// What is the same for all columns of a node.
struct Search {
  const Criterion& criterion;
  const Target& target;
  const Parent& parent;
  Rules rules;
  Care care;
};

// A threshold column on its way through survey and refinement.
struct Candidate {
  size_t i;  // its place among the active columns
  ColumnBins column;
  KnownParent known;
  Survey survey;

  // Rows are left out, so its gains are not in the units of the others.
  bool scaled() const { return known.parent.unknown > 0; }
  double hope() const {
    double most = -infinity;
    for (const Hope& hope : survey.hopes) most = std::max(most, hope.bound);
    return most;
  }
};

using Candidates = std::vector<std::unique_ptr<Candidate>>;  // by active column; null: none

Rules rules_of(const Problem& problem) {
  return {static_cast<uint32_t>(std::min<int64_t>(problem.options.min_rows_leaf, row_of)),
          problem.options.categories};
}

double tolerance_of(const Criterion& criterion, const Parent& parent) {
  return 1e-12 * criterion.scale(parent.impurity, parent.weight);
}

// The rows that take part in the search of the column.
KnownParent known_of(const Search& search, const ColumnBins& column) {
  const Parent& parent = search.parent;
  if (!column.known_only || !column.coded.missing) return {{}, parent};
  std::vector<double> lost(static_cast<size_t>(parent.k), 0.0);
  const auto missing_bin = column.coded.first_bin + static_cast<uint32_t>(column.coded.n_bins);
  column.histogram.read(missing_bin, lost.data());
  double weight = 0;
  for (double s : lost) weight += s;
  if (search.target.regression()) weight = lost[0];
  if (weight <= 0) return {{}, parent};
  std::vector<double> sums(parent.s, parent.s + parent.k);
  for (size_t s = 0; s < sums.size(); ++s) sums[s] -= lost[s];
  return known_parent(parent, std::move(sums), parent.weight - weight, search.criterion,
                      search.target);
}

// The cuts between bins, and the bins that may hold a better one. Null: all cells are missing.
std::unique_ptr<Candidate> survey(const Search& search, const ColumnBins& column, size_t i) {
  KnownParent known = known_of(search, column);
  const Parent& parent = known.parent;
  if (parent.weight <= 0) return nullptr;
  Survey found(tolerance_of(search.criterion, parent));
  search.criterion.survey_bins(parent, search.target, column, search.rules, search.care, found);
  return std::make_unique<Candidate>(Candidate{i, column, std::move(known), std::move(found)});
}

// Opens bins. The greatest hope comes first: it raises the floor for the others. `every`: each
// column's own best is asked for, so each has a floor of its own.
void refine(const Search& search, const Candidates& candidates, bool every, Pool* pool,
            Floor& floor) {
  std::vector<std::pair<double, Candidate*>> hopeful;
  for (const auto& candidate : candidates)
    if (candidate && !candidate->survey.hopes.empty())
      hopeful.emplace_back(candidate->hope(), candidate.get());
  std::stable_sort(hopeful.begin(), hopeful.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  each(pool, hopeful.size(), [&](size_t at, int) {
    Candidate& candidate = *hopeful[at].second;
    Floor own(candidate.survey.best.tolerance());
    own.raise(candidate.survey.top());
    search.criterion.refine_bins(candidate.known.parent, search.target, candidate.column,
                                 search.rules, search.care,
                                 every || candidate.scaled() ? own : floor, candidate.survey);
  });
}

void write(const Candidate& candidate, const Parent& parent, const Criterion& criterion,
           Found& found) {
  if (candidate.survey.best.empty()) return;
  const BinCut& cut = candidate.survey.best.first();
  const double lost = candidate.survey.missing_weight;
  const bool third = cut.missing_to == 2;
  found.any = true;
  found.gain = candidate.survey.best.gain();
  found.kind = SplitKind::threshold;
  found.cut = cut.rows;
  found.bin = cut.bin;
  found.fine = cut.fine;
  found.below = cut.below;
  found.above = cut.above;
  found.n_children = third ? 3 : 2;
  const double all = candidate.known.parent.weight;
  found.child_weight = {cut.weight, all - cut.weight - (third ? lost : 0)};
  if (third) found.child_weight.push_back(lost);
  found.missing_to = cut.missing_to >= 0 ? cut.missing_to : heaviest(found.child_weight);
  found.unknown_weight = candidate.known.parent.unknown;
  if (candidate.scaled()) weigh_gain(criterion, candidate.known.parent, parent, found);
}

}  // namespace

void Large::search(const Criterion& criterion, const Growing& node, const Parent& given, bool every,
                   Pool* pool, std::vector<Found>& found, std::vector<char>& constant) const {
  const std::vector<int32_t>& active = *node.active;
  Parent parent = given;
  parent.bounded = bounded_;
  const Search search{criterion,
                      target_,
                      parent,
                      rules_of(problem_),
                      {problem_.options.exact, problem_.options.bound}};
  Candidates candidates(active.size());
  each(pool, active.size(), [&](size_t i, int) {
    const auto c = static_cast<size_t>(active[i]);
    if (by_level(c)) return search_groups(criterion, node, parent, c, found[i], constant[i]);
    candidates[i] = survey(search, bins(node, c), i);
    if (candidates[i]) constant[i] = candidates[i]->survey.constant;
  });
  Floor floor(tolerance_of(criterion, parent));
  for (size_t i = 0; i < active.size(); ++i) {
    if (found[i].any) floor.raise(found[i].gain);
    if (candidates[i] && !candidates[i]->scaled()) floor.raise(candidates[i]->survey.top());
  }
  refine(search, candidates, every, pool, floor);
  for (const auto& candidate : candidates)
    if (candidate) write(*candidate, parent, criterion, found[candidate->i]);
}

void Large::search_groups(const Criterion& criterion, const Growing& node, const Parent& parent,
                          size_t c, Found& found, char& constant) const {
  const Column& column = problem_.columns[c];
  const bool only = known_only(column.missing);
  const Groups groups =
      codes_[c].coded ? groups_of(target_, *node.histogram, codes_[c], only)
                      : groups_of(target_, column, rows_.data() + node.begin, node.rows(), only);
  constant = groups.size() < 2 && groups.n == node.rows();
  if (groups.n == node.rows())
    return search_levels(criterion, parent, groups, rules_of(problem_), column, found);
  if (groups.n == 0) return;
  std::vector<double> sums(static_cast<size_t>(parent.k), 0.0);
  double weight = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (size_t s = 0; s < sums.size(); ++s) sums[s] += groups.stats(g)[s];
    weight += groups.weight[g];
  }
  const KnownParent known = known_parent(parent, std::move(sums), weight, criterion, target_);
  found.unknown_weight = known.parent.unknown;
  search_levels(criterion, known.parent, groups, rules_of(problem_), column, found);
  weigh_gain(criterion, known.parent, parent, found);
}

void Large::look_at_cut(const Growing& node, size_t c, Found& found) const {
  if (found.kind != SplitKind::threshold || found.below == found.below) return;
  const ColumnBins column = bins(node, c);
  const CodedColumn& coded = column.coded;
  std::vector<double> s(static_cast<size_t>(target_.k()));
  const auto rows_in = [&](int32_t bin) {
    return node.histogram->read(coded.first_bin + static_cast<uint32_t>(bin), s.data());
  };
  int32_t after = found.bin + 1;  // the next bin with rows; none if the cut is inside the last
  while (after < coded.n_bins && rows_in(after) == 0) ++after;
  std::vector<uint8_t> marked(static_cast<size_t>(coded.all_bins()), 0);
  std::vector<uint32_t> size(marked.size(), 0);
  for (int32_t bin : {found.bin, after}) {
    if (bin == coded.n_bins || !coded.mixed[static_cast<size_t>(bin)]) continue;
    marked[static_cast<size_t>(bin)] = 1;
    size[static_cast<size_t>(bin)] = rows_in(bin);
  }
  const auto value_of = [&](int32_t bin) {
    return coded.edge.empty() ? bin : coded.edge[static_cast<size_t>(bin)];
  };
  const bool look = std::find(marked.begin(), marked.end(), 1) != marked.end();
  const Opened opened = look ? gather(column, marked, size) : Opened{};
  double below = -infinity, above = infinity;
  for (int32_t bin : {found.bin, after}) {
    if (bin == coded.n_bins) continue;
    if (!marked[static_cast<size_t>(bin)]) {
      if (bin == found.bin) below = value_of(bin);
      else above = std::min<double>(above, value_of(bin));
      continue;
    }
    for (const Item& item : load(column.column, opened.begin(bin), opened.end(bin))) {
      const bool left = bin == found.bin && (!column.fine || column.fine[item.row] <= found.fine);
      if (left) below = std::max(below, item.value);
      else above = std::min(above, item.value);
    }
  }
  found.below = below;
  found.above = above;
}

}  // namespace bough
