#include "../parallel.hpp"

#include "check.hpp"

namespace bough::test {
namespace {

void every_job_is_done_once() {
  for (int threads : {1, 2, 4, 8}) {
    Pool pool(threads);
    CHECK_SAME(pool.threads(), threads);
    for (size_t n : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<std::atomic<int>> done(n);
      std::atomic<bool> known_thread{true};
      pool.each(n, [&](size_t i, int thread) {
        ++done[i];
        if (thread < 0 || thread >= threads) known_thread = false;
      });
      for (const auto& count : done) CHECK_SAME(count.load(), 1);
      CHECK(known_thread);
    }
  }
}

void a_pool_works_after_an_error() {
  for (int threads : {1, 2, 4}) {
    Pool pool(threads);
    for (int round = 0; round < 20; ++round) {
      CHECK_THROWS(InputError,
                   pool.each(100,
                             [](size_t i, int) {
                               if (i == 13) throw InputError("job 13");
                             }),
                   "job 13");
      std::atomic<int> done{0};
      pool.each(100, [&](size_t, int) { ++done; });
      CHECK_SAME(done.load(), 100);
    }
  }
}

void a_stopped_pool_takes_no_job() {
  for (int threads : {1, 4}) {
    Control control;
    Pool pool(threads, &control);
    control.stop = true;
    std::atomic<int> done{0};
    CHECK_THROWS(Interrupted, pool.each(100, [&](size_t, int) { ++done; }), "");
    CHECK_SAME(done.load(), 0);
  }
}

void watching_hands_back_what_happened() {
  Control control;
  bool ran = false;
  run_watched(control, [&] { ran = true; }, [] { return false; });
  CHECK(ran);
  CHECK(!control.stop);
  CHECK_THROWS(
      InputError,
      run_watched(control, [] { throw InputError("inside"); }, [] { return false; }), "inside");
}

void watching_stops_the_body() {
  Control control;
  int polls = 0;
  CHECK_THROWS(Interrupted,
               run_watched(
                   control,
                   [&] {
                     for (;;) {
                       control.check();
                       std::this_thread::yield();
                     }
                   },
                   [&] { return ++polls == 2; }),
               "");
  CHECK(control.stop);
  CHECK_SAME(polls, 2);  // told once, it asks no more
}

constexpr Test tests[] = {
    {"parallel: every job is done once", &every_job_is_done_once},
    {"parallel: a pool works after an error", &a_pool_works_after_an_error},
    {"parallel: a stopped pool takes no job", &a_stopped_pool_takes_no_job},
    {"parallel: watching hands back what happened", &watching_hands_back_what_happened},
    {"parallel: watching stops the body", &watching_stops_the_body},
};

}  // namespace

Suite parallel_tests() { return tests; }

}  // namespace bough::test
