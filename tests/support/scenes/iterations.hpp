// One number of iterations for every method of scenes.
#pragma once

#include "support/scenes/method_options.hpp"

namespace carom::scenes {

inline void set_iterations(MethodOptions& options, int iterations) {
  options.pgs.iterations = options.bender_schmitt.max_iterations = options.sequential_impacts.max_impacts = iterations;
}

}  // namespace carom::scenes
