// After the first call of a size, a SceneSolver does not allocate: neither for islands and colours nor for the
// warm-start cache of contacts with keys. A call without memory writes no result and keeps the cache.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/running/failing_allocations.hpp"
#include "support/scenes/boxes_on_plate.hpp"
#include "support/scenes/draw_models.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

using support::allocations_during;

template <class T>
class LaterSceneCall : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LaterSceneCall, Precisions);

/// Large and small islands, joints and keys. The sizes are the same for every `disorder`.
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
support::Allocations allocations_of_second_call(const MethodOptions& options, const Execution& execution,
                                                bool with_models = false) {
  auto first = scene_of<T>(1), second = scene_of<T>(2);
  for (auto* scene : {&first, &second}) {
    if (!with_models) continue;
    // Some manifolds have compliance, some have rolling friction, some have neither.
    add_neutral_models(*scene);
    for (std::size_t i = 0; i < scene->contact_count(); ++i)
      (i % 8 == 0 ? scene->rolling_friction : scene->normal_compliance)[i] = T(i % 4 == 0 ? 0.1 : 0);
  }
  SceneArrays<T> arrays(first);
  const auto first_view = first.view(options), second_view = second.view(options);
  const auto results = arrays.view();
  SceneSolver solver(execution);
  // The solver holds the warm impulses of two calls at once, the old and the new, so two calls come first.
  solver.solve(first_view, results, options);
  solver.solve(first_view, results, options);
  return allocations_during([&] { solver.solve(second_view, results, options); });
}

/// The method ncp plans its factorisations anew in every call.
const auto& methods_without_plans = methods_of_reference;

// If iterations on lanes solve all islands, no factorisation is planned.
TYPED_TEST(LaterSceneCall, of_ncp_allocates_nothing_where_it_needs_no_factorisation) {
  auto scene = pyramid<TypeParam>(8);
  append(scene, islands<TypeParam>(200, 4, 4, 1));
  SceneArrays<TypeParam> arrays(scene);
  const auto results = arrays.view();
  MethodOptions options = usual(Procedure::ncp);
  options.ncp.tolerance = 1e-3;
  const auto view = scene.view(options);
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
    for (const Procedure method : methods_without_plans) {
      MethodOptions options = usual(method);
      options.bender_schmitt.shock_propagation = 4;
      const auto made = allocations_of_second_call<TypeParam>(options, {.isa = isa, .threads = 1});
      EXPECT_EQ(made.by_new, 0u) << to_string(method) << ", " << to_string(isa);
      EXPECT_EQ(made.by_malloc, 0u) << to_string(method) << ", " << to_string(isa);
    }
  }
}

TYPED_TEST(LaterSceneCall, with_constants_allocates_nothing) {
  const auto data = scene_of<TypeParam>(1);
  SceneArrays<TypeParam> arrays(data);
  const auto results = arrays.view();
  for (const Procedure method : {Procedure::pgs, Procedure::substeps}) {
    const SceneOptions options = usual(method).converted();
    auto scene = select(data.view(), options.method);
    SceneSolver solver({.threads = 1});
    scene.contacts.restitution = 0;
    // The solver holds the warm impulses of two calls at once, the old and the new, so two calls come first.
    for (const double friction : {0.5, 0.4, 0.3}) {
      scene.contacts.friction = friction;
      const auto made = allocations_during([&] { solver.solve(scene, results, options); });
      if (friction > 0.3) continue;
      EXPECT_EQ(made.by_new, 0u) << to_string(method);
      EXPECT_EQ(made.by_malloc, 0u) << to_string(method);
    }
  }
}

TYPED_TEST(LaterSceneCall, with_contact_models_allocates_nothing_either) {
  for (const Procedure method : {Procedure::pgs, Procedure::substeps}) {
    const auto made = allocations_of_second_call<TypeParam>(usual(method), {.threads = 1}, true);
    EXPECT_EQ(made.by_new, 0u) << to_string(method);
    EXPECT_EQ(made.by_malloc, 0u) << to_string(method);
  }
}

TYPED_TEST(LaterSceneCall, on_two_threads_allocates_nothing_of_ours) {
  for (const Procedure method : methods_without_plans)
    EXPECT_EQ(allocations_of_second_call<TypeParam>(usual(method), {.threads = 2}).by_new, 0u) << to_string(method);
}

// A scene whose only island is small takes one thread, and several once the island has fallen apart.
TYPED_TEST(LaterSceneCall, of_an_island_that_falls_apart_allocates_nothing_of_ours) {
  const auto before = pyramid<TypeParam>(15), whole = pyramid<TypeParam>(16);
  auto apart = whole;
  std::fill(apart.body_b.begin(), apart.body_b.end(), world);
  SceneArrays<TypeParam> arrays_before(before), arrays(whole);
  const auto results = arrays.view();
  for (const Procedure method : {Procedure::pgs, Procedure::resting}) {
    const auto whole_view = whole.view(usual(method)), apart_view = apart.view(usual(method));
    SceneSolver solver({.threads = 2});
    solver.solve(before.view(usual(method)), arrays_before.view(), usual(method));
    for (int k = 0; k < 3; ++k) solver.solve(whole_view, results, usual(method));
    for (int k = 0; k < 2; ++k)
      EXPECT_EQ(allocations_during([&] { solver.solve(apart_view, results, usual(method)); }).by_new, 0u)
          << to_string(method) << ", call " << k;
  }
}

// The second scene numbers its bodies at random, so that shares follow neighbours.
TYPED_TEST(LaterSceneCall, of_a_large_island_on_two_threads_allocates_nothing_of_ours) {
  const auto first = pyramid<TypeParam>(40);
  auto second = first;
  const auto bodies = static_cast<std::int32_t>(first.body_count());
  for (auto* column : {&second.body_a, &second.body_b})
    for (std::int32_t& body : *column)
      if (body >= 0) body = static_cast<std::int32_t>(std::int64_t{body} * 367 % bodies);  // 820 bodies
  SceneArrays<TypeParam> arrays(first);
  const auto results = arrays.view();
  for (const Procedure method : {Procedure::pgs, Procedure::resting}) {
    const auto first_view = first.view(usual(method)), second_view = second.view(usual(method));
    SceneSolver solver({.threads = 2});
    solver.solve(first_view, results, usual(method));
    solver.solve(first_view, results, usual(method));
    for (const auto* view : {&second_view, &first_view})
      EXPECT_EQ(allocations_during([&] { solver.solve(*view, results, usual(method)); }).by_new, 0u)
          << to_string(method);
  }
}

// The first call reserves enough memory for any change that keeps the numbers of bodies, contacts and rows.
TYPED_TEST(LaterSceneCall, of_the_size_of_the_first_allocates_nothing) {
  using T = TypeParam;
  using Change = void (*)(SceneData<T>&);
  const Change changes[] = {
      [](SceneData<T>&) {},
      // Manifolds split.
      [](SceneData<T>& s) { s.friction[0] = T(0.25); },
      [](SceneData<T>& s) {
        for (std::size_t i = 0; i < s.contact_count(); i += 3) s.friction[i] = T(0.125);
      },
      // Other numbers of substeps, and hence other parts of the work.
      [](SceneData<T>& s) {
        for (std::size_t i = 0; i < s.body_count(); ++i)
          s.bodies.inverse_mass[i] *= T(1) / static_cast<T>(1 + i % 23 * (i % 23));
      },
      [](SceneData<T>& s) {
        for (T& v : s.bodies.velocity[2]) v -= T(1);
      },
      // All contacts on one body, each in its own vector.
      [](SceneData<T>& s) {
        for (std::size_t i = 0; i < s.contact_count(); ++i) {
          s.body_a[i] = 0;
          s.body_b[i] = static_cast<std::int32_t>(1 + i % 200);
        }
      },
      // Only contacts with the world, also on bodies that were free.
      [](SceneData<T>& s) {
        for (std::size_t i = 0; i < s.contact_count(); ++i) {
          s.body_a[i] = static_cast<std::int32_t>(i % s.body_count());
          s.body_b[i] = world;
        }
      },
      // Keys of contacts and rows that appear, disappear and change places.
      [](SceneData<T>& s) {
        for (std::size_t i = 0; i < s.contact_count(); i += 2) s.key[i] += 1000000;
        for (auto& row : s.joints.rows) row.key += 5;
      },
      [](SceneData<T>& s) {
        std::reverse(s.key.begin(), s.key.end());
        std::reverse(s.joints.rows.begin(), s.joints.rows.end());
      },
      // Faults.
      [](SceneData<T>& s) {
        for (std::size_t i = 0; i < s.contact_count(); i += 5) s.friction[i] = T(-1);
        s.bodies.inverse_mass[3] = T(-1);
      },
  };
  for (const Procedure method : methods_without_plans)
    for (const bool with_models : {false, true}) {
      if (with_models && method != Procedure::pgs && method != Procedure::substeps) continue;
      SceneData<T> scene = scene_of<T>(1);
      if (with_models) draw_models(scene, 5);
      MethodOptions options = usual(method);
      options.substeps.min_substeps = 2;  // direct islands make new plans if other bodies touch
      options.bender_schmitt.shock_propagation = !with_models ? 4 : 0;
      SceneArrays<T> arrays(scene);
      const auto results = arrays.view();
      SceneSolver solver({.threads = 1});
      solver.solve(scene.view(options), results, options);
      for (std::size_t k = 0; k < std::size(changes); ++k) {
        SceneData<T> changed = scene;
        changes[k](changed);
        const auto view = changed.view(options);
        for (int call = 0; call < 2; ++call) {
          const auto made = allocations_during([&] { solver.solve(view, results, options); });
          EXPECT_EQ(made.by_new + made.by_malloc, 0u)
              << to_string(method) << (with_models ? ", models" : "") << ", change " << k << ", call " << call;
        }
      }
    }
}

TYPED_TEST(LaterSceneCall, with_bodies_of_many_contacts_allocates_nothing_either) {
  const MethodOptions options = usual(Procedure::sequential_impacts);
  const auto scene_with = [](std::size_t boxes) {
    auto scene = boxes_on_plate<TypeParam>(boxes, 100, 0.1);
    append(scene, boxes_on_plate<TypeParam>(60 - boxes, 100, 0.1));
    return scene;
  };
  const auto first = scene_with(40), second = scene_with(25);
  SceneArrays<TypeParam> arrays(first);
  const auto first_view = first.view(options), second_view = second.view(options);
  const auto results = arrays.view();
  SceneSolver solver({.threads = 1});
  solver.solve(first_view, results, options);
  const auto made = allocations_during([&] { solver.solve(second_view, results, options); });
  EXPECT_EQ(made.by_new, 0u);
  EXPECT_EQ(made.by_malloc, 0u);
}

/// A scene with rows of all kinds out of order, a contact with a singular K, and keys.
template <class T>
SceneData<T> varied(bool with_models) {
  SceneData<T> scene = scene_of<T>(1);
  Body pivot;
  pivot.inverse_mass = 0;
  const std::int32_t a = scene.add(pivot);
  scene.add(Contact{.a = a, .b = world, .point = {0.3, 0.2, -0.5}});
  scene.add(Contact{.a = 0, .b = world, .point = {0.1, 0, -0.5}});
  scene.key.push_back(1000001);
  scene.key.push_back(1000002);
  if (with_models) draw_models(scene, 3);
  return scene;
}

template <class T>
void fill(SceneArrays<T>& arrays, T value) {
  for (auto* vector :
       {&arrays.velocity, &arrays.angular_velocity, &arrays.displacement, &arrays.rotation, &arrays.impulse,
        &arrays.warm_impulse, &arrays.angular_impulse, &arrays.warm_angular_impulse, &arrays.separation_velocity})
    for (auto& column : *vector) std::ranges::fill(column, value);
  for (auto* column :
       {&arrays.joint_impulse, &arrays.joint_warm_impulse, &arrays.island_residual, &arrays.island_energy_removed})
    std::ranges::fill(*column, value);
  for (auto* column : {&arrays.island, &arrays.joint_island, &arrays.island_iterations, &arrays.island_substeps})
    std::ranges::fill(*column, 77);
  std::ranges::fill(arrays.status, Status::no_solution);
  std::ranges::fill(arrays.joint_status, Status::no_solution);
  std::ranges::fill(arrays.island_status, IslandStatus::diverged);
  std::ranges::fill(arrays.path, Path{SlidingEnd::stick_at_start});
  // Scenes without moments have results for moments, too.
  arrays.has_moments = true;
}

/// Solves `small`, with keys, then `large` with one failing allocation. Repeats this with later allocations, `every`
/// apart, until the call succeeds.
template <class T, class Call>
void expect_no_trace_of_failures(const SceneData<T>& small, const SceneData<T>& large, const Call& call,
                                 std::size_t every = 1) {
  const auto small_view = small.view(), large_view = large.view();
  SceneArrays<T> first(small), expected(small);
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
    failed = support::fails_without_allocation(failures + 1, [&] { call(solver, large_view, results); });
    if (!failed) break;
    const std::string what = "allocation " + std::to_string(failures + 1);
    expect_same_bits(arrays, untouched, what);
    // The keys of the previous call are still known.
    SceneArrays<T> after(small);
    call(solver, small_view, after.view());
    expect_same_bits(after, expected, what);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(failures, 20u);
}

/// Stacks of two cubes of `mass` [kg], with keys.
template <class T>
SceneData<T> named_stacks(int stacks, double mass) {
  SceneData<T> scene = stack<T>(2);
  for (int i = 1; i < stacks; ++i) append(scene, stack<T>(2));
  add_ball_joint(scene.joints, JointBodies<T>{1, world, {T(0.25), 0, 0}, {}});
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    scene.bodies.inverse_mass[i] /= static_cast<T>(mass);
    for (auto& column : scene.bodies.inverse_inertia) column[i] /= static_cast<T>(mass);
  }
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  for (std::size_t i = 0; i < scene.row_count(); ++i) scene.joints.rows[i].key = i + 1;
  return scene;
}

TYPED_TEST(LaterSceneCall, after_one_without_memory_is_as_if_that_had_not_been) {
  using T = TypeParam;
  SceneData<T> small = islands<T>(3, 4, 8, 1);
  for (std::size_t i = 0; i < small.contact_count(); ++i) small.key.push_back(i + 1);
  for (const Procedure method : all_methods)
    for (const bool with_models : {false, true})
      for (const bool named : {false, true}) {
        const bool reads_models = method == Procedure::pgs || method == Procedure::substeps || method == Procedure::ncp;
        if (with_models && !reads_models) continue;
        MethodOptions options = usual(method);
        options.bender_schmitt.shock_propagation = !with_models ? 4 : 0;
        SceneData<T> large = varied<T>(with_models);
        if (!named) large.key.clear();
        // Direct islands and the method ncp allocate 14,000 times, the others 400 times at most.
        expect_no_trace_of_failures<T>(
            small, large,
            [&](SceneSolver& solver, const Scene<T>& scene, const SceneResults<T>& results) {
              solver.solve(selected(scene, options), results, options);
            },
            method == Procedure::ncp || method == Procedure::substeps ? 101 : 1);
        if (testing::Test::HasFailure()) FAIL() << to_string(method) << (with_models ? ", models" : "") << named;
      }
}

TYPED_TEST(LaterSceneCall, saves_and_restores_without_an_allocation) {
  const auto scene = scene_of<TypeParam>(1);
  SceneArrays<TypeParam> arrays(scene);
  const auto results = arrays.view();
  const MethodOptions options = usual(Procedure::substeps);
  const auto view = scene.view(options);
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 3; ++k) solver.solve(view, results, options);
  std::vector<std::byte> state;
  solver.save(state);
  const support::Allocations of_save = allocations_during([&] { solver.save(state); });
  EXPECT_EQ(of_save.by_new + of_save.by_malloc, 0u);
  // The memory in use and the memory of the last state change places.
  const auto roll_back = [&] {
    solver.restore(state);
    solver.solve(view, results, options);
  };
  for (int k = 0; k < 4; ++k) roll_back();
  const support::Allocations of_restoring = allocations_during(roll_back);
  EXPECT_EQ(of_restoring.by_new + of_restoring.by_malloc, 0u);
}

/// Boxes at rest on the ground, with keys.
template <class T>
SceneData<T> boxes_on_ground(int boxes) {
  SceneData<T> scene = stack<T>(1);
  for (int i = 1; i < boxes; ++i) append(scene, stack<T>(1));
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  return scene;
}

template <class T>
class ReservedScene : public testing::Test {};
TYPED_TEST_SUITE(ReservedScene, Precisions);

TYPED_TEST(ReservedScene, makes_a_first_call_without_direct_islands_with_few_allocations) {
  using T = TypeParam;
  const auto scene = boxes_on_ground<T>(500);
  for (const Procedure method : {Procedure::pgs, Procedure::substeps}) {
    MethodOptions options = usual(method);
    options.substeps.min_substeps = 2;
    SceneArrays<T> arrays(scene), expected(scene);
    const auto view = select(scene.view(), options.converted().method);
    const auto results = arrays.view(), expected_results = expected.view();
    SceneSolver usual_solver({.threads = 1}), solver({.threads = 1});
    const auto without = allocations_during([&] { usual_solver.solve(view, expected_results, options); });
    solver.reserve<T>(scene.body_count() + 7, scene.contact_count() + 7, 7, options);
    const auto made = allocations_during([&] { solver.solve(view, results, options); });
    // The remaining allocations do not grow with the scene: state of the library, and lists of a few elements.
    EXPECT_LE(made.by_malloc, 16u) << to_string(method);
    EXPECT_GT(without.by_malloc, 100u) << to_string(method);
    expect_same_bits(arrays, expected, std::string(to_string(method)));
  }
}

TYPED_TEST(ReservedScene, keeps_the_impulses_of_keys) {
  using T = TypeParam;
  const auto scene = boxes_on_ground<T>(1), larger = boxes_on_ground<T>(50);
  for (const auto* one : {&scene, &larger})
    for (const Procedure method : methods_without_plans) {
      const MethodOptions options = usual(method);
      const auto view = select(one->view(), options.converted().method);
      SceneArrays<T> arrays(*one), expected(*one);
      SceneSolver usual_solver({.threads = 1}), solver({.threads = 1});
      for (int k = 0; k < 3; ++k) {
        usual_solver.solve(view, expected.view(), options);
        solver.solve(view, arrays.view(), options);
        solver.reserve<T>(1000 << k, 4000 << k, 100 << k, options);
      }
      expect_same_bits(arrays, expected, std::string(to_string(method)));
    }
}

TEST(ReservedSceneMisuse, is_what_it_is_in_calls) {
  SceneSolver solver;
  EXPECT_EQ(support::error_of([&] { solver.reserve<float>(1, 1, 1, {.time_step = -1}); })->option(), "time_step");
  EXPECT_TRUE(support::error_of([&] { solver.reserve<float>(~std::size_t{0}, 1, 1, {.time_step = 1}); }));
}

#ifndef CAROM_TEST_SANITIZED
TYPED_TEST(LaterSceneCall, is_as_before_after_a_state_that_found_no_memory) {
  const auto scene = scene_of<TypeParam>(1), other = scene_of<TypeParam>(2);
  const MethodOptions options = usual(Procedure::substeps);
  SceneSolver saved({.threads = 1}), solver({.threads = 1});
  for (int k = 0; k < 3; ++k) solved(saved, scene, options);
  solved(solver, other, options);
  std::vector<std::byte> state, before, after;
  saved.save(state);
  solver.save(before);
  std::size_t failures = 0;
  for (bool failed = true; failed; failures += failed ? 101 : 0) {
    failed = support::fails_without_allocation(failures + 1, [&] { solver.restore(state); });
    solver.save(after);
    ASSERT_TRUE(after == (failed ? before : state)) << "allocation " << failures + 1;
  }
  EXPECT_GT(failures, 20u);
}
#endif

// Cached impulses overflow, so the failing call solves the scene twice.
TYPED_TEST(LaterSceneCall, after_one_without_memory_that_solves_a_scene_again_is_so_too) {
  using T = TypeParam;
  const double mass = std::pow(static_cast<double>(std::numeric_limits<T>::max()), 0.45);
  for (const Procedure method : {Procedure::pgs, Procedure::substeps})
    expect_no_trace_of_failures<T>(named_stacks<T>(3, mass), named_stacks<T>(40, 1 / mass),
                                   [&](SceneSolver& solver, const Scene<T>& scene, const SceneResults<T>& results) {
                                     solver.solve(selected(scene, usual(method)), results, usual(method));
                                   });
}

}  // namespace
}  // namespace carom::scenes
