// SceneMethod::simultaneous with a time step of its own.
#pragma once

#include <carom/scene.hpp>

namespace carom::scene {

/// True where the sweeps push out what positions lack, and bodies move.
inline bool moves_in_one_piece(const SceneOptions& options) {
  return options.method == SceneMethod::simultaneous && options.simultaneous.time_step > 0;
}

/// The same step as one substep.
inline SceneOptions in_one_piece(const SceneOptions& options) {
  SceneOptions made = options;
  made.method = SceneMethod::substeps;
  made.substeps.time_step = options.simultaneous.time_step;
  made.substeps.least = made.substeps.most = 1;
  made.substeps.sweeps = options.simultaneous.iterations;
  made.substeps.relaxing = options.simultaneous.relaxing;
  made.substeps.rounds = options.simultaneous.rounds;
  made.substeps.warm_start = options.simultaneous.warm_start;
  return made;
}

}  // namespace carom::scene
