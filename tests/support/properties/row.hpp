// One contact as a row of numbers, in 3D (D = 3) or 2D (D = 2), drawn from wide but plausible ranges.
#pragma once

#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <vector>

#include "support/properties/rapidcheck.hpp"

namespace carom::support {

using Wide = long double;

template <class T, std::size_t D>
using Tuple = std::array<T, D>;
/// Angular quantities: a vector in 3D, a number in 2D.
template <class T, std::size_t D>
using Turn = std::array<T, D == 3 ? 3 : 1>;
/// The upper triangle of a symmetric matrix, row by row.
template <class T, std::size_t D>
using Triangle = std::array<T, D*(D + 1) / 2>;

template <class T, std::size_t D>
struct LawRow {
  T friction{}, restitution{}, tangential_restitution{};
  std::array<T, 2> ratios{};
  T polar_angle{}, azimuth{}, fraction{};
  Tuple<T, D> candidate{};
  std::array<T, 10> weights{};  ///< in the order of LawColumns::Weights
  RestitutionLaw restitution_law{};
  Law law{};
};

template <class T, std::size_t D>
struct BodyRow {
  T inverse_mass{};
  std::array<T, D == 3 ? 6 : 1> inverse_inertia{};
  Tuple<T, D> velocity{};
  Turn<T, D> angular_velocity{};
};

template <class T, std::size_t D>
struct BodiesRow : LawRow<T, D> {
  Tuple<T, D> normal{};
  BodyRow<T, D> a, b;
  Tuple<T, D> r_a{}, r_b{};
};

/// The normal is the last axis.
template <class T, std::size_t D>
struct SpaceRow : LawRow<T, D> {
  Triangle<T, D> k{};
  Tuple<T, D> u0{};
};

// Every number rounded once.
template <class To, class From, std::size_t N>
void convert(std::array<To, N>& to, const std::array<From, N>& from) {
  for (std::size_t i = 0; i < N; ++i) to[i] = static_cast<To>(from[i]);
}
template <class To, class From, std::size_t D>
void convert(LawRow<To, D>& to, const LawRow<From, D>& from) {
  to.friction = static_cast<To>(from.friction);
  to.restitution = static_cast<To>(from.restitution);
  to.tangential_restitution = static_cast<To>(from.tangential_restitution);
  convert(to.ratios, from.ratios);
  to.polar_angle = static_cast<To>(from.polar_angle);
  to.azimuth = static_cast<To>(from.azimuth);
  to.fraction = static_cast<To>(from.fraction);
  convert(to.candidate, from.candidate);
  convert(to.weights, from.weights);
  to.restitution_law = from.restitution_law;
  to.law = from.law;
}
template <class To, class From, std::size_t D>
void convert(BodyRow<To, D>& to, const BodyRow<From, D>& from) {
  to.inverse_mass = static_cast<To>(from.inverse_mass);
  convert(to.inverse_inertia, from.inverse_inertia);
  convert(to.velocity, from.velocity);
  convert(to.angular_velocity, from.angular_velocity);
}
template <class To, class From, std::size_t D>
BodyRow<To, D> converted(const BodyRow<From, D>& from) {
  BodyRow<To, D> to;
  convert(to, from);
  return to;
}
template <class To, class From, std::size_t D>
BodiesRow<To, D> converted(const BodiesRow<From, D>& from) {
  BodiesRow<To, D> to;
  convert(static_cast<LawRow<To, D>&>(to), from);
  convert(to.normal, from.normal);
  convert(to.a, from.a);
  convert(to.b, from.b);
  convert(to.r_a, from.r_a);
  convert(to.r_b, from.r_b);
  return to;
}
template <class To, class From, std::size_t D>
SpaceRow<To, D> converted(const SpaceRow<From, D>& from) {
  SpaceRow<To, D> to;
  convert(static_cast<LawRow<To, D>&>(to), from);
  convert(to.k, from.k);
  convert(to.u0, from.u0);
  return to;
}

/// r x v
template <class T>
std::array<T, 3> moment(const std::array<T, 3>& r, const std::array<T, 3>& v) {
  return cross(r, v);
}
template <class T>
std::array<T, 1> moment(const std::array<T, 2>& r, const std::array<T, 2>& v) {
  return {r[0] * v[1] - r[1] * v[0]};
}
/// w x r
template <class T>
std::array<T, 3> swing(const std::array<T, 3>& w, const std::array<T, 3>& r) {
  return moment(w, r);
}
template <class T>
std::array<T, 2> swing(const std::array<T, 1>& w, const std::array<T, 2>& r) {
  return {-w[0] * r[1], w[0] * r[0]};
}
template <class T>
std::array<T, 3> times(const std::array<T, 6>& m, const std::array<T, 3>& v) {
  return symmetric(m) * v;
}
template <class T>
std::array<T, 2> times(const std::array<T, 3>& m, const std::array<T, 2>& v) {
  return {m[0] * v[0] + m[1] * v[1], m[1] * v[0] + m[2] * v[1]};
}
template <class T>
std::array<T, 1> times(const std::array<T, 1>& m, const std::array<T, 1>& v) {
  return {m[0] * v[0]};
}
template <class T>
T trace(const std::array<T, 6>& m) {
  return m[0] + m[3] + m[5];
}
template <class T>
T trace(const std::array<T, 3>& m) {
  return m[0] + m[2];
}
template <class T>
T trace(const std::array<T, 1>& m) {
  return m[0];
}

using Rotation3 = std::array<Tuple<Wide, 3>, 3>;
using Rotation2 = std::array<Tuple<Wide, 2>, 2>;

/// From a quaternion of whole numbers: signed permutations of the axes are among its simplest.
inline Rotation3 draw_rotation(std::integral_constant<std::size_t, 3>) {
  Tuple<Wide, 4> q{};
  for (Wide& x : q) x = *integer(0, 16).as("quaternion + 8") - 8;
  if (dot(q, q) == 0) q[0] = 1;
  const auto [a, b, c, d] = q;
  const Wide n = dot(q, q);
  return {{{(a * a + b * b - c * c - d * d) / n, 2 * (b * c - a * d) / n, 2 * (b * d + a * c) / n},
           {2 * (b * c + a * d) / n, (a * a - b * b + c * c - d * d) / n, 2 * (c * d - a * b) / n},
           {2 * (b * d - a * c) / n, 2 * (c * d + a * b) / n, (a * a - b * b - c * c + d * d) / n}}};
}
inline Rotation2 draw_rotation(std::integral_constant<std::size_t, 2>) {
  Wide a = *integer(0, 64).as("half angle + 32") - 32;
  const Wide b = *integer(0, 64).as("half angle + 32") - 32;
  if (a == 0 && b == 0) a = 1;
  const Wide n = a * a + b * b, c = (a * a - b * b) / n, s = 2 * a * b / n;
  return {{{c, -s}, {s, c}}};
}
template <std::size_t D>
auto draw_rotation() {
  return draw_rotation(std::integral_constant<std::size_t, D>());
}

template <class T, std::size_t D>
Tuple<T, D> turned(const std::array<Tuple<T, D>, D>& rotation, const Tuple<T, D>& v) {
  Tuple<T, D> result;
  for (std::size_t i = 0; i < D; ++i) result[i] = dot(rotation[i], v);
  return result;
}
template <class T>
std::array<T, 1> turned(const std::array<Tuple<T, 2>, 2>&, const std::array<T, 1>& w) {
  return w;
}
/// R m Rᵀ
template <class T, std::size_t D>
Triangle<T, D> conjugated(const std::array<Tuple<T, D>, D>& rotation, const Triangle<T, D>& m) {
  Triangle<T, D> result;
  std::size_t place = 0;
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = i; j < D; ++j) result[place++] = dot(rotation[i], times(m, rotation[j]));
  return result;
}
template <class T>
std::array<T, 1> conjugated(const std::array<Tuple<T, 2>, 2>&, const std::array<T, 1>& m) {
  return m;
}

}  // namespace carom::support
