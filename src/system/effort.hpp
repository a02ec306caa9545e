// The work on an island, counted in Gauss–Seidel sweeps over it, and its bounds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "island_system.hpp"
#include "measure.hpp"

namespace carom::systems {

struct Effort {
  double target = 0;      ///< absolute error that is asked for
  double budget = 0;      ///< [sweeps]
  double spent = 0;       ///< [sweeps]
  double sweep_cost = 1;  ///< [block products]
  /// |q − P q| up to which q may be projected onto the range of W (velocity_range.hpp); 0: it is not.
  double range_limit = 0;
  std::int32_t sweeps = 0, interior_steps = 0, newton_steps = 0;

  bool exhausted() const { return !(spent < budget); }
  void spend(double block_products) { spent += block_products / sweep_cost; }
};

/// The cost of a sweep and of the measure of its error, in block products: a local solve takes some 12.
inline double sweep_cost(const IslandSystem& system) {
  return 2 * static_cast<double>(system.blocks()) + 12 * static_cast<double>(system.contacts());
}

/// The best impulses of an island so far. They are always in the cones.
struct Best {
  Numbers r;
  double error = 0;

  /// Takes impulses if their error is smaller; a NaN is not. An error that reaches the target counts only as far as
  /// rounding lets it be known: impulses may be so large that the velocities are lost in W r.
  void offer(const IslandSystem& system, const Numbers& impulses, double their_error, double target) {
    if (!(their_error < error)) return;
    if (their_error <= target) {
      const double known = std::max(their_error, rounding_of(system, impulses));
      if (known > target) their_error = known;
      if (!(their_error < error)) return;
    }
    error = their_error;
    r = impulses;
  }
};

}  // namespace carom::systems
