// The fields of reports, and of other structs that calls return. The interfaces in C and Python, the documentation of
// Python and the command read these lists. A new figure of a report needs its field in a public header, a field in the
// header for C and its name here.
#pragma once

#include <carom/law_info.hpp>
#include <carom/mechanism.hpp>
#include <carom/region.hpp>
#include <carom/scene.hpp>
#include <carom/status.hpp>
#include <carom/system.hpp>

#include "field_list.hpp"
#include "option_table.hpp"

namespace carom {

/// Defines each_field(f, struct, others...) with the names of all fields. A list that lacks a field does not compile.
#define CAROM_FIELDS(Struct, ...)                   \
  template <class F, Is<Struct> O, class... Others> \
  void each_field(F&& f, O& o, Others&... others) { \
    { [[maybe_unused]] auto& [__VA_ARGS__] = o; }   \
    CAROM_EACH(__VA_ARGS__)                         \
  }

CAROM_FIELDS(Report, contacts, by_status, by_path, isa, threads, sliding_steps, lane_steps, max_energy_gain,
             max_energy_gain_contact)
CAROM_FIELDS(RegionReport, contacts, by_status, outside, gains_energy, penetrates, pulls, leaves_cone)
CAROM_FIELDS(GradientReport, contacts, by_status)
CAROM_FIELDS(SceneReport, bodies, contacts, joint_rows, by_status, joints_by_status, method, isa, threads, iterations,
             substeps, impacts, max_approach_speed, relative_error, residual, energy_before, energy_after, joint_work,
             energy_removed, islands, max_island_size, colours, overflow_constraints, same_graph, not_converged,
             stalled, pgs_islands, lanes, lanes_used)
CAROM_FIELDS(SystemReport, contacts, by_state, islands, max_island_size, unsolved, error, pgs_iterations,
             interior_point_iterations, newton_iterations, seconds, threads, range_distance)
CAROM_FIELDS(SystemIsland, contacts, solved, error, pgs_iterations, interior_point_iterations, newton_iterations,
             range_distance)
CAROM_FIELDS(LawInfo, law, in_space, in_plane, reads_friction, reads_restitution, parameters, restitution,
             may_gain_energy, energy_gain, source)
CAROM_FIELDS(LawParameter, name, in_space, in_plane, low, high)
CAROM_FIELDS(MechanismContact, index, tangent_1, tangent_2, normal, k, separation_velocity, friction, restitution,
             locked)

#undef CAROM_FIELDS

}  // namespace carom
