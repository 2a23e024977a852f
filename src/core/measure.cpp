#include "measure.hpp"

#include <algorithm>

#include "exact_sum.hpp"

namespace bough {

namespace {

// Cuts a segment into one part per thread; sums have no order, so parts may be added in any.
template <class Job>
void each_part(const Segment& segment, Pool* pool, Job job) {
  const size_t parts = pool && segment.n > 50'000 ? static_cast<size_t>(pool->threads()) : 1;
  const auto part_of = [&](size_t i) {
    Segment part = segment;
    const uint64_t n = segment.n;
    part.entry += n * i / parts;
    part.n = part.known = static_cast<uint32_t>(n * (i + 1) / parts - n * i / parts);
    return part;
  };
  if (parts == 1) return job(segment, 0);
  pool->each(parts, [&](size_t i, int) { job(part_of(i), i); });
}

size_t parts_at_most(Pool* pool) { return pool ? static_cast<size_t>(pool->threads()) : 1; }

// Mean and deviation; equal targets give exactly their value and 0.
void measure_numbers(const Target& target, const Segment& segment, Pool* pool, Growing& node) {
  struct Part {
    ExactSum sum, squares;
    double lowest = infinity, highest = -infinity;
  };
  std::vector<Part> parts(parts_at_most(pool));
  each_part(segment, pool, [&](const Segment& some, size_t at) {
    Part& part = parts[at];
    for (uint32_t i = 0; i < some.n; ++i) {
      const uint32_t row = some.entry[i] & row_of;
      const double number = target.number(row);
      part.lowest = std::min(part.lowest, number);
      part.highest = std::max(part.highest, number);
      part.sum.add(target.weight(row) * number);
    }
  });
  node.lowest = infinity, node.highest = -infinity;
  for (size_t i = 0; i < parts.size(); ++i) {
    node.lowest = std::min(node.lowest, parts[i].lowest);
    node.highest = std::max(node.highest, parts[i].highest);
    if (i > 0) parts[0].sum.add(parts[i].sum);
  }
  if (node.lowest == node.highest) {
    node.mean = node.lowest + 0.0;  // never −0
    return;
  }
  node.mean = parts[0].sum.value() / node.weight;
  each_part(segment, pool, [&](const Segment& some, size_t at) {
    for (uint32_t i = 0; i < some.n; ++i) {
      const uint32_t row = some.entry[i] & row_of;
      const double gap = target.number(row) - node.mean;
      parts[at].squares.add(target.weight(row) * (gap * gap));
    }
  });
  for (size_t i = 1; i < parts.size(); ++i) parts[0].squares.add(parts[i].squares);
  node.deviation = parts[0].squares.value();
  node.impurity = node.deviation / node.weight;
}

}  // namespace

namespace {

// A processor waits for the last number it wrote before it reads it again: rows take turns among
// several counts, and sums stay in registers until the end. Sums have no order.
constexpr size_t turns = 4, few_classes = 32;

void count_classes(const Target& target, const Segment& segment, double* sums, double& weight) {
  const uint16_t* classes = target.classes();
  uint32_t count[turns][few_classes] = {};
  const auto row = [&](uint32_t i) { return segment.entry[i] & row_of; };
  uint32_t i = 0;
  for (; i + turns <= segment.n; i += turns)
    for (uint32_t turn = 0; turn < turns; ++turn) ++count[turn][classes[row(i + turn)]];
  for (; i < segment.n; ++i) ++count[0][classes[row(i)]];
  for (const auto& counts : count)
    for (size_t c = 0; c < static_cast<size_t>(target.k()); ++c) sums[c] += counts[c];
  weight += segment.n;
}

void sum_numbers(const Target& target, const Segment& segment, double* sums, double& weight) {
  const NumberRows rows{target.moments()};
  double mine[3] = {0, 0, 0}, my_weight = 0;
  for (uint32_t i = 0; i < segment.n; ++i) rows.add(mine, my_weight, segment.entry[i] & row_of);
  for (int s = 0; s < 3; ++s) sums[s] += mine[s];
  weight += my_weight;
}

}  // namespace

void add_up(const Target& target, const Segment& segment, double* sums, double& weight) {
  const auto add = [&](const auto& rows) {
    for (uint32_t i = 0; i < segment.n; ++i) rows.add(sums, weight, segment.entry[i] & row_of);
  };
  if (target.regression()) sum_numbers(target, segment, sums, weight);
  else if (!target.unit_weights()) add(WeightedClassRows{target.classes(), target.weights()});
  else if (target.k() > static_cast<int32_t>(few_classes)) add(ClassRows{target.classes()});
  else count_classes(target, segment, sums, weight);
}

void measure(const Criterion& criterion, const Target& target, const double* costs,
             const Segment& segment, Pool* pool, Growing& node, double* sums) {
  const auto k = static_cast<size_t>(target.k());
  std::vector<double> part(parts_at_most(pool) * (k + 1), 0.0);
  if (pool) {
    each_part(segment, pool, [&](const Segment& some, size_t i) {
      double* mine = &part[i * (k + 1)];
      add_up(target, some, mine, mine[k]);
    });
    for (size_t i = 0; i < part.size(); ++i)
      (i % (k + 1) == k ? node.weight : sums[i % (k + 1)]) += part[i];
  } else {
    add_up(target, segment, sums, node.weight);
  }
  if (target.regression()) return measure_numbers(target, segment, pool, node);
  node.impurity = criterion.impurity(sums, target.k(), node.weight, costs);
}

}  // namespace bough
