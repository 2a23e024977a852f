// Threads that share out numbered jobs, and a way to stop them.
//
// Which thread takes which job is left to chance; jobs write to places of their own, so results do
// not depend on it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "types.hpp"

namespace bough {

// Shared between the growing threads and the one that waits for Ctrl-C.
struct Control {
  std::atomic<bool> stop{false};
  std::atomic<int64_t> rows_done{0};  // rows that have reached their leaf

  void check() const {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted{};
  }
};

class Pool {
 public:
  // The calling thread works too, so `threads` − 1 are started.
  explicit Pool(int threads, const Control* control = nullptr);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls job(i, thread) for i = 0 … n−1 and returns when all are done. Throws what a job threw.
  void each(size_t n, const std::function<void(size_t, int)>& job);

 private:
  std::vector<std::thread> workers_;
  const Control* control_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(size_t, int)>* job_ = nullptr;
  size_t n_ = 0;
  std::atomic<size_t> next_{0};
  int busy_ = 0;
  uint64_t round_ = 0;
  bool quit_ = false;
  std::exception_ptr error_;

  void work(int thread);
  void take_jobs(int thread);
};

// The same without a pool, too: then on the calling thread, as the one with the number `thread`.
void each(Pool* pool, size_t n, const std::function<void(size_t, int)>& job, int thread = 0);

// Runs `body` on a thread of its own while this one calls `poll` now and then; when `poll` returns
// true (Ctrl-C) the body is told to stop and Interrupted is thrown.
void run_watched(Control& control, const std::function<void()>& body,
                 const std::function<bool()>& poll);

}  // namespace bough
