#include "rest.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <carom/scene.hpp>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "machine.hpp"
#include "rest_worlds.hpp"

namespace carom::bench {
namespace {

/// Steps in which worlds come to rest.
constexpr int until_rest = 120;

template <class T>
void at_rest(benchmark::State& state, const std::function<MotionWorld()>& make, Isa isa) try {
  SteppedWorld<T> world(make(), isa);
  for (int k = 0; k < until_rest; ++k) world.step();
  const std::vector<MotionBody> begin = world.bodies();
  double seconds = 0, calls = 0, moving = 0;
  for (auto _ : state) {
    const double time = world.step();
    state.SetIterationTime(time);
    seconds += time;
    calls += 1;
    moving += world.report().energy_after > 0 ? 1 : 0;
  }
  double drift = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    drift = std::max(drift, length(world.bodies()[i].position - begin[i].position));
  }
  state.counters["ns_a_point"] = 1e9 * seconds / calls / static_cast<double>(world.points());
  state.counters["drift_mm"] = 1000 * drift;
  state.counters["moving"] = moving;
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

/// A call of islands that PGS solves in substeps, without the time of the substeps: checks, keys, graph, preparation,
/// histories, results.
template <class T>
void setup(benchmark::State& state, const std::function<MotionWorld()>& make, Isa isa) try {
  std::vector<probe::MotionTouch> touches;
  const scenes::SceneData<T> scene = make().template scene<T>(time_step, touches);
  scenes::SceneArrays<T> arrays(scene);
  const Scene<T> view = select(scene.view(), SceneOptions().method);
  SceneResults<T> results = arrays.view();
  results.path = {};
  results.separation_velocity = {};
  SceneSolver few({.isa = isa, .threads = 1}), many({.isa = isa, .threads = 1});
  const auto seconds = [&](SceneSolver& solver, int substeps) {
    const SceneOptions options{.time_step = time_step,
                               .method = Substeps{.min_substeps = substeps, .max_substeps = substeps}};
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    solver.solve(view, results, options);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  double sum = 0, calls = 0;
  for (auto _ : state) {
    const double two = seconds(few, 2), four = seconds(many, 4), left = 2 * two - four;
    // With a disturbance, the call with fewer substeps may take longer.
    state.SetIterationTime(std::max(left, 1e-9));
    sum += left;
    calls += 1;
  }
  state.counters["ns_a_point"] = 1e9 * sum / calls / static_cast<double>(scene.contact_count());
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

}  // namespace

void register_rest() {
  const auto add = [](const std::string& name, const std::function<MotionWorld()>& make, int calls) {
    for (const Isa isa : available_isas())
      if (isa == best_isa() || isa == Isa::avx2)
        benchmark::RegisterBenchmark(("scene/rest/f32/" + std::string(to_string(isa)) + "/" + name).c_str(),
                                     at_rest<float>, make, isa)
            ->UseManualTime()
            ->Iterations(calls);
  };
  add(
      "box", [] { return tower(1); }, 4000);
  add(
      "pair:1000", [] { return tower(2, 1000); }, 4000);
  add(
      "tower:20", [] { return tower(20); }, 2000);
  add(
      "tower:20x1000", [] { return tower(20, 1000); }, 2000);
  add(
      "tower:100", [] { return tower(100); }, 500);
  add(
      "pyramid:10", [] { return pyramid(10); }, 500);
  add(
      "pyramid:20", [] { return pyramid(20); }, 300);
  add(
      "pyramid:40", [] { return pyramid(40); }, 100);
  add(
      "wall:16", [] { return wall(16); }, 300);
  add("ragdoll:12", ragdoll, 2000);
  add("chain:20", chain, 2000);
  add("heap:55", heap, 500);
  add(
      "boxes:1000", [] { return boxes_apart(1000); }, 100);
  const auto add_setup = [](const std::string& name, const std::function<MotionWorld()>& make) {
    const Isa isa = best_isa();
    benchmark::RegisterBenchmark(("scene/setup/f32/" + std::string(to_string(isa)) + "/substeps/" + name).c_str(),
                                 setup<float>, make, isa)
        ->UseManualTime()
        ->Iterations(300);
  };
  add_setup("pyramid:20", [] { return pyramid(20); });
  add_setup("boxes:1000", [] { return boxes_apart(1000); });
}

}  // namespace carom::bench
