// Planar contacts: bodies that move in a plane, with a scalar inertia. Columns and results are as in contacts.hpp, with
// two components per vector.
//
// The tangent is t = (n_y, -n_x), so that (t, n) is right-handed. Angles and angular velocities are positive
// anticlockwise. Every law has a closed form or needs one scalar equation. The column `step` and the options of
// integration (Options::integrator, steps, step_budget) are not read: they must be missing or have their defaults.
// docs/planar.md has the equations.
#pragma once

#include <carom/contacts.hpp>

namespace carom::planar {

/// Vectors in the plane.
template <class T>
struct Vector2Columns {
  Column<T> x, y;  ///< in the unit of the vector

  constexpr Vector2Columns() = default;
  /// Two columns, or constants: `{0, 1}`.
  constexpr Vector2Columns(Column<T> of_x, Column<T> of_y) : x(of_x), y(of_y) {}
  /// Views `n` vectors of two adjacent numbers, one every `stride_in_bytes`.
  template <PointeeLike<T> U>
  Vector2Columns(U* xy, std::size_t n, std::ptrdiff_t stride_in_bytes = 2 * sizeof(T))
      : Vector2Columns(detail::AdjacentNumbers<T>(xy, n, stride_in_bytes)) {}
  /// Views a member of every struct of a vector, an array or a span: `{hits, &Hit::normal}`. The member has two to four
  /// numbers, of which the first two are used.
  template <class R, class M, class S>
  requires VectorMemberOf<R, M, S, T, 2, 3, 4> Vector2Columns(R&& rows, M S::*member)
      : Vector2Columns(detail::AdjacentNumbers<T>(rows, member)) {}
  /// Deleted: `Why` has the reason why the column cannot view the elements.
  template <class U, detail::Reason Why = detail::WhyNotElements<T, U>>
  Vector2Columns(U* first, std::size_t n, std::ptrdiff_t stride_in_bytes = 0) = delete;  // why: see cannot_view
  /// Same.
  template <class R, class M, class S, detail::Reason Why = detail::WhyNotMember<T, R, M, S, 2, 3, 4>>
  Vector2Columns(R&& rows, M S::*member) = delete;  // why: see cannot_view
  /// Converts writable columns to read-only columns.
  template <MutableOf<T> U>
  constexpr Vector2Columns(const Vector2Columns<U>& other)  // NOLINT(google-explicit-constructor)
      : x(other.x), y(other.y) {}

 private:
  explicit Vector2Columns(const detail::AdjacentNumbers<T>& numbers) : x(numbers[0]), y(numbers[1]) {}
};

/// The upper triangle of a symmetric 2 × 2 matrix.
template <class T>
struct SymmetricColumns {
  Column<T> xx, xy, yy;  ///< in the unit of the matrix

  constexpr SymmetricColumns() = default;
  /// Three columns, or constants: `{1, 0, 1}`.
  constexpr SymmetricColumns(Column<T> of_xx, Column<T> of_xy, Column<T> of_yy) : xx(of_xx), xy(of_xy), yy(of_yy) {}
  /// Views `n` matrices of three adjacent numbers in this order, one every `stride_in_bytes`.
  template <PointeeLike<T> U>
  SymmetricColumns(U* three, std::size_t n, std::ptrdiff_t stride_in_bytes = 3 * sizeof(T))
      : SymmetricColumns(detail::AdjacentNumbers<T>(three, n, stride_in_bytes), 2) {}
  /// Views a member of every struct of a vector, an array or a span. The member has three numbers in this order, or is
  /// a whole 2 × 2 matrix of four, of which only the upper triangle is read or written.
  template <class R, class M, class S>
  requires VectorMemberOf<R, M, S, T, 3, 4> SymmetricColumns(R&& rows, M S::*member)
      : SymmetricColumns(detail::AdjacentNumbers<T>(rows, member), vector_size<M> - 1) {}
  /// Deleted: `Why` has the reason why the column cannot view the elements.
  template <class U, detail::Reason Why = detail::WhyNotElements<T, U>>
  SymmetricColumns(U* first, std::size_t n, std::ptrdiff_t stride_in_bytes = 0) = delete;  // why: see cannot_view
  /// Same.
  template <class R, class M, class S, detail::Reason Why = detail::WhyNotMember<T, R, M, S, 3, 4>>
  SymmetricColumns(R&& rows, M S::*member) = delete;  // why: see cannot_view
  /// Converts writable columns to read-only columns.
  template <MutableOf<T> U>
  constexpr SymmetricColumns(const SymmetricColumns<U>& other)  // NOLINT(google-explicit-constructor)
      : xx(other.xx), xy(other.xy), yy(other.yy) {}

 private:
  SymmetricColumns(const detail::AdjacentNumbers<T>& numbers, std::size_t last)
      : xx(numbers[0]), xy(numbers[1]), yy(numbers[last]) {}
};

/// States of bodies. BodyColumns<const T> is the read-only form. All columns are required and have the same length.
template <class T>
struct BodyColumns {
  Column<T> inverse_mass{};      ///< [1/kg] >= 0, 0 for an immovable body
  Column<T> inverse_inertia{};   ///< [1/(kg m²)] >= 0, about the centre of mass
  Vector2Columns<T> velocity{};  ///< [m/s] of the centre of mass
  Column<T> angular_velocity{};  ///< [rad/s]

  /// Converts writable columns to read-only columns.
  constexpr operator BodyColumns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {inverse_mass, inverse_inertia, velocity, angular_velocity};
  }
};

/// Contacts with the states of both bodies inline. All columns have the same length; at least one of them is not a
/// constant. Columns are required unless they are optional.
template <class T>
struct Contacts {
  Column<const T> friction{}, restitution{};  ///< [1] as in carom::Contacts
  Vector2Columns<const T> normal{};           ///< [1] unit vector from B to A, within Tolerances::normal_tolerance
  Vector2Columns<const T> r_a{}, r_b{};       ///< [m] contact point minus centre of mass
  BodyColumns<const T> a{}, b{};              ///< the bodies. Without `b` and `r_b`, B is the immovable world.
  LawColumns<T> laws{};                       ///< optional
};

/// Contacts between bodies that are stored once and named by index. `bodies` has a length of its own.
template <class T>
struct IndexedContacts {
  Column<const T> friction{}, restitution{};      ///< [1] as in carom::Contacts
  Vector2Columns<const T> normal{};               ///< as in Contacts
  Vector2Columns<const T> r_a{}, r_b{};           ///< [m] contact point minus centre of mass
  Column<const std::int32_t> body_a{}, body_b{};  ///< index into `bodies`, -1 for the immovable world
  BodyColumns<const T> bodies{};                  ///< states of all bodies
  LawColumns<T> laws{};                           ///< optional
};

/// Contacts given by their collision matrix and separation velocity, with x along the tangent and y along the normal.
template <class T>
struct KContacts {
  Column<const T> friction{}, restitution{};      ///< [1] as in carom::Contacts
  SymmetricColumns<const T> k{};                  ///< [1/kg] collision matrix K: u - u0 = K p. Positive definite.
  Vector2Columns<const T> separation_velocity{};  ///< [m/s] u0: u before the collision
  LawColumns<T> laws{};                           ///< optional
};

/// Results of planar contacts. An angular velocity is one number. Vectors of KContacts are (tangent, normal).
template <class T>
using Results = ResultColumns<T, Vector2Columns, Column>;

}  // namespace carom::planar
