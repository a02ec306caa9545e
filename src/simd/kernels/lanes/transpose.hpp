// Transposes rows of memory to lanes. The bodies of a vector of contacts are such rows, each one or two cache lines
// long. Uses the compiler's vector extensions, which turn constant shuffles into instructions of every ISA.
#pragma once

#include "lanes.hpp"

namespace carom::kernel {
namespace {

/// Maximum length of a row: one cache line in float, two in double.
inline constexpr std::size_t row_size = 16;

template <class T, std::size_t width>
struct VectorOf {
  using Type [[gnu::vector_size(width * sizeof(T))]] = T;
};

/// 16 bytes each of several rows, side by side.
template <class T, std::size_t rows>
[[gnu::always_inline]] inline auto side_by_side(const T* const* row, std::size_t step, std::size_t column) {
  constexpr std::size_t part = 16 / sizeof(T);
  if constexpr (rows == 1) {
    typename VectorOf<T, part>::Type v;
    __builtin_memcpy(&v, *row + column, sizeof v);
    return v;
  } else {
    const auto low = side_by_side<T, rows / 2>(row, step, column);
    const auto high = side_by_side<T, rows / 2>(row + rows / 2 * step, step, column);
    if constexpr (rows * part == 4)
      return __builtin_shufflevector(low, high, 0, 1, 2, 3);
    else if constexpr (rows * part == 8)
      return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    else
      return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
}

/// Every second element of each 16 bytes of a and b: of doubles the first or the second of both.
template <std::size_t width, bool second, class V>
[[gnu::always_inline]] inline V interleave_doubles(V a, V b) {
  constexpr int s = second ? 1 : 0, w = static_cast<int>(width);
  if constexpr (width == 2)
    return __builtin_shufflevector(a, b, s, w + s);
  else if constexpr (width == 4)
    return __builtin_shufflevector(a, b, s, w + s, 2 + s, w + 2 + s);
  else
    return __builtin_shufflevector(a, b, s, w + s, 2 + s, w + 2 + s, 4 + s, w + 4 + s, 6 + s, w + 6 + s);
}

/// Takes the first or the last two floats, in turn from a and b.
template <std::size_t width, bool second, class V>
[[gnu::always_inline]] inline V interleave_floats(V a, V b) {
  constexpr int s = second ? 2 : 0, w = static_cast<int>(width);
  if constexpr (width == 4)
    return __builtin_shufflevector(a, b, s, w + s, s + 1, w + s + 1);
  else if constexpr (width == 8)
    return __builtin_shufflevector(a, b, s, w + s, s + 1, w + s + 1, 4 + s, w + 4 + s, 5 + s, w + 5 + s);
  else
    return __builtin_shufflevector(a, b, s, w + s, s + 1, w + s + 1, 4 + s, w + 4 + s, 5 + s, w + 5 + s, 8 + s,
                                   w + 8 + s, 9 + s, w + 9 + s, 12 + s, w + 12 + s, 13 + s, w + 13 + s);
}

/// 16 bytes of each row, from number c on: lane i of lanes[k] gets number c + k of row i.
template <class B, class T>
[[gnu::always_inline]] inline void load_part(const T* const* row, std::size_t c, B* lanes) {
  constexpr std::size_t width = VectorTraits<B>::width, part = 16 / sizeof(T);
  constexpr std::size_t groups = width / part;  // row g part + r is in the 16 bytes number g of a vector
  if constexpr (part == 2) {
    const auto a = side_by_side<T, groups>(row, part, c), b = side_by_side<T, groups>(row + 1, part, c);
    lanes[0] = __builtin_bit_cast(B, interleave_doubles<width, false>(a, b));
    lanes[1] = __builtin_bit_cast(B, interleave_doubles<width, true>(a, b));
  } else {
    using Doubles = typename VectorOf<double, width / 2>::Type;
    const auto a = side_by_side<T, groups>(row, part, c), b = side_by_side<T, groups>(row + 1, part, c);
    const auto d = side_by_side<T, groups>(row + 2, part, c), e = side_by_side<T, groups>(row + 3, part, c);
    const auto ab_low = (Doubles)interleave_floats<width, false>(a, b);
    const auto ab_high = (Doubles)interleave_floats<width, true>(a, b);
    const auto de_low = (Doubles)interleave_floats<width, false>(d, e);
    const auto de_high = (Doubles)interleave_floats<width, true>(d, e);
    lanes[0] = __builtin_bit_cast(B, interleave_doubles<width / 2, false>(ab_low, de_low));
    lanes[1] = __builtin_bit_cast(B, interleave_doubles<width / 2, true>(ab_low, de_low));
    lanes[2] = __builtin_bit_cast(B, interleave_doubles<width / 2, false>(ab_high, de_high));
    lanes[3] = __builtin_bit_cast(B, interleave_doubles<width / 2, true>(ab_high, de_high));
  }
}

/// lanes[c] gets number c of every row, c < columns. Row i goes to lane i.
template <class B, std::size_t columns, class T>
[[gnu::always_inline]] inline void load_rows(const T* const* row, B (&lanes)[row_size]) {
  static_assert(columns <= row_size);
  if constexpr (VectorTraits<B>::width == 1) {
    for (std::size_t c = 0; c < columns; ++c) lanes[c] = row[0][c];
  } else {
    CAROM_UNROLL
    for (std::size_t c = 0; c < columns; c += 16 / sizeof(T)) load_part<B>(row, c, lanes + c);
  }
}

/// The inverse of side_by_side: 16 bytes each to several rows.
template <class T, std::size_t rows, class V>
[[gnu::always_inline]] inline void store_side_by_side(T* const* row, std::size_t step, std::size_t column, V v) {
  constexpr std::size_t part = 16 / sizeof(T);
  T numbers[rows * part];
  static_assert(sizeof numbers == sizeof v);
  __builtin_memcpy(numbers, &v, sizeof numbers);
  CAROM_UNROLL
  for (std::size_t i = 0; i < rows; ++i) __builtin_memcpy(row[i * step] + column, numbers + i * part, 16);
}

/// 16 bytes of each row, from number c on: two doubles of a and b, or four floats.
template <std::size_t width, class B, class T>
[[gnu::always_inline]] inline void store_part(T* const* row, std::size_t c, const B& a, const B& b, const B& d,
                                              const B& e) {
  using Vector = typename VectorOf<T, width>::Type;
  constexpr std::size_t part = 16 / sizeof(T), groups = width / part;
  const auto x = __builtin_bit_cast(Vector, a), y = __builtin_bit_cast(Vector, b);
  if constexpr (part == 2) {
    store_side_by_side<T, groups>(row, part, c, interleave_doubles<width, false>(x, y));
    store_side_by_side<T, groups>(row + 1, part, c, interleave_doubles<width, true>(x, y));
  } else {
    using Doubles = typename VectorOf<double, width / 2>::Type;
    const auto z = __builtin_bit_cast(Vector, d), u = __builtin_bit_cast(Vector, e);
    const auto xy_low = (Doubles)interleave_floats<width, false>(x, y);
    const auto xy_high = (Doubles)interleave_floats<width, true>(x, y);
    const auto zu_low = (Doubles)interleave_floats<width, false>(z, u);
    const auto zu_high = (Doubles)interleave_floats<width, true>(z, u);
    store_side_by_side<T, groups>(row, part, c, interleave_doubles<width / 2, false>(xy_low, zu_low));
    store_side_by_side<T, groups>(row + 1, part, c, interleave_doubles<width / 2, true>(xy_low, zu_low));
    store_side_by_side<T, groups>(row + 2, part, c, interleave_doubles<width / 2, false>(xy_high, zu_high));
    store_side_by_side<T, groups>(row + 3, part, c, interleave_doubles<width / 2, true>(xy_high, zu_high));
  }
}

/// Row i gets lane i of four vectors.
template <class B, class T>
[[gnu::always_inline]] inline void store_four(T* const* row, const B (&lanes)[4]) {
  constexpr std::size_t width = VectorTraits<B>::width, part = 16 / sizeof(T);
  if constexpr (width == 1) {
    for (std::size_t c = 0; c < 4; ++c) row[0][c] = lanes[c];
  } else {
    CAROM_UNROLL
    for (std::size_t c = 0; c < 4; c += part)
      store_part<width>(row, c, lanes[c], lanes[c + 1], lanes[(c + 2) % 4], lanes[(c + 3) % 4]);
  }
}

/// The inverse of load_rows for six numbers: row i receives lane i of each. In float, two further elements of the row
/// are overwritten.
template <class B, class T>
[[gnu::always_inline]] inline void store_rows(T* const* row, const B (&lanes)[6]) {
  constexpr std::size_t width = VectorTraits<B>::width, part = 16 / sizeof(T);
  if constexpr (width == 1) {
    for (std::size_t c = 0; c < 6; ++c) row[0][c] = lanes[c];
  } else {
    const auto at = [&](std::size_t c) __attribute__((always_inline)) {
      return lanes[c < 6 ? c : c - 2];
    };
    CAROM_UNROLL
    for (std::size_t c = 0; c < 6; c += part) store_part<width>(row, c, at(c), at(c + 1), at(c + 2), at(c + 3));
  }
}

}  // namespace
}  // namespace carom::kernel
