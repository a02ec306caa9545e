// Pairs the options and the report of scenes with the structs of C: see fields.hpp.
#pragma once

#include <carom/scene.hpp>
#include <carom/scene_options.hpp>

#include "fields.hpp"

namespace carom::c {

template <class F, Is<SceneReport> O, class C>
void each_field(F&& f, O& report, C& c) {
  auto& [bodies, contacts, joint_rows, by_status, joints_by_status, method, isa, threads, iterations, substeps, impacts,
         max_approach_speed, relative_error, residual, energy_before, energy_after, joint_work, energy_removed, islands,
         max_island_size, colours, overflow_constraints, same_graph, not_converged, stalled, pgs_islands, lanes,
         lanes_used] = report;
  f("bodies", bodies, c.bodies);
  f("contacts", contacts, c.contacts);
  f("joint_rows", joint_rows, c.joint_rows);
  put_counts(f, report, by_status, c);
  f("joints_by_status", CountsAccess::counts(joints_by_status), c.joints_by_status);
  f("first_joint", CountsAccess::first_or_0(joints_by_status), c.first_joint);
  f("method", method, c.method);
  f("isa", isa, c.isa);
  f("threads", threads, c.threads);
  f("iterations", iterations, c.iterations);
  f("substeps", substeps, c.substeps);
  f("impacts", impacts, c.impacts);
  f("max_approach_speed", max_approach_speed, c.max_approach_speed);
  f("relative_error", relative_error, c.relative_error);
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
  f("pgs_islands", pgs_islands, c.pgs_islands);
  f("energy_removed", energy_removed, c.energy_removed);
}

/// Calls f(std::type_identity<method>, std::type_identity<struct in C>) for the method of a kind.
template <class F>
void with_method(std::int32_t kind, const F& f) {
  switch (kind) {
    case CAROM_METHOD_SUBSTEPS:
      return f(std::type_identity<Substeps>{}, std::type_identity<carom_substeps>{});
    case CAROM_METHOD_PGS:
      return f(std::type_identity<Pgs>{}, std::type_identity<carom_pgs>{});
    case CAROM_METHOD_NCP:
      return f(std::type_identity<Ncp>{}, std::type_identity<carom_ncp>{});
    case CAROM_METHOD_SEQUENTIAL_IMPACTS:
      return f(std::type_identity<SequentialImpacts>{}, std::type_identity<carom_sequential_impacts>{});
    case CAROM_METHOD_BENDER_SCHMITT:
      return f(std::type_identity<BenderSchmitt>{}, std::type_identity<carom_bender_schmitt>{});
    default:
      throw Error(Text("carom: the kind of a carom_method is ", kind, ", which is no carom_scene_method"),
                  {.option = "method"});
  }
}

/// Returns the method of a struct that begins with `method`. NULL: the default method.
inline SceneOptions::Method taken_method(const carom_method* method) {
  SceneOptions::Method made = SceneOptions{}.method;
  if (method == nullptr) return made;
  check_struct_size(*method);
  with_method(method->kind, [&]<class M, class C>(std::type_identity<M>, std::type_identity<C>) {
    made = taken<M>(reinterpret_cast<const C*>(method));
  });
  return made;
}

inline SceneOptions taken_scene_options(const carom_scene_options* from) {
  auto made = taken<SceneOptions>(from);
  if (from != nullptr) made.method = taken_method(Given<carom_scene_options>(*from)->method);
  return made;
}

/// Sets the defaults of a method in C.
template <class M, class C>
void init_method(C* to, std::size_t struct_size) {
  if (to == nullptr || struct_size < sizeof(carom_method)) return;
  init<M>(to, struct_size);
  to->head.kind = static_cast<std::int32_t>(SceneOptions{.method = M{}}.selected());
}

}  // namespace carom::c
