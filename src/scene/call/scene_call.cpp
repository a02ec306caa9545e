#include "scene_call.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "call_impulses.hpp"
#include "contact/call/range.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/contact_models.hpp"
#include "core/threads/thread_team.hpp"
#include "scene/methods/ncp.hpp"
#include "scene/methods/scene_parameters.hpp"
#include "scene/methods/sequential_impacts.hpp"
#include "scene/methods/substep_counts.hpp"
#include "scene/methods/substeps.hpp"
#include "scene/methods/sweeps.hpp"
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

/// Contacts and rows of islands that are solved together: their blocks fit into a core's own cache.
template <class T>
constexpr std::size_t points_of_part = 16384 / sizeof(T);

/// [bytes] Blocks have room for any graph of a scene's size up to this limit.
constexpr std::size_t max_reserved = std::size_t{32} << 20;

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
    set_parameters();
    reserve_for_graphs(slots);
  }

  SceneReport run(CallThreads& threads, Slots slots) {
    workspace_.last_single_manifold.is_there = false;
    was_at_rest_ = std::exchange(workspace_.last_rest.is_there, false);
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
      remember<T>({scene_, job_, workspace_, is(Procedure::substeps), impulses_.caches_contacts(), team});
      add_up(team, outcome, report);
      SceneOutput<T>(job_, workspace_, results_, impulses_.stored(), options_).store(team, report);
      report.threads = team.worked();
    };
    ThreadTeam::gather(threads, slots.of_call, workspace_.team, std::cref(work));
    report.isa = entry_.isa;
    report.bodies = bodies_;
    report.contacts = contacts_;
    report.joint_rows = rows_;
    if (is_single_manifold(report)) leave_single_manifold();
    leave_at_rest(report);
    return report;
  }

 private:
  bool is(Procedure method) const { return options_.procedure == method; }
  bool builds_levels() const {
    return options_.bender_schmitt.shock_propagation > 0 && !is(Procedure::sequential_impacts) &&
           !is(Procedure::substeps) && !is(Procedure::ncp);
  }

  SweepOutcome build_and_solve(ThreadTeam& team, SceneReport& report) {
    for (;;) {
      build(team);
      const SweepOutcome outcome = solve(team, report);
      if (!outcome.found_faults) return outcome;
      // The new graph excludes the faulty contacts and rows.
      begin_again();
    }
  }

  SweepOutcome solve(ThreadTeam& team, SceneReport& report) {
    if (rests_again_ && rows_ == 0) return outcome_at_rest();
    // Scenes that fill less than half of a wide vector are faster on narrow vectors; the blocks are the same for both.
    // With shock propagation a level spans all parts and fills wide vectors.
    const bool is_narrow = workspace_.graph.max_lanes <= narrow_kernels_.width &&
                           workspace_.graph.single_manifold.size() <= max_narrow &&
                           options_.bender_schmitt.shock_propagation == 0;
    const Call<T> call{options_, is_narrow ? narrow_kernels_ : kernels_, job_, workspace_, team};
    workspace_.island_status.assign(workspace_.graph.islands, IslandStatus::converged);
    workspace_.island_residual.assign(workspace_.graph.islands, 0);
    workspace_.island_error.assign(workspace_.graph.islands, 0);
    workspace_.island_approach.assign(workspace_.graph.islands, 0);
    workspace_.island_algorithm.assign(
        workspace_.graph.islands, is(Procedure::sequential_impacts) ? IslandAlgorithm::impacts : IslandAlgorithm::pgs);
    workspace_.island_iterations.assign(workspace_.graph.islands, 0);
    if (is(Procedure::substeps)) return run_substeps(call, begins_with_impulses_);
    if (is(Procedure::ncp)) return solve_ncp(call, begins_with_impulses_, report);
    if (!is(Procedure::both_phases))
      return is(Procedure::sequential_impacts)
                 ? run_sequential_impacts(call, entry_, workspace_.sequential_impacts, impulses_.kept(), report)
                 : sweep(call, options_.procedure, begins_with_impulses_, Ending::finish);
    job_.target = kernel::Target::colliding;
    job_.rows_have_acted = false;
    const SweepOutcome collisions = sweep(call, Procedure::collisions, begins_with_impulses_, Ending::accumulate);
    if (collisions.found_faults) return collisions;
    job_.target = kernel::Target::resting;
    job_.rows_have_acted = true;
    SweepOutcome outcome = sweep(call, Procedure::resting, false, Ending::finish);
    outcome.approach = std::max(collisions.approach, outcome.approach);
    return outcome;
  }

  /// The outcome of islands without rows that rest again. The workspace has their other results from the last call.
  SweepOutcome outcome_at_rest() {
    SweepOutcome sum;
    for (const direct::Accepted& of : workspace_.direct.accepted()) {
      const std::uint32_t island = of.island(workspace_.graph);
      workspace_.substeps[island] = of.substeps;
      workspace_.island_residual[island] = std::max(of.residual, 0.0);
      workspace_.island_approach[island] = 0;
      workspace_.note_error(island, of.approach);
      sum.approach = std::max(sum.approach, of.approach);
    }
    return sum;
  }

  /// True if the scene is one manifold without faults, and the solver stores the impulses of contacts with keys.
  bool is_single_manifold(const SceneReport& report) const {
    const Graph& graph = workspace_.graph;
    const SceneContacts<T>& contacts = scene_.contacts;
    const bool remembers = contacts.key ? workspace_.warm_start_cache.all_have_keys() && !contacts.warm_impulse.x
                                        : !job_.warm_impulse.x && !scene_.joints.key;
    return solves_single_manifold_islands_apart(options_) && graph.single_manifold.size() == 1 &&
           graph.manifolds.size() == 1 && rows_ == 0 && graph.manifolds[0].count == contacts_ &&
           bodies_ + contacts_ <= few && remembers && !job_.has_models && !workspace_.static_friction.is_there() &&
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

  /// Returns true if the graph of a scene depends only on bodies, links and statuses, and contacts start from the
  /// impulses of their keys.
  bool may_rest_again() const {
    return is(Procedure::substeps) && !job_.has_models && !scene_.contacts.frequency &&
           !workspace_.static_friction.is_there() &&
           (contacts_ == 0 || (impulses_.caches_contacts() && workspace_.warm_start_cache.all_have_keys()));
  }
  /// Stores the structure of a scene whose islands have all settled.
  void leave_at_rest(const SceneReport& report) {
    const Graph& graph = workspace_.graph;
    const std::size_t sound = report.count(Status::ok) + report.count(Status::separating);
    LastRest& last = workspace_.last_rest;
    last.is_there = may_rest_again() && graph.islands > 0 && workspace_.direct.settled().size() == graph.islands &&
                    sound == contacts_ && report.count_joints(Status::ok) == rows_ && graph.of_contacts.at() == nullptr;
    if (rests_again_ || !last.is_there) return;
    const Parts parts = input_.parts();
    last.movable.assign(parts.movable, parts.movable + bodies_);
    last.body_a.assign(parts.body_a, parts.body_a + contacts_);
    last.body_b.assign(parts.body_b, parts.body_b + contacts_);
    last.link.assign(parts.links.to_previous, parts.links.to_previous + contacts_);
    last.row_body_a.assign(parts.row_body_a, parts.row_body_a + rows_);
    last.row_body_b.assign(parts.row_body_b, parts.row_body_b + rows_);
  }
  /// True if the scene has the structure of the last one, whose islands were at rest, and all of them rest again. Then
  /// the graph of the last call is the one of this call, too.
  bool rests_again(ThreadTeam& team, const Parts& parts) {
    const LastRest& last = workspace_.last_rest;
    const bool may = was_at_rest_ && same_options_ && builds_ == 0 && may_rest_again() &&
                     (contacts_ == 0 || workspace_.warm_start_cache.is_unchanged()) && last.movable.size() == bodies_ &&
                     last.body_a.size() == contacts_ && last.row_body_a.size() == rows_;
    if (!may) return false;
    std::atomic<bool> has_structure{true};
    const auto compare = [&](std::size_t count, const auto& are_same) {
      team.each(count, 4 * validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
        const auto same = [&](const auto& x, const auto* y) {
          return std::equal(x.data() + first, x.data() + end, y + first);
        };
        const auto all_ok = [&](const std::uint8_t* status) {
          return std::all_of(status + first, status + end, [](std::uint8_t of) { return of == ok; });
        };
        if (!are_same(same, all_ok)) has_structure.store(false, std::memory_order_relaxed);
      });
    };
    compare(bodies_, [&](const auto& same, const auto&) { return same(last.movable, parts.movable); });
    compare(contacts_, [&](const auto& same, const auto& all_ok) {
      return all_ok(job_.status) && same(last.body_a, parts.body_a) && same(last.body_b, parts.body_b) &&
             same(last.link, parts.links.to_previous);
    });
    compare(rows_, [&](const auto& same, const auto& all_ok) {
      return all_ok(job_.row_status) && same(last.row_body_a, parts.row_body_a) &&
             same(last.row_body_b, parts.row_body_b);
    });
    if (!has_structure) return false;
    set_graph();
    Graph& graph = workspace_.graph;
    const Slops<T> slops(job_, options_, workspace_.square_sizes.at_least(bodies_ + 1), team);
    if (!workspace_.direct.settle_again(options_, kernels_, job_, graph, parts, slops, cached_rows(),
                                        workspace_.substeps, team))
      return false;
    graph.is_of_last_call = true;
    return true;
  }
  /// The memory of rows that begin with the impulses of their keys, or null.
  const CachedRow<T>* cached_rows() const {
    return impulses_.caches_rows() ? workspace_.warm_start_cache.rows() : nullptr;
  }
  void set_graph() {
    const Graph& graph = workspace_.graph;
    job_.manifolds = graph.manifolds.data();
    job_.groups = graph.groups.data();
    job_.contact_at = graph.of_contacts.at();
    job_.row_at = graph.of_rows.at();
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
    const auto go = [&](const std::vector<Constraint>& from, const std::vector<std::uint32_t>& island,
                        const std::uint32_t* at, bool is_row) {
      for (std::size_t m = 0; m < from.size(); ++m)
        if (workspace_.overflow[island[m]] != 0)
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
    if (is(Procedure::both_phases) || is(Procedure::resting) || is(Procedure::ncp)) {
      T* const kept = workspace_.kept.at_least(3 * (contacts_ + 1));
      for (std::size_t c = 0; c < 3; ++c) job_.kept[c] = kept + c * contacts_;
      job_.kept_rows = workspace_.kept_rows.at_least(rows_ + 1);
      job_.kept_velocities = workspace_.kept_velocities.at_least(bodies_ + 1);
    }
    workspace_.static_friction.reserve(scene_, options_);
    impulses_.reserve();
    workspace_.last_single_manifold.movable.reserve(few);
    if (is(Procedure::substeps)) {
      job_.displacements = workspace_.displacements.at_least(bodies_ + 1);
      job_.began = workspace_.began.at_least(bodies_ + 1);
      job_.relaxes = options_.substeps.position_correction.relax_iterations > 0;
      workspace_.forces.at_least(bodies_ + 1);
      workspace_.followed.at_least(bodies_ + 1);
      workspace_.inertia.at_least(bodies_ + 1);
      workspace_.turned.at_least(bodies_ + 1);
      workspace_.energy_sums.at_least(2 * bodies_ + 1);
      workspace_.shares.at_least(bodies_ + 1);
      workspace_.loads.at_least(loads_of_a_body * (bodies_ + 1));
      workspace_.manifold_loads.at_least(loads_of_a_body * (contacts_ + 1));
      workspace_.square_sizes.at_least(bodies_ + 1);
    }
  }

  /// Reserves memory for the largest graph of this size. Calls of one size may differ in manifolds, islands and
  /// substeps, and a scene that is solved again within a call has already written results.
  void reserve_for_graphs(std::size_t slots) {
    const Parts parts = input_.parts();
    workspace_.reserve(parts, is(Procedure::substeps) ? static_cast<std::size_t>(options_.substeps.max_substeps) : 0,
                       slots);
    if (is(Procedure::sequential_impacts)) return workspace_.sequential_impacts.reserve(parts);
    // At most one block for every contact and row.
    const std::uint8_t models = job_.has_models ? kernel::has_model | kernel::models_with_moments : 0;
    const std::size_t of_contacts = contacts_ * bytes_of_block(kernels_, job_, false, 1, models);
    const std::size_t of_rows = rows_ * bytes_of_block(kernels_, job_, true, 1, 0);
    workspace_.blocks.at_least(std::min(of_contacts + of_rows, max_reserved));
    if (builds_levels()) workspace_.level_blocks.at_least(std::min(of_contacts, max_reserved));
  }

  void set_parameters() {
    job_.scene = &scene_;
    job_.results = &impulses_.stored();
    job_.parameters = parameters_of<T>(options_);
    job_.target = target_of(options_);
    job_.reads_gap = is(Procedure::both_phases) || is(Procedure::resting);
    const bool sums = is(Procedure::both_phases) || job_.target == kernel::Target::colliding;
    if (sums) {
      T* const memory = workspace_.sums.at_least(3 * (contacts_ + 1));
      std::fill_n(memory, 3 * contacts_, T(0));
      for (std::size_t i = 0; i < 3; ++i) job_.impulse_sum[i] = memory + i * contacts_;
    }
    if (options_.bender_schmitt.shock_propagation > 0 || is(Procedure::ncp)) {
      T* const memory = workspace_.carried.at_least(4 * (contacts_ + 1));
      for (std::size_t i = 0; i < 4; ++i) job_.carried[i] = memory + i * contacts_;
    }
    if (has_contact_moments(scene_.contacts) && is(Procedure::ncp)) {
      T* const memory = workspace_.moments.at_least(6 * (contacts_ + 1));
      std::fill_n(memory, 6 * contacts_, T(0));
      for (std::size_t i = 0; i < 3; ++i) {
        job_.carried_moment[i] = memory + i * contacts_;
        job_.kept_moment[i] = memory + (3 + i) * contacts_;
      }
    }
  }

  void build(ThreadTeam& team) {
    if (is(Procedure::sequential_impacts)) validate_laws(options_, entry_, job_, workspace_.sequential_impacts, team);
    const Parts parts = input_.parts();
    rests_again_ = rests_again(team, parts);
    if (rests_again_) return;
    // Every thread gets the same number of parts, at least two.
    const std::size_t points = contacts_ + rows_, at_once = team.slots() * points_of_part<T>;
    const std::size_t parts_of_thread = std::max<std::size_t>(2, (points + at_once - 1) / at_once);
    const std::size_t share = points / (team.slots() * parts_of_thread) + 1;
    Graph& graph = workspace_.graph;
    graph.connect(parts);
    set_graph();
    take_static_friction();
    if (impulses_.caches_contacts()) workspace_.warm_start_cache.inherit(graph, scene_.contacts, team);
    workspace_.substeps.clear();
    workspace_.island_energy.clear();
    if (is(Procedure::substeps)) {
      // An abandoned pass may have left displacements.
      std::fill_n(job_.displacements, bodies_ + 1, kernel::VelocityRow<T>{});
      const Slops<T> slops(job_, options_, workspace_.square_sizes.at_least(bodies_ + 1), team);
      workspace_.direct.settle(options_, kernels_, job_, graph, parts, slops, cached_rows(), team);
      count_substeps(options_, job_, workspace_, slops, impulses_.of_rows(), impulses_.caches_contacts(),
                     impulses_.caches_rows(), team);
      workspace_.direct.solve(options_, kernels_, *entry_.scene.blocks, job_, graph, parts, slops, workspace_.substeps,
                              workspace_.substeps_wanted, team, builds_++ == 0);
      graph.sort_islands(workspace_.substeps, workspace_.substeps_wanted);
    }
    graph.build(parts, kernels_.width,
                team.slots() == 1 ? points_of_part<T> : std::clamp(share, std::size_t{256}, points_of_part<T>),
                workspace_.substeps, solves_single_manifold_islands_apart(options_), team.slots());
    if (is(Procedure::substeps)) graph.list_bodies(parts);
    if (builds_levels()) graph.build_levels(parts, kernels_.width, workspace_.level);
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
      report.iterations = std::max(report.iterations, workspace_.island_iterations[i]);
      report.residual = std::max(report.residual, workspace_.island_residual[i]);
      report.not_converged += workspace_.island_status[i] != IslandStatus::converged ? 1u : 0u;
      report.stalled += workspace_.island_status[i] == IslandStatus::stalled ? 1u : 0u;
      report.energy_removed += removed_energy(workspace_, i);
    }
    for (const std::int32_t n : workspace_.substeps) report.substeps = std::max(report.substeps, static_cast<int>(n));
    if (is(Procedure::substeps)) report.pgs_islands = graph.islands - workspace_.direct.accepted().size();
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
  bool same_options_;                        // as in the last call
  std::optional<Scene<T>> scene_in_effect_;  // of manifolds with static friction
  std::size_t bodies_, contacts_, rows_;
  SceneJob<T> job_{};
  SceneInput<T> input_;
  CallImpulses<T> impulses_;
  bool begins_with_impulses_ = false, was_at_rest_ = false, rests_again_ = false;
  int builds_ = 0;  // of graphs in this call; after the first, results may have been written
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
