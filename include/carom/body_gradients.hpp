// Gradients with respect to the parameters of the bodies, from the gradients with respect to K and u0 that
// Solver::differentiate returns: the chain rule for a contact of two bodies. docs/gradients.md has an example.
//
// Experimental: this interface may change in any minor version until 1.0 (README.md#what-is-promised).
#pragma once

#include <array>
#include <cstddef>

namespace carom {

/// A body of a contact, in the world frame.
template <class T>
struct ContactBody {
  T inverse_mass{};                     ///< [1/kg]
  std::array<T, 6> inverse_inertia{};   ///< [1/(kg m²)] xx, xy, xz, yy, yz, zz, about the centre of mass
  std::array<T, 3> lever{};             ///< [m] contact point minus centre of mass (r_a, r_b)
  std::array<T, 3> velocity{};          ///< [m/s]
  std::array<T, 3> angular_velocity{};  ///< [rad/s]
};

/// The contact of two bodies.
template <class T>
struct BodyPair {
  std::array<T, 3> normal{};  ///< [1] unit vector from B to A
  ContactBody<T> a, b;        ///< the two bodies
};

/// The input of collision laws, in a frame whose rows are two tangents and the normal.
template <class T>
struct ContactSpace {
  std::array<std::array<T, 3>, 3> frame{};  ///< [1] orthonormal rows
  std::array<T, 6> k{};                     ///< [1/kg] xx, xy, xz, yy, yz, zz in the frame
  std::array<T, 3> separation_velocity{};   ///< [m/s] u0 in the frame
};

/// Results of Solver::differentiate for a contact, and the cotangent of its p and u. All vectors are in the frame of
/// ContactSpace.
template <class T>
struct ContactCotangent {
  std::array<T, 6> k{};  ///< VectorJacobianProduct::product.k; off-diagonal entries change both entries of K
  std::array<T, 3> separation_velocity{};  ///< VectorJacobianProduct::product.separation_velocity
  std::array<T, 3> impulse{};              ///< p
  std::array<T, 3> of_impulse{};           ///< cotangent of p: ∂f/∂p
  std::array<T, 3> velocity{};             ///< u after the collision
  std::array<T, 3> of_velocity{};          ///< cotangent of u: ∂f/∂u
};

namespace detail {

template <class T>
using Vector = std::array<T, 3>;
template <class T>
using Matrix = std::array<std::array<T, 3>, 3>;

template <class T>
Vector<T> cross(const Vector<T>& a, const Vector<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class T>
Vector<T> sum(const Vector<T>& a, T s, const Vector<T>& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
template <class T>
Matrix<T> full(const std::array<T, 6>& k, T off_diagonal = 1) {
  const T xy = off_diagonal * k[1], xz = off_diagonal * k[2], yz = off_diagonal * k[4];
  return {{{k[0], xy, xz}, {xy, k[3], yz}, {xz, yz, k[5]}}};
}
template <class T>
Matrix<T> transposed(const Matrix<T>& m) {
  return {{{m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]}, {m[0][2], m[1][2], m[2][2]}}};
}
template <class T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t l = 0; l < 3; ++l) c[i][j] += a[i][l] * b[l][j];
  return c;
}
template <class T>
Vector<T> product(const Matrix<T>& a, const Vector<T>& b) {
  Vector<T> c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t l = 0; l < 3; ++l) c[i] += a[i][l] * b[l];
  return c;
}
/// Returns [r], with [r] p = r × p.
template <class T>
Matrix<T> cross_matrix(const Vector<T>& r) {
  return {{{T(0), -r[2], r[1]}, {r[2], T(0), -r[0]}, {-r[1], r[0], T(0)}}};
}
template <class T>
Vector<T> axis(const Matrix<T>& y) {
  return {y[2][1] - y[1][2], y[0][2] - y[2][0], y[1][0] - y[0][1]};
}
template <class T>
Matrix<T> collision_matrix(const BodyPair<T>& pair) {
  Matrix<T> k{};
  for (const ContactBody<T>* body : {&pair.a, &pair.b}) {
    const Matrix<T> r = cross_matrix(body->lever);
    const Matrix<T> turn = product(r, product(full(body->inverse_inertia), transposed(r)));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) k[i][j] += turn[i][j] + (i == j ? body->inverse_mass : T(0));
  }
  return k;
}
template <class T>
Vector<T> separation_velocity(const BodyPair<T>& pair) {
  const auto at_contact = [](const ContactBody<T>& body) {
    return sum(body.velocity, T(1), cross(body.angular_velocity, body.lever));
  };
  return sum(at_contact(pair.a), T(-1), at_contact(pair.b));
}

}  // namespace detail

/// Returns K and u0 of two bodies. The tangents are those of Tom Duff et al., Building an Orthonormal Basis, Revisited,
/// 2017.
template <class T>
ContactSpace<T> contact_space(const BodyPair<T>& pair) {
  const auto& n = pair.normal;
  const T sign = n[2] < 0 ? T(-1) : T(1), a = T(-1) / (sign + n[2]), b = n[0] * n[1] * a;
  ContactSpace<T> space;
  space.frame = {{{1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}, {b, sign + n[1] * n[1] * a, -n[1]}, n}};
  const auto k =
      detail::product(space.frame, detail::product(detail::collision_matrix(pair), detail::transposed(space.frame)));
  space.k = {k[0][0], k[0][1], k[0][2], k[1][1], k[1][2], k[2][2]};
  space.separation_velocity = detail::product(space.frame, detail::separation_velocity(pair));
  return space;
}

/// Returns the derivatives of f with respect to every number of the pair, each in the place of its number. `cotangent`
/// has ∂f/∂p and ∂f/∂u. Off-diagonal entries of the inverse inertia change both entries; the normal changes among unit
/// vectors. If f depends on the bodies in other ways than through p and u, add that part yourself.
template <class T>
BodyPair<T> pull_back(const BodyPair<T>& pair, const ContactSpace<T>& space, const ContactCotangent<T>& cotangent) {
  using namespace detail;
  const Matrix<T> to_world = transposed(space.frame);
  // K's in the world frame; each of the two off-diagonal entries has half of the derivative.
  const Matrix<T> of_k = product(to_world, product(full(cotangent.k, T(0.5)), space.frame));
  const Vector<T> of_u = product(to_world, cotangent.separation_velocity);
  BodyPair<T> f;
  const auto of_body = [&](const ContactBody<T>& body, T sign, ContactBody<T>& to) {
    const Matrix<T> r = cross_matrix(body.lever);
    to.inverse_mass = of_k[0][0] + of_k[1][1] + of_k[2][2];
    const Matrix<T> turn = product(transposed(r), product(of_k, r));
    to.inverse_inertia = {turn[0][0], 2 * turn[0][1], 2 * turn[0][2], turn[1][1], 2 * turn[1][2], turn[2][2]};
    const Vector<T> of_v = {sign * of_u[0], sign * of_u[1], sign * of_u[2]};
    to.velocity = of_v;
    to.angular_velocity = cross(body.lever, of_v);
    to.lever =
        sum(cross(of_v, body.angular_velocity), T(2), axis(product(full(body.inverse_inertia), product(r, of_k))));
  };
  of_body(pair.a, T(1), f.a);
  of_body(pair.b, T(-1), f.b);
  // Turning the normal turns p and u with it, and K and u0 in the opposite direction.
  const auto world = [&](const Vector<T>& v) { return product(to_world, v); };
  Vector<T> turn = cross(world(cotangent.impulse), world(cotangent.of_impulse));
  turn = sum(turn, T(1), cross(world(cotangent.velocity), world(cotangent.of_velocity)));
  turn = sum(turn, T(2), axis(product(collision_matrix(pair), of_k)));
  turn = sum(turn, T(-1), cross(separation_velocity(pair), of_u));
  f.normal = cross(turn, pair.normal);
  return f;
}

}  // namespace carom
