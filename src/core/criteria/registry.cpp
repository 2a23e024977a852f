#include "registry.hpp"

#include "../search_bins_impl.hpp"
#include "../search_threshold.hpp"
#include "chi2.hpp"
#include "cost_gini.hpp"
#include "entropy.hpp"
#include "error.hpp"
#include "gain_ratio.hpp"
#include "gini.hpp"
#include "significance.hpp"
#include "squared_error.hpp"
#include "twoing.hpp"

namespace bough {

namespace {

// The searches are compiled once per criterion, here and nowhere else.
template <class C>
constexpr Criterion line() {
  return {C::name,         C::regression,       &C::impurity, &C::scale,
          &C::priority,    &C::template two<0>, &C::many,     &search_threshold<C>,
          &survey_bins<C>, &refine_bins<C>};
}

// Searched by χ² (verdict.hpp), so it has no searches of its own.
constexpr Criterion significance_line() {
  Criterion line_of_chi2 = line<Chi2>();
  line_of_chi2.name = Significance::name;
  line_of_chi2.scale = &Significance::scale;
  line_of_chi2.two = &Significance::two;
  line_of_chi2.many = &Significance::many;
  return line_of_chi2;
}

constexpr Criterion table[] = {
    line<Entropy>(), line<GainRatio>(),    line<Gini>(),     line<Error>(),       line<Twoing>(),
    line<Chi2>(),    line<SquaredError>(), line<CostGini>(), significance_line(),
};

}  // namespace

const std::span<const Criterion> criteria = table;

int criterion_index(std::string_view name) {
  for (size_t i = 0; i < criteria.size(); ++i)
    if (criteria[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace bough
