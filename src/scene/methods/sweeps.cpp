#include "sweeps.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "island_sweeps.hpp"

namespace carom::scene {
namespace {

/// Islands of one manifold per task.
constexpr std::size_t single_manifold_at_once = 64;
/// Number of sweeps before the first snapshot. It doubles for every later snapshot.
constexpr int first_kept_sweep = 16;

int max_sweeps(const CallOptions& options, Procedure method) {
  return method == Procedure::pgs          ? options.pgs.iterations
         : method == Procedure::collisions ? options.bender_schmitt.max_iterations
                                           : options.bender_schmitt.max_iterations;
}

template <class T>
class Sweeps : IslandSweeps<T> {
  using Base = IslandSweeps<T>;
  using typename Base::Head;

 public:
  Sweeps(const Call<T>& call, Procedure method, bool warm, Ending ending)
      : Base(call),
        method_(method),
        warm_(warm),
        ending_(ending),
        kernel_(method == Procedure::pgs          ? kernels_.pgs
                : method == Procedure::collisions ? kernels_.iteration
                                                  : kernels_.resting),
        max_sweeps_(max_sweeps(call.options, method)) {}

  SweepOutcome run() {
    this->begin();
    keeps_ = method_ == Procedure::resting && max_sweeps_ > first_kept_sweep;
    if (keeps_) {
      workspace_.kept_worst.assign(graph_.islands, std::numeric_limits<double>::infinity());
      workspace_.keeping.assign(graph_.islands, 0);
    }
    const std::size_t faults = count_faults(job_);

    shocks_ = options_.bender_schmitt.shock_propagation > 0 && ending_ == Ending::finish &&
              job_.target != kernel::Target::colliding;
    this->each_part([&](const Part& part, const auto& each) { solve(part, each); });
    if (!graph_.single_manifold.empty()) solve_single_manifold();
    if (count_faults(job_) != faults) return {.found_faults = true};
    if (shocks_) propagate();
    if (ending_ == Ending::finish) finish();
    static const std::vector<std::byte*> none;
    return this->outcome([&](std::uint32_t i) { return threshold(i); },
                         shocks_ ? workspace_.block_of_level_lane_batch : none, ending_ == Ending::finish);
  }

 private:
  using Base::call_;
  using Base::dummy_body;
  using Base::each_colour_set;
  using Base::gather_worst;
  using Base::graph_;
  using Base::head;
  using Base::island;
  using Base::job_;
  using Base::kernels_;
  using Base::options_;
  using Base::retire;
  using Base::workspace_;

  /// Calls kernel(job, block, lanes) for live blocks, with the lanes of islands marked in `keeping`.
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

  /// If contacts contradict each other, impulses grow without limit and sometimes throw the bodies about. The best of a
  /// few snapshots is kept, and islands that do not converge return to it.
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
      // NaN is worse than every number.
      workspace_.keeping[i] = workspace_.sweeping[i] == Sweeping::goes_on &&
                              workspace_.kept_worst[i] < std::numeric_limits<double>::infinity() &&
                              !(workspace_.worst[i] <= workspace_.kept_worst[i]);
      any = any || workspace_.keeping[i] != 0;
    }
    if (any) each_keeping(part, each, kernels_.return_to_kept);
  }

  /// Stops islands that diverge, unconverged: impulses of that size leave their rounding errors in the velocities, even
  /// if the sweeps converge afterwards. Returns true if there was any.
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

  /// Warm-started islands may have converged after the first sweep.
  bool looks_after(int sweeps) const {
    return sweeps % sweeps_between_checks == 0 || (sweeps == 1 && method_ == Procedure::pgs);
  }

  /// True if the only island of a part is above its threshold. Usually the first block decides.
  bool misses_too_much(const Part& part) const {
    const double most = threshold(part.first_island);
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s)
      for (std::uint32_t v = graph_.colour_sets[s].first; v < workspace_.colour_set_end[s]; ++v) {
        const Head& of = head(workspace_.live_blocks[v]);
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if (!(static_cast<double>(of.violation[lane]) <= most)) return true;
      }
    return false;
  }

  double threshold(std::uint32_t i) const {
    const double relative = options_.tolerance * workspace_.approach[i];
    return method_ == Procedure::resting
               ? std::max(relative, SceneThresholds::rest_share * options_.rest_tolerance / options_.time_step)
               : relative;
  }

  /// Checks whether further contacts of islands collide now. Their approach speeds go to `worst`.
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
    this->prepare_all(job_, part, each);
    gather_worst(part);
    const std::uint32_t end_island = part.first_island + part.islands;
    bool any_new = false;
    for (std::uint32_t i = part.first_island; i < end_island; ++i) {
      workspace_.approach[i] = workspace_.worst[i];
      // Without an approaching contact the island is done, unless simultaneous has initial impulses.
      if (method_ != Procedure::pgs && !(workspace_.worst[i] > 0))
        workspace_.sweeping[i] = Sweeping::done, any_new = true;
    }
    const bool again = method_ == Procedure::collisions && job_.target == kernel::Target::colliding;
    if (warm_ && retire(part, any_new)) {
      any_new = false;
      each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t slot) {
        for (std::size_t i = 0; i < n; ++i) kernels_.warm_start(job_, blocks[i], dummy_body(slot));
      });
    }

    const bool reads_ahead = this->bytes_of(part) > cached_bytes;
    kernel::SceneJob<T> job = job_;
    job.reads_ahead = reads_ahead;
    int sweeps = 0, due = first_kept_sweep;
    job.measures_changes = false;
    std::optional<kernel::SceneJob<T>> measuring;  // of several threads, which are in different sweeps
    if (part.is_large()) measuring.emplace(job).measures_changes = true;
    for (; retire(part, any_new) && sweeps < max_sweeps_;) {
      // All sweeps up to the next check.
      int more = 1;
      while (sweeps + more < max_sweeps_ && !looks_after(sweeps + more)) ++more;
      const bool is_last = sweeps + more == max_sweeps_, looks = looks_after(sweeps + more) && (!is_last || again);
      const bool measures = looks || (keeps_ && is_last);
      this->sweep_colour_sets(part, each, more,
                              [&](std::byte* const* blocks, std::size_t n, std::size_t slot, int sweep) {
                                const bool is_measured = measures && sweep + 1 == more;
                                if (!measuring) job.measures_changes = is_measured;
                                kernel_(measuring && is_measured ? *measuring : job, blocks, n, dummy_body(slot));
                              });
      sweeps += more;
      any_new = false;
      if (!looks || (part.islands == 1 && !keeps_ && misses_too_much(part))) continue;
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
        for (std::size_t i = part.first_lane_batch + first; i < part.first_lane_batch + end; ++i) {
          const std::size_t v = this->lane_batch(i);
          std::byte* const block = workspace_.block_of_lane_batch[v];
          if (graph_.lane_batches[v].is_joint)
            kernels_.finish(job_, block);  // the next pass continues from these impulses
          else
            kernels_.retarget(job_, block, (1u << graph_.lane_batches[v].lanes) - 1);
        }
      });
  }

  void solve_single_manifold() {
    kernel::SingleManifoldOutcome<T>* const outcomes = workspace_.single_manifold.data();
    const kernel::SingleManifoldLimits limits = limits_of_single_manifold(options_);
    call_.team.each(
        graph_.single_manifold.size(), single_manifold_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
          kernels_.single_manifold(job_, graph_.single_manifold.data() + first, end - first, limits, outcomes + first);
          for (std::size_t i = first; i < end; ++i) {
            const kernel::SingleManifoldOutcome<T>& of = outcomes[i];
            const std::uint32_t alone = graph_.island_of_manifold[graph_.single_manifold[i]];
            workspace_.approach[alone] = static_cast<double>(of.approach);
            workspace_.sweeps_of_island[alone] = of.sweeps;
            workspace_.sweeping[alone] = of.converged ? Sweeping::done : Sweeping::goes_on;
            workspace_.overflow[alone] = of.overflow ? 1 : 0;
          }
        });
  }

  /// Shock propagation: level by level from the ground. Lower levels are immovable.
  void propagate() {
    const std::vector<std::byte*>& blocks = workspace_.block_of_lane_batch;
    call_.team.each(blocks.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = first; v < end; ++v) kernels_.carry(job_, blocks[v]);
    });
    this->lay_out(graph_.level_lane_batches, workspace_.level_blocks, workspace_.block_of_level_lane_batch);
    kernel::SceneJob<T> job = job_;
    job.level_of_body = workspace_.level.data();
    for (std::size_t i = 0; i < 4; ++i) job.begun[i] = job.carried[i];
    std::byte* const* const of_levels = workspace_.block_of_level_lane_batch.data();
    call_.team.each(graph_.level_lane_batches.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = first; v < end; ++v)
        this->prepare(job, graph_.level_lane_batches[v], graph_.level_order.data(), of_levels[v]);
    });
    for (std::size_t level = 0; level + 1 < graph_.level_begin.size(); ++level)
      for (int i = 0; i < options_.bender_schmitt.shock_propagation; ++i)
        for (std::uint32_t s = graph_.level_begin[level]; s < graph_.level_begin[level + 1]; ++s) {
          const ColourSet& stage = graph_.level_colour_sets[s];
          const std::size_t n = stage.end - stage.first;
          call_.team.each(n, grain, [&](std::size_t first, std::size_t end, std::size_t slot) {
            kernel_(job, of_levels + stage.first + first, end - first, dummy_body(slot));
          });
        }
    shocked_ = job;
  }

  void finish() {
    const auto finish_range = [&](std::uint32_t begin, std::uint32_t end, std::size_t slots) {
      call_.team.each(end - begin, grain, slots, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = begin + first; i < begin + last; ++i)
          kernels_.finish(job_, workspace_.block_of_lane_batch[this->lane_batch(i)]);
      });
    };
    // The parts between two large ones together.
    std::uint32_t begin = 0;
    for (const Part& part : graph_.parts) {
      if (!part.is_large()) continue;
      finish_range(begin, part.first_lane_batch, call_.team.slots());
      finish_range(part.first_lane_batch, part.end_lane_batch, part.shares);
      begin = part.end_lane_batch;
    }
    finish_range(begin, static_cast<std::uint32_t>(graph_.lane_batches.size()), call_.team.slots());
    // Last, because the final impulses of these contacts are in the blocks of shock propagation.
    const std::vector<std::byte*>& levels = workspace_.block_of_level_lane_batch;
    if (shocks_)
      call_.team.each(levels.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
        for (std::size_t v = first; v < end; ++v) kernels_.finish(*shocked_, levels[v]);
      });
  }

  Procedure method_;
  bool warm_, shocks_ = false, keeps_ = false;
  Ending ending_;
  typename kernel::SceneKernelsFor<T>::Sweep kernel_;
  int max_sweeps_;
  std::optional<kernel::SceneJob<T>> shocked_;
};

}  // namespace

template <class T>
SweepOutcome sweep(const Call<T>& call, Procedure method, bool warm, Ending ending) {
  return Sweeps<T>(call, method, warm, ending).run();
}

template SweepOutcome sweep(const Call<float>&, Procedure, bool, Ending);
template SweepOutcome sweep(const Call<double>&, Procedure, bool, Ending);

}  // namespace carom::scene
