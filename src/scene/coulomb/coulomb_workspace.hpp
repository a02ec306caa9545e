// The memory of SceneMethod::coulomb.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "block_bound.hpp"
#include "delassus.hpp"
#include "swept_contacts.hpp"
#include "system/island_solver.hpp"

namespace carom::scene::coulomb {

/// Working memory of a thread.
struct Slot {
  Constraints constraints;
  Delassus delassus;
  systems::IslandSolver solver;
  systems::Numbers impulse;
  std::vector<double> lambda;
  std::exception_ptr error;
};

/// Consecutive lists of numbers. List i is [begin[i], begin[i + 1]) of `number`.
struct Lists {
  std::vector<std::uint32_t> begin, number;

  /// Appends number i to the list of[i], in order.
  void fill(std::size_t lists, const std::vector<std::uint32_t>& of);
  const std::uint32_t* of(std::size_t list) const { return number.data() + begin[list]; }

 private:
  std::vector<std::uint32_t> next_;
};

/// How an island was solved: by sweeps only; or to the tolerance, on lanes or with W. The solution may miss the
/// tolerance.
enum class Method : std::uint8_t { sweeps, lanes, solved, missed };

struct Workspace {
  BlockBound bound;
  Lists manifolds, groups;           // of islands
  std::vector<std::uint32_t> order;  // islands to be solved to the tolerance, by decreasing work
  std::vector<Method> method;        // of islands
  std::vector<double> error;         // of islands
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<SweptIsland> swept;   // islands of `order` that are swept on lanes
  std::vector<std::uint32_t> rank;  // of islands: index in `swept`, or none
  std::vector<std::uint32_t> live;  // part by part, the islands still being swept
  WorkOfIslands work;
};

}  // namespace carom::scene::coulomb
