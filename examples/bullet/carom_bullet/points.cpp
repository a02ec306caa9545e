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

bool is_deep(btScalar gap, const btContactSolverInfo& info) {
  return info.m_splitImpulse != 0 && gap <= info.m_splitImpulsePenetrationThreshold;
}

// Whether the directions of friction are the host's own.
bool own_directions(const btManifoldPoint& point, const btContactSolverInfo& info) {
  return (info.m_solverMode & SOLVER_ENABLE_FRICTION_DIRECTION_CACHING) != 0 &&
         has(point, BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED);
}

// Bullet's detection keeps the lateral impulses of a point that it finds again, but not their directions, so that these
// are those that the normal gives.
void directions(const btManifoldPoint& point, const btVector3& normal, bool own, btVector3& first, btVector3& second) {
  if (own) {
    first = point.m_lateralFrictionDir1;
    second = point.m_lateralFrictionDir2;
  } else {
    btPlaneSpace1(normal, first, second);
  }
}

// Conveyor belts by the point's own motion, and anchors that pull back what has crept away.
btVector3 surface_velocity(const btManifoldPoint& point, bool own, const btContactSolverInfo& info) {
  btVector3 moves(0, 0, 0);
  if (own)
    moves = point.m_lateralFrictionDir1 * point.m_contactMotion1 + point.m_lateralFrictionDir2 * point.m_contactMotion2;
  if (has(point, BT_CONTACT_FLAG_FRICTION_ANCHOR)) {
    const btVector3 drift = point.getPositionWorldOnA() - point.getPositionWorldOnB();
    const btVector3& normal = point.m_normalWorldOnB;
    moves -= (drift - normal * drift.dot(normal)) * (info.m_frictionERP / info.m_timeStep);
  }
  return moves;
}

}  // namespace

void Points::Columns::resize(std::size_t count) {
  body_a.resize(count);
  body_b.resize(count);
  for (VectorArray* array : {&normal, &lever_a, &lever_b}) array->resize(count);
  friction.resize(count);
}

Scene<btScalar> Points::Columns::scene(Bodies& bodies) {
  Scene<btScalar> scene;
  scene.bodies = bodies.columns();
  scene.contacts.body_a = body_a;
  scene.contacts.body_b = body_b;
  scene.contacts.normal = normal.columns();
  scene.contacts.lever_a = lever_a.columns();
  scene.contacts.lever_b = lever_b.columns();
  scene.contacts.friction = friction;
  return scene;
}

void Points::clear() {
  taken_.clear();
  rolling_.clear();
  all_.resize(0);
  colliding_.clear();
  deep_.clear();
  surface_moves_ = false;
}

void Points::take(btPersistentManifold& manifold, Bodies& bodies, const btContactSolverInfo& info) {
  const int count = manifold.getNumContacts();
  if (count == 0) return;
  // Bullet's manifolds give away constant bodies, which its solvers write to.
  const std::int32_t a = bodies.take(const_cast<btCollisionObject&>(*manifold.getBody0()), info);
  const std::int32_t b = bodies.take(const_cast<btCollisionObject&>(*manifold.getBody1()), info);
  if (!bodies.moves(a) && !bodies.moves(b)) return;
  const bool all = manifold.getContactBreakingThreshold() <= manifold.getContactProcessingThreshold();
  const std::size_t first = taken_.empty() ? 0 : taken_.back().first + taken_.back().count;
  auto counted = static_cast<std::size_t>(count);
  if (!all)
    for (int i = 0; i < count; ++i)
      counted -= manifold.getContactPoint(i).getDistance() > manifold.getContactProcessingThreshold();
  taken_.push_back({&manifold, a, b, first, counted, all});
}

void Points::read(const btContactSolverInfo& info, btScalar normal_tolerance) {
  const std::size_t count = taken_.empty() ? 0 : taken_.back().first + taken_.back().count;
  all_.resize(count);
  warm_impulse_.resize(count);
  surface_velocity_.resize(count);
  for (auto* array : {&restitution_, &gap_, &share_, &target_}) array->resize(count);
  zero_.assign(count, 0);
  constexpr std::size_t ahead = 4;
  for (std::size_t m = 0; m < taken_.size(); ++m) {
    if (m + ahead < taken_.size()) fetch(taken_[m + ahead].manifold, 0, sizeof(btManifoldPoint) * MANIFOLD_CACHE_SIZE);
    if (read(taken_[m], info, normal_tolerance)) rolling_.push_back(taken_[m].manifold);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (is_deep(gap_[i], info)) deep_.push_back(i);
}

// Returns whether the manifold resists rolling or spinning.
bool Points::read(const Taken& taken, const btContactSolverInfo& info, btScalar normal_tolerance) {
  const btPersistentManifold& manifold = *taken.manifold;
  const btVector3 &origin_a = manifold.getBody0()->getWorldTransform().getOrigin(),
                  &origin_b = manifold.getBody1()->getWorldTransform().getOrigin();
  const btScalar rate = 1 / info.m_timeStep;
  const btScalar limit = normal_tolerance * normal_tolerance;
  btVector3 normal(0, 0, 0);
  bool rolls = false;
  std::size_t i = taken.first;
  for (int p = 0; p < manifold.getNumContacts(); ++p) {
    const btManifoldPoint& point = manifold.getContactPoint(p);
    if (!taken.all && point.getDistance() > manifold.getContactProcessingThreshold()) continue;
    all_.body_a[i] = taken.a;
    all_.body_b[i] = taken.b;
    if (i == taken.first || (point.m_normalWorldOnB - normal).length2() > limit) normal = point.m_normalWorldOnB;
    all_.normal.set(i, normal);
    all_.lever_a.set(i, point.getPositionWorldOnA() - origin_a);
    all_.lever_b.set(i, point.getPositionWorldOnB() - origin_b);
    all_.friction[i] = point.m_combinedFriction;
    restitution_[i] = std::max(point.m_combinedRestitution, btScalar(0));
    const btScalar gap = point.getDistance() + info.m_linearSlop;
    gap_[i] = gap;
    share_[i] = share_of(point, info);
    target_[i] = gap > 0 ? -gap * rate : is_deep(gap, info) ? btScalar(0) : -gap * share_[i] * rate;
    const bool own = own_directions(point, info);
    // m_prevRHS holds what a collision gave, which does not come again.
    const btScalar held = point.m_appliedImpulse - point.m_prevRHS;
    btVector3 warm(0, 0, 0);
    if (held > 0) {
      btVector3 first, second;
      directions(point, normal, own, first, second);
      warm = normal * held + first * point.m_appliedImpulseLateral1 + second * point.m_appliedImpulseLateral2;
    }
    warm_impulse_.set(i, warm);
    btVector3 moves(0, 0, 0);
    if (own || has(point, BT_CONTACT_FLAG_FRICTION_ANCHOR)) {
      moves = surface_velocity(point, own, info);
      surface_moves_ = surface_moves_ || !moves.isZero();
    }
    surface_velocity_.set(i, moves);
    rolls = rolls || point.m_combinedRollingFriction > 0 || point.m_combinedSpinningFriction > 0;
    ++i;
  }
  return rolls;
}

btScalar Points::approach(std::size_t i, const VectorArray& velocity, const VectorArray& spin) const {
  return -all_.normal[i].dot(velocity_at(velocity, spin, all_.body_a[i], all_.lever_a[i]) -
                             velocity_at(velocity, spin, all_.body_b[i], all_.lever_b[i]));
}

Scene<btScalar> Points::scene(Bodies& bodies, const btContactSolverInfo& info, bool resting, bool rebounds) {
  rebounds_ = rebounds;
  // The resting method counts from the gap that is left after the step.
  if (resting)
    for (std::size_t i = 0; i < size(); ++i) target_[i] += gap_[i] / info.m_timeStep;
  Scene<btScalar> scene = all_.scene(bodies);
  scene.contacts.restitution = rebounds ? restitution_ : zero_;
  if (rebounds) {
    scene.bodies.velocity_change = bodies.velocity_change.columns();
    scene.bodies.angular_velocity_change = bodies.spin_change.columns();
  }
  scene.contacts.target_velocity = target_;
  scene.contacts.gap = gap_;
  scene.contacts.warm_impulse = warm_impulse_.columns();
  if (surface_moves_) scene.contacts.surface_velocity = surface_velocity_.columns();
  impulse.resize(size());
  return scene;
}

Scene<btScalar> Points::scene_of_substeps(Bodies& bodies, const btContactSolverInfo& info, bool rebounds) {
  rebounds_ = rebounds;
  key_.resize(size());
  names_.begin();
  for (const Taken& taken : taken_)
    names_.name(*taken.manifold, [&, i = taken.first](const btManifoldPoint& point, std::uint64_t key) mutable {
      if (taken.all || !(point.getDistance() > taken.manifold->getContactProcessingThreshold())) key_[i++] = key;
    });
  names_.end();
  for (btScalar& gap : gap_) gap -= info.m_linearSlop;
  Scene<btScalar> scene = all_.scene(bodies);
  scene.contacts.restitution = rebounds ? restitution_ : zero_;
  scene.bodies.velocity_change = bodies.velocity_change.columns();
  scene.bodies.angular_velocity_change = bodies.spin_change.columns();
  scene.contacts.gap = gap_;
  scene.contacts.key = key_;
  if (surface_moves_) scene.contacts.surface_velocity = surface_velocity_.columns();
  impulse.resize(size());
  bodies.displacement.resize(bodies.size());
  bodies.rotation.resize(bodies.size());
  return scene;
}

Scene<btScalar> Points::subset(const std::vector<std::size_t>& rows, Bodies& bodies) {
  some_.resize(rows.size());
  for (std::size_t to = 0; to < rows.size(); ++to) {
    const std::size_t from = rows[to];
    some_.body_a[to] = all_.body_a[from];
    some_.body_b[to] = all_.body_b[from];
    some_.normal.set(to, all_.normal[from]);
    some_.lever_a.set(to, all_.lever_a[from]);
    some_.lever_b.set(to, all_.lever_b[from]);
    some_.friction[to] = all_.friction[from];
  }
  return some_.scene(bodies);
}

Scene<btScalar> Points::colliding(Bodies& bodies, const btContactSolverInfo& info,
                                  const btScalar& tangential_restitution) {
  colliding_restitution_.clear();
  greatest_approach_ = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const btScalar speed = approach(i, bodies.velocity, bodies.spin);
    if (gap_[i] > 0 && gap_[i] > info.m_timeStep * speed) continue;
    colliding_.push_back(i);
    colliding_restitution_.push_back(restitution_[i]);
    greatest_approach_ = std::max(greatest_approach_, speed);
  }
  Scene<btScalar> scene = subset(colliding_, bodies);
  scene.contacts.restitution = colliding_restitution_;
  scene.contacts.laws.tangential_restitution = {&tangential_restitution, colliding_.size(), 0};
  collision_impulse.resize(colliding_.size());
  return scene;
}

Scene<btScalar> Points::overlapping(Bodies& bodies, const btContactSolverInfo& info) {
  Scene<btScalar> scene = subset(deep_, bodies);
  push_.clear();
  // Bodies that leave an overlap by themselves, as after a rebound, are pushed by no more than what they lack.
  for (const std::size_t i : deep_)
    push_.push_back(
        std::max(-gap_[i] * share_[i] / info.m_timeStep + approach(i, bodies.velocity, bodies.spin), btScalar(0)));
  std::fill(some_.friction.begin(), some_.friction.end(), btScalar(0));
  scene.contacts.restitution = Column<const btScalar>(zero_.data(), deep_.size());
  scene.contacts.target_velocity = push_;
  return scene;
}

void Points::store(const Bodies& bodies, const btContactSolverInfo& info, btScalar rest_speed) {
  const btScalar fast = std::max(info.m_restitutionVelocityThreshold, rest_speed);
  if (!colliding_.empty()) {
    collided_.assign(size(), 0);
    for (std::size_t row = 0; row < colliding_.size(); ++row)
      collided_[colliding_[row]] = collision_impulse[row].dot(all_.normal[colliding_[row]]);
  }
  for (const Taken& taken : taken_) {
    std::size_t i = taken.first;
    for (int p = 0; p < taken.manifold->getNumContacts(); ++p) {
      btManifoldPoint& point = taken.manifold->getContactPoint(p);
      if (!taken.all && point.getDistance() > taken.manifold->getContactProcessingThreshold()) continue;
      const btVector3 given = impulse[i];
      btVector3 first, second;
      const btVector3 along = all_.normal[i];
      directions(point, along, own_directions(point, info), first, second);
      point.m_appliedImpulseLateral1 = given.dot(first);
      point.m_appliedImpulseLateral2 = given.dot(second);
      point.m_lateralFrictionDir1 = first;
      point.m_lateralFrictionDir2 = second;
      const btScalar normal = given.dot(along);
      const btScalar collided = colliding_.empty() ? btScalar(0) : collided_[i];
      point.m_appliedImpulse = normal + collided;
      const bool rebounded = rebounds_ && restitution_[i] > 0 && normal > 0 &&
                             approach(i, bodies.velocity_before, bodies.spin_before) > fast;
      point.m_prevRHS = rebounded ? normal : collided;
      ++i;
    }
  }
}

}  // namespace carom::bullet
