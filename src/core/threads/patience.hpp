// Waiting for another thread.
#pragma once

#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace carom {

/// Waits longer each time: for some microseconds by spinning, then by yielding the core to other threads.
class Patience {
 public:
  void wait() {
    if (rounds_ < max_rounds) {
      ++rounds_;
#if defined(__x86_64__) || defined(__i386__)
      _mm_pause();
#elif defined(__aarch64__)
      asm volatile("yield");
#endif
    } else {
      std::this_thread::yield();
    }
  }
  /// True after some microseconds: the other thread may not run at all.
  bool is_long() const {
    return rounds_ > long_wait;
  }

 private:
  static constexpr int long_wait = 400, max_rounds = 1000;

  int rounds_ = 0;
};

}  // namespace carom
