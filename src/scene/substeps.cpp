#include "substeps.hpp"

#include <cmath>

#include "island_sweeps.hpp"
#include "scene_parameters.hpp"

namespace carom::scene {
namespace {

/// Number of substeps that start from velocities extrapolated from the impulses of one substep.
constexpr int substeps_from_impulses = 32;
/// Bodies per task.
constexpr std::size_t bodies_at_once = 64;

template <class T>
class Substeps : IslandSweeps<T> {
  using Base = IslandSweeps<T>;
  using typename Base::Head;

 public:
  Substeps(const Call<T>& call, bool warm) : Base(call), warm_(warm) {}

  SweepOutcome run() {
    this->begin();
    const std::size_t faults = count_faults(job_);
    const Column<const T>& restitution = job_.scene->contacts.restitution;
    const std::size_t different =
        restitution.stride == 0 ? std::min<std::size_t>(restitution.count, 1) : restitution.count;
    for (std::size_t i = 0; i < different && !rebounds_; ++i) rebounds_ = restitution[i] > T(0);
    this->each_part([&](const Part& part, const auto& each) { solve(part, each); });
    if (count_faults(job_) != faults) return {.found_faults = true};
    mark_rows_beyond_range();
    take_direct_islands();
    static const std::vector<std::byte*> none;
    return this->outcome([&](std::uint32_t i) { return options_.relative_tolerance * workspace_.approach[i]; }, none,
                         true);
  }

 private:
  using Base::each_colour_set;
  using Base::graph_;
  using Base::job_;
  using Base::kernels_;
  using Base::nowhere;
  using Base::options_;
  using Base::workspace_;
  using Job = kernel::SceneJob<T>;
  using Row = kernel::VelocityRow<T>;

  template <class Each>
  void solve(const Part& part, const Each& each) {
    const SubstepsOptions& how = options_.substeps;
    const int n = workspace_.substeps[part.first_island];
    Job job = job_;
    set_substeps(job.parameters, how, n);
    this->prepare_all(job, part, each);
    this->gather_worst(part);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      workspace_.approach[i] = workspace_.worst[i];
      workspace_.sweeps_of_island[i] = n * (how.sweeps + how.relaxing);
    }
    const auto sweep = [&](auto kernel, int times) {
      for (int i = 0; i < times; ++i) {
        each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t count, std::size_t slot) {
          kernel(job, blocks, count, nowhere(slot));
        });
        job.begins_substep = false;
      }
    };
    const T share = T(1) / static_cast<T>(n), h = job.parameters.substep;
    for (int k = 0; k < n; ++k) {
      // Every substep applies the impulses of the previous one again. Together with the forces they have the same
      // effect again: v + h a + M⁻¹ Jᵀ p is 2 v minus the velocity at the start of the previous substep. For a free
      // body the rounding errors of this formula grow with the power 3/2 of the number of substeps, so after some
      // substeps the forces and impulses themselves are applied.
      const bool is_exact = k % substeps_from_impulses == 0;
      each_body(part, each, [&](std::uint32_t i) {
        k == 0 ? begin_step(i, share) : is_exact ? begin_with_forces(i, share) : begin_substep(i);
      });
      if (k == 0 ? warm_ : is_exact)
        each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t count, std::size_t slot) {
          for (std::size_t i = 0; i < count; ++i) kernels_.warm_start(job, blocks[i], nowhere(slot));
        });
      job.elapsed = static_cast<T>(k) * h;
      job.begins_substep = k > 0;
      sweep(kernels_.push_out, how.sweeps);
      each_body(part, each, [&](std::uint32_t i) { move(i, h); });
      sweep(kernels_.relax, how.relaxing);
    }
    job.elapsed = job.parameters.time_step;
    if (job_.row_warm != nullptr || job_.results->warm_impulse.x)
      each_block(part, each, [&](std::byte* block) {
        mark_struck(this->head(block));
        kernels_.store_warm(job, block);
      });
    if (rebounds_) rebound(part, each, job);
    each_block(part, each, [&](std::byte* block) { kernels_.finish(job, block); });
  }

  /// Islands that are solved directly are in no part.
  void take_direct_islands() {
    for (const direct::Accepted& of : workspace_.direct.accepted()) {
      const std::uint32_t island = graph_.island_of_manifold[of.manifold];
      workspace_.approach[island] = of.approach;
      workspace_.sweeps_of_island[island] = of.solves;
      workspace_.sweeping[island] = Sweeping::done;
    }
  }

  /// Kernels check the last substep only. Impulses are summed over the substeps, and the next step starts from a
  /// multiple of the last substep's impulses.
  void mark_rows_beyond_range() {
    for (std::size_t g = 0; g < graph_.groups.size(); ++g)
      for (std::uint32_t r = 0; r < graph_.groups[g].count; ++r) {
        const std::uint32_t i = kernel::number_at(job_.row_at, graph_.groups[g].first + r);
        if (!std::isfinite(job_.row_impulse[i]) || !std::isfinite(job_.row_warm[i]))
          workspace_.overflow[graph_.island_of_group[g]] = 1;
      }
  }

  /// Marks the lanes whose islands were hit: their approach speed at the start of the step exceeds
  /// SceneThresholds::blow × gravity × time step.
  void mark_struck(Head& of) const {
    const double blow = SceneThresholds::blow * options_.rest.gravity * options_.substeps.time_step;
    of.struck = 0;
    for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
      if (workspace_.approach[this->island(of, lane)] > blow) of.struck |= 1u << lane;
  }

  /// Islands with a contact that rebounds are swept again.
  template <class Each>
  void rebound(const Part& part, const Each& each, const Job& job) {
    each_block(part, each, [&](std::byte* block) { kernels_.rebound(job, block); });
    this->gather_worst(part);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      if (!(workspace_.worst[i] > 0)) workspace_.sweeping[i] = Sweeping::done;
    const bool any = this->retire(part, true);
    for (int k = 0; any && k < options_.substeps.restitution_sweeps; ++k)
      each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t count, std::size_t slot) {
        kernels_.simultaneous(job, blocks, count, nowhere(slot));
      });
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      if (workspace_.sweeping[i] == Sweeping::goes_on)
        workspace_.sweeps_of_island[i] += options_.substeps.restitution_sweeps;
      workspace_.sweeping[i] = Sweeping::goes_on;  // decided by the residual later
    }
  }

  template <class Each, class F>
  void each_body(const Part& part, const Each& each, const F& f) {
    const std::size_t count = part.end_body - part.first_body;
    each((count + bodies_at_once - 1) / bodies_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      const std::size_t last = std::min(count, end * bodies_at_once);
      for (std::size_t i = first * bodies_at_once; i < last; ++i) f(graph_.bodies[part.first_body + i]);
    });
  }
  template <class Each, class F>
  void each_block(const Part& part, const Each& each, const F& f) {
    each(part.end_lane_batch - part.first_lane_batch, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = part.first_lane_batch + first; v < part.first_lane_batch + end; ++v)
        f(workspace_.block_of_lane_batch[v]);
    });
  }

  void begin_step(std::uint32_t i, T share) {
    T* const v = job_.velocities[i].numbers;
    T* const began = workspace_.began.data()[i].numbers;
    const T* const change = job_.changes != nullptr ? job_.changes[i].numbers : nullptr;
    for (std::size_t c = 0; c < 8; ++c) {
      const T by_forces = change != nullptr ? change[c] : T(0);
      began[c] = v[c] - by_forces;
      v[c] = began[c] + share * by_forces;
      job_.displacements[i].numbers[c] = 0;
    }
  }
  void begin_with_forces(std::uint32_t i, T share) {
    T* const v = job_.velocities[i].numbers;
    const T* const change = job_.changes != nullptr ? job_.changes[i].numbers : nullptr;
    for (std::size_t c = 0; c < 8; ++c) {
      workspace_.began.data()[i].numbers[c] = v[c];
      if (change != nullptr) v[c] += share * change[c];
    }
  }
  void begin_substep(std::uint32_t i) {
    T* const v = job_.velocities[i].numbers;
    T* const began = workspace_.began.data()[i].numbers;
    for (std::size_t c = 0; c < 8; ++c) {
      const T now = v[c];
      v[c] = (now - began[c]) + now;
      began[c] = now;
    }
  }
  void move(std::uint32_t i, T h) {
    const T* const v = job_.velocities[i].numbers;
    T* const moved = job_.displacements[i].numbers;
    for (std::size_t c = 0; c < 8; ++c) moved[c] += h * v[c];
  }

  bool warm_, rebounds_ = false;
};

}  // namespace

template <class T>
SweepOutcome run_substeps(const Call<T>& call, bool warm) {
  return Substeps<T>(call, warm).run();
}

template SweepOutcome run_substeps(const Call<float>&, bool);
template SweepOutcome run_substeps(const Call<double>&, bool);

}  // namespace carom::scene
