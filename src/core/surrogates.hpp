// Surrogates (Breiman et al. 1984): when the cell a split asks for is missing, ask the column that
// sends the known rows most nearly the same way.
#pragma once

#include <vector>

#include "block.hpp"
#include "frontier.hpp"
#include "search.hpp"
#include "stats.hpp"

namespace bough {

// Up to five, the best first; only those that do better than sending every row to the larger side.
// `Block::assign` has sent the rows whose cell is known.
std::vector<Surrogate> find_surrogates(const Problem& problem, const Target& target,
                                       const Block& block, const Growing& node);

// The child a surrogate sends a row to; −1 when its cell is missing, too.
int16_t route_by(const Surrogate& surrogate, const Problem& problem, uint32_t row);

}  // namespace bough
