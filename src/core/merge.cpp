#include "merge.hpp"

#include <algorithm>
#include <cmath>

#include "best.hpp"
#include "criteria/significance.hpp"

namespace bough {

namespace {

class Merging {
 public:
  Merging(const Parent& node, const Groups& groups, const Rules& rules, bool ordered)
      : groups_(groups),
        rules_(rules),
        k_(static_cast<size_t>(node.k)),
        tolerance_(1e-12 * std::max(1.0, node.weight / rules.weight_scale)),
        both_(k_) {
    floating_ = ordered && groups.missing;
    ordered_ = ordered;
  }

  // A part for every list of groups; lists stand in the order of their first group.
  void start(const std::vector<std::vector<uint32_t>>& lists) {
    for (const auto& list : lists) {
      Part part{list, std::vector<double>(k_, 0.0), 0, 0};
      for (uint32_t g : list) {
        for (size_t c = 0; c < k_; ++c) part.s[c] += groups_.stats(g)[c];
        part.weight += groups_.weight[g];
        part.rows += groups_.rows[g];
      }
      parts_.push_back(std::move(part));
      alive_.push_back(alive_.size());
    }
    log_p_.assign(parts_.size() * parts_.size(), nan);
  }

  void merge_alike() {
    const double least = std::log(rules_.merge_p);
    while (alive_.size() > 2) {
      Best<Pair> best(tolerance_);
      each_pair([&](size_t i, size_t j) { best.offer(log_p(alive_[i], alive_[j]), {i, j}); });
      const bool alike = best.gain() > least;
      meet(best, alike ? Meeting::alike : Meeting::differ);
      if (!alike) return;
    }
  }

  void merge_small() {
    while (alive_.size() > 1) {
      size_t small = 0;
      for (size_t i = 1; i < alive_.size(); ++i)
        if (at(i).rows < at(small).rows) small = i;
      if (at(small).rows >= rules_.min_rows_leaf) return;
      Best<Pair> best(tolerance_);
      each_pair([&](size_t i, size_t j) {
        if (i == small || j == small) best.offer(log_p(alive_[i], alive_[j]), {i, j});
      });
      meet(best, Meeting::few_rows);
    }
  }

  Parts written() const {
    Parts parts{std::vector<uint32_t>(groups_.size()), alive_.size(), false, meetings_};
    for (size_t i = 0; i < alive_.size(); ++i)
      for (uint32_t g : at(i).groups) parts.part_of[g] = static_cast<uint32_t>(i);
    return parts;
  }

 private:
  struct Part {
    std::vector<uint32_t> groups;
    std::vector<double> s;
    double weight;
    uint32_t rows;
  };
  struct Pair {
    size_t i, j;  // places in alive_, i < j
  };

  const Groups& groups_;
  const Rules& rules_;
  const size_t k_;
  const double tolerance_;
  bool ordered_, floating_;
  std::vector<Part> parts_;
  std::vector<size_t> alive_;  // parts that are left, in the order of their first group
  std::vector<double> log_p_;  // of every pair of parts, NaN: not yet known
  std::vector<double> both_;
  std::vector<Meeting> meetings_;

  const Part& at(size_t i) const { return parts_[alive_[i]]; }

  // Missing cells of an ordered column, as long as they are alone: they have no neighbours.
  bool floats(size_t i) const {
    return floating_ && at(i).groups.size() == 1 && at(i).groups[0] + 1 == groups_.size();
  }

  // Every pair that may become one, in the order of the levels.
  template <class Job>
  void each_pair(Job job) const {
    for (size_t i = 0; i + 1 < alive_.size(); ++i)
      for (size_t j = i + 1; j < alive_.size(); ++j)
        if (!ordered_ || j == i + 1 || floats(j)) job(i, j);
  }

  // ln p of the table of two parts × classes. A χ² within the tolerance of 0 is 0.
  double log_p(size_t a, size_t b) {
    double& known = log_p_[a * parts_.size() + b];
    if (known == known) return known;
    const Part &one = parts_[a], &other = parts_[b];
    for (size_t c = 0; c < k_; ++c) both_[c] = one.s[c] + other.s[c];
    const Parent pair{both_.data(), static_cast<int32_t>(k_), one.weight + other.weight, 0};
    const double chi2 = Chi2::two<0>(pair, one.s.data(), one.weight) / rules_.weight_scale;
    return known = chi2 <= tolerance_ ? 0 : chi2_log_p(chi2, chi2_freedom(pair.s, pair.k, 2));
  }

  void meet(const Best<Pair>& best, Meeting::Outcome outcome) {
    const Pair pair = best.first();
    meetings_.push_back({at(pair.i).groups[0], at(pair.j).groups[0], best.gain(), outcome});
    if (outcome != Meeting::differ) merge(pair);
  }

  void merge(Pair pair) {
    Part &one = parts_[alive_[pair.i]], &other = parts_[alive_[pair.j]];
    for (size_t c = 0; c < k_; ++c) one.s[c] += other.s[c];
    one.weight += other.weight;
    one.rows += other.rows;
    one.groups.insert(one.groups.end(), other.groups.begin(), other.groups.end());
    for (size_t other_part = 0; other_part < parts_.size(); ++other_part) {
      log_p_[alive_[pair.i] * parts_.size() + other_part] = nan;
      log_p_[other_part * parts_.size() + alive_[pair.i]] = nan;
    }
    alive_.erase(alive_.begin() + static_cast<ptrdiff_t>(pair.j));
  }
};

// Many groups: neighbours in `order` go together, about the same weight in each list.
std::vector<std::vector<uint32_t>> stretches(const Groups& groups, bool floating,
                                             const std::vector<uint32_t>& order) {
  const size_t n = groups.size() - floating;
  double all = 0, before = 0;
  for (size_t g = 0; g < n; ++g) all += groups.weight[g];
  const size_t most = most_merging_parts - floating;
  std::vector<std::vector<uint32_t>> lists(most);
  for (uint32_t g : order) {
    if (g >= n) continue;
    const double middle = before + groups.weight[g] / 2;
    before += groups.weight[g];
    const auto at = static_cast<size_t>(middle * static_cast<double>(most) / all);
    lists[std::min(at, most - 1)].push_back(g);
  }
  if (floating) lists.push_back({static_cast<uint32_t>(n)});
  std::erase_if(lists, [](const auto& list) { return list.empty(); });
  for (auto& list : lists) std::sort(list.begin(), list.end());
  std::sort(lists.begin(), lists.end());
  return lists;
}

}  // namespace

Parts merge_groups(const Parent& node, const Groups& groups, const Rules& rules, bool ordered,
                   const std::vector<uint32_t>& order) {
  const bool many = groups.size() > most_merging_parts;
  std::vector<std::vector<uint32_t>> lists;
  if (many) lists = stretches(groups, ordered && groups.missing, order);
  else
    for (uint32_t g = 0; g < groups.size(); ++g) lists.push_back({g});
  Merging merging(node, groups, rules, ordered);
  merging.start(lists);
  merging.merge_alike();
  merging.merge_small();
  Parts parts = merging.written();
  parts.approximate = many;
  return parts;
}

}  // namespace bough
