// Chosen lanes of vectors, brought together.
#pragma once

#include "lanes.hpp"

namespace carom::kernel {
namespace {

/// Brings chosen lanes of vectors together: those whose bits are set, in their order.
template <class B>
class Compaction {
 public:
  explicit Compaction(unsigned bits) : bits_(bits) {}

  /// Writes the chosen lanes of x to `to`. It may write a whole vector; what comes behind them means nothing.
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
inline constexpr CompactionTable<256, 1> compaction_of_floats;
inline constexpr CompactionTable<16, 2> compaction_of_doubles;

template <>
class Compaction<xsimd::batch<float, Avx2>> {
 public:
  explicit Compaction(unsigned bits) : order_(compaction_of_floats(bits)) {}
  [[gnu::always_inline]] void store(float* to, xsimd::batch<float, Avx2> x) const {
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(x, order_));
  }

 private:
  __m256i order_;
};
template <>
class Compaction<xsimd::batch<double, Avx2>> {
 public:
  explicit Compaction(unsigned bits) : order_(compaction_of_doubles(bits)) {}
  [[gnu::always_inline]] void store(double* to, xsimd::batch<double, Avx2> x) const {
    _mm256_storeu_pd(to, _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(x), order_)));
  }

 private:
  __m256i order_;
};
#endif

#if XSIMD_WITH_AVX512BW
template <>
class Compaction<xsimd::batch<float, Avx512>> {
 public:
  explicit Compaction(unsigned bits) : bits_(static_cast<__mmask16>(bits)) {}
  // By way of a register: a compressing store takes many times as long on some processors.
  [[gnu::always_inline]] void store(float* to, xsimd::batch<float, Avx512> x) const {
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps(bits_, x));
  }

 private:
  __mmask16 bits_;
};
template <>
class Compaction<xsimd::batch<double, Avx512>> {
 public:
  explicit Compaction(unsigned bits) : bits_(static_cast<__mmask8>(bits)) {}
  [[gnu::always_inline]] void store(double* to, xsimd::batch<double, Avx512> x) const {
    _mm512_storeu_pd(to, _mm512_maskz_compress_pd(bits_, x));
  }

 private:
  __mmask8 bits_;
};
#endif

}  // namespace
}  // namespace carom::kernel
