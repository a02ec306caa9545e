// The names that columns of contacts and results bear in contact files.
#pragma once

#include <carom/contacts.hpp>
#include <carom/planar.hpp>
#include <string>
#include <type_traits>

namespace carom::io {

template <class Contacts>
struct FormOf;
template <template <class> class Contacts_, class T>
struct FormOf<Contacts_<T>> {
  using Scalar = T;
  template <class U>
  using Contacts = Contacts_<U>;
};

template <class Contacts>
using ScalarOf = typename FormOf<Contacts>::Scalar;

/// The same form in another precision.
template <class Contacts, class U>
using Rebound = typename FormOf<Contacts>::template Contacts<U>;

template <class Contacts>
inline constexpr bool is_planar = std::is_same_v<Contacts, planar::InlineContacts<ScalarOf<Contacts>>> ||
                                  std::is_same_v<Contacts, planar::SpaceContacts<ScalarOf<Contacts>>>;

template <class Contacts>
inline constexpr bool has_bodies = std::is_same_v<Contacts, InlineContacts<ScalarOf<Contacts>>> ||
                                   std::is_same_v<Contacts, planar::InlineContacts<ScalarOf<Contacts>>>;

template <class Contacts>
using ResultsOf =
    std::conditional_t<is_planar<Contacts>, planar::Results<ScalarOf<Contacts>>, Results<ScalarOf<Contacts>>>;

template <class T, class Visitor>
void visit_vector(const std::string& name, Vector3Columns<T>& v, Visitor& visitor) {
  visitor(name + "_x", v.x);
  visitor(name + "_y", v.y);
  visitor(name + "_z", v.z);
}

template <class T, class Visitor>
void visit_vector(const std::string& name, planar::Vector2Columns<T>& v, Visitor& visitor) {
  visitor(name + "_x", v.x);
  visitor(name + "_y", v.y);
}

/// What is a vector in 3D and a number in the plane.
template <class T, class Visitor>
void visit_vector(const std::string& name, Column<T>& column, Visitor& visitor) {
  visitor(name, column);
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
void visit_matrix(const std::string& name, Column<T>& column, Visitor& visitor) {
  visitor(name, column);
}

template <class Body, class Lever, class Visitor>
void visit_side(const std::string& side, Body& body, Lever& lever, Visitor& visitor) {
  visitor("inverse_mass_" + side, body.inverse_mass);
  visit_matrix("inverse_inertia_" + side, body.inverse_inertia, visitor);
  visit_vector("lever_" + side, lever, visitor);
  visit_vector("velocity_" + side, body.velocity, visitor);
  visit_vector("angular_velocity_" + side, body.angular_velocity, visitor);
}

/// Calls visitor(name, column) for every column that contacts of this form need.
template <class Contacts, class Visitor>
void visit_needed(Contacts& contacts, Visitor&& visitor) {
  if constexpr (has_bodies<Contacts>) {
    visitor("friction", contacts.friction);
    visitor("restitution", contacts.restitution);
    visit_vector("normal", contacts.normal, visitor);
    visit_side("a", contacts.a, contacts.lever_a, visitor);
    visit_side("b", contacts.b, contacts.lever_b, visitor);
  } else {
    if constexpr (is_planar<Contacts>) {
      visitor("k_xx", contacts.k_xx);
      visitor("k_xy", contacts.k_xy);
      visitor("k_yy", contacts.k_yy);
    } else {
      visit_matrix("k", contacts.k, visitor);
    }
    visit_vector("u0", contacts.separation_velocity, visitor);
    visitor("friction", contacts.friction);
    visitor("restitution", contacts.restitution);
  }
}

/// What single laws read, in this dimension.
template <class Contacts, class Visitor>
void visit_law_parameters(Contacts& contacts, Visitor&& visitor) {
  constexpr bool in_space = !is_planar<Contacts>;
  visitor("tangential_restitution", contacts.tangential_restitution);
  visitor("impulse_ratio_1", contacts.impulse_ratio_1);
  if constexpr (in_space) visitor("impulse_ratio_2", contacts.impulse_ratio_2);
  visitor("polar_angle", contacts.polar_angle);
  if constexpr (in_space) visitor("azimuth", contacts.azimuth);
  visitor("fraction", contacts.fraction);
  visitor("candidate_x", contacts.candidate_x);
  visitor("candidate_y", contacts.candidate_y);
  if constexpr (in_space) visitor("candidate_z", contacts.candidate_z);
  visitor("weight_incremental", contacts.weight.incremental);
  visitor("weight_frictionless", contacts.weight.frictionless);
  visitor("weight_chatterjee_ruina", contacts.weight.chatterjee_ruina);
  visitor("weight_bilinear", contacts.weight.bilinear);
  visitor("weight_smith", contacts.weight.smith);
  visitor("weight_anitescu_potra", contacts.weight.anitescu_potra);
  visitor("weight_pfeiffer_glocker", contacts.weight.pfeiffer_glocker);
  visitor("weight_brach", contacts.weight.brach);
  visitor("weight_projected", contacts.weight.projected);
  visitor("weight_polar", contacts.weight.polar);
}

/// All columns that need not be there.
template <class Contacts, class Visitor>
void visit_optional(Contacts& contacts, Visitor&& visitor) {
  if constexpr (!is_planar<Contacts>) visitor("impulse_step", contacts.step);
  visitor("restitution_law", contacts.restitution_law);
  visitor("law", contacts.law);
  visit_law_parameters(contacts, visitor);
}

/// The name that the impulse bears in results of this form, without its axis.
template <class Contacts>
inline constexpr const char* impulse_name = has_bodies<Contacts> ? "impulse" : "p";

/// Calls visitor(name, column) for every result that `solve` always writes for contacts of this form.
template <class Contacts, class Visitor>
void visit_results(const Contacts&, ResultsOf<Contacts>& results, Visitor&& visitor) {
  if constexpr (!has_bodies<Contacts>) visit_vector("u", results.separation_velocity, visitor);
  visit_vector(impulse_name<Contacts>, results.impulse, visitor);
  if constexpr (has_bodies<Contacts>) {
    visit_vector("new_velocity_a", results.velocity_a, visitor);
    visit_vector("new_angular_velocity_a", results.angular_velocity_a, visitor);
    visit_vector("new_velocity_b", results.velocity_b, visitor);
    visit_vector("new_angular_velocity_b", results.angular_velocity_b, visitor);
  }
  visitor("status", results.status);
  visitor("path", results.path);
}

/// And those that it writes on demand.
template <class Contacts, class Visitor>
void visit_details(const Contacts&, ResultsOf<Contacts>& results, Visitor&& visitor) {
  if constexpr (has_bodies<Contacts>) visit_vector("new_separation_velocity", results.separation_velocity, visitor);
  visitor("work_compression", results.work_compression);
  visitor("work_decompression", results.work_decompression);
  if constexpr (!is_planar<Contacts>) visitor("steps", results.steps);
}

}  // namespace carom::io
