// The frontier: take a node, find its best split, part its rows, push its children.
#pragma once

#include "parallel.hpp"
#include "types.hpp"

namespace bough {

// Grows the tree of a problem. Checks the problem (InputError) and stops when told to
// (Interrupted).
Grown grow(const Problem& problem, Control& control);

}  // namespace bough
