// Misuse of scenes is an Error before any work, whose message names the column or the option.
#include <gtest/gtest.h>

#include <atomic>
#include <carom/carom.hpp>
#include <carom/reference_scene.hpp>
#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/scenes/refusal.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

/// Every optional column, and a joint.
SceneData<double> full_scene() {
  SceneData<double> scene = stack<double>(2);
  const std::size_t n = scene.contact_count();
  scene.static_friction = scene.friction;
  scene.separation.assign(n, 0);
  scene.frequency.assign(n, 30);
  scene.damping_ratio.assign(n, 1);
  scene.slop.assign(n, 1e-3);
  scene.target_velocity.assign(n, 0);
  scene.surface_velocity = scene.warm_impulse = vectors<double>(n);
  scene.velocity_change = scene.angular_velocity_change = vectors<double>(scene.body_count());
  scene.key.assign(n, 0);
  scene.law.assign(n, Law::frictionless);
  add_ball_joint(scene.joints, JointBodies<double>{1, world, {0.25, 0, 0}, {}});
  return scene;
}

struct Change {
  const char* name;
  std::function<void(Scene<double>&)> make;
};

TEST(MisusedScene, without_a_needed_column_is_an_error_that_names_it) {
  const SceneData<double> data = full_scene();
  const MethodOptions options = usual(Procedure::substeps);
  const Change changes[] = {
      {"bodies.inverse_mass", [](Scene<double>& s) { s.bodies.inverse_mass = {}; }},
      {"bodies.inverse_inertia.yz", [](Scene<double>& s) { s.bodies.inverse_inertia.yz = {}; }},
      {"bodies.velocity.z", [](Scene<double>& s) { s.bodies.velocity.z = {}; }},
      {"contacts.body_a", [](Scene<double>& s) { s.contacts.body_a = {}; }},
      {"contacts.body_b", [](Scene<double>& s) { s.contacts.body_b = {}; }},
      {"contacts.normal.y", [](Scene<double>& s) { s.contacts.normal.y = {}; }},
      {"contacts.r_b.x", [](Scene<double>& s) { s.contacts.r_b.x = {}; }},
      {"contacts.friction", [](Scene<double>& s) { s.contacts.friction = {}; }},
      {"contacts.restitution", [](Scene<double>& s) { s.contacts.restitution = {}; }},
      {"contacts.surface_velocity", [](Scene<double>& s) { s.contacts.surface_velocity.y = {}; }},
      {"contacts.warm_impulse", [](Scene<double>& s) { s.contacts.warm_impulse.z = {}; }},
      {"bodies.velocity_change.y", [](Scene<double>& s) { s.bodies.velocity_change.y = {}; }},
      {"bodies.angular_velocity_change", [](Scene<double>& s) { s.bodies.angular_velocity_change = {}; }},
      {"joints.body_a", [](Scene<double>& s) { s.joints.body_a = {}; }},
      {"joints.linear_a.x", [](Scene<double>& s) { s.joints.linear_a.x = {}; }},
      {"joints.angular_b.z", [](Scene<double>& s) { s.joints.angular_b.z = {}; }},
      {"joints.r_a", [](Scene<double>& s) { s.joints.r_a.y = {}; }},
      {"joints.r_b", [](Scene<double>& s) { s.joints.r_b.z = {}; }},
      {"joints.r_a and joints.r_b", [](Scene<double>& s) { s.joints.r_a = {}; }},
      {"joints.r_a and joints.r_b", [](Scene<double>& s) { s.joints.r_b = {}; }},
  };
  for (const auto& [name, change] : changes) {
    SceneArrays<double> arrays(data);
    Scene<double> scene = data.view(options);
    change(scene);
    expect_named(refusal(scene, arrays.view(), options), name);
    EXPECT_EQ(arrays.velocity, data.bodies.velocity) << name;
  }
}

TEST(MisusedScene, with_a_column_of_another_length_is_an_error_that_names_it) {
  const SceneData<double> data = full_scene();
  const Change changes[] = {
      {"bodies.velocity.x", [](Scene<double>& s) { s.bodies.velocity.x.count = 1; }},
      {"contacts.static_friction", [](Scene<double>& s) { s.contacts.static_friction.count = 7; }},
      {"contacts.separation", [](Scene<double>& s) { s.contacts.separation.count = 0; }},
      {"contacts.frequency", [](Scene<double>& s) { s.contacts.frequency.count = 1; }},
      {"contacts.damping_ratio", [](Scene<double>& s) { s.contacts.damping_ratio.count = 1; }},
      {"contacts.slop", [](Scene<double>& s) { s.contacts.slop.count = 1; }},
      {"contacts.target_velocity", [](Scene<double>& s) { s.contacts.target_velocity.count = 9; }},
      {"contacts.surface_velocity.z", [](Scene<double>& s) { s.contacts.surface_velocity.z.count = 1; }},
      {"contacts.warm_impulse.x", [](Scene<double>& s) { s.contacts.warm_impulse.x.count = 1; }},
      {"bodies.angular_velocity_change.x", [](Scene<double>& s) { s.bodies.angular_velocity_change.x.count = 8; }},
      {"contacts.key", [](Scene<double>& s) { s.contacts.key.count = 1; }},
      {"contacts.laws.law", [](Scene<double>& s) { s.contacts.laws.law.count = 1; }},
      {"contacts.body_b", [](Scene<double>& s) { s.contacts.body_b.count = 7; }},
      {"joints.body_b", [](Scene<double>& s) { s.joints.body_b.count = 2; }},
      {"joints.target_velocity", [](Scene<double>& s) { s.joints.target_velocity.count = 2; }},
      {"joints.min_impulse", [](Scene<double>& s) { s.joints.min_impulse.count = 2; }},
      {"joints.compliance", [](Scene<double>& s) { s.joints.compliance.count = 4; }},
      {"joints.key", [](Scene<double>& s) { s.joints.key.count = 4; }},
      {"joints.position_error", [](Scene<double>& s) { s.joints.position_error.count = 2; }},
      {"joints.frequency", [](Scene<double>& s) { s.joints.frequency.count = 4; }},
      {"joints.damping_ratio", [](Scene<double>& s) { s.joints.damping_ratio.count = 2; }},
      {"joints.r_b.z", [](Scene<double>& s) { s.joints.r_b.z.count = 2; }},
  };
  for (const auto& [name, change] : changes) {
    SceneArrays<double> arrays(data);
    const bool is_of_law = std::string_view(name).starts_with("contacts.laws");
    const MethodOptions options = usual(is_of_law ? Procedure::sequential_impacts : Procedure::substeps);
    Scene<double> scene = data.view(options);
    change(scene);
    expect_named(refusal(scene, arrays.view(), options), name);
  }
}

TEST(MisusedScene, with_results_of_another_length_is_an_error_that_names_them) {
  const SceneData<double> data = full_scene();
  const struct {
    const char* name;
    std::function<void(SceneResults<double>&)> make;
  } changes[] = {
      {"results.velocity.y", [](SceneResults<double>& r) { r.velocity.y.count = 1; }},
      {"results.angular_velocity.x", [](SceneResults<double>& r) { r.angular_velocity.x.count = 8; }},
      {"results.impulse.z", [](SceneResults<double>& r) { r.impulse.z.count = 2; }},
      {"results.separation_velocity.x", [](SceneResults<double>& r) { r.separation_velocity.x.count = 2; }},
      {"results.status", [](SceneResults<double>& r) { r.status.count = 7; }},
      {"results.path", [](SceneResults<double>& r) { r.path.count = 7; }},
      {"results.joint_impulse", [](SceneResults<double>& r) { r.joint_impulse.count = 2; }},
      {"results.joint_status", [](SceneResults<double>& r) { r.joint_status.count = 2; }},
      {"results.impulse.x", [](SceneResults<double>& r) { r.impulse.x.stride = 0; }},
      {"results.displacement.x", [](SceneResults<double>& r) { r.displacement.x.count = 1; }},
      {"results.rotation.z", [](SceneResults<double>& r) { r.rotation.z.count = 3; }},
      {"results.warm_impulse.y", [](SceneResults<double>& r) { r.warm_impulse.y.count = 7; }},
      {"results.joint_warm_impulse", [](SceneResults<double>& r) { r.joint_warm_impulse.count = 2; }},
      {"results.islands.substeps", [](SceneResults<double>& r) { r.islands.substeps.count = 1; }},
      {"results.islands.energy_removed", [](SceneResults<double>& r) { r.islands.energy_removed.count = 1; }},
  };
  for (const auto& [name, change] : changes) {
    SceneArrays<double> arrays(data);
    SceneResults<double> results = arrays.view();
    change(results);
    expect_named(refusal(data.view(usual(Procedure::pgs)), results, usual(Procedure::pgs)), name);
  }
}

TEST(MisusedScene, with_options_out_of_range_is_an_error_that_names_them) {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                          infinity = std::numeric_limits<double>::infinity();
  const SceneData<double> data = full_scene();
  const struct {
    Procedure method;
    const char* name;
    std::function<void(MethodOptions&)> make;
  } changes[] = {
      {Procedure::pgs, "pgs.iterations", [](MethodOptions& o) { o.pgs.iterations = 0; }},
      {Procedure::pgs, "pgs.inner_iterations", [](MethodOptions& o) { o.pgs.inner_iterations = 0; }},
      {Procedure::pgs, "pgs.inner_iterations",
       [](MethodOptions& o) { o.pgs.inner_iterations = SceneLimits::max_inner_iterations + 1; }},
      {Procedure::pgs, "pgs.relaxation", [](MethodOptions& o) { o.pgs.relaxation = 0; }},
      {Procedure::pgs, "pgs.relaxation", [](MethodOptions& o) { o.pgs.relaxation = 2; }},
      {Procedure::pgs, "pgs.warm_start", [](MethodOptions& o) { o.pgs.warm_start = 1.125; }},
      {Procedure::pgs, "pgs.joint_warm_start", [](MethodOptions& o) { o.pgs.joint_warm_start = -0.125; }},
      {Procedure::pgs, "pgs.tolerance", [](MethodOptions& o) { o.tolerance = -1e-9; }},
      {Procedure::pgs, "pgs.tolerance", [](MethodOptions& o) { o.tolerance = nan; }},
      {Procedure::pgs, "pgs.tolerance", [](MethodOptions& o) { o.tolerance = 1.5; }},
      {Procedure::substeps, "substeps.min_substeps", [](MethodOptions& o) { o.substeps.min_substeps = 0; }},
      {Procedure::substeps, "substeps.max_substeps", [](MethodOptions& o) { o.substeps.max_substeps = 0; }},
      {Procedure::substeps, "substeps.max_substeps",
       [](MethodOptions& o) { o.substeps.min_substeps = 3, o.substeps.max_substeps = 2; }},
      {Procedure::substeps, "substeps.max_substeps",
       [](MethodOptions& o) { o.substeps.max_substeps = SceneLimits::max_substeps + 1; }},
      {Procedure::substeps, "substeps.min_direct_substeps",
       [](MethodOptions& o) { o.substeps.min_direct_substeps = 0; }},
      {Procedure::substeps, "substeps.min_direct_substeps",
       [](MethodOptions& o) { o.substeps.min_direct_substeps = 17; }},
      {Procedure::substeps, "substeps.min_direct_substeps",
       [](MethodOptions& o) { o.substeps.max_substeps = 3, o.substeps.min_direct_substeps = 4; }},
      {Procedure::substeps, "substeps.min_direct_substeps",
       [](MethodOptions& o) { o.substeps.min_substeps = 2, o.substeps.min_direct_substeps = 2; }},
      {Procedure::substeps, "substeps.inner_iterations", [](MethodOptions& o) { o.substeps.inner_iterations = 0; }},
      {Procedure::substeps, "substeps.inner_iterations",
       [](MethodOptions& o) { o.substeps.inner_iterations = SceneLimits::max_inner_iterations + 1; }},
      {Procedure::substeps, "substeps.iterations", [](MethodOptions& o) { o.substeps.iterations = 0; }},
      {Procedure::substeps, "substeps.restitution_iterations",
       [](MethodOptions& o) { o.substeps.restitution_iterations = 0; }},
      {Procedure::substeps, "substeps.position_correction.relax_iterations",
       [](MethodOptions& o) { o.substeps.position_correction.relax_iterations = -1; }},
      {Procedure::substeps, "substeps.position_correction.slop",
       [](MethodOptions& o) { o.substeps.position_correction.slop = -1e-3; }},
      {Procedure::substeps, "substeps.position_correction.slop",
       [](MethodOptions& o) { o.substeps.position_correction.slop = nan; }},
      {Procedure::substeps, "substeps.position_correction.slop",
       [](MethodOptions& o) { o.substeps.position_correction.slop = infinity; }},
      {Procedure::substeps, "substeps.position_correction.relative_slop",
       [](MethodOptions& o) { o.substeps.position_correction.relative_slop = 0; }},
      {Procedure::substeps, "substeps.position_correction.relative_slop",
       [](MethodOptions& o) { o.substeps.position_correction.relative_slop = nan; }},
      {Procedure::substeps, "substeps.position_correction.relative_slop",
       [](MethodOptions& o) { o.substeps.position_correction.relative_slop = infinity; }},
      {Procedure::substeps, "substeps.position_correction.rate",
       [](MethodOptions& o) { o.substeps.position_correction.rate = 1.25; }},
      {Procedure::substeps, "substeps.position_correction.rate",
       [](MethodOptions& o) { o.substeps.position_correction.rate = nan; }},
      {Procedure::substeps, "substeps.position_correction.max_speed",
       [](MethodOptions& o) { o.substeps.position_correction.max_speed = -1; }},
      {Procedure::substeps, "substeps.position_correction.joint_frequency",
       [](MethodOptions& o) { o.substeps.position_correction.joint_frequency = -1; }},
      {Procedure::substeps, "substeps.position_correction.joint_frequency",
       [](MethodOptions& o) { o.substeps.position_correction.joint_frequency = nan; }},
      {Procedure::substeps, "substeps.position_correction.joint_damping_ratio",
       [](MethodOptions& o) { o.substeps.position_correction.joint_damping_ratio = -1; }},
      {Procedure::substeps, "substeps.position_correction.contact_damping_ratio",
       [](MethodOptions& o) { o.substeps.position_correction.contact_damping_ratio = -1; }},
      // The scene has their columns.
      {Procedure::substeps, "substeps.position_correction.joint_frequency",
       [](MethodOptions& o) { o.substeps.position_correction.joint_frequency = 30; }},
      {Procedure::substeps, "substeps.position_correction.joint_damping_ratio",
       [](MethodOptions& o) { o.substeps.position_correction.joint_damping_ratio = 1; }},
      {Procedure::substeps, "substeps.position_correction.contact_damping_ratio",
       [](MethodOptions& o) { o.substeps.position_correction.contact_damping_ratio = 1; }},
      {Procedure::pgs, "pgs.position_correction.joint_frequency",
       [](MethodOptions& o) { o.correct_positions(0.01), o.substeps.position_correction.joint_frequency = 0; }},
      {Procedure::substeps, "substeps.warm_start", [](MethodOptions& o) { o.substeps.warm_start = 1.125; }},
      {Procedure::substeps, "substeps.joint_warm_start",
       [](MethodOptions& o) { o.substeps.joint_warm_start = -0.125; }},
      {Procedure::ncp, "ncp.tolerance", [](MethodOptions& o) { o.ncp.tolerance = -1e-9; }},
      {Procedure::ncp, "ncp.tolerance", [](MethodOptions& o) { o.ncp.tolerance = 1.5; }},
      {Procedure::ncp, "ncp.budget", [](MethodOptions& o) { o.ncp.budget = 0.5; }},
      {Procedure::ncp, "ncp.budget", [](MethodOptions& o) { o.ncp.budget = nan; }},
      {Procedure::ncp, "ncp.max_friction", [](MethodOptions& o) { o.ncp.max_friction = 0; }},
      {Procedure::ncp, "ncp.max_friction", [](MethodOptions& o) { o.ncp.max_friction = infinity; }},
      {Procedure::ncp, "ncp.warm_start", [](MethodOptions& o) { o.ncp.warm_start = 1.125; }},
      {Procedure::ncp, "ncp.max_island_size", [](MethodOptions& o) { o.ncp.max_island_size = -1; }},
      {Procedure::sequential_impacts, "sequential_impacts.max_impacts",
       [](MethodOptions& o) { o.sequential_impacts.max_impacts = 0; }},
      {Procedure::sequential_impacts, "sequential_impacts.law",
       [](MethodOptions& o) { o.sequential_impacts.law = static_cast<Law>(13); }},
      {Procedure::collisions, "bender_schmitt.filter",
       [](MethodOptions& o) { o.bender_schmitt.filter = static_cast<ContactFilter>(2); }},
      {Procedure::collisions, "bender_schmitt.max_iterations",
       [](MethodOptions& o) { o.bender_schmitt.max_iterations = -1; }},
      {Procedure::resting, "bender_schmitt.max_iterations",
       [](MethodOptions& o) { o.bender_schmitt.max_iterations = SceneLimits::max_iterations + 1; }},
      {Procedure::resting, "bender_schmitt.rest_tolerance",
       [](MethodOptions& o) { o.bender_schmitt.rest_tolerance = nan; }},
      {Procedure::resting, "bender_schmitt.shock_propagation",
       [](MethodOptions& o) { o.bender_schmitt.shock_propagation = -1; }},
      {Procedure::resting, "time_step", [](MethodOptions& o) { o.time_step = 0; }},
      {Procedure::both_phases, "time_step", [](MethodOptions& o) { o.time_step = 0; }},
      {Procedure::substeps, "time_step", [](MethodOptions& o) { o.time_step = 0; }},
      {Procedure::pgs, "time_step", [](MethodOptions& o) { o.correct_positions(0); }},
      {Procedure::pgs, "time_step",
       [](MethodOptions& o) {
         o.time_step = 0, o.gravity = {0, 0, -9.81};
       }},
      {Procedure::pgs, "time_step", [](MethodOptions& o) { o.time_step = -0.01; }},
      {Procedure::pgs, "time_step", [](MethodOptions& o) { o.time_step = 1e4; }},
      {Procedure::pgs, "gravity", [](MethodOptions& o) { o.gravity[1] = infinity; }},
      {Procedure::pgs, "relaxation", [](MethodOptions& o) { o.correct_positions(0.01), o.pgs.relaxation = 1.5; }},
      {Procedure::pgs, "restitution_threshold", [](MethodOptions& o) { o.restitution_threshold = -1; }},
      {Procedure::pgs, "normal_tolerance", [](MethodOptions& o) { o.data.normal_tolerance = 0.5; }},
  };
  for (const auto& [method, name, change] : changes) {
    SceneArrays<double> arrays(data);
    MethodOptions options = usual(method);
    change(options);
    const auto given = options.converted();
    expect_named(refusal(select(data.view(), given.method), arrays.view(), options), name);
  }
  // Other methods do not read the step.
  SceneArrays<double> arrays(data);
  EXPECT_EQ(refusal(select(data.view(), Pgs{}), arrays.view(), {}), "");
  EXPECT_THROW(SceneSolver({.threads = -1}), Error);
  EXPECT_THROW(SceneSolver({.isa = static_cast<Isa>(6)}), Error);
}

TEST(DefaultsOfColumns, act_without_the_columns_and_have_the_bits_of_the_columns) {
  SceneData<double> data = full_scene();
  for (auto& row : data.joints.rows) row.position_error = 0.01, row.frequency = 5, row.damping_ratio = 0.5;
  const MethodOptions options = usual(Procedure::substeps);
  const auto solve = [&](const Scene<double>& scene, const SceneOptions& given) {
    Solved<double> made{SceneArrays<double>(data), {}};
    made.report = SceneSolver({.threads = 1}).solve(select(scene, given.method), made.arrays.view(), given);
    return made.arrays;
  };
  Scene<double> scene = data.view();
  const auto by_columns = solve(scene, options);
  scene.joints.frequency = scene.joints.damping_ratio = scene.contacts.damping_ratio = {};
  MethodOptions by_options = options;
  PositionCorrection& of = by_options.substeps.position_correction;
  of.joint_frequency = 5, of.joint_damping_ratio = 0.5, of.contact_damping_ratio = 1;
  expect_same_bits(solve(scene, by_options), by_columns, "options");
  EXPECT_NE(solve(scene, options).velocity, by_columns.velocity);
}

TEST(EmptyScene, is_solved_and_so_is_one_of_bodies_or_joints_alone) {
  const SceneReport nothing =
      SceneSolver({.threads = 1}).solve(Scene<double>{}, SceneResults<double>{}, usual(Procedure::pgs));
  EXPECT_EQ(nothing.contacts, 0u);
  EXPECT_EQ(nothing.islands, 0u);
  for (const Procedure method : all_methods) {
    SceneData<double> scene;
    scene.add(Body{.velocity = {1, 2, 3}});
    const auto made = solved(scene, usual(method));
    EXPECT_EQ(made.velocity(0), (Vector{1, 2, 3}));
    EXPECT_EQ(made.report.bodies, 1u);
    EXPECT_EQ(made.report.islands, 0u);
    EXPECT_EQ(made.report.energy_after, 7);
    const auto joined = solved(chain<double>(3), usual(method));
    EXPECT_EQ(joined.report.contacts, 0u);
    EXPECT_EQ(joined.report.joint_rows, 9u);
    EXPECT_EQ(joined.report.islands, 1u);
    EXPECT_EQ(joined.report.max_island_size, 9u);
  }
}

TEST(MisusedScene, while_a_solver_serves_another_call_is_an_error) {
  SceneSolver solver({.threads = 1});
  const SceneData<double> scene = pyramid<double>(20);
  const SceneOptions options = usual(Procedure::pgs);
  std::atomic<bool> ended{false};
  std::thread other([&] {
    SceneArrays<double> arrays(scene);
    while (!ended) {
      try {
        solver.solve(scene.view(options), arrays.view(), options);
      } catch (const Error&) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    }
  });
  bool refused = false, served = false;
  SceneArrays<double> arrays(scene);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!(refused && served) && std::chrono::steady_clock::now() < patience) {
    try {
      solver.solve(scene.view(options), arrays.view(), options);
      served = true;
    } catch (const Error&) {
      refused = true;
    }
  }
  ended = true;
  other.join();
  EXPECT_TRUE(refused);
  EXPECT_TRUE(served);
}

TEST(MovedSceneSolver, is_an_error_to_call_until_it_is_assigned_to) {
  const SceneData<double> scene = stack<double>(2);
  const SceneOptions options = usual(Procedure::pgs);
  SceneArrays<double> arrays(scene);
  SceneSolver first({.threads = 1}), second(std::move(first));
  EXPECT_EQ(second.solve(scene.view(options), arrays.view(), options).contacts, 8u);
  EXPECT_THROW(first.solve(scene.view(options), arrays.view(), options), Error);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(first.execution(), Error);
  EXPECT_THROW(first.isa(), Error);
  EXPECT_THROW(first.forget(), Error);
  first = std::move(second);
  EXPECT_EQ(first.solve(scene.view(options), arrays.view(), options).contacts, 8u);
}

TEST(SceneMethodNames, are_read_back_and_unknown_of_other_numbers) {
  for (std::size_t number = 0; number < scene_method_count; ++number) {
    const auto method = static_cast<SceneMethod>(number);
    EXPECT_EQ(scene_method_from_string(to_string(method)), method);
  }
  EXPECT_EQ(to_string(SceneMethod::pgs), "pgs");
  EXPECT_EQ(to_string(static_cast<SceneMethod>(scene_method_count)), "unknown");
  EXPECT_THROW(scene_method_from_string("jacobi"), Error);
}

}  // namespace
}  // namespace carom::scenes
