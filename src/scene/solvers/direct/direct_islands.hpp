// The direct islands of a call in substeps: chooses the islands, takes their data from the caller's
// columns, and stores the solutions that are accepted. All other islands are swept.
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
#include "scene/graph/graph.hpp"
#include "slop.hpp"

namespace carom::scene {
template <class T>
struct CachedRow;
}  // namespace carom::scene

namespace carom::scene::direct {

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

template <class T>
StepOptions step_options(const CallOptions& options, const Scene<T>& scene);

/// The memory that stays from call to call.
class DirectIslands {
 public:
  /// Marks a direct solution in the numbers of substeps. Graph::sort_islands puts these islands last.
  static constexpr std::int32_t solved = 0;

  /// Begins a call: finds the islands that the impulses they begin with solve. No result is stored. `warm_start_cache`:
  /// of rows with keys, or null.
  template <class T>
  void settle(const CallOptions& options, const kernel::SceneKernelsFor<T>& kernels, const kernel::SceneJob<T>& job,
              const Graph& graph, const Parts& parts, const Slops<T>& slops, const CachedRow<T>* warm_start_cache,
              ThreadTeam& team);
  /// Does the same for a call with the islands of the last one, which had all settled. Returns true and stores them if
  /// all settle again.
  template <class T>
  bool settle_again(const CallOptions& options, const kernel::SceneKernelsFor<T>& kernels,
                    const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts, const Slops<T>& slops,
                    const CachedRow<T>* warm_start_cache, Array<std::int32_t>& substeps, ThreadTeam& team);
  /// These islands, before they are sorted.
  const Array<kernel::SettledIsland>& settled() const { return settled_; }
  bool is_settled(std::size_t island) const { return is_settled_[island] != 0; }
  /// Solves the other islands that it can, stores both, and sets their `substeps` to `solved`. `substeps` and `needs`:
  /// of islands before they are sorted. All memory is allocated before the first result is stored. `may_throw`: out of
  /// memory is an exception; otherwise these islands are left to sweeps.
  template <class T>
  void solve(const CallOptions& options, const kernel::SceneKernelsFor<T>& kernels, const kernel::BlockKernels& blocks,
             const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts, const Slops<T>& slops,
             Array<std::int32_t>& substeps, Array<SubstepNeed>& needs, ThreadTeam& team, bool may_throw);

  const Array<Accepted>& accepted() const { return accepted_; }

  /// Everything that stays from call to call: direct_islands_state.hpp.
  template <class Archive>
  void carry(Archive& archive, const kernel::BlockKernels& kernels);
  void forget();

 private:
  /// The action of a large island in a call.
  enum class Action : std::uint8_t { none, solves, works, completes };
  struct Candidate {
    std::uint32_t island = 0;
    std::uint32_t first = 0, end = 0;              // in manifolds_
    std::uint32_t first_group = 0, end_group = 0;  // in groups_
    std::size_t solver = 0;                        // index of its DirectIsland
    int substeps = 1;
    double sweeps = 0;  // multiply-adds of the sweeps that would solve it
    bool is_accepted = false;
    // Large islands.
    bool is_large = false, begins = false, begins_later = false, is_held = false;
    Action action = Action::none;
    Treatment treatment;
    bool may_hold = false, is_still = false, has_factor = false;
  };
  /// [m/s] Speeds of the bodies of an island.
  struct Motion {
    double rms = 0, fastest = 0;
    Vector3 change{};  // [m/s] of the velocity of the first body by forces in the call, and its length
    double forces = 0;
    bool is_uniform = true;  // all bodies have the same
  };

  std::int32_t solver_of(const Graph& graph, const Parts& parts, std::uint32_t island) const;
  template <class T>
  void list_islands(const kernel::SceneJob<T>& job, const Graph& graph);
  template <class T>
  void find_candidates(const CallOptions& options, const kernel::SceneJob<T>& job, const Graph& graph,
                       const Parts& parts, const Array<std::int32_t>& substeps, Array<SubstepNeed>& needs,
                       const StepOptions& step);
  template <class T>
  bool is_plain(const kernel::SceneJob<T>& job, const Graph& graph, std::uint32_t manifold) const;
  template <class T>
  bool plan(Candidate& candidate, const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
            const StepOptions& step);
  template <class T>
  bool take(const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts, const CallOptions& options,
            const Slops<T>& slops, const Candidate& candidate);
  template <class T>
  int count_substeps(const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts, const CallOptions& options,
                     const Candidate& candidate, SubstepNeed& need) const;
  template <class T>
  static void store(const kernel::SceneJob<T>& job, const DirectIsland& island);

  // Islands at rest: settled_islands.cpp
  template <class T>
  void set_fixed_rows(const kernel::SceneJob<T>& job, const Parts& parts);
  template <class T>
  bool may_settle(const kernel::SceneJob<T>& job, const Constraint& first, double most) const;
  template <class T>
  bool take_rows(const CallOptions& options, const kernel::SceneJob<T>& job, const Graph& graph, const Slops<T>& slops,
                 const CachedRow<T>* warm_start_cache, kernel::SettledIsland& island);
  bool is_alone(const Graph& graph, const Parts& parts, const kernel::SettledIsland& island) const;
  void forget_settled(const Graph& graph);
  /// Properties of all manifolds of an island.
  struct Plainness {
    bool is_plain = true, drives_nothing = true;
  };
  template <class T>
  Plainness prepare_to_settle(const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
                              const Slops<T>& slops, std::uint32_t first, std::uint32_t end) const;
  template <class T>
  void take_certificate(const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts, const StepOptions& step,
                        bool drives_nothing, kernel::SettledIsland& island) const;
  template <class T>
  bool settle_in_shares(const kernel::SceneKernelsFor<T>& kernels, const kernel::SceneJob<T>& job, const Graph& graph,
                        const Parts& parts, const Slops<T>& slops, const StepOptions& step, std::uint32_t count,
                        kernel::SettledIsland& island, ThreadTeam& team);
  template <class T>
  void try_to_settle(const CallOptions& options, const kernel::SceneKernelsFor<T>& kernels,
                     const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts, const Slops<T>& slops,
                     const CachedRow<T>* warm_start_cache, ThreadTeam& team);
  template <class T>
  void store_settled(const kernel::SceneKernelsFor<T>& kernels, const kernel::SceneJob<T>& job, const Graph& graph,
                     Array<std::int32_t>& substeps, ThreadTeam& team);

  // Large islands: large_islands.cpp
  template <class T>
  static bool has_size_of_large(const kernel::SceneJob<T>& job, const Candidate& candidate);
  template <class T>
  bool drive_nothing(const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts, std::uint32_t first,
                     std::uint32_t end) const;
  template <class T>
  Motion motion_of(const kernel::SceneJob<T>& job) const;
  template <class T>
  void find_places(const kernel::SceneJob<T>& job, const Graph& graph, const Candidate& candidate);
  template <class T>
  bool plan_large(const kernel::SceneJob<T>& job, const Graph& graph, Candidate& candidate, const StepOptions& step,
                  std::uint64_t name, std::size_t points);
  template <class T>
  bool solve_large(const CallOptions& options, const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
                   const Slops<T>& slops, const StepOptions& step, Candidate& candidate);
  template <class T>
  void store_held(const kernel::SceneJob<T>& job, const Graph& graph, const Candidate& candidate) const;

  const kernel::BlockKernels* kernels_ = nullptr;
  Array<Candidate> candidates_;
  Array<Accepted> accepted_;
  kernel::Settling settling_{};
  std::uint64_t settling_call_ = 0;
  Array<kernel::SettledIsland> settled_;
  // Shares of large islands that have settled, and the share of every body.
  Array<kernel::SettledIsland> settled_shares_;
  Array<std::uint8_t> settled_share_of_;
  Array<kernel::SettledJointRow> settled_joint_rows_;
  Array<kernel::SettledRow> settled_rows_;  // of bodies, and of the world
  Scratch<kernel::SettledManifold> settled_manifolds_;
  Array<std::uint8_t> is_settled_;             // islands
  Array<std::uint32_t> begin_, manifolds_;     // manifolds of each island
  Array<std::uint32_t> group_begin_, groups_;  // its groups of rows
  Array<std::uint8_t> excluded_;               // islands
  Array<std::uint32_t> local_;                 // number of each body in its island
  Array<std::uint32_t> bodies_;
  Array<Edge> edges_;
  Array<Vector3> places_;  // [m] of bodies_, relative to the first one
  Array<std::uint8_t> is_placed_;
  // Solvers, and the first body of the island that each had in the last call, or -1.
  Array<Owned<DirectIsland>> solvers_;
  Array<std::int32_t> body_of_solver_;
  Array<std::int32_t> solver_of_body_;  // of the bodies of this call
  Array<std::uint8_t> taken_;
};

}  // namespace carom::scene::direct
