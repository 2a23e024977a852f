// The rule of the best: of all offers within a tolerance of the largest gain, the first one made.
//
// The answer depends on the offers and their order alone, not on how the search went, so every way
// of searching finds the same split. Only offers that beat all earlier ones can matter (an earlier
// one at least as good stays as long), so the list of contenders stays tiny.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace bough {

template <class Offer>
class Best {
 public:
  explicit Best(double tolerance) : tolerance_(tolerance) {}

  bool beats(double gain) const { return gain > top_; }  // false for NaN

  void offer(double gain, const Offer& what) {
    if (!beats(gain)) return;
    top_ = gain;
    size_t keep = 0;
    while (keep < contenders_.size() && contenders_[keep].first < gain - tolerance_) ++keep;
    contenders_.erase(contenders_.begin(), contenders_.begin() + static_cast<std::ptrdiff_t>(keep));
    contenders_.emplace_back(gain, what);
  }

  double tolerance() const { return tolerance_; }
  double top() const { return top_; }  // the largest gain offered
  // Whoever offers these, in this order, offers all that matters.
  const std::vector<std::pair<double, Offer>>& contenders() const { return contenders_; }
  bool empty() const { return contenders_.empty(); }
  double gain() const { return contenders_.front().first; }
  const Offer& first() const { return contenders_.front().second; }

 private:
  double tolerance_;
  double top_ = -std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, Offer>> contenders_;
};

}  // namespace bough
