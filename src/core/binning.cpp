#include "binning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "vectors.hpp"

namespace bough {

std::vector<double> sample_of(const Column& column, std::span<const uint32_t> rows) {
  constexpr size_t most = 8192;
  const size_t n = std::min(rows.size(), most);
  std::vector<double> sample;
  sample.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    const double value = column.number(rows[i * rows.size() / n]);
    if (std::isfinite(value)) sample.push_back(value);
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

namespace {

struct Distinct {
  double value;
  size_t rows;
};

std::vector<Distinct> distinct_of(const std::vector<double>& sample) {
  std::vector<Distinct> distinct;
  for (double value : sample) {
    if (distinct.empty() || distinct.back().value != value) distinct.push_back({value, 0});
    distinct.back().rows += 1;
  }
  return distinct;
}

}  // namespace

std::vector<double> choose_edges(const std::vector<double>& sample, int most_bins, bool& few_values,
                                 bool& all_mixed) {
  const std::vector<Distinct> distinct = distinct_of(sample);
  const auto most = static_cast<size_t>(most_bins);
  few_values = distinct.size() + 1 <= most;
  std::vector<double> edge;
  size_t rest = sample.size(), in_bin = 0, values_in_bin = 0;
  bool single = false;
  const auto close = [&](double end) {
    edge.push_back(end);
    single |= values_in_bin < 2;
    rest -= in_bin;
    in_bin = values_in_bin = 0;
  };
  // Bins there may still be, the last one left out; as many as values to come are not to spare.
  const auto bins_left = [&] { return most - edge.size(); };
  const auto spare = [&](size_t i) {
    return bins_left() - 1 - (few_values ? distinct.size() - i : 1);
  };
  size_t i = 0;
  for (; i < distinct.size() && bins_left() > 1; ++i) {
    const auto& [value, rows] = distinct[i];
    const size_t part = rest / bins_left();
    const bool heavy = rows > 1 && rows >= std::max(part, sample.size() / most) && spare(i) > 0;
    if (!few_values && !heavy && i + 1 == distinct.size()) break;
    const double below = std::nextafter(value, -infinity);
    if (heavy && std::isfinite(below) && (in_bin > 0 || edge.empty() || edge.back() < below))
      close(below);
    in_bin += rows;
    values_in_bin += 1;
    if (few_values || heavy || in_bin >= part) close(value);
  }
  edge.push_back(infinity);
  all_mixed = !single && values_in_bin + distinct.size() - i >= 2;
  return edge;
}

Ladder::Ladder(const std::vector<double>& edge)
    : n_edges_(static_cast<uint32_t>(edge.size())), first_(steps, 0), edge_(edge) {
  const size_t finite = edge.size() - 1;  // the last one is infinity
  if (finite >= 2) {
    low_ = edge[0];
    scale_ = steps / (edge[finite - 1] - low_);
    if (!std::isfinite(scale_) || !std::isfinite(edge[finite - 1] - low_)) scale_ = 0;
  }
  const auto step_of = [&](double value) {  // as `place` does, NaN (∞ · 0) included
    const double step = (value - low_) * scale_;
    return static_cast<size_t>(step > 0.0 ? std::min(step, steps - 1.0) : 0.0);
  };
  std::vector<int32_t> inside(steps, 0);
  for (size_t i = 0; i < finite; ++i) ++inside[step_of(edge[i])];
  int32_t before = 0, most = 0;
  for (size_t s = 0; s < steps; ++s) {
    first_[s] = before;
    before += inside[s];
    most = std::max(most, inside[s]);
  }
  halvings_ = std::bit_width(static_cast<uint32_t>(most));
  edge_.resize(edge.size() + (size_t{1} << halvings_), infinity);
}

bool Ladder::place(const double* value, size_t n, uint8_t* code, uint8_t* beside) const {
  return n_edges_ <= few ? place_few(value, n, code, beside) : place_many(value, n, code, beside);
}

BOUGH_VECTORS
bool Ladder::place_few(const double* value, size_t n, uint8_t* code, uint8_t* beside) const {
  constexpr size_t most = 256;
  int64_t at[most], on[most], missing = 0;
  for (size_t begin = 0; begin < n; begin += most) {
    const size_t m = std::min(most, n - begin);
    const double* v = value + begin;
    for (size_t i = 0; i < m; ++i) at[i] = on[i] = 0;
    for (uint32_t e = 0; e < n_edges_; ++e) {
      const double edge = edge_[e];
      for (size_t i = 0; i < m; ++i) {
        at[i] += v[i] <= edge ? 0 : 1;  // NaN is above all
        on[i] |= v[i] == edge ? 1 : 0;
      }
    }
    for (size_t i = 0; i < m; ++i) missing |= v[i] != v[i] ? 1 : 0;
    for (size_t i = 0; i < m; ++i) code[begin + i] = static_cast<uint8_t>(at[i]);
    for (size_t i = 0; i < m; ++i) beside[begin + i] = static_cast<uint8_t>(1 - on[i]);
  }
  return missing != 0;
}

BOUGH_VECTORS
bool Ladder::place_many(const double* value, size_t n, uint8_t* code, uint8_t* beside) const {
  constexpr size_t most = 256;
  const double low = low_, scale = scale_;
  const int32_t* first = first_.data();
  const double* edge = edge_.data();
  const auto none = static_cast<int32_t>(n_edges_);
  int32_t missing = 0, at[most];
  for (size_t begin = 0; begin < n; begin += most) {
    const auto m = static_cast<int>(std::min(most, n - begin));
    const double* v = value + begin;
    for (int i = 0; i < m; ++i) {
      double step = (v[i] - low) * scale;
      step = step > 0.0 ? step : 0.0;  // NaN, too
      step = step < steps - 1.0 ? step : steps - 1.0;
      at[i] = first[static_cast<int32_t>(step)];
    }
    for (int half = halvings_ > 0 ? 1 << (halvings_ - 1) : 0; half > 0; half >>= 1)
      for (int i = 0; i < m; ++i) at[i] += edge[at[i] + half - 1] < v[i] ? half : 0;
    for (int i = 0; i < m; ++i) {
      const bool unknown = v[i] != v[i];
      missing |= unknown;
      code[begin + static_cast<size_t>(i)] = static_cast<uint8_t>(unknown ? none : at[i]);
    }
    for (int i = 0; i < m; ++i) beside[begin + static_cast<size_t>(i)] = v[i] != edge[at[i]];
  }
  return missing != 0;
}

Steps::Steps(const std::vector<double>& edge, double lowest, double highest)
    : low_(edge.size() + 1, 0.0), scale_(edge.size() + 1, 0.0) {
  for (size_t b = 0; b < edge.size(); ++b) {
    low_[b] = b == 0 ? lowest : edge[b - 1];
    const double scale = 256 / ((edge[b] == infinity ? highest : edge[b]) - low_[b]);
    if (std::isfinite(scale)) scale_[b] = scale;
  }
}

// Differences, products and whole parts never fall while the value rises.
BOUGH_VECTORS
void Steps::place(const double* value, const uint8_t* code, size_t n, uint8_t* fine) const {
  const double *low = low_.data(), *scale = scale_.data();
  for (size_t i = 0; i < n; ++i) {
    double step = (value[i] - low[code[i]]) * scale[code[i]];
    step = step > 0.0 ? step : 0.0;
    step = step < 255.0 ? step : 255.0;
    fine[i] = static_cast<uint8_t>(static_cast<int32_t>(step));
  }
}

}  // namespace bough
