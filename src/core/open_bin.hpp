// Opening bins: their rows with raw values, and the cuts inside.
//
//   gather   one pass over the node's rows takes those whose code is marked:
//            items:   [ bin 17: (value, row) … | bin 18: … | bin 90: … ]
//   Opener   many items are first dealt into buckets by value, and only buckets that may hold
//            something are looked into (the same bound again); few are sorted and scanned
#pragma once

#include <algorithm>
#include <vector>

#include "bound.hpp"
#include "search_bins.hpp"

namespace bough {

struct Item {
  double value;
  uint32_t row;
};

struct Opened {
  std::vector<Item> items;
  std::vector<uint32_t> at;  // where the items of a bin begin

  Item* begin(size_t bin) const { return const_cast<Item*>(items.data()) + at[bin]; }
  Item* end(size_t bin) const { return const_cast<Item*>(items.data()) + at[bin + 1]; }
};

// `size[bin]`: rows of every marked bin in the node.
Opened gather(const ColumnBins& column, const std::vector<uint8_t>& marked,
              const std::vector<uint32_t>& size);

template <class C, class Judge>
struct Opener {
  const Judge& judge;
  const Target& target;
  Floor& floor;
  Best<BinCut>& best;
  int32_t bin;
  double scale;

  // Judges the cuts among the items; `left` lies to their left.
  void open(Item* begin, Item* end, const double* left, double weight, uint32_t n_left) {
    const std::vector<double> before(left, left + judge.node.k);
    scan(begin, end, before, weight, n_left);
  }

 private:
  // Opened rows are few: no need for a loop per kind of row.
  void add(double* s, double& weight, uint32_t row) const {
    if constexpr (C::regression) NumberRows{target.moments()}.add(s, weight, row);
    else if (target.unit_weights()) ClassRows{target.classes()}.add(s, weight, row);
    else WeightedClassRows{target.classes(), target.weights()}.add(s, weight, row);
  }

  void scan(Item* begin, Item* end, std::vector<double> left, double weight, uint32_t n_left) {
    std::sort(begin, end, [](const Item& a, const Item& b) {
      return a.value != b.value ? a.value < b.value : a.row < b.row;
    });
    for (Item* item = begin; item != end; ++item) {
      if (item != begin && item->value != item[-1].value) {
        for (int way = 0; way < Judge::ways; ++way) {
          if (!judge.legal(way, n_left)) continue;
          const double gain = judge.gain(way, left.data(), weight);
          if (!best.beats(gain)) continue;
          best.offer(gain, {bin, n_left, judge.first_weight(way, weight), judge.missing_to(way),
                            item[-1].value, item->value});
          floor.raise(gain);
        }
      }
      add(left.data(), weight, item->row);
      ++n_left;
    }
  }
};

}  // namespace bough
