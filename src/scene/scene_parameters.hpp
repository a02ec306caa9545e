// The options of a scene as its kernels read them.
#pragma once

#include <carom/scene.hpp>
#include <cmath>

#include "kernel/scene/scene_job.hpp"

namespace carom::scene {

/// `step`: of SceneSolver::step.
template <class T>
kernel::SceneParameters<T> parameters_of(const SceneOptions& options, bool step) {
  const Options& o = options.collision;
  const auto& g = options.gravity;
  return {static_cast<T>(o.normal_tolerance),
          static_cast<T>(o.inertia_tolerance),
          static_cast<T>(o.largest_restitution),
          static_cast<T>(options.method == SceneMethod::simultaneous && !step ? options.relaxation : 1),
          static_cast<T>(options.warm_start),
          static_cast<T>(options.time_step),
          static_cast<T>(options.time_step > 0 ? 1 / options.time_step : 0),
          {static_cast<T>(g[0]), static_cast<T>(g[1]), static_cast<T>(g[2])},
          static_cast<T>(std::sqrt(2 * options.rest_gravity * options.rest_tolerance)),
          static_cast<T>(options.restitution_threshold)};
}

inline kernel::Target target_of(const SceneOptions& options, bool step) {
  return step || options.method == SceneMethod::resting ? kernel::Target::resting
         : options.method != SceneMethod::iteration     ? kernel::Target::all
         : options.swept == SweptContacts::touching     ? kernel::Target::touching
                                                        : kernel::Target::colliding;
}

}  // namespace carom::scene
