// Solves one island: sweeps, then the interior point, then the fallbacks. Owns the working memory of a thread.
#pragma once

#include "effort.hpp"
#include "factorisation.hpp"
#include "interior_point.hpp"
#include "newton.hpp"
#include "sweeps.hpp"
#include "velocity_range.hpp"

namespace carom::systems {

class IslandSolver {
 public:
  /// The system. Fill it in before solve().
  IslandSystem system;
  /// W of the system, if `system.bodies` points to it.
  BodyForm bodies;
  /// The impulses.
  Best best;
  /// |q − P q| after solve, with P the projection onto the range of W. 0 if P was not needed.
  double range_distance = 0;

  /// Starts from best.r, moved into the cones, with its error. `best` receives the best impulses and their error.
  void solve(Effort& effort);
  /// q − P q if solve replaced system.q by P q, else empty.
  const Numbers& outside() const { return outside_; }

 private:
  void begin(const Effort& effort);
  bool done(const Effort& effort) const { return best.error <= effort.target || effort.exhausted(); }
  void sweep_on(Effort& effort);
  void sweep(Effort& effort, std::size_t most);
  void go_inside(Effort& effort, const InteriorPointOptions& options);
  void polish(Effort& effort);
  void guess_states(Effort& effort);
  void solve_in_range(Effort& effort);

  // In fallbacks.cpp.
  void start_elsewhere(Effort& effort);
  void fall_back(Effort& effort);
  void raise_friction(Effort& effort, std::size_t steps);
  void start_anywhere(Effort& effort, std::size_t starts);

  Sweeps sweeps_;
  Factorisation lu_;
  InteriorPoint interior_point_;
  Newton newton_;
  VelocityRange range_;
  Best kept_;
  Numbers friction_, velocities_, outside_, kept_q_;
};

}  // namespace carom::systems
