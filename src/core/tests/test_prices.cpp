#include "../prices.hpp"

#include <cmath>

#include "check.hpp"

namespace bough::test {
namespace {

void the_rules_by_hand() {
  CHECK_SAME(weigh(CostRule::norton, 0.5, 4).figure, 0.125);    // 0.5 / 4
  CHECK_SAME(weigh(CostRule::tan, 0.5, 4).figure, 0.0625);      // 0.25 / 4
  CHECK_NEAR(weigh(CostRule::nunez, 1, 4).figure, 0.2, 1e-15);  // (2 − 1) / 5
  CHECK_NEAR(weigh(CostRule::nunez, 0.5, 0).figure, std::sqrt(2.0) - 1, 1e-15);
  // A tiny gain keeps its digits: 2^g − 1 is near g · ln 2.
  CHECK_NEAR(weigh(CostRule::nunez, 1e-9, 0).figure / (1e-9 * std::log(2.0)), 1, 1e-9);
  for (const CostRule rule : {CostRule::norton, CostRule::tan, CostRule::nunez})
    CHECK(weigh(rule, 0.5, 4).rank == Weighed::paid);
}

void what_is_free_comes_first_where_a_rule_would_divide_by_zero() {
  for (const CostRule rule : {CostRule::norton, CostRule::tan}) {
    CHECK(better(weigh(rule, 0.01, 0), weigh(rule, 0.9, 1e-300)));
    CHECK(better(weigh(rule, 0.2, 0), weigh(rule, 0.1, 0)));
  }
  CHECK(better(weigh(CostRule::nunez, 0.9, 1), weigh(CostRule::nunez, 0.01, 0)));
}

void of_columns_that_gain_nothing_the_cheapest_is_best() {
  for (const CostRule rule : {CostRule::norton, CostRule::tan, CostRule::nunez}) {
    CHECK(better(weigh(rule, 0, 0), weigh(rule, 1e-13, 1)));
    CHECK(better(weigh(rule, -0.5, 1), weigh(rule, 0, 2)));
    CHECK(better(weigh(rule, 1e-9, 1e9), weigh(rule, 0, 0)));
    CHECK(as_good(weigh(rule, 0, 0), weigh(rule, 1e-14, 0)));
    CHECK(as_good(weigh(rule, nan, 3), weigh(rule, 0, 3)));
  }
}

void figures_that_differ_by_rounding_tie() {
  const Weighed one = weigh(CostRule::tan, 0.3, 7);
  CHECK(as_good(weigh(CostRule::tan, 0.3 * (1 - 1e-13), 7), one));
  CHECK(!as_good(weigh(CostRule::tan, 0.3 * (1 - 1e-8), 7), one));
  CHECK(std::isfinite(weigh(CostRule::nunez, 65'000, 0).figure));  // χ² of very many classes
}

// Columns 0, 1 and 3 are bought together for 5; column 2 stands alone.
const TestCosts some = {CostRule::norton, {1, 2, 4, 0}, {0, 0, -1, 0}, {5}};

void a_group_is_paid_once() {
  const Prices root = first_prices(some);
  CHECK((*root == std::vector<double>{6, 7, 4, 5}));
  const Prices below = prices_below(some, root, 1);
  CHECK((*below == std::vector<double>{1, 0, 4, 0}));
  CHECK((*prices_below(some, below, 0) == std::vector<double>{0, 0, 4, 0}));
  CHECK((*prices_below(some, root, 2) == std::vector<double>{6, 7, 0, 5}));
  CHECK((*root == std::vector<double>{6, 7, 4, 5}));  // the sibling of a path has its own
}

void prices_are_shared_while_they_stay() {
  const Prices below = prices_below(some, first_prices(some), 3);
  CHECK(prices_below(some, below, 3) == below);
  CHECK(first_prices({}) == nullptr && prices_below({}, nullptr, 3) == nullptr);
}

constexpr Test tests[] = {
    {"prices: the rules by hand", &the_rules_by_hand},
    {"prices: free comes first", &what_is_free_comes_first_where_a_rule_would_divide_by_zero},
    {"prices: nothing gained, the cheapest", &of_columns_that_gain_nothing_the_cheapest_is_best},
    {"prices: rounding ties", &figures_that_differ_by_rounding_tie},
    {"prices: a group is paid once", &a_group_is_paid_once},
    {"prices: shared while they stay", &prices_are_shared_while_they_stay},
};

}  // namespace

Suite prices_tests() { return tests; }

}  // namespace bough::test
