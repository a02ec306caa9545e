// The memory of a scene's solver. It grows to the size of the largest scene so far.
#pragma once

#include <algorithm>
#include <array>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/jobs/scene_job.hpp"
#include "core/support/array.hpp"
#include "core/support/scratch.hpp"
#include "core/threads/thread_team.hpp"
#include "scene/graph/graph.hpp"
#include "scene/solvers/direct/direct_islands.hpp"
#include "scene/solvers/ncp/ncp_solver.hpp"
#include "scene/solvers/sequential/impact_workspace.hpp"
#include "scene/warm_start/static_friction.hpp"
#include "scene/warm_start/warm_start_cache.hpp"

namespace carom::scene {

/// The last call, if its scene was a single manifold without faults. The next call reuses its setup.
template <class T>
struct LastSingleManifold {
  bool is_there = false;
  const kernel::SceneKernelsFor<T>* kernels = nullptr;
  kernel::SceneJob<T> job{};
  SceneResults<T> stored;       // destinations of the kernels
  Array<std::uint8_t> movable;  // bodies
  Isa isa = Isa::scalar;
};

/// The last call, if all islands of its scene were at rest. A call with the same structure tries them again before it
/// builds anything.
struct LastRest {
  bool is_there = false;     // for the next call
  bool was_there = false;    // for this call
  bool rests_again = false;  // in this call
  Array<std::int32_t> body_a, body_b, row_body_a, row_body_b;
  Array<std::uint8_t> link, movable;

  void begin_call() {
    was_there = is_there;
    is_there = rests_again = false;
  }
};

/// A body's mass and inertia, without the parts that are infinite, in the order of a VelocityRow.
template <class T>
struct alignas(16) BodyInertia {
  T own[8];    // the diagonal: m, m, m, I_xx, I_yy, I_zz
  T mixed[3];  // I_xy, I_xz, I_yz
  T unused;
  T forces[8];  // [N s] in a substep: this matrix times the velocity change by forces
};

/// Sums over the bodies of an island.
using EnergySums = std::array<double, 6>;

/// Work by which the impulses of a substep may add energy to an island: see scene/kernels/stages/energy.hpp.
struct ImpulseWork {
  double work = 0;                        // [J]
  bool loaded = false, grounded = false;  // a contact has an impulse; on a body that does not move
};

/// Sums over the blocks of an island that one thread solves.
struct alignas(128) SlotSums {
  double worst = 0;
  std::size_t lanes = 0, lanes_used = 0;
  bool overflow = false;
};

/// The energy of an island in substeps: see energy_audit.hpp.
struct IslandEnergy {
  double kinetic = 0, by_forces = 0;  // [J] at the start of a substep; c·M v of it, c the velocity change by forces
  double half_change = 0;             // [J] c·M c / 2
  double lost = 0, removed = 0;       // [J] in the step so far
  double work_before = 0;             // [J] before contacts rebound
  double restitution = 0;             // the largest of its contacts
  // The velocity of the frame that energies are measured in: of the immovable bodies, if all have the same.
  std::array<double, 3> frame{}, momentum{}, momentum_by_forces{};
  bool has_frame = false;
  bool has_joints = false;
  ImpulseWork of_impulses;
};

template <class T>
struct Workspace {
  /// Reserves the lists for the largest graph of these numbers of bodies, contacts and rows, so that later calls do not
  /// allocate.
  void reserve(const Parts& of, std::size_t max_substeps, std::size_t slots) {
    const std::array<std::size_t, 5> size{of.bodies, of.contacts, of.rows, max_substeps, slots};
    if (size == reserved) return;
    graph.reserve(of, max_substeps, slots);
    if (slot_sums.size() < slots) slot_sums.resize(slots);
    const std::size_t items = of.contacts + of.rows, max_islands = std::min(of.bodies, items);
    make_room(items, block_of_lane_batch, live_blocks, colour_set_end);
    make_room(of.contacts, block_of_level_lane_batch);
    make_room(of.bodies, level, counted, has_joint, last_rest.movable);
    make_room(of.contacts, last_rest.body_a, last_rest.body_b, last_rest.link);
    make_room(of.rows, last_rest.row_body_a, last_rest.row_body_b);
    islands.reserve(max_islands);
    make_room(max_islands, kept_worst, keeping, substeps_wanted, cold, mass, supporting_mass, substeps_needed,
              substeps_slop2, substeps, island_energy);
    single_manifold.at_least(max_islands);
    reserved = size;
  }

  std::array<std::size_t, 5> reserved{};  // bodies, contacts, rows, substeps, slots
  ThreadTeam::Memory team;
  Graph graph;
  Scratch<T> body_rows;                        // 16 numbers per body; preceded by the dummy body and the world
  Scratch<kernel::VelocityRow<T>> velocities;  // of bodies, of the world, then a dummy row for every slot
  Scratch<kernel::VelocityRow<T>> changes;     // of bodies and of the world
  // Changes by forces in substeps, and the changes that the bodies of an island follow.
  Scratch<kernel::VelocityRow<T>> forces;
  Scratch<std::array<T, 3>> followed;
  Scratch<T> energies;
  Scratch<std::uint8_t> body_fault, movable, body_state, status, row_status, link, models;
  Scratch<std::int32_t> body_a, body_b, row_body_a, row_body_b;
  Scratch<T> carried, moments, sums, row_impulse, row_work;
  Scratch<T> impulses, result_moments;        // results of contacts
  Scratch<T> warm, row_warm, row_warm_after;  // initial impulses of the next step
  Scratch<T> row_rests;                       // rounding errors of these
  Scratch<T> kept, kept_rows;
  Scratch<kernel::VelocityRow<T>> kept_velocities;
  Scratch<std::byte> blocks, level_blocks;
  Scratch<kernel::SingleManifoldOutcome<T>> single_manifold;  // of Graph::single_manifold
  Array<std::byte*> block_of_lane_batch, block_of_level_lane_batch, live_blocks;
  Array<std::int32_t> level;
  Array<std::uint32_t> colour_set_end;  // of live blocks
  Array<SlotSums> slot_sums;
  Islands islands;
  Array<double> kept_worst;  // of the snapshot that an island may return to
  Array<std::uint8_t> keeping;
  ImpactWorkspace<T> sequential_impacts;
  ncp::Memory ncp;
  WarmStartCache<T> warm_start_cache;
  LastSingleManifold<T> last_single_manifold;
  LastRest last_rest;
  StaticFriction<T> static_friction;
  direct::DirectMemory direct;
  // Substeps: velocities at the start of a substep, displacements; loads; numbers of substeps of islands.
  Scratch<kernel::VelocityRow<T>> began, displacements;
  Scratch<BodyInertia<T>> inertia;
  Scratch<kernel::VelocityRow<T>> turned;  // inverse inertia of bodies that have turned
  Scratch<EnergySums> energy_sums;
  Scratch<T> shares;  // of the brake, of bodies
  Array<IslandEnergy> island_energy;
  Scratch<T> loads, manifold_loads;
  Scratch<double> square_sizes;  // see Slops
  Array<SubstepNeed> substeps_wanted;
  Array<std::uint8_t> has_joint;      // bodies, where there are joints
  Array<std::uint8_t> cold, counted;  // islands without a history; their bodies
  Array<double> mass, supporting_mass;
  Array<double> substeps_needed, substeps_slop2;
  Array<std::int32_t> substeps;
};

/// [J] that an island has lost to keep its energy in bounds. Islands that have overflowed keep their velocities.
template <class T>
double removed_energy(const Workspace<T>& of, std::size_t island) {
  return island < of.island_energy.size() && of.islands.overflow[island] == 0 ? of.island_energy[island].removed : 0;
}

}  // namespace carom::scene
