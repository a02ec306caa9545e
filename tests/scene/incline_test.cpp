// [BS]'s blocks on an incline: they slide until friction has stopped them, and then stay.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>

#include "support/scenes/box_world.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

template <class T>
class Incline : public testing::Test {
 public:
  static constexpr double angle = 0.3, speed = 1;

  /// [m] down the incline after `count` steps.
  template <class Step>
  static double slid(BoxWorld& block, int count, Step&& step) {
    const Vector start = block.boxes[0].position;
    for (int k = 0; k < count; ++k) step(block);
    const Vector way = block.boxes[0].position - start;
    EXPECT_NEAR(dot(way, block.plane), 0, 2e-4) << "off the plane";
    return dot(way, rotation({0, 1, 0}, angle) * Vector{1, 0, 0});
  }

  template <class Step>
  static void expect_stop_and_rest(double friction, double h, Step&& step, const char* what) {
    // A point mass on the plane: v' = g (sin α - μ cos α).
    const double slowing = 9.81 * (friction * std::cos(angle) - std::sin(angle));
    const double time = speed / slowing, distance = speed * speed / (2 * slowing);
    BoxWorld block = block_on_incline(angle, friction, speed);
    // In a step of h, the velocity at the end or the beginning of the step applies to all of it, and friction, with
    // deceleration slowing + g sin α, acts at once: both move the block by at most h v0 times their ratio to `slowing`.
    const double bound = h * speed * (1 + 9.81 * std::sin(angle) / slowing);
    EXPECT_NEAR(slid(block, static_cast<int>(time / h) + 2, step), distance, bound)
        << what << ", friction " << friction;
    const double creeping = slid(block, static_cast<int>((fast_build ? 1 : 0.1) / h), step);
    EXPECT_LE(std::abs(creeping), BenderSchmitt{}.rest_tolerance) << what << ", friction " << friction;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Incline, Precisions);

constexpr double frictions[] = {0.35, 0.4, 0.5, 0.7, 0.9};  // tan α = 0.309

TYPED_TEST(Incline, blocks_stop_at_the_analytic_distance_and_do_not_creep_by_steps_of_bender_and_schmitt) {
  constexpr double h = 1e-3;
  for (const double friction : frictions) {
    SceneSolver solver({.threads = 1});
    MethodOptions options;
    this->expect_stop_and_rest(
        friction, h, [&](BoxWorld& block) { block.step<TypeParam>(solver, options, h); }, "step");
  }
}

TYPED_TEST(Incline, blocks_stop_at_the_analytic_distance_and_do_not_creep_under_simultaneous_contacts) {
  constexpr double h = 1e-3;
  for (const double friction : frictions) {
    SceneSolver solver({.threads = 1});
    MethodOptions options;
    this->expect_stop_and_rest(
        friction, h, [&](BoxWorld& block) { block.step_with_targets<TypeParam>(solver, options, h); }, "pgs");
  }
}

TYPED_TEST(Incline, blocks_with_too_little_friction_go_on_faster) {
  constexpr double h = 1e-3, friction = 0.2;
  SceneSolver solver({.threads = 1});
  BoxWorld block = block_on_incline(this->angle, friction, this->speed);
  const double speeding = 9.81 * (std::sin(this->angle) - friction * std::cos(this->angle)), time = 0.2;
  const double way = this->slid(block, 200, [&](BoxWorld& now) { now.step<TypeParam>(solver, {}, h); });
  EXPECT_NEAR(way, this->speed * time + speeding * time * time / 2, 3 * h);
}

// Static friction of 0.4 holds a block that dynamic friction of 0.2 would not. (Simultaneous contacts find a motion
// that dynamic friction allows too.)
TYPED_TEST(Incline, static_friction_holds_a_block_that_does_not_slide_yet) {
  constexpr double h = 1e-3;
  const auto way = [&](double at_first) {
    BoxWorld block = block_on_incline(this->angle, 0.2, at_first);
    block.static_friction = 0.4;
    SceneSolver solver({.threads = 1});
    return this->slid(block, 200, [&](BoxWorld& now) { now.step<TypeParam>(solver, {}, h); });
  };
  EXPECT_LE(std::abs(way(0)), BenderSchmitt{}.rest_tolerance);
  EXPECT_GE(way(1), 0.2);
}

}  // namespace
}  // namespace carom::scenes
