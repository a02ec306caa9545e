#include <carom/mechanism.hpp>

#include "core/support/vector3.hpp"

namespace carom {

MechanismContact::Vector MechanismContact::in_world(const Vector& v) const {
  return v[0] * tangent_1 + v[1] * tangent_2 + v[2] * normal;
}

MechanismContact::Vector MechanismContact::in_frame(const Vector& v) const {
  return {dot(tangent_1, v), dot(tangent_2, v), dot(normal, v)};
}

KContacts<double> MechanismContact::view(std::span<const MechanismContact> contacts) {
  // No contacts are columns of no elements, not the absence of columns.
  static const MechanismContact none;
  const MechanismContact& first = contacts.empty() ? none : contacts.front();
  const std::size_t n = contacts.size(), stride = sizeof(MechanismContact);
  KContacts<double> view;
  view.friction = {&first.friction, n, stride};
  view.restitution = {&first.restitution, n, stride};
  view.k = {first.k.data(), n, stride};
  view.separation_velocity = {first.separation_velocity.data(), n, stride};
  return view;
}

}  // namespace carom
