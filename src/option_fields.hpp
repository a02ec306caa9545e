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
  auto& [law, restitution_law, integrator, steps, step_budget, max_restitution, normal_tolerance, inertia_tolerance] =
      options;
  f("law", law, others.law...);
  f("restitution_law", restitution_law, others.restitution_law...);
  f("integrator", integrator, others.integrator...);
  f("steps", steps, others.steps...);
  f("step_budget", step_budget, others.step_budget...);
  f("max_restitution", max_restitution, others.max_restitution...);
  f("normal_tolerance", normal_tolerance, others.normal_tolerance...);
  f("inertia_tolerance", inertia_tolerance, others.inertia_tolerance...);
}

template <class F, Is<PgsOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [iterations, relaxation, warm_start, joint_warm_start, inner_iterations, time_step, relax_iterations] = options;
  f("iterations", iterations, others.iterations...);
  f("relaxation", relaxation, others.relaxation...);
  f("warm_start", warm_start, others.warm_start...);
  f("joint_warm_start", joint_warm_start, others.joint_warm_start...);
  f("inner_iterations", inner_iterations, others.inner_iterations...);
  f("time_step", time_step, others.time_step...);
  f("relax_iterations", relax_iterations, others.relax_iterations...);
}

template <class F, Is<SequentialImpactsOptions> O, class... Others>
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
  auto& [time_step, least, most, min_direct_substeps, inner_iterations, sweeps, relax_iterations, restitution_sweeps,
         slop, relative_slop, correction_rate, max_correction_speed, joint_frequency, joint_damping_ratio,
         contact_damping_ratio, warm_start, joint_warm_start] = options;
  f("time_step", time_step, others.time_step...);
  f("least", least, others.least...);
  f("most", most, others.most...);
  f("min_direct_substeps", min_direct_substeps, others.min_direct_substeps...);
  f("inner_iterations", inner_iterations, others.inner_iterations...);
  f("sweeps", sweeps, others.sweeps...);
  f("relax_iterations", relax_iterations, others.relax_iterations...);
  f("restitution_sweeps", restitution_sweeps, others.restitution_sweeps...);
  f("slop", slop, others.slop...);
  f("relative_slop", relative_slop, others.relative_slop...);
  f("correction_rate", correction_rate, others.correction_rate...);
  f("max_correction_speed", max_correction_speed, others.max_correction_speed...);
  f("joint_frequency", joint_frequency, others.joint_frequency...);
  f("joint_damping_ratio", joint_damping_ratio, others.joint_damping_ratio...);
  f("contact_damping_ratio", contact_damping_ratio, others.contact_damping_ratio...);
  f("warm_start", warm_start, others.warm_start...);
  f("joint_warm_start", joint_warm_start, others.joint_warm_start...);
}

template <class F, Is<NcpOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [tolerance, budget, max_friction, warm_start, max_island_size, pgs_presolve] = options;
  f("tolerance", tolerance, others.tolerance...);
  f("budget", budget, others.budget...);
  f("max_friction", max_friction, others.max_friction...);
  f("warm_start", warm_start, others.warm_start...);
  f("max_island_size", max_island_size, others.max_island_size...);
  f("pgs_presolve", pgs_presolve, others.pgs_presolve...);
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
  auto& [method, collision, relative_tolerance, restitution_threshold, rest, shock_propagation, pgs, sequential_impacts,
         iteration, resting, substeps, ncp] = options;
  f("method", method, others.method...);
  f("relative_tolerance", relative_tolerance, others.relative_tolerance...);
  f("restitution_threshold", restitution_threshold, others.restitution_threshold...);
}
template <class F, class... Others>
void each_member(F&& f, SceneOptions& options, Others&... others) {
  auto& [method, collision, relative_tolerance, restitution_threshold, rest, shock_propagation, pgs, sequential_impacts,
         iteration, resting, substeps, ncp] = options;
  f("carom_options", collision, others.collision...);
  f("carom_rest_criterion", rest, others.rest...);
  f("carom_shock_propagation", shock_propagation, others.shock_propagation...);
  f("carom_pgs_options", pgs, others.pgs...);
  f("carom_sequential_impacts_options", sequential_impacts, others.sequential_impacts...);
  f("carom_iteration_options", iteration, others.iteration...);
  f("carom_resting_options", resting, others.resting...);
  f("carom_substeps_options", substeps, others.substeps...);
  f("carom_ncp_options", ncp, others.ncp...);
}

template <class F, Is<SystemOptions> O, class... Others>
void each_field(F&& f, O& options, Others&... others) {
  auto& [tolerance, error_mass, scale, budget, max_friction, asymmetry, range_tolerance] = options;
  f("tolerance", tolerance, others.tolerance...);
  f("error_mass", error_mass, others.error_mass...);
  f("scale", scale, others.scale...);
  f("budget", budget, others.budget...);
  f("max_friction", max_friction, others.max_friction...);
  f("asymmetry", asymmetry, others.asymmetry...);
  f("range_tolerance", range_tolerance, others.range_tolerance...);
}

}  // namespace carom
