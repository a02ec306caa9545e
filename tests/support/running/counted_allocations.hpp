// Counts the allocations of a process. Linking counted_allocations.cpp replaces all forms of operator new, malloc and
// related functions; if a sanitizer has already replaced malloc, its hook is used.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CAROM_TEST_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAROM_TEST_SANITIZED
#endif

namespace carom::support {

struct Allocations {
  std::size_t by_new;     ///< calls of operator new
  std::size_t by_malloc;  ///< calls of malloc and related functions, including calls from operator new
};

/// Since the process began, by all of its threads.
Allocations allocations_so_far();

/// Makes call number `n` of malloc and related functions from here on fail, including calls from operator new; 0: none
/// fails. Not available if a sanitizer has replaced malloc.
void fail_allocation(std::size_t n);

/// Begins to watch blocks of malloc and its family on all threads, at most 131,072 at a time, or stops.
void watch_blocks(bool begin);
/// Returns the requested bytes of all blocks that have been allocated since watch_blocks(true) and not freed.
std::size_t watched_bytes();

/// Allocations of `work`, and of other threads at the same time.
template <class F>
Allocations allocations_during(F&& work) {
  const Allocations before = allocations_so_far();
  work();
  const Allocations after = allocations_so_far();
  return {after.by_new - before.by_new, after.by_malloc - before.by_malloc};
}

}  // namespace carom::support
