#include "../block.hpp"

#include <algorithm>

#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

struct Range {
  uint32_t begin, end;
};

std::vector<uint32_t> rows_of(const Block& block, size_t c, Range range) {
  const Segment segment = block.segment(c, range.begin, range.end);
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < segment.n; ++i) rows.push_back(segment.entry[i] & row_of);
  return rows;
}

std::vector<uint32_t> sorted(std::vector<uint32_t> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Sorts the rows anew and compares: order, flags, known, constant.
void check_node(const Block& block, const std::vector<Column>& columns, Range range,
                const std::vector<uint32_t>& rows) {
  for (size_t c = 0; c < columns.size(); ++c) {
    Pool pool(1);
    const Orders anew = encode({columns[c]}, rows, pool);
    const Segment segment = block.segment(c, range.begin, range.end);
    const uint32_t* wanted = anew.list(0);
    CHECK_SAME(segment.n, rows.size());
    bool same = true, one_value = true;
    for (uint32_t i = 0; i < segment.n; ++i) {
      // The flag of the first row says nothing: every segment begins with a new value.
      same &= (segment.entry[i] & row_of) == (wanted[i] & row_of);
      same &= i == 0 || (segment.entry[i] & new_value) == (wanted[i] & new_value);
      one_value &= i == 0 || !(wanted[i] & new_value);
    }
    CHECK(same);
    CHECK_SAME(block.constant(c, range.begin, range.end), one_value);
    const auto known = std::count_if(rows.begin(), rows.end(), [&](uint32_t row) {
      return !std::isnan(columns[c].number(row));
    });
    CHECK_SAME(segment.known, known);
  }
}

Found random_threshold(const Segment& segment, Random& random) {
  std::vector<uint32_t> cuts;
  for (uint32_t i = 1; i < segment.known; ++i)
    if (segment.entry[i] & new_value) cuts.push_back(i);
  if (segment.known > 0 && segment.known < segment.n) cuts.push_back(segment.known);
  Found found;
  if (cuts.empty()) return found;
  found.any = true;
  found.cut = cuts[random.below(static_cast<uint32_t>(cuts.size()))];
  const bool third = segment.known < segment.n && found.cut < segment.known && random.chance(0.5);
  found.n_children = third ? 3 : 2;
  found.missing_to = third ? 2 : static_cast<int16_t>(random.below(2));
  if (found.cut == segment.known) found.missing_to = 1;
  return found;
}

// Every child is used at least once, as in all splits the searches find.
Found random_levels(const Segment& segment, const Column& column, Random& random) {
  Found found;
  for (uint32_t i = 0; i < segment.known; ++i)
    if (i == 0 || (segment.entry[i] & new_value))
      found.levels.push_back(column.code(segment.entry[i] & row_of));
  const auto groups = static_cast<uint32_t>(found.levels.size()) + (segment.known < segment.n);
  if (groups < 2) return found;
  found.any = true;
  found.kind = SplitKind::branches;
  found.n_children = static_cast<int32_t>(2 + random.below(groups - 1));
  std::vector<int16_t> to(groups);
  for (uint32_t g = 0; g < groups; ++g)
    to[g] = static_cast<int16_t>(g % static_cast<uint32_t>(found.n_children));
  random.shuffle(to);
  found.level_child.assign(to.begin(), to.begin() + static_cast<ptrdiff_t>(found.levels.size()));
  found.missing_to = to.back();
  return found;
}

// Where a row goes, without the block.
int32_t child_of(const Column& column, const Found& found, const Segment& before, uint32_t row) {
  const double value = column.number(row);
  if (std::isnan(value)) return found.missing_to;
  if (found.kind == SplitKind::threshold)
    return found.cut < before.known && value >= column.number(before.entry[found.cut] & row_of);
  const auto at = std::lower_bound(found.levels.begin(), found.levels.end(), column.code(row));
  return found.level_child[static_cast<size_t>(at - found.levels.begin())];
}

// Splits at random, several levels deep, and checks every node against a sort of its rows.
void split_on(Block& block, const std::vector<Column>& columns, Range range, int depth,
              Random& random) {
  const std::vector<uint32_t> rows = sorted(rows_of(block, 0, range));
  check_node(block, columns, range, rows);
  if (depth == 0 || rows.size() < 2) return;
  const size_t c = random.below(static_cast<uint32_t>(columns.size()));
  const Segment before = block.segment(c, range.begin, range.end);
  const Found found = columns[c].kind == Kind::category ? random_levels(before, columns[c], random)
                                                        : random_threshold(before, random);
  if (!found.any) return;
  std::vector<std::vector<uint32_t>> wanted(static_cast<size_t>(found.n_children));
  for (uint32_t row : rows)
    wanted[static_cast<size_t>(child_of(columns[c], found, before, row))].push_back(row);

  std::vector<uint32_t> child_rows, buffer;
  block.assign(c, range.begin, range.end, found, child_rows);
  for (size_t i = 0; i < columns.size(); ++i)
    block.part(i, range.begin, range.end, child_rows, buffer);
  uint32_t begin = range.begin;
  CHECK_SAME(child_rows.size(), wanted.size());
  for (size_t m = 0; m < wanted.size(); ++m) {
    CHECK_SAME(child_rows[m], wanted[m].size());
    const Range child{begin, begin + child_rows[m]};
    for (size_t i = 0; i < columns.size(); ++i)
      CHECK(sorted(rows_of(block, i, child)) == wanted[m]);
    begin = child.end;
  }
  CHECK_SAME(begin, range.end);
  begin = range.begin;
  for (uint32_t n : child_rows) {
    split_on(block, columns, {begin, begin + n}, depth - 1, random);
    begin += n;
  }
}

void parting_equals_sorting_anew() {
  Random random(16);
  for (int round = 0; round < 300; ++round) {
    Table table;
    const double missing = random.chance(0.3) ? 0 : 0.25;
    fill(table, {.rows = 1 + random.below(120), .n_levels = 9, .missing = missing}, random);
    const auto& columns = table.problem.columns;
    std::vector<uint32_t> rows;
    for (uint32_t i = 0; i < table.problem.n_rows; ++i)
      if (i == 0 || random.chance(0.9)) rows.push_back(i);
    Pool pool(1);
    const Target target(table.problem);
    Block block(columns, encode(columns, rows, pool), table.problem.n_rows, target);
    CHECK_SAME(block.n_rows(), rows.size());
    split_on(block, columns, {0, block.n_rows()}, 4, random);
  }
}

void a_long_run_of_one_value_is_constant() {
  std::vector<double> cells(2000, 3.0);
  cells[1999] = 4;
  Table table;
  table.number(cells);
  table.classes(2, std::vector<int32_t>(2000, 0));
  const auto& columns = table.problem.columns;
  const Target target(table.problem);
  std::vector<uint32_t> rows(2000);
  for (uint32_t i = 0; i < 2000; ++i) rows[i] = i;
  Pool pool(1);
  const Block block(columns, encode(columns, rows, pool), 2000, target);
  CHECK(block.constant(0, 0, 1999));
  CHECK(!block.constant(0, 0, 2000));
  CHECK(!block.constant(0, 1998, 2000));
  CHECK(block.constant(0, 1999, 2000));
}

constexpr Test tests[] = {
    {"block: parting equals sorting anew", &parting_equals_sorting_anew},
    {"block: a long run of one value is constant", &a_long_run_of_one_value_is_constant},
};

}  // namespace

Suite block_tests() { return tests; }

}  // namespace bough::test
