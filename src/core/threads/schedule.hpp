// The threads of a call: a scheduler of the caller, or the oneTBB arena of the calling thread. In a build without
// oneTBB, no_schedule.cpp replaces schedule.cpp, and without a scheduler only the calling thread works.
#pragma once

#include <carom/solver.hpp>
#include <cstddef>
#include <exception>
#include <functional>

namespace carom {

class CallThreads {
 public:
  using Run = void (*)(void* work, std::size_t piece);

  explicit CallThreads(const Execution& execution) : execution_(&execution) {}

  /// Maximum number of threads that can share a call made here, the calling one included.
  std::size_t count() const;
  /// True if running pieces may wait for each other. They must not wait for a piece that does not run yet.
  bool run_at_once() const;

  /// Calls run(work, piece) once for every piece in [0, pieces), each with the default floating-point environment, and
  /// returns after all have returned. `run` does not throw. If the scheduler fails, the calling thread runs the other
  /// pieces, and from then on all pieces of the call.
  void run_pieces(std::size_t pieces, Run run, void* work);

  /// Calls task(index, slot) for every index below `tasks`, on at most `slots` threads, each of which has a slot below
  /// `slots` to itself. A slot is left only when no task is, so every slot with a task has had its own thread. If a
  /// task throws, no further task begins, and the exception reaches the caller.
  void run_tasks(std::size_t tasks, std::size_t slots,
                 const std::function<void(std::size_t index, std::size_t slot)>& task);

  /// Ends a call whose results are written: throws if the scheduler has failed.
  void end() {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const Execution* execution_;
  std::exception_ptr failure_;  // of the scheduler
};

/// Number of threads that the caller's arena has room for.
std::size_t arena_room();
/// Calls run(work, piece) for every piece in [0, pieces) on threads of the caller's arena. Meanwhile the calling thread
/// takes no other task of its arena.
void run_in_arena(std::size_t pieces, CallThreads::Run run, void* work);

/// A number of the calling thread. No two threads have the same number while both exist.
const void* number_of_this_thread();

}  // namespace carom
