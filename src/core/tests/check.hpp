// A test is a function that checks; main.cpp lists the suites. No more is needed here.
#pragma once

#include <cmath>
#include <iostream>
#include <span>
#include <sstream>
#include <string>

namespace bough::test {

struct Test {
  const char* name;
  void (*run)();
};
using Suite = std::span<const Test>;

inline int failures = 0;  // of the running test

inline void expect(bool good, const std::string& what, const char* file, int line) {
  if (good) return;
  if (++failures <= 5) std::cout << "  " << file << ":" << line << ": " << what << "\n";
}

template <class A, class B>
std::string against(const char* text, const A& got, const B& wanted) {
  std::ostringstream out;
  out.precision(17);
  out << text << ": " << got << ", not " << wanted;
  return out.str();
}

}  // namespace bough::test

#define CHECK(condition) ::bough::test::expect(bool(condition), #condition, __FILE__, __LINE__)

#define CHECK_SAME(got, wanted)                                                                 \
  ::bough::test::expect((got) == (wanted), ::bough::test::against(#got, got, wanted), __FILE__, \
                        __LINE__)

// NaN is near nothing.
#define CHECK_NEAR(got, wanted, tolerance)                          \
  ::bough::test::expect(std::fabs((got) - (wanted)) <= (tolerance), \
                        ::bough::test::against(#got, got, wanted), __FILE__, __LINE__)

// The statement throws Error and its message holds `text`.
#define CHECK_THROWS(Error, statement, text)                                                   \
  do {                                                                                         \
    bool thrown = false;                                                                       \
    std::string said;                                                                          \
    try {                                                                                      \
      statement;                                                                               \
    } catch (const Error& error) {                                                             \
      thrown = true;                                                                           \
      said = error.what();                                                                     \
    }                                                                                          \
    ::bough::test::expect(thrown, #statement " does not throw " #Error, __FILE__, __LINE__);   \
    ::bough::test::expect(!thrown || said.find(text) != std::string::npos,                     \
                          ::bough::test::against(#statement, said, text), __FILE__, __LINE__); \
  } while (false)
