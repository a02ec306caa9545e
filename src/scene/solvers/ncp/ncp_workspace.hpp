// The memory of Procedure::ncp.
#pragma once

#include <cstdint>
#include <exception>

#include "contact_system.hpp"
#include "core/scene/call_options.hpp"
#include "core/support/array.hpp"
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

/// Consecutive lists of numbers. List i is [begin[i], begin[i + 1]) of `number`.
struct Lists {
  Array<std::uint32_t> begin, number;

  /// Appends number i to the list of[i], in order.
  void fill(std::size_t lists, const Array<std::uint32_t>& of);
  const std::uint32_t* of(std::size_t list) const { return number.data() + begin[list]; }

 private:
  Array<std::uint32_t> next_;
};

/// How an island was solved: by the sweeps of Procedure::pgs, or to the tolerance, which may be missed.
enum class Method : std::uint8_t { sweeps, solved, missed };

struct Workspace {
  Lists manifolds, groups;     // of islands
  Array<std::uint32_t> order;  // islands to be solved to the tolerance, by decreasing work
  Array<Method> method;        // of islands
  Array<double> error;         // of islands
  Array<Owned<Slot>> slots;
};

}  // namespace carom::scene::ncp
