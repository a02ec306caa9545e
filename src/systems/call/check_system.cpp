#include "check_system.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/columns/text.hpp"
#include "core/support/array.hpp"
#include "islands.hpp"

namespace carom::systems {
namespace {

/// Throws an Error about a column, or about its element `row`. An empty `column` names no column.
template <class... Pieces>
[[noreturn]] void refuse(std::string_view column, std::optional<std::size_t> row, const Pieces&... text) {
  throw Error(Text("carom: ", text...), {.column = column, .row = row});
}
/// Throws "carom: the column system.friction" and the rest of the text.
template <class... Pieces>
[[noreturn]] void refuse_column(std::string_view column, const Pieces&... rest) {
  refuse(column, {}, "the column ", column, rest...);
}
/// Throws "carom: system.friction[3]" and the rest of the text.
template <class... Pieces>
[[noreturn]] void refuse_element(std::string_view name, std::size_t i, const Pieces&... rest) {
  const Text column("system.", name);
  refuse(column, i, column, '[', i, ']', rest...);
}

void check_range(const char* name, double value, bool is_within, const char* range) {
  if (is_within) return;
  throw Error(Text("carom: SystemOptions::", name, " is ", value, "; it must be in ", range), {.option = name});
}

void check_count(const char* what, std::size_t count, const char* limit, std::size_t most) {
  if (count > most)
    refuse({}, {}, "the system has ", count, ' ', what, ", and the limit is SystemOptions::", limit, ", ", most,
           ": solve its islands in several calls");
}

/// A vector has all components or none.
template <class V>
void check_length(const char* name, const V& vector, std::size_t count, const char* of, bool needed) {
  if (!needed && columns::is_absent(vector)) return;
  const auto check = [&](const columns::Label& label, const auto& column) {
    if (!column) refuse_column(label.in_code(), " is missing");
    if (column.count != count)
      refuse_column(label.in_code(), " has ", column.count, " elements; there are ", count, ' ', of);
  };
  columns::each(check, columns::Label{name}, vector);
}

/// Calls f(name, is_needed, column or vector, others...) for the fields with one element per contact.
template <class F, class System, class... Others>
void each_of_contacts(const F& f, System& system, Others&... others) {
  f("system.friction", true, system.friction, others.friction...);
  f("system.velocity", true, system.velocity, others.velocity...);
  f("system.warm_impulse", false, system.warm_impulse, others.warm_impulse...);
  f("system.friction_2", false, system.friction_2, others.friction_2...);
  f("system.friction_direction", false, system.friction_direction, others.friction_direction...);
  f("system.normal_compliance", false, system.normal_compliance, others.normal_compliance...);
  f("system.tangential_compliance", false, system.tangential_compliance, others.tangential_compliance...);
}
template <class F, class System, class... Others>
void each_of_moments(const F& f, System& system, Others&... others) {
  f("system.rolling_friction", false, system.rolling_friction, others.rolling_friction...);
  f("system.spinning_friction", false, system.spinning_friction, others.spinning_friction...);
  f("system.angular_velocity", true, system.angular_velocity, others.angular_velocity...);
  f("system.warm_angular_impulse", false, system.warm_angular_impulse, others.warm_angular_impulse...);
}

template <class V>
void check_finite(const char* name, const V& vector, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (const auto& [axis, value] : {std::pair{".x", vector.x[i]}, {".y", vector.y[i]}, {".z", vector.z[i]}})
      if (!std::isfinite(value)) refuse_element(Text(name, axis), i, " is ", value, "; it must be finite");
}

/// A row of W, as text for messages.
template <class T>
Text owner(const ContactSystem<T>& system, std::size_t i) {
  const std::size_t contacts = system.friction.count;
  return i < contacts ? Text("contact ", i) : Text("moment ", i - contacts);
}
template <class T>
Text owners(const ContactSystem<T>& system, std::size_t i, std::size_t j) {
  if (i < system.friction.count && j < system.friction.count) return Text("of contacts ", i, " and ", j);
  return Text("of ", owner(system, i), " and ", owner(system, j));
}

/// The contacts of moments.
template <class T>
void check_moments(const ContactSystem<T>& system, std::size_t contacts) {
  for (std::size_t m = 0; m < system.moment.count; ++m) {
    const std::int32_t i = system.moment[m];
    if (i < 0 || static_cast<std::size_t>(i) >= contacts)
      refuse_element("moment", m, " is ", i, "; it must be in [0, ", contacts, ')');
    if (m > 0 && system.moment[m - 1] >= i)
      refuse_element("moment", m, " is ", i, " after ", system.moment[m - 1], "; the contacts of moments must ascend");
  }
}

template <class T>
void check_rows(const ContactSystem<T>& system, std::size_t contacts) {
  const auto blocks = static_cast<std::int64_t>(system.column.count);
  if (system.row_start[0] != 0) refuse_element("row_start", 0, " is ", system.row_start[0], ", not 0");
  if (system.row_start[contacts] != blocks)
    refuse_element("row_start", contacts, " is ", system.row_start[contacts], "; there are ", blocks, " blocks");
  for (std::size_t i = 0; i < contacts; ++i) {
    const std::int64_t first = system.row_start[i], end = system.row_start[i + 1];
    if (end < first || end > blocks)
      refuse_element("row_start", i + 1, " is ", end, "; it must be from ", first, ", the one before, to ", blocks,
                     ", the number of blocks");
    bool has_own = false;
    for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(end); ++k) {
      const std::int32_t j = system.column[k];
      if (j < 0 || static_cast<std::size_t>(j) >= contacts)
        refuse_element("column", k, ", of the row of ", owner(system, i), ", is ", j, "; it must be in [0, ", contacts,
                       ')');
      if (k > static_cast<std::size_t>(first) && system.column[k - 1] >= j)
        refuse_element("column", k, " is ", j, " after ", system.column[k - 1], "; columns must ascend in the row of ",
                       owner(system, i));
      has_own |= static_cast<std::size_t>(j) == i;
    }
    if (!has_own) refuse({}, i, "the row of ", owner(system, i), " has no block on the diagonal of W");
  }
}

/// Sets `diagonal` to the diagonal block of each contact. Call after check_rows.
template <class T>
void check_blocks(const ContactSystem<T>& system, std::size_t contacts, Array<std::size_t>& diagonal) {
  diagonal.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i)
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
         ++k) {
      const SystemBlock<T>& w = system.block[k];
      for (std::size_t e = 0; e < 9; ++e)
        if (!std::isfinite(w[e]))
          refuse_element("block", k, '[', e, "], ", owners(system, i, static_cast<std::size_t>(system.column[k])),
                         ", is ", w[e], "; it must be finite");
      if (static_cast<std::size_t>(system.column[k]) != i) continue;
      diagonal[i] = k;
      for (const std::size_t e : {0u, 4u, 8u}) {
        const bool is_normal = e == 8 && i < system.friction.count;
        if (!(w[e] > 0 || (w[e] == 0 && !is_normal)))
          refuse_element("block", k, '[', e, "], on the diagonal of ", owner(system, i), ", is ", w[e],
                         is_normal ? "; W_nn must be > 0" : "; it must be >= 0");
      }
    }
}

/// Numbers of contact models.
template <class T>
void check_models(const ContactSystem<T>& system, std::size_t contacts) {
  const auto check_not_below_zero = [&](const char* name, const Column<const T>& column, bool may_be_infinite) {
    for (std::size_t i = 0; i < column.count && column; ++i) {
      if (column[i] >= 0 && (may_be_infinite || std::isfinite(column[i]))) continue;
      refuse_element(name, i, " is ", column[i], "; it must be >= 0", may_be_infinite ? "" : " and finite");
    }
  };
  check_not_below_zero("friction_2", system.friction_2, true);
  check_not_below_zero("normal_compliance", system.normal_compliance, false);
  check_not_below_zero("tangential_compliance", system.tangential_compliance, false);
  check_not_below_zero("rolling_friction", system.rolling_friction, false);
  check_not_below_zero("spinning_friction", system.spinning_friction, false);
  if (system.moment) check_finite("angular_velocity", system.angular_velocity, system.moment.count);
  if (system.warm_angular_impulse.x)
    check_finite("warm_angular_impulse", system.warm_angular_impulse, system.moment.count);
  const auto& direction = system.friction_direction;
  for (std::size_t i = 0; i < contacts && direction.x; ++i) {
    for (const auto& [axis, value] : {std::pair{".x", direction.x[i]}, {".y", direction.y[i]}})
      if (!std::isfinite(value))
        refuse_element(Text("friction_direction", axis), i, " is ", value, "; it must be finite");
    if (direction.x[i] == 0 && direction.y[i] == 0 && system.friction[i] != system.friction_2[i])
      refuse_element("friction_direction", i, " is 0, and friction has two coefficients");
  }
}

/// Finds each block's transposed counterpart. Rows are visited in order, so each row's columns are visited in order
/// too.
template <class T>
void check_symmetry(const ContactSystem<T>& system, CheckSpace& space, double bound) {
  const Array<std::size_t>& diagonal = space.diagonal;
  Array<std::int64_t>& next = space.next;
  const std::size_t contacts = diagonal.size();
  const auto root_of_trace = [&](std::size_t i) {
    const SystemBlock<T>& w = system.block[diagonal[i]];
    return std::sqrt((static_cast<double>(w[0]) + static_cast<double>(w[4]) + static_cast<double>(w[8])) / 3);
  };
  next.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) next[i] = system.row_start[i];
  for (std::size_t i = 0; i < contacts; ++i)
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
         ++k) {
      const auto j = static_cast<std::size_t>(system.column[k]);
      // Blocks of row j before column i have no counterpart in an earlier row, or were visited.
      std::int64_t& there = next[j];
      while (there < system.row_start[j + 1] &&
             static_cast<std::size_t>(system.column[static_cast<std::size_t>(there)]) < i)
        ++there;
      const bool found = there < system.row_start[j + 1] &&
                         static_cast<std::size_t>(system.column[static_cast<std::size_t>(there)]) == i;
      const double scale = root_of_trace(i) * root_of_trace(j);
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
          const auto here = static_cast<double>(system.block[k][3 * a + b]);
          const double other =
              found ? static_cast<double>(system.block[static_cast<std::size_t>(there)][3 * b + a]) : 0.0;
          if (std::abs(here - other) > bound * scale)
            refuse_element("block", k, '[', 3 * a + b, "], ", owners(system, i, j), ", is ", here,
                           " where its counterpart is ", other,
                           ": W is further from symmetric than SystemOptions::asymmetry");
        }
    }
}

}  // namespace

void check_options(const SystemOptions& options) {
  check_range("tolerance", options.tolerance,
              options.tolerance >= 0 && options.tolerance <= SystemOptions::max_tolerance, "[0, 1]");
  check_range("error_mass", options.error_mass,
              options.error_mass >= 0 && options.error_mass <= SystemOptions::max_mass, "[0, 1e30]");
  check_range("budget", options.budget, options.budget >= 1 && options.budget <= SystemOptions::max_budget,
              "[1, 1e12]");
  check_range("max_friction", options.max_friction,
              options.max_friction > 0 && options.max_friction <= SystemOptions::friction_limit, "(0, 1e6]");
  check_range("asymmetry", options.asymmetry, options.asymmetry >= 0 && options.asymmetry <= 2, "[0, 2]");
  check_range("range_tolerance", options.range_tolerance, options.range_tolerance >= 0 && options.range_tolerance <= 1,
              "[0, 1]");
  if (options.scale != ErrorScale::system && options.scale != ErrorScale::island)
    throw Error("carom: SystemOptions::scale is no ErrorScale", {.option = "scale"});
}

template <class T>
Resolved<ContactSystem<T>> check_columns(const ContactSystem<T>& given, const SystemResults<T>& results) {
  columns::Length length;
  each_of_contacts([&](const char*, bool, const auto& field) { columns::each(length, {}, field); }, given);
  if (length.is_missing()) refuse({}, {}, "no column gives the number of contacts: all of them are constants");
  const auto refuse_constant = [](const char* name, const auto& column) {
    if (column.is_constant()) refuse_column(name, " is a constant; it must have elements");
  };
  refuse_constant("system.row_start", given.row_start);
  refuse_constant("system.column", given.column);
  refuse_constant("system.moment", given.moment);
  const std::size_t contacts = length.count, moments = given.moment.count;
  ContactSystem<T> system = given;
  const auto resolve = [](std::size_t count) {
    return [=](const char*, bool, auto& made, const auto& from) {
      columns::each(columns::WithoutConstants{count}, {}, made, from);
    };
  };
  each_of_contacts(resolve(contacts), system, given);
  each_of_moments(resolve(moments), system, given);

  check_count("contacts", contacts, "max_contacts", SystemOptions::max_contacts);
  // Without contacts all columns are optional.
  const auto check = [](std::size_t count, const char* of) {
    return [=](const char* name, bool is_needed, const auto& field) {
      check_length(name, field, count, of, is_needed && count > 0);
    };
  };
  each_of_contacts(check(contacts, "contacts"), system);
  if (system.friction_direction.x && !system.friction_2)
    refuse_column("system.friction_direction", " needs system.friction_2");
  if (!system.moment && (system.rolling_friction || system.spinning_friction || system.angular_velocity.x ||
                         system.warm_angular_impulse.x))
    refuse_column("system.moment", " is missing, and there are others of moments");
  if (moments > contacts)
    refuse_column("system.moment", " has ", moments, " elements; there are ", contacts, " contacts");
  each_of_moments(check(moments, "moments"), system);
  if (contacts > 0) {
    check_length("system.row_start", system.row_start, rows_of(system) + 1, "needed, one per row and one more", true);
    if (!system.column) refuse_column("system.column", " is missing");
    check_length("system.block", system.block, system.column.count, "elements of system.column", true);
  }
  if (moments == 0)
    check_count("blocks of W", system.column.count, "max_blocks", SystemOptions::max_blocks);
  else
    check_count("blocks of W, and moments", system.column.count, "max_blocks_with_moments",
                SystemOptions::max_blocks_with_moments);
  check_length("results.impulse", results.impulse, contacts, "contacts", false);
  check_length("results.velocity", results.velocity, contacts, "contacts", false);
  check_length("results.state", results.state, contacts, "contacts", false);
  check_length("results.island", results.island, contacts, "contacts", false);
  check_length("results.angular_impulse", results.angular_impulse, moments, "moments", false);
  check_length("results.angular_velocity", results.angular_velocity, moments, "moments", false);
  return {given, system};
}

template <class T>
void check_values(const ContactSystem<T>& system, const SystemOptions& options, CheckSpace& space) {
  const std::size_t contacts = system.friction.count;
  if (contacts == 0) return;
  check_moments(system, contacts);
  check_rows(system, rows_of(system));
  for (std::size_t i = 0; i < contacts; ++i)
    if (!(system.friction[i] >= 0)) refuse_element("friction", i, " is ", system.friction[i], "; it must be >= 0");
  check_finite("velocity", system.velocity, contacts);
  check_models(system, contacts);
  if (system.warm_impulse.x) check_finite("warm_impulse", system.warm_impulse, contacts);
  check_blocks(system, rows_of(system), space.diagonal);
  check_symmetry(system, space, options.asymmetry);
}

template Resolved<ContactSystem<float>> check_columns(const ContactSystem<float>&, const SystemResults<float>&);
template Resolved<ContactSystem<double>> check_columns(const ContactSystem<double>&, const SystemResults<double>&);
template void check_values(const ContactSystem<float>&, const SystemOptions&, CheckSpace&);
template void check_values(const ContactSystem<double>&, const SystemOptions&, CheckSpace&);

}  // namespace carom::systems
