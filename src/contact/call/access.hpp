// A call of a solver, for all files that implement its members.
#pragma once

#include <carom/solver.hpp>
#include <cstddef>
#include <functional>
#include <memory>

#include "core/columns/public_call.hpp"
#include "core/jobs/dispatch.hpp"
#include "core/threads/floating_point.hpp"

namespace carom {

/// A call has exclusive use of the solver and its memory from construction to destruction. Meanwhile the calling thread
/// computes in the default floating-point environment.
class Solver::Call {
 public:
  /// Throws Error if another call has the solver, if the solver has been moved from or an option is out of range.
  Call(Solver& solver, const Options& options);

  State& state() const { return state_; }
  const IsaEntry& entry() const;

  /// Calls range(first, n, tally) for ranges that cover a batch of `count` contacts, on the threads of the call, and
  /// sums the tallies.
  using RangeTask = std::function<void(std::size_t first, std::size_t n, kernel::Tally& tally)>;
  Report run(std::size_t count, const RangeTask& range) const;

  /// Calls range(first, n, workspace) for ranges that cover a batch. Each thread has a `workspace`, created by make().
  /// The solver keeps them from call to call, for each precision.
  using GradientTask = std::function<void(std::size_t first, std::size_t n, void* workspace)>;
  template <class T>
  void run_gradients(std::size_t count, const std::function<std::shared_ptr<void>()>& make,
                     const GradientTask& range) const;

 private:
  State& state_;
  OneCall one_call_;
  DefaultFloatingPoint environment_;
};

}  // namespace carom
