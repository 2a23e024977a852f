// Fractional missing cells (Quinlan 1993): a row whose cell is missing goes down every branch, in
// each with the share of its weight that the known rows have there.
//
// Such a row becomes pieces: numbers from n_rows up, each with a row of the table behind it and a
// weight of its own. Weights stay whole numbers (stats.hpp), so pieces add up to their row exactly.
// Ranges cannot hold more rows than their parent's, so every node has order lists of its own.
#pragma once

#include <memory>
#include <vector>

#include "block.hpp"
#include "frontier.hpp"
#include "stats.hpp"

namespace bough {

// The blocks of a node's children, one per child that rows can reach. Adds the pieces to `target`
// and `piece_row`.
std::vector<std::shared_ptr<Block>> share_out(const std::vector<Column>& columns,
                                              const Block& block, const Growing& node,
                                              Target& target, std::vector<uint32_t>& piece_row);

}  // namespace bough
