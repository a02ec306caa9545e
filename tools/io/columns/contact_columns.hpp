// The names of columns of contacts and results in contact files.
#pragma once

#include <carom/solver.hpp>
#include <type_traits>

#include "core/columns/columns.hpp"

namespace carom::io {

template <class AnyContacts>
struct FormOf;
template <template <class> class Contacts_, class T>
struct FormOf<Contacts_<T>> {
  template <class U>
  using AnyContacts = Contacts_<U>;
};

/// The same form in another precision.
template <class AnyContacts, class U>
using Rebound = typename FormOf<AnyContacts>::template AnyContacts<U>;

template <class AnyContacts>
inline constexpr bool is_planar = !requires(const AnyContacts& c) {
  c.normal.z;
}
&&!requires(const AnyContacts& c) {
  c.separation_velocity.z;
};

template <class AnyContacts>
inline constexpr bool has_bodies = !requires(const AnyContacts& c) {
  c.separation_velocity;
};

/// A visitor of columns by their names in files.
template <class Visitor>
auto by_file_name(Visitor& visitor) {
  return [&visitor](const columns::Label& label, auto& column) { visitor(label.in_file(), column); };
}

/// Visits the components of a vector. A vector that is a number in the plane has one component, without an axis in its
/// name.
template <class Columns, class Visitor>
void visit_vector(const char* name, Columns& vector, Visitor& visitor) {
  columns::each(by_file_name(visitor), columns::Label{"", "", "", name}, vector);
}

/// Calls visitor(name, column) for every column that contacts of this form need.
template <class AnyContacts, class Visitor>
void visit_needed(AnyContacts& contacts, Visitor&& visitor) {
  columns::each_number(by_file_name(visitor), contacts);
}

/// Visits the parameters that single laws read in this dimension.
template <class AnyContacts, class Visitor>
void visit_law_parameters(AnyContacts& contacts, Visitor&& visitor) {
  columns::each_parameter(
      [&](const columns::Label& label, auto known, auto& column) {
        if constexpr (columns::readers_of(decltype(known)::value, is_planar<AnyContacts>) != 0)
          visitor(label.in_file(), column);
      },
      contacts.laws);
  columns::each_weight([&](const columns::Label& label, Law, auto& column) { visitor(label.in_file(), column); },
                       contacts.laws.weight);
}

/// Visits all optional columns.
template <class AnyContacts, class Visitor>
void visit_optional(AnyContacts& contacts, Visitor&& visitor) {
  columns::each_choice(
      [&](const columns::Label& label, auto& column) {
        // Nothing is integrated in the plane.
        constexpr bool is_step = std::is_same_v<std::remove_cvref_t<decltype(column)>, decltype(AnyContacts::friction)>;
        if constexpr (!(is_step && is_planar<AnyContacts>)) visitor(label.in_file(), column);
      },
      contacts.laws);
  visit_law_parameters(contacts, visitor);
}

/// The name of the impulse in results of this form, without its axis.
template <class AnyContacts>
inline constexpr const char* impulse_name = has_bodies<AnyContacts> ? "impulse" : "p";

/// Calls visitor(name, column) for every result that `solve` always writes for contacts of this form.
template <class AnyContacts, class Visitor>
void visit_results(const AnyContacts&, ResultsOf<AnyContacts>& results, Visitor&& visitor) {
  if constexpr (!has_bodies<AnyContacts>) visit_vector("u", results.separation_velocity, visitor);
  visit_vector(impulse_name<AnyContacts>, results.impulse, visitor);
  if constexpr (has_bodies<AnyContacts>) columns::each_body_result(by_file_name(visitor), results);
  visitor("status", results.status);
  visitor("path", results.path);
}

/// Calls visitor(name, column) for every result that `solve` writes with --details.
template <class AnyContacts, class Visitor>
void visit_details(const AnyContacts&, ResultsOf<AnyContacts>& results, Visitor&& visitor) {
  if constexpr (has_bodies<AnyContacts>) visit_vector("new_separation_velocity", results.separation_velocity, visitor);
  visitor("work_compression", results.work_compression);
  visitor("work_decompression", results.work_decompression);
  if constexpr (!is_planar<AnyContacts>) visitor("steps", results.steps);
}

}  // namespace carom::io
