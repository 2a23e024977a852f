// The only core code that sends a row to a child.
#pragma once

#include <algorithm>

#include "types.hpp"

namespace bough {

// A finished tree as the caller's arrays; nothing is owned. Checked once, in apply.cpp.
struct TreeView {
  size_t n_nodes = 0;
  size_t n_columns = 0;
  bool strict = false;
  const int32_t *first_child = nullptr, *n_children = nullptr, *column = nullptr;
  const uint8_t* split_kind = nullptr;
  const double* threshold = nullptr;
  const int64_t* levels_at = nullptr;
  const int32_t* levels = nullptr;
  const int16_t *level_child = nullptr, *unseen_to = nullptr, *missing_to = nullptr;
};

inline int32_t route_number(double value, double threshold, bool strict, int32_t missing_to) {
  if (value != value) return missing_to;
  return (strict ? value < threshold : value <= threshold) ? 0 : 1;
}

inline int32_t route_level(const TreeView& tree, size_t node, int32_t code) {
  if (code < 0) return tree.missing_to[node];  // missing, or not in the schema
  const int32_t* begin = tree.levels + tree.levels_at[node];
  const int32_t* end = tree.levels + tree.levels_at[node + 1];
  const int32_t* at = std::lower_bound(begin, end, code);
  if (at != end && *at == code) return tree.level_child[at - tree.levels];
  return tree.unseen_to[node] >= 0 ? tree.unseen_to[node] : tree.missing_to[node];
}

}  // namespace bough
