#include "io/faults.hpp"

#include <fmt/format.h>

#include <carom/law_info.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

namespace carom::io {
namespace {

std::string column_and_value(const Table& table, std::size_t row, const std::string& name) {
  return "column " + name + ": " + std::string(table.cell(row, table.find(name)));
}

// Whether the law of the row reads the column; what every law reads is no parameter of one.
template <class Contacts>
bool is_read(const ContactData<Contacts>& data, std::size_t row, const std::string& name) {
  bool is_parameter = false;
  Contacts names;
  visit_law_parameters(names, [&](const std::string& parameter, auto&) { is_parameter |= parameter == name; });
  if (!is_parameter) return true;
  for (const Law law : data.laws(row))
    for (const LawParameter& parameter : law_info(law).parameters)
      if (parameter.name == name) return true;
  return false;
}

// The first column that the condition holds for, of those that are read; empty if there is none.
template <class Contacts, class Condition>
std::string first_column(const ContactData<Contacts>& data, std::size_t row, Condition condition) {
  using T = typename ContactData<Contacts>::Scalar;
  std::string found;
  const auto look = [&](const std::string& name, const auto& column) {
    if constexpr (std::is_same_v<decltype(column), const Column<const T>&>)
      if (found.empty() && column && condition(name, column[row]) && is_read(data, row, name)) found = name;
  };
  Contacts view = data.view();
  visit_needed(view, look);
  visit_optional(view, look);
  for (const auto& [name, column] : data.further()) look(name, column);
  return found;
}

// Sylvester's criterion for the matrix with its eigenvalues raised by the tolerance.
template <class T>
bool positive_semidefinite(const SymmetricColumns<const T>& m, std::size_t row, double tolerance) {
  const auto at = [row](const Column<const T>& column) { return static_cast<double>(column[row]); };
  const double raise = tolerance * (at(m.xx) + at(m.yy) + at(m.zz));
  const double xx = at(m.xx) + raise, yy = at(m.yy) + raise, zz = at(m.zz) + raise;
  const double xy = at(m.xy), xz = at(m.xz), yz = at(m.yz);
  const double minor = xx * yy - xy * xy;
  return xx >= 0 && minor >= 0 && zz * minor - yz * (xx * yz - xy * xz) + xz * (xy * yz - yy * xz) >= 0;
}

// The planar scalar has no tolerance.
template <class T>
bool positive_semidefinite(const Column<const T>& inverse_inertia, std::size_t row, double) {
  return inverse_inertia[row] >= 0;
}

template <class Contacts>
std::string inertia_columns(const Contacts& contacts, std::size_t row, double tolerance) {
  if constexpr (!has_bodies<Contacts>)
    return "inverse inertia";
  else {
    const bool a = !positive_semidefinite(contacts.a.inverse_inertia, row, tolerance);
    const bool b = !positive_semidefinite(contacts.b.inverse_inertia, row, tolerance);
    const std::string range = is_planar<Contacts> ? "" : "_xx to _zz";
    const std::string of_a = "inverse_inertia_a" + range, of_b = "inverse_inertia_b" + range;
    if (a != b) return (is_planar<Contacts> ? "column " : "columns ") + (a ? of_a : of_b);
    return "columns " + of_a + (a ? " and " : " or ") + of_b;
  }
}

template <class Contacts>
std::string normal_fault(const Contacts& contacts, std::size_t row) {
  std::string columns;
  double length = 0;
  if constexpr (has_bodies<Contacts>) {
    auto normal = contacts.normal;
    const auto see = [&](const std::string& name, const auto& column) {
      columns += (columns.empty() ? "" : ", ") + name;
      length = std::hypot(length, static_cast<double>(column[row]));
    };
    visit_vector("normal", normal, see);
  }
  return "columns " + columns + ": the normal's length is " + fmt::format("{:.7g}", length) + ", not 1";
}

// Of the first parameter of the row's law that is missing or out of its range.
template <class Contacts>
std::string law_parameter_fault(const Table& table, const ContactData<Contacts>& data, std::size_t row,
                                bool is_missing) {
  using T = typename ContactData<Contacts>::Scalar;
  std::map<std::string, double> values;
  Contacts view = data.view();
  visit_law_parameters(view, [&](const std::string& name, const Column<const T>& column) {
    if (column) values[name] = static_cast<double>(column[row]);
  });
  for (const Law law : data.laws(row)) {
    for (const LawParameter& parameter : law_info(law).parameters) {
      if (!(is_planar<Contacts> ? parameter.in_plane : parameter.in_space)) continue;
      const std::string name(parameter.name);
      const auto value = values.find(name);
      if (value == values.end()) {
        if (is_missing && law != Law::composite)
          return "column " + name + " is missing, which " + std::string(to_string(law)) + " reads";
        continue;
      }
      if (is_missing || (value->second >= parameter.low && value->second <= parameter.high)) continue;
      const bool is_half_open = parameter.high == std::numeric_limits<double>::max();
      return column_and_value(table, row, name) +
             (is_half_open ? " is negative"
                           : fmt::format(" is outside [{:.4g}, {:.4g}]", parameter.low, parameter.high));
    }
  }
  if (data.law(row) == Law::composite) return "columns weight_LAW: none is above 0";
  return "a parameter of " + std::string(to_string(data.law(row))) + (is_missing ? " is missing" : " is out of range");
}

template <class Contacts>
std::string unavailable_law(const ContactData<Contacts>& data, std::size_t row) {
  for (const Law law : data.laws(row))
    if (const LawInfo& info = law_info(law); !(is_planar<Contacts> ? info.in_plane : info.in_space))
      return std::string(to_string(law)) + " is a law of " + (info.in_plane ? "planar contacts" : "contacts in 3D") +
             " only";
  return std::string(to_string(data.law(row))) + " is not available";
}

}  // namespace

template <class Contacts>
std::string describe_fault(const Table& table, const ContactData<Contacts>& contacts, std::size_t row, Status status,
                           const Options& options) {
  using T = typename ContactData<Contacts>::Scalar;
  const std::string precision = sizeof(T) == sizeof(float) ? "float" : "double";
  const auto value_of = [&](const std::string& name, const std::string& trouble) {
    return name.empty() ? trouble : column_and_value(table, row, name) + " " + trouble;
  };
  switch (status) {
    case Status::not_a_number:
      return value_of(first_column(contacts, row, [](const std::string&, T v) { return std::isnan(v); }),
                      "is not a number");
    case Status::infinite:
      return value_of(
          first_column(contacts, row, [](const std::string& name, T v) { return name != "friction" && std::isinf(v); }),
          "is infinite in " + precision);
    case Status::normal_not_unit:
      return normal_fault(contacts.view(), row);
    case Status::negative_inverse_mass:
      return value_of(
          first_column(contacts, row,
                       [](const std::string& name, T v) { return name.starts_with("inverse_mass") && v < 0; }),
          "is negative");
    case Status::inverse_inertia_not_positive_semidefinite:
      return inertia_columns(contacts.view(), row, options.inertia_tolerance) +
             ": the inverse inertia is not positive semidefinite";
    case Status::both_immovable:
      return "columns inverse_mass_a, inverse_mass_b and inverse inertias: all are 0, so neither body can move";
    case Status::restitution_out_of_range:
      return value_of("restitution", fmt::format("is outside [0, {:.4g}]", options.largest_restitution));
    case Status::negative_friction:
      return value_of("friction", "is negative");
    case Status::law_unavailable:
      return (contacts.view().law ? "column law: " : "") + unavailable_law(contacts, row);
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
      return std::string(has_bodies<Contacts>  ? "columns inverse_mass, inverse_inertia and lever of a and b"
                         : is_planar<Contacts> ? "columns k_xx, k_xy, k_yy"
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

template std::string describe_fault(const Table&, const ContactData<InlineContacts<float>>&, std::size_t, Status,
                                    const Options&);
template std::string describe_fault(const Table&, const ContactData<InlineContacts<double>>&, std::size_t, Status,
                                    const Options&);
template std::string describe_fault(const Table&, const ContactData<SpaceContacts<float>>&, std::size_t, Status,
                                    const Options&);
template std::string describe_fault(const Table&, const ContactData<SpaceContacts<double>>&, std::size_t, Status,
                                    const Options&);
template std::string describe_fault(const Table&, const ContactData<planar::InlineContacts<float>>&, std::size_t,
                                    Status, const Options&);
template std::string describe_fault(const Table&, const ContactData<planar::InlineContacts<double>>&, std::size_t,
                                    Status, const Options&);
template std::string describe_fault(const Table&, const ContactData<planar::SpaceContacts<float>>&, std::size_t, Status,
                                    const Options&);
template std::string describe_fault(const Table&, const ContactData<planar::SpaceContacts<double>>&, std::size_t,
                                    Status, const Options&);

}  // namespace carom::io
