// The columns of scenes, and the methods that read them: see columns.hpp, which has the columns of single contacts.
// Checks, select() and docs/scenes.md follow these lists.
#pragma once

#include <carom/scene.hpp>

#include "columns.hpp"

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

/// Columns of a contact's model, in files too: compliance, friction in two directions, resistance to rolling.
template <class F, class AnyContacts, class... Others>
[[gnu::always_inline]] constexpr void each_of_models(F&& field, AnyContacts& contacts, Others&... others) {
  field("friction_2", warm_started, contacts.friction_2, others.friction_2...);
  field("friction_direction", warm_started, contacts.friction_direction, others.friction_direction...);
  field("rolling_friction", warm_started, contacts.rolling_friction, others.rolling_friction...);
  field("spinning_friction", warm_started, contacts.spinning_friction, others.spinning_friction...);
  field("normal_compliance", warm_started, contacts.normal_compliance, others.normal_compliance...);
  field("tangential_compliance", warm_started, contacts.tangential_compliance, others.tangential_compliance...);
  field("stiffness", with_positions, contacts.stiffness, others.stiffness...);
  field("damping", with_positions, contacts.damping, others.damping...);
}

/// Optional columns of contacts of a scene, in addition to the columns of indexed contacts.
template <class F, class AnyContacts, class... Others>
[[gnu::always_inline]] constexpr void each_of_scene(F&& f, AnyContacts& contacts, Others&... others) {
  const auto field = [&](const char* name, unsigned readers, auto& first, auto&... rest)
      __attribute__((always_inline)) {
    each(f, Label{"", name, "", name, "", "contacts", readers}, first, rest...);
  };
  field("static_friction", by_all_but_ncp, contacts.static_friction, others.static_friction...);
  each_of_models(field, contacts, others...);
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

/// Columns that bodies of a scene may have.
template <class F, class Bodies, class... Others>
constexpr void each_of_scene_bodies(F&& f, Bodies& bodies, Others&... others) {
  each(f, Label{"bodies", "velocity_change"}, bodies.velocity_change, others.velocity_change...);
  each(f, Label{"bodies", "angular_velocity_change"}, bodies.angular_velocity_change,
       others.angular_velocity_change...);
}

/// Required and optional columns of rows of joints.
template <class F, class Rows, class... Others>
constexpr void each_needed_of_rows(F&& f, Rows& rows, Others&... others) {
  f(Label{"joints", "body_a"}, rows.body_a, others.body_a...);
  f(Label{"joints", "body_b"}, rows.body_b, others.body_b...);
  each(f, Label{"joints", "linear_a"}, rows.linear_a, others.linear_a...);
  each(f, Label{"joints", "angular_a"}, rows.angular_a, others.angular_a...);
  each(f, Label{"joints", "linear_b"}, rows.linear_b, others.linear_b...);
  each(f, Label{"joints", "angular_b"}, rows.angular_b, others.angular_b...);
}
template <class F, class Rows, class... Others>
constexpr void each_optional_of_rows(F&& f, Rows& rows, Others&... others) {
  const auto of_reader = [](const char* name, unsigned readers) {
    return Label{"joints", name, "", "", "", "", readers};
  };
  f(Label{"joints", "target_velocity"}, rows.target_velocity, others.target_velocity...);
  f(Label{"joints", "min_impulse"}, rows.min_impulse, others.min_impulse...);
  f(Label{"joints", "max_impulse"}, rows.max_impulse, others.max_impulse...);
  f(Label{"joints", "compliance"}, rows.compliance, others.compliance...);
  f(of_reader("warm_impulse", warm_started), rows.warm_impulse, others.warm_impulse...);
  f(of_reader("key", warm_started), rows.key, others.key...);
  f(of_reader("position_error", with_positions), rows.position_error, others.position_error...);
  f(of_reader("frequency", with_positions), rows.frequency, others.frequency...);
  f(of_reader("damping_ratio", with_positions), rows.damping_ratio, others.damping_ratio...);
  each(f, of_reader("r_a", with_positions), rows.r_a, others.r_a...);
  each(f, of_reader("r_b", with_positions), rows.r_b, others.r_b...);
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
template <class F, class Results, class... Others>
constexpr void each_scene_result(F&& f, Results& results, Others&... others) {
  each(f, Label{"results", "impulse"}, results.impulse, others.impulse...);
  each(f, Label{"results", "warm_impulse"}, results.warm_impulse, others.warm_impulse...);
  each(f, Label{"results", "angular_impulse"}, results.angular_impulse, others.angular_impulse...);
  each(f, Label{"results", "warm_angular_impulse"}, results.warm_angular_impulse, others.warm_angular_impulse...);
  each(f, Label{"results", "separation_velocity"}, results.separation_velocity, others.separation_velocity...);
  f(Label{"results", "status"}, results.status, others.status...);
  f(Label{"results", "path"}, results.path, others.path...);
  f(Label{"results", "island"}, results.island, others.island...);
}
template <class F, class Results, class... Others>
constexpr void each_scene_body_result(F&& f, Results& results, Others&... others) {
  each(f, Label{"results", "velocity"}, results.velocity, others.velocity...);
  each(f, Label{"results", "angular_velocity"}, results.angular_velocity, others.angular_velocity...);
  each(f, Label{"results", "displacement"}, results.displacement, others.displacement...);
  each(f, Label{"results", "rotation"}, results.rotation, others.rotation...);
}
template <class F, class Islands, class... Others>
constexpr void each_island_result(F&& f, Islands& islands, Others&... others) {
  f(Label{"results.islands", "status"}, islands.status, others.status...);
  f(Label{"results.islands", "residual"}, islands.residual, others.residual...);
  f(Label{"results.islands", "iterations"}, islands.iterations, others.iterations...);
  f(Label{"results.islands", "substeps"}, islands.substeps, others.substeps...);
  f(Label{"results.islands", "energy_removed"}, islands.energy_removed, others.energy_removed...);
  f(Label{"results.islands", "relative_error"}, islands.relative_error, others.relative_error...);
  f(Label{"results.islands", "algorithm"}, islands.algorithm, others.algorithm...);
}
template <class F, class Results, class... Others>
constexpr void each_scene_row_result(F&& f, Results& results, Others&... others) {
  f(Label{"results", "joint_impulse"}, results.joint_impulse, others.joint_impulse...);
  f(Label{"results", "joint_warm_impulse"}, results.joint_warm_impulse, others.joint_warm_impulse...);
  f(Label{"results", "joint_status"}, results.joint_status, others.joint_status...);
  f(Label{"results", "joint_island"}, results.joint_island, others.joint_island...);
}

}  // namespace carom::columns
