// The scalar reference for scenes: every method in double, one contact after the other. It shares no code with the
// lanes.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
#pragma once

#include <carom/export.hpp>
#include <carom/scene.hpp>

namespace carom::reference {

/// The arguments, results, statuses and errors of SceneSolver::solve. It keeps no impulses from call to call, so that
/// keys do not count.
CAROM_EXPORT SceneReport solve_scene(const Scene<double>& scene, const SceneResults<double>& results,
                                     const SceneOptions& options = {});

}  // namespace carom::reference
