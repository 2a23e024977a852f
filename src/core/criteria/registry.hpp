// All criteria, as a table to be read in a minute (registry.cpp). A new one: its header, and a line
// there.
#pragma once

#include <span>
#include <string_view>

#include "../search.hpp"
#include "../search_bins.hpp"

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
  SurveyBins survey_bins;
  RefineBins refine_bins;
};

extern const std::span<const Criterion> criteria;

// The place of a criterion in the table, −1 if there is none of that name.
int criterion_index(std::string_view name);

}  // namespace bough
