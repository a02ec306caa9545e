// Rows without bounds of an island's joints, J v + γ λ = target. They are eliminated: with M the bodies' mass matrix,
// the bodies respond to impulses f [N s] by M̂⁻¹ f, the change of velocity that the joints allow:
//
//   M̂⁻¹ = M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ + γ)⁻¹ J M⁻¹.
//
// The inverse is found by proximal steps, (J M⁻¹ Jᵀ + γ + δ) Δλ = −(J v + γ λ), each by one solution in the space of
// bodies, 1 + M⁻¹ Jᵀ (γ + δ)⁻¹ J. Rows that repeat others leave J M⁻¹ Jᵀ singular; δ bounds their impulses.
#pragma once

#include "body_matrix.hpp"
#include "core/support/array.hpp"

namespace carom::systems {

class BilateralRows {
 public:
  Array<Sides> body;
  Numbers direction;   ///< 12 a row: of both bodies, J
  Numbers response;    ///< 12 a row: M⁻¹ Jᵀ
  Numbers compliance;  ///< γ

  void clear();
  bool empty() const { return body.empty(); }
  std::size_t size() const { return body.size(); }
  double products() const { return products_; }  ///< of blocks and vectors that hold() is worth

  /// Once all rows are there. False if a number is not finite.
  bool factor(std::size_t bodies);
  /// Finds impulses λ that bring the rows' velocity errors `missed` to 0 as far as impulses can, and adds their effect:
  /// v += M⁻¹ Jᵀ λ. `missed` becomes the remaining errors.
  void hold(Numbers& missed, Numbers& v, Numbers& lambda) const;
  /// Removes from `missed` the part that no impulses change, where rows contradict each other.
  void leave_contradictions(Numbers& missed) const;
  /// J v.
  void measure(const Numbers& v, Numbers& missed) const;
  /// Changes the unit of mass.
  void scale(double mass);
  /// Adds M⁻¹ Jᵀ (γ + δ)⁻¹ J to a matrix, in which the first row is this constraint.
  void add_to(BodyMatrix& matrix, std::size_t first) const;

 private:
  void push(const Numbers& lambda, Numbers& v) const;

  std::size_t bodies_ = 0;
  double products_ = 0;
  Numbers softness_;  // γ + δ; 0: a row that moves no body
  mutable BodyMatrix matrix_;
  mutable Numbers given_, y_, before_, change_, left_, v_, lambda_;
};

}  // namespace carom::systems
