#include "support/running/counted_allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> by_new{0}, by_malloc{0};

std::atomic<std::size_t> calls_until_failure{0};

void count_malloc() {
  by_malloc.fetch_add(1, std::memory_order_relaxed);
}

#ifndef CAROM_TEST_SANITIZED
bool count_and_fail() {
  count_malloc();
  return calls_until_failure.load() > 0 && calls_until_failure.fetch_sub(1) == 1;
}
#endif

// Inlined into a caller, new without its delete or the reverse would look mismatched to g++.
[[gnu::noinline]] void* counted_new(std::size_t size, std::size_t alignment = 0) noexcept {
  by_new.fetch_add(1, std::memory_order_relaxed);
  if (size == 0) size = 1;
  return alignment == 0 ? std::malloc(size)
                        : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[gnu::noinline]] void release(void* memory) noexcept {
  std::free(memory);
}

std::size_t bytes(std::align_val_t alignment) {
  return static_cast<std::size_t>(alignment);
}

}  // namespace

void* operator new(std::size_t size) {
  return or_throw(counted_new(size));
}
void* operator new[](std::size_t size) {
  return or_throw(counted_new(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(counted_new(size, bytes(alignment)));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_throw(counted_new(size, bytes(alignment)));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted_new(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted_new(size);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted_new(size, bytes(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted_new(size, bytes(alignment));
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}

#ifdef CAROM_TEST_SANITIZED
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));
namespace {
[[maybe_unused]] const int hook = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { count_malloc(); }, [](const volatile void*) {});
}
#else
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  if (count_and_fail()) return ENOMEM;
  void* found = __libc_memalign(alignment, size);
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}
}
#endif

namespace carom::support {

Allocations allocations_so_far() {
  return {by_new, by_malloc};
}

void fail_allocation(std::size_t n) {
  calls_until_failure = n;
}

}  // namespace carom::support
