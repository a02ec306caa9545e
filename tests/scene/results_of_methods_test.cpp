// Every method writes every result: under methods that do not move bodies, the displacements are time_step times the
// velocities after the step, and the warm impulses are the impulses.
#include <gtest/gtest.h>

#include "support/scenes/draw_models.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class ResultsOfMethods : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ResultsOfMethods, Precisions);

constexpr Procedure without_motion[] = {Procedure::pgs,        Procedure::ncp,     Procedure::sequential_impacts,
                                        Procedure::collisions, Procedure::resting, Procedure::both_phases};

template <class T>
SceneData<T> scene_with_joints() {
  SceneData<T> scene = stack<T>(3);
  append(scene, pile<T>(40));
  append(scene, random_scene<T>(1, {.with_joints = true}));
  return scene;
}

template <class T>
void expect_motion_of_velocities(const SceneArrays<T>& of, double time_step) {
  const auto h = static_cast<T>(time_step);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < of.velocity[c].size(); ++i) {
      ASSERT_EQ(of.displacement[c][i], h * of.velocity[c][i] + T(0)) << i;
      ASSERT_EQ(of.rotation[c][i], h * of.angular_velocity[c][i] + T(0)) << i;
    }
}

TYPED_TEST(ResultsOfMethods, have_displacements_and_warm_impulses) {
  using T = TypeParam;
  SceneData<T> scene = scene_with_joints<T>();
  draw_models(scene, 1);
  for (const Procedure procedure : without_motion) {
    MethodOptions options = usual(procedure);
    options.time_step = 0.02;
    const Solved<T> found = solved(scene, options, {.threads = 1});
    const SceneArrays<T>& of = found.arrays;
    SCOPED_TRACE(to_string(procedure));
    expect_motion_of_velocities(of, options.time_step);
    EXPECT_EQ(of.warm_impulse, of.impulse);
    EXPECT_EQ(of.warm_angular_impulse, of.angular_impulse);
    EXPECT_EQ(of.joint_warm_impulse, of.joint_impulse);
  }
}

TYPED_TEST(ResultsOfMethods, have_warm_impulses_without_impulses) {
  using T = TypeParam;
  const SceneData<T> scene = scene_with_joints<T>();
  for (const Procedure procedure : without_motion) {
    const MethodOptions options = usual(procedure);
    const Solved<T> found = solved(scene, options, {.threads = 1});
    SceneArrays<T> arrays(scene);
    SceneResults<T> results;
    results.warm_impulse = arrays.view().warm_impulse;
    SceneSolver({.threads = 1}).solve(selected(scene.view(), options), results, options);
    EXPECT_EQ(arrays.warm_impulse, found.arrays.impulse) << to_string(procedure);
  }
}

TEST(ResultsOfReference, have_displacements_and_warm_impulses) {
  SceneData<double> scene = scene_with_joints<double>();
  draw_models(scene, 1);
  for (const Procedure procedure : without_motion) {
    if (procedure == Procedure::ncp) continue;  // the reference does not have it
    MethodOptions options = usual(procedure);
    options.time_step = 0.02;
    const Solved<double> found = solved_by_reference(scene, options);
    SCOPED_TRACE(to_string(procedure));
    expect_motion_of_velocities(found.arrays, options.time_step);
    EXPECT_EQ(found.arrays.warm_impulse, found.arrays.impulse);
    EXPECT_EQ(found.arrays.warm_angular_impulse, found.arrays.angular_impulse);
    EXPECT_EQ(found.arrays.joint_warm_impulse, found.arrays.joint_impulse);
  }
}

}  // namespace
}  // namespace carom::scenes
