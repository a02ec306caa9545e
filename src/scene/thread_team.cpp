#include "thread_team.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <thread>

#include "solver/floating_point.hpp"
#include "solver/schedule.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace carom::scene {
namespace {

/// Waits a little longer each time: about a microsecond within a core, then the system may give the core to others.
class Patience {
 public:
  void wait() {
    if (++rounds_ < 64) {
#if defined(__x86_64__) || defined(__i386__)
      _mm_pause();
#elif defined(__aarch64__)
      asm volatile("yield");
#endif
    } else {
      std::this_thread::yield();
    }
  }

 private:
  int rounds_ = 0;
};

}  // namespace

void ThreadTeam::gather(std::size_t threads, const std::function<void(ThreadTeam&)>& work) {
  ThreadTeam team(threads);
  if (threads == 1) {
    work(team);
    return;
  }
  // Whoever comes first does the work, so that it never waits for a thread that does not come.
  std::atomic<bool> begun{false};
  std::exception_ptr thrown;
  const auto take_part = [&](std::size_t, std::size_t slot) {
    if (begun.exchange(true)) {
      team.help(slot);
      return;
    }
    const DefaultFloatingPoint environment;
    team.owner_slot_ = slot;
    team.worked_.fetch_or(std::uint64_t{1} << slot % 64);
    try {
      work(team);
    } catch (...) {
      thrown = std::current_exception();
    }
    team.over_.store(true, std::memory_order_release);
  };
  run_tasks(threads, threads, std::ref(take_part));
  if (thrown) std::rethrow_exception(thrown);
}

int ThreadTeam::worked() const {
  return std::max(1, std::popcount(worked_.load()));
}

void ThreadTeam::run(std::size_t count, std::size_t grain, Task task, const void* context) {
  count_ = count;
  grain_ = grain;
  task_ = task;
  context_ = context;
  const std::uint64_t ranges = (count + grain - 1) / grain;
  done_.store(0, std::memory_order_relaxed);
  const std::uint64_t loop = (left_.load(std::memory_order_relaxed) >> 32) + 1;
  left_.store(loop << 32 | ranges, std::memory_order_release);
  while (take(owner_slot_)) {
  }
  Patience patience;
  while (done_.load(std::memory_order_acquire) != ranges) patience.wait();
}

bool ThreadTeam::take(std::size_t slot) {
  std::uint64_t left = left_.load(std::memory_order_acquire);
  do {
    if ((left & 0xffffffffu) == 0) return false;
  } while (!left_.compare_exchange_weak(left, left - 1, std::memory_order_acquire, std::memory_order_acquire));
  // The loop cannot end, nor the next begin, until this range is done.
  const std::size_t ranges = (count_ + grain_ - 1) / grain_, range = ranges - (left & 0xffffffffu);
  const std::size_t first = range * grain_, end = range + 1 == ranges ? count_ : first + grain_;
  task_(context_, first, end, slot);
  done_.fetch_add(1, std::memory_order_release);
  return true;
}

void ThreadTeam::help(std::size_t slot) {
  const DefaultFloatingPoint environment;
  bool worked = false;
  for (Patience patience; !over_.load(std::memory_order_acquire);) {
    if (take(slot)) {
      if (!worked) worked_.fetch_or(std::uint64_t{1} << slot % 64);
      worked = true;
      patience = {};
    } else {
      patience.wait();
    }
  }
}

}  // namespace carom::scene
