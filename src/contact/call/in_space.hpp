// Planar contacts as contacts in 3D that move in a plane, for functions that exist in 3D only. Bodies move in the plane
// z = 0 and have the same inertia about every axis; contact space gets a second tangent y, which is uncoupled.
#pragma once

#include <carom/planar.hpp>
#include <carom/region.hpp>

namespace carom {

/// A column of zeros; missing if the given column is.
template <class T>
Column<const T> zeros_beside(const Column<const T>& column) {
  return column ? Column<const T>(T(0)) : Column<const T>();
}

template <class T>
Vector3Columns<const T> in_space(const planar::Vector2Columns<const T>& v) {
  return {v.x, v.y, zeros_beside(v.x)};
}

template <class T>
BodyColumns<const T> in_space(const planar::BodyColumns<const T>& body) {
  const Column<const T> zero = zeros_beside(body.inverse_mass), inertia = body.inverse_inertia;
  return {body.inverse_mass,
          {inertia, zero, zero, inertia, zero, inertia},
          in_space(body.velocity),
          {zero, zero, body.angular_velocity}};
}

template <class T>
Contacts<T> in_space(const planar::Contacts<T>& contacts) {
  return {.friction = contacts.friction,
          .restitution = contacts.restitution,
          .normal = in_space(contacts.normal),
          .r_a = in_space(contacts.r_a),
          .r_b = in_space(contacts.r_b),
          .a = in_space(contacts.a),
          .b = in_space(contacts.b),
          .laws = contacts.laws};
}

template <class T>
IndexedContacts<T> in_space(const planar::IndexedContacts<T>& contacts) {
  return {.friction = contacts.friction,
          .restitution = contacts.restitution,
          .normal = in_space(contacts.normal),
          .r_a = in_space(contacts.r_a),
          .r_b = in_space(contacts.r_b),
          .body_a = contacts.body_a,
          .body_b = contacts.body_b,
          .bodies = in_space(contacts.bodies),
          .laws = contacts.laws};
}

template <class T>
KContacts<T> in_space(const planar::KContacts<T>& contacts) {
  const Column<const T> zero = zeros_beside(contacts.k.xx);
  return {contacts.friction,
          contacts.restitution,
          {contacts.k.xx, zero, contacts.k.xy, contacts.k.xx, zero, contacts.k.yy},
          {contacts.separation_velocity.x, zero, contacts.separation_velocity.y},
          contacts.laws};
}

}  // namespace carom
