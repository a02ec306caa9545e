// Cosine and sine with the same bits on every ISA, for any finite angle.
//
// The angle is reduced by k quarter turns, with π/2 in three parts, of which the first two have exact products with k.
// Angles of many turns are reduced in integer arithmetic: M. Payne, R. Hanek, Radian reduction for trigonometric
// functions, SIGNUM Newsletter 18, 1983. The reduced angle is in [-π/4, π/4], where the truncation error of the Taylor
// series is below half an ulp.
#pragma once

#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

template <class B>
struct Rotation {
  B cosine, sine;
};

template <class T>
struct QuarterTurn;
template <>
struct QuarterTurn<float> {
  static constexpr float part[] = {0x1.92p+0f, 0x1.fb4p-12f, 0x1.4442d2p-24f};
  static constexpr float inverse = 0x1.45f306p-1f, magic = 0x1.8p23f;
  static constexpr float many = 0x1p12f;  // radians
  static constexpr int terms = 5;
};
template <>
struct QuarterTurn<double> {
  static constexpr double part[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
  static constexpr double inverse = 0x1.45f306dc9c883p-1, magic = 0x1.8p52;
  static constexpr double many = 0x1p20;
  static constexpr int terms = 9;
};

/// 2/π after the point.
constexpr std::uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

/// 32 bits of 2/π from the given one on; the bits before the point are 0.
inline std::uint64_t bits_of_two_over_pi(int from) {
  const int word = (from + 64) / 32 - 2, shift = (from + 64) % 32;
  const auto at = [](int i) { return i < 0 || i >= 40 ? std::uint64_t{0} : std::uint64_t{two_over_pi[i]}; };
  return ((at(word) << 32 | at(word + 1)) >> (32 - shift)) & 0xffffffffu;
}

struct Reduced {
  double rest;  // in [-π/4, π/4]
  int quarters;
};

/// Reduces an angle of |angle| >= 2^11.
inline Reduced reduce_many_turns(double angle) {
  const std::uint64_t bits = bits_of(angle);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
  const std::uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  // Skips the bits of 2/π whose products with the lowest bit of the mantissa are whole turns.
  constexpr int limbs = 6;
  std::uint32_t product[limbs] = {};  // most significant first: 2 bits of quarter turns, then the fraction
  const std::uint64_t low = mantissa & 0xffffffffu, high = mantissa >> 32;
  std::uint64_t carry = 0;
  for (int i = limbs - 1; i >= 0; --i) {
    const std::uint64_t here = bits_of_two_over_pi(exponent - 2 + 32 * i);
    const std::uint64_t below = i + 1 < limbs ? bits_of_two_over_pi(exponent - 2 + 32 * (i + 1)) : 0;
    const std::uint64_t a = here * low, b = below * high;
    const std::uint64_t sum = (a & 0xffffffffu) + (b & 0xffffffffu) + (carry & 0xffffffffu);
    product[i] = static_cast<std::uint32_t>(sum);
    carry = (carry >> 32) + (a >> 32) + (b >> 32) + (sum >> 32);
  }
  int quarters = static_cast<int>(product[0] >> 30);
  const bool beyond_half = (product[0] >> 29 & 1u) != 0;
  if (beyond_half) ++quarters;
  double part = 0, unit = 0x1p-190;
  for (int i = limbs - 1; i >= 0; --i, unit *= 0x1p32) {
    std::uint32_t limb = product[i];
    if (i == 0) limb &= 0x3fffffffu;
    // Beyond half a quarter it is the complement.
    if (beyond_half) limb = (i == 0 ? 0x3fffffffu : 0xffffffffu) - limb;
    part += unit * static_cast<double>(limb);
  }
  const double rest = (beyond_half ? -part : part) * 0x1.921fb54442d18p+0;
  const bool negative = bits >> 63 != 0;
  return {negative ? -rest : rest, negative ? (4 - quarters) & 3 : quarters & 3};
}

template <class T, class B>
inline B round_to_whole(B x) {
  const B magic(QuarterTurn<T>::magic);
  return (x + magic) - magic;
}

template <class A, class T>
inline Rotation<typename LaneTypes<A, T>::Batch> rotation(typename LaneTypes<A, T>::Batch angle) {
  using B = typename LaneTypes<A, T>::Batch;
  using Quarter = QuarterTurn<T>;
  const auto turns = magnitude(angle) > B(Quarter::many);
  const B few = choose(turns, B(0), angle);
  const B k = round_to_whole<T>(few * B(Quarter::inverse));
  B rest = neg_mul_add(k, B(Quarter::part[0]), few);
  rest = neg_mul_add(k, B(Quarter::part[1]), rest);
  rest = neg_mul_add(k, B(Quarter::part[2]), rest);
  B quarters = neg_mul_add(B(4), round_to_whole<T>(k * B(T(0.25))), k);  // -2 to 2
  if (const unsigned many = lane_bits(turns); many != 0) [[unlikely]] {
    constexpr std::size_t width = LaneTypes<A, T>::width;
    T angles[width], rests[width], counts[width];
    store_lanes(angles, angle);
    store_lanes(rests, rest);
    store_lanes(counts, quarters);
    for_each_bit(many, [&](std::size_t lane) {
      const Reduced reduced = reduce_many_turns(static_cast<double>(angles[lane]));
      rests[lane] = static_cast<T>(reduced.rest);
      counts[lane] = static_cast<T>(reduced.quarters);
    });
    rest = load_lanes<B>(rests);
    quarters = load_lanes<B>(counts);
  }

  const B x2 = rest * rest;
  B sine(0), cosine(0);
  // Σ (-1)^i x^2i / (2i)! and x Σ (-1)^i x^2i / (2i + 1)!, from the smallest term on.
  for (int i = Quarter::terms; i > 0; --i) {
    const B next_sine(static_cast<T>(-1.0 / (2 * i * (2 * i + 1)))),
        next_cosine(static_cast<T>(-1.0 / (2 * i * (2 * i - 1))));
    sine = x2 * mul_add(next_sine, sine, next_sine);
    cosine = x2 * mul_add(next_cosine, cosine, next_cosine);
  }
  sine = mul_add(rest, sine, rest);
  cosine = B(1) + cosine;

  const auto odd = magnitude(quarters) == B(1) || quarters == B(3);
  const B c = choose(odd, sine, cosine), s = choose(odd, cosine, sine);
  const auto cosine_falls = quarters == B(1) || magnitude(quarters) == B(2) || quarters == B(-3);
  const auto sine_falls = magnitude(quarters) == B(2) || quarters == B(3) || quarters == B(-1);
  return {choose(cosine_falls, negated(c), c), choose(sine_falls, negated(s), s)};
}

}  // namespace
}  // namespace carom::kernel
