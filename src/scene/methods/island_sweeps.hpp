// Common code of the methods that sweep: blocks in the order of the graph, convergence of islands, final residuals.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "core/support/array.hpp"
#include "method.hpp"
#include "sweeps.hpp"

namespace carom::scene {

/// Lane batches per task: a microsecond or two of work.
inline constexpr std::size_t grain = 8;
/// Blocks with more bytes are assumed to exceed the second-level cache.
inline constexpr std::size_t cached_bytes = std::size_t{1} << 20;

/// A loop of sweeps, see IslandSweeps::converge.
template <class T>
struct SweepLoop {
  typename kernel::SweepKernels<T>::Sweep kernel;
  int max_sweeps = 0;
  bool begins_warm = false;         ///< contacts or rows may have initial impulses
  bool checks_first_sweep = false;  ///< warm-started islands may have converged after it
};

/// The default checks of a loop: an island that has converged is done.
struct PlainChecks {
  /// True if islands are checked after the last sweep, too. `is_due`: it would be checked if it were not the last.
  bool checks_last(bool) const { return true; }
  /// True if the changes of the last sweep are measured even if it is not checked.
  bool measures_last() const { return false; }
  /// False if a part with one island needs no check while the island is above its threshold.
  bool needs_violations() const { return false; }
  /// Sees the violations of a check. True if it has ended an island.
  bool see(int) { return false; }
  Sweeping converged() const { return Sweeping::done; }
  /// Some islands have converged.
  void end_check() {}
};

template <class T>
class IslandSweeps {
 protected:
  explicit IslandSweeps(const Call<T>& call)
      : call_(call),
        job_(call.job),
        kernels_(call.kernels),
        workspace_(call.workspace),
        graph_(call.graph),
        islands_(call.islands),
        options_(call.options) {}

  using Head = kernel::BlockHead<T>;
  static Head& head(std::byte* block) { return *reinterpret_cast<Head*>(block); }
  kernel::VelocityRow<T>* dummy_body(std::size_t slot) const { return job_.velocities + job_.bodies + 1 + slot; }

  void begin() {
    lay_out(graph_.lane_batches, workspace_.blocks, workspace_.block_of_lane_batch);
    workspace_.live_blocks = workspace_.block_of_lane_batch;
    workspace_.colour_set_end.resize(graph_.colour_sets.size());
    for (std::size_t s = 0; s < graph_.colour_sets.size(); ++s)
      workspace_.colour_set_end[s] = graph_.colour_sets[s].end;
    islands_.begin_pass(graph_.islands);
    for (const std::uint32_t m : graph_.single_manifold)
      islands_.sweeping[graph_.island_of_manifold[m]] = Sweeping::done;
  }

  /// Calls solve(part, each, slot) for all parts: first large islands, one after the other on all threads, then the
  /// others in parallel. each(n, f) calls f(first, end, slot) for ranges that cover [0, n).
  template <class F>
  void each_part(const F& solve) {
    for (const Part& part : graph_.parts)
      if (part.is_large())
        solve(part, [&](std::size_t n, const auto& f) { call_.team.each(n, grain, part.shares, f); });
    call_.team.each_balanced(graph_.parts.size(), 1, [&](std::size_t first, std::size_t end, std::size_t slot) {
      for (std::size_t p = first; p < end; ++p)
        if (!graph_.parts[p].is_large())
          solve(graph_.parts[p], [&](std::size_t n, const auto& f) { f(std::size_t{0}, n, slot); });
    });
  }

  /// The i-th lane batch of loops in which each thread takes the lane batches of its share.
  std::size_t lane_batch(std::size_t i) const { return call_.team.slots() > 1 ? graph_.by_share[i] : i; }

  /// Calls f(block) for all blocks of a part.
  template <class Each, class F>
  void each_block(const Part& part, const Each& each, const F& f) {
    each(part.end_lane_batch - part.first_lane_batch, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t i = part.first_lane_batch + first; i < part.first_lane_batch + end; ++i)
        f(workspace_.block_of_lane_batch[lane_batch(i)]);
    });
  }

  template <class Each>
  void prepare_all(const kernel::SceneJob<T>& job, const Part& part, const Each& each) {
    each(part.end_lane_batch - part.first_lane_batch, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t i = part.first_lane_batch + first; i < part.first_lane_batch + end; ++i) {
        const std::size_t v = lane_batch(i);
        prepare(job, graph_.lane_batches[v], graph_.order.data(), workspace_.block_of_lane_batch[v]);
      }
    });
  }

  /// Allocates the block of every lane batch.
  void lay_out(const Array<LaneBatch>& vectors, Scratch<std::byte>& memory, Array<std::byte*>& blocks) {
    const auto size_of = [&](const LaneBatch& v) {
      return bytes_of_block(kernels_, job_, v.is_joint, v.count, v.models);
    };
    std::size_t bytes = 0;
    for (const LaneBatch& v : vectors) bytes += size_of(v);
    // Twice the required size, so that the memory of large scenes rarely grows.
    std::byte* at = memory.at_least(std::max(bytes, std::size_t{64}), 2 * bytes + 64);
    blocks.resize(vectors.size());
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      blocks[i] = at;
      at += size_of(vectors[i]);
    }
  }

  /// Bytes of all blocks of a part except the last one. They are contiguous.
  std::size_t bytes_of(const Part& part) const {
    const Array<std::byte*>& blocks = workspace_.block_of_lane_batch;
    return part.first_lane_batch < part.end_lane_batch
               ? static_cast<std::size_t>(blocks[part.end_lane_batch - 1] - blocks[part.first_lane_batch])
               : 0;
  }

  void prepare(const kernel::SceneJob<T>& job, const LaneBatch& vector, const std::uint32_t* order, std::byte* block) {
    Head& to = head(block);
    to.lanes = vector.lanes;
    to.live = (1u << vector.lanes) - 1;
    to.count = vector.count;
    to.overflow = 0;
    to.is_joint = vector.is_joint;
    to.models = vector.models;
    for (std::uint32_t lane = 0; lane < vector.lanes; ++lane) to.manifold[lane] = order[vector.first + lane];
    kernels_.prepare(job, block);
  }

  std::uint32_t island(const Head& of, std::size_t lane) const {
    return of.is_joint ? graph_.island_of_group[of.manifold[lane]] : graph_.island_of_manifold[of.manifold[lane]];
  }

  /// Calls f(blocks, n, slot) for the live blocks of each colour set, one set after the other.
  template <class Each, class F>
  void each_colour_set(const Part& part, const Each& each, const F& f) {
    sweep_colour_sets(part, each, 1,
                      [&](std::byte* const* blocks, std::size_t n, std::size_t slot, int) { f(blocks, n, slot); });
  }
  /// Does so `sweeps` times. Calls f(blocks, n, slot, sweep).
  template <class Each, class F>
  void sweep_colour_sets(const Part& part, const Each& each, int sweeps, const F& f) {
    if (part.is_large()) return sweep_shares(part, sweeps, f);
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s) {
        std::byte* const* const blocks = workspace_.live_blocks.data() + graph_.colour_sets[s].first;
        each(
            workspace_.colour_set_end[s] - graph_.colour_sets[s].first,
            [&](std::size_t first, std::size_t end, std::size_t slot) { f(blocks + first, end - first, slot, sweep); });
      }
  }

  /// The only island of a large part is done: all of its blocks have retired.
  bool has_retired(const Part& part) const {
    return workspace_.colour_set_end[part.first_colour_set] == graph_.colour_sets[part.first_colour_set].first;
  }

  template <class F>
  void sweep_shares(const Part& part, int sweeps, const F& f) {
    if (has_retired(part)) return;
    if (part.sweeps_alone) {
      for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s)
          f(workspace_.live_blocks.data() + graph_.colour_sets[s].first,
            std::size_t{graph_.colour_sets[s].end - graph_.colour_sets[s].first}, std::size_t{0}, sweep);
      return;
    }
    if (call_.team.together(part.shares, [&](std::size_t slot) { sweep_share(part, slot, sweeps, f); })) return;
    std::byte* const* const blocks = workspace_.live_blocks.data();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::uint32_t s = part.first_colour_set; s < part.end_coloured; ++s)
        call_.team.each(part.shares, 1, part.shares, [&](std::size_t first, std::size_t end, std::size_t slot) {
          const std::uint32_t begin = graph_.share_range(part, s, static_cast<std::uint32_t>(first)).first;
          f(blocks + begin, graph_.share_range(part, s, static_cast<std::uint32_t>(end - 1)).end - begin, slot, sweep);
        });
      for (std::uint32_t s = part.end_coloured; s < part.end_colour_set; ++s)
        f(blocks + graph_.colour_sets[s].first, std::size_t{1}, std::size_t{0}, sweep);
    }
  }
  /// Threads do not wait for all others between colours. A thread waits for its neighbours before the blocks at its
  /// border, until they have swept their borders in the colours before. Then it sweeps its other blocks.
  template <class F>
  void sweep_share(const Part& part, std::size_t slot, int sweeps, const F& f) {
    ThreadTeam& team = call_.team;
    const auto share = static_cast<std::uint32_t>(slot);
    const std::uint64_t neighbours = graph_.neighbours[part.first_neighbours + share];
    std::byte* const* const blocks = workspace_.live_blocks.data();
    std::uint32_t step = 0;
    const auto await_neighbours = [&] {
      for (std::uint64_t left = neighbours; left != 0; left &= left - 1)
        team.await(static_cast<std::size_t>(std::countr_zero(left)), step);
    };
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::uint32_t s = part.first_colour_set; s < part.end_coloured; ++s) {
        const ShareRange& range = graph_.share_range(part, s, share);
        if (range.border_end > range.first) {
          await_neighbours();
          f(blocks + range.first, range.border_end - range.first, slot, sweep);
        }
        team.reach(slot, ++step);
        if (range.end > range.border_end) f(blocks + range.border_end, range.end - range.border_end, slot, sweep);
      }
      if (part.end_coloured == part.end_colour_set) continue;
      // Constraints without a colour belong to the first share.
      if (share == 0) await_neighbours();
      for (std::uint32_t s = part.end_coloured; share == 0 && s < part.end_colour_set; ++s)
        f(blocks + graph_.colour_sets[s].first, std::size_t{1}, slot, sweep);
      team.reach(slot, ++step);
    }
  }

  /// Calls f(block, sums) for all blocks of a large part, on all threads, then each(sums) for the sums of every thread.
  template <class F, class G>
  void sum_up(const Part& part, const F& f, const G& each) {
    for (std::size_t slot = 0; slot < part.shares; ++slot) workspace_.slot_sums[slot] = {};
    const std::size_t count = part.end_lane_batch - part.first_lane_batch;
    call_.team.each(count, grain, part.shares, [&](std::size_t first, std::size_t end, std::size_t slot) {
      for (std::size_t i = part.first_lane_batch + first; i < part.first_lane_batch + end; ++i)
        f(workspace_.block_of_lane_batch[lane_batch(i)], workspace_.slot_sums[slot]);
    });
    for (std::size_t slot = 0; slot < part.shares; ++slot) each(workspace_.slot_sums[slot]);
  }
  static void take_worst(double violation, double& worst) {
    if (!(violation <= worst)) worst = violation == violation ? violation : std::numeric_limits<double>::infinity();
  }

  /// Sets the worst violation of each island that is not done.
  void gather_worst(const Part& part) {
    double* const worst = islands_.worst.data();
    std::fill(worst + part.first_island, worst + part.first_island + part.islands, 0.0);
    if (part.is_large()) {
      if (has_retired(part)) return;
      return sum_up(
          part,
          [](std::byte* block, SlotSums& sums) {
            const Head& of = head(block);
            for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
              take_worst(static_cast<double>(of.violation[lane]), sums.worst);
          },
          [&](const SlotSums& sums) { take_worst(sums.worst, worst[part.first_island]); });
    }
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s)
      for (std::uint32_t v = graph_.colour_sets[s].first; v < workspace_.colour_set_end[s]; ++v) {
        const Head& of = head(workspace_.live_blocks[v]);
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane) {
          take_worst(static_cast<double>(of.violation[lane]),
                     worst[part.islands == 1 ? part.first_island : island(of, lane)]);
        }
      }
  }

  /// Removes islands that are done from the sweeps. True if any island is left.
  bool retire(const Part& part, bool any_new) {
    bool left = false;
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      left |= islands_.sweeping[i] == Sweeping::goes_on;
    if (!left || !any_new) return left;
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s) {
      std::uint32_t to = graph_.colour_sets[s].first;
      for (std::uint32_t v = graph_.colour_sets[s].first; v < workspace_.colour_set_end[s]; ++v) {
        std::byte* const block = workspace_.live_blocks[v];
        Head& of = head(block);
        std::uint32_t done = 0;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if ((of.live >> lane & 1u) != 0 && islands_.sweeping[island(of, lane)] != Sweeping::goes_on)
            done |= 1u << lane;
        of.live &= ~done;
        if (of.live == 0) continue;
        if (done != 0) kernels_.retire(block, done);
        workspace_.live_blocks[to++] = block;
      }
      workspace_.colour_set_end[s] = to;
    }
    return true;
  }

  /// True if the only island of a part is above its threshold. Usually the first block decides.
  bool misses_too_much(const Part& part, double most) const {
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s)
      for (std::uint32_t v = graph_.colour_sets[s].first; v < workspace_.colour_set_end[s]; ++v) {
        const Head& of = head(workspace_.live_blocks[v]);
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if (!(static_cast<double>(of.violation[lane]) <= most)) return true;
      }
    return false;
  }

  /// Sweeps over the islands of a part that go on, until they are within threshold(island) [m/s]. Returns the number of
  /// sweeps. `any_done`: some islands do not go on from the start. `checks`: see PlainChecks.
  template <class Each, class Threshold, class Checks>
  int converge(const Part& part, bool any_done, const Each& each, const SweepLoop<T>& loop, const Threshold& threshold,
               Checks&& checks) {
    const std::uint32_t end_island = part.first_island + part.islands;
    bool any_new = any_done;
    if (loop.begins_warm && retire(part, any_new)) {
      any_new = false;
      each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t slot) {
        for (std::size_t i = 0; i < n; ++i) kernels_.sweeps->warm_start(job_, blocks[i], dummy_body(slot));
      });
    }
    kernel::SceneJob<T> job = job_;
    job.reads_ahead = bytes_of(part) > cached_bytes;
    job.measures_changes = false;
    std::optional<kernel::SceneJob<T>> measuring;  // of several threads, which are in different sweeps
    if (part.is_large()) measuring.emplace(job).measures_changes = true;
    const auto is_due = [&](int sweep) {
      return sweep % sweeps_between_checks == 0 || (sweep == 1 && loop.checks_first_sweep);
    };
    int sweeps = 0;
    while (retire(part, any_new) && sweeps < loop.max_sweeps) {
      // All sweeps up to the next check.
      int more = 1;
      while (sweeps + more < loop.max_sweeps && !is_due(sweeps + more)) ++more;
      const bool is_last = sweeps + more == loop.max_sweeps, due = is_due(sweeps + more);
      const bool looks = is_last ? checks.checks_last(due) : due;
      const bool measures = looks || (is_last && checks.measures_last());
      sweep_colour_sets(part, each, more, [&](std::byte* const* blocks, std::size_t n, std::size_t slot, int sweep) {
        const bool is_measured = measures && sweep + 1 == more;
        if (!measuring) job.measures_changes = is_measured;
        loop.kernel(measuring && is_measured ? *measuring : job, blocks, n, dummy_body(slot));
      });
      sweeps += more;
      any_new = false;
      if (!looks ||
          (part.islands == 1 && !checks.needs_violations() && misses_too_much(part, threshold(part.first_island))))
        continue;
      gather_worst(part);
      any_new = checks.see(sweeps);
      for (std::uint32_t i = part.first_island; i < end_island; ++i)
        if (islands_.sweeping[i] == Sweeping::goes_on && islands_.worst[i] <= threshold(i)) {
          islands_.sweeping[i] = checks.converged();
          islands_.iterations[i] = sweeps;
          any_new = true;
        }
      if (any_new) checks.end_check();
    }
    for (std::uint32_t i = part.first_island; i < end_island; ++i)
      if (islands_.sweeping[i] == Sweeping::goes_on) islands_.iterations[i] = sweeps;
    return sweeps;
  }

  /// Sums up the heads of finished blocks, and sets the worst violation of each island.
  SweepOutcome sum_up_blocks() {
    SweepOutcome sum;
    for (std::uint32_t i = 0; i < graph_.islands; ++i) {
      sum.approach = std::max(sum.approach, islands_.approach[i]);
      islands_.result[i].iterations += islands_.iterations[i];
    }
    std::fill(islands_.worst.begin(), islands_.worst.end(), 0.0);
    for (const Part& part : graph_.parts) {
      if (part.is_large()) {
        sum_up(
            part,
            [&](std::byte* block, SlotSums& sums) {
              const Head& of = head(block);
              sums.lanes += call_.kernels.width * of.count;
              sums.lanes_used += points_in(of);
              for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
                sums.worst = std::max(sums.worst, static_cast<double>(of.violation[lane]));
              sums.overflow = sums.overflow || of.overflow != 0;
            },
            [&](const SlotSums& sums) {
              sum.lanes += sums.lanes;
              sum.lanes_used += sums.lanes_used;
              double& worst = islands_.worst[part.first_island];
              worst = std::max(worst, sums.worst);
              if (sums.overflow) islands_.overflow[part.first_island] = 1;
            });
        continue;
      }
      for (std::uint32_t v = part.first_lane_batch; v < part.end_lane_batch; ++v) {
        const Head& of = head(workspace_.block_of_lane_batch[v]);
        sum.lanes += call_.kernels.width * of.count;
        sum.lanes_used += points_in(of);
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane) {
          double& worst = islands_.worst[island(of, lane)];
          worst = std::max(worst, static_cast<double>(of.violation[lane]));
        }
        mark_overflow(of);
      }
    }
    for (std::size_t i = 0; i < graph_.single_manifold.size(); ++i) {
      const std::uint32_t m = graph_.single_manifold[i];
      islands_.worst[graph_.island_of_manifold[m]] = static_cast<double>(workspace_.single_manifold.data()[i].residual);
      sum.lanes += kernel::points_of_manifold;
      sum.lanes_used += graph_.manifolds[m].count;
    }
    return sum;
  }

  /// Sets the statuses and residuals of all islands. `threshold(island)` [m/s] is the convergence threshold. `is_last`
  /// is false if another pass follows.
  template <class Threshold>
  void judge(const Threshold& threshold, bool is_last, SweepOutcome& sum) {
    for (std::uint32_t i = 0; i < graph_.islands; ++i) {
      IslandResult& result = islands_.result[i];
      if (islands_.overflow[i] != 0) {
        // Its bodies keep their initial velocities, and so their approach speed.
        const double approach = islands_.approach[i];
        result.residual = std::max(result.residual, approach > 0 ? approach : std::numeric_limits<double>::infinity());
        result.status = IslandStatus::overflow;
        sum.overflow = true;
        continue;
      }
      const bool converged = islands_.sweeping[i] == Sweeping::done || !(islands_.worst[i] > threshold(i));
      if (!converged)
        result.status =
            islands_.sweeping[i] == Sweeping::ran_away ? IslandStatus::diverged : IslandStatus::not_converged;
      // Contacts that still collide do not take part in the next pass.
      if (!converged || is_last) result.residual = std::max(result.residual, islands_.worst[i]);
    }
    for (std::uint32_t i = 0; i < graph_.islands; ++i) islands_.note_error(i, islands_.approach[i]);
  }

  void mark_overflow(const Head& of) {
    if (of.overflow == 0) [[likely]]
      return;
    for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
      if ((of.overflow >> lane & 1u) != 0) islands_.overflow[island(of, lane)] = 1;
  }

  std::size_t points_in(const Head& of) const {
    std::size_t points = 0;
    for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
      points += (of.is_joint ? graph_.groups : graph_.manifolds)[of.manifold[lane]].count;
    return points;
  }

  const Call<T>& call_;
  kernel::SceneJob<T>& job_;
  const kernel::SceneKernelsFor<T>& kernels_;
  Workspace<T>& workspace_;
  Graph& graph_;
  Islands& islands_;
  const CallOptions& options_;
};

}  // namespace carom::scene
