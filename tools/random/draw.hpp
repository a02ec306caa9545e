// Random numbers with the same bits on every platform: the distributions of std:: and the transcendentals of libm
// differ, so these use only operations that IEEE 754 defines to the bit.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "core/support/vector3.hpp"

namespace carom::support {

using Vector = carom::Vector3<double>;
using Rows = Matrix3<double>;
using carom::cross, carom::dot, carom::length;

/// R diag(d) Rᵀ: xx, xy, xz, yy, yz, zz.
inline std::array<double, 6> turned_diagonal(const Rows& r, const Vector& d) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    return r[i][0] * d[0] * r[j][0] + r[i][1] * d[1] * r[j][1] + r[i][2] * d[2] * r[j][2];
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

/// A seed for every part of a drawing.
inline std::uint64_t seed_of_part(std::uint64_t seed, std::uint64_t part) {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // its multiples are far apart
  return seed + part * golden_ratio;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

  /// Mean 0, variance 1, nearly normal: the sum of four uniforms of variance 1/12 is scaled by the root of 12/4.
  double bell() {
    const std::uint64_t bits = engine_();
    double sum = 0;
    for (int i = 0; i < 64; i += 16) sum += static_cast<double>(bits >> i & 0xffff);
    return (sum * 0x1p-16 - 2) * std::sqrt(3.0);
  }
  Vector bell3(double deviation) { return {deviation * bell(), deviation * bell(), deviation * bell()}; }

  /// Log-uniform within exp(±log_range), as (1 + x/1024)^1024.
  double log_uniform(double log_range) {
    double y = 1 + uniform(-log_range, log_range) / 1024;
    for (int i = 0; i < 10; ++i) y *= y;
    return y;
  }

  Vector direction() {
    for (;;) {
      const Vector v{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
      const double square = dot(v, v);
      if (square > 1 || square < 0x1p-20) continue;
      const double size = std::sqrt(square);
      return {v[0] / size, v[1] / size, v[2] / size};
    }
  }

  /// G. Marsaglia, Choosing a Point from the Surface of a Sphere, 1972: a uniform unit quaternion from two discs.
  Rows rotation() {
    const auto [x, y, s] = disc();
    const auto [u, v, t] = disc();
    const double f = std::sqrt((1 - s) / t);
    const double z = u * f, w = v * f;
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
             {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
             {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
  }

 private:
  std::array<double, 3> disc() {
    for (;;) {
      const double x = uniform(-1, 1), y = uniform(-1, 1), square = x * x + y * y;
      if (square < 1 && square > 0) return {x, y, square};
    }
  }

  std::mt19937_64 engine_;
};

}  // namespace carom::support
