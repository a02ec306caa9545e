// Counts the memory that a solver holds. Arrays, Owned objects (array.hpp) and Scratch count themselves: a block
// belongs to the solver that its thread allocates for, and keeps this owner until it is freed, wherever moves and swaps
// take it.
#pragma once

#include <atomic>
#include <cstddef>

namespace carom {

/// Bytes of the blocks that belong to one solver. It must outlive them, so it is the first member of a solver's state.
class HeldMemory {
 public:
  HeldMemory() = default;
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  void add(std::size_t bytes) noexcept { bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  void remove(std::size_t bytes) noexcept { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  /// Returns the owner of blocks that the calling thread allocates. Null: none. CallThreads sets it on the threads of a
  /// call.
  static HeldMemory* current() noexcept;

  /// Sets current() of the calling thread while it lives.
  class Scope {
   public:
    explicit Scope(HeldMemory* held) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    HeldMemory* before_;
  };

 private:
  std::atomic<std::size_t> bytes_{0};
};

/// Allocates `bytes` <= PTRDIFF_MAX for current(). Throws std::bad_alloc.
void* allocate_held(std::size_t bytes, std::size_t alignment);
/// Frees memory of allocate_held with the same numbers.
void free_held(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

/// Returns the number of bytes that allocate_large takes from the system.
std::size_t size_of_large(std::size_t bytes) noexcept;

}  // namespace carom
