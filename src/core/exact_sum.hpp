// A sum of doubles without any rounding until the end, so its value has no order.
//
//   chunk[i] holds the bits worth 2^(32·i − 1074) … as a signed 64-bit integer; 31 spare bits let
//   2^29 additions pass before a carry.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace bough {

class ExactSum {
 public:
  void add(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    const auto exponent = static_cast<uint32_t>((bits >> 52) & 0x7ff);
    uint64_t mantissa = bits & 0x000fffffffffffffULL;
    uint32_t shift = 0;
    if (exponent) {
      mantissa |= 0x0010000000000000ULL;
      shift = exponent - 1;
    }
    const uint32_t at = shift >> 5;
    const unsigned __int128 wide = static_cast<unsigned __int128>(mantissa) << (shift & 31);
    const auto a = static_cast<int64_t>(static_cast<uint64_t>(wide) & 0xffffffffULL);
    const auto b = static_cast<int64_t>(static_cast<uint64_t>(wide >> 32) & 0xffffffffULL);
    const auto c = static_cast<int64_t>(static_cast<uint64_t>(wide >> 64));
    const int64_t sign = (bits >> 63) ? -1 : 1;
    chunk_[at] += sign * a;
    chunk_[at + 1] += sign * b;
    chunk_[at + 2] += sign * c;
    if (++added_ == (1u << 29)) carry();
  }

  // Adds another sum.
  void add(ExactSum& other) {
    other.carry();
    carry();
    for (int i = 0; i < size; ++i) chunk_[i] += other.chunk_[i];
    added_ = 1;
  }

  // The sum, rounded once.
  double value() {
    carry();
    int top = size - 1;
    while (top >= 0 && chunk_[top] == 0) --top;
    if (top < 0) return 0.0;
    // After carrying only the top chunk has a sign; make the number positive to round it.
    const bool negative = chunk_[top] < 0;
    if (negative) {
      for (auto& c : chunk_) c = -c;
      carry();
      while (chunk_[top] == 0) --top;
    }
    unsigned __int128 head = 0;
    for (int i = 0; i < 3; ++i)
      head = (head << 32) | static_cast<uint64_t>(top - i >= 0 ? chunk_[top - i] : 0);
    for (int i = top - 3; i >= 0; --i)
      if (chunk_[i]) {
        head |= 1;  // a sticky bit: what lies below decides halfway cases
        break;
      }
    const double rounded = std::ldexp(static_cast<double>(head), 32 * (top - 2) - 1074);
    if (negative) {
      for (auto& c : chunk_) c = -c;
      return -rounded;
    }
    return rounded;
  }

 private:
  static constexpr int size = 70;
  std::array<int64_t, size> chunk_{};
  uint32_t added_ = 0;

  // Brings every chunk but the top into 0 … 2³²−1.
  void carry() {
    for (int i = 0; i + 1 < size; ++i) {
      const int64_t over = chunk_[i] >> 32;
      chunk_[i] -= over * (int64_t{1} << 32);
      chunk_[i + 1] += over;
    }
    added_ = 0;
  }
};

}  // namespace bough
