// Bullet's contact points as columns.
#pragma once

#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>
#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>

#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bodies.hpp"
#include "point_models.hpp"
#include "point_names.hpp"

namespace carom::bullet {

/// The points of one step that may get an impulse. Arrays are as long as there are points. A step takes manifolds, and
/// reads the points of each once, at any time before `end_reading`.
class Points {
 public:
  void clear();
  /// Takes in the bodies of a manifold, and notes its points. `named`: they get names. Returns false if none of its
  /// bodies moves.
  bool take(btPersistentManifold& manifold, Bodies& bodies, bool named);
  std::size_t manifolds() const { return taken_.size(); }

  /// Parameters of reading points.
  struct Reading {
    const btContactSolverInfo& info;
    btScalar normal_tolerance;  ///< Tolerances::normal_tolerance
    /// For methods that move bodies: names in place of targets and of the impulses in the points.
    bool substeps;
    /// For methods without contact models: manifolds that resist rolling or spinning are noted.
    bool without_models;
    /// Predictive points have the restitution of their bodies, which Bullet does not give them.
    bool predicted_rebound;
  };
  /// Makes room for the points of all manifolds that were taken, and of this number of further manifolds. Returns the
  /// number of manifolds that were read before, and counts all as read.
  std::size_t reserve(std::size_t further, const Reading& how);
  /// Reads the points of the manifolds [first, end). Targets let gaps close and push overlaps out, by the share in
  /// Bullet's settings. Bodies need not have been read.
  void read(std::size_t first, std::size_t end, const Bodies& bodies, const Reading& how);
  /// Reads the points of the manifold that was taken last. `reserve` has made room for it.
  void read_last(const Bodies& bodies, const Reading& how) {
    read(taken_.back(), taken_.size() - 1, bodies, how);
    read_ = taken_.size();
  }
  /// Ends the reading.
  void end_reading(const Reading& how);
  std::size_t size() const { return all_.friction.size(); }
  /// A point as a contact: body A has the normal, `separation` [m] is below 0 where the bodies overlap.
  struct Contact {
    std::int32_t a, b;
    btVector3 normal;
    btScalar separation;
  };
  Contact contact(std::size_t i) const { return {all_.body_a[i], all_.body_b[i], all_.normal[i], separation_[i]}; }
  /// The manifolds that resist rolling or spinning by rows, for methods without contact models.
  const std::vector<btPersistentManifold*>& rolling() const { return rolling_; }

  /// Writes the bodies and all points to a scene for a method that does not move bodies, without the columns that no
  /// body or point needs. `resting`: for BenderSchmitt, with separations. `rebounds`: contacts have their restitution.
  /// `with_changes`: bodies have what forces change.
  void write(Scene<btScalar>& scene, Bodies& bodies, const btContactSolverInfo& info, bool resting, bool rebounds,
             bool with_changes);
  /// Same for a method that moves bodies: separations in place of targets, and keys in place of the impulses in the
  /// points.
  void write_for_substeps(Scene<btScalar>& scene, Bodies& bodies, const btContactSolverInfo& info, bool rebounds);
  bool any_surface_moves() const { return surface_moves_; }
  bool any_has_model() const { return has_models_; }
  void forget_names() { names_.forget(); }
  /// The points that touch, or will touch within the step. They collide before contacts are held.
  Scene<btScalar> colliding(Bodies& bodies, const btContactSolverInfo& info, const btScalar& tangential_restitution);
  /// Takes back `colliding`.
  void nothing_collides() { colliding_.clear(); }
  /// [m/s] how fast the fastest of these approaches.
  btScalar max_approach_speed() const { return max_approach_speed_; }
  /// The points whose overlap is corrected without velocity: Bullet's split impulse. Bodies must not move in it.
  Scene<btScalar> overlapping(Bodies& bodies, const btContactSolverInfo& info);
  bool overlaps() const { return !deep_.empty(); }

  /// Readies the impulses of collisions for `store`.
  void spread_collisions();
  /// Writes the impulses of contacts and of the collisions before them to the points of the manifolds [first, end).
  /// `bodies` are the bodies of `scene`. Contacts that approached faster than `rest_speed` [m/s] have rebounded.
  void store(std::size_t first, std::size_t end, const Bodies& bodies, const btContactSolverInfo& info,
             btScalar rest_speed) const;

  VectorArray impulse, collision_impulse;  ///< [N s] places for results, of all points and of `colliding`

 private:
  struct Taken {
    btPersistentManifold* manifold;
    std::int32_t a, b;
    std::size_t first, count;
    std::size_t before;  // its place in the names of the last step
    bool all;            // No point is too far away to count.
    bool has_model;      // PointModels have more of it than its friction.
    bool surface_moves;
  };
  /// Every scene has these of its contacts.
  struct Columns {
    Scratch<std::int32_t> body_a, body_b;
    VectorArray normal, r_a, r_b;
    Scratch<btScalar> friction;

    void resize(std::size_t count);
    void write(SceneContacts<btScalar>& contacts);
  };

  void resize(std::size_t points, bool substeps);
  void read(Taken& taken, std::size_t number, const Bodies& bodies, const Reading& how);
  btScalar approach(std::size_t i, const Bodies& bodies, btVector3 BodyState::*velocity,
                    btVector3 BodyState::*spin) const;
  template <class Visit>
  static void each_point(const Taken& taken, const Visit& visit);
  std::size_t count() const { return taken_.empty() ? 0 : taken_.back().first + taken_.back().count; }
  void read_for_sweeps(const Taken& taken, const Reading& how);
  void read_models(const Reading& how);
  void read_surfaces(const Reading& how);
  void write_restitution(SceneContacts<btScalar>& contacts, bool rebounds);
  Scene<btScalar> subset(const std::vector<std::size_t>& rows, Bodies& bodies);

  std::vector<Taken> taken_;
  std::size_t read_ = 0;           // the number of manifolds that have been read
  bool are_for_substeps_ = false;  // The arrays have room for the columns of substeps.
  std::vector<btPersistentManifold*> rolling_;
  Columns all_;
  VectorArray warm_impulse_, surface_velocity_;
  Scratch<btScalar> restitution_, separation_, share_, target_;
  PointNames names_;
  PointModels models_;
  Scratch<std::uint64_t> key_;
  std::vector<btScalar> collided_;
  bool surface_moves_ = false, rebounds_ = false, has_models_ = false;

  Columns some_;  // of `colliding`, and after it of `overlapping`
  std::vector<std::size_t> colliding_, deep_;
  std::vector<btScalar> colliding_restitution_, push_;
  btScalar max_approach_speed_ = 0;
};

}  // namespace carom::bullet
