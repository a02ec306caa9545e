// Memory for batches that are larger than the caches.
#pragma once

#include <carom/export.hpp>
#include <cstddef>

namespace carom {

/// Allocates memory that starts on a cache line. From 4 MiB on it starts on a large page, and the system is asked for
/// large pages (Linux: MADV_HUGEPAGE). Throws std::bad_alloc.
CAROM_EXPORT void* allocate_large(std::size_t bytes);
/// Frees memory of allocate_large. Ignores nullptr.
CAROM_EXPORT void free_large(void* memory) noexcept;

/// Allocator that uses allocate_large. BlockedContacts uses it; your own containers of columns may use it too.
template <class T>
struct LargeAllocator {
  using value_type = T;  ///< type of the container's elements

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  ///< allocators have no state

  /// Allocates `count` elements. Throws std::bad_alloc.
  T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_large(count > ~std::size_t{0} / sizeof(T) ? ~std::size_t{0} : count * sizeof(T)));
  }
  /// Frees memory of allocate.
  void deallocate(T* memory, std::size_t) { free_large(memory); }

  /// Always true: every allocator can free the memory of every other one.
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

}  // namespace carom
