#include "known.hpp"

#include "criteria/chi2.hpp"
#include "criteria/gain_ratio.hpp"
#include "criteria/squared_error.hpp"

namespace bough {

KnownParent known_parent(const Parent& whole, std::vector<double> sums, double weight,
                         const Criterion& criterion, const Target& target) {
  KnownParent known{std::move(sums), whole};
  known.parent.s = known.sums.data();
  known.parent.weight = weight;
  known.parent.unknown = whole.weight - weight;
  if (weight <= 0) return known;
  if (target.regression()) SquaredError::find_centre(known.parent, target.unit_of_sums());
  else known.parent.impurity = criterion.impurity(known.sums.data(), whole.k, weight, whole.costs);
  return known;
}

void weigh_gain(const Criterion& criterion, const Parent& known, const Parent& whole,
                Found& found) {
  if (criterion.name != Chi2::name && criterion.name != GainRatio::name)
    found.gain *= known.weight / whole.weight;
}

}  // namespace bough
