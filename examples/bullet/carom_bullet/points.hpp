// Bullet's contact points as columns.
#pragma once

#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>
#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>

#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bodies.hpp"

namespace carom::bullet {

/// The points of one step that may get an impulse. Arrays are as long as there are points.
class Points {
 public:
  void clear();
  void take(btPersistentManifold& manifold, Bodies& bodies, const btContactSolverInfo& info);
  std::size_t size() const { return point_.size(); }

  /// Targets of contacts that are held: gaps may close and overlaps are pushed out by the share that Bullet is told.
  /// With `rebound` contacts rebound in the same solve.
  void set_targets(const Bodies& bodies, const btContactSolverInfo& info, bool rebound);
  /// Impulses to begin with, from the points' own fields.
  void set_warm_impulses();

  /// The scene of all points. `set_targets` and `set_warm_impulses` come before it.
  Scene<btScalar> scene(Bodies& bodies);
  /// The points that touch or will within half a step, each with its law: those that collide before others are held.
  Scene<btScalar> colliding(Bodies& bodies, const btContactSolverInfo& info, const Column<btScalar>& tangential);
  /// [m/s] how fast the fastest of these approaches.
  btScalar greatest_approach() const { return greatest_approach_; }
  /// The points whose overlap is to go without velocity: Bullet's split impulse. Bodies are to stand still in it.
  Scene<btScalar> overlapping(Bodies& bodies, const btContactSolverInfo& info);
  bool overlaps() const { return !deep_.empty(); }

  /// Writes impulses to the points: those of the collisions among `colliding`, and those of all points that are held.
  void store(bool collided) const;

  VectorArray impulse, collision_impulse;  ///< [N s] places for results, of all points and of `colliding`

 private:
  struct Frame {
    btVector3 first, second;
  };
  struct Subset;

  Frame frame(std::size_t i) const;
  void add_surface_velocity(const btManifoldPoint& point, const btVector3& normal, const btContactSolverInfo& info);
  Scene<btScalar> subset(const std::vector<std::size_t>& rows, Bodies& bodies);

  std::vector<btManifoldPoint*> point_;
  std::vector<std::int32_t> body_a_, body_b_;
  VectorArray normal_, lever_a_, lever_b_, warm_impulse_, surface_velocity_;
  std::vector<btScalar> friction_, zero_, gap_, share_, target_;
  std::vector<bool> own_frame_, rebounds_;
  bool surface_moves_ = false;

  // What a subset has of its own.
  std::vector<std::size_t> colliding_, deep_;
  std::vector<btScalar> restitution_, push_;
  std::vector<std::int32_t> subset_a_, subset_b_;
  VectorArray subset_normal_, subset_lever_a_, subset_lever_b_;
  std::vector<btScalar> subset_friction_;
  btScalar greatest_approach_ = 0;
};

}  // namespace carom::bullet
