// The rows of a node, put together by the level of one column; missing cells are the last group.
//
//   level:  2   5   9   −1        rows, weight, s: one entry (of k) per group
#pragma once

#include <cstdint>
#include <vector>

#include "histogram.hpp"
#include "search.hpp"
#include "stats.hpp"

namespace bough {

struct Groups {
  int32_t k = 0;
  uint32_t n = 0;  // rows in all
  std::vector<int32_t> level;
  std::vector<uint32_t> rows;
  std::vector<double> weight, s;
  bool missing = false;

  size_t size() const { return level.size(); }
  const double* stats(size_t g) const { return &s[g * static_cast<size_t>(k)]; }
  double* push(int32_t of_level) {
    level.push_back(of_level);
    rows.push_back(0);
    weight.push_back(0);
    s.resize(s.size() + static_cast<size_t>(k), 0.0);
    return &s[s.size() - static_cast<size_t>(k)];
  }
};

// From sorted rows, from a histogram, or (levels without codes) by counting rows.
Groups groups_of(const Target& target, const Segment& segment);
Groups groups_of(const Target& target, const Histogram& histogram, const CodedColumn& coded,
                 bool known_only);
Groups groups_of(const Target& target, const Column& column, const uint32_t* rows, uint32_t n,
                 bool known_only);

}  // namespace bough
