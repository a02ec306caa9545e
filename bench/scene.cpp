#include "scene.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <carom/reference_scene.hpp>
#include <carom/scene.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "captured_scene.hpp"
#include "machine.hpp"
#include "support/scenes/boxes_on_plate.hpp"

namespace carom::bench {
namespace {

using scenes::SceneArrays;
using scenes::SceneData;

constexpr int usual_iterations = 10, many_iterations = 110, pyramid_base = 86;
constexpr double time_step = 0.01;  // [s] of the free fall that generated scenes have in their velocities
constexpr std::size_t pile_contacts = 9692, many_islands = 100'000;

/// As engines call it: a fixed number of iterations, regardless of the residual.
SceneOptions in_pgs(int iterations) {
  return {.method = Pgs{.iterations = iterations, .tolerance = 0}};
}

SceneOptions in_sequence(Law law) {
  return {.method = SequentialImpacts{.law = law}};
}

/// Substeps as an engine takes them at rest: the impulses of earlier calls are nearly the solution.
SceneOptions in_substeps(int count) {
  return {.time_step = time_step, .method = Substeps{.min_substeps = count, .max_substeps = count}};
}

enum class Kind {
  pyramid,
  resting_pyramid,
  resting_stacks,
  sliding_stacks,
  towers,
  pile,
  islands,
  islands_of_ten,
  box,
  stack_of_ten,
  ragdoll,
  boxes_apart,
  plate_6000,
  plate_12000,
  random_plate_6000,
  random_plate_12000,
  rotating_plate_6000,
  rotating_plate_12000
};

/// The scene with keys, and with its velocities as the effect of forces.
template <class T>
SceneData<T> at_rest(SceneData<T> scene) {
  scene.velocity_change = scene.bodies.velocity;
  scene.angular_velocity_change = scene.bodies.angular_velocity;
  for (auto* vectors : {&scene.bodies.velocity, &scene.bodies.angular_velocity})
    for (auto& component : *vectors) std::fill(component.begin(), component.end(), T(0));
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  return scene;
}

template <class T>
SceneData<T> stacks_apart(int count, int boxes) {
  SceneData<T> scene;
  for (int i = 0; i < count; ++i) append(scene, scenes::stack<T>(boxes));
  return at_rest(scene);
}

/// Twelve bodies on the ground in a row, with a ball joint between every two neighbours.
template <class T>
SceneData<T> ragdoll() {
  SceneData<T> scene;
  for (int i = 0; i < 12; ++i) {
    const double x = 0.5 * i;
    const std::int32_t a = scene.add(scenes::box(1, {0.44, 0.2, 0.2}, {x, 0, 0}, {0, 0, -9.81 * time_step}));
    add_manifold(scene, {.a = a, .b = scenes::world, .friction = 0.5}, x - 0.22, x + 0.22, -0.1, 0.1, -0.1);
    if (i > 0) add_ball_joint(scene.joints, JointBodies<T>{a, a - 1, {T(-0.25), 0, 0}, {T(0.25), 0, 0}});
  }
  scene = at_rest(std::move(scene));
  std::uint64_t key = 0;
  for (auto& row : scene.joints.rows) row.key = ++key;
  return scene;
}

/// Every box slides on the one below it, at twice the speed.
template <class T>
SceneData<T> sliding(SceneData<T> scene, T speed) {
  auto& along_x = scene.bodies.velocity[0];
  for (std::size_t i = 0; i < along_x.size(); ++i) along_x[i] = i % 2 == 0 ? speed : -speed;
  return scene;
}

/// A plate of 100 t with a grid of boxes on it. `contacts` is the number of contacts.
template <class T>
SceneData<T> plate(std::size_t contacts, double disorder = 0) {
  return scenes::boxes_on_plate<T>(contacts / 4, 1e5, disorder);
}

template <class T>
SceneData<T> rotating_plate(std::size_t contacts) {
  SceneData<T> scene = plate<T>(contacts);
  scenes::put(scene.bodies.angular_velocity, 0, {0.01, 0.02, 0.3});
  return scene;
}

/// The environment variable, if set, names a file with a captured pile, which replaces the generated one.
const char* captured_pile() {
  return std::getenv("CAROM_BENCH_PILE");
}

template <class T>
SceneData<T> make(Kind kind) {
  switch (kind) {
    case Kind::pyramid:
      return scenes::pyramid<T>(pyramid_base);
    case Kind::resting_pyramid:
      return at_rest(scenes::pyramid<T>(pyramid_base));
    case Kind::resting_stacks:
      return stacks_apart<T>(700, 10);
    case Kind::sliding_stacks:
      return sliding(stacks_apart<T>(700, 10), T(30));
    case Kind::towers:
      return stacks_apart<T>(70, 100);
    case Kind::pile:
      return captured_pile() != nullptr ? captured_scene<T>(captured_pile()) : scenes::pile<T>(pile_contacts);
    case Kind::islands:
      return scenes::islands<T>(many_islands, 2, 8, 1);
    case Kind::box:
      return at_rest(scenes::stack<T>(1));
    case Kind::stack_of_ten:
      return at_rest(scenes::stack<T>(10));
    case Kind::ragdoll:
      return ragdoll<T>();
    case Kind::boxes_apart:
      return stacks_apart<T>(1000, 1);
    case Kind::plate_6000:
      return plate<T>(6000);
    case Kind::plate_12000:
      return plate<T>(12000);
    case Kind::random_plate_6000:
      return plate<T>(6000, 0.2);
    case Kind::random_plate_12000:
      return plate<T>(12000, 0.2);
    case Kind::rotating_plate_6000:
      return rotating_plate<T>(6000);
    case Kind::rotating_plate_12000:
      return rotating_plate<T>(12000);
    case Kind::islands_of_ten:
      break;
  }
  return scenes::islands<T>(1000, 10, 10, 1);
}

/// Made when a benchmark first needs it.
template <class T>
const SceneData<T>& scene_of(Kind kind) {
  static std::map<Kind, std::unique_ptr<SceneData<T>>> made;
  auto& scene = made[kind];
  if (!scene) scene = std::make_unique<SceneData<T>>(make<T>(kind));
  return *scene;
}

/// The results that a typical caller asks for: velocities, impulses and statuses.
template <class T>
SceneResults<T> timed_columns(SceneArrays<T>& arrays) {
  SceneResults<T> results = arrays.view();
  results.separation_velocity = {};
  results.path = {};
  return results;
}

/// Number of bodies whose velocities differ from the reference by more than 1e5 ε times the max velocity.
template <class T>
std::size_t bodies_apart(const SceneData<T>& scene, const SceneOptions& options, const Execution& execution) {
  SceneArrays<T> found(scene);
  SceneSolver(execution).solve(select(scene.view(), options.method), found.view(), options);
  const SceneData<double> wide = scenes::widened(scene);
  SceneArrays<double> expected(wide);
  reference::solve_scene(select(wide.view(), options.method), expected.view(), options);
  double greatest = 0;
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    greatest = std::max({greatest, length(wide.velocity(i)), length(wide.angular_velocity(i))});
    // Bodies at rest have the speed that forces cause.
    if (!wide.velocity_change[0].empty()) greatest = std::max(greatest, length(scenes::at(wide.velocity_change, i)));
  }
  const double bound = 1e5 * static_cast<double>(std::numeric_limits<T>::epsilon()) * greatest;
  std::size_t apart = 0;
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    const auto off = [&](const auto& a, const auto& b) { return length(scenes::at(a, i) - scenes::at(b, i)); };
    const bool agree = off(found.velocity, expected.velocity) <= bound &&
                       off(found.angular_velocity, expected.angular_velocity) <= bound;
    apart += agree ? 0u : 1u;
  }
  return apart;
}

/// Empty if the lanes agree with the reference, on scenes of the same kind that are small enough for the reference.
/// With sequential impacts rounding may decide which of two contacts comes first.
template <class T>
std::string disagreement(Kind kind, const SceneOptions& options, const Execution& execution) {
  const SceneData<T> few = kind == Kind::pyramid           ? scenes::pyramid<T>(24)
                           : kind == Kind::resting_pyramid ? at_rest(scenes::pyramid<T>(24))
                           : kind == Kind::pile            ? scenes::pile<T>(2000)
                           : kind == Kind::islands_of_ten  ? scenes::islands<T>(200, 10, 10, 2)
                           : kind == Kind::resting_stacks  ? stacks_apart<T>(20, 10)
                           : kind == Kind::sliding_stacks  ? sliding(stacks_apart<T>(20, 10), T(30))
                           : kind == Kind::towers          ? stacks_apart<T>(2, 50)
                           : kind == Kind::box             ? stacks_apart<T>(1, 1)
                           : kind == Kind::stack_of_ten    ? at_rest(scenes::stack<T>(10))
                           : kind == Kind::ragdoll         ? ragdoll<T>()
                           : kind == Kind::boxes_apart     ? stacks_apart<T>(100, 1)
                           : kind >= Kind::plate_6000      ? plate<T>(400, 0.2)  // nothing ties
                                                           : scenes::islands<T>(500, 2, 8, 2);
  const std::size_t apart = bodies_apart(few, options, execution);
  const std::size_t allowed = options.selected() == SceneMethod::sequential_impacts ? few.body_count() / 50 : 0;
  return apart > allowed ? std::to_string(apart) + " bodies are not where the reference has them" : "";
}

/// A call that is repeated, checked first.
template <class T>
class Timed {
 public:
  Timed(Kind kind, const SceneOptions& options, const Execution& execution)
      : scene_(scene_of<T>(kind)),
        arrays_(scene_),
        solver_(execution),
        wrong_(disagreement<T>(kind, options, execution)),
        view_(select(scene_.view(), options.method)) {
    view_.contacts.friction = friction_;
    if (!wrong_.empty()) return;
    const SceneReport report = call(options);
    other_friction_ = T(-1);
    if (report.faults() > 0) wrong_ = "faults";
    if (!std::isfinite(report.energy_after)) wrong_ = "an energy that is not finite";
  }

  bool again = false;

  const std::string& wrong() const { return wrong_; }
  std::int64_t contacts() const { return static_cast<std::int64_t>(scene_.contact_count()); }

  /// Every other call omits the last contact, so that the graph is built anew, unless `again` is set.
  SceneReport call(const SceneOptions& options) {
    if (!again) std::swap(friction_.back(), other_friction_);
    const SceneReport report = solver_.solve(view_, results_, options);
    benchmark::ClobberMemory();
    return report;
  }
  double seconds(const SceneOptions& options) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    call(options);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

 private:
  const SceneData<T>& scene_;
  SceneArrays<T> arrays_;
  SceneSolver solver_;
  std::string wrong_;
  std::vector<T> friction_ = scene_.friction;
  T other_friction_ = friction_.back();
  Scene<T> view_;
  SceneResults<T> results_ = timed_columns(arrays_);
};

/// The time of 100 iterations: a call with 110 iterations minus a call with 10.
template <class T>
void iterations(benchmark::State& state, Kind kind, const Execution& execution) try {
  Timed<T> timed(kind, in_pgs(usual_iterations), execution);
  if (!timed.wrong().empty()) return state.SkipWithError(timed.wrong().c_str());
  for (auto _ : state) {
    const double few = timed.seconds(in_pgs(usual_iterations)), many = timed.seconds(in_pgs(many_iterations));
    // With a disturbance, the call with fewer iterations may take longer.
    state.SetIterationTime(std::max(many - few, 1e-9));
  }
  state.SetItemsProcessed(state.iterations() * timed.contacts() * (many_iterations - usual_iterations));
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

/// A call minus its iterations: checks, islands, colours, preparation, results.
template <class T>
void setup(benchmark::State& state, const Execution& execution) try {
  Timed<T> timed(Kind::pyramid, in_pgs(usual_iterations), execution);
  if (!timed.wrong().empty()) return state.SkipWithError(timed.wrong().c_str());
  constexpr double share = static_cast<double>(usual_iterations) / (many_iterations - usual_iterations);
  for (auto _ : state) {
    const double few = timed.seconds(in_pgs(usual_iterations)), many = timed.seconds(in_pgs(many_iterations));
    state.SetIterationTime(std::max(few - share * (many - few), 1e-9));
  }
  state.SetItemsProcessed(state.iterations() * timed.contacts());
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void call(benchmark::State& state, Kind kind, const SceneOptions& options, const Execution& execution,
          bool again = false) try {
  Timed<T> timed(kind, options, execution);
  timed.again = again;
  if (!timed.wrong().empty()) return state.SkipWithError(timed.wrong().c_str());
  SceneReport report;
  for (auto _ : state) report = timed.call(options);
  state.SetItemsProcessed(state.iterations() * timed.contacts());
  if (report.lanes > 0)
    state.counters["active_lanes"] = static_cast<double>(report.lanes_used) / static_cast<double>(report.lanes);
  if (report.impacts > 0)
    state.counters["impacts"] = benchmark::Counter(
        static_cast<double>(state.iterations()) * static_cast<double>(report.impacts), benchmark::Counter::kIsRate);
  if (kind == Kind::pile) state.SetLabel(captured_pile() != nullptr ? "captured" : "drawn");
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

void call_reference(benchmark::State& state, Law law) try {
  const SceneData<double>& scene = scene_of<double>(Kind::islands_of_ten);
  SceneArrays<double> arrays(scene);
  const Scene<double> view = select(scene.view(), in_sequence(law).method);
  const SceneResults<double> results = timed_columns(arrays);
  SceneReport report;
  for (auto _ : state) {
    report = reference::solve_scene(view, results, in_sequence(law));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(scene.contact_count()));
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void register_precision(const std::string& precision, int max_threads) {
  const auto place = [&](const Execution& execution) {
    return precision + "/" + std::string(to_string(execution.isa)) + "/threads:" + std::to_string(execution.threads) +
           "/";
  };
  const auto one = [&](const std::string& name, Kind kind, const SceneOptions& options, const Execution& execution) {
    benchmark::RegisterBenchmark(name.c_str(), call<T>, kind, options, execution, false)->UseRealTime();
  };
  const Isa best = best_isa();
  for (const Isa isa : available_isas())
    if (isa != best)
      one("scene/substeps:4/" + place({.isa = isa, .threads = 1}) + "pyramid:30000", Kind::resting_pyramid,
          in_substeps(4), {.isa = isa, .threads = 1});
  for (int threads = 1; threads <= max_threads; ++threads) {
    const Execution execution{.isa = best, .threads = threads};
    one("scene/call/" + place(execution) + "pyramid:30000", Kind::pyramid, in_pgs(usual_iterations), execution);
    benchmark::RegisterBenchmark(("scene/again/" + place(execution) + "pyramid:30000").c_str(), call<T>, Kind::pyramid,
                                 in_pgs(usual_iterations), execution, true)
        ->UseRealTime();
    for (const int count : {4, 8})
      one("scene/substeps:" + std::to_string(count) + "/" + place(execution) + "pyramid:30000", Kind::resting_pyramid,
          in_substeps(count), execution);
    one("scene/call/" + place(execution) + "pile:9692", Kind::pile, in_pgs(usual_iterations), execution);
    one("scene/islands/" + place(execution) + "100000", Kind::islands, in_pgs(usual_iterations), execution);
    benchmark::RegisterBenchmark(("scene/setup/" + place(execution) + "pyramid:30000").c_str(), setup<T>, execution)
        ->UseManualTime();
  }
  const auto small = [&](const Execution& execution, Kind kind, const std::string& name) {
    benchmark::RegisterBenchmark(("scene/small/" + place(execution) + name).c_str(), call<T>, kind,
                                 in_pgs(usual_iterations), execution, true)
        ->UseRealTime();
  };
  for (const Isa isa : available_isas()) {
    small({.isa = isa, .threads = 1}, Kind::box, "boxes:1");
    small({.isa = isa, .threads = 1}, Kind::stack_of_ten, "stack:10");
    small({.isa = isa, .threads = 1}, Kind::ragdoll, "ragdoll:1");
    for (int threads = 1; threads <= (isa == best ? max_threads : 1); ++threads)
      small({.isa = isa, .threads = threads}, Kind::boxes_apart, "boxes:1000");
  }
  for (const Isa isa : available_isas()) {
    for (int threads = 1; threads <= (isa == best ? max_threads : 1); ++threads) {
      const Execution execution{.isa = isa, .threads = threads};
      const auto pgs_rows = [&](Kind kind, const std::string& name) {
        benchmark::RegisterBenchmark(("scene/pgs/" + place(execution) + name).c_str(), iterations<T>, kind, execution)
            ->UseManualTime();
      };
      pgs_rows(Kind::pyramid, "pyramid:30000");
      // 28,000 points each: nearly all stick; all slip; impulses of friction fall towards zero.
      pgs_rows(Kind::resting_stacks, "stacks:700x10");
      pgs_rows(Kind::sliding_stacks, "sliding:700x10");
      pgs_rows(Kind::towers, "stacks:70x100");
    }
  }
  for (const Law law : {Law::chatterjee_ruina, Law::incremental}) {
    const Execution execution{.isa = best, .threads = 1};
    one("scene/sequential_impacts/" + std::string(to_string(law)) + "/" + place(execution) + "islands:1000x10",
        Kind::islands_of_ten, in_sequence(law), execution);
  }
  // All contacts act on one movable body.
  const auto on_one_body = [&](Kind kind, const std::string& name) {
    const Execution execution{.isa = best, .threads = 1};
    one("scene/sequential_impacts/chatterjee-ruina/" + place(execution) + name, kind,
        in_sequence(Law::chatterjee_ruina), execution);
  };
  on_one_body(Kind::plate_6000, "plate:6000");
  on_one_body(Kind::plate_12000, "plate:12000");
  on_one_body(Kind::random_plate_6000, "random_plate:6000");
  on_one_body(Kind::random_plate_12000, "random_plate:12000");
  on_one_body(Kind::rotating_plate_6000, "rotating_plate:6000");
  on_one_body(Kind::rotating_plate_12000, "rotating_plate:12000");
}

}  // namespace

void register_scenes(int max_threads) {
  register_precision<float>("f32", max_threads);
  register_precision<double>("f64", max_threads);
  for (const Law law : {Law::chatterjee_ruina, Law::incremental})
    benchmark::RegisterBenchmark(
        ("scene/sequential_impacts_reference/" + std::string(to_string(law)) + "/f64/islands:1000x10").c_str(),
        call_reference, law)
        ->UseRealTime();
}

}  // namespace carom::bench
