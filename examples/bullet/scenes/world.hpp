// A Bullet world that is solved by Bullet's own solver or by carom.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <carom_bullet/constraint_solver.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "poses.hpp"

namespace carom_scenes {

enum class Responder {
  bullet,                 ///< as it comes: one direction of friction a point
  bullet_two_directions,  ///< SOLVER_USE_2_FRICTION_DIRECTIONS
  carom,
};

struct WorldOptions {
  double time_step = 1.0 / 60;                  ///< [s]
  btVector3 gravity = btVector3(0, 0, -9.81f);  ///< [m/s²] z is up
  bool sleeping = false;                        ///< whether bodies may fall asleep
  /// Count contacts, collisions and penetration for the samples. Counting brings all points into the caches.
  bool counts_contacts = true;
  carom::bullet::Options solver;  ///< of carom
};

struct Material {
  double friction = 0.5, restitution = 0;
};

/// One step's measures.
struct Sample {
  double time = 0;              ///< [s]
  double kinetic_energy = 0;    ///< [J]
  double potential_energy = 0;  ///< [J] above z = 0
  double penetration = 0;       ///< [m] the deepest, >= 0
  double joint_error = 0;       ///< [m] the largest distance between the two points of a joint
  /// Points that touch, or would touch at the end of the step without impulses.
  std::size_t contacts = 0;
  std::size_t collisions = 0;  ///< of these: points that approach faster than contacts at rest
  double solver_seconds = 0;   ///< [s] that the solver took
  /// [s] the parts of it that carom's StepReport has: from Bullet's objects, the solve, back to them
  double gather_seconds = 0, contact_seconds = 0, store_seconds = 0;
  double bodies = 0, points = 0;  ///< numbers of bodies that the solver got, and of points that carom got
};

double kinetic_energy(const btRigidBody& body);  ///< [J]

class World {
 public:
  World(Responder responder, const WorldOptions& options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Responder responder() const { return responder_; }
  const WorldOptions& options() const { return options_; }
  btDiscreteDynamicsWorld& bullet() { return *world_; }
  /// Null where Bullet's own solver responds.
  carom::bullet::ConstraintSolver* carom_solver() { return carom_; }

  /// A body; mass 0 makes it static. `shape` may be shared among bodies; inertia is the shape's.
  btRigidBody& add(std::shared_ptr<btCollisionShape> shape, double mass, const btTransform& pose,
                   Material material = {});
  /// A ball joint, hinge or other constraint that the world owns from now on.
  btTypedConstraint& add(std::unique_ptr<btTypedConstraint> constraint, bool collide = false);
  /// Two points that a joint should keep together, each in its body's frame, for Sample::joint_error.
  void watch_joint(const btRigidBody& a, const btVector3& point_a, const btRigidBody& b, const btVector3& point_b);

  /// One step of WorldOptions::time_step, and its sample.
  const Sample& step();
  double time() const { return static_cast<double>(samples_.size()) * options_.time_step; }
  const std::vector<Sample>& samples() const { return samples_; }
  const std::vector<std::unique_ptr<btRigidBody>>& bodies() const { return bodies_; }

  /// Poses of all bodies are kept from now on, `frames` times a second.
  void keep_poses(double frames);
  void write_samples(const std::string& path) const;
  void write_poses(const std::string& path) const;

 private:
  struct Joint {
    const btRigidBody *a, *b;
    btVector3 point_a, point_b;
  };
  class TimedSolver;

  // Before the solver answers: Sample::contacts and collisions.
  void count_contacts();
  void measure();

  Responder responder_;
  WorldOptions options_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  std::unique_ptr<TimedSolver> solver_;
  carom::bullet::ConstraintSolver* carom_ = nullptr;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::shared_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> constraints_;
  std::vector<Joint> joints_;
  Sample sample_;  // of the step that is on
  std::vector<Sample> samples_;
  Poses poses_;
  double frame_interval_ = 0;  // [s] 0: none are kept
};

}  // namespace carom_scenes
