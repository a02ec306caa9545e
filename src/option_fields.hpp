// The fields of the option structs. A structured binding must name all fields of a struct, so none can be forgotten.
// The C interface and the Python module use these lists.
#pragma once

#include <carom/scene_options.hpp>
#include <carom/solver.hpp>
#include <carom/system.hpp>
#include <concepts>
#include <type_traits>

namespace carom {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// Each function calls f(name, field, the same fields of others...) for every field.

/// The fields of Scheduler are fields of its counterpart in C.
template <class F, Is<Execution> O, class... Others>
void each_field(F&& f, O& execution, Others&... others) {
  auto& [isa, threads, scheduler] = execution;
  auto& [parallel_for, context, workers, runs_at_once] = scheduler;
  f("isa", isa, others.isa...);
  f("threads", threads, others.threads...);
  f("parallel_for", parallel_for, others.parallel_for...);
  f("context", context, others.context...);
  f("workers", workers, others.workers...);
  f("runs_at_once", runs_at_once, others.runs_at_once...);
}

template <class F, Is<Options> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [law, restitution_law, integrator, steps, step_budget, largest_restitution, normal_tolerance,
         inertia_tolerance] = options;
  f("law", law, others.law...);
  f("restitution_law", restitution_law, others.restitution_law...);
  f("integrator", integrator, others.integrator...);
  f("steps", steps, others.steps...);
  f("step_budget", step_budget, others.step_budget...);
  f("largest_restitution", largest_restitution, others.largest_restitution...);
  f("normal_tolerance", normal_tolerance, others.normal_tolerance...);
  f("inertia_tolerance", inertia_tolerance, others.inertia_tolerance...);
}

template <class F, Is<SimultaneousOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [iterations, relaxation, warm_start, joint_warm_start, rounds, time_step, relaxing] = options;
  f("iterations", iterations, others.iterations...);
  f("relaxation", relaxation, others.relaxation...);
  f("warm_start", warm_start, others.warm_start...);
  f("joint_warm_start", joint_warm_start, others.joint_warm_start...);
  f("rounds", rounds, others.rounds...);
  f("time_step", time_step, others.time_step...);
  f("relaxing", relaxing, others.relaxing...);
}

template <class F, Is<SequenceOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [impacts, seed] = options;
  f("impacts", impacts, others.impacts...);
  f("seed", seed, others.seed...);
}

template <class F, Is<IterationOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [iterations, swept] = options;
  f("iterations", iterations, others.iterations...);
  f("swept", swept, others.swept...);
}

template <class F, Is<RestingOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [iterations, time_step, gravity] = options;
  f("iterations", iterations, others.iterations...);
  f("time_step", time_step, others.time_step...);
  f("gravity", gravity, others.gravity...);
}

template <class F, Is<SubstepsOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [time_step, least, most, direct_least, rounds, sweeps, relaxing, restitution_sweeps, slop, relative_slop,
         push_out, largest_push_out_speed, joint_frequency, joint_damping_ratio, contact_damping_ratio, warm_start,
         joint_warm_start] = options;
  f("time_step", time_step, others.time_step...);
  f("least", least, others.least...);
  f("most", most, others.most...);
  f("direct_least", direct_least, others.direct_least...);
  f("rounds", rounds, others.rounds...);
  f("sweeps", sweeps, others.sweeps...);
  f("relaxing", relaxing, others.relaxing...);
  f("restitution_sweeps", restitution_sweeps, others.restitution_sweeps...);
  f("slop", slop, others.slop...);
  f("relative_slop", relative_slop, others.relative_slop...);
  f("push_out", push_out, others.push_out...);
  f("largest_push_out_speed", largest_push_out_speed, others.largest_push_out_speed...);
  f("joint_frequency", joint_frequency, others.joint_frequency...);
  f("joint_damping_ratio", joint_damping_ratio, others.joint_damping_ratio...);
  f("contact_damping_ratio", contact_damping_ratio, others.contact_damping_ratio...);
  f("warm_start", warm_start, others.warm_start...);
  f("joint_warm_start", joint_warm_start, others.joint_warm_start...);
}

template <class F, Is<CoulombOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [tolerance, budget, most_friction, warm_start, largest_island, after_sweeps] = options;
  f("tolerance", tolerance, others.tolerance...);
  f("budget", budget, others.budget...);
  f("most_friction", most_friction, others.most_friction...);
  f("warm_start", warm_start, others.warm_start...);
  f("largest_island", largest_island, others.largest_island...);
  f("after_sweeps", after_sweeps, others.after_sweeps...);
}

template <class F, Is<RestCriterion> O, class... Others>
void each_field(F&& f, O& rest, Others&... others) {
  auto& [gravity, tolerance] = rest;
  f("gravity", gravity, others.gravity...);
  f("tolerance", tolerance, others.tolerance...);
}

template <class F, Is<ShockPropagation> O, class... Others>
void each_field(F&& f, O& shock, Others&... others) {
  auto& [enabled, iterations] = shock;
  f("enabled", enabled, others.enabled...);
  f("iterations", iterations, others.iterations...);
}

/// Without the members that are structs.
template <class F, Is<SceneOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [method, collision, relative_tolerance, restitution_threshold, rest, shock_propagation, simultaneous, sequence,
         iteration, resting, substeps, coulomb] = options;
  f("method", method, others.method...);
  f("relative_tolerance", relative_tolerance, others.relative_tolerance...);
  f("restitution_threshold", restitution_threshold, others.restitution_threshold...);
}
template <class F, class... Others>
void each_member(F&& f, SceneOptions& options, Others&... others) {
  auto& [method, collision, relative_tolerance, restitution_threshold, rest, shock_propagation, simultaneous, sequence,
         iteration, resting, substeps, coulomb] = options;
  f("carom_options", collision, others.collision...);
  f("carom_rest_criterion", rest, others.rest...);
  f("carom_shock_propagation", shock_propagation, others.shock_propagation...);
  f("carom_simultaneous_options", simultaneous, others.simultaneous...);
  f("carom_sequence_options", sequence, others.sequence...);
  f("carom_iteration_options", iteration, others.iteration...);
  f("carom_resting_options", resting, others.resting...);
  f("carom_substeps_options", substeps, others.substeps...);
  f("carom_coulomb_options", coulomb, others.coulomb...);
}

template <class F, Is<SystemOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [tolerance, error_mass, scale, budget, most_friction, asymmetry, range_tolerance] = options;
  f("tolerance", tolerance, others.tolerance...);
  f("error_mass", error_mass, others.error_mass...);
  f("scale", scale, others.scale...);
  f("budget", budget, others.budget...);
  f("most_friction", most_friction, others.most_friction...);
  f("asymmetry", asymmetry, others.asymmetry...);
  f("range_tolerance", range_tolerance, others.range_tolerance...);
}

}  // namespace carom
