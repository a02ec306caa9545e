// Forces of a step: SceneOptions::gravity and SceneBodies::velocity_change act on velocities that do not contain them.
#include <gtest/gtest.h>

#include <limits>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

constexpr double h = 1.0 / 64, g = 8;   // exact in both precisions, as is their product
constexpr double usual_gravity = 9.81;  // default gravity of thresholds

template <class T>
class Forces : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Forces, Precisions);

/// A stack on the floor, a free body, a body that does not move and one that moves without a mass.
template <class T>
SceneData<T> bodies_under_forces() {
  SceneData<T> scene = stack<T>(3);
  scene.add(Body{.velocity = {1, 2, 3}});
  scene.add(Body{.inverse_mass = 0, .inverse_inertia = {}});
  scene.add(Body{.inverse_mass = 0, .inverse_inertia = {}, .velocity = {0.5, 0, 0}});
  return scene;
}

TYPED_TEST(Forces, of_gravity_have_the_bits_of_changes_of_velocities_under_every_method) {
  using T = TypeParam;
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    options.time_step = h;
    const SceneData<T> scene = bodies_under_forces<T>();
    SceneData<T> with_changes = scene;
    for (std::size_t i = 0; i < scene.body_count(); ++i) {
      const bool falls = scene.bodies.inverse_mass[i] > T(0);
      push(with_changes.velocity_change, Vector{0, 0, falls ? -h * usual_gravity : 0});
      push(with_changes.angular_velocity_change, Vector{});
    }
    const auto by_changes = solved(with_changes, options);
    options.gravity = {0, 0, -usual_gravity};
    const auto by_gravity = solved(scene, options);
    expect_same_bits(by_gravity.arrays, by_changes.arrays, std::string(to_string(method)));
  }
}

TYPED_TEST(Forces, change_free_and_kinematic_bodies_as_they_say) {
  using T = TypeParam;
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    options.time_step = h;
    options.gravity = {0, 0, -g};
    SceneData<T> scene = bodies_under_forces<T>();
    const std::size_t n = scene.body_count(), is_free = n - 3, is_fixed = n - 2, is_kinematic = n - 1;
    for (std::size_t i = 0; i < n; ++i) {
      push(scene.velocity_change, Vector{i == is_free || i == is_kinematic ? 0.25 : 0.0, 0, 0});
      push(scene.angular_velocity_change, Vector{});
    }
    const auto made = solved(scene, options);
    const auto what = to_string(method);
    EXPECT_EQ(made.velocity(is_free), (Vector{1.25, 2, 3 - h * g})) << what;
    EXPECT_EQ(made.velocity(is_fixed), Vector{}) << what;
    EXPECT_EQ(made.velocity(is_kinematic), (Vector{0.75, 0, 0})) << what;
  }
}

TYPED_TEST(Forces, leave_a_body_at_fault_as_it_came) {
  using T = TypeParam;
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    options.time_step = h;
    options.gravity = {0, 0, -g};
    SceneData<T> scene = bodies_under_forces<T>();
    const std::size_t is_free = scene.body_count() - 3;
    scene.bodies.inverse_inertia[0][is_free] = T(-1);
    EXPECT_EQ(solved(scene, options).velocity(is_free), (Vector{1, 2, 3})) << to_string(method);
  }
}

}  // namespace
}  // namespace carom::scenes
