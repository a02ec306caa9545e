#include "scene_call.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "call_impulses.hpp"
#include "contact/call/range.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/contact_models.hpp"
#include "core/support/array.hpp"
#include "core/threads/thread_team.hpp"
#include "scene/methods/method.hpp"
#include "scene/methods/scene_parameters.hpp"
#include "scene_input.hpp"
#include "scene_output.hpp"
#include "store_warm_start.hpp"

namespace carom::scene {
namespace {

using kernel::SceneJob;

constexpr auto ok = static_cast<std::uint8_t>(Status::ok);

template <class T>
const kernel::SceneKernelsFor<T>& kernels_for(const kernel::SceneKernels& of) {
  if constexpr (std::is_same_v<T, float>)
    return *of.f32;
  else
    return *of.f64;
}

/// Up to this number of bodies, contacts and rows validation uses narrow vectors.
constexpr std::size_t few = 64;
/// Up to this number of islands of one manifold, narrow vectors are as fast as wide ones.
constexpr std::size_t max_narrow = 4;

template <class T>
class SceneCall {
 public:
  SceneCall(const IsaEntry& entry, Workspace<T>& space, const Scene<T>& scene, const SceneResults<T>& results,
            const CallOptions& options, bool same_options)
      : entry_(entry),
        kernels_(kernels_for<T>(entry.scene)),
        narrow_kernels_(kernels_for<T>(narrow_entry(entry).scene)),
        workspace_(space),
        scene_(scene),
        results_(results),
        options_(options),
        method_(method_of<T>(options.procedure)),
        same_options_(same_options),
        bodies_(scene.bodies.inverse_mass.count),
        contacts_(scene.contacts.friction.count),
        rows_(scene.joints.body_a.count),
        input_(bodies_ + contacts_ + rows_ <= few ? narrow_kernels_ : kernels_, scene, options, job_),
        impulses_(scene, results, options, job_, space) {
    job_.bodies = bodies_;
    job_.contacts = contacts_;
    job_.rows = rows_;
    job_.has_models = has_contact_models(scene.contacts);
  }

  /// Makes room for the call.
  void reserve_all(std::size_t slots) {
    reserve(slots);
    job_.scene = &scene_;
    job_.results = &impulses_.stored();
    job_.parameters = parameters_of<T>(options_);
    // Calls of one size may differ in manifolds, islands and substeps, and a scene that is solved again within a call
    // has already written results. Therefore all lists have room for the largest graph of this size.
    const CallData<T> data = this->data(kernels_);
    workspace_.reserve(data.parts, options_.moves_bodies ? static_cast<std::size_t>(options_.substeps.max_substeps) : 0,
                       slots);
    method_.reserve(data);
  }

  SceneReport run(CallThreads& threads, Slots slots) {
    workspace_.last_single_manifold.is_there = false;
    workspace_.last_rest.begin_call();
    // All allocations come before the first result is written.
    reserve_all(slots.most);
    SceneReport report;
    const auto work = [&](ThreadTeam& team) {
      impulses_.begin(team);
      input_.validate(team);
      team.each(rows_, validated_at_once,
                [&](std::size_t first, std::size_t end, std::size_t) { impulses_.begin_rows(first, end); });
      SweepOutcome outcome = build_and_solve(team, report);
      if (outcome.overflow && drop_cached()) {
        // The other islands get identical bits, within the exception of docs/determinism.md.
        begin_again();
        outcome = build_and_solve(team, report);
      }
      if (outcome.overflow) give_up_overflowed();
      if (workspace_.static_friction.is_there()) workspace_.static_friction.end(scene_, job_, workspace_.graph);
      remember<T>({scene_, job_, workspace_, options_.moves_bodies, impulses_.caches_contacts(), team});
      add_up(team, outcome, report);
      SceneOutput<T>(job_, workspace_, results_, impulses_.stored(), options_).store(team, report);
      method_.finish(call(team, report, kernels_));
      report.threads = team.worked();
    };
    ThreadTeam::gather(threads, slots.of_call, workspace_.team, std::cref(work));
    report.isa = entry_.isa;
    report.bodies = bodies_;
    report.contacts = contacts_;
    report.joint_rows = rows_;
    if (is_single_manifold(report)) leave_single_manifold();
    return report;
  }

 private:
  CallData<T> data(const kernel::SceneKernelsFor<T>& kernels) {
    return {{options_, entry_, kernels, job_, workspace_.graph, workspace_.islands, input_.parts()}, workspace_};
  }
  Call<T> call(ThreadTeam& team, SceneReport& report, const kernel::SceneKernelsFor<T>& kernels) {
    const InitialImpulses<T> initial{begins_with_impulses_, impulses_.caches_contacts(), impulses_.caches_rows(),
                                     impulses_.of_rows(), impulses_.kept()};
    return {data(kernels), team, initial, report, tries_ == 1, same_options_};
  }

  SweepOutcome build_and_solve(ThreadTeam& team, SceneReport& report) {
    for (;;) {
      ++tries_;
      build(team, report);
      const SweepOutcome outcome = solve(team, report);
      if (!outcome.found_faults) return outcome;
      // The new graph excludes the faulty contacts and rows.
      begin_again();
    }
  }

  SweepOutcome solve(ThreadTeam& team, SceneReport& report) {
    if (keeps_graph_) return method_.solve(call(team, report, kernels_));
    // Scenes that fill less than half of a wide vector are faster on narrow vectors; the blocks are the same for both.
    // With shock propagation a level spans all parts and fills wide vectors.
    const bool is_narrow = workspace_.graph.max_lanes <= narrow_kernels_.width &&
                           workspace_.graph.single_manifold.size() <= max_narrow &&
                           options_.bender_schmitt.shock_propagation == 0;
    workspace_.islands.begin_call(workspace_.graph.islands);
    return method_.solve(call(team, report, is_narrow ? narrow_kernels_ : kernels_));
  }

  /// True if the scene is one manifold without faults, and the solver stores the impulses of contacts with keys.
  bool is_single_manifold(const SceneReport& report) const {
    const Graph& graph = workspace_.graph;
    const SceneContacts<T>& contacts = scene_.contacts;
    const bool remembers = contacts.key ? workspace_.warm_start_cache.all_have_keys() && !contacts.warm_impulse.x
                                        : !job_.warm_impulse.x && !scene_.joints.key;
    return options_.has_single_manifold_kernel && graph.single_manifold.size() == 1 && graph.manifolds.size() == 1 &&
           rows_ == 0 && graph.manifolds[0].count == contacts_ && bodies_ + contacts_ <= few && remembers &&
           !job_.has_models && !workspace_.static_friction.is_there() &&
           report.count(Status::ok) + report.count(Status::separating) == contacts_;
  }
  /// Stores the state that the fast path of the next call needs (single_manifold_call.hpp).
  void leave_single_manifold() {
    LastSingleManifold<T>& last = workspace_.last_single_manifold;
    last.kernels = &narrow_kernels_;
    last.job = job_;
    last.stored = impulses_.stored();
    last.movable.assign(workspace_.movable.data(), workspace_.movable.data() + bodies_);
    last.isa = entry_.isa;
    last.is_there = true;
  }

  /// Restores the initial state of the scene, except the faults.
  void begin_again() {
    for (std::size_t i = 0; i < bodies_; ++i) return_velocity(i);
    for (std::size_t i = 0; i < contacts_; ++i)
      if (job_.status[i] == static_cast<std::uint8_t>(Status::separating)) job_.status[i] = ok;
    if (job_.impulse_sum[0] != nullptr) std::fill_n(job_.impulse_sum[0], 3 * contacts_, T(0));
    impulses_.begin_rows(0, rows_);
  }
  void return_velocity(std::size_t body) {
    const Vector3Columns<const T>&v = scene_.bodies.velocity, &w = scene_.bodies.angular_velocity;
    const Column<const T>* const columns[6] = {&v.x, &v.y, &v.z, &w.x, &w.y, &w.z};
    T* const record = kernel::record_of(job_.body_rows, static_cast<std::ptrdiff_t>(body));
    const T* const change = job_.changes != nullptr ? job_.changes[body].numbers : nullptr;
    for (std::size_t c = 0; c < 6; ++c)
      job_.velocities[body].numbers[c] = record[kernel::BodyRecord::velocity + c] =
          change != nullptr ? (*columns[c])[body] + change[c] : (*columns[c])[body];
  }

  /// Calls f(contact or row, is_row) for every contact and row of islands that have overflowed.
  template <class F>
  void each_overflowed(const F& f) const {
    const Graph& graph = workspace_.graph;
    const auto go = [&](const Array<Constraint>& from, const Array<std::uint32_t>& island, const std::uint32_t* at,
                        bool is_row) {
      for (std::size_t m = 0; m < from.size(); ++m)
        if (workspace_.islands.overflow[island[m]] != 0)
          for (std::uint32_t k = 0; k < from[m].count; ++k)
            f(from[m], kernel::number_at(at, from[m].first + k), is_row);
    };
    go(graph.manifolds, graph.island_of_manifold, job_.contact_at, false);
    go(graph.groups, graph.island_of_group, job_.row_at, true);
  }

  /// Removes the stored impulses of earlier calls from islands that have overflowed. False if there were none.
  bool drop_cached() {
    bool any = false;
    each_overflowed([&](const Constraint&, std::size_t i, bool is_row) { any = impulses_.drop(i, is_row) || any; });
    return any;
  }

  /// Marks islands that have overflowed. Their bodies keep their initial velocities.
  void give_up_overflowed() {
    each_overflowed([&](const Constraint& of, std::size_t i, bool is_row) {
      (is_row ? job_.row_status : job_.status)[i] = static_cast<std::uint8_t>(Status::overflow);
      if (is_row) job_.row_work[i] = T(0);
      for (const std::int32_t body : {of.body_a, of.body_b})
        if (input_.moves(body)) return_velocity(static_cast<std::size_t>(body));
    });
  }

  void reserve(std::size_t slots) {
    workspace_.team.reserve(slots);
    // Two records precede the bodies, as in the kernels of single contacts: the dummy body (-2) and the world (-1).
    constexpr std::size_t size = kernel::BodyRecord::size;
    job_.body_rows = workspace_.body_rows.at_least((bodies_ + 2) * size) + 2 * size;
    std::fill_n(kernel::record_of(job_.body_rows, -2), size, std::numeric_limits<T>::quiet_NaN());
    std::fill_n(kernel::record_of(job_.body_rows, -1), size, T(0));
    job_.velocities = workspace_.velocities.at_least(bodies_ + 1 + slots);
    std::fill_n(job_.velocities + bodies_, 1 + slots, kernel::VelocityRow<T>{});
    if (has_forces(scene_, options_)) {
      job_.changes = workspace_.changes.at_least(bodies_ + 1);
      job_.changes[bodies_] = {};
    }
    input_.reserve(workspace_);
    workspace_.static_friction.reserve(scene_, options_);
    impulses_.reserve();
    workspace_.last_single_manifold.movable.reserve(few);
  }

  void build(ThreadTeam& team, SceneReport& report) {
    const Call<T> call = this->call(team, report, kernels_);
    method_.validate(call);
    keeps_graph_ = method_.keeps_graph(call);
    if (keeps_graph_) return;
    Graph& graph = workspace_.graph;
    graph.connect(call.parts);
    set_graph(job_, graph);
    take_static_friction();
    if (impulses_.caches_contacts()) workspace_.warm_start_cache.inherit(graph, scene_.contacts, team);
    workspace_.substeps.clear();
    workspace_.island_energy.clear();
    method_.prepare(call);
    begins_with_impulses_ = impulses_.any_to_begin_with();
  }

  /// Manifolds that stick have their static coefficient in all that follows.
  void take_static_friction() {
    if (!workspace_.static_friction.is_there()) return;
    const WarmStartCache<T>& warm_start_cache = workspace_.warm_start_cache;
    const bool is_named = static_cast<bool>(scene_.contacts.key);
    scene_in_effect_ = workspace_.static_friction.begin(scene_, job_, workspace_.graph, [&](std::size_t i) {
      return is_named ? warm_start_cache.slip(i) : Slip::unknown;
    });
    job_.scene = &*scene_in_effect_;
  }

  void add_up(ThreadTeam& team, const SweepOutcome& outcome, SceneReport& report) {
    const Graph& graph = workspace_.graph;
    report.max_approach_speed = outcome.approach;
    for (std::size_t i = 0; i < graph.islands; ++i) {
      const IslandResult& island = workspace_.islands.result[i];
      report.iterations = std::max(report.iterations, island.iterations);
      report.residual = std::max(report.residual, island.residual);
      report.not_converged += island.status != IslandStatus::converged ? 1u : 0u;
      report.stalled += island.status == IslandStatus::stalled ? 1u : 0u;
      report.energy_removed += removed_energy(workspace_, i);
    }
    for (const std::int32_t n : workspace_.substeps) report.substeps = std::max(report.substeps, static_cast<int>(n));
    report.lanes = outcome.lanes;
    report.lanes_used = outcome.lanes_used;
    report.islands = graph.islands;
    report.max_island_size = graph.max_island_size;
    report.colours = graph.colours;
    report.overflow_constraints = graph.overflow_constraints;
    report.same_graph = graph.is_of_last_call;
    report.energy_before = input_.energy_before();
    report.energy_after = input_.energy(team);
  }

  const IsaEntry& entry_;
  const kernel::SceneKernelsFor<T>&kernels_, &narrow_kernels_;
  Workspace<T>& workspace_;
  const Scene<T>& scene_;
  const SceneResults<T>& results_;
  const CallOptions& options_;
  const Method<T>& method_;
  bool same_options_;                        // as in the last call
  std::optional<Scene<T>> scene_in_effect_;  // of manifolds with static friction
  std::size_t bodies_, contacts_, rows_;
  SceneJob<T> job_{};
  SceneInput<T> input_;
  CallImpulses<T> impulses_;
  bool begins_with_impulses_ = false;
  bool keeps_graph_ = false;  // of the last call
  int tries_ = 0;             // in this call; after the first, results may have been written
};

}  // namespace

template <class T>
void reserve_for_scene(const IsaEntry& entry, Workspace<T>& workspace, const Scene<T>& scene,
                       const CallOptions& options, std::size_t slots) {
  // The last call's pointers may be to memory that moves.
  workspace.last_single_manifold.is_there = workspace.last_rest.is_there = false;
  SceneCall<T>(entry, workspace, scene, SceneResults<T>{}, options, false).reserve_all(slots);
}
template void reserve_for_scene(const IsaEntry&, Workspace<float>&, const Scene<float>&, const CallOptions&,
                                std::size_t);
template void reserve_for_scene(const IsaEntry&, Workspace<double>&, const Scene<double>&, const CallOptions&,
                                std::size_t);

template <class T>
SceneReport run_scene(const IsaEntry& entry, Workspace<T>& workspace, const Scene<T>& scene,
                      const SceneResults<T>& results, const CallOptions& options, CallThreads& threads, Slots slots,
                      bool same_options) {
  return SceneCall<T>(entry, workspace, scene, results, options, same_options).run(threads, slots);
}
template SceneReport run_scene(const IsaEntry&, Workspace<float>&, const Scene<float>&, const SceneResults<float>&,
                               const CallOptions&, CallThreads&, Slots, bool);
template SceneReport run_scene(const IsaEntry&, Workspace<double>&, const Scene<double>&, const SceneResults<double>&,
                               const CallOptions&, CallThreads&, Slots, bool);

}  // namespace carom::scene
