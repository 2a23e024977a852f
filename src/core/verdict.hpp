// From the best splits of all columns to the split of the node, or to a leaf.
#pragma once

#include <vector>

#include "criteria/registry.hpp"
#include "frontier.hpp"
#include "stats.hpp"

namespace bough {

class Verdict {
 public:
  Verdict(const Problem& problem, const Target& target);

  const Criterion& criterion() const { return criterion_; }
  // What a column's best is chosen by: C4.5 searches by gain, then compares ratios.
  const Criterion& search_criterion() const { return search_criterion_; }
  // Are splits judged by their adjusted p (criteria/significance.hpp)?
  bool by_significance() const { return significance_; }
  // What a split of a column is judged by; `gain` is χ² in the core's weights.
  double significance_of(const Parent& parent, const Found& found) const;
  // Is every column's own best asked for, not only the best of all?
  bool every_column() const { return average_ || priced_ || options_.runners_up; }

  // Is the node a leaf before any search?
  bool must_be_leaf(const Growing& node, const double* sums) const;

  // The place of the best column in `found`, −1 if none has a split that is enough. Sets the
  // node's `tie` when another is as good.
  int best_column(Growing& node, const Parent& parent, double all_weight,
                  std::vector<Found>& found) const;

  // χ² of the table children × classes; children and classes without weight do not count.
  double p_value(const NodeList& list, const Growing& node) const;

  // How far apart gains may be, in the caller's weights, and still tie.
  double tolerance_at(double impurity, double weight) const {
    return 1e-12 * scale_at(impurity, weight);
  }

 private:
  const Options& options_;
  const Criterion& criterion_;
  const CostRule rule_;
  const bool priced_;
  const bool average_, significance_;
  const Criterion& search_criterion_;
  const bool regression_;
  const int32_t k_;
  const double weight_scale_;

  double scale_at(double impurity, double weight) const {
    return criterion_.scale(impurity, weight / weight_scale_);
  }
  std::vector<char> candidates(const Parent& parent, std::vector<Found>& found) const;
  int most_gain(Growing& node, const Parent& parent, const std::vector<char>& candidate,
                const std::vector<Found>& found) const;
  int most_for_its_price(Growing& node, const std::vector<char>& candidate,
                         const std::vector<Found>& found) const;
  bool worth_it(const Growing& node, double gain, double all_weight) const;
};

}  // namespace bough
