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
constexpr uint32_t row_of = 0x7fffffffu;     // the rest of an entry: a row, or a piece of one

class Target;
struct Segment {
  const uint32_t* entry = nullptr;
  uint32_t n = 0;      // rows of the node
  uint32_t known = 0;  // those whose cell is not missing; the missing ones come last
  const Column* column = nullptr;
  const uint32_t* rows = nullptr;  // rows of the table, where entries have numbers of their own
  const Target* target = nullptr;  // of the rows as entries number them

  // The row of the table behind an entry, where its cells are.
  uint32_t table_row(uint32_t e) const { return rows ? rows[e & row_of] : e & row_of; }
};

// What splits are legal.
struct Rules {
  uint32_t min_rows_leaf;
  Categories categories;
  double merge_p = 0.05;    // see Options
  double weight_scale = 1;  // a weight of the caller is ours divided by this
};

// Another column that sends rows nearly where the split does; it stands in when the split's own
// cell is missing. Two sides only.
struct Surrogate {
  int32_t column;
  double threshold;  // NaN: by level
  bool flipped;      // the low side goes to child 1
  std::vector<int32_t> levels;
  std::vector<int16_t> level_child;
  double agreement;  // share of the weight it sends the right way, among rows that know both
};

// The best split of one column at one node. No gain: no legal split.
struct Found {
  bool any = false;
  double gain = 0;
  double information = 0;  // split information; filled in where it is asked for
  double log_ways = 0;     // ln of how many candidates the column had (ways.hpp)
  SplitKind kind = SplitKind::threshold;
  uint32_t cut = 0;  // threshold: known rows that go to child 0; all of them: known | missing
  // Large nodes: the last bin that has rows in child 0, the last step inside it (codes.hpp), and
  // the values on both sides of the cut; NaN: nobody has looked.
  int32_t bin = -1;
  uint8_t fine = 255;
  double below = nan, above = nan;
  double threshold = nan;  // written for splits that are kept
  int16_t missing_to = 0;
  int16_t unseen_to = -1;
  int32_t n_children = 2;
  std::vector<double> child_weight;
  std::vector<int32_t> levels;       // levels present, rising
  std::vector<int16_t> level_child;  // and their children
  double unknown_weight = 0;         // of rows left out of the search, their cell missing
  std::vector<Surrogate> surrogates;
  bool approximate = false;  // many levels and classes: searched along one order
};

// Reused buffers, one set per thread.
struct Scratch {
  std::vector<double> left, missing, side;
};

struct Criterion;

// The best threshold, by scanning the segment once (search_threshold.hpp, one copy per criterion).
using ThresholdSearch = void (*)(const Parent&, const Target&, const Segment&, const Rules&,
                                 Scratch&, Found&);

// The best split of a category column (search_levels.cpp), from its rows by level (groups.hpp).
struct Groups;
void search_levels(const Criterion& criterion, const Parent& node, const Groups& groups,
                   const Rules& rules, const Column& column, Found& found);

// The child of largest weight, the first of them on a tie: where cells go that training never saw.
inline int16_t heaviest(const std::vector<double>& weight) {
  size_t best = 0;
  for (size_t i = 1; i < weight.size(); ++i)
    if (weight[i] > weight[best]) best = i;
  return static_cast<int16_t>(best);
}

}  // namespace bough
