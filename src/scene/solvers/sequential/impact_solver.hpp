// Sequential impacts: the solver of islands.
#pragma once

#include "impact_workspace.hpp"
#include "scene/graph/islands.hpp"

namespace carom::scene {

/// The functions are called in this order.
template <class T>
class ImpactSolver {
 public:
  /// `impulses`: of contacts, by component. Bodies have their velocities in the rows of the job.
  ImpactSolver(const IslandCall<T>& call, ThreadTeam& team, T* impulses, ImpactWorkspace<T>& memory)
      : call_(call), team_(team), impulses_(impulses), memory_(memory) {}

  /// Adds the faults of contacts that only their laws find.
  void validate();
  /// Lists the contacts and rows of all islands. Returns false if a row is faulty.
  bool begin();
  /// Solves all islands, and stores their results.
  SweepOutcome solve();

 private:
  void make_batches();

  const IslandCall<T>& call_;
  ThreadTeam& team_;
  T* impulses_;
  ImpactWorkspace<T>& memory_;
};

}  // namespace carom::scene
