#include "ncp.hpp"

#include <benchmark/benchmark.h>

#include <carom/scene.hpp>
#include <string>

#include "support/scenes/generators.hpp"

namespace carom::bench {
namespace {

using scenes::SceneData;

SceneData<float> tower(int boxes, float top = 1) {
  SceneData<float> scene = scenes::stack<float>(boxes);
  scene.bodies.inverse_mass.back() /= top;
  for (auto& component : scene.bodies.inverse_inertia) component.back() /= top;
  return scene;
}

/// Boxes of 1 kg on a movable hull of 100 t.
SceneData<float> barge(int boxes) {
  SceneData<float> scene;
  const scenes::Vector fall = {0, 0, -0.0981};
  const double width = 55, length = 1.1 * (boxes / 50 + 1);
  const std::int32_t hull = scene.add(scenes::box(1e5, {width, length, 1}, {width / 2, length / 2, 0}, fall));
  scenes::add_manifold(scene, {.a = hull, .friction = 0.5}, 0, width, 0, length, -0.5);
  for (int i = 0; i < boxes; ++i) {
    const double x = 0.5 + 1.1 * (i % 50), y = 0.5 + 1.1 * (i / 50);
    const std::int32_t a = scene.add(scenes::box(1, {1, 1, 1}, {x, y, 1}, fall));
    scenes::add_manifold(scene, {.a = a, .b = hull, .friction = 0.5}, x - 0.5, x + 0.5, y - 0.5, y + 0.5, 0.5);
  }
  return scene;
}

SceneData<float> boxes_apart(int boxes) {
  SceneData<float> scene;
  for (int i = 0; i < boxes; ++i) scenes::append(scene, scenes::stack<float>(1));
  return scene;
}

/// The first call, which is not timed, provides the memory and is checked.
void call(benchmark::State& state, SceneData<float> (*make)(), double tolerance) {
  const SceneData<float> scene = make();
  scenes::SceneArrays<float> arrays(scene);
  const SceneOptions options{.method = Ncp{.tolerance = tolerance}};
  SceneSolver solver({.threads = 1});
  const auto view = select(scene.view(), options.method);
  const auto results = arrays.view();
  if (solver.solve(view, results, options).relative_error > tolerance)
    return state.SkipWithError("misses the tolerance");
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve(view, results, options));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(scene.contact_count()));
}

}  // namespace

void register_ncp() {
  const auto one = [](const std::string& name, SceneData<float> (*make)(), double tolerance) {
    benchmark::RegisterBenchmark(("ncp/f32/threads:1/" + name).c_str(), call, make, tolerance)
        ->Unit(benchmark::kMillisecond);
  };
  one(
      "tower:20/1e-06", [] { return tower(20); }, 1e-6);
  one(
      "tower:100/1e-06", [] { return tower(100); }, 1e-6);
  one(
      "tower:20x1000/1e-06", [] { return tower(20, 1000); }, 1e-6);
  one(
      "barge:1000/1e-06", [] { return barge(1000); }, 1e-6);
  one(
      "barge:12000/1e-06", [] { return barge(12000); }, 1e-6);
  one(
      "apart:1000/1e-06", [] { return boxes_apart(1000); }, 1e-6);
  one(
      "pyramid:10/1e-06", [] { return scenes::pyramid<float>(10); }, 1e-6);
  one(
      "pyramid:30/1e-06", [] { return scenes::pyramid<float>(30); }, 1e-6);
  one(
      "pile:9692/0.01", [] { return scenes::pile<float>(9692); }, 1e-2);
  one(
      "pile:9692/0.001", [] { return scenes::pile<float>(9692); }, 1e-3);
}

}  // namespace carom::bench
