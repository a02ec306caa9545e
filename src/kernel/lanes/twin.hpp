// Two vectors side by side as one of twice the width, for text whose operations wait for each other: the second vector
// has work for the time in between.
#pragma once

#include "compaction.hpp"

namespace carom::kernel {
namespace {

template <class V>
struct Twin {
  using Element = typename VectorTraits<V>::Element;
  using Half = V;

  V half[2];

  Twin() = default;
  Twin(V first, V second) : half{first, second} {}
  template <class S>
  explicit Twin(S same) : half{V(static_cast<Element>(same)), V(static_cast<Element>(same))} {}

  template <class T>
  static Twin load_unaligned(const T* from) {
    return {load_lanes<V>(from), load_lanes<V>(from + VectorTraits<V>::width)};
  }

  friend Twin operator+(Twin a, Twin b) { return {a.half[0] + b.half[0], a.half[1] + b.half[1]}; }
  friend Twin operator-(Twin a, Twin b) { return {a.half[0] - b.half[0], a.half[1] - b.half[1]}; }
  friend Twin operator*(Twin a, Twin b) { return {a.half[0] * b.half[0], a.half[1] * b.half[1]}; }
  friend Twin operator/(Twin a, Twin b) { return {a.half[0] / b.half[0], a.half[1] / b.half[1]}; }
};

template <class V>
Twin(V, V) -> Twin<V>;

template <class V>
struct VectorTraits<Twin<V>> {
  using Element = typename VectorTraits<V>::Element;
  static constexpr std::size_t width = 2 * VectorTraits<V>::width;
};

/// The vectors of the architecture that make up a batch, of which there is one or, in a twin, two.
template <class V>
inline constexpr std::size_t parts_of = 1;
template <class V>
inline constexpr std::size_t parts_of<Twin<V>> = 2;
template <class V>
[[gnu::always_inline]] inline V& part_of(V& x, std::size_t) {
  return x;
}
template <class V>
[[gnu::always_inline]] inline const V& part_of(const V& x, std::size_t) {
  return x;
}
template <class V>
[[gnu::always_inline]] inline V& part_of(Twin<V>& x, std::size_t i) {
  return x.half[i];
}
template <class V>
[[gnu::always_inline]] inline const V& part_of(const Twin<V>& x, std::size_t i) {
  return x.half[i];
}

template <class V>
struct PartOf {
  using Type = V;
};
template <class V>
struct PartOf<Twin<V>> {
  using Type = V;
};
template <class V>
using Part = typename PartOf<V>::Type;

/// One half after the other.
template <class V>
class Compaction<Twin<V>> {
  static constexpr unsigned width = VectorTraits<V>::width;

 public:
  explicit Compaction(unsigned bits)
      : first_(bits & ((1u << width) - 1)),
        second_(bits >> width),
        count_(static_cast<std::size_t>(__builtin_popcount(bits & ((1u << width) - 1)))) {}
  template <class T>
  [[gnu::always_inline]] void store(T* to, Twin<V> x) const {
    first_.store(to, x.half[0]);
    second_.store(to + count_, x.half[1]);
  }

 private:
  Compaction<V> first_, second_;
  std::size_t count_;
};

template <class V>
inline auto operator<(Twin<V> a, Twin<V> b) {
  return Twin(a.half[0] < b.half[0], a.half[1] < b.half[1]);
}
template <class V>
inline auto operator<=(Twin<V> a, Twin<V> b) {
  return Twin(a.half[0] <= b.half[0], a.half[1] <= b.half[1]);
}
template <class V>
inline auto operator>(Twin<V> a, Twin<V> b) {
  return Twin(a.half[0] > b.half[0], a.half[1] > b.half[1]);
}
template <class V>
inline auto operator>=(Twin<V> a, Twin<V> b) {
  return Twin(a.half[0] >= b.half[0], a.half[1] >= b.half[1]);
}
template <class V>
inline auto operator==(Twin<V> a, Twin<V> b) {
  return Twin(a.half[0] == b.half[0], a.half[1] == b.half[1]);
}
template <class M>
inline Twin<M> operator&&(Twin<M> a, Twin<M> b) {
  return {a.half[0] && b.half[0], a.half[1] && b.half[1]};
}
template <class M>
inline Twin<M> operator||(Twin<M> a, Twin<M> b) {
  return {a.half[0] || b.half[0], a.half[1] || b.half[1]};
}

/// An architecture of twins.
template <class A>
struct Twice {};

template <class A, class T>
struct LaneTypes<Twice<A>, T> {
  using Batch = Twin<typename LaneTypes<A, T>::Batch>;
  using Mask = Twin<typename LaneTypes<A, T>::Mask>;
  static constexpr std::size_t width = 2 * LaneTypes<A, T>::width;
};

template <class V>
inline Twin<V> mul_add(Twin<V> x, Twin<V> y, Twin<V> z) {
  return {mul_add(x.half[0], y.half[0], z.half[0]), mul_add(x.half[1], y.half[1], z.half[1])};
}
template <class V>
inline Twin<V> mul_sub(Twin<V> x, Twin<V> y, Twin<V> z) {
  return {mul_sub(x.half[0], y.half[0], z.half[0]), mul_sub(x.half[1], y.half[1], z.half[1])};
}
template <class V>
inline Twin<V> neg_mul_add(Twin<V> x, Twin<V> y, Twin<V> z) {
  return {neg_mul_add(x.half[0], y.half[0], z.half[0]), neg_mul_add(x.half[1], y.half[1], z.half[1])};
}
template <class V>
inline Twin<V> square_root(Twin<V> x) {
  return {square_root(x.half[0]), square_root(x.half[1])};
}
template <class V>
inline Twin<V> rounding_of_product(Twin<V> x, Twin<V> y, Twin<V> product) {
  return {rounding_of_product(x.half[0], y.half[0], product.half[0]),
          rounding_of_product(x.half[1], y.half[1], product.half[1])};
}
template <class V>
inline Twin<V> magnitude(Twin<V> x) {
  return {magnitude(x.half[0]), magnitude(x.half[1])};
}
template <class M, class V>
inline Twin<V> choose(Twin<M> condition, Twin<V> yes, Twin<V> no) {
  return {choose(condition.half[0], yes.half[0], no.half[0]), choose(condition.half[1], yes.half[1], no.half[1])};
}
template <class M>
inline Twin<M> differ(Twin<M> a, Twin<M> b) {
  return {differ(a.half[0], b.half[0]), differ(a.half[1], b.half[1])};
}
template <class M>
inline Twin<M> and_not(Twin<M> a, Twin<M> b) {
  return {and_not(a.half[0], b.half[0]), and_not(a.half[1], b.half[1])};
}

template <class M>
inline unsigned lane_bits(Twin<M> mask) {
  return lane_bits(mask.half[0]) | lane_bits(mask.half[1]) << VectorTraits<M>::width;
}
template <class V, class T>
inline void store_lanes(T* to, Twin<V> x) {
  store_lanes(to, x.half[0]);
  store_lanes(to + VectorTraits<V>::width, x.half[1]);
}

template <class T, class V>
inline Twin<V> approximate_log2(Twin<V> x) {
  return {approximate_log2<T>(x.half[0]), approximate_log2<T>(x.half[1])};
}
template <class T, class V>
inline Twin<V> approximate_exp2(Twin<V> x) {
  return {approximate_exp2<T>(x.half[0]), approximate_exp2<T>(x.half[1])};
}

}  // namespace
}  // namespace carom::kernel
