// Loops of the adapter on the threads that carom has.
#pragma once

#include <cstddef>

namespace carom::bullet {

/// Runs the loops of a step in parallel. No range reads what another one writes.
class Parallel {
 public:
  /// `threads` is Execution::threads.
  explicit Parallel(int threads) : threads_(threads) {}

  /// True if several threads are worth their wait for a loop over this many bodies or manifolds.
  bool spreads(std::size_t count) const { return threads_ != 1 && count >= least; }

  static constexpr std::size_t least = 1024;

  /// Calls work(first, end) for ranges of `grain` that make up [0, count), on several threads if spreads(count).
  template <class Work>
  void each(std::size_t count, std::size_t grain, const Work& work) const {
    if (!spreads(count)) {
      work(std::size_t{0}, count);
      return;
    }
    run(
        count, grain,
        [](const void* context, std::size_t first, std::size_t end) {
          (*static_cast<const Work*>(context))(first, end);
        },
        &work);
  }

 private:
  using Task = void (*)(const void* context, std::size_t first, std::size_t end);
  void run(std::size_t count, std::size_t grain, Task task, const void* context) const;

  int threads_;
};

}  // namespace carom::bullet
