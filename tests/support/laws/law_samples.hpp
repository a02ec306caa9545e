// Collisions with parameters for every law, and the laws' own terms in long double, for the tests of the laws.
#pragma once

#include <algorithm>
#include <array>
#include <carom/reference.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "random/draw.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/laws/collisions.hpp"

namespace carom::reference {

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct LawSample {
  Collision c;
  LawParameters parameters;
};

using support::laws_of_bodies;

inline double slip(const Vector3& v) {
  return std::hypot(v[0], v[1]);
}

/// Parameters over their whole ranges; of the candidates most lie outside of the permissible region.
inline LawParameters random_parameters(support::Draw& draw, const Collision& c) {
  LawParameters p;
  p.tangential_restitution = draw.uniform(-1, 1);
  p.impulse_ratio_1 = 2 * draw.bell();
  p.impulse_ratio_2 = 2 * draw.bell();
  p.polar_angle = draw.uniform(0, std::numbers::pi);
  p.azimuth = draw.uniform(-10, 10);
  p.fraction = draw.uniform();
  const double size = length(c.u0) / trace(c.k);
  p.candidate = {2 * size * draw.bell(), 2 * size * draw.bell(), 4 * size * draw.uniform()};
  p.weight = {draw.uniform(), draw.uniform(), draw.uniform(), 0, draw.uniform(), draw.uniform(), 0,
              draw.uniform(), draw.uniform(), draw.uniform()};  // pfeiffer_glocker is planar
  return p;
}

inline std::vector<LawSample> law_samples(std::size_t count, std::uint64_t seed) {
  std::vector<LawSample> samples;
  support::Draw draw(seed + 1);
  for (const Collision& c : random_collisions(count, seed, 1)) samples.push_back({c, random_parameters(draw, c)});
  return samples;
}

/// The scale of velocities in a collision that ends with p: rounding errors of u0 + K p are relative to it.
inline double speeds(const Collision& c, const Vector3& p) {
  return length(c.u0) + trace(c.k) * length(p);
}

/// -K⁻¹ u0 by Cramer's rule in long double: its rounding error times the condition of K, 1e3 here, is below double's.
inline Vector3 stopping_impulse(const Collision& c) {
  using Real = long double;
  const auto k = [&](std::size_t i, std::size_t j) { return static_cast<Real>(c.k[i][j]); };
  const auto cofactor = [&](std::size_t i, std::size_t j) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, d = (j + 1) % 3, e = (j + 2) % 3;
    return k(a, d) * k(b, e) - k(a, e) * k(b, d);
  };
  const Real det = k(0, 0) * cofactor(0, 0) + k(0, 1) * cofactor(0, 1) + k(0, 2) * cofactor(0, 2);
  Vector3 p{};
  for (std::size_t i = 0; i < 3; ++i) {
    Real sum = 0;
    for (std::size_t j = 0; j < 3; ++j) sum += cofactor(i, j) * static_cast<Real>(c.u0[j]);
    p[i] = static_cast<double>(-sum / det);
  }
  return p;
}

}  // namespace carom::reference
