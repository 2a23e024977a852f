#include "surrogates.hpp"

#include <algorithm>

#include "best.hpp"
#include "route.hpp"
#include "threshold.hpp"

namespace bough {

namespace {

constexpr size_t most_surrogates = 5;

class Finder {
 public:
  Finder(const Problem& problem, const SentRows& rows, const Growing& node)
      : problem_(problem), rows_(rows), node_(node) {}

  std::vector<Surrogate> run() const {
    std::vector<Surrogate> found;
    for (const auto& [most, c] : hopeful_first()) {
      if (found.size() == most_surrogates && most < found.back().agreement) break;
      const Segment segment = rows_.segment(static_cast<size_t>(c));
      Sides all;
      for (uint32_t i = 0; i < segment.known; ++i) add(all, segment.entry[i]);
      if (problem_.columns[static_cast<size_t>(c)].kind == Kind::category)
        by_level(c, segment, all, found);
      else by_threshold(c, segment, all, found);
      std::sort(found.begin(), found.end(), [](const Surrogate& a, const Surrogate& b) {
        return a.agreement != b.agreement ? a.agreement > b.agreement : a.column < b.column;
      });
      if (found.size() > most_surrogates) found.resize(most_surrogates);
    }
    return found;
  }

 private:
  const Problem& problem_;
  const SentRows& rows_;
  const Growing& node_;

  // The other columns, by the most they could agree.
  std::vector<std::pair<double, int32_t>> hopeful_first() const {
    std::vector<std::pair<double, int32_t>> columns;
    for (int32_t c : *node_.active)
      if (c != node_.column) columns.emplace_back(rows_.most_agreement(static_cast<size_t>(c)), c);
    std::stable_sort(columns.begin(), columns.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    return columns;
  }

  // Rows the split itself cannot send teach nothing.
  void add(Sides& sides, uint32_t entry) const {
    const uint16_t child = rows_.child_of(entry & row_of);
    if (child < 2) sides.to[child] += rows_.target.weight(entry & row_of);
  }

  void by_threshold(int32_t c, const Segment& segment, const Sides& all,
                    std::vector<Surrogate>& found) const {
    struct Cut {
      uint32_t at;
      bool flipped;
    };
    Best<Cut> best(1e-12 * all.sum());
    Sides low;
    for (uint32_t i = 0; i < segment.known; ++i) {
      if (i > 0 && (segment.entry[i] & new_value)) {
        best.offer(low.to[0] + all.to[1] - low.to[1], {i, false});
        best.offer(low.to[1] + all.to[0] - low.to[0], {i, true});
      }
      add(low, segment.entry[i]);
    }
    if (best.empty() || !(best.gain() > all.larger())) return;
    const Cut cut = best.first();
    const Column& column = problem_.columns[static_cast<size_t>(c)];
    const double below = column.number(segment.table_row(segment.entry[cut.at - 1]));
    const double above = column.number(segment.table_row(segment.entry[cut.at]));
    found.push_back({c,
                     threshold_between(below, above, column, problem_.options),
                     cut.flipped,
                     {},
                     {},
                     best.gain() / all.sum()});
  }

  // Every level goes where most of its weight goes; on a tie to the larger side.
  void by_level(int32_t c, const Segment& segment, const Sides& all,
                std::vector<Surrogate>& found) const {
    Surrogate surrogate{c, nan, false, {}, {}, 0};
    const int16_t usual = all.to[1] > all.to[0] ? 1 : 0;
    double agreed = 0;
    for (uint32_t i = 0; i < segment.known;) {
      Sides level;
      const int32_t code = segment.column->code(segment.table_row(segment.entry[i]));
      do add(level, segment.entry[i++]);
      while (i < segment.known && !(segment.entry[i] & new_value));
      if (level.sum() == 0) continue;
      const bool tie = level.to[0] == level.to[1];
      surrogate.levels.push_back(code);
      surrogate.level_child.push_back(tie ? usual : level.to[1] > level.to[0]);
      agreed += level.larger();
    }
    if (!(agreed > all.larger())) return;
    surrogate.agreement = agreed / all.sum();
    found.push_back(std::move(surrogate));
  }
};

}  // namespace

std::vector<Surrogate> find_surrogates(const Problem& problem, const SentRows& rows,
                                       const Growing& node) {
  return Finder(problem, rows, node).run();
}

int16_t route_by(const Surrogate& surrogate, const Problem& problem, uint32_t row) {
  const Column& column = problem.columns[static_cast<size_t>(surrogate.column)];
  if (surrogate.threshold == surrogate.threshold)
    return route_threshold_surrogate(column.number(row), surrogate.threshold,
                                     problem.options.strict, surrogate.flipped);
  return route_level_surrogate(column.code(row), surrogate.levels.data(),
                               surrogate.levels.data() + surrogate.levels.size(),
                               surrogate.level_child.data());
}

}  // namespace bough
