// The columns of scenes and of contact systems, and the methods that read them: see columns.hpp, which has the columns
// of single contacts.
// Checks, select() and docs/scenes.md follow these lists.
#pragma once

#include <carom/scene.hpp>
#include <carom/system.hpp>

#include "columns.hpp"
#include "field_list.hpp"

namespace carom::columns {

/// Who reads a column, as bits.
enum Reader : unsigned {
  by_substeps = 1,
  by_pgs = 2,            ///< without position correction
  by_corrected_pgs = 4,  ///< with position correction
  by_ncp = 8,
  by_impacts = 16,     ///< SequentialImpacts
  by_collisions = 32,  ///< BenderSchmitt, the phase `collisions`
  by_resting = 64,     ///< BenderSchmitt, the other phases
};
inline constexpr unsigned with_positions = by_substeps | by_corrected_pgs,
                          warm_started = with_positions | by_pgs | by_ncp,
                          by_all_but_ncp = with_positions | by_pgs | by_collisions | by_resting, by_all = ~0u;

/// The bit of a method.
inline Reader reader_of(const SceneOptions::Method& method) {
  if (const auto* pgs = std::get_if<Pgs>(&method)) return pgs->position_correction ? by_corrected_pgs : by_pgs;
  if (const auto* bs = std::get_if<BenderSchmitt>(&method))
    return bs->phase == BenderSchmittPhase::collisions ? by_collisions : by_resting;
  return std::holds_alternative<Ncp>(method)        ? by_ncp
         : std::holds_alternative<Substeps>(method) ? by_substeps
                                                    : by_impacts;
}

/// The methods that read the laws of contacts.
inline constexpr unsigned readers_of_laws = by_impacts;

/// Optional columns of contacts of a scene, in addition to the columns of indexed contacts.
template <class F, class AnyContacts, class... Others>
[[gnu::always_inline]] constexpr void each_of_scene(F&& f, AnyContacts& contacts, Others&... others) {
  const auto field = [&](const char* name, unsigned readers, auto& first, auto&... rest)
      __attribute__((always_inline)) {
    each(f, Label{"", name, "", name, "", "contacts", readers}, first, rest...);
  };
  field("static_friction", by_all_but_ncp, contacts.static_friction, others.static_friction...);
  // The contact's model.
  field("friction_2", warm_started, contacts.friction_2, others.friction_2...);
  field("friction_direction", warm_started, contacts.friction_direction, others.friction_direction...);
  field("rolling_friction", warm_started, contacts.rolling_friction, others.rolling_friction...);
  field("spinning_friction", warm_started, contacts.spinning_friction, others.spinning_friction...);
  field("normal_compliance", warm_started, contacts.normal_compliance, others.normal_compliance...);
  field("tangential_compliance", warm_started, contacts.tangential_compliance, others.tangential_compliance...);
  field("stiffness", with_positions, contacts.stiffness, others.stiffness...);
  field("damping", with_positions, contacts.damping, others.damping...);

  field("separation", with_positions | by_resting, contacts.separation, others.separation...);
  field("frequency", with_positions, contacts.frequency, others.frequency...);
  field("damping_ratio", with_positions, contacts.damping_ratio, others.damping_ratio...);
  field("slop", with_positions, contacts.slop, others.slop...);
  field("target_velocity", by_all, contacts.target_velocity, others.target_velocity...);
  field("surface_velocity", by_all, contacts.surface_velocity, others.surface_velocity...);
  field("warm_impulse", warm_started, contacts.warm_impulse, others.warm_impulse...);
  field("warm_angular_impulse", warm_started, contacts.warm_angular_impulse, others.warm_angular_impulse...);
  field("key", warm_started, contacts.key, others.key...);
}

/// Returns f for CAROM_EACH: calls visit(label, column, others...) for every column of the fields of a struct.
template <class F>
[[gnu::always_inline]] constexpr auto labelled(F& visit, const char* owner, unsigned readers = ~0u) {
  return [ =, &visit ](const char* name, auto& first, auto&... rest) __attribute__((always_inline)) {
    each(visit, Label{owner, name, "", "", "", "", readers}, first, rest...);
  };
}

/// Columns that bodies of a scene may have.
template <class F, class O, class... Others>
constexpr void each_of_scene_bodies(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "bodies");
  CAROM_EACH(velocity_change, angular_velocity_change)
}

/// Required and optional columns of rows of joints.
template <class F, class O, class... Others>
constexpr void each_needed_of_rows(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "joints");
  CAROM_EACH(body_a, body_b, linear_a, angular_a, linear_b, angular_b)
}
template <class F, class O, class... Others>
constexpr void each_optional_of_rows(F&& visit, O& o, Others&... others) {
  const auto with_readers = [&](unsigned readers, const auto& list) { list(labelled(visit, "joints", readers)); };
  with_readers(by_all, [&](const auto& f) { CAROM_EACH(target_velocity, min_impulse, max_impulse, compliance) });
  with_readers(warm_started, [&](const auto& f) { CAROM_EACH(warm_impulse, key) });
  with_readers(with_positions, [&](const auto& f) { CAROM_EACH(position_error, frequency, damping_ratio, r_a, r_b) });
}

/// Calls f(label, column) for every column of contacts and rows, of laws apart, that `reader` does not read. The
/// structs may be structs of other languages, with their own types of columns.
template <class F, class AnyContacts, class Rows>
constexpr void each_unread(Reader reader, AnyContacts& contacts, Rows& rows, const F& f) {
  const auto visit = [&](const Label& label, auto& column) {
    if ((label.readers & reader) == 0) f(label, column);
  };
  each_of_scene(visit, contacts);
  each_optional_of_rows(visit, rows);
}

/// Results of a scene: of its contacts, of its bodies, of its islands, which are as long, of its rows.
template <class F, class O, class... Others>
constexpr void each_scene_result(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "results");
  CAROM_EACH(impulse, warm_impulse, angular_impulse, warm_angular_impulse, separation_velocity, status, path, island)
}
template <class F, class O, class... Others>
constexpr void each_scene_body_result(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "results");
  CAROM_EACH(velocity, angular_velocity, displacement, rotation)
}
template <class F, class O, class... Others>
constexpr void each_island_result(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "results.islands");
  CAROM_EACH(status, residual, iterations, substeps, energy_removed, relative_error, algorithm)
}
template <class F, class O, class... Others>
constexpr void each_scene_row_result(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "results");
  CAROM_EACH(joint_impulse, joint_warm_impulse, joint_status, joint_island)
}

/// Columns of a contact system with an element for every contact, required and optional.
template <class F, class O, class... Others>
constexpr void each_needed_of_system(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "system");
  CAROM_EACH(friction, velocity)
}
template <class F, class O, class... Others>
constexpr void each_optional_of_system(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "system");
  CAROM_EACH(warm_impulse, friction_2, friction_direction, normal_compliance, tangential_compliance)
}

/// The same with an element for every moment; all of them are optional without moments.
template <class F, class O, class... Others>
constexpr void each_needed_of_moments(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "system");
  CAROM_EACH(moment, angular_velocity)
}
template <class F, class O, class... Others>
constexpr void each_optional_of_moments(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "system");
  CAROM_EACH(rolling_friction, spinning_friction, warm_angular_impulse)
}

/// The matrix of a contact system.
template <class F, class O, class... Others>
constexpr void each_of_matrix(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "system");
  CAROM_EACH(row_start, column, block)
}

/// Results of a contact system: of its contacts, of its moments.
template <class F, class O, class... Others>
constexpr void each_system_result(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "results");
  CAROM_EACH(impulse, velocity, state, island)
}
template <class F, class O, class... Others>
constexpr void each_moment_result(F&& visit, O& o, Others&... others) {
  const auto f = labelled(visit, "results");
  CAROM_EACH(angular_impulse, angular_velocity)
}

}  // namespace carom::columns
