// Direct islands with joints: rest, swings, blows, and rows without a column `error`.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/scene/thresholds.hpp"
#include "support/scenes/jointed_boxes.hpp"
#include "support/scenes/rod_chain.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;
using Kind = JointedBoxes::Kind;

template <class T>
class DirectJoints : public testing::Test {};
TYPED_TEST_SUITE(DirectJoints, Precisions);

constexpr double quarter = 1.5707963267948966;

/// Steps that also check that every island is solved directly.
template <class T>
void step(JointedBoxes& of, SceneSolver& solver) {
  const SceneReport report = of.step<T>(solver);
  ASSERT_EQ(report.pgs_islands, 0u);
  ASSERT_EQ(report.not_converged, 0u);
}

// By springs as stiff as a substep allows the bodies sank by 3 mm in every second, at a velocity of 0. The first step
// leaves 1e-4 of the way that a body falls in it, by the compliance of one solve.
TYPED_TEST(DirectJoints, hold_without_a_column_of_errors) {
  for (const Kind kind : {Kind::ball, Kind::hinge, Kind::fixed}) {
    JointedBoxes held;
    held.has_errors = false;
    const bool is_fixed = kind == Kind::fixed;
    held.boxes.push_back({2, {0.4, 0.3, 0.2}, is_fixed ? Vector{0.5, 0, 0} : Vector{0, 0, -0.5}});
    held.join(0, world, {}, kind);
    const Vector start = held.boxes[0].position;
    SceneSolver solver({.threads = 1});
    for (int k = 0; k < (fast_build ? 1200 : 60); ++k) step<TypeParam>(held, solver);
    EXPECT_LE(length(held.boxes[0].position - start), 1e-4 * g * h * h) << static_cast<int>(kind);
  }
}

TYPED_TEST(DirectJoints, keep_the_points_of_a_pendulum_together_without_a_column_of_errors) {
  JointedBoxes swinging;
  swinging.has_errors = false;
  swinging.boxes.push_back({1, {1, 0.1, 0.1}, {0.5, 0, 0}});
  swinging.join(0, world, {});
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < (fast_build ? 1200 : 60); ++k) {
    step<TypeParam>(swinging, solver);
    // The aim leaves an error of (ω h)³ r / 12 in a substep, and its correction at the arms of the start leaves ω h of
    // that error. Errors add up without a column, at 5.4 rad/s and two substeps a step. Sweeps leave 37 mm.
    ASSERT_LE(swinging.worst_error(), 4e-4 + 1200 * static_cast<double>(epsilon<TypeParam>)) << k;
  }
}

// The arm turns by 0.05 rad in the step, whose end the velocity has: half of that is left out of the exact answer.
TYPED_TEST(DirectJoints, let_a_ball_on_an_arm_rebound_from_a_wall_at_any_angle) {
  for (const double edge : {0.155, 0.7})
    for (const double degrees : {0.0, 10.0, 30.0, 53.0}) {
      JointedBoxes of;
      of.gravity = {};
      const double angle = degrees * quarter / 90;
      of.boxes.push_back({1, {edge, edge, edge}, {std::sin(angle), 0, -std::cos(angle)}});
      const Vector along = {std::cos(angle), 0, std::sin(angle)};
      of.boxes[0].velocity = 3.0 * along;
      of.boxes[0].angular_velocity = {0, -3, 0};
      of.join(0, world, {});
      const double start = of.kinetic_energy();
      SceneData<TypeParam> now = of.scene<TypeParam>();
      now.add(Contact{0, world, {-1, 0, 0}, of.boxes[0].position, 0, 1});
      now.separation.push_back(0);
      const auto found = solved(now, in_substeps());
      of.take(found.arrays);
      EXPECT_EQ(found.report.pgs_islands, 0u);
      EXPECT_NEAR(dot(of.boxes[0].velocity, along), -3, 3e-3) << edge << " m, " << degrees << " degrees";
      EXPECT_NEAR(of.kinetic_energy(), start, 2e-3 * start) << edge << " m, " << degrees << " degrees";
    }
}

TYPED_TEST(DirectJoints, hold_a_chain_with_a_hundred_kilograms_at_its_end_in_one_substep) {
  RodChain chain(0);
  const auto errors = chain.run<TypeParam>(fast_build ? 1200 : 100);
  EXPECT_LE(errors.peak, 0.02 * millimetre);
}

TYPED_TEST(DirectJoints, add_no_energy_to_a_chain_that_falls_from_horizontal) {
  RodChain chain(quarter);
  const auto energy = [&] {
    double sum = 0;
    for (const MovingBox& of : chain.bodies) sum += of.kinetic_energy() - of.mass * g * of.position[0];
    return sum;
  };
  const double start = energy();
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < (fast_build ? 1200 : 60); ++k) {
    chain.step<TypeParam>(solver);
    ASSERT_LE(energy(), start + 0.1) << k;
    for (std::size_t i = 0; i < chain.bodies.size(); ++i) ASSERT_LE(length(chain.error(i)), 5 * millimetre) << k;
  }
}

/// A rope of 21 points without inertia and weight over half a drum, with 1 kg at one end and `ratio` kg at the other.
struct Rope {
  static constexpr int points = 21;
  static constexpr double radius = 0.25, length_of_end = 0.5, friction = 0.3;
  std::vector<Vector> position, velocity;
  std::vector<double> mass;

  explicit Rope(double ratio) {
    const auto add = [&](double of, const Vector& at) {
      mass.push_back(of);
      position.push_back(at);
      velocity.push_back({});
    };
    add(1, {-radius, 0, -length_of_end});
    for (int i = 0; i < points; ++i) {
      const double angle = 2 * quarter * (1 - static_cast<double>(i) / (points - 1));
      add(0.05, {radius * std::cos(angle), 0, radius * std::sin(angle)});
    }
    add(ratio, {radius, 0, -length_of_end});
  }
  /// The max. ratio that holds: a polygon turns by half an angle at each end of a side.
  static double limit() {
    const auto gain = [](double turn) {
      const double c = std::cos(turn / 2), s = friction * std::sin(turn / 2);
      return (c + s) / (c - s);
    };
    const double turn = 2 * quarter / (points - 1);
    return std::pow(gain(turn), points - 2) * gain(turn / 2) * gain(turn / 2);
  }

  template <class T>
  void step(SceneSolver& solver) {
    SceneData<T> now;
    now.velocity_change = now.angular_velocity_change = vectors<T>(position.size());
    for (std::size_t i = 0; i < position.size(); ++i) {
      const bool is_end = i == 0 || i + 1 == position.size();
      const Vector forces = {0, 0, is_end ? -g * h : 0};
      const Vector away = {position[i][0], 0, position[i][2]};
      const std::int32_t body = now.add(Body{1 / mass[i], {}, velocity[i], {}, position[i]});
      put(now.velocity_change, i, forces);
      if (is_end || length(away) > radius + 0.02) continue;
      now.add(Contact{body, world, (1 / length(away)) * away, position[i], friction, 0});
      now.separation.push_back(static_cast<T>(length(away) - radius));
      now.key.push_back(static_cast<std::uint64_t>(body) + 1);
    }
    for (std::size_t i = 0; i + 1 < position.size(); ++i) {
      const bool is_end = i == 0 || i + 2 == position.size();
      const double side = is_end ? length_of_end : 2 * radius * std::sin(quarter / (points - 1));
      const Vector apart = position[i] - position[i + 1];
      const auto a = static_cast<std::int32_t>(i);
      const std::size_t row =
          add_distance_joint(now.joints, JointBodies<T>{a, a + 1}, vector_of<T>((1 / length(apart)) * apart));
      now.joints.rows[row].position_error = static_cast<T>(length(apart) - side);
      now.joints.rows[row].key = i + 1;
    }
    const auto found = solved(solver, now, in_substeps());
    EXPECT_EQ(found.report.pgs_islands, 0u);
    for (std::size_t i = 0; i < position.size(); ++i) {
      velocity[i] = found.velocity(i);
      position[i] = position[i] + at(found.arrays.displacement, i);
    }
  }
};

TYPED_TEST(DirectJoints, hold_a_taut_rope_over_a_drum_up_to_the_limit_of_its_friction) {
  for (const double share : {0.5, 0.9, 0.97, 1.03}) {
    Rope rope(share * Rope::limit());
    SceneSolver solver({.threads = 1});
    const int steps = fast_build ? 60 : 20;
    for (int k = 0; k < steps; ++k) rope.step<TypeParam>(solver);
    const double fallen = -rope.position.back()[2] - Rope::length_of_end;
    if (share < 1) {
      EXPECT_LE(std::abs(fallen), 0.1 * millimetre) << share;
      continue;
    }
    // At the limit the pulls differ by its factor: m₂ (g - a) = limit m₁ (g + a). The sides of the polygon hit the
    // drum.
    const double right = (share - 1) / (share + 1) * g * std::pow(steps * h, 2) / 2;
    EXPECT_GE(fallen, 0.5 * right) << share;
    EXPECT_LE(fallen, 2 * right) << share;
  }
}

TYPED_TEST(DirectJoints, let_a_doll_with_masses_of_365_to_1_come_to_rest) {
  for (int seed = 0; seed < (fast_build ? 2 : 1); ++seed) {
    JointedBoxes of = doll(1, {0.3 + seed, 1.1 - 0.5 * seed, 0.7});
    const double start = of.energy();
    SceneSolver solver({.threads = 1});
    double open = 0;
    for (int k = 0; k < (fast_build ? 900 : 100); ++k) {
      of.step<TypeParam>(solver);
      open = std::max(open, of.worst_error());
      ASSERT_LE(of.energy(), start * (1 + 1e-4)) << seed << ", step " << k;
    }
    EXPECT_LE(open, 60 * millimetre) << seed;
    if (!fast_build) continue;
    EXPECT_LE(of.worst_error(), 0.1 * millimetre) << seed;
    // A limb in the air may swing and spin for ever: its joint has no friction.
    EXPECT_LE(of.kinetic_energy(), 1e-3 * start) << seed;
  }
}

// A tower of 45 blocks, three a layer, each layer across the lower one. A joint pulls the loose block of the third
// layer at 0.2 m/s. The min. impulse is 0.65 N s, the friction of its own weight, but side faces may press with any
// force that the joint then overcomes. The interior point may choose a part of the tower's weight, 74 N s.
TYPED_TEST(DirectJoints, pull_a_block_out_of_a_tower_without_large_forces_on_its_sides) {
  constexpr int layers = 15, pulled = 3 * 2 + 1;
  constexpr double length = 0.75, breadth = 0.25, height = 0.15, mass = 10, speed = 0.2;
  BoxWorld tower;
  tower.friction = tower.static_friction = 0.4;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = -1; i <= 1; ++i) {
      const bool along_x = layer % 2 == 0;
      const auto box = static_cast<std::int32_t>(tower.boxes.size());
      tower.boxes.push_back({mass,
                             along_x ? Vector{length, breadth, height} : Vector{breadth, length, height},
                             {along_x ? 0 : i * breadth, along_x ? i * breadth : 0, (layer + 0.5) * height}});
      if (layer == 0) tower.rest(box, world, -length / 2, length / 2, -breadth / 2, breadth / 2);
      for (int j = -1; layer > 0 && j <= 1; ++j) {
        const std::int32_t lower = 3 * (layer - 1) + j + 1;
        const double first = (j - 0.5) * breadth, last = (j + 0.5) * breadth, half = breadth / 2;
        if (lower == pulled) continue;
        if (along_x)
          tower.rest(box, lower, first, last, -half, half);
        else
          tower.rest(box, lower, -half, half, first, last);
      }
    }
  std::vector<Vector> velocity(tower.boxes.size()), spin(tower.boxes.size());
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 40; ++k) {
    // The geometry stays.
    SceneData<TypeParam> now = tower.scene_with_forces<TypeParam>(h);
    for (int pair = 0; pair < 2 * layers; ++pair) {
      const std::int32_t a = 3 * (pair / 2) + pair % 2;
      const Vector from = tower.boxes[static_cast<std::size_t>(a)].position,
                   to = tower.boxes[static_cast<std::size_t>(a) + 1].position, middle = 0.5 * (from + to);
      const Vector normal = (1 / breadth) * (to - from), along = {normal[1], normal[0], 0};
      for (const double x : {-length / 2, length / 2})
        for (const double z : {-height / 2, height / 2}) {
          now.add(Contact{a + 1, a, normal, middle + x * along + Vector{0, 0, z}, 0.4, 0});
          now.separation.push_back(0);
          now.key.push_back(now.key.size() + 1);
        }
    }
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      put(now.bodies.velocity, i, velocity[i]);
      put(now.bodies.angular_velocity, i, spin[i]);
    }
    const bool pulls = k >= 5;
    if (pulls) {
      add_ball_joint(now.joints, JointBodies<TypeParam>{pulled, world});
      now.joints.rows[0].target_velocity = static_cast<TypeParam>(speed);
      for (std::size_t r = 0; r < 3; ++r) now.joints.rows[r].key = r + 1;
    }
    const auto found = solved(solver, now, in_substeps());
    ASSERT_EQ(found.report.pgs_islands, 0u) << k;
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      velocity[i] = found.velocity(i);
      spin[i] = found.angular_velocity(i);
    }
    if (pulls) {
      // The block has its speed after the first call.
      const double weight = 3 * layers * mass * g * h;
      ASSERT_LE(static_cast<double>(found.arrays.joint_impulse[0]), (k == 5 ? mass * speed : 0) + 0.1 * weight) << k;
      ASSERT_NEAR(velocity[pulled][0], speed, 1e-3) << k;
    }
  }
}

// A motor below its torque has its speed, and one that stalls has its torque.
// A limit is a new row whenever it comes.
TYPED_TEST(DirectJoints, take_fewer_substeps_once_they_are_slow_although_a_row_is_new) {
  JointedBoxes of;
  of.boxes.push_back({1, {0.1, 0.1, 1}, {0, 0, 0.55}});
  of.join(0, world, {0, 0, 1.05});
  const JointedBoxes slow = of;
  of.boxes[0].angular_velocity = {0, 60, 0};
  of.boxes[0].velocity = {-30, 0, 0};
  SceneSolver solver({.threads = 1});
  std::uint64_t newest = 1000;
  const auto substeps = [&] {
    SceneData<TypeParam> now = of.scene<TypeParam>();
    for (std::size_t r = 0; r < now.joints.rows.size(); ++r) now.joints.rows[r].key = r + 1;
    now.joints.rows.back().key = ++newest;
    SceneArrays<TypeParam> arrays(now);
    return solver.solve(now.view(in_substeps()), arrays.view(), in_substeps()).substeps;
  };
  const int fast = substeps();
  EXPECT_GT(fast, 1);
  of.boxes = slow.boxes;
  int last = fast;
  for (int k = 0; k < static_cast<int>(SceneThresholds::substeps_quiet); ++k) last = substeps();
  EXPECT_EQ(last, fast / 2);
}

TYPED_TEST(DirectJoints, turn_by_a_motor_up_to_its_torque) {
  for (const double torque : {3.0, 20.0}) {
    JointedBoxes of;
    of.boxes.push_back({1, {1, 0.1, 0.1}, {0.5, 0, 0}});
    of.join(0, world, {}, Kind::hinge);
    of.joints[0].speed = -2;  // upwards
    of.joints[0].torque = torque;
    SceneSolver solver({.threads = 1});
    double most = 0;
    for (int k = 0; k < 60; ++k) {
      const double before = of.energy();
      step<TypeParam>(of, solver);
      most = std::max(most, of.energy() - before);
      if (torque > 10) {
        ASSERT_NEAR(of.boxes[0].angular_velocity[1], -2, k < 2 ? 2 : 1e-3) << k;
      }
    }
    // A weight of 4.9 N m falls against 3 N m. The power of the motor is at most torque times speed.
    if (torque < 10) {
      EXPECT_LT(of.boxes[0].position[2], -0.2);
    }
    EXPECT_LE(most, h * torque * 2 * 1.1) << torque;
  }
}

// A spring of f = 2 Hz sinks by g / (2 π f)², swings f times a second, and more damping swings less. The implicit step
// damps by itself, too. By sweeps it crept down without a swing.
TYPED_TEST(DirectJoints, swing_on_a_spring_of_a_frequency) {
  const double sag = g / std::pow(4 * 2 * quarter, 2);
  double last_depth = 2 * sag;
  for (const double damping_ratio : {0.0, 0.1, 1.0}) {
    JointedBoxes of;
    of.boxes.push_back({1, {0.2, 0.2, 0.2}, {}});
    of.join(0, world, {});
    of.joints[0].frequency = 2;
    of.joints[0].damping_ratio = damping_ratio;
    SceneSolver solver({.threads = 1});
    double deepest = 0, before = 0;
    int turns = 0;
    for (int k = 0; k < 600; ++k) {
      step<TypeParam>(of, solver);
      const double now = of.boxes[0].velocity[2];
      deepest = std::max(deepest, -of.boxes[0].position[2]);
      if (k < 120 && now * before < 0) ++turns;
      before = now;
    }
    EXPECT_NEAR(-of.boxes[0].position[2], sag, 1e-3 * sag) << damping_ratio;
    EXPECT_LT(deepest, last_depth) << damping_ratio;
    if (damping_ratio < 1) {
      EXPECT_NEAR(turns, 8, 1) << damping_ratio;
    }
    last_depth = deepest;
  }
  EXPECT_LE(last_depth, 1.001 * sag);
}

// It falls 0.5 m, tightens without a rebound and hangs.
TYPED_TEST(DirectJoints, hang_on_a_rope_that_was_slack) {
  JointedBoxes of;
  of.boxes.push_back({1, {0.2, 0.2, 0.2}, {0, 0, -0.5}});
  of.joints.push_back({0, world, {}, {}, Kind::rope});
  of.joints[0].length = 1;
  SceneSolver solver({.threads = 1});
  double fastest = 0;
  for (int k = 0; k < 60; ++k) {
    step<TypeParam>(of, solver);
    fastest = std::max(fastest, of.boxes[0].velocity[2]);
  }
  EXPECT_NEAR(of.boxes[0].position[2], -1, 0.1 * millimetre);
  EXPECT_LE(fastest, 1e-3);
  EXPECT_LE(of.kinetic_energy(), 1e-8);
}

TYPED_TEST(DirectJoints, have_the_same_bits_alone_and_among_others) {
  JointedBoxes alone = doll(0.1, {0.3, 1.1, 0.7}), both;
  both.has_floor = true;
  for (int i = 0; i < 3; ++i) {
    both.boxes.push_back({1, {0.2, 0.2, 0.6}, {9, 0, 3 + 0.6 * i}});
    both.join(i, i - 1, {9, 0, 2.7 + 0.6 * i});
  }
  const auto first = static_cast<std::int32_t>(both.boxes.size());
  both.boxes.insert(both.boxes.end(), alone.boxes.begin(), alone.boxes.end());
  for (JointedBoxes::Joint joint : alone.joints) {
    joint.a += first;
    joint.b += first;
    both.joints.push_back(joint);
  }
  SceneSolver solver_a({.threads = 1}), solver_b({.threads = 2});
  for (int k = 0; k < (fast_build ? 120 : 20); ++k) {
    alone.step<TypeParam>(solver_a);
    both.step<TypeParam>(solver_b);
    for (std::size_t i = 0; i < alone.boxes.size(); ++i) {
      const MovingBox &x = alone.boxes[i], &y = both.boxes[static_cast<std::size_t>(first) + i];
      ASSERT_EQ(x.position, y.position) << "step " << k << ", body " << i;
      ASSERT_EQ(x.velocity, y.velocity) << "step " << k << ", body " << i;
      ASSERT_EQ(x.angular_velocity, y.angular_velocity) << "step " << k << ", body " << i;
    }
  }
}

}  // namespace
}  // namespace carom::scenes
