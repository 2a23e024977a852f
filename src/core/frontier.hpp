// A node while the tree grows, and the list such nodes live in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "block.hpp"
#include "histogram.hpp"
#include "prices.hpp"
#include "search.hpp"

namespace bough {

struct RunnerUp {
  int32_t column;
  double gain;
  double threshold;  // NaN: split by levels
};

struct Growing {
  int32_t parent = -1;  // place in the same list
  int32_t depth = 0;
  uint32_t begin = 0, end = 0;  // its range there
  double weight = 0, impurity = 0;
  // Regression: mean, sum of squared deviations, smallest and largest target.
  double mean = 0, deviation = 0, lowest = 0, highest = 0;

  // Columns that still have more than one value here; shared with the siblings.
  std::shared_ptr<const std::vector<int32_t>> active;

  // What asking costs here; once the node has its split, what it costs below.
  Prices prices;

  // The split; column −1: a leaf.
  int32_t column = -1;
  Found found;
  double threshold = nan;
  double p_value = nan;
  uint32_t missing_rows = 0;
  int32_t first_child = -1;
  bool tie = false;  // another column would have done as well
  std::vector<RunnerUp> runners_up;

  // Where its rows are: in order lists of a block, or (null) in the row list of the large nodes,
  // counted in a histogram.
  std::shared_ptr<Block> block;
  std::shared_ptr<Histogram> histogram;

  int32_t subtree = -1;  // grown as a list of its own: the number of that list

  uint32_t rows() const { return end - begin; }
};

// Nodes and, k doubles each, their stats.
struct NodeList {
  std::vector<Growing> node;
  std::vector<double> sums;
};

// What happened on the way.
struct Tally {
  int64_t ordered_subsets = 0;
};

}  // namespace bough
