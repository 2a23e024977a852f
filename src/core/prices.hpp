// What asking costs at a node, and how gains are weighed against it.
//
// The price of a column is what asking for it costs there: nothing once the path has asked for it;
// else its own cost and, if the path has asked for none of its group, what the group costs.
#pragma once

#include <memory>
#include <vector>

#include "types.hpp"

namespace bough {

// Per column of the problem; null: nobody says what asking costs. Shared by nodes.
using Prices = std::shared_ptr<const std::vector<double>>;

Prices first_prices(const TestCosts& costs);

// The prices once the column has been asked for.
Prices prices_below(const TestCosts& costs, const Prices& here, int32_t column);

// A gain weighed against a price: a higher rank is better, then a higher figure.
struct Weighed {
  enum Rank : uint8_t {
    nothing,  // gains nothing; the cheaper, the better
    paid,     // by the rule
    unpaid,   // costs nothing where the rule would divide by zero; by gain
  };
  Rank rank = nothing;
  double figure = 0;
};

// `gain` in units of the criterion's scale.
Weighed weigh(CostRule rule, double gain, double price);

bool better(const Weighed& a, const Weighed& b);

// Is `a` not worse than `b`, or only by rounding? Gains are differences, and rules magnify what is
// lost in them.
bool as_good(const Weighed& a, const Weighed& b);

}  // namespace bough
