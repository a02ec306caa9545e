// Loads, validates and resolves a contact in the reference, for batches and for scenes.
#pragma once

#include <carom/reference.hpp>

#include "algorithm.hpp"
#include "stages.hpp"

namespace carom::reference {

using Laws = LawsOf<LawParameters>;
using BodyContact = BodyContactOf<Laws, Vector3, Body>;

struct SpaceContact : Laws {
  Matrix3 k{};
  Vector3 u0{};
};

// Load.

template <class AnyContacts>
BodyContact load(const AnyContacts& contacts, std::size_t i, const Options& options) {
  return load_bodies<BodyContact>(contacts, i, options);
}
SpaceContact load(const KContacts<double>& contacts, std::size_t i, const Options& options);

// Validate.

Status fault_of_body(const Body& body, const Options& options);
Status fault_of_data(const SpaceContact& c);

/// True if the matrix `k` of these bodies is positive definite by more than its rounding.
bool is_definite(const Matrix3& k, const Body& a, const Vector3& r_a, const Body& b, const Vector3& r_b);

// Law.

/// The contact frame and the quantities in it.
struct InContactFrame {
  Matrix3 to_contact{};  ///< the rotation from the world
  Body a, b;
  Vector3 r_a{}, r_b{};
  Vector3 u0{};
  Matrix3 k{};
};
InContactFrame in_contact_frame(const BodyContact& c);

/// Applies the law of the contact, in contact space. The result has an impulse if the contact is resolved.
Status collide(const Laws& laws, const Matrix3& k, const Vector3& u0, const Options& options,
               bool with_boundary_distance, Outcome& outcome);
/// Same for a contact of bodies, in the given frame.
Status collide(const BodyContact& c, const InContactFrame& frame, const Options& options, bool with_boundary_distance,
               Outcome& outcome);

/// A velocity and an angular velocity.
struct Twist {
  Vector3 velocity{}, angular_velocity{};
};
inline Twist operator+(const Twist& x, const Twist& y) {
  return {x.velocity + y.velocity, x.angular_velocity + y.angular_velocity};
}
inline Twist operator-(const Twist& x, const Twist& y) {
  return {x.velocity - y.velocity, x.angular_velocity - y.angular_velocity};
}
inline Twist operator*(double s, const Twist& t) {
  return {s * t.velocity, s * t.angular_velocity};
}
inline Twist twist_of(const Body& body) {
  return {body.velocity, body.angular_velocity};
}
inline void accelerate(Body& body, const Twist& by) {
  body.velocity = body.velocity + by.velocity;
  body.angular_velocity = body.angular_velocity + by.angular_velocity;
}
inline Vector3 separation_velocity(const Twist& a, const Vector3& r_a, const Twist& b, const Vector3& r_b) {
  return a.velocity + cross(a.angular_velocity, r_a) - b.velocity - cross(b.angular_velocity, r_b);
}
inline Vector3 velocity_at(const Twist& body, const Vector3& lever) {
  return body.velocity + cross(body.angular_velocity, lever);
}

/// The changes of a body's velocities, in the world frame, by an impulse in the contact frame.
Twist change_by(const Vector3& impulse, const Matrix3& to_world, const Body& in_frame, const Vector3& lever);

}  // namespace carom::reference
