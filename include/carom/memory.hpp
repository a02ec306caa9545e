// Memory for batches that are larger than the caches.
#pragma once

#include <carom/export.hpp>
#include <cstddef>

namespace carom {

/// Begins on a cache line; from 4 MiB on, on a large page, and the system is asked for large pages (Linux:
/// MADV_HUGEPAGE). Throws std::bad_alloc.
CAROM_EXPORT void* allocate_large(std::size_t bytes);
/// Gives back what allocate_large has given; nullptr is nothing.
CAROM_EXPORT void free_large(void* memory) noexcept;

/// Gives containers that memory: BlockedContacts, and a host's own columns if it likes.
template <class T>
struct LargeAllocator {
  using value_type = T;  ///< of the container

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  ///< all are alike

  /// Memory for `count` elements. Throws std::bad_alloc.
  T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_large(count > ~std::size_t{0} / sizeof(T) ? ~std::size_t{0} : count * sizeof(T)));
  }
  /// Gives it back.
  void deallocate(T* memory, std::size_t) { free_large(memory); }

  /// Each gives back what another has given.
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

}  // namespace carom
