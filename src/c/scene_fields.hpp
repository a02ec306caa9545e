// The options and the report of scenes beside those of C: see fields.hpp.
#pragma once

#include <carom/scene.hpp>
#include <carom/scene_options.hpp>

#include "c/fields.hpp"

namespace carom::c {

template <class F, Is<SimultaneousOptions> O, class C>
void each_field(F&& f, O& options, C& c) {
  auto& [iterations, relaxation, warm_start, joint_warm_start, rounds, time_step, relaxing] = options;
  f("simultaneous.iterations", iterations, c.iterations);
  f("simultaneous.relaxation", relaxation, c.relaxation);
  f("simultaneous.warm_start", warm_start, c.warm_start);
  f("simultaneous.joint_warm_start", joint_warm_start, c.joint_warm_start);
  f("simultaneous.rounds", rounds, c.rounds);
  f("simultaneous.time_step", time_step, c.time_step);
  f("simultaneous.relaxing", relaxing, c.relaxing);
}

template <class F, Is<SequenceOptions> O, class C>
void each_field(F&& f, O& options, C& c) {
  auto& [impacts, seed] = options;
  f("sequence.impacts", impacts, c.impacts);
  f("sequence.seed", seed, c.seed);
}

template <class F, Is<IterationOptions> O, class C>
void each_field(F&& f, O& options, C& c) {
  auto& [iterations, swept] = options;
  f("iteration.iterations", iterations, c.iterations);
  f("iteration.swept", swept, c.swept);
}

template <class F, Is<RestingOptions> O, class C>
void each_field(F&& f, O& options, C& c) {
  auto& [iterations, time_step, gravity] = options;
  f("resting.iterations", iterations, c.iterations);
  f("resting.time_step", time_step, c.time_step);
  f("resting.gravity", gravity, c.gravity);
}

template <class F, Is<SubstepsOptions> O, class C>
void each_field(F&& f, O& options, C& c) {
  auto& [time_step, least, most, rounds, sweeps, relaxing, restitution_sweeps, slop, push_out, largest_push_out_speed,
         joint_frequency, joint_damping_ratio, contact_damping_ratio, warm_start, joint_warm_start] = options;
  f("substeps.time_step", time_step, c.time_step);
  f("substeps.least", least, c.least);
  f("substeps.most", most, c.most);
  f("substeps.rounds", rounds, c.rounds);
  f("substeps.sweeps", sweeps, c.sweeps);
  f("substeps.relaxing", relaxing, c.relaxing);
  f("substeps.restitution_sweeps", restitution_sweeps, c.restitution_sweeps);
  f("substeps.slop", slop, c.slop);
  f("substeps.push_out", push_out, c.push_out);
  f("substeps.largest_push_out_speed", largest_push_out_speed, c.largest_push_out_speed);
  f("substeps.joint_frequency", joint_frequency, c.joint_frequency);
  f("substeps.joint_damping_ratio", joint_damping_ratio, c.joint_damping_ratio);
  f("substeps.contact_damping_ratio", contact_damping_ratio, c.contact_damping_ratio);
  f("substeps.warm_start", warm_start, c.warm_start);
  f("substeps.joint_warm_start", joint_warm_start, c.joint_warm_start);
}

template <class F, Is<CoulombOptions> O, class C>
void each_field(F&& f, O& options, C& c) {
  auto& [tolerance, budget, most_friction, warm_start, largest_island, after_sweeps] = options;
  f("coulomb.tolerance", tolerance, c.tolerance);
  f("coulomb.budget", budget, c.budget);
  f("coulomb.most_friction", most_friction, c.most_friction);
  f("coulomb.warm_start", warm_start, c.warm_start);
  f("coulomb.largest_island", largest_island, c.largest_island);
  f("coulomb.after_sweeps", after_sweeps, c.after_sweeps);
}

template <class F, Is<RestCriterion> O, class C>
void each_field(F&& f, O& rest, C& c) {
  auto& [gravity, tolerance] = rest;
  f("rest.gravity", gravity, c.gravity);
  f("rest.tolerance", tolerance, c.tolerance);
}

template <class F, Is<ShockPropagation> O, class C>
void each_field(F&& f, O& shock, C& c) {
  auto& [enabled, iterations] = shock;
  f("shock_propagation.enabled", enabled, c.enabled);
  f("shock_propagation.iterations", iterations, c.iterations);
}

/// But for the members that are structs, which each_member has.
template <class F, Is<SceneOptions> O, class C>
void each_field(F&& f, O& options, C& c) {
  f("method", options.method, c.method);
  f("relative_tolerance", options.relative_tolerance, c.relative_tolerance);
  f("restitution_threshold", options.restitution_threshold, c.restitution_threshold);
}
template <class F, class C>
void each_member(F&& f, SceneOptions& options, C& c) {
  auto& [method, collision, relative_tolerance, restitution_threshold, rest, shock_propagation, simultaneous, sequence,
         iteration, resting, substeps, coulomb] = options;
  f("carom_options", collision, c.collision);
  f("carom_rest_criterion", rest, c.rest);
  f("carom_shock_propagation", shock_propagation, c.shock_propagation);
  f("carom_simultaneous_options", simultaneous, c.simultaneous);
  f("carom_sequence_options", sequence, c.sequence);
  f("carom_iteration_options", iteration, c.iteration);
  f("carom_resting_options", resting, c.resting);
  f("carom_substeps_options", substeps, c.substeps);
  f("carom_coulomb_options", coulomb, c.coulomb);
}

template <class F, Is<SceneReport> O, class C>
void each_field(F&& f, O& report, C& c) {
  auto& [bodies, contacts, joint_rows, by_status, joints_by_status, method, isa, threads, iterations, substeps, impacts,
         greatest_approach, error, residual, energy_before, energy_after, joint_work, islands, largest_island, colours,
         uncoloured, same_graph, not_converged, stalled, swept, lanes, lanes_used] = report;
  f("bodies", bodies, c.bodies);
  f("contacts", contacts, c.contacts);
  f("joint_rows", joint_rows, c.joint_rows);
  f("by_status", by_status, c.by_status);
  f("joints_by_status", joints_by_status, c.joints_by_status);
  f("method", method, c.method);
  f("isa", isa, c.isa);
  f("threads", threads, c.threads);
  f("iterations", iterations, c.iterations);
  f("substeps", substeps, c.substeps);
  f("impacts", impacts, c.impacts);
  f("greatest_approach", greatest_approach, c.greatest_approach);
  f("error", error, c.error);
  f("residual", residual, c.residual);
  f("energy_before", energy_before, c.energy_before);
  f("energy_after", energy_after, c.energy_after);
  f("joint_work", joint_work, c.joint_work);
  f("islands", islands, c.islands);
  f("largest_island", largest_island, c.largest_island);
  f("colours", colours, c.colours);
  f("uncoloured", uncoloured, c.uncoloured);
  f("same_graph", same_graph, c.same_graph);
  f("not_converged", not_converged, c.not_converged);
  f("stalled", stalled, c.stalled);
  f("lanes", lanes, c.lanes);
  f("lanes_used", lanes_used, c.lanes_used);
  f("swept", swept, c.swept);
}

inline SceneOptions taken_scene_options(const carom_scene_options* from) {
  auto made = taken<SceneOptions>(from, "carom_scene_options");
  if (from == nullptr) return made;
  const Given<carom_scene_options> used(*from, "carom_scene_options");
  each_member(
      [](const char* name, auto& member, const auto* in_c) {
        if (in_c != nullptr) member = taken<std::remove_reference_t<decltype(member)>>(in_c, name);
      },
      made, *used);
  return made;
}

}  // namespace carom::c
