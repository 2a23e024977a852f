// The two halves of search_bins.hpp, compiled once per criterion.
#pragma once

#include <algorithm>

#include "bound.hpp"
#include "open_bin.hpp"
#include "search_bins.hpp"

namespace bough {

namespace detail {

// Walks the known bins that have rows, from the lowest, keeping what lies to their left.
class BinWalk {
 public:
  BinWalk(const Parent& node, const ColumnBins& column)
      : column_(column), left_(static_cast<size_t>(node.k), 0.0), bin_(left_.size()) {}

  // The next bin with rows becomes the bin; false after the last.
  bool next() {
    for (size_t c = 0; c < left_.size(); ++c) left_[c] += bin_[c];
    left_rows_ += bin_rows_;
    left_weight_ += bin_weight_;
    while (++at_ < column_.coded.n_bins) {
      bin_rows_ = column_.histogram.read(place(), bin_.data());
      if (bin_rows_ > 0) break;
    }
    if (at_ >= column_.coded.n_bins) return false;
    return true;
  }
  template <bool regression>
  void weigh() {
    bin_weight_ = 0;
    if constexpr (regression) bin_weight_ = bin_[0];
    else
      for (double s : bin_) bin_weight_ += s;
  }

  int32_t at() const { return at_; }
  uint32_t place() const { return column_.coded.first_bin + static_cast<uint32_t>(at_); }
  const double* left() const { return left_.data(); }
  double left_weight() const { return left_weight_; }
  uint32_t left_rows() const { return left_rows_; }
  const double* bin() const { return bin_.data(); }
  double bin_weight() const { return bin_weight_; }
  uint32_t bin_rows() const { return bin_rows_; }

 private:
  const ColumnBins& column_;
  std::vector<double> left_, bin_;
  int32_t at_ = -1;
  double left_weight_ = 0, bin_weight_ = 0;
  uint32_t left_rows_ = 0, bin_rows_ = 0;
};

template <class C, class Judge>
struct BinSearch {
  const Judge& judge;
  const Target& target;
  const ColumnBins& column;
  const Care& care;
  Survey& survey;
  std::vector<double> corner = std::vector<double>(static_cast<size_t>(judge.node.k));
  Bound<Judge> bound{judge, C::regression, corner.data()};

  double scale() const { return C::scale(judge.node.impurity, judge.node.weight); }

  bool mixed(const BinWalk& walk) const {
    return care.exact && walk.bin_rows() > 1 &&
           column.coded.mixed[static_cast<size_t>(walk.at())] != 0;
  }

  Inside inside(const BinWalk& walk) const {
    Inside in{walk.left(), walk.left_weight(), walk.bin(), walk.bin_weight()};
    if constexpr (C::regression) {
      if (target.has_squares()) in.squares = squares_of(walk);
      in.lowest = column.lowest;
      in.highest = column.highest;
    }
    return in;
  }
  double squares_of(const BinWalk& walk) const { return column.histogram.squares(walk.place()); }

  // All judgements of the cut that has `left` to its left.
  template <class Offer>
  void offer(const double* left, double weight, uint32_t rows, Offer take) const {
    for (int way = 0; way < Judge::ways; ++way)
      if (judge.legal(way, rows))
        take(judge.gain(way, left, weight), judge.missing_to(way), judge.first_weight(way, weight));
  }

  // The cut between the bin before `walk.at()` and it.
  void between(const BinWalk& walk, int32_t before) const {
    offer(walk.left(), walk.left_weight(), walk.left_rows(),
          [&](double gain, int16_t missing_to, double weight) {
            if (survey.best.beats(gain))
              survey.best.offer(gain,
                                {before, 255, walk.left_rows(), weight, missing_to, nan, nan});
          });
  }

  // Last: all known rows | the missing ones.
  void known_or_missing(const BinWalk& walk, int32_t before) const {
    if constexpr (Judge::ways == 2 || Judge::children == 3) {
      if (judge.known < judge.least || judge.lost.rows < judge.least) return;
      const double gain = C::template two<0>(judge.node, walk.left(), walk.left_weight());
      survey.best.offer(gain,
                        {before, 255, walk.left_rows(), walk.left_weight(), 1, infinity, infinity});
    }
  }

  void look() const {
    BinWalk walk(judge.node, column);
    int32_t before = -1;
    int bins = 0;
    bool many_values = false;
    while (walk.next()) {
      walk.weigh<C::regression>();
      if (bins++ > 0) between(walk, before);
      before = walk.at();
      many_values |= column.coded.mixed[static_cast<size_t>(walk.at())] != 0;
      if (mixed(walk))
        survey.hopes.push_back(
            {care.bound && judge.node.bounded ? bound.quick(inside(walk)) : infinity, walk.at()});
    }
    known_or_missing(walk, before);
    survey.constant = bins <= 1 && !many_values && survey.missing_weight == 0;
  }

  // A bin to open: what lies to its left, and what it finds.
  struct Door {
    int32_t bin;
    double bound;
    std::vector<double> left;
    double weight;
    uint32_t rows, size;
    Best<BinCut> best;
  };

  // Opens what the floor lets through, the greatest bound first; then goes along the column once
  // more, to bring cuts between and inside bins into order.
  void refine(Floor& floor) const {
    std::vector<Door> doors = choose(floor);
    if (doors.empty()) return;
    std::vector<uint8_t> marked(static_cast<size_t>(column.coded.all_bins()), 0);
    std::vector<uint32_t> size(marked.size(), 0);
    for (const Door& door : doors) {
      marked[static_cast<size_t>(door.bin)] = 1;
      size[static_cast<size_t>(door.bin)] = door.size;
    }
    const Opened opened = gather(column, marked, size);
    Inside node{};
    node.lowest = column.lowest;
    node.highest = column.highest;
    for (Door& door : doors) {
      if (!floor.lets(door.bound, scale())) break;
      Opener<C, Judge>(judge, target, bound, node, care.bound && judge.node.bounded, column, floor,
                       scale(), door.bin, door.best)
          .open(opened.begin(door.bin), opened.end(door.bin), door.left.data(), door.weight,
                door.rows);
    }
    bring_into_order(doors);
  }

  void bring_into_order(std::vector<Door>& doors) const {
    std::sort(doors.begin(), doors.end(),
              [](const Door& a, const Door& b) { return a.bin < b.bin; });
    survey.best = Best<BinCut>(survey.best.tolerance());
    BinWalk walk(judge.node, column);
    auto door = doors.begin();
    int32_t before = -1;
    for (int bins = 0; walk.next(); ++bins) {
      walk.weigh<C::regression>();
      if (bins > 0) between(walk, before);
      before = walk.at();
      if (door == doors.end() || door->bin != walk.at()) continue;
      for (const auto& [gain, cut] : door->best.contenders()) survey.best.offer(gain, cut);
      ++door;
    }
    known_or_missing(walk, before);
  }

  // The bins to open, the greatest bound first. Quick bounds decide; what they let through is
  // looked at more closely.
  std::vector<Door> choose(const Floor& floor) const {
    std::vector<Door> doors;
    auto hope = survey.hopes.begin();
    const auto skip = [&] {
      while (hope != survey.hopes.end() && !floor.lets(hope->bound, scale())) ++hope;
      return hope == survey.hopes.end();
    };
    BinWalk walk(judge.node, column);
    while (!skip() && walk.next()) {
      walk.weigh<C::regression>();
      if (walk.at() != hope->bin) continue;
      double most = hope->bound;
      if (care.bound && judge.node.bounded) most = std::min(most, bound.tight(inside(walk)));
      if (floor.lets(most, scale()))
        doors.push_back({walk.at(), most,
                         std::vector<double>(walk.left(), walk.left() + judge.node.k),
                         walk.left_weight(), walk.left_rows(), walk.bin_rows(),
                         Best<BinCut>(survey.best.tolerance())});
      ++hope;
    }
    std::stable_sort(doors.begin(), doors.end(),
                     [](const Door& a, const Door& b) { return a.bound > b.bound; });
    return doors;
  }
};

// Calls `with(judge)` with the judge that fits the column's missing cells.
template <class C, int K, class With>
void with_judge(const Parent& node, const ColumnBins& column, const Rules& rules, Survey& survey,
                With with) {
  const uint32_t least = std::max<uint32_t>(rules.min_rows_leaf, 1);
  std::vector<double> missing(static_cast<size_t>(node.k), 0.0), scratch(missing.size());
  uint32_t lost = 0;
  if (column.coded.missing)
    lost = column.histogram.read(
        column.coded.first_bin + static_cast<uint32_t>(column.coded.n_bins), missing.data());
  const uint32_t known = column.n - lost;
  if (lost == 0 || column.known_only) return with(NoMissing<C, K>{node, known, least});
  double weight = 0;
  if constexpr (C::regression) weight = missing[0];
  else
    for (double s : missing) weight += s;
  survey.missing_weight = weight;
  const Lost these{missing.data(), weight, lost};
  if (column.column.missing == Missing::own)
    with(OwnMissing<C, 0>{node, known, least, these, scratch.data()});
  else with(LearnedMissing<C, 0>{node, known, least, these, scratch.data()});
}

template <class C, int K>
void survey_bins(const Parent& node, const Target& target, const ColumnBins& column,
                 const Rules& rules, const Care& care, Survey& survey) {
  with_judge<C, K>(node, column, rules, survey, [&]<class Judge>(const Judge& judge) {
    BinSearch<C, Judge>{judge, target, column, care, survey}.look();
  });
}

template <class C, int K>
void refine_bins(const Parent& node, const Target& target, const ColumnBins& column,
                 const Rules& rules, const Care& care, Floor& floor, Survey& survey) {
  with_judge<C, K>(node, column, rules, survey, [&]<class Judge>(const Judge& judge) {
    BinSearch<C, Judge>{judge, target, column, care, survey}.refine(floor);
  });
}

}  // namespace detail

template <class C>
void survey_bins(const Parent& node, const Target& target, const ColumnBins& column,
                 const Rules& rules, const Care& care, Survey& survey) {
  if (!C::regression && node.k == 2)
    detail::survey_bins<C, C::regression ? 0 : 2>(node, target, column, rules, care, survey);
  else detail::survey_bins<C, 0>(node, target, column, rules, care, survey);
}

template <class C>
void refine_bins(const Parent& node, const Target& target, const ColumnBins& column,
                 const Rules& rules, const Care& care, Floor& floor, Survey& survey) {
  if (!C::regression && node.k == 2)
    detail::refine_bins<C, C::regression ? 0 : 2>(node, target, column, rules, care, floor, survey);
  else detail::refine_bins<C, 0>(node, target, column, rules, care, floor, survey);
}

}  // namespace bough
