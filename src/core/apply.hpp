// Many rows → the leaf each one reaches.
#pragma once

#include <vector>

#include "route.hpp"
#include "types.hpp"

namespace bough {

// Writes the number of the leaf of every row to `leaf`. Checks the tree first: a child, column or
// level out of range is an InputError, never a wild read. `start`: the node every row starts at;
// null for the root.
void apply(const TreeView& tree, const std::vector<Column>& columns, size_t n_rows, int threads,
           const int32_t* start, int32_t* leaf);

}  // namespace bough
