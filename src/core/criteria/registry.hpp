// All criteria, as a table to be read in a minute. A new one: its header, and a line below.
#pragma once

#include <string_view>

#include "../search.hpp"
#include "../search_threshold.hpp"
#include "chi2.hpp"
#include "cost_gini.hpp"
#include "entropy.hpp"
#include "error.hpp"
#include "gain_ratio.hpp"
#include "gini.hpp"
#include "squared_error.hpp"
#include "twoing.hpp"

namespace bough {

struct Criterion {
  std::string_view name;
  bool regression;
  double (*impurity)(const double* s, int32_t k, double weight, const double* costs);
  double (*scale)(double impurity, double weight);
  double (*priority)(double gain, double weight);
  double (*two)(const Parent&, const double* left, double left_weight);
  double (*many)(const Parent&, const double* const* child, const double* weight, int32_t m);
  ThresholdSearch search_threshold;
};

template <class C>
constexpr Criterion line() {
  return {C::name,      C::regression,       &C::impurity, &C::scale,
          &C::priority, &C::template two<0>, &C::many,     &search_threshold<C>};
}

inline constexpr Criterion criteria[] = {
    line<Entropy>(), line<GainRatio>(), line<Gini>(),         line<Error>(),
    line<Twoing>(),  line<Chi2>(),      line<SquaredError>(), line<CostGini>(),
};

// The place of a criterion in the table, −1 if there is none of that name.
constexpr int criterion_index(std::string_view name) {
  for (size_t i = 0; i < std::size(criteria); ++i)
    if (criteria[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace bough
