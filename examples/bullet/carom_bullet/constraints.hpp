// Bullet's typed constraints, and what else works as rows: locked axes, rolling and spinning friction.
#pragma once

#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>
#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>
#include <BulletDynamics/ConstraintSolver/btTypedConstraint.h>

#include <carom/joints.hpp>
#include <cstddef>
#include <vector>

#include "bodies.hpp"

namespace carom::bullet {

/// A row as Bullet's constraints write it: vectors have four numbers.
struct alignas(16) WrittenRow {
  btVector3 linear_a, angular_a, linear_b, angular_b;
  btScalar error, cfm, lower, upper;
};

/// The rows of one step.
class Constraints {
 public:
  void clear();
  /// `errors`: rows have the errors of position in a column of their own, as SceneMethod::substeps takes them, and not
  /// in their targets.
  void take(btTypedConstraint& constraint, Bodies& bodies, const btContactSolverInfo& info, bool errors);
  /// Friction against rolling and spinning at a manifold, by the normal impulse of the last step.
  void resist_rolling(const btPersistentManifold& manifold, Bodies& bodies, const btContactSolverInfo& info);
  /// Rows that keep bodies from moving along the axes that Bullet's linear factor locks.
  void lock_axes(const Bodies& bodies);

  /// All rows. The impulses are to be written to `impulse`.
  JointRows<btScalar> rows();
  /// The rows without bounds, which hold while contacts collide: their target velocity is 0.
  JointRows<btScalar> rigid_rows();

  /// Writes impulses and feedback to the constraints and breaks those beyond their threshold.
  void store(const btContactSolverInfo& info) const;

  std::vector<btScalar> impulse;  ///< [N s] place for results

 private:
  void write(btTypedConstraint& constraint, int rows, btScalar erp, const btContactSolverInfo& info);
  void split_errors(std::size_t first, const btContactSolverInfo& info);

  struct Taken {
    btTypedConstraint* constraint;
    std::size_t first, count;
  };

  JointRowData<btScalar> data_, rigid_;
  std::vector<Taken> taken_;
  std::vector<WrittenRow> written_;  // of one constraint
  btScalar damping_ = 1;
  std::vector<btScalar> with_half_;  // what its rows ask with half the ERP
};

}  // namespace carom::bullet
