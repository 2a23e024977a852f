// Gathering a column whose batches hold codes of a dictionary.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow_levels.hpp"
#include "arrow_memory.hpp"
#include "arrow_sinks.hpp"
#include "arrow_types.hpp"

namespace bough::arrow {

// The dictionary may be another one in every batch; the codes given out are common to all.
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
    if (form_ == "date" || form_ == "datetime") {
      return moments();
    }
    ArrowColumn column = column_of(form_, out_);
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
  ArrowColumn moments() {
    Growing<double> out;
    double* const to = out.extend(out_.size());
    for (std::size_t i = 0; i < out_.size(); ++i) {
      to[i] = out_[i] < 0 ? std::numeric_limits<double>::quiet_NaN()
                          : numbers_[static_cast<std::size_t>(out_[i])];
    }
    return column_of(form_, out);
  }

  const ArrowSchema& values_;
  std::string form_;
  bool ordered_;
  LevelCodes texts_;
  std::vector<double> numbers_;
  std::unordered_map<double, std::int32_t> of_number_;
  Growing<std::int32_t> out_;
};

}  // namespace bough::arrow
