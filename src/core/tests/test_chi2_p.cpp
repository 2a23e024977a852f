#include "../chi2_p.hpp"

#include "check.hpp"

namespace bough::test {
namespace {

struct Known {
  double statistic;
  int64_t df;
  double p;  // the regularised upper incomplete gamma function, computed elsewhere
};

void p_of_known_values() {
  constexpr Known known[] = {
      {6.666666666666667, 2, 0.035673993347252395},
      {3.841458820694124, 1, 0.04999999999999989},
      {0.5, 1, 0.47950012218695337},
      {1e-06, 1, 0.9992021155721779},
      {20, 3, 0.00016974243555282632},
      {30, 7, 9.495972508134177e-05},
      {7.8147279, 3, 0.05000000007285529},
      {0.001, 6, 0.9999999999791744},
      {700, 1, 2.990226975124623e-154},
      {1000, 10, 1.870290720915977e-208},
      {100, 100, 0.48119168452795674},
      {1400, 1400, 0.4949737599443175},
      {2100, 2000, 0.05867111137731806},
      {1500, 2000, 1.0},
  };
  for (const Known& k : known) CHECK_NEAR(chi2_p(k.statistic, k.df), k.p, 1e-11 * k.p);
}

void p_with_very_many_degrees_is_near() {
  constexpr Known known[] = {
      {2001, 2001, 0.4957958067483724},    {2300, 2001, 3.0916110476902888e-06},
      {1700, 2001, 0.9999997269226459},    {10000, 9999, 0.4952983945386835},
      {60600, 59999, 0.04171557067908668},
  };
  for (const Known& k : known) CHECK_NEAR(chi2_p(k.statistic, k.df), k.p, 1e-5);
}

void p_falls_as_the_statistic_rises() {
  for (int64_t df : {1, 2, 3, 10, 500, 2000, 5000}) {
    double before = 1;
    for (double x = 0; x < 4.0 * static_cast<double>(df) + 50;
         x += 0.5 + static_cast<double>(df) / 50) {
      const double p = chi2_p(x, df);
      CHECK(p >= 0 && p <= before + 1e-12);
      before = p;
    }
    CHECK(before < 1e-8);
  }
}

// ln p, summed elsewhere with 80 digits.
void log_p_reaches_where_p_is_too_small() {
  constexpr Known known[] = {
      {20, 3, -8.681228354799241},
      {100, 100, -0.7314895757292705},
      {1300, 1, -653.8116188814319},
      {3000, 1, -1504.229308192481},
      {2000, 2, -1000.0},
      {5000, 7, -2481.639858475353},
      {100000, 3, -49994.46931862031},
      {10000, 100, -4727.2134312290655},
      {50000, 1000, -22551.906768479774},
      {9000, 1999, -2002.3011893786654},
  };
  for (const Known& k : known) CHECK_NEAR(chi2_log_p(k.statistic, k.df), k.p, -1e-11 * k.p);
  CHECK_SAME(chi2_log_p(5, 0), 0.0);
  double before = 0;  // no step where one way of summing ends and the other begins
  for (double x = 1; x < 20'000; x += 10) {
    const double log_p = chi2_log_p(x, 2001);
    CHECK(std::isfinite(log_p) && log_p <= before);
    before = log_p;
  }
}

void p_of_nothing_is_one() {
  CHECK_SAME(chi2_p(0, 3), 1.0);
  CHECK_SAME(chi2_p(-1e-30, 3), 1.0);
  CHECK_SAME(chi2_p(5, 0), 1.0);
}

constexpr Test tests[] = {
    {"chi2_p: known values", &p_of_known_values},
    {"chi2_p: very many degrees of freedom", &p_with_very_many_degrees_is_near},
    {"chi2_p: falls as the statistic rises", &p_falls_as_the_statistic_rises},
    {"chi2_p: ln p where p is too small", &log_p_reaches_where_p_is_too_small},
    {"chi2_p: of nothing is one", &p_of_nothing_is_one},
};

}  // namespace

Suite chi2_p_tests() { return tests; }

}  // namespace bough::test
