// Large islands come to exact rest on a certificate: docs/scenes.md, Large islands.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <carom/joints.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "probe/motion_world.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

using probe::MotionBody;
using probe::MotionTouch;
using probe::MotionWorld;
using support::fast_build;

template <class T>
class LargeIslands : public testing::Test {};
TYPED_TEST_SUITE(LargeIslands, Precisions);

/// Moves about as fast as rounding in T.
template <class T>
double energy_at_rest(std::size_t bodies) {
  const double speed = sizeof(T) == sizeof(float) ? 1e-8 : 1e-10;
  return static_cast<double>(bodies) * speed * speed;
}

double drift_of(const BoxWorld& world, const BoxWorld& start) {
  double drift = 0;
  for (std::size_t i = 0; i < start.boxes.size(); ++i)
    drift = std::max(drift, length(world.boxes[i].position - start.boxes[i].position));
  return drift;
}

/// Steps of 1/60 s until the world has come to rest by direct solutions, at most `most`.
template <class T, class Step, class Energy>
int steps_to_rest(int most, std::size_t bodies, const Step& step, const Energy& energy) {
  for (int k = 1; k <= most; ++k) {
    const SceneReport report = step();
    if (report.pgs_islands == 0 && report.not_converged == 0 && energy() < energy_at_rest<T>(bodies)) return k;
  }
  return most + 1;
}

// A belt touches the pile for one call: the island is no large one then, and its factor is made for other bodies.
TYPED_TEST(LargeIslands, are_others_after_a_call_in_which_they_are_not_large) {
  for (const int at : {2, 4}) {
    BoxWorld world = box_pyramid(16);
    const std::size_t n = world.boxes.size();
    const MovingBox far = {1, {1, 1, 1}, {100, 0, 16.5}};
    world.boxes.push_back(far);
    const BoxWorld start = world;
    SceneSolver solver({.threads = 1});
    for (int k = 0; k < 40; ++k) {
      const auto box = static_cast<std::int32_t>(n);
      if (k == at) world.rest(box, box - 1, -0.5, 0.5, -0.5, 0.5);
      SceneData<TypeParam> now = world.template scene_with_forces<TypeParam>(h);
      if (k == at) {
        now.surface_velocity = vectors<TypeParam>(now.contact_count());
        now.surface_velocity[0].back() = 1;
        std::fill(now.separation.end() - 4, now.separation.end(), TypeParam(1));
      }
      SceneArrays<TypeParam> arrays(now);
      solver.solve(now.view(in_substeps()), arrays.view(), in_substeps());
      world.take_motion(arrays);
      world.supports = start.supports;
      world.boxes[n] = far;
    }
    EXPECT_LE(drift_of(world, start), 0.1 * millimetre) << at;
  }
}

// An island that is held begins to move in the call in which its forces change, or some of its contacts are gone.
TYPED_TEST(LargeIslands, are_not_held_against_other_forces_or_without_their_supports) {
  for (const bool is_by_force : {true, false}) {
    BoxWorld world = box_pyramid(16);
    SceneSolver solver({.threads = 1});
    for (int k = 0; k < 2; ++k) world.step_in_substeps<TypeParam>(solver, in_substeps(), h);
    const std::int32_t first = world.supports[0].upper;
    if (is_by_force)
      world.gravity = {0, 0, 9.81};
    else
      std::erase_if(world.supports,
                    [&](const BoxWorld::Support& support) { return support.lower < 0 && support.upper != first; });
    world.step_in_substeps<TypeParam>(solver, in_substeps(), h);
    double fastest = 0;
    for (const MovingBox& box : world.boxes) fastest = std::max(fastest, length(box.velocity));
    EXPECT_GT(fastest, 0.1 * 9.81 * h) << is_by_force;
  }
}

template <class T>
void expect_rest_from_the_start(int base, int steps) {
  const BoxWorld start = box_pyramid(base);
  BoxWorld world = start;
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < steps; ++k) {
    const SceneReport report = world.step_in_substeps<T>(solver, in_substeps(), h);
    ASSERT_EQ(report.pgs_islands, 0u) << "step " << k;
    ASSERT_TRUE(k < 24 || report.not_converged == 0) << "step " << k;
  }
  EXPECT_LE(drift_of(world, start), 0.01 * millimetre);
  EXPECT_LE(world.kinetic_energy(), energy_at_rest<T>(world.boxes.size()));
}

TYPED_TEST(LargeIslands, that_begin_at_rest_stay_there) {
  expect_rest_from_the_start<TypeParam>(20, fast_build ? 600 : 30);
}
TEST(LargeIsland, of_a_pyramid_of_forty_rows_rests_exactly) {
  expect_rest_from_the_start<float>(40, fast_build ? 600 : 30);
}

/// A wall of boxes with gaps between them, on the ground.
MotionWorld wall(int rows) {
  MotionWorld world;
  world.gravity = {0, 0, -g};
  world.margin = 0.005;
  world.planes.push_back({});
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < rows - row % 2; ++i) {
      MotionBody box;
      box.position = {1.05 * (i + 0.5 * (row % 2)), 0, row + 0.5};
      world.bodies.push_back(box);
    }
  return world;
}

double energy_of(const MotionWorld& world) {
  double energy = 0;
  for (const MotionBody& body : world.bodies)
    energy += 0.5 * body.mass * dot(body.velocity, body.velocity) + 0.5 * dot(body.spin, body.inertia_times(body.spin));
  return energy;
}

template <class T>
SceneReport step(MotionWorld& world, SceneSolver& solver) {
  std::vector<MotionTouch> touches;
  const SceneData<T> data = world.scene<T>(h, touches);
  SceneArrays<T> arrays(data);
  const SceneReport report = solver.solve(data.view(in_substeps()), arrays.view(), in_substeps());
  world.take(arrays, h, true);
  return report;
}

// Faces that lie flush: their contact points move far along them while the boxes hardly move.
TEST(LargeIsland, of_a_wall_stays_exactly_where_it_is) {
  MotionWorld world = wall(16);
  const MotionWorld start = world;
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < (fast_build ? 300 : 40); ++k) {
    const SceneReport report = step<float>(world, solver);
    ASSERT_EQ(report.pgs_islands, 0u) << "step " << k;
    ASSERT_TRUE(k < 12 || report.not_converged == 0) << "step " << k;
  }
  for (std::size_t i = 0; i < start.bodies.size(); ++i) {
    EXPECT_EQ(world.bodies[i].position, start.bodies[i].position) << i;
    EXPECT_EQ(length(world.bodies[i].velocity), 0) << i;
  }
}

TEST(LargeIsland, of_a_wall_with_a_block_knocked_out_comes_to_exact_rest) {
  MotionWorld world = wall(16);
  const std::size_t boxes = world.bodies.size();
  SceneSolver solver({.threads = 1});
  const auto steps = [&](int most) {
    return steps_to_rest<float>(
        most, boxes, [&] { return step<float>(world, solver); }, [&] { return energy_of(world); });
  };
  ASSERT_LE(steps(60), 60);
  MotionBody& block = world.bodies[boxes / 2];
  const double place = block.position[1];
  block.velocity[1] += 1;
  EXPECT_LE(steps(60), 60);
  // Friction stops the block, not the certificate: with μ g above and below, it slides for at least v² / (4 μ g) = 5
  // mm.
  EXPECT_GE(block.position[1] - place, 5 * millimetre);
}

TYPED_TEST(LargeIslands, come_to_exact_rest_after_a_box_has_dropped_on_them) {
  BoxWorld world = box_pyramid(20);
  const auto top = static_cast<std::int32_t>(world.boxes.size()) - 1;
  MovingBox box;
  box.position = {world.boxes.back().position[0], 0, 20.5 + 1};
  world.boxes.push_back(box);
  world.rest(top + 1, top, -0.5, 0.5, -0.5, 0.5);
  SceneSolver solver({.threads = 1});
  // It falls for √(2 m / g) = 0.45 s, 27 steps.
  EXPECT_LE(
      steps_to_rest<TypeParam>(
          27 + 60, world.boxes.size(), [&] { return world.step_in_substeps<TypeParam>(solver, in_substeps(), h); },
          [&] { return world.kinetic_energy(); }),
      27 + 60);
}

// Held for at most 24 steps, 0.4 s.
TEST(LargeIsland, that_cannot_rest_starts_to_move_nearly_at_once) {
  BoxWorld world = box_pyramid(16);
  const double slope = 40 * 3.14159265358979 / 180;
  world.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 60; ++k) world.step_in_substeps<float>(solver, in_substeps(), h);
  const double acceleration = g * (std::sin(slope) - world.friction * std::cos(slope));
  for (const MovingBox& box : world.boxes) EXPECT_GE(box.velocity[0], 0.55 * acceleration);
}

// The second world has the same pyramid, and another pyramid that moves.
TYPED_TEST(LargeIslands, have_the_same_bits_alone_and_among_others) {
  const BoxWorld alone = box_pyramid(16);
  BoxWorld a = alone, b = alone;
  const auto first = static_cast<std::int32_t>(alone.boxes.size());
  for (const MovingBox& box : alone.boxes) b.boxes.push_back(box);
  for (BoxWorld::Support support : alone.supports) {
    support.upper += first;
    if (support.lower >= 0) support.lower += first;
    b.supports.push_back(support);
  }
  b.boxes.back().velocity[0] = 1;
  SceneSolver solver_a({.threads = 1}), solver_b({.threads = 2});
  for (int k = 0; k < 60; ++k) {
    if (k == 20)
      a.boxes[static_cast<std::size_t>(first) / 2].velocity[1] =
          b.boxes[static_cast<std::size_t>(first) / 2].velocity[1] = 0.5;
    a.step_in_substeps<TypeParam>(solver_a, in_substeps(), h);
    b.step_in_substeps<TypeParam>(solver_b, in_substeps(), h);
    for (std::size_t i = 0; i < alone.boxes.size(); ++i) {
      ASSERT_EQ(a.boxes[i].position, b.boxes[i].position) << "step " << k << ", box " << i;
      ASSERT_EQ(a.boxes[i].velocity, b.boxes[i].velocity) << "step " << k << ", box " << i;
    }
  }
}

/// The height that a light box loses in the air over a pyramid. It belongs to the pyramid's island, by a contact with a
/// gap. Blocks that overlap by 4 mm are pushed apart, so that the audit brakes the island.
template <class T>
double fall_over_a_settling_pyramid(bool has_joint, int steps) {
  BoxWorld world = box_pyramid(20);
  const auto top = static_cast<std::int32_t>(world.boxes.size()) - 1;
  MovingBox box;
  box.mass = 0.01;
  const double height = 20.5 + 2;
  box.position = {world.boxes.back().position[0], 0, height};
  for (MovingBox& of : world.boxes) of.position[2] -= 0.004 * of.position[2];
  world.boxes.push_back(box);
  world.rest(top + 1, top, -0.5, 0.5, -0.5, 0.5);
  SceneSolver solver({.threads = 1});
  double removed = 0;
  for (int k = 0; k < steps; ++k) {
    SceneData<T> now = world.scene_with_forces<T>(h);
    if (has_joint) add_ball_joint(now.joints, JointBodies<T>{0, 1, {T(0.5), 0, 0}, {T(-0.5), 0, 0}});
    SceneArrays<T> arrays(now);
    removed += solver.solve(now.view(in_swept_substeps()), arrays.view(), in_swept_substeps()).energy_removed;
    world.take_motion(arrays);
  }
  EXPECT_GT(removed, 0);
  return height - world.boxes.back().position[2];
}

TYPED_TEST(LargeIslands, do_not_hold_a_light_box_in_the_air) {
  const int steps = 24;
  const double time = steps * h, fall = 0.5 * g * time * time;
  for (const bool has_joint : {false, true})
    EXPECT_NEAR(fall_over_a_settling_pyramid<TypeParam>(has_joint, steps), fall, 0.05 * fall) << has_joint;
}

}  // namespace
}  // namespace carom::scenes
