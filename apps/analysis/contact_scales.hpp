// What differences between results are measured in: the speed |u0| of a contact, and its trace K.
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/planar.hpp>
#include <cmath>
#include <cstddef>

namespace carom::apps {

using Vector = std::array<double, 3>;

template <class T>
Vector vector_at(const Vector3Columns<T>& v, std::size_t row) {
  return {static_cast<double>(v.x[row]), static_cast<double>(v.y[row]), static_cast<double>(v.z[row])};
}

template <class T>
Vector vector_at(const planar::Vector2Columns<T>& v, std::size_t row) {
  return {static_cast<double>(v.x[row]), static_cast<double>(v.y[row]), 0};
}

/// What turns in the plane turns about z.
template <class T>
Vector vector_at(const Column<T>& v, std::size_t row) {
  return {0, 0, static_cast<double>(v[row])};
}

inline double norm(const Vector& v) {
  return std::hypot(v[0], v[1], v[2]);
}

inline double distance(const Vector& v, const Vector& w) {
  return norm({v[0] - w[0], v[1] - w[1], v[2] - w[2]});
}

inline Vector cross(const Vector& v, const Vector& w) {
  return {v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]};
}

/// |u0| [m/s]
template <class Contacts>
double contact_speed(const Contacts& c, std::size_t row) {
  if constexpr (requires { c.separation_velocity; }) {
    return norm(vector_at(c.separation_velocity, row));
  } else {
    const Vector va = vector_at(c.a.velocity, row), vb = vector_at(c.b.velocity, row);
    const Vector wa = cross(vector_at(c.a.angular_velocity, row), vector_at(c.lever_a, row));
    const Vector wb = cross(vector_at(c.b.angular_velocity, row), vector_at(c.lever_b, row));
    return norm({va[0] + wa[0] - vb[0] - wb[0], va[1] + wa[1] - vb[1] - wb[1], va[2] + wa[2] - vb[2] - wb[2]});
  }
}

/// The trace of the collision matrix [1/kg] that one body adds: of m^-1 + (r x e_i)·I^-1 (r x e_j).
inline double trace_k(const BodyColumns<const double>& body, const Vector3Columns<const double>& lever,
                      std::size_t row) {
  const auto& i = body.inverse_inertia;
  const double xx = i.xx[row], xy = i.xy[row], xz = i.xz[row], yy = i.yy[row], yz = i.yz[row], zz = i.zz[row];
  const auto [x, y, z] = vector_at(lever, row);
  return 3 * body.inverse_mass[row] + xx * (y * y + z * z) + yy * (x * x + z * z) + zz * (x * x + y * y) -
         2 * (xy * x * y + xz * x * z + yz * y * z);
}

inline double trace_k(const planar::BodyColumns<const double>& body, const planar::Vector2Columns<const double>& lever,
                      std::size_t row) {
  const auto [x, y, z] = vector_at(lever, row);
  return 2 * body.inverse_mass[row] + body.inverse_inertia[row] * (x * x + y * y);
}

template <class Contacts>
double trace_k(const Contacts& c, std::size_t row) {
  if constexpr (requires { c.k.xx; })
    return c.k.xx[row] + c.k.yy[row];
  else if constexpr (requires { c.k; })
    return c.k.xx[row] + c.k.yy[row] + c.k.zz[row];
  else
    return trace_k(c.a, c.lever_a, row) + trace_k(c.b, c.lever_b, row);
}

}  // namespace carom::apps
