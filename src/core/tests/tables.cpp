#include "tables.hpp"

#include <cstring>
#include <utility>

namespace bough::test {

template <class T>
const char* Table::keep(std::list<std::vector<T>>& lists, std::vector<T>&& cells) {
  problem.n_rows = cells.size();
  lists.push_back(std::move(cells));
  return reinterpret_cast<const char*>(lists.back().data());
}

void Table::number(std::vector<double> cells) {
  problem.columns.push_back({keep(doubles_, std::move(cells)), 8, Cell::f64, Kind::number, 0});
}
void Table::single(std::vector<float> cells) {
  problem.columns.push_back({keep(floats_, std::move(cells)), 4, Cell::f32, Kind::number, 0});
}
void Table::levels(Kind kind, int32_t n_levels, std::vector<int32_t> cells) {
  problem.columns.push_back({keep(ints_, std::move(cells)), 4, Cell::i32, kind, n_levels});
}
void Table::classes(int32_t n_classes, std::vector<int32_t> codes) {
  problem.n_classes = n_classes;
  problem.classes = reinterpret_cast<const int32_t*>(keep(ints_, std::move(codes)));
}
void Table::targets(std::vector<double> numbers) {
  problem.n_classes = 0;
  problem.numbers = reinterpret_cast<const double*>(keep(doubles_, std::move(numbers)));
}
void Table::weights(std::vector<double> weights) {
  problem.weights = reinterpret_cast<const double*>(keep(doubles_, std::move(weights)));
}

Column column_of(const std::vector<double>& cells) {
  return {reinterpret_cast<const char*>(cells.data()), 8, Cell::f64, Kind::number, 0};
}
Column column_of(const std::vector<float>& cells) {
  return {reinterpret_cast<const char*>(cells.data()), 4, Cell::f32, Kind::number, 0};
}
Column column_of(const std::vector<int32_t>& cells, Kind kind, int32_t n_levels) {
  return {reinterpret_cast<const char*>(cells.data()), 4, Cell::i32, kind, n_levels};
}

void fill(Table& table, const Taste& taste, Random& random) {
  const size_t n = taste.rows;
  for (uint32_t c = 0; c < taste.numbers; ++c) {
    std::vector<double> cells(n);
    for (auto& cell : cells)
      cell = random.chance(taste.missing) ? nan : 0.5 * random.below(taste.values) - 1;
    if (c % 2 == 0) table.number(cells);
    else table.single(std::vector<float>(cells.begin(), cells.end()));
  }
  for (uint32_t c = 0; c < taste.ordered + taste.categories; ++c) {
    std::vector<int32_t> cells(n);
    for (auto& cell : cells)
      cell = random.chance(taste.missing)
                 ? -1
                 : static_cast<int32_t>(random.below(static_cast<uint32_t>(taste.n_levels)));
    table.levels(c < taste.ordered ? Kind::ordered : Kind::category, taste.n_levels, cells);
  }
  if (taste.classes > 0) {
    std::vector<int32_t> codes(n);
    for (auto& code : codes)
      code = static_cast<int32_t>(random.below(static_cast<uint32_t>(taste.classes)));
    table.classes(taste.classes, codes);
  } else {
    std::vector<double> numbers(n);
    for (auto& number : numbers) number = random.below(7) + 0.125 * random.below(2);
    table.targets(numbers);
  }
  if (!taste.weighted) return;
  std::vector<double> weights(n);
  for (auto& weight : weights) weight = 0.25 * random.below(9);
  weights[0] = 1.75;  // never all zero
  table.weights(weights);
}

namespace {

template <class T>
void append(std::string& out, const std::vector<T>& values) {
  const size_t n = values.size();
  out.append(reinterpret_cast<const char*>(&n), sizeof n);
  out.append(reinterpret_cast<const char*>(values.data()), n * sizeof(T));
}

}  // namespace

std::string bytes(const Grown& t) {
  std::string out;
  for (const auto* ints : {&t.first_child, &t.n_children, &t.parent, &t.column, &t.levels,
                           &t.runner_column, &t.too_many_levels})
    append(out, *ints);
  for (const auto* longs : {&t.levels_at, &t.missing_rows, &t.rows, &t.runner_at})
    append(out, *longs);
  for (const auto* shorts : {&t.level_child, &t.unseen_to, &t.missing_to}) append(out, *shorts);
  for (const auto* doubles : {&t.threshold, &t.weight, &t.stats, &t.impurity, &t.gain, &t.p_value,
                              &t.runner_gain, &t.runner_threshold})
    append(out, *doubles);
  append(out, t.split_kind);
  append(out, std::vector<int64_t>{t.n_stats, t.ties, t.ordered_subsets});
  return out;
}

}  // namespace bough::test
