// Compares carom with Bullet's own solver on the pyramid of scene/call/.../pyramid:30000, in 10 iterations without warm
// starting:
//   peer/bullet/pyramid:30000                        btSequentialImpulseConstraintSolver::solveGroup, one thread
//   peer/bullet/two_directions/pyramid:30000         the same with SOLVER_USE_2_FRICTION_DIRECTIONS
//   peer/carom_bullet/threads:<t>/pyramid:30000      carom::bullet::ConstraintSolver::solveGroup on the same objects
// Items are points. Counter `missed`: residual relative to the max. approach speed.
#pragma once

namespace carom::bench {

void register_bullet(int max_threads);

}  // namespace carom::bench
