// Models of Bullet's contact points: anisotropic, rolling and spinning friction, and softness, beside the one
// coefficient that every point has.
#pragma once

#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/NarrowPhaseCollision/btManifoldPoint.h>
#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>

#include <carom/scene.hpp>
#include <cstddef>

#include "columns.hpp"

namespace carom::bullet {

inline bool has_flag(const btManifoldPoint& point, int flag) {
  return (point.m_contactPointFlags & flag) != 0;
}
/// True of a point with a stiffness and a damping of its own. Its own CFM would count instead, as in Bullet.
inline bool is_spring(const btManifoldPoint& point) {
  return has_flag(point, BT_CONTACT_FLAG_CONTACT_STIFFNESS_DAMPING) &&
         !has_flag(point, BT_CONTACT_FLAG_HAS_CONTACT_CFM);
}
/// True of a point that has any of it, but for what its bodies have.
bool has_model(const btManifoldPoint& point, bool own_directions, const btContactSolverInfo& info);
/// True of bodies whose friction is anisotropic, of which either may be null.
bool has_anisotropic_friction(const btCollisionObject* a, const btCollisionObject* b);

/// Columns of all points, which are there where one of them has a model.
class PointModels {
 public:
  void resize(std::size_t count);
  /// Fills those of point i, whose friction [1] becomes that along its direction.
  void read(std::size_t i, const btManifoldPoint& point, const btVector3& normal, const btCollisionObject& a,
            const btCollisionObject& b, bool own_directions, bool substeps, const btContactSolverInfo& info,
            btScalar& friction);
  void add_to(SceneContacts<btScalar>& contacts, bool substeps);

 private:
  Scratch<btScalar> friction_2_, rolling_, spinning_, normal_compliance_, tangential_compliance_, stiffness_, damping_;
  VectorArray direction_;
};

}  // namespace carom::bullet
