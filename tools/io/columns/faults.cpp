#include "faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <carom/law_info.hpp>
#include <cmath>
#include <limits>

namespace carom::io {
namespace {

std::string column_and_value(const Table& table, std::size_t row, const std::string& name) {
  return "column " + name + ": " + table.text(row, table.find(name));
}

// True if the law of the row reads the column. Columns that are not law parameters are read by every law.
bool is_read(const ContactNumbers& contacts, std::size_t row, const std::string& name) {
  const auto& names = columns_of(contacts.form()).law_parameters;
  if (std::find(names.begin(), names.end(), name) == names.end()) return true;
  for (const Law law : contacts.laws(row))
    for (const LawParameter& parameter : law_info(law).parameters)
      if (parameter.name == name) return true;
  return false;
}

// The first column in use for which the condition holds, or an empty name.
template <class Condition>
std::string first_column(const ContactNumbers& contacts, std::size_t row, Condition condition) {
  for (const NumberColumn& column : contacts.numbers().columns())
    if (condition(column.name, column.values[row]) && is_read(contacts, row, column.name)) return column.name;
  return {};
}

// The number in an existing column.
double number_at(const ContactNumbers& contacts, std::size_t row, const std::string& name) {
  return contacts.numbers().at(name)[row];
}

// True if the inverse inertia is positive semidefinite, by Sylvester's criterion for the matrix with its eigenvalues
// raised by the tolerance. The planar scalar has no tolerance.
bool is_positive_semidefinite(const ContactNumbers& contacts, std::size_t row, const std::string& inertia,
                              double tolerance) {
  const auto at = [&](const char* entry) { return number_at(contacts, row, inertia + entry); };
  if (is_planar_form(contacts.form())) return at("") >= 0;
  const double raise = tolerance * (at("_xx") + at("_yy") + at("_zz"));
  const double xx = at("_xx") + raise, yy = at("_yy") + raise, zz = at("_zz") + raise;
  const double xy = at("_xy"), xz = at("_xz"), yz = at("_yz");
  const double minor = xx * yy - xy * xy;
  return xx >= 0 && minor >= 0 && zz * minor - yz * (xx * yz - xy * xz) + xz * (xy * yz - yy * xz) >= 0;
}

std::string inertia_columns(const ContactNumbers& contacts, std::size_t row, double tolerance) {
  if (!is_body_form(contacts.form())) return "inverse inertia";
  const bool a = !is_positive_semidefinite(contacts, row, "inverse_inertia_a", tolerance);
  const bool b = !is_positive_semidefinite(contacts, row, "inverse_inertia_b", tolerance);
  const bool planar = is_planar_form(contacts.form());
  const std::string range = planar ? "" : "_xx to _zz";
  const std::string of_a = "inverse_inertia_a" + range, of_b = "inverse_inertia_b" + range;
  if (a != b) return (planar ? "column " : "columns ") + (a ? of_a : of_b);
  return "columns " + of_a + (a ? " and " : " or ") + of_b;
}

std::string normal_fault(const ContactNumbers& contacts, std::size_t row) {
  std::string columns;
  double length = 0;
  for (const std::string& name : columns_of(contacts.form()).needed)
    if (name.starts_with("normal_")) {
      columns += (columns.empty() ? "" : ", ") + name;
      length = std::hypot(length, number_at(contacts, row, name));
    }
  return "columns " + columns + ": the normal's length is " + fmt::format("{:.7g}", length) + ", not 1";
}

// The first parameter of the row's law that is missing or out of its range, in words.
std::string law_parameter_fault(const Table& table, const ContactNumbers& contacts, std::size_t row, bool is_missing) {
  for (const Law law : contacts.laws(row)) {
    for (const LawParameter& parameter : law_info(law).parameters) {
      if (!is_there(parameter, contacts.form())) continue;
      const std::string name(parameter.name);
      const NumberColumn* column = contacts.numbers().find(name);
      if (column == nullptr) {
        if (is_missing && law != Law::composite)
          return "column " + name + " is missing, which " + std::string(to_string(law)) + " reads";
        continue;
      }
      const double value = column->values[row];
      if (is_missing || (value >= parameter.low && value <= parameter.high)) continue;
      const bool is_half_open = parameter.high == std::numeric_limits<double>::max();
      return column_and_value(table, row, name) +
             (is_half_open ? " is negative"
                           : fmt::format(" is outside [{:.4g}, {:.4g}]", parameter.low, parameter.high));
    }
  }
  const Law law = contacts.law(row);
  if (law == Law::composite) return "columns weight_LAW: none is above 0";
  return "a parameter of " + std::string(to_string(law)) + (is_missing ? " is missing" : " is out of range");
}

std::string unavailable_law(const ContactNumbers& contacts, std::size_t row) {
  for (const Law law : contacts.laws(row))
    if (const LawInfo& info = law_info(law); !is_there(info, contacts.form()))
      return std::string(to_string(law)) + " is a law of " + (info.in_plane ? "planar contacts" : "contacts in 3D") +
             " only";
  return std::string(to_string(contacts.law(row))) + " is not available";
}

}  // namespace

std::string describe_fault(const Table& table, const ContactNumbers& contacts, std::size_t row, Status status,
                           const Options& options) {
  const std::string precision = contacts.in_float() ? "float" : "double";
  const auto value_of = [&](const std::string& name, const std::string& trouble) {
    return name.empty() ? trouble : column_and_value(table, row, name) + " " + trouble;
  };
  switch (status) {
    case Status::body_index_out_of_range:
      for (const std::string name : {"body_a", "body_b"})
        if (table.number(row, table.find(name)).value_or(0) < -1) return value_of(name, "is below -1");
      return "columns body_a, body_b: no such body";
    case Status::same_body:
      return value_of("body_a", "is body_b too: the contact is one of a body with itself");
    case Status::not_a_number:
      return value_of(first_column(contacts, row, [](const std::string&, double v) { return std::isnan(v); }),
                      "is not a number");
    case Status::infinite:
      return value_of(first_column(contacts, row,
                                   [](const std::string& name, double v) {
                                     return name != "friction" && name != "static_friction" && name != "friction_2" &&
                                            name != "stiffness" && name != "frequency" && std::isinf(v);
                                   }),
                      "is infinite in " + precision);
    case Status::normal_not_unit:
      return normal_fault(contacts, row);
    case Status::negative_inverse_mass:
      return value_of(
          first_column(contacts, row,
                       [](const std::string& name, double v) { return name.starts_with("inverse_mass") && v < 0; }),
          "is negative");
    case Status::inverse_inertia_not_positive_semidefinite:
      return inertia_columns(contacts, row, options.data.inertia_tolerance) +
             ": the inverse inertia is not positive semidefinite";
    case Status::both_immovable:
      return "columns inverse_mass_a, inverse_mass_b and inverse inertias: all are 0, so neither body can move";
    case Status::restitution_out_of_range:
      return value_of("restitution", fmt::format("is outside [0, {:.4g}]", options.data.max_restitution));
    case Status::negative_friction:
      return value_of("friction", "is negative");
    case Status::static_friction_below_friction:
      return value_of("static_friction", "is below the friction, " + table.text(row, table.find("friction")));
    case Status::friction_direction_along_normal:
      return "columns friction_direction_x, _y, _z: nothing of the direction is across the normal";
    case Status::stiffness_not_positive:
      return value_of("stiffness", "is not positive");
    case Status::negative_friction_2:
    case Status::negative_rolling_friction:
    case Status::negative_spinning_friction:
    case Status::negative_normal_compliance:
    case Status::negative_tangential_compliance:
    case Status::negative_damping:
    case Status::negative_frequency:
    case Status::negative_damping_ratio:
    case Status::negative_slop:
      // The status is named after its column.
      return value_of(std::string(to_string(status)).substr(std::string_view("negative_").size()), "is negative");
    case Status::law_unavailable:
      return (contacts.names_laws() ? "column law: " : "") + unavailable_law(contacts, row);
    case Status::law_parameter_missing:
      return law_parameter_fault(table, contacts, row, true);
    case Status::law_parameter_out_of_range:
      return law_parameter_fault(table, contacts, row, false);
    case Status::no_solution:
      return "the law " + std::string(to_string(contacts.law(row))) + " has no solution for this contact";
    case Status::step_not_positive:
      return value_of("impulse_step", "is not positive");
    case Status::restitution_law_unavailable:
      return value_of("restitution_law", "needs the integrator series; euler offers energetic only");
    case Status::overflow:
      return "the numbers are so large that the collision matrix, the separation velocity or the impulse exceeds " +
             precision;
    case Status::collision_matrix_not_positive_definite:
      return std::string(is_body_form(contacts.form())     ? "columns inverse_mass, inverse_inertia and r of a and b"
                         : is_planar_form(contacts.form()) ? "columns k_xx, k_xy, k_yy"
                                                           : "columns k_xx to k_zz") +
             ": the collision matrix is not positive definite in " + precision;
    case Status::step_too_large:
      return value_of("impulse_step", "exceeds |u0| / trace K");
    case Status::step_budget_reached:
      return "the collision did not end within " + std::to_string(options.step_budget) + " steps" +
             (options.integrator == Integrator::euler ? ": raise the impulse_step of the row, or give fewer --steps"
                                                      : "");
    default:
      return std::string(to_string(status));
  }
}

}  // namespace carom::io
