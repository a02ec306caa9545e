// A solver of scenes allocates nothing in a call after the first of its size: neither for islands and colours nor for
// the impulses of named contacts. A call that finds no memory writes no result and forgets nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cstdint>
#include <new>
#include <string>

#include "support/running/counted_allocations.hpp"
#include "support/scenes/draw_models.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

using support::allocations_during;

template <class T>
class LaterSceneCall : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LaterSceneCall, Precisions);

/// Large and small islands, joints and names. The same sizes for every `disorder`.
template <class T>
SceneData<T> scene_of(std::uint64_t disorder) {
  SceneData<T> scene = pyramid<T>(16);
  append(scene, islands<T>(200, 4, 4, disorder));
  append(scene, chain<T>(12));
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1 + disorder);
  for (std::size_t i = 0; i < scene.row_count(); ++i) scene.joints.rows[i].key = i + 1 + disorder;
  return scene;
}

template <class T>
support::Allocations allocations_of_second_call(const SceneOptions& options, const Execution& execution,
                                                bool with_models = false) {
  auto first = scene_of<T>(1), second = scene_of<T>(2);
  for (auto* scene : {&first, &second}) {
    if (!with_models) continue;
    // Every other manifold, and one of a kind beside it.
    add_neutral_models(*scene);
    for (std::size_t i = 0; i < scene->contact_count(); ++i)
      (i % 8 == 0 ? scene->rolling_friction : scene->normal_compliance)[i] = T(i % 4 == 0 ? 0.1 : 0);
  }
  SceneArrays<T> arrays(first);
  const auto first_view = first.view(), second_view = second.view();
  const auto results = arrays.view();
  SceneSolver solver(execution);
  // The impulses of two calls are at hand at once: those to begin with and those to keep.
  solver.solve(first_view, results, options);
  solver.solve(first_view, results, options);
  return allocations_during([&] { solver.solve(second_view, results, options); });
}

/// Coulomb plans its factorisations anew in every call.
const auto& methods_without_plans = methods_of_reference;

// Where sweeps on lanes solve all islands there is nothing to plan.
TYPED_TEST(LaterSceneCall, of_coulomb_allocates_nothing_where_it_needs_no_factorisation) {
  auto scene = pyramid<TypeParam>(8);
  append(scene, islands<TypeParam>(200, 4, 4, 1));
  SceneArrays<TypeParam> arrays(scene);
  const auto view = scene.view();
  const auto results = arrays.view();
  SceneOptions options = usual(SceneMethod::coulomb);
  options.coulomb.tolerance = 1e-3;
  SceneSolver solver({.threads = 1});
  solver.solve(view, results, options);
  SceneReport report;
  const auto made = allocations_during([&] { report = solver.solve(view, results, options); });
  EXPECT_EQ(report.not_converged, 0u);
  EXPECT_EQ(made.by_new, 0u);
  EXPECT_EQ(made.by_malloc, 0u);
}

TYPED_TEST(LaterSceneCall, on_one_thread_allocates_nothing_of_any_kind) {
  for (const Isa isa : available_isas()) {
    for (const SceneMethod method : methods_without_plans) {
      SceneOptions options = usual(method);
      options.shock_propagation.enabled = true;
      const auto made = allocations_of_second_call<TypeParam>(options, {.isa = isa, .threads = 1});
      EXPECT_EQ(made.by_new, 0u) << to_string(method) << ", " << to_string(isa);
      EXPECT_EQ(made.by_malloc, 0u) << to_string(method) << ", " << to_string(isa);
    }
  }
}

TYPED_TEST(LaterSceneCall, with_contact_models_allocates_nothing_either) {
  for (const SceneMethod method : {SceneMethod::simultaneous, SceneMethod::substeps}) {
    const auto made = allocations_of_second_call<TypeParam>(usual(method), {.threads = 1}, true);
    EXPECT_EQ(made.by_new, 0u) << to_string(method);
    EXPECT_EQ(made.by_malloc, 0u) << to_string(method);
  }
}

TYPED_TEST(LaterSceneCall, on_two_threads_allocates_nothing_of_ours) {
  for (const SceneMethod method : methods_without_plans)
    EXPECT_EQ(allocations_of_second_call<TypeParam>(usual(method), {.threads = 2}).by_new, 0u) << to_string(method);
}

/// A scene that has rows of all kinds out of order, a contact whose K is singular, and names.
template <class T>
SceneData<T> varied() {
  SceneData<T> scene = scene_of<T>(1);
  Body pivot;
  pivot.inverse_mass = 0;
  const std::int32_t a = scene.add(pivot);
  scene.add(Contact{.a = a, .b = world, .point = {0.3, 0.2, -0.5}});
  scene.add(Contact{.a = 0, .b = world, .point = {0.1, 0, -0.5}});
  scene.key.push_back(1000001);
  scene.key.push_back(1000002);
  return scene;
}

template <class T>
void fill(SceneArrays<T>& arrays, T value) {
  for (auto* vector : {&arrays.velocity, &arrays.angular_velocity, &arrays.impulse, &arrays.separation_velocity})
    for (auto& column : *vector) std::ranges::fill(column, value);
  std::ranges::fill(arrays.status, Status::no_solution);
  std::ranges::fill(arrays.joint_impulse, value);
  std::ranges::fill(arrays.joint_status, Status::no_solution);
}

/// Every allocation of a larger call, or every so many, fails in turn, until one has none left.
template <class T, class Call>
void expect_no_trace_of_failures(const Call& call, std::size_t every = 1) {
  const SceneData<T> small = islands<T>(3, 4, 8, 1), large = varied<T>();
  SceneData<T> named = small;
  for (std::size_t i = 0; i < named.contact_count(); ++i) named.key.push_back(i + 1);
  const auto small_view = named.view(), large_view = large.view();
  SceneArrays<T> first(named), expected(named);
  SceneSolver undisturbed({.threads = 1});
  call(undisturbed, small_view, first.view());
  call(undisturbed, small_view, expected.view());

  SceneArrays<T> untouched(large);
  fill(untouched, T(3));
  std::size_t failures = 0;
  for (bool failed = true; failed; failures += failed ? every : 0) {
    SceneSolver solver({.threads = 1});
    call(solver, small_view, first.view());
    SceneArrays<T> arrays(large);
    fill(arrays, T(3));
    const auto results = arrays.view();
    failed = false;
    support::fail_allocation(failures + 1);
    try {
      call(solver, large_view, results);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    support::fail_allocation(0);
    if (!failed) break;
    const std::string what = "allocation " + std::to_string(failures + 1);
    expect_same_bits(arrays, untouched, what);
    // The names of the call before are still known.
    SceneArrays<T> after(named);
    call(solver, small_view, after.view());
    expect_same_bits(after, expected, what);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(failures, 20u);
}

TYPED_TEST(LaterSceneCall, after_one_without_memory_is_as_if_that_had_not_been) {
  using T = TypeParam;
  for (const SceneMethod method : all_methods) {
    SceneOptions options = usual(method);
    options.shock_propagation.enabled = true;
    // Coulomb makes more of them than all others together.
    expect_no_trace_of_failures<T>([&](SceneSolver& solver, const Scene<T>& scene,
                                       const SceneResults<T>& results) { solver.solve(scene, results, options); },
                                   method == SceneMethod::coulomb ? 23 : 1);
  }
}

}  // namespace
}  // namespace carom::scenes
