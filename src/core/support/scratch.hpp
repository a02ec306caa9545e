// Memory of the solver. It grows to the size of the largest scene so far.
#pragma once

#include <carom/memory.hpp>
#include <cstddef>
#include <utility>

#include "held_memory.hpp"

namespace carom {

/// Makes room for `count` elements in each list. A list that grows gets room for a quarter more: scenes and islands
/// that win a few bodies from call to call then keep their memory, and new memory costs page faults.
template <class... List>
void make_room(std::size_t count, List&... lists) {
  const auto make = [count](auto& list) {
    if (list.capacity() < count) list.reserve(count + count / 4);
  };
  (make(lists), ...);
}

/// Memory for numbers that are always written before they are read.
template <class V>
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { free(); }
  Scratch(Scratch&& other) noexcept { *this = std::move(other); }
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(held_, other.held_);
    return *this;
  }

  V* at_least(std::size_t count) { return at_least(count, count); }
  /// Allocates `reserved` numbers if the memory is smaller than `count`.
  V* at_least(std::size_t count, std::size_t reserved) {
    if (count > capacity_) grow(reserved);
    return data_;
  }
  V* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }

 private:
  // Not inline: calls ask for room that they have.
  [[gnu::noinline]] void grow(std::size_t capacity) {
    free();
    data_ = static_cast<V*>(allocate_large(capacity * sizeof(V)));
    capacity_ = capacity;
    held_ = HeldMemory::current();
    if (held_ != nullptr) held_->add(size_of_large(capacity_ * sizeof(V)));
  }
  void free() noexcept {
    if (held_ != nullptr) held_->remove(size_of_large(capacity_ * sizeof(V)));
    free_large(data_);
    data_ = nullptr;
    capacity_ = 0;
    held_ = nullptr;
  }

  V* data_ = nullptr;
  std::size_t capacity_ = 0;
  HeldMemory* held_ = nullptr;  // owner of the memory
};

}  // namespace carom
