// Levels that do not differ go together (Kass 1980): the groups of a column → parts of groups.
//
//   groups:   a    b    c    d   (missing)     each with its class weights
//   part_of:  0    1    0    1    2            → children {a, c}, {b, d}, {missing}
//
// Again and again the two parts that differ least (the largest p of their χ²) become one, while
// that p is above merge_p and more than two are left. Category columns: any two; ordered columns:
// neighbours, but missing cells may join any. Then parts of too few rows join the one they differ
// least from. Where several do equally well, the earlier pair in the order of the levels.
#pragma once

#include <cstdint>
#include <vector>

#include "groups.hpp"
#include "search.hpp"

namespace bough {

// Two parts that were compared as the most alike, named by their first groups.
struct Meeting {
  enum Outcome : uint8_t { alike, few_rows, differ };
  uint32_t one, other;
  double log_p;
  Outcome outcome;  // the first two: they became one
};

struct Parts {
  std::vector<uint32_t> part_of;  // per group; parts stand in the order of their first group
  size_t n = 0;                   // 1: nothing is left to tell apart
  bool approximate = false;       // many groups: it began with some of them together
  std::vector<Meeting> meetings;  // how it came about, for lessons
};

// Groups beyond this number are put together before any pair is compared: each of so many stretches
// of equal weight of `order` is one.
constexpr size_t most_merging_parts = 128;

// `order`: the groups such that neighbours are alike; looked at only when there are many. Classes
// only.
Parts merge_groups(const Parent& node, const Groups& groups, const Rules& rules, bool ordered,
                   const std::vector<uint32_t>& order);

}  // namespace bough
