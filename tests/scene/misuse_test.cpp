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
  scene.gap.assign(n, 0);
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
      {"contacts.lever_b.x", [](Scene<double>& s) { s.contacts.lever_b.x = {}; }},
      {"contacts.friction", [](Scene<double>& s) { s.contacts.friction = {}; }},
      {"contacts.restitution", [](Scene<double>& s) { s.contacts.restitution = {}; }},
      {"contacts.surface_velocity", [](Scene<double>& s) { s.contacts.surface_velocity.y = {}; }},
      {"contacts.warm_impulse", [](Scene<double>& s) { s.contacts.warm_impulse.z = {}; }},
      {"bodies.velocity_change.y", [](Scene<double>& s) { s.bodies.velocity_change.y = {}; }},
      {"bodies.angular_velocity_change", [](Scene<double>& s) { s.bodies.angular_velocity_change = {}; }},
      {"joints.body_a", [](Scene<double>& s) { s.joints.body_a = {}; }},
      {"joints.linear_a.x", [](Scene<double>& s) { s.joints.linear_a.x = {}; }},
      {"joints.angular_b.z", [](Scene<double>& s) { s.joints.angular_b.z = {}; }},
      {"joints.arm_a", [](Scene<double>& s) { s.joints.arm_a.y = {}; }},
      {"joints.arm_b", [](Scene<double>& s) { s.joints.arm_b.z = {}; }},
      {"joints.arm_a and joints.arm_b", [](Scene<double>& s) { s.joints.arm_a = {}; }},
      {"joints.arm_a and joints.arm_b", [](Scene<double>& s) { s.joints.arm_b = {}; }},
  };
  for (const auto& [name, change] : changes) {
    SceneArrays<double> arrays(data);
    Scene<double> scene = data.view();
    change(scene);
    expect_named(refusal(scene, arrays.view(), usual(SceneMethod::simultaneous)), name);
    EXPECT_EQ(arrays.velocity, data.bodies.velocity) << name;
  }
}

TEST(MisusedScene, with_a_column_of_another_length_is_an_error_that_names_it) {
  const SceneData<double> data = full_scene();
  const Change changes[] = {
      {"bodies.velocity.x", [](Scene<double>& s) { s.bodies.velocity.x.count = 1; }},
      {"contacts.static_friction", [](Scene<double>& s) { s.contacts.static_friction.count = 7; }},
      {"contacts.gap", [](Scene<double>& s) { s.contacts.gap.count = 0; }},
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
      {"joints.least_impulse", [](Scene<double>& s) { s.joints.least_impulse.count = 2; }},
      {"joints.compliance", [](Scene<double>& s) { s.joints.compliance.count = 4; }},
      {"joints.key", [](Scene<double>& s) { s.joints.key.count = 4; }},
      {"joints.error", [](Scene<double>& s) { s.joints.error.count = 2; }},
      {"joints.frequency", [](Scene<double>& s) { s.joints.frequency.count = 4; }},
      {"joints.damping_ratio", [](Scene<double>& s) { s.joints.damping_ratio.count = 2; }},
      {"joints.arm_b.z", [](Scene<double>& s) { s.joints.arm_b.z.count = 2; }},
  };
  for (const auto& [name, change] : changes) {
    SceneArrays<double> arrays(data);
    Scene<double> scene = data.view();
    change(scene);
    expect_named(refusal(scene, arrays.view(), usual(SceneMethod::simultaneous)), name);
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
    expect_named(refusal(data.view(), results, usual(SceneMethod::simultaneous)), name);
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
      {"iteration.swept", [](SceneOptions& o) { o.iteration.swept = static_cast<SweptContacts>(2); }},
      {"simultaneous.iterations", [](SceneOptions& o) { o.simultaneous.iterations = 0; }},
      {"iteration.iterations", [](SceneOptions& o) { o.iteration.iterations = -1; }},
      {"resting.iterations", [](SceneOptions& o) { o.resting.iterations = SceneLimits::most_iterations + 1; }},
      {"sequence.impacts", [](SceneOptions& o) { o.sequence.impacts = 0; }},
      {"relative_tolerance", [](SceneOptions& o) { o.relative_tolerance = -1e-9; }},
      {"relative_tolerance", [](SceneOptions& o) { o.relative_tolerance = nan; }},
      {"relative_tolerance", [](SceneOptions& o) { o.relative_tolerance = 1.5; }},
      {"rest.gravity", [](SceneOptions& o) { o.rest.gravity = -1; }},
      {"rest.tolerance", [](SceneOptions& o) { o.rest.tolerance = nan; }},
      {"resting.gravity", [](SceneOptions& o) { o.resting.gravity[1] = infinity; }},
      {"shock_propagation.iterations", [](SceneOptions& o) { o.shock_propagation.iterations = 0; }},
      {"simultaneous.relaxation", [](SceneOptions& o) { o.simultaneous.relaxation = 0; }},
      {"simultaneous.relaxation", [](SceneOptions& o) { o.simultaneous.relaxation = 2; }},
      {"simultaneous.warm_start", [](SceneOptions& o) { o.simultaneous.warm_start = 1.125; }},
      {"substeps.contact_damping_ratio", [](SceneOptions& o) { o.substeps.contact_damping_ratio = -1; }},
      {"simultaneous.time_step", [](SceneOptions& o) { o.simultaneous.time_step = -1; }},
      {"simultaneous.relaxing", [](SceneOptions& o) { o.simultaneous.relaxing = -1; }},
      {"simultaneous.joint_warm_start", [](SceneOptions& o) { o.simultaneous.joint_warm_start = -0.125; }},
      {"restitution_threshold", [](SceneOptions& o) { o.restitution_threshold = -1; }},
      {"resting.time_step", [](SceneOptions& o) { o.method = SceneMethod::resting, o.resting.time_step = 0; }},
      {"resting.time_step", [](SceneOptions& o) { o.method = SceneMethod::step, o.resting.time_step = 0; }},
      {"resting.time_step", [](SceneOptions& o) { o.method = SceneMethod::resting, o.resting.time_step = 1e4; }},
      {"substeps.time_step", [](SceneOptions& o) { o.method = SceneMethod::substeps, o.substeps.time_step = 0; }},
      {"substeps.time_step", [](SceneOptions& o) { o.substeps.time_step = -0.01; }},
      {"substeps.time_step", [](SceneOptions& o) { o.substeps.time_step = 1e4; }},
      {"substeps.least", [](SceneOptions& o) { o.substeps.least = 0; }},
      {"substeps.most", [](SceneOptions& o) { o.substeps.most = o.substeps.least - 1; }},
      {"substeps.most", [](SceneOptions& o) { o.substeps.most = SceneLimits::most_substeps + 1; }},
      {"substeps.direct_least", [](SceneOptions& o) { o.substeps.direct_least = 0; }},
      {"substeps.direct_least", [](SceneOptions& o) { o.substeps.direct_least = 17; }},
      {"substeps.direct_least", [](SceneOptions& o) { o.substeps.most = 3, o.substeps.direct_least = 4; }},
      {"substeps.direct_least", [](SceneOptions& o) { o.substeps.least = 2, o.substeps.direct_least = 2; }},
      {"substeps.rounds", [](SceneOptions& o) { o.substeps.rounds = 0; }},
      {"substeps.rounds", [](SceneOptions& o) { o.substeps.rounds = SceneLimits::most_rounds + 1; }},
      {"simultaneous.rounds", [](SceneOptions& o) { o.simultaneous.rounds = 0; }},
      {"substeps.sweeps", [](SceneOptions& o) { o.substeps.sweeps = 0; }},
      {"substeps.relaxing", [](SceneOptions& o) { o.substeps.relaxing = -1; }},
      {"substeps.restitution_sweeps", [](SceneOptions& o) { o.substeps.restitution_sweeps = 0; }},
      {"substeps.slop", [](SceneOptions& o) { o.substeps.slop = -1e-3; }},
      {"substeps.slop", [](SceneOptions& o) { o.substeps.slop = nan; }},
      {"substeps.slop", [](SceneOptions& o) { o.substeps.slop = infinity; }},
      {"substeps.relative_slop", [](SceneOptions& o) { o.substeps.relative_slop = 0; }},
      {"substeps.relative_slop", [](SceneOptions& o) { o.substeps.relative_slop = nan; }},
      {"substeps.relative_slop", [](SceneOptions& o) { o.substeps.relative_slop = infinity; }},
      {"substeps.push_out", [](SceneOptions& o) { o.substeps.push_out = 1.25; }},
      {"substeps.push_out", [](SceneOptions& o) { o.substeps.push_out = nan; }},
      {"substeps.largest_push_out_speed", [](SceneOptions& o) { o.substeps.largest_push_out_speed = -1; }},
      {"substeps.joint_frequency", [](SceneOptions& o) { o.substeps.joint_frequency = -1; }},
      {"substeps.joint_frequency", [](SceneOptions& o) { o.substeps.joint_frequency = nan; }},
      {"substeps.joint_damping_ratio", [](SceneOptions& o) { o.substeps.joint_damping_ratio = -1; }},
      {"substeps.warm_start", [](SceneOptions& o) { o.substeps.warm_start = 1.125; }},
      {"substeps.joint_warm_start", [](SceneOptions& o) { o.substeps.joint_warm_start = -0.125; }},
      {"coulomb.tolerance", [](SceneOptions& o) { o.coulomb.tolerance = -1e-9; }},
      {"coulomb.tolerance", [](SceneOptions& o) { o.coulomb.tolerance = 1.5; }},
      {"coulomb.budget", [](SceneOptions& o) { o.coulomb.budget = 0.5; }},
      {"coulomb.budget", [](SceneOptions& o) { o.coulomb.budget = nan; }},
      {"coulomb.most_friction", [](SceneOptions& o) { o.coulomb.most_friction = 0; }},
      {"coulomb.most_friction", [](SceneOptions& o) { o.coulomb.most_friction = infinity; }},
      {"coulomb.warm_start", [](SceneOptions& o) { o.coulomb.warm_start = 1.125; }},
      {"coulomb.largest_island", [](SceneOptions& o) { o.coulomb.largest_island = -1; }},
      {"static_friction", [](SceneOptions& o) { o.method = SceneMethod::coulomb; }},
      {"normal_tolerance", [](SceneOptions& o) { o.collision.normal_tolerance = 0.5; }},
      {"law", [](SceneOptions& o) { o.collision.law = static_cast<Law>(13); }},
  };
  for (const auto& [name, change] : changes) {
    SceneArrays<double> arrays(data);
    SceneOptions options = usual(SceneMethod::simultaneous);
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
    EXPECT_EQ(joined.report.largest_island, 9u);
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
  EXPECT_EQ(to_string(SceneMethod::simultaneous), "simultaneous");
  EXPECT_EQ(to_string(static_cast<SceneMethod>(scene_method_count)), "unknown");
  EXPECT_THROW(scene_method_from_string("jacobi"), Error);
}

}  // namespace
}  // namespace carom::scenes
