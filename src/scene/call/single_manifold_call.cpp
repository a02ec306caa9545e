#include "single_manifold_call.hpp"

#include "core/scene/call_options.hpp"
#include "core/threads/thread_team.hpp"
#include "scene/methods/sweeps.hpp"
#include "scene_input.hpp"
#include "scene_output.hpp"

namespace carom::scene {
namespace {

/// True if all contacts are valid and form the same manifold as before, and the same bodies can move.
template <class T>
bool is_as_it_was(const Workspace<T>& space, const kernel::SceneJob<T>& job, const kernel::Constraint& manifold) {
  bool same = space.body_a.data()[0] == manifold.body_a && space.body_b.data()[0] == manifold.body_b;
  for (std::size_t i = 0; i < job.contacts; ++i)
    same = same && job.status[i] == static_cast<std::uint8_t>(Status::ok) && (i == 0 || space.link.data()[i] != 0);
  for (std::size_t i = 0; i < job.bodies; ++i)
    same = same && space.body_fault.data()[i] == static_cast<std::uint8_t>(Status::ok) &&
           space.movable.data()[i] == space.last_single_manifold.movable[i];
  return same;
}

}  // namespace

template <class T>
bool solve_single_manifold_again(Workspace<T>& workspace, const Scene<T>& scene, const SceneResults<T>& results,
                                 const CallOptions& options, SceneReport& report) {
  LastSingleManifold<T>& last = workspace.last_single_manifold;
  if (!last.is_there) return false;
  kernel::SceneJob<T>& job = last.job;
  WarmStartCache<T>& warm_start_cache = workspace.warm_start_cache;
  T* kept = nullptr;
  if (scene.contacts.key) {
    if (!warm_start_cache.are_unchanged(scene.contacts.key)) return false;
    const std::size_t n = job.contacts;
    kept = warm_start_cache.stored();
    last.stored.impulse = {{kept, n}, {kept + n, n}, {kept + 2 * n, n}};
    if (job.warm_impulse.x)
      job.warm_impulse = {
          {warm_start_cache.impulse(0), n}, {warm_start_cache.impulse(1), n}, {warm_start_cache.impulse(2), n}};
  }
  job.scene = &scene;
  job.results = &last.stored;
  ThreadTeam team;
  SceneInput<T> input(*last.kernels, scene, options, job);
  input.reserve(workspace);
  input.validate(team);
  const kernel::Constraint& manifold = workspace.graph.manifolds.front();
  if (!is_as_it_was(workspace, job, manifold)) return false;

  const kernel::SingleManifoldLimits limits = limits_of_single_manifold(options);
  kernel::SingleManifoldOutcome<T> outcome;
  last.kernels->single_manifold->solve(job, workspace.graph.single_manifold.data(), 1, limits, &outcome);
  if (outcome.overflow || count_faults(job) > 0) return false;

  const auto approach = static_cast<double>(outcome.approach), residual = static_cast<double>(outcome.residual);
  const bool converged = outcome.converged || !(residual > limits.relative_tolerance * approach);
  workspace.islands.result[0] = {converged ? IslandStatus::converged : IslandStatus::not_converged,
                                 IslandAlgorithm::pgs, outcome.sweeps, residual};
  workspace.islands.note_error(0, approach);
  report.isa = last.isa;
  report.bodies = job.bodies;
  report.contacts = report.max_island_size = report.lanes_used = job.contacts;
  report.lanes = kernel::points_of_manifold;
  report.islands = 1;
  report.colours = workspace.graph.colours;
  report.overflow_constraints = workspace.graph.overflow_constraints;
  report.same_graph = true;
  report.iterations = outcome.sweeps;
  report.max_approach_speed = approach;
  report.residual = residual;
  report.not_converged = converged ? 0 : 1;
  report.energy_before = input.energy_before();
  report.energy_after = input.energy(team);
  if (kept != nullptr) warm_start_cache.keep_unchanged(scene.contacts.r_a);
  SceneOutput<T>(job, workspace, results, last.stored, options).store(team, report);
  return true;
}
template bool solve_single_manifold_again(Workspace<float>&, const Scene<float>&, const SceneResults<float>&,
                                          const CallOptions&, SceneReport&);
template bool solve_single_manifold_again(Workspace<double>&, const Scene<double>&, const SceneResults<double>&,
                                          const CallOptions&, SceneReport&);

}  // namespace carom::scene
