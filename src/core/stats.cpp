#include "stats.hpp"

#include <algorithm>
#include <cmath>

#include "exact_sum.hpp"

namespace bough {

namespace {

// The unit in which `n` terms of at most `largest` can be added below 2^53 units.
double unit_for(double largest, size_t n) {
  if (largest == 0) return 0;
  const int bits = std::ilogb(largest) + 1 + std::ilogb(static_cast<double>(n)) + 1;
  return std::ldexp(1.0, std::max(bits - 53, -1022));
}

double round_to(double x, double unit) { return unit == 0 ? 0.0 : std::nearbyint(x / unit) * unit; }

// The number to multiply weights with so that they are whole: a power of ten if they are decimals
// of a few digits, else a power of two that leaves their sum below 2^53.
double scale_for(const double* weight, size_t n) {
  double scale = 1;
  for (size_t i = 0; i < n; ++i)
    while (scale < 1e9 && std::nearbyint(weight[i] * scale) / scale != weight[i]) scale *= 10;
  double sum = 0;
  bool decimal = true;
  for (size_t i = 0; i < n && decimal; ++i) {
    const double whole = std::nearbyint(weight[i] * scale);
    decimal = whole / scale == weight[i] && (sum += whole) < 0x1p53;
  }
  return decimal ? scale : 1 / unit_for(*std::max_element(weight, weight + n), n);
}

}  // namespace

Target::Target(const Problem& problem, bool pieces) : n_classes_(problem.n_classes) {
  set_weights(problem, pieces);
  if (regression()) {
    set_moments(problem);
  } else {
    class_.resize(problem.n_rows);
    for (size_t i = 0; i < problem.n_rows; ++i)
      class_[i] = static_cast<uint16_t>(problem.classes[i]);
  }
}

Target::Target(const Target& whole, const uint32_t* rows, size_t n)
    : n_classes_(whole.n_classes_),
      scale_(whole.scale_),
      unit_(whole.unit_),
      centre_(whole.centre_),
      fine_unit_(whole.fine_unit_),
      square_unit_(whole.square_unit_) {
  const auto take = [&](const auto& from, auto& to, size_t each) {
    if (from.empty()) return;
    to.resize(n * each);
    for (size_t i = 0; i < n; ++i) std::copy_n(&from[rows[i] * each], each, &to[i * each]);
  };
  take(whole.class_, class_, 1);
  take(whole.weight_, weight_, 1);
  take(whole.moment_, moment_, moments_per_row);
  take(whole.number_, number_, 1);
}

void Target::set_weights(const Problem& problem, bool pieces) {
  const double* w = problem.weights;
  const size_t n = problem.n_rows;
  if (pieces) {
    // A power of two: a row of average weight can be shared out into 2²⁰ pieces and more.
    const double largest = w ? *std::max_element(w, w + n) : 1.0;
    scale_ = largest > 0 ? std::min(1 / unit_for(largest, n), std::ldexp(1.0, 40)) : 1.0;
    weight_.resize(n);
    for (size_t i = 0; i < n; ++i) weight_[i] = std::nearbyint((w ? w[i] : 1.0) * scale_);
    return;
  }
  if (!w || std::all_of(w, w + n, [](double x) { return x == 1.0; })) return;
  scale_ = scale_for(w, n);
  weight_.resize(n);
  for (size_t i = 0; i < n; ++i) weight_[i] = std::nearbyint(w[i] * scale_);
}

uint32_t Target::add_piece(uint32_t of, double weight) {
  const size_t piece = weight_.size();
  weight_.push_back(weight);
  if (!regression()) {
    class_.push_back(class_[of]);
    return static_cast<uint32_t>(piece);
  }
  number_.push_back(number_[of]);
  moment_.resize(moment_.size() + moments_per_row);
  put_moments(&moment_[moments_per_row * piece], weight, number_[of]);
  return static_cast<uint32_t>(piece);
}

void Target::set_moments(const Problem& problem) {
  const size_t n = problem.n_rows;
  number_.assign(problem.numbers, problem.numbers + n);
  // The centre keeps large offsets out of the sums. Few bits, so that whole targets stay whole.
  ExactSum sum, weight;
  double low = infinity, high = -infinity;
  for (size_t i = 0; i < n; ++i) {
    const double w = this->weight(static_cast<uint32_t>(i));
    if (w == 0) continue;
    sum.add(w * number_[i]);
    weight.add(w);
    low = std::min(low, number_[i]);
    high = std::max(high, number_[i]);
  }
  const double mean = sum.value() / weight.value(), range = high - low;
  const double step = range > 0 ? std::ldexp(1.0, std::ilogb(range) - 10) : 0.0;
  const double centre = step > 0 ? std::nearbyint(mean / step) * step : mean;

  double farthest = 0, heaviest = 0;
  centre_ = centre;
  for (size_t i = 0; i < n; ++i) {
    const double w = this->weight(static_cast<uint32_t>(i));
    if (w == 0) continue;
    farthest = std::max(farthest, std::fabs(number_[i] - centre));
    heaviest = std::max(heaviest, w);
  }
  unit_ = unit_for(farthest * heaviest, n);
  fine_unit_ = unit_for(unit_, n);
  const double square = farthest * farthest * heaviest;
  square_unit_ = std::isfinite(square * static_cast<double>(n)) ? unit_for(square, n) : 0;
  moment_.resize(moments_per_row * n);
  for (size_t i = 0; i < n; ++i)
    put_moments(&moment_[moments_per_row * i], this->weight(static_cast<uint32_t>(i)), number_[i]);
}

void Target::put_moments(double* to, double weight, double number) const {
  const double gap = weight > 0 ? number - centre_ : 0, term = weight * gap;
  to[0] = weight;
  to[1] = round_to(term, unit_);
  to[2] = round_to(term - to[1], fine_unit_);
  to[3] = square_unit_ > 0 ? std::ceil(term * gap / square_unit_) * square_unit_ : 0;
}

}  // namespace bough
