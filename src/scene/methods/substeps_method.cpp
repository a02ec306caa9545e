// Substeps: islands are tried at rest, then solved directly, then swept in substeps.
#include <algorithm>
#include <atomic>

#include "method.hpp"
#include "substep_counts.hpp"
#include "substeps.hpp"

namespace carom::scene {
namespace {

/// Bodies, contacts or rows per task of a comparison with the last call.
constexpr std::size_t compared_at_once = 4096;

template <class T>
class SubstepsMethod final : public Method<T> {
 public:
  void reserve(const CallData<T>& call) const override {
    kernel::SceneJob<T>& job = call.job;
    Workspace<T>& space = call.workspace;
    job.target = kernel::Target::substeps;
    const std::size_t bodies = job.bodies + 1;
    job.displacements = space.displacements.at_least(bodies);
    job.began = space.began.at_least(bodies);
    job.relaxes = call.options.substeps.position_correction.relax_iterations > 0;
    space.forces.at_least(bodies);
    space.followed.at_least(bodies);
    space.inertia.at_least(bodies);
    space.turned.at_least(bodies);
    space.energy_sums.at_least(2 * bodies);
    space.shares.at_least(bodies);
    space.loads.at_least(loads_of_a_body * bodies);
    space.manifold_loads.at_least(loads_of_a_body * (job.contacts + 1));
    space.square_sizes.at_least(bodies);
    this->reserve_blocks(call);
  }

  /// True if the scene has the structure of the last one, whose islands were at rest, and all of them rest again.
  bool keeps_graph(const Call<T>& call) const override {
    LastRest& last = call.workspace.last_rest;
    last.rests_again = may_rest_again(call) && rests_again(call);
    return last.rests_again;
  }

  void prepare(const Call<T>& call) const override {
    kernel::SceneJob<T>& job = call.job;
    Workspace<T>& space = call.workspace;
    Graph& graph = space.graph;
    // An abandoned pass may have left displacements.
    std::fill_n(job.displacements, job.bodies + 1, kernel::VelocityRow<T>{});
    const Slops<T> slops = slops_of(call);
    direct::DirectIslands<T> islands = direct_islands(call, slops);
    islands.settle();
    count_substeps(call, slops);
    islands.solve(space.substeps_wanted, call.is_first_try);
    graph.sort_islands(space.substeps, space.substeps_wanted);
    this->build_graph(call);
    graph.list_bodies(call.parts);
  }

  SweepOutcome solve(const Call<T>& call) const override {
    Workspace<T>& space = call.workspace;
    call.report.pgs_islands = space.graph.islands - space.direct.accepted.size();
    if (!space.last_rest.rests_again) return sweep_substeps(call);
    if (call.job.rows == 0) return outcome_at_rest(space);
    space.islands.begin_call(space.graph.islands);
    return sweep_substeps(call);
  }

  /// Keeps the structure of a scene whose islands have all settled.
  void finish(const Call<T>& call) const override {
    const kernel::SceneJob<T>& job = call.job;
    const Graph& graph = call.workspace.graph;
    LastRest& last = call.workspace.last_rest;
    const std::size_t sound = call.report.count(Status::ok) + call.report.count(Status::separating);
    last.is_there = depends_on_structure(call) && graph.islands > 0 &&
                    call.workspace.direct.settled.size() == graph.islands && sound == job.contacts &&
                    call.report.count_joints(Status::ok) == job.rows && graph.of_contacts.at() == nullptr;
    if (last.rests_again || !last.is_there) return;
    const Parts& parts = call.parts;
    last.movable.assign(parts.movable, parts.movable + job.bodies);
    last.body_a.assign(parts.body_a, parts.body_a + job.contacts);
    last.body_b.assign(parts.body_b, parts.body_b + job.contacts);
    last.link.assign(parts.links.to_previous, parts.links.to_previous + job.contacts);
    last.row_body_a.assign(parts.row_body_a, parts.row_body_a + job.rows);
    last.row_body_b.assign(parts.row_body_b, parts.row_body_b + job.rows);
  }

 private:
  static Slops<T> slops_of(const Call<T>& call) {
    return {call.job, call.options, call.workspace.square_sizes.at_least(call.job.bodies + 1), call.team};
  }
  static direct::DirectIslands<T> direct_islands(const Call<T>& call, const Slops<T>& slops) {
    const CachedRow<T>* const rows = call.initial.rows_have_history ? call.workspace.warm_start_cache.rows() : nullptr;
    return {call, call.team, slops, rows, call.workspace.substeps, call.workspace.direct};
  }

  /// True if the graph of a scene depends on bodies, links and statuses alone, and contacts begin with the impulses of
  /// their keys.
  static bool depends_on_structure(const Call<T>& call) {
    return !call.job.has_models && !call.job.scene->contacts.frequency && !call.workspace.static_friction.is_there() &&
           (call.job.contacts == 0 ||
            (call.initial.contacts_have_history && call.workspace.warm_start_cache.all_have_keys()));
  }

  static bool may_rest_again(const Call<T>& call) {
    const kernel::SceneJob<T>& job = call.job;
    const LastRest& last = call.workspace.last_rest;
    return last.was_there && call.same_options && call.is_first_try && depends_on_structure(call) &&
           (job.contacts == 0 || call.workspace.warm_start_cache.is_unchanged()) && last.movable.size() == job.bodies &&
           last.body_a.size() == job.contacts && last.row_body_a.size() == job.rows;
  }

  static bool has_last_structure(const Call<T>& call) {
    const kernel::SceneJob<T>& job = call.job;
    const LastRest& last = call.workspace.last_rest;
    const Parts& parts = call.parts;
    std::atomic<bool> is_same{true};
    const auto compare = [&](std::size_t count, const auto& are_same) {
      call.team.each(count, compared_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
        const auto same = [&](const auto& x, const auto* y) {
          return std::equal(x.data() + first, x.data() + end, y + first);
        };
        const auto all_ok = [&](const std::uint8_t* status) {
          return std::all_of(status + first, status + end,
                             [](std::uint8_t of) { return of == static_cast<std::uint8_t>(Status::ok); });
        };
        if (!are_same(same, all_ok)) is_same.store(false, std::memory_order_relaxed);
      });
    };
    compare(job.bodies, [&](const auto& same, const auto&) { return same(last.movable, parts.movable); });
    compare(job.contacts, [&](const auto& same, const auto& all_ok) {
      return all_ok(job.status) && same(last.body_a, parts.body_a) && same(last.body_b, parts.body_b) &&
             same(last.link, parts.links.to_previous);
    });
    compare(job.rows, [&](const auto& same, const auto& all_ok) {
      return all_ok(job.row_status) && same(last.row_body_a, parts.row_body_a) &&
             same(last.row_body_b, parts.row_body_b);
    });
    return is_same;
  }

  static bool rests_again(const Call<T>& call) {
    if (!has_last_structure(call)) return false;
    Workspace<T>& space = call.workspace;
    set_graph(call.job, space.graph);
    const Slops<T> slops = slops_of(call);
    if (!direct_islands(call, slops).settle_again()) return false;
    space.graph.is_of_last_call = true;
    return true;
  }

  /// The outcome of islands without rows that rest again. The workspace has their other results from the last call.
  static SweepOutcome outcome_at_rest(Workspace<T>& space) {
    SweepOutcome sum;
    for (const direct::Accepted& of : space.direct.accepted) {
      const std::uint32_t island = of.island(space.graph);
      space.substeps[island] = of.substeps;
      space.islands.result[island].residual = std::max(of.residual, 0.0);
      space.islands.result[island].approach = 0;
      space.islands.note_error(island, of.approach);
      sum.approach = std::max(sum.approach, of.approach);
    }
    return sum;
  }
};

}  // namespace

template <class T>
const Method<T>& substeps_method() {
  static const SubstepsMethod<T> method;
  return method;
}
template const Method<float>& substeps_method();
template const Method<double>& substeps_method();

}  // namespace carom::scene
