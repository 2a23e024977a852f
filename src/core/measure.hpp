// What the rows of a node say about the target: its stats, impurity, mean and deviation.
#pragma once

#include "criteria/registry.hpp"
#include "frontier.hpp"
#include "stats.hpp"

namespace bough {

// Adds the rows of a segment to `sums` and `weight`.
void add_up(const Target& target, const Segment& segment, double* sums, double& weight);

// Fills in what `node` holds of its rows; the k stats go to `sums`. Large nodes use all threads.
void measure(const Criterion& criterion, const Target& target, const double* costs,
             const Segment& segment, Pool* pool, Growing& node, double* sums);

}  // namespace bough
