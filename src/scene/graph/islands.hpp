// Data that methods and island solvers share: the islands of a call, and the part of a call that a solver reads.
//
// A method makes an island solver for a call, of its IslandCall, the threads and the memory that the solver keeps from
// call to call. The solver chooses its islands, solves them on all threads, and leaves the others to the method.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/jobs/dispatch.hpp"
#include "core/scene/call_options.hpp"
#include "core/support/array.hpp"
#include "core/support/scratch.hpp"
#include "core/threads/thread_team.hpp"
#include "graph.hpp"

namespace carom::scene {

/// The state of an island between sweeps.
enum class Sweeping : std::uint8_t { goes_on, done, may_collide_again, ran_away };

/// How an island solver has left an island.
struct IslandOutcome {
  double approach = 0;  ///< [m/s] max. violation of a target before the solution
  int iterations = 0;
  bool has_converged = false;
  bool overflow = false;  ///< beyond the range of the precision
};

/// Sums of one pass over a scene. Values of islands are in Islands.
struct SweepOutcome {
  /// Preparation found a faulty contact or row. All other members are then invalid, and no result is written.
  bool found_faults = false;
  bool overflow = false;  ///< Islands::overflow marks islands
  double approach = 0;
  std::size_t lanes = 0, lanes_used = 0;
};

/// Result of an island, over all passes of a call.
struct IslandResult {
  IslandStatus status = IslandStatus::converged;
  IslandAlgorithm algorithm = IslandAlgorithm::pgs;
  int iterations = 0;
  double residual = 0;  ///< [m/s]
  double error = 0;     ///< [1] see IslandResults::relative_error
  double approach = 0;  ///< [m/s] maximum
};

/// The manifolds, or the groups of rows, of every island: island i has [begin[i], begin[i + 1]) of `number`.
struct IslandLists {
  Array<std::uint32_t> begin, number;

  void reserve(std::size_t islands, std::size_t constraints) {
    begin.reserve(islands + 2);
    number.reserve(constraints);
  }
  void fill(std::size_t islands, const Array<std::uint32_t>& island_of) {
    begin.assign(islands + 2, 0);
    for (const std::uint32_t island : island_of) ++begin[island + 2];
    for (std::size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
    number.resize(island_of.size());
    for (std::uint32_t c = 0; c < island_of.size(); ++c) number[begin[island_of[c] + 1]++] = c;
  }
  const std::uint32_t* of(std::size_t island) const { return number.data() + begin[island]; }
  bool is_empty(std::size_t island) const { return begin[island] == begin[island + 1]; }
};

struct Islands {
  void reserve(std::size_t count) { make_room(count, approach, worst, iterations, sweeping, overflow, result); }

  void begin_call(std::size_t count) { result.assign(count, {}); }
  void begin_pass(std::size_t count) {
    approach.assign(count, 0);
    worst.assign(count, 0);
    iterations.assign(count, 0);
    sweeping.assign(count, Sweeping::goes_on);
    overflow.assign(count, 0);
  }

  void put(std::size_t island, const IslandOutcome& outcome) {
    approach[island] = outcome.approach;
    iterations[island] = outcome.iterations;
    sweeping[island] = outcome.has_converged ? Sweeping::done : Sweeping::goes_on;
    overflow[island] = outcome.overflow ? 1 : 0;
  }

  /// Sets the relative error of an island that has its residual and status. `approach_before` [m/s]: of the last pass.
  void note_error(std::size_t island, double approach_before) {
    IslandResult& of = result[island];
    of.approach = std::max(of.approach, approach_before);
    of.error = of.status == IslandStatus::overflow ? std::numeric_limits<double>::infinity()
               : of.approach > 0                   ? of.residual / of.approach
                                                   : 0;
  }

  // State in the last pass.
  Array<double> approach;  ///< [m/s] max. violation of a target before it
  Array<double> worst;     ///< [m/s] max. violation of a target now
  Array<std::int32_t> iterations;
  Array<Sweeping> sweeping;
  Array<std::uint8_t> overflow;

  Array<IslandResult> result;
};

/// The data of a call that an island solver reads.
template <class T>
struct IslandCall {
  const CallOptions& options;
  const IsaEntry& entry;
  const kernel::SceneKernelsFor<T>& kernels;
  kernel::SceneJob<T>& job;
  Graph& graph;
  Islands& islands;
  Parts parts;
};

}  // namespace carom::scene
