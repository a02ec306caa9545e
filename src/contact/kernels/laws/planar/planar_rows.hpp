// Rows of eight numbers, each in pieces of 16 bytes in separate arrays. A row is stored in the group of its contact's
// law; adjacent rows of a group are loaded into lanes without pointers.
#pragma once

#include "simd/kernels/lanes/transpose.hpp"

namespace carom::kernel {
namespace {

/// Turns rows of T into vectors of B and back.
template <class B, class T>
struct PlanarRows {
  static constexpr std::size_t width = VectorTraits<B>::width, length = 8;
  static constexpr std::size_t piece = 16 / sizeof(T), pieces = length / piece;  // numbers in one, of a row
  static constexpr std::size_t in_vector = width < piece ? 1 : width / piece;    // pieces
  using Vector = typename VectorOf<T, width>::Type;

  /// Index, among `width` adjacent rows, of the row that is in `lane`.
  static constexpr std::size_t row_of(std::size_t lane) {
    return width == 1 ? lane : lane % piece * in_vector + lane / piece;
  }

  /// Stores lane i in the row at slot[i].
  template <std::size_t slots>
  [[gnu::always_inline]] static void scatter(T (&to)[pieces][slots][piece], const std::uint32_t* slot,
                                             const B (&lanes)[length]) {
    if constexpr (width == 1) {
      for (std::size_t c = 0; c < length; ++c) to[c / piece][slot[0]][c % piece] = lanes[c];
    } else {
      CAROM_UNROLL
      for (std::size_t p = 0; p < pieces; ++p) {
        Vector v[piece];
        for (std::size_t c = 0; c < piece; ++c) v[c] = __builtin_bit_cast(Vector, lanes[p * piece + c]);
        turn(v);
        CAROM_UNROLL
        for (std::size_t c = 0; c < piece; ++c) store_pieces<0>(to[p], slot, c, v[c]);
      }
    }
  }

  /// The way back.
  template <std::size_t slots>
  [[gnu::always_inline]] static void gather(const T (&from)[pieces][slots][piece], const std::uint32_t* slot,
                                            B (&lanes)[length]) {
    if constexpr (width == 1) {
      for (std::size_t c = 0; c < length; ++c) lanes[c] = from[c / piece][slot[0]][c % piece];
    } else {
      CAROM_UNROLL
      for (std::size_t p = 0; p < pieces; ++p) {
        Vector v[piece];
        CAROM_UNROLL
        for (std::size_t c = 0; c < piece; ++c) {
          const T* rows[in_vector];
          for (std::size_t i = 0; i < in_vector; ++i) rows[i] = from[p][slot[i * piece + c]];
          v[c] = __builtin_bit_cast(Vector, side_by_side<T, in_vector>(rows, 1, 0));
        }
        turn(v);
        for (std::size_t c = 0; c < piece; ++c) lanes[p * piece + c] = __builtin_bit_cast(B, v[c]);
      }
    }
  }

  /// The rows from `slot` on, in the lanes that row_of says.
  template <std::size_t slots>
  [[gnu::always_inline]] static void load(const T (&from)[pieces][slots][piece], std::size_t slot, B (&lanes)[length]) {
    if constexpr (width == 1) {
      for (std::size_t c = 0; c < length; ++c) lanes[c] = from[c / piece][slot][c % piece];
    } else {
      CAROM_UNROLL
      for (std::size_t p = 0; p < pieces; ++p) {
        Vector v[piece];
        for (std::size_t c = 0; c < piece; ++c) __builtin_memcpy(&v[c], from[p][slot + c * in_vector], sizeof v[c]);
        turn(v);
        for (std::size_t c = 0; c < piece; ++c) lanes[p * piece + c] = __builtin_bit_cast(B, v[c]);
      }
    }
  }
  template <std::size_t slots>
  [[gnu::always_inline]] static void store(T (&to)[pieces][slots][piece], std::size_t slot, const B (&lanes)[length]) {
    if constexpr (width == 1) {
      for (std::size_t c = 0; c < length; ++c) to[c / piece][slot][c % piece] = lanes[c];
    } else {
      CAROM_UNROLL
      for (std::size_t p = 0; p < pieces; ++p) {
        Vector v[piece];
        for (std::size_t c = 0; c < piece; ++c) v[c] = __builtin_bit_cast(Vector, lanes[p * piece + c]);
        turn(v);
        for (std::size_t c = 0; c < piece; ++c) __builtin_memcpy(to[p][slot + c * in_vector], &v[c], sizeof v[c]);
      }
    }
  }

 private:
  /// Within every 16 bytes rows to columns, which is its own inverse.
  [[gnu::always_inline]] static void turn(Vector (&v)[piece]) {
    if constexpr (piece == 2) {
      const Vector a = v[0], b = v[1];
      v[0] = interleave_doubles<width, false>(a, b);
      v[1] = interleave_doubles<width, true>(a, b);
    } else {
      using Doubles = typename VectorOf<double, width / 2>::Type;
      const auto low = (Doubles)interleave_floats<width, false>(v[0], v[1]);
      const auto high = (Doubles)interleave_floats<width, true>(v[0], v[1]);
      const auto later_low = (Doubles)interleave_floats<width, false>(v[2], v[3]);
      const auto later_high = (Doubles)interleave_floats<width, true>(v[2], v[3]);
      v[0] = (Vector)interleave_doubles<width / 2, false>(low, later_low);
      v[1] = (Vector)interleave_doubles<width / 2, true>(low, later_low);
      v[2] = (Vector)interleave_doubles<width / 2, false>(high, later_high);
      v[3] = (Vector)interleave_doubles<width / 2, true>(high, later_high);
    }
  }

  template <std::size_t i>
  [[gnu::always_inline]] static void store_pieces(T (*to)[piece], const std::uint32_t* slot, std::size_t first,
                                                  Vector v) {
    constexpr int from = static_cast<int>(i * piece);
    T* const row = to[slot[i * piece + first]];
    if constexpr (in_vector == 1) {
      __builtin_memcpy(row, &v, 16);
    } else if constexpr (piece == 2) {
      const auto part = __builtin_shufflevector(v, v, from, from + 1);
      __builtin_memcpy(row, &part, 16);
    } else {
      const auto part = __builtin_shufflevector(v, v, from, from + 1, from + 2, from + 3);
      __builtin_memcpy(row, &part, 16);
    }
    if constexpr (i + 1 < in_vector) store_pieces<i + 1>(to, slot, first, v);
  }
};

}  // namespace
}  // namespace carom::kernel
