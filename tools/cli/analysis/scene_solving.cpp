#include "scene_solving.hpp"

#include <carom/reference_scene.hpp>

#include "io/columns/scene_data.hpp"
#include "solving.hpp"

namespace carom::apps {
namespace {

// solve(scene, results) returns the report of one scene.
template <class T, class Solve>
io::ResultNumbers solved_scenes(const io::ContactNumbers& contacts, const io::SceneRows& rows,
                                const SceneOptions& options, const OnScene& on_scene, Solve&& solve) {
  io::ResultNumbers results(contacts);
  io::SceneData<T> data(contacts, rows, options.selected() == SceneMethod::sequential_impacts, results);
  for (const io::SceneOfRows& scene : rows.scenes()) {
    data.load(scene);
    const Stopwatch watch;
    SolvedScene solved{.step = scene.step, .report = solve(data.scene(), data.results())};
    solved.seconds = watch.seconds();
    data.store();
    on_scene(solved);
  }
  return results;
}

}  // namespace

io::ResultNumbers solve_scenes_on_lanes(const io::ContactNumbers& contacts, const io::SceneRows& rows,
                                        SceneSolver& solver, const SceneOptions& options, const OnScene& on_scene) {
  const auto solve = [&](const auto& scene, const auto& results) {
    return solver.solve(select(scene, options.method), results, options);
  };
  return contacts.in_float() ? solved_scenes<float>(contacts, rows, options, on_scene, solve)
                             : solved_scenes<double>(contacts, rows, options, on_scene, solve);
}

io::ResultNumbers solve_scenes_by_reference(const io::ContactNumbers& contacts, const io::SceneRows& rows,
                                            const SceneOptions& options, const OnScene& on_scene) {
  return solved_scenes<double>(contacts, rows, options, on_scene, [&](const auto& scene, const auto& results) {
    return reference::solve_scene(select(scene, options.method), results, options);
  });
}

}  // namespace carom::apps
