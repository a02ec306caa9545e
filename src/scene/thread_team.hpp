// Threads that stay together for a call: many short loops one after the other, each of which is whole before the next
// begins.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace carom::scene {

class ThreadTeam {
 public:
  /// Calls work(team) on one thread, with the others of up to `threads` (the calling one included) there to help, in
  /// the oneTBB arena that the call is made in. What work throws reaches the caller.
  static void gather(std::size_t threads, const std::function<void(ThreadTeam&)>& work);

  /// Calls f(first, end, slot) for ranges that make up [0, count), `grain` long but for the last, and returns when all
  /// are done. Every thread has a slot below slots() to itself. f must not throw.
  template <class F>
  void each(std::size_t count, std::size_t grain, const F& f) {
    if (helpers_ == 0 || count <= grain) {
      if (count > 0) f(std::size_t{0}, count, owner_slot_);
      return;
    }
    run(
        count, grain,
        [](const void* context, std::size_t first, std::size_t end, std::size_t slot) {
          (*static_cast<const F*>(context))(first, end, slot);
        },
        &f);
  }

  std::size_t slots() const { return helpers_ + 1; }
  /// Threads that have worked.
  int worked() const;

  explicit ThreadTeam(std::size_t threads) : helpers_(threads - 1) {}

 private:
  using Task = void (*)(const void* context, std::size_t first, std::size_t end, std::size_t slot);

  void run(std::size_t count, std::size_t grain, Task task, const void* context);
  /// Takes a range of the loop that is under way; false if none is left.
  bool take(std::size_t slot);
  void help(std::size_t slot);

  std::size_t helpers_, owner_slot_ = 0;
  std::size_t count_ = 0, grain_ = 1;
  Task task_ = nullptr;
  const void* context_ = nullptr;
  // The number of the loop in the upper half, ranges that nobody has taken in the lower.
  alignas(64) std::atomic<std::uint64_t> left_{0};
  alignas(64) std::atomic<std::size_t> done_{0};
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> worked_{0};
};

}  // namespace carom::scene
