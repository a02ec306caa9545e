// The forms of contacts in files, and the names of their columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contact_columns.hpp"
#include "table.hpp"

namespace carom::io {

enum class Form : std::uint8_t {
  bodies,                ///< both bodies' states
  contact_space,         ///< collision matrix and separation velocity
  planar_bodies,         ///< both bodies' states in the plane
  planar_contact_space,  ///< collision matrix and separation velocity, with the tangent x and the normal y
};

/// Returns the form of the table's columns. A column that only contacts in 3D need makes it a form in 3D. A table with
/// the columns of both forms has the body form. Throws Error if the columns are of no form.
Form form_of(const Table& table);

constexpr bool is_planar_form(Form form) {
  return form == Form::planar_bodies || form == Form::planar_contact_space;
}
constexpr bool is_body_form(Form form) {
  return form == Form::bodies || form == Form::planar_bodies;
}

/// True if a law, or a parameter of a law, exists in the form's dimension.
template <class LawOrParameter>
constexpr bool is_there(const LawOrParameter& law, Form form) {
  return is_planar_form(form) ? law.in_plane : law.in_space;
}

/// "body form", "planar contact-space form"; "unknown" for any other number.
std::string_view to_string(Form form);

/// "the column r_a_x", "the columns r_a_x, r_a_y".
std::string columns_in_words(const std::vector<std::string>& names);

/// The names of a form's columns in files.
struct FormColumns {
  std::vector<std::string> needed, optional;
  std::vector<std::string> law_parameters;  ///< optional columns that only some laws read
  std::vector<std::string> results;         ///< always written
  std::vector<std::string> details;         ///< results written with --details
  std::string impulse;                      ///< name of the impulse, without its axis
  std::vector<std::string> impulse_components;
};
const FormColumns& columns_of(Form form);

/// The form of contacts of this type in files.
template <class AnyContacts>
inline constexpr Form form_of_contacts = is_planar<AnyContacts>
                                             ? (has_bodies<AnyContacts> ? Form::planar_bodies
                                                                        : Form::planar_contact_space)
                                             : (has_bodies<AnyContacts> ? Form::bodies : Form::contact_space);

/// Calls work.template operator()<Contacts>() with the type of the form in double.
template <class Work>
auto with_contacts_in_double(Form form, Work&& work) {
  switch (form) {
    case Form::bodies:
      return work.template operator()<Contacts<double>>();
    case Form::contact_space:
      return work.template operator()<KContacts<double>>();
    case Form::planar_bodies:
      return work.template operator()<planar::Contacts<double>>();
    default:
      return work.template operator()<planar::KContacts<double>>();
  }
}

/// Calls work.template operator()<Contacts>() with the type of the form in float or double.
template <class Work>
auto with_contacts(Form form, bool in_float, Work&& work) {
  return with_contacts_in_double(form, [&]<class InDouble>() {
    return in_float ? work.template operator()<Rebound<InDouble, float>>() : work.template operator()<InDouble>();
  });
}

}  // namespace carom::io
