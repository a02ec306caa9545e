// The contact system of one island, in double: W, q and friction. W is given by 3 × 3 blocks in compressed rows, or by
// the bodies (body_form.hpp). A row belongs to a contact or to its moment (moments.hpp).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/support/array.hpp"
#include "linear/block_pattern.hpp"

namespace carom::systems {

class BodyForm;

struct IslandSystem : BlockPattern {
  Numbers block;                       ///< nine numbers a block, row after row
  const BodyForm* bodies = nullptr;    ///< W, if there are no blocks
  Numbers q;                           ///< three a contact: two tangents, then the normal
  Numbers friction;                    ///< 0 of a moment
  Array<std::int32_t> moment;          ///< of each row: the row of its moment, or -1; empty: there are no moments
  Array<std::int32_t> parent_contact;  ///< of each row, if it is a moment: the contact's whose moment it is; else -1

  std::size_t contacts() const { return friction.size(); }  ///< rows
  bool has_moments() const { return !moment.empty(); }
  bool is_moment(std::size_t i) const { return has_moments() && parent_contact[i] >= 0; }
  /// The block of a row and a column, which is there.
  std::size_t block_of(std::size_t row, std::int32_t of) const;
  /// The mean of the diagonal of W_ii, which scales contact i.
  double mean_diagonal(std::size_t i) const;
  /// Block (i, j) of a contact with itself or with its moment. By bodies: without the joints' effect.
  void own_block(std::size_t i, std::size_t j, double* w) const;
  void clear();
};

/// The power of two that brings the mean of W's diagonal near 1.
double mass_of(const IslandSystem& system);

/// The length of the part across the normal, of any finite numbers: squares that would leave the range are left to the
/// slower way.
inline double tangential_length(const double* x) {
  const double square = x[0] * x[0] + x[1] * x[1];
  if (square > 0x1p-960 && square < 0x1p1020) [[likely]]
    return std::sqrt(square);
  return x[0] == 0 && x[1] == 0 ? 0 : std::hypot(x[0], x[1]);
}

/// y += W x.
void add_product(const IslandSystem& system, const Numbers& x, Numbers& y);

/// u = W r + q.
void velocities(const IslandSystem& system, const Numbers& r, Numbers& u);

}  // namespace carom::systems
