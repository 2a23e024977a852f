#include "codes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <string>

#include "binning.hpp"

namespace bough {

namespace {

constexpr size_t panel_columns = 64;
constexpr size_t chunk = 1024;  // rows coded at once: their cells stay in the nearest cache

// What coding must know and find out about one column.
struct Coder {
  const Column& column;
  CodedColumn& coded;
  size_t index;
  Ladder ladder;                              // numbers
  Steps steps;                                // their fine codes
  std::vector<std::atomic<uint8_t>> mixed{};  // numbers: found while coding
  bool all_mixed = false;                     // known beforehand: nothing to find out
  std::atomic<bool> missing{false};

  Coder(const Column& given, CodedColumn& to, size_t i) : column(given), coded(to), index(i) {}
};

[[noreturn]] void refuse(const Coder& coder, uint32_t row, const std::string& what) {
  throw InputError("column " + std::to_string(coder.index) + ", row " + std::to_string(row) + ": " +
                   what);
}

bool by_edges(const Column& column, int most_bins) {
  return column.kind == Kind::number ||
         (column.kind == Kind::ordered && column.n_levels > most_bins);
}

// Looks at a sample of the column and decides on its bins.
void prepare(Coder& coder, std::span<const uint32_t> rows, int most_bins) {
  CodedColumn& coded = coder.coded;
  coded.coded = true;
  if (!by_edges(coder.column, most_bins)) {
    coded.n_bins = coder.column.n_levels;
    coded.mixed.assign(static_cast<size_t>(coded.n_bins), 0);
    return;
  }
  const std::vector<double> sample = sample_of(coder.column, rows);
  bool few_values = false;
  coded.edge = choose_edges(sample, most_bins, few_values, coder.all_mixed);
  coded.n_bins = static_cast<int32_t>(coded.edge.size());
  coder.ladder = Ladder(coded.edge);
  if (!few_values) {
    coder.steps = Steps(coded.edge, sample.front(), sample.back());
    coded.fine_place = 0;
  }
  coder.mixed = std::vector<std::atomic<uint8_t>>(coded.edge.size());
}

// Rising rows without a gap, as all are where every row counts.
bool neighbours(const uint32_t* rows, size_t n) { return rows[n - 1] - rows[0] == n - 1; }

// to[rows[i] * stride] = from[i]
void spread(const uint8_t* from, const uint32_t* rows, size_t n, size_t stride, uint8_t* to) {
  if (!neighbours(rows, n))
    for (size_t i = 0; i < n; ++i) to[rows[i] * stride] = from[i];
  else if (stride == 1) std::copy(from, from + n, to + rows[0]);
  else
    for (size_t i = 0; i < n; ++i) to[(rows[0] + i) * stride] = from[i];
}

// The values of up to `chunk` rows; whether any is infinite.
template <class Value>
bool load(const Column& column, const uint32_t* rows, size_t n, double* value) {
  const auto take = [&](auto row_of) {
    for (size_t i = 0; i < n; ++i)
      value[i] = *reinterpret_cast<const Value*>(column.data +
                                                 static_cast<ptrdiff_t>(row_of(i)) * column.stride);
  };
  if (neighbours(rows, n)) take([&](size_t i) { return rows[0] + i; });
  else take([&](size_t i) { return rows[i]; });
  bool infinite = false;
  for (size_t i = 0; i < n; ++i) infinite |= std::fabs(value[i]) == infinity;
  return infinite;
}

bool load(const Column& column, const uint32_t* rows, size_t n, double* value) {
  if (column.cell == Cell::f64) return load<double>(column, rows, n, value);
  if (column.cell == Cell::f32) return load<float>(column, rows, n, value);
  for (size_t i = 0; i < n; ++i) value[i] = column.number(rows[i]);
  return false;
}

void code_numbers(Coder& coder, const uint32_t* rows, size_t n, uint8_t* code, uint8_t* fine) {
  double value[chunk];
  uint8_t beside[chunk];
  if (load(coder.column, rows, n, value))
    for (size_t i = 0; i < n; ++i)
      if (std::fabs(value[i]) == infinity) refuse(coder, rows[i], "the value is infinite");
  const bool missing = coder.ladder.place(value, n, code, beside);
  if (missing) coder.missing.store(true, std::memory_order_relaxed);
  if (coder.coded.fine_place >= 0) coder.steps.place(value, code, n, fine);
  if (coder.all_mixed) return;
  if (!std::memchr(beside, 1, n)) return;
  uint8_t seen[256] = {};
  for (size_t i = 0; i < n; ++i) seen[code[i]] |= beside[i];
  for (size_t b = 0; b < coder.mixed.size(); ++b)  // written once: others may be reading
    if (seen[b] && !coder.mixed[b].load(std::memory_order_relaxed))
      coder.mixed[b].store(1, std::memory_order_relaxed);
}

void code_levels(Coder& coder, const uint32_t* rows, size_t n, uint8_t* code) {
  const int32_t n_levels = coder.column.n_levels;
  bool missing = false;
  for (size_t i = 0; i < n; ++i) {
    const int32_t level = coder.column.code(rows[i]);
    if (level >= n_levels)
      refuse(coder, rows[i],
             "level code " + std::to_string(level) + " of " + std::to_string(n_levels));
    missing |= level < 0;
    code[i] = static_cast<uint8_t>(level < 0 ? n_levels : level);
  }
  if (missing) coder.missing.store(true, std::memory_order_relaxed);
}

}  // namespace

Codes::Codes(const std::vector<Column>& columns, std::span<const uint32_t> rows, size_t table_rows,
             int most_bins, Pool& pool)
    : table_rows_(table_rows), columns_(columns.size()) {
  std::deque<Coder> coders;
  for (size_t c = 0; c < columns.size(); ++c)
    if (by_edges(columns[c], most_bins) || columns[c].n_levels <= most_bins)
      coders.emplace_back(columns[c], columns_[c], c);
  pool.each(coders.size(), [&](size_t i, int) { prepare(coders[i], rows, most_bins); });
  lay_out();

  const size_t chunks = (rows.size() + chunk - 1) / chunk;
  pool.each(chunks, [&](size_t i, int) {
    const uint32_t* some = rows.data() + i * chunk;
    const size_t n = std::min(chunk, rows.size() - i * chunk);
    uint8_t code[chunk], fine[chunk];
    for (size_t p = 0; p < coders.size(); ++p) {
      Coder& coder = coders[p];
      if (by_edges(coder.column, most_bins)) code_numbers(coder, some, n, code, fine);
      else code_levels(coder, some, n, code);
      const Panel& panel = panels_[p / panel_columns];
      uint8_t* across = const_cast<uint8_t*>(panel.codes) + p % panel_columns;
      spread(code, some, n, panel.stride, across);
      spread(code, some, n, 1, by_column_.data() + p * table_rows_);
      if (coder.coded.fine_place < 0) continue;
      const auto place = static_cast<size_t>(coder.coded.fine_place);
      spread(fine, some, n, 1, fine_.data() + place * table_rows_);
    }
  });
  for (Coder& coder : coders) {
    CodedColumn& coded = coder.coded;
    coded.missing = coder.missing;
    if (!coded.edge.empty()) coded.mixed.assign(coded.edge.size(), coder.all_mixed);
    for (size_t b = 0; b < coder.mixed.size(); ++b) coded.mixed[b] |= coder.mixed[b].load();
  }
  for (auto& coded : columns_) {
    if (!coded.coded) continue;
    coded.first_bin = n_bins_;
    panels_[static_cast<size_t>(coded.place) / panel_columns].first_bin.push_back(n_bins_);
    n_bins_ += static_cast<uint32_t>(coded.all_bins());
  }
}

// Rows of a panel start at a power of two where that wastes little: each is then in one cache line.
void Codes::lay_out() {
  size_t n = 0, fine = 0;
  for (auto& coded : columns_) {
    if (coded.coded) coded.place = static_cast<int32_t>(n++);
    if (coded.fine_place >= 0) coded.fine_place = static_cast<int32_t>(fine++);
  }
  fine_.resize(fine * table_rows_);
  by_column_.resize(n * table_rows_);
  std::vector<size_t> strides;
  size_t bytes = 0;
  for (size_t begin = 0; begin < n; begin += panel_columns) {
    const size_t width = std::min(panel_columns, n - begin), wide = std::bit_ceil(width);
    strides.push_back(wide * 3 <= width * 4 ? wide : width);
    bytes += strides.back() * table_rows_;
  }
  by_row_.resize(bytes);
  const uint8_t* at = by_row_.data();
  for (size_t stride : strides) {
    panels_.push_back({at, stride, {}});
    at += stride * table_rows_;
  }
}

}  // namespace bough
