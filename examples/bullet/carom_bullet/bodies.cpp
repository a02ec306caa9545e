#include "bodies.hpp"

#include <BulletCollision/CollisionShapes/btCollisionShape.h>
#include <LinearMath/btTransformUtil.h>

namespace carom::bullet {

namespace {

// For bodies that do not turn, cubes and balls, Bullet's gyroscopic torque is only a rounding error.
bool has_no_gyroscopic_torque(const btRigidBody& body) {
  const btVector3& inverse = body.getInvInertiaDiagLocal();
  return (inverse.x() == inverse.y() && inverse.y() == inverse.z()) || body.getAngularVelocity().isZero();
}

// The step's forces and gyroscopic torques change the spin by this, as Bullet's flags of the body say.
btVector3 spin_change_of(const btRigidBody& body, const btContactSolverInfo& info) {
  const btMatrix3x3& inverse = body.getInvInertiaTensorWorld();
  btVector3 change = inverse * body.getTotalTorque() * info.m_timeStep;
  if (has_no_gyroscopic_torque(body)) return change;
  const int flags = body.getFlags();
  if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT) != 0)
    change -= inverse * body.computeGyroscopicForceExplicit(info.m_maxGyroscopicForce) * info.m_timeStep;
  if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_WORLD) != 0)
    change += body.computeGyroscopicImpulseImplicit_World(info.m_timeStep);
  if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY) != 0)
    change += body.computeGyroscopicImpulseImplicit_Body(info.m_timeStep);
  return change;
}

// Reads everything except the current velocities.
void read_state(const btRigidBody& body, const btContactSolverInfo& info, BodyState& state) {
  const bool kinematic = body.isKinematicObject();
  const btScalar share = kinematic ? btScalar(0) : btScalar(1);
  state.inverse_mass = share * body.getInvMass();
  // A body that Bullet keeps from turning about an axis of the world has no inverse inertia about it.
  const btMatrix3x3& inverse = body.getInvInertiaTensorWorld();
  const btVector3& factor = body.getAngularFactor();
  const btVector3 root(btSqrt(factor.x()), btSqrt(factor.y()), btSqrt(factor.z()));
  std::size_t component = 0;
  for (int row = 0; row < 3; ++row)
    for (int column = row; column < 3; ++column)
      state.inverse_inertia[component++] = share * root[row] * inverse[row][column] * root[column];
  state.origin = body.getWorldTransform().getOrigin();
  state.velocity_before = body.getLinearVelocity();
  state.spin_before = body.getAngularVelocity();
  state.velocity_change = share * body.getTotalForce() * body.getInvMass() * info.m_timeStep;
  state.spin_change = kinematic ? btVector3(0, 0, 0) : spin_change_of(body, info) * factor;
}

void add_forces_to(BodyState& state, btScalar share) {
  state.velocity += share * state.velocity_change;
  state.spin += share * state.spin_change;
}

btQuaternion turn_by(const btVector3& rotation) {
  const btScalar angle = rotation.length();
  if (!(angle > SIMD_EPSILON)) return btQuaternion(rotation.x() / 2, rotation.y() / 2, rotation.z() / 2, 1);
  return btQuaternion(rotation / angle, angle);
}

// The turn of a body without a turn by btTransformUtil::integrateTransform, with its bits.
btQuaternion bullet_turn_by(const btVector3& spin, btScalar time_step) {
  const btScalar square = spin.length2();
  btScalar rate = square > SIMD_EPSILON ? btSqrt(square) : btScalar(0);
  if (rate * time_step > ANGULAR_MOTION_THRESHOLD) rate = ANGULAR_MOTION_THRESHOLD / time_step;
  const btScalar share = rate < btScalar(0.001) ? btScalar(0.5) * time_step - (time_step * time_step * time_step) *
                                                                                  btScalar(0.020833333333) * rate * rate
                                                : btSin(btScalar(0.5) * rate * time_step) / rate;
  btQuaternion turn(spin.x() * share, spin.y() * share, spin.z() * share, btCos(rate * time_step * btScalar(0.5)));
  turn.safeNormalize();
  return turn;
}

// Moves a body by `shift`, and turns it so that it has the orientation of the step's end once Bullet has turned it.
void move_ahead(btRigidBody& body, const BodyState& state, const btVector3& shift, btScalar time_step) {
  btTransform to(body.getWorldTransform().getBasis(), body.getWorldTransform().getOrigin() + shift);
  // Bullet's own motion, backwards: it turns by no more than a bound.
  if (!state.rotation.isZero() || !state.spin.isZero())
    to.setBasis(btMatrix3x3(bullet_turn_by(-state.spin, time_step)) * btMatrix3x3(turn_by(state.rotation)) *
                to.getBasis());
  body.setWorldTransform(to);
}

// Bodies lie anywhere in memory, so each is prefetched a few bodies before it is read.
constexpr std::size_t ahead = 4;
constexpr std::size_t velocities_end = sizeof(btCollisionObject) + sizeof(btMatrix3x3) + 2 * sizeof(btVector3);

}  // namespace

void Bodies::clear() {
  taken_.clear();
  state_.resize(0);
  read_ = 0;
  has_links_ = has_sweeps_ = any_has_locked_axes_ = false;
}

std::int32_t Bodies::take_new(btCollisionObject& object) {
  btRigidBody* body = btRigidBody::upcast(&object);
  if (body == nullptr) {
    has_links_ = has_links_ || object.getInternalType() == btCollisionObject::CO_FEATHERSTONE_LINK;
    return world;
  }
  const bool kinematic = body->isKinematicObject();
  if (!kinematic && body->getInvMass() == btScalar(0)) return world;
  const auto index = static_cast<std::int32_t>(size());
  body->setCompanionId(index);
  const bool moves = !kinematic && body->getInvMass() > 0;
  const bool has_sweep = moves && body->getCcdSquareMotionThreshold() != 0 && body->getCollisionShape()->isConvex();
  const btVector3& along = body->getLinearFactor();
  const bool has_locked_axes = moves && (along.x() == 0 || along.y() == 0 || along.z() == 0);
  has_sweeps_ = has_sweeps_ || has_sweep;
  any_has_locked_axes_ = any_has_locked_axes_ || has_locked_axes;
  taken_.push_back({body, moves, has_locked_axes, has_sweep, false});
  return index;
}

void Bodies::read(std::size_t first, std::size_t end, const btContactSolverInfo& info, btScalar forces) {
  for (std::size_t i = first; i < end; ++i) {
    if (i + ahead < end) fetch(taken_[i + ahead].body, 0, sizeof(btRigidBody));
    const btRigidBody& body = *taken_[i].body;
    BodyState& state = state_[i];
    read_state(body, info, state);
    state.velocity = state.velocity_before;
    state.spin = state.spin_before;
    if (forces != 0) add_forces_to(state, forces);
  }
}

void Bodies::add_forces(btScalar share) {
  for (BodyState& state : state_) add_forces_to(state, share);
}

void Bodies::count_as_forces() {
  for (BodyState& state : state_) {
    state.velocity_change = std::exchange(state.velocity, btVector3(0, 0, 0));
    state.spin_change = std::exchange(state.spin, btVector3(0, 0, 0));
  }
}

bool Bodies::find_swept(btScalar time_step) {
  bool any = false;
  for (std::size_t i = 0; has_sweeps_ && i < size(); ++i) {
    Taken& taken = taken_[i];
    taken.is_swept =
        taken.has_sweep && (state_[i].velocity * time_step).length2() > taken.body->getCcdSquareMotionThreshold();
    if (taken.is_swept) state_[i].start.setZero();
    any = any || taken.is_swept;
  }
  return any;
}

void Bodies::write(SceneBodies<btScalar>& columns, bool with_changes) {
  BodyState& first = state_[0];
  columns.inverse_mass = {&first.inverse_mass, size(), sizeof(BodyState)};
  columns.inverse_inertia = {first.inverse_inertia.data(), size(), sizeof(BodyState)};
  columns.velocity = this->columns(&BodyState::velocity);
  columns.angular_velocity = this->columns(&BodyState::spin);
  if (!with_changes) return;
  columns.velocity_change = this->columns(&BodyState::velocity_change);
  columns.angular_velocity_change = this->columns(&BodyState::spin_change);
}

Vector3Columns<btScalar> Bodies::columns(btVector3 BodyState::*vector) {
  return Vector3Columns<btScalar>((state_[0].*vector).m_floats, size(), sizeof(BodyState));
}

void Bodies::release() const {
  for (const Taken& taken : taken_) taken.body->setCompanionId(-1);
}

void Bodies::store(std::size_t first, std::size_t end, bool moved, btScalar time_step) const {
  for (std::size_t i = first; i < end; ++i) {
    if (i + ahead < end) fetch(taken_[i + ahead].body, moved ? 0 : sizeof(btCollisionObject) / 2, velocities_end);
    btRigidBody& body = *taken_[i].body;
    body.setCompanionId(-1);
    if (!taken_[i].moves) continue;
    body.setLinearVelocity(state_[i].velocity);
    body.setAngularVelocity(state_[i].spin);
    if (!moved) continue;
    const BodyState& state = state_[i];
    // Bullet's motion takes the body from there to the place where the step has left it.
    const btVector3 shift = taken_[i].is_swept ? state.start : state.displacement - state.velocity * time_step;
    move_ahead(body, state, shift, time_step);
  }
}

}  // namespace carom::bullet
