// A solver of scenes allocates nothing in a call after the first of its size: neither for islands and colours nor for
// the impulses of named contacts.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstdint>
#include <string>

#include "support/counted_allocations.hpp"
#include "support/scene_runs.hpp"

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
support::Allocations allocations_of_second_call(const SceneOptions& options, const Machine& machine) {
  const auto first = scene_of<T>(1), second = scene_of<T>(2);
  SceneArrays<T> arrays(first);
  const auto first_view = first.view(), second_view = second.view();
  const auto results = arrays.view();
  SceneSolver solver(machine);
  // The impulses of two calls are at hand at once: those to begin with and those to keep.
  solver.solve(first_view, results, options);
  solver.solve(first_view, results, options);
  return allocations_during([&] { solver.solve(second_view, results, options); });
}

TYPED_TEST(LaterSceneCall, on_one_thread_allocates_nothing_of_any_kind) {
  for (const Isa isa : available_isas()) {
    for (const SceneMethod method : all_methods) {
      SceneOptions options = usual(method);
      options.shock_propagation = true;
      const auto made = allocations_of_second_call<TypeParam>(options, {.isa = isa, .threads = 1});
      EXPECT_EQ(made.by_new, 0u) << to_string(method) << ", " << to_string(isa);
      EXPECT_EQ(made.by_malloc, 0u) << to_string(method) << ", " << to_string(isa);
    }
  }
}

TYPED_TEST(LaterSceneCall, on_two_threads_allocates_nothing_of_ours) {
  for (const SceneMethod method : all_methods)
    EXPECT_EQ(allocations_of_second_call<TypeParam>(usual(method), {.threads = 2}).by_new, 0u) << to_string(method);
}

TYPED_TEST(LaterSceneCall, of_steps_allocates_nothing_of_any_kind) {
  const auto scene = scene_of<TypeParam>(1);
  SceneArrays<TypeParam> arrays(scene);
  const auto view = scene.view();
  const auto results = arrays.view();
  const SceneOptions options = usual(SceneMethod::iteration);
  SceneSolver solver({.threads = 1});
  solver.step(view, results, options);
  const auto made = allocations_during([&] { solver.step(view, results, options); });
  EXPECT_EQ(made.by_new, 0u);
  EXPECT_EQ(made.by_malloc, 0u);
}

}  // namespace
}  // namespace carom::scenes
