// The methods that sweep over contacts: simultaneous, iteration, resting. What is solved when; how, the kernels know.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>

#include "kernel/scene/scene_job.hpp"
#include "thread_team.hpp"
#include "workspace.hpp"

namespace carom::scene {

/// A scene on its way through the solver: validated, with its graph.
template <class T>
struct Call {
  const SceneOptions& options;
  const kernel::SceneKernelsFor<T>& kernels;
  kernel::SceneJob<T>& job;
  Workspace<T>& workspace;
  ThreadTeam& team;
};

/// Sums of one pass over a scene; those of islands are in the workspace.
struct SweepOutcome {
  /// A fault of a contact or row that came to light in its preparation: nothing else is told, no result is written.
  bool found_faults = false;
  bool overflow = false;  ///< Workspace::overflow marks islands
  double approach = 0;
  std::size_t lanes = 0, lanes_used = 0;
};

enum class Ending {
  finish,      ///< the results go to the host
  accumulate,  ///< the impulses go to SceneJob::impulse_sum, for a pass that follows
};

/// Islands of one manifold are solved by a kernel of their own. Which islands these are depends on the options and on
/// the island alone, since its arithmetic is another one.
inline bool solves_lone_islands_apart(const SceneOptions& options) {
  return options.method == SceneMethod::simultaneous && !options.shock_propagation.enabled &&
         options.simultaneous.relaxation == 1 && options.simultaneous.rounds == 1;
}

/// Sweeps between two looks at the residual.
inline constexpr int sweeps_between_checks = 4;

/// When the sweeps over such an island end.
inline kernel::LoneLimits limits_of_lone(const SceneOptions& options) {
  return {options.simultaneous.iterations, sweeps_between_checks, options.relative_tolerance};
}

/// The size of a block of `count` points or rows; `models` are the bits of its manifolds.
template <class T>
std::size_t bytes_of_block(const kernel::SceneKernelsFor<T>& kernels, const kernel::SceneJob<T>& job, bool is_joint,
                           std::size_t count, std::uint8_t models) {
  const bool in_substeps = job.target == kernel::Target::substeps;
  std::size_t bytes = is_joint ? kernels.group_head_bytes + count * kernels.row_bytes
                               : kernels.head_bytes + count * kernels.point_bytes;
  if (in_substeps)
    bytes += kernels.substep_head_bytes + count * (is_joint ? kernels.substep_row_bytes : kernels.substep_point_bytes);
  if (kernel::has_soft_contacts(job) && !is_joint) bytes += count * kernels.soft_point_bytes;
  if (models != 0) {
    bytes += kernels.model_head_bytes + count * kernels.model_point_bytes;
    if ((models & kernel::models_with_moments) != 0) bytes += kernels.moments_bytes;
    if (in_substeps) bytes += count * kernels.substep_model_bytes;
  }
  return (bytes + 63) / 64 * 64;
}

/// Statuses above `limit`. Bytes are counted in bytes, which makes vectors of the loop.
inline std::size_t count_above(std::uint8_t limit, const std::uint8_t* status, std::size_t n) {
  constexpr std::size_t most = 255;
  std::size_t count = 0;
  for (std::size_t first = 0; first < n; first += most) {
    std::uint8_t few = 0;
    for (std::size_t i = first; i < std::min(n, first + most); ++i)
      few = static_cast<std::uint8_t>(few + (status[i] > limit ? 1 : 0));
    count += few;
  }
  return count;
}

template <class T>
std::size_t count_faults(const kernel::SceneJob<T>& job) {
  constexpr auto separating = static_cast<std::uint8_t>(Status::separating);
  return count_above(separating, job.status, job.contacts) + count_above(separating, job.row_status, job.rows);
}

/// Solves every island by the method, whose targets stand in the job. `warm`: the contacts or rows may begin with
/// impulses.
template <class T>
SweepOutcome sweep(const Call<T>& call, SceneMethod method, bool warm, Ending ending);

}  // namespace carom::scene
