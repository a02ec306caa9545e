// Containers whose memory counts as held by a solver (held_memory.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "held_memory.hpp"

namespace carom {

/// Allocator without state: every one can free the memory of every other one.
template <class T>
struct HeldAllocator {
  using value_type = T;
  using is_always_equal = std::true_type;

  HeldAllocator() = default;
  template <class U>
  HeldAllocator(const HeldAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_held(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept { free_held(memory, count * sizeof(T), alignof(T)); }

  friend bool operator==(const HeldAllocator&, const HeldAllocator&) { return true; }
};

template <class T>
using Array = std::vector<T, HeldAllocator<T>>;

template <class T>
struct HeldDelete {
  void operator()(T* object) const noexcept {
    object->~T();
    HeldAllocator<T>().deallocate(object, 1);
  }
};

template <class T>
using Owned = std::unique_ptr<T, HeldDelete<T>>;

/// Memory of an object that construct(memory) constructs.
template <class T, class F>
Owned<T> owned_after(const F& construct) {
  struct Free {
    void operator()(T* memory) const noexcept { HeldAllocator<T>().deallocate(memory, 1); }
  };
  std::unique_ptr<T, Free> memory(HeldAllocator<T>().allocate(1));
  construct(memory.get());
  return Owned<T>(memory.release());
}

/// As std::make_unique.
template <class T, class... Arguments>
Owned<T> make_owned(Arguments&&... arguments) {
  return owned_after<T>([&](T* memory) { new (memory) T(std::forward<Arguments>(arguments)...); });
}

/// As std::make_unique_for_overwrite.
template <class T>
Owned<T> make_owned_for_overwrite() {
  return owned_after<T>([](T* memory) { new (memory) T; });
}

}  // namespace carom
