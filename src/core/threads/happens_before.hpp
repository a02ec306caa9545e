// Operations before the release of an address happen before operations after an acquire of it. oneTBB guarantees this
// for its calls, but the thread sanitizer cannot see it there: these functions declare it.
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
