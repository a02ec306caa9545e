// The impulse of one contact in a sweep, with everything else held fast. Vectors are in the contact frame, K is split
// into M = K[0:2, 0:2], k = (K13, K23) and K33.
#pragma once

#include <carom/reference.hpp>

#include "core/scene/call_options.hpp"

namespace carom::reference {

/// The state that a step starts from.
struct ContactStep {
  Matrix3 k{};                               ///< [1/kg] positive definite
  Vector3 velocity{};                        ///< [m/s] the slip, and u·n less its target
  Vector3 impulse{};                         ///< [N s] so far
  double friction = 0, static_friction = 0;  ///< [1] finite
};

/// The three components at a time: the impulse that stops `velocity` where static friction allows it, else one on the
/// friction cone against a slip that is taken from `velocity` and the impulse so far. Procedure::pgs.
Vector3 step_on_cone(const ContactStep& step, double relaxation);

/// The normal impulse first, then friction for it. [BS] eqs. 1 to 6; eq. 4 with the sum of the normal impulses, as eq.
/// 6 has it. Procedure::collisions and resting.
Vector3 step_normal_first(const ContactStep& step);

}  // namespace carom::reference
