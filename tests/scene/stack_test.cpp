// Boxes on each other for seconds, step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <string>

#include "support/scenes/box_world.hpp"
#include "support/scenes/iterations.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

constexpr double h = 0.01;
constexpr int steps = fast_build ? 1000 : 50;

/// Motion of boxes that should be at rest.
struct Motion {
  double sinking = 0;         ///< [m] of the box that sinks most, at any time
  double drift = 0;           ///< [m] sideways, of the box that drifts most, at the end
  double kinetic_energy = 0;  ///< [J] the largest once the first tenth of the time is over
};

template <class Step>
Motion motion_of(BoxWorld boxes, int count, Step&& step) {
  const BoxWorld start = boxes;
  Motion motion;
  for (int k = 0; k < count; ++k) {
    step(boxes);
    for (std::size_t i = 0; i < boxes.boxes.size(); ++i)
      motion.sinking = std::max(motion.sinking, start.boxes[i].position[2] - boxes.boxes[i].position[2]);
    if (k >= count / 10) motion.kinetic_energy = std::max(motion.kinetic_energy, boxes.kinetic_energy());
  }
  for (std::size_t i = 0; i < boxes.boxes.size(); ++i) {
    const Vector moved = boxes.boxes[i].position - start.boxes[i].position;
    motion.drift = std::max(motion.drift, std::hypot(moved[0], moved[1]));
  }
  return motion;
}

/// The energy of boxes that gravity accelerates for half a step, which is the error of [BS]'s order in the velocities:
/// ± g h / 2.
double energy_of_half_step(const BoxWorld& boxes) {
  double mass = 0;
  for (const MovingBox& moving : boxes.boxes) mass += moving.mass;
  return mass * std::pow(9.81 * h / 2, 2) / 2;
}

/// The energy of boxes that have fallen for a step: over an open gap engines' targets let them.
double energy_of_step(const BoxWorld& boxes) {
  return 4 * energy_of_half_step(boxes);
}

template <class T>
class Stack : public testing::Test {
 public:
  static Motion by_step(const BoxWorld& boxes, MethodOptions options, int count = steps) {
    SceneSolver solver({.threads = 1});
    return motion_of(boxes, count, [&](BoxWorld& now) { now.template step<T>(solver, options, h); });
  }
  static Motion by_targets(const BoxWorld& boxes, MethodOptions options, int count = steps) {
    SceneSolver solver({.threads = 1});
    return motion_of(boxes, count, [&](BoxWorld& now) { now.template step_with_targets<T>(solver, options, h); });
  }

  /// Boxes may creep sideways by the slip that friction leaves in each step, since a residual measures only the
  /// approach.
  static void expect_at_rest(const Motion& motion, double energy, const char* what) {
    EXPECT_LE(motion.sinking, BenderSchmitt{}.rest_tolerance) << what;
    EXPECT_LE(motion.drift, 0.05) << what;
    EXPECT_LE(motion.kinetic_energy, energy) << what;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Stack, Precisions);

TYPED_TEST(Stack, of_twenty_boxes_rests_for_ten_seconds_of_resting_contacts) {
  const BoxWorld boxes = box_stack(20);
  MethodOptions options;
  this->expect_at_rest(this->by_step(boxes, options), 2 * energy_of_half_step(boxes), "without shock propagation");
  options.bender_schmitt.shock_propagation = 4;
  this->expect_at_rest(this->by_step(boxes, options), 2 * energy_of_half_step(boxes), "with shock propagation");
}

TYPED_TEST(Stack, of_twenty_boxes_stands_under_simultaneous_contacts_alone_with_enough_sweeps) {
  const BoxWorld boxes = box_stack(20);
  MethodOptions options;
  set_iterations(options, 2000);
  this->expect_at_rest(this->by_targets(boxes, options, std::min(steps, 100)), energy_of_step(boxes), "alone");
}

// Without warm impulses 10 sweeps carry impulses through no more than the lowest boxes.
TYPED_TEST(Stack, of_twenty_boxes_sinks_where_sweeps_are_too_few) {
  const BoxWorld boxes = box_stack(20);
  MethodOptions options;
  options.pgs.warm_start = 0;
  set_iterations(options, 4);
  const int count = std::min(steps, 100);
  EXPECT_GT(this->by_targets(boxes, options, count).sinking, 10 * options.bender_schmitt.rest_tolerance);
}

TYPED_TEST(Stack, of_twenty_boxes_sinks_in_few_iterations_of_resting_contacts_and_shock_propagation_holds_it) {
  const BoxWorld boxes = box_stack(20);
  MethodOptions options;
  options.bender_schmitt.max_iterations = 4;
  const int count = std::min(steps, 100);
  EXPECT_GT(this->by_step(boxes, options, count).sinking, 10 * options.bender_schmitt.rest_tolerance);
  options.bender_schmitt.shock_propagation = 8;
  EXPECT_LE(this->by_step(boxes, options, count).sinking, options.bender_schmitt.rest_tolerance);
}

// Its time grows with the levels; if it grew with their square, this would take minutes.
TEST(StackOfBalls, of_a_hundred_thousand_levels_is_held_by_shock_propagation) {
  constexpr std::size_t count = 100000;
  SceneData<float> scene = row_of_balls<float>(std::vector<double>(count, 0.1), 0);
  // The last ball comes to rest at a wall, and all others at the next one.
  scene.add(Contact{static_cast<std::int32_t>(count) - 1, world, {-1, 0, 0}, {static_cast<double>(count) - 0.5, 0, 0}});
  MethodOptions options;
  options.method = Procedure::collisions;
  options.bender_schmitt.filter = ContactFilter::touching;
  options.bender_schmitt.max_iterations = 10;
  options.bender_schmitt.shock_propagation = 4;
  const auto made = solved(scene, options);
  EXPECT_EQ(made.report.count(Status::ok), count);
  EXPECT_LT(made.report.residual, 1e-6);
}

TYPED_TEST(Stack, of_a_heavy_box_on_a_light_one_rests) {
  const BoxWorld boxes = box_stack(2, 1000);
  MethodOptions options;
  set_iterations(options, 20000);
  const int count = std::min(steps, 50);
  this->expect_at_rest(this->by_step(boxes, options, count), 2 * energy_of_half_step(boxes), "resting");
  set_iterations(options, 5000);
  this->expect_at_rest(this->by_targets(boxes, options, count), energy_of_half_step(boxes), "pgs");
  set_iterations(options, 10);
  options.bender_schmitt.shock_propagation = 4;
  this->expect_at_rest(this->by_step(boxes, options, 10 * count), 2 * energy_of_half_step(boxes),
                       "with shock propagation");
}

TYPED_TEST(Stack, of_boxes_in_a_pyramid_rests) {
  const BoxWorld boxes = box_pyramid(8);
  MethodOptions options;
  const int count = std::min(steps, 50);
  this->expect_at_rest(this->by_step(boxes, options, count), 2 * energy_of_half_step(boxes), "resting");
  set_iterations(options, 100);
  this->expect_at_rest(this->by_targets(boxes, options, 4 * count), energy_of_step(boxes), "pgs");
}

TYPED_TEST(Stack, that_overlaps_is_pushed_apart) {
  BoxWorld boxes = box_stack(3);
  for (std::size_t i = 0; i < 3; ++i) boxes.boxes[i].position[2] -= 1e-3 * static_cast<double>(i + 1);
  SceneSolver solver({.threads = 1});
  MethodOptions options;
  set_iterations(options, 20000);
  const auto deepest = [](const BoxWorld& now) {
    const auto gaps = now.scene<TypeParam>().separation;
    return -static_cast<double>(*std::min_element(gaps.begin(), gaps.end()));
  };
  // Resting contacts end within a hundredth of the tolerance; positions of 3 m have roundings in the gaps.
  const double bound = options.bender_schmitt.rest_tolerance / 100 + 16 * epsilon<TypeParam>;
  BoxWorld resting = boxes, targets = boxes;
  resting.step<TypeParam>(solver, options, h);
  EXPECT_LE(deepest(resting), 2 * bound);
  // A fifth of the overlap of 1 mm is removed at each of the three contacts, up to the residual.
  targets.step_with_targets<TypeParam>(solver, options, h);
  EXPECT_NEAR(deepest(targets), 0.8e-3, 1e-5);
}

}  // namespace
}  // namespace carom::scenes
