// Contact systems that have the velocities of bodies in them, and what is left when these are eliminated.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sparse_lu.hpp"
#include "sparse_matrix.hpp"
#include "system_numbers.hpp"

namespace carom::io {

/// M v = H r + f, u = Hᵀ v + w and the law of carom/system.hpp between r and u. Three columns of H and three numbers of
/// w belong to a contact: two tangents, then the normal.
struct GlobalSystem {
  SparseMatrix mass;             ///< M [kg], positive definite, symmetric or nearly so
  SparseMatrix directions;       ///< H, as many rows as M
  std::vector<double> momentum;  ///< f [N s], as many as rows
  std::vector<double> velocity;  ///< w [m/s], as many as columns of H
  std::vector<double> friction;  ///< of each contact
  bool mass_was_half = false;    ///< whether the file has one side of M's diagonal, and M is symmetric

  std::size_t contacts() const { return friction.size(); }
};

/// A global system with its M factored.
class CondensedSystem {
 public:
  explicit CondensedSystem(GlobalSystem system);

  /// There is one if M is not positive definite, or singular to rounding: the row where that is found. Nothing else can
  /// be asked for then.
  std::optional<std::size_t> faulty_row() const { return faulty_row_; }

  /// The system of the contacts alone, W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + w. Contacts without a common connected component
  /// of M have no block.
  SystemNumbers numbers();

  const GlobalSystem& global() const { return system_; }
  /// v for these impulses, three a contact.
  std::vector<double> velocities_of(const std::vector<double>& impulse) const;
  /// The largest |M v − H r − f|, row by row relative to |M| |v| + |H| |r| + |f|: some roundings.
  double error_of(const std::vector<double>& velocities, const std::vector<double>& impulse) const;

  /// |u − Hᵀ v − w| / |q|: how far the velocities of contacts are from those of bodies, as roundings in W make them.
  double difference(const std::vector<double>& velocities, const std::vector<double>& u,
                    const std::vector<double>& q) const;

 private:
  struct Halves;

  std::vector<double> solve(const std::vector<double>& momentum) const;
  Halves find_halves();
  void multiply(const Halves& halves, SystemNumbers& numbers) const;

  GlobalSystem system_;
  SparseLu lu_;
  std::optional<std::size_t> faulty_row_;
};

}  // namespace carom::io
