// Gauss–Seidel sweeps with the exact solution of each contact, accelerated.
#pragma once

#include <cstddef>

#include "anderson.hpp"
#include "core/support/array.hpp"
#include "local_moment.hpp"
#include "systems/problem/work_budget.hpp"

namespace carom::systems {

class Sweeps {
 public:
  void begin(const IslandSystem& system);
  /// Starts a run from the best impulses.
  void start(const IslandSystem& system, const Incumbent& best);
  /// Goes on until the target is reached or the run has had `most` sweeps. A judged one ends when the decay of the
  /// error over the last ten sweeps says that `most` will not do.
  void go_on(const IslandSystem& system, Incumbent& best, WorkBudget& work_budget, std::size_t most,
             bool judged = false);

 private:
  void sweep(const IslandSystem& system, Numbers& r);
  void sweep_with_moments(const IslandSystem& system, Numbers& r);
  void sweep_by_bodies(const IslandSystem& system, Numbers& r);

  Array<LocalContact> contact_;
  Array<LocalMoment> moment_;  // of rows; empty without moments
  Numbers own_, beside_;       // by bodies: W_ii; of moments: W of the contact and the moment, and of both reversed
  Numbers x_, g_, u_, v_, weight_;
  Numbers errors_;  // min. error so far, after each iteration of the run
  Anderson anderson_;
};

}  // namespace carom::systems
