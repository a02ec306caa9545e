// Bullet's typed constraints, and other effects as rows: locked axes, rolling and spinning friction.
#pragma once

#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>
#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>
#include <BulletDynamics/ConstraintSolver/btTypedConstraint.h>

#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bodies.hpp"

namespace carom::bullet {

/// A row that Bullet's constraints write, with vectors of four numbers, and carom's further columns of the row.
struct Row {
  static constexpr btScalar infinity = std::numeric_limits<btScalar>::infinity();

  btVector3 linear_a{0, 0, 0}, angular_a{0, 0, 0}, linear_b{0, 0, 0}, angular_b{0, 0, 0};
  btScalar target_velocity = 0, compliance = 0, min_impulse = -infinity, max_impulse = infinity;
  std::int32_t body_a = Bodies::world, body_b = Bodies::world;
  std::uint64_t key = 0;
  // For methods that move bodies.
  btVector3 r_a{0, 0, 0}, r_b{0, 0, 0};
  btScalar error = 0, frequency = infinity;
};

/// The rows of one step.
class Constraints {
 public:
  void clear();
  /// `errors`: rows have position errors in a separate column, for methods that move bodies, and not in their targets.
  void take(btTypedConstraint& constraint, Bodies& bodies, const btContactSolverInfo& info, bool errors);
  /// Applies Bullet's damping of constraints to the targets. Call after reading the bodies.
  void damp(const Bodies& bodies);
  /// Friction against rolling and spinning at a manifold, by the normal impulse of the last step.
  void resist_rolling(const btPersistentManifold& manifold, Bodies& bodies);
  /// Rows that keep bodies from moving along the axes that Bullet's linear factor locks.
  void lock_axes(const Bodies& bodies);

  /// Writes views of all rows, and makes room for their impulses in `impulse`. `errors`: with the columns of position
  /// errors. They have keys only if any_key().
  void write(JointRows<btScalar>& columns, bool errors);
  bool any_key() const { return any_key_; }
  /// Makes room in `impulse`.
  void reserve_impulses() { impulse.resize(rows_.size()); }
  /// The rows without bounds, which hold while contacts collide: their target velocity is 0.
  JointRows<btScalar> rigid_rows();

  /// Writes impulses and feedback to the constraints, and breaks constraints above their threshold.
  void store(const btContactSolverInfo& info) const;

  Scratch<btScalar> impulse;  ///< [N s] place for results

 private:
  struct Taken {
    btTypedConstraint* constraint;
    std::size_t first, count;
    btScalar damping;
  };

  Row& add_row();
  void ask(Taken& taken, btScalar erp, const btContactSolverInfo& info);
  void split_errors(const Taken& taken, const btContactSolverInfo& info);

  Scratch<Row> rows_, rigid_;
  std::vector<Taken> taken_;
  std::vector<btScalar> with_half_;  // The rows of a constraint ask this with half the ERP.
  bool any_key_ = false;
};

}  // namespace carom::bullet
