// The methods that sweep over contacts: simultaneous, iteration, resting. This layer orders the work; the kernels
// solve.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "core/threads/thread_team.hpp"
#include "workspace.hpp"

namespace carom::scene {

/// The state of a scene during the solution: validated, with its graph.
template <class T>
struct Call {
  const CallOptions& options;
  const kernel::SceneKernelsFor<T>& kernels;
  kernel::SceneJob<T>& job;
  Workspace<T>& workspace;
  ThreadTeam& team;
};

/// Sums of one pass over a scene. Values of islands are in the workspace.
struct SweepOutcome {
  /// Preparation found a faulty contact or row. All other members are then invalid, and no result is written.
  bool found_faults = false;
  bool overflow = false;  ///< Workspace::overflow marks islands
  double approach = 0;
  std::size_t lanes = 0, lanes_used = 0;
};

enum class Ending {
  finish,      ///< store the results in the caller's columns
  accumulate,  ///< add the impulses to SceneJob::impulse_sum, for the next pass
};

/// True if islands of one manifold have their own kernel. The choice depends only on the options and on the island,
/// because the kernel's rounding differs.
inline bool solves_single_manifold_islands_apart(const CallOptions& options) {
  return options.procedure == Procedure::pgs && options.pgs.relaxation == 1 && options.pgs.inner_iterations == 1;
}

/// Sweeps between two checks of the residual.
inline constexpr int sweeps_between_checks = 4;

/// Stopping criteria of such islands.
inline kernel::SingleManifoldLimits limits_of_single_manifold(const CallOptions& options) {
  return {options.pgs.iterations, sweeps_between_checks, options.tolerance};
}

/// Bytes of a block of `count` points or rows. `models`: model bits of its manifolds.
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

/// Counts the statuses above `limit`. Counting in bytes lets the compiler vectorise the loop.
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

/// Solves every island by the method. The job defines its targets. `warm`: contacts or rows may have initial impulses.
template <class T>
SweepOutcome sweep(const Call<T>& call, Procedure method, bool warm, Ending ending);

}  // namespace carom::scene
