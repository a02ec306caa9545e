// SceneMethod::pgs with a time step of its own.
#pragma once

#include <carom/scene.hpp>

namespace carom::scene {

/// True where the sweeps push out what positions lack, and bodies move.
inline bool is_single_substep(const SceneOptions& options) {
  return options.method == SceneMethod::pgs && options.pgs.time_step > 0;
}

/// The same step as one substep.
inline SceneOptions as_single_substep(const SceneOptions& options) {
  SceneOptions made = options;
  made.method = SceneMethod::substeps;
  made.substeps.time_step = options.pgs.time_step;
  made.substeps.least = made.substeps.most = 1;
  made.substeps.sweeps = options.pgs.iterations;
  made.substeps.relax_iterations = options.pgs.relax_iterations;
  made.substeps.inner_iterations = options.pgs.inner_iterations;
  made.substeps.warm_start = options.pgs.warm_start;
  return made;
}

}  // namespace carom::scene
