#include "arrow_types.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "arrow_dictionary.hpp"

namespace bough::arrow {
namespace {

template <class T, class Out = double, class Convert = Same>
std::unique_ptr<Sink> numbers(const char* form, Convert convert = {}) {
  return std::make_unique<Numbers<T, Out, Convert>>(form, convert);
}

template <class T>
std::unique_ptr<Sink> divided(const char* form, double by) {
  return numbers<T>(form, [by](T value) { return static_cast<double>(value) / by; });
}

double half_to_double(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
  const double fraction = half & 1023;
  if (exponent == 31) {
    return fraction > 0 ? std::numeric_limits<double>::quiet_NaN()
                        : sign * std::numeric_limits<double>::infinity();
  }
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024.0, exponent - 25));
}

struct Wide {  // a whole number of 128 bits, in the order of the bytes in memory
  std::uint64_t low;
  std::uint64_t high;
};

double wide_to_double(Wide wide) {
  const bool negative = (wide.high >> 63) != 0;
  if (negative) {
    wide.low = ~wide.low + 1;
    wide.high = ~wide.high + (wide.low == 0 ? 1 : 0);
  }
  const double size =
      std::ldexp(static_cast<double>(wide.high), 64) + static_cast<double>(wide.low);
  return negative ? -size : size;
}

// "d:precision,scale[,bits]"
std::unique_ptr<Sink> decimal_sink(std::string_view format) {
  int precision = 0;
  int scale = 0;
  int bits = 128;
  require(std::sscanf(std::string(format).c_str(), "d:%d,%d,%d", &precision, &scale, &bits) >= 2,
          "a decimal type without a scale");
  const char* const form = scale > 0 ? "float" : "int";
  const double by = std::pow(10.0, scale);
  switch (bits) {
    case 32: return divided<std::int32_t>(form, by);
    case 64: return divided<std::int64_t>(form, by);
    case 128: return numbers<Wide>(form, [by](Wide value) { return wide_to_double(value) / by; });
    default: return std::make_unique<Unsupported>("decimal of " + std::to_string(bits) + " bits");
  }
}

double per_second(char unit) {
  switch (unit) {
    case 's': return 1.0;
    case 'm': return 1e3;
    case 'u': return 1e6;
    case 'n': return 1e9;
    default: broken(std::string("an unknown unit of time: ") + unit);
  }
}

std::unique_ptr<Sink> time_sink(std::string_view format) {
  require(format.size() >= 3, "an incomplete type");
  const char unit = format[2];
  switch (format[1]) {
    case 'd':
      if (unit == 'D') {
        return numbers<std::int32_t>("date");
      }
      return numbers<std::int64_t>(
          "date", [](std::int64_t ms) { return std::floor(double(ms) / 86400e3); });
    case 't':
      if (unit == 's' || unit == 'm') {
        return divided<std::int32_t>("float", per_second(unit));
      }
      return divided<std::int64_t>("float", per_second(unit));
    case 's': return divided<std::int64_t>("datetime", per_second(unit));
    case 'D': return divided<std::int64_t>("float", per_second(unit));
    default: return std::make_unique<Unsupported>("interval");
  }
}

std::string type_name(std::string_view format) {
  constexpr std::pair<std::string_view, const char*> names[] = {
      {"+l", "list"},        {"+L", "list"},  {"+v", "list"},  {"+w", "list"},
      {"+s", "struct"},      {"+m", "map"},   {"+u", "union"}, {"+r", "run-end encoded"},
      {"w", "fixed binary"}, {"z", "binary"}, {"Z", "binary"}, {"vz", "binary"},
  };
  for (const auto& [start, name] : names) {
    if (format.starts_with(start)) {
      return name;
    }
  }
  return std::string(format);
}

std::unique_ptr<Sink> number_sink(char format) {
  switch (format) {
    case 'n': return std::make_unique<Nothing>();
    case 'b': return std::make_unique<Truths>();
    case 'c': return numbers<std::int8_t>("int");
    case 'C': return numbers<std::uint8_t>("int");
    case 's': return numbers<std::int16_t>("int");
    case 'S': return numbers<std::uint16_t>("int");
    case 'i': return numbers<std::int32_t>("int");
    case 'I': return numbers<std::uint32_t>("int");
    case 'l': return numbers<std::int64_t>("int");
    case 'L': return numbers<std::uint64_t>("int");
    case 'e': return numbers<std::uint16_t, float>("float", half_to_double);
    case 'f': return numbers<float, float>("float");
    case 'g': return numbers<double>("float");
    case 'u': return std::make_unique<Texts<std::int32_t>>();
    case 'U': return std::make_unique<Texts<std::int64_t>>();
    default: return nullptr;
  }
}

std::unique_ptr<Sink> dictionary_sink(const ArrowSchema& schema, std::string_view format) {
  const std::string unsupported = sink_for(*schema.dictionary)->finish().unsupported;
  if (!unsupported.empty()) {
    return std::make_unique<Unsupported>("dictionary of " + unsupported);
  }
  switch (format.size() == 1 ? format[0] : '?') {
    case 'c': return std::make_unique<Dictionary<std::int8_t>>(schema);
    case 'C': return std::make_unique<Dictionary<std::uint8_t>>(schema);
    case 's': return std::make_unique<Dictionary<std::int16_t>>(schema);
    case 'S': return std::make_unique<Dictionary<std::uint16_t>>(schema);
    case 'i': return std::make_unique<Dictionary<std::int32_t>>(schema);
    case 'I': return std::make_unique<Dictionary<std::uint32_t>>(schema);
    case 'l': return std::make_unique<Dictionary<std::int64_t>>(schema);
    case 'L': return std::make_unique<Dictionary<std::uint64_t>>(schema);
    default: broken("the codes of a dictionary are not whole numbers");
  }
}

}  // namespace

std::unique_ptr<Sink> sink_for(const ArrowSchema& schema) {
  require(schema.format != nullptr, "a column without a type");
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) {
    return dictionary_sink(schema, format);
  }
  if (format.size() == 1) {
    if (auto sink = number_sink(format[0])) {
      return sink;
    }
  }
  if (format == "vu") {
    return std::make_unique<TextViews>();
  }
  if (format.starts_with("d:")) {
    return decimal_sink(format);
  }
  if (format.starts_with('t')) {
    return time_sink(format);
  }
  return std::make_unique<Unsupported>(type_name(format));
}

}  // namespace bough::arrow
