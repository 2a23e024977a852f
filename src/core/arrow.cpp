#include "arrow.hpp"

#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "arrow_sinks.hpp"

namespace bough {
namespace {

using namespace arrow;

constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();

std::unique_ptr<Sink> sink_for(const ArrowSchema& schema);

// Codes of a dictionary that may be another one in every batch.
template <class Index>
class Dictionary final : public Sink {
 public:
  explicit Dictionary(const ArrowSchema& schema)
      : values_(*schema.dictionary), ordered_((schema.flags & 1) != 0) {
    form_ = sink_for(values_)->finish().form;
  }

  std::int64_t n_buffers() const override { return 2; }

  void take(const Slice& slice) override {
    require(slice.array->dictionary != nullptr, "the dictionary is missing");
    const std::vector<std::int32_t> codes = common_codes(*slice.array->dictionary);
    const void* const data = slice.buffer(1);
    std::int32_t* const to = out_.extend(static_cast<std::size_t>(slice.length));
    for (std::int64_t i = 0; i < slice.length; ++i) {
      to[i] = -1;
      if (slice.has(i)) {
        const auto at = static_cast<std::uint64_t>(load<Index>(data, slice.begin + i));
        require(at < codes.size(), "a code lies outside its dictionary");
        to[i] = codes[at];
      }
    }
  }

  ArrowColumn finish() override {
    const std::size_t rows = out_.size();
    if (form_ == "date" || form_ == "datetime") {
      return moments(rows);
    }
    ArrowColumn column = column_of(form_.c_str(), Store::codes, out_.release(), rows);
    column.texts = texts_.texts();
    column.numbers = std::move(numbers_);
    column.declared = true;
    column.ordered = ordered_;
    return column;
  }

 private:
  // The code, common to all batches, of every entry of this batch's dictionary.
  std::vector<std::int32_t> common_codes(const ArrowArray& dictionary) {
    const std::unique_ptr<Sink> sink = sink_for(values_);
    sink->take(whole(dictionary, sink->n_buffers()));
    const ArrowColumn column = sink->finish();
    std::vector<std::int32_t> codes(column.rows);
    for (std::size_t i = 0; i < column.rows; ++i) {
      codes[i] = common_code(column, i);
    }
    return codes;
  }

  std::int32_t common_code(const ArrowColumn& column, std::size_t i) {
    const void* const data = column.values.get();
    const auto at = static_cast<std::int64_t>(i);
    switch (column.store) {
      case Store::codes: {
        const auto code = load<std::int32_t>(data, at);
        return code < 0 ? -1 : texts_.code(column.texts[static_cast<std::size_t>(code)]);
      }
      case Store::truth: {
        const auto truth = load<std::int8_t>(data, at);
        return truth < 0 ? -1 : number_code(truth);
      }
      case Store::float32: return number_code(load<float>(data, at));
      case Store::float64: return number_code(load<double>(data, at));
    }
    return -1;
  }

  std::int32_t number_code(double number) {
    if (std::isnan(number)) {
      return -1;
    }
    const auto [place, is_new] =
        of_number_.try_emplace(number, static_cast<std::int32_t>(numbers_.size()));
    if (is_new) {
      numbers_.push_back(number);
    }
    return place->second;
  }

  // Dates are numbers, packed or not.
  ArrowColumn moments(std::size_t rows) {
    Growing<double> out;
    double* const to = out.extend(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] = out_[i] < 0 ? std::numeric_limits<double>::quiet_NaN()
                          : numbers_[static_cast<std::size_t>(out_[i])];
    }
    return column_of(form_.c_str(), Store::float64, out.release(), rows);
  }

  const ArrowSchema& values_;
  std::string form_;
  bool ordered_;
  LevelCodes texts_;
  std::vector<double> numbers_;
  std::unordered_map<double, std::int32_t> of_number_;
  Growing<std::int32_t> out_;
};

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

[[noreturn]] void source_failed(ArrowArrayStream* stream) {
  const char* const why =
      stream->get_last_error == nullptr ? nullptr : stream->get_last_error(stream);
  throw std::runtime_error(why == nullptr ? "the source of the data failed and did not say why"
                                          : why);
}

// The columns of a stream of tables, or the one column of a stream of plain arrays.
class Columns {
 public:
  explicit Columns(const ArrowSchema& schema) {
    require(schema.format != nullptr, "a stream without a type");
    is_table_ = std::string_view(schema.format) == "+s";
    if (!is_table_) {
      add(schema);
      return;
    }
    require(schema.n_children >= 0, "a negative count");
    require(schema.n_children == 0 || schema.children != nullptr, "the children are missing");
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      require(schema.children[i] != nullptr, "a child is missing");
      add(*schema.children[i]);
    }
  }

  void take(ArrowArray* batch, bool is_only) {
    check_array(*batch);
    rows_ += batch->length;
    if (batch->length > most_rows || rows_ > most_rows) {
      throw std::runtime_error("the table has more than 2147483647 rows");
    }
    if (!is_table_) {
      give(0, batch, nullptr, is_only);
      return;
    }
    require(batch->n_children == static_cast<std::int64_t>(sinks_.size()),
            "a batch has another number of columns than the schema");
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      require(batch->children[i] != nullptr, "a child is missing");
      give(i, batch->children[i], batch, is_only);
    }
  }

  std::vector<ArrowColumn> finish() {
    std::vector<ArrowColumn> columns;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      columns.push_back(sinks_[i]->finish());
      columns.back().name = names_[i];
      if (!columns.back().unsupported.empty()) {
        columns.back().rows = static_cast<std::size_t>(rows_);
      }
    }
    return columns;
  }

 private:
  void add(const ArrowSchema& schema) {
    sinks_.push_back(sink_for(schema));
    names_.emplace_back(schema.name == nullptr ? "" : schema.name);
  }

  void give(std::size_t i, ArrowArray* array, const ArrowArray* outer, bool is_only) {
    Slice slice = whole(*array, sinks_[i]->n_buffers());
    if (outer != nullptr) {
      require(outer->offset + outer->length <= array->length, "a column is shorter than its batch");
      slice.begin += outer->offset;
      slice.length = outer->length;
      slice.outer_known = known_bits(*outer);
      slice.outer_begin = outer->offset;
    }
    if (!(is_only && sinks_[i]->adopt(array, slice))) {
      sinks_[i]->take(slice);
    }
  }

  bool is_table_ = true;
  std::int64_t rows_ = 0;
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::vector<std::string> names_;
};

Held<ArrowArray> next_batch(ArrowArrayStream* stream) {
  Held<ArrowArray> batch;
  if (stream->get_next(stream, batch.get()) != 0) {
    batch.get()->release = nullptr;  // nothing was handed over
    source_failed(stream);
  }
  return batch;
}

}  // namespace

std::vector<ArrowColumn> read_arrow(ArrowArrayStream* stream) {
  if (stream == nullptr || stream->release == nullptr) {
    throw std::runtime_error("the Arrow stream was already read; it can be read only once");
  }
  Held<ArrowArrayStream> held(*stream);
  stream->release = nullptr;  // it is ours now
  require(held->get_schema != nullptr && held->get_next != nullptr, "an incomplete stream");
  Held<ArrowSchema> schema;
  if (held->get_schema(held.get(), schema.get()) != 0) {
    schema.get()->release = nullptr;
    source_failed(held.get());
  }
  Columns columns(*schema);
  Held<ArrowArray> batch = next_batch(held.get());
  for (bool is_first = true; batch->release != nullptr; is_first = false) {
    Held<ArrowArray> next = next_batch(held.get());
    columns.take(batch.get(), is_first && next->release == nullptr);
    batch = std::move(next);
  }
  return columns.finish();
}

}  // namespace bough
