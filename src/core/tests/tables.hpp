// Tables and chance for the tests: the same on every machine.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "../types.hpp"

namespace bough::test {

// splitmix64: what std::distributions give differs from one library to the next.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double share) { return unit() < share; }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(static_cast<uint32_t>(i))]);
  }

 private:
  uint64_t state_;
};

// A problem that owns its cells.
class Table {
 public:
  Problem problem;

  Table() = default;
  Table(const Table&) = delete;  // the problem points into it
  Table& operator=(const Table&) = delete;

  void number(std::vector<double> cells);
  void single(std::vector<float> cells);
  void levels(Kind kind, int32_t n_levels, std::vector<int32_t> cells);
  void classes(int32_t n_classes, std::vector<int32_t> codes);
  void targets(std::vector<double> numbers);
  void weights(std::vector<double> weights);

 private:
  std::list<std::vector<double>> doubles_;  // lists: their items never move
  std::list<std::vector<float>> floats_;
  std::list<std::vector<int32_t>> ints_;

  template <class T>
  const char* keep(std::list<std::vector<T>>& lists, std::vector<T>&& cells);
};

Column column_of(const std::vector<double>& cells);
Column column_of(const std::vector<float>& cells);
Column column_of(const std::vector<int32_t>& cells, Kind kind, int32_t n_levels);

// What a random table is made of.
struct Taste {
  uint32_t rows = 50;
  int32_t classes = 2;  // 0: regression
  uint32_t numbers = 2, ordered = 1, categories = 2;
  uint32_t values = 6;  // distinct numbers at most
  int32_t n_levels = 5;
  double missing = 0.2;
  bool weighted = false;
};
void fill(Table& table, const Taste& taste, Random& random);

// Every byte of a tree.
std::string bytes(const Grown& tree);

}  // namespace bough::test
