// Planar contacts: bodies that move in a plane, with a scalar inertia. Columns and results are as in contacts.hpp, with
// two components per vector.
//
// The tangent is t = (n_y, -n_x), so that (t, n) is right-handed. Angles and angular velocities are positive
// anticlockwise. Every law has a closed form or needs one scalar equation. The column `step` and the options of
// integration (Options::integrator, steps, step_budget) have no effect. docs/planar.md has the equations.
#pragma once

#include <carom/contacts.hpp>

namespace carom::planar {

/// Vectors in the plane.
template <class T>
struct Vector2Columns {
  Column<T> x, y;  ///< in the unit of the vector

  /// Views `n` vectors of two adjacent numbers, one every `stride` bytes: a member of your struct.
  static constexpr Vector2Columns interleaved(T* xy, std::size_t n, std::ptrdiff_t stride = 2 * sizeof(T)) {
    return {{xy, n, stride}, {xy + 1, n, stride}};
  }
  /// Converts writable columns to read-only columns.
  constexpr operator Vector2Columns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {x, y};
  }
};

/// The upper triangle of a symmetric 2 × 2 matrix.
template <class T>
struct SymmetricColumns {
  Column<T> xx, xy, yy;  ///< in the unit of the matrix

  /// Views `n` matrices of three adjacent numbers in this order, one every `stride` bytes.
  static constexpr SymmetricColumns interleaved(T* three, std::size_t n, std::ptrdiff_t stride = 3 * sizeof(T)) {
    return {{three, n, stride}, {three + 1, n, stride}, {three + 2, n, stride}};
  }
  /// Converts writable columns to read-only columns.
  constexpr operator SymmetricColumns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {xx, xy, yy};
  }
};

/// States of bodies. BodyColumns<const T> is the read-only form. All columns are required and have the same length.
template <class T>
struct BodyColumns {
  Column<T> inverse_mass;      ///< [1/kg] >= 0, 0 for an immovable body
  Column<T> inverse_inertia;   ///< [1/(kg m²)] >= 0, about the centre of mass
  Vector2Columns<T> velocity;  ///< [m/s] of the centre of mass
  Column<T> angular_velocity;  ///< [rad/s]

  /// Converts writable columns to read-only columns.
  constexpr operator BodyColumns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {inverse_mass, inverse_inertia, velocity, angular_velocity};
  }

  /// Returns `count` immovable bodies at rest.
  static BodyColumns<const std::remove_const_t<T>> immovable(std::size_t count) {
    static constexpr std::remove_const_t<T> zero = 0;
    const auto c = Column<const std::remove_const_t<T>>::repeat(zero, count);
    return {c, c, {c, c}, c};
  }
};

/// Contacts with the states of both bodies inline. All columns have the same length. Columns are required unless they
/// are optional.
template <class T>
struct Contacts {
  Column<const T> friction, restitution;  ///< [1] as in carom::Contacts
  Vector2Columns<const T> normal;         ///< [1] unit vector from B to A, within Tolerances::normal_tolerance
  Vector2Columns<const T> r_a, r_b;       ///< [m] contact point minus centre of mass
  BodyColumns<const T> a, b;              ///< the two bodies
  LawColumns<T> laws{};                   ///< optional
};

/// Contacts between bodies that are stored once and named by index. `bodies` has a length of its own.
template <class T>
struct IndexedContacts {
  Column<const T> friction, restitution;      ///< [1] as in carom::Contacts
  Vector2Columns<const T> normal;             ///< as in Contacts
  Vector2Columns<const T> r_a, r_b;           ///< [m] contact point minus centre of mass
  Column<const std::int32_t> body_a, body_b;  ///< index into `bodies`, -1 for the immovable world
  BodyColumns<const T> bodies;                ///< states of all bodies
  LawColumns<T> laws{};                       ///< optional
};

/// Contacts given by their collision matrix and separation velocity, with x along the tangent and y along the normal.
template <class T>
struct KContacts {
  Column<const T> friction, restitution;        ///< [1] as in carom::Contacts
  SymmetricColumns<const T> k;                  ///< [1/kg] collision matrix K: u - u0 = K p. Positive definite.
  Vector2Columns<const T> separation_velocity;  ///< [m/s] u0: u before the collision
  LawColumns<T> laws{};                         ///< optional
};

/// Results of planar contacts. An angular velocity is one number. Vectors of KContacts are (tangent, normal).
template <class T>
using Results = ResultColumns<T, Vector2Columns, Column>;

}  // namespace carom::planar
