// The options of a scene as its kernels read them.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <limits>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"

namespace carom::scene {

/// The share of the warm impulses that contacts begin with.
inline double warm_start_of(const CallOptions& options) {
  return options.procedure == Procedure::substeps ? options.substeps.warm_start
         : options.procedure == Procedure::ncp    ? options.ncp.warm_start
                                                  : options.pgs.warm_start;
}

template <class T>
kernel::SceneParameters<T> parameters_of(const CallOptions& options) {
  const Options& o = options.collision;
  const Substeps& s = options.substeps;
  const PositionCorrection& correction = s.position_correction;
  const bool in_substeps = options.procedure == Procedure::substeps;
  // ncp uses them where islands are swept.
  const bool sweeps = options.procedure == Procedure::pgs || options.procedure == Procedure::ncp;
  const double h = options.time_step;
  return {static_cast<T>(o.data.normal_tolerance),
          static_cast<T>(o.data.inertia_tolerance),
          static_cast<T>(o.data.max_restitution),
          static_cast<T>(sweeps ? options.pgs.relaxation : 1),
          static_cast<T>(warm_start_of(options)),
          static_cast<T>(h),
          static_cast<T>(h > 0 ? 1 / h : 0),
          static_cast<T>(options.rest_speed()),
          static_cast<T>(options.restitution_threshold),
          in_substeps ? s.inner_iterations
          : sweeps    ? options.pgs.inner_iterations
                      : 1,
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

inline kernel::Target target_of(const CallOptions& options) {
  switch (options.procedure) {
    case Procedure::collisions:
      return options.bender_schmitt.filter == ContactFilter::touching ? kernel::Target::touching
                                                                      : kernel::Target::colliding;
    case Procedure::resting:
    case Procedure::both_phases:
      return kernel::Target::resting;
    case Procedure::substeps:
      return kernel::Target::substeps;
    default:
      return kernel::Target::all;
  }
}

}  // namespace carom::scene
