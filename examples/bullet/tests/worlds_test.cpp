// carom serves some kinds of Bullet's worlds and refuses the others.
#include <BulletDynamics/Dynamics/btDiscreteDynamicsWorldMt.h>
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <gtest/gtest.h>

#include <atomic>
#include <carom/status.hpp>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;
using carom::bullet::ConstraintSolver;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const carom::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Type, is_none_of_bullets) {
  const ConstraintSolver solver;
  for (const auto type :
       {BT_SEQUENTIAL_IMPULSE_SOLVER, BT_MLCP_SOLVER, BT_NNCG_SOLVER, BT_MULTIBODY_SOLVER, BT_BLOCK_SOLVER})
    EXPECT_NE(solver.getSolverType(), type);
}

// The worlds of multibodies and of deformable bodies are built with their own solvers only.
template <class World, class Solver>
constexpr bool takes =
    std::is_constructible_v<World, btDispatcher*, btBroadphaseInterface*, Solver*, btCollisionConfiguration*>;
static_assert(takes<btDiscreteDynamicsWorld, ConstraintSolver> && takes<btSoftRigidDynamicsWorld, ConstraintSolver>);
static_assert(takes<btMultiBodyDynamicsWorld, btMultiBodyConstraintSolver> &&
              !takes<btMultiBodyDynamicsWorld, ConstraintSolver>);
static_assert(takes<btDeformableMultiBodyDynamicsWorld, btDeformableMultiBodyConstraintSolver> &&
              !takes<btDeformableMultiBodyDynamicsWorld, ConstraintSolver>);

/// Every world needs these parts; boxes stand on the ground.
template <class Configuration>
struct Parts {
  explicit Parts(btScalar height = 0.5f) {
    btVector3 inertia;
    shape.calculateLocalInertia(1, inertia);
    for (int i = 0; i < 3; ++i) {
      boxes.push_back(std::make_unique<btRigidBody>(btScalar(1), nullptr, &shape, inertia));
      boxes.back()->setWorldTransform(at(btScalar(2 * i), 0, height));
      boxes.back()->setActivationState(DISABLE_DEACTIVATION);
    }
    ground.setWorldTransform(at(0, 0, -0.5f));
  }
  void add_to(btDynamicsWorld& world) {
    world.setGravity(btVector3(0, 0, -gravity));
    world.addRigidBody(&ground);
    for (const auto& box : boxes) world.addRigidBody(box.get());
  }

  Configuration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btBoxShape shape{btVector3(0.5f, 0.5f, 0.5f)}, floor{btVector3(10, 10, 0.5f)};
  btRigidBody ground{0, nullptr, &floor};
  std::vector<std::unique_ptr<btRigidBody>> boxes;
};
using UsualParts = Parts<btDefaultCollisionConfiguration>;

TEST(MultibodyWorlds, that_go_on_with_their_own_solver_are_refused) {
  UsualParts parts;
  btMultiBodyConstraintSolver own;
  ConstraintSolver solver;
  btMultiBodyDynamicsWorld world(&parts.dispatcher, &parts.broadphase, &own, &parts.configuration);
  world.setConstraintSolver(&solver);
  parts.add_to(world);
  const auto step = [&] { world.stepSimulation(time_step, 0); };
  EXPECT_NE(error_of(step).find("btMultiBodyDynamicsWorld"), std::string::npos) << error_of(step);
  EXPECT_NE(error_of(step).find("btMultiBodyDynamicsWorld"), std::string::npos) << "in the second step";
}

// Hosts ask for the type in order to cast, as examples of Bullet's do.
TEST(Worlds, may_ask_for_the_type) {
  BulletWorld bullet;
  bullet.add_ground();
  const btRigidBody& box = bullet.add_box(at(0, 0, 0.5f));
  for (int i = 0; i < 60; ++i) {
    EXPECT_NE(bullet.world.getConstraintSolver()->getSolverType(), BT_MLCP_SOLVER);
    EXPECT_NO_THROW(bullet.step());
  }
  EXPECT_NEAR(box.getWorldTransform().getOrigin().z(), 0.5f, 1e-3f);
}

TEST(Multibodies, among_the_bodies_are_refused_before_anything_moves) {
  BulletWorld bullet;
  bullet.add_ground();
  btRigidBody& box = bullet.add_box(at(0, 0, 0.999f));
  btBoxShape shape(btVector3(0.5f, 0.5f, 0.25f));
  btMultiBody multibody(0, 1, btVector3(1, 1, 1), false, false);
  multibody.finalizeMultiDof();
  btMultiBodyLinkCollider link(&multibody, -1);
  link.setCollisionShape(&shape);
  link.setWorldTransform(at(0, 0, 0.25f));
  multibody.setBaseCollider(&link);
  bullet.world.addCollisionObject(&link);

  EXPECT_NE(error_of([&] { bullet.step(); }).find("multibody"), std::string::npos);
  EXPECT_TRUE(box.getLinearVelocity().isZero());
  EXPECT_EQ(box.getCompanionId(), -1);
  EXPECT_EQ(bullet.impulse_on(box), 0);

  bullet.world.removeCollisionObject(&link);
  EXPECT_NO_THROW(bullet.step(60));
  EXPECT_NEAR(box.getWorldTransform().getOrigin().z(), 0.5f, 1e-3f);
}

TEST(SolverPools, are_refused_before_anything_moves) {
  UsualParts parts;
  btConstraintSolver* solvers[] = {new ConstraintSolver};  // the pool deletes it
  btConstraintSolverPoolMt pool(solvers, 1);
  btDiscreteDynamicsWorldMt world(&parts.dispatcher, &parts.broadphase, &pool, nullptr, &parts.configuration);
  parts.add_to(world);
  const std::string error = error_of([&] { world.stepSimulation(time_step, 0, time_step); });
  EXPECT_NE(error.find("setConstraintSolver"), std::string::npos) << error;
  EXPECT_TRUE(parts.boxes[0]->getLinearVelocity().isZero());
}

// Each box is a separate island, whose bits do not depend on others.
TEST(MultithreadedWorlds, take_the_solver_in_the_place_of_their_pool) {
  UsualParts parts(1), alone(1);
  ConstraintSolver solver, other;
  btConstraintSolverPoolMt pool(1);
  btDiscreteDynamicsWorldMt world(&parts.dispatcher, &parts.broadphase, &pool, nullptr, &parts.configuration);
  world.setConstraintSolver(&solver);
  parts.add_to(world);
  btDiscreteDynamicsWorld usual(&alone.dispatcher, &alone.broadphase, &other, &alone.configuration);
  alone.add_to(usual);
  for (int i = 0; i < 120; ++i) {
    world.stepSimulation(time_step, 0, time_step);
    usual.stepSimulation(time_step, 0);
  }
  EXPECT_EQ(solver.report().contacts.contacts, 12u);
  for (std::size_t i = 0; i < parts.boxes.size(); ++i) {
    // Substeps leave 5 mm of the overlap at the end of the fall.
    EXPECT_NEAR(parts.boxes[i]->getWorldTransform().getOrigin().z(), 0.5f, 5.1e-3f);
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(parts.boxes[i]->getWorldTransform().getOrigin()[axis],
                alone.boxes[i]->getWorldTransform().getOrigin()[axis]);
  }
}

/// Hands groups over from a thread each, as a btDiscreteDynamicsWorldMt does where Bullet is built with threads.
class FromThreads final : public btConstraintSolver {
 public:
  explicit FromThreads(btConstraintSolver& solver) : solver_(solver) {}
  void prepareSolve(int bodies, int manifolds) override { solver_.prepareSolve(bodies, manifolds); }
  btScalar solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds, int manifold_count,
                      btTypedConstraint** constraints, int constraint_count, const btContactSolverInfo&, btIDebugDraw*,
                      btDispatcher*) override {
    groups_.push_back({{bodies, bodies + body_count},
                       {manifolds, manifolds + manifold_count},
                       {constraints, constraints + constraint_count}});
    return 0;
  }
  void allSolved(const btContactSolverInfo& info, btIDebugDraw* drawer) override {
    std::atomic<std::size_t> ready = 0;
    std::vector<std::thread> threads;
    constexpr std::size_t count = 4;
    for (std::size_t t = 0; t < count; ++t)
      threads.emplace_back([&, t] {
        for (++ready; ready < count;) std::this_thread::yield();
        for (std::size_t g = t; g < groups_.size(); g += count) {
          Group& group = groups_[g];
          solver_.solveGroup(group.bodies.data(), static_cast<int>(group.bodies.size()), group.manifolds.data(),
                             static_cast<int>(group.manifolds.size()), group.constraints.data(),
                             static_cast<int>(group.constraints.size()), info, drawer, nullptr);
        }
      });
    for (std::thread& thread : threads) thread.join();
    max_groups = std::max(max_groups, groups_.size());
    groups_.clear();
    solver_.allSolved(info, drawer);
  }
  void reset() override { solver_.reset(); }
  btConstraintSolverType getSolverType() const override { return solver_.getSolverType(); }

  std::size_t max_groups = 0;

 private:
  struct Group {
    std::vector<btCollisionObject*> bodies;
    std::vector<btPersistentManifold*> manifolds;
    std::vector<btTypedConstraint*> constraints;
  };
  btConstraintSolver& solver_;
  std::vector<Group> groups_;
};

// Boxes rest on a kinematic plate that all of them share, each with a box that hangs on it.
TEST(Groups, from_several_threads_give_the_bits_of_one) {
  for (const auto method : {carom::SceneMethod::pgs, carom::SceneMethod::substeps}) {
    const carom::bullet::Options options = options_of(method);
    const auto run = [&](bool threads) {
      BulletWorld bullet(options);
      FromThreads from_threads(bullet.solver);
      if (threads) bullet.world.setConstraintSolver(&from_threads);
      bullet.world.getSolverInfo().m_minimumSolverBatchSize = 1;
      btRigidBody& plate = bullet.add_box(at(0, 0, -0.5f), 0, btVector3(200, 200, 1));
      plate.setCollisionFlags(plate.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
      std::vector<const btRigidBody*> bodies;
      for (int i = 0; i < 64; ++i) {
        const auto x = static_cast<btScalar>(3 * (i % 8) - 12), y = static_cast<btScalar>(3 * (i / 8) - 12);
        btRigidBody& box = bullet.add_box(at(x, y, 0.6f + 0.01f * static_cast<btScalar>(i)));
        btRigidBody& mate = bullet.add_box(at(x + 1.1f, y, 0.7f));
        bullet.join<btPoint2PointConstraint>(box, mate, btVector3(0.55f, 0, 0), btVector3(-0.55f, 0, 0));
        bodies.insert(bodies.end(), {&box, &mate});
      }
      bullet.step(30);
      if (threads) {
        EXPECT_GE(from_threads.max_groups, 64u);
      }
      std::vector<btVector3> found;
      for (const btRigidBody* body : bodies) found.push_back(body->getWorldTransform().getOrigin());
      if (threads) bullet.world.setConstraintSolver(&bullet.solver);
      return found;
    };
    const auto expected = run(false), found = run(true);
    for (std::size_t i = 0; i < expected.size(); ++i)
      for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(found[i][axis], expected[i][axis]) << "body " << i;
  }
}

// Bullet lets soft bodies and rigid ones collide by itself.
TEST(SoftBodies, stay_with_bullet_and_lie_on_what_carom_holds) {
  Parts<btSoftBodyRigidBodyCollisionConfiguration> parts;
  ConstraintSolver solver;
  btSoftRigidDynamicsWorld world(&parts.dispatcher, &parts.broadphase, &solver, &parts.configuration);
  parts.add_to(world);
  world.getWorldInfo().m_gravity = world.getGravity();
  world.getWorldInfo().m_sparsesdf.Initialize();
  btSoftBody* cloth =
      btSoftBodyHelpers::CreatePatch(world.getWorldInfo(), btVector3(-0.4f, -0.4f, 1.2f), btVector3(0.4f, -0.4f, 1.2f),
                                     btVector3(-0.4f, 0.4f, 1.2f), btVector3(0.4f, 0.4f, 1.2f), 9, 9, 0, true);
  cloth->setTotalMass(0.1f);
  world.addSoftBody(cloth);
  for (int i = 0; i < 120; ++i) world.stepSimulation(time_step, 0);
  EXPECT_NEAR(parts.boxes[0]->getWorldTransform().getOrigin().z(), 0.5f, 1e-2f);
  for (int i = 0; i < cloth->m_nodes.size(); ++i) EXPECT_GT(cloth->m_nodes[i].m_x.z(), 0.9f);
  world.removeSoftBody(cloth);
  delete cloth;
}

}  // namespace
