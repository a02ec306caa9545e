// The linear systems of interior point and Newton, (A + B W C) x = b with A and B of 3 × 3 blocks, C of numbers. They
// are solved as they stand, or in the space of bodies where these make the smaller matrix (H, M and E as in
// body_form.hpp):
//
//   A' = A + B E C,   (1 + M⁻¹ Hᵀ C A'⁻¹ B H) y = M⁻¹ Hᵀ C A'⁻¹ b,   x = A'⁻¹ (b − B H y).
//
// A contact and its moment have numbers of A and B beside the diagonal, and are one block of six rows in the space of
// bodies (factorisation_pairs.cpp).
//
// Where A is small, as of contacts that stick, the matrix of bodies has numbers so large that directions which nothing
// holds lose digits; one step of iterative refinement brings them back.
#pragma once

#include "block_lu.hpp"
#include "body_form.hpp"

namespace carom::systems {

/// The blocks of a moment's row beside the diagonal, nine numbers each: A in the column of its contact, the contact's A
/// in the column of the moment, and B in the column of its contact. Of rows of contacts they do not count.
struct Beside {
  Numbers below, above, b_below;

  void clear(std::size_t rows);
};

class Factorisation {
 public:
  /// A new island; null or without bodies: there is no form but W.
  void forget(const BodyForm* form);
  bool is_planned() const { return lu_.is_planned(); }
  void plan(const IslandSystem& system);
  /// From now on not by bodies, whose roundings may have been too large. False if that was so already.
  bool leave_bodies(const IslandSystem& system);

  double products() const { return products_; }              ///< of blocks and vectors that a factorisation is worth
  double solve_products() const { return solve_products_; }  ///< the same of a solution

  /// A (nine numbers a row), B (nine), C (three), and the blocks of B W C, with A beside the diagonal. `beside` is that
  /// of moments. False if it is singular or not finite.
  bool factor(const IslandSystem& system, const Numbers& block, const Numbers& a, const Numbers& b, const Numbers& c,
              const Beside& beside);
  /// x becomes the solution for the right-hand side x.
  void solve(Numbers& x);

 private:
  void count();
  void find_bodies();
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
  /// The first number of six rows and columns of the bodies' matrix, for the bodies s and t of a contact; `width` is
  /// from its first three rows to the next.
  double* bodies_block(std::size_t contact, std::size_t s, std::size_t t, std::size_t& width);
  void solve_by_bodies(const Numbers& right, Numbers& x);

  const BodyForm* form_ = nullptr;
  bool by_bodies_ = false;
  double products_ = 0, solve_products_ = 0;
  BlockLu lu_;
  // By bodies: every one is two contacts of a system with this pattern.
  IslandSystem bodies_;
  std::vector<std::array<std::size_t, 4>> place_;  // of each contact and pair of its bodies: number of the first block
  Numbers inverse_, effect_, change_, unit_;       // A'⁻¹; −A'⁻¹ B; C A'⁻¹; diagonal
  std::vector<Pair> pairs_;
  Numbers y_, right_, rest_;
  const IslandSystem* system_ = nullptr;
  const Numbers *block_ = nullptr, *a_ = nullptr;
};

}  // namespace carom::systems
