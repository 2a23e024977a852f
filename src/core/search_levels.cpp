// The best split of a category column, from its rows by level (groups.hpp):
//
//   group:  level 2 | level 5 | level 9 | missing          stats, weight and rows of each
//   subset:    0         1         0         1             the child of each group
//
// Subsets by one order of the groups (two classes, numbers), by all partings (few groups) or along
// the first principal component; branches; one against the rest. docs/splits.md says which is when.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "best.hpp"
#include "criteria/registry.hpp"
#include "criteria/squared_error.hpp"
#include "groups.hpp"
#include "merge.hpp"
#include "search.hpp"
#include "ways.hpp"

namespace bough {

namespace {

struct Search {
  const Criterion& criterion;
  const Parent& node;
  const Groups& groups;
  const Rules& rules;
  const Column& column;
  uint32_t n;
  Found& found;

  double tolerance() const { return 1e-12 * criterion.scale(node.impurity, node.weight); }
  bool legal(uint32_t rows) const {
    return rows >= rules.min_rows_leaf && n - rows >= rules.min_rows_leaf;
  }

  // Writes a two-sided split down; `in_0` says of each group whether child 0 has it.
  void write_two(double gain, const std::vector<char>& in_0) {
    found.any = true;
    found.gain = gain;
    found.kind = SplitKind::subset;
    found.n_children = 2;
    found.child_weight = {0, 0};
    for (size_t g = 0; g < groups.size(); ++g) {
      const int16_t child = in_0[g] ? 0 : 1;
      found.child_weight[static_cast<size_t>(child)] += groups.weight[g];
      if (groups.level[g] < 0) continue;
      found.levels.push_back(groups.level[g]);
      found.level_child.push_back(child);
    }
    found.missing_to =
        groups.missing ? static_cast<int16_t>(in_0.back() ? 0 : 1) : heaviest(found.child_weight);
  }

  // Every cut of the groups laid out in `order`.
  void cuts(const std::vector<uint32_t>& order) {
    Best<size_t> best(tolerance());
    std::vector<double> left(static_cast<size_t>(node.k), 0.0);
    double weight = 0;
    uint32_t rows = 0;
    for (size_t i = 0; i + 1 < order.size(); ++i) {
      add(left, groups.stats(order[i]));
      weight += groups.weight[order[i]];
      rows += groups.rows[order[i]];
      if (legal(rows)) best.offer(criterion.two(node, left.data(), weight), i);
    }
    if (best.empty()) return;
    std::vector<char> in_0(groups.size(), 0);
    for (size_t i = 0; i <= best.first(); ++i) in_0[order[i]] = 1;
    if (!in_0[0])
      for (auto& side : in_0) side = !side;
    write_two(best.gain(), in_0);
  }

  // Every partition into two sides. Group 0 stays in child 0; one group changes sides at a time
  // (Gray code), which costs nothing in precision since stats add and subtract exactly.
  void all_partitions() {
    Best<uint32_t> best(tolerance());
    std::vector<double> left(node.s, node.s + node.k);
    double weight = node.weight;
    uint32_t rows = n;
    const uint32_t end = 1u << (groups.size() - 1);
    for (uint32_t i = 1; i < end; ++i) {
      const uint32_t gray = i ^ (i >> 1);
      const int bit = std::countr_zero(i);
      const size_t g = static_cast<size_t>(bit) + 1;
      const bool to_1 = (gray >> bit) & 1;
      add(left, groups.stats(g), to_1 ? -1.0 : 1.0);
      weight += to_1 ? -groups.weight[g] : groups.weight[g];
      rows = to_1 ? rows - groups.rows[g] : rows + groups.rows[g];
      if (legal(rows)) best.offer(criterion.two(node, left.data(), weight), gray);
    }
    if (best.empty()) return;
    std::vector<char> in_0(groups.size(), 1);
    for (size_t g = 1; g < groups.size(); ++g) in_0[g] = !((best.first() >> (g - 1)) & 1);
    write_two(best.gain(), in_0);
  }

  // Two classes: by the share of the second. Numbers: by the mean. Exact for every criterion here.
  std::vector<uint32_t> order_by_share() const {
    std::vector<double> share(groups.size());
    for (size_t g = 0; g < groups.size(); ++g) {
      const double* s = groups.stats(g);
      share[g] = (criterion.regression ? SquaredError::about_centre(s, node.centre) : s[1]) /
                 groups.weight[g];
    }
    std::vector<uint32_t> order = sorted_by(share);
    if (criterion.regression) keep_equal_in_order(order, share);
    return order;
  }

  // Means of weighted numbers are rounded; those that differ by rounding only are one mean, and
  // groups of one mean stand in the order of their levels.
  static void keep_equal_in_order(std::vector<uint32_t>& order, const std::vector<double>& mean) {
    const double slack = 1e-12 * (mean[order.back()] - mean[order.front()]);
    for (size_t begin = 0; begin < order.size();) {
      size_t end = begin + 1;
      while (end < order.size() && mean[order[end]] - mean[order[end - 1]] <= slack) ++end;
      std::sort(order.begin() + static_cast<ptrdiff_t>(begin),
                order.begin() + static_cast<ptrdiff_t>(end));
      begin = end;
    }
  }

  // More classes and many levels: along the first principal component of the class shares
  // (Coppersmith, Hong and Hosking 1999), found by repeated multiplication.
  std::vector<uint32_t> order_by_component() const {
    const auto k = static_cast<size_t>(node.k);
    std::vector<double> gap(groups.size() * k);  // shares of the group − shares of the node
    size_t start = 0;
    double longest = -1;
    for (size_t g = 0; g < groups.size(); ++g) {
      double length = 0;
      for (size_t c = 0; c < k; ++c) {
        gap[g * k + c] = groups.stats(g)[c] / groups.weight[g] - node.s[c] / node.weight;
        length += gap[g * k + c] * gap[g * k + c];
      }
      if (length * groups.weight[g] > longest) longest = length * groups.weight[g], start = g;
    }
    std::vector<double> axis(&gap[start * k], &gap[start * k] + k), score(groups.size());
    for (int round = 0; round < 64; ++round) {
      std::vector<double> next(k, 0.0);
      double length = 0;
      for (size_t g = 0; g < groups.size(); ++g) {
        score[g] = std::inner_product(axis.begin(), axis.end(), &gap[g * k], 0.0);
        for (size_t c = 0; c < k; ++c) next[c] += groups.weight[g] * score[g] * gap[g * k + c];
      }
      for (double x : next) length += x * x;
      if (length == 0) break;
      for (size_t c = 0; c < k; ++c) axis[c] = next[c] / std::sqrt(length);
    }
    for (size_t g = 0; g < groups.size(); ++g)
      score[g] = std::inner_product(axis.begin(), axis.end(), &gap[g * k], 0.0);
    return sorted_by(score);
  }

  void subset() {
    constexpr size_t exhaustive = 10;
    found.log_ways = log_ways_free(static_cast<int64_t>(groups.size()), 2);
    if (node.k == 2 || criterion.regression) return cuts(order_by_share());
    if (groups.size() <= exhaustive) return all_partitions();
    cuts(order_by_component());
    found.approximate = true;
  }

  void one_vs_rest() {
    struct One {
      size_t group;
      bool with_missing;
    };
    Best<One> best(tolerance());
    std::vector<double> both(static_cast<size_t>(node.k));
    const size_t last = groups.size() - 1;
    const bool joins = groups.missing && column.missing == Missing::learned;
    found.log_ways = std::log(static_cast<double>(groups.size() + (joins ? last : 0)));
    for (size_t g = 0; g < groups.size(); ++g) {
      if (legal(groups.rows[g]))
        best.offer(criterion.two(node, groups.stats(g), groups.weight[g]), {g, false});
      if (!joins || g == last || last == 1) continue;
      if (!legal(groups.rows[g] + groups.rows[last])) continue;
      both.assign(groups.stats(g), groups.stats(g) + node.k);
      add(both, groups.stats(last));
      best.offer(criterion.two(node, both.data(), groups.weight[g] + groups.weight[last]),
                 {g, true});
    }
    if (best.empty()) return;
    std::vector<char> in_0(groups.size(), 0);
    in_0[best.first().group] = 1;
    if (best.first().with_missing) in_0[last] = 1;
    write_two(best.gain(), in_0);
  }

  // One child per group. `learned`: missing cells join the branch where they gain most; beside a
  // single level there is nothing to join, and they are a branch of their own.
  void branches() {
    const bool joins = groups.missing && column.missing == Missing::learned && groups.size() > 2;
    const size_t m = groups.size() - (joins ? 1 : 0);
    if (m < 2) return;
    std::vector<const double*> child(m);
    for (size_t g = 0; g < m; ++g) child[g] = groups.stats(g);
    std::vector<double> weight(groups.weight.begin(),
                               groups.weight.begin() + static_cast<ptrdiff_t>(m));
    std::vector<uint32_t> rows(groups.rows.begin(),
                               groups.rows.begin() + static_cast<ptrdiff_t>(m));

    Best<size_t> best(tolerance());
    if (!joins) {
      if (enough(rows)) best.offer(judge(child, weight), 0);
    } else {
      std::vector<double> both(static_cast<size_t>(node.k));
      for (size_t g = 0; g < m; ++g) {
        both.assign(groups.stats(g), groups.stats(g) + node.k);
        add(both, groups.stats(m));
        child[g] = both.data();
        weight[g] += groups.weight[m];
        rows[g] += groups.rows[m];
        if (enough(rows)) best.offer(judge(child, weight), g);
        child[g] = groups.stats(g);
        weight[g] = groups.weight[g];
        rows[g] = groups.rows[g];
      }
    }
    if (best.empty()) return;
    if (joins) found.log_ways = std::log(static_cast<double>(m));
    std::vector<uint32_t> child_of(groups.size());
    std::iota(child_of.begin(), child_of.end(), 0u);
    if (joins) child_of[m] = static_cast<uint32_t>(best.first());
    write_branches(best.gain(), m, child_of);
  }

  // One child per part of groups that do not differ (merge.hpp).
  void merged() {
    const bool ordered = column.kind == Kind::ordered;
    const bool many = groups.size() > most_merging_parts;
    const Parts parts =
        merge_groups(node, groups, rules, ordered, many ? alike(ordered) : std::vector<uint32_t>{});
    found.approximate = parts.approximate;
    if (parts.n < 2) return;
    found.log_ways = log_ways_merged(static_cast<int64_t>(groups.size()),
                                     static_cast<int64_t>(parts.n), ordered, groups.missing);
    const auto k = static_cast<size_t>(node.k);
    std::vector<double> s(parts.n * k, 0.0), weight(parts.n, 0.0);
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t c = 0; c < k; ++c) s[parts.part_of[g] * k + c] += groups.stats(g)[c];
      weight[parts.part_of[g]] += groups.weight[g];
    }
    std::vector<const double*> child(parts.n);
    for (size_t i = 0; i < parts.n; ++i) child[i] = &s[i * k];
    write_branches(judge(child, weight), parts.n, parts.part_of);
  }

 private:
  // The groups such that neighbours are alike.
  std::vector<uint32_t> alike(bool ordered) const {
    if (!ordered) return node.k == 2 ? order_by_share() : order_by_component();
    std::vector<uint32_t> order(groups.size());
    std::iota(order.begin(), order.end(), 0u);
    return order;
  }
  double judge(const std::vector<const double*>& child, const std::vector<double>& weight) const {
    return criterion.many(node, child.data(), weight.data(), static_cast<int32_t>(child.size()));
  }
  bool enough(const std::vector<uint32_t>& rows) const {
    return std::count_if(rows.begin(), rows.end(),
                         [&](uint32_t r) { return r >= rules.min_rows_leaf; }) >= 2;
  }
  // Writes a split into m children down; `child_of` says of each group where it goes.
  void write_branches(double gain, size_t m, const std::vector<uint32_t>& child_of) {
    found.any = true;
    found.gain = gain;
    found.kind = SplitKind::branches;
    found.n_children = static_cast<int32_t>(m);
    found.child_weight.assign(m, 0.0);
    for (size_t g = 0; g < groups.size(); ++g) {
      found.child_weight[child_of[g]] += groups.weight[g];
      if (groups.level[g] < 0) continue;
      found.levels.push_back(groups.level[g]);
      found.level_child.push_back(static_cast<int16_t>(child_of[g]));
    }
    found.missing_to =
        groups.missing ? static_cast<int16_t>(child_of.back()) : heaviest(found.child_weight);
  }
  std::vector<uint32_t> sorted_by(const std::vector<double>& key) const {
    std::vector<uint32_t> order(groups.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return key[a] < key[b]; });
    return order;
  }
  void add(std::vector<double>& to, const double* s, double sign = 1.0) const {
    for (int32_t c = 0; c < node.k; ++c) to[static_cast<size_t>(c)] += sign * s[c];
  }
};

}  // namespace

void search_levels(const Criterion& criterion, const Parent& node, const Groups& groups,
                   const Rules& rules, const Column& column, Found& found) {
  if (groups.size() < 2) return;
  Search search{criterion, node, groups, rules, column, groups.n, found};
  switch (rules.categories) {
    case Categories::subset: return search.subset();
    case Categories::one_vs_rest: return search.one_vs_rest();
    case Categories::branches: return search.branches();
    case Categories::merged: return search.merged();
  }
}

}  // namespace bough
