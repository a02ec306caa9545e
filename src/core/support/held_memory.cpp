#include "held_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace carom {
namespace {

constinit thread_local HeldMemory* current_of_thread = nullptr;

/// Bytes in front of a block. They start with the pointer to its owner.
std::size_t head_of(std::size_t alignment) {
  static_assert(sizeof(HeldMemory*) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  return std::max(alignment, std::size_t{__STDCPP_DEFAULT_NEW_ALIGNMENT__});
}

}  // namespace

HeldMemory* HeldMemory::current() noexcept {
  return current_of_thread;
}
HeldMemory::Scope::Scope(HeldMemory* held) noexcept : before_(std::exchange(current_of_thread, held)) {}
HeldMemory::Scope::~Scope() {
  current_of_thread = before_;
}

void* allocate_held(std::size_t bytes, std::size_t alignment) {
  const std::size_t head = head_of(alignment), all = head + bytes;
  void* const memory =
      head > __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? ::operator new(all, std::align_val_t(alignment)) : ::operator new(all);
  HeldMemory* const held = HeldMemory::current();
  new (memory) HeldMemory*(held);
  if (held != nullptr) held->add(all);
  return static_cast<std::byte*>(memory) + head;
}

void free_held(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t head = head_of(alignment);
  void* const start = static_cast<std::byte*>(memory) - head;
  HeldMemory* const held = *static_cast<HeldMemory**>(start);
  if (held != nullptr) held->remove(head + bytes);
  if (head > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
    ::operator delete(start, std::align_val_t(alignment));
  else
    ::operator delete(start);
}

}  // namespace carom
