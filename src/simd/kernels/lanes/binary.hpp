// Lanes as bit patterns: significands, powers of two, rounding errors.
#pragma once

#include "common.hpp"

namespace carom::kernel {
namespace {

/// The numbers of an IEEE format as powers of two with a linear fraction.
template <class T>
struct Binary;
template <>
struct Binary<float> {
  using Bits = std::uint32_t;
  static constexpr int dropped = 9;           // low bits of the fraction that are shifted out
  static constexpr float exponent = 0x1p14f;  // weight of the exponent's lowest bit after that shift
  static constexpr float bias = 127, whole = 0x1p23f;
};
template <>
struct Binary<double> {
  using Bits = std::uint64_t;
  static constexpr int dropped = 12;
  static constexpr double exponent = 0x1p40;
  static constexpr double bias = 1023, whole = 0x1p52;
};

/// Distance from 1 to the next number: two units of rounding.
template <class T>
inline constexpr T epsilon = sizeof(T) == sizeof(float) ? T(0x1p-23) : T(0x1p-52);

/// Smallest normal number and smallest positive number.
template <class T>
inline constexpr T min_normal = sizeof(T) == sizeof(float) ? T(0x1p-126) : T(0x1p-1022);
template <class T>
inline constexpr T min_number = sizeof(T) == sizeof(float) ? T(0x1p-149) : T(0x1p-1074);

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

/// Masks the upper half of a significand, with sign and exponent.
template <class T>
inline constexpr
    typename Binary<T>::Bits upper_half = static_cast<typename Binary<T>::Bits>(sizeof(T) == sizeof(float)
                                                                                    ? ~std::uint64_t(0) << 12
                                                                                    : ~std::uint64_t(0) << 27);

/// x y - product, exact if `product` is the rounded product x y without overflow or underflow.
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
  constexpr T least = min_normal<T>, greatest = T(1) / least;
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

}  // namespace
}  // namespace carom::kernel
