// Memory of the solver. It grows to the size of the largest scene so far.
#pragma once

#include <carom/memory.hpp>
#include <cstddef>
#include <utility>

namespace carom::scene {

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
  ~Scratch() { free_large(data_); }
  Scratch(Scratch&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  V* at_least(std::size_t count) { return at_least(count, count); }
  /// Allocates `reserved` numbers if the memory is smaller than `count`.
  V* at_least(std::size_t count, std::size_t reserved) {
    if (count > capacity_) {
      free_large(data_);
      data_ = nullptr;
      capacity_ = 0;
      data_ = static_cast<V*>(allocate_large(reserved * sizeof(V)));
      capacity_ = reserved;
    }
    return data_;
  }
  V* data() const { return data_; }

 private:
  V* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace carom::scene
