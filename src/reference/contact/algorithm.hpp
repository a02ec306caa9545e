// [R] section 4, steps 1, 2 and 8: between the world and contact space.
#pragma once

#include <carom/reference.hpp>

namespace carom::reference {

struct Body {
  double inverse_mass = 0;     ///< [1/kg]
  Matrix3 inverse_inertia{};   ///< [1/(kg m²)]
  Vector3 velocity{};          ///< [m/s]
  Vector3 angular_velocity{};  ///< [rad/s]
};

/// The rotation that takes the unit vector f to +z.
Matrix3 rotation_to_z(const Vector3& f);

/// Body and lever arm in the rotated space.
Body rotate(const Matrix3& rotation, const Body& body);

Vector3 separation_velocity(const Body& a, const Vector3& r_a, const Body& b, const Vector3& r_b);

/// Symmetric to the last bit.
Matrix3 collision_matrix(const Body& a, const Vector3& r_a, const Body& b, const Vector3& r_b);

/// A symmetric matrix is the sum of values[i] vectors[i] vectors[i]ᵀ.
struct Eigenvectors {
  Vector3 values{};
  Matrix3 vectors{};  ///< rows, of length 1
};
Eigenvectors eigenvectors(const Matrix3& symmetric);
/// The smallest eigenvalue of a symmetric matrix, good to a few units of rounding of the largest.
double min_eigenvalue(const Matrix3& symmetric);

/// Powers of two near the largest entry of K and of u0. In units of them no square under- or overflows, and no other
/// bit changes.
struct Units {
  explicit Units(const Collision& c);
  Collision to_units(Collision c) const;
  void from_units(Outcome& o) const;

  int k, u;
};

}  // namespace carom::reference
