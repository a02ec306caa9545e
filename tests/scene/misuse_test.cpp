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
    Scene<double> scene = data.view();
    change(scene);
    expect_named(refusal(scene, arrays.view(), usual(SceneMethod::pgs)), name);
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
      {"joints.error", [](Scene<double>& s) { s.joints.error.count = 2; }},
      {"joints.frequency", [](Scene<double>& s) { s.joints.frequency.count = 4; }},
      {"joints.damping_ratio", [](Scene<double>& s) { s.joints.damping_ratio.count = 2; }},
      {"joints.r_b.z", [](Scene<double>& s) { s.joints.r_b.z.count = 2; }},
  };
  for (const auto& [name, change] : changes) {
    SceneArrays<double> arrays(data);
    Scene<double> scene = data.view();
    change(scene);
    expect_named(refusal(scene, arrays.view(), usual(SceneMethod::pgs)), name);
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
    expect_named(refusal(data.view(), results, usual(SceneMethod::pgs)), name);
  }
}

TEST(MisusedScene, with_options_out_of_range_is_an_error_that_names_them) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const SceneData<double> data = full_scene();
  const struct {
    const char* name;
    std::function<void(SceneOptions&)> make;
  } changes[] = {
      {"method", [](SceneOptions& o) { o.method = static_cast<SceneMethod>(scene_method_count); }},
      {"iteration.swept", [](SceneOptions& o) { o.iteration.swept = static_cast<ContactFilter>(2); }},
      {"pgs.iterations", [](SceneOptions& o) { o.pgs.iterations = 0; }},
      {"iteration.iterations", [](SceneOptions& o) { o.iteration.iterations = -1; }},
      {"resting.iterations", [](SceneOptions& o) { o.resting.iterations = SceneLimits::max_iterations + 1; }},
      {"sequential_impacts.impacts", [](SceneOptions& o) { o.sequential_impacts.impacts = 0; }},
      {"relative_tolerance", [](SceneOptions& o) { o.relative_tolerance = -1e-9; }},
      {"relative_tolerance", [](SceneOptions& o) { o.relative_tolerance = nan; }},
      {"relative_tolerance", [](SceneOptions& o) { o.relative_tolerance = 1.5; }},
      {"rest.gravity", [](SceneOptions& o) { o.rest.gravity = -1; }},
      {"rest.tolerance", [](SceneOptions& o) { o.rest.tolerance = nan; }},
      {"resting.gravity", [](SceneOptions& o) { o.resting.gravity[1] = infinity; }},
      {"shock_propagation.iterations", [](SceneOptions& o) { o.shock_propagation.iterations = 0; }},
      {"pgs.relaxation", [](SceneOptions& o) { o.pgs.relaxation = 0; }},
      {"pgs.relaxation", [](SceneOptions& o) { o.pgs.relaxation = 2; }},
      {"pgs.warm_start", [](SceneOptions& o) { o.pgs.warm_start = 1.125; }},
      {"substeps.contact_damping_ratio", [](SceneOptions& o) { o.substeps.contact_damping_ratio = -1; }},
      {"pgs.time_step", [](SceneOptions& o) { o.pgs.time_step = -1; }},
      {"pgs.relax_iterations", [](SceneOptions& o) { o.pgs.relax_iterations = -1; }},
      {"pgs.joint_warm_start", [](SceneOptions& o) { o.pgs.joint_warm_start = -0.125; }},
      {"restitution_threshold", [](SceneOptions& o) { o.restitution_threshold = -1; }},
      {"resting.time_step", [](SceneOptions& o) { o.method = SceneMethod::resting, o.resting.time_step = 0; }},
      {"resting.time_step", [](SceneOptions& o) { o.method = SceneMethod::step, o.resting.time_step = 0; }},
      {"resting.time_step", [](SceneOptions& o) { o.method = SceneMethod::resting, o.resting.time_step = 1e4; }},
      {"substeps.time_step", [](SceneOptions& o) { o.method = SceneMethod::substeps, o.substeps.time_step = 0; }},
      {"substeps.time_step", [](SceneOptions& o) { o.substeps.time_step = -0.01; }},
      {"substeps.time_step", [](SceneOptions& o) { o.substeps.time_step = 1e4; }},
      {"substeps.least", [](SceneOptions& o) { o.substeps.least = 0; }},
      {"substeps.most", [](SceneOptions& o) { o.substeps.most = o.substeps.least - 1; }},
      {"substeps.most", [](SceneOptions& o) { o.substeps.most = SceneLimits::max_substeps + 1; }},
      {"substeps.min_direct_substeps", [](SceneOptions& o) { o.substeps.min_direct_substeps = 0; }},
      {"substeps.min_direct_substeps", [](SceneOptions& o) { o.substeps.min_direct_substeps = 17; }},
      {"substeps.min_direct_substeps",
       [](SceneOptions& o) { o.substeps.most = 3, o.substeps.min_direct_substeps = 4; }},
      {"substeps.min_direct_substeps",
       [](SceneOptions& o) { o.substeps.least = 2, o.substeps.min_direct_substeps = 2; }},
      {"substeps.inner_iterations", [](SceneOptions& o) { o.substeps.inner_iterations = 0; }},
      {"substeps.inner_iterations", [](SceneOptions& o) { o.substeps.inner_iterations = SceneLimits::max_rounds + 1; }},
      {"pgs.inner_iterations", [](SceneOptions& o) { o.pgs.inner_iterations = 0; }},
      {"substeps.sweeps", [](SceneOptions& o) { o.substeps.sweeps = 0; }},
      {"substeps.relax_iterations", [](SceneOptions& o) { o.substeps.relax_iterations = -1; }},
      {"substeps.restitution_sweeps", [](SceneOptions& o) { o.substeps.restitution_sweeps = 0; }},
      {"substeps.slop", [](SceneOptions& o) { o.substeps.slop = -1e-3; }},
      {"substeps.slop", [](SceneOptions& o) { o.substeps.slop = nan; }},
      {"substeps.slop", [](SceneOptions& o) { o.substeps.slop = infinity; }},
      {"substeps.relative_slop", [](SceneOptions& o) { o.substeps.relative_slop = 0; }},
      {"substeps.relative_slop", [](SceneOptions& o) { o.substeps.relative_slop = nan; }},
      {"substeps.relative_slop", [](SceneOptions& o) { o.substeps.relative_slop = infinity; }},
      {"substeps.correction_rate", [](SceneOptions& o) { o.substeps.correction_rate = 1.25; }},
      {"substeps.correction_rate", [](SceneOptions& o) { o.substeps.correction_rate = nan; }},
      {"substeps.max_correction_speed", [](SceneOptions& o) { o.substeps.max_correction_speed = -1; }},
      {"substeps.joint_frequency", [](SceneOptions& o) { o.substeps.joint_frequency = -1; }},
      {"substeps.joint_frequency", [](SceneOptions& o) { o.substeps.joint_frequency = nan; }},
      {"substeps.joint_damping_ratio", [](SceneOptions& o) { o.substeps.joint_damping_ratio = -1; }},
      {"substeps.warm_start", [](SceneOptions& o) { o.substeps.warm_start = 1.125; }},
      {"substeps.joint_warm_start", [](SceneOptions& o) { o.substeps.joint_warm_start = -0.125; }},
      {"ncp.tolerance", [](SceneOptions& o) { o.ncp.tolerance = -1e-9; }},
      {"ncp.tolerance", [](SceneOptions& o) { o.ncp.tolerance = 1.5; }},
      {"ncp.budget", [](SceneOptions& o) { o.ncp.budget = 0.5; }},
      {"ncp.budget", [](SceneOptions& o) { o.ncp.budget = nan; }},
      {"ncp.max_friction", [](SceneOptions& o) { o.ncp.max_friction = 0; }},
      {"ncp.max_friction", [](SceneOptions& o) { o.ncp.max_friction = infinity; }},
      {"ncp.warm_start", [](SceneOptions& o) { o.ncp.warm_start = 1.125; }},
      {"ncp.max_island_size", [](SceneOptions& o) { o.ncp.max_island_size = -1; }},
      {"static_friction", [](SceneOptions& o) { o.method = SceneMethod::ncp; }},
      {"normal_tolerance", [](SceneOptions& o) { o.collision.normal_tolerance = 0.5; }},
      {"law", [](SceneOptions& o) { o.collision.law = static_cast<Law>(13); }},
  };
  for (const auto& [name, change] : changes) {
    SceneArrays<double> arrays(data);
    SceneOptions options = usual(SceneMethod::pgs);
    change(options);
    expect_named(refusal(data.view(), arrays.view(), options), name);
  }
  // Other methods do not read the step.
  SceneArrays<double> arrays(data);
  EXPECT_EQ(refusal(data.view(), arrays.view(), {}), "");
  EXPECT_THROW(SceneSolver({.threads = -1}), Error);
  EXPECT_THROW(SceneSolver({.isa = static_cast<Isa>(6)}), Error);
}

TEST(EmptyScene, is_solved_and_so_is_one_of_bodies_or_joints_alone) {
  const SceneReport nothing = SceneSolver({.threads = 1}).solve(Scene<double>{}, SceneResults<double>{});
  EXPECT_EQ(nothing.contacts, 0u);
  EXPECT_EQ(nothing.islands, 0u);
  for (const SceneMethod method : all_methods) {
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
  std::atomic<bool> ended{false};
  std::thread other([&] {
    SceneArrays<double> arrays(scene);
    while (!ended) {
      try {
        solver.solve(scene.view(), arrays.view());
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
      solver.solve(scene.view(), arrays.view());
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
  SceneArrays<double> arrays(scene);
  SceneSolver first({.threads = 1}), second(std::move(first));
  EXPECT_EQ(second.solve(scene.view(), arrays.view()).contacts, 8u);
  EXPECT_THROW(first.solve(scene.view(), arrays.view()), Error);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(first.execution(), Error);
  EXPECT_THROW(first.isa(), Error);
  EXPECT_THROW(first.forget(), Error);
  first = std::move(second);
  EXPECT_EQ(first.solve(scene.view(), arrays.view()).contacts, 8u);
}

TEST(SceneMethodNames, are_read_back_and_unknown_of_other_numbers) {
  for (const SceneMethod method : all_methods) EXPECT_EQ(scene_method_from_string(to_string(method)), method);
  EXPECT_EQ(to_string(SceneMethod::pgs), "pgs");
  EXPECT_EQ(to_string(static_cast<SceneMethod>(scene_method_count)), "unknown");
  EXPECT_THROW(scene_method_from_string("jacobi"), Error);
}

}  // namespace
}  // namespace carom::scenes
