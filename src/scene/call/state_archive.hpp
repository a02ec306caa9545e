// Saved states: the bytes of everything that a solver remembers from call to call.
//
// A type with such fields has one function, a member carry(archive) or carry(archive, of), that names each field once.
// With a StateWriter it counts or saves them, with a StateReader it restores them. A StateReader throws Error on bytes
// that no StateWriter has written, and leaves the object half restored. docs/determinism.md#saving-and-restoring
#pragma once

#include <array>
#include <carom/status.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "core/support/array.hpp"

namespace carom::scene {

/// Types whose bytes are their value: no padding, and every pattern is a value.
template <class V>
inline constexpr bool is_plain = (std::is_arithmetic_v<V> && !std::is_same_v<V, bool>) || std::is_enum_v<V>;
template <class V, std::size_t n>
inline constexpr bool is_plain<V[n]> = is_plain<V>;
template <class V, std::size_t n>
inline constexpr bool is_plain<std::array<V, n>> = is_plain<V>;

/// The parts of an archive that do not depend on its direction. `Direction` has bytes(pointer, count) and admit(count).
template <class Direction>
class StateArchive {
 public:
  template <class... V>
  void operator()(V&... values) {
    (value(values), ...);
  }
  /// An enumeration whose last enumerator is `last`.
  template <class V>
  void choice(V& of, V last) {
    value(of);
    self().want(of <= last);
  }
  /// The first `count` elements of a vector. A StateReader sets its size to `count`.
  template <class V>
  void array(Array<V>& of, std::size_t count) {
    self().size(of, count);
    if constexpr (is_plain<V>)
      self().bytes(of.data(), count * sizeof(V));
    else
      for (std::size_t i = 0; i < count; ++i) value(of[i]);
  }
  /// All elements of a vector, and their number.
  template <class V>
  void list(Array<V>& of) {
    std::size_t count = of.size();
    value(count);
    array(of, count);
  }

 private:
  Direction& self() { return static_cast<Direction&>(*this); }

  template <class V>
  void value(V& of) {
    if constexpr (std::is_same_v<V, bool>) {
      std::uint8_t number = of ? 1 : 0;
      self().bytes(&number, 1);
      self().want(number <= 1);
      of = number == 1;
    } else if constexpr (std::is_same_v<V, std::size_t>) {
      std::uint64_t number = of;
      self().bytes(&number, sizeof number);
      of = static_cast<std::size_t>(number);
    } else if constexpr (is_plain<V>) {
      self().bytes(&of, sizeof of);
    } else if constexpr (requires { of.carry(self()); }) {
      of.carry(self());
    } else {
      carry(self(), of);
    }
  }
};

class StateWriter : public StateArchive<StateWriter> {
 public:
  static constexpr bool reads = false;
  /// `to`: with room for everything, or null: only counts.
  explicit StateWriter(std::byte* to) : to_(to) {}
  void bytes(const void* from, std::size_t count) {
    if (to_ != nullptr && count > 0) std::memcpy(to_ + size_, from, count);
    size_ += count;
  }
  template <class V>
  void size(const Array<V>&, std::size_t) {}
  void want(bool) {}
  std::size_t size() const { return size_; }

 private:
  std::byte* to_;
  std::size_t size_ = 0;
};

class StateReader : public StateArchive<StateReader> {
 public:
  static constexpr bool reads = true;
  explicit StateReader(std::span<const std::byte> from) : from_(from) {}
  void bytes(void* to, std::size_t count) {
    want(count <= from_.size());
    if (count == 0) return;
    differs_ = differs_ || std::memcmp(to, from_.data(), count) != 0;
    std::memcpy(to, from_.data(), count);
    from_ = from_.subspan(count);
  }
  template <class V>
  void size(Array<V>& of, std::size_t count) {
    // Bytes between members are not saved. They are less than half of any type.
    want(count <= 2 * from_.size() / sizeof(V));
    differs_ = differs_ || of.size() != count;
    of.resize(count);
  }
  void want(bool is_sound) const {
    if (!is_sound) throw Error("carom: the saved state contradicts itself");
  }
  /// True if an array or a number that has been read since the last call was another one before.
  bool has_changed() { return std::exchange(differs_, false); }
  bool is_at_end() const { return from_.empty(); }

 private:
  std::span<const std::byte> from_;
  bool differs_ = false;
};

/// [bytes] Size of the head of a saved state.
inline constexpr std::size_t size_of_state_head = 32;

/// Writes the head of a whole state.
void write_state_head(std::span<std::byte> state);

/// Returns the part after the head. Throws Error if the head, the size or the checksum is wrong.
std::span<const std::byte> checked_state(std::span<const std::byte> state);

}  // namespace carom::scene
