// Loops of the adapter on the threads that carom has.
#pragma once

#include <cstddef>

namespace carom::bullet {

/// Spreads the loops of a step. Their ranges need no order: none reads what another one writes.
class Parallel {
 public:
  /// `threads` is Execution::threads.
  explicit Parallel(int threads) : threads_(threads) {}

  /// True if `each` uses several threads for this many.
  bool spreads(std::size_t count, std::size_t grain) const { return threads_ != 1 && count >= 2 * grain; }

  /// Calls work(first, end) for ranges that make up [0, count), on several threads where there are at least two ranges
  /// of `grain`.
  template <class Work>
  void each(std::size_t count, std::size_t grain, const Work& work) const {
    if (!spreads(count, grain)) {
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
