// W of an island by its bodies: W = H M̂⁻¹ Hᵀ + E, where M̂⁻¹ is M⁻¹ constrained by the joints (bilateral_rows.hpp).
// It takes memory in proportion to the contacts, while the blocks of W grow with the square of the contacts on a body.
#pragma once

#include "bilateral_rows.hpp"
#include "core/support/array.hpp"

namespace carom::systems {

class BodyForm {
 public:
  std::size_t bodies = 0;  ///< 0: there is no such form
  Array<Sides> body;       ///< of each contact
  Numbers direction;       ///< 36 a contact: of both bodies the three rows of H, of six numbers each
  Numbers response;        ///< 36 a contact: M⁻¹ Hᵀ
  Numbers extra;           ///< three a contact: E, which is diagonal
  BilateralRows rows;      ///< of joints

  void clear();
  /// Changes the unit of mass.
  void scale(double mass);
  /// Block (i, j) of H M⁻¹ Hᵀ + E, without the effect of joints, for contacts of the same bodies.
  void own_block(std::size_t i, std::size_t j, double* block) const;
  /// The mean of the diagonal of block (i, i).
  double mean_diagonal(std::size_t i) const;

  /// v = M̂⁻¹ Hᵀ r, six numbers a body.
  void answer(const Numbers& r, Numbers& v) const;
  /// u += H v + E r of a contact.
  void add_velocity(std::size_t contact, const Numbers& v, const double* r, double* u) const;
  /// v += M⁻¹ Hᵀ of the contact times the impulse, without joints.
  void push(std::size_t contact, const double* impulse, Numbers& v) const;
  /// y += W x.
  void add_product(const Numbers& x, Numbers& y) const;
  /// The norm of |H| |M⁻¹ Hᵀ| |r|.
  double magnitude(const Numbers& r) const;
  /// Block products that answer() and one velocity a contact are worth.
  double products() const { return 8 * static_cast<double>(body.size()) + rows.products(); }

 private:
  mutable Numbers v_, missed_, lambda_;
};

}  // namespace carom::systems
