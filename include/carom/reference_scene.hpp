// The scalar reference for scenes: every method but Ncp in double, one contact after the other. It shares no code with
// the kernels.
//
// Experimental: this interface may change in any minor version until 1.0 (README.md#what-is-promised).
#pragma once

#include <carom/export.hpp>
#include <carom/scene.hpp>

namespace carom::reference {

/// Arguments, results, statuses and errors are as for SceneSolver::solve; Ncp is an Error. It keeps no impulses from
/// call to call, so keys have no effect.
CAROM_EXPORT SceneReport solve_scene(const Scene<double>& scene, const SceneResults<double>& results,
                                     const SceneOptions& options = {});

}  // namespace carom::reference
