// A call of a scene's solver: validate, build the graph, solve by the method, store.
#pragma once

#include <carom/scene.hpp>
#include <cstddef>

#include "solver/dispatch.hpp"
#include "workspace.hpp"

namespace carom::scene {

/// The arguments have been checked. `again`: columns and options are the ones of the last call.
template <class T>
SceneReport run_scene(const IsaEntry& entry, Workspace<T>& workspace, const Scene<T>& scene,
                      const SceneResults<T>& results, const SceneOptions& options, CallThreads& threads,
                      std::size_t slots, bool again);

}  // namespace carom::scene
