// The memory of a scene's solver. It grows to the size of the largest scene so far.
#pragma once

#include <algorithm>
#include <array>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "coulomb/coulomb_workspace.hpp"
#include "direct/direct_islands.hpp"
#include "graph.hpp"
#include "kernel/scene/scene_job.hpp"
#include "remembered.hpp"
#include "scratch.hpp"
#include "sequence_workspace.hpp"

namespace carom::scene {

/// The state of an island between sweeps.
enum class Sweeping : std::uint8_t { goes_on, done, may_collide_again, ran_away };

/// The last call, if its scene was a single manifold without faults. The next call reuses its setup.
template <class T>
struct LastLone {
  bool is_there = false;
  const kernel::SceneKernelsFor<T>* kernels = nullptr;
  kernel::SceneJob<T> job{};
  SceneResults<T> stored;             // destinations of the kernels
  std::vector<std::uint8_t> movable;  // bodies
  Isa isa = Isa::scalar;
};

template <class T>
struct Workspace {
  /// Reserves the lists for the largest graph of these numbers of bodies, contacts and rows, so that later calls
  /// allocate nothing.
  void reserve(const Parts& of, std::size_t most_substeps) {
    const std::array<std::size_t, 4> size{of.bodies, of.contacts, of.rows, most_substeps};
    if (size == reserved) return;
    graph.reserve(of, most_substeps);
    const std::size_t items = of.contacts + of.rows, most_islands = std::min(of.bodies, items);
    const auto make_room = [](std::size_t count, auto&... lists) { (lists.reserve(count), ...); };
    make_room(items, block_of_lane_batch, live_blocks, colour_set_end);
    make_room(of.contacts, block_of_level_lane_batch);
    make_room(of.bodies, level, counted);
    make_room(most_islands, approach, worst, sweeps_of_island, sweeping, overflow, island_status, island_residual,
              island_iterations, kept_worst, keeping, substeps_wanted, cold, mass, supporting_mass, substeps_needed,
              substeps_slop2, substeps);
    lone.at_least(most_islands);
    reserved = size;
  }

  std::array<std::size_t, 4> reserved{};  // bodies, contacts, rows, substeps
  Graph graph;
  Scratch<T> body_rows;                        // 16 numbers per body; preceded by the dummy body and the world
  Scratch<kernel::VelocityRow<T>> velocities;  // of bodies, of the world, then a dummy row for every slot
  Scratch<kernel::VelocityRow<T>> changes;     // of bodies and of the world
  Scratch<T> energies;
  Scratch<std::uint8_t> body_fault, movable, fitness, status, row_status, link, models;
  Scratch<std::int32_t> body_a, body_b, row_body_a, row_body_b;
  Scratch<T> carried, moments, sums, row_impulse, row_work;
  Scratch<T> impulses, result_moments;        // results of contacts
  Scratch<T> warm, row_warm, row_warm_after;  // initial impulses of the next step
  Scratch<T> kept, kept_rows;
  Scratch<kernel::VelocityRow<T>> kept_velocities;
  Scratch<std::byte> blocks, level_blocks;
  Scratch<kernel::LoneOutcome<T>> lone;  // of Graph::lone
  std::vector<std::byte*> block_of_lane_batch, block_of_level_lane_batch, live_blocks;
  std::vector<std::int32_t> level;
  std::vector<std::uint32_t> colour_set_end;  // of live blocks
  std::vector<double> approach, worst;        // of islands
  std::vector<std::int32_t> sweeps_of_island;
  std::vector<Sweeping> sweeping;           // of islands
  std::vector<std::uint8_t> overflow;       // of islands
  std::vector<IslandStatus> island_status;  // this and the next two: of all passes of a call
  std::vector<double> island_residual;
  std::vector<int> island_iterations;
  std::vector<double> kept_worst;  // of the snapshot that an island may return to
  std::vector<std::uint8_t> keeping;
  SequenceWorkspace<T> sequence;
  coulomb::Workspace coulomb;
  Remembered<T> remembered;
  LastLone<T> last_lone;
  direct::DirectIslands direct;
  // Substeps: velocities at the start of a substep, displacements; loads; numbers of substeps of islands.
  Scratch<kernel::VelocityRow<T>> began, displacements;
  Scratch<T> loads;
  std::vector<SubstepNeed> substeps_wanted;
  std::vector<std::uint8_t> cold, counted;  // islands without a history; their bodies
  std::vector<double> mass, supporting_mass;
  std::vector<double> substeps_needed, substeps_slop2;
  std::vector<std::int32_t> substeps;
};

}  // namespace carom::scene
