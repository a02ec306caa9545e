// Counts what a process allocates. A program that links counted_allocations.cpp has its operator new replaced, in all
// forms, and malloc and its kin too; where a sanitizer has replaced the latter already, they are seen through its hook.
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
  std::size_t by_malloc;  ///< calls of malloc and its kin, those that operator new makes included
};

/// Since the process began, by all of its threads.
Allocations allocations_so_far();

/// Lets call number `n` of malloc and its kin from now on, and those of operator new that it serves, find no memory; 0:
/// none. Not where a sanitizer has replaced malloc.
void fail_allocation(std::size_t n);

/// What `work` allocates, and other threads meanwhile.
template <class F>
Allocations allocations_during(F&& work) {
  const Allocations before = allocations_so_far();
  work();
  const Allocations after = allocations_so_far();
  return {after.by_new - before.by_new, after.by_malloc - before.by_malloc};
}

}  // namespace carom::support
