// The part of q outside of the range of W. Impulses cannot change this part, so a solution may not exist. For bodies
// q = H v is in the range of W = H M⁻¹ Hᵀ: the part comes from roundings, or from constraints that the caller moves
// against each other.
#pragma once

#include "core/support/array.hpp"
#include "systems/problem/factorisation.hpp"
#include "systems/problem/work_budget.hpp"

namespace carom::systems {

class VelocityRange {
 public:
  /// Finds outside() of the island: the residual of the least-squares solution of W y = q, by the method of generalised
  /// conjugate residuals (S. C. Eisenstat, H. C. Elman, M. H. Schultz, Variational iterative methods for nonsymmetric
  /// systems of linear equations, 1983) with the preconditioner W + δ. False if this matrix cannot be factored.
  bool find(const IslandSystem& system, Factorisation& lu, WorkBudget& work_budget);
  /// q − P q, with P the orthogonal projection onto the range of W.
  const Numbers& outside() const { return outside_; }
  /// |q − P q|, and the same for only the normal velocities of contacts.
  double distance() const;
  double normal_distance(const IslandSystem& system) const;

 private:
  Numbers outside_, direction_, product_, rest_, shift_, unit_, ones_;
  Array<Numbers> basis_;  // orthonormal, of the range of W
  Beside beside_;
};

}  // namespace carom::systems
