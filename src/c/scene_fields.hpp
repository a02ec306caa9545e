// Pairs the options and the report of scenes with the structs of C: see fields.hpp.
#pragma once

#include <carom/scene.hpp>
#include <carom/scene_options.hpp>

#include "c/fields.hpp"

namespace carom::c {

template <class F, Is<SceneReport> O, class C>
void each_field(F&& f, O& report, C& c) {
  auto& [bodies, contacts, joint_rows, by_status, joints_by_status, method, isa, threads, iterations, substeps, impacts,
         max_approach_speed, error, residual, energy_before, energy_after, joint_work, energy_removed, islands,
         max_island_size, colours, overflow_constraints, same_graph, not_converged, stalled, swept, lanes, lanes_used] =
      report;
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
  f("max_approach_speed", max_approach_speed, c.max_approach_speed);
  f("error", error, c.error);
  f("residual", residual, c.residual);
  f("energy_before", energy_before, c.energy_before);
  f("energy_after", energy_after, c.energy_after);
  f("joint_work", joint_work, c.joint_work);
  f("islands", islands, c.islands);
  f("max_island_size", max_island_size, c.max_island_size);
  f("colours", colours, c.colours);
  f("overflow_constraints", overflow_constraints, c.overflow_constraints);
  f("same_graph", same_graph, c.same_graph);
  f("not_converged", not_converged, c.not_converged);
  f("stalled", stalled, c.stalled);
  f("lanes", lanes, c.lanes);
  f("lanes_used", lanes_used, c.lanes_used);
  f("swept", swept, c.swept);
  f("energy_removed", energy_removed, c.energy_removed);
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
