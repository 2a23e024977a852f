// The chance of a χ² at least this large with df degrees of freedom, if nothing is going on.
#pragma once

#include <cmath>
#include <cstdint>

namespace bough {

// df is a whole number, so the upper incomplete gamma function Q(df/2, x/2) has a closed form: a
// finite sum upwards from Q(1, y) = e^−y or Q(½, y) = erfc √y, by Q(a+1, y) = Q(a, y) + y^a e^−y /
// Γ(a+1). Far too many degrees for the sum (thousands): Wilson and Hilferty's approximation.
inline double chi2_p(double statistic, int64_t df) {
  if (df < 1 || !(statistic > 0)) return 1.0;
  const double y = statistic / 2;
  if (df > 2000) {
    const double v = 2.0 / (9.0 * static_cast<double>(df));
    const double z = (std::cbrt(statistic / static_cast<double>(df)) - (1 - v)) / std::sqrt(v);
    return 0.5 * std::erfc(z / std::sqrt(2.0));
  }
  const double log_y = std::log(y);
  double a = df % 2 ? 0.5 : 1.0;
  double q = df % 2 ? std::erfc(std::sqrt(y)) : std::exp(-y);
  double log_term = a * log_y - y - (df % 2 ? std::log(std::sqrt(M_PI) / 2) : 0.0);
  for (; a < static_cast<double>(df) / 2 - 0.25; a += 1) {
    q += std::exp(log_term);
    log_term += log_y - std::log(a + 1);
  }
  return q < 1 ? q : 1.0;
}

// ln of the same, also where the chance is too small for a double. Far out the sum is taken from
// its largest term downwards: Q(a, y) = y^(a−1) e^−y / Γ(a) · (1 + (a−1)/y + (a−1)(a−2)/y² + …),
// which ends by itself for a whole a; for the others it is the known series of erfc.
inline double chi2_log_p(double statistic, int64_t df) {
  const double p = chi2_p(statistic, df);
  if (p > 1e-280) return std::log(p);
  const double y = statistic / 2;
  if (df > 2000) {  // ln of ½ erfc t for a large t
    const double v = 2.0 / (9.0 * static_cast<double>(df));
    const double t = (std::cbrt(statistic / static_cast<double>(df)) - (1 - v)) / std::sqrt(2 * v);
    return -t * t - std::log(2 * t * std::sqrt(M_PI)) + std::log1p(-1 / (2 * t * t));
  }
  const double last = static_cast<double>(df) / 2 - 1;
  double log_gamma = df % 2 ? std::log(M_PI) / 2 : 0.0;  // ln Γ(½) or ln Γ(1), then upwards
  for (double a = df % 2 ? 0.5 : 1.0; a < last + 0.75; a += 1) log_gamma += std::log(a);
  double sum = 1, term = 1;
  for (double a = last; std::fabs(term) > 1e-18; a -= 1) sum += term *= a / y;
  return last * std::log(y) - y - log_gamma + std::log(sum);
}

}  // namespace bough
