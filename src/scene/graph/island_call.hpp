// What island solvers read of a call. A method makes a solver for a call, of these data, the threads and the memory
// that the solver keeps from call to call. The solver chooses its islands, solves ranges of them on any thread, and
// leaves the others to the method.
#pragma once

#include "core/jobs/dispatch.hpp"
#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "core/threads/thread_team.hpp"
#include "graph.hpp"
#include "islands.hpp"

namespace carom::scene {

template <class T>
struct IslandCall {
  const CallOptions& options;
  const IsaEntry& entry;
  const kernel::SceneKernelsFor<T>& kernels;
  kernel::SceneJob<T>& job;
  Graph& graph;
  Islands& islands;
  Parts parts;
};

}  // namespace carom::scene
