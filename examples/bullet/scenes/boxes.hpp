// Short names for the parts of most scenes.
#pragma once

#include <cmath>
#include <memory>

#include "world.hpp"

namespace carom_scenes {

inline btVector3 vector(double x, double y, double z) {
  return {static_cast<btScalar>(x), static_cast<btScalar>(y), static_cast<btScalar>(z)};
}

inline btTransform place(double x, double y, double z) {
  return btTransform(btQuaternion::getIdentity(), vector(x, y, z));
}

/// Bullet takes the product of two bodies' friction: between two of these it is `friction`.
inline Material rubbing(double friction) {
  return {std::sqrt(friction), 0};
}

inline btRigidBody& add_box(World& world, const btVector3& size, double mass, const btTransform& pose,
                            double friction) {
  return world.add(std::make_shared<btBoxShape>(size / 2), mass, pose, rubbing(friction));
}

/// The top is z = 0.
inline btRigidBody& add_ground(World& world, double friction) {
  return add_box(world, vector(100, 100, 2), 0, place(0, 0, -1), friction);
}

}  // namespace carom_scenes
