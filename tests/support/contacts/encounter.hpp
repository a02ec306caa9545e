// The mechanics of a contact, common to all laws, in higher precision than the solver's: the exact K and u0 of its
// numbers, their condition, and the energy change by an impulse.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "support/contacts/random_contacts.hpp"

namespace carom::support {

using Wide = long double;
using WideVector = carom::Vector3<Wide>;
using WideMatrix = Matrix3<Wide>;

inline Wide trace(const WideMatrix& m) {
  return m[0][0] + m[1][1] + m[2][2];
}

template <class T>
WideVector wide_at(const Vectors3<T>& columns, std::size_t i) {
  return {columns[0][i], columns[1][i], columns[2][i]};
}

template <class T>
WideMatrix wide_at(const std::array<std::vector<T>, 6>& m, std::size_t i) {
  return {{{m[0][i], m[1][i], m[2][i]}, {m[1][i], m[3][i], m[4][i]}, {m[2][i], m[4][i], m[5][i]}}};
}

/// In the frame of its impulse.
struct Encounter {
  WideMatrix k{};     ///< [1/kg]
  WideVector u0{};    ///< [m/s]
  WideVector normal;  ///< unit
  Wide k_terms = 0;   ///< bounds the sum of the terms' magnitudes in the trace of K
  Wide u0_terms = 0;  ///< and in u0
};

template <class T>
Encounter encounter(const RandomSpaceContacts<T>& contacts, std::size_t i) {
  const WideMatrix k = wide_at(contacts.k, i);
  const WideVector u0 = wide_at(contacts.separation_velocity, i);
  return {k, u0, {0, 0, 1}, trace(k), length(u0)};
}

template <class T>
Encounter encounter(const RandomContacts<T>& contacts, std::size_t i) {
  Encounter e;
  e.normal = wide_at(contacts.normal, i);
  const Wide size = length(e.normal);
  for (Wide& x : e.normal) x /= size;
  const auto add = [&](const BodyArrays<T>& body, const Vectors3<T>& levers, Wide sign) {
    const WideVector r = wide_at(levers, i), v = wide_at(body.velocity, i);
    const WideVector swing = cross(wide_at(body.angular_velocity, i), r);
    const WideMatrix inverse_inertia = wide_at(body.inverse_inertia, i);
    for (std::size_t column = 0; column < 3; ++column) {
      WideVector axis{};
      axis[column] = 1;
      const WideVector turn = cross(inverse_inertia * cross(r, axis), r);
      for (std::size_t row = 0; row < 3; ++row) e.k[row][column] += turn[row];
      e.k[column][column] += body.inverse_mass[i];
      e.u0[column] += sign * (v[column] + swing[column]);
    }
    e.k_terms += 3 * static_cast<Wide>(body.inverse_mass[i]) + trace(inverse_inertia) * dot(r, r);
    e.u0_terms += length(v) + length(wide_at(body.angular_velocity, i)) * length(r);
  };
  add(contacts.a, contacts.r_a, 1);
  add(contacts.b, contacts.r_b, -1);
  return e;
}

/// ½ u·K⁻¹ u [J], by Cholesky's decomposition: the energy that an impulse could take from the bodies.
inline Wide energy_at(const WideMatrix& k, const WideVector& u) {
  const Wide l11 = std::sqrt(k[0][0]), l21 = k[1][0] / l11, l31 = k[2][0] / l11;
  const Wide l22 = std::sqrt(k[1][1] - l21 * l21), l32 = (k[2][1] - l31 * l21) / l22;
  const Wide l33 = std::sqrt(k[2][2] - l31 * l31 - l32 * l32);
  const Wide a = u[0] / l11, b = (u[1] - l21 * a) / l22, c = (u[2] - l31 * a - l32 * b) / l33;
  return (a * a + b * b + c * c) / 2;
}

/// p·u0 + ½ p·K p [J]: energy gain of the bodies by an impulse p.
template <class T>
Wide energy_gain(const Encounter& e, const ResultArrays<T>& results, std::size_t i) {
  const WideVector p = wide_at(results.impulse, i);
  return dot(p, e.u0) + dot(p, e.k * p) / 2;
}

/// Relative to the energy that an impulse can dissipate, ½ u0·K⁻¹ u0.
template <class T>
double relative_energy_gain(const Encounter& e, const ResultArrays<T>& results, std::size_t i) {
  return static_cast<double>(energy_gain(e, results, i) / energy_at(e.k, e.u0));
}

/// Rounding error of a gain of zero [J]. A term of u0 is rounded four times on its way into the sum, which adds up to 2
/// ε of the terms; p and u leave the kernel's units and frame by a product and a sum of three, 2 ε each; the closed
/// form at the end of a collision adds as much to p. With the factor ½: ε each, of |p| (|u| + the terms of u0). p
/// follows from a K whose entries are products of J [r], r and the frame, rounded four times on their way: 4 ε of |J
/// [r]| |r|, which is at most the root of the trace of K times its terms. With the factor ½: 2 ε of |p|² times that
/// bound.
template <class T>
Wide rounding_of_energy(const Encounter& e, const ResultArrays<T>& results, std::size_t i) {
  constexpr Wide epsilon = std::numeric_limits<T>::epsilon();
  const Wide p = length(wide_at(results.impulse, i)), u = length(wide_at(results.separation_velocity, i));
  return epsilon * p * (4 * (u + e.u0_terms) + 2 * p * std::sqrt(trace(e.k) * e.k_terms));
}

/// Every fourth contact is elastic, every third has so little friction that its work is lost in rounding, or none, for
/// which there is a closed form: every twelfth keeps all of its energy, and the smallest error shows.
template <class AnyContacts>
void leave_some_without_losses(AnyContacts& contacts) {
  using T = typename decltype(contacts.friction)::value_type;
  for (std::size_t i = 0; i < contacts.friction.size(); ++i) {
    if (i % 4 == 0) contacts.restitution[i] = 1;
    if (i % 3 == 0) contacts.friction[i] = i % 24 == 0 ? T(0) : std::numeric_limits<T>::epsilon() / 4;
  }
}

/// Ratio of the largest to the smallest eigenvalue of a symmetric positive definite matrix, by Jacobi rotations.
inline double condition(WideMatrix k) {
  for (int sweep = 0; sweep < 12; ++sweep) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = i + 1; j < 3; ++j) {
        if (k[i][j] == 0) continue;
        const Wide ratio = (k[j][j] - k[i][i]) / (2 * k[i][j]);
        const Wide t = (ratio < 0 ? -1 : 1) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1));
        const Wide c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t l = 0; l < 3; ++l) {
          const Wide a = k[i][l], b = k[j][l];
          k[i][l] = c * a - s * b;
          k[j][l] = s * a + c * b;
        }
        for (std::size_t l = 0; l < 3; ++l) {
          const Wide a = k[l][i], b = k[l][j];
          k[l][i] = c * a - s * b;
          k[l][j] = s * a + c * b;
        }
      }
    }
  }
  const auto [least, most] = std::minmax({k[0][0], k[1][1], k[2][2]});
  return static_cast<double>(most / least);
}

}  // namespace carom::support
