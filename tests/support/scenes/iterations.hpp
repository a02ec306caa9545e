// One number of iterations for every method of scenes.
#pragma once

#include <carom/scene.hpp>

namespace carom::scenes {

inline void set_iterations(SceneOptions& options, int iterations) {
  options.pgs.iterations = options.iteration.iterations = options.resting.iterations =
      options.sequential_impacts.impacts = iterations;
}

}  // namespace carom::scenes
