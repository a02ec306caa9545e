// Threads that stay together for a call: many short loops, one after the other, each of which is whole before the next
// begins.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/support/array.hpp"
#include "schedule.hpp"

namespace carom::scene {

/// The owner of a team runs the call and begins loops. The other threads help: they wait for loops by spinning. If
/// threads may not wait for each other (CallThreads::run_at_once), there are no helpers, and every loop uses the
/// scheduler.
///
/// Slot s of n has the same part of [0, count) in all loops of `count`, so that it finds its data in its cache.
class ThreadTeam {
  using Task = void (*)(const void* context, std::size_t first, std::size_t end, std::size_t slot);
  enum class Kind : std::uint8_t {
    shares,    // a slot takes ranges of another slot only if that slot's thread is away
    balanced,  // a slot without ranges takes ranges of other slots
    together,  // no slot takes ranges of other slots
  };
  /// Written by one thread and read by others.
  struct alignas(128) Slot {
    std::atomic<std::uint64_t> taken{0};  // number of the loop << range_bits | ranges of this slot that are taken
    std::atomic<std::uint64_t> done{0};   // the last loop in which this slot has done something
    std::atomic<std::size_t> items{0};    // of that loop
    std::atomic<const void*> thread{nullptr};
    std::atomic<bool> is_there{false}, has_worked{false};
    alignas(128) std::atomic<std::uint32_t> reached{0};
  };

 public:
  /// Kept from call to call.
  class Memory {
   public:
    void reserve(std::size_t slots);

   private:
    friend class ThreadTeam;
    Array<Slot> slots_;
    std::atomic<bool> caller_comes_{true};  // in the last call
  };

  /// Only the calling thread.
  ThreadTeam() = default;
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Calls work(team) on one thread, with up to `slots` threads (this one included) to help. The memory has room for
  /// `slots`. Exceptions of work reach the caller.
  static void gather(CallThreads& threads, std::size_t slots, Memory& memory,
                     const std::function<void(ThreadTeam&)>& work);

  /// Calls f(first, end, slot) for ranges that cover [0, count), at most `grain` long, and returns when all are done.
  /// Every thread has a slot below slots() to itself. f must not throw.
  template <class F>
  void each(std::size_t count, std::size_t grain, const F& f) {
    each(count, grain, slots_, Kind::shares, f);
  }
  /// The same on the first `slots` slots.
  template <class F>
  void each(std::size_t count, std::size_t grain, std::size_t slots, const F& f) {
    each(count, grain, slots, Kind::shares, f);
  }
  /// The same for ranges that take different times.
  template <class F>
  void each_balanced(std::size_t count, std::size_t grain, const F& f) {
    each(count, grain, slots_, Kind::balanced, f);
  }

  /// Calls f(slot) for the first `slots` slots at the same time. They may wait for each other by `reach` and `await`.
  /// Returns false without calling f if some of these threads are missing.
  template <class F>
  bool together(std::size_t slots, const F& f) {
    if (!are_there(slots)) return false;
    for (std::size_t s = 0; s < slots; ++s) memory_[s].reached.store(0, std::memory_order_relaxed);
    run({slots, 1, slots, Kind::together,
         [](const void* context, std::size_t, std::size_t, std::size_t slot) {
           (*static_cast<const F*>(context))(slot);
         },
         &f});
    return true;
  }
  /// Publishes the work of this slot up to a step, for slots that await the step.
  void reach(std::size_t slot, std::uint32_t step) { memory_[slot].reached.store(step, std::memory_order_release); }
  void await(std::size_t slot, std::uint32_t step) const;

  std::size_t slots() const { return slots_; }
  /// Number of threads that have worked.
  int worked() const;

 private:
  static constexpr int range_bits = 24;

  struct Loop {
    std::size_t count, grain, slots;
    Kind kind;
    Task task;
    const void* context;
  };
  /// A loop as helpers read it. A helper that is late may read it while the owner writes the loop after the next one.
  struct Published {
    std::atomic<std::size_t> count{0}, grain{0}, slots{0};
    std::atomic<Kind> kind{Kind::shares};
    std::atomic<Task> task{nullptr};
    std::atomic<const void*> context{nullptr};
  };

  ThreadTeam(CallThreads& threads, std::size_t slots, Memory& memory);

  template <class F>
  void each(std::size_t count, std::size_t grain, std::size_t slots, Kind kind, const F& f) {
    if (slots_ == 1 || count <= grain) {
      if (count > 0) f(std::size_t{0}, count, std::size_t{0});
      return;
    }
    run({count, grain, slots, kind,
         [](const void* context, std::size_t first, std::size_t end, std::size_t slot) {
           (*static_cast<const F*>(context))(first, end, slot);
         },
         &f});
  }

  bool are_there(std::size_t slots) const;
  void run(Loop loop);
  void run_by_scheduler(const Loop& loop, std::uint64_t number);
  void publish(const Loop& loop, std::uint64_t number);
  /// False if the loop is no longer the last one.
  bool read(std::uint64_t number, Loop& loop) const;
  /// Runs the slot's ranges, then, if the loop is balanced or `all`, the ranges of other slots. Returns the number of
  /// items.
  std::size_t work_on(const Loop& loop, std::uint64_t number, std::size_t slot, bool all = false);
  /// Runs one range of slot `of`. False if none is left.
  bool take(const Loop& loop, std::uint64_t number, std::size_t of, std::size_t slot, std::size_t& items);
  /// Slot 0 is the owner's.
  std::size_t slot_of(bool is_caller, Memory& memory);
  void help(std::size_t slot);
  /// Without helpers a slot may have another thread in every loop. Entry s of Slot::thread is then the s-th thread that
  /// has worked.
  void note_thread();

  std::size_t slots_ = 1;
  CallThreads* threads_ = nullptr;
  Slot* memory_ = nullptr;
  bool has_helpers_ = false;
  std::array<Published, 2> published_;
  alignas(128) std::atomic<std::uint64_t> number_{0};  // of the loop that is under way
  alignas(128) std::atomic<bool> over_{false};
  std::atomic<bool> has_owner_{false};
  std::atomic<std::size_t> helpers_{0};
};

}  // namespace carom::scene
