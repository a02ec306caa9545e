// Bodies under Bullet's continuous detection: where Bullet begins to move them.
#pragma once

#include "bodies.hpp"
#include "points.hpp"

namespace carom::bullet {

/// Sets BodyState::start of the bodies whose motion Bullet will sweep, and corrects their velocities for the height
/// that the start adds. Bodies and points are the state after a solved step of a method that moves bodies.
void begin_sweeps(Bodies& bodies, const Points& points, btScalar time_step);

}  // namespace carom::bullet
