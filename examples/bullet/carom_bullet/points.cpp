#include "points.hpp"

#include <algorithm>

namespace carom::bullet {

namespace {

bool has(const btManifoldPoint& point, int flag) {
  return (point.m_contactPointFlags & flag) != 0;
}

// The share of an overlap that goes in a step.
btScalar share_of(const btManifoldPoint& point, const btContactSolverInfo& info) {
  if (has(point, BT_CONTACT_FLAG_HAS_CONTACT_ERP)) return point.m_contactERP;
  if (has(point, BT_CONTACT_FLAG_CONTACT_STIFFNESS_DAMPING) && !has(point, BT_CONTACT_FLAG_HAS_CONTACT_CFM)) {
    const btScalar stiff = info.m_timeStep * point.m_combinedContactStiffness1;
    return stiff / std::max(stiff + point.m_combinedContactDamping1, SIMD_EPSILON);
  }
  return info.m_erp2;
}

}  // namespace

void Points::clear() {
  point_.clear();
  body_a_.clear();
  body_b_.clear();
  for (VectorArray* array : {&normal_, &lever_a_, &lever_b_, &surface_velocity_}) array->clear();
  for (auto* array : {&friction_, &gap_, &share_}) array->clear();
  own_frame_.clear();
  surface_moves_ = false;
  colliding_.clear();
  deep_.clear();
}

void Points::take(btPersistentManifold& manifold, Bodies& bodies, const btContactSolverInfo& info) {
  // Bullet's manifolds give away constant bodies, which its solvers write to.
  auto& object_a = const_cast<btCollisionObject&>(*manifold.getBody0());
  auto& object_b = const_cast<btCollisionObject&>(*manifold.getBody1());
  const std::int32_t a = bodies.take(object_a, info), b = bodies.take(object_b, info);
  if (!bodies.moves(a) && !bodies.moves(b)) return;
  const btVector3 &origin_a = object_a.getWorldTransform().getOrigin(),
                  &origin_b = object_b.getWorldTransform().getOrigin();
  const bool own_frames = (info.m_solverMode & SOLVER_ENABLE_FRICTION_DIRECTION_CACHING) != 0;
  for (int i = 0; i < manifold.getNumContacts(); ++i) {
    btManifoldPoint& point = manifold.getContactPoint(i);
    if (point.getDistance() > manifold.getContactProcessingThreshold()) continue;
    point_.push_back(&point);
    body_a_.push_back(a);
    body_b_.push_back(b);
    normal_.push_back(point.m_normalWorldOnB);
    lever_a_.push_back(point.getPositionWorldOnA() - origin_a);
    lever_b_.push_back(point.getPositionWorldOnB() - origin_b);
    friction_.push_back(point.m_combinedFriction);
    gap_.push_back(point.getDistance() + info.m_linearSlop);
    share_.push_back(share_of(point, info));
    own_frame_.push_back(own_frames && has(point, BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED));
    add_surface_velocity(point, point.m_normalWorldOnB, info);
  }
}

// Conveyor belts by the points' own motion, and anchors that pull back what has crept away.
void Points::add_surface_velocity(const btManifoldPoint& point, const btVector3& normal,
                                  const btContactSolverInfo& info) {
  btVector3 moves(0, 0, 0);
  if (own_frame_.back())
    moves = point.m_lateralFrictionDir1 * point.m_contactMotion1 + point.m_lateralFrictionDir2 * point.m_contactMotion2;
  if (has(point, BT_CONTACT_FLAG_FRICTION_ANCHOR)) {
    const btVector3 drift = point.getPositionWorldOnA() - point.getPositionWorldOnB();
    moves -= (drift - normal * drift.dot(normal)) * (info.m_frictionERP / info.m_timeStep);
  }
  surface_moves_ = surface_moves_ || !moves.isZero();
  surface_velocity_.push_back(moves);
}

void Points::set_targets(const Bodies& bodies, const btContactSolverInfo& info, bool rebound) {
  const std::size_t count = size();
  target_.resize(count);
  zero_.assign(count, 0);
  rebounds_.assign(count, false);
  const btScalar step = info.m_timeStep;
  for (std::size_t i = 0; i < count; ++i) {
    const btScalar gap = gap_[i];
    const bool deep = info.m_splitImpulse != 0 && gap <= info.m_splitImpulsePenetrationThreshold;
    // A gap may close, an overlap goes by its share.
    target_[i] = gap > 0 ? -gap / step : deep ? btScalar(0) : -gap * share_[i] / step;
    if (deep) deep_.push_back(i);
    const btScalar restitution = point_[i]->m_combinedRestitution;
    if (!rebound || !(restitution > 0)) continue;

    const btVector3 n = normal_[i];
    const auto approach = [&](const VectorArray& velocity, const VectorArray& spin) {
      return n.dot(velocity_at(velocity, spin, body_a_[i], lever_a_[i]) -
                   velocity_at(velocity, spin, body_b_[i], lever_b_[i]));
    };
    const btScalar before = approach(bodies.velocity_before, bodies.spin_before);
    const btScalar change = approach(bodies.velocity_change, bodies.spin_change);
    if (-before < info.m_restitutionVelocityThreshold || gap + step * (before + change) > 0) continue;
    // The collision happens where the body is, half a step of forces after the last velocity: a ball with restitution 1
    // then keeps its height (README.md).
    const btScalar rebound_speed = -restitution * (before + change / 2) + change / 2;
    if (rebound_speed <= target_[i]) continue;
    target_[i] = rebound_speed;
    rebounds_[i] = true;
  }
}

Points::Frame Points::frame(std::size_t i) const {
  const btManifoldPoint& point = *point_[i];
  if (own_frame_[i]) return {point.m_lateralFrictionDir1, point.m_lateralFrictionDir2};
  Frame found;
  btPlaneSpace1(normal_[i], found.first, found.second);
  return found;
}

void Points::set_warm_impulses() {
  warm_impulse_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const btManifoldPoint& point = *point_[i];
    // m_prevRHS holds what a collision gave, which does not come again.
    const btScalar normal = point.m_appliedImpulse - point.m_prevRHS;
    btVector3 warm(0, 0, 0);
    if (normal > 0) {
      const Frame t = frame(i);
      warm = normal_[i] * normal + t.first * point.m_appliedImpulseLateral1 + t.second * point.m_appliedImpulseLateral2;
    }
    warm_impulse_.set(i, warm);
  }
}

Scene<btScalar> Points::scene(Bodies& bodies) {
  Scene<btScalar> scene;
  scene.bodies = bodies.columns();
  scene.body_a = body_a_;
  scene.body_b = body_b_;
  scene.normal = normal_.columns();
  scene.lever_a = lever_a_.columns();
  scene.lever_b = lever_b_.columns();
  scene.friction = friction_;
  scene.restitution = zero_;
  scene.target_velocity = target_;
  scene.warm_impulse = warm_impulse_.columns();
  if (surface_moves_) scene.surface_velocity = surface_velocity_.columns();
  impulse.resize(size());
  return scene;
}

Scene<btScalar> Points::subset(const std::vector<std::size_t>& rows, Bodies& bodies) {
  subset_a_.clear();
  subset_b_.clear();
  subset_friction_.clear();
  for (VectorArray* array : {&subset_normal_, &subset_lever_a_, &subset_lever_b_}) array->clear();
  for (const std::size_t i : rows) {
    subset_a_.push_back(body_a_[i]);
    subset_b_.push_back(body_b_[i]);
    subset_friction_.push_back(friction_[i]);
    subset_normal_.push_back(normal_[i]);
    subset_lever_a_.push_back(lever_a_[i]);
    subset_lever_b_.push_back(lever_b_[i]);
  }
  Scene<btScalar> scene;
  scene.bodies = bodies.columns();
  scene.body_a = subset_a_;
  scene.body_b = subset_b_;
  scene.normal = subset_normal_.columns();
  scene.lever_a = subset_lever_a_.columns();
  scene.lever_b = subset_lever_b_.columns();
  scene.friction = subset_friction_;
  return scene;
}

Scene<btScalar> Points::colliding(Bodies& bodies, const btContactSolverInfo& info, const Column<btScalar>& tangential) {
  restitution_.clear();
  greatest_approach_ = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const btVector3 n = normal_[i];
    const btScalar speed = n.dot(velocity_at(bodies.velocity, bodies.spin, body_a_[i], lever_a_[i]) -
                                 velocity_at(bodies.velocity, bodies.spin, body_b_[i], lever_b_[i]));
    if (gap_[i] > 0 && gap_[i] + info.m_timeStep * speed > 0) continue;
    colliding_.push_back(i);
    restitution_.push_back(std::max(point_[i]->m_combinedRestitution, btScalar(0)));
    greatest_approach_ = std::max(greatest_approach_, -speed);
  }
  Scene<btScalar> scene = subset(colliding_, bodies);
  scene.restitution = restitution_;
  scene.tangential_restitution = Column<btScalar>(tangential.data, colliding_.size(), tangential.stride);
  collision_impulse.resize(colliding_.size());
  return scene;
}

Scene<btScalar> Points::overlapping(Bodies& bodies, const btContactSolverInfo& info) {
  Scene<btScalar> scene = subset(deep_, bodies);
  push_.clear();
  for (const std::size_t i : deep_) push_.push_back(-gap_[i] * share_[i] / info.m_timeStep);
  std::fill(subset_friction_.begin(), subset_friction_.end(), btScalar(0));
  scene.restitution = Column<const btScalar>(zero_.data(), deep_.size());
  scene.target_velocity = push_;
  return scene;
}

void Points::store(bool collided) const {
  for (std::size_t i = 0; i < size(); ++i) {
    btManifoldPoint& point = *point_[i];
    const btVector3 given = impulse[i];
    const Frame t = frame(i);
    point.m_appliedImpulse = given.dot(normal_[i]);
    point.m_appliedImpulseLateral1 = given.dot(t.first);
    point.m_appliedImpulseLateral2 = given.dot(t.second);
    point.m_prevRHS = rebounds_[i] ? point.m_appliedImpulse : btScalar(0);
    if (!own_frame_[i]) {
      point.m_lateralFrictionDir1 = t.first;
      point.m_lateralFrictionDir2 = t.second;
    }
  }
  if (!collided) return;
  for (std::size_t row = 0; row < colliding_.size(); ++row) {
    btManifoldPoint& point = *point_[colliding_[row]];
    const btScalar normal = collision_impulse[row].dot(normal_[colliding_[row]]);
    point.m_appliedImpulse += normal;
    point.m_prevRHS = normal;
  }
}

}  // namespace carom::bullet
