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
  // surrogates; null when no node has any
  const int64_t *surrogate_at = nullptr, *surrogate_levels_at = nullptr;
  const int32_t *surrogate_column = nullptr, *surrogate_levels = nullptr;
  const double* surrogate_threshold = nullptr;
  const uint8_t* surrogate_flipped = nullptr;
  const int16_t* surrogate_level_child = nullptr;
  int64_t n_surrogates = 0, n_surrogate_levels = 0;
};

inline int32_t route_number(double value, double threshold, bool strict, int32_t missing_to) {
  if (value != value) return missing_to;
  return (strict ? value < threshold : value <= threshold) ? 0 : 1;
}

// Surrogates say −1 when they cannot tell, either.
inline int16_t route_threshold_surrogate(double value, double threshold, bool strict,
                                         bool flipped) {
  const int32_t side = route_number(value, threshold, strict, -1);
  return static_cast<int16_t>(side < 0 ? -1 : flipped ? 1 - side : side);
}
inline int16_t route_level_surrogate(int32_t code, const int32_t* begin, const int32_t* end,
                                     const int16_t* child) {
  const int32_t* at = code < 0 ? end : std::lower_bound(begin, end, code);
  return at != end && *at == code ? child[at - begin] : int16_t{-1};
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
