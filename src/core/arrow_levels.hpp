// Gives every distinct text a code, in order of first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bough::arrow {

class LevelCodes {
 public:
  static constexpr std::size_t block = 64;

  LevelCodes() : slots_(1024) {}

  // Stands for a missing cell; its code is -1.
  static std::string_view missing() { return {&missing_mark, 1}; }

  // The codes of at most `block` texts. With many levels the table is larger than the near
  // caches, so all the places are asked for before the first is needed.
  void codes(const std::string_view* texts, std::size_t n, std::int32_t* out) {
    std::uint64_t hashes[block];
    for (std::size_t i = 0; i < n; ++i) {
      hashes[i] = hash_of(texts[i]);
      prefetch(&slots_[place_of(hashes[i])]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      prefetch(slots_[place_of(hashes[i])].text.data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = texts[i].data() == &missing_mark ? -1 : code(texts[i], hashes[i]);
    }
  }

  std::int32_t code(std::string_view text) { return code(text, hash_of(text)); }

  std::vector<std::string> texts() const {
    std::vector<std::string> texts(size_);
    for (const Slot& slot : slots_) {
      if (slot.code >= 0) {
        texts[static_cast<std::size_t>(slot.code)] = slot.text;
      }
    }
    return texts;
  }

 private:
  struct Slot {
    std::string_view text;
    std::uint32_t tag = 0;
    std::int32_t code = -1;
  };

  static void prefetch([[maybe_unused]] const void* place) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(place);
#endif
  }

  // Multiply and fold, eight bytes at a time.
  static std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0x9E3779B97F4A7C15u ^ text.size();
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; at += 8, left -= 8) {
      std::uint64_t word;
      std::memcpy(&word, at, 8);
      hash = mix(hash ^ word);
    }
    if (left > 0) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, left);
      hash = mix(hash ^ word);
    }
    return mix(hash);
  }

  static std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 29;
    x *= 0xA0761D6478BD642Fu;
    return x ^ (x >> 32);
  }

  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  std::size_t place_of(std::uint64_t hash) const { return hash & (slots_.size() - 1); }

  std::int32_t code(std::string_view text, std::uint64_t hash) {
    std::size_t at = place_of(hash);
    for (; slots_[at].code >= 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].tag == tag_of(hash) && slots_[at].text == text) {
        return slots_[at].code;
      }
    }
    if (size_ >= 0x7fffffffu) {
      throw std::runtime_error("a text column has more than 2147483647 different values");
    }
    const auto code = static_cast<std::int32_t>(size_++);
    slots_[at] = {keep(text), tag_of(hash), code};
    if (size_ * 2 > slots_.size()) {
      grow();
    }
    return code;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    slots_.swap(old);
    for (const Slot& slot : old) {
      if (slot.code >= 0) {
        std::size_t at = place_of(hash_of(slot.text));
        while (slots_[at].code >= 0) {
          at = (at + 1) & (slots_.size() - 1);
        }
        slots_[at] = slot;
      }
    }
  }

  // Texts are kept in large blocks that never move, so that views of them stay valid.
  std::string_view keep(std::string_view text) {
    if (text.empty()) {
      return {};
    }
    if (text.size() > room_) {
      room_ = text.size() > arena ? text.size() : arena;
      blocks_.emplace_back(new char[room_]);
      next_ = blocks_.back().get();
    }
    char* const at = next_;
    std::memcpy(at, text.data(), text.size());
    next_ += text.size();
    room_ -= text.size();
    return {at, text.size()};
  }

  static constexpr std::size_t arena = std::size_t{1} << 16;
  static constexpr char missing_mark = 0;

  std::vector<Slot> slots_;  // open addressing; the size is a power of two
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t room_ = 0;
};

}  // namespace bough::arrow
