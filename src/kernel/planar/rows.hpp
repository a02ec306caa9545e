// Lanes to rows of memory: the way back of load_rows.
#pragma once

#include "../transpose.hpp"

namespace carom::kernel {
namespace {

/// Element number `from` and those after it that fill 16 bytes.
template <std::size_t width, std::size_t from, class T, class V>
[[gnu::always_inline]] inline void store_part(T* to, V v) {
  constexpr int i = static_cast<int>(from);
  if constexpr (width * sizeof(T) == 16) {
    __builtin_memcpy(to, &v, 16);
  } else if constexpr (sizeof(T) == 8) {
    const auto part = __builtin_shufflevector(v, v, i, i + 1);
    __builtin_memcpy(to, &part, 16);
  } else {
    const auto part = __builtin_shufflevector(v, v, i, i + 1, i + 2, i + 3);
    __builtin_memcpy(to, &part, 16);
  }
}

/// `v` holds 16 bytes each of every `step`-th row: those of row[0] first.
template <std::size_t width, class T, class V, std::size_t group = 0>
[[gnu::always_inline]] inline void store_side_by_side(T* const* row, std::size_t column, V v) {
  constexpr std::size_t part = 16 / sizeof(T);
  store_part<width, group * part>(row[group * part] + column, v);
  if constexpr ((group + 1) * part < width) store_side_by_side<width, T, V, group + 1>(row, column, v);
}

/// Number c of every row gets lanes[c], c < columns. Lane i goes to row i.
template <class B, std::size_t columns, class T>
[[gnu::always_inline]] inline void store_rows(T* const* row, const B (&lanes)[columns]) {
  constexpr std::size_t width = VectorTraits<B>::width, part = 16 / sizeof(T);
  if constexpr (width == 1) {
    for (std::size_t c = 0; c < columns; ++c) row[0][c] = lanes[c];
  } else {
    using V = typename VectorOf<T, width>::Type;
    static_assert(columns % part == 0);
    CAROM_UNROLL
    for (std::size_t c = 0; c < columns; c += part) {
      const V a = __builtin_bit_cast(V, lanes[c]), b = __builtin_bit_cast(V, lanes[c + 1]);
      if constexpr (part == 2) {
        store_side_by_side<width>(row, c, interleave_doubles<width, false>(a, b));
        store_side_by_side<width>(row + 1, c, interleave_doubles<width, true>(a, b));
      } else {
        using Doubles = typename VectorOf<double, width / 2>::Type;
        const V d = __builtin_bit_cast(V, lanes[c + 2]), e = __builtin_bit_cast(V, lanes[c + 3]);
        const auto ab_low = (Doubles)interleave_floats<width, false>(a, b);
        const auto ab_high = (Doubles)interleave_floats<width, true>(a, b);
        const auto de_low = (Doubles)interleave_floats<width, false>(d, e);
        const auto de_high = (Doubles)interleave_floats<width, true>(d, e);
        store_side_by_side<width>(row, c, (V)interleave_doubles<width / 2, false>(ab_low, de_low));
        store_side_by_side<width>(row + 1, c, (V)interleave_doubles<width / 2, true>(ab_low, de_low));
        store_side_by_side<width>(row + 2, c, (V)interleave_doubles<width / 2, false>(ab_high, de_high));
        store_side_by_side<width>(row + 3, c, (V)interleave_doubles<width / 2, true>(ab_high, de_high));
      }
    }
  }
}

}  // namespace
}  // namespace carom::kernel
