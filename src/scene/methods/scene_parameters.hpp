// The options of a scene as its kernels read them.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <limits>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"

namespace carom::scene {

template <class T>
kernel::SceneParameters<T> parameters_of(const CallOptions& options) {
  const Options& o = options.collision;
  const PositionCorrection& correction = options.substeps.position_correction;
  const double h = options.time_step;
  return {static_cast<T>(o.data.normal_tolerance),
          static_cast<T>(o.data.inertia_tolerance),
          static_cast<T>(o.data.max_restitution),
          static_cast<T>(options.relaxation),
          static_cast<T>(options.warm_start),
          static_cast<T>(h),
          static_cast<T>(h > 0 ? 1 / h : 0),
          static_cast<T>(options.rest_speed()),
          static_cast<T>(options.restitution_threshold),
          options.inner_iterations,
          1,
          static_cast<T>(h),
          static_cast<T>(h > 0 ? 1 / h : 0),
          correction.slop > 0 ? std::max(static_cast<T>(correction.slop), std::numeric_limits<T>::min()) : T(0),
          static_cast<T>(correction.relative_slop),
          0,
          static_cast<T>(correction.max_speed),
          static_cast<T>(correction.joint_frequency),
          static_cast<T>(correction.joint_damping_ratio),
          static_cast<T>(options.rest_gravity * h),
          static_cast<T>(correction.contact_damping_ratio)};
}

/// The parameters of an island that takes n substeps.
template <class T>
void set_substeps(kernel::SceneParameters<T>& to, const CallOptions& options, int n) {
  const double h = options.time_step / n;
  to.substeps = static_cast<T>(n);
  to.substep = static_cast<T>(h);
  to.inverse_substep = static_cast<T>(1 / h);
  to.correction_rate = static_cast<T>(options.substeps.position_correction.rate / h);
  to.warm_start = static_cast<T>(options.substeps.warm_start / n);
}

}  // namespace carom::scene
