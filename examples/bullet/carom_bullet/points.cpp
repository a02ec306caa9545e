#include "points.hpp"

#include <BulletCollision/CollisionDispatch/btManifoldResult.h>

#include <algorithm>
#include <utility>

namespace carom::bullet {

namespace {

// The share of an overlap that goes in a step.
btScalar share_of(const btManifoldPoint& point, const btContactSolverInfo& info) {
  if (has_flag(point, BT_CONTACT_FLAG_HAS_CONTACT_ERP)) return point.m_contactERP;
  if (is_spring(point)) {
    const btScalar stiff = info.m_timeStep * point.m_combinedContactStiffness1;
    return stiff / std::max(stiff + point.m_combinedContactDamping1, SIMD_EPSILON);
  }
  return info.m_erp2;
}

// True for a point that Bullet has made by a sweep of the body's centre, ahead of any detection.
bool is_predictive(const btManifoldPoint& point, const btCollisionObject* body) {
  return point.m_localPointA.isZero() && point.getPositionWorldOnA() == body->getWorldTransform().getOrigin();
}

bool is_deep(btScalar separation, const btContactSolverInfo& info) {
  return info.m_splitImpulse != 0 && separation <= info.m_splitImpulsePenetrationThreshold;
}

// True if the application sets the directions of friction.
bool own_directions(const btManifoldPoint& point, const btContactSolverInfo& info) {
  return (info.m_solverMode & SOLVER_ENABLE_FRICTION_DIRECTION_CACHING) != 0 &&
         has_flag(point, BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED);
}

// Conveyor belts by the point's own motion, and anchors that pull bodies back which have crept away.
btVector3 surface_velocity(const btManifoldPoint& point, bool own, const btContactSolverInfo& info) {
  btVector3 moves(0, 0, 0);
  if (own)
    moves = point.m_lateralFrictionDir1 * point.m_contactMotion1 + point.m_lateralFrictionDir2 * point.m_contactMotion2;
  if (has_flag(point, BT_CONTACT_FLAG_FRICTION_ANCHOR)) {
    const btVector3 drift = point.getPositionWorldOnA() - point.getPositionWorldOnB();
    const btVector3& normal = point.m_normalWorldOnB;
    moves -= (drift - normal * drift.dot(normal)) * (info.m_frictionERP / info.m_timeStep);
  }
  return moves;
}

// Directions of friction at consecutive points. Bullet's detection keeps the lateral impulses of a point that it finds
// again, but not their directions, so the directions are computed from the normal.
class Directions {
 public:
  void find(const btManifoldPoint& point, const btVector3& normal, bool own) {
    if (own) {
      first = point.m_lateralFrictionDir1;
      second = point.m_lateralFrictionDir2;
      known_ = false;
      return;
    }
    if (known_ && normal.x() == normal_.x() && normal.y() == normal_.y() && normal.z() == normal_.z()) return;
    btPlaneSpace1(normal, first, second);
    normal_ = normal;
    known_ = true;
  }

  btVector3 first{0, 0, 0}, second{0, 0, 0};

 private:
  btVector3 normal_{0, 0, 0};
  bool known_ = false;
};

// Manifolds lie anywhere in memory, so the points of each are prefetched a few manifolds before they are read.
constexpr std::size_t manifolds_ahead = 4;

// Asks for the numbers of points that Points::store writes.
void fetch_to_write(const btPersistentManifold& manifold, std::size_t points) {
  for (int p = 0; p < static_cast<int>(points); ++p) {
    const btManifoldPoint& point = manifold.getContactPoint(p);
    __builtin_prefetch(&point.m_appliedImpulse, 1);
    __builtin_prefetch(&point.m_lateralFrictionDir2, 1);
  }
}

}  // namespace

void Points::Columns::resize(std::size_t count) {
  body_a.resize(count);
  body_b.resize(count);
  for (VectorArray* array : {&normal, &r_a, &r_b}) array->resize(count);
  friction.resize(count);
}

void Points::Columns::write(SceneContacts<btScalar>& contacts) {
  contacts.body_a = body_a;
  contacts.body_b = body_b;
  contacts.normal = normal.columns();
  contacts.r_a = r_a.columns();
  contacts.r_b = r_b.columns();
  contacts.friction = friction;
}

void Points::clear() {
  taken_.clear();
  rolling_.clear();
  colliding_.clear();
  deep_.clear();
  read_ = 0;
  surface_moves_ = has_models_ = false;
  names_.begin();
}

bool Points::take(btPersistentManifold& manifold, Bodies& bodies, bool named) {
  // Bullet's manifolds return const bodies, but its solvers write to them.
  const std::int32_t a = bodies.take(const_cast<btCollisionObject&>(*manifold.getBody0()));
  const std::int32_t b = bodies.take(const_cast<btCollisionObject&>(*manifold.getBody1()));
  if (!bodies.moves(a) && !bodies.moves(b)) return false;
  const bool all = manifold.getContactBreakingThreshold() <= manifold.getContactProcessingThreshold();
  auto counted = static_cast<std::size_t>(manifold.getNumContacts());
  if (!all)
    for (int i = 0; i < manifold.getNumContacts(); ++i)
      counted -= manifold.getContactPoint(i).getDistance() > manifold.getContactProcessingThreshold();
  const std::size_t before = named ? names_.find(manifold) : PointNames::none;
  taken_.push_back({&manifold, a, b, count(), counted, before, all, false, false});
  return true;
}

std::size_t Points::reserve(std::size_t further, const Reading& how) {
  if (how.substeps) names_.reserve(taken_.size() + further);
  const std::size_t points = count() + further * MANIFOLD_CACHE_SIZE;
  if (points != size() || how.substeps != are_for_substeps_) resize(points, how.substeps);
  return std::exchange(read_, taken_.size());
}

void Points::resize(std::size_t points, bool substeps) {
  are_for_substeps_ = substeps;
  all_.resize(points);
  impulse.resize(points);
  restitution_.resize(points);
  separation_.resize(points);
  if (substeps) {
    key_.resize(points);
  } else {
    warm_impulse_.resize(points);
    share_.resize(points);
    target_.resize(points);
  }
}

void Points::read(std::size_t first, std::size_t end, const Bodies& bodies, const Reading& how) {
  for (std::size_t m = first; m < end; ++m) {
    if (m + manifolds_ahead < end)
      fetch(taken_[m + manifolds_ahead].manifold, 0, sizeof(btManifoldPoint) * taken_[m + manifolds_ahead].count);
    read(taken_[m], m, bodies, how);
  }
}

void Points::end_reading(const Reading& how) {
  for (const Taken& taken : taken_) {
    has_models_ = has_models_ || taken.has_model;
    surface_moves_ = surface_moves_ || taken.surface_moves;
  }
  if (surface_moves_) read_surfaces(how);
  if (has_models_ && how.without_models) {
    for (const Taken& taken : taken_)
      if (taken.has_model) rolling_.push_back(taken.manifold);
    has_models_ = false;
  } else if (has_models_) {
    read_models(how);
  }
  if (how.substeps)
    names_.end();
  else if (how.info.m_splitImpulse != 0)
    for (std::size_t i = 0; i < size(); ++i)
      if (is_deep(separation_[i], how.info)) deep_.push_back(i);
}

// Calls visit(i, point) for the points of a manifold that count.
template <class Visit>
void Points::each_point(const Taken& taken, const Visit& visit) {
  const btPersistentManifold& manifold = *taken.manifold;
  std::size_t i = taken.first;
  for (int p = 0; p < manifold.getNumContacts(); ++p) {
    const btManifoldPoint& point = manifold.getContactPoint(p);
    if (taken.all || !(point.getDistance() > manifold.getContactProcessingThreshold())) visit(i++, point);
  }
}

void Points::read(Taken& taken, std::size_t number, const Bodies& bodies, const Reading& how) {
  const btPersistentManifold& manifold = *taken.manifold;
  const btContactSolverInfo& info = how.info;
  const btVector3 origin_a = bodies.origin(taken.a, *manifold.getBody0()),
                  origin_b = bodies.origin(taken.b, *manifold.getBody1());
  const btScalar limit = how.normal_tolerance * how.normal_tolerance, slop = info.m_linearSlop;
  const PointNames::Keys* const keys = how.substeps ? &names_.name(number, manifold, taken.before) : nullptr;
  btVector3 normal(0, 0, 0);
  bool has_flags = false, turns_hard = false, may_be_predictive = false;
  std::size_t i = taken.first;
  // Only plain numbers here; columns that few points need come afterwards.
  for (int p = 0; p < manifold.getNumContacts(); ++p) {
    const btManifoldPoint& point = manifold.getContactPoint(p);
    if (!taken.all && point.getDistance() > manifold.getContactProcessingThreshold()) continue;
    all_.body_a[i] = taken.a;
    all_.body_b[i] = taken.b;
    if (i == taken.first || (point.m_normalWorldOnB - normal).length2() > limit) normal = point.m_normalWorldOnB;
    all_.normal.set(i, normal);
    all_.r_a.set(i, point.getPositionWorldOnA() - origin_a);
    all_.r_b.set(i, point.getPositionWorldOnB() - origin_b);
    all_.friction[i] = point.m_combinedFriction;
    restitution_[i] = std::max(point.m_combinedRestitution, btScalar(0));
    separation_[i] = point.getDistance() + slop;
    if (keys != nullptr) key_[i] = (*keys)[static_cast<std::size_t>(p)];
    has_flags |= point.m_contactPointFlags != 0;
    turns_hard |= point.m_combinedRollingFriction > 0 || point.m_combinedSpinningFriction > 0;
    may_be_predictive |= point.m_combinedRestitution == 0 && point.m_localPointA.isZero();
    ++i;
  }
  if (!how.substeps) read_for_sweeps(taken, how);
  if (how.predicted_rebound && may_be_predictive)
    each_point(taken, [&](std::size_t k, const btManifoldPoint& point) {
      if (point.m_combinedRestitution == 0 && is_predictive(point, manifold.getBody0()))
        restitution_[k] =
            std::max(gCalculateCombinedRestitutionCallback(manifold.getBody0(), manifold.getBody1()), btScalar(0));
    });
  taken.has_model =
      turns_hard || info.m_globalCfm > 0 || has_anisotropic_friction(manifold.getBody0(), manifold.getBody1());
  if (!has_flags) return;
  each_point(taken, [&](std::size_t, const btManifoldPoint& point) {
    const bool own = own_directions(point, info);
    taken.surface_moves = taken.surface_moves || !surface_velocity(point, own, info).isZero();
    taken.has_model = taken.has_model || has_model(point, own, info);
  });
}

// Targets, and the impulses of the last step.
void Points::read_for_sweeps(const Taken& taken, const Reading& how) {
  const btContactSolverInfo& info = how.info;
  const btScalar rate = 1 / info.m_timeStep;
  Directions directions;
  each_point(taken, [&](std::size_t i, const btManifoldPoint& point) {
    const btScalar separation = separation_[i];
    share_[i] = share_of(point, info);
    target_[i] = separation > 0              ? -separation * rate
                 : is_deep(separation, info) ? btScalar(0)
                                             : -separation * share_[i] * rate;
    // m_prevRHS holds the impulse of a collision, which must not act again.
    const btScalar held = point.m_appliedImpulse - point.m_prevRHS;
    btVector3 warm(0, 0, 0);
    if (held > 0) {
      const btVector3 normal = all_.normal[i];
      directions.find(point, normal, own_directions(point, info));
      warm = normal * held + directions.first * point.m_appliedImpulseLateral1 +
             directions.second * point.m_appliedImpulseLateral2;
    }
    warm_impulse_.set(i, warm);
  });
}

void Points::read_models(const Reading& how) {
  models_.resize(size());
  for (const Taken& taken : taken_)
    each_point(taken, [&](std::size_t i, const btManifoldPoint& point) {
      models_.read(i, point, all_.normal[i], *taken.manifold->getBody0(), *taken.manifold->getBody1(),
                   own_directions(point, how.info), how.substeps, how.info, all_.friction[i]);
    });
}

void Points::read_surfaces(const Reading& how) {
  surface_velocity_.resize(size());
  for (const Taken& taken : taken_)
    each_point(taken, [&](std::size_t i, const btManifoldPoint& point) {
      surface_velocity_.set(i, surface_velocity(point, own_directions(point, how.info), how.info));
    });
}

btScalar Points::approach(std::size_t i, const Bodies& bodies, btVector3 BodyState::*velocity,
                          btVector3 BodyState::*spin) const {
  return -all_.normal[i].dot(velocity_at(bodies, velocity, spin, all_.body_a[i], all_.r_a[i]) -
                             velocity_at(bodies, velocity, spin, all_.body_b[i], all_.r_b[i]));
}

void Points::write_restitution(SceneContacts<btScalar>& contacts, bool rebounds) {
  rebounds_ = rebounds;
  if (rebounds)
    contacts.restitution = restitution_;
  else
    contacts.restitution = 0;
}

void Points::write(Scene<btScalar>& scene, Bodies& bodies, const btContactSolverInfo& info, bool resting, bool rebounds,
                   bool with_changes) {
  // BenderSchmitt counts from the separation that is left after the step.
  if (resting)
    for (std::size_t i = 0; i < size(); ++i) target_[i] += separation_[i] / info.m_timeStep;
  bodies.write(scene.bodies, with_changes);
  all_.write(scene.contacts);
  write_restitution(scene.contacts, rebounds);
  scene.contacts.target_velocity = target_;
  if (resting) scene.contacts.separation = separation_;
  scene.contacts.warm_impulse = warm_impulse_.columns();
  if (surface_moves_) scene.contacts.surface_velocity = surface_velocity_.columns();
  if (has_models_) models_.add_to(scene.contacts, false);
}

void Points::write_for_substeps(Scene<btScalar>& scene, Bodies& bodies, const btContactSolverInfo& info,
                                bool rebounds) {
  if (info.m_linearSlop != btScalar(0))
    for (btScalar& separation : separation_) separation -= info.m_linearSlop;
  bodies.write(scene.bodies, true);
  all_.write(scene.contacts);
  write_restitution(scene.contacts, rebounds);
  scene.contacts.separation = separation_;
  scene.contacts.key = key_;
  if (surface_moves_) scene.contacts.surface_velocity = surface_velocity_.columns();
  if (has_models_) models_.add_to(scene.contacts, true);
}

Scene<btScalar> Points::subset(const std::vector<std::size_t>& rows, Bodies& bodies) {
  some_.resize(rows.size());
  for (std::size_t to = 0; to < rows.size(); ++to) {
    const std::size_t from = rows[to];
    some_.body_a[to] = all_.body_a[from];
    some_.body_b[to] = all_.body_b[from];
    some_.normal.set(to, all_.normal[from]);
    some_.r_a.set(to, all_.r_a[from]);
    some_.r_b.set(to, all_.r_b[from]);
    some_.friction[to] = all_.friction[from];
  }
  Scene<btScalar> scene;
  bodies.write(scene.bodies, false);
  some_.write(scene.contacts);
  return scene;
}

Scene<btScalar> Points::colliding(Bodies& bodies, const btContactSolverInfo& info,
                                  const btScalar& tangential_restitution) {
  colliding_restitution_.clear();
  max_approach_speed_ = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const btScalar speed = approach(i, bodies, &BodyState::velocity, &BodyState::spin);
    if (separation_[i] > 0 && separation_[i] > info.m_timeStep * speed) continue;
    colliding_.push_back(i);
    colliding_restitution_.push_back(restitution_[i]);
    max_approach_speed_ = std::max(max_approach_speed_, speed);
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
  // Bodies that leave an overlap by themselves, as after a rebound, are pushed by no more than the speed that they
  // lack.
  for (const std::size_t i : deep_)
    push_.push_back(std::max(
        -separation_[i] * share_[i] / info.m_timeStep + approach(i, bodies, &BodyState::velocity, &BodyState::spin),
        btScalar(0)));
  std::fill(some_.friction.begin(), some_.friction.end(), btScalar(0));
  scene.contacts.restitution = 0;
  scene.contacts.target_velocity = push_;
  return scene;
}

void Points::spread_collisions() {
  if (colliding_.empty()) return;
  collided_.assign(size(), 0);
  for (std::size_t row = 0; row < colliding_.size(); ++row)
    collided_[colliding_[row]] = collision_impulse[row].dot(all_.normal[colliding_[row]]);
}

void Points::store(std::size_t first, std::size_t end, const Bodies& bodies, const btContactSolverInfo& info,
                   btScalar rest_speed) const {
  const btScalar fast = std::max(info.m_restitutionVelocityThreshold, rest_speed);
  for (std::size_t m = first; m < end; ++m) {
    const Taken& taken = taken_[m];
    if (m + manifolds_ahead < end)
      fetch_to_write(*taken_[m + manifolds_ahead].manifold, taken_[m + manifolds_ahead].count);
    std::size_t i = taken.first;
    Directions directions;
    for (int p = 0; p < taken.manifold->getNumContacts(); ++p) {
      btManifoldPoint& point = taken.manifold->getContactPoint(p);
      if (!taken.all && point.getDistance() > taken.manifold->getContactProcessingThreshold()) continue;
      const btVector3 given = impulse[i];
      const btVector3 along = all_.normal[i];
      directions.find(point, along, own_directions(point, info));
      point.m_appliedImpulseLateral1 = given.dot(directions.first);
      point.m_appliedImpulseLateral2 = given.dot(directions.second);
      point.m_lateralFrictionDir1 = directions.first;
      point.m_lateralFrictionDir2 = directions.second;
      const btScalar normal = given.dot(along);
      const btScalar collided = colliding_.empty() ? btScalar(0) : collided_[i];
      point.m_appliedImpulse = normal + collided;
      const bool rebounded = rebounds_ && restitution_[i] > 0 && normal > 0 &&
                             approach(i, bodies, &BodyState::velocity_before, &BodyState::spin_before) > fast;
      point.m_prevRHS = rebounded ? normal : collided;
      ++i;
    }
  }
}

}  // namespace carom::bullet
