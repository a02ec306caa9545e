// Laws of every scene: momentum and energy. Behaviour of iterations.
#include <gtest/gtest.h>

#include <carom/reference.hpp>
#include <carom/reference_scene.hpp>
#include <cmath>
#include <limits>

#include "support/scenes/iterations.hpp"
#include "support/scenes/random_scene_of_structs.hpp"
#include "support/scenes/scene_of_structs.hpp"

namespace carom::reference {
namespace {

using scenes::MethodOptions;
using scenes::Procedure;

using support::random_scene;
using support::RandomScene;
using support::SceneContact;
using support::SceneData;
using support::SceneKind;
using support::SceneResultArrays;
using support::SceneRow;
using support::solved;
using support::Vector;
using support::with_method;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Procedure sweeping[] = {Procedure::pgs, Procedure::collisions, Procedure::resting};
constexpr Procedure methods[] = {Procedure::pgs, Procedure::sequential_impacts, Procedure::collisions,
                                 Procedure::resting};

// Iterations end when no contact misses its target. Impulses that must shrink, and directions of friction, may still
// change then. Further calls start from these impulses until they have settled.
SceneResultArrays<double> settled(SceneData<double>& data, const MethodOptions& options, SceneReport& report) {
  auto results = solved(data, options, &report);
  for (int i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < data.contacts.size(); ++j) data.contacts[j].warm_impulse = results.impulse[j];
    for (std::size_t j = 0; j < data.rows.size(); ++j) data.rows[j].warm_impulse = results.joint_impulse[j];
    results = solved(data, options, &report);
  }
  return results;
}

// Conservation.

TEST(scene_momentum, is_kept_to_rounding_by_every_method) {
  SceneKind kind;
  kind.immovable = false;
  std::size_t impulses = 0;
  for (Procedure method : methods)
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const RandomScene scene = random_scene(seed, kind);
      SceneReport report;
      MethodOptions options = with_method(method, 20);
      const auto results = solved(scene.data, options, &report);
      Vector momentum{};
      double size = 0;
      for (std::size_t i = 0; i < scene.data.bodies.size(); ++i) {
        const double mass = 1 / scene.data.bodies[i].inverse_mass;
        const Vector &before = scene.data.bodies[i].velocity, &after = results.velocity[i];
        momentum = momentum + mass * (after - before);
        size += mass * (length(before) + length(after));
      }
      // The returned impulses explain the change of each angular velocity: every impulse adds the moment r × p.
      double turn = 0;
      for (std::size_t i = 0; i < scene.data.bodies.size(); ++i) {
        Vector spin{};
        for (std::size_t c = 0; c < scene.data.contacts.size(); ++c) {
          const auto& contact = scene.data.contacts[c];
          const bool is_a = contact.body_a == static_cast<std::int32_t>(i);
          const bool is_b = contact.body_b == static_cast<std::int32_t>(i);
          if (!is_a && !is_b) continue;
          const Vector moment = cross(is_a ? contact.r_a : contact.r_b, results.impulse[c]);
          spin = is_a ? spin + moment : spin - moment;
          turn += length(moment);
        }
        const auto& m = scene.data.bodies[i].inverse_inertia;
        const Vector expected = carom::symmetric(m) * spin;
        for (std::size_t j = 0; j < 3; ++j)
          EXPECT_NEAR(results.angular_velocity[i][j] - scene.data.bodies[i].angular_velocity[j], expected[j],
                      1000 * epsilon * (1 + turn) * (m[0] + m[3] + m[5]));
      }
      // About 20 · 40 changes of a velocity are rounded.
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(momentum[j], 0, 1000 * epsilon * size);
      impulses += report.count(Status::ok);
    }
  EXPECT_GT(impulses, 500u);
}

TEST(scene_energy, is_kept_at_restitution_1_without_friction) {
  const SceneKind kind{.bodies = 6, .manifolds = 5, .max_friction = 0, .immovable = false};
  std::size_t converged = 0;
  for (Procedure method : {Procedure::pgs, Procedure::sequential_impacts})
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      RandomScene scene = random_scene(seed, kind);
      for (auto& contact : scene.data.contacts) contact.restitution = 1;
      SceneReport report;
      if (method == Procedure::pgs) {
        MethodOptions options = with_method(method, 1000);
        options.tolerance = 1e-13;
        settled(scene.data, options, report);
        // The matrices of some manifolds are nearly singular; iterations converge slowly there.
        if (report.not_converged > 0) continue;
      } else {
        // Every single impact keeps the energy, so it does not matter whether the impacts end.
        solved(scene.data, with_method(method, 100), &report);
      }
      ++converged;
      // An impulse adds the energy ½ p (u + u0). After settling, |u + u0| is at most the residual, 1e-13; impulses are
      // of the order of 1. About 2000 changes of a velocity are rounded at random.
      EXPECT_NEAR(report.energy_after, report.energy_before, 1e-12 * report.energy_before)
          << static_cast<int>(method) << ' ' << seed;
    }
  EXPECT_GT(converged, 150u);
}

TEST(scene_energy, is_not_gained_at_restitution_0_under_pgs) {
  SceneKind kind;
  kind.restitution_limit = 0;
  kind.immovable = false;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SceneReport report;
    solved(random_scene(seed, kind).data, with_method(Procedure::pgs, 1000), &report);
    EXPECT_LE(report.energy_after, report.energy_before) << seed;
    EXPECT_LT(report.energy_after, 0.999 * report.energy_before) << seed;
  }
}

TEST(scene_energy, is_not_gained_by_a_sequence_of_laws_that_gain_none) {
  for (Law law : {Law::chatterjee_ruina, Law::incremental, Law::frictionless}) {
    SceneKind kind;
    kind.immovable = false;
    for (std::uint64_t seed = 1; seed <= (law == Law::incremental ? 30u : 200u); ++seed) {
      MethodOptions options = with_method(Procedure::sequential_impacts, 20);
      options.sequential_impacts.law = law;
      SceneReport report;
      solved(random_scene(seed, kind).data, options, &report);
      EXPECT_LT(report.energy_after, report.energy_before) << seed;
      EXPECT_GT(report.impacts, 0u);
    }
  }
}

// Directions that do not turn hold no energy: diag(2, 0, 4), and the same turned by 30 degrees about x.
TEST(scene_energy, leaves_out_what_does_not_turn) {
  const double c = std::sqrt(0.75), s = 0.5;
  SceneData<double> data;
  data.add_body({0.5, {2, 0, 0, 0, 0, 4}, {1, 2, 3}, {1, 5, 3}});
  // The axes are (1,0,0), (0,c,s), (0,-s,c).
  data.add_body({0.5, {2, 0, 0, 4 * s * s, -4 * s * c, 4 * c * c}, {1, 2, 3}, {1, 5 * c - 3 * s, 5 * s + 3 * c}});
  data.add_body({0, {}, {7, 7, 7}, {7, 7, 7}});
  SceneReport report;
  solved(data, with_method(Procedure::pgs), &report);
  // ½ · 14 / 0.5 + ½ (1/2 + 9/4) = 14 + 1.375, twice.
  EXPECT_NEAR(report.energy_before, 30.75, 64 * epsilon * 30.75);
  EXPECT_EQ(report.energy_after, report.energy_before);
  EXPECT_EQ(report.islands, 0u);
}

// Contacts on their own.

TEST(scene_sequential_impacts, solves_a_contact_as_the_batch_does) {
  for (Law law : {Law::incremental, Law::no_slip, Law::chatterjee_ruina, Law::smith, Law::anitescu_potra}) {
    std::size_t hits = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      RandomScene scene = random_scene(seed, {.bodies = 2, .manifolds = 1});
      scene.data.contacts.resize(1);
      Options options;
      options.law = law;
      SceneResultArrays<double> results(scene.data);
      MethodOptions of_scene = with_method(Procedure::sequential_impacts, 1);
      of_scene.sequential_impacts.law = law;
      solve_scene(scene.data.view(of_scene), results.places(), of_scene);

      Vector impulse{}, va{}, wa{}, vb{}, wb{};
      std::vector<Status> status(1);
      std::vector<Path> path(1);
      Results<double> alone;
      const auto one = [](Vector& v) { return Vector3Columns<double>(v.data(), 1); };
      alone.impulse = one(impulse);
      alone.velocity_a = one(va);
      alone.angular_velocity_a = one(wa);
      alone.velocity_b = one(vb);
      alone.angular_velocity_b = one(wb);
      alone.status = status;
      alone.path = path;
      solve(select(scene.data.view().indexed_contacts(), options), alone, options);
      const auto a = static_cast<std::size_t>(scene.data.contacts[0].body_a), b = 1 - a;
      EXPECT_EQ(results.velocity[a], va);
      EXPECT_EQ(results.velocity[b], vb);
      EXPECT_EQ(results.angular_velocity[a], wa);
      EXPECT_EQ(results.angular_velocity[b], wb);
      EXPECT_EQ(results.impulse[0], impulse);
      EXPECT_EQ(results.status[0], status[0]);
      EXPECT_EQ(results.path[0], path[0]);
      hits += status[0] == Status::ok ? 1 : 0;
    }
    EXPECT_GT(hits, 15u);
  }
}

TEST(scene_sweeps, keep_every_impulse_in_its_friction_cone) {
  for (Procedure method : sweeping)
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      RandomScene scene = random_scene(seed);
      for (auto& contact : scene.data.contacts) contact.static_friction = contact.friction * 1.25;
      const auto results = solved(scene.data, with_method(method));
      for (std::size_t i = 0; i < scene.data.contacts.size(); ++i) {
        const auto& contact = scene.data.contacts[i];
        const Vector& p = results.impulse[i];
        const double normal = dot(p, contact.normal);
        Vector t = p;
        for (std::size_t j = 0; j < 3; ++j) t[j] -= normal * contact.normal[j];
        EXPECT_GE(normal, -16 * epsilon * length(p));
        EXPECT_LE(length(t), contact.static_friction * normal + 64 * epsilon * length(p));
      }
    }
}

TEST(scene_sweeps, are_looked_at_after_every_fourth_and_those_of_pgs_after_the_first) {
  SceneData<double> data = random_scene(3).data;
  MethodOptions options = with_method(Procedure::collisions);
  SceneReport report;
  options.tolerance = 1;
  solved(data, options, &report);
  EXPECT_GT(report.iterations, 0);
  EXPECT_EQ(report.iterations % 4, 0);  // passes of four
  options = with_method(Procedure::pgs);
  options.tolerance = 1;
  solved(data, options, &report);
  EXPECT_EQ(report.iterations, 4);
  EXPECT_EQ(report.not_converged, 0u);
  options.tolerance = 1e-15;
  solved(data, options, &report);
  EXPECT_EQ(report.iterations, 10);
  EXPECT_GT(report.not_converged, 0u);
  scenes::set_iterations(options, 100'000);
  options.tolerance = 1e-6;
  solved(data, options, &report);
  EXPECT_EQ(report.iterations % 4, 0);
  EXPECT_EQ(report.not_converged, 0u);
  EXPECT_LE(report.residual, 2e-6 * report.max_approach_speed);
}

TEST(scene_warm_start, begins_where_the_last_call_ended) {
  std::size_t converged = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SceneData<double> data = random_scene(seed).data;
    const std::int32_t body = data.add_body({1, {6, 0, 0, 6, 0, 6}, {1, 2, 3}, {}});
    data.add_ball(-1, body, {}, {0.1, 0.2, 0.3});
    MethodOptions options = with_method(Procedure::pgs, 2000);
    options.pgs.joint_warm_start = 1;
    SceneReport report;
    const auto cold = solved(data, options, &report);
    EXPECT_GT(report.iterations, 4);
    settled(data, options, report);
    if (report.not_converged > 0) continue;
    ++converged;
    const auto warm = solved(data, options, &report);
    EXPECT_EQ(report.iterations, 1);
    // K of this joint is well-conditioned, so the joint gets its earlier impulses again.
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(warm.joint_impulse[i], cold.joint_impulse[i], 1e-4);
    options.pgs.warm_start = 0;
    solved(data, options, &report);
    EXPECT_GT(report.iterations, 4);
  }
  EXPECT_GT(converged, 10u);
}

TEST(scene_sweeps, relax_what_they_change) {
  SceneData<double> data;
  data.add_body({1, {}, {3, 0, -1}, {}});
  data.add_body({1, {}, {3, 0, -1}, {}});
  SceneContact<double> contact;
  contact.body_a = 0;
  contact.friction = 0.5;
  data.add_contact(contact);
  SceneRow<double> row;
  row.body_a = 1;
  row.linear_a = {0, 0, 1};
  data.add_row(row);
  MethodOptions options = with_method(Procedure::pgs, 1);
  options.pgs.relaxation = 0.75;
  const auto results = solved(data, options);
  EXPECT_DOUBLE_EQ(results.impulse[0][2], 0.75);
  EXPECT_DOUBLE_EQ(results.impulse[0][0], -0.375);
  EXPECT_DOUBLE_EQ(results.joint_impulse[0], 0.75);
}

}  // namespace
}  // namespace carom::reference
