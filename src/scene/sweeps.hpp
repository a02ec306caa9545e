// The methods that sweep over contacts: simultaneous, iteration, resting. What is solved when; how, the kernels know.
#pragma once

#include <carom/scene.hpp>

#include "crew.hpp"
#include "kernel/scene/job.hpp"
#include "workspace.hpp"

namespace carom::scene {

/// A scene on its way through the solver: judged, with its graph.
template <class T>
struct Call {
  const SceneOptions& options;
  const kernel::SceneKernelsFor<T>& kernels;
  kernel::SceneJob<T>& job;
  Workspace<T>& workspace;
  Crew& crew;
};

/// Sums of one pass over a scene.
struct SweepOutcome {
  int iterations = 0;
  double approach = 0, residual = 0;
  std::size_t truncated = 0, lanes = 0, lanes_used = 0;
};

enum class Ending {
  finish,      ///< the results go to the host
  accumulate,  ///< the impulses go to SceneJob::impulse_sum, for a pass that follows
};

/// Solves every island by the method, whose targets stand in the job. `warm`: the contacts or rows may begin with
/// impulses.
template <class T>
SweepOutcome sweep(const Call<T>& call, SceneMethod method, bool warm, Ending ending);

}  // namespace carom::scene
