// Compaction: moves selected lanes of a vector together.
#pragma once

#include "lanes.hpp"

namespace carom::kernel {
namespace {

/// Moves the lanes whose bits are set together, in their order.
template <class B>
class Compaction {
 public:
  explicit Compaction(unsigned bits) : bits_(bits) {}

  /// Writes the selected lanes of x to `to`. May write a whole vector; elements after the selected ones are undefined.
  template <class T>
  [[gnu::always_inline]] void store(T* to, B x) const {
    T lanes[VectorTraits<B>::width];
    store_lanes(lanes, x);
    for (unsigned left = bits_; left != 0; left &= left - 1) *to++ = lanes[__builtin_ctz(left)];
  }

 private:
  unsigned bits_;
};

#if XSIMD_WITH_FMA3_AVX2
/// For every set of lanes, their numbers.
template <unsigned sets, unsigned of_lane>
struct CompactionTable {
  alignas(64) std::uint8_t number[sets][8];
  constexpr CompactionTable() : number{} {
    for (unsigned bits = 0; bits < sets; ++bits) {
      unsigned n = 0;
      for (unsigned lane = 0; lane < 8 / of_lane; ++lane)
        if ((bits >> lane & 1u) != 0)
          for (unsigned part = 0; part < of_lane; ++part)
            number[bits][n++] = static_cast<std::uint8_t>(lane * of_lane + part);
    }
  }
  [[gnu::always_inline]] __m256i operator()(unsigned bits) const {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(number[bits])));
  }
};
template <class T>
inline constexpr CompactionTable<(1u << 32 / sizeof(T)), sizeof(T) / 4> compaction_table;

template <class T>
class Compaction<xsimd::batch<T, Avx2>> {
 public:
  explicit Compaction(unsigned bits) : order_(compaction_table<T>(bits)) {}
  [[gnu::always_inline]] void store(T* to, xsimd::batch<T, Avx2> x) const {
    const auto chosen = _mm256_permutevar8x32_ps(__builtin_bit_cast(__m256, x), order_);
    store_lanes(to, __builtin_bit_cast(xsimd::batch<T, Avx2>, chosen));
  }

 private:
  __m256i order_;
};
#endif

#if XSIMD_WITH_AVX512BW
template <class T>
class Compaction<xsimd::batch<T, Avx512>> {
 public:
  explicit Compaction(unsigned bits) : bits_(static_cast<Bits>(bits)) {}
  // By way of a register: a compressing store takes many times as long on some processors.
  [[gnu::always_inline]] void store(T* to, xsimd::batch<T, Avx512> x) const {
    if constexpr (sizeof(T) == sizeof(float))
      _mm512_storeu_ps(to, _mm512_maskz_compress_ps(bits_, x));
    else
      _mm512_storeu_pd(to, _mm512_maskz_compress_pd(bits_, x));
  }

 private:
  using Bits = typename xsimd::batch_bool<T, Avx512>::register_type;

  Bits bits_;
};
#endif

}  // namespace
}  // namespace carom::kernel
