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

/// What a thread works in.
struct Slot {
  Constraints constraints;
  Delassus delassus;
  systems::IslandSolver solver;
  systems::Numbers impulse;
  std::vector<double> lambda;
  std::exception_ptr error;
};

/// Lists of numbers, one after the other: those of list i are [begin[i], begin[i + 1]).
struct Lists {
  std::vector<std::uint32_t> begin, number;

  /// Number i goes into the list of[i], in order.
  void fill(std::size_t lists, const std::vector<std::uint32_t>& of);
  const std::uint32_t* of(std::size_t list) const { return number.data() + begin[list]; }

 private:
  std::vector<std::uint32_t> next_;
};

/// How an island has been solved: by sweeps to their end; or to the tolerance, on lanes or with W, which may have
/// missed it.
enum class Method : std::uint8_t { sweeps, lanes, solved, missed };

struct Workspace {
  BlockBound bound;
  Lists manifolds, groups;           // of islands
  std::vector<std::uint32_t> order;  // of the islands that are solved to the tolerance, those with most to solve first
  std::vector<Method> method;        // of islands
  std::vector<double> error;         // of islands
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<SweptIsland> swept;   // islands in the order, as they are swept on lanes
  std::vector<std::uint32_t> rank;  // of islands: place among these, or none
  std::vector<std::uint32_t> live;  // part by part, the islands that are still swept so
  WorkOfIslands work;
};

}  // namespace carom::scene::coulomb
