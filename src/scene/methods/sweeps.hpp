// Shared by the methods that sweep over contacts: sizes of blocks, checks of convergence, counts of faults. The methods
// order the work, the kernels solve.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "method.hpp"

namespace carom::scene {

/// Sweeps between two checks of the residual.
inline constexpr int sweeps_between_checks = 4;

/// Stopping criteria of islands of one manifold.
inline kernel::SingleManifoldLimits limits_of_single_manifold(const CallOptions& options) {
  return {options.pgs.iterations, sweeps_between_checks, options.tolerance};
}

/// Bytes of a block of `count` points or rows. `models`: model bits of its manifolds.
template <class T>
std::size_t bytes_of_block(const kernel::SceneKernelsFor<T>& kernels, const kernel::JobInput<T>& job, bool is_joint,
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

/// Gives the job memory for a snapshot that sweeps may return to.
template <class T>
void reserve_snapshot(const CallData<T>& call) {
  kernel::SceneJob<T>& job = call.job;
  T* const kept = call.workspace.kept.at_least(3 * (job.contacts + 1));
  for (std::size_t c = 0; c < 3; ++c) job.kept[c] = kept + c * job.contacts;
  job.kept_rows = call.workspace.kept_rows.at_least(job.rows + 1);
  job.kept_velocities = call.workspace.kept_velocities.at_least(job.bodies + 1);
}

/// Gives the job memory for the impulses and targets that blocks carry from one pass to the next.
template <class T>
void reserve_carried(const CallData<T>& call) {
  kernel::SceneJob<T>& job = call.job;
  T* const memory = call.workspace.carried.at_least(4 * (job.contacts + 1));
  for (std::size_t i = 0; i < 4; ++i) job.carried[i] = memory + i * job.contacts;
}

}  // namespace carom::scene
