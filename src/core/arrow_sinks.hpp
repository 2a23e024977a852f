// Gathering a column of numbers, truth values or text from the batches of an Arrow stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "arrow_levels.hpp"
#include "arrow_memory.hpp"

namespace bough::arrow {

// Gathers one column, batch by batch.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual std::int64_t n_buffers() const = 0;
  virtual void take(const Slice& slice) = 0;
  virtual ArrowColumn finish() = 0;
  // Takes the memory over instead of copying it, when it is already what we want.
  virtual bool adopt(ArrowArray*, const Slice&) { return false; }
};

template <class T>
constexpr Store store_of() {
  if constexpr (std::is_same_v<T, double>) {
    return Store::float64;
  } else if constexpr (std::is_same_v<T, float>) {
    return Store::float32;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return Store::codes;
  } else {
    static_assert(std::is_same_v<T, std::int8_t>);
    return Store::truth;
  }
}

template <class T>
ArrowColumn column_of(const std::string& form, std::shared_ptr<const void> values,
                      std::size_t rows) {
  ArrowColumn column;
  column.form = form;
  column.store = store_of<T>();
  column.values = std::move(values);
  column.rows = rows;
  return column;
}

template <class T>
ArrowColumn column_of(const std::string& form, Growing<T>& values) {
  const std::size_t rows = values.size();
  return column_of<T>(form, values.release(), rows);
}

struct Same {
  template <class T>
  T operator()(T value) const {
    return value;
  }
};

template <class T, class Out, class Convert>
class Numbers final : public Sink {
 public:
  Numbers(const char* form, Convert convert) : form_(form), convert_(convert) {}

  std::int64_t n_buffers() const override { return 2; }

  void take(const Slice& slice) override {
    const void* const data = slice.buffer(1);
    Out* const to = out_.extend(static_cast<std::size_t>(slice.length));
    if (slice.complete()) {
      for (std::int64_t i = 0; i < slice.length; ++i) {
        to[i] = static_cast<Out>(convert_(load<T>(data, slice.begin + i)));
      }
      return;
    }
    for (std::int64_t i = 0; i < slice.length; ++i) {
      to[i] = slice.has(i) ? static_cast<Out>(convert_(load<T>(data, slice.begin + i)))
                           : std::numeric_limits<Out>::quiet_NaN();
    }
  }

  bool adopt(ArrowArray* array, const Slice& slice) override {
    if constexpr (std::is_same_v<T, Out> && std::is_same_v<Convert, Same>) {
      const void* const data = slice.buffer(1);
      const bool aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
      if (slice.length == 0 || !slice.complete() || !aligned) {
        return false;
      }
      const auto owner = std::make_shared<Held<ArrowArray>>(*array);
      array->release = nullptr;  // moved, as the specification allows for a child
      adopted_ = {owner, static_cast<const T*>(data) + slice.begin};
      rows_ = static_cast<std::size_t>(slice.length);
      return true;
    } else {
      return false;
    }
  }

  ArrowColumn finish() override {
    return adopted_ ? column_of<Out>(form_, adopted_, rows_) : column_of(form_, out_);
  }

 private:
  const char* form_;
  Convert convert_;
  Growing<Out> out_;
  std::shared_ptr<const void> adopted_;
  std::size_t rows_ = 0;
};

class Nothing final : public Sink {
 public:
  std::int64_t n_buffers() const override { return 0; }
  void take(const Slice& slice) override {
    const auto rows = static_cast<std::size_t>(slice.length);
    std::fill_n(out_.extend(rows), rows, std::numeric_limits<double>::quiet_NaN());
  }
  ArrowColumn finish() override { return column_of("float", out_); }

 private:
  Growing<double> out_;
};

class Truths final : public Sink {
 public:
  std::int64_t n_buffers() const override { return 2; }
  void take(const Slice& slice) override {
    const void* const data = slice.buffer(1);
    std::int8_t* const to = out_.extend(static_cast<std::size_t>(slice.length));
    for (std::int64_t i = 0; i < slice.length; ++i) {
      to[i] = static_cast<std::int8_t>(slice.has(i) ? bit(data, slice.begin + i) : -1);
    }
  }
  ArrowColumn finish() override { return column_of("bool", out_); }

 private:
  Growing<std::int8_t> out_;
};

// What the kinds of text share: the codes of the texts, whatever way they are laid out.
class TextSink : public Sink {
 public:
  ArrowColumn finish() override {
    ArrowColumn column = column_of("text", out_);
    column.texts = levels_.texts();
    return column;
  }

 protected:
  // `text_at` gives the text of the i-th row of the slice; it is asked only for rows that have one.
  template <class TextAt>
  void add(const Slice& slice, TextAt text_at) {
    constexpr auto block = static_cast<std::int64_t>(LevelCodes::block);
    std::string_view texts[LevelCodes::block];
    std::int32_t* const to = out_.extend(static_cast<std::size_t>(slice.length));
    for (std::int64_t first = 0; first < slice.length; first += block) {
      const std::int64_t n = std::min(block, slice.length - first);
      for (std::int64_t i = 0; i < n; ++i) {
        texts[i] = slice.has(first + i) ? text_at(first + i) : LevelCodes::missing();
      }
      levels_.codes(texts, static_cast<std::size_t>(n), to + first);
    }
  }

 private:
  LevelCodes levels_;
  Growing<std::int32_t> out_;
};

// Text with offsets of 32 or 64 bits.
template <class Offset>
class Texts final : public TextSink {
 public:
  std::int64_t n_buffers() const override { return 3; }
  void take(const Slice& slice) override {
    const void* const offsets = slice.buffer(1);
    const auto* const data = static_cast<const char*>(slice.array->buffers[2]);
    add(slice, [&](std::int64_t i) { return text(data, offsets, slice.begin + i); });
  }

 private:
  static std::string_view text(const char* data, const void* offsets, std::int64_t i) {
    const Offset from = load<Offset>(offsets, i);
    const Offset to = load<Offset>(offsets, i + 1);
    require(from >= 0 && from <= to, "a text has a negative length");
    require(data != nullptr || from == to, "a buffer is missing");
    const auto length = static_cast<std::size_t>(to - from);
    return length == 0 ? std::string_view() : std::string_view(data + from, length);
  }
};

// Text as views: short ones inside the view, long ones in one of several buffers.
class TextViews final : public TextSink {
 public:
  std::int64_t n_buffers() const override { return 2; }
  void take(const Slice& slice) override {
    const void* const views = slice.buffer(1);
    add(slice, [&](std::int64_t i) {
      return text(*slice.array, static_cast<const char*>(views) + (slice.begin + i) * 16);
    });
  }

 private:
  static std::string_view text(const ArrowArray& array, const char* view) {
    const auto length = load<std::int32_t>(view, 0);
    require(length >= 0, "a text has a negative length");
    if (length <= 12) {
      return {view + 4, static_cast<std::size_t>(length)};
    }
    const auto place = load<std::int32_t>(view, 2);
    const auto from = load<std::int32_t>(view, 3);
    const std::int64_t n_data = array.n_buffers - 3;  // known bits, views, data…, sizes
    require(place >= 0 && place < n_data && from >= 0, "a text lies outside its buffers");
    const void* const sizes = array.buffers[array.n_buffers - 1];
    const void* const data = array.buffers[2 + place];
    require(sizes != nullptr && data != nullptr, "a buffer is missing");
    require(load<std::int64_t>(sizes, place) >= std::int64_t{from} + length,
            "a text lies outside its buffers");
    return {static_cast<const char*>(data) + from, static_cast<std::size_t>(length)};
  }
};

// A type that cannot be read.
class Unsupported final : public Sink {
 public:
  explicit Unsupported(std::string type) : type_(std::move(type)) {}
  std::int64_t n_buffers() const override { return 0; }
  void take(const Slice&) override {}
  ArrowColumn finish() override {
    ArrowColumn column;
    column.unsupported = type_;
    return column;
  }

 private:
  std::string type_;
};

}  // namespace bough::arrow
