// Growing in a test, and what must be true of every tree.
#pragma once

#include "../apply.hpp"
#include "../grow.hpp"
#include "tables.hpp"

namespace bough::test {

Grown grow_tree(const Problem& problem);

TreeView view_of(const Grown& tree, bool strict = false);

std::vector<int32_t> leaves_of(const Grown& tree, const Problem& problem);

// Numbering, sums, ranges, limits; and that the training rows reach the nodes that counted them.
void check_tree(const Grown& tree, const Problem& problem);

}  // namespace bough::test
