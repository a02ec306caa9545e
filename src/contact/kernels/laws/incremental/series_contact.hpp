// A contact in the series: its input from the tile, its state, and its output to the tile. Contacts that wait for the
// same operation are in one queue, from which they are taken in whole vectors.
#pragma once

#include "simd/kernels/lanes/unrolled_pair.hpp"
#include "slide.hpp"

namespace carom::kernel {
namespace {

/// Phase of the collision.
template <class V>
struct Phase {
  V length;                                // the integral of the slip's length
  V balance, decompressing, compressions;  // remaining work or impulse; 1: decompressing; number so far
};

/// Input of a contact from its tile.
template <class V>
struct SeriesGiven {
  Rates<V> rates;
  V e, law;
  V kinematic_balance;           // e times the first u_z: the target under the kinematic law
  V monotone;                    // 1: u_z cannot fall
  V friction_step, normal_step;  // see Prepared
  V place;                       // in the tiles: the slot, and tile_size more for every tile before
};

/// State of a contact.
template <class V>
struct SeriesState {
  Slide<V> slide;
  Phase<V> phase;
  V r, inverse_r;  // length of the slip; 1 / r or, where it has vanished, 1
  V steps;
};

template <class V>
struct SeriesContact : SeriesGiven<V>, SeriesState<V> {};

template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const Phase<V>& from, Others&... others) {
  f(from.length, others.length...);
  f(from.balance, others.balance...);
  f(from.decompressing, others.decompressing...);
  f(from.compressions, others.compressions...);
}

template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const SeriesGiven<V>& from, Others&... others) {
  each(f, from.rates, others.rates...);
  f(from.e, others.e...);
  f(from.law, others.law...);
  f(from.kinematic_balance, others.kinematic_balance...);
  f(from.monotone, others.monotone...);
  f(from.friction_step, others.friction_step...);
  f(from.normal_step, others.normal_step...);
  f(from.place, others.place...);
}

template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const SeriesState<V>& from, Others&... others) {
  each(f, from.slide, others.slide...);
  each(f, from.phase, others.phase...);
  f(from.r, others.r...);
  f(from.inverse_r, others.inverse_r...);
  f(from.steps, others.steps...);
}

template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const SeriesContact<V>& from, Others&... others) {
  each(f, static_cast<const SeriesGiven<V>&>(from), others...);
  each(f, static_cast<const SeriesState<V>&>(from), others...);
}

template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const SeriesEnd<V>& from, Others&... others) {
  f(from.ux, others.ux...);
  f(from.uy, others.uy...);
  f(from.uz, others.uz...);
  f(from.px, others.px...);
  f(from.py, others.py...);
  f(from.pz, others.pz...);
  f(from.work_compression, others.work_compression...);
  f(from.work_decompression, others.work_decompression...);
  f(from.path, others.path...);
  f(from.steps, others.steps...);
}

/// 0, 1, 2, ... in the lanes.
template <class T>
struct LaneNumbers {
  alignas(64) T of[32];
  constexpr LaneNumbers() : of{} {
    for (int i = 0; i < 32; ++i) of[i] = static_cast<T>(i);
  }
};
template <class T>
inline constexpr LaneNumbers<T> lane_numbers;

template <class T, std::size_t room>
class alignas(64) SeriesQueue {
 public:
  std::size_t count() const { return count_; }

  /// True if a contact of this tile is here.
  bool has_of(std::size_t tile) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (static_cast<std::size_t>(lanes_.place[i]) / tile_size<T> == tile) return true;
    return false;
  }

  /// Appends the contacts of a vector whose bits are set.
  template <class B>
  [[gnu::always_inline]] void add(const SeriesContact<B>& contacts, unsigned bits) {
    assert(count_ + VectorTraits<B>::width <= room);
    const Compaction<B> chosen(bits);
    const std::size_t at = count_;
    each(
        [&](const B& from, Lane& to) __attribute__((always_inline)) { chosen.store(to + at, from); }, contacts, lanes_);
    count_ = at + static_cast<std::size_t>(__builtin_popcount(bits));
  }

  /// The same, but before the others, of which there are fewer than a vector of B's.
  template <class B, class New>
  [[gnu::always_inline]] void add_before(const SeriesContact<New>& contacts, unsigned bits) {
    const std::size_t others = count_;
    assert(others < VectorTraits<B>::width);
    if (others == 0) return add(contacts, bits);
    const SeriesContact<B> moved = look<B>(0);
    count_ = 0;
    add(contacts, bits);
    put(moved, count_);
    count_ += others;
  }

  /// Appends one contact of another queue.
  [[gnu::always_inline]] void add(const SeriesQueue& from, std::size_t i) {
    assert(count_ < room);
    copy_lane(from.lanes_, i, lanes_, count_++);
  }

  /// Removes the last contacts, a vector of them or as many as there are, and returns their number. They can be read
  /// and written until others are added.
  template <class B>
  std::size_t take_last() {
    const std::size_t n = count_ < VectorTraits<B>::width ? count_ : VectorTraits<B>::width;
    count_ -= n;
    for (std::size_t i = count_ + n; i < count_ + VectorTraits<B>::width; ++i) make_idle(i);
    return n;
  }

  /// Puts removed contacts whose bits are set back into the queue.
  template <class B>
  void give_back(unsigned bits) {
    const Compaction<B> chosen(bits);
    const std::size_t at = count_;
    each(
        [&](const Lane& from, Lane& to)
            __attribute__((always_inline)) { chosen.store(to + at, load_lanes<B>(from + at)); },
        lanes_, lanes_);
    count_ = at + static_cast<std::size_t>(__builtin_popcount(bits));
  }

  /// Reads the first contacts, a vector of them or as many as there are. Sets `n` to their number.
  template <class B>
  SeriesContact<B> first(std::size_t& n) {
    n = count_ < VectorTraits<B>::width ? count_ : VectorTraits<B>::width;
    for (std::size_t i = n; i < VectorTraits<B>::width; ++i) make_idle(i);
    return look<B>(0);
  }
  /// Takes n contacts away from the first on.
  template <class B>
  void drop_first(std::size_t n) {
    for (std::size_t i = n; i < count_; i += VectorTraits<B>::width) put(look<B>(i), i - n);
    count_ -= n;
  }

  /// A vector of contacts from number i on.
  template <class B>
  [[gnu::always_inline]] SeriesContact<B> look(std::size_t i) const {
    return load_each<B, SeriesContact>(lanes_, i);
  }

  /// Writes how far they have come.
  template <class B>
  [[gnu::always_inline]] void put_state(const SeriesState<B>& state, std::size_t i) {
    each(
        [&](const B& from, Lane& to) __attribute__((always_inline)) { store_lanes(to + i, from); }, state, lanes_);
  }

 private:
  using Lane = T[room];

  template <class B>
  [[gnu::always_inline]] void put(const SeriesContact<B>& contacts, std::size_t i) {
    each(
        [&](const B& from, Lane& to) __attribute__((always_inline)) { store_lanes(to + i, from); }, contacts, lanes_);
  }

  /// Nothing happens to a lane without a contact.
  [[gnu::noinline]] void make_idle(std::size_t i) {
    clear_lane(lanes_, i);
    lanes_.slide.ux[i] = lanes_.r[i] = lanes_.inverse_r[i] = T(1);
    lanes_.slide.uz[i] = T(-1);
  }

  SeriesContact<Lane> lanes_;
  std::size_t count_ = 0;
};

}  // namespace
}  // namespace carom::kernel
