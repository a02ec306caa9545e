// Reads bodies, contacts and joint rows of a scene in double.
#pragma once

#include <array>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/jobs/body_record.hpp"
#include "core/scene/contact_models.hpp"
#include "core/support/vector3.hpp"
#include "row.hpp"

namespace carom::scene {

/// The axes of a contact: two tangents, the normal.
using ContactFrame = std::array<Vector3<double>, 3>;

template <class T>
double number_or(const Column<const T>& column, std::size_t i, double otherwise) {
  return column ? static_cast<double>(column[i]) : otherwise;
}

/// From a record of the job, see core/jobs/body_record.hpp.
template <class T>
Body body_of(const T* record) {
  Body body;
  body.inverse_mass = static_cast<double>(record[kernel::BodyRecord::inverse_mass]);
  for (std::size_t c = 0; c < 6; ++c)
    body.inverse_inertia[c] = static_cast<double>(record[kernel::BodyRecord::inverse_inertia + c]);
  return body;
}
template <class T>
Twist velocity_of(const T* record) {
  Twist velocity;
  for (std::size_t c = 0; c < 6; ++c) velocity[c] = static_cast<double>(record[kernel::BodyRecord::velocity + c]);
  return velocity;
}

/// From the caller's columns; the world for an index below 0.
template <class T>
Body body_of(const SceneBodies<T>& bodies, std::int32_t index) {
  if (index < 0) return {};
  const auto i = static_cast<std::size_t>(index);
  const auto& j = bodies.inverse_inertia;
  const auto read = [&](const Column<const T>& column) { return static_cast<double>(column[i]); };
  return {read(bodies.inverse_mass), {read(j.xx), read(j.xy), read(j.xz), read(j.yy), read(j.yz), read(j.zz)}};
}
template <class T>
Twist velocity_at(const Vector3Columns<const T>& velocity, const Vector3Columns<const T>& angular_velocity,
                  std::size_t i) {
  return twist(vector_at(velocity, i), vector_at(angular_velocity, i));
}

/// The contact frame of the kernels. tangents() depends on the sign of a zero, the kernels do not: -0 becomes +0 first.
inline ContactFrame frame_along(const Vector3<double>& normal) {
  Vector3<double> n = unit(normal).value_or(Vector3<double>{0, 0, 1});
  n[2] += 0.0;
  const auto [t1, t2] = tangents(n);
  return {t1, t2, n};
}

/// The contact frame; with elliptic friction its tangents are the axes of the ellipse.
template <class T>
ContactFrame frame_of(const SceneContacts<T>& contacts, std::size_t i) {
  const ContactFrame frame = frame_along(vector_at(contacts.normal, i));
  if (!has_ellipse(contacts, i)) return frame;
  const Vector3<double>& n = frame[2];
  const auto direction = unit(vector_at(contacts.friction_direction, i)).value_or(frame[0]);
  const double along = dot(direction, n);
  const auto axis = unit(direction - along * n);
  if (!axis) return frame;
  return {*axis, cross(n, *axis), n};
}

/// [m/s] The surface velocity of a contact along its tangents.
template <class T>
std::array<double, 2> surface_along(const SceneContacts<T>& contacts, std::size_t i, const ContactFrame& frame) {
  if (!contacts.surface_velocity.x) return {};
  const Vector3<double> surface = vector_at(contacts.surface_velocity, i);
  return {dot(frame[0], surface), dot(frame[1], surface)};
}

/// The rows of contact i along the axes of its frame, on bodies `a` and `b`.
template <class T>
std::array<Row, 3> contact_rows(const SceneContacts<T>& contacts, std::size_t i, const ContactFrame& frame,
                                const Body& a, const Body& b) {
  const Vector3<double> r_a = vector_at(contacts.r_a, i), r_b = vector_at(contacts.r_b, i);
  std::array<Row, 3> rows;
  for (std::size_t d = 0; d < 3; ++d)
    rows[d] = {{contacts.body_a[i], contacts.body_b[i]}, {a.at_point(r_a, frame[d]), b.at_point(r_b, -frame[d])}};
  return rows;
}

/// A row of a joint.
struct JointRow : Row {
  double target;                    ///< [m/s] of J v + compliance × impulse
  double compliance;                ///< [1/kg]
  double min_impulse, max_impulse;  ///< [N s]

  bool is_bounded() const {
    return min_impulse > -std::numeric_limits<double>::infinity() ||
           max_impulse < std::numeric_limits<double>::infinity();
  }
};

/// Sets all members but Row::body.
template <class T>
void read_joint_row(const JointRows<T>& joints, std::size_t i, const Body& a, const Body& b, JointRow& to) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  to.side[0] = a.direction(vector_at(joints.linear_a, i), vector_at(joints.angular_a, i));
  to.side[1] = b.direction(vector_at(joints.linear_b, i), vector_at(joints.angular_b, i));
  to.target = number_or(joints.target_velocity, i, 0);
  to.compliance = number_or(joints.compliance, i, 0);
  to.min_impulse = number_or(joints.min_impulse, i, -infinity);
  to.max_impulse = number_or(joints.max_impulse, i, infinity);
}

}  // namespace carom::scene
