// The options of a scene as its kernels read them.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <limits>

#include "kernel/scene/scene_job.hpp"

namespace carom::scene {

/// The share of the warm impulses that contacts begin with.
inline double warm_start_of(const SceneOptions& options) {
  return options.method == SceneMethod::substeps ? options.substeps.warm_start
         : options.method == SceneMethod::ncp    ? options.ncp.warm_start
                                                 : options.pgs.warm_start;
}

template <class T>
kernel::SceneParameters<T> parameters_of(const SceneOptions& options) {
  const Options& o = options.collision;
  const SubstepsOptions& s = options.substeps;
  const bool in_substeps = options.method == SceneMethod::substeps;
  // ncp uses them where islands are swept.
  const bool sweeps = options.method == SceneMethod::pgs || options.method == SceneMethod::ncp;
  const double h = in_substeps ? s.time_step : options.resting.time_step;
  const auto& g = options.resting.gravity;
  return {static_cast<T>(o.normal_tolerance),
          static_cast<T>(o.inertia_tolerance),
          static_cast<T>(o.max_restitution),
          static_cast<T>(sweeps ? options.pgs.relaxation : 1),
          static_cast<T>(warm_start_of(options)),
          static_cast<T>(h),
          static_cast<T>(h > 0 ? 1 / h : 0),
          {static_cast<T>(g[0]), static_cast<T>(g[1]), static_cast<T>(g[2])},
          static_cast<T>(std::sqrt(2 * options.rest.gravity * options.rest.tolerance)),
          static_cast<T>(options.restitution_threshold),
          in_substeps ? s.inner_iterations
          : sweeps    ? options.pgs.inner_iterations
                      : 1,
          1,
          static_cast<T>(h),
          static_cast<T>(h > 0 ? 1 / h : 0),
          s.slop > 0 ? std::max(static_cast<T>(s.slop), std::numeric_limits<T>::min()) : T(0),
          static_cast<T>(s.relative_slop),
          0,
          static_cast<T>(s.max_correction_speed),
          static_cast<T>(s.joint_frequency),
          static_cast<T>(s.joint_damping_ratio),
          static_cast<T>(options.rest.gravity * h),
          static_cast<T>(s.contact_damping_ratio)};
}

/// The parameters of an island that takes n substeps.
template <class T>
void set_substeps(kernel::SceneParameters<T>& to, const SubstepsOptions& options, int n) {
  const double h = options.time_step / n;
  to.substeps = static_cast<T>(n);
  to.substep = static_cast<T>(h);
  to.inverse_substep = static_cast<T>(1 / h);
  to.correction_rate = static_cast<T>(options.correction_rate / h);
  to.warm_start = static_cast<T>(options.warm_start / n);
}

inline kernel::Target target_of(const SceneOptions& options) {
  switch (options.method) {
    case SceneMethod::iteration:
      return options.iteration.swept == ContactFilter::touching ? kernel::Target::touching : kernel::Target::colliding;
    case SceneMethod::resting:
    case SceneMethod::step:
      return kernel::Target::resting;
    case SceneMethod::substeps:
      return kernel::Target::substeps;
    default:
      return kernel::Target::all;
  }
}

}  // namespace carom::scene
