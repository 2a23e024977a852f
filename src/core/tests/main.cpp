// All tests of the core. A new file of tests: its suite, declared and listed below.
#include <exception>

#include "check.hpp"

namespace bough::test {

Suite log2_tests();
Suite exact_sum_tests();
Suite stats_tests();
Suite best_tests();
Suite criteria_tests();
Suite chi2_p_tests();
Suite prices_tests();
Suite threshold_tests();
Suite encode_tests();
Suite binning_tests();
Suite block_tests();
Suite search_tests();
Suite merge_tests();
Suite parallel_tests();
Suite grow_tests();
Suite grow_input_tests();
Suite grow_tree_tests();
Suite binning_tests();
Suite bound_tests();
Suite large_tests();
Suite apply_tests();

namespace {

constexpr Suite (*suites[])() = {
    &log2_tests,      &exact_sum_tests, &stats_tests,     &best_tests,   &criteria_tests,
    &chi2_p_tests,    &prices_tests,    &threshold_tests, &encode_tests, &block_tests,
    &search_tests,    &merge_tests,     &parallel_tests,  &grow_tests,   &grow_input_tests,
    &grow_tree_tests, &binning_tests,   &bound_tests,     &large_tests,  &apply_tests,
};

bool passes(const Test& test) {
  failures = 0;
  try {
    test.run();
  } catch (const std::exception& error) {
    expect(false, std::string("threw: ") + error.what(), test.name, 0);
  }
  if (failures) std::cout << "FAILED: " << test.name << " (" << failures << " checks)\n";
  return failures == 0;
}

}  // namespace
}  // namespace bough::test

// With an argument: only the tests whose name holds it.
int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  int passed = 0, failed = 0;
  for (const auto suite : bough::test::suites)
    for (const auto& test : suite())
      if (std::string(test.name).find(wanted) != std::string::npos)
        ++(bough::test::passes(test) ? passed : failed);
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}
