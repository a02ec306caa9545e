#include <carom/mechanism.hpp>

#include "core/support/vector3.hpp"

namespace carom {

MechanismContact::Vector MechanismContact::in_world(const Vector& v) const {
  Vector world{};
  for (std::size_t i = 0; i < 3; ++i) world[i] = tangent_1[i] * v[0] + tangent_2[i] * v[1] + normal[i] * v[2];
  return world;
}

MechanismContact::Vector MechanismContact::in_frame(const Vector& v) const {
  return {scene::dot(tangent_1, v), scene::dot(tangent_2, v), scene::dot(normal, v)};
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
