// Models of Bullet's contact points in addition to the friction coefficient of every point: anisotropic, rolling and
// spinning friction, and compliance.
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
/// Returns true for a point with its own stiffness and damping. As in Bullet, its own CFM would take precedence.
inline bool is_spring(const btManifoldPoint& point) {
  return has_flag(point, BT_CONTACT_FLAG_CONTACT_STIFFNESS_DAMPING) &&
         !has_flag(point, BT_CONTACT_FLAG_HAS_CONTACT_CFM);
}
/// Returns true for a point with any of these models except anisotropic friction, which depends on its bodies.
bool has_model(const btManifoldPoint& point, bool own_directions, const btContactSolverInfo& info);
/// Returns true for bodies with anisotropic friction. Either may be null.
bool has_anisotropic_friction(const btCollisionObject* a, const btCollisionObject* b);

/// Columns of all points. They exist if a point has a model.
class PointModels {
 public:
  void resize(std::size_t count);
  /// Sets the columns of point i. Its `friction` [1] becomes the coefficient along its friction direction.
  void read(std::size_t i, const btManifoldPoint& point, const btVector3& normal, const btCollisionObject& a,
            const btCollisionObject& b, bool own_directions, bool substeps, const btContactSolverInfo& info,
            btScalar& friction);
  void add_to(SceneContacts<btScalar>& contacts, bool substeps);

 private:
  Scratch<btScalar> friction_2_, rolling_, spinning_, normal_compliance_, tangential_compliance_, stiffness_, damping_;
  VectorArray direction_;
};

}  // namespace carom::bullet
