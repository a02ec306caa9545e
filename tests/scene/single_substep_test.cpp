// Procedure::pgs with a time step: iterations with position correction, and relax iterations that remove its velocity.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>

#include "support/scenes/box_world.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

constexpr double h = 1.0 / 60;

MethodOptions as_single_substep() {
  MethodOptions options;
  options.correct_positions(h);
  options.pgs.inner_iterations = 3;
  return options;
}

template <class T>
class OnePiece : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(OnePiece, Precisions);

TYPED_TEST(OnePiece, has_the_bits_of_one_substep_with_as_many_sweeps) {
  SceneData<TypeParam> scene = pyramid<TypeParam>(5);
  append(scene, chain<TypeParam>(5));
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    scene.separation.push_back(static_cast<TypeParam>(i % 3 == 0 ? 0.001 : -0.008));
    scene.key.push_back(i + 1);
  }
  for (auto& row : scene.joints.rows)
    row.position_error = TypeParam(0.01), row.key = 7 + static_cast<std::uint64_t>(&row - scene.joints.rows.data());
  MethodOptions options = as_single_substep(), same;
  options.pgs.warm_start = 0.75;
  same.method = Procedure::substeps;
  same.time_step = h;
  same.substeps.min_substeps = same.substeps.max_substeps = 1;
  same.substeps.iterations = options.pgs.iterations;
  same.substeps.position_correction.relax_iterations = options.pgs.position_correction->relax_iterations;
  same.substeps.inner_iterations = options.pgs.inner_iterations;
  same.substeps.warm_start = 0.75;
  SceneSolver solver({.threads = 1}), other({.threads = 1});
  for (int call = 0; call < 3; ++call) {
    const auto made = solved(solver, scene, options), expected = solved(other, scene, same);
    expect_same_bits(made.arrays, expected.arrays, "one substep");
    EXPECT_EQ(made.report.method, SceneMethod::pgs);
    EXPECT_EQ(made.report.iterations, options.pgs.iterations + options.pgs.position_correction->relax_iterations);
  }
}

TYPED_TEST(OnePiece, agrees_with_the_reference) {
  SceneData<TypeParam> scene = pyramid<TypeParam>(4);
  for (std::size_t i = 0; i < scene.contact_count(); ++i)
    scene.separation.push_back(static_cast<TypeParam>(i % 3 == 0 ? 0.001 : -0.008));
  const auto made = solved(scene, as_single_substep());
  const auto expected = solved_by_reference(widened(scene), as_single_substep());
  EXPECT_EQ(expected.report.method, SceneMethod::pgs);
  // 36 visits of each of a body's ten or so contacts add some roundings of speeds up to 1 m/s each.
  const double tolerance = 1e4 * epsilon<TypeParam>;
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    EXPECT_NEAR(length(made.velocity(i) - expected.velocity(i)), 0, tolerance);
    EXPECT_NEAR(length(at(made.arrays.displacement, i) - at(expected.arrays.displacement, i)), 0, h * tolerance);
  }
}

/// [J/kg] in the second half of five seconds, of a pyramid whose boxes touch.
template <class T, class Step>
double kinetic_energy_at_rest(const Step& step) {
  BoxWorld boxes = box_pyramid(fast_build ? 8 : 3);
  SceneSolver solver({.threads = 1});
  double most = 0;
  for (int k = 0; k < 300; ++k) {
    step(boxes, solver);
    if (k >= 150) most = std::max(most, boxes.kinetic_energy());
  }
  return most / static_cast<double>(boxes.boxes.size());
}

// Warm-start impulses do not include the position correction: otherwise the iterations would never come to rest.
TYPED_TEST(OnePiece, rests_with_all_of_its_warm_impulses) {
  using T = TypeParam;
  const double apart = kinetic_energy_at_rest<T>(
      [](BoxWorld& boxes, SceneSolver& solver) { boxes.template step_in_substeps<T>(solver, as_single_substep(), h); });
  EXPECT_LE(apart, 1e-5);
  MethodOptions targets;
  targets.pgs.inner_iterations = 3;
  const double within = kinetic_energy_at_rest<T>(
      [&](BoxWorld& boxes, SceneSolver& solver) { boxes.template step_with_targets<T>(solver, targets, h); });
  if (fast_build) {
    EXPECT_GE(within, 1e-4);
  }
}

}  // namespace
}  // namespace carom::scenes
