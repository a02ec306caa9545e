// The names that columns of contacts and results bear in contact files.
#pragma once

#include <carom/contacts.hpp>
#include <string>

namespace carom::io {

template <class T, class Visitor>
void visit_vector(const std::string& name, Vector3Columns<T>& v, Visitor& visitor) {
  visitor(name + "_x", v.x);
  visitor(name + "_y", v.y);
  visitor(name + "_z", v.z);
}

template <class T, class Visitor>
void visit_matrix(const std::string& name, SymmetricColumns<T>& m, Visitor& visitor) {
  visitor(name + "_xx", m.xx);
  visitor(name + "_xy", m.xy);
  visitor(name + "_xz", m.xz);
  visitor(name + "_yy", m.yy);
  visitor(name + "_yz", m.yz);
  visitor(name + "_zz", m.zz);
}

template <class T, class Visitor>
void visit_side(const std::string& side, BodyColumns<T>& body, Vector3Columns<const T>& lever, Visitor& visitor) {
  visitor("inverse_mass_" + side, body.inverse_mass);
  visit_matrix("inverse_inertia_" + side, body.inverse_inertia, visitor);
  visit_vector("lever_" + side, lever, visitor);
  visit_vector("velocity_" + side, body.velocity, visitor);
  visit_vector("angular_velocity_" + side, body.angular_velocity, visitor);
}

/// Calls visitor(name, column) for every column that contacts of this form need.
template <class T, class Visitor>
void visit_needed(InlineContacts<T>& contacts, Visitor&& visitor) {
  visitor("friction", contacts.friction);
  visitor("restitution", contacts.restitution);
  visit_vector("normal", contacts.normal, visitor);
  visit_side("a", contacts.a, contacts.lever_a, visitor);
  visit_side("b", contacts.b, contacts.lever_b, visitor);
}

template <class T, class Visitor>
void visit_needed(SpaceContacts<T>& contacts, Visitor&& visitor) {
  visit_matrix("k", contacts.k, visitor);
  visit_vector("u0", contacts.separation_velocity, visitor);
  visitor("friction", contacts.friction);
  visitor("restitution", contacts.restitution);
}

/// Those that need not be there.
template <class T, class Visitor>
void visit_optional(ContactColumns<T>& contacts, Visitor&& visitor) {
  visitor("impulse_step", contacts.step);
  visitor("restitution_law", contacts.restitution_law);
}

/// Calls visitor(name, column) for every result that `solve` always writes for contacts of this form.
template <class T, class Visitor>
void visit_results(const InlineContacts<T>&, Results<T>& results, Visitor&& visitor) {
  visit_vector("impulse", results.impulse, visitor);
  visit_vector("new_velocity_a", results.velocity_a, visitor);
  visit_vector("new_angular_velocity_a", results.angular_velocity_a, visitor);
  visit_vector("new_velocity_b", results.velocity_b, visitor);
  visit_vector("new_angular_velocity_b", results.angular_velocity_b, visitor);
  visitor("status", results.status);
  visitor("path", results.path);
}

template <class T, class Visitor>
void visit_results(const SpaceContacts<T>&, Results<T>& results, Visitor&& visitor) {
  visit_vector("u", results.separation_velocity, visitor);
  visit_vector("p", results.impulse, visitor);
  visitor("status", results.status);
  visitor("path", results.path);
}

template <class T, class Visitor>
void visit_course(Results<T>& results, Visitor& visitor) {
  visitor("work_compression", results.work_compression);
  visitor("work_decompression", results.work_decompression);
  visitor("steps", results.steps);
}

/// And those that it writes on demand.
template <class T, class Visitor>
void visit_details(const InlineContacts<T>&, Results<T>& results, Visitor&& visitor) {
  visit_vector("new_separation_velocity", results.separation_velocity, visitor);
  visit_course(results, visitor);
}

template <class T, class Visitor>
void visit_details(const SpaceContacts<T>&, Results<T>& results, Visitor&& visitor) {
  visit_course(results, visitor);
}

}  // namespace carom::io
