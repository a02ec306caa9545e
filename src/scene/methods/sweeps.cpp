#include "sweeps.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "island_sweeps.hpp"
#include "method.hpp"

namespace carom::scene {
namespace {

/// Islands of one manifold per task.
constexpr std::size_t single_manifold_at_once = 64;
/// Number of sweeps before the first snapshot. It doubles for every later snapshot.
constexpr int first_kept_sweep = 16;

enum class Ending {
  finish,      ///< store the results in the caller's columns
  accumulate,  ///< add the impulses to JobState::impulse_sum, for the next pass
};

/// A pass of sweeps over all islands. The job defines the targets.
template <class T>
struct Pass {
  SweepLoop<T> loop;
  Ending ending = Ending::finish;
  bool solves_approaching = true;  ///< an island without an approaching contact is done at once
  bool collides_again = false;     ///< an island that is done goes on with the contacts that collide now
  bool keeps_snapshots = false;    ///< an island that does not converge returns to its best snapshot
  double min_threshold = 0;        ///< [m/s] lower limit of the convergence threshold
};

template <class T>
class Sweeps : IslandSweeps<T> {
  using Base = IslandSweeps<T>;
  using typename Base::Head;

 public:
  Sweeps(const Call<T>& call, const Pass<T>& pass)
      : Base(call), pass_(pass), keeps_(pass.keeps_snapshots && pass.loop.max_sweeps > first_kept_sweep) {}

  SweepOutcome run() {
    this->begin();
    if (keeps_) {
      workspace_.kept_worst.assign(graph_.islands, std::numeric_limits<double>::infinity());
      workspace_.keeping.assign(graph_.islands, 0);
    }
    const std::size_t faults = count_faults(job_);

    shocks_ = options_.bender_schmitt.shock_propagation > 0 && pass_.ending == Ending::finish &&
              job_.target != kernel::Target::colliding;
    this->each_part([&](const Part& part, const auto& each) { solve(part, each); });
    if (!graph_.single_manifold.empty()) solve_single_manifold();
    if (count_faults(job_) != faults) return {.found_faults = true};
    if (shocks_) propagate();
    if (pass_.ending == Ending::finish) finish();
    SweepOutcome sum = this->sum_up_blocks();
    if (shocks_)
      for (std::byte* const block : workspace_.block_of_level_lane_batch) this->mark_overflow(head(block));
    this->judge([&](std::uint32_t i) { return threshold(i); }, pass_.ending == Ending::finish, sum);
    return sum;
  }

 private:
  using Base::call_;
  using Base::dummy_body;
  using Base::each_colour_set;
  using Base::gather_worst;
  using Base::graph_;
  using Base::head;
  using Base::island;
  using Base::islands_;
  using Base::job_;
  using Base::kernels_;
  using Base::options_;
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
      workspace_.keeping[i] = islands_.sweeping[i] == Sweeping::goes_on && islands_.worst[i] < workspace_.kept_worst[i];
      if (workspace_.keeping[i] == 0) continue;
      workspace_.kept_worst[i] = islands_.worst[i];
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
      workspace_.keeping[i] = islands_.sweeping[i] == Sweeping::goes_on &&
                              workspace_.kept_worst[i] < std::numeric_limits<double>::infinity() &&
                              !(islands_.worst[i] <= workspace_.kept_worst[i]);
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
          islands_.sweeping[i] == Sweeping::goes_on && workspace_.kept_worst[i] < islands_.worst[i] &&
          islands_.worst[i] > SceneThresholds::runaway * std::max(islands_.approach[i], threshold(i));
      any = any || workspace_.keeping[i] != 0;
    }
    if (!any) return false;
    each_keeping(part, each, kernels_.return_to_kept);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      if (workspace_.keeping[i] != 0) islands_.sweeping[i] = Sweeping::ran_away, islands_.iterations[i] = sweeps;
    return true;
  }

  double threshold(std::uint32_t i) const {
    return std::max(options_.tolerance * islands_.approach[i], pass_.min_threshold);
  }

  /// Checks whether further contacts of islands collide now. Their approach speeds go to `worst`.
  void collide_again(const Part& part) {
    for (std::uint32_t s = part.first_colour_set; s < part.end_colour_set; ++s)
      for (std::uint32_t v = graph_.colour_sets[s].first; v < workspace_.colour_set_end[s]; ++v) {
        Head& of = head(workspace_.live_blocks[v]);
        std::uint32_t lanes = 0;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if (islands_.sweeping[island(of, lane)] == Sweeping::may_collide_again) lanes |= 1u << lane;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if (of.is_joint) of.violation[lane] = 0;
        if (lanes != 0) kernels_.retarget(job_, workspace_.live_blocks[v], lanes);
      }
    gather_worst(part);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      if (islands_.sweeping[i] == Sweeping::may_collide_again)
        islands_.sweeping[i] = islands_.worst[i] > 0 ? Sweeping::goes_on : Sweeping::done;
  }

  /// The checks of a pass over a part.
  template <class Each>
  struct Checks : PlainChecks {
    bool checks_last(bool is_due) const { return is_due && of.pass_.collides_again; }
    bool measures_last() const { return of.keeps_; }
    bool needs_violations() const { return of.keeps_; }
    bool see(int sweeps) {
      if (!of.keeps_) return false;
      if (sweeps == due) {
        of.keep_if_better(part, each);
        due *= 2;
      }
      return sweeps > first_kept_sweep && of.end_runaways(part, sweeps, each);
    }
    Sweeping converged() const { return of.pass_.collides_again ? Sweeping::may_collide_again : Sweeping::done; }
    void end_check() {
      if (of.pass_.collides_again) of.collide_again(part);
    }

    Sweeps& of;
    const Part& part;
    const Each& each;
    int due = first_kept_sweep;  // of the next snapshot
  };

  template <class Each>
  void solve(const Part& part, const Each& each) {
    this->prepare_all(job_, part, each);
    gather_worst(part);
    bool any_new = false;
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      islands_.approach[i] = islands_.worst[i];
      if (pass_.solves_approaching && !(islands_.worst[i] > 0)) islands_.sweeping[i] = Sweeping::done, any_new = true;
    }
    const int sweeps = this->converge(
        part, any_new, each, pass_.loop, [&](std::uint32_t i) { return threshold(i); },
        Checks<Each>{{}, *this, part, each});
    if (keeps_ && sweeps > first_kept_sweep) return_if_worse(part, each);
    if (pass_.ending == Ending::accumulate)
      this->each_block(part, each, [&](std::byte* block) {
        const Head& of = head(block);
        if (of.is_joint)
          kernels_.finish(job_, block);  // the next pass continues from these impulses
        else
          kernels_.retarget(job_, block, (1u << of.lanes) - 1);
      });
  }

  void solve_single_manifold() {
    kernel::SingleManifoldOutcome<T>* const outcomes = workspace_.single_manifold.data();
    const kernel::SingleManifoldLimits limits = limits_of_single_manifold(options_);
    call_.team.each(graph_.single_manifold.size(), single_manifold_at_once,
                    [&](std::size_t first, std::size_t end, std::size_t) {
                      kernels_.single_manifold->solve(job_, graph_.single_manifold.data() + first, end - first, limits,
                                                      outcomes + first);
                      for (std::size_t i = first; i < end; ++i) {
                        const kernel::SingleManifoldOutcome<T>& of = outcomes[i];
                        const std::uint32_t alone = graph_.island_of_manifold[graph_.single_manifold[i]];
                        islands_.put(alone, {static_cast<double>(of.approach), of.sweeps, of.converged, of.overflow});
                      }
                    });
  }

  /// Shock propagation: level by level from the ground. Lower levels are immovable.
  void propagate() {
    const Array<std::byte*>& blocks = workspace_.block_of_lane_batch;
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
            pass_.loop.kernel(job, of_levels + stage.first + first, end - first, dummy_body(slot));
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
    const Array<std::byte*>& levels = workspace_.block_of_level_lane_batch;
    if (shocks_)
      call_.team.each(levels.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
        for (std::size_t v = first; v < end; ++v) kernels_.finish(*shocked_, levels[v]);
      });
  }

  const Pass<T>& pass_;
  bool keeps_, shocks_ = false;
  std::optional<kernel::SceneJob<T>> shocked_;
};

template <class T>
class PgsMethod final : public Method<T> {
 public:
  void reserve(const CallData<T>& call) const override {
    call.job.target = kernel::Target::all;
    this->reserve_blocks(call);
  }
  SweepOutcome solve(const Call<T>& call) const override {
    const Pass<T> pass{.loop = {call.kernels.sweeps->pgs, call.options.pgs.iterations, call.initial.any, true},
                       .solves_approaching = false};
    return Sweeps<T>(call, pass).run();
  }
};

template <class T>
class BenderSchmittMethod final : public Method<T> {
 public:
  BenderSchmittMethod(bool collides, bool rests) : collides_(collides), rests_(rests) {}

  void reserve(const CallData<T>& call) const override {
    kernel::SceneJob<T>& job = call.job;
    job.target = rests_                                                          ? kernel::Target::resting
                 : call.options.bender_schmitt.filter == ContactFilter::touching ? kernel::Target::touching
                                                                                 : kernel::Target::colliding;
    job.reads_gap = rests_;
    if (rests_) reserve_snapshot(call);
    if (collides_again(call)) {
      T* const memory = call.workspace.sums.at_least(3 * (job.contacts + 1));
      std::fill_n(memory, 3 * job.contacts, T(0));
      for (std::size_t i = 0; i < 3; ++i) job.impulse_sum[i] = memory + i * job.contacts;
    }
    if (call.options.bender_schmitt.shock_propagation > 0) reserve_carried(call);
    this->reserve_blocks(call);
  }
  void prepare(const Call<T>& call) const override {
    this->build_graph(call);
    if (call.options.bender_schmitt.shock_propagation > 0)
      call.workspace.graph.build_levels(call.parts, call.kernels.width, call.workspace.level);
  }
  SweepOutcome solve(const Call<T>& call) const override {
    if (!collides_) return rest(call, call.initial.any);
    if (!rests_) return collide(call, Ending::finish);
    call.job.target = kernel::Target::colliding;
    call.job.rows_have_acted = false;
    const SweepOutcome collisions = collide(call, Ending::accumulate);
    if (collisions.found_faults) return collisions;
    call.job.target = kernel::Target::resting;
    call.job.rows_have_acted = true;
    SweepOutcome outcome = rest(call, false);
    outcome.approach = std::max(collisions.approach, outcome.approach);
    return outcome;
  }

 private:
  /// True if contacts that collide only because of others are solved, too.
  bool collides_again(const CallData<T>& call) const {
    return collides_ && (rests_ || call.options.bender_schmitt.filter != ContactFilter::touching);
  }
  SweepOutcome collide(const Call<T>& call, Ending ending) const {
    const int max_sweeps = call.options.bender_schmitt.max_iterations;
    const Pass<T> pass{.loop = {call.kernels.sweeps->iteration, max_sweeps, call.initial.any},
                       .ending = ending,
                       .collides_again = collides_again(call)};
    return Sweeps<T>(call, pass).run();
  }
  SweepOutcome rest(const Call<T>& call, bool begins_warm) const {
    const CallOptions& options = call.options;
    const Pass<T> pass{.loop = {call.kernels.sweeps->resting, options.bender_schmitt.max_iterations, begins_warm},
                       .keeps_snapshots = true,
                       .min_threshold = SceneThresholds::rest_share * options.rest_tolerance / options.time_step};
    return Sweeps<T>(call, pass).run();
  }

  bool collides_, rests_;
};

}  // namespace

template <class T>
const Method<T>& pgs_method() {
  static const PgsMethod<T> method;
  return method;
}
template const Method<float>& pgs_method();
template const Method<double>& pgs_method();

template <class T>
const Method<T>& collisions_method() {
  static const BenderSchmittMethod<T> method(true, false);
  return method;
}
template const Method<float>& collisions_method();
template const Method<double>& collisions_method();

template <class T>
const Method<T>& resting_method() {
  static const BenderSchmittMethod<T> method(false, true);
  return method;
}
template const Method<float>& resting_method();
template const Method<double>& resting_method();

template <class T>
const Method<T>& both_phases_method() {
  static const BenderSchmittMethod<T> method(true, true);
  return method;
}
template const Method<float>& both_phases_method();
template const Method<double>& both_phases_method();

}  // namespace carom::scene
