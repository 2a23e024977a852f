#include "large.hpp"

#include <algorithm>
#include <cmath>

#include "criteria/cost_gini.hpp"

namespace bough {

namespace {

// Costs for which no cut inside a bin gains more than one at its corners: the form must not curve
// downwards along any exchange of rows. Gaussian elimination shows it; doubtful means no.
bool curves_up(const double* costs, int32_t classes) {
  const auto k = static_cast<size_t>(classes);
  std::vector<double> m((k - 1) * (k - 1));
  double largest = 0;
  for (size_t i = 0; i + 1 < k; ++i)
    for (size_t j = 0; j + 1 < k; ++j) {
      const auto cost = [&](size_t a, size_t b) { return costs[a * k + b] + costs[b * k + a]; };
      m[i * (k - 1) + j] = cost(i, k - 1) + cost(k - 1, j) - cost(i, j) - cost(k - 1, k - 1);
      largest = std::max(largest, std::fabs(m[i * (k - 1) + j]));
    }
  for (size_t p = 0; p + 1 < k; ++p) {
    const double pivot = m[p * (k - 1) + p];
    if (pivot <= 1e-12 * largest) return false;
    for (size_t i = p + 1; i + 1 < k; ++i)
      for (size_t j = p + 1; j + 1 < k; ++j)
        m[i * (k - 1) + j] -= m[i * (k - 1) + p] * m[p * (k - 1) + j] / pivot;
  }
  return true;
}

bool bounded(const Problem& problem) {
  if (criteria[problem.options.criterion].name != CostGini::name) return true;
  return curves_up(problem.costs, problem.n_classes);
}

}  // namespace

Large::Large(const Problem& problem, const Target& target, BigVector<uint32_t> rows, Pool& pool)
    : problem_(problem),
      target_(target),
      rows_(std::move(rows)),
      parted_(rows_.size() + 1),
      child_of_(problem.n_rows),
      kept_(problem.codes ? problem.codes
                          : std::make_shared<const Codes>(problem.columns, rows_, problem.n_rows,
                                                          problem.options, pool)),
      codes_(*kept_),
      bounded_(bounded(problem)) {}

std::shared_ptr<Histogram> Large::count(uint32_t begin, uint32_t end, Pool* pool) const {
  auto counted = std::make_unique<Histogram>(codes_, target_);
  counted->add(codes_, target_, rows_.data() + begin, end - begin, pool);
  *held_ += counted->bytes();
  return {counted.release(), [held = held_](Histogram* histogram) {
            *held -= histogram->bytes();
            delete histogram;
          }};
}

ColumnBins Large::bins(const Growing& node, size_t c) const {
  const Column& column = problem_.columns[c];
  return {*node.histogram,
          codes_[c],
          column,
          codes_.column(c),
          codes_.fine(c),
          rows_.data() + node.begin,
          node.rows(),
          known_only(column.missing),
          node.lowest - target_.centre(),
          node.highest - target_.centre()};
}

uint32_t Large::missing_rows(const Growing& node, size_t c) const {
  if (!codes_[c].coded) {
    uint32_t lost = 0;
    for (uint32_t i = node.begin; i < node.end; ++i) lost += problem_.columns[c].code(rows_[i]) < 0;
    return lost;
  }
  if (!codes_[c].missing) return 0;
  std::vector<double> s(static_cast<size_t>(target_.k()));
  return node.histogram->read(codes_[c].first_bin + static_cast<uint32_t>(codes_[c].n_bins),
                              s.data());
}

}  // namespace bough
