// Opening bins: their rows with raw values, and the cuts inside.
//
//   gather   one pass over the node's rows takes those whose code is marked:
//            rows:   [ bin 17: row … | bin 18: … | bin 90: … ]
//   Opener   looks into one of them. Many rows are first summed up in buckets by their fine codes;
//            cuts between buckets are judged, and only buckets that could hold something better
//            (the same bound again) are sorted by value and scanned.
#pragma once

#include <algorithm>
#include <vector>

#include "bound.hpp"
#include "search_bins.hpp"

namespace bough {

struct Opened {
  std::vector<uint32_t> rows;
  std::vector<uint32_t> at;  // where the rows of a bin begin

  const uint32_t* begin(int32_t bin) const { return &rows[at[static_cast<size_t>(bin)]]; }
  const uint32_t* end(int32_t bin) const { return rows.data() + at[static_cast<size_t>(bin) + 1]; }
};

// `size[bin]`: rows of every marked bin in the node.
Opened gather(const ColumnBins& column, const std::vector<uint8_t>& marked,
              const std::vector<uint32_t>& size);

struct Item {
  double value;
  uint32_t row;
};
inline bool by_value(const Item& a, const Item& b) {
  return a.value != b.value ? a.value < b.value : a.row < b.row;
}

// Rows with their values.
std::vector<Item> load(const Column& column, const uint32_t* begin, const uint32_t* end);

// Rows by fine code.
//
//   rows:   [ bucket 0 | bucket 1 | … ]     at[b] … at[b+1]
struct Buckets {
  std::vector<uint32_t> rows;
  std::vector<uint32_t> at;
};
Buckets deal(const uint8_t* fine, const uint32_t* begin, const uint32_t* end);

template <class C, class Judge>
class Opener {
 public:
  Opener(const Judge& judge, const Target& target, const Bound<Judge>& bound, const Inside& node,
         bool bounded, const ColumnBins& column, Floor& floor, double scale, int32_t bin,
         Best<BinCut>& best)
      : judge_(judge),
        target_(target),
        bound_(bound),
        node_(node),
        bounded_(bounded),
        column_(column),
        floor_(floor),
        scale_(scale),
        bin_(bin),
        best_(best) {}

  // Judges the cuts among the rows; `left` lies to their left.
  void open(const uint32_t* begin, const uint32_t* end, const double* left, double weight,
            uint32_t rows) {
    left_.assign(left, left + k());
    weight_ = weight;
    rows_ = rows;
    if (!column_.fine || static_cast<size_t>(end - begin) <= std::max(few, 4 * k()))
      return scan(begin, end);
    sum_up(begin, end);
    look_into(begin, end);
  }

 private:
  static constexpr size_t few = 48;
  const Judge& judge_;
  const Target& target_;
  const Bound<Judge>& bound_;
  const Inside& node_;  // what a bound must know of the node
  const bool bounded_;
  const ColumnBins& column_;
  Floor& floor_;
  const double scale_;
  const int32_t bin_;
  Best<BinCut>& best_;
  std::vector<double> left_, buckets_;  // what lies left; what lies in every bucket
  double weight_ = 0;
  uint32_t rows_ = 0;

  // Opened rows are few: no need for a loop per kind of row.
  void add(double* s, double& weight, uint32_t row) const {
    if constexpr (C::regression) NumberRows{target_.moments()}.add(s, weight, row);
    else if (target_.unit_weights()) ClassRows{target_.classes()}.add(s, weight, row);
    else WeightedClassRows{target_.classes(), target_.weights()}.add(s, weight, row);
  }

  void cut(uint8_t fine, double below, double above) {
    for (int way = 0; way < Judge::ways; ++way) {
      if (!judge_.legal(way, rows_)) continue;
      const double gain = judge_.gain(way, left_.data(), weight_);
      if (!best_.beats(gain)) continue;
      best_.offer(gain, {bin_, fine, rows_, judge_.first_weight(way, weight_),
                         judge_.missing_to(way), below, above});
      floor_.raise(gain);
    }
  }

  void scan(const uint32_t* begin, const uint32_t* end) {
    std::vector<Item> items = load(column_.column, begin, end);
    std::sort(items.begin(), items.end(), by_value);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0 && items[i].value != items[i - 1].value)
        cut(255, items[i - 1].value, items[i].value);
      add(left_.data(), weight_, items[i].row);
      ++rows_;
    }
  }

  size_t k() const { return static_cast<size_t>(judge_.node.k); }
  // Per bucket its stats, its weight, its rows, and for numbers its squares.
  size_t width() const { return k() + 3; }

  void sum_up(const uint32_t* begin, const uint32_t* end) {
    constexpr ptrdiff_t ahead = 16;
    buckets_.assign(256 * width(), 0.0);
    for (const uint32_t* row = begin; row != end; ++row) {
#if defined(__GNUC__)
      if (end - row > ahead) {
        __builtin_prefetch(column_.fine + row[ahead]);
        target_.expect(row[ahead]);
      }
#endif
      double* bucket = &buckets_[column_.fine[*row] * width()];
      add(bucket, bucket[k()], *row);
      bucket[k() + 1] += 1;
      if constexpr (C::regression) bucket[k() + 2] += target_.moments()[moments_per_row * *row + 3];
    }
  }

  // Buckets one after the other: the cut before each, then the cuts inside it. Rows are dealt only
  // if one of them asks for its own.
  void look_into(const uint32_t* begin, const uint32_t* end) {
    Buckets dealt;
    int last = -1;
    for (size_t b = 0; b < 256; ++b) {
      const double* bucket = &buckets_[b * width()];
      const auto n = static_cast<uint32_t>(bucket[k() + 1]);
      if (n == 0) continue;
      if (last >= 0) cut(static_cast<uint8_t>(last), nan, nan);
      last = static_cast<int>(b);
      if (n > 1 && hopeful(bucket)) {
        if (dealt.rows.empty()) dealt = deal(column_.fine, begin, end);
        scan(dealt.rows.data() + dealt.at[b], dealt.rows.data() + dealt.at[b + 1]);
        continue;
      }
      for (size_t s = 0; s < k(); ++s) left_[s] += bucket[s];
      weight_ += bucket[k()];
      rows_ += n;
    }
  }

  bool hopeful(const double* bucket) const {
    if (!bounded_) return true;
    Inside in = node_;
    in.left = left_.data();
    in.left_weight = weight_;
    in.bin = bucket;
    in.bin_weight = bucket[k()];
    in.squares = C::regression && target_.has_squares() ? bucket[k() + 2] : -1;
    return floor_.lets(bound_.quick(in), scale_) && floor_.lets(bound_.tight(in), scale_);
  }
};

}  // namespace bough
