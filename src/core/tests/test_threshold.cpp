#include "../threshold.hpp"

#include <cstring>

#include "check.hpp"
#include "tables.hpp"

namespace bough::test {
namespace {

constexpr double least = 0x1p-1074;
constexpr double largest = std::numeric_limits<double>::max();
constexpr Style styles[] = {Style::midpoint, Style::observed, Style::shortest};

double between(double a, double b, Style style, bool strict, Kind kind = Kind::number) {
  Column column;
  column.kind = kind;
  Options options;
  options.style = style;
  options.strict = strict;
  return threshold_between(a, b, column, options);
}

double next(double x) { return std::nextafter(x, infinity); }

struct Pair {
  double a, b;
};

// Neighbours of all sizes: one ulp apart, far apart, of both signs, huge, subnormal, around 0.
std::vector<Pair> neighbours() {
  std::vector<Pair> pairs = {{0, least},
                             {-least, 0},
                             {-least, least},
                             {least, 2 * least},
                             {2 * least, 3 * least},
                             {0, 1},
                             {-1, 0},
                             {-1, 1},
                             {-largest, largest},
                             {1e308, largest},
                             {-largest, -1e308},
                             {next(-largest), largest},
                             {0x0.fffffffffffffp-1022, 0x1p-1022},
                             {5e-320, 7e-310},
                             {1, 2},
                             {2, 3},
                             {9, 10},
                             {9.5, 10.5},
                             {99, 101},
                             {0.1, 0.3},
                             {0.95, 0.96},
                             {-3, -2},
                             {8.5, 19.5},
                             {1e15, 1e15 + 1},
                             {123456, 123457},
                             {0.1, 0.4},
                             {largest / 2, largest}};
  Random random(14);
  for (int i = 0; i < 3000; ++i) {
    const double size = std::ldexp(1 + random.unit(), static_cast<int>(random.below(2090)) - 1070);
    const double a = random.chance(0.5) ? size : -size;
    double b = random.chance(0.3) ? next(a) : a + std::fabs(a) * random.unit();
    if (random.chance(0.2)) b = next(next(a));
    if (a < b && std::isfinite(b)) pairs.push_back({a, b});
    const double low = random.below(200) / 10.0, high = low + (1 + random.below(30)) / 10.0;
    pairs.push_back({low, high});
    pairs.push_back({-high, -low});
  }
  return pairs;
}

// Says which pair went wrong.
void expect_for(const Pair& pair, bool strict, double t, bool good, const char* what, int line) {
  if (good) return;
  std::ostringstream out;
  out.precision(17);
  out << "between " << pair.a << " and " << pair.b << (strict ? " (<): " : " (<=): ") << t << what;
  expect(false, out.str(), __FILE__, line);
}

void every_style_separates() {
  for (const auto& [a, b] : neighbours())
    for (Style style : styles)
      for (bool strict : {false, true}) {
        const double t = between(a, b, style, strict);
        expect_for({a, b}, strict, t, separates(a, t, b, strict), " does not separate", __LINE__);
      }
}

void midpoint_is_the_middle() {
  CHECK_SAME(between(1, 2, Style::midpoint, false), 1.5);
  CHECK_SAME(between(1, 2, Style::midpoint, true), 1.5);
  CHECK_SAME(between(-largest, largest, Style::midpoint, false), 0.0);
  CHECK_SAME(between(1, next(1), Style::midpoint, false), 1.0);
  CHECK_SAME(between(1, next(1), Style::midpoint, true), next(1));
  CHECK_SAME(between(0, least, Style::midpoint, false), 0.0);
  CHECK_SAME(between(0, least, Style::midpoint, true), least);
}

void observed_is_a_value_of_the_data() {
  for (const auto& [a, b] : neighbours()) {
    CHECK_SAME(between(a, b, Style::observed, false), a);
    CHECK_SAME(between(a, b, Style::observed, true), b);
  }
}

// −0 and 0 are one value, so which of them the data holds must not show.
void zero_is_written_without_a_sign() {
  CHECK(!std::signbit(between(-0.0, 1, Style::observed, false)));
  CHECK(!std::signbit(between(-1, -0.0, Style::observed, true)));
  CHECK(!std::signbit(between(-0.0, least, Style::midpoint, false)));
  CHECK(!std::signbit(between(-least, -0.0, Style::midpoint, true)));
  CHECK(!std::signbit(between(-0.1, 0.2, Style::shortest, false)));
}

void ordered_columns_get_the_code_of_a_level() {
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b) {
      CHECK_SAME(between(a, b, Style::midpoint, false, Kind::ordered), (a + b) / 2);
      CHECK_SAME(between(a, b, Style::midpoint, true, Kind::ordered), (a + b + 1) / 2);
      for (Style style : styles)
        for (bool strict : {false, true}) {
          const double t = between(a, b, style, strict, Kind::ordered);
          CHECK(separates(a, t, b, strict));
          CHECK_SAME(t, std::floor(t));
        }
    }
}

// ---- the shortest decimal, by another way: digit by digit on the exact decimal expansion
// ---------

// Decimals of `digits` digits next to x, below and above (towards and away from 0).
std::vector<double> decimals_around(double x, int digits) {
  char exact[1200];
  const auto written =
      std::to_chars(exact, exact + sizeof exact, std::fabs(x), std::chars_format::scientific, 800);
  const std::string text(exact, written.ptr);
  const size_t e = text.find('e');
  const std::string all = text.substr(0, 1) + text.substr(2, e - 2);
  const int exponent = std::stoi(text.substr(e + 1));
  std::vector<double> found;
  unsigned long long whole = std::stoull(all.substr(0, static_cast<size_t>(digits)));
  for (auto w : {whole, whole + 1}) {
    const std::string number = std::to_string(w) + "e" + std::to_string(exponent - digits + 1);
    double t = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), t).ec == std::errc())
      found.push_back(x < 0 ? -t : t);
  }
  return found;
}

int digits_of(double t) {
  for (int digits = 0; digits < 17; ++digits) {
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof text, t, std::chars_format::scientific, digits);
    double back = 0;
    std::from_chars(text, end.ptr, back);
    if (back == t) return digits + 1;
  }
  return 17;
}

int fewest_digits(double a, double b, bool strict) {
  const double middle = between(a, b, Style::midpoint, strict);
  if (middle == 0) return 1;
  for (int digits = 1; digits < 17; ++digits)
    for (double t : decimals_around(middle, digits))
      if (separates(a, t, b, strict)) return digits;
  return 17;
}

void shortest_has_the_fewest_digits() {
  for (const auto& [a, b] : neighbours())
    for (bool strict : {false, true}) {
      const double t = between(a, b, Style::shortest, strict);
      const int fewest = fewest_digits(a, b, strict);
      const std::string what = " is not the shortest: " + std::to_string(fewest) + " digits do";
      expect_for({a, b}, strict, t, digits_of(t) == fewest, what.c_str(), __LINE__);
    }
}

void shortest_is_nearest_to_the_middle() {
  for (const auto& [a, b] : neighbours())
    for (bool strict : {false, true}) {
      const double t = between(a, b, Style::shortest, strict);
      const double middle = between(a, b, Style::midpoint, strict);
      if (middle == 0) continue;
      for (double other : decimals_around(middle, digits_of(t)))
        if (separates(a, other, b, strict))
          expect_for({a, b}, strict, t,
                     std::fabs(t - middle) <= std::fabs(other - middle) * (1 + 1e-15) + least,
                     " is not nearest to the middle", __LINE__);
    }
}

void shortest_of_well_known_pairs() {
  CHECK_SAME(between(0.1, 0.3, Style::shortest, false), 0.2);
  CHECK_SAME(between(5.1, 5.9, Style::shortest, false), 5.5);
  CHECK_SAME(between(2.45, 2.55, Style::shortest, false), 2.5);
  CHECK_SAME(between(1999, 2011, Style::shortest, false), 2000.0);
  CHECK_SAME(between(-0.3, -0.1, Style::shortest, true), -0.2);
  CHECK_SAME(between(1, 2, Style::shortest, false), 1.0);  // 1 separates, 1.5 is longer
  CHECK_SAME(between(1, 2, Style::shortest, true), 2.0);
  CHECK_SAME(between(2, 3, Style::shortest, false), 2.0);
  CHECK_SAME(between(2, 3, Style::shortest, true), 3.0);
}

constexpr Test tests[] = {
    {"threshold: every style separates", &every_style_separates},
    {"threshold: midpoint is the middle", &midpoint_is_the_middle},
    {"threshold: observed is a value of the data", &observed_is_a_value_of_the_data},
    {"threshold: zero is written without a sign", &zero_is_written_without_a_sign},
    {"threshold: ordered columns get the code of a level",
     &ordered_columns_get_the_code_of_a_level},
    {"threshold: shortest has the fewest digits", &shortest_has_the_fewest_digits},
    {"threshold: shortest is nearest to the middle", &shortest_is_nearest_to_the_middle},
    {"threshold: shortest of well-known pairs", &shortest_of_well_known_pairs},
};

}  // namespace

Suite threshold_tests() { return tests; }

}  // namespace bough::test
