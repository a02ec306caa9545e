// Pins each thread to a separate core. Otherwise a worker of oneTBB may be woken on the caller's core, and two threads
// then take the time of one.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <atomic>
#include <string>
#include <vector>

namespace carom::bench {

/// The CPUs that this process may run on, one for every physical core.
std::vector<int> cores();

/// Pins the calling thread and oneTBB's workers, of which it allows no more than `most` - 1, for good. Must come before
/// anything else that uses oneTBB: a worker keeps its core when it enters the arena of a solver.
class PinnedThreads {
 public:
  explicit PinnedThreads(int most);

  int count() const { return static_cast<int>(cpus_.size()); }
  /// "caller on CPU 0, worker on CPU 1"
  std::string description() const;

 private:
  class Pinner : public tbb::task_scheduler_observer {
   public:
    Pinner(tbb::task_arena& arena, const std::vector<int>& cpus) : task_scheduler_observer(arena), cpus_(cpus) {
      observe(true);
    }
    ~Pinner() override { observe(false); }
    void on_scheduler_entry(bool is_worker) override;

   private:
    const std::vector<int>& cpus_;
  };

  std::vector<int> cpus_;
  tbb::global_control workers_;
  tbb::task_arena arena_;
  Pinner pinner_;
};

}  // namespace carom::bench
