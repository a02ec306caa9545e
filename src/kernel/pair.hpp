// Two vectors side by side as one of twice the width, for text whose operations wait for each other: the second vector
// has work for the time in between.
#pragma once

#include "lanes.hpp"

namespace carom::kernel {
namespace {

template <class V>
struct Pair {
  using Element = typename VectorTraits<V>::Element;

  V low, high;

  Pair() = default;
  Pair(V first, V second) : low(first), high(second) {}
  template <class S>
  explicit Pair(S same) : low(V(static_cast<Element>(same))), high(low) {}

  template <class T>
  static Pair load_unaligned(const T* from) {
    return {load_lanes<V>(from), load_lanes<V>(from + VectorTraits<V>::width)};
  }

  friend Pair operator+(Pair a, Pair b) { return {a.low + b.low, a.high + b.high}; }
  friend Pair operator-(Pair a, Pair b) { return {a.low - b.low, a.high - b.high}; }
  friend Pair operator*(Pair a, Pair b) { return {a.low * b.low, a.high * b.high}; }
  friend Pair operator/(Pair a, Pair b) { return {a.low / b.low, a.high / b.high}; }
};

template <class V>
Pair(V, V) -> Pair<V>;

template <class V>
inline auto operator<(Pair<V> a, Pair<V> b) {
  return Pair(a.low < b.low, a.high < b.high);
}
template <class V>
inline auto operator<=(Pair<V> a, Pair<V> b) {
  return Pair(a.low <= b.low, a.high <= b.high);
}
template <class V>
inline auto operator>(Pair<V> a, Pair<V> b) {
  return Pair(a.low > b.low, a.high > b.high);
}
template <class V>
inline auto operator>=(Pair<V> a, Pair<V> b) {
  return Pair(a.low >= b.low, a.high >= b.high);
}
template <class V>
inline auto operator==(Pair<V> a, Pair<V> b) {
  return Pair(a.low == b.low, a.high == b.high);
}
template <class M>
inline Pair<M> operator&&(Pair<M> a, Pair<M> b) {
  return {a.low && b.low, a.high && b.high};
}
template <class M>
inline Pair<M> operator||(Pair<M> a, Pair<M> b) {
  return {a.low || b.low, a.high || b.high};
}

/// An architecture of pairs.
template <class A>
struct Twice {};

template <class A, class T>
struct LaneTypes<Twice<A>, T> {
  using Batch = Pair<typename LaneTypes<A, T>::Batch>;
  using Mask = Pair<typename LaneTypes<A, T>::Mask>;
  static constexpr std::size_t width = 2 * LaneTypes<A, T>::width;
};

template <class V>
inline Pair<V> mul_add(Pair<V> x, Pair<V> y, Pair<V> z) {
  return {mul_add(x.low, y.low, z.low), mul_add(x.high, y.high, z.high)};
}
template <class V>
inline Pair<V> mul_sub(Pair<V> x, Pair<V> y, Pair<V> z) {
  return {mul_sub(x.low, y.low, z.low), mul_sub(x.high, y.high, z.high)};
}
template <class V>
inline Pair<V> neg_mul_add(Pair<V> x, Pair<V> y, Pair<V> z) {
  return {neg_mul_add(x.low, y.low, z.low), neg_mul_add(x.high, y.high, z.high)};
}
template <class V>
inline Pair<V> square_root(Pair<V> x) {
  return {square_root(x.low), square_root(x.high)};
}
template <class V>
inline Pair<V> magnitude(Pair<V> x) {
  return {magnitude(x.low), magnitude(x.high)};
}
template <class M, class V>
inline Pair<V> choose(Pair<M> condition, Pair<V> yes, Pair<V> no) {
  return {choose(condition.low, yes.low, no.low), choose(condition.high, yes.high, no.high)};
}
template <class M>
inline Pair<M> differ(Pair<M> a, Pair<M> b) {
  return {differ(a.low, b.low), differ(a.high, b.high)};
}
template <class M>
inline Pair<M> and_not(Pair<M> a, Pair<M> b) {
  return {and_not(a.low, b.low), and_not(a.high, b.high)};
}

template <class M>
inline unsigned lane_bits(Pair<M> mask) {
  return lane_bits(mask.low) | lane_bits(mask.high) << VectorTraits<M>::width;
}
template <class V, class T>
inline void store_lanes(T* to, Pair<V> x) {
  store_lanes(to, x.low);
  store_lanes(to + VectorTraits<V>::width, x.high);
}

template <class T, class V>
inline Pair<V> approximate_log2(Pair<V> x) {
  return {approximate_log2<T>(x.low), approximate_log2<T>(x.high)};
}
template <class T, class V>
inline Pair<V> approximate_exp2(Pair<V> x) {
  return {approximate_exp2<T>(x.low), approximate_exp2<T>(x.high)};
}

}  // namespace
}  // namespace carom::kernel
