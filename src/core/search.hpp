// What the searches read and what they find.
//
// A column's rows at a node are a segment of its order list (encode.hpp):
//
//   entry:   [ row | row | row* | row* | row | … | row*  row ]      * = a new value begins here
//              └── one value ──┘                     └ missing ┘
//              0                                     known       n
#pragma once

#include <cstdint>
#include <vector>

#include "criteria/criterion.hpp"
#include "stats.hpp"
#include "types.hpp"

namespace bough {

constexpr uint32_t new_value = 0x80000000u;  // flag in an entry: differs from the entry before
constexpr uint32_t row_of = 0x7fffffffu;     // the rest of an entry

struct Segment {
  const uint32_t* entry = nullptr;
  uint32_t n = 0;      // rows of the node
  uint32_t known = 0;  // those whose cell is not missing; the missing ones come last
  const Column* column = nullptr;
};

// What splits are legal.
struct Rules {
  uint32_t min_rows_leaf;
  Missing missing;
  Categories categories;
};

// The best split of one column at one node. No gain: no legal split.
struct Found {
  bool any = false;
  double gain = 0;
  double information = 0;  // split information; filled in where it is asked for
  SplitKind kind = SplitKind::threshold;
  uint32_t cut = 0;  // threshold: known rows that go to child 0; all of them: known | missing
  int16_t missing_to = 0;
  int16_t unseen_to = -1;
  int32_t n_children = 2;
  std::vector<double> child_weight;
  std::vector<int32_t> levels;       // levels present, rising
  std::vector<int16_t> level_child;  // and their children
  bool approximate = false;          // many levels and classes: searched along one order
};

// Reused buffers, one set per thread.
struct Scratch {
  std::vector<double> left, missing, side;
};

struct Criterion;

// The best threshold, by scanning the segment once (search_threshold.hpp, one copy per criterion).
using ThresholdSearch = void (*)(const Parent&, const Target&, const Segment&, const Rules&,
                                 Scratch&, Found&);

// The best split of a category column (search_levels.cpp).
void search_levels(const Criterion& criterion, const Parent& node, const Target& target,
                   const Segment& segment, const Rules& rules, Scratch& scratch, Found& found);

// The child of largest weight, the first of them on a tie: where cells go that training never saw.
inline int16_t heaviest(const std::vector<double>& weight) {
  size_t best = 0;
  for (size_t i = 1; i < weight.size(); ++i)
    if (weight[i] > weight[best]) best = i;
  return static_cast<int16_t>(best);
}

}  // namespace bough
