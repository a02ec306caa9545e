// Procedure::ncp with rows of joints: rows without bounds are eliminated, the others are solved with the
// contacts.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
double missed(const SceneData<T>& scene, const Solved<T>& made) {
  double worst = 0;
  for (const auto& row : scene.joints.rows) {
    double sum = -static_cast<double>(row.target_velocity);
    const auto add = [&](std::int32_t body, const auto& linear, const auto& angular) {
      for (std::size_t c = 0; body >= 0 && c < 3; ++c)
        sum += static_cast<double>(linear[c]) * made.velocity(static_cast<std::size_t>(body))[c] +
               static_cast<double>(angular[c]) * made.angular_velocity(static_cast<std::size_t>(body))[c];
    };
    add(row.body_a, row.linear_a, row.angular_a);
    add(row.body_b, row.linear_b, row.angular_b);
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

// A heavy weight on a chain of 40 links, which sweeps do not hold in thousands: 1e-16 by a condition of 1e5.
TEST(NcpJoints, hold_a_chain_at_once) {
  auto scene = chain<double>(40);
  scene.bodies.inverse_mass[39] /= 1000;
  const auto made = solved(scene, ncp_to(1e-10));
  EXPECT_EQ(made.report.not_converged, 0u);
  EXPECT_EQ(made.report.iterations, 0);
  EXPECT_LE(missed(scene, made), 1e-11);
  EXPECT_LE(made.report.residual, 1e-11);
  // The work of the rows is the loss of energy.
  EXPECT_NEAR(made.report.joint_work, made.report.energy_after - made.report.energy_before,
              1e-10 * made.report.energy_before);
}

TEST(NcpJoints, with_contacts_have_the_velocities_that_sweeps_come_to_in_the_end) {
  RandomSceneOptions drawn;
  drawn.friction_limit = 0.3;
  drawn.with_joints = true;
  std::size_t agreed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto scene = random_scene<double>(seed, drawn);
    const auto swept = solved(scene, exact<double>(Procedure::pgs));
    const auto found = solved(scene, ncp_to(1e-12));
    // Joints and contacts that rebound may contradict each other.
    if (swept.report.not_converged > 0) continue;
    EXPECT_EQ(found.report.not_converged, 0u) << seed;
    EXPECT_LE(distance(scene, found, swept), 1e-8) << seed;  // as without joints
    ++agreed;
  }
  EXPECT_GE(agreed, 30u);
}

// A chain lies on the ground: its contacts are coupled by the joints in between.
TEST(NcpJoints, couple_the_contacts_of_the_bodies_that_they_connect) {
  auto scene = chain<double>(6);
  for (std::int32_t i = 0; i < 6; ++i)
    for (const double y : {-0.1, 0.1}) scene.add(Contact{i, world, {0, 0, 1}, {i + 0.5, y, -0.1}, 0.5});
  scene.bodies.velocity[0].assign(6, 1.0);
  scene.bodies.velocity[1][2] = 0.3;
  const auto found = solved(scene, ncp_to(1e-12)), swept = solved(scene, exact<double>(Procedure::pgs));
  EXPECT_EQ(found.report.not_converged, 0u);
  EXPECT_LE(distance(scene, found, swept), 1e-8);
}

// Redundant rows have no effect, and the others hold.
TEST(NcpJoints, may_repeat_each_other_and_close_loops) {
  auto scene = chain<double>(4);
  add_ball_joint(scene.joints, JointBodies<double>{3, 2, {-0.5, 0, 0}, {0.5, 0, 0}});
  add_ball_joint(scene.joints, JointBodies<double>{3, 0, {0.5, 0, 0}, {3.5, 0, 0}});
  const auto made = solved(scene, ncp_to(1e-10));
  EXPECT_LE(missed(scene, made), 1e-10);
  auto in_float = chain<float>(4);
  add_hinge(in_float.joints, JointBodies<float>{3, 2, {-0.5f, 0.1f, 0}, {0.5f, 0.1f, 0}}, {0, 1, 0});
  add_hinge(in_float.joints, JointBodies<float>{3, 2, {-0.5f, 0.3f, 0}, {0.5f, 0.3f, 0}}, {0, 1, 0});
  // Twice the rounding of velocities of some 0.1 m/s, by lever arms of a metre.
  EXPECT_LE(missed(in_float, solved(in_float, ncp_to(1e-4))), 1e-6);
}

// Two ball joints at one point have targets that differ by 0.2 m/s: both violate theirs by half of it, and the contacts
// are solved.
TEST(NcpJoints, that_contradict_each_other_share_the_difference) {
  auto scene = chain<double>(4);
  const std::size_t first = scene.row_count();
  add_ball_joint(scene.joints, JointBodies<double>{2, 1, {-0.5, 0, 0}, {0.5, 0, 0}});
  scene.joints.rows[first].target_velocity = 0.2;
  for (std::int32_t i = 0; i < 4; ++i)
    for (const double y : {-0.1, 0.1}) scene.add(Contact{i, world, {0, 0, 1}, {i + 0.5, y, -0.1}, 0.5});
  const auto made = solved(scene, ncp_to(1e-10));
  EXPECT_EQ(made.report.not_converged, 0u);
  EXPECT_NEAR(missed(scene, made), 0.1, 1e-7);
  for (const double impulse : made.arrays.joint_impulse) EXPECT_LT(std::abs(impulse), 10);
}

// Contacts between bodies that fixed joints hold have a Delassus matrix of rounding errors; another contact is sound.
TEST(NcpJoints, leave_contacts_that_they_lock_without_impulses) {
  auto scene = stack<double>(3);
  add_fixed_joint(scene.joints, JointBodies<double>{0, world, {0, 0, -0.5}, {}});
  add_fixed_joint(scene.joints, JointBodies<double>{1, 0, {0, 0, -0.5}, {0, 0, 0.5}});
  const auto made = solved(scene, ncp_to(1e-10));
  EXPECT_EQ(made.report.not_converged, 0u);
  // Bodies of 0.1 m/s; the joints are solved to rounding, and the rest is no impulse of weight.
  for (std::size_t body = 0; body < 3; ++body)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(made.velocity(body)[c], 0, 1e-9) << body;
  for (std::size_t contact = 0; contact < 8; ++contact)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(made.impulse(contact)[c], 0, 1e-9) << contact;
  double weight = 0;
  for (std::size_t contact = 8; contact < 12; ++contact) weight += made.impulse(contact)[2];
  EXPECT_NEAR(weight, 0.0981, 1e-9);
}

SceneData<double> row_on_a_cube(double target, double least, double largest, double compliance = 0) {
  SceneData<double> scene;
  scene.add(Body{.inverse_mass = 0.5});
  JointRowData<double>::Row row;
  row.body_a = 0;
  row.linear_a = {1, 0, 0};
  row.target_velocity = target;
  row.min_impulse = least;
  row.max_impulse = largest;
  row.compliance = compliance;
  scene.joints.rows.push_back(row);
  return scene;
}

// A body of 2 kg that a row is to bring to a speed: λ = 2 target, or the bound.
TEST(NcpJoints, keep_their_bounds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const struct {
    double target, least, largest, expected;
  } cases[] = {
      {1, -infinity, infinity, 2}, {1, -1, 1, 1},        {-1, -1, 1, -1},      {0.25, -1, 1, 0.5},
      {1, 0, infinity, 2},         {-1, 0, infinity, 0}, {1, -infinity, 0, 0}, {-1, -infinity, 0, -2},
      {1, 0.5, 0.5, 0.5},          {0, 3, 5, 3},         {1, -1e30, 1e30, 2},  {1, -1e30, 1.5, 1.5},
      {-1, 3, infinity, 3},        {1, -1e4, 1e4, 2},
  };
  for (const auto& [target, least, largest, expected] : cases) {
    const auto made = solved(row_on_a_cube(target, least, largest), ncp_to(1e-12));
    EXPECT_NEAR(made.arrays.joint_impulse[0], expected, 1e-9) << target << " in " << least << ", " << largest;
    EXPECT_NEAR(made.velocity(0)[0], expected / 2, 1e-9) << target << " in " << least << ", " << largest;
    EXPECT_EQ(made.report.not_converged, 0u) << target << " in " << least << ", " << largest;
  }
}

// However far the solver is from the solution, bodies move by the reported impulses of their rows.
TEST(NcpJoints, give_their_bodies_the_impulses_that_are_told) {
  std::size_t held = 0;
  for (const double tolerance : {1e-2, 1e-6})
    for (const double bound : {0.5, 1.0, 3.0}) {
      auto scene = stack<double>(5);
      for (std::int32_t b = 0; b + 1 < 5; ++b) {
        add_motor(scene.joints, JointBodies<double>{b, b + 1, {}, {}}, {0, 0, 1}, 5.0, bound);
        add_linear_motor(scene.joints, JointBodies<double>{b, -1, {}, {}}, {1, 0, 0}, 1.0, bound);
      }
      const auto made = solved(scene, ncp_to(tolerance));
      std::vector<double> turned(5, 0), pushed(5, 0);
      for (std::size_t r = 0; r < scene.row_count(); ++r) {
        const auto& row = scene.joints.rows[r];
        const double impulse = made.arrays.joint_impulse[r];
        EXPECT_LE(std::abs(impulse), bound);
        held += std::abs(impulse) == bound ? 1 : 0;
        for (const auto& [body, linear, angular] : {std::tuple(row.body_a, row.linear_a, row.angular_a),
                                                    std::tuple(row.body_b, row.linear_b, row.angular_b)}) {
          if (body < 0) continue;
          pushed[static_cast<std::size_t>(body)] += impulse * linear[0];
          turned[static_cast<std::size_t>(body)] += impulse * angular[2];
        }
      }
      for (std::size_t i = 0; i < scene.contact_count(); ++i) {
        const Vector p = made.impulse(i);
        const auto give = [&](std::int32_t body, double sign, const Vector& lever) {
          if (body < 0) return;
          pushed[static_cast<std::size_t>(body)] += sign * p[0];
          turned[static_cast<std::size_t>(body)] += sign * cross(lever, p)[2];
        };
        give(scene.body_a[i], 1, at(scene.r_a, i));
        give(scene.body_b[i], -1, at(scene.r_b, i));
      }
      for (std::size_t b = 0; b < 5; ++b) {
        EXPECT_NEAR(made.velocity(b)[0], pushed[b] * scene.bodies.inverse_mass[b], 1e-13) << b;
        EXPECT_NEAR(made.angular_velocity(b)[2], turned[b] * scene.bodies.inverse_inertia[5][b], 1e-13) << b;
      }
    }
  EXPECT_GT(held, 3u);
}

// (1/2 + 3/2) λ = 1.
TEST(NcpJoints, give_way_by_their_compliance) {
  for (const double bound : {std::numeric_limits<double>::infinity(), 10.0})
    EXPECT_NEAR(solved(row_on_a_cube(1, -bound, bound, 1.5), ncp_to(1e-12)).arrays.joint_impulse[0], 0.5, 1e-9)
        << bound;
  EXPECT_NEAR(solved(row_on_a_cube(1, 0.2, std::numeric_limits<double>::infinity(), 1.5), ncp_to(1e-12))
                  .arrays.joint_impulse[0],
              0.5, 1e-9);
}

}  // namespace
}  // namespace carom::scenes
