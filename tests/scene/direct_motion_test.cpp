// Direct islands in worlds that move: kicked walls, heaps, blows, belts. The prober's worlds
// (tests/probe/motion_draw.hpp) have masses over three decades.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "probe/motion_draw.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

using probe::DrawnMotion;
using probe::MotionDrawer;
using probe::MotionKind;
using probe::MotionWorld;
using support::fast_build;

/// Steps a world under default options. Calls look(data, results) after every step.
template <class F>
void run(MotionWorld world, const std::vector<double>& steps, const F& look) {
  SceneSolver solver({.threads = 1});
  std::vector<probe::MotionTouch> touches;
  for (const double step : steps) {
    const SceneData<double> data = world.scene<double>(step, touches);
    MethodOptions options = in_substeps();
    options.time_step = step;
    SceneArrays<double> arrays(data);
    const SceneReport report = solver.solve(data.view(options), arrays.view(), options);
    look(data, arrays, report);
    world.take(arrays, step, true);
  }
}

// Light bodies count in an interior point as heavy ones do, and its slip terms follow the slips.
TEST(DirectIslands, leave_contacts_approaching_in_less_than_one_of_a_thousand_islands) {
  const std::uint64_t worlds = fast_build ? 400 : 100;
  std::size_t islands = 0, left = 0;
  for (std::uint64_t number = 0; number < worlds; ++number) {
    const DrawnMotion drawn = MotionDrawer(number).draw();
    if (drawn.kind == MotionKind::joints || drawn.kind == MotionKind::models) continue;
    run(drawn.world, drawn.steps, [&](const auto&, const SceneArrays<double>& made, const SceneReport& report) {
      for (std::size_t i = 0; i < report.islands; ++i) {
        if (made.island_substeps[i] > 1) continue;
        ++islands;
        left += made.island_residual[i] > 0.1 ? 1 : 0;
      }
    });
  }
  EXPECT_GE(islands, 20 * worlds);
  EXPECT_LE(left, islands / 1000);
}

// A belt pulls a ball against a wall that pushes it, with coefficients of friction about 1: the ball is wedged, and the
// law of friction sets no limit to the impulses. An interior point may also end with large impulses that almost cancel.
TEST(DirectIslands, do_not_throw_a_ball_that_a_belt_and_a_wall_wedge) {
  support::Draw draw(1);
  std::size_t direct = 0;
  for (int i = 0; i < (fast_build ? 300 : 60); ++i) {
    MotionWorld world;
    world.gravity = {0, 0, -g};
    const double pushing = draw.uniform(1, 10), pulling = draw.uniform(1, 10);
    probe::MotionBody ball, floor, wall;
    ball.radius = draw.uniform(0.3, 3);
    ball.mass = 1000;
    ball.friction = draw.uniform(0.9, 1.3);
    ball.position = {ball.radius, 0, ball.radius};
    ball.spin = draw.bell3(2);
    floor.mass = wall.mass = std::numeric_limits<double>::infinity();
    wall.velocity = ball.velocity = {pushing, 0, 0};
    world.bodies = {ball, floor, wall};
    world.planes = {{{0, 0, 1}, 0, 1, {-pulling, 0, 0}}, {{1, 0, 0}, 0, 2}};
    run(world, std::vector<double>(120, 1.0 / 20),
        [&](const SceneData<double>& data, const SceneArrays<double>& made, const SceneReport& report) {
          if (report.islands == 0 || made.island_substeps[0] > 1) return;
          ++direct;
          // Energy may grow by 2 m v², with v the greater of both speeds, and by the work of gravity in a step.
          const double begun = length(data.velocity(0)) + 2 / ball.reach() * length(data.angular_velocity(0));
          EXPECT_LE(length(at(made.velocity, 0)), 2 * (begun + pushing + pulling)) << i;
        });
  }
  EXPECT_GE(direct, 1000u);
}

// The error of a solution is 1e-5 of the change of loads, times the ratio of masses.
TEST(DirectIslands, rest_under_heavy_bodies_while_the_length_of_steps_changes) {
  BoxWorld world = box_stack(6);
  for (std::size_t i = 3; i < 6; ++i) world.boxes[i].mass = 1000;
  SceneSolver solver({.threads = 1});
  double fastest = 0;
  for (int k = 0; k < 120; ++k) {
    world.step_in_substeps<double>(solver, in_substeps(), k % 2 == 0 ? h : h / 4);
    for (const MovingBox& box : world.boxes) fastest = std::max(fastest, length(box.velocity));
  }
  EXPECT_LE(fastest, 1e-6 * g * h * 10);
}

}  // namespace
}  // namespace carom::scenes
