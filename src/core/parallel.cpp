#include "parallel.hpp"

#include <chrono>

namespace bough {

Pool::Pool(int threads, const Control* control) : control_(control) {
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void Pool::each(size_t n, const std::function<void(size_t, int)>& job) {
  if (workers_.empty() || n < 2) {
    for (size_t i = 0; i < n; ++i) {
      if (control_) control_->check();
      job(i, 0);
    }
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    n_ = n;
    next_ = 0;
    error_ = nullptr;
    busy_ = static_cast<int>(workers_.size());
    ++round_;
  }
  wake_.notify_all();
  take_jobs(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (error_) std::rethrow_exception(error_);
}

void Pool::work(int thread) {
  uint64_t seen = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return quit_ || round_ != seen; });
    if (quit_) return;
    seen = round_;
    lock.unlock();
    take_jobs(thread);
    lock.lock();
    if (--busy_ == 0) done_.notify_all();
  }
}

void Pool::take_jobs(int thread) {
  try {
    for (size_t i; (i = next_.fetch_add(1)) < n_;) {
      if (control_) control_->check();
      (*job_)(i, thread);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    next_ = n_;
  }
}

void each(Pool* pool, size_t n, const std::function<void(size_t, int)>& job, int thread) {
  if (pool) return pool->each(n, job);
  for (size_t i = 0; i < n; ++i) job(i, thread);
}

void run_watched(Control& control, const std::function<void()>& body,
                 const std::function<bool()>& poll) {
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  std::exception_ptr error;
  std::thread runner([&] {
    try {
      body();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    finished = true;
    done.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    while (!done.wait_for(lock, std::chrono::milliseconds(50), [&] { return finished; })) {
      lock.unlock();
      if (!control.stop && poll()) control.stop = true;
      lock.lock();
    }
  }
  runner.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace bough
