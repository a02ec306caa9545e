// Faulty data are errors of only their own mechanism. The message names the contact, the row or the body.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/experimental.hpp>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/scenes/mechanisms.hpp"

namespace carom {
namespace {

using Host = support::MechanismHost<double>;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// Two mechanisms of two bodies each; each has a contact with the world.
Host two_mechanisms() {
  Host host;
  for (std::int32_t i = 0; i < 4; ++i) host.add(1, {1, 1, 1});
  for (const std::int32_t first : {0, 2}) {
    add_ball_joint<double>(host.joints, {first, first + 1, {1, 0, 0}, {-1, 0, 0}});
    host.contacts.push_back({first, -1, {0, 1, 0}, {-1, 0, 0}, {}});
  }
  return host;
}

/// Message of the Error; empty if f throws no Error.
std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(MechanismMisuse, too_many_rows_are_a_fault_of_their_own_mechanism) {
  Host host = two_mechanisms();
  const auto row = host.joints.rows[5];
  while (host.joints.rows.size() < MechanismOptions::max_rows + 4) host.joints.rows.push_back(row);
  const Mechanisms<double> mechanisms(host.scene());
  EXPECT_GT(mechanisms.contact(0).k[0], 0);
  EXPECT_EQ(error_of([&] { (void)mechanisms.contact(1); }),
            "carom: contact 1: in its mechanism row 3 is one of 16385, and the limit is MechanismOptions::max_rows, "
            "16384: SceneSolver has none");
}

TEST(MechanismMisuse, faults_are_those_of_their_own_mechanism) {
  using Change = std::function<void(Host&)>;
  const std::vector<std::pair<Change, const char*>> faults = {
      {[](Host& h) { h.joints.rows[4].max_impulse = 5; }, "row 4 has an impulse within [-inf, 5]"},
      {[](Host& h) { h.joints.rows[4].min_impulse = 0; }, "row 4 has an impulse within [0, inf]"},
      {[](Host& h) { h.joints.rows[4].min_impulse = nan; }, "row 4 has an impulse within [nan, inf]"},
      {[](Host& h) { h.joints.rows[5].compliance = -1; }, "row 5 has a compliance"},
      {[](Host& h) { h.joints.rows[5].compliance = infinity; }, "row 5 has a compliance"},
      {[](Host& h) { h.joints.rows[3].angular_b[1] = nan; }, "row 3 has a number that is not finite"},
      {[](Host& h) { h.joints.rows[3].linear_a[0] = infinity; }, "row 3 has a number that is not finite"},
      {[](Host& h) { h.bodies[3].inverse_mass = -1; }, "body 3 has a mass or an inertia at fault"},
      {[](Host& h) { h.bodies[2].inverse_inertia[1] = nan; }, "body 2 has a mass or an inertia at fault"},
      {[](Host& h) { h.bodies[2].inverse_inertia[0] = -1; }, "body 2 has a mass or an inertia at fault"},
      {[](Host& h) { h.joints.rows[4].angular_a[0] = 1e200; }, "exceed the range of double"}};
  for (const auto& [change, words] : faults) {
    Host host = two_mechanisms();
    const auto good = Mechanisms<double>(host.scene()).contact(0);
    change(host);
    const Mechanisms<double> mechanisms(host.scene());
    EXPECT_EQ(mechanisms.contact(0).k, good.k) << words;
    const std::string error = error_of([&] { static_cast<void>(mechanisms.contact(1)); });
    EXPECT_SAYS(error, "contact 1");
    EXPECT_SAYS(error, words);
    EXPECT_THROW(mechanisms.satisfy_rows(host.velocity(), host.spin()), Error) << words;
    MechanismContact contact;
    contact.index = 1;
    EXPECT_THROW(mechanisms.apply(contact, {1, 1, 1}, host.velocity(), host.spin()), Error) << words;
    for (const auto& body : host.bodies) EXPECT_EQ(body.velocity, (support::Vector{})) << words;
  }
}

TEST(MechanismMisuse, faults_do_not_cross_an_immovable_body) {
  Host host = two_mechanisms();
  host.bodies.push_back({0, {}, {}, {}});
  for (const std::int32_t body : {0, 2}) add_ball_joint<double>(host.joints, {body, 4, {0, 1, 0}, {}});
  host.joints.rows.back().compliance = -1;
  const Mechanisms<double> mechanisms(host.scene());
  EXPECT_NO_THROW(static_cast<void>(mechanisms.contact(0)));
  EXPECT_THROW(static_cast<void>(mechanisms.contact(1)), Error);
}

TEST(MechanismMisuse, body_without_joints_is_looked_at_too) {
  Host host = two_mechanisms();
  host.add(-1, {1, 1, 1});
  host.contacts[1].b = 4;
  const Mechanisms<double> mechanisms(host.scene());
  EXPECT_NO_THROW(static_cast<void>(mechanisms.contact(0)));
  EXPECT_SAYS(error_of([&] { static_cast<void>(mechanisms.contact(1)); }),
              "contact 1: body 4 has a mass or an inertia at fault");
}

TEST(MechanismMisuse, faults_of_a_contact_name_it) {
  using Change = std::function<void(Host::Contact&)>;
  const std::vector<std::pair<Change, const char*>> faults = {
      {[](auto& c) { c.a = 4; }, "contact 1 names body 4, but there are 4"},
      {[](auto& c) { c.b = -2; }, "contact 1 names body -2, but there are 4"},
      {[](auto& c) { c.b = c.a; }, "contact 1 names body 2 as both of its bodies"},
      {[](auto& c) { c.a = -1; }, "contact 1: both bodies are immovable"},
      {[](auto& c) { c.normal[1] = 1.1; }, "contact 1: the normal is no unit vector"},
      {[](auto& c) { c.normal[0] = nan; }, "contact 1: the normal is no unit vector"},
      {[](auto& c) { c.r_a[2] = infinity; }, "contact 1: a lever arm is not finite"},
      {[](auto& c) { c.b = 1, c.r_b[0] = nan; }, "contact 1: a lever arm is not finite"}};
  for (const auto& [change, words] : faults) {
    Host host = two_mechanisms();
    change(host.contacts[1]);
    const Mechanisms<double> mechanisms(host.scene());
    EXPECT_SAYS(error_of([&] { static_cast<void>(mechanisms.contact(1)); }), words);
    EXPECT_NO_THROW(static_cast<void>(mechanisms.contact(0)));
    EXPECT_SAYS(error_of([&] { static_cast<void>(mechanisms.contact(2)); }), "there is no contact 2 among 2");
  }
}

TEST(MechanismMisuse, constructor_refuses_columns_indices_and_options) {
  Host host = two_mechanisms();
  const auto error_with = [&](const std::function<void(Scene<double>&)>& change, const MechanismOptions& options = {}) {
    Scene<double> scene = host.scene();
    change(scene);
    return error_of([&] { Mechanisms<double> mechanisms(scene, options); });
  };
  EXPECT_EQ(error_with([](auto&) {}), "");
  EXPECT_SAYS(error_with([](auto& s) { s.contacts.normal.y = {}; }), "the column contacts.normal.y is missing");
  EXPECT_SAYS(error_with([](auto& s) { s.contacts.target_velocity.count = 1; }), "target_velocity has 1 elements");
  EXPECT_SAYS(error_with([](auto& s) { s.contacts.surface_velocity.x = {}; }), "surface_velocity.x is missing");
  EXPECT_SAYS(error_with([](auto& s) { s.joints.angular_b.z = {}; }), "joints.angular_b.z is missing");
  EXPECT_SAYS(error_with([](auto& s) { s.joints.compliance.count = 5; }), "joints.compliance has 5 elements");
  EXPECT_EQ(error_with([](auto& s) { s.joints = {}; }), "");
  EXPECT_SAYS(error_with([](auto&) {}, {.redundancy = 0.2}), "redundancy is 0.2, not in [0, 0.1]");
  EXPECT_SAYS(error_with([](auto&) {}, {.min_eigenvalue = nan}), "min_eigenvalue is nan");
  host.joints.rows[2].body_b = 7;
  EXPECT_SAYS(error_with([](auto&) {}), "row 2 names body 7, but there are 4");
  host.joints.rows[2].body_b = 0;
  EXPECT_SAYS(error_with([](auto&) {}), "row 2 names body 0 as both of its bodies");
}

TEST(MechanismMisuse, results_have_a_length) {
  Host host = two_mechanisms();
  const Mechanisms<double> mechanisms(host.scene());
  const MechanismContact contact = mechanisms.contact(0);
  std::vector<double> impulse(5);
  const auto apply = [&](const Vector3Columns<double>& velocity, const Column<double>& joint_impulse) {
    return error_of([&] { mechanisms.apply(contact, {0, 0, 1}, velocity, host.spin(), joint_impulse); });
  };
  EXPECT_SAYS(apply(host.velocity(), impulse), "joint_impulse has 5 elements, but joints.body_a has 6");
  Vector3Columns<double> missing = host.velocity();
  missing.y = {};
  EXPECT_SAYS(apply(missing, {}), "velocity.y is missing");
  Vector3Columns<double> shared = host.velocity();
  shared.z.stride = 0;
  EXPECT_SAYS(apply(shared, {}), "velocity.z is a result with stride 0");
  for (const auto& body : host.bodies) EXPECT_EQ(body.velocity, (support::Vector{}));
}

TEST(MechanismMisuse, rows_between_immovable_bodies_do_not_count) {
  Host host = two_mechanisms();
  host.bodies.push_back({0, {}, {1, 2, 3}, {}});
  add_ball_joint<double>(host.joints, {4, -1, {nan, 0, 0}, {}});
  host.joints.rows.back().max_impulse = 0;
  const Mechanisms<double> mechanisms(host.scene());
  EXPECT_NO_THROW(static_cast<void>(mechanisms.contact(0)));
  EXPECT_NO_THROW(mechanisms.satisfy_rows(host.velocity(), host.spin()));
  EXPECT_EQ(host.bodies[4].velocity, (support::Vector{1, 2, 3}));
}

TEST(MechanismMisuse, moved_from_mechanisms_throw) {
  Host host = two_mechanisms();
  Mechanisms<double> mechanisms(host.scene());
  const Mechanisms<double> other = std::move(mechanisms);
  EXPECT_NO_THROW(static_cast<void>(other.contact(0)));
  EXPECT_EQ(error_of([&] { static_cast<void>(mechanisms.contact(0)); }),  // NOLINT(bugprone-use-after-move)
            "carom: this object has been moved from");
}

}  // namespace
}  // namespace carom
