#include "grow.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "criteria/cost_gini.hpp"
#include "criteria/significance.hpp"
#include "encode.hpp"
#include "finish.hpp"
#include "grower.hpp"

namespace bough {

namespace {

// Order lists are the quicker way for tables of few rows.
constexpr int64_t usual_block_rows = 2048;

void check_cost(double cost, const char* of, size_t place) {
  if (!(cost >= 0 && std::isfinite(cost)))
    throw InputError(std::string(of) + " " + std::to_string(place) + ": the cost is out of range");
}

void check(const TestCosts& costs, size_t n_columns) {
  if (costs.cost.empty() && costs.group.empty() && costs.group_cost.empty()) return;
  if (costs.cost.size() != n_columns || costs.group.size() != n_columns)
    throw InputError("test costs of another number of columns");
  for (size_t g = 0; g < costs.group_cost.size(); ++g) check_cost(costs.group_cost[g], "group", g);
  for (size_t c = 0; c < n_columns; ++c) {
    check_cost(costs.cost[c], "column", c);
    if (costs.group[c] < -1 || costs.group[c] >= static_cast<int64_t>(costs.group_cost.size()))
      throw InputError("column " + std::to_string(c) + ": there is no such group");
  }
}

void check(const Problem& problem) {
  if (problem.n_rows == 0) throw InputError("no rows");
  if (problem.n_rows > row_of) throw InputError("more than 2147483647 rows");
  if (problem.columns.empty()) throw InputError("no columns");
  if (problem.n_classes > 65'535) throw InputError("more than 65535 classes");
  const Options& o = problem.options;
  if (o.most_bins < 1 || o.most_bins > 254) throw InputError("bins must be 1 to 254");
  if (o.block_rows < -1 || o.shared_cells < 0 || o.most_waiting < 0)
    throw InputError("a limit of the search is negative");
  for (size_t c = 0; c < problem.columns.size(); ++c)
    if (problem.columns[c].n_levels < 0)
      throw InputError("column " + std::to_string(c) + ": a negative number of levels");
  const auto shared_out =
      std::count_if(problem.columns.begin(), problem.columns.end(),
                    [](const Column& column) { return column.missing == Missing::fractional; });
  if (shared_out > 0 && static_cast<size_t>(shared_out) < problem.columns.size())
    throw InputError("rows are shared out by all columns or by none");
  check(problem.test_costs, problem.columns.size());
  const bool regression = problem.n_classes == 0;
  if (criteria[problem.options.criterion].name == CostGini::name && !problem.costs)
    throw InputError("cost_gini needs costs");
  if (problem.codes && !problem.codes->fits(problem.columns, problem.n_rows))
    throw InputError("the codes are those of other columns or rows");
  if (criteria[problem.options.criterion].regression != regression)
    throw InputError("the criterion does not fit the target");
  if (problem.options.categories == Categories::merged && regression)
    throw InputError("levels are merged by their classes, and the target has none");
  for (size_t i = 0; i < problem.n_rows; ++i) {
    if (problem.weights && !(problem.weights[i] >= 0 && std::isfinite(problem.weights[i])))
      throw InputError("row " + std::to_string(i) + ": the weight is negative or not a number");
    if (regression ? !std::isfinite(problem.numbers[i])
                   : problem.classes[i] < 0 || problem.classes[i] >= problem.n_classes)
      throw InputError("row " + std::to_string(i) + ": the target is out of range");
  }
}

BigVector<uint32_t> rows_with_weight(const Problem& problem, const Target& target) {
  BigVector<uint32_t> rows;
  rows.reserve(problem.n_rows);
  for (size_t i = 0; i < problem.n_rows; ++i)
    if (target.weight(static_cast<uint32_t>(i)) > 0) rows.push_back(static_cast<uint32_t>(i));
  if (rows.empty()) throw InputError("all weights are zero");
  return rows;
}

// Will rows be shared out among branches?
bool in_pieces(const Problem& problem, const BigVector<uint32_t>& rows) {
  return std::any_of(problem.columns.begin(), problem.columns.end(), [&](const Column& column) {
    return column.missing == Missing::fractional &&
           std::any_of(rows.begin(), rows.end(), [&](uint32_t row) {
             const double value = column.number(row);
             return value != value;
           });
  });
}

// Merged levels and the number of candidates a column has are read off order lists.
int64_t block_rows_of(const Problem& problem) {
  const Options& options = problem.options;
  if (options.categories == Categories::merged ||
      criteria[options.criterion].name == Significance::name)
    return row_of;
  return options.block_rows < 0 ? usual_block_rows : options.block_rows;
}

std::vector<NodeList> grow_lists(const Problem& problem, Target& target, bool pieces,
                                 BigVector<uint32_t> rows, Control& control, Tally& tally) {
  const int64_t block_rows = block_rows_of(problem);
  const uint64_t cells = static_cast<uint64_t>(rows.size()) * problem.columns.size();
  // Pieces of rows are made one after the other, so that their numbers do not depend on threads.
  const bool many = cells > static_cast<uint64_t>(problem.options.shared_cells) / 4;
  Pool pool(many && !pieces ? problem.options.threads : 1, &control);
  Grower grower(problem, target, pool, control, block_rows);
  if (!pieces && static_cast<int64_t>(rows.size()) > block_rows)
    return grower.run(std::make_unique<Large>(problem, target, std::move(rows), pool), tally);
  const auto block = std::make_shared<Block>(problem.columns, encode(problem.columns, rows, pool),
                                             problem.n_rows, target);
  return grower.run(block, pieces, tally);
}

}  // namespace

Grown grow(const Problem& problem, Control& control) {
  check(problem);
  Target target(problem);
  BigVector<uint32_t> rows = rows_with_weight(problem, target);
  const bool pieces = in_pieces(problem, rows);
  if (pieces) {
    target = Target(problem, true);
    rows = rows_with_weight(problem, target);
  }
  Tally tally;
  const std::vector<NodeList> lists =
      grow_lists(problem, target, pieces, std::move(rows), control, tally);
  Grown grown = finish(lists, target);
  grown.ordered_subsets = tally.ordered_subsets;
  for (size_t c = 0; c < problem.columns.size(); ++c)
    if (too_many_levels(problem, c)) grown.too_many_levels.push_back(static_cast<int32_t>(c));
  return grown;
}

}  // namespace bough
