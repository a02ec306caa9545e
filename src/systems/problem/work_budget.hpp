// The work on an island, in units of Gauss–Seidel sweeps over it, and its limits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "island_system.hpp"
#include "measure.hpp"

namespace carom::systems {

struct WorkBudget {
  double target = 0;      ///< requested absolute error
  double budget = 0;      ///< [sweeps]
  double spent = 0;       ///< [sweeps]
  double sweep_cost = 1;  ///< [block products]
  /// Max |q − P q| for which q is projected onto the range of W (velocity_range.hpp). 0: no projection.
  double range_limit = 0;
  std::int32_t pgs_iterations = 0, interior_point_iterations = 0, newton_iterations = 0;

  bool exhausted() const { return !(spent < budget); }
  /// True if the budget has room for this work.
  bool affords(double block_products) const { return spent + block_products / sweep_cost <= budget; }
  void spend(double block_products) { spent += block_products / sweep_cost; }
};

/// The cost of a sweep, including the measurement of the error, in block products. A local solve costs about 12.
double sweep_cost(const IslandSystem& system);

/// The best impulses of an island so far. They are always in the cones.
struct Incumbent {
  Numbers r;
  double error = 0;

  /// Takes impulses if their error is smaller; NaN is not. An error below the target is raised to its rounding error if
  /// this exceeds the target: impulses may be so large that W r loses the velocities.
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

/// Repeats step(number) until the best error is at the target, may_go_on() or step() returns false, or `max_steps` are
/// done.
template <class MayGoOn, class Step>
void improve(const Incumbent& best, double target, std::size_t max_steps, const MayGoOn& may_go_on, const Step& step) {
  for (std::size_t s = 0; s < max_steps && best.error > target && may_go_on(); ++s)
    if (!step(s)) return;
}

/// True if the last `span` errors have not divided the error by `factor`. `errors`: before each step so far.
inline bool has_stalled(const Numbers& errors, std::size_t span, double factor) {
  return errors.size() > span && errors.back() > errors[errors.size() - 1 - span] / factor;
}

}  // namespace carom::systems
