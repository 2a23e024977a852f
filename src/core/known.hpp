// A node without the rows whose cell in a column is missing, for policies that search among the
// others only.
#pragma once

#include <vector>

#include "criteria/registry.hpp"
#include "search.hpp"
#include "stats.hpp"

namespace bough {

struct KnownParent {
  std::vector<double> sums;  // of the known rows; empty if these are all rows of the node
  Parent parent;
};

// `sums` and `weight` are those of the known rows.
KnownParent known_parent(const Parent& whole, std::vector<double> sums, double weight,
                         const Criterion& criterion, const Target& target);

// A gain found among known rows counts for the node by their share of its weight; not so χ², a sum
// over rows, and the gain ratio, which knows of the others.
void weigh_gain(const Criterion& criterion, const Parent& known, const Parent& whole, Found& found);

}  // namespace bough
