#include "support/running/counted_allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> by_new{0}, by_malloc{0};

std::atomic<std::size_t> calls_until_failure{0};

void count_malloc() {
  by_malloc.fetch_add(1, std::memory_order_relaxed);
}

/// Blocks that are watched, by open addresses.
class Watched {
 public:
  void begin(bool on) {
    const Lock lock(*this);
    for (Block& block : blocks_) block = {};
    bytes_ = 0;
    is_on_.store(on);
  }
  std::size_t bytes() {
    const Lock lock(*this);
    return bytes_;
  }
  void add(const volatile void* address, std::size_t bytes) {
    if (!is_on_.load(std::memory_order_relaxed) || address == nullptr) return;
    const Lock lock(*this);
    std::size_t i = slot_of(address);
    for (std::size_t probes = 0; blocks_[i].bytes != free_slot; i = (i + 1) % slots)
      if (++probes == slots) std::abort();
    blocks_[i] = {address, bytes + 1};
    bytes_ += bytes;
  }
  void remove(const volatile void* address) {
    if (!is_on_.load(std::memory_order_relaxed) || address == nullptr) return;
    const Lock lock(*this);
    std::size_t i = slot_of(address);
    for (std::size_t probes = 0; blocks_[i].address != address; i = (i + 1) % slots)
      if (blocks_[i].address == nullptr || ++probes == slots) return;
    bytes_ -= blocks_[i].bytes - 1;
    blocks_[i] = {&bytes_, free_slot};  // searches go on behind it
  }

 private:
  static constexpr std::size_t slots = std::size_t{1} << 17, free_slot = 0;
  struct Block {
    const volatile void* address = nullptr;
    std::size_t bytes = free_slot;  // and 1
  };
  struct Lock {
    explicit Lock(Watched& of) : of_(of) {
      while (of_.is_taken_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Lock() { of_.is_taken_.clear(std::memory_order_release); }
    Watched& of_;
  };
  static std::size_t slot_of(const volatile void* address) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(address) >> 4) * 0x9E3779B97F4A7C15u >> 47);
  }

  std::atomic<bool> is_on_{false};
  std::atomic_flag is_taken_;
  std::size_t bytes_ = 0;
  Block blocks_[slots];
};
constinit Watched watched;

#ifndef CAROM_TEST_SANITIZED
bool count_and_fail() {
  count_malloc();
  return calls_until_failure.load() > 0 && calls_until_failure.fetch_sub(1) == 1;
}

void* with_watch(void* memory, std::size_t size) {
  watched.add(memory, size);
  return memory;
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
    [](const volatile void* memory, std::size_t size) {
      count_malloc();
      watched.add(memory, size);
    },
    [](const volatile void* memory) { watched.remove(memory); });
}
#else
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return with_watch(__libc_malloc(size), size);
}
void free(void* memory) noexcept {
  watched.remove(memory);
  __libc_free(memory);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return with_watch(__libc_calloc(count, size), count * size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  watched.remove(memory);
  return with_watch(__libc_realloc(memory, size), size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return with_watch(__libc_memalign(alignment, size), size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (count_and_fail()) return nullptr;
  return with_watch(__libc_memalign(alignment, size), size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  if (count_and_fail()) return ENOMEM;
  void* found = with_watch(__libc_memalign(alignment, size), size);
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

void watch_blocks(bool begin) {
  watched.begin(begin);
}

std::size_t watched_bytes() {
  return watched.bytes();
}

void fail_allocation(std::size_t n) {
  calls_until_failure = n;
}

}  // namespace carom::support
