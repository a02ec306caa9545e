// Joints, contacts at rest, steps and shock propagation.
#include <gtest/gtest.h>

#include <carom/reference_scene.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/scenes/random_scene_of_structs.hpp"
#include "support/scenes/scene_of_structs.hpp"

namespace carom::reference {
namespace {

using scenes::MethodOptions;
using scenes::Procedure;

using support::SceneContact;
using support::SceneData;
using support::SceneResultArrays;
using support::SceneRow;
using support::solved;
using support::Vector;
using support::with_method;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// The velocity of the point at `lever`.
Vector point_velocity(const SceneResultArrays<double>& results, std::size_t body, const Vector& lever) {
  Vector u = cross(results.angular_velocity[body], lever);
  for (std::size_t j = 0; j < 3; ++j) u[j] += results.velocity[body][j];
  return u;
}

// Joints.

constexpr Procedure with_joints[] = {Procedure::pgs, Procedure::sequential_impacts, Procedure::collisions,
                                     Procedure::resting};

// Two cubes of 1 kg that hang from the world at their corners, and from each other.
SceneData<double> double_pendulum() {
  SceneData<double> data;
  data.add_body({1, {6, 0, 0, 6, 0, 6}, {1, 2, -1}, {3, 0.5, 1}});
  data.add_body({1, {6, 0, 0, 6, 0, 6}, {-1, 1, 0}, {0, 2, -1}});
  data.add_ball(0, -1, {0.5, 0.5, 0.5}, {});
  data.add_ball(0, 1, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5});
  return data;
}

TEST(scene_joints, hold_a_pendulum_under_every_method) {
  for (Procedure method : with_joints) {
    MethodOptions options = with_method(method, 10'000);
    options.bender_schmitt.rest_tolerance = 1e-6;  // of resting: 1e-6 m · 1e-2 / 0.01 s = 1e-6 m/s
    SceneReport report;
    const auto results = solved(double_pendulum(), options, &report);
    EXPECT_EQ(report.not_converged, 0u);
    // A residual of 1e-6 of the max. deviation, which is at most |v| + 3^½/2 |w| of two bodies, below 10 m/s.
    const Vector hinge = point_velocity(results, 0, {0.5, 0.5, 0.5});
    const Vector upper = point_velocity(results, 0, {-0.5, -0.5, -0.5});
    const Vector lower = point_velocity(results, 1, {0.5, 0.5, 0.5});
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(hinge[j], 0, 1e-5);
      EXPECT_NEAR(upper[j], lower[j], 1e-5);
    }
    // The lower cube's change of velocity is all of the second joint's impulse.
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(results.velocity[1][j] - double_pendulum().bodies[1].velocity[j], -results.joint_impulse[3 + j],
                  1e-12);
    EXPECT_LT(report.energy_after, report.energy_before);
  }
}

// The rows of a joint are one block: one impact holds a single pendulum to rounding.
TEST(scene_joints, are_a_single_impact_of_a_sequence) {
  SceneData<double> data;
  data.add_body({1, {6, 0, 0, 6, 0, 6}, {1, 2, -1}, {3, 0.5, 1}});
  data.add_ball(0, -1, {0.5, 0.5, 0.5}, {});
  SceneReport report;
  const auto results = solved(data, with_method(Procedure::sequential_impacts), &report);
  EXPECT_EQ(report.impacts, 1u);
  for (double u : point_velocity(results, 0, {0.5, 0.5, 0.5})) EXPECT_NEAR(u, 0, 64 * epsilon);
  // A joint whose rows repeat each other is solved by rows.
  for (std::size_t i = 0; i < 3; ++i) data.add_row(SceneRow<double>(data.rows[i]));
  for (double u : point_velocity(solved(data, with_method(Procedure::sequential_impacts)), 0, {0.5, 0.5, 0.5}))
    EXPECT_NEAR(u, 0, 1e-5);
}

// A motor turns a free wheel of inertia 1/6 from 1 or 7 rad/s to 4: ±0.5 N m s, or as far as its impulse limit permits.
TEST(scene_joints, stay_within_their_bounds) {
  for (Procedure method : with_joints)
    for (double largest : {0.7, 0.3, -0.7, -0.3}) {
      const double sign = largest > 0 ? 1 : -1;
      largest = std::abs(largest);
      SceneData<double> data;
      data.add_body({1, {6, 0, 0, 6, 0, 6}, {}, {0, 0, 4 - 3 * sign}});
      SceneRow<double> row;
      row.body_a = 0;
      row.angular_a = {0, 0, 1};
      row.target_velocity = 4;
      row.min_impulse = -largest;
      row.max_impulse = largest;
      data.add_row(row);
      SceneReport report;
      const auto results = solved(data, with_method(method), &report);
      const double impulse = sign * std::min(largest, 0.5);
      EXPECT_NEAR(results.joint_impulse[0], impulse, 4 * epsilon);
      EXPECT_NEAR(results.angular_velocity[0][2], 4 - 3 * sign + 6 * impulse, 16 * epsilon);
      EXPECT_EQ(report.not_converged, 0u);
      EXPECT_LE(report.residual, 16 * epsilon);
    }
}

// (1 + γ) λ = -v: λ = -2 / 1.25.
TEST(scene_joints, give_way_by_their_compliance) {
  SceneData<double> data;
  data.add_body({1, {6, 0, 0, 6, 0, 6}, {2, 0, 0}, {}});
  SceneRow<double> row;
  row.body_a = 0;
  row.linear_a = {1, 0, 0};
  row.compliance = 0.25;
  data.add_row(row);
  for (Procedure method : with_joints)
    EXPECT_NEAR(solved(data, with_method(method)).joint_impulse[0], -1.6, 8 * epsilon);
}

// Contacts at rest.

// The unit cube of 1 kg above a floor, its lower corners `separation` away from it.
SceneData<double> box_on_floor(double separation, const Vector& velocity, const Vector& angular_velocity,
                               double friction = 0) {
  SceneData<double> data;
  data.add_body({1, {6, 0, 0, 6, 0, 6}, velocity, angular_velocity});
  for (double x : {-0.5, 0.5})
    for (double y : {-0.5, 0.5}) {
      SceneContact<double> contact;
      contact.body_a = 0;
      contact.r_a = {x, y, -0.5};
      contact.separation = separation;
      contact.friction = friction;
      data.add_contact(contact);
    }
  return data;
}

// The height of a corner after the time h, with the velocities held: its lever turns by |w| h about w.
double height_after(const SceneData<double>& data, const SceneResultArrays<double>& results, std::size_t corner,
                    double h) {
  const Vector &w = results.angular_velocity[0], &r = data.contacts[corner].r_a;
  const double speed = std::sqrt(dot(w, w)), angle = speed * h;
  Vector axis{0, 0, 1};
  if (speed > 0) axis = {w[0] / speed, w[1] / speed, w[2] / speed};
  const double turned =
      r[2] * std::cos(angle) + cross(axis, r)[2] * std::sin(angle) + axis[2] * dot(axis, r) * (1 - std::cos(angle));
  return data.contacts[corner].separation + h * results.velocity[0][2] + turned - r[2];
}

TEST(scene_resting, leaves_no_overlap_after_the_step) {
  const SceneData<double> boxes[] = {box_on_floor(1e-4, {0, 0, -0.03}, {}), box_on_floor(0, {0, 0, -0.04}, {}),
                                     box_on_floor(1e-4, {0.1, 0, -0.01}, {0.02, -0.03, 5}),
                                     box_on_floor(-2e-4, {0, 0, 0}, {0.01, 0, 0})};
  for (const SceneData<double>& data : boxes)
    for (double gravity : {0.0, -9.81}) {
      MethodOptions options = with_method(Procedure::resting);
      options.gravity = {0, 0, gravity};
      SceneReport report;
      const auto results = solved(data, options, &report);
      EXPECT_EQ(report.not_converged, 0u);
      EXPECT_GT(report.max_approach_speed, 1e-3);
      double lowest = 1;
      for (std::size_t i = 0; i < 4; ++i) lowest = std::min(lowest, height_after(data, results, i, 0.01));
      // An island is done with a hundredth of the tolerance, or 1e-6 of the approach, which is less. The
      // approximant misses the turned lever by (w h)^5 / 720 of it, below 5e-10 m here.
      EXPECT_GT(lowest, -1.01e-6);
      EXPECT_LT(lowest, 1.01e-6);
    }
}

// r after it has turned with w for the time h, exactly.
Vector turned(const Vector& w, const Vector& r, double h) {
  const double speed = std::sqrt(dot(w, w)), angle = speed * h;
  const Vector axis{w[0] / speed, w[1] / speed, w[2] / speed}, side = cross(axis, r);
  const double along = dot(axis, r) * (1 - std::cos(angle));
  Vector t;
  for (std::size_t j = 0; j < 3; ++j) t[j] = r[j] * std::cos(angle) + side[j] * std::sin(angle) + axis[j] * along;
  return t;
}

TEST(scene_resting, predicts_where_points_and_normals_turn_to) {
  const double h = 0.01, separation = 0.002;
  SceneData<double> data;
  data.add_body({1, {6, 0, 0, 7, 0, 5}, {0.1, 0.2, -20}, {20, 3, -7}});
  data.add_body({0, {}, {0.3, -0.2, 0.5}, {2, -15, 4}});
  SceneContact<double> contact;
  contact.body_a = 0;
  contact.body_b = 1;
  contact.r_a = {0.3, 0.4, -0.5};
  contact.r_b = {-0.7, 0.6, 0.2};
  contact.separation = separation;
  data.add_contact(contact);
  MethodOptions options = with_method(Procedure::resting, 10'000);
  options.bender_schmitt.rest_tolerance = 1e3;  // no contact counts as a collision
  options.tolerance = 0;
  const auto results = solved(data, options);
  ASSERT_EQ(results.status[0], Status::ok);
  const Vector a = turned(results.angular_velocity[0], contact.r_a, h);
  const Vector b = turned(results.angular_velocity[1], contact.r_b, h);
  Vector apart;
  for (std::size_t j = 0; j < 3; ++j)
    apart[j] = separation * contact.normal[j] + h * (results.velocity[0][j] - results.velocity[1][j]) + a[j] -
               contact.r_a[j] - b[j] + contact.r_b[j];
  // The approximant's error of a turned r is (w h)^5 / 720 of it: 0.22^5 / 720 of 1.7 m in sum is 1.2e-6 m. A third
  // order approximant would have an error of some 1e-4.
  EXPECT_NEAR(dot(apart, turned(results.angular_velocity[1], contact.normal, h)), 0, 1.5e-6);
}

TEST(scene_resting, leaves_alone_what_is_far_enough_and_what_collides) {
  for (const auto& data : {box_on_floor(0.01, {0, 0, -0.04}, {}), box_on_floor(0, {0, 0, -0.05}, {})}) {
    // sqrt(2 · 9.81 · 1e-4) = 0.0443
    const auto results = solved(data, with_method(Procedure::resting));
    EXPECT_EQ(results.velocity[0], data.bodies[0].velocity);
    EXPECT_EQ(results.status[0], Status::separating);
  }
}

// The friction of a box at rest takes the predicted slip of the whole step away: it stays where it is, with μ = 0.5
// under a pull of 0.4 g along the floor, and slides under 0.6 g.
TEST(scene_resting, friction_holds_a_box_in_place) {
  for (double pull : {0.4, 0.6}) {
    MethodOptions options = with_method(Procedure::resting, 10'000);
    options.gravity = {pull * 9.81, 0, -9.81};
    options.tolerance = 0;
    options.bender_schmitt.rest_tolerance = 1e-12;  // no collision: it is at rest
    const auto results = solved(box_on_floor(0, {}, {}, 0.5), options);
    const double way = 0.01 * results.velocity[0][0];
    if (pull == 0.4)
      EXPECT_NEAR(way, 0, 1e-9);
    else
      EXPECT_GT(way, 1e-5);
  }
}

// Cubes on each other that all fall onto the floor at 1 m/s. The upper one is A, or B.
SceneData<double> stack(std::size_t height, bool upper_is_a = true) {
  SceneData<double> data;
  for (std::size_t i = 0; i < height; ++i) {
    data.add_body({1, {6, 0, 0, 6, 0, 6}, {0, 0, -1}, {}});
    for (double x : {-0.5, 0.5})
      for (double y : {-0.5, 0.5}) {
        SceneContact<double> contact;
        contact.body_a = static_cast<std::int32_t>(i);
        contact.body_b = static_cast<std::int32_t>(i) - 1;
        contact.r_a = {x, y, -0.5};
        if (i > 0) contact.r_b = {x, y, 0.5};
        contact.friction = 0.5;
        if (!upper_is_a) {
          std::swap(contact.body_a, contact.body_b);
          std::swap(contact.r_a, contact.r_b);
          contact.normal = {0, 0, -1};
        }
        data.add_contact(contact);
      }
  }
  return data;
}

TEST(scene_shock, stops_a_stack_within_few_sweeps) {
  for (Procedure method : {Procedure::collisions, Procedure::resting})
    for (bool upper_is_a : {true, false}) {
      MethodOptions options = with_method(method, 4);
      options.bender_schmitt.filter = ContactFilter::touching;
      options.bender_schmitt.rest_tolerance = 1;  // 1 m/s is no collision: resting takes them
      SceneReport without, with;
      solved(stack(20, upper_is_a), options, &without);
      EXPECT_GT(without.residual, 0.2);
      options.bender_schmitt.shock_propagation = 30;
      const auto results = solved(stack(20, upper_is_a), options, &with);
      // From the floor upwards each cube has 30 sweeps over four contacts, that converge at a rate below 1/2.
      EXPECT_LT(with.residual, 1e-8);
      EXPECT_EQ(with.iterations, 4);
      // No cube falls through the one below it. Iterations may push cubes up.
      for (std::size_t i = 0; i < 20; ++i) EXPECT_GT(results.velocity[i][2], -1e-6) << i;
      EXPECT_LT(with.energy_after, with.energy_before);
    }
}

// A body that only turns about its centre can't answer when the other one is held: the contact is left as it is.
TEST(scene_shock, leaves_out_contacts_of_pivots_alone) {
  SceneData<double> data = stack(2);
  data.bodies[1].inverse_mass = 0;
  MethodOptions options = with_method(Procedure::collisions);
  options.bender_schmitt.filter = ContactFilter::touching;
  options.bender_schmitt.shock_propagation = 4;
  for (const Vector& v : solved(data, options).velocity)
    for (double x : v) EXPECT_TRUE(std::isfinite(x));
}

// Steps.

// A cube that falls at 2 m/s onto a cube at rest on the floor: collisions come first, e = 0, and then gravity presses
// both onto the floor for a step.
TEST(scene_step, resolves_collisions_and_then_contacts_at_rest) {
  SceneData<double> data = stack(2);
  data.bodies[0].velocity = {};
  data.bodies[1].velocity = {0, 0, -2};
  MethodOptions options = with_method(Procedure::both_phases);
  options.gravity = {0, 0, -9.81};
  SceneResultArrays<double> results(data);
  const SceneReport report = solve_scene(data.view(options), results.places(), options);
  EXPECT_EQ(report.not_converged, 0u);
  EXPECT_NEAR(report.max_approach_speed, 2, 4 * epsilon);
  double on_floor = 0, between = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    on_floor += results.impulse[i][2];
    between += results.impulse[4 + i][2];
    EXPECT_EQ(results.status[i], Status::ok);
    EXPECT_EQ(results.status[4 + i], Status::ok);
  }
  // After the step there is no overlap, and the bodies rest. In all the floor has stopped 2 N s, and holds 2 kg against
  // the step's gravity. Errors are a tolerance of 1e-6 m / 0.01 s times a few times the mass.
  EXPECT_NEAR(results.velocity[0][2], 0, 2e-4);
  EXPECT_NEAR(results.velocity[1][2], 0, 4e-4);
  EXPECT_NEAR(on_floor, 2 + 2 * 0.0981, 1e-3);
  EXPECT_NEAR(between, 2 + 0.0981, 1e-3);
}

TEST(scene_step, is_iteration_of_what_collides_and_then_resting) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SceneData<double> data = support::random_scene(seed).data;
    data.add_ball(0, 1, {0.1, 0, 0}, {0, 0.1, 0});
    MethodOptions options = with_method(Procedure::collisions, 100);
    options.bender_schmitt.rest_tolerance = 1e-3;
    SceneReport first, second;
    const auto collided = solved(data, options, &first);
    SceneData<double> between = collided.next(data);
    options.method = Procedure::resting;
    // The joint's impulse continues from the value of the iteration. Without bounds and compliance this has no effect.
    const auto rested = solved(between, options, &second);
    options.method = Procedure::both_phases;
    options.bender_schmitt.filter = ContactFilter::touching;  // does not count
    SceneResultArrays<double> both(data);
    const SceneReport report = solve_scene(data.view(options), both.places(), options);
    // Impulses are rounded as sums here and there.
    for (std::size_t i = 0; i < data.bodies.size(); ++i)
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(both.velocity[i][j], rested.velocity[i][j], 1e-10);
    for (std::size_t i = 0; i < data.contacts.size(); ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(both.impulse[i][j], collided.impulse[i][j] + rested.impulse[i][j], 1e-10);
      const bool any = collided.status[i] == Status::ok || rested.status[i] == Status::ok;
      EXPECT_EQ(both.status[i], any ? Status::ok : Status::separating);
    }
    if (report.islands == 1) {
      EXPECT_EQ(report.iterations, first.iterations + second.iterations);
    }
    EXPECT_EQ(report.max_approach_speed, first.max_approach_speed);
  }
}

}  // namespace
}  // namespace carom::reference
