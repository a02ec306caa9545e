// The options of a scene as its kernels read them.
#pragma once

#include <carom/scene.hpp>
#include <cmath>

#include "kernel/scene/scene_job.hpp"

namespace carom::scene {

template <class T>
kernel::SceneParameters<T> parameters_of(const SceneOptions& options) {
  const Options& o = options.collision;
  const double h = options.resting.time_step;
  const auto& g = options.resting.gravity;
  return {static_cast<T>(o.normal_tolerance),
          static_cast<T>(o.inertia_tolerance),
          static_cast<T>(o.largest_restitution),
          static_cast<T>(options.method == SceneMethod::simultaneous ? options.simultaneous.relaxation : 1),
          static_cast<T>(options.simultaneous.warm_start),
          static_cast<T>(h),
          static_cast<T>(h > 0 ? 1 / h : 0),
          {static_cast<T>(g[0]), static_cast<T>(g[1]), static_cast<T>(g[2])},
          static_cast<T>(std::sqrt(2 * options.rest.gravity * options.rest.tolerance)),
          static_cast<T>(options.restitution_threshold)};
}

inline kernel::Target target_of(const SceneOptions& options) {
  switch (options.method) {
    case SceneMethod::iteration:
      return options.iteration.swept == SweptContacts::touching ? kernel::Target::touching : kernel::Target::colliding;
    case SceneMethod::resting:
    case SceneMethod::step:
      return kernel::Target::resting;
    default:
      return kernel::Target::all;
  }
}

}  // namespace carom::scene
