// Direct islands of Procedure::substeps: rest, pushes, blows, rebounds and overlaps of boxes on each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/jobs/dispatch.hpp"
#include "core/scene/thresholds.hpp"
#include "scene/solvers/direct/direct_island.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

template <class T>
class DirectIslands : public testing::Test {};
TYPED_TEST_SUITE(DirectIslands, Precisions);

double energy(const BoxWorld& world) {
  double sum = world.kinetic_energy();
  for (const MovingBox& box : world.boxes) sum -= box.mass * dot(world.gravity, box.position);
  return sum;
}

/// Steps that also check that every island is solved directly.
template <class T>
void step(BoxWorld& world, SceneSolver& solver, int steps, int min_direct_substeps = 1) {
  MethodOptions options = in_substeps();
  options.substeps.min_direct_substeps = min_direct_substeps;
  for (int k = 0; k < steps; ++k) {
    const SceneReport report = world.step_in_substeps<T>(solver, options, h);
    ASSERT_EQ(report.substeps, min_direct_substeps) << "step " << k;
    ASSERT_EQ(report.pgs_islands, 0u) << "step " << k;
  }
}

double drift_of(const BoxWorld& world, const BoxWorld& start) {
  double drift = 0;
  for (std::size_t i = 0; i < world.boxes.size(); ++i)
    drift = std::max(drift, length(world.boxes[i].position - start.boxes[i].position));
  return drift;
}

/// The impulses are exact from the first step on, up to the compliance of one linear solve, below 1e-5 of the
/// height that a body falls in a step.
template <class T>
void expect_still(const BoxWorld& start, const std::string& what) {
  BoxWorld world = start;
  SceneSolver solver({.threads = 1});
  step<T>(world, solver, fast_build ? 600 : 20);
  double mass = 0;
  for (const MovingBox& box : world.boxes) mass = std::max(mass, box.mass);
  EXPECT_LE(drift_of(world, start), 0.3 * millimetre) << what;
  const double speed = sizeof(T) == sizeof(float) ? 1e-7 : 1e-9;
  EXPECT_LE(world.kinetic_energy(), mass * static_cast<double>(world.boxes.size()) * speed * speed) << what;
}

BoxWorld heavy_on_top(int boxes, double mass) {
  BoxWorld world = box_stack(boxes);
  world.boxes.back().mass = mass;
  return world;
}

TYPED_TEST(DirectIslands, hold_stacks_of_twenty_sixty_and_a_hundred) {
  for (const int boxes : {20, 60, 100}) expect_still<TypeParam>(box_stack(boxes), std::to_string(boxes));
}
TYPED_TEST(DirectIslands, hold_a_thousand_times_the_mass) {
  expect_still<TypeParam>(heavy_on_top(2, 1000), "1000 on 1");
  expect_still<TypeParam>(heavy_on_top(20, 1000), "1000 on 19");
}
TYPED_TEST(DirectIslands, hold_a_pyramid) {
  expect_still<TypeParam>(box_pyramid(10), "base 10");
}

// By Coulomb's law the top box slides v² / (2 μ g) = 9 mm, and no other box moves.
TYPED_TEST(DirectIslands, come_to_rest_after_a_push_at_the_top) {
  for (const int boxes : {20, 60}) {
    BoxWorld world = box_stack(boxes);
    SceneSolver solver({.threads = 1});
    step<TypeParam>(world, solver, 10);
    world.boxes.back().velocity[0] += 0.3;
    step<TypeParam>(world, solver, 180);
    EXPECT_LE(std::abs(world.boxes.back().position[0]), 20 * millimetre) << boxes;
    const double speed = std::sqrt(2 * world.kinetic_energy() / boxes);
    EXPECT_LE(speed, boxes == 20 ? 1e-6 : 1e-3) << boxes;
  }
}

// Blows ---------------------------------------------------------------------------------------------------------------

BoxWorld falling_on(int boxes, double mass, double restitution) {
  BoxWorld world = box_stack(boxes);
  world.restitution = restitution;
  world.boxes.push_back({mass, {1, 1, 1}, {0, 0, boxes + 1.5}});
  world.rest(boxes, boxes - 1, -0.5, 0.5, -0.5, 0.5);
  return world;
}

TYPED_TEST(DirectIslands, stop_a_body_of_any_mass_that_falls_on_others) {
  for (const int boxes : {1, 5, 10})
    for (const double mass : {1.0, 10.0, 100.0, 1000.0}) {
      BoxWorld world = falling_on(boxes, mass, 0);
      SceneSolver solver({.threads = 1});
      const double begun = energy(world);
      double fastest = 0, gain = 0;
      for (int k = 0; k < 120; ++k) {
        step<TypeParam>(world, solver, 1);
        for (const MovingBox& box : world.boxes) fastest = std::max(fastest, box.velocity[2]);
        gain = std::max(gain, energy(world) - begun);
      }
      EXPECT_LE(fastest, 0.01) << mass << " on " << boxes;
      EXPECT_LE(gain, (sizeof(TypeParam) == sizeof(float) ? 1e-4 : 1e-6) * mass * g) << mass << " on " << boxes;
    }
}

TYPED_TEST(DirectIslands, rebound_to_the_height_that_restitution_gives_at_any_ratio_of_masses) {
  for (const double restitution : {0.5, 1.0})
    for (const int boxes : {0, 1, 5, 10})
      for (const double mass : {1.0, 10.0, 1000.0}) {
        BoxWorld world = falling_on(boxes, mass, restitution);
        SceneSolver solver({.threads = 1});
        double highest = 0;
        bool has_hit = false;
        for (int k = 0; k < 110; ++k) {
          step<TypeParam>(world, solver, 1);
          has_hit = has_hit || world.boxes.back().velocity[2] > 0.1;
          if (has_hit) highest = std::max(highest, world.boxes.back().position[2] - boxes - 0.5);
        }
        EXPECT_NEAR(highest, restitution * restitution, 0.005) << restitution << ": " << mass << " on " << boxes;
      }
}

TYPED_TEST(DirectIslands, push_out_a_deep_overlap_without_any_speed) {
  for (const double mass : {1.0, 100.0, 1000.0}) {
    BoxWorld world = heavy_on_top(2, mass);
    world.boxes[1].position[2] -= 0.2;
    SceneSolver solver({.threads = 1});
    double fastest = 0;
    for (int k = 0; k < 300; ++k) {
      step<TypeParam>(world, solver, 1);
      for (const MovingBox& box : world.boxes) fastest = std::max(fastest, length(box.velocity));
    }
    EXPECT_LE(fastest, 0.01) << mass;
    EXPECT_LE(deepest_overlap(world), 1.01 * slop_of_cubes()) << mass;
  }
}

// v² / 2 = (μ cos α - sin α) g s; a step of friction that lags by one makes up to v h of it.
TYPED_TEST(DirectIslands, slide_as_Coulomb_says) {
  const double angle = 0.35, friction = 0.5, speed = 1;
  BoxWorld world = block_on_incline(angle, friction, speed);
  const Vector start = world.boxes[0].position;
  SceneSolver solver({.threads = 1});
  step<TypeParam>(world, solver, 240);
  const double way = speed * speed / 2 / (g * (friction * std::cos(angle) - std::sin(angle)));
  EXPECT_NEAR(length(world.boxes[0].position - start), way, speed * h);
  EXPECT_LE(length(world.boxes[0].velocity), 1e-6);
}

// Every fourth step has 13 times the load of the others, and friction at the foot of a cube moves 30 % of the load from
// its rear to its front. A solution is accepted if friction is short of its load by at most direct_lag.
TYPED_TEST(DirectIslands, slide_with_the_friction_of_a_load_that_changes) {
  const double speed = 20, friction = 0.3;
  BoxWorld world = box_stack(1);
  world.friction = world.static_friction = friction;
  world.boxes[0].velocity = {speed, 0, 0};
  const Vector gravity = world.gravity;
  SceneSolver solver({.threads = 1});
  double braked = 0;
  for (int k = 0; k < 40; ++k) {
    world.gravity = (k % 4 == 3 ? 13.0 : 1.0) * gravity;
    braked += friction * length(world.gravity) * h;
    step<TypeParam>(world, solver, 1);
  }
  EXPECT_NEAR(length(world.boxes[0].velocity), speed - braked, SceneThresholds::direct_lag * braked);
}

// A substep moves with the velocity at its end: a slide is short by half the way of the first substep, v h / 2n. In the
// last substep friction stops before its end, which makes up to μ g h² / 8n² of it. A step of friction that is found
// anew has the accuracy of the solution, 1e-5.
TYPED_TEST(DirectIslands, slide_by_an_error_in_proportion_to_the_length_of_a_substep) {
  const double speed = 3, friction = 0.5, way = speed * speed / (2 * friction * g);
  for (const int n : {1, 2, 4, 16}) {
    BoxWorld world = block_on_incline(0, friction, speed);
    const Vector start = world.boxes[0].position;
    SceneSolver solver({.threads = 1});
    step<TypeParam>(world, solver, 60, n);
    const double substep = h / n, last = friction * g * substep * substep / 8;
    EXPECT_NEAR(length(world.boxes[0].position - start), way - speed * substep / 2, last + 1e-5 * speed) << n;
    EXPECT_LE(length(world.boxes[0].velocity), 1e-6) << n;
  }
}

TYPED_TEST(DirectIslands, rest_and_rebound_in_two_substeps_as_in_one) {
  BoxWorld pushed = box_stack(20);
  SceneSolver solver({.threads = 1});
  step<TypeParam>(pushed, solver, 5, 2);
  pushed.boxes.back().velocity[0] = 0.3;
  step<TypeParam>(pushed, solver, 180, 2);
  EXPECT_LE(length(pushed.boxes.back().velocity), 1e-6);
  EXPECT_LE(std::abs(pushed.boxes.back().position[0]), 0.02);
  for (const double mass : {1.0, 1000.0}) {
    BoxWorld world = falling_on(5, mass, 1);
    SceneSolver of_blow({.threads = 1});
    double highest = 0;
    bool has_hit = false;
    for (int k = 0; k < 110; ++k) {
      step<TypeParam>(world, of_blow, 1, 2);
      has_hit = has_hit || world.boxes.back().velocity[2] > 0.1;
      if (has_hit) highest = std::max(highest, world.boxes.back().position[2] - 5.5);
    }
    EXPECT_NEAR(highest, 1, 0.005) << mass;
  }
}

// Calls ---------------------------------------------------------------------------------------------------------------

TYPED_TEST(DirectIslands, have_the_same_bits_alone_and_among_others) {
  const BoxWorld alone = box_stack(5);
  BoxWorld both = box_pyramid(4);
  const auto first = static_cast<std::int32_t>(both.boxes.size());
  for (const MovingBox& box : alone.boxes) both.boxes.push_back(box);
  for (BoxWorld::Support support : alone.supports) {
    support.upper += first;
    if (support.lower >= 0) support.lower += first;
    both.supports.push_back(support);
  }
  BoxWorld a = alone, b = both;
  SceneSolver solver_a({.threads = 1}), solver_b({.threads = 2});
  a.boxes.back().velocity[0] = b.boxes.back().velocity[0] = 0.3;
  for (int k = 0; k < 30; ++k) {
    a.step_in_substeps<TypeParam>(solver_a, in_substeps(), h);
    b.step_in_substeps<TypeParam>(solver_b, in_substeps(), h);
    for (std::size_t i = 0; i < alone.boxes.size(); ++i) {
      const MovingBox &x = a.boxes[i], &y = b.boxes[static_cast<std::size_t>(first) + i];
      ASSERT_EQ(x.position, y.position) << "step " << k << ", box " << i;
      ASSERT_EQ(x.velocity, y.velocity) << "step " << k << ", box " << i;
    }
  }
}

TYPED_TEST(DirectIslands, are_left_to_sweeps_where_least_asks_for_more_substeps) {
  BoxWorld world = box_stack(3);
  SceneSolver solver({.threads = 1});
  MethodOptions options = in_substeps();
  options.substeps.min_substeps = 2;
  const SceneReport report = world.step_in_substeps<TypeParam>(solver, options, h);
  EXPECT_GE(report.substeps, SceneThresholds::swept_substeps);
  EXPECT_EQ(report.pgs_islands, 1u);
}

// The factor that is kept ---------------------------------------------------------------------------------------------

/// A cube of 1 kg that rests on four points.
struct RestingCube {
  double load = 1 + 1e-7;  ///< impulses that are given, over its weight times the time step
  double shift = 0;        ///< [m] by which its arms are off
  bool remembers = true;
  std::uint64_t name = 1;
};

/// Solves the cube. Returns the multiply-adds of factorisations.
double work_on(scene::direct::DirectIsland& island, const RestingCube& cube) {
  EXPECT_TRUE(island.plan(1, {}, 1e9, *find_isa(Isa::automatic).scene.blocks));
  island.reserve(1, 4, 0, 2);
  island.begin(1, cube.name);
  const scene::direct::BodyRow fall{{0, 0, -g * h, 0, 0, 0}};
  EXPECT_TRUE(island.set_body(0, 0, 1, {6, 0, 0, 6, 0, 6}, fall, fall));
  constexpr std::int32_t world = 1;
  island.add_manifold(0, world, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 0.5);
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) {
      scene::direct::Point& p = island.add_point();
      p.r_a = {x + cube.shift, y, -0.5};
      p.slop = slop_of_cubes();
      p.impulse = {0, 0, cube.load * 0.25 * g * h};
    }
  const scene::direct::StepOptions options{h, g * h, 0, 0.2 / h, 3, cube.remembers};
  EXPECT_TRUE(island.solve(options, false));
  for (std::size_t c = 0; c < 6; ++c) EXPECT_LE(std::abs(island.velocity(0).at[c]), 1e-4 * g * h);
  return island.work_done();
}

// Four loads that are right to 1e-5 leave the cube calm; the factor of arms that differ by less than direct_same of
// their length then does.
TEST(DirectIsland, keeps_its_factor_while_it_is_calm_and_hardly_changes) {
  const double near = 0.5 * SceneThresholds::direct_same * std::sqrt(0.5), far = 1e-3;
  scene::direct::DirectIsland island;
  EXPECT_GT(work_on(island, {}), 0);
  EXPECT_EQ(work_on(island, {}), 0);
  EXPECT_EQ(work_on(island, {.shift = near}), 0);
  EXPECT_GT(work_on(island, {.shift = near, .remembers = false}), 0) << "the impulses are the caller's";
  EXPECT_GT(work_on(island, {.name = 2}), 0) << "another island";
  EXPECT_EQ(work_on(island, {.shift = near, .name = 2}), 0);
  EXPECT_GT(work_on(island, {.shift = far}), 0);
  EXPECT_GT(work_on(island, {.shift = far + 10 * near}), 0);
  island.forget_factor();
  EXPECT_GT(work_on(island, {.shift = far + 10 * near}), 0);
}

TEST(DirectIsland, is_not_solved_if_the_impulses_that_it_begins_with_are_the_solution) {
  const double near = 1 + 0.5 * SceneThresholds::direct_settled, far = 1 + 2 * SceneThresholds::direct_settled;
  scene::direct::DirectIsland island;
  const auto solves = [&](const RestingCube& cube) {
    work_on(island, cube);
    return island.solves();
  };
  EXPECT_EQ(solves({.load = 1}), 0);
  EXPECT_EQ(solves({.load = near}), 0);
  EXPECT_LE(island.residual(), SceneThresholds::direct_settled * g * h);
  EXPECT_EQ(solves({.load = near, .name = 2}), 0);
  EXPECT_GT(solves({.load = far}), 0);
  EXPECT_GT(solves({.load = 2 - far}), 0);
  EXPECT_GT(solves({.load = 0}), 0);
}

/// Begins the island of a cube that gravity accelerates, before its points and rows are added.
void begin_falling_cube(scene::direct::DirectIsland& island, std::size_t manifolds, std::size_t points,
                        std::size_t rows) {
  EXPECT_TRUE(island.plan(1, {}, 1e9, *find_isa(Isa::automatic).scene.blocks));
  island.reserve(manifolds, points, rows, 2);
  island.begin(1, 1);
  const scene::direct::BodyRow fall{{0, 0, -g * h, 0, 0, 0}};
  EXPECT_TRUE(island.set_body(0, 0, 1, {6, 0, 0, 6, 0, 6}, fall, fall));
}

// A wheel has a new point in every step. Its last point has the load, and parts.
TEST(DirectIsland, finds_the_load_of_a_point_that_parts_at_the_closed_point_of_its_manifold) {
  scene::direct::DirectIsland island;
  begin_falling_cube(island, 1, 2, 0);
  constexpr std::int32_t world = 1;
  island.add_manifold(0, world, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 0.5);
  for (const double separation : {2 * g * h * h, 0.0}) {
    scene::direct::Point& p = island.add_point();
    p.r_a = {separation > 0 ? -0.05 : 0, 0, -0.5};
    p.slop = slop_of_cubes();
    p.separation = p.first_gap = separation;
    p.impulse = {0, 0, separation > 0 ? g * h : 0};
  }
  EXPECT_TRUE(island.solve({h, g * h, 0, 0.2 / h, 3, true}, false));
  EXPECT_EQ(island.solves(), 0) << "the load is the solution at the other point";
  EXPECT_EQ(island.points()[0].sum[2], 0);
  EXPECT_NEAR(island.points()[1].sum[2], g * h, 1e-12);
}

// A bound that is a little farther than in the last step, as of a spring that is pressed.
TEST(DirectIsland, begins_with_rows_on_the_bounds_that_they_are_near) {
  for (const double sign : {1.0, -1.0}) {
    scene::direct::DirectIsland island;
    begin_falling_cube(island, 0, 0, 1);
    scene::direct::JointRow row;
    row.a = 0;
    row.b = 1;  // the world
    row.linear_a = {0, 0, sign};
    row.linear_b = {0, 0, -sign};
    row.keeps_position = false;
    row.frequency = 0;
    row.is_bounded = true;
    row.given_least = sign > 0 ? -g * h : -0.51 * g * h;
    row.given_largest = sign > 0 ? 0.51 * g * h : g * h;
    row.impulse = sign * 0.5 * g * h;
    EXPECT_TRUE(island.add(row, 1e150));
    EXPECT_TRUE(island.solve({h, g * h, 0, 0.2 / h, 3, true}, false));
    EXPECT_EQ(island.solves(), 1);
    EXPECT_NEAR(island.rows()[0].sum, sign * 0.51 * g * h, 1e-12);
  }
}

// Impulses in float would miss by more than direct_settled.
TYPED_TEST(DirectIslands, are_not_solved_while_they_rest) {
  BoxWorld tower = box_stack(20), pair = box_stack(2), pyramid = box_pyramid(5);
  pair.boxes[1].mass = 1000;
  for (BoxWorld* world : {&tower, &pair, &pyramid}) {
    SceneSolver solver({.threads = 1});
    for (int k = 0; k < 20; ++k) step<TypeParam>(*world, solver, 1);
    EXPECT_EQ(world->step_in_substeps<TypeParam>(solver, in_substeps(), h).iterations, 0);
  }
}

// A solution holds back the velocity of its call. In the next call its impulses make the opposite velocity, which is to
// be solved at once: with a calm call between two solutions every other call would be one.
TYPED_TEST(DirectIslands, are_seldom_solved_while_they_rest) {
  BoxWorld pyramid = box_pyramid(10), tower = heavy_on_top(20, 1000);
  for (BoxWorld* world : {&pyramid, &tower}) {
    SceneSolver solver({.threads = 1});
    for (int k = 0; k < 60; ++k) step<TypeParam>(*world, solver, 1);
    int solved = 0;
    for (int k = 0; k < 60; ++k)
      solved += world->step_in_substeps<TypeParam>(solver, in_substeps(), h).iterations > 0 ? 1 : 0;
    EXPECT_LE(solved, 15);
  }
}

TYPED_TEST(DirectIslands, rest_while_their_points_move_a_little_in_every_step) {
  BoxWorld world = box_stack(10, 1.5);
  const BoxWorld start = world;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-1e-6, 1e-6);
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < (fast_build ? 600 : 30); ++k) {
    step<TypeParam>(world, solver, 1);
    for (std::size_t s = 0; s < world.supports.size(); ++s)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t c = 0; c < 2; ++c)
          world.supports[s].points[i][c] = start.supports[s].points[i][c] + noise(random);
  }
  // The points' moves by 1e-6 of the edge change their impulses by as much: a corner tilts the stack by no more.
  EXPECT_LE(drift_of(world, start), 0.01 * millimetre);
}

// Contacts at the boundary of their cones kept the directions of their friction while their slip hardly showed. Any
// rotation about the normal then grew.
TYPED_TEST(DirectIslands, hold_a_box_by_friction_that_is_just_enough) {
  BoxWorld slope = block_on_incline(std::atan(0.5), 0.5, 0);
  slope.boxes[0].angular_velocity = 1e-6 * slope.plane;
  const Vector start = slope.boxes[0].position;
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < (fast_build ? 600 : 200); ++k) slope.step_in_substeps<TypeParam>(solver, in_substeps(), h);
  EXPECT_LE(length(slope.boxes[0].position - start), 0.1 * millimetre);
  EXPECT_LE(length(slope.boxes[0].angular_velocity), 1e-5);
}

}  // namespace
}  // namespace carom::scenes
