// Every fault of a contact and of a row of a scene, with its status; which columns a method reads.
#include <gtest/gtest.h>

#include <carom/reference_scene.hpp>
#include <functional>
#include <limits>
#include <vector>

#include "support/scenes/scene_of_structs.hpp"

namespace carom::reference {
namespace {

using scenes::MethodOptions;
using scenes::Procedure;

using support::SceneContact;
using support::SceneData;
using support::SceneResultArrays;
using support::SceneRow;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Procedure methods[] = {Procedure::pgs, Procedure::sequential_impacts, Procedure::collisions,
                                 Procedure::resting, Procedure::substeps};

MethodOptions with_method(Procedure method) {
  MethodOptions options;
  options.method = method;
  options.sequential_impacts.law = Law::chatterjee_ruina;
  options.bender_schmitt.rest_tolerance = 1;  // contacts that approach at 1 m/s are at rest
  options.time_step = 0.01;
  if (method == Procedure::collisions) options.bender_schmitt.filter = ContactFilter::touching;
  return options;
}

// Bodies 0 and 1 each fall onto the world, and are hinged to it by a row across; body 2 does not move.
SceneData<double> good_scene() {
  SceneData<double> data;
  for (std::int32_t body : {0, 1}) {
    data.add_body({1, {6, 0, 0, 6, 0, 6}, {1, 0, -1}, {}});
    SceneContact<double> contact;
    contact.body_a = body;
    contact.friction = 0.25;
    data.add_contact(contact);
    SceneRow<double> row;
    row.body_a = body;
    row.linear_a = {1, 0, 0};
    data.add_row(row);
  }
  data.add_body({0, {}, {}, {}});
  return data;
}

struct Found {
  Status contact, row;
  bool others_are_ok;
};

Found statuses(const std::function<void(SceneData<double>&)>& spoil, Procedure method) {
  SceneData<double> data = good_scene();
  data.columns.laws = true;
  spoil(data);
  SceneResultArrays<double> results(data);
  const SceneReport report = solve_scene(data.view(with_method(method)), results.places(), with_method(method));
  const Found found{results.status[0], results.joint_status[0],
                    results.status[1] == Status::ok && results.joint_status[1] == Status::ok};
  if (is_fault(found.contact)) {
    EXPECT_EQ(results.impulse[0], (std::array<double, 3>{}));
    EXPECT_EQ(results.path[0], Path{});
    EXPECT_EQ(report.count(found.contact), 1u);
  }
  if (is_fault(found.row)) {
    EXPECT_EQ(results.joint_impulse[0], 0);
    EXPECT_EQ(report.count_joints(found.row), 1u);
  }
  return found;
}

struct Spoilt {
  Status status;
  std::function<void(SceneData<double>&)> spoil;
  bool is_of_static_friction = false;  ///< a column that SequentialImpacts does not read
};

TEST(scene_faults, the_scene_without_any_is_solved) {
  for (Procedure method : methods) {
    const Found found = statuses([](auto&) {}, method);
    EXPECT_EQ(found.contact, Status::ok);
    EXPECT_EQ(found.row, Status::ok);
    EXPECT_TRUE(found.others_are_ok);
  }
}

TEST(scene_faults, of_contacts_have_their_status) {
  const std::vector<Spoilt> all = {
      {Status::body_index_out_of_range, [](auto& d) { d.contacts[0].body_a = 3; }},
      {Status::body_index_out_of_range, [](auto& d) { d.contacts[0].body_b = -2; }},
      {Status::same_body, [](auto& d) { d.contacts[0].body_b = 0; }},
      {Status::not_a_number, [](auto& d) { d.contacts[0].r_b[1] = nan; }},
      {Status::not_a_number, [](auto& d) { d.contacts[0].friction = nan; }},
      {Status::not_a_number, [](auto& d) { d.contacts[0].static_friction = nan; }, true},
      {Status::not_a_number, [](auto& d) { d.contacts[0].target_velocity = nan; }},
      {Status::not_a_number, [](auto& d) { d.contacts[0].surface_velocity[2] = nan; }},
      {Status::infinite, [](auto& d) { d.contacts[0].target_velocity = infinity; }},
      {Status::infinite, [](auto& d) { d.contacts[0].surface_velocity[0] = -infinity; }},
      {Status::infinite, [](auto& d) { d.contacts[0].restitution = infinity; }},
      {Status::normal_not_unit,
       [](auto& d) {
         d.contacts[0].normal = {0, 0, 1.001};
       }},
      {Status::both_immovable, [](auto& d) { d.contacts[0].body_a = 2; }},
      {Status::both_immovable, [](auto& d) { d.contacts[0].body_a = -1; }},
      {Status::restitution_out_of_range, [](auto& d) { d.contacts[0].restitution = 1.5; }},
      {Status::negative_friction, [](auto& d) { d.contacts[0].friction = -0.1; }},
      {Status::overflow,
       [](auto& d) {
         d.contacts[0].r_a = {1e200, 0, 0};
       }},
      {Status::static_friction_below_friction, [](auto& d) { d.contacts[0].static_friction = 0.2; }, true},
      // The first fault in the order is reported.
      {Status::not_a_number,
       [](auto& d) {
         d.contacts[0].static_friction = 0.2;
         d.contacts[0].restitution = 1.5;
         d.contacts[0].target_velocity = nan;
       }},
      {Status::restitution_out_of_range,
       [](auto& d) {
         d.contacts[0].static_friction = 0.2;
         d.contacts[0].restitution = 1.5;
       }},
  };
  for (Procedure method : methods)
    for (const Spoilt& one : all) {
      if (one.is_of_static_friction && method == Procedure::sequential_impacts) continue;
      const Found found = statuses(one.spoil, method);
      EXPECT_EQ(found.contact, one.status) << to_string(found.contact) << ", not " << to_string(one.status);
      EXPECT_EQ(found.row, Status::ok);
      EXPECT_TRUE(found.others_are_ok);
    }
}

TEST(scene_faults, of_rows_have_their_status) {
  const std::vector<Spoilt> all = {
      {Status::body_index_out_of_range, [](auto& d) { d.rows[0].body_a = 3; }},
      {Status::body_index_out_of_range, [](auto& d) { d.rows[0].body_b = -2; }},
      {Status::same_body, [](auto& d) { d.rows[0].body_b = 0; }},
      {Status::not_a_number, [](auto& d) { d.rows[0].angular_b[1] = nan; }},
      {Status::not_a_number, [](auto& d) { d.rows[0].min_impulse = nan; }},
      {Status::not_a_number, [](auto& d) { d.rows[0].max_impulse = nan; }},
      {Status::not_a_number, [](auto& d) { d.rows[0].target_velocity = nan; }},
      {Status::infinite, [](auto& d) { d.rows[0].compliance = infinity; }},
      {Status::infinite, [](auto& d) { d.rows[0].linear_a[2] = infinity; }},
      {Status::both_immovable, [](auto& d) { d.rows[0].body_a = 2; }},
      {Status::both_immovable, [](auto& d) { d.rows[0].body_a = -1; }},
      {Status::overflow, [](auto& d) { d.rows[0].linear_a[0] = 1e200; }},
      {Status::collision_matrix_not_positive_definite, [](auto& d) { d.rows[0].linear_a = {}; }},
      {Status::infinite, [](auto& d) { d.rows[0].min_impulse = d.rows[0].max_impulse = infinity; }},
      {Status::infinite, [](auto& d) { d.rows[0].min_impulse = d.rows[0].max_impulse = -infinity; }},
      {Status::impulse_bounds_reversed,
       [](auto& d) {
         d.rows[0].min_impulse = 2;
         d.rows[0].max_impulse = 1;
       }},
      {Status::negative_compliance, [](auto& d) { d.rows[0].compliance = -0.1; }},
      {Status::negative_compliance, [](auto& d) { d.rows[0].compliance = -10; }},
      {Status::impulse_bounds_reversed,
       [](auto& d) {
         d.rows[0].compliance = -0.1;
         d.rows[0].min_impulse = 2;
         d.rows[0].max_impulse = 1;
       }},
  };
  for (Procedure method : methods)
    for (const Spoilt& one : all) {
      const Found found = statuses(one.spoil, method);
      EXPECT_EQ(found.row, one.status) << to_string(found.row) << ", not " << to_string(one.status);
      EXPECT_EQ(found.contact, Status::ok);
      EXPECT_TRUE(found.others_are_ok);
    }
}

TEST(scene_faults, of_the_position_of_rows_have_their_status_in_substeps) {
  const std::vector<Spoilt> all = {
      {Status::not_a_number, [](auto& d) { d.rows[0].position_error = nan; }},
      {Status::infinite, [](auto& d) { d.rows[0].position_error = -infinity; }},
      {Status::not_a_number, [](auto& d) { d.rows[0].r_a[2] = nan; }},
      {Status::infinite, [](auto& d) { d.rows[0].r_b[0] = infinity; }},
      {Status::not_a_number, [](auto& d) { d.rows[0].frequency = nan; }},
      {Status::negative_frequency, [](auto& d) { d.rows[0].frequency = -0.5; }},
      {Status::not_a_number, [](auto& d) { d.rows[0].damping_ratio = nan; }},
      {Status::infinite, [](auto& d) { d.rows[0].damping_ratio = infinity; }},
      {Status::negative_damping_ratio, [](auto& d) { d.rows[0].damping_ratio = -0.5; }},
      {Status::ok, [](auto& d) { d.rows[0].frequency = infinity; }},
      {Status::ok, [](auto& d) { d.rows[0].frequency = d.rows[0].damping_ratio = 0; }},
  };
  for (Procedure method : methods)
    for (const Spoilt& one : all) {
      const Found found = statuses(one.spoil, method);
      const Status expected = method == Procedure::substeps ? one.status : Status::ok;
      EXPECT_EQ(found.row, expected) << to_string(found.row) << ", not " << to_string(expected);
      EXPECT_EQ(found.contact, Status::ok);
      EXPECT_TRUE(found.others_are_ok);
    }
}

TEST(scene_faults, of_bodies_are_those_of_all_their_contacts_and_rows) {
  const std::vector<Spoilt> all = {
      {Status::not_a_number, [](auto& d) { d.bodies[0].velocity[1] = nan; }},
      {Status::infinite, [](auto& d) { d.bodies[0].inverse_mass = infinity; }},
      {Status::negative_inverse_mass, [](auto& d) { d.bodies[0].inverse_mass = -1; }},
      {Status::inverse_inertia_not_positive_semidefinite,
       [](auto& d) { d.bodies[0].inverse_inertia = {6, 0, 0, -1, 0, 6}; }},
  };
  for (Procedure method : methods)
    for (const Spoilt& one : all) {
      if (one.is_of_static_friction && method == Procedure::sequential_impacts) continue;
      const Found found = statuses(one.spoil, method);
      EXPECT_EQ(found.contact, one.status);
      EXPECT_EQ(found.row, one.status);
      EXPECT_TRUE(found.others_are_ok);
    }
}

// A pivot has no answer along its arm: K is singular.
TEST(scene_faults, a_pivot_alone_is_not_positive_definite) {
  for (Procedure method : methods) {
    const Found found = statuses(
        [](auto& d) {
          d.bodies[0].inverse_mass = 0;
          d.contacts[0].static_friction = 0;  // a fault of lower priority
          d.rows.front().angular_a = {0, 1, 0};
        },
        method);
    EXPECT_EQ(found.contact, Status::collision_matrix_not_positive_definite);
    EXPECT_EQ(found.row, Status::ok);
  }
}

TEST(scene_faults, columns_that_a_method_does_not_read_have_none) {
  const auto with_gap = [](auto& d) { d.contacts[0].separation = nan; };
  const auto with_warm_impulse = [](auto& d) { d.contacts[0].warm_impulse[1] = d.rows[0].warm_impulse = nan; };
  const auto with_parameter = [](auto& d) { d.contacts[0].tangential_restitution = 2; };
  const auto with_law = [](auto& d) { d.contacts[0].law = Law::pfeiffer_glocker; };
  for (Procedure method : methods) {
    const bool sequence = method == Procedure::sequential_impacts, in_substeps = method == Procedure::substeps;
    const bool warm = method == Procedure::pgs || in_substeps;
    EXPECT_EQ(statuses(with_gap, method).contact,
              method == Procedure::resting || in_substeps ? Status::not_a_number : Status::ok);
    EXPECT_EQ(statuses(with_warm_impulse, method).contact, warm ? Status::not_a_number : Status::ok);
    EXPECT_EQ(statuses(with_warm_impulse, method).row, warm ? Status::not_a_number : Status::ok);
    EXPECT_EQ(statuses(with_parameter, method).contact, sequence ? Status::law_parameter_out_of_range : Status::ok);
    EXPECT_EQ(statuses(with_law, method).contact, sequence ? Status::law_unavailable : Status::ok);
  }
}

TEST(scene_faults, optional_columns_may_be_missing) {
  SceneData<double> data = good_scene();
  data.columns = {false, false, false, false, false, false, false, false, false, false, false, false, false};
  for (Procedure method : methods) {
    MethodOptions options = with_method(method);
    options.sequential_impacts.law = Law::frictionless;
    SceneResultArrays<double> results(data), with_all(data);
    solve_scene(data.view(options), results.places(), options);
    SceneData<double> full = good_scene();
    solve_scene(full.view(options), with_all.places(), options);
    EXPECT_EQ(results.velocity, with_all.velocity);
    EXPECT_EQ(results.impulse, with_all.impulse);
    EXPECT_EQ(results.joint_impulse, with_all.joint_impulse);
    // Results are optional as well.
    EXPECT_EQ(solve_scene(data.view(options), SceneResults<double>{}, options).count(Status::ok), 2u);
  }
}

TEST(scene_faults, an_empty_scene_is_solved) {
  for (Procedure method : methods) {
    const SceneOptions options = with_method(method);
    const SceneReport report = solve_scene(Scene<double>{}, SceneResults<double>{}, options);
    EXPECT_EQ(report.islands + report.bodies + report.contacts, 0u);
    EXPECT_EQ(report.method, options.selected());
  }
}

TEST(scene_results, may_stand_in_place_of_what_they_replace) {
  const SceneData<double> data = good_scene();
  for (Procedure method : methods) {
    SceneResultArrays<double> apart(data);
    solve_scene(data.view(with_method(method)), apart.places(), with_method(method));
    SceneData<double> in_place = data;
    SceneResults<double> results;
    const auto stride = static_cast<std::ptrdiff_t>(sizeof in_place.bodies[0]);
    results.velocity = {in_place.bodies[0].velocity.data(), 3, stride};
    results.angular_velocity = {in_place.bodies[0].angular_velocity.data(), 3, stride};
    solve_scene(in_place.view(with_method(method)), results, with_method(method));
    EXPECT_NE(apart.velocity[0], data.bodies[0].velocity);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(in_place.bodies[i].velocity, apart.velocity[i]);
      EXPECT_EQ(in_place.bodies[i].angular_velocity, apart.angular_velocity[i]);
    }
  }
}

}  // namespace
}  // namespace carom::reference
