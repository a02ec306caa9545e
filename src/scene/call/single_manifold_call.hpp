// A short way for small calls: the scene is one manifold, as that of the last call was, with the same columns and
// options. What serves scenes of any size would take longer than such a scene's sweeps.
#pragma once

#include <carom/scene.hpp>

#include "core/scene/call_options.hpp"
#include "scene/methods/workspace.hpp"

namespace carom::scene {

/// Solves a scene whose columns and options are those of the last call, of which Workspace::last_single_manifold tells.
/// False if it has to go the general way, which nothing of this disturbs.
template <class T>
bool solve_single_manifold_again(Workspace<T>& workspace, const Scene<T>& scene, const SceneResults<T>& results,
                                 const CallOptions& options, SceneReport& report);

}  // namespace carom::scene
