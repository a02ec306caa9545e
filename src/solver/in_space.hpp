// Planar contacts as contacts in 3D that move in a plane, for what is there in 3D only. Bodies move in the plane z = 0
// and turn about any axis with the same inertia; contact space gets a second tangent y, which nothing couples to.
#pragma once

#include <carom/planar.hpp>
#include <carom/region.hpp>

namespace carom {

template <class T>
Column<const T> zeros(std::size_t count) {
  static constexpr T zero = 0;
  return Column<const T>::repeat(zero, count);
}

template <class T>
Vector3Columns<const T> in_space(const planar::Vector2Columns<const T>& v) {
  return {v.x, v.y, zeros<T>(v.x.count)};
}

template <class T>
BodyColumns<const T> in_space(const planar::BodyColumns<const T>& body) {
  const Column<const T> zero = zeros<T>(body.inverse_mass.count), inertia = body.inverse_inertia;
  return {body.inverse_mass,
          {inertia, zero, zero, inertia, zero, inertia},
          in_space(body.velocity),
          {zero, zero, body.angular_velocity}};
}

template <class T>
InlineContacts<T> in_space(const planar::InlineContacts<T>& contacts) {
  InlineContacts<T> result;
  result.friction = contacts.friction;
  result.restitution = contacts.restitution;
  result.laws = contacts.laws;
  result.normal = in_space(contacts.normal);
  result.a = in_space(contacts.a);
  result.b = in_space(contacts.b);
  result.lever_a = in_space(contacts.lever_a);
  result.lever_b = in_space(contacts.lever_b);
  return result;
}

template <class T>
IndexedContacts<T> in_space(const planar::IndexedContacts<T>& contacts) {
  IndexedContacts<T> result;
  result.friction = contacts.friction;
  result.restitution = contacts.restitution;
  result.laws = contacts.laws;
  result.normal = in_space(contacts.normal);
  result.body_a = contacts.body_a;
  result.body_b = contacts.body_b;
  result.lever_a = in_space(contacts.lever_a);
  result.lever_b = in_space(contacts.lever_b);
  result.bodies = in_space(contacts.bodies);
  return result;
}

template <class T>
SpaceContacts<T> in_space(const planar::SpaceContacts<T>& contacts) {
  SpaceContacts<T> result;
  result.friction = contacts.friction;
  result.restitution = contacts.restitution;
  result.laws = contacts.laws;
  const Column<const T> zero = zeros<T>(contacts.k.xx.count);
  result.k = {contacts.k.xx, zero, contacts.k.xy, contacts.k.xx, zero, contacts.k.yy};
  result.separation_velocity = {contacts.separation_velocity.x, zero, contacts.separation_velocity.y};
  return result;
}

}  // namespace carom
