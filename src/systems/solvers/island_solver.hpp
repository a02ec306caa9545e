// Solves one island: sweeps, then the interior point, then the fallbacks. Owns the working memory of a thread.
#pragma once

#include "interior_point.hpp"
#include "newton.hpp"
#include "sweeps.hpp"
#include "systems/problem/factorisation.hpp"
#include "systems/problem/work_budget.hpp"
#include "velocity_range.hpp"

namespace carom::systems {

class IslandSolver {
 public:
  /// The system. Fill it in before solve().
  IslandSystem system;
  /// W of the system, if `system.bodies` points to it.
  BodyForm bodies;
  /// The impulses.
  Incumbent best;
  /// |q − P q| after solve, with P the projection onto the range of W. 0 if P was not needed.
  double range_distance = 0;

  /// Starts from best.r, moved into the cones, with its error. `best` receives the best impulses and their error.
  void solve(WorkBudget& work_budget);
  /// q − P q if solve replaced system.q by P q, else empty.
  const Numbers& outside() const { return outside_; }

 private:
  void begin(const WorkBudget& work_budget);
  bool done(const WorkBudget& work_budget) const { return best.error <= work_budget.target || work_budget.exhausted(); }
  void sweep_on(WorkBudget& work_budget);
  void sweep(WorkBudget& work_budget, std::size_t most);
  void go_inside(WorkBudget& work_budget, const InteriorPointOptions& options);
  void polish(WorkBudget& work_budget);
  void guess_states(WorkBudget& work_budget);
  void solve_in_range(WorkBudget& work_budget);

  // In fallbacks.cpp.
  void start_elsewhere(WorkBudget& work_budget);
  void fallback(WorkBudget& work_budget);
  void raise_friction(WorkBudget& work_budget, std::size_t steps);
  void start_anywhere(WorkBudget& work_budget, std::size_t starts);

  Sweeps sweeps_;
  Factorisation lu_;
  InteriorPoint interior_point_;
  Newton newton_;
  VelocityRange range_;
  Incumbent kept_;
  Numbers friction_, velocities_, outside_, kept_q_;
};

}  // namespace carom::systems
