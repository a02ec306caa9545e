// Spreads tasks over threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace carom {

class Schedule {
 public:
  /// 0 threads: as many as oneTBB offers.
  explicit Schedule(int threads);
  ~Schedule();

  /// At most this many threads take part, the caller's own included; their numbers are below it.
  int threads() const { return threads_; }

  /// Calls task(index, thread) for every index below `tasks`; no two calls at a time have the same thread. On the
  /// caller's own thread alone if there is one task or one thread. What a task throws reaches the caller.
  void run(std::size_t tasks, const std::function<void(std::size_t index, std::size_t thread)>& task);

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace carom
