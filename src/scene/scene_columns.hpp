// The columns of scenes: see ../columns.hpp, which has the columns of single contacts.
#pragma once

#include <carom/scene.hpp>

#include "../columns.hpp"

namespace carom::columns {

/// Columns of a contact's model, in files too: compliance, friction in two directions, resistance to rolling.
template <class F, class AnyContacts, class... Others>
[[gnu::always_inline]] constexpr void each_of_models(F&& field, AnyContacts& contacts, Others&... others) {
  field("friction_2", contacts.friction_2, others.friction_2...);
  field("friction_direction", contacts.friction_direction, others.friction_direction...);
  field("rolling_friction", contacts.rolling_friction, others.rolling_friction...);
  field("spinning_friction", contacts.spinning_friction, others.spinning_friction...);
  field("normal_compliance", contacts.normal_compliance, others.normal_compliance...);
  field("tangential_compliance", contacts.tangential_compliance, others.tangential_compliance...);
  field("stiffness", contacts.stiffness, others.stiffness...);
  field("damping", contacts.damping, others.damping...);
}

/// Optional columns of contacts of a scene, in addition to the columns of indexed contacts.
template <class F, class AnyContacts, class... Others>
[[gnu::always_inline]] constexpr void each_of_scene(F&& f, AnyContacts& contacts, Others&... others) {
  const auto field = [&](const char* name, auto& first, auto&... rest) __attribute__((always_inline)) {
    each(f, Label{"", name, "", name, "", "contacts"}, first, rest...);
  };
  field("static_friction", contacts.static_friction, others.static_friction...);
  each_of_models(field, contacts, others...);
  field("separation", contacts.separation, others.separation...);
  field("frequency", contacts.frequency, others.frequency...);
  field("damping_ratio", contacts.damping_ratio, others.damping_ratio...);
  field("slop", contacts.slop, others.slop...);
  field("target_velocity", contacts.target_velocity, others.target_velocity...);
  field("surface_velocity", contacts.surface_velocity, others.surface_velocity...);
  field("warm_impulse", contacts.warm_impulse, others.warm_impulse...);
  field("warm_angular_impulse", contacts.warm_angular_impulse, others.warm_angular_impulse...);
  field("key", contacts.key, others.key...);
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
  f(Label{"joints", "target_velocity"}, rows.target_velocity, others.target_velocity...);
  f(Label{"joints", "min_impulse"}, rows.min_impulse, others.min_impulse...);
  f(Label{"joints", "max_impulse"}, rows.max_impulse, others.max_impulse...);
  f(Label{"joints", "compliance"}, rows.compliance, others.compliance...);
  f(Label{"joints", "warm_impulse"}, rows.warm_impulse, others.warm_impulse...);
  f(Label{"joints", "key"}, rows.key, others.key...);
  f(Label{"joints", "error"}, rows.error, others.error...);
  f(Label{"joints", "frequency"}, rows.frequency, others.frequency...);
  f(Label{"joints", "damping_ratio"}, rows.damping_ratio, others.damping_ratio...);
  each(f, Label{"joints", "r_a"}, rows.r_a, others.r_a...);
  each(f, Label{"joints", "r_b"}, rows.r_b, others.r_b...);
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
