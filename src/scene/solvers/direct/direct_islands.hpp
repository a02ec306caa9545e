// The direct solver of islands in substeps: chooses the islands, takes their data from the caller's columns, and stores
// the solutions that are accepted. All other islands are swept.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "core/support/scratch.hpp"
#include "core/threads/thread_team.hpp"
#include "direct_island.hpp"
#include "scene/graph/islands.hpp"
#include "slop.hpp"

namespace carom::scene {
template <class T>
struct CachedRow;
}  // namespace carom::scene

namespace carom::scene::direct {

/// Marks a direct solution in the numbers of substeps. Graph::sort_islands puts these islands last.
inline constexpr std::int32_t solved = 0;
/// A body without a number in an island.
inline constexpr std::uint32_t no_number = ~std::uint32_t{0};

/// Result of an accepted island.
struct Accepted {
  std::uint32_t constraint = 0;  ///< a manifold of the island; without any, a group of rows
  bool is_group = false;
  double approach = 0, residual = 0;
  int solves = 0, substeps = 1;
  IslandAlgorithm algorithm = IslandAlgorithm::linear;

  std::uint32_t island(const Graph& graph) const {
    return is_group ? graph.island_of_group[constraint] : graph.island_of_manifold[constraint];
  }
  /// The compliance of a linear solution leaves 1e-5 of the approach. An interior point may leave more.
  bool has_converged() const {
    return residual <= std::max(SceneThresholds::direct_push, SceneThresholds::direct_converged * approach);
  }
};

/// Squares of numbers beyond this are beyond the range of T.
template <class T>
double max_number() {
  return std::sqrt(static_cast<double>(std::numeric_limits<T>::max()) / 16);
}

template <class T>
T without_subnormals(double x) {
  const auto narrow = static_cast<T>(x);
  return std::abs(narrow) < std::numeric_limits<T>::min() ? T(0) : narrow;
}

/// Stores a vector without subnormal components and negative zeros.
template <class T>
void put(const Vector3Columns<T>& to, std::size_t i, const Vector3& v) {
  const Column<T>* const columns[3] = {&to.x, &to.y, &to.z};
  for (std::size_t c = 0; c < 3; ++c) {
    if (*columns[c]) (*columns[c])[i] = without_subnormals<T>(v[c]);
  }
}

/// An island that is solved directly, or tried.
struct Candidate {
  /// The action of a large island in a call.
  enum class Action : std::uint8_t { none, solves, works, completes };

  std::uint32_t island = 0;
  std::uint32_t first = 0, end = 0;              ///< in DirectMemory::manifolds.number
  std::uint32_t first_group = 0, end_group = 0;  ///< in DirectMemory::groups.number
  std::size_t solver = 0;                        ///< index of its DirectIsland
  int substeps = 1;
  double sweeps = 0;  ///< multiply-adds of the sweeps that would solve it
  bool is_accepted = false;
  // Large islands.
  bool is_large = false, begins = false, begins_later = false, is_held = false;
  Action action = Action::none;
  Treatment treatment;
  bool may_hold = false, is_still = false, has_factor = false;
};

/// The memory of DirectIslands. Solvers of islands stay from call to call.
struct DirectMemory {
  /// Solvers, and the first body of the island that each had in the last call, or -1.
  Array<Owned<DirectIsland>> solvers;
  Array<std::int32_t> body_of_solver;
  std::uint64_t settling_call = 0;

  // Results of the last call.
  Array<Accepted> accepted;
  Array<kernel::SettledIsland> settled;  ///< islands before they are sorted
  Array<std::uint8_t> is_settled;        ///< the same, of all islands

  // Working memory.
  Array<Candidate> candidates;
  kernel::Settling settling{};
  // Shares of large islands that have settled, and the share of every body.
  Array<kernel::SettledIsland> settled_shares;
  Array<std::uint8_t> settled_share_of;
  Array<kernel::SettledJointRow> settled_joint_rows;
  Array<kernel::SettledRow> settled_rows;  ///< of bodies, and of the world
  Scratch<kernel::SettledManifold> settled_manifolds;
  IslandLists manifolds, groups;
  Array<std::uint8_t> excluded;  ///< islands
  Array<std::uint32_t> local;    ///< number of each body in its island
  Array<std::uint32_t> bodies;
  Array<Edge> edges;
  Array<Vector3> places;  ///< [m] of `bodies`, relative to the first one
  Array<std::uint8_t> is_placed;
  Array<std::int32_t> solver_of_body;  ///< of the bodies of this call
  Array<std::uint8_t> taken;

  /// Everything that stays from call to call: direct_islands_state.hpp.
  template <class Archive>
  void carry(Archive& archive, const kernel::BlockKernels& kernels);
  void forget() { std::fill(body_of_solver.begin(), body_of_solver.end(), -1); }
};

/// The direct solver of a call.
template <class T>
class DirectIslands {
 public:
  /// `cached_rows`: the memory of rows that begin with the impulses of their keys, or null. `substeps`: of islands
  /// before they are sorted. Islands that are solved get `solved`.
  DirectIslands(const IslandCall<T>& call, ThreadTeam& team, const Slops<T>& slops, const CachedRow<T>* cached_rows,
                Array<std::int32_t>& substeps, DirectMemory& memory);

  /// Begins a call: finds the islands that the impulses they begin with solve. No result is stored.
  void settle();
  /// Does the same for a call with the islands of the last one, which had all settled. Returns true and stores them if
  /// all settle again.
  bool settle_again();
  /// Solves the other islands that it can, and stores both. All memory is allocated before the first result is stored.
  /// `may_throw`: out of memory is an exception; otherwise these islands are left to sweeps.
  void solve(Array<SubstepNeed>& needs, bool may_throw);

 private:
  using Action = Candidate::Action;
  /// [m/s] Speeds of the bodies of an island.
  struct Motion {
    double rms = 0, fastest = 0;
    Vector3 change{};  // [m/s] of the velocity of the first body by forces in the call, and its length
    double forces = 0;
    bool is_uniform = true;  // all bodies have the same
  };
  /// Properties of all manifolds of an island.
  struct Plainness {
    bool is_plain = true, drives_nothing = true;
  };

  const Constraint& manifold(std::uint32_t k) const { return graph_.manifolds[memory_.manifolds.number[k]]; }
  const Constraint& group(std::uint32_t k) const { return graph_.groups[memory_.groups.number[k]]; }
  std::uint32_t contact_at(const Constraint& of, std::uint32_t c = 0) const {
    return kernel::number_at(job_.contact_at, of.first + c);
  }
  std::uint32_t row_at(const Constraint& of, std::uint32_t r = 0) const {
    return kernel::number_at(job_.row_at, of.first + r);
  }
  bool moves(std::int32_t body) const { return body >= 0 && parts_.movable[body] != 0; }

  std::int32_t solver_of(std::uint32_t island) const;
  void list_islands();
  void find_candidates(Array<SubstepNeed>& needs);
  bool is_plain(std::uint32_t m) const;
  bool plan(Candidate& candidate);
  bool take(const Candidate& candidate);
  int count_substeps(const Candidate& candidate, SubstepNeed& need) const;
  void store(const DirectIsland& island) const;

  // Islands at rest: settled_islands.cpp
  void set_fixed_rows();
  bool may_settle(const Constraint& first, double most) const;
  bool take_rows(kernel::SettledIsland& island);
  bool is_alone(const kernel::SettledIsland& island) const;
  void forget_settled();
  Plainness prepare_to_settle(std::uint32_t first, std::uint32_t end) const;
  void take_certificate(bool drives_nothing, kernel::SettledIsland& island) const;
  bool settle_in_shares(std::uint32_t count, kernel::SettledIsland& island);
  void try_to_settle();
  void store_settled();

  // Large islands: large_islands.cpp
  bool has_size_of_large(const Candidate& candidate) const;
  bool drive_nothing(std::uint32_t first, std::uint32_t end) const;
  Motion motion_of() const;
  void find_places(const Candidate& candidate);
  bool plan_large(Candidate& candidate, std::uint64_t name, std::size_t points);
  bool solve_large(Candidate& candidate);
  void store_held(const Candidate& candidate) const;

  const CallOptions& options_;
  const kernel::SceneKernelsFor<T>& kernels_;
  const kernel::BlockKernels& blocks_;
  const kernel::SceneJob<T>& job_;
  const Graph& graph_;
  const Parts& parts_;
  StepOptions step_;
  ThreadTeam& team_;
  const Slops<T>& slops_;
  const CachedRow<T>* cached_rows_;
  Array<std::int32_t>& substeps_;
  DirectMemory& memory_;
};

}  // namespace carom::scene::direct
