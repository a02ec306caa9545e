// Collisions in contact space, for the tests of the reference, and the units of their errors.
#pragma once

#include <array>
#include <carom/reference.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/support/vector3.hpp"
#include "support/contacts/random_contacts.hpp"

namespace carom::reference {

inline Matrix3 symmetric(double xx, double xy, double xz, double yy, double yz, double zz) {
  return {Vector3{xx, xy, xz}, Vector3{xy, yy, yz}, Vector3{xz, yz, zz}};
}

inline double length(const Vector3& v) {
  return std::hypot(v[0], v[1], v[2]);
}

inline double distance(const Vector3& a, const Vector3& b) {
  return length(a - b);
}

inline double trace(const Matrix3& k) {
  return k[0][0] + k[1][1] + k[2][2];
}

// q = M⁻¹ k
inline std::array<double, 2> q_of(const Matrix3& k) {
  const double det = k[0][0] * k[1][1] - k[0][1] * k[0][1];
  return {(k[1][1] * k[0][2] - k[0][1] * k[1][2]) / det, (k[0][0] * k[1][2] - k[0][1] * k[0][2]) / det};
}

// The eigenvalues of M, ascending.
inline std::array<double, 2> eigenvalues_of_m(const Matrix3& k) {
  const double mean = 0.5 * (k[0][0] + k[1][1]);
  const double radius = std::hypot(0.5 * (k[0][0] - k[1][1]), k[0][1]);
  return {mean - radius, mean + radius};
}

inline double reach(const Collision& c) {
  return c.step * (c.friction * eigenvalues_of_m(c.k)[1] + std::hypot(c.k[0][2], c.k[1][2]));
}

// du/dp_z while sliding at the angle theta.
inline Vector3 sliding_rate(const Matrix3& k, double friction, double theta) {
  return k * Vector3{-friction * std::cos(theta), -friction * std::sin(theta), 1};
}

inline double growth(const Matrix3& k, double friction, double theta) {
  const Vector3 rate = sliding_rate(k, friction, theta);
  return rate[0] * std::cos(theta) + rate[1] * std::sin(theta);
}

inline void set_steps(Collision& c, double steps) {
  c.step = length(c.u0) / (steps * trace(c.k));
}

inline std::vector<Collision> random_collisions(std::size_t count, std::uint64_t seed, double steps) {
  const support::RandomSpaceContacts<double> drawn(count, seed);
  std::vector<Collision> collisions(count);
  for (std::size_t i = 0; i < count; ++i) {
    Collision& c = collisions[i];
    c.k = symmetric(drawn.k[0][i], drawn.k[1][i], drawn.k[2][i], drawn.k[3][i], drawn.k[4][i], drawn.k[5][i]);
    c.u0 = {drawn.separation_velocity[0][i], drawn.separation_velocity[1][i], drawn.separation_velocity[2][i]};
    c.friction = drawn.friction[i];
    c.restitution = drawn.restitution[i];
    set_steps(c, steps);
  }
  return collisions;
}

// The example of the paper's section 3.7.
inline const Matrix3 unstable_example = symmetric(20, 0, 1, 4, 6, 10);

}  // namespace carom::reference
