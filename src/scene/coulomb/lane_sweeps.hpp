// The islands of SceneMethod::coulomb that sweeps on lanes solve, without W: those of contacts alone, without joints
// and contact models. The sweeps are those of SceneMethod::simultaneous, whose fixed points obey the same law; the
// error is that of the contact system, from the velocities of the bodies.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>

#include "coulomb_workspace.hpp"
#include "scene/island_sweeps.hpp"

namespace carom::scene::coulomb {

template <class T>
class LaneSweeps : protected IslandSweeps<T> {
  using Base = IslandSweeps<T>;

 protected:
  using typename Base::Head;

  LaneSweeps(const Call<T>& call, double tolerance)
      : Base(call), space_(call.workspace.coulomb), tolerance_(tolerance) {}

  /// Sweeps over the islands of the order that may be solved so. Those that are solved stand in their blocks; those
  /// that are left begin with SceneJob::carried, at the velocities in SceneJob::kept_velocities.
  void sweep_on_lanes() {
    space_.rank.assign(graph_.islands, no_rank);
    if (tolerance_ < least_tolerance) return;
    // In their order, which is that of sizes, islands find memory of their size from call to call.
    for (std::size_t k = 0; k < space_.order.size(); ++k) space_.rank[space_.order[k]] = static_cast<std::uint32_t>(k);
    if (space_.swept.size() < space_.order.size()) space_.swept.resize(space_.order.size());
    for (std::size_t k = 0; k < space_.order.size(); ++k) space_.swept[k].state = SweptIsland::out;
    space_.live.resize(graph_.islands);
    space_.work.begin(job_.bodies);
    if (job_.kept_moment[0] != nullptr)
      for (std::size_t d = 0; d < 3; ++d) std::copy_n(job_.carried_moment[d], job_.contacts, job_.kept_moment[d]);
    std::exception_ptr failure;
    this->each_part([&](const Part& part, const auto& each) {
      try {
        solve(part, each);
      } catch (...) {
        const std::lock_guard lock(shared_);
        failure = std::current_exception();
      }
    });
    if (!failure) return;
    // A failure of memory leaves these in no state to be used again.
    space_.swept.clear();
    std::rethrow_exception(failure);
  }

  /// True if sweeps have moved the bodies of an island and left it.
  bool is_left(std::uint32_t i) const { return space_.rank[i] != no_rank && swept(i).state == SweptIsland::left; }
  int sweeps_on_lanes(std::uint32_t i) const { return is_left(i) ? swept(i).sweeps : 0; }

  IslandItems items_of(std::uint32_t island) const {
    return {space_.manifolds.of(island), space_.manifolds.of(island + 1), space_.groups.of(island),
            space_.groups.of(island + 1), workspace_.approach[island]};
  }

  using Base::call_;
  using Base::graph_;
  using Base::job_;
  using Base::kernels_;
  using Base::options_;
  using Base::workspace_;
  Workspace& space_;
  double tolerance_;

 private:
  static constexpr bool is_float = sizeof(T) == sizeof(float);
  /// Errors below are in the roundings of the sweeps.
  static constexpr double least_tolerance = is_float ? 1e-5 : 1e-14;
  static constexpr double unit = is_float ? 0x1p-24 : 0x1p-53;
  static constexpr std::uint32_t no_rank = ~std::uint32_t{0};

  SweptIsland& swept(std::uint32_t i) { return space_.swept[space_.rank[i]]; }
  const SweptIsland& swept(std::uint32_t i) const { return space_.swept[space_.rank[i]]; }
  bool is_out(std::uint32_t i) const { return space_.rank[i] == no_rank || swept(i).state == SweptIsland::out; }

  bool may_be_swept(std::uint32_t i) const {
    if (space_.rank[i] == no_rank || space_.groups.of(i) != space_.groups.of(i + 1)) return false;
    return graph_.models.empty() || std::all_of(space_.manifolds.of(i), space_.manifolds.of(i + 1),
                                                [&](std::uint32_t m) { return graph_.models[m] == 0; });
  }

  /// The islands of a part that go on, and whether there are others in its blocks that wait.
  struct Live {
    const Part& part;
    std::uint32_t *begin, *end;
    bool has_bystanders = false;
  };

  /// Calls f(block, lanes) for the live blocks of a part with the lanes whose islands are swept, or those of the
  /// others.
  template <class Each, class F>
  void each_block(const Live& live, bool of_bystanders, const Each& each, const F& f) {
    this->each_colour_set(live.part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t) {
      for (std::size_t i = 0; i < n; ++i) {
        const Head& of = this->head(blocks[i]);
        std::uint32_t lanes = of.live;
        if (live.has_bystanders)
          for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
            if (is_out(this->island(of, lane)) != of_bystanders) lanes &= ~(1u << lane);
        if (lanes != 0) f(blocks[i], lanes);
      }
    });
  }

  /// Calls f(island, chunk, first, end) for the contacts of live islands, chunk by chunk.
  template <class Each, class F>
  void each_chunk(const Live& live, const Each& each, const F& f) {
    for (const std::uint32_t* i = live.begin; i != live.end; ++i) {
      SweptIsland& island = swept(*i);
      each(island.chunks(), [&](std::size_t first, std::size_t end, std::size_t) {
        for (std::size_t c = first; c < end; ++c)
          f(island, c, c * SweptIsland::chunk, std::min(island.contacts(), (c + 1) * SweptIsland::chunk));
      });
    }
  }

  /// A number of the contact system in the units of the host. The quotient of mass and scale may leave the range.
  static T impulse_of(const SweptIsland& island, double x) {
    return static_cast<T>(x * island.mass * island.inverse_scale);
  }

  /// Impulses become x, and velocities those without any.
  template <class Each>
  void put(const Live& live, const Each& each) {
    // The lanes of the last islands are not retired, since no sweep follows.
    if (live.begin == live.end) return;
    each_chunk(live, each, [&](SweptIsland& island, std::size_t, std::size_t first, std::size_t end) {
      for (std::size_t k = first; k < end; ++k) {
        systems::project(&island.x[3 * k], island.friction[k]);
        for (std::size_t d = 0; d < 3; ++d) job_.kept[d][island.contact[k]] = impulse_of(island, island.x[3 * k + d]);
      }
    });
    each_block(live, false, each,
               [&](std::byte* block, std::uint32_t lanes) { kernels_.return_to_kept(job_, block, lanes); });
  }

  /// The impulses act on the bodies.
  template <class Each>
  void apply(const Live& live, const Each& each) {
    this->each_colour_set(live.part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t slot) {
      for (std::size_t i = 0; i < n; ++i) kernels_.warm_start(job_, blocks[i], this->nowhere(slot));
    });
  }

  template <class Each>
  void read(const Live& live, const Each& each) {
    each_block(live, false, each, [&](std::byte* block, std::uint32_t lanes) { kernels_.tell(job_, block, lanes); });
    each_chunk(live, each, [&](SweptIsland& island, std::size_t chunk, std::size_t first, std::size_t end) {
      for (std::size_t k = first; k < end; ++k)
        for (std::size_t d = 0; d < 3; ++d) {
          island.r[3 * k + d] =
              static_cast<double>(job_.carried[d][island.contact[k]]) * island.scale * island.inverse_mass;
          island.u[3 * k + d] = static_cast<double>(job_.kept[d][island.contact[k]]) * island.scale;
        }
      island.measure(chunk);
    });
  }

  template <class Each>
  void sweep(const Live& live, int sweeps, const Each& each) {
    kernel::SceneJob<T> job = job_;
    job.reads_ahead = this->bytes_of(live.part) > cached_bytes;
    job.measures_changes = false;
    job.parameters.relaxation = 1;
    job.parameters.rounds = 1;
    for (int s = 0; s < sweeps; ++s)
      this->each_colour_set(live.part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t slot) {
        kernels_.simultaneous(job, blocks, n, this->nowhere(slot));
      });
  }

  void judge(const Live& live, int sweeps) {
    for (const std::uint32_t* i = live.begin; i != live.end; ++i) {
      SweptIsland& island = swept(*i);
      island.sweeps = sweeps;
      if (island.wants_work()) {
        const std::lock_guard lock(shared_);
        space_.work.find(job_, items_of(*i), island);
      }
      island.judge(unit, options_.coulomb.budget);
    }
  }

  template <class Each>
  void solve(const Part& part, const Each& each) {
    Live live = find_live(part);
    if (live.begin == live.end) return;
    if (live.has_bystanders)
      each_block(live, true, each, [&](std::byte* block, std::uint32_t lanes) { kernels_.keep(job_, block, lanes); });
    put(live, each);
    read(live, each);
    for (const std::uint32_t* i = live.begin; i != live.end; ++i) swept(*i).begin(tolerance_, unit);
    put(live, each);
    retire_ended(live);
    const double most = options_.coulomb.budget / SweptIsland::cost;
    int sweeps = 0, more = 0;
    while (live.begin != live.end) {
      apply(live, each);
      sweep(live, more, each);
      sweeps += more;
      const double at_once = SweptIsland::sweeps_at_once(sweeps);
      more = static_cast<int>(std::clamp(most - sweeps, 1.0, at_once));
      read(live, each);
      judge(live, sweeps);
      retire_ended(live);
      put(live, each);
    }
    if (live.has_bystanders)
      each_block(live, true, each,
                 [&](std::byte* block, std::uint32_t lanes) { kernels_.return_to_kept(job_, block, lanes); });
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      if (!is_out(i)) end(i);
  }

  Live find_live(const Part& part) {
    Live live{part, &space_.live[part.first_island], &space_.live[part.first_island]};
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      if (workspace_.sweeping[i] != Sweeping::goes_on) continue;
      if (may_be_swept(i) && read_contacts(job_, items_of(i), options_.coulomb.most_friction, swept(i))) {
        swept(i).state = SweptIsland::goes_on;
        swept(i).set_units(1, 1);
        *live.end++ = i;
      } else {
        live.has_bystanders = true;
      }
    }
    return live;
  }

  /// Takes islands that have ended out of the sweeps.
  void retire_ended(Live& live) {
    const auto has_ended = [&](std::uint32_t i) { return swept(i).state != SweptIsland::goes_on; };
    std::uint32_t* const end = std::remove_if(live.begin, live.end, [&](std::uint32_t i) {
      if (has_ended(i)) workspace_.sweeping[i] = Sweeping::done;
      return has_ended(i);
    });
    if (end == live.end) return;
    live.end = end;
    this->retire(live.part, true);
  }

  void end(std::uint32_t i) {
    const SweptIsland& island = swept(i);
    workspace_.sweeps_of_island[i] += island.sweeps;
    if (island.state == SweptIsland::solved) {
      space_.method[i] = Method::lanes;
      space_.error[i] = island.q_norm > 0 ? island.best.error / island.q_norm : 0;
      return;
    }
    workspace_.sweeping[i] = Sweeping::goes_on;
    for (std::size_t k = 0; k < island.contacts(); ++k)
      for (std::size_t d = 0; d < 3; ++d)
        job_.carried[d][island.contact[k]] = impulse_of(island, island.best.r[3 * k + d]);
  }

  std::mutex shared_;  // of what parts have in common
};

}  // namespace carom::scene::coulomb
