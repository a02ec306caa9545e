// What files beside solver.cpp that implement members of Solver need of it.
#pragma once

#include <carom/solver.hpp>
#include <cstddef>
#include <functional>

#include "dispatch.hpp"

namespace carom {

struct Solver::Access {
  static const IsaEntry& entry(const Solver& solver);

  /// Calls range(first, n, tally) for ranges that make up a batch of `count` contacts, on the threads of the call, and
  /// sums up the tallies.
  using RangeTask = std::function<void(std::size_t first, std::size_t n, kernel::Tally& tally)>;
  static Report run(Solver& solver, std::size_t count, const RangeTask& range);

  /// The same with what a thread works in.
  template <class T>
  using PlanarTask = std::function<void(std::size_t first, std::size_t n, kernel::PlanarWorkspace<T>& workspace,
                                        kernel::Tally& tally)>;
  static Report run(Solver& solver, std::size_t count, const PlanarTask<float>& range);
  static Report run(Solver& solver, std::size_t count, const PlanarTask<double>& range);
};

}  // namespace carom
