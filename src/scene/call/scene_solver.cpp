#include <carom/scene.hpp>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "core/columns/check.hpp"
#include "core/scene/call_options.hpp"
#include "core/support/array.hpp"
#include "core/threads/floating_point.hpp"
#include "core/threads/schedule.hpp"
#include "core/threads/solver_state.hpp"
#include "direct_islands_state.hpp"
#include "scene/methods/workspace.hpp"
#include "scene_call.hpp"
#include "single_manifold_call.hpp"
#include "warm_start_state.hpp"

namespace carom {
namespace {

/// A value of the last call. Equal values whose padding differs count as different.
template <class V>
class Last {
 public:
  bool is(const V& value) const { return is_there_ && std::memcmp(&value_, &value, sizeof value) == 0; }
  void take(const V& value) {
    value_ = value;
    is_there_ = true;
  }
  const V& operator*() const { return value_; }
  /// Compares with ==. Unlike is(), ignores the bytes of inactive options.
  bool equals(const V& value) const { return is_there_ && value_ == value; }

 private:
  static_assert(std::is_trivially_copyable_v<V>);
  bool is_there_ = false;
  V value_{};
};

/// Options and columns of the last valid call. Callers mostly pass the same ones in every step, and comparing them
/// takes less time than checking them.
template <class T>
class CheckedArguments {
 public:
  /// Parts that equal the last call's.
  struct Same {
    bool options = false, columns = false;
  };
  Same check(const Scene<T>& scene, const SceneResults<T>& results, const SceneOptions& options) {
    const Same same{options_.is(options) || options_.equals(options), scene_.is(scene) && results_.is(results)};
    if (same.options && same.columns) return same;
    if (!same.options) check_scene_options(options);
    check_columns_of_method(scene, options);
    const bool has_constants = same.columns ? has_constants_ : check_scene_columns(scene, results);
    if (!same.options) call_options_ = scene::call_options(options);
    options_.take(options);
    if (same.columns) return same;
    scene_.take(scene);
    results_.take(results);
    has_constants_ = has_constants;
    if (has_constants) resolved_ = without_constants(*scene_);
    return same;
  }
  /// The scene of this call without constants. `given`: its argument.
  const Scene<T>& resolved(const Scene<T>& given) const { return has_constants_ ? resolved_ : given; }
  /// The options of the last call.
  const scene::CallOptions& options() const { return call_options_; }

 private:
  Last<SceneOptions> options_;
  scene::CallOptions call_options_;
  Last<Scene<T>> scene_;
  Last<SceneResults<T>> results_;
  bool has_constants_ = false;
  Scene<T> resolved_;  // points into scene_
};

/// The parts of a Workspace that a state is restored to before they replace the ones in use.
template <class T>
struct Restored {
  scene::WarmStartCache<T> warm_start_cache;
  scene::direct::DirectMemory direct;
};

/// `Of`: a Workspace or a Restored.
template <class Archive, class Of>
void carry_memory(Archive& archive, Of& of, const IsaEntry& entry) {
  archive(of.warm_start_cache);
  of.direct.carry(archive, *entry.scene.blocks);
}

/// Both precisions.
struct RestoredState {
  Restored<float> in_float;
  Restored<double> in_double;
};

}  // namespace

struct SceneSolver::State : SolverState {
  using SolverState::SolverState;

  template <class T>
  scene::Workspace<T>& workspace() {
    if constexpr (std::is_same_v<T, float>)
      return in_float;
    else
      return in_double;
  }

  template <class T>
  CheckedArguments<T>& checked() {
    if constexpr (std::is_same_v<T, float>)
      return checked_in_float;
    else
      return checked_in_double;
  }

  template <class T>
  SceneReport run(const Scene<T>& given, const SceneResults<T>& results, const SceneOptions& options) {
    const OneCall one_call(busy);
    const auto same = checked<T>().check(given, results, options);
    const Scene<T>& scene = checked<T>().resolved(given);
    const scene::CallOptions& of_call = checked<T>().options();
    const DefaultFloatingPoint environment;
    SceneReport report;
    if (same.options && same.columns &&
        scene::solve_single_manifold_again(workspace<T>(), scene, results, of_call, report)) {
      report.method = options.selected();
      return report;
    }
    const HeldMemory::Scope scope(&held_memory);
    // A small scene is done before another thread has come. One island that takes most of a scene takes one thread,
    // unless it is large. Islands mostly stay from call to call, so the last graph decides.
    const std::size_t points = scene.contacts.friction.count + scene.joints.body_a.count;
    const bool is_one_island =
        points < 2 * scene::Graph::points_of_share && 2 * workspace<T>().graph.max_island_size > points;
    CallThreads threads(execution);
    const std::size_t most = points < 512 ? 1 : threads.count(), slots = is_one_island ? 1 : most;
    report = scene::run_scene(*entry, workspace<T>(), scene, results, of_call, threads, {slots, most}, same.options);
    report.method = options.selected();
    threads.end();
    return report;
  }

  template <class T>
  void reserve(std::size_t bodies, std::size_t contacts, std::size_t joint_rows, const SceneOptions& options) {
    const OneCall one_call(busy);
    const HeldMemory::Scope scope(&held_memory);
    check_scene_options(options);
    static constexpr T number{};
    static constexpr std::uint64_t key{};
    static constexpr std::int32_t index{};
    Scene<T> scene;
    scene.bodies.inverse_mass = {&number, bodies, 0};
    for (auto* change : {&scene.bodies.velocity_change, &scene.bodies.angular_velocity_change})
      change->x = change->y = change->z = scene.bodies.inverse_mass;
    scene.contacts.friction = {&number, contacts, 0};
    scene.contacts.key = {&key, contacts, 0};
    scene.joints.body_a = {&index, joint_rows, 0};
    scene.joints.key = {&key, joint_rows, 0};
    check_scene_size(bodies, contacts, joint_rows);
    scene::reserve_for_scene(*entry, workspace<T>(), select(scene, options.method), scene::call_options(options),
                             CallThreads(execution).count());
  }

  std::size_t save(std::span<std::byte> to) {
    const OneCall one_call(busy);
    const auto save_to = [&](std::byte* part) {
      scene::StateWriter archive(part);
      carry_memory(archive, in_float, *entry);
      carry_memory(archive, in_double, *entry);
      return scene::size_of_state_head + archive.size();
    };
    const std::size_t size = save_to(nullptr);
    if (to.empty()) return size;
    if (to.size() < size)
      throw Error(Text("carom: the saved state has ", size, " bytes, and there is room for ", to.size()));
    save_to(to.data() + scene::size_of_state_head);
    scene::write_state_head(to.first(size));
    return size;
  }

  void restore(std::span<const std::byte> from) {
    const OneCall one_call(busy);
    const HeldMemory::Scope scope(&held_memory);
    scene::StateReader archive(scene::checked_state(from));
    const DefaultFloatingPoint environment;
    // After an exception its factors may be of other matrices.
    Owned<RestoredState> made = restored ? std::move(restored) : make_owned<RestoredState>();
    carry_memory(archive, made->in_float, *entry);
    carry_memory(archive, made->in_double, *entry);
    archive.want(archive.is_at_end());
    const auto take = [](auto& to, auto& of) {
      std::swap(to.warm_start_cache, of.warm_start_cache);
      std::swap(to.direct, of.direct);
      to.last_single_manifold.is_there = to.last_rest.is_there = false;
    };
    take(in_float, made->in_float);
    take(in_double, made->in_double);
    restored = std::move(made);
  }

  void forget() {
    const OneCall one_call(busy);
    const auto forget = [](auto& in) {
      in.warm_start_cache.clear();
      in.direct.forget();
      in.last_rest.is_there = false;
    };
    forget(in_float);
    forget(in_double);
  }

  scene::Workspace<float> in_float;
  scene::Workspace<double> in_double;
  CheckedArguments<float> checked_in_float;
  CheckedArguments<double> checked_in_double;
  Owned<RestoredState> restored;  // the memory that the last restored state has replaced
};

CAROM_SOLVER_MEMBERS(SceneSolver)
Isa SceneSolver::isa() const {
  return state().entry->isa;
}
template <class T>
void SceneSolver::reserve(std::size_t bodies, std::size_t contacts, std::size_t joint_rows,
                          const SceneOptions& options) {
  public_call("SceneSolver::reserve", [&] { state().reserve<T>(bodies, contacts, joint_rows, options); });
}
void SceneSolver::forget() {
  state().forget();
}
std::size_t SceneSolver::save(std::span<std::byte> to) const {
  return state().save(to);
}
void SceneSolver::restore(std::span<const std::byte> from) {
  public_call("SceneSolver::restore", [&] { state().restore(from); });
}

template <class T>
SceneReport SceneSolver::solve(const Scene<T>& scene, const SceneResults<T>& results, const SceneOptions& options) {
  return public_call("SceneSolver::solve", [&] { return state().run(scene, results, options); });
}
template <class T>
Expected<SceneReport> SceneSolver::try_solve(const Scene<T>& scene, const SceneResults<T>& results,
                                             const SceneOptions& options) noexcept {
  return without_exceptions([&] { return solve(scene, results, options); });
}
#define CAROM_INSTANTIATE(T)                                                                             \
  template void SceneSolver::reserve<T>(std::size_t, std::size_t, std::size_t, const SceneOptions&);     \
  template SceneReport SceneSolver::solve(const Scene<T>&, const SceneResults<T>&, const SceneOptions&); \
  template Expected<SceneReport> SceneSolver::try_solve(const Scene<T>&, const SceneResults<T>&,         \
                                                        const SceneOptions&) noexcept;
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

namespace {
constexpr std::string_view method_names[] = {"substeps", "pgs", "ncp", "sequential-impacts", "bender-schmitt"};
static_assert(std::size(method_names) == scene_method_count);
}  // namespace

std::string_view to_string(SceneMethod method) {
  const auto number = static_cast<std::size_t>(method);
  return number < scene_method_count ? method_names[number] : "unknown";
}

SceneMethod scene_method_from_string(std::string_view text) {
  for (std::size_t i = 0; i < scene_method_count; ++i)
    if (method_names[i] == text) return static_cast<SceneMethod>(i);
  throw Error(Text("carom: '", text, "' is not a method for scenes"), {.option = "method"});
}

SceneOptions::Method default_method(SceneMethod method) {
  switch (method) {
    case SceneMethod::substeps:
      return Substeps{};
    case SceneMethod::pgs:
      return Pgs{};
    case SceneMethod::ncp:
      return Ncp{};
    case SceneMethod::sequential_impacts:
      return SequentialImpacts{};
    case SceneMethod::bender_schmitt:
      return BenderSchmitt{};
  }
  throw Error(Text("carom: number ", static_cast<int>(method), " is not a method for scenes"), {.option = "method"});
}

}  // namespace carom
