// Bullet's settings of a step as numbers that can be computed with.
#pragma once

#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>

namespace carom::bullet {

/// The settings, with Bullet's default instead of every NaN: a step must neither throw nor store NaN in bodies.
/// Infinite fractions, slops and compliances are replaced too: no step can be computed with them. `place` holds the
/// settings if they differ from the given ones.
const btContactSolverInfo& sound(const btContactSolverInfo& info, btContactSolverInfo& place);

}  // namespace carom::bullet
