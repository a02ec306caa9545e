// SceneMethod::substeps holds these at rest over many steps: stacks, pyramids, heavy boxes on light ones, and chains.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

TYPED_TEST_SUITE(Substeps, Precisions);

// Rest ----------------------------------------------------------------------------------------------------------------

/// The figures are marks of the method: a drift of 1 mm, and 3 mm more overlap than the slop that is left alone. What
/// stands on k boxes sinks by what k contacts overlap, and would fall further.
template <class T>
void expect_rest(BoxWorld boxes, double largest_drift, const std::string& what, int rounds = SubstepsOptions{}.rounds) {
  const BoxWorld start = boxes;
  SceneOptions options = in_substeps();
  options.substeps.rounds = rounds;
  const double most_overlap = options.substeps.slop + 3 * millimetre;
  SceneSolver solver({.threads = 1});
  double overlap = 0;
  for (int k = 0; k < (fast_build ? 600 : 30); ++k) {
    boxes.template step_in_substeps<T>(solver, options, h);
    if (k % 20 == 0) overlap = std::max(overlap, deepest_overlap(boxes));
  }
  double drift = 0;
  for (std::size_t i = 0; i < boxes.boxes.size(); ++i) {
    const Vector from = start.boxes[i].position, moved = boxes.boxes[i].position - from;
    drift = std::max(drift, std::hypot(moved[0], moved[1]));
    EXPECT_GE(moved[2], -(from[2] + 0.5) * most_overlap) << what << ", box " << i << " falls";
  }
  EXPECT_LE(drift, largest_drift) << what;
  EXPECT_LE(std::max(overlap, deepest_overlap(boxes)), most_overlap) << what;
}

BoxWorld stack_with_on_top(double mass) {
  BoxWorld made = box_stack(20);
  made.boxes.back().mass = mass;
  return made;
}

TYPED_TEST(Substeps, hold_a_stack_of_twenty_for_ten_seconds) {
  expect_rest<TypeParam>(box_stack(20), millimetre, "equal masses");
}
// The heaviest stacks need six rounds; with three they drift by 1.8 and 3.4 mm.
TYPED_TEST(Substeps, hold_a_hundred_times_the_mass_on_a_stack_of_twenty) {
  expect_rest<TypeParam>(stack_with_on_top(100), millimetre, "100 on top", 6);
}
TYPED_TEST(Substeps, hold_a_thousand_times_the_mass_on_a_stack_of_twenty) {
  expect_rest<TypeParam>(stack_with_on_top(1000), 3 * millimetre, "1000 on top", 6);
}
TYPED_TEST(Substeps, hold_a_box_on_one_of_a_thousandth_of_its_mass) {
  expect_rest<TypeParam>(box_stack(2, 1000), millimetre, "pair");
}
TYPED_TEST(Substeps, hold_a_pyramid_of_base_ten) {
  expect_rest<TypeParam>(box_pyramid(10), millimetre, "pyramid");
}

// Chains --------------------------------------------------------------------------------------------------------------

/// Rods of 1 kg and 0.5 m that ball joints hold, the first at the origin, and a cube of 100 kg at the end.
struct Chain {
  static constexpr int rods = 20;
  static constexpr double reach = 0.25;  ///< [m] half of a rod, and of the cube
  std::vector<MovingBox> bodies;

  /// It hangs straight down, and gravity pulls at an angle to it.
  explicit Chain(double angle) : gravity_{g * std::sin(angle), 0, -g * std::cos(angle)} {
    for (int i = 0; i < rods; ++i) bodies.push_back({1, {0.1, 0.1, 0.5}, {0, 0, -(2 * i + 1) * reach}});
    bodies.push_back({100, {0.5, 0.5, 0.5}, {0, 0, -(2 * rods + 1) * reach}});
  }

  Vector arm(std::size_t body, double side) const { return times(bodies[body].orientation, {0, 0, side * reach}); }
  /// The point of the body before, less that of the body: joint i holds body i.
  Vector error(std::size_t i) const {
    const Vector before = i == 0 ? Vector{} : bodies[i - 1].position + arm(i - 1, -1);
    return bodies[i].position + arm(i, 1) - before;
  }

  template <class T>
  void step(SceneSolver& solver) {
    BoxWorld world_of_boxes;
    world_of_boxes.boxes = bodies;
    SceneData<T> now = world_of_boxes.scene<T>();
    now.velocity_change = now.angular_velocity_change = vectors<T>(bodies.size());
    const auto narrowed = [](const Vector& v) {
      return std::array<T, 3>{static_cast<T>(v[0]), static_cast<T>(v[1]), static_cast<T>(v[2])};
    };
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      put(now.velocity_change, i, h * gravity_);
      put(now.bodies.velocity, i, bodies[i].velocity + h * gravity_);
      JointBodies<T> pair{static_cast<std::int32_t>(i), static_cast<std::int32_t>(i) - 1, narrowed(arm(i, 1)), {}};
      if (i > 0) pair.anchor_b = narrowed(arm(i - 1, -1));
      const std::size_t first = add_ball_joint(now.joints, pair);
      for (std::size_t c = 0; c < 3; ++c) {
        now.joints.rows[first + c].error = narrowed(error(i))[c];
        now.joints.rows[first + c].key = 3 * i + c + 1;
      }
    }
    SceneArrays<T> arrays(now);
    solver.solve(now.view(), arrays.view(), in_substeps());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      MovingBox& moving = bodies[i];
      moving.velocity = at(arrays.velocity, i);
      moving.angular_velocity = at(arrays.angular_velocity, i);
      moving.position = moving.position + at(arrays.displacement, i);
      const Vector turn = at(arrays.rotation, i);
      if (const double angle = length(turn); angle > 0)
        moving.orientation = product(rotation((1 / angle) * turn, angle), moving.orientation);
    }
  }

  struct Errors {
    double mean = 0, peak = 0;  ///< [m], the mean over the second half
  };
  template <class T>
  Errors run(int steps) {
    SceneSolver solver({.threads = 1});
    Errors errors;
    int counted = 0;
    for (int k = 0; k < steps; ++k) {
      step<T>(solver);
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double size = length(error(i));
        errors.peak = std::max(errors.peak, size);
        if (k < steps / 2) continue;
        errors.mean += size;
        ++counted;
      }
    }
    errors.mean /= counted;
    return errors;
  }

 private:
  Vector gravity_;
};

// The figures are marks of the method.
TYPED_TEST(Substeps, hold_a_hanging_chain_of_twenty_with_a_hundred_times_the_mass_at_its_end) {
  EXPECT_LE(Chain(0).run<TypeParam>(300).mean, 1.5 * millimetre);
}

// A tension of 118 g kg turns a rod of 0.021 kg m² back at √(118 g 0.5 / 0.021) = 166 rad/s, as the impulses of its
// joints act at points that turn with it. With lever arms that stood for a whole step of H that would be an explicit
// integration, which is stable for less than 2 / H = 120 rad/s: the chain would explode.
TYPED_TEST(Substeps, hold_a_chain_that_falls_from_horizontal) {
  EXPECT_LE(Chain(1.5707963267948966).run<TypeParam>(300).peak, 12 * millimetre);
}

}  // namespace
}  // namespace carom::scenes
