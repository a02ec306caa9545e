// Beside compaction.hpp the only file that knows an ISA or a version of xsimd: the lane types of each architecture and
// the few operations that differ between them. Arithmetic and comparison operators are xsimd's and the language's own.
//
// Everything in the kernels has internal linkage, so that no function compiled for one ISA can stand in for another's.
// For the same reason they call no inline function of a common header and nothing of std::.
#pragma once

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

#if XSIMD_WITH_NEON64
/// xsimd 8.1 divides floats by an estimate of the reciprocal, as 32-bit ARM has to.
template <>
inline xsimd::batch<float, xsimd::neon64>& xsimd::batch<float, xsimd::neon64>::operator/=(
    const xsimd::batch<float, xsimd::neon64>& other) noexcept {
  return *this = vdivq_f32(*this, other);
}
#endif

/// Before a loop of a known number of rounds. Code that has to be small, a sanitizer's additions and a build without
/// optimisation, which would warn of it, are not unrolled.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__OPTIMIZE_SIZE__) || \
    !defined(__OPTIMIZE__)
#define CAROM_UNROLL
#else
#define CAROM_UNROLL _Pragma("GCC unroll 32")
#endif

namespace carom::kernel {
namespace {

/// An enumerator in the lanes' own type.
template <class T, class B, class Enum>
inline B number(Enum value) {
  return B(static_cast<T>(value));
}

/// n, which the compiler does not know: it does not unroll a loop that ends there.
[[gnu::always_inline]] inline int rounds(int n) {
  asm("" : "+r"(n));
  return n;
}

// ---- one lane: the scalar kernel, and what every other kernel does contact by contact --------------------------

struct Scalar {};

template <class A, class T>
struct LaneTypes {
  using Batch = xsimd::batch<T, A>;
  using Mask = xsimd::batch_bool<T, A>;
  static constexpr std::size_t width = Batch::size;
  static constexpr std::size_t interleaved = 4;  // vectors that a loop of long latency keeps under way
};
template <class T>
struct LaneTypes<Scalar, T> {
  using Batch = T;
  using Mask = bool;
  static constexpr std::size_t width = 1;
  static constexpr std::size_t interleaved = 4;
};

/// Of a vector or a mask.
template <class V>
struct VectorTraits {
  using Element = V;
  static constexpr std::size_t width = 1;
};
template <class T, class A>
struct VectorTraits<xsimd::batch<T, A>> {
  using Element = T;
  static constexpr std::size_t width = xsimd::batch<T, A>::size;
};
template <class T, class A>
struct VectorTraits<xsimd::batch_bool<T, A>> {
  using Element = bool;
  static constexpr std::size_t width = xsimd::batch<T, A>::size;
};

#ifdef CAROM_UNFUSED
/// x y + z, x y - z and z - x y, as the lanes of this ISA have them: with two roundings.
inline float mul_add(float x, float y, float z) {
  return x * y + z;
}
inline double mul_add(double x, double y, double z) {
  return x * y + z;
}
inline float mul_sub(float x, float y, float z) {
  return x * y - z;
}
inline double mul_sub(double x, double y, double z) {
  return x * y - z;
}
inline float neg_mul_add(float x, float y, float z) {
  return z - x * y;
}
inline double neg_mul_add(double x, double y, double z) {
  return z - x * y;
}
#else
/// x y + z, x y - z and z - x y with one rounding.
inline float mul_add(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline double mul_add(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
inline float mul_sub(float x, float y, float z) {
  return __builtin_fmaf(x, y, -z);
}
inline double mul_sub(double x, double y, double z) {
  return __builtin_fma(x, y, -z);
}
inline float neg_mul_add(float x, float y, float z) {
  return __builtin_fmaf(-x, y, z);
}
inline double neg_mul_add(double x, double y, double z) {
  return __builtin_fma(-x, y, z);
}
#endif
inline float square_root(float x) {
  return __builtin_sqrtf(x);
}
inline double square_root(double x) {
  return __builtin_sqrt(x);
}
inline float magnitude(float x) {
  return __builtin_fabsf(x);
}
inline double magnitude(double x) {
  return __builtin_fabs(x);
}
inline bool is_nan(float x) {
  return __builtin_isnan(x);
}
inline bool is_nan(double x) {
  return __builtin_isnan(x);
}
inline float choose(bool condition, float yes, float no) {
  return condition ? yes : no;
}
inline double choose(bool condition, double yes, double no) {
  return condition ? yes : no;
}
inline bool differ(bool a, bool b) {
  return a != b;
}
inline bool and_not(bool a, bool b) {
  return a && !b;
}
inline unsigned lane_bits(bool mask) {
  return mask ? 1u : 0u;
}
template <class B>
inline B load_lanes(const float* from) requires(sizeof(B) == sizeof(float)) {
  return *from;
}
template <class B>
inline B load_lanes(const double* from) requires(sizeof(B) == sizeof(double)) {
  return *from;
}
inline void store_lanes(float* to, float x) {
  *to = x;
}
inline void store_lanes(double* to, double x) {
  *to = x;
}

// ---- any ISA of xsimd's ----------------------------------------------------------------------------------------

template <class T, class A>
inline xsimd::batch<T, A> square_root(xsimd::batch<T, A> x) {
  return xsimd::sqrt(x);
}
template <class T, class A>
inline xsimd::batch<T, A> magnitude(xsimd::batch<T, A> x) {
  return xsimd::abs(x);
}
/// Not x != x: xsimd 8.1 compares ordered on AVX, so that NaN != NaN is false there.
template <class T, class A>
inline xsimd::batch_bool<T, A> is_nan(xsimd::batch<T, A> x) {
  return xsimd::isnan(x);
}
template <class T, class A>
inline xsimd::batch<T, A> choose(xsimd::batch_bool<T, A> condition, xsimd::batch<T, A> yes, xsimd::batch<T, A> no) {
  return xsimd::select(condition, yes, no);
}
template <class B, class T>
inline B load_lanes(const T* from) requires(sizeof(B) > sizeof(T)) {
  return B::load_unaligned(from);
}
template <class T, class A>
inline void store_lanes(T* to, xsimd::batch<T, A> x) {
  x.store_unaligned(to);
}

// ---- AVX2 with FMA3 --------------------------------------------------------------------------------------------

#if XSIMD_WITH_FMA3_AVX2
using Avx2 = xsimd::fma3<xsimd::avx2>;

template <class T>
inline xsimd::batch<T, Avx2> mul_add(xsimd::batch<T, Avx2> x, xsimd::batch<T, Avx2> y, xsimd::batch<T, Avx2> z) {
  return xsimd::fma(x, y, z);
}
template <class T>
inline xsimd::batch<T, Avx2> mul_sub(xsimd::batch<T, Avx2> x, xsimd::batch<T, Avx2> y, xsimd::batch<T, Avx2> z) {
  return xsimd::fms(x, y, z);
}
template <class T>
inline xsimd::batch<T, Avx2> neg_mul_add(xsimd::batch<T, Avx2> x, xsimd::batch<T, Avx2> y, xsimd::batch<T, Avx2> z) {
  return xsimd::fnma(x, y, z);
}
template <class T>
inline xsimd::batch_bool<T, Avx2> differ(xsimd::batch_bool<T, Avx2> a, xsimd::batch_bool<T, Avx2> b) {
  return a != b;
}
inline xsimd::batch_bool<float, Avx2> and_not(xsimd::batch_bool<float, Avx2> a, xsimd::batch_bool<float, Avx2> b) {
  return _mm256_andnot_ps(b, a);
}
inline xsimd::batch_bool<double, Avx2> and_not(xsimd::batch_bool<double, Avx2> a, xsimd::batch_bool<double, Avx2> b) {
  return _mm256_andnot_pd(b, a);
}
inline unsigned lane_bits(xsimd::batch_bool<float, Avx2> mask) {
  return static_cast<unsigned>(_mm256_movemask_ps(mask));
}
inline unsigned lane_bits(xsimd::batch_bool<double, Avx2> mask) {
  return static_cast<unsigned>(_mm256_movemask_pd(mask));
}
#endif

// ---- AVX-512 ---------------------------------------------------------------------------------------------------

#if XSIMD_WITH_AVX512BW
using Avx512 = xsimd::avx512bw;

// xsimd 8.1 does not fuse its fma here, and its exclusive or of masks is an or.
inline xsimd::batch<float, Avx512> mul_add(xsimd::batch<float, Avx512> x, xsimd::batch<float, Avx512> y,
                                           xsimd::batch<float, Avx512> z) {
  return _mm512_fmadd_ps(x, y, z);
}
inline xsimd::batch<double, Avx512> mul_add(xsimd::batch<double, Avx512> x, xsimd::batch<double, Avx512> y,
                                            xsimd::batch<double, Avx512> z) {
  return _mm512_fmadd_pd(x, y, z);
}
inline xsimd::batch<float, Avx512> mul_sub(xsimd::batch<float, Avx512> x, xsimd::batch<float, Avx512> y,
                                           xsimd::batch<float, Avx512> z) {
  return _mm512_fmsub_ps(x, y, z);
}
inline xsimd::batch<double, Avx512> mul_sub(xsimd::batch<double, Avx512> x, xsimd::batch<double, Avx512> y,
                                            xsimd::batch<double, Avx512> z) {
  return _mm512_fmsub_pd(x, y, z);
}
inline xsimd::batch<float, Avx512> neg_mul_add(xsimd::batch<float, Avx512> x, xsimd::batch<float, Avx512> y,
                                               xsimd::batch<float, Avx512> z) {
  return _mm512_fnmadd_ps(x, y, z);
}
inline xsimd::batch<double, Avx512> neg_mul_add(xsimd::batch<double, Avx512> x, xsimd::batch<double, Avx512> y,
                                                xsimd::batch<double, Avx512> z) {
  return _mm512_fnmadd_pd(x, y, z);
}
template <class T>
inline unsigned lane_bits(xsimd::batch_bool<T, Avx512> mask) {
  return static_cast<unsigned>(mask.data);
}
template <class T>
inline xsimd::batch_bool<T, Avx512> differ(xsimd::batch_bool<T, Avx512> a, xsimd::batch_bool<T, Avx512> b) {
  using Register = typename xsimd::batch_bool<T, Avx512>::register_type;
  return xsimd::batch_bool<T, Avx512>(static_cast<Register>(a.data ^ b.data));
}
template <class T>
inline xsimd::batch_bool<T, Avx512> and_not(xsimd::batch_bool<T, Avx512> a, xsimd::batch_bool<T, Avx512> b) {
  using Register = typename xsimd::batch_bool<T, Avx512>::register_type;
  return xsimd::batch_bool<T, Avx512>(static_cast<Register>(a.data & ~b.data));
}
#endif

// ---- SSE2, which has no fused multiply-add ---------------------------------------------------------------------

#if XSIMD_WITH_SSE2 && defined(CAROM_UNFUSED)
using Sse2 = xsimd::sse2;

template <class T>
inline xsimd::batch<T, Sse2> mul_add(xsimd::batch<T, Sse2> x, xsimd::batch<T, Sse2> y, xsimd::batch<T, Sse2> z) {
  return x * y + z;
}
template <class T>
inline xsimd::batch<T, Sse2> mul_sub(xsimd::batch<T, Sse2> x, xsimd::batch<T, Sse2> y, xsimd::batch<T, Sse2> z) {
  return x * y - z;
}
template <class T>
inline xsimd::batch<T, Sse2> neg_mul_add(xsimd::batch<T, Sse2> x, xsimd::batch<T, Sse2> y, xsimd::batch<T, Sse2> z) {
  return z - x * y;
}
inline unsigned lane_bits(xsimd::batch_bool<float, Sse2> mask) {
  return static_cast<unsigned>(_mm_movemask_ps(mask));
}
inline unsigned lane_bits(xsimd::batch_bool<double, Sse2> mask) {
  return static_cast<unsigned>(_mm_movemask_pd(mask));
}
inline xsimd::batch_bool<float, Sse2> and_not(xsimd::batch_bool<float, Sse2> a, xsimd::batch_bool<float, Sse2> b) {
  return _mm_andnot_ps(b, a);
}
inline xsimd::batch_bool<double, Sse2> and_not(xsimd::batch_bool<double, Sse2> a, xsimd::batch_bool<double, Sse2> b) {
  return _mm_andnot_pd(b, a);
}
inline xsimd::batch_bool<float, Sse2> differ(xsimd::batch_bool<float, Sse2> a, xsimd::batch_bool<float, Sse2> b) {
  return _mm_xor_ps(a, b);
}
inline xsimd::batch_bool<double, Sse2> differ(xsimd::batch_bool<double, Sse2> a, xsimd::batch_bool<double, Sse2> b) {
  return _mm_xor_pd(a, b);
}
#endif

// ---- NEON of AArch64 -------------------------------------------------------------------------------------------

#if XSIMD_WITH_NEON64
using Neon = xsimd::neon64;

inline xsimd::batch<float, Neon> mul_add(xsimd::batch<float, Neon> x, xsimd::batch<float, Neon> y,
                                         xsimd::batch<float, Neon> z) {
  return vfmaq_f32(z, x, y);
}
inline xsimd::batch<double, Neon> mul_add(xsimd::batch<double, Neon> x, xsimd::batch<double, Neon> y,
                                          xsimd::batch<double, Neon> z) {
  return vfmaq_f64(z, x, y);
}
inline xsimd::batch<float, Neon> mul_sub(xsimd::batch<float, Neon> x, xsimd::batch<float, Neon> y,
                                         xsimd::batch<float, Neon> z) {
  return vfmaq_f32(vnegq_f32(z), x, y);
}
inline xsimd::batch<double, Neon> mul_sub(xsimd::batch<double, Neon> x, xsimd::batch<double, Neon> y,
                                          xsimd::batch<double, Neon> z) {
  return vfmaq_f64(vnegq_f64(z), x, y);
}
inline xsimd::batch<float, Neon> neg_mul_add(xsimd::batch<float, Neon> x, xsimd::batch<float, Neon> y,
                                             xsimd::batch<float, Neon> z) {
  return vfmsq_f32(z, x, y);
}
inline xsimd::batch<double, Neon> neg_mul_add(xsimd::batch<double, Neon> x, xsimd::batch<double, Neon> y,
                                              xsimd::batch<double, Neon> z) {
  return vfmsq_f64(z, x, y);
}
/// xsimd 8.1 estimates the root of floats.
inline xsimd::batch<float, Neon> square_root(xsimd::batch<float, Neon> x) {
  return vsqrtq_f32(x);
}
inline unsigned lane_bits(xsimd::batch_bool<float, Neon> mask) {
  const uint32x4_t bit_of_lane = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(mask, bit_of_lane));
}
inline unsigned lane_bits(xsimd::batch_bool<double, Neon> mask) {
  const uint64x2_t bit_of_lane = {1, 2};
  return static_cast<unsigned>(vaddvq_u64(vandq_u64(mask, bit_of_lane)));
}
inline xsimd::batch_bool<float, Neon> and_not(xsimd::batch_bool<float, Neon> a, xsimd::batch_bool<float, Neon> b) {
  return vbicq_u32(a, b);
}
inline xsimd::batch_bool<double, Neon> and_not(xsimd::batch_bool<double, Neon> a, xsimd::batch_bool<double, Neon> b) {
  return vbicq_u64(a, b);
}
inline xsimd::batch_bool<float, Neon> differ(xsimd::batch_bool<float, Neon> a, xsimd::batch_bool<float, Neon> b) {
  return veorq_u32(a, b);
}
inline xsimd::batch_bool<double, Neon> differ(xsimd::batch_bool<double, Neon> a, xsimd::batch_bool<double, Neon> b) {
  return veorq_u64(a, b);
}
#endif

/// Copies cache lines past the caches, where the ISA can: `to` begins one, `count` is a multiple of one.
template <class T>
inline void stream_lines(T* to, const T* from, std::size_t count) {
  // A line at once where it can be: one that goes in parts may leave before it is whole.
#if defined(__AVX512F__)
  for (std::size_t i = 0; i < count; i += 64 / sizeof(T))
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
#elif defined(__AVX__)
  for (std::size_t i = 0; i < count; i += 32 / sizeof(T))
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
#elif defined(__SSE2__)
  for (std::size_t i = 0; i < count; i += 16 / sizeof(T))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
  __builtin_memcpy(to, from, count * sizeof(T));
#endif
}
/// Before others may read what has been streamed.
inline void end_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Before control goes back to code of the baseline, which would wait for the upper halves of dirty registers in every
/// instruction. The compiler does not see to it on every way out.
template <class A>
inline void leave_lanes() {
#ifdef __AVX__
  _mm256_zeroupper();
#endif
}

// ---- what all of the above makes possible ----------------------------------------------------------------------

/// -x, also of zero: xsimd 8.1 computes 0 - x on AVX-512, and in functions without an architecture elsewhere.
template <class B>
inline B negated(B x) {
  return B(-1) * x;
}

template <class B>
inline B larger(B a, B b) {
  return choose(a > b, a, b);
}

template <class B>
inline B smaller(B a, B b) {
  return choose(a < b, a, b);
}

#if XSIMD_WITH_FMA3_AVX2
// In one instruction, which takes the second operand where one is no number, as `choose` does.
inline xsimd::batch<float, Avx2> larger(xsimd::batch<float, Avx2> a, xsimd::batch<float, Avx2> b) {
  return _mm256_max_ps(a, b);
}
inline xsimd::batch<double, Avx2> larger(xsimd::batch<double, Avx2> a, xsimd::batch<double, Avx2> b) {
  return _mm256_max_pd(a, b);
}
inline xsimd::batch<float, Avx2> smaller(xsimd::batch<float, Avx2> a, xsimd::batch<float, Avx2> b) {
  return _mm256_min_ps(a, b);
}
inline xsimd::batch<double, Avx2> smaller(xsimd::batch<double, Avx2> a, xsimd::batch<double, Avx2> b) {
  return _mm256_min_pd(a, b);
}
#endif
#if XSIMD_WITH_AVX512BW
inline xsimd::batch<float, Avx512> larger(xsimd::batch<float, Avx512> a, xsimd::batch<float, Avx512> b) {
  return _mm512_max_ps(a, b);
}
inline xsimd::batch<double, Avx512> larger(xsimd::batch<double, Avx512> a, xsimd::batch<double, Avx512> b) {
  return _mm512_max_pd(a, b);
}
inline xsimd::batch<float, Avx512> smaller(xsimd::batch<float, Avx512> a, xsimd::batch<float, Avx512> b) {
  return _mm512_min_ps(a, b);
}
inline xsimd::batch<double, Avx512> smaller(xsimd::batch<double, Avx512> a, xsimd::batch<double, Avx512> b) {
  return _mm512_min_pd(a, b);
}
#endif

/// The numbers of an IEEE format as powers of two with a linear fraction.
template <class T>
struct Binary;
template <>
struct Binary<float> {
  using Bits = std::uint32_t;
  static constexpr int dropped = 9;           // bits of the fraction that do not count
  static constexpr float exponent = 0x1p14f;  // a power of two in what is left
  static constexpr float bias = 127, whole = 0x1p23f;
};
template <>
struct Binary<double> {
  using Bits = std::uint64_t;
  static constexpr int dropped = 12;
  static constexpr double exponent = 0x1p40;
  static constexpr double bias = 1023, whole = 0x1p52;
};

/// The lanes whose sign is set, a bit each, whatever number or none they hold.
inline unsigned sign_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x) >> 31;
}
inline unsigned sign_bits(double x) {
  return static_cast<unsigned>(__builtin_bit_cast(std::uint64_t, x) >> 63);
}
#if XSIMD_WITH_FMA3_AVX2
inline unsigned sign_bits(xsimd::batch<float, Avx2> x) {
  return static_cast<unsigned>(_mm256_movemask_ps(x));
}
inline unsigned sign_bits(xsimd::batch<double, Avx2> x) {
  return static_cast<unsigned>(_mm256_movemask_pd(x));
}
#endif
#if XSIMD_WITH_AVX512BW
inline unsigned sign_bits(xsimd::batch<float, Avx512> x) {
  return static_cast<unsigned>(_mm512_movepi32_mask(_mm512_castps_si512(x)));
}
inline unsigned sign_bits(xsimd::batch<double, Avx512> x) {
  return static_cast<unsigned>(_mm512_movepi64_mask(_mm512_castpd_si512(x)));
}
#endif
#if XSIMD_WITH_SSE2 && defined(CAROM_UNFUSED)
inline unsigned sign_bits(xsimd::batch<float, Sse2> x) {
  return static_cast<unsigned>(_mm_movemask_ps(x));
}
inline unsigned sign_bits(xsimd::batch<double, Sse2> x) {
  return static_cast<unsigned>(_mm_movemask_pd(x));
}
#endif
#if XSIMD_WITH_NEON64
inline unsigned sign_bits(xsimd::batch<float, Neon> x) {
  return lane_bits(xsimd::batch_bool<float, Neon>(vcltzq_s32(vreinterpretq_s32_f32(x))));
}
inline unsigned sign_bits(xsimd::batch<double, Neon> x) {
  return lane_bits(xsimd::batch_bool<double, Neon>(vcltzq_s64(vreinterpretq_s64_f64(x))));
}
#endif

/// The least number above 0.
template <class T>
inline constexpr T least_number = sizeof(T) == sizeof(float) ? T(0x1p-149) : T(0x1p-1074);

inline std::uint32_t bits_of(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
inline std::uint64_t bits_of(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}
template <class B>
inline float from_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
template <class B>
inline double from_bits(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}
template <class T, class A>
inline xsimd::batch<typename Binary<T>::Bits, A> bits_of(xsimd::batch<T, A> x) {
  return __builtin_bit_cast(xsimd::batch<typename Binary<T>::Bits, A>, x);
}
template <class B, class I, class A>
inline B from_bits(xsimd::batch<I, A> bits) {
  return __builtin_bit_cast(B, bits);
}

template <class B>
using VectorElement = typename VectorTraits<B>::Element;

/// Masks the upper half of a significand, with sign and exponent.
template <class T>
inline constexpr
    typename Binary<T>::Bits upper_half = static_cast<typename Binary<T>::Bits>(sizeof(T) == sizeof(float)
                                                                                    ? ~std::uint64_t(0) << 12
                                                                                    : ~std::uint64_t(0) << 27);

/// x y - product, exact where `product` is x y rounded and nothing over- or underflows.
template <class B>
inline B rounding_of_product(B x, B y, B product) {
#ifdef CAROM_UNFUSED
  // T. J. Dekker, A Floating-Point Technique for Extending the Available Precision, 1971: halves have exact products.
  using Bits = decltype(bits_of(x));
  const auto high_half = [](B v) { return from_bits<B>(Bits(bits_of(v) & Bits(upper_half<VectorElement<B>>))); };
  const B x_high = high_half(x), x_low = x - x_high, y_high = high_half(y), y_low = y - y_high;
  return (((x_high * y_high - product) + x_high * y_low) + x_low * y_high) + x_low * y_low;
#else
  return mul_sub(x, y, product);
#endif
}

/// a b - c d to 1.5 ulp of the result, however much cancels (Kahan).
template <class B>
inline B difference_of_products(B a, B b, B c, B d) {
  const B product = c * d;
#ifdef CAROM_UNFUSED
  const B other = a * b;
  return (other - product) + (rounding_of_product(a, b, other) - rounding_of_product(c, d, product));
#else
  return mul_sub(a, b, product) + neg_mul_add(c, d, product);
#endif
}

/// A power of two 2^e and its reciprocal.
template <class B>
struct Binade {
  B scale, inverse;
};

/// The one with 2^e <= x < 2^(e+1). Both are normal numbers, also where x is zero, subnormal, next to overflow or none.
template <class B>
inline Binade<B> binade_of(B x) {
  using T = VectorElement<B>;
  using Bits = decltype(bits_of(x));
  constexpr bool single = sizeof(T) == sizeof(float);
  constexpr T least = single ? T(0x1p-126) : T(0x1p-1022), greatest = single ? T(0x1p126) : T(0x1p1022);
  const Bits exponent = bits_of(smaller(larger(x, B(least)), B(greatest))) & Bits(bits_of(T(__builtin_inf())));
  return {from_bits<B>(exponent), from_bits<B>(Bits(Bits(2 * bits_of(T(1))) - exponent))};
}

/// log2 of x >= 0, to 0.09: linear between powers of two. No logarithm of a library has the same bits everywhere.
template <class T, class B>
inline B approximate_log2(B x) {
  using Format = Binary<T>;
  using Bits = decltype(bits_of(x));
  const Bits integer = (bits_of(x) >> Format::dropped) | Bits(bits_of(Format::whole));
  return mul_add(from_bits<B>(integer) - B(Format::whole), B(T(1) / Format::exponent), B(-Format::bias));
}

/// 2^x for |x| < 100, linear between powers of two: the inverse of the above.
template <class T, class B>
inline B approximate_exp2(B x) {
  using Format = Binary<T>;
  using Bits = decltype(bits_of(x));
  const B integer = mul_add(x, B(Format::exponent), B(Format::bias * Format::exponent + Format::whole));
  return from_bits<B>(Bits(bits_of(integer) ^ Bits(bits_of(Format::whole))) << Format::dropped);
}

/// Calls f(lane) for every bit that is set, from the lowest.
template <class F>
inline void for_each_bit(unsigned bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<std::size_t>(__builtin_ctz(bits)));
}

}  // namespace
}  // namespace carom::kernel
