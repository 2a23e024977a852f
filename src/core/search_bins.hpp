// The best threshold of a column at a large node, from its histogram.
//
//   survey   judges every cut between bins, and says of each bin with several values how much a cut
//            inside it could gain at most (bound.hpp): a hope
//   refine   opens the bins whose hope is not below the best gain known: gathers their rows, and
//            judges the cuts inside
//
// Both go through the best.hpp rule in the order of the cuts, so the answer is the one a look at
// every cut finds. Which bins are opened depends on the floor, and it may rise at any moment; the
// answer does not, since an unopened bin holds nothing that could matter.
//
//   bins:     [ 0 | 1 | 2 (mixed) | 3 | … ]      survey: left = bins passed, a cut at every |
//   opened:             [ · | ·· | · ]           refine: cuts between the values inside
#pragma once

#include <atomic>
#include <cmath>
#include <vector>

#include "best.hpp"
#include "codes.hpp"
#include "histogram.hpp"
#include "search.hpp"

namespace bough {

// One column of a large node.
struct ColumnBins {
  const Histogram& histogram;
  const CodedColumn& coded;
  const Column& column;
  const uint8_t* code;   // by row of the table
  const uint8_t* fine;   // the same, may be null
  const uint32_t* rows;  // of the node
  uint32_t n;
  bool known_only;         // rows whose cell is missing take no part
  double lowest, highest;  // numbers: targets of the node, about the centre
};

// A cut of the known rows, in the order of the column.
struct BinCut {
  int32_t bin = 0;     // the last bin that has rows on the left
  uint8_t fine = 255;  // and the last step inside it; all of the step if nobody has looked
  uint32_t rows = 0;   // on the left
  double weight = 0;   // of child 0
  int16_t missing_to = -1;
  // The largest value on the left, the smallest on the right. NaN: nobody has looked.
  double below = nan, above = nan;
};

struct Hope {
  double bound;
  int32_t bin;
};

struct Survey {
  explicit Survey(double tolerance) : best(tolerance) {}
  Best<BinCut> best;
  std::vector<Hope> hopes;
  bool constant = false;  // all rows in one bin of one value
  double missing_weight = 0;
  double top() const { return best.empty() ? -infinity : best.top(); }
};

// The best gain known so far; it only rises.
class Floor {
 public:
  explicit Floor(double tolerance) : slack_(2 * tolerance) {}
  void raise(double gain) {
    double old = gain_.load(std::memory_order_relaxed);
    while (gain > old && !gain_.compare_exchange_weak(old, gain, std::memory_order_relaxed)) {
    }
  }
  // Could a cut that gains at most `bound` matter? It does if it comes within the tolerance of a
  // best that comes within the tolerance of the best of all. Bounds are rounded, too.
  bool lets(double bound, double scale) const {
    return bound * (1 + 1e-7) + 1e-9 * scale + slack_ >= gain_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<double> gain_{-infinity};
  double slack_;
};

// Switches of the search; tests turn them.
struct Care {
  bool exact = true;  // false: cuts between bins only
  bool bound = true;  // false: open every bin
};

using SurveyBins = void (*)(const Parent&, const Target&, const ColumnBins&, const Rules&,
                            const Care&, Survey&);
using RefineBins = void (*)(const Parent&, const Target&, const ColumnBins&, const Rules&,
                            const Care&, Floor&, Survey&);

}  // namespace bough
