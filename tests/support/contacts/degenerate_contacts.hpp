// Contacts at the limits of solvability, as engines produce them. Each kind has all combinations of low and high
// friction and restitution.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "random/draw.hpp"
#include "support/contacts/random_contacts.hpp"

namespace carom::support {

enum class BodyKind {
  slender,     ///< rods with inertias in the ratio 1e4 to 1, touched at their surface
  overhang,    ///< the same, touched anywhere within their length: parts of larger bodies
  mass_ratio,  ///< 1e6 to 1
  grazing,     ///< |u·n| = 1e-6 |u|
  head_on,     ///< |u_t| = 1e-6 |u| or less
  scales,      ///< velocities and masses over 12 orders of magnitude, independent of the other body
};
inline constexpr std::array body_kinds = {
    std::pair{BodyKind::slender, std::string_view("slender")},
    std::pair{BodyKind::overhang, std::string_view("overhang")},
    std::pair{BodyKind::mass_ratio, std::string_view("mass_ratio")},
    std::pair{BodyKind::grazing, std::string_view("grazing")},
    std::pair{BodyKind::head_on, std::string_view("head_on")},
    std::pair{BodyKind::scales, std::string_view("scales")},
};

enum class SpaceKind {
  conditioned,       ///< cond K up to 1e8
  moderate,          ///< cond K up to 1e4
  grazing,           ///< |u_z| = 1e-6 |u|
  head_on,           ///< |u_t| = 1e-6 |u| or none
  scales,            ///< K and u over 12 orders of magnitude
  two_compressions,  ///< about the example of [R] 1.2
};
inline constexpr std::array space_kinds = {
    std::pair{SpaceKind::conditioned, std::string_view("conditioned")},
    std::pair{SpaceKind::moderate, std::string_view("moderate")},
    std::pair{SpaceKind::grazing, std::string_view("grazing")},
    std::pair{SpaceKind::head_on, std::string_view("head_on")},
    std::pair{SpaceKind::scales, std::string_view("scales")},
    std::pair{SpaceKind::two_compressions, std::string_view("two_compressions")},
};

/// 10^x with x uniform within ±decades.
inline double powers_of_ten(Draw& draw, double decades) {
  return draw.log_uniform(decades * 2.302585092994046);
}

/// Every combination in 18 contacts.
inline std::pair<double, double> coefficients(std::size_t i) {
  constexpr std::array friction = {0.0, 1e-3, 0.2, 0.8, 1e3, std::numeric_limits<double>::infinity()};
  constexpr std::array restitution = {0.0, 0.5, 1.0};
  return {friction[i % 6], restitution[i / 6 % 3]};
}

/// A velocity whose normal and tangential parts are in the ratio of the kind.
inline Vector directed_velocity(Draw& draw, const Vector& n, double speed, double normal_part, double tangential_part) {
  for (;;) {
    const Vector across = cross(n, draw.direction());
    const double size = std::sqrt(dot(across, across));
    if (size < 0.1) continue;
    Vector v;
    for (std::size_t j = 0; j < 3; ++j) v[j] = speed * (tangential_part / size * across[j] - normal_part * n[j]);
    return v;
  }
}

template <class T>
class DegenerateBodies {
 public:
  DegenerateBodies(BodyKind kind, std::size_t count, std::uint64_t seed) : kind_(kind), draw_(seed) {
    for (std::size_t i = 0; i < count; ++i) add(i);
  }
  RandomContacts<T> contacts{0, 0};

 private:
  struct Body {
    double inverse_mass = 0;
    std::array<double, 6> inverse_inertia{};
    Vector velocity{}, spin{}, lever{};
  };

  Body body(double inverse_mass) {
    Body b;
    b.inverse_mass = inverse_mass;
    const bool rod = kind_ == BodyKind::slender || kind_ == BodyKind::overhang;
    // (1 + s²) / 2s² = 1e4
    const Vector half = rod ? Vector{0.00707142, 0.00707142, 1}
                            : Vector{draw_.uniform(0.1, 1), draw_.uniform(0.1, 1), draw_.uniform(0.1, 1)};
    const Rows r = draw_.rotation();
    Vector d{};
    for (std::size_t j = 0; j < 3; ++j) {
      const double p = half[(j + 1) % 3], q = half[(j + 2) % 3];
      d[j] = 3 * inverse_mass / (p * p + q * q);
    }
    b.inverse_inertia = turned_diagonal(r, d);
    Vector point{draw_.uniform(-1, 1), draw_.uniform(-1, 1), draw_.uniform(-1, 1)};
    if (kind_ != BodyKind::overhang) {
      point[draw_.below(3)] = draw_.below(2) == 0 ? -1 : 1;
      for (std::size_t j = 0; j < 3; ++j) point[j] *= half[j];
    }
    b.lever = r * point;
    if (kind_ != BodyKind::grazing && kind_ != BodyKind::head_on) {
      b.velocity = draw_.bell3(2);
      b.spin = draw_.bell3(2);
    }
    return b;
  }

  void add(std::size_t i) {
    double mass_a = 1, mass_b = draw_.below(2) == 0 ? 0 : 1, speed = 1;
    if (kind_ == BodyKind::mass_ratio) mass_b = i % 2 == 0 ? 1e6 : 1e-6;
    if (kind_ == BodyKind::scales) {
      mass_a = powers_of_ten(draw_, 6);
      mass_b = powers_of_ten(draw_, 6);
      speed = powers_of_ten(draw_, 6);
    }
    Body a = body(mass_a), b = body(mass_b);
    Vector n = draw_.direction();
    if (kind_ == BodyKind::grazing) a.velocity = directed_velocity(draw_, n, 2, 1e-6, 1);
    if (kind_ == BodyKind::head_on) a.velocity = directed_velocity(draw_, n, 2, 1, i % 4 == 0 ? 0 : 1e-6);
    const Vector swing_a = cross(a.spin, a.lever), swing_b = cross(b.spin, b.lever);
    double approach = 0, terms = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      approach += n[j] * (a.velocity[j] + swing_a[j] - b.velocity[j] - swing_b[j]);
      terms += std::abs(a.velocity[j]) + std::abs(b.velocity[j]) + std::abs(swing_a[j]) + std::abs(swing_b[j]);
    }
    // Far enough from the other sign for the rounding of float.
    if (kind_ != BodyKind::grazing && std::abs(approach) < 1e-5 * terms) return add(i);
    if (approach > 0)
      for (double& x : n) x = -x;
    const auto push = [](auto& columns, const auto& values, double scale = 1) {
      for (std::size_t j = 0; j < columns.size(); ++j) columns[j].push_back(static_cast<T>(scale * values[j]));
    };
    const auto push_body = [&](BodyArrays<T>& to, Vectors3<T>& levers, const Body& from) {
      to.inverse_mass.push_back(static_cast<T>(from.inverse_mass));
      push(to.inverse_inertia, from.inverse_inertia);
      push(to.velocity, from.velocity, speed);
      push(to.angular_velocity, from.spin, speed);
      push(levers, from.lever);
    };
    push(contacts.normal, n);
    push_body(contacts.a, contacts.r_a, a);
    push_body(contacts.b, contacts.r_b, b);
    const auto [friction, restitution] = coefficients(i);
    contacts.friction.push_back(static_cast<T>(friction));
    contacts.restitution.push_back(static_cast<T>(restitution));
  }

  BodyKind kind_;
  Draw draw_;
};

template <class T>
RandomSpaceContacts<T> degenerate_in_contact_space(SpaceKind kind, std::size_t count, std::uint64_t seed) {
  RandomSpaceContacts<T> contacts(0, 0);
  Draw draw(seed);
  for (std::size_t i = 0; i < count; ++i) {
    auto [friction, restitution] = coefficients(i);
    Rows r = draw.rotation();
    Vector eigenvalues{1, 1, 1};
    // 10^-x with x up to 8, 4 or 1.
    const auto [decades, middle] = kind == SpaceKind::conditioned ? std::pair{8, 1e-4}
                                   : kind == SpaceKind::moderate  ? std::pair{4, 1e-2}
                                                                  : std::pair{1, 0.31622776601683794};
    for (std::size_t j = 1; j < 3; ++j) eigenvalues[j] = middle * powers_of_ten(draw, 0.5 * decades);
    Vector u0 = draw.bell3(2);
    u0[2] = -std::max(std::abs(u0[2]), 1e-3);
    const double parts = 1e-6;
    if (kind == SpaceKind::grazing) u0 = directed_velocity(draw, {0, 0, 1}, 2, parts, 1);
    if (kind == SpaceKind::head_on) u0 = directed_velocity(draw, {0, 0, 1}, 2, 1, i % 4 == 0 ? 0 : parts);
    std::array<double, 6> k{};
    std::size_t next = 0;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = row; column < 3; ++column) {
        double& entry = k[next++];
        for (std::size_t j = 0; j < 3; ++j) entry += r[row][j] * eigenvalues[j] * r[column][j];
      }
    }
    if (kind == SpaceKind::two_compressions) {
      k = {20, -23, 4, 31, -7, 4};
      u0 = {630 * draw.uniform(0.99, 1.01), -780 * draw.uniform(0.99, 1.01), -0.22 * draw.uniform(0.9, 1.1)};
      friction = 0.5;
      restitution = draw.uniform();
    }
    if (kind == SpaceKind::scales) {
      const double mobility = powers_of_ten(draw, 6), speed = powers_of_ten(draw, 6);
      for (double& x : k) x *= mobility;
      for (double& x : u0) x *= speed;
    }
    for (std::size_t j = 0; j < 6; ++j) contacts.k[j].push_back(static_cast<T>(k[j]));
    for (std::size_t j = 0; j < 3; ++j) contacts.separation_velocity[j].push_back(static_cast<T>(u0[j]));
    contacts.friction.push_back(static_cast<T>(friction));
    contacts.restitution.push_back(static_cast<T>(restitution));
  }
  return contacts;
}

/// The same values, for the reference.
template <class T>
RandomContacts<double> widened(const RandomContacts<T>& contacts) {
  return contacts.widened();
}
template <class T>
RandomSpaceContacts<double> widened(const RandomSpaceContacts<T>& contacts) {
  RandomSpaceContacts<double> wide(0, 0);
  const auto widen = [](const std::vector<T>& from, std::vector<double>& to) { to.assign(from.begin(), from.end()); };
  widen(contacts.friction, wide.friction);
  widen(contacts.restitution, wide.restitution);
  for (std::size_t j = 0; j < 6; ++j) widen(contacts.k[j], wide.k[j]);
  for (std::size_t j = 0; j < 3; ++j) widen(contacts.separation_velocity[j], wide.separation_velocity[j]);
  return wide;
}

}  // namespace carom::support
