// Planar contacts: bodies that move in a plane, with a scalar inertia. The views and the results of contacts.hpp with
// two components a vector. The tangent is t = (n_y, -n_x), so that (t, n) is right-handed; angles and angular
// velocities count anticlockwise. Every law is in closed form or one scalar equation, so that nothing is integrated:
// the column `step` does not count, nor do the options of integration. docs/planar.md has the equations.
#pragma once

#include <carom/contacts.hpp>

namespace carom::planar {

/// Vectors in the plane.
template <class T>
struct Vector2Columns {
  Column<T> x, y;  ///< in the unit of the vector

  /// Columns of `n` vectors, each two numbers side by side, one every `stride` bytes: a field of a host's struct.
  static constexpr Vector2Columns interleaved(T* xy, std::size_t n, std::ptrdiff_t stride = 2 * sizeof(T)) {
    return {{xy, n, stride}, {xy + 1, n, stride}};
  }
  /// Columns to write are columns to read.
  constexpr operator Vector2Columns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {x, y};
  }
};

/// The upper triangle of a symmetric 2 x 2 matrix.
template <class T>
struct SymmetricColumns {
  Column<T> xx, xy, yy;  ///< in the unit of the matrix

  /// Columns of `n` matrices, each three numbers in this order, one every `stride` bytes.
  static constexpr SymmetricColumns interleaved(T* three, std::size_t n, std::ptrdiff_t stride = 3 * sizeof(T)) {
    return {{three, n, stride}, {three + 1, n, stride}, {three + 2, n, stride}};
  }
  /// Columns to write are columns to read.
  constexpr operator SymmetricColumns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {xx, xy, yy};
  }
};

/// States of bodies; BodyColumns<const T> where they are only read. All columns are needed and equally long.
template <class T>
struct BodyColumns {
  Column<T> inverse_mass;      ///< [1/kg] >= 0, 0 for an immovable body
  Column<T> inverse_inertia;   ///< [1/(kg m²)] >= 0, about the centre of mass
  Vector2Columns<T> velocity;  ///< [m/s] of the centre of mass
  Column<T> angular_velocity;  ///< [rad/s]

  /// Columns to write are columns to read.
  constexpr operator BodyColumns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {inverse_mass, inverse_inertia, velocity, angular_velocity};
  }

  /// `count` immovable bodies at rest.
  static BodyColumns<const std::remove_const_t<T>> immovable(std::size_t count) {
    static constexpr std::remove_const_t<T> zero = 0;
    const auto c = Column<const std::remove_const_t<T>>::repeat(zero, count);
    return {c, c, {c, c}, c};
  }
};

/// Contacts that carry the state of both bodies. All columns but the optional ones are needed and equally long.
template <class T>
struct Contacts {
  Column<const T> friction, restitution;  ///< [1] as in carom::Contacts
  Vector2Columns<const T> normal;         ///< [1] unit, from B to A; normalised within Options::normal_tolerance
  Vector2Columns<const T> r_a, r_b;       ///< [m] contact point minus centre of mass
  BodyColumns<const T> a, b;              ///< the two bodies
  LawColumns<T> laws{};                   ///< optional
};

/// Contacts between bodies that are stored once: `bodies` has a length of its own.
template <class T>
struct IndexedContacts {
  Column<const T> friction, restitution;      ///< [1] as in carom::Contacts
  Vector2Columns<const T> normal;             ///< as in Contacts
  Vector2Columns<const T> r_a, r_b;           ///< [m] contact point minus centre of mass
  Column<const std::int32_t> body_a, body_b;  ///< index into `bodies`, -1 for the immovable world
  BodyColumns<const T> bodies;                ///< as many as there are
  LawColumns<T> laws{};                       ///< optional
};

/// Contacts given by what collision laws see, with x the tangent and y the normal.
template <class T>
struct KContacts {
  Column<const T> friction, restitution;        ///< [1] as in carom::Contacts
  SymmetricColumns<const T> k;                  ///< [1/kg] collision matrix, positive definite: u - u0 = K p
  Vector2Columns<const T> separation_velocity;  ///< [m/s] u0, before the collision
  LawColumns<T> laws{};                         ///< optional
};

/// The results of planar contacts: an angular velocity is one number. KContacts have theirs as (tangent, normal).
template <class T>
using Results = ResultColumns<T, Vector2Columns, Column>;

}  // namespace carom::planar
