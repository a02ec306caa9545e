// The quantities of a contact in its law: K and u0 in the contact frame, with the normal last. The caller's numbers are
// taken as exact.
#pragma once

#include <limits>

#include "probe/contacts.hpp"
#include "probe/real.hpp"
#include "probe/singular.hpp"

namespace carom::probe {

template <class R, std::size_t D>
struct Encounter {
  Matrix<R, D> frame;   ///< rows: the tangents and the normal, in the frame of the results
  Matrix<R, D> k{};     ///< [1/kg]
  Vector<R, D> u0{};    ///< [m/s]
  R trace = 0;          ///< [1/kg]
  R k_terms = 0;        ///< [1/kg] sum of the terms of the trace: D m + Σ tr J |r|²; in contact space the trace
  R u0_terms = 0;       ///< [m/s] sum of the terms of u0: Σ |v| + |w| |r|; in contact space |u0|
  R condition = 0;      ///< of K
  R energy = 0;         ///< ½ u0·K⁻¹ u0 [J]
  Vector<R, D> stop{};  ///< -K⁻¹ u0 [N s]
  bool solvable = false, has_mass = false;
  Definiteness definiteness = Definiteness::definite;
};

template <class T, class R, std::size_t D>
void complete(Encounter<R, D>& e) {
  for (std::size_t i = 0; i < D; ++i) e.trace += e.k[i][i];
  if (!(e.trace > 0)) {
    e.definiteness = definiteness<T>(R(0), e.k_terms, e.has_mass);
    return;
  }
  Matrix<long double, D> scaled;
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j) scaled[i][j] = static_cast<long double>(e.k[i][j] / e.trace);
  e.condition = static_cast<R>(condition(scaled));
  // Eigenvalues in wide numbers are slow, so they are computed only if K is ill-conditioned.
  if (!(e.condition * 1000 * std::numeric_limits<T>::epsilon() * e.k_terms < e.trace))
    e.definiteness = definiteness<T>(min_of(eigenvalues(e.k)), e.k_terms, e.has_mass);
  Vector<R, D> x;
  e.solvable = solve(e.k, e.u0, x);
  e.energy = dot(x, e.u0) / 2;
  for (std::size_t i = 0; i < D; ++i) e.stop[i] = -x[i];
}

template <class R, class T>
Vector<R, 3> vector_at(const AnyContacts<T>& c, const std::string& name, std::size_t i) {
  return {c.at(name + "_x", i), c.at(name + "_y", i), c.at(name + "_z", i)};
}

template <class R, class T>
Matrix<R, 3> matrix_at(const AnyContacts<T>& c, const std::string& name, std::size_t i) {
  const R xx = c.at(name + "_xx", i), xy = c.at(name + "_xy", i), xz = c.at(name + "_xz", i);
  const R yy = c.at(name + "_yy", i), yz = c.at(name + "_yz", i), zz = c.at(name + "_zz", i);
  return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

/// A body of either dimension in 3D: planar bodies turn about z.
template <class R>
struct BodyState {
  R inverse_mass;
  Matrix<R, 3> inverse_inertia;
  Vector<R, 3> lever, velocity, spin;
};

template <class R, class T>
BodyState<R> body_at(const AnyContacts<T>& c, const std::string& side, std::size_t i) {
  BodyState<R> b{};
  b.inverse_mass = c.at("inverse_mass_" + side, i);
  if (!is_planar(c.form)) {
    b.inverse_inertia = matrix_at<R>(c, "inverse_inertia_" + side, i);
    b.lever = vector_at<R>(c, "r_" + side, i);
    b.velocity = vector_at<R>(c, "velocity_" + side, i);
    b.spin = vector_at<R>(c, "angular_velocity_" + side, i);
  } else {
    b.inverse_inertia[2][2] = c.at("inverse_inertia_" + side, i);
    b.lever = {c.at("r_" + side + "_x", i), c.at("r_" + side + "_y", i), 0};
    b.velocity = {c.at("velocity_" + side + "_x", i), c.at("velocity_" + side + "_y", i), 0};
    b.spin[2] = c.at("angular_velocity_" + side, i);
  }
  return b;
}

template <class R, std::size_t D>
Vector<R, D> into(const Matrix<R, D>& frame, const Vector<R, 3>& v) {
  Vector<R, D> out{};
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j) out[i] += frame[i][j] * v[j];
  return out;
}

template <class R, std::size_t D, class T>
Encounter<R, D> encounter(const AnyContacts<T>& c, std::size_t i) {
  Encounter<R, D> e;
  for (std::size_t a = 0; a < D; ++a)
    for (std::size_t b = 0; b < D; ++b) e.frame[a][b] = a == b ? 1 : 0;
  if (!has_bodies(c.form)) {
    if constexpr (D == 3) {
      e.k = matrix_at<R>(c, "k", i);
      e.u0 = vector_at<R>(c, "u0", i);
    } else {
      e.k = {{{c.at("k_xx", i), c.at("k_xy", i)}, {c.at("k_xy", i), c.at("k_yy", i)}}};
      e.u0 = {c.at("u0_x", i), c.at("u0_y", i)};
    }
    for (std::size_t a = 0; a < D; ++a) e.k_terms += e.k[a][a];
    complete<T>(e);
    e.u0_terms = length(e.u0);
    return e;
  }
  Vector<R, 3> n{c.at("normal_x", i), c.at("normal_y", i), 0};
  if constexpr (D == 3) n[2] = c.at("normal_z", i);
  const R size = length(n);
  for (R& x : n) x /= size;
  if constexpr (D == 3) {
    std::size_t least = 0;
    for (std::size_t a = 1; a < 3; ++a)
      if (absolute(n[a]) < absolute(n[least])) least = a;
    Vector<R, 3> axis{};
    axis[least] = 1;
    Vector<R, 3> t = cross(axis, n);
    const R t_size = length(t);
    for (R& x : t) x /= t_size;
    e.frame = {t, cross(n, t), n};
  } else {
    e.frame = {{{n[1], -n[0]}, {n[0], n[1]}}};
  }
  for (const char* side : {"a", "b"}) {
    const BodyState<R> b = body_at<R>(c, side, i);
    R inertia = 0;
    for (std::size_t a = 0; a < 3; ++a) inertia += b.inverse_inertia[a][a];
    e.has_mass = e.has_mass || b.inverse_mass > 0;
    e.k_terms += static_cast<R>(D) * b.inverse_mass + inertia * dot(b.lever, b.lever);
    e.u0_terms += length(b.velocity) + length(b.spin) * length(b.lever);
    const Vector<R, 3> u = plus(b.velocity, R(1), cross(b.spin, b.lever));
    const Vector<R, D> in_frame = into<R, D>(e.frame, u);
    e.u0 = plus(e.u0, R(*side == 'a' ? 1 : -1), in_frame);
    for (std::size_t a = 0; a < D; ++a) {
      e.k[a][a] += b.inverse_mass;
      Vector<R, 3> axis{};
      for (std::size_t x = 0; x < D; ++x) axis[x] = e.frame[a][x];
      const Vector<R, 3> turned = cross(times(b.inverse_inertia, cross(b.lever, axis)), b.lever);
      const Vector<R, D> row = into<R, D>(e.frame, turned);
      for (std::size_t x = 0; x < D; ++x) e.k[a][x] += row[x];
    }
  }
  complete<T>(e);
  return e;
}

}  // namespace carom::probe
