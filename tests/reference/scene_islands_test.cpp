// Islands and their colours. Each island is solved as if it were the only one.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference_scene.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "support/scenes/iterations.hpp"
#include "support/scenes/random_scene_of_structs.hpp"
#include "support/scenes/scene_of_structs.hpp"

namespace carom::reference {
namespace {

using scenes::MethodOptions;
using scenes::Procedure;

using support::random_scene;
using support::SceneContact;
using support::SceneData;
using support::SceneResultArrays;
using support::SceneRow;
using support::solved;
using support::Vector;
using support::with_method;

constexpr Procedure methods[] = {Procedure::pgs, Procedure::sequential_impacts, Procedure::collisions,
                                 Procedure::resting};

void expect_same_part(const SceneResultArrays<double>& part, const SceneResultArrays<double>& whole,
                      std::size_t first_body, std::size_t first_contact, std::size_t first_row) {
  for (std::size_t i = 0; i < part.velocity.size(); ++i) {
    EXPECT_EQ(part.velocity[i], whole.velocity[first_body + i]);
    EXPECT_EQ(part.angular_velocity[i], whole.angular_velocity[first_body + i]);
  }
  for (std::size_t i = 0; i < part.impulse.size(); ++i) {
    EXPECT_EQ(part.impulse[i], whole.impulse[first_contact + i]);
    EXPECT_EQ(part.status[i], whole.status[first_contact + i]);
    EXPECT_EQ(part.path[i], whole.path[first_contact + i]);
  }
  for (std::size_t i = 0; i < part.joint_impulse.size(); ++i)
    EXPECT_EQ(part.joint_impulse[i], whole.joint_impulse[first_row + i]);
}

SceneData<double> with_joint(std::uint64_t seed) {
  SceneData<double> data = random_scene(seed).data;
  data.add_ball(0, 1, {0.1, 0.2, 0.3}, {0.3, 0.2, -0.1});
  data.add_ball(2, -1, {0.4, 0, 0}, {});
  return data;
}

TEST(scene_islands, are_solved_as_if_they_were_alone) {
  for (Procedure method : methods)
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const SceneData<double> x = with_joint(seed), y = with_joint(seed + 100);
      SceneData<double> both = x;
      both.append(y);
      MethodOptions options = with_method(method, 30);
      options.sequential_impacts.seed = 7;
      options.bender_schmitt.shock_propagation = 4;
      SceneReport of_x, of_y, of_both;
      const auto alone_x = solved(x, options, &of_x), alone_y = solved(y, options, &of_y);
      const auto together = solved(both, options, &of_both);
      expect_same_part(alone_x, together, 0, 0, 0);
      expect_same_part(alone_y, together, x.bodies.size(), x.contacts.size(), x.rows.size());
      EXPECT_EQ(of_both.islands, of_x.islands + of_y.islands);
      EXPECT_EQ(of_both.impacts, of_x.impacts + of_y.impacts);
      EXPECT_EQ(of_both.residual, std::max(of_x.residual, of_y.residual));
    }
}

TEST(scene_islands, a_fault_leaves_the_bits_of_others_alone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Procedure method : methods) {
    const SceneData<double> good = with_joint(5);
    SceneData<double> bad = with_joint(6);
    bad.bodies[3].angular_velocity[1] = nan;
    SceneData<double> both = bad;
    both.append(good);
    SceneReport report;
    const auto together = solved(both, with_method(method, 30), &report);
    expect_same_part(solved(good, with_method(method, 30)), together, bad.bodies.size(), bad.contacts.size(),
                     bad.rows.size());
    EXPECT_TRUE(std::isfinite(report.energy_after));
    EXPECT_TRUE(std::isfinite(report.residual));
    std::size_t faults = 0;
    for (std::size_t i = 0; i < bad.contacts.size(); ++i) {
      const bool touches = bad.contacts[i].body_a == 3 || bad.contacts[i].body_b == 3;
      EXPECT_EQ(together.status[i] == Status::not_a_number, touches) << i;
      EXPECT_EQ(is_fault(together.status[i]), touches) << i;
      if (!touches) continue;
      ++faults;
      EXPECT_EQ(together.impulse[i], Vector{});
      EXPECT_TRUE(std::isnan(together.separation_velocity[i][0]));
      EXPECT_EQ(together.path[i], Path{});
    }
    EXPECT_GT(faults, 0u);
    EXPECT_EQ(report.count(Status::not_a_number), faults);
    EXPECT_EQ(together.velocity[3], bad.bodies[3].velocity);
  }
}

TEST(scene_islands, are_what_movable_bodies_connect) {
  // Bodies 0 and 1 touch each other and the kinematic body 4, which 2 touches as well; 3 has no contacts.
  SceneData<double> data;
  for (int i = 0; i < 4; ++i) data.add_body();
  data.add_body({0, {}, {0, 0, 1}, {}});
  const auto touch = [&](std::int32_t a, std::int32_t b) {
    SceneContact<double> contact;
    contact.body_a = a;
    contact.body_b = b;
    data.add_contact(contact);
  };
  touch(0, 1);
  touch(1, 4);
  touch(2, 4);
  touch(1, 0);
  SceneReport report;
  solved(data, with_method(Procedure::pgs), &report);
  EXPECT_EQ(report.islands, 2u);
  EXPECT_EQ(report.max_island_size, 3u);
  // (1, 0) is a separate manifold from (0, 1).
  EXPECT_EQ(report.colours, 3u);
  EXPECT_EQ(report.overflow_constraints, 0u);
  // A row joins the islands.
  data.add_ball(1, 2, {}, {});
  solved(data, with_method(Procedure::pgs), &report);
  EXPECT_EQ(report.islands, 1u);
  EXPECT_EQ(report.max_island_size, 7u);
  EXPECT_EQ(report.colours, 4u);
}

TEST(scene_islands, have_64_colours_and_then_none) {
  SceneData<double> data;
  data.add_body();
  for (std::int32_t i = 1; i <= 70; ++i) {
    data.add_body();
    for (int point = 0; point < 5; ++point) {
      SceneContact<double> contact;
      contact.body_a = 0;
      contact.body_b = i;
      data.add_contact(contact);
    }
  }
  SceneReport report;
  solved(data, with_method(Procedure::pgs), &report);
  // Manifolds have four points at most: two for each body.
  EXPECT_EQ(report.colours, 64u);
  EXPECT_EQ(report.overflow_constraints, 140u - 64u);
  // Bodies on an immovable one do not hinder each other.
  data.bodies[0].inverse_mass = 0;
  data.bodies[0].inverse_inertia = {};
  solved(data, with_method(Procedure::pgs), &report);
  EXPECT_EQ(report.islands, 70u);
  EXPECT_EQ(report.colours, 2u);
}

// Three point masses on each other fall onto the world at 1 m/s. The contacts (0, 1) and (2, world) have the first
// colour, (1, 2) the second: the one on the world stops mass 2, then 1 and 2 share their speed. In the order of the
// indices 1 would still fall at full speed.
TEST(scene_islands, are_swept_by_colour) {
  SceneData<double> data;
  for (std::int32_t i = 0; i < 3; ++i) {
    data.add_body({1, {}, {0, 0, -1}, {}});
    SceneContact<double> contact;
    contact.body_a = i;
    contact.body_b = i < 2 ? i + 1 : -1;
    data.add_contact(contact);
  }
  for (Procedure method : {Procedure::pgs, Procedure::collisions}) {
    MethodOptions options = with_method(method, 1);
    options.bender_schmitt.filter = ContactFilter::touching;
    const auto results = solved(data, options);
    EXPECT_EQ(results.velocity[0][2], -1);
    EXPECT_EQ(results.velocity[1][2], -0.5);
    EXPECT_EQ(results.velocity[2][2], -0.5);
  }
}

// A chain of ten on the world: the joints take two colours by turns, the contacts of all bodies a third one. A contact
// between the ends closes the chain to a ring, whose colours are drawn among more.
TEST(scene_islands, have_the_least_colours_where_bodies_form_a_tree) {
  SceneData<double> data;
  const auto touch = [&](std::int32_t a, std::int32_t b) {
    SceneContact<double> contact;
    contact.body_a = a;
    contact.body_b = b;
    data.add_contact(contact);
  };
  SceneReport report;
  for (std::int32_t i = 0; i < 10; ++i) {
    data.add_body();
    touch(i, -1);
    if (i > 0) data.add_ball(i - 1, i, {}, {});
  }
  solved(data, with_method(Procedure::pgs), &report);
  EXPECT_EQ(report.colours, 3u);
  // A body and its neighbour that touch, too, are the same edge of the tree.
  touch(4, 3);
  solved(data, with_method(Procedure::pgs), &report);
  EXPECT_EQ(report.colours, 4u);
  touch(0, 9);
  solved(data, with_method(Procedure::pgs), &report);
  EXPECT_GT(report.colours, 4u);
}

TEST(scene_islands, are_swept_with_joints_before_contacts) {
  SceneData<double> data;
  data.add_body({1, {}, {0, 0, -1}, {}});
  SceneContact<double> contact;
  contact.body_a = 0;
  data.add_contact(contact);
  SceneRow<double> row;
  row.body_a = 0;
  row.linear_a = {0, 0, 1};
  data.add_row(row);
  const auto results = solved(data, with_method(Procedure::pgs, 1));
  EXPECT_EQ(results.joint_impulse[0], 1);
  EXPECT_EQ(results.status[0], Status::separating);
}

// With a residual of 1, every pass ends after four iterations. The next pass depends only on the velocities, so another
// call has the same result.
TEST(scene_islands, are_taken_up_anew_by_every_pass_of_an_iteration) {
  std::size_t second_passes = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const SceneData<double> data = random_scene(seed).data;
    MethodOptions options = with_method(Procedure::collisions, 4);
    options.tolerance = 1;
    SceneReport of_both;
    const auto first = solved(data, options), second = solved(first.next(data), options);
    scenes::set_iterations(options, 8);
    const auto both = solved(data, options, &of_both);
    EXPECT_EQ(both.velocity, second.velocity);
    for (std::size_t i = 0; i < data.contacts.size(); ++i)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(both.impulse[i][j], first.impulse[i][j] + second.impulse[i][j], 1e-13);
    second_passes += of_both.iterations == 8 ? 1 : 0;
  }
  EXPECT_GT(second_passes, 10u);
}

TEST(scene_islands, have_manifolds_of_one_normal_and_one_friction) {
  SceneData<double> data;
  for (int i = 0; i < 2; ++i) data.add_body();
  SceneContact<double> contact;
  contact.body_a = 0;
  contact.body_b = 1;
  contact.friction = contact.static_friction = 0.5;
  data.add_contact(contact);
  data.add_contact(contact);
  const auto colours = [&](const auto& change) {
    SceneData<double> changed = data;
    change(changed.contacts[1]);
    SceneReport report;
    solved(changed, with_method(Procedure::pgs), &report);
    return report.colours;
  };
  EXPECT_EQ(colours([](auto&) {}), 1u);
  EXPECT_EQ(colours([](auto& c) { c.restitution = 0.5; }), 1u);
  EXPECT_EQ(colours([](auto& c) { c.target_velocity = 0.5; }), 1u);
  EXPECT_EQ(colours([](auto& c) { c.r_a[0] = 0.5; }), 1u);
  EXPECT_EQ(colours([](auto& c) { c.normal = {0, 0.6, 0.8}; }), 2u);
  EXPECT_EQ(colours([](auto& c) { c.friction = 0.25; }), 2u);
  EXPECT_EQ(colours([](auto& c) { c.static_friction = 0.75; }), 2u);
  EXPECT_EQ(colours([](auto& c) { c.surface_velocity[1] = 0.5; }), 2u);
  EXPECT_EQ(colours([](auto& c) { std::swap(c.body_a, c.body_b); }), 2u);
}

TEST(scene_islands, have_joints_of_up_to_six_rows_of_one_pair) {
  SceneData<double> data;
  for (int i = 0; i < 3; ++i) data.add_body();
  SceneRow<double> row;
  row.linear_a = {1, 0, 0};
  row.body_a = 0;
  const auto colours = [&](const std::vector<std::int32_t>& others) {
    data.rows.clear();
    for (std::int32_t other : others) {
      row.body_b = other;
      data.add_row(row);
    }
    SceneReport report;
    solved(data, with_method(Procedure::pgs), &report);
    return report.colours;
  };
  EXPECT_EQ(colours({1, 1, 1, 1, 1, 1}), 1u);
  EXPECT_EQ(colours({1, 1, 1, 1, 1, 1, 1}), 2u);
  EXPECT_EQ(colours({1, 2}), 2u);
  EXPECT_EQ(colours({1, 2, 1}), 2u);  // the third row goes with the first
}

}  // namespace
}  // namespace carom::reference
