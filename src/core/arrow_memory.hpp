// What arrow.cpp stands on: release callbacks, growing arrays, checked views of foreign memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "arrow.hpp"

namespace bough::arrow {

[[noreturn]] inline void broken(const std::string& what) {
  throw std::runtime_error("the Arrow data is not valid: " + what);
}

inline void require(bool holds, const char* what) {
  if (!holds) {
    broken(what);
  }
}

// Calls the release callback of a schema, array or stream, whatever happens.
template <class T>
class Held {
 public:
  Held() = default;
  explicit Held(const T& taken) : thing_(taken) {}
  Held(Held&& other) noexcept : thing_(std::exchange(other.thing_, T{})) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(thing_, other.thing_);
    return *this;
  }
  ~Held() {
    if (thing_.release != nullptr) {
      thing_.release(&thing_);
    }
  }
  T* get() { return &thing_; }
  const T* operator->() const { return &thing_; }
  const T& operator*() const { return thing_; }

 private:
  T thing_{};
};

// A growing array; realloc moves large blocks without copying them.
template <class T>
class Growing {
 public:
  Growing() = default;
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;
  ~Growing() { std::free(data_); }

  // Room for `more` values at the end.
  T* extend(std::size_t more) {
    if (size_ + more > capacity_) {
      resize(std::max(size_ + more, capacity_ + capacity_ / 2));
    }
    size_ += more;
    return data_ + (size_ - more);
  }

  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  std::shared_ptr<const void> release() {
    if (size_ > 0 && size_ < capacity_) {
      resize(size_);
    }
    capacity_ = 0;
    return {static_cast<const void*>(std::exchange(data_, nullptr)),
            [](const void* data) { std::free(const_cast<void*>(data)); }};
  }

 private:
  void resize(std::size_t capacity) {
    void* const wider = std::realloc(data_, capacity * sizeof(T));
    if (wider == nullptr) {
      throw std::bad_alloc();
    }
    data_ = static_cast<T*>(wider);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Arrow only recommends aligned buffers.
template <class T>
T load(const void* data, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

inline bool bit(const void* bits, std::int64_t i) {
  return (static_cast<const std::uint8_t*>(bits)[i >> 3] >> (i & 7)) & 1;
}

// Some rows of an array: where they begin in its buffers, and which are not missing.
struct Slice {
  const ArrowArray* array;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  const void* known = nullptr;        // a bit per row from `begin`; nullptr: no row is missing
  const void* outer_known = nullptr;  // the same of the struct around the column
  std::int64_t outer_begin = 0;

  bool complete() const { return known == nullptr && outer_known == nullptr; }

  bool has(std::int64_t i) const {
    return (known == nullptr || bit(known, begin + i)) &&
           (outer_known == nullptr || bit(outer_known, outer_begin + i));
  }

  const void* buffer(std::int64_t i) const {
    require(length == 0 || array->buffers[i] != nullptr, "a buffer is missing");
    return array->buffers[i];
  }
};

inline void check_array(const ArrowArray& array) {
  require(array.length >= 0 && array.offset >= 0, "a negative length or offset");
  require(array.length <= std::numeric_limits<std::int64_t>::max() / 64 - array.offset,
          "a length out of range");
  require(array.n_buffers >= 0 && array.n_children >= 0, "a negative count");
  require(array.n_buffers == 0 || array.buffers != nullptr, "the buffers are missing");
  require(array.n_children == 0 || array.children != nullptr, "the children are missing");
}

inline const void* known_bits(const ArrowArray& array) {
  if (array.null_count == 0 || array.n_buffers == 0) {
    return nullptr;
  }
  require(array.buffers[0] != nullptr || array.null_count < 0 || array.length == 0,
          "it has missing cells but does not say which");
  return array.buffers[0];
}

inline Slice whole(const ArrowArray& array, std::int64_t n_buffers) {
  check_array(array);
  require(array.n_buffers >= n_buffers, "too few buffers");
  Slice slice{&array};
  slice.begin = array.offset;
  slice.length = array.length;
  slice.known = n_buffers > 0 ? known_bits(array) : nullptr;
  return slice;
}

}  // namespace bough::arrow
