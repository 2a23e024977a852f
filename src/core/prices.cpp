#include "prices.hpp"

#include <algorithm>
#include <cmath>

namespace bough {

Prices first_prices(const TestCosts& costs) {
  if (costs.cost.empty()) return nullptr;
  std::vector<double> price = costs.cost;
  for (size_t c = 0; c < price.size(); ++c)
    if (costs.group[c] >= 0) price[c] += costs.group_cost[static_cast<size_t>(costs.group[c])];
  return std::make_shared<const std::vector<double>>(std::move(price));
}

Prices prices_below(const TestCosts& costs, const Prices& here, int32_t column) {
  if (!here) return nullptr;
  const auto asked = static_cast<size_t>(column);
  const int32_t group = costs.group[asked];
  std::vector<double> price = *here;
  price[asked] = 0;
  for (size_t c = 0; c < price.size() && group >= 0; ++c)
    if (costs.group[c] == group) price[c] = std::min(price[c], costs.cost[c]);
  if (price == *here) return here;
  return std::make_shared<const std::vector<double>>(std::move(price));
}

namespace {

// Gains up to here are rounding; of the tolerance of docs/splits.md, in units of the scale.
constexpr double least_gain = 1e-12;
// χ² in units of its scale reaches the number of classes; 2 to that power must stay finite.
constexpr double most_bits = 1000;
// Weighed gains that differ by a smaller share tie.
constexpr double slack = 1e-9;

}  // namespace

Weighed weigh(CostRule rule, double gain, double price) {
  if (!(gain > least_gain)) return {Weighed::nothing, 1 / price};
  if (rule == CostRule::nunez)
    return {Weighed::paid, std::expm1(std::min(gain, most_bits) * std::log(2.0)) / (price + 1)};
  if (price == 0) return {Weighed::unpaid, gain};
  return {Weighed::paid, (rule == CostRule::tan ? gain * gain : gain) / price};
}

bool better(const Weighed& a, const Weighed& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.figure > b.figure;
}

bool as_good(const Weighed& a, const Weighed& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.figure >= b.figure * (1 - slack);
}

}  // namespace bough
