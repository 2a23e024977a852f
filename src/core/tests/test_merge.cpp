// Merging of levels, and in how many ways levels can be put into groups.
#include "../merge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../ways.hpp"
#include "check.hpp"

namespace bough::test {
namespace {

// ---- ways
// ----------------------------------------------------------------------------------------

// Calls job(group of every level, number of groups) with every way to group c levels.
template <class Job>
void each_grouping(std::vector<int>& group, size_t at, int groups, Job job) {
  if (at == group.size()) return job(group, groups);
  for (int g = 0; g <= groups; ++g) {
    group[at] = g;
    each_grouping(group, at + 1, std::max(groups, g + 1), job);
  }
}

// Neighbours only: the numbers of the groups never fall, but for the last level, if it floats.
bool in_order(std::vector<int> group, bool last_floats) {
  if (last_floats) group.pop_back();
  return std::is_sorted(group.begin(), group.end());
}

void ways_are_as_many_as_there_are() {
  for (int c = 2; c <= 8; ++c) {
    std::vector<double> free(static_cast<size_t>(c) + 1), ordered(free), floating(free);
    std::vector<int> group(static_cast<size_t>(c));
    each_grouping(group, 0, 0, [&](const std::vector<int>& one, int groups) {
      const auto r = static_cast<size_t>(groups);
      free[r] += 1;
      ordered[r] += in_order(one, false);
      floating[r] += in_order(one, true);
    });
    for (int r = 2; r <= c; ++r) {
      const auto at = static_cast<size_t>(r);
      CHECK_NEAR(std::exp(log_ways_free(c, r)), free[at], 1e-12 * free[at]);
      CHECK_NEAR(std::exp(log_ways_ordered(c, r)), ordered[at], 1e-12 * ordered[at]);
      CHECK_NEAR(std::exp(log_ways_floating(c, r)), floating[at], 1e-12 * floating[at]);
    }
  }
}

// S(c, 2) = 2^(c−1) − 1, S(c, 3) = (3^(c−1) − 2^c + 1) / 2; both soon pass what a double holds.
void ways_of_very_many_levels() {
  for (int64_t c : {60, 500, 5'000, 100'000}) {
    const auto levels = static_cast<double>(c);
    CHECK_NEAR(log_ways_free(c, 2), (levels - 1) * std::log(2), 1e-12 * levels);
    CHECK_NEAR(log_ways_free(c, 3), (levels - 1) * std::log(3) - std::log(2), 1e-11 * levels);
    CHECK_NEAR(log_ways_ordered(c, 2), std::log(levels - 1), 1e-12);
    CHECK_NEAR(log_ways_floating(c, 2), std::log(2 * (levels - 2) + 1), 1e-12);
  }
  CHECK(std::isfinite(log_ways_free(100'000, 128)));
}

// ---- merging
// -------------------------------------------------------------------------------------

Groups two_classes(std::initializer_list<std::pair<double, double>> counts, bool missing = false) {
  Groups groups;
  groups.k = 2;
  groups.missing = missing;
  for (const auto& [no, yes] : counts) {
    const bool last = groups.size() + 1 == counts.size();
    double* s = groups.push(missing && last ? -1 : static_cast<int32_t>(groups.size()));
    s[0] = no, s[1] = yes;
    groups.weight.back() = no + yes;
    groups.rows.back() = static_cast<uint32_t>(no + yes);
    groups.n += groups.rows.back();
  }
  return groups;
}

using PartOf = std::vector<uint32_t>;

Parts merged(const Groups& groups, bool ordered, Rules rules = {1, Categories::merged}) {
  std::vector<double> sums(2, 0.0);
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t c = 0; c < 2; ++c) sums[c] += groups.stats(g)[c];
  std::vector<uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0u);
  return merge_groups({sums.data(), 2, sums[0] + sums[1], 0.5}, groups, rules, ordered, order);
}

// a 8:2, b 7:3, c 2:8. χ² of a and b is 20·(8·3 − 2·7)² / (10·10·15·5) = 0.27, p = 0.61; of a and c
// 7.2, p = 0.007; of b and c 5.05, p = 0.025.
void the_two_that_differ_least_go_together() {
  const Groups groups = two_classes({{8, 2}, {7, 3}, {2, 8}});
  CHECK(merged(groups, false).part_of == PartOf({0, 0, 1}));
  CHECK(merged(groups, true).part_of == PartOf({0, 0, 1}));
  // p = 0.61 is not above 0.7, so all three stay; nothing is above 1; all are above 0, but two stay
  CHECK(merged(groups, false, {1, Categories::merged, 0.7}).n == 3);
  CHECK(merged(groups, false, {1, Categories::merged, 1}).n == 3);
  CHECK(merged(groups, false, {1, Categories::merged, 0}).part_of == PartOf({0, 0, 1}));
}

void only_neighbours_of_an_ordered_column() {
  const Groups groups = two_classes({{8, 2}, {2, 8}, {8, 2}});
  CHECK(merged(groups, false).part_of == PartOf({0, 1, 0}));
  CHECK(merged(groups, true).part_of == PartOf({0, 1, 2}));
  const Groups lost = two_classes({{8, 2}, {2, 8}, {8, 2}, {2, 8}}, true);
  CHECK(merged(lost, true).part_of == PartOf({0, 1, 2, 1}));  // missing cells join any
}

// Of pairs that are equally alike the first: a and b, not b and c; p = 1 for all.
void ties_go_to_the_first_levels() {
  const Groups groups = two_classes({{4, 4}, {2, 2}, {4, 4}, {1, 9}});
  CHECK(merged(groups, false, {1, Categories::merged, 0.999}).part_of == PartOf({0, 0, 0, 1}));
  const Groups pure = two_classes({{3, 0}, {0, 3}, {5, 0}, {0, 5}});  // one class: nothing differs
  CHECK(merged(pure, false, {1, Categories::merged, 0.999}).part_of == PartOf({0, 1, 0, 1}));
}

void parts_of_few_rows_join_the_nearest() {
  const Groups groups = two_classes({{20, 0}, {0, 20}, {0, 3}});
  CHECK(merged(groups, false, {4, Categories::merged, 1}).part_of == PartOf({0, 1, 1}));
  CHECK(merged(groups, false, {24, Categories::merged, 1}).n == 1);  // nothing is left
}

void weights_count_as_the_caller_wrote_them() {
  const Groups groups = two_classes({{80, 20}, {70, 30}, {20, 80}});
  CHECK(merged(groups, false, {1, Categories::merged, 0.2}).n == 3);      // p of 100 rows each: 0.1
  CHECK(merged(groups, false, {1, Categories::merged, 0.2, 10}).n == 2);  // in tenths: 0.61
}

void very_many_levels_begin_in_stretches() {
  Groups groups;
  groups.k = 2;
  for (int32_t level = 0; level < 1000; ++level) {
    double* s = groups.push(level);
    s[0] = level, s[1] = 1000 - level;
    groups.weight.back() = 1000, groups.rows.back() = 1000, groups.n += 1000;
  }
  const Parts parts = merged(groups, true, {1, Categories::merged, 1});
  CHECK(parts.approximate);
  CHECK_SAME(parts.n, most_merging_parts);
  CHECK(std::is_sorted(parts.part_of.begin(), parts.part_of.end()));
  CHECK(!merged(two_classes({{1, 2}, {2, 1}}), true).approximate);
}

constexpr Test tests[] = {
    {"merge: ways are as many as there are", &ways_are_as_many_as_there_are},
    {"merge: ways of very many levels", &ways_of_very_many_levels},
    {"merge: the two that differ least go together", &the_two_that_differ_least_go_together},
    {"merge: only neighbours of an ordered column", &only_neighbours_of_an_ordered_column},
    {"merge: ties go to the first levels", &ties_go_to_the_first_levels},
    {"merge: parts of few rows join the nearest", &parts_of_few_rows_join_the_nearest},
    {"merge: weights count as the caller wrote them", &weights_count_as_the_caller_wrote_them},
    {"merge: very many levels begin in stretches", &very_many_levels_begin_in_stretches},
};

}  // namespace

Suite merge_tests() { return tests; }

}  // namespace bough::test
