#include "groups.hpp"

#include <algorithm>

namespace bough {

namespace {

// Calls with(rows) with the kind of row that fits the target (stats.hpp).
template <class With>
void with_rows(const Target& target, With with) {
  if (target.regression()) with(NumberRows{target.moments()});
  else if (target.unit_weights()) with(ClassRows{target.classes()});
  else with(WeightedClassRows{target.classes(), target.weights()});
}

double weight_in(const Target& target, const double* s) {
  if (target.regression()) return s[0];
  double weight = 0;
  for (int32_t c = 0; c < target.k(); ++c) weight += s[c];
  return weight;
}

}  // namespace

Groups groups_of(const Target& target, const Segment& segment) {
  Groups groups;
  groups.k = target.k();
  groups.n = segment.n;
  groups.missing = segment.known < segment.n;
  with_rows(target, [&](const auto& source) {
    double* s = nullptr;
    for (uint32_t i = 0; i < segment.n; ++i) {
      const uint32_t entry = segment.entry[i];
      if (i == 0 || i == segment.known || (entry & new_value))
        s = groups.push(i < segment.known ? segment.column->code(segment.table_row(entry)) : -1);
      groups.rows.back() += 1;
      source.add(s, groups.weight.back(), entry & row_of);
    }
  });
  return groups;
}

Groups groups_of(const Target& target, const Histogram& histogram, const CodedColumn& coded,
                 bool known_only) {
  Groups groups;
  groups.k = target.k();
  std::vector<double> s(static_cast<size_t>(groups.k));
  const int32_t bins = known_only ? coded.n_bins : coded.all_bins();
  for (int32_t b = 0; b < bins; ++b) {
    const uint32_t rows = histogram.read(coded.first_bin + static_cast<uint32_t>(b), s.data());
    if (rows == 0) continue;
    groups.missing = b == coded.n_bins;
    std::copy(s.begin(), s.end(), groups.push(groups.missing ? -1 : b));
    groups.rows.back() = rows;
    groups.weight.back() = weight_in(target, s.data());
    groups.n += rows;
  }
  return groups;
}

Groups groups_of(const Target& target, const Column& column, const uint32_t* rows, uint32_t n,
                 bool known_only) {
  // Which levels are here, and the group of each.
  std::vector<int32_t> group_of(static_cast<size_t>(column.n_levels) + 1, -1), levels;
  const auto slot = [&](uint32_t row) {
    const int32_t level = column.code(row);
    return static_cast<size_t>(level < 0 ? column.n_levels : level);
  };
  for (uint32_t i = 0; i < n; ++i) {
    int32_t& seen = group_of[slot(rows[i])];
    if (seen < 0) levels.push_back(static_cast<int32_t>(slot(rows[i])));
    seen = 0;
  }
  std::sort(levels.begin(), levels.end());
  Groups groups;
  groups.k = target.k();
  for (int32_t level : levels) {
    const bool lost = level == column.n_levels;
    group_of[static_cast<size_t>(level)] = -1;
    if (lost && known_only) continue;
    group_of[static_cast<size_t>(level)] = static_cast<int32_t>(groups.size());
    groups.missing |= lost;
    groups.push(lost ? -1 : level);
  }
  with_rows(target, [&](const auto& source) {
    for (uint32_t i = 0; i < n; ++i) {
      if (group_of[slot(rows[i])] < 0) continue;
      const auto g = static_cast<size_t>(group_of[slot(rows[i])]);
      groups.rows[g] += 1;
      groups.n += 1;
      source.add(&groups.s[g * static_cast<size_t>(groups.k)], groups.weight[g], rows[i]);
    }
  });
  return groups;
}

}  // namespace bough
