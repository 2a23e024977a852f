// What growing refuses, and how it stops.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "../criteria/registry.hpp"
#include "check.hpp"
#include "trees.hpp"

namespace bough::test {
namespace {

using Clock = std::chrono::steady_clock;

// A table that grows, to be spoiled in one place.
struct Good {
  Table table;
  Problem& problem = table.problem;
  std::vector<double> weights{1, 2, 1}, numbers{1, 2, 3};
  std::vector<int32_t> classes{0, 1, 1};

  Good() {
    table.number({1, 2, 3});
    table.levels(Kind::category, 3, {0, 1, 2});
    problem.n_classes = 2;
    problem.classes = classes.data();
    problem.weights = weights.data();
    problem.options.criterion = criterion_index("gini");
  }
  void regression() {
    problem.n_classes = 0;
    problem.numbers = numbers.data();
    problem.options.criterion = criterion_index("squared_error");
  }
  void refused(const char* text) const {
    Control control;
    CHECK_THROWS(InputError, grow(problem, control), text);
  }
};

void the_good_table_grows() {
  Good good;
  check_tree(grow_tree(good.problem), good.problem);
  good.regression();
  check_tree(grow_tree(good.problem), good.problem);
}

void merging_numbers_is_refused() {
  Good good;
  good.problem.options.categories = Categories::merged;
  check_tree(grow_tree(good.problem), good.problem);
  good.regression();
  good.refused("levels are merged by their classes");
}

void bad_shapes_are_refused() {
  Good rows, many, columns, classes;
  rows.problem.n_rows = 0;
  rows.refused("no rows");
  many.problem.n_rows = size_t{1} << 31;
  many.refused("more than 2147483647 rows");
  columns.problem.columns.clear();
  columns.refused("no columns");
  classes.problem.n_classes = 65'536;
  classes.refused("more than 65535 classes");
}

void a_criterion_that_does_not_fit_is_refused() {
  Good classes, numbers;
  classes.problem.options.criterion = criterion_index("squared_error");
  classes.refused("does not fit");
  numbers.regression();
  numbers.problem.options.criterion = criterion_index("entropy");
  numbers.refused("does not fit");
}

void bad_weights_are_refused() {
  for (double bad : {-1.0, nan, infinity}) {
    Good good;
    good.weights[1] = bad;
    good.refused("row 1: the weight");
  }
  Good good;
  good.weights = {0, -0.0, 0};
  good.refused("all weights are zero");
}

void bad_targets_are_refused() {
  for (int32_t bad : {-1, 2, 2'000'000'000}) {
    Good good;
    good.classes[2] = bad;
    good.refused("row 2: the target");
  }
  for (double bad : {nan, infinity, -infinity}) {
    Good good;
    good.regression();
    good.numbers[0] = bad;
    good.refused("row 0: the target");
  }
}

void bad_cells_are_refused() {
  Good number, level;
  number.table.number({1, infinity, 2});
  number.refused("column 2, row 1: the value is infinite");
  level.table.levels(Kind::ordered, 2, {0, 1, 2});
  level.refused("column 2, row 2: level code 2 of 2");
}

// Large nodes read cells in another way: levels with codes, more levels than codes, numbers.
void bad_cells_of_large_nodes_are_refused() {
  const auto spoil = [](Kind kind, int32_t n_levels, int32_t bad, const char* text) {
    Table table;
    Random random(3);
    fill(table, {.rows = 5000, .numbers = 1, .ordered = 0, .categories = 0}, random);
    std::vector<int32_t> codes(5000, 1);
    codes[4321] = bad;
    table.levels(kind, n_levels, codes);
    table.problem.options.criterion = criterion_index("gini");
    Control control;
    CHECK_THROWS(InputError, grow(table.problem, control), text);
  };
  for (Kind kind : {Kind::ordered, Kind::category})
    for (int32_t n_levels : {3, 254, 255, 1000}) {
      const std::string said = "column 1, row 4321: level code " + std::to_string(n_levels);
      spoil(kind, n_levels, n_levels, said.c_str());
      spoil(kind, n_levels, 2'000'000'000, "column 1, row 4321: level code 2000000000 of");
    }
  Table table;
  std::vector<double> cells(5000, 1.0);
  cells[17] = -infinity;
  table.number(cells);
  table.classes(2, std::vector<int32_t>(5000, 0));
  table.problem.options.criterion = criterion_index("gini");
  Control control;
  CHECK_THROWS(InputError, grow(table.problem, control), "column 0, row 17: the value is infinite");
}

void policies_that_do_not_mix_are_refused() {
  Good good;
  good.problem.columns[0].missing = Missing::fractional;
  good.refused("rows are shared out by all columns or by none");
}

void switches_out_of_range_are_refused() {
  for (int bins : {-1, 0, 255}) {
    Good good;
    good.problem.options.most_bins = bins;
    good.refused("bins must be 1 to 254");
  }
  for (int64_t Options::* limit :
       {&Options::block_rows, &Options::shared_cells, &Options::most_waiting}) {
    Good good;
    good.problem.options.*limit = -2;
    good.refused("a limit of the search is negative");
  }
}

void a_negative_number_of_levels_is_refused() {
  Good good;
  good.table.levels(Kind::category, -1, {-1, -1, -1});
  good.refused("column 2: a negative number of levels");
}

void bad_test_costs_are_refused() {
  for (double bad : {-1.0, nan, infinity}) {
    Good column, group;
    column.problem.test_costs = {CostRule::tan, {1, bad}, {-1, -1}, {}};
    column.refused("column 1: the cost is out of range");
    group.problem.test_costs = {CostRule::tan, {1, 1}, {0, 0}, {bad}};
    group.refused("group 0: the cost is out of range");
  }
  for (int32_t bad : {-2, 1}) {
    Good good;
    good.problem.test_costs = {CostRule::tan, {1, 1}, {0, bad}, {1}};
    good.refused("column 1: there is no such group");
  }
  Good columns, groups, rest;
  columns.problem.test_costs = {CostRule::tan, {1}, {-1, -1}, {}};
  columns.refused("another number of columns");
  groups.problem.test_costs = {CostRule::tan, {1, 1}, {-1}, {}};
  groups.refused("another number of columns");
  rest.problem.test_costs.group_cost = {1};
  rest.refused("another number of columns");
}

void rows_of_weight_zero_may_hold_any_cell() {
  Good good;
  good.weights[1] = 0;
  good.table.number({1, infinity, 2});
  good.table.levels(Kind::category, 2, {0, 99, 1});
  CHECK_SAME(grow_tree(good.problem).rows[0], 2);
}

void fill_large(Table& table, uint32_t rows) {
  Random random(18);
  fill(table, {.rows = rows, .numbers = 20, .ordered = 0, .categories = 0, .values = 1'000'000},
       random);
  table.problem.options.criterion = criterion_index("entropy");
}

void a_stop_set_before_is_seen_at_once() {
  Table table;
  fill_large(table, 5000);
  for (int threads : {1, 4}) {
    table.problem.options.threads = threads;
    Control control;
    control.stop = true;
    CHECK_THROWS(Interrupted, grow(table.problem, control), "");
    CHECK_SAME(control.rows_done.load(), 0);
  }
}

// Seconds from the stop, set by another thread, to the end of growing.
double seconds_to_stop(const Problem& problem, int after_milliseconds) {
  Control control;
  std::atomic<Clock::time_point> told{Clock::now()};
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(after_milliseconds));
    told = Clock::now();
    control.stop = true;
  });
  CHECK_THROWS(Interrupted, grow(problem, control), "");
  const Clock::time_point end = Clock::now();
  stopper.join();
  return std::chrono::duration<double>(end - told.load()).count();
}

// Stopped early (while sorting) and later (while growing). A busy machine may be slow now and then.
void a_stop_is_seen_within_a_second() {
  Table table;
  fill_large(table, 150'000);
  for (int threads : {1, 2})
    for (int after : {20, 250}) {
      table.problem.options.threads = threads;
      double least = infinity;
      for (int round = 0; round < 3 && least > 1; ++round)
        least = std::min(least, seconds_to_stop(table.problem, after));
      CHECK(least < 1);
    }
}

void watched_growing_can_be_stopped() {
  Table table;
  fill_large(table, 150'000);
  Control control;
  CHECK_THROWS(
      Interrupted,
      run_watched(control, [&] { grow(table.problem, control); }, [] { return true; }), "");
}

constexpr Test tests[] = {
    {"input: the good table grows", &the_good_table_grows},
    {"input: bad shapes are refused", &bad_shapes_are_refused},
    {"input: merging numbers is refused", &merging_numbers_is_refused},
    {"input: a criterion that does not fit is refused", &a_criterion_that_does_not_fit_is_refused},
    {"input: bad weights are refused", &bad_weights_are_refused},
    {"input: bad targets are refused", &bad_targets_are_refused},
    {"input: bad cells are refused", &bad_cells_are_refused},
    {"input: bad cells of large nodes are refused", &bad_cells_of_large_nodes_are_refused},
    {"input: policies that do not mix are refused", &policies_that_do_not_mix_are_refused},
    {"input: switches out of range are refused", &switches_out_of_range_are_refused},
    {"input: a negative number of levels is refused", &a_negative_number_of_levels_is_refused},
    {"input: bad test costs are refused", &bad_test_costs_are_refused},
    {"input: rows of weight zero may hold any cell", &rows_of_weight_zero_may_hold_any_cell},
    {"stop: set before, seen at once", &a_stop_set_before_is_seen_at_once},
    {"stop: seen within a second", &a_stop_is_seen_within_a_second},
    {"stop: watched growing can be stopped", &watched_growing_can_be_stopped},
};

}  // namespace

Suite grow_input_tests() { return tests; }

}  // namespace bough::test
