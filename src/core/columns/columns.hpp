// Columns of each form of contacts and of results, with their names, in reading order. Checks, kernels, containers and
// files use these lists.
//
// Functions here are always inlined, and each file has a separate copy of the tables: kernels for different ISAs use
// them.
#pragma once

#include <carom/contacts.hpp>
#include <carom/law_info.hpp>
#include <carom/planar.hpp>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>

namespace carom::columns {

/// Names of a column, in pieces, so that a text is composed only where a message needs it.
struct Label {
  const char* owner = "";   // the struct that holds the member: "a", "weight", "results"
  const char* member = "";  // "inverse_inertia"
  const char* part = "";    // "xx"
  const char* file = "";    // name in files, without `side` and `part`
  const char* side = "";    // "a"
  const char* of = "";      // "contacts" if the column is part of a scene
  unsigned readers = ~0u;   // methods that read it, as bits: see scene_columns.hpp

  /// As in the caller's C++ code: "contacts.laws.candidate.x".
  std::string in_code() const { return joined({of, owner, member, part}, '.'); }
  /// As in the header of a contact file: "inverse_inertia_a_xx".
  std::string in_file() const { return joined({file, side, part}, '_'); }

 private:
  static std::string joined(std::initializer_list<const char*> pieces, char between) {
    std::string text;
    for (const char* piece : pieces) {
      if (*piece == '\0') continue;
      if (!text.empty()) text += between;
      text += piece;
    }
    return text;
  }
};

/// Calls f(label, column, others...) for every column of `field`: a column, a vector, a matrix or the state of bodies;
/// `others` have the same structure with any type of column.
template <class F, class Field, class... Fields>
[[gnu::always_inline]] constexpr void each(F&& f, Label label, Field& field, Fields&... others) {
  const auto part = [&](const char* name, auto& first, auto&... rest) __attribute__((always_inline)) {
    Label of_part = label;
    of_part.part = name;
    f(of_part, first, rest...);
  };
  const auto member = [&](const char* name, auto& first, auto&... rest) __attribute__((always_inline)) {
    Label of_member = label;
    of_member.member = of_member.file = name;
    each(f, of_member, first, rest...);
  };
  if constexpr (requires { field.inverse_mass; }) {
    member("inverse_mass", field.inverse_mass, others.inverse_mass...);
    member("inverse_inertia", field.inverse_inertia, others.inverse_inertia...);
    member("velocity", field.velocity, others.velocity...);
    member("angular_velocity", field.angular_velocity, others.angular_velocity...);
  } else if constexpr (requires { field.xz; }) {
    part("xx", field.xx, others.xx...);
    part("xy", field.xy, others.xy...);
    part("xz", field.xz, others.xz...);
    part("yy", field.yy, others.yy...);
    part("yz", field.yz, others.yz...);
    part("zz", field.zz, others.zz...);
  } else if constexpr (requires { field.xx; }) {
    part("xx", field.xx, others.xx...);
    part("xy", field.xy, others.xy...);
    part("yy", field.yy, others.yy...);
  } else if constexpr (requires { field.z; }) {
    part("x", field.x, others.x...);
    part("y", field.y, others.y...);
    part("z", field.z, others.z...);
  } else if constexpr (requires { field.x; }) {
    part("x", field.x, others.x...);
    part("y", field.y, others.y...);
  } else {
    f(label, field, others...);
  }
}

/// Numbers that contacts need under every law, in the order of BlockedContacts. Indexed bodies are not included. The
/// ranges are documented at Status, for example at restitution_out_of_range.
template <class F, class AnyContacts, class... Others>
[[gnu::always_inline]] constexpr void each_number(F&& f, AnyContacts& contacts, Others&... others) {
  const auto field = [&](Label label, auto& first, auto&... rest) __attribute__((always_inline)) {
    each(f, label, first, rest...);
  };
  field({"", "friction", "", "friction"}, contacts.friction, others.friction...);
  field({"", "restitution", "", "restitution"}, contacts.restitution, others.restitution...);
  if constexpr (requires { contacts.separation_velocity; }) {
    field({"", "k", "", "k"}, contacts.k, others.k...);
    field({"", "separation_velocity", "", "u0"}, contacts.separation_velocity, others.separation_velocity...);
  } else {
    field({"", "normal", "", "normal"}, contacts.normal, others.normal...);
    field({"", "r_a", "", "r_a"}, contacts.r_a, others.r_a...);
    field({"", "r_b", "", "r_b"}, contacts.r_b, others.r_b...);
    if constexpr (requires { contacts.a; }) {
      field({"a", "", "", "", "a"}, contacts.a, others.a...);
      field({"b", "", "", "", "b"}, contacts.b, others.b...);
    }
  }
}

/// Number of columns of a form of contacts.
template <class AnyContacts>
consteval std::size_t numbers_of() {
  std::size_t count = 0;
  const AnyContacts contacts;
  each_number([&](const Label&, const auto&) { ++count; }, contacts);
  return count;
}

/// Parameters that only some laws read.
enum class Parameter : std::uint8_t {
  tangential_restitution,
  impulse_ratio_1,
  impulse_ratio_2,
  polar_angle,
  azimuth,
  fraction,
  candidate_x,
  candidate_y,
  candidate_z,
};
inline constexpr std::size_t parameter_count = 9;

/// The place of a law in a set of laws: "bits of Law".
[[gnu::always_inline]] constexpr unsigned bit_of(Law law) {
  return 1u << static_cast<unsigned>(law);
}
template <class... Laws>
consteval unsigned bits_of(Laws... laws) {
  return (bit_of(laws) | ...);
}

/// The range of a parameter in a dimension, and the laws that read it.
struct ParameterRange {
  LawParameter values;
  Parameter parameter;
  unsigned readers;  ///< bits of Law

  [[gnu::always_inline]] constexpr bool has_reader(Law law) const { return (readers & bit_of(law)) != 0; }
};

inline constexpr double any_number = std::numeric_limits<double>::max(), pi = std::numbers::pi;
constexpr ParameterRange parameter_ranges[] = {
    {{"tangential_restitution", true, true, -1, 1},
     Parameter::tangential_restitution,
     bits_of(Law::chatterjee_ruina, Law::bilinear, Law::pfeiffer_glocker)},
    {{"impulse_ratio_1", true, true, -any_number, any_number}, Parameter::impulse_ratio_1, bits_of(Law::brach)},
    {{"impulse_ratio_2", true, false, -any_number, any_number}, Parameter::impulse_ratio_2, bits_of(Law::brach)},
    {{"polar_angle", true, false, 0, pi}, Parameter::polar_angle, bits_of(Law::polar)},
    {{"polar_angle", false, true, -pi, pi}, Parameter::polar_angle, bits_of(Law::polar)},
    {{"azimuth", true, false, -any_number, any_number}, Parameter::azimuth, bits_of(Law::polar)},
    {{"fraction", true, true, 0, 1}, Parameter::fraction, bits_of(Law::polar)},
    {{"candidate_x", true, true, -any_number, any_number}, Parameter::candidate_x, bits_of(Law::projected)},
    {{"candidate_y", true, true, -any_number, any_number}, Parameter::candidate_y, bits_of(Law::projected)},
    {{"candidate_z", true, false, -any_number, any_number}, Parameter::candidate_z, bits_of(Law::projected)},
};

/// The laws that read a parameter in a dimension, bits of Law.
[[gnu::always_inline]] constexpr unsigned readers_of(Parameter parameter, bool planar) {
  unsigned readers = 0;
  for (const ParameterRange& range : parameter_ranges)
    if (range.parameter == parameter && (planar ? range.values.in_plane : range.values.in_space))
      readers |= range.readers;
  return readers;
}

/// Returns whether a law reads a parameter in 2D (`planar`) or 3D.
[[gnu::always_inline]] constexpr bool reads(Law law, Parameter parameter, bool planar) {
  return (readers_of(parameter, planar) & bit_of(law)) != 0;
}

/// The range of a parameter, in a dimension that has it.
[[gnu::always_inline]] constexpr LawParameter values_of(Parameter parameter, bool planar) {
  for (const ParameterRange& range : parameter_ranges)
    if (range.parameter == parameter && (planar ? range.values.in_plane : range.values.in_space)) return range.values;
  return {};
}

/// A parameter that the compiler knows.
template <Parameter parameter>
struct Known {
  static constexpr Parameter value = parameter;
  [[gnu::always_inline]] constexpr operator Parameter() const { return parameter; }  // NOLINT
};

/// Calls f(label, Known<parameter>, column, others...) in the order of Parameter, for the parameters of both
/// dimensions.
template <class F, class Columns, class... Others>
[[gnu::always_inline]] constexpr void each_parameter(F&& f, Columns& columns, Others&... others) {
  const auto column = [&](const char* name, auto known, auto& first, auto&... rest) __attribute__((always_inline)) {
    f(Label{"laws", name, "", name}, known, first, rest...);
  };
  column("tangential_restitution", Known<Parameter::tangential_restitution>{}, columns.tangential_restitution,
         others.tangential_restitution...);
  column("impulse_ratio_1", Known<Parameter::impulse_ratio_1>{}, columns.impulse_ratio_1, others.impulse_ratio_1...);
  column("impulse_ratio_2", Known<Parameter::impulse_ratio_2>{}, columns.impulse_ratio_2, others.impulse_ratio_2...);
  column("polar_angle", Known<Parameter::polar_angle>{}, columns.polar_angle, others.polar_angle...);
  column("azimuth", Known<Parameter::azimuth>{}, columns.azimuth, others.azimuth...);
  column("fraction", Known<Parameter::fraction>{}, columns.fraction, others.fraction...);
  const Label candidate{"laws", "candidate", "", "candidate"};
  const auto component = [&](const char* name, auto known, auto& first, auto&... rest) __attribute__((always_inline)) {
    Label label = candidate;
    label.part = name;
    f(label, known, first, rest...);
  };
  component("x", Known<Parameter::candidate_x>{}, columns.candidate.x, others.candidate.x...);
  component("y", Known<Parameter::candidate_y>{}, columns.candidate.y, others.candidate.y...);
  component("z", Known<Parameter::candidate_z>{}, columns.candidate.z, others.candidate.z...);
}

/// A law that can be a member of a composite, and the name of its weight in files.
struct Component {
  Law law;
  const char* weight;
};
/// In the order of Weights.
constexpr Component components[] = {{Law::incremental, "weight_incremental"},
                                    {Law::frictionless, "weight_frictionless"},
                                    {Law::chatterjee_ruina, "weight_chatterjee_ruina"},
                                    {Law::bilinear, "weight_bilinear"},
                                    {Law::smith, "weight_smith"},
                                    {Law::anitescu_potra, "weight_anitescu_potra"},
                                    {Law::pfeiffer_glocker, "weight_pfeiffer_glocker"},
                                    {Law::brach, "weight_brach"},
                                    {Law::projected, "weight_projected"},
                                    {Law::polar, "weight_polar"}};
inline constexpr std::size_t component_count = sizeof components / sizeof *components;

/// Index of a law among the components of composites; component_count if it cannot be a component.
[[gnu::always_inline]] constexpr std::size_t member_of(Law law) {
  for (std::size_t i = 0; i < component_count; ++i)
    if (components[i].law == law) return i;
  return component_count;
}

/// Calls f(label, law, weight, others...) for each of Weights, with the law that the weight belongs to.
template <class F, class WeightsOfLaws, class... Others>
[[gnu::always_inline]] constexpr void each_weight(F&& f, WeightsOfLaws& weights, Others&... others) {
  std::size_t i = 0;
  const auto weight = [&](auto& first, auto&... rest) __attribute__((always_inline)) {
    const Component& component = components[i++];
    f(Label{"laws.weight", component.weight + sizeof "weight", "", component.weight}, component.law, first, rest...);
  };
  weight(weights.incremental, others.incremental...);
  weight(weights.frictionless, others.frictionless...);
  weight(weights.chatterjee_ruina, others.chatterjee_ruina...);
  weight(weights.bilinear, others.bilinear...);
  weight(weights.smith, others.smith...);
  weight(weights.anitescu_potra, others.anitescu_potra...);
  weight(weights.pfeiffer_glocker, others.pfeiffer_glocker...);
  weight(weights.brach, others.brach...);
  weight(weights.projected, others.projected...);
  weight(weights.polar, others.polar...);
}

/// Choices of a contact that override Options: Euler's impulse step, the restitution law and the law.
template <class F, class Laws, class... Others>
[[gnu::always_inline]] constexpr void each_choice(F&& f, Laws& laws, Others&... others) {
  f(Label{"laws", "step", "", "impulse_step"}, laws.step, others.step...);
  f(Label{"laws", "restitution_law", "", "restitution_law"}, laws.restitution_law, others.restitution_law...);
  f(Label{"laws", "law", "", "law"}, laws.law, others.law...);
}

/// Calls f(label, column, others...) for every column of laws.
template <class F, class Laws, class... Others>
[[gnu::always_inline]] constexpr void each_law_column(F&& f, Laws& laws, Others&... others) {
  const auto with_kind = [&](const Label& label, auto, auto& column, auto&... rest) __attribute__((always_inline)) {
    f(label, column, rest...);
  };
  each_choice(f, laws, others...);
  each_parameter(with_kind, laws, others...);
  each_weight(with_kind, laws.weight, others.weight...);
}

/// Bodies by index.
template <class F, class AnyContacts, class... Others>
[[gnu::always_inline]] constexpr void each_index(F&& f, AnyContacts& contacts, Others&... others) {
  if constexpr (requires { contacts.body_a; }) {
    f(Label{"", "body_a", "", "body_a"}, contacts.body_a, others.body_a...);
    f(Label{"", "body_b", "", "body_b"}, contacts.body_b, others.body_b...);
  }
}

/// Calls f(label, column, others...) for every column that is as long as the contacts.
template <class F, class AnyContacts, class... Others>
[[gnu::always_inline]] constexpr void each_of_contacts(F&& f, AnyContacts& contacts, Others&... others) {
  each_number(f, contacts, others...);
  each_index(f, contacts, others...);
  each_law_column(f, contacts.laws, others.laws...);
}

/// The new velocities of both bodies.
template <class F, class Results, class... Others>
[[gnu::always_inline]] constexpr void each_body_result(F&& f, Results& results, Others&... others) {
  const auto field = [&](const char* name, const char* file, auto& first, auto&... rest)
      __attribute__((always_inline)) {
    each(f, Label{"results", name, "", file}, first, rest...);
  };
  field("velocity_a", "new_velocity_a", results.velocity_a, others.velocity_a...);
  field("angular_velocity_a", "new_angular_velocity_a", results.angular_velocity_a, others.angular_velocity_a...);
  field("velocity_b", "new_velocity_b", results.velocity_b, others.velocity_b...);
  field("angular_velocity_b", "new_angular_velocity_b", results.angular_velocity_b, others.angular_velocity_b...);
}

/// Impulse, new separation velocity, and new velocities of the bodies.
template <class F, class Results, class... Others>
[[gnu::always_inline]] constexpr void each_vector_result(F&& f, Results& results, Others&... others) {
  each(f, Label{"results", "impulse", "", "impulse"}, results.impulse, others.impulse...);
  each(f, Label{"results", "separation_velocity", "", "new_separation_velocity"}, results.separation_velocity,
       others.separation_velocity...);
  each_body_result(f, results, others...);
}

/// The remaining results, which are scalars.
template <class F, class Results, class... Others>
[[gnu::always_inline]] constexpr void each_scalar_result(F&& f, Results& results, Others&... others) {
  const auto column = [&](const char* name, auto& first, auto&... rest) __attribute__((always_inline)) {
    f(Label{"results", name, "", name}, first, rest...);
  };
  column("status", results.status, others.status...);
  column("path", results.path, others.path...);
  column("work_compression", results.work_compression, others.work_compression...);
  column("work_decompression", results.work_decompression, others.work_decompression...);
  if constexpr (requires { results.steps; }) column("steps", results.steps, others.steps...);
}

/// How many numbers a contact has to read and to write.
template <class AnyContacts, class Results>
std::size_t numbers_in(const AnyContacts&, const Results& results) {
  std::size_t count = numbers_of<AnyContacts>();
  each_vector_result([&](const Label&, const auto& column) { count += column ? 1 : 0; }, results);
  return count;
}

/// Elements [first, first + count) of a column. An absent column stays absent, and a constant stays whole.
template <class T>
Column<T> sliced(const Column<T>& column, std::size_t first, std::size_t count) {
  if (!column) return {};
  if (column.is_constant()) return column;
  return {&column[first], count, column.stride};
}

/// Contacts [first, first + count). With `block_bytes` > 0 these are BlockedContacts, and `first` is a multiple of 16:
/// the columns begin in the first block, and consecutive blocks are `block_bytes` apart.
template <template <class> class AnyContacts, class T>
AnyContacts<T> sliced(const AnyContacts<T>& contacts, std::size_t first, std::size_t count,
                      std::size_t block_bytes = 0) {
  AnyContacts<T> part = contacts;
  const auto cut = [&](const Label&, auto& column) { column = sliced(column, first, count); };
  each_number(
      [&](const Label& label, Column<const T>& column) {
        if (block_bytes == 0) return cut(label, column);
        column = {column.data + first / 16 * (block_bytes / sizeof(T)), count, column.stride};
      },
      part);
  each_index(cut, part);
  each_law_column(cut, part.laws);
  return part;
}

/// The margins of the permissible region.
template <class F, class Margins, class... Others>
constexpr void each_margin(F&& f, Margins& margins, Others&... others) {
  f(Label{"margins", "energy"}, margins.energy, others.energy...);
  f(Label{"margins", "non_penetration"}, margins.non_penetration, others.non_penetration...);
  f(Label{"margins", "tension"}, margins.tension, others.tension...);
  f(Label{"margins", "cone"}, margins.cone, others.cone...);
  f(Label{"margins", "status"}, margins.status, others.status...);
}

/// The landmarks of impulse space.
template <class F, class Space, class... Others>
constexpr void each_landmark(F&& f, Space& space, Others&... others) {
  each(f, Label{"space", "plastic_frictionless"}, space.plastic_frictionless, others.plastic_frictionless...);
  each(f, Label{"space", "plastic_sticking"}, space.plastic_sticking, others.plastic_sticking...);
  f(Label{"space", "contact_energy"}, space.contact_energy, others.contact_energy...);
}

}  // namespace carom::columns
