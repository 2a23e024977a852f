#include "large.hpp"

#include <algorithm>
#include <numeric>

#include "criteria/chi2.hpp"
#include "criteria/cost_gini.hpp"
#include "criteria/gain_ratio.hpp"
#include "criteria/squared_error.hpp"
#include "open_bin.hpp"

namespace bough {

namespace {

// Part of a split: known rows of a column, the target among them.
struct KnownParent {
  std::vector<double> sums;
  Parent parent;
};

// The node without the rows whose cell is missing. What the others gain counts by their share.
KnownParent without(const Parent& parent, const double* lost, double lost_weight,
                    const Criterion& criterion, const Target& target) {
  KnownParent known{std::vector<double>(parent.s, parent.s + parent.k), parent};
  for (size_t c = 0; c < known.sums.size(); ++c) known.sums[c] -= lost[c];
  known.parent.s = known.sums.data();
  known.parent.weight = parent.weight - lost_weight;
  known.parent.unknown = lost_weight;
  if (known.parent.weight <= 0) return known;
  if (target.regression()) SquaredError::find_centre(known.parent, target.unit_of_sums());
  else
    known.parent.impurity =
        criterion.impurity(known.sums.data(), parent.k, known.parent.weight, parent.costs);
  return known;
}

// Costs for which no cut inside a bin gains more than one at its corners: the form must not curve
// downwards along any exchange of rows. Gaussian elimination shows it; doubtful means no.
bool curves_up(const double* costs, int32_t classes) {
  const auto k = static_cast<size_t>(classes);
  std::vector<double> m((k - 1) * (k - 1));
  double largest = 0;
  for (size_t i = 0; i + 1 < k; ++i)
    for (size_t j = 0; j + 1 < k; ++j) {
      const auto cost = [&](size_t a, size_t b) { return costs[a * k + b] + costs[b * k + a]; };
      m[i * (k - 1) + j] = cost(i, k - 1) + cost(k - 1, j) - cost(i, j) - cost(k - 1, k - 1);
      largest = std::max(largest, std::fabs(m[i * (k - 1) + j]));
    }
  for (size_t p = 0; p + 1 < k; ++p) {
    const double pivot = m[p * (k - 1) + p];
    if (pivot <= 1e-12 * largest) return false;
    for (size_t i = p + 1; i + 1 < k; ++i)
      for (size_t j = p + 1; j + 1 < k; ++j)
        m[i * (k - 1) + j] -= m[i * (k - 1) + p] * m[p * (k - 1) + j] / pivot;
  }
  return true;
}

bool bounded(const Problem& problem) {
  if (criteria[problem.options.criterion].name != CostGini::name) return true;
  return curves_up(problem.costs, problem.n_classes);
}

}  // namespace

Large::Large(const Problem& problem, const Target& target, BigVector<uint32_t> rows, Pool& pool)
    : problem_(problem),
      target_(target),
      rows_(std::move(rows)),
      parted_(rows_.size() + 1),
      child_of_(problem.n_rows),
      kept_(problem.codes ? problem.codes
                          : std::make_shared<const Codes>(problem.columns, rows_, problem.n_rows,
                                                          problem.options, pool)),
      codes_(*kept_),
      bounded_(bounded(problem)) {}

std::shared_ptr<Histogram> Large::count(uint32_t begin, uint32_t end, Pool* pool) const {
  auto counted = std::make_unique<Histogram>(codes_, target_);
  counted->add(codes_, target_, rows_.data() + begin, end - begin, pool);
  *held_ += counted->bytes();
  return {counted.release(), [held = held_](Histogram* histogram) {
            *held -= histogram->bytes();
            delete histogram;
          }};
}

ColumnBins Large::bins(const Growing& node, size_t c) const {
  const Column& column = problem_.columns[c];
  return {*node.histogram,
          codes_[c],
          column,
          codes_.column(c),
          codes_.fine(c),
          rows_.data() + node.begin,
          node.rows(),
          known_only(column.missing),
          node.lowest - target_.centre(),
          node.highest - target_.centre()};
}

// ---- search ------------------------------------------------------------------------------------

namespace {

// A threshold column on its way through survey and refinement.
struct Candidate {
  size_t i;  // its place among the active columns
  ColumnBins column;
  KnownParent known;
  bool scaled;  // rows are left out, so its gains are not in the units of the others
  Survey survey;

  double hope() const {
    double most = -infinity;
    for (const Hope& hope : survey.hopes) most = std::max(most, hope.bound);
    return most;
  }
};

Rules rules_of(const Problem& problem) {
  return {static_cast<uint32_t>(std::min<int64_t>(problem.options.min_rows_leaf, row_of)),
          problem.options.categories};
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
  if (candidate.scaled && criterion.name != Chi2::name && criterion.name != GainRatio::name)
    found.gain *= all / parent.weight;
}

void each(Pool* pool, size_t n, const std::function<void(size_t)>& job) {
  if (pool) return pool->each(n, [&](size_t i, int) { job(i); });
  for (size_t i = 0; i < n; ++i) job(i);
}

}  // namespace

void Large::search(const Criterion& criterion, const Growing& node, const Parent& given, bool every,
                   Pool* pool, std::vector<Found>& found, std::vector<char>& constant) const {
  const std::vector<int32_t>& active = *node.active;
  const Rules rules = rules_of(problem_);
  const Care care{problem_.options.exact, problem_.options.bound};
  Parent parent = given;
  parent.bounded = bounded_;
  const double tolerance = 1e-12 * criterion.scale(parent.impurity, parent.weight);
  std::vector<std::unique_ptr<Candidate>> candidates(active.size());
  each(pool, active.size(), [&](size_t i) {
    const auto c = static_cast<size_t>(active[i]);
    if (by_level(c)) return search_groups(criterion, node, parent, c, found[i], constant[i]);
    const ColumnBins column = bins(node, c);
    std::vector<double> lost(static_cast<size_t>(parent.k), 0.0);
    double lost_weight = 0;
    if (column.known_only && column.coded.missing) {
      node.histogram->read(column.coded.first_bin + static_cast<uint32_t>(column.coded.n_bins),
                           lost.data());
      for (double s : lost) lost_weight += s;
      if (target_.regression()) lost_weight = lost[0];
    }
    const bool scaled = lost_weight > 0;
    auto candidate = std::make_unique<Candidate>(
        Candidate{i, column,
                  scaled ? without(parent, lost.data(), lost_weight, criterion, target_)
                         : KnownParent{{}, parent},
                  scaled, Survey(0)});
    if (candidate->known.parent.weight <= 0) return;
    candidate->survey = Survey(
        1e-12 * criterion.scale(candidate->known.parent.impurity, candidate->known.parent.weight));
    criterion.survey_bins(candidate->known.parent, target_, column, rules, care, candidate->survey);
    constant[i] = candidate->survey.constant;
    candidates[i] = std::move(candidate);
  });

  Floor floor(tolerance);
  for (size_t i = 0; i < active.size(); ++i) {
    if (found[i].any) floor.raise(found[i].gain);
    if (candidates[i] && !candidates[i]->scaled) floor.raise(candidates[i]->survey.top());
  }
  std::vector<Candidate*> hopeful;  // the greatest hope first: it raises the floor for the others
  for (const auto& candidate : candidates)
    if (candidate && !candidate->survey.hopes.empty()) hopeful.push_back(candidate.get());
  std::vector<double> hope(active.size(), 0.0);
  for (const Candidate* candidate : hopeful) hope[candidate->i] = candidate->hope();
  std::stable_sort(hopeful.begin(), hopeful.end(),
                   [&](const Candidate* a, const Candidate* b) { return hope[a->i] > hope[b->i]; });
  each(pool, hopeful.size(), [&](size_t at) {
    Candidate& candidate = *hopeful[at];
    Floor own(candidate.survey.best.tolerance());
    own.raise(candidate.survey.top());
    criterion.refine_bins(candidate.known.parent, target_, candidate.column, rules, care,
                          every || candidate.scaled ? own : floor, candidate.survey);
  });
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
  std::vector<double> lost(parent.s, parent.s + parent.k);
  double weight = parent.weight;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (size_t s = 0; s < lost.size(); ++s) lost[s] -= groups.stats(g)[s];
    weight -= groups.weight[g];
  }
  const KnownParent known = without(parent, lost.data(), weight, criterion, target_);
  found.unknown_weight = weight;
  search_levels(criterion, known.parent, groups, rules_of(problem_), column, found);
  if (criterion.name != Chi2::name && criterion.name != GainRatio::name)
    found.gain *= known.parent.weight / parent.weight;
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

uint32_t Large::missing_rows(const Growing& node, size_t c) const {
  if (!codes_[c].coded) {
    uint32_t lost = 0;
    for (uint32_t i = node.begin; i < node.end; ++i) lost += problem_.columns[c].code(rows_[i]) < 0;
    return lost;
  }
  if (!codes_[c].missing) return 0;
  std::vector<double> s(static_cast<size_t>(target_.k()));
  return node.histogram->read(codes_[c].first_bin + static_cast<uint32_t>(codes_[c].n_bins),
                              s.data());
}

// ---- parting -----------------------------------------------------------------------------------

namespace {

constexpr int16_t ask = -1;  // the code alone does not tell: the value must

// The child of every code (or level, where there are no codes).
std::vector<int16_t> children_by_code(const Found& found, size_t codes, size_t missing_code,
                                      int16_t missing_child) {
  std::vector<int16_t> child(codes, 1);
  if (found.kind == SplitKind::threshold) {
    const auto last = static_cast<size_t>(found.bin);
    std::fill(child.begin(), child.begin() + static_cast<ptrdiff_t>(last) + 1, 0);
    child[last] = ask;
  } else {
    for (size_t l = 0; l < found.levels.size(); ++l)
      child[static_cast<size_t>(found.levels[l])] = found.level_child[l];
  }
  if (missing_code < codes) child[missing_code] = missing_child;
  return child;
}

}  // namespace

void Large::assign(const Growing& node, size_t c, const Found& found, Pool* pool,
                   std::vector<uint32_t>& child_rows) {
  const Column& column = problem_.columns[c];
  const CodedColumn& coded = codes_[c];
  const bool stays = known_only(column.missing);
  const auto slots = static_cast<size_t>(found.n_children) + stays;
  const int16_t lost = stays ? static_cast<int16_t>(found.n_children) : found.missing_to;
  const auto known_codes = static_cast<size_t>(coded.coded ? coded.n_bins : column.n_levels);
  const std::vector<int16_t> child = children_by_code(found, known_codes + 1, known_codes, lost);
  const uint8_t* code = coded.coded ? codes_.column(c) : nullptr;

  const size_t parts = pool ? static_cast<size_t>(pool->threads()) : 1;
  std::vector<std::vector<uint32_t>> counts(parts, std::vector<uint32_t>(slots, 0));
  each(pool, parts, [&](size_t part) {
    const uint64_t n = node.rows();
    const auto begin = static_cast<uint32_t>(node.begin + n * part / parts);
    const auto end = static_cast<uint32_t>(node.begin + n * (part + 1) / parts);
    std::vector<uint32_t>& count = counts[part];
    for (uint32_t i = begin; i < end; ++i) {
      const uint32_t row = rows_[i];
      int16_t to;
      if (code) {
        to = child[code[row]];
        if (to == ask) to = column.number(row) <= found.below ? 0 : 1;
      } else {
        const int32_t level = column.code(row);
        to = child[level < 0 ? known_codes : static_cast<size_t>(level)];
      }
      child_of_[row] = static_cast<uint16_t>(to);
      ++count[static_cast<size_t>(to)];
    }
  });
  child_rows.assign(slots, 0);
  for (const auto& count : counts)
    for (size_t m = 0; m < slots; ++m) child_rows[m] += count[m];
}

void Large::part(const Growing& node, const std::vector<uint32_t>& child_rows, Pool* pool) {
  const size_t parts = pool ? static_cast<size_t>(pool->threads()) : 1;
  const uint64_t n = node.rows();
  const auto begin_of = [&](size_t part) {
    return static_cast<uint32_t>(node.begin + n * part / parts);
  };
  // Where every part writes its rows of every child.
  std::vector<std::vector<uint32_t>> at(parts, std::vector<uint32_t>(child_rows.size(), 0));
  if (parts > 1)
    each(pool, parts - 1, [&](size_t part) {
      for (uint32_t i = begin_of(part); i < begin_of(part + 1); ++i)
        ++at[part + 1][child_of_[rows_[i]]];
    });
  uint32_t before = node.begin;
  for (size_t m = 0; m < child_rows.size(); ++m) {
    at[0][m] = before;
    for (size_t part = 1; part < parts; ++part) at[part][m] += at[part - 1][m];
    before += child_rows[m];
  }
  each(pool, parts, [&](size_t part) {
    std::vector<uint32_t>& to = at[part];
    for (uint32_t i = begin_of(part); i < begin_of(part + 1); ++i)
      parted_[to[child_of_[rows_[i]]]++] = rows_[i];
  });
  each(pool, parts, [&](size_t part) {
    std::copy(parted_.begin() + begin_of(part), parted_.begin() + begin_of(part + 1),
              rows_.begin() + begin_of(part));
  });
}

// ---- leaving -----------------------------------------------------------------------------------

namespace {

// Puts the items of one bin in the order of their values; equal values keep their rows in order.
void sort_bin(Item* begin, Item* end) {
  if (end - begin > 24) return std::sort(begin, end, by_value);
  for (Item* next = begin; next < end; ++next) {
    const Item item = *next;
    Item* to = next;
    for (; to > begin && item.value < to[-1].value; --to) *to = to[-1];
    *to = item;
  }
}

// All rows as items, bin by bin. Values are only looked at where a bin holds several.
template <class CodeOf>
std::vector<Item> items_by_bin(const Column& column, const CodedColumn& coded, const uint32_t* rows,
                               uint32_t n, std::vector<uint32_t> next, CodeOf code_of) {
  std::vector<Item> items(n);
  const auto take = [&](auto value_of) {
    for (uint32_t i = 0; i < n; ++i) {
      const size_t code = code_of(i);
      const bool several = code < coded.mixed.size() && coded.mixed[code];
      items[next[code]++] = {several ? value_of(rows[i]) : 0.0, i};
    }
  };
  const auto at = [&](uint32_t row) {
    return column.data + static_cast<ptrdiff_t>(row) * column.stride;
  };
  if (column.cell == Cell::f64)
    take([&](uint32_t row) { return *reinterpret_cast<const double*>(at(row)); });
  else take([&](uint32_t row) { return column.number(row); });
  return items;
}

}  // namespace

bool Large::sort(const Growing& node, size_t c, uint32_t* entry) const {
  const Column& column = problem_.columns[c];
  const CodedColumn& coded = codes_[c];
  const uint32_t* rows = rows_.data() + node.begin;
  const uint32_t n = node.rows();
  const auto known_codes = static_cast<size_t>(coded.coded ? coded.n_bins : column.n_levels);
  const uint8_t* code = coded.coded ? codes_.column(c) : nullptr;
  const auto code_of = [&](uint32_t i) -> size_t {
    if (code) return code[rows[i]];
    const int32_t level = column.code(rows[i]);
    return level < 0 ? known_codes : static_cast<size_t>(level);
  };
  std::vector<uint32_t> at(known_codes + 2, 0);
  for (uint32_t i = 0; i < n; ++i) ++at[code_of(i) + 1];
  for (size_t b = 1; b < at.size(); ++b) at[b] += at[b - 1];
  std::vector<Item> items = items_by_bin(column, coded, rows, n, at, code_of);
  for (size_t b = 0; b <= known_codes; ++b) {
    if (at[b] == at[b + 1]) continue;
    Item* begin = items.data() + at[b];
    Item* end = items.data() + at[b + 1];
    if (b < coded.mixed.size() && coded.mixed[b]) sort_bin(begin, end);
    for (const Item* item = begin; item != end; ++item) {
      const bool starts = item == begin || item->value != item[-1].value;
      *entry++ = item->row | (starts ? new_value : 0);
    }
  }
  return at[known_codes] < n;
}

Segment Large::sorted(const Growing& node, size_t c, std::vector<uint32_t>& entry) const {
  entry.resize(node.rows());
  sort(node, c, entry.data());
  Segment segment{entry.data(), node.rows(), node.rows(), &problem_.columns[c], nullptr, &target_};
  segment.known -= missing_rows(node, c);
  for (uint32_t& e : entry) e = rows_[node.begin + (e & row_of)] | (e & new_value);
  return segment;
}

std::shared_ptr<Block> Large::hand_over(const Growing& node) const {
  Orders orders;
  orders.n_rows = node.rows();
  orders.entry = std::make_unique_for_overwrite<uint32_t[]>(problem_.columns.size() * node.rows());
  orders.has_missing.assign(problem_.columns.size(), 0);
  for (int32_t c : *node.active) {
    const auto column = static_cast<size_t>(c);
    orders.has_missing[column] = sort(node, column, orders.list(column));
  }
  const uint32_t* rows = rows_.data() + node.begin;
  return std::make_shared<Block>(problem_.columns, std::move(orders),
                                 std::vector<uint32_t>(rows, rows + node.rows()), target_);
}

}  // namespace bough
