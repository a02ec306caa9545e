// The memory of contacts besides their impulses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "core/support/array.hpp"
#include "graph.hpp"

namespace carom::scene {

/// Float scenes also keep the remainders of impulses: the parts that rounding to float cut off.
template <class T>
inline constexpr bool keeps_rests = std::is_same_v<T, float>;

/// History of one contact: the normal impulses in the two calls before the last, and the need of its island.
template <class T>
struct ImpulseHistory {
  T earlier[2]{};  ///< [N s]
  SubstepNeed need;
  T rest[3]{};  ///< [N s] remainder of the impulse
};

/// Histories of many contacts, in columns.
template <class T>
class Histories {
 public:
  void reserve(std::size_t contacts) {
    earlier_.reserve(2 * contacts);
    rest_.reserve(keeps_rests<T> ? 3 * contacts : 0);
    need_.reserve(contacts);
  }
  /// Makes columns of this length. Their numbers are not set.
  void resize(std::size_t contacts) {
    earlier_.resize(2 * contacts);
    rest_.resize(keeps_rests<T> ? 3 * contacts : 0);
    need_.resize(contacts);
  }
  std::size_t size() const { return need_.size(); }

  T* earlier(std::size_t age) { return earlier_.data() + age * size(); }
  const T* earlier(std::size_t age) const { return earlier_.data() + age * size(); }
  SubstepNeed* need() { return need_.data(); }
  const SubstepNeed* need() const { return need_.data(); }
  /// A column of remainders.
  T* rest(std::size_t c) { return rest_.data() + c * size(); }
  const T* rest(std::size_t c) const { return rest_.data() + c * size(); }
  void swap_rests(Array<T>& with) { rest_.swap(with); }

  ImpulseHistory<T> at(std::size_t i) const {
    ImpulseHistory<T> of{{earlier(0)[i], earlier(1)[i]}, need_[i]};
    for (std::size_t c = 0; keeps_rests<T> && c < 3; ++c) of.rest[c] = rest(c)[i];
    return of;
  }
  void put(std::size_t i, const ImpulseHistory<T>& of) {
    for (std::size_t k = 0; k < 2; ++k) earlier(k)[i] = of.earlier[k];
    for (std::size_t c = 0; keeps_rests<T> && c < 3; ++c) rest(c)[i] = of.rest[c];
    need_[i] = of.need;
  }
  /// Copies `count` histories from place `first` of another list, or clears them if that list is empty.
  void take(std::size_t i, const Histories& from, std::size_t first, std::size_t count) {
    const auto copy = [&](T* to, const T* column) {
      from.size() > 0 ? std::copy_n(column + first, count, to + i) : std::fill_n(to + i, count, T(0));
    };
    for (std::size_t k = 0; k < 2; ++k) copy(earlier(k), from.earlier(k));
    for (std::size_t c = 0; keeps_rests<T> && c < 3; ++c) copy(rest(c), from.rest(c));
    from.size() > 0 ? std::copy_n(from.need() + first, count, need() + i)
                    : std::fill_n(need() + i, count, SubstepNeed{});
  }

  /// The first `count` histories.
  template <class Archive>
  void carry(Archive& archive, std::size_t count) {
    if constexpr (Archive::reads) resize(count);
    for (std::size_t k = 0; k < 2; ++k) archive.bytes(earlier(k), count * sizeof(T));
    for (std::size_t c = 0; keeps_rests<T> && c < 3; ++c) archive.bytes(rest(c), count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) archive(need_[i]);
  }

 private:
  Array<T> earlier_, rest_;
  Array<SubstepNeed> need_;
};

}  // namespace carom::scene
