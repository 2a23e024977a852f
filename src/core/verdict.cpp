#include "verdict.hpp"

#include <algorithm>
#include <cmath>

#include "best.hpp"
#include "chi2_p.hpp"
#include "criteria/chi2.hpp"
#include "criteria/entropy.hpp"
#include "criteria/gain_ratio.hpp"
#include "criteria/significance.hpp"

namespace bough {

namespace {

// What a column's best is chosen by, where that is not the criterion itself.
const Criterion& searched_by(const Criterion& criterion, bool average) {
  if (average) return criteria[criterion_index(Entropy::name)];
  if (criterion.name == Significance::name) return criteria[criterion_index(Chi2::name)];
  return criterion;
}

}  // namespace

Verdict::Verdict(const Problem& problem, const Target& target)
    : options_(problem.options),
      criterion_(criteria[problem.options.criterion]),
      rule_(problem.test_costs.rule),
      priced_(!problem.test_costs.cost.empty()),
      average_(criterion_.name == GainRatio::name && problem.options.ratio_average),
      significance_(criterion_.name == Significance::name),
      search_criterion_(searched_by(criterion_, average_)),
      regression_(target.regression()),
      k_(target.k()),
      weight_scale_(target.weight_scale()) {}

bool Verdict::must_be_leaf(const Growing& node, const double* sums) const {
  if (node.depth >= options_.max_depth || node.rows() < options_.min_rows_split) return true;
  if (node.rows() / 2 < options_.min_rows_leaf || node.active->empty()) return true;
  if (regression_) return node.deviation == 0 || node.impurity < options_.stop_error;
  return *std::max_element(sums, sums + k_) == node.weight;
}

namespace {

double ratio(const Parent& parent, const Found& found) {
  std::vector<double> part = found.child_weight;  // unknown cells count as a part, too (C4.5)
  if (found.unknown_weight > 0) part.push_back(found.unknown_weight);
  const auto m = static_cast<int32_t>(part.size());
  return GainRatio::ratio(found.gain, split_information(part.data(), m, parent.weight));
}

}  // namespace

// Which columns are in the race. With `average_` those of less than average gain drop out, and
// gains become ratios.
std::vector<char> Verdict::candidates(const Parent& parent, std::vector<Found>& found) const {
  double least = -infinity;
  if (average_) {
    double sum = 0;
    int n = 0;
    for (const Found& f : found)
      if (f.any) sum += f.gain, ++n;
    least = sum / n - 1e-12;
  }
  std::vector<char> candidate(found.size(), 0);
  for (size_t i = 0; i < found.size(); ++i) {
    Found& f = found[i];
    if (!f.any) continue;
    candidate[i] = f.gain >= least;
    if (average_) f.gain = ratio(parent, f);
  }
  return candidate;
}

int Verdict::most_gain(Growing& node, const Parent& parent, const std::vector<char>& candidate,
                       const std::vector<Found>& found) const {
  const double tolerance = tolerance_at(parent.impurity, parent.weight);
  Best<int> best(tolerance);
  for (size_t i = 0; i < found.size(); ++i)
    if (candidate[i]) best.offer(found[i].gain, static_cast<int>(i));
  if (best.empty()) return -1;
  for (size_t i = 0; i < found.size(); ++i)
    if (candidate[i] && static_cast<int>(i) != best.first())
      node.tie |= found[i].gain >= best.gain() - tolerance;
  return best.first();
}

int Verdict::most_for_its_price(Growing& node, const std::vector<char>& candidate,
                                const std::vector<Found>& found) const {
  const double scale = scale_at(node.impurity, node.weight);
  std::vector<Weighed> weighed(found.size());
  Weighed top;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!candidate[i]) continue;
    const double price = (*node.prices)[static_cast<size_t>((*node.active)[i])];
    weighed[i] = weigh(rule_, scale > 0 ? found[i].gain / scale : 0, price);
    if (better(weighed[i], top)) top = weighed[i];
  }
  int first = -1;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!candidate[i] || !as_good(weighed[i], top)) continue;
    node.tie |= first >= 0;
    if (first < 0) first = static_cast<int>(i);
  }
  return first;
}

// Cheap columns that gain too little are left out before gains are weighed: they would win, be
// refused, and make a leaf where a dearer column could part the rows.
int Verdict::best_column(Growing& node, const Parent& parent, double all_weight,
                         std::vector<Found>& found) const {
  std::vector<char> candidate = candidates(parent, found);
  if (!priced_) {
    const int best = most_gain(node, parent, candidate, found);
    if (best < 0) return -1;
    return worth_it(node, found[static_cast<size_t>(best)].gain, all_weight) ? best : -1;
  }
  for (size_t i = 0; i < found.size(); ++i)
    candidate[i] = candidate[i] && worth_it(node, found[i].gain, all_weight);
  return most_for_its_price(node, candidate, found);
}

double Verdict::significance_of(const Parent& parent, const Found& found) const {
  const int64_t df = chi2_freedom(parent.s, parent.k, found.n_children);
  return significance(chi2_log_p(found.gain / weight_scale_, df) + found.log_ways);
}

bool Verdict::worth_it(const Growing& node, double gain, double all_weight) const {
  if (gain < options_.min_gain || gain * node.weight / all_weight < options_.min_drop) return false;
  if (significance_ && gain < -std::log10(options_.max_adjusted_p)) return false;
  const double tolerance = tolerance_at(node.impurity, node.weight);
  if (gain < -tolerance) return false;  // cost_gini can lose
  return options_.zero_gain_split || gain > tolerance;
}

double Verdict::p_value(const NodeList& list, const Growing& node) const {
  if (regression_) return nan;
  const auto k = static_cast<size_t>(k_);
  std::vector<double> sums(k, 0.0);  // of the children: rows that stay behind do not count
  std::vector<const double*> child;
  std::vector<double> weight;
  double total = 0;
  for (auto i = static_cast<size_t>(node.first_child); i < list.node.size(); ++i) {
    child.push_back(&list.sums[i * k]);
    weight.push_back(list.node[i].weight);
    total += weight.back();
    for (size_t c = 0; c < k; ++c) sums[c] += child.back()[c];
  }
  const auto m = static_cast<int32_t>(child.size());
  const Parent parent{sums.data(), k_, total, 0};
  const double chi2 = Chi2::many(parent, child.data(), weight.data(), m);
  return chi2_p(chi2 / weight_scale_, chi2_freedom(sums.data(), k_, m));
}

}  // namespace bough
