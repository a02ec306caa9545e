// The solver of islands as contact systems, to an error. docs/contact-systems.md
#pragma once

#include <cstdint>
#include <exception>

#include "contact_system.hpp"
#include "core/support/array.hpp"
#include "scene/graph/islands.hpp"
#include "systems/solvers/island_solver.hpp"

namespace carom::scene::ncp {

/// Working memory of a thread.
struct Slot {
  Constraints constraints;
  ContactSystem system;
  systems::IslandSolver solver;
  systems::Numbers impulse;
  systems::Numbers lambda;
  std::exception_ptr error;
};

/// How an island was solved: by the sweeps of Procedure::pgs, or to the tolerance, which may be missed.
enum class SolvedBy : std::uint8_t { sweeps, solved, missed };

struct Memory {
  IslandLists manifolds, groups;
  Array<std::uint32_t> order;  // islands to be solved to the tolerance, by decreasing work
  Array<SolvedBy> by;          // of islands
  Array<double> error;         // of islands
  Array<Owned<Slot>> slots;
};

/// The functions are called in this order.
template <class T>
class NcpSolver {
 public:
  NcpSolver(const IslandCall<T>& call, ThreadTeam& team, Memory& memory);

  /// Lists all islands.
  void begin();
  /// Keeps the islands that go on, up to the size in the options. They begin with the velocities before a pre-solve.
  void choose();
  /// Solves them. Their impulses and velocities go to the snapshot of the job.
  void solve();

 private:
  IslandItems items_of(std::uint32_t island) const;
  void solve(std::uint32_t island, Slot& slot);
  template <class Number>
  Number within_bounds(std::size_t row, Number impulse) const;
  void keep_bounds(const Constraints& constraints, systems::Numbers& impulse) const;
  void store(const Constraints& constraints, const Slot& slot);

  const Ncp& options_;
  double tolerance_;
  kernel::SceneJob<T>& job_;
  const Graph& graph_;
  Islands& islands_;
  ThreadTeam& team_;
  Memory& memory_;
};

}  // namespace carom::scene::ncp
