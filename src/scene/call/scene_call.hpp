// A call of a scene's solver: validate, build the graph, solve by the method, store.
#pragma once

#include <carom/scene.hpp>
#include <cstddef>

#include "core/jobs/dispatch.hpp"
#include "core/scene/call_options.hpp"
#include "scene/methods/workspace.hpp"

namespace carom::scene {

/// Numbers of threads.
struct Slots {
  std::size_t of_call = 1;
  std::size_t most = 1;  ///< of any call of this size: memory is reserved for them
};

/// The arguments have been checked. `same_options`: as in the last call.
template <class T>
SceneReport run_scene(const IsaEntry& entry, Workspace<T>& workspace, const Scene<T>& scene,
                      const SceneResults<T>& results, const CallOptions& options, CallThreads& threads, Slots slots,
                      bool same_options);

/// Makes room for a call with the numbers and the columns of `scene`, whose elements are not read.
template <class T>
void reserve_for_scene(const IsaEntry& entry, Workspace<T>& workspace, const Scene<T>& scene,
                       const CallOptions& options, std::size_t slots);

}  // namespace carom::scene
