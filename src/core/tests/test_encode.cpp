#include "../encode.hpp"

#include <algorithm>

#include "../search.hpp"
#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

std::vector<uint32_t> all_rows(size_t n) {
  std::vector<uint32_t> rows(n);
  for (size_t i = 0; i < n; ++i) rows[i] = static_cast<uint32_t>(i);
  return rows;
}

// The list as the page says it: known rows by value, equal ones by row, then the missing ones; a
// flag at the first row of every value and at the first missing one.
std::vector<uint32_t> naive(const Column& column, std::vector<uint32_t> rows) {
  const auto missing = [&](uint32_t row) { return std::isnan(column.number(row)); };
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    if (missing(a) || missing(b)) return !missing(a) && missing(b);
    return column.number(a) < column.number(b);
  });
  std::vector<uint32_t> entries;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool same =
        i > 0 && (missing(rows[i]) ? missing(rows[i - 1])
                                   : column.number(rows[i]) == column.number(rows[i - 1]));
    entries.push_back(rows[i] | (same ? 0 : new_value));
  }
  return entries;
}

void check_encode(const std::vector<Column>& columns, const std::vector<uint32_t>& rows) {
  for (int threads : {1, 3}) {
    Pool pool(threads);
    const Orders orders = encode(columns, rows, pool);
    CHECK_SAME(orders.n_rows, rows.size());
    for (size_t c = 0; c < columns.size(); ++c) {
      const std::vector<uint32_t> wanted = naive(columns[c], rows);
      CHECK(std::equal(wanted.begin(), wanted.end(), orders.list(c)));
      const bool missing = std::any_of(rows.begin(), rows.end(), [&](uint32_t row) {
        return std::isnan(columns[c].number(row));
      });
      CHECK_SAME(static_cast<bool>(orders.has_missing[c]), missing);
    }
  }
}

void lists_are_sorted_stable_and_flagged() {
  Random random(15);
  for (uint32_t n : {1u, 2u, 7u, 100u, 1023u, 1024u, 5000u}) {
    Table table;
    fill(table, {.rows = n, .numbers = 4, .ordered = 2, .categories = 2, .values = 50}, random);
    std::vector<double> wild(n);
    for (auto& x : wild)
      x = std::ldexp(random.unit() - 0.5, static_cast<int>(random.below(2040)) - 1030);
    table.number(wild);
    table.number(std::vector<double>(n, 7));
    table.number(std::vector<double>(n, nan));
    std::vector<uint32_t> rows = all_rows(n);
    check_encode(table.problem.columns, rows);
    rows.erase(std::remove_if(rows.begin(), rows.end(), [](uint32_t r) { return r % 3 == 1; }),
               rows.end());
    check_encode(table.problem.columns, rows);
  }
}

void values_at_the_edges_are_in_order() {
  const double tiny = 0x1p-1074, large = std::numeric_limits<double>::max();
  std::vector<double> doubles = {0.0, -0.0, tiny, -tiny, large, -large,
                                 1,   -1,   nan,  -nan,  0.0,   -0.0};
  std::vector<float> floats = {0.0f, -0.0f, 0x1p-149f, -0x1p-149f, 3e38f, -3e38f, 1, std::nanf("")};
  check_encode({column_of(doubles)}, all_rows(doubles.size()));
  check_encode({column_of(floats)}, all_rows(floats.size()));
  while (doubles.size() < 3000) doubles.push_back(doubles[doubles.size() % 12]);
  while (floats.size() < 3000) floats.push_back(floats[floats.size() % 8]);
  check_encode({column_of(doubles)}, all_rows(doubles.size()));
  check_encode({column_of(floats)}, all_rows(floats.size()));
}

void minus_zero_equals_zero() {
  const std::vector<double> cells = {-0.0, 0.0, -0.0};
  Pool pool(1);
  const Orders orders = encode({column_of(cells)}, all_rows(3), pool);
  CHECK_SAME(orders.list(0)[0], 0 | new_value);
  CHECK_SAME(orders.list(0)[1], 1u);
  CHECK_SAME(orders.list(0)[2], 2u);
}

void any_stride_is_read() {
  const std::vector<double> grid = {5, 50, 3, 30, 4, 40, nan, 60};
  Column second = column_of(grid), backwards = second, repeated = second;
  second.data += 8;
  second.stride = 16;  // 50 30 40 60
  backwards.data += 8 * 6;
  backwards.stride = -16;  // NaN 4 3 5
  repeated.stride = 0;     // 5 5 5 5
  check_encode({second, backwards, repeated}, all_rows(4));
  CHECK_SAME(backwards.number(1), 4.0);
}

void levels_below_zero_are_missing() {
  const std::vector<int32_t> codes = {2, -1, 0, -2, 1, 0};
  check_encode({column_of(codes, Kind::category, 3), column_of(codes, Kind::ordered, 3)},
               all_rows(codes.size()));
}

void bad_cells_are_refused() {
  Pool pool(1), three(3);
  const std::vector<double> infinite = {1, 2, infinity, 3}, negative = {-infinity, 2, 1, 3};
  const std::vector<float> single = {1, -std::numeric_limits<float>::infinity(), 0, 0};
  const std::vector<int32_t> codes = {0, 1, 2, 3};
  const auto rows = all_rows(4);
  CHECK_THROWS(InputError, encode({column_of(infinite)}, rows, pool),
               "column 0, row 2: the value is infinite");
  CHECK_THROWS(InputError,
               encode({column_of(codes, Kind::category, 4), column_of(negative)}, rows, three),
               "column 1, row 0: the value is infinite");
  CHECK_THROWS(InputError, encode({column_of(single)}, rows, pool), "column 0, row 1");
  CHECK_THROWS(InputError, encode({column_of(codes, Kind::category, 3)}, rows, pool),
               "column 0, row 3: level code 3 of 3");
  // A row that does not count may hold anything.
  const Orders orders = encode({column_of(infinite)}, std::vector<uint32_t>{0, 1, 3}, pool);
  CHECK_SAME(orders.n_rows, 3u);
}

constexpr Test tests[] = {
    {"encode: lists are sorted, stable and flagged", &lists_are_sorted_stable_and_flagged},
    {"encode: values at the edges are in order", &values_at_the_edges_are_in_order},
    {"encode: minus zero equals zero", &minus_zero_equals_zero},
    {"encode: any stride is read", &any_stride_is_read},
    {"encode: levels below zero are missing", &levels_below_zero_are_missing},
    {"encode: bad cells are refused", &bad_cells_are_refused},
};

}  // namespace

Suite encode_tests() { return tests; }

}  // namespace bough::test
