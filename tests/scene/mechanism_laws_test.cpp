// Collision laws on mechanisms, in space and in the plane, and the example of docs/mechanisms.md.
#include <gtest/gtest.h>

#include <array>
#include <carom/carom.hpp>
#include <carom/experimental.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/scenes/mechanisms.hpp"

namespace carom {
namespace {

using support::DoublePendulum;
using support::Vector;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The pendulum of docs/mechanisms.md: sin and cos of the angles are 3/5 and 4/5, a wall is on its right.
DoublePendulum<double> pendulum() {
  DoublePendulum<double> result({1, 1, std::atan2(3, 4)}, {1, 1, std::atan2(4, 3)}, {-1, 0, 0});
  result.turn(1, 2);
  return result;
}

struct Impact {
  Vector impulse{}, separation_velocity{};  ///< world
  Status status = Status::ok;
};

Impact solve(const MechanismContact& contact, const Options& options) {
  std::array<double, 6> row{};
  Status status = Status::ok;
  Results<double> results;
  results.impulse = {row.data(), 1};
  results.separation_velocity = {row.data() + 3, 1};
  results.status = {&status, 1};
  Solver solver({.threads = 1});
  solver.solve(MechanismContact::view({&contact, 1}), results, options);
  return {contact.in_world({row[0], row[1], row[2]}), contact.in_world({row[3], row[4], row[5]}), status};
}

// In planar contact space of the pendulum's plane, with K from its angles, every law that both dimensions have gives
// the same impulses, without an impulse along the second tangent.
TEST(MechanismLaws, pendulum_in_space_collides_as_the_planar_one_does) {
  auto host = pendulum();
  host.contacts[0].friction = 0.3;
  host.contacts[0].restitution = 0.5;
  const MechanismContact contact = Mechanisms<double>(host.scene()).contact(0);
  const auto [xx, xy, yy] = host.generalised();
  // The tangent of a normal (-1, 0) is (0, 1).
  const double k[] = {yy, -xy, xx}, friction = 0.3, restitution = 0.5;
  const double u0[] = {0.6 * 1 + 0.8 * 2, -(0.8 * 1 + 0.6 * 2)}, tangential_restitution = 0.25;
  planar::KContacts<double> flat;
  flat.k = {{k, 1}, {k + 1, 1}, {k + 2, 1}};
  flat.separation_velocity = {{u0, 1}, {u0 + 1, 1}};
  flat.friction = {&friction, 1};
  flat.restitution = {&restitution, 1};
  flat.laws.tangential_restitution = {&tangential_restitution, 1};
  for (const Law law :
       {Law::incremental, Law::frictionless, Law::chatterjee_ruina, Law::whittaker, Law::smith, Law::anitescu_potra}) {
    Options options;
    options.law = law;
    double p[2], u[2];
    planar::Results<double> results;
    results.impulse = {{p, 1}, {p + 1, 1}};
    results.separation_velocity = {{u, 1}, {u + 1, 1}};
    Solver solver({.threads = 1});
    const Report report = solver.solve(select(flat, options), results, options);
    ASSERT_EQ(report.faults(), 0u) << to_string(law);

    KContacts<double> in_space = MechanismContact::view({&contact, 1});
    in_space.laws.tangential_restitution = flat.laws.tangential_restitution;
    std::array<double, 3> impulse{};
    Status status = Status::separating;
    Results<double> results_in_space;
    results_in_space.impulse = {impulse.data(), 1};
    results_in_space.status = {&status, 1};
    solver.solve(select(in_space, options), results_in_space, options);
    EXPECT_EQ(status, Status::ok) << to_string(law);
    const Vector world = contact.in_world(impulse);
    // The locked direction is across the plane, so that its small eigenvalue costs no digits in the plane. K has the
    // rounding of a sum of 20 products and loses a digit to the rows; impulses are up to 5 N s.
    const double tolerance = 5 * 20 * 10 * epsilon;
    EXPECT_NEAR(world[0], -p[1], tolerance) << to_string(law);
    EXPECT_NEAR(world[1], p[0], tolerance) << to_string(law);
    EXPECT_NEAR(world[2], 0, tolerance) << to_string(law);
  }
}

// After the impulse of a law the contact has the velocity that the law says, and the next look at the same contact sees
// it: u_n = -e u0_n.
TEST(MechanismLaws, bodies_leave_with_the_separation_velocity_of_the_law) {
  auto host = pendulum();
  host.contacts[0].restitution = 0.5;
  const Mechanisms<double> mechanisms(host.scene());
  const MechanismContact contact = mechanisms.contact(0);
  EXPECT_NEAR(contact.separation_velocity[2], -2, 8 * epsilon);
  Options options;
  options.law = Law::frictionless;
  const Impact impact = solve(contact, options);
  ASSERT_EQ(impact.status, Status::ok);
  mechanisms.apply(contact, contact.in_frame(impact.impulse), host.velocity(), host.spin());
  const MechanismContact after = mechanisms.contact(0);
  EXPECT_NEAR(after.separation_velocity[2], 1, 1e3 * epsilon);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(after.in_world(after.separation_velocity)[i], impact.separation_velocity[i], 1e3 * epsilon);
  EXPECT_EQ(solve(after, options).status, Status::separating);
}

// The numbers of docs/mechanisms.md, "Broken into bodies": only the rod collides, then all joints at once, until the
// rod does not approach the wall.
TEST(MechanismLaws, sequence_of_impacts_ends_elsewhere_than_the_intact_mechanism) {
  auto host = pendulum();
  host.contacts[0].friction = 0.3;
  host.contacts[0].restitution = 0.5;
  const Mechanisms<double> joined(host.scene());
  Scene<double> apart = host.scene();
  apart.joints = {};
  const Mechanisms<double> alone(apart);
  int impacts = 0;
  Vector total{};
  for (; impacts < 1000; ++impacts) {
    const MechanismContact contact = alone.contact(0);
    if (contact.separation_velocity[2] > -1e-6) break;
    const Impact impact = solve(contact, {});
    for (std::size_t i = 0; i < 3; ++i) total[i] += impact.impulse[i];
    alone.apply(contact, contact.in_frame(impact.impulse), host.velocity(), host.spin());
    joined.satisfy_rows(host.velocity(), host.spin());
  }
  const MechanismContact after = joined.contact(0);
  const Vector u = after.in_world(after.separation_velocity);
  // One unit of the last digit in the documentation.
  constexpr double digit = 1e-4;
  EXPECT_EQ(impacts, 16);
  EXPECT_NEAR(total[0], -1.7996, digit);
  EXPECT_NEAR(total[1], -0.0301, digit);
  EXPECT_NEAR(u[0], 0, digit);
  EXPECT_NEAR(u[1], -0.5624, digit);
  EXPECT_NEAR(host.bodies[0].spin[2], 1.2052, digit);
  EXPECT_NEAR(host.bodies[1].spin[2], -1.6069, digit);

  auto intact = pendulum();
  intact.contacts[0].friction = 0.3;
  intact.contacts[0].restitution = 0.5;
  const Impact one = solve(Mechanisms<double>(intact.scene()).contact(0), {});
  EXPECT_NEAR(one.impulse[0], -2.7875, digit);
  EXPECT_NEAR(one.impulse[1], 0.2399, digit);
  EXPECT_NEAR(one.separation_velocity[0], -0.6697, digit);
  EXPECT_NEAR(one.separation_velocity[1], -1.3930, digit);
}

TEST(MechanismLaws, many_contacts_are_one_batch) {
  auto host = pendulum();
  host.contacts.push_back(host.contacts[0]);
  host.contacts[1].normal = {-0.6, 0.8, 0};
  host.contacts[1].friction = 0.5;
  host.contacts[1].restitution = 0.25;
  const Mechanisms<double> mechanisms(host.scene());
  const std::vector<MechanismContact> contacts = {mechanisms.contact(0), mechanisms.contact(1)};
  const KContacts<double> view = MechanismContact::view(contacts);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(view.friction[i], contacts[i].friction);
    EXPECT_EQ(view.restitution[i], contacts[i].restitution);
    EXPECT_EQ(view.k.xy[i], contacts[i].k[1]);
    EXPECT_EQ(view.k.zz[i], contacts[i].k[5]);
    EXPECT_EQ(view.separation_velocity.z[i], contacts[i].separation_velocity[2]);
  }
  EXPECT_EQ(view.friction[1], 0.5);
  Solver solver({.threads = 1});
  EXPECT_EQ(solver.solve(view, {}).contacts, 2u);
  EXPECT_EQ(solver.solve(MechanismContact::view({}), {}).contacts, 0u);
}

}  // namespace
}  // namespace carom
