// The linear systems of interior point and Newton, (A + B W C) x = b with A and B of 3 × 3 blocks, C of numbers. If W
// is given by blocks, they are solved directly, else in the space of bodies (H, M̂ and E as in body_form.hpp):
//
//   A' = A + B E C,   (1 + M̂⁻¹ Hᵀ C A'⁻¹ B H) y = M̂⁻¹ Hᵀ C A'⁻¹ b,   x = A'⁻¹ (b − B H y).
//
// The matrix has M⁻¹ in the place of M̂⁻¹, and the rows of joints as further rows of H (bilateral_rows.hpp). A contact
// and its moment have off-diagonal numbers of A and B, and are one block of six rows in the space of bodies
// (factorisation_pairs.cpp).
//
// If A is small, for example for sticking contacts, the matrix of bodies has entries so large that unconstrained
// directions lose digits; iterative refinement recovers them.
#pragma once

#include "body_form.hpp"
#include "core/support/array.hpp"
#include "island_system.hpp"

namespace carom::systems {

/// The off-diagonal blocks of a moment's row, nine numbers each: A in the column of its contact, the contact's A in the
/// column of the moment, and B in the column of its contact. Unused for rows of contacts.
struct Beside {
  Numbers below, above, b_below;

  void clear(std::size_t rows);
};

class Factorisation {
 public:
  /// A new island.
  void forget();
  bool is_planned() const { return is_planned_; }
  void plan(const IslandSystem& system);

  double products() const { return products_; }              ///< cost of a factorisation in block-vector products
  double solve_products() const { return solve_products_; }  ///< same for a solution

  /// Factors A + B W C with A (nine numbers a row), B (nine) and C (three). `block`: the blocks of B W C with the
  /// off-diagonal numbers of A, where W has blocks. `beside`: moments. False if singular or not finite.
  bool factor(const IslandSystem& system, const Numbers& block, const Numbers& a, const Numbers& b, const Numbers& c,
              const Beside& beside);
  /// x becomes the solution for the right-hand side x. The arguments of factor() must still be there.
  void solve(Numbers& x);

 private:
  void plan_bodies();
  bool factor_by_bodies(const Numbers& a, const Numbers& b, const Numbers& c, const Beside& beside);
  /// A contact with its moment: A'⁻¹, −A'⁻¹ B and C A'⁻¹ of six rows.
  struct Pair {
    std::size_t contact, moment;
    double inverse[36]{}, effect[36]{}, change[36]{};
  };
  bool factor_pair(Pair& pair, const Numbers& a, const Numbers& b, const Numbers& c, const Beside& beside);
  bool is_paired(std::size_t row) const {
    return !pairs_.empty() && (system_->is_moment(row) || system_->moment[row] >= 0);
  }
  void push_pair(const Pair& pair, const Numbers& right);
  void solve_pair(const Pair& pair, const Numbers& right, Numbers& x) const;
  void solve_by_bodies(const Numbers& right, Numbers& x);

  /// right −= (A + B W C) x, of bodies.
  void subtract_product(const Numbers& x, Numbers& right);

  bool is_planned_ = false;
  double products_ = 0, solve_products_ = 0;
  BlockLu lu_;
  const IslandSystem* system_ = nullptr;
  // By bodies.
  const BodyForm* form_ = nullptr;
  BodyMatrix matrix_;
  Numbers inverse_, effect_, change_;  // A'⁻¹; −A'⁻¹ B; C A'⁻¹
  Array<Pair> pairs_;
  Numbers y_, right_, rest_, scaled_, product_;
  const Numbers *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
  const Beside* beside_ = nullptr;
};

}  // namespace carom::systems
