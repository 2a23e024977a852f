#include "codes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>

#include "binning.hpp"
#include "refuse.hpp"

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

void check_levels(const Column& column, size_t index, const uint32_t* rows, size_t n) {
  int32_t most = -1;
  for (size_t i = 0; i < n; ++i) most = std::max(most, column.code(rows[i]));
  if (most < column.n_levels) return;
  for (size_t i = 0; i < n; ++i) check_level(column, index, rows[i]);
}

bool by_edges(const Column& column, int most_bins) {
  return column.kind == Kind::number ||
         (column.kind == Kind::ordered && column.n_levels > most_bins);
}

// Looks at a sample of the column and decides on its bins.
void prepare(Coder& coder, std::span<const uint32_t> rows, const Options& options) {
  CodedColumn& coded = coder.coded;
  coded.coded = true;
  if (!by_edges(coder.column, options.most_bins)) {
    coded.n_bins = coder.column.n_levels;
    coded.mixed.assign(static_cast<size_t>(coded.n_bins), 0);
    return;
  }
  const std::vector<double> sample = sample_of(coder.column, rows);
  bool few_values = false;
  coded.edge = choose_edges(sample, options.most_bins, few_values, coder.all_mixed);
  coded.n_bins = static_cast<int32_t>(coded.edge.size());
  coder.ladder = Ladder(coded.edge);
  if (!few_values && options.fine_codes) {
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
  if (coder.column.cell == Cell::i32) check_levels(coder.column, coder.index, rows, n);
  if (load(coder.column, rows, n, value))
    for (size_t i = 0; i < n; ++i)
      if (std::fabs(value[i]) == infinity) refuse_infinite(coder.index, rows[i]);
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
  check_levels(coder.column, coder.index, rows, n);
  const int32_t n_levels = coder.column.n_levels;
  bool missing = false;
  for (size_t i = 0; i < n; ++i) {
    const int32_t level = coder.column.code(rows[i]);
    missing |= level < 0;
    code[i] = static_cast<uint8_t>(level < 0 ? n_levels : level);
  }
  if (missing) coder.missing.store(true, std::memory_order_relaxed);
}

}  // namespace

Codes::Codes(const std::vector<Column>& columns, std::span<const uint32_t> rows, size_t table_rows,
             const Options& options, Pool& pool)
    : table_rows_(table_rows), columns_(columns.size()) {
  const int most_bins = options.most_bins;
  for (const Column& column : columns) given_.emplace_back(column.kind, column.n_levels);
  std::deque<Coder> coders;
  for (size_t c = 0; c < columns.size(); ++c)
    if (by_edges(columns[c], most_bins) || columns[c].n_levels <= most_bins)
      coders.emplace_back(columns[c], columns_[c], c);
    else check_levels(columns[c], c, rows.data(), rows.size());
  pool.each(coders.size(), [&](size_t i, int) { prepare(coders[i], rows, options); });
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

Codes::Codes(const Codes& whole, const std::vector<uint32_t>& rows, Pool& pool)
    : table_rows_(rows.size()),
      n_bins_(whole.n_bins_),
      given_(whole.given_),
      columns_(whole.columns_) {
  lay_out();
  const auto gather = [&](const uint8_t* from, uint8_t* to) {
    for (size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  };
  pool.each(columns_.size(), [&](size_t c, int) {
    if (!columns_[c].coded) return;
    gather(whole.column(c), const_cast<uint8_t*>(column(c)));
    if (fine(c)) gather(whole.fine(c), const_cast<uint8_t*>(fine(c)));
  });
  for (size_t p = 0; p < panels_.size(); ++p) panels_[p].first_bin = whole.panels_[p].first_bin;
  pool.each((rows.size() + chunk - 1) / chunk, [&](size_t k, int) {
    const size_t end = std::min((k + 1) * chunk, rows.size());
    for (size_t p = 0; p < panels_.size(); ++p) {
      const size_t stride = panels_[p].stride;
      uint8_t* to = const_cast<uint8_t*>(panels_[p].codes);
      for (size_t i = k * chunk; i < end; ++i)
        std::memcpy(to + i * stride, whole.panels_[p].codes + rows[i] * stride, stride);
    }
  });
}

bool Codes::fits(const std::vector<Column>& columns, size_t table_rows) const {
  return table_rows == table_rows_ &&
         std::equal(columns.begin(), columns.end(), given_.begin(), given_.end(),
                    [](const Column& column, const std::pair<Kind, int32_t>& given) {
                      return std::pair(column.kind, column.n_levels) == given;
                    });
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
