#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::scene {
namespace {

/// Vectors that a thread takes at a time: a microsecond or two of work.
constexpr std::size_t grain = 8;
/// Sweeps between two looks at the residual.
constexpr int sweeps_between_checks = 4;
/// The first sweep after which a state is kept; later ones are kept after twice as many each time.
constexpr int first_kept_sweep = 16;

int most_sweeps(const SceneOptions& options, SceneMethod method) {
  return method == SceneMethod::simultaneous ? options.simultaneous.iterations
         : method == SceneMethod::iteration  ? options.iteration.iterations
                                             : options.resting.iterations;
}

template <class T>
class Sweeps {
 public:
  Sweeps(const Call<T>& call, SceneMethod method, bool warm, Ending ending)
      : call_(call),
        job_(call.job),
        kernels_(call.kernels),
        workspace_(call.workspace),
        graph_(call.workspace.graph),
        options_(call.options),
        method_(method),
        warm_(warm),
        ending_(ending),
        kernel_(method == SceneMethod::simultaneous ? kernels_.simultaneous
                : method == SceneMethod::iteration  ? kernels_.iteration
                                                    : kernels_.resting),
        most_sweeps_(most_sweeps(call.options, method)) {}

  SweepOutcome run() {
    lay_out(graph_.lane_batches, workspace_.blocks, workspace_.block_of_lane_batch);
    workspace_.live_blocks = workspace_.block_of_lane_batch;
    workspace_.colour_set_end.resize(graph_.colour_sets.size());
    for (std::size_t s = 0; s < graph_.colour_sets.size(); ++s)
      workspace_.colour_set_end[s] = graph_.colour_sets[s].end;
    workspace_.approach.assign(graph_.islands, 0);
    workspace_.worst.assign(graph_.islands, 0);
    workspace_.sweeping.assign(graph_.islands, Sweeping::goes_on);
    workspace_.overflow.assign(graph_.islands, 0);
    workspace_.sweeps_of_island.assign(graph_.islands, 0);
    keeps_ = method_ == SceneMethod::resting && most_sweeps_ > first_kept_sweep;
    if (keeps_) {
      workspace_.kept_worst.assign(graph_.islands, std::numeric_limits<double>::infinity());
      workspace_.keeping.assign(graph_.islands, 0);
    }
    const std::size_t faults = count_faults(job_);

    shocks_ =
        options_.shock_propagation.enabled && ending_ == Ending::finish && job_.target != kernel::Target::colliding;
    // Large islands one after the other on all threads, then the others side by side.
    const auto is_large = [&](const Part& part) {
      return part.islands == 1 && call_.team.slots() > 1 && part.points > 1024;
    };
    for (const Part& part : graph_.parts)
      if (is_large(part)) solve(part, [&](std::size_t n, const auto& f) { call_.team.each(n, grain, f); });
    call_.team.each(graph_.parts.size(), 1, [&](std::size_t first, std::size_t end, std::size_t slot) {
      for (std::size_t p = first; p < end; ++p)
        if (!is_large(graph_.parts[p]))
          solve(graph_.parts[p], [&](std::size_t n, const auto& f) { f(std::size_t{0}, n, slot); });
    });
    if (count_faults(job_) != faults) return {.found_faults = true};
    if (shocks_) propagate();
    if (ending_ == Ending::finish) finish();
    return outcome();
  }

 private:
  using Head = kernel::BlockHead<T>;
  static Head& head(std::byte* block) { return *reinterpret_cast<Head*>(block); }
  kernel::VelocityRow<T>* nowhere(std::size_t slot) const { return job_.velocities + job_.bodies + 1 + slot; }

  /// A place for the block of every vector.
  void lay_out(const std::vector<LaneBatch>& vectors, Scratch<std::byte>& memory, std::vector<std::byte*>& blocks) {
    const auto size_of = [&](const LaneBatch& v) {
      const std::size_t bytes = v.is_joint ? kernels_.group_head_bytes + v.count * kernels_.row_bytes
                                           : kernels_.head_bytes + v.count * kernels_.point_bytes;
      return (bytes + 63) / 64 * 64;
    };
    std::size_t bytes = 0;
    for (const LaneBatch& v : vectors) bytes += size_of(v);
    std::byte* at = memory.at_least(std::max(bytes, std::size_t{64}));
    blocks.resize(vectors.size());
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      blocks[i] = at;
      at += size_of(vectors[i]);
    }
  }

  void prepare(const kernel::SceneJob<T>& job, const LaneBatch& vector, const std::uint32_t* order, std::byte* block) {
    Head& to = head(block);
    to.lanes = vector.lanes;
    to.live = (1u << vector.lanes) - 1;
    to.count = vector.count;
    to.overflow = 0;
    to.is_joint = vector.is_joint;
    for (std::uint32_t lane = 0; lane < vector.lanes; ++lane) to.manifold[lane] = order[vector.first + lane];
    kernels_.prepare(job, block);
  }

  std::uint32_t island(const Head& of, std::size_t lane) const {
    return of.is_joint ? graph_.island_of_group[of.manifold[lane]] : graph_.island_of_manifold[of.manifold[lane]];
  }

  /// Calls f(blocks, n, slot) for the live blocks of each stage, one stage after the other.
  template <class Each, class F>
  void each_colour_set(const Part& part, const Each& each, const F& f) {
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s) {
      std::byte* const* const blocks = workspace_.live_blocks.data() + graph_.colour_sets[s].first;
      each(workspace_.colour_set_end[s] - graph_.colour_sets[s].first,
           [&](std::size_t first, std::size_t end, std::size_t slot) { f(blocks + first, end - first, slot); });
    }
  }

  /// Sets the worst violation of each island that is not done.
  void gather_worst(const Part& part) {
    double* const worst = workspace_.worst.data();
    std::fill(worst + part.first_island, worst + part.first_island + part.islands, 0.0);
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s)
      for (std::uint32_t v = graph_.colour_sets[s].first; v < workspace_.colour_set_end[s]; ++v) {
        const Head& of = head(workspace_.live_blocks[v]);
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane) {
          double& so_far = worst[part.islands == 1 ? part.first_island : island(of, lane)];
          const auto here = static_cast<double>(of.violation[lane]);
          if (!(here <= so_far)) so_far = here == here ? here : std::numeric_limits<double>::infinity();
        }
      }
  }

  /// Calls kernel(job, block, lanes) for the lanes of live blocks whose islands are marked as kept.
  template <class Each>
  void each_keeping(const Part& part, const Each& each,
                    void (*kernel)(const kernel::SceneJob<T>&, std::byte*, std::uint32_t)) {
    each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t) {
      for (std::size_t i = 0; i < n; ++i) {
        const Head& of = head(blocks[i]);
        std::uint32_t lanes = 0;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if ((of.live >> lane & 1u) != 0 && workspace_.keeping[island(of, lane)] != 0) lanes |= 1u << lane;
        if (lanes != 0) kernel(job_, blocks[i], lanes);
      }
    });
  }

  /// Where contacts contradict each other, impulses grow without end and throw the bodies about now and then. The best
  /// of a few states is kept, and what does not end returns to it.
  template <class Each>
  void keep_if_better(const Part& part, const Each& each) {
    bool any = false;
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      workspace_.keeping[i] =
          workspace_.sweeping[i] == Sweeping::goes_on && workspace_.worst[i] < workspace_.kept_worst[i];
      if (workspace_.keeping[i] == 0) continue;
      workspace_.kept_worst[i] = workspace_.worst[i];
      any = true;
    }
    if (any) each_keeping(part, each, kernels_.keep);
  }
  template <class Each>
  void return_if_worse(const Part& part, const Each& each) {
    gather_worst(part);
    bool any = false;
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      // Not a number is worse than any.
      workspace_.keeping[i] = workspace_.sweeping[i] == Sweeping::goes_on &&
                              workspace_.kept_worst[i] < std::numeric_limits<double>::infinity() &&
                              !(workspace_.worst[i] <= workspace_.kept_worst[i]);
      any = any || workspace_.keeping[i] != 0;
    }
    if (any) each_keeping(part, each, kernels_.return_to_kept);
  }

  /// Islands that run away end at once, as truncated ones: numbers of that size leave their roundings in the
  /// velocities, even where the sweeps find an end beyond them. Returns whether there was any.
  template <class Each>
  bool end_runaways(const Part& part, int sweeps, const Each& each) {
    bool any = false;
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      workspace_.keeping[i] =
          workspace_.sweeping[i] == Sweeping::goes_on && workspace_.kept_worst[i] < workspace_.worst[i] &&
          workspace_.worst[i] > SceneThresholds::runaway * std::max(workspace_.approach[i], threshold(i));
      any = any || workspace_.keeping[i] != 0;
    }
    if (!any) return false;
    each_keeping(part, each, kernels_.return_to_kept);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      if (workspace_.keeping[i] != 0)
        workspace_.sweeping[i] = Sweeping::ran_away, workspace_.sweeps_of_island[i] = sweeps;
    return true;
  }

  double threshold(std::uint32_t island) const {
    const double relative = options_.relative_tolerance * workspace_.approach[island];
    return method_ == SceneMethod::resting
               ? std::max(relative, SceneThresholds::rest_share * options_.rest.tolerance / options_.resting.time_step)
               : relative;
  }

  /// Takes islands that are done out of the sweeps; true if any is left.
  bool retire(const Part& part, bool any_new) {
    bool left = false;
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      left |= workspace_.sweeping[i] == Sweeping::goes_on;
    if (!left || !any_new) return left;
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s) {
      std::uint32_t to = graph_.colour_sets[s].first;
      for (std::uint32_t v = graph_.colour_sets[s].first; v < workspace_.colour_set_end[s]; ++v) {
        std::byte* const block = workspace_.live_blocks[v];
        Head& of = head(block);
        std::uint32_t done = 0;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if ((of.live >> lane & 1u) != 0 && workspace_.sweeping[island(of, lane)] != Sweeping::goes_on)
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

  /// Further contacts of islands may collide now. Their approach speeds go to `worst`.
  void collide_again(const Part& part) {
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s)
      for (std::uint32_t v = graph_.colour_sets[s].first; v < workspace_.colour_set_end[s]; ++v) {
        Head& of = head(workspace_.live_blocks[v]);
        std::uint32_t lanes = 0;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if (workspace_.sweeping[island(of, lane)] == Sweeping::may_collide_again) lanes |= 1u << lane;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if (of.is_joint) of.violation[lane] = 0;
        if (lanes != 0) kernels_.retarget(job_, workspace_.live_blocks[v], lanes);
      }
    gather_worst(part);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      if (workspace_.sweeping[i] == Sweeping::may_collide_again)
        workspace_.sweeping[i] = workspace_.worst[i] > 0 ? Sweeping::goes_on : Sweeping::done;
  }

  template <class Each>
  void solve(const Part& part, const Each& each) {
    each(part.end_lane_batch - part.first_lane_batch, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = part.first_lane_batch + first; v < part.first_lane_batch + end; ++v)
        prepare(job_, graph_.lane_batches[v], graph_.order.data(), workspace_.block_of_lane_batch[v]);
    });
    gather_worst(part);
    const std::uint32_t end_island = part.first_island + part.islands;
    bool any_new = false;
    for (std::uint32_t i = part.first_island; i < end_island; ++i) {
      workspace_.approach[i] = workspace_.worst[i];
      // Where nothing approaches there is nothing to do; simultaneous may begin with impulses.
      if (method_ != SceneMethod::simultaneous && !(workspace_.worst[i] > 0))
        workspace_.sweeping[i] = Sweeping::done, any_new = true;
    }
    const bool again = method_ == SceneMethod::iteration && job_.target == kernel::Target::colliding;
    if (warm_ && retire(part, any_new)) {
      any_new = false;
      each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t slot) {
        for (std::size_t i = 0; i < n; ++i) kernels_.warm_start(job_, blocks[i], nowhere(slot));
      });
    }

    int sweeps = 0, due = first_kept_sweep;
    for (; retire(part, any_new) && sweeps < most_sweeps_;) {
      kernel::SceneJob<T> job = job_;
      job.measures_changes = (sweeps + 1) % sweeps_between_checks == 0 || (keeps_ && sweeps + 1 == most_sweeps_);
      each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t slot) {
        kernel_(job, blocks, n, nowhere(slot));
      });
      ++sweeps;
      any_new = false;
      if (sweeps % sweeps_between_checks != 0 || (sweeps == most_sweeps_ && !again)) continue;
      gather_worst(part);
      if (keeps_ && sweeps == due) {
        keep_if_better(part, each);
        due *= 2;
      }
      if (keeps_ && sweeps > first_kept_sweep) any_new = end_runaways(part, sweeps, each);
      for (std::uint32_t i = part.first_island; i < end_island; ++i)
        if (workspace_.sweeping[i] == Sweeping::goes_on && workspace_.worst[i] <= threshold(i)) {
          workspace_.sweeping[i] = again ? Sweeping::may_collide_again : Sweeping::done;
          workspace_.sweeps_of_island[i] = sweeps;
          any_new = true;
        }
      if (again && any_new) collide_again(part);
    }
    for (std::uint32_t i = part.first_island; i < end_island; ++i)
      if (workspace_.sweeping[i] == Sweeping::goes_on) workspace_.sweeps_of_island[i] = sweeps;
    if (keeps_ && sweeps > first_kept_sweep) return_if_worse(part, each);
    if (ending_ == Ending::accumulate)
      each(part.end_lane_batch - part.first_lane_batch, [&](std::size_t first, std::size_t end, std::size_t) {
        for (std::size_t v = part.first_lane_batch + first; v < part.first_lane_batch + end; ++v)
          if (graph_.lane_batches[v].is_joint)
            kernels_.finish(job_,
                            workspace_.block_of_lane_batch[v]);  // the pass that follows goes on with these impulses
          else
            kernels_.retarget(job_, workspace_.block_of_lane_batch[v], (1u << graph_.lane_batches[v].lanes) - 1);
      });
  }

  /// Level by level from the ground, with what lies below held fast.
  void propagate() {
    const std::vector<std::byte*>& blocks = workspace_.block_of_lane_batch;
    call_.team.each(blocks.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = first; v < end; ++v) kernels_.carry(job_, blocks[v]);
    });
    lay_out(graph_.level_lane_batches, workspace_.level_blocks, workspace_.block_of_level_lane_batch);
    kernel::SceneJob<T> job = job_;
    job.level_of_body = workspace_.level.data();
    for (std::size_t i = 0; i < 4; ++i) job.begun[i] = job.carried[i];
    std::byte* const* const of_levels = workspace_.block_of_level_lane_batch.data();
    call_.team.each(graph_.level_lane_batches.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = first; v < end; ++v)
        prepare(job, graph_.level_lane_batches[v], graph_.level_order.data(), of_levels[v]);
    });
    for (std::size_t level = 0; level + 1 < graph_.level_begin.size(); ++level)
      for (int i = 0; i < options_.shock_propagation.iterations; ++i)
        for (std::uint32_t s = graph_.level_begin[level]; s < graph_.level_begin[level + 1]; ++s) {
          const ColourSet& stage = graph_.level_colour_sets[s];
          const std::size_t n = stage.end - stage.first;
          call_.team.each(n, grain, [&](std::size_t first, std::size_t end, std::size_t slot) {
            kernel_(job, of_levels + stage.first + first, end - first, nowhere(slot));
          });
        }
    shocked_ = job;
  }

  void finish() {
    const auto finish_all = [&](const kernel::SceneJob<T>& job, const std::vector<std::byte*>& blocks) {
      call_.team.each(blocks.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
        for (std::size_t v = first; v < end; ++v) kernels_.finish(job, blocks[v]);
      });
    };
    finish_all(job_, workspace_.block_of_lane_batch);
    // After it: the impulses of these contacts have gone on.
    if (shocks_) finish_all(shocked_, workspace_.block_of_level_lane_batch);
  }

  SweepOutcome outcome() {
    SweepOutcome sum;
    for (std::uint32_t i = 0; i < graph_.islands; ++i) {
      sum.approach = std::max(sum.approach, workspace_.approach[i]);
      workspace_.island_iterations[i] += workspace_.sweeps_of_island[i];
    }
    std::fill(workspace_.worst.begin(), workspace_.worst.end(), 0.0);
    for (std::byte* block : workspace_.block_of_lane_batch) {
      const Head& of = head(block);
      sum.lanes += call_.kernels.width * of.count;
      sum.lanes_used += points_in(of);
      for (std::uint32_t lane = 0; lane < of.lanes; ++lane) {
        double& worst = workspace_.worst[island(of, lane)];
        worst = std::max(worst, static_cast<double>(of.violation[lane]));
      }
      mark_overflow(of);
    }
    if (shocks_)
      for (std::byte* block : workspace_.block_of_level_lane_batch) mark_overflow(head(block));
    for (std::uint32_t i = 0; i < graph_.islands; ++i) {
      double& residual = workspace_.island_residual[i];
      if (workspace_.overflow[i] != 0) {
        // Its bodies stay as they came, with all of their approach.
        const double approach = workspace_.approach[i];
        residual = std::max(residual, approach > 0 ? approach : std::numeric_limits<double>::infinity());
        workspace_.island_status[i] = IslandStatus::overflow;
        sum.overflow = true;
        continue;
      }
      const bool converged = workspace_.sweeping[i] == Sweeping::done || !(workspace_.worst[i] > threshold(i));
      if (!converged)
        workspace_.island_status[i] =
            workspace_.sweeping[i] == Sweeping::ran_away ? IslandStatus::diverged : IslandStatus::not_converged;
      // Contacts that still collide have no part in a pass that follows.
      if (!converged || ending_ == Ending::finish) residual = std::max(residual, workspace_.worst[i]);
    }
    return sum;
  }

  void mark_overflow(const Head& of) {
    if (of.overflow == 0) [[likely]]
      return;
    for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
      if ((of.overflow >> lane & 1u) != 0) workspace_.overflow[island(of, lane)] = 1;
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
  const SceneOptions& options_;
  SceneMethod method_;
  bool warm_, shocks_ = false, keeps_ = false;
  Ending ending_;
  typename kernel::SceneKernelsFor<T>::Sweep kernel_;
  int most_sweeps_;
  kernel::SceneJob<T> shocked_{};
};

}  // namespace

template <class T>
SweepOutcome sweep(const Call<T>& call, SceneMethod method, bool warm, Ending ending) {
  return Sweeps<T>(call, method, warm, ending).run();
}

template SweepOutcome sweep(const Call<float>&, SceneMethod, bool, Ending);
template SweepOutcome sweep(const Call<double>&, SceneMethod, bool, Ending);

}  // namespace carom::scene
