// Fast path for small calls: the scene and the last call's scene are one manifold, with the same columns and options.
// The general path takes longer than the iterations of such a scene.
#pragma once

#include <carom/scene.hpp>

#include "core/scene/call_options.hpp"
#include "scene/methods/workspace.hpp"

namespace carom::scene {

/// Solves a scene with the columns and options of the last call, for which Workspace::last_single_manifold was set.
/// Returns false, without side effects, if the general path has to solve it.
template <class T>
bool solve_single_manifold_again(Workspace<T>& workspace, const Scene<T>& scene, const SceneResults<T>& results,
                                 const CallOptions& options, SceneReport& report);

}  // namespace carom::scene
