// The collision matrix of mechanisms against generalised mass matrices, and the effect of impulses on their bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <carom/experimental.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "random/draw.hpp"
#include "support/scenes/mechanisms.hpp"

namespace carom {
namespace {

using support::between;
using support::DoublePendulum;
using support::Draw;
using support::Vector;
using Host = support::MechanismHost<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Vector x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};

/// Rounding errors of K: entries of up to 4 [1/kg] without joints, minus a sum of up to 20 products, and a digit that
/// the decomposition of nearly dependent rows loses.
constexpr double tolerance = 4 * 20 * 10 * epsilon;

double velocity_of(const Host& host, const JointRowData<double>::Row& row) {
  double sum = 0;
  const auto add = [&](std::int32_t i, const Vector& linear, const Vector& angular) {
    if (i < 0) return;
    const auto& body = host.bodies[static_cast<std::size_t>(i)];
    sum += dot(linear, body.velocity) + dot(angular, body.spin);
  };
  add(row.body_a, row.linear_a, row.angular_a);
  add(row.body_b, row.linear_b, row.angular_b);
  return sum;
}

/// Requires diagonal inertias.
double kinetic_energy(const Host& host) {
  double sum = 0;
  for (const auto& body : host.bodies) {
    if (body.inverse_mass > 0) sum += dot(body.velocity, body.velocity) / body.inverse_mass / 2;
    const auto& [xx, xy, xz, yy, yz, zz] = body.inverse_inertia;
    if (xx > 0)
      sum += (std::pow(body.spin[0], 2) / xx + std::pow(body.spin[1], 2) / yy + std::pow(body.spin[2], 2) / zz) / 2;
  }
  return sum;
}

Vector momentum(const Host& host) {
  Vector sum{};
  for (const auto& body : host.bodies)
    for (std::size_t i = 0; i < 3; ++i)
      if (body.inverse_mass > 0) sum[i] += body.velocity[i] / body.inverse_mass;
  return sum;
}

TEST(Mechanism, contact_of_a_body_without_joints_has_its_own_collision_matrix) {
  Host host;
  host.add(2, {0.3, 0.5, 0.4});
  host.add(3, {0.6, 0.7, 0.8});
  host.bodies[0].inverse_inertia = {2, 0.3, -0.4, 3, 0.5, 4};
  host.bodies[0].velocity = {1, 2, -3};
  host.bodies[1].spin = {4, -5, 6};
  host.contacts.push_back({0, 1, {0, 0, 1}, {0.1, 0.2, -0.5}, {-0.3, 0.1, 0.4}, 0.25, 0.75});
  const Scene<double> scene = host.scene();
  const MechanismContact contact = Mechanisms<double>(scene).contact(0);
  const reference::Collision expected = reference::collision_of(scene.indexed_contacts(), 0);
  EXPECT_EQ(contact.locked, 0);
  EXPECT_EQ(contact.friction, 0.25);
  EXPECT_EQ(contact.restitution, 0.75);
  // Both frames are the world's axes; sums of a few terms of up to 4.
  std::size_t entry = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(contact.separation_velocity[i], expected.u0[i], 16 * epsilon);
    for (std::size_t j = i; j < 3; ++j) EXPECT_NEAR(contact.k[entry++], expected.k[i][j], 16 * epsilon);
  }
}

// A rod of mass m and length l that turns about one end has I = m l²/3 there. An impulse perpendicular to it at the
// other end turns it by l/I, so this end gains l²/I = 3/m. Along the rod the compliance is 0. Along the hinge's axis, a
// hinge holds the rod and a ball joint does not.
TEST(Mechanism, rod_hinged_at_one_end_has_length_squared_over_inertia_at_the_other) {
  const double m = 2, l = 0.8, inertia = m * l * l / 12;
  for (const bool hinge : {true, false}) {
    Host host;
    host.add(m, {inertia / 1000, inertia, inertia});
    if (hinge)
      add_hinge<double>(host.joints, {0, -1, {-l / 2, 0, 0}, {}}, z_axis);
    else
      add_ball_joint<double>(host.joints, {0, -1, {-l / 2, 0, 0}, {}});
    host.contacts.push_back({0, -1, y_axis, {l / 2, 0, 0}, {}});
    const MechanismContact contact = Mechanisms<double>(host.scene()).contact(0);
    EXPECT_NEAR(between(contact, y_axis, y_axis), l * l / (m * l * l / 3), tolerance);
    EXPECT_NEAR(between(contact, z_axis, z_axis), hinge ? 0 : 3 / m, 4e-9 * 3);
    EXPECT_EQ(contact.locked, hinge ? 2 : 1);
  }
}

TEST(Mechanism, locked_directions_have_the_least_eigenvalue_of_the_options) {
  Host host;
  host.add(1, {1, 1, 1});
  add_ball_joint<double>(host.joints, {0, -1, {-1, 0, 0}, {}});
  host.contacts.push_back({0, -1, y_axis, {1, 0, 0}, {}});
  // Without joints K is 1 + [r]×ᵀ[r]×, of trace 3 + 2; with them 0, 2, 2.
  for (const double least : {0.0, 1e-9, 1e-3}) {
    const MechanismContact contact = Mechanisms<double>(host.scene(), {.min_eigenvalue = least}).contact(0);
    EXPECT_NEAR(between(contact, x_axis, x_axis), 5 * least, tolerance);
    EXPECT_NEAR(between(contact, y_axis, y_axis), 2, tolerance);
  }
  add_fixed_joint<double>(host.joints, {0, -1, {-1, 0, 0}, {}});
  EXPECT_EQ(Mechanisms<double>(host.scene()).contact(0).locked, 3);
}

TEST(Mechanism, double_pendulum_has_the_matrix_of_its_two_angles) {
  Draw draw(1);
  for (int run = 0; run < 200; ++run) {
    const auto rod = [&] {
      return DoublePendulum<double>::Rod{draw.uniform(0.5, 2), draw.uniform(0.5, 2),
                                         draw.uniform(-1, 1) * std::numbers::pi};
    };
    DoublePendulum<double> pendulum(rod(), rod(), draw.direction());
    const MechanismContact contact = Mechanisms<double>(pendulum.scene()).contact(0);
    const auto [xx, xy, yy] = pendulum.generalised();
    // 9/m is the trace of K without joints.
    const double rounding = tolerance * 9 / pendulum.rods[1].mass;
    EXPECT_NEAR(between(contact, x_axis, x_axis), xx, rounding) << run;
    EXPECT_NEAR(between(contact, x_axis, y_axis), xy, rounding) << run;
    EXPECT_NEAR(between(contact, y_axis, y_axis), yy, rounding) << run;
    EXPECT_EQ(contact.locked, 1) << run;
  }
}

TEST(Mechanism, single_precision_has_the_same_matrix_and_sees_redundant_rows) {
  Draw draw(2);
  for (int run = 0; run < 50; ++run) {
    const double first = draw.uniform(-3, 3);
    DoublePendulum<float> pendulum({1, 1, first}, {1, 1, first + 1}, draw.direction());
    // The first hinge twice, with a lever arm that is off by roundings.
    JointRowData<float>& joints = pendulum.joints;
    joints.rows.insert(joints.rows.end(), joints.rows.begin(), joints.rows.begin() + 5);
    for (std::size_t i = 10; i < 15; ++i)
      for (float& x : joints.rows[i].angular_a) x *= 1 + std::numeric_limits<float>::epsilon();
    const MechanismContact contact = Mechanisms<float>(pendulum.scene()).contact(0);
    const auto [xx, xy, yy] = pendulum.generalised();
    // Masses, inertias and lever arms are rounded to float; K is as much off, by the condition of H, some 30.
    const double rounding = 9 * 30 * static_cast<double>(std::numeric_limits<float>::epsilon());
    EXPECT_NEAR(between(contact, x_axis, x_axis), xx, rounding) << run;
    EXPECT_NEAR(between(contact, x_axis, y_axis), xy, rounding) << run;
    EXPECT_NEAR(between(contact, y_axis, y_axis), yy, rounding) << run;
  }
}

// Two upright cranks of mass m and length l, hinged to the ground, carry a bar of mass M by hinges: a loop of 20 rows
// for 18 velocities, one of which stays free. The bar does not turn, so that v = l w and the energy is ½ (M + 2 (m
// l²/3) / l²) v²: an impulse on the bar along its motion has K = 1 / (M + 2m/3).
TEST(Mechanism, closed_loop_moves_with_its_one_freedom) {
  const double m = 2, l = 0.5, bar = 3, width = 1.2;
  Host host;
  for (int side = 0; side < 2; ++side) host.add(m, {m * l * l / 12, m * l * l / 1200, m * l * l / 12});
  host.add(bar, {0.01, bar * width * width / 12, bar * width * width / 12});
  for (std::int32_t side = 0; side < 2; ++side) {
    add_hinge<double>(host.joints, {side, -1, {0, -l / 2, 0}, {}}, z_axis);
    add_hinge<double>(host.joints, {2, side, {(side - 0.5) * width, 0, 0}, {0, l / 2, 0}}, z_axis);
  }
  host.contacts.push_back({2, -1, x_axis, {-width / 2, 0, 0}, {}});
  const MechanismContact contact = Mechanisms<double>(host.scene()).contact(0);
  EXPECT_NEAR(contact.k[5], 1 / (bar + 2 * m / 3), tolerance);
  EXPECT_EQ(contact.locked, 2);
}

// Two identical joints share the impulse in an undetermined way; all other results are as with one.
TEST(Mechanism, redundant_rows_change_nothing) {
  std::array<Host, 2> hosts;
  std::array<MechanismContact, 2> contacts;
  std::array<std::vector<double>, 2> impulses;
  for (std::size_t i = 0; i < 2; ++i) {
    Host& host = hosts[i];
    host.add(1, {0.2, 0.3, 0.4});
    host.add(2, {0.5, 0.6, 0.7});
    for (std::size_t copies = 0; copies <= i; ++copies)
      add_ball_joint<double>(host.joints, {1, 0, {0.3, -0.4, 0.1}, {0.2, 0.5, -0.6}});
    host.contacts.push_back({1, -1, {0.6, 0, 0.8}, {0.1, 0.7, -0.3}, {}});
    const Mechanisms<double> mechanisms(host.scene());
    contacts[i] = mechanisms.contact(0);
    impulses[i].resize(host.joints.rows.size());
    mechanisms.apply(contacts[i], {1, -2, 3}, host.velocity(), host.spin(), impulses[i]);
  }
  EXPECT_EQ(contacts[0].locked, 0);
  for (std::size_t entry = 0; entry < 6; ++entry) EXPECT_NEAR(contacts[1].k[entry], contacts[0].k[entry], tolerance);
  for (std::size_t body = 0; body < 2; ++body) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(hosts[1].bodies[body].velocity[i], hosts[0].bodies[body].velocity[i], 4 * tolerance);
      EXPECT_NEAR(hosts[1].bodies[body].spin[i], hosts[0].bodies[body].spin[i], 4 * tolerance);
    }
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(impulses[1][i] + impulses[1][i + 3], impulses[0][i], 4 * tolerance);
}

// Ball joints at two points δ apart are a hinge about the line through them. The first row of the second joint is
// dependent up to a fraction of the order of δ relative to the distances from the centre of mass.
TEST(Mechanism, rows_that_differ_by_less_than_the_option_are_redundant) {
  for (const double apart : {1e-5, 1e-2}) {
    Host host;
    host.add(1, {1, 1, 1});
    for (const double z : {0.0, apart}) add_ball_joint<double>(host.joints, {0, -1, {-1, 0, z}, {}});
    host.contacts.push_back({0, -1, z_axis, {1, 0, 0}, {}});
    EXPECT_EQ(Mechanisms<double>(host.scene(), {.redundancy = 2 * apart}).contact(0).locked, 1);
    EXPECT_EQ(Mechanisms<double>(host.scene()).contact(0).locked, 2);
  }
}

/// Five bodies in a chain of all joints, perhaps hung up, whose inertias are diagonal and of the order of 1. Contact 0
/// is one of the last body with the world, contact 1 of the first with the last.
Host chain(Draw& draw, bool grounded) {
  Host host;
  const auto size = [&] { return draw.uniform(0.5, 2); };
  for (std::int32_t i = 0; i < 5; ++i) {
    host.add(size(), {size(), size(), size()});
    host.bodies.back().velocity = draw.bell3(1);
    host.bodies.back().spin = draw.bell3(1);
    if (i == 0 && !grounded) continue;
    const JointBodies<double> joint = {i, i - 1, draw.bell3(1), draw.bell3(1)};
    if (i == 4)
      add_fixed_joint(host.joints, joint);
    else if (i == 2)
      add_slider(host.joints, joint, draw.direction());
    else if (i == 1)
      add_hinge(host.joints, joint, draw.direction());
    else
      add_ball_joint(host.joints, joint);
  }
  host.contacts.push_back({4, -1, draw.direction(), draw.bell3(1), {}});
  host.contacts.push_back({0, 4, draw.direction(), draw.bell3(1), draw.bell3(1)});
  return host;
}

// Velocities of some 3 by products with 20 rows: the residual of a row has the rounding error of its largest term, and
// impulses of the order of 10 have the errors of the decomposition.
constexpr double velocity_tolerance = 10 * tolerance;

TEST(Mechanism, rows_that_are_not_satisfied_can_be_made_so) {
  Draw draw(3);
  for (int run = 0; run < 100; ++run) {
    Host host = chain(draw, true);
    for (auto& row : host.joints.rows) row.target_velocity = draw.bell();
    host.joints.rows[1].compliance = 0.5;
    std::vector<double> impulse(host.joints.rows.size(), 0.0);
    Mechanisms<double>(host.scene()).satisfy_rows(host.velocity(), host.spin(), impulse);
    for (std::size_t i = 0; i < impulse.size(); ++i) {
      const auto& row = host.joints.rows[i];
      EXPECT_NEAR(velocity_of(host, row) + row.compliance * impulse[i], row.target_velocity, velocity_tolerance) << i;
    }
  }
}

TEST(Mechanism, impulse_keeps_the_rows_and_moves_the_contact_by_its_matrix) {
  Draw draw(4);
  for (int run = 0; run < 100; ++run) {
    Host host = chain(draw, run % 2 == 0);
    const Mechanisms<double> mechanisms(host.scene());
    mechanisms.satisfy_rows(host.velocity(), host.spin());
    for (const std::size_t index : {0u, 1u}) {
      const MechanismContact before = mechanisms.contact(index);
      const Vector impulse = draw.bell3(3);
      mechanisms.apply(before, impulse, host.velocity(), host.spin());
      const MechanismContact after = mechanisms.contact(index);
      const auto& [xx, xy, xz, yy, yz, zz] = before.k;
      const Vector change = {dot({xx, xy, xz}, impulse), dot({xy, yy, yz}, impulse), dot({xz, yz, zz}, impulse)};
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(after.separation_velocity[i], before.separation_velocity[i] + change[i], velocity_tolerance);
      for (const auto& row : host.joints.rows) EXPECT_NEAR(velocity_of(host, row), 0, velocity_tolerance);
    }
  }
}

// Joints that hold take no energy: p·u0 + ½ p·K p is all that the contact's impulse brings.
TEST(Mechanism, energy_changes_by_the_work_of_the_contact_alone) {
  Draw draw(5);
  for (int run = 0; run < 100; ++run) {
    Host host = chain(draw, run % 2 == 0);
    const Mechanisms<double> mechanisms(host.scene());
    mechanisms.satisfy_rows(host.velocity(), host.spin());
    const MechanismContact contact = mechanisms.contact(0);
    const Vector p = draw.bell3(3);
    const double before = kinetic_energy(host), work = dot(p, contact.separation_velocity) +
                                                       between(contact, contact.in_world(p), contact.in_world(p)) / 2;
    mechanisms.apply(contact, p, host.velocity(), host.spin());
    EXPECT_NEAR(kinetic_energy(host), before + work, 10 * velocity_tolerance);
  }
}

TEST(Mechanism, momentum_changes_by_the_impulses_from_outside) {
  Draw draw(6);
  for (int run = 0; run < 100; ++run) {
    const bool grounded = run % 2 == 0;
    Host host = chain(draw, grounded);
    const Mechanisms<double> mechanisms(host.scene());
    for (const std::size_t index : {0u, 1u}) {
      const MechanismContact contact = mechanisms.contact(index);
      const Vector p = draw.bell3(3), before = momentum(host), in_world = contact.in_world(p);
      std::vector<double> impulse(host.joints.rows.size(), 0.0);
      mechanisms.apply(contact, p, host.velocity(), host.spin(), impulse);
      const Vector after = momentum(host);
      for (std::size_t i = 0; i < 3; ++i) {
        // Contact 0 is with the world; the ground's joint has the first three rows, along x, y and z.
        const double outside = (index == 0 ? in_world[i] : 0) + (grounded ? impulse[i] : 0);
        EXPECT_NEAR(after[i] - before[i], outside, 10 * velocity_tolerance) << run << ' ' << index;
      }
    }
  }
}

TEST(Mechanism, units_of_rows_do_not_count) {
  Draw draw(8);
  for (int run = 0; run < 50; ++run) {
    Host host = chain(draw, true);
    const auto before = Mechanisms<double>(host.scene()).contact(0).k;
    for (auto& row : host.joints.rows) {
      const double factor = std::pow(1e6, draw.uniform(-1, 1));
      for (auto* vector : {&row.linear_a, &row.angular_a, &row.linear_b, &row.angular_b})
        for (double& x : *vector) x *= factor;
    }
    const auto after = Mechanisms<double>(host.scene()).contact(0).k;
    for (std::size_t entry = 0; entry < 6; ++entry) EXPECT_NEAR(after[entry], before[entry], 10 * tolerance);
  }
}

// A body of mass m on a joint of compliance γ along the normal: m du + λ = p and du = -γ λ' with λ' = -λ, so that
// du = p / (m + 1/γ).
TEST(Mechanism, compliance_adds_to_the_mass) {
  Host host;
  host.add(2, {1, 1, 1});
  add_distance_joint<double>(host.joints, {0, -1, {}, {}}, y_axis);
  host.contacts.push_back({0, -1, y_axis, {}, {}});
  for (const double compliance : {0.01, 0.5, 100.0}) {
    host.joints.rows[0].compliance = compliance;
    EXPECT_NEAR(Mechanisms<double>(host.scene()).contact(0).k[5], 1 / (2 + 1 / compliance), tolerance);
  }
}

TEST(Mechanism, matrix_between_two_mechanisms_is_the_sum_of_theirs) {
  Draw draw(7);
  Host both = chain(draw, true);
  const Host second = chain(draw, true);
  both.contacts.resize(1);
  both.contacts[0].r_b = second.contacts[0].r_a;
  Host alone = both, other = second;
  other.contacts[0].normal = alone.contacts[0].normal;
  for (auto row : second.joints.rows) {
    for (std::int32_t* body : {&row.body_a, &row.body_b})
      if (*body >= 0) *body += 5;
    both.joints.rows.push_back(row);
  }
  both.bodies.insert(both.bodies.end(), second.bodies.begin(), second.bodies.end());
  both.contacts[0].b = 9;
  const auto matrix = [](Host& host) { return Mechanisms<double>(host.scene()).contact(0).k; };
  const auto sum = matrix(both), a = matrix(alone), b = matrix(other);
  for (std::size_t entry = 0; entry < 6; ++entry) EXPECT_NEAR(sum[entry], a[entry] + b[entry], 10 * tolerance);
}

// The velocity of a kinematic body does not change, and the body holds the bodies that are joined to it.
TEST(Mechanism, kinematic_body_holds_and_keeps_its_velocity) {
  Host host;
  host.add(1, {1, 1, 1});
  host.bodies.push_back({0, {}, {1, 2, 3}, {4, 5, 6}});
  add_ball_joint<double>(host.joints, {0, 1, {-1, 0, 0}, {0, 1, 0}});
  host.contacts.push_back({0, 1, y_axis, {1, 0, 0}, {}});
  const Mechanisms<double> mechanisms(host.scene());
  mechanisms.satisfy_rows(host.velocity(), host.spin());
  const MechanismContact contact = mechanisms.contact(0);
  EXPECT_EQ(contact.locked, 1);
  mechanisms.apply(contact, {1, 2, 3}, host.velocity(), host.spin());
  EXPECT_EQ(host.bodies[1].velocity, (Vector{1, 2, 3}));
  EXPECT_EQ(host.bodies[1].spin, (Vector{4, 5, 6}));
  for (const auto& row : host.joints.rows) EXPECT_NEAR(velocity_of(host, row), 0, velocity_tolerance);
}

TEST(Mechanism, separation_velocity_is_less_that_of_the_surface_and_the_target) {
  Host host;
  host.add(1, {1, 1, 1});
  host.bodies[0].velocity = {5, 6, 7};
  host.contacts.push_back({0, -1, z_axis, {}, {}});
  host.contacts[0].target_velocity = 0.5;
  host.contacts[0].surface_velocity = {1, 2, 40};  // along the normal it does not count
  const MechanismContact contact = Mechanisms<double>(host.scene()).contact(0);
  const Vector u0 = contact.in_world(contact.separation_velocity);
  EXPECT_EQ(u0, (Vector{4, 4, 6.5}));
}

}  // namespace
}  // namespace carom
