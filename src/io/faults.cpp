#include "io/faults.hpp"

#include <cmath>
#include <type_traits>

namespace carom::io {
namespace {

std::string column_and_value(const Table& table, std::size_t row, const std::string& name) {
  return "column " + name + ": " + std::string(table.cell(row, table.find(name)));
}

// The first column that the condition holds for; empty if there is none.
template <class Contacts, class Condition>
std::string first_column(const ContactData<Contacts>& data, std::size_t row, Condition condition) {
  using T = typename ContactData<Contacts>::Scalar;
  std::string found;
  const auto look = [&](const std::string& name, const auto& column) {
    if constexpr (std::is_same_v<decltype(column), const Column<const T>&>)
      if (found.empty() && column && condition(name, column[row])) found = name;
  };
  Contacts view = data.view();
  visit_needed(view, look);
  visit_optional(view, look);
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

template <class T>
std::string inertia_columns(const InlineContacts<T>& contacts, std::size_t row, double tolerance) {
  const bool a = !positive_semidefinite(contacts.a.inverse_inertia, row, tolerance);
  const bool b = !positive_semidefinite(contacts.b.inverse_inertia, row, tolerance);
  const std::string of_a = "inverse_inertia_a_xx to _zz", of_b = "inverse_inertia_b_xx to _zz";
  if (a != b) return "columns " + (a ? of_a : of_b);
  return "columns " + of_a + (a ? " and " : " or ") + of_b;
}

template <class T>
std::string inertia_columns(const SpaceContacts<T>&, std::size_t, double) {
  return "inverse inertia";
}

template <class T>
std::string normal_length(const InlineContacts<T>& contacts, std::size_t row) {
  return std::to_string(std::hypot(static_cast<double>(contacts.normal.x[row]),
                                   static_cast<double>(contacts.normal.y[row]),
                                   static_cast<double>(contacts.normal.z[row])));
}

template <class T>
std::string normal_length(const SpaceContacts<T>&, std::size_t) {
  return "";
}

template <class Contacts>
constexpr bool has_bodies = std::is_same_v<Contacts, InlineContacts<typename ScalarOf<Contacts>::type>>;

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
      return "columns normal_x, normal_y, normal_z: the normal's length is " + normal_length(contacts.view(), row) +
             ", not 1";
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
      return value_of("restitution", "is outside [0, 1]");
    case Status::negative_friction:
      return value_of("friction", "is negative");
    case Status::step_not_positive:
      return value_of("impulse_step", "is not positive");
    case Status::restitution_law_unavailable:
      return value_of("restitution_law", "needs the integrator series; euler offers energetic only");
    case Status::overflow:
      return "the numbers are so large that the collision matrix, the separation velocity or the impulse exceeds " +
             precision;
    case Status::collision_matrix_not_positive_definite:
      return std::string(has_bodies<Contacts> ? "columns inverse_mass, inverse_inertia and lever of a and b"
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

}  // namespace carom::io
