#include "bullet.hpp"

#include <benchmark/benchmark.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <carom/scene.hpp>
#include <carom_bullet/constraint_solver.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "support/scenes/generators.hpp"

namespace carom::bench {
namespace {

constexpr int usual_sweeps = 10, pyramid_base = 86;
constexpr double gravity = 9.81, time_step = 0.01;

btVector3 vector(const scenes::Vector& v) {
  return {static_cast<btScalar>(v[0]), static_cast<btScalar>(v[1]), static_cast<btScalar>(v[2])};
}

/// The pyramid as objects of Bullet's, as its world would hand them to a solver.
class Pyramid {
 public:
  Pyramid() : ground_(0, nullptr, &shape_) {
    const scenes::SceneData<float> scene = scenes::pyramid<float>(pyramid_base, 0.5, time_step);
    btVector3 inertia;
    shape_.calculateLocalInertia(1, inertia);
    for (std::size_t i = 0; i < scene.body_count(); ++i) {
      bodies_.push_back(std::make_unique<btRigidBody>(btScalar(1), nullptr, &shape_, inertia));
      btRigidBody& body = *bodies_.back();
      body.setWorldTransform(btTransform(btQuaternion::getIdentity(), vector(scene.position[i])));
      objects_.push_back(&body);
    }
    std::map<std::pair<std::int32_t, std::int32_t>, btPersistentManifold*> of_pair;
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      const std::int32_t a = scene.body_a[i], b = scene.body_b[i];
      const btRigidBody& below = b < 0 ? ground_ : *bodies_[static_cast<std::size_t>(b)];
      btPersistentManifold*& manifold = of_pair[{a, b}];
      if (manifold == nullptr) {
        owned_.push_back(std::make_unique<btPersistentManifold>(bodies_[static_cast<std::size_t>(a)].get(), &below, 0,
                                                                btScalar(0.02), btScalar(1e30)));
        manifold = owned_.back().get();
        manifolds_.push_back(manifold);
      }
      // Without rotations, points in the bodies' frames are r_a and r_b; the ground is at 0.
      const btVector3 r_a = vector(scenes::at(scene.r_a, i));
      const btVector3 at = bodies_[static_cast<std::size_t>(a)]->getWorldTransform().getOrigin() + r_a;
      btManifoldPoint point(r_a, at - below.getWorldTransform().getOrigin(), vector(scenes::at(scene.normal, i)), 0);
      point.m_positionWorldOnA = point.m_positionWorldOnB = at;
      point.m_combinedFriction = static_cast<btScalar>(scene.friction[i]);
      point.m_combinedRestitution = 0;
      manifold->addManifoldPoint(point);
      ++points_;
    }
    info_.m_timeStep = static_cast<btScalar>(time_step);
    info_.m_numIterations = usual_sweeps;
    info_.m_splitImpulse = false;
  }

  std::int64_t points() const { return points_; }

  /// [s] that a call takes, from bodies that have fallen freely for a step.
  double seconds(btConstraintSolver& solver, int mode) {
    info_.m_solverMode = mode;
    for (const auto& body : bodies_) {
      body->setLinearVelocity(btVector3(0, 0, static_cast<btScalar>(-gravity * time_step)));
      body->setAngularVelocity(btVector3(0, 0, 0));
    }
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    solver.prepareSolve(static_cast<int>(objects_.size()), static_cast<int>(manifolds_.size()));
    solver.solveGroup(objects_.data(), static_cast<int>(objects_.size()), manifolds_.data(),
                      static_cast<int>(manifolds_.size()), nullptr, 0, info_, nullptr, nullptr);
    solver.allSolved(info_, nullptr);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /// How fast the points approach now, relative to the start of a call; NaN if any velocity is.
  double missed() const {
    double greatest = 0, sum = 0;
    for (const btPersistentManifold* manifold : manifolds_) {
      const auto& a = *btRigidBody::upcast(manifold->getBody0());
      const auto& b = *btRigidBody::upcast(manifold->getBody1());
      for (int p = 0; p < manifold->getNumContacts(); ++p) {
        const btManifoldPoint& point = manifold->getContactPoint(p);
        const btVector3 u = a.getVelocityInLocalPoint(point.m_positionWorldOnA - a.getWorldTransform().getOrigin()) -
                            b.getVelocityInLocalPoint(point.m_positionWorldOnB - b.getWorldTransform().getOrigin());
        const auto approach = static_cast<double>(-u.dot(point.m_normalWorldOnB));
        greatest = std::max(greatest, approach);
        sum += approach;
      }
    }
    return std::isfinite(sum) ? greatest / (gravity * time_step) : sum;
  }

 private:
  btBoxShape shape_{btVector3(0.5f, 0.5f, 0.5f)};
  btRigidBody ground_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btPersistentManifold>> owned_;
  std::vector<btCollisionObject*> objects_;
  std::vector<btPersistentManifold*> manifolds_;
  std::int64_t points_ = 0;
  btContactSolverInfo info_;
};

Pyramid& pyramid() {
  static Pyramid made;
  return made;
}

/// Both solvers must at least halve the max. approach speed: otherwise the contacts have not been solved.
constexpr double max_missed = 0.5;

/// Timing without warm starting, after a call whose result is checked.
void time(benchmark::State& state, btConstraintSolver& solver, int mode) {
  pyramid().seconds(solver, mode);
  if (!(pyramid().missed() < max_missed)) {
    state.SkipWithError(("of the approach " + std::to_string(pyramid().missed()) + " is left").c_str());
    return;
  }
  for (auto _ : state) state.SetIterationTime(pyramid().seconds(solver, mode));
  state.SetItemsProcessed(state.iterations() * pyramid().points());
  state.counters["missed"] = pyramid().missed();
}

void by_bullet(benchmark::State& state, int mode) {
  btSequentialImpulseConstraintSolver solver;
  time(state, solver, mode);
  const bool scalar = solver.getActiveConstraintRowSolverGeneric() == solver.getScalarConstraintRowSolverGeneric();
  state.SetLabel(scalar ? "scalar rows" : "SIMD rows");
}

void by_carom(benchmark::State& state, const Execution& execution) try {
  bullet::Options options;
  options.execution = execution;
  options.scene.use<Pgs>().tolerance = 0;  // as many iterations as Bullet's solver
  bullet::ConstraintSolver solver(options);
  time(state, solver, SOLVER_SIMD);
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

}  // namespace

void register_bullet(int max_threads) {
  benchmark::RegisterBenchmark("peer/bullet/pyramid:30000", by_bullet, SOLVER_SIMD)->UseManualTime();
  benchmark::RegisterBenchmark("peer/bullet/two_directions/pyramid:30000", by_bullet,
                               SOLVER_SIMD | SOLVER_USE_2_FRICTION_DIRECTIONS)
      ->UseManualTime();
  for (int threads = 1; threads <= max_threads; ++threads)
    benchmark::RegisterBenchmark(("peer/carom_bullet/threads:" + std::to_string(threads) + "/pyramid:30000").c_str(),
                                 by_carom, Execution{.isa = best_isa(), .threads = threads})
        ->UseManualTime();
}

}  // namespace carom::bench
