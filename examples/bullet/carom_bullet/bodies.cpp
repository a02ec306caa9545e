#include "bodies.hpp"

#include <LinearMath/btTransformUtil.h>

namespace carom::bullet {

namespace {

// What the step's forces and gyroscopic torques do to the velocities, as Bullet's flags of the body say.
btVector3 spin_change_of(const btRigidBody& body, const btContactSolverInfo& info) {
  const btMatrix3x3& inverse = body.getInvInertiaTensorWorld();
  btVector3 change = inverse * body.getTotalTorque() * info.m_timeStep;
  const int flags = body.getFlags();
  if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT) != 0)
    change -= inverse * body.computeGyroscopicForceExplicit(info.m_maxGyroscopicForce) * info.m_timeStep;
  if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_WORLD) != 0)
    change += body.computeGyroscopicImpulseImplicit_World(info.m_timeStep);
  if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY) != 0)
    change += body.computeGyroscopicImpulseImplicit_Body(info.m_timeStep);
  return change;
}

btQuaternion turn_by(const btVector3& rotation) {
  const btScalar angle = rotation.length();
  if (!(angle > SIMD_EPSILON)) return btQuaternion(rotation.x() / 2, rotation.y() / 2, rotation.z() / 2, 1);
  return btQuaternion(rotation / angle, angle);
}

}  // namespace

void Bodies::clear() {
  body_.clear();
  has_links_ = false;
  inverse_mass_.clear();
  for (auto& component : inverse_inertia_) component.clear();
  for (VectorArray* array :
       {&velocity, &spin, &velocity_before, &spin_before, &velocity_change, &spin_change, &displacement, &rotation})
    array->clear();
}

std::int32_t Bodies::take(btCollisionObject& object, const btContactSolverInfo& info) {
  // The number that Bullet keeps in a body may stem from another step.
  const int known = object.getCompanionId();
  if (known >= 0 && static_cast<std::size_t>(known) < body_.size() && body_[static_cast<std::size_t>(known)] == &object)
    return known;
  btRigidBody* body = btRigidBody::upcast(&object);
  if (body == nullptr) {
    has_links_ = has_links_ || object.getInternalType() == btCollisionObject::CO_FEATHERSTONE_LINK;
    return world;
  }
  const bool kinematic = body->isKinematicObject();
  if (!kinematic && body->getInvMass() == btScalar(0)) return world;

  const auto index = static_cast<std::int32_t>(body_.size());
  body->setCompanionId(index);
  body_.push_back(body);
  const btScalar share = kinematic ? btScalar(0) : btScalar(1);
  inverse_mass_.push_back(share * body->getInvMass());
  // A body that Bullet keeps from turning about an axis of the world has no inverse inertia about it.
  const btMatrix3x3& inverse = body->getInvInertiaTensorWorld();
  const btVector3& factor = body->getAngularFactor();
  const btVector3 root(btSqrt(factor.x()), btSqrt(factor.y()), btSqrt(factor.z()));
  std::size_t component = 0;
  for (int row = 0; row < 3; ++row)
    for (int column = row; column < 3; ++column)
      inverse_inertia_[component++].push_back(share * root[row] * inverse[row][column] * root[column]);
  velocity_before.push_back(body->getLinearVelocity());
  spin_before.push_back(body->getAngularVelocity());
  velocity_change.push_back(share * body->getTotalForce() * body->getInvMass() * info.m_timeStep);
  spin_change.push_back(kinematic ? btVector3(0, 0, 0) : spin_change_of(*body, info) * factor);
  velocity.push_back(body->getLinearVelocity());
  spin.push_back(body->getAngularVelocity());
  return index;
}

BodyColumns<btScalar> Bodies::columns() {
  auto& j = inverse_inertia_;
  return {inverse_mass_, {j[0], j[1], j[2], j[3], j[4], j[5]}, velocity.columns(), spin.columns()};
}

void Bodies::kick() {
  const auto add_half = [](VectorArray& to, const VectorArray& change) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < to.of[axis].size(); ++i) to.of[axis][i] += btScalar(0.5) * change.of[axis][i];
  };
  add_half(velocity, velocity_change);
  add_half(spin, spin_change);
}

void Bodies::release() const {
  for (btRigidBody* body : body_) body->setCompanionId(-1);
}

void Bodies::store() const {
  for (std::size_t i = 0; i < body_.size(); ++i) {
    body_[i]->setCompanionId(-1);
    if (!moves(static_cast<std::int32_t>(i))) continue;
    body_[i]->setLinearVelocity(velocity[i]);
    body_[i]->setAngularVelocity(spin[i]);
  }
}

void Bodies::move_ahead(btScalar time_step) const {
  for (std::size_t i = 0; i < body_.size(); ++i) {
    if (!moves(static_cast<std::int32_t>(i))) continue;
    const btTransform from = body_[i]->getWorldTransform();
    // Bullet's own motion, backwards: it turns by no more than a bound.
    btTransform back;
    btTransformUtil::integrateTransform(btTransform::getIdentity(), -velocity[i], -spin[i], time_step, back);
    btTransform to(back.getBasis() * btMatrix3x3(turn_by(rotation[i])) * from.getBasis(),
                   from.getOrigin() + (displacement[i] - velocity[i] * time_step));
    body_[i]->setWorldTransform(to);
  }
}

}  // namespace carom::bullet
