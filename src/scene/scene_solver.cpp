#include <atomic>
#include <carom/scene.hpp>
#include <cstring>
#include <string>
#include <type_traits>

#include "contact_models.hpp"
#include "one_piece.hpp"
#include "scene_call.hpp"
#include "solver/check.hpp"
#include "solver/dispatch.hpp"
#include "solver/floating_point.hpp"
#include "solver/schedule.hpp"
#include "workspace.hpp"

namespace carom {
namespace {

/// The columns that the last call had, which were good: hosts mostly hand over the same ones from step to step, and to
/// compare them takes less time than to check them.
template <class T>
class CheckedColumns {
 public:
  void check(const Scene<T>& scene, const SceneResults<T>& results) {
    static_assert(std::has_unique_object_representations_v<Scene<T>> &&
                  std::has_unique_object_representations_v<SceneResults<T>>);
    if (is_there_ && std::memcmp(&scene, &scene_, sizeof scene) == 0 &&
        std::memcmp(&results, &results_, sizeof results) == 0)
      return;
    check_scene_columns(scene, results);
    scene_ = scene;
    results_ = results;
    is_there_ = true;
  }

 private:
  bool is_there_ = false;
  Scene<T> scene_;
  SceneResults<T> results_;
};

}  // namespace

struct SceneSolver::State {
  explicit State(const Execution& given) : execution(given), entry(&find_isa(given.isa)) {}

  template <class T>
  scene::Workspace<T>& workspace() {
    if constexpr (std::is_same_v<T, float>)
      return in_float;
    else
      return in_double;
  }

  template <class T>
  CheckedColumns<T>& checked() {
    if constexpr (std::is_same_v<T, float>)
      return checked_in_float;
    else
      return checked_in_double;
  }

  template <class T>
  SceneReport run(const Scene<T>& scene, const SceneResults<T>& results, const SceneOptions& options) {
    check_scene_options(options);
    if (busy.exchange(true, std::memory_order_acquire))
      throw Error("carom: another call is at work in this solver; a solver serves one call at a time", ErrorKind::busy);
    const Release release{busy};
    checked<T>().check(scene, results);
    scene::check_contact_models(scene, options);
    const DefaultFloatingPoint environment;
    // A small scene is done before another thread has come.
    const bool small = scene.contacts.friction.count + scene.joints.body_a.count < 512;
    const std::size_t threads = small ? 1 : threads_here(execution.threads);
    if (!scene::moves_in_one_piece(options))
      return scene::run_scene(*entry, workspace<T>(), scene, results, options, threads);
    SceneReport report =
        scene::run_scene(*entry, workspace<T>(), scene, results, scene::in_one_piece(options), threads);
    report.method = options.method;
    return report;
  }

  struct Release {
    std::atomic<bool>& busy;
    ~Release() { busy.store(false, std::memory_order_release); }
  };

  Execution execution;
  const IsaEntry* entry;
  std::atomic<bool> busy{false};
  scene::Workspace<float> in_float;
  scene::Workspace<double> in_double;
  CheckedColumns<float> checked_in_float;
  CheckedColumns<double> checked_in_double;
};

SceneSolver::SceneSolver(const Execution& execution) {
  check_execution(execution);
  state_ = std::make_unique<State>(execution);
}
SceneSolver::~SceneSolver() = default;
SceneSolver::SceneSolver(SceneSolver&&) noexcept = default;
SceneSolver& SceneSolver::operator=(SceneSolver&&) noexcept = default;

SceneSolver::State& SceneSolver::state() const {
  if (!state_) throw Error("carom: this solver has been moved from", ErrorKind::moved_from);
  return *state_;
}
const Execution& SceneSolver::execution() const {
  return state().execution;
}
Isa SceneSolver::isa() const {
  return state().entry->isa;
}
void SceneSolver::forget() {
  state().in_float.remembered.clear();
  state().in_double.remembered.clear();
}

template <class T>
SceneReport SceneSolver::solve(const Scene<T>& scene, const SceneResults<T>& results, const SceneOptions& options) {
  return state().run(scene, results, options);
}
template SceneReport SceneSolver::solve(const Scene<float>&, const SceneResults<float>&, const SceneOptions&);
template SceneReport SceneSolver::solve(const Scene<double>&, const SceneResults<double>&, const SceneOptions&);

namespace {
constexpr std::string_view method_names[] = {"simultaneous", "sequence", "iteration", "resting",
                                             "step",         "substeps", "coulomb"};
}  // namespace

std::string_view to_string(SceneMethod method) {
  const auto number = static_cast<std::size_t>(method);
  return number < scene_method_count ? method_names[number] : "unknown";
}

SceneMethod scene_method_from_string(std::string_view text) {
  for (std::size_t i = 0; i < scene_method_count; ++i)
    if (method_names[i] == text) return static_cast<SceneMethod>(i);
  throw Error("carom: '" + std::string(text) + "' is not a method for scenes");
}

}  // namespace carom
