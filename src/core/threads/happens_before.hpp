// Everything before the release of an address is seen after an acquire of it. oneTBB guarantees as much of its own
// calls; these tell the thread sanitizer, which can't look into it.
#pragma once

#ifdef CAROM_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace carom {

#ifdef CAROM_THREAD_SANITIZER
inline void acquire(void* address) {
  __tsan_acquire(address);
}
inline void release(void* address) {
  __tsan_release(address);
}
#else
inline void acquire(void*) {}
inline void release(void*) {}
#endif

}  // namespace carom
