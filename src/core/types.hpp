// The words of the core: what comes in (Problem) and what goes out (Grown).
//
// The core knows no column names and prints nothing: arrays in, arrays out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

namespace bough {

enum class Kind : uint8_t { number, ordered, category };
enum class Cell : uint8_t { f64, f32, i32 };
enum class SplitKind : uint8_t { leaf = 0, threshold = 1, subset = 2, branches = 3 };
// merged: levels that do not differ share a branch (merge.hpp); ordered columns, too.
enum class Categories : uint8_t { subset, branches, one_vs_rest, merged };
// What becomes of a row whose cell is missing at a split: it joins the side that gains more; has a
// branch of its own; goes down all branches with a share of its weight; follows the columns that
// split most alike; stays at the node. The last three search among known cells only.
enum class Missing : uint8_t { learned, own, fractional, surrogate, stop };

constexpr bool known_only(Missing policy) { return policy >= Missing::fractional; }

// missing_to of a split, where it is not a child
constexpr int16_t to_all = -1;   // fractional
constexpr int16_t to_none = -2;  // stop
enum class Style : uint8_t { midpoint, observed, shortest };

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// One column of the table as it lies in memory: any stride, nothing copied.
struct Column {
  const char* data = nullptr;
  ptrdiff_t stride = 0;  // in bytes
  Cell cell = Cell::f64;
  Kind kind = Kind::number;
  int32_t n_levels = 0;  // ordered and category columns
  Missing missing = Missing::learned;

  // The value the tree compares; NaN when missing. Levels are compared by code.
  double number(size_t row) const {
    const char* at = data + static_cast<ptrdiff_t>(row) * stride;
    switch (cell) {
      case Cell::f64: return *reinterpret_cast<const double*>(at);
      case Cell::f32: return *reinterpret_cast<const float*>(at);
      case Cell::i32: break;
    }
    const int32_t level = *reinterpret_cast<const int32_t*>(at);
    return level < 0 ? nan : level;
  }
  // The code of a level; negative when missing or unknown.
  int32_t code(size_t row) const {
    return *reinterpret_cast<const int32_t*>(data + static_cast<ptrdiff_t>(row) * stride);
  }
};

struct Options {
  int criterion = 0;          // place in the registry
  bool ratio_average = true;  // gain ratio only among splits of at least average gain
  Categories categories = Categories::subset;
  Style style = Style::midpoint;
  bool strict = false;  // value < threshold goes to child 0, not value ≤ threshold
  bool zero_gain_split = true;
  bool runners_up = false;
  int32_t max_depth = std::numeric_limits<int32_t>::max();
  int64_t max_leaves = 0;  // 0: no limit
  int64_t min_rows_split = 2;
  int64_t min_rows_leaf = 1;
  double min_gain = 0;
  double min_drop = 0;
  double stop_error = 0;
  double merge_p = 0.05;      // merged: levels differ if p of their χ² is not above this
  double max_adjusted_p = 1;  // significance: the largest p of a split, adjusted
  bool exact = true;          // false: large nodes are cut between bins only
  int threads = 1;

  // How the search goes about it. The tree is the same; tests turn these.
  bool bound = true;        // open only bins that could hold the best cut
  bool subtract = true;     // the largest child's histogram is what its siblings leave
  bool fine_codes = true;   // bins are opened by a second byte of code
  int most_bins = 254;      // of a column; 1 … 254
  int64_t block_rows = -1;  // nodes of at most so many rows are grown from order lists; −1: chosen
  int64_t shared_cells = 200'000;  // nodes of more cells are worked on by all threads together
  int64_t most_waiting = int64_t{256} << 20;  // bytes of histograms that waiting nodes may keep
};

class Codes;

// How a gain is weighed against what asking costs (prices.hpp).
enum class CostRule : uint8_t { norton, tan, nunez };

// What it costs to ask for each column; all empty: nobody says.
struct TestCosts {
  CostRule rule = CostRule::nunez;
  std::vector<double> cost;        // per column, on top of what its group costs
  std::vector<int32_t> group;      // per column; −1: none
  std::vector<double> group_cost;  // per group, paid with the first of its columns
};

struct Problem {
  std::vector<Column> columns;
  size_t n_rows = 0;
  int32_t n_classes = 0;               // 0: regression
  const int32_t* classes = nullptr;    // n_rows codes
  const double* numbers = nullptr;     // n_rows targets
  const double* weights = nullptr;     // n_rows, or null: every row counts once
  const double* costs = nullptr;       // n_classes × n_classes, for the criterion cost_gini
  std::shared_ptr<const Codes> codes;  // of the columns, where they are known already; or null
  TestCosts test_costs;
  Options options;
};

// The finished tree as parallel arrays; the fields are those of bough.tree.Nodes.
struct Grown {
  int32_t n_stats = 0;  // doubles per node in `stats`
  std::vector<int32_t> first_child, n_children, parent, column;
  std::vector<uint8_t> split_kind;
  std::vector<double> threshold;
  std::vector<int64_t> levels_at;
  std::vector<int32_t> levels;
  std::vector<int16_t> level_child, unseen_to, missing_to;
  std::vector<int64_t> missing_rows, rows;
  std::vector<double> weight, stats, impurity, gain, p_value;
  // surrogates of node i: surrogate_at[i] … ; the levels of surrogate j: surrogate_levels_at[j] …
  std::vector<int64_t> surrogate_at, surrogate_levels_at;
  std::vector<int32_t> surrogate_column, surrogate_levels;
  std::vector<double> surrogate_threshold, surrogate_agreement;
  std::vector<uint8_t> surrogate_flipped;
  std::vector<int16_t> surrogate_level_child;
  // runners-up, when asked for
  std::vector<int64_t> runner_at;
  std::vector<int32_t> runner_column;
  std::vector<double> runner_gain, runner_threshold;
  // what happened
  int64_t ties = 0;                      // nodes where another column was as good
  int64_t ordered_subsets = 0;           // subset searches along a principal component
  std::vector<int32_t> too_many_levels;  // columns left out: more levels than branches can have
};

// What the caller did wrong; becomes ValueError in Python.
struct InputError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The person pressed Ctrl-C.
struct Interrupted : std::exception {};

}  // namespace bough
