// Procedure::substeps adds no energy: an island gains the work of forces, targets and moving bodies, and no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <carom/gyroscopic.hpp>
#include <carom/joints.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/scenes/rod_chain.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

constexpr double unbounded = std::numeric_limits<double>::infinity();

TYPED_TEST_SUITE(Substeps, Precisions);

/// [J] Kinetic and potential energy.
double energy_of(const std::vector<MovingBox>& boxes, double gravity) {
  double energy = 0;
  for (const MovingBox& of : boxes) {
    if (std::isinf(of.mass)) continue;
    energy += of.kinetic_energy() + of.mass * gravity * of.position[2];
  }
  return energy;
}

/// Puts the boxes to one side by a millimetre at most, as an engine would place them.
void disturb(BoxWorld& boxes, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> millimetres(-1e-3, 1e-3);
  for (MovingBox& box : boxes.boxes)
    for (std::size_t c = 0; c < 2; ++c) box.position[c] += millimetres(random);
}

// Blows ---------------------------------------------------------------------------------------------------------------

/// A box of this mass falls 1 m on boxes of 1 kg that have come to rest. e = 0.
template <class T>
void expect_no_rebound(int boxes, double mass, double max_speed) {
  const std::string what = std::to_string(mass) + " kg on " + std::to_string(boxes);
  BoxWorld world_of_boxes = box_stack(boxes);
  disturb(world_of_boxes, 1);
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 60; ++k) world_of_boxes.step_in_substeps<T>(solver, in_swept_substeps(), h);
  world_of_boxes.boxes.push_back({mass, {1, 1, 1}, {0, 0, boxes + 1.5}});
  world_of_boxes.rest(boxes, boxes - 1, -0.5, 0.5, -0.5, 0.5);
  const double start = energy_of(world_of_boxes.boxes, g);
  double most = start, up = 0;
  for (int k = 0; k < (fast_build ? 150 : 45); ++k) {
    world_of_boxes.step_in_substeps<T>(solver, in_swept_substeps(), h);
    most = std::max(most, energy_of(world_of_boxes.boxes, g));
    up = std::max(up, world_of_boxes.boxes.back().velocity[2]);
  }
  // Positions of float are read to 1e-7 m.
  EXPECT_LE(most, start + 1e-6 * std::abs(start)) << what;
  EXPECT_LE(up, max_speed) << what;
}

// Today's largest is 0.7 m/s, of 10 kg on 1 kg: the fall is at 4.43 m/s.
TYPED_TEST(Substeps, add_no_energy_where_a_heavy_box_falls_on_light_ones) {
  for (const double mass : {1.0, 10.0, 100.0, 1000.0})
    for (const int boxes : {1, 5}) expect_no_rebound<TypeParam>(boxes, mass, 0.8);
  for (const double mass : {10.0, 100.0}) expect_no_rebound<TypeParam>(10, mass, 0.5);
}

TYPED_TEST(Substeps, push_deep_overlaps_out_without_throwing_the_bodies) {
  struct Case {
    double overlap, mass;
    int boxes;
  };
  for (const Case& of : {Case{0.05, 100, 2}, Case{0.5, 1000, 2}, Case{0.1, 1, 5}, Case{0.1, 10, 5}}) {
    BoxWorld boxes = box_stack(of.boxes);
    boxes.boxes.back().mass = of.mass;
    for (std::size_t i = 0; i < boxes.boxes.size(); ++i)
      boxes.boxes[i].position[2] -= of.overlap * static_cast<double>(i);
    SceneSolver solver({.threads = 1});
    double up = 0;
    for (int k = 0; k < 120; ++k) {
      boxes.template step_in_substeps<TypeParam>(solver, in_swept_substeps(), h);
      for (const MovingBox& box : boxes.boxes) up = std::max(up, box.velocity[2]);
    }
    EXPECT_LE(up, 0.6) << of.overlap << " m, " << of.mass << " kg";
    EXPECT_LE(deepest_overlap(boxes), 6e-3) << of.overlap << " m, " << of.mass << " kg";
  }
}

TYPED_TEST(Substeps, tell_how_much_energy_they_have_removed) {
  BoxWorld boxes = box_stack(2, 100);
  boxes.boxes[1].position[2] -= 0.2;
  const SceneData<TypeParam> scene = boxes.template scene<TypeParam>();
  MethodOptions options = in_swept_substeps();
  options.substeps.position_correction.relax_iterations = 0;  // the push stays in the velocities
  const auto made = solved(scene, options);
  EXPECT_GT(made.report.energy_removed, 0);
  EXPECT_NEAR(static_cast<double>(made.arrays.island_energy_removed[0]), made.report.energy_removed,
              epsilon<TypeParam> * made.report.energy_removed);
  EXPECT_NEAR(energy_after(scene, made), 0, 1e-6);

  options.method = Procedure::pgs;
  EXPECT_EQ(solved(scene, options).report.energy_removed, 0);
}

// Restitution ---------------------------------------------------------------------------------------------------------

// A ball that has left a wall at 3 m/s meets another one at 3 m/s in the same call, e = 1. It was 16.8 J.
TYPED_TEST(Substeps, give_back_by_restitution_no_more_than_was_lost) {
  for (const double overlap : {0.0, 0.023}) {
    SceneData<TypeParam> scene;
    for (const double speed : {3.0, -3.0}) scene.add(Body{.velocity = {speed, 0, 0}});
    scene.add(Contact{.a = 0, .normal = {1, 0, 0}, .restitution = 1});
    scene.add(Contact{.a = 1, .b = 0, .normal = {1, 0, 0}, .restitution = 1});
    scene.separation = {0, static_cast<TypeParam>(-overlap)};
    const auto made = solved(scene, in_swept_substeps());
    EXPECT_LE(energy_after(scene, made), 9 * (1 + 1e-5)) << overlap;
  }
}

// Joints --------------------------------------------------------------------------------------------------------------

struct FreeRods {
  std::vector<MovingBox> boxes;
  static constexpr double length = 0.3;

  FreeRods(double spin, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 2; ++i) {
      const Vector d = {normal(random), normal(random), normal(random)};
      boxes.push_back({0.1, {0.07, length, 0.07}, {0, length * (i - 0.5), 0}});
      boxes.back().angular_velocity = (spin / carom::length(d)) * d;
    }
  }
  Vector arm(std::size_t body) const {
    return boxes[body].orientation * Vector{0, (body == 0 ? 0.5 : -0.5) * length, 0};
  }
  Vector error() const { return boxes[0].position + arm(0) - boxes[1].position - arm(1); }

  template <class T>
  void step(SceneSolver& solver, const MethodOptions& options) {
    BoxWorld of;
    of.boxes = boxes;
    SceneData<T> scene = of.scene<T>();
    for (std::size_t i = 0; i < 2; ++i) {
      const Rows j = boxes[i].inertia();
      const auto w = gyroscopic_velocity<double>(boxes[i].angular_velocity,
                                                 {j[0][0], j[0][1], j[0][2], j[1][1], j[1][2], j[2][2]}, h);
      put(scene.bodies.angular_velocity, i, w);
    }
    const std::size_t row =
        add_ball_joint(scene.joints, JointBodies<T>{0, 1, vector_of<T>(arm(0)), vector_of<T>(arm(1))});
    for (std::size_t c = 0; c < 3; ++c) {
      scene.joints.rows[row + c].position_error = vector_of<T>(error())[c];
      scene.joints.rows[row + c].key = c + 1;
    }
    const auto made = solved(solver, scene, options);
    for (std::size_t i = 0; i < 2; ++i) {
      boxes[i].velocity = made.velocity(i);
      boxes[i].angular_velocity = made.angular_velocity(i);
      boxes[i].move(at(made.arrays.displacement, i), at(made.arrays.rotation, i));
    }
  }
};

TYPED_TEST(Substeps, add_no_energy_to_free_rods_that_turn_by_radians_a_step) {
  for (const double spin : {60.0, 100.0, 150.0})
    for (const int n : {0, 16, 256}) {
      FreeRods rods(spin, 2);
      SceneSolver solver({.threads = 1});
      const double start = energy_of(rods.boxes, 0);
      double most = 0, open = 0;
      for (int k = 0; k < (n < 256 && fast_build ? 600 : 20); ++k) {
        rods.template step<TypeParam>(solver, n == 0 ? in_swept_substeps() : in_substeps(n));
        most = std::max(most, energy_of(rods.boxes, 0));
        open = std::max(open, length(rods.error()));
      }
      EXPECT_LE(most, start * (1 + 1e-4)) << spin << " rad/s, n = " << n;
      EXPECT_LE(open, 40 * millimetre) << spin << " rad/s, n = " << n;
    }
}

// The two impulses of a joint act at one point, so that their moments cancel. Lever arms of the last substep lost 5.9 %
// in this scene.
TYPED_TEST(Substeps, keep_the_angular_momentum_of_a_free_chain_that_spins) {
  const double edge = std::sqrt(0.6);  // inertia 0.1 kg m² about every axis
  RodChain chain(0);
  chain.bodies.clear();
  const auto momentum = [&] {
    double sum = 0;
    for (const MovingBox& of : chain.bodies) sum += cross(of.position, of.velocity)[1] + 0.1 * of.angular_velocity[1];
    return sum;
  };
  for (int i = 0; i < 3; ++i) {
    MovingBox ball{1, {edge, edge, edge}, {0, 0, -(2 * i + 1) * RodChain::reach}};
    ball.angular_velocity = {0, 6, 0};
    ball.velocity = cross(ball.angular_velocity, ball.position - Vector{0, 0, -3 * RodChain::reach});
    chain.bodies.push_back(ball);
  }
  const double start = momentum();
  chain.is_free = true;
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 120; ++k) chain.template step<TypeParam>(solver);
  EXPECT_NEAR(momentum(), start, 5e-3 * start);
}

// It lost 56 % in 20 s.
TYPED_TEST(Substeps, keep_the_energy_of_a_pendulum) {
  RodChain pendulum(1.5707963267948966);
  pendulum.bodies.resize(1);
  const auto energy = [&] {
    const MovingBox& of = pendulum.bodies[0];
    return of.kinetic_energy() - of.mass * g * of.position[0];
  };
  const double start = energy(), swing = g * RodChain::reach;
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 1200; ++k) {
    pendulum.template step<TypeParam>(solver);
    ASSERT_NEAR(energy(), start, 0.08 * swing) << k;
  }
}

// Work ----------------------------------------------------------------------------------------------------------------

// The box slides without friction on a plate that also carries a heavy stack: one island.
TYPED_TEST(Substeps, do_not_brake_a_box_that_slides_near_a_heavy_stack) {
  constexpr int stack = 10;
  BoxWorld boxes;
  boxes.friction = boxes.static_friction = 0;
  boxes.boxes.push_back({1000, {60, 6, 0.5}, {0, 0, 0.25}});
  boxes.rest(0, world, -30, 30, -3, 3);
  for (int i = 0; i < stack; ++i) {
    boxes.boxes.push_back({i == stack - 1 ? 100.0 : 1.0, {1, 1, 1}, {-28, 0, 1.0 + i}});
    boxes.rest(i + 1, i, -0.5, 0.5, -0.5, 0.5);
  }
  boxes.boxes.push_back({1, {1, 1, 1}, {-25, 0, 1}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {3, 0, 0}});
  boxes.rest(stack + 1, 0, -0.5, 0.5, -0.5, 0.5);
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < (fast_build ? 480 : 30); ++k)
    boxes.template step_in_substeps<TypeParam>(solver, in_swept_substeps(), h);
  EXPECT_NEAR(boxes.boxes.back().velocity[0], 3, 3e-3);
}

// Friction accelerates it by µ g.
TYPED_TEST(Substeps, let_a_belt_a_turntable_and_a_lift_do_their_work) {
  BoxWorld boxes = box_stack(1);
  SceneSolver solver({.threads = 1});
  double now = 0;
  for (int k = 1; k <= 60; ++k) {
    SceneData<TypeParam> scene = boxes.template scene<TypeParam>();
    scene.velocity_change = scene.angular_velocity_change = vectors<TypeParam>(1);
    put(scene.velocity_change, 0, h * boxes.gravity);
    scene.surface_velocity = vectors<TypeParam>(scene.contact_count());
    for (std::size_t c = 0; c < scene.contact_count(); ++c) put(scene.surface_velocity, c, {2, 0, 0});
    const auto made = solved(solver, scene, in_swept_substeps());
    boxes.take(made.arrays);
    now = boxes.boxes[0].velocity[0];
    ASSERT_NEAR(now, std::min(2.0, 0.5 * g * h * k), 0.15) << k;
  }
  EXPECT_NEAR(now, 2, 1e-4);

  // A stack that a lift carries up rests on it as on the ground.
  BoxWorld lift;
  lift.boxes.push_back({unbounded, {100, 100, 1}, {}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 2}});
  for (int i = 0; i < 5; ++i) {
    lift.boxes.push_back({1, {1, 1, 1}, {0, 0, 1.0 + i}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 2}});
    lift.rest(i + 1, i, -0.5, 0.5, -0.5, 0.5);
  }
  SceneSolver of_lift({.threads = 1});
  for (int k = 0; k < 120; ++k) lift.template step_in_substeps<TypeParam>(of_lift, in_swept_substeps(), h);
  for (const MovingBox& box : lift.boxes) EXPECT_NEAR(box.velocity[2], 2, 1e-3);
}

TYPED_TEST(Substeps, let_a_motor_do_its_work) {
  SceneData<TypeParam> scene;
  scene.add(Body{});
  typename JointRowData<TypeParam>::Row motor;
  motor.body_a = 0;
  motor.angular_a = {0, 0, 1};
  motor.target_velocity = 10;
  motor.frequency = 0;
  scene.joints.rows.push_back(motor);
  const auto made = solved(scene, in_swept_substeps());
  EXPECT_NEAR(made.angular_velocity(0)[2], 10, 1e-5);
  EXPECT_EQ(made.report.energy_removed, 0);
}

// Springs of joints by option did no work unless another island had a target.
TYPED_TEST(Substeps, let_soft_joints_do_their_work_by_option_as_by_column) {
  SceneData<TypeParam> scene;
  for (int i = 0; i < 3; ++i) scene.add(Body{.velocity = {0.3 * i, 1, -0.5}, .angular_velocity = {1, 0.5 * i, -1}});
  add_ball_joint<TypeParam>(scene.joints, {.a = 0, .b = 1, .r_a = {TypeParam(0.5), 0, 0}, .r_b = {0, 0, 0}});
  for (auto& row : scene.joints.rows) {
    row.position_error = TypeParam(0.1);
    row.frequency = 5;
    row.damping_ratio = TypeParam(0.1);
  }
  scene.add(Contact{.a = 2});
  MethodOptions options = in_substeps(4);
  PositionCorrection& correction = options.substeps.position_correction;
  correction.relax_iterations = 0;
  const auto by_column = solved(scene, options);
  correction.joint_frequency = 5;
  correction.joint_damping_ratio = static_cast<double>(TypeParam(0.1));
  for (const double target : {0.0, 0.5}) {
    scene.target_velocity = {static_cast<TypeParam>(target)};
    const SceneOptions given = options.converted();
    Scene<TypeParam> by_option = scene.view(given);
    by_option.joints.frequency = by_option.joints.damping_ratio = {};
    SceneArrays<TypeParam> made(scene);
    SceneSolver({.threads = 1}).solve(by_option, made.view(), given);
    for (std::size_t body = 0; body < 2; ++body) {
      EXPECT_EQ(at(made.velocity, body), by_column.velocity(body)) << target;
      EXPECT_EQ(at(made.angular_velocity, body), by_column.angular_velocity(body)) << target;
    }
    for (std::size_t row = 0; row < 3; ++row)
      EXPECT_EQ(made.joint_impulse[row], by_column.arrays.joint_impulse[row]) << target;
  }
}

// Towers --------------------------------------------------------------------------------------------------------------

// The slowest sway of a tall stack grew without end: 60 boxes fell within 30 s.
TEST(TallStack, of_sixty_does_not_fall) {
  BoxWorld boxes = box_stack(60);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> micrometres(-1e-6, 1e-6);
  for (MovingBox& box : boxes.boxes) box.position[0] += micrometres(random);
  const BoxWorld start = boxes;
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 2400; ++k) boxes.step_in_substeps<float>(solver, in_swept_substeps(), h);
  for (std::size_t i = 0; i < boxes.boxes.size(); ++i) {
    const Vector moved = boxes.boxes[i].position - start.boxes[i].position;
    EXPECT_LE(std::hypot(moved[0], moved[1]), millimetre) << "box " << i;
  }
  EXPECT_LE(boxes.kinetic_energy(), 1e-7);
}

// Gyroscopic torque ---------------------------------------------------------------------------------------------------

TEST(GyroscopicVelocity, keeps_energy_and_the_size_of_angular_momentum_at_any_time_step) {
  const std::array<double, 6> inertia = {3, 0.5, -0.2, 1, 0.1, 2};
  const auto times_inertia = [&](const std::array<double, 3>& w) {
    const auto [xx, xy, xz, yy, yz, zz] = inertia;
    return Vector{xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2],
                  xz * w[0] + yz * w[1] + zz * w[2]};
  };
  for (const double time_step : {1e-3, 0.1, 1.0, 30.0}) {
    std::array<double, 3> w = {0.5, 2, -1};
    const double energy = dot(w, times_inertia(w)), momentum = length(times_inertia(w));
    for (int k = 0; k < 100; ++k) w = gyroscopic_velocity<double>(w, inertia, time_step);
    EXPECT_NEAR(dot(w, times_inertia(w)), energy, 1e-12 * energy) << time_step;
    EXPECT_NEAR(length(times_inertia(w)), momentum, 1e-12 * momentum) << time_step;
  }
}

// ω′ = -I⁻¹ (ω × I ω) at the start.
TEST(GyroscopicVelocity, is_euler_s_equation) {
  const double step = 1e-5;
  const std::array<double, 3> w = {1, 2, 3}, next = gyroscopic_velocity<double>(w, {1, 0, 0, 2, 0, 4}, step);
  // I ω = (1, 4, 12); ω × I ω = (12, -9, 2)
  const Vector rate = {-12, 4.5, -0.5};
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR((next[c] - w[c]) / step, rate[c], 1e-3);
}

TEST(GyroscopicVelocity, leaves_round_bodies_and_bodies_without_inertia_alone) {
  const std::array<float, 3> w = {1, 2, 3};
  EXPECT_EQ((gyroscopic_velocity<float>(w, {0, 0, 0, 0, 0, 0}, 0.1F)), w);
  const std::array<float, 3> round = gyroscopic_velocity<float>(w, {2, 0, 0, 2, 0, 2}, 0.1F);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(round[c], w[c], 1e-6F);
}

}  // namespace
}  // namespace carom::scenes
