// Surrogates (Breiman et al. 1984): when the cell a split asks for is missing, ask the column that
// sends the known rows most nearly the same way.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "block.hpp"
#include "frontier.hpp"
#include "search.hpp"
#include "stats.hpp"

namespace bough {

// What the search for surrogates reads of a node whose known rows have been sent.
struct SentRows {
  const Target& target;                        // of the rows as the segments number them
  std::function<Segment(size_t)> segment;      // the node's rows as a column sorts them
  std::function<uint16_t(uint32_t)> child_of;  // of an entry; 2: nowhere yet
  // No surrogate by this column agrees with the split on a larger share; quick where sorting is
  // not.
  std::function<double(size_t)> most_agreement;
};

// Weight sent to child 0 and to child 1.
struct Sides {
  double to[2] = {0, 0};
  double sum() const { return to[0] + to[1]; }
  double larger() const { return std::max(to[0], to[1]); }
};

// Up to five, the best first; only those that do better than sending every row to the larger side.
std::vector<Surrogate> find_surrogates(const Problem& problem, const SentRows& rows,
                                       const Growing& node);

// The child a surrogate sends a row to; −1 when its cell is missing, too.
int16_t route_by(const Surrogate& surrogate, const Problem& problem, uint32_t row);

}  // namespace bough
