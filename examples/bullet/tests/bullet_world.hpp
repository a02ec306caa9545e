// A Bullet world with carom as its solver, for tests. z is up, a unit box weighs 1 kg.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <carom_bullet/constraint_solver.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace carom_bullet_tests {

constexpr btScalar gravity = 9.81f, time_step = 1 / 60.f;

inline btTransform at(btScalar x, btScalar y, btScalar z) {
  return btTransform(btQuaternion::getIdentity(), btVector3(x, y, z));
}

/// The usual options with another method for contacts.
inline carom::bullet::Options options_of(carom::SceneMethod method) {
  carom::bullet::Options options;
  options.scene = carom::bullet::scene_options_of_an_engine(method);
  return options;
}

/// Bullet's own settings apply to this method; substeps do not correct 5 mm of an overlap.
inline carom::bullet::Options in_pgs() {
  return options_of(carom::SceneMethod::pgs);
}

class BulletWorld {
 public:
  explicit BulletWorld(const carom::bullet::Options& options = in_pgs()) : solver(options) {
    world.setGravity(btVector3(0, 0, -gravity));
  }
  ~BulletWorld() {
    for (const auto& joint : joints_) world.removeConstraint(joint.get());
    for (const auto& body : bodies_) world.removeRigidBody(body.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  btRigidBody& add(std::unique_ptr<btCollisionShape> shape, btScalar mass, const btTransform& pose,
                   const btVector3* inertia = nullptr) {
    btVector3 own(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, own);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), inertia != nullptr ? *inertia : own);
    info.m_startWorldTransform = pose;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    shapes_.push_back(std::move(shape));
    btRigidBody& body = *bodies_.back();
    body.setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(&body);
    return body;
  }
  btRigidBody& add_box(const btTransform& pose, btScalar mass = 1, const btVector3& edges = btVector3(1, 1, 1)) {
    return add(std::make_unique<btBoxShape>(0.5f * edges), mass, pose);
  }
  btRigidBody& add_ball(const btTransform& pose, btScalar radius = 0.5f) {
    return add(std::make_unique<btSphereShape>(radius), 1, pose);
  }
  /// Its top is at z = 0. Boxes meet a box in all their corners within one step, and a plane only one by one.
  btRigidBody& add_ground() { return add_box(at(0, 0, -0.5f), 0, btVector3(10, 10, 1)); }
  /// Balls roll on it: its one point a ball is exact.
  btRigidBody& add_plane() {
    return add(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0.f), 0, btTransform::getIdentity());
  }
  void remove(btRigidBody& body) {
    world.removeRigidBody(&body);
    std::erase_if(bodies_, [&](const auto& owned) { return owned.get() == &body; });
  }
  template <class Joint, class... Arguments>
  Joint& join(Arguments&&... arguments) {
    auto joint = std::make_unique<Joint>(std::forward<Arguments>(arguments)...);
    Joint& made = *joint;
    joints_.push_back(std::move(joint));
    world.addConstraint(&made, true);
    return made;
  }

  void step(int steps = 1) {
    for (int i = 0; i < steps; ++i) world.stepSimulation(time_step, 0);
  }

  /// [N s] sum of the normal impulses on a body in the last step.
  btScalar impulse_on(const btRigidBody& body) {
    btScalar sum = 0;
    for (int m = 0; m < dispatcher_.getNumManifolds(); ++m) {
      const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(m);
      if (manifold.getBody0() != &body && manifold.getBody1() != &body) continue;
      for (int p = 0; p < manifold.getNumContacts(); ++p) sum += manifold.getContactPoint(p).getAppliedImpulse();
    }
    return sum;
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;

 public:
  carom::bullet::ConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher_, &broadphase_, &solver, &configuration_};
};

}  // namespace carom_bullet_tests
