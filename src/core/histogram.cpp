#include "histogram.hpp"

#include <algorithm>

namespace bough {

namespace {

constexpr size_t ahead = 16;  // rows whose codes are asked for before they are needed

// Calls add(row, codes of the row, offsets of the columns' bins, columns) for every row and panel.
template <class Add>
void each_row(const Codes& codes, size_t width, const uint32_t* rows, size_t n, Add add) {
  for (const Panel& panel : codes.panels()) {
    std::vector<uint32_t> offset;
    for (uint32_t bin : panel.first_bin) offset.push_back(bin * static_cast<uint32_t>(width));
    const size_t columns = offset.size();
    for (size_t i = 0; i < n; ++i) {
#if defined(__GNUC__)
      if (i + ahead < n) __builtin_prefetch(panel.codes + rows[i + ahead] * panel.stride);
#endif
      add(rows[i], panel.codes + rows[i] * panel.stride, offset.data(), columns);
    }
  }
}

template <size_t K>
void add_classes(const Codes& codes, const uint16_t* classes, size_t k, const uint32_t* rows,
                 size_t n, uint32_t* counts) {
  each_row(codes, k, rows, n,
           [=](uint32_t row, const uint8_t* code, const uint32_t* offset, size_t columns) {
             uint32_t* mine = counts + classes[row];
             const size_t width = K ? K : k;
             for (size_t c = 0; c < columns; ++c) mine[offset[c] + code[c] * width] += 1;
           });
}

void add_weighted(const Codes& codes, const Target& target, size_t width, const uint32_t* rows,
                  size_t n, double* sums) {
  const uint16_t* classes = target.classes();
  const double* weights = target.weights();
  each_row(codes, width, rows, n,
           [=](uint32_t row, const uint8_t* code, const uint32_t* offset, size_t columns) {
             for (size_t c = 0; c < columns; ++c) {
               double* bin = sums + offset[c] + code[c] * width;
               bin[classes[row]] += weights[row];
               bin[width - 1] += 1.0;
             }
           });
}

void add_numbers(const Codes& codes, const Target& target, const uint32_t* rows, size_t n,
                 double* sums) {
  constexpr size_t width = moments_per_row + 1;
  const double* moments = target.moments();
  each_row(codes, width, rows, n,
           [=](uint32_t row, const uint8_t* code, const uint32_t* offset, size_t columns) {
             const double* m = moments + moments_per_row * size_t{row};
             for (size_t c = 0; c < columns; ++c) {
               double* bin = sums + offset[c] + code[c] * width;
               for (size_t j = 0; j < moments_per_row; ++j) bin[j] += m[j];
               bin[moments_per_row] += 1.0;
             }
           });
}

size_t width_for(const Target& target) {
  if (target.regression()) return moments_per_row + 1;
  return static_cast<size_t>(target.k()) + !target.unit_weights();
}

}  // namespace

Histogram::Histogram(const Codes& codes, const Target& target)
    : k_(static_cast<size_t>(target.k())), width_(width_for(target)) {
  const size_t cells = codes.n_bins() * width_;
  if (!target.regression() && target.unit_weights()) counts_.assign(cells, 0);
  else sums_.assign(cells, 0.0);
}

void Histogram::add_some(const Codes& codes, const Target& target, const uint32_t* rows, size_t n) {
  if (target.regression()) add_numbers(codes, target, rows, n, sums_.data());
  else if (!target.unit_weights()) add_weighted(codes, target, width_, rows, n, sums_.data());
  else if (k_ == 2) add_classes<2>(codes, target.classes(), k_, rows, n, counts_.data());
  else add_classes<0>(codes, target.classes(), k_, rows, n, counts_.data());
}

void Histogram::add(const Codes& codes, const Target& target, const uint32_t* rows, size_t n,
                    Pool* pool) {
  const size_t parts = pool ? static_cast<size_t>(pool->threads()) : 1;
  if (parts == 1) return add_some(codes, target, rows, n);
  std::vector<Histogram> others(parts - 1, Histogram(codes, target));
  pool->each(parts, [&](size_t part, int) {
    const size_t begin = n * part / parts, end = n * (part + 1) / parts;
    Histogram& mine = part == 0 ? *this : others[part - 1];
    mine.add_some(codes, target, rows + begin, end - begin);
  });
  for (const Histogram& other : others) merge(other);
}

void Histogram::merge(const Histogram& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
}

void Histogram::subtract(const Histogram& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] -= other.counts_[i];
  for (size_t i = 0; i < sums_.size(); ++i) sums_[i] -= other.sums_[i];
}

}  // namespace bough
