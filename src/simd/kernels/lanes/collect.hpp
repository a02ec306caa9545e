// Collects numbers that are scattered in memory into lanes. They do not pass through memory: a vector load of numbers
// just stored one by one would wait for the stores.
#pragma once

#include "transpose.hpp"

namespace carom::kernel {
namespace {

template <std::size_t...>
struct LaneSequence {};
template <std::size_t n, std::size_t... lane>
struct FirstLanesOf : FirstLanesOf<n - 1, n - 1, lane...> {};
template <std::size_t... lane>
struct FirstLanesOf<0, lane...> {
  using Type = LaneSequence<lane...>;
};
template <std::size_t n>
using FirstLanes = typename FirstLanesOf<n>::Type;

/// value(lane) on every lane.
template <class B, class F>
[[gnu::always_inline]] inline B lanes_of(F&& value) {
  using T = VectorElement<B>;
  constexpr std::size_t width = VectorTraits<B>::width;
  if constexpr (width == 1) {
    return value(std::size_t{0});
  } else {
    using V = typename VectorOf<T, width>::Type;
    const auto all = [&]<std::size_t... lane>(LaneSequence<lane...>) __attribute__((always_inline)) {
      const V v = {value(lane)...};
      return v;
    };
    return __builtin_bit_cast(B, all(FirstLanes<width>()));
  }
}

/// Copies three consecutive numbers. The fourth element of `to` is undefined. Reads no further number.
template <class T>
[[gnu::always_inline]] inline void copy_three(T (&to)[4], const T* from) {
#ifdef __AVX__
  if constexpr (sizeof(T) == 4)
    _mm_storeu_ps(to, _mm_maskload_ps(from, _mm_setr_epi32(-1, -1, -1, 0)));
  else
    _mm256_storeu_pd(to, _mm256_maskload_pd(from, _mm256_setr_epi64x(-1, -1, -1, 0)));
#else
  for (std::size_t c = 0; c < 3; ++c) to[c] = from[c];
  to[3] = T(0);
#endif
}

/// Loads x, y and z of every lane. Lane i reads three consecutive numbers at at(i).
template <class B, class F>
[[gnu::always_inline]] inline void load_threes(F&& at, B& x, B& y, B& z) {
  using T = VectorElement<B>;
  constexpr std::size_t width = VectorTraits<B>::width;
  if constexpr (width == 1) {
    const T* const from = at(std::size_t{0});
    x = from[0];
    y = from[1];
    z = from[2];
  } else {
    alignas(64) T rows[width][4];
    const T* row[width];
    CAROM_UNROLL
    for (std::size_t lane = 0; lane < width; ++lane) {
      copy_three(rows[lane], at(lane));
      row[lane] = rows[lane];
    }
    B lanes[row_size];
    load_rows<B, 4>(row, lanes);
    x = lanes[0];
    y = lanes[1];
    z = lanes[2];
  }
}

}  // namespace
}  // namespace carom::kernel
