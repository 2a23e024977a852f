// From growing nodes to the finished arrays.
#pragma once

#include <vector>

#include "frontier.hpp"
#include "stats.hpp"
#include "types.hpp"

namespace bough {

// Numbers the nodes level by level from the root, left to right, whatever order and thread made
// them, and lays them out as arrays.
Grown finish(const std::vector<NodeList>& lists, const Target& target);

}  // namespace bough
