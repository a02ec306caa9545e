// Pairs the fields of options and reports with the fields of their structs in C, by option_table.hpp and
// report_table.hpp. A field that the struct in C lacks does not compile.
#pragma once

#include <carom/carom.h>

#include <carom/scene.hpp>
#include <carom/solver.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "call.hpp"
#include "core/columns/counts_access.hpp"
#include "core/columns/option_table.hpp"
#include "core/columns/refuse.hpp"
#include "core/columns/report_table.hpp"

namespace carom::c {

/// Calls f(name, field, field in C) for every option, as each_field() of report_table.hpp does.
template <class F, class O, class C>
requires requires(F& f, O& o, C& c) {
  each_option(f, o, c);
}
void each_field(F&& f, O& options, C& c) {
  each_option([&](const OptionInfo& info, auto& field, auto& in_c) { f(info.name, field, in_c); }, options, c);
}

template <class O, class C>
O taken(const C* from);

/// Converts a field in either direction. Messages name it `owner`.`name`.
template <class To, class From>
void assign(const char* name, To& to, const From& from, std::string_view owner = "") {
  if constexpr (std::is_enum_v<To>) {
    constexpr std::int64_t count = enumerators<To>;
    static_assert(count > 0);
    if (from < 0 || from >= count) refuse_enumerator(Text(owner, owner.empty() ? "" : ".", name), count, from);
    to = static_cast<To>(from);
  } else if constexpr (std::same_as<To, bool>) {
    to = from != 0;
  } else if constexpr (std::same_as<To, const carom_position_correction*>) {
    to = nullptr;  // the default
  } else if constexpr (std::same_as<From, const carom_position_correction*>) {
    if (from != nullptr) to = taken<PositionCorrection>(from);
  } else if constexpr (std::same_as<To, std::optional<double>>) {
    to = std::isnan(from) ? To{} : To(from);
  } else if constexpr (std::same_as<From, std::optional<double>>) {
    to = from.value_or(std::numeric_limits<double>::quiet_NaN());
  } else if constexpr (std::same_as<To, const char*>) {
    to = from.data();  // a literal, which ends with a zero
  } else if constexpr (std::same_as<From, std::span<const LawParameter>>) {
    to = from.size();
  } else if constexpr (are_counts<From>) {
    assign(name, to, CountsAccess::counts(from));
  } else if constexpr (std::is_array_v<To> || requires { to.size(); }) {
    // Arrays of counts have room for the counts of later versions.
    constexpr std::size_t known = sizeof(From) / sizeof(from[0]), room = sizeof(To) / sizeof(to[0]);
    static_assert(known <= room);
    for (std::size_t i = 0; i < room; ++i)
      to[i] = i < known ? static_cast<std::remove_reference_t<decltype(to[0])>>(from[i]) : 0;
  } else {
    to = static_cast<To>(from);
  }
}

/// Sets all fields of a struct of C, which has the functions of reports as fields, too.
template <class O, class C>
void put_fields(const O& from, C& to) {
  each_field([](const char* name, const auto& field, auto& in_c) { assign(name, in_c, field); }, from, to);
  if constexpr (requires { to.ok; }) to.ok = from.ok();
  if constexpr (requires { to.faults; }) to.faults = from.faults();
  if constexpr (requires { from.by_status; }) assign("first", to.first, CountsAccess::first_or_0(from.by_status));
  if constexpr (requires { from.by_state; }) assign("first", to.first, CountsAccess::first_or_0(from.by_state));
  if constexpr (requires { to.first_joint; })
    assign("first_joint", to.first_joint, CountsAccess::first_or_0(from.joints_by_status));
}

/// To be called before any work.
template <class C>
void check_report(const C* report) {
  if (report != nullptr) check_struct_size(*report);
}

/// Writes a report to the caller's struct, if there is one.
template <class O, class C>
void put_report(const O& from, C* to) {
  if (to == nullptr) return;
  if (to->struct_size == sizeof(C)) return put_fields(from, *to);
  C own{};
  put_fields(from, own);
  put(own, *to);
}

template <class O, class C>
C defaults() {
  C c{};
  put_fields(O{}, c);
  size_of(c) = sizeof c;
  return c;
}

/// Returns the index of the first contact of a status in the arrays of a report, or -1.
template <class C, std::size_t room>
std::int64_t first_of(const C* report, const std::size_t (C::*counts)[room], const std::size_t (C::*first)[room],
                      std::int32_t status) {
  const bool has_status = report != nullptr && report->struct_size >= sizeof *report && status >= 0 &&
                          status < static_cast<std::int32_t>(room) && (report->*counts)[status] > 0;
  return has_status ? static_cast<std::int64_t>((report->*first)[status]) : -1;
}

/// Returns the options of the caller's struct; without a struct, the defaults.
template <class O, class C>
O taken(const C* from) {
  O made;
  if (from == nullptr) return made;
  const Given<C> used(*from, defaults<O, C>);
  // Messages name options of methods as the library does: ncp.tolerance.
  constexpr std::string_view owner = has_head<C> ? struct_name<C>().substr(std::string_view("carom_").size()) : "";
  each_field([&](const char* of, auto& field, const auto& in_c) { assign(of, field, in_c, owner); }, made, *used);
  return made;
}

/// Sets the caller's struct to the defaults.
template <class O, class C>
void init(C* to, std::size_t struct_size) {
  if (to == nullptr || struct_size < sizeof(std::size_t)) return;
  size_of(*to) = struct_size;
  put(defaults<O, C>(), *to);
  clear_rest(*to);
}

}  // namespace carom::c
