// The methods of scenes, an island at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "core/scene/call_options.hpp"
#include "scene_graph.hpp"
#include "scene_state.hpp"

namespace carom::reference {

struct SceneOutcome {
  int iterations = 0;  ///< sweeps; impacts of a sequence
  int substeps = 1;
  std::size_t impacts = 0;
  double approach = 0;        ///< [m/s] at the start, below the targets
  double residual = 0;        ///< [m/s] at the end
  double energy_removed = 0;  ///< [J] of substeps
  double unsettled = 0;       ///< [m/s] of iteration: max. of contacts that collide at the end, and of rows
  IslandStatus status = IslandStatus::converged;
  IslandAlgorithm algorithm = IslandAlgorithm::pgs;

  double relative_error() const { return approach > 0 ? residual / approach : 0; }
};

/// [m/s] Target of u·n by Moreau's rule: -e times u·n before, but at least the min. velocity if u·n before is below it.
/// Contacts that approach more slowly than `threshold` before forces act do not rebound.
double target_of(double before, const SceneContact& c, double threshold);

/// [m/s] Max. violation of the min. velocities of contacts and of the targets of rows in an island.
double max_approach_speed(const SceneState& state, const SceneIsland& island);

/// Adds the impulses of this pass to the impulses of earlier passes.
void begin_pass(SceneState& state, const SceneIsland& island);

/// [m] Overlap that a contact, or two bodies, may keep.
double slop_of(const SceneState& state, const SceneContact& c, const CallOptions& options);
double slop_of(const SceneState& state, std::size_t a, std::size_t b, const CallOptions& options);

/// Moves a body, or every body, as without contacts and rows.
void move_alone(SceneState& state, const CallOptions& options, std::size_t body);
void move_alone(SceneState& state, const CallOptions& options);

/// `levels`: levels_of(state) with shock propagation, else empty.
SceneOutcome solve_pgs(SceneState& state, const SceneIsland& island, const CallOptions& options,
                       const std::vector<int>& levels);
SceneOutcome solve_iteration(SceneState& state, const SceneIsland& island, const CallOptions& options,
                             const std::vector<int>& levels);
SceneOutcome solve_resting(SceneState& state, const SceneIsland& island, const CallOptions& options,
                           const std::vector<int>& levels);
SceneOutcome solve_sequential_impacts(SceneState& state, const SceneIsland& island, const CallOptions& options);
SceneOutcome solve_substeps(SceneState& state, const SceneIsland& island, const CallOptions& options);

}  // namespace carom::reference
