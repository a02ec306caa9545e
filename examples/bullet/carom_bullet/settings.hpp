// Bullet's settings of a step as numbers that can be computed with.
#pragma once

#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>

namespace carom::bullet {

/// The settings, with Bullet's default in the place of every NaN, for which a step must neither throw nor give NaN to
/// bodies. Infinite shares, slops and softnesses are replaced too: no step can be computed with them.
/// `place` holds them if they differ from the given ones.
const btContactSolverInfo& sound(const btContactSolverInfo& info, btContactSolverInfo& place);

}  // namespace carom::bullet
