// Two vectors side by side as one of twice the width, for text whose operations wait for each other: the second vector
// has work for the time in between.
#pragma once

#include "compaction.hpp"

namespace carom::kernel {
namespace {

template <class V>
struct UnrolledPair {
  using Element = typename VectorTraits<V>::Element;

  V half[2];

  UnrolledPair() = default;
  UnrolledPair(V first, V second) : half{first, second} {}
  template <class S>
  explicit UnrolledPair(S same) : half{V(static_cast<Element>(same)), V(static_cast<Element>(same))} {}

  template <class T>
  static UnrolledPair load_unaligned(const T* from) {
    return {load_lanes<V>(from), load_lanes<V>(from + VectorTraits<V>::width)};
  }
};

template <class V>
UnrolledPair(V, V) -> UnrolledPair<V>;

template <class V>
struct VectorTraits<UnrolledPair<V>> {
  using Element = typename VectorTraits<V>::Element;
  static constexpr std::size_t width = 2 * VectorTraits<V>::width;
};

/// The vectors of the architecture that make up a batch, of which there is one or, in a twin, two.
template <class V>
struct Parts {
  using Type = V;
  static constexpr int count = 1;
};
template <class V>
struct Parts<UnrolledPair<V>> {
  using Type = V;
  static constexpr int count = 2;
};
template <class V>
[[gnu::always_inline]] inline auto& part_of(V& x, std::size_t i) {
  if constexpr (requires { x.half; })
    return x.half[i];
  else
    return x;
}

/// One half after the other.
template <class V>
class Compaction<UnrolledPair<V>> {
  static constexpr unsigned width = VectorTraits<V>::width;

 public:
  explicit Compaction(unsigned bits)
      : first_(bits & ((1u << width) - 1)),
        second_(bits >> width),
        count_(static_cast<std::size_t>(__builtin_popcount(bits & ((1u << width) - 1)))) {}
  template <class T>
  [[gnu::always_inline]] void store(T* to, UnrolledPair<V> x) const {
    first_.store(to, x.half[0]);
    second_.store(to + count_, x.half[1]);
  }

 private:
  Compaction<V> first_, second_;
  std::size_t count_;
};

#define CAROM_PAIR_OPERATOR(sign)                                            \
  template <class V>                                                         \
  inline auto operator sign(UnrolledPair<V> a, UnrolledPair<V> b) {          \
    return UnrolledPair(a.half[0] sign b.half[0], a.half[1] sign b.half[1]); \
  }
CAROM_PAIR_OPERATOR(+)
CAROM_PAIR_OPERATOR(-)
CAROM_PAIR_OPERATOR(*)
CAROM_PAIR_OPERATOR(/)
CAROM_PAIR_OPERATOR(<)
CAROM_PAIR_OPERATOR(<=)
CAROM_PAIR_OPERATOR(>)
CAROM_PAIR_OPERATOR(>=)
CAROM_PAIR_OPERATOR(==)
CAROM_PAIR_OPERATOR(&&)
CAROM_PAIR_OPERATOR(||)
#undef CAROM_PAIR_OPERATOR

/// An architecture of twins.
template <class A>
struct UnrolledTwice {};

template <class A, class T>
struct LaneTypes<UnrolledTwice<A>, T> {
  using Batch = UnrolledPair<typename LaneTypes<A, T>::Batch>;
  using Mask = UnrolledPair<typename LaneTypes<A, T>::Mask>;
  static constexpr std::size_t width = 2 * LaneTypes<A, T>::width;
};

#define CAROM_PAIR_OPERATION(name)                                               \
  template <class V, class... More>                                              \
  inline UnrolledPair<V> name(UnrolledPair<V> x, UnrolledPair<More>... more) {   \
    return {name(x.half[0], more.half[0]...), name(x.half[1], more.half[1]...)}; \
  }
CAROM_PAIR_OPERATION(mul_add)
CAROM_PAIR_OPERATION(mul_sub)
CAROM_PAIR_OPERATION(neg_mul_add)
CAROM_PAIR_OPERATION(square_root)
CAROM_PAIR_OPERATION(magnitude)
CAROM_PAIR_OPERATION(differ)
CAROM_PAIR_OPERATION(and_not)
#undef CAROM_PAIR_OPERATION

template <class V>
inline UnrolledPair<V> rounding_of_product(UnrolledPair<V> x, UnrolledPair<V> y, UnrolledPair<V> product) {
  return {rounding_of_product(x.half[0], y.half[0], product.half[0]),
          rounding_of_product(x.half[1], y.half[1], product.half[1])};
}
template <class M, class V>
inline UnrolledPair<V> choose(UnrolledPair<M> condition, UnrolledPair<V> yes, UnrolledPair<V> no) {
  return {choose(condition.half[0], yes.half[0], no.half[0]), choose(condition.half[1], yes.half[1], no.half[1])};
}
template <class M>
inline unsigned lane_bits(UnrolledPair<M> mask) {
  return lane_bits(mask.half[0]) | lane_bits(mask.half[1]) << VectorTraits<M>::width;
}
template <class V, class T>
inline void store_lanes(T* to, UnrolledPair<V> x) {
  store_lanes(to, x.half[0]);
  store_lanes(to + VectorTraits<V>::width, x.half[1]);
}

template <class T, class V>
inline UnrolledPair<V> approximate_log2(UnrolledPair<V> x) {
  return {approximate_log2<T>(x.half[0]), approximate_log2<T>(x.half[1])};
}
template <class T, class V>
inline UnrolledPair<V> approximate_exp2(UnrolledPair<V> x) {
  return {approximate_exp2<T>(x.half[0]), approximate_exp2<T>(x.half[1])};
}

}  // namespace
}  // namespace carom::kernel
