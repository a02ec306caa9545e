#include "world.hpp"

#include <fmt/os.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace carom_scenes {

double kinetic_energy(const btRigidBody& body) {
  const double mass = static_cast<double>(body.getMass());
  const btVector3 spin = body.getAngularVelocity() * body.getWorldTransform().getBasis();
  return 0.5 * mass * static_cast<double>(body.getLinearVelocity().length2()) +
         0.5 * static_cast<double>((spin * spin).dot(body.getLocalInertia()));
}

// Measures the time of a solver, and calls `before` when all contacts are known.
class World::TimedSolver final : public btConstraintSolver {
 public:
  TimedSolver(std::unique_ptr<btConstraintSolver> solver, std::function<void()> before)
      : solver_(std::move(solver)), before_(std::move(before)) {}

  void prepareSolve(int bodies, int manifolds) override {
    before_();
    seconds = 0;
    count = 0;
    timed([&] { solver_->prepareSolve(bodies, manifolds); });
  }
  btScalar solveGroup(btCollisionObject** objects, int object_count, btPersistentManifold** manifolds,
                      int manifold_count, btTypedConstraint** constraints, int constraint_count,
                      const btContactSolverInfo& info, btIDebugDraw* drawer, btDispatcher* dispatcher) override {
    count += object_count;
    btScalar left = 0;
    timed([&] {
      left = solver_->solveGroup(objects, object_count, manifolds, manifold_count, constraints, constraint_count, info,
                                 drawer, dispatcher);
    });
    return left;
  }
  void allSolved(const btContactSolverInfo& info, btIDebugDraw* drawer) override {
    timed([&] { solver_->allSolved(info, drawer); });
  }
  void reset() override { solver_->reset(); }
  btConstraintSolverType getSolverType() const override { return solver_->getSolverType(); }

  double seconds = 0;
  double count = 0;  // of bodies

 private:
  template <class Call>
  void timed(const Call& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  std::unique_ptr<btConstraintSolver> solver_;
  std::function<void()> before_;
};

World::World(Responder responder, const WorldOptions& options)
    : responder_(responder), options_(options), dispatcher_(&configuration_) {
  std::unique_ptr<btConstraintSolver> solver;
  if (responder == Responder::carom) {
    auto ours = std::make_unique<carom::bullet::ConstraintSolver>(options.solver);
    carom_ = ours.get();
    solver = std::move(ours);
  } else {
    solver = std::make_unique<btSequentialImpulseConstraintSolver>();
  }
  solver_ = std::make_unique<TimedSolver>(std::move(solver), [this] {
    if (options_.counts_contacts) count_contacts();
  });
  world_ = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher_, &broadphase_, solver_.get(), &configuration_);
  world_->setGravity(options.gravity);
  if (responder == Responder::bullet_two_directions)
    world_->getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
}

World::~World() {
  for (const auto& constraint : constraints_) world_->removeConstraint(constraint.get());
  for (const auto& body : bodies_) world_->removeRigidBody(body.get());
}

btRigidBody& World::add(std::shared_ptr<btCollisionShape> shape, double mass, const btTransform& pose,
                        Material material) {
  btVector3 inertia(0, 0, 0);
  if (mass > 0) shape->calculateLocalInertia(static_cast<btScalar>(mass), inertia);
  btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, shape.get(), inertia);
  info.m_startWorldTransform = pose;
  info.m_friction = static_cast<btScalar>(material.friction);
  info.m_restitution = static_cast<btScalar>(material.restitution);
  bodies_.push_back(std::make_unique<btRigidBody>(info));
  btRigidBody& body = *bodies_.back();
  if (!options_.sleeping) body.setActivationState(DISABLE_DEACTIVATION);
  poses_.add(body);
  shapes_.push_back(std::move(shape));
  world_->addRigidBody(&body);
  return body;
}

btTypedConstraint& World::add(std::unique_ptr<btTypedConstraint> constraint, bool collide) {
  world_->addConstraint(constraint.get(), !collide);
  constraints_.push_back(std::move(constraint));
  return *constraints_.back();
}

void World::watch_joint(const btRigidBody& a, const btVector3& point_a, const btRigidBody& b,
                        const btVector3& point_b) {
  joints_.push_back({&a, &b, point_a, point_b});
}

const Sample& World::step() {
  sample_ = {};
  // One step of this length, without interpolation.
  world_->stepSimulation(static_cast<btScalar>(options_.time_step), 0);
  measure();
  return samples_.back();
}

void World::count_contacts() {
  constexpr double rest_tolerance = carom::BenderSchmitt{}.rest_tolerance;
  const double rest_speed = std::sqrt(2 * 9.81 * rest_tolerance);
  const auto velocity_at = [](const btCollisionObject& object, const btVector3& point) {
    const btRigidBody& body = *btRigidBody::upcast(&object);
    return body.getVelocityInLocalPoint(point - body.getWorldTransform().getOrigin());
  };
  for (int m = 0; m < dispatcher_.getNumManifolds(); ++m) {
    const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(m);
    for (int p = 0; p < manifold.getNumContacts(); ++p) {
      const btManifoldPoint& point = manifold.getContactPoint(p);
      const double distance = static_cast<double>(point.getDistance());
      sample_.penetration = std::max(sample_.penetration, -distance);
      const btVector3 apart = velocity_at(*manifold.getBody0(), point.getPositionWorldOnA()) -
                              velocity_at(*manifold.getBody1(), point.getPositionWorldOnB());
      const double approach = -static_cast<double>(apart.dot(point.m_normalWorldOnB));
      if (distance - std::max(approach, 0.0) * options_.time_step > rest_tolerance) continue;
      ++sample_.contacts;
      if (approach > rest_speed) ++sample_.collisions;
    }
  }
}

void World::measure() {
  Sample& sample = sample_;
  sample.time = static_cast<double>(samples_.size() + 1) * options_.time_step;
  for (const auto& body : bodies_) {
    const double mass = static_cast<double>(body->getMass());
    if (mass == 0) continue;
    sample.kinetic_energy += kinetic_energy(*body);
    sample.potential_energy -= mass * static_cast<double>(options_.gravity.dot(body->getWorldTransform().getOrigin()));
  }
  for (const Joint& joint : joints_) {
    const btVector3 separation =
        joint.a->getWorldTransform() * joint.point_a - joint.b->getWorldTransform() * joint.point_b;
    sample.joint_error = std::max(sample.joint_error, static_cast<double>(separation.length()));
  }
  sample.solver_seconds = solver_->seconds;
  sample.bodies = solver_->count;
  if (carom_ != nullptr) {
    const carom::bullet::StepReport& report = carom_->report();
    sample.points = static_cast<double>(report.contacts.contacts);
    sample.gather_seconds = report.gather_seconds;
    sample.contact_seconds = report.collision_seconds + report.contact_seconds;
    sample.store_seconds = report.store_seconds;
  }
  samples_.push_back(sample);

  if (frame_interval_ <= 0) return;
  poses_.add_impulses(dispatcher_);
  if (sample.time >= static_cast<double>(poses_.frames()) * frame_interval_) poses_.add_frame(bodies_);
}

void World::keep_poses(double frames) {
  frame_interval_ = 1 / frames;
}

void World::write_samples(const std::string& path) const {
  auto file = fmt::output_file(path);
  file.print("time,kinetic_energy,potential_energy,penetration,joint_error,contacts,collisions,solver_seconds\n");
  for (const Sample& sample : samples_)
    file.print("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{:.9g}\n", sample.time, sample.kinetic_energy,
               sample.potential_energy, sample.penetration, sample.joint_error, sample.contacts, sample.collisions,
               sample.solver_seconds);
}

void World::write_poses(const std::string& path) const {
  poses_.write(path);
}

}  // namespace carom_scenes
