#include "check_system.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/columns/column_check.hpp"
#include "core/support/array.hpp"
#include "islands.hpp"

namespace carom::systems {
namespace {

/// Throws "carom: system.friction[3]" and the rest of the text.
template <class... Pieces>
[[noreturn]] void refuse_element(std::string_view name, std::size_t i, const Pieces&... rest) {
  const Text column("system.", name);
  throw Error(Text("carom: ", column, '[', i, ']', rest...), {.column = column, .row = i});
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

/// Passes a field of a system or of results to a check. A vector has all components or none.
auto passed_to(ColumnCheck& check) {
  return [&](const char* name, bool is_needed, const auto& field) {
    const auto pass = [&](const columns::Label& label, const auto& column) {
      is_needed ? check.need(label, column) : check.accept(label, column);
    };
    columns::each(pass, columns::Label{name}, field);
    check.need_all_or_none(columns::Label{name}, field);
  };
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
    if (!has_own)
      throw Error(Text("carom: the row of ", owner(system, i), " has no block on the diagonal of W"), {.row = i});
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

template <class T>
Resolved<ContactSystem<T>> check_columns(const ContactSystem<T>& given, const SystemResults<T>& results) {
  const auto refuse_constant = [](const char* name, const auto& column) {
    if (column.is_constant()) refuse_column(name, " is a constant; it must have elements");
  };
  refuse_constant("system.row_start", given.row_start);
  refuse_constant("system.column", given.column);
  refuse_constant("system.moment", given.moment);
  columns::Length length;
  each_of_contacts([&](const char*, bool, const auto& field) { columns::each(length, {}, field); }, given);
  ColumnCheck of_contacts(length, false);
  each_of_contacts(passed_to(of_contacts), given);
  of_contacts.is_good("contacts");
  const std::size_t contacts = length.count, moments = given.moment.count, blocks = given.column.count;
  of_contacts.at_most(contacts, SystemOptions::max_contacts, "SystemOptions::max_contacts", "system", "contacts");
  if (given.friction_direction.x && !given.friction_2)
    refuse_column("system.friction_direction", " needs system.friction_2");

  if (!given.moment &&
      (given.rolling_friction || given.spinning_friction || given.angular_velocity.x || given.warm_angular_impulse.x))
    refuse_column("system.moment", " is missing, and there are others of moments");
  if (moments > contacts)
    refuse_column("system.moment", " has ", moments, " elements, and there are ", contacts, " contacts");
  ColumnCheck of_moments({"system", "moment"}, moments);
  of_moments.accept({"system", "moment"}, given.moment);
  each_of_moments(passed_to(of_moments), given);

  if (contacts > 0) {  // else all columns are optional
    ColumnCheck of_blocks({.count = blocks, .is_known = true}, true);
    of_blocks.need({"system", "column"}, given.column);
    of_blocks.need({"system", "block"}, given.block);
    if (!given.row_start) refuse_column("system.row_start", " is missing");
    if (given.row_start.count != contacts + moments + 1)
      refuse_column("system.row_start", " has ", given.row_start.count, " elements, but needs ", contacts + moments + 1,
                    ": one per row and one more");
  }
  if (moments == 0)
    of_moments.at_most(blocks, SystemOptions::max_blocks, "SystemOptions::max_blocks", "system", "blocks of W");
  else
    of_moments.at_most(blocks, SystemOptions::max_blocks_with_moments, "SystemOptions::max_blocks_with_moments",
                       "system", "blocks of W, and moments");

  passed_to(of_contacts)("results.impulse", false, results.impulse);
  passed_to(of_contacts)("results.velocity", false, results.velocity);
  passed_to(of_contacts)("results.state", false, results.state);
  passed_to(of_contacts)("results.island", false, results.island);
  passed_to(of_moments)("results.angular_impulse", false, results.angular_impulse);
  passed_to(of_moments)("results.angular_velocity", false, results.angular_velocity);

  ContactSystem<T> system = given;
  const auto resolve = [](std::size_t count) {
    return [=](const char*, bool, auto& made, const auto& from) {
      columns::each(columns::WithoutConstants{count}, {}, made, from);
    };
  };
  each_of_contacts(resolve(contacts), system, given);
  each_of_moments(resolve(moments), system, given);
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
