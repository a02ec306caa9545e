// Invariants of every scene: momentum, and energy if the method promises it.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/scenes/iterations.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

/// Rows that act where they stood at the start: substeps turn lever arms that they know, and then the invariant is
/// another one.
template <class T>
void forget_arms(SceneData<T>& scene) {
  for (auto& row : scene.joints.rows) row.r_a = row.r_b = {};
}

template <class T>
class SceneInvariant : public testing::Test {};

/// A time step in which no body turns by 0.01 rad: substeps would turn its inertia.
MethodOptions without_turns(Procedure method) {
  MethodOptions options = usual(method);
  if (method == Procedure::substeps) options.time_step = 1e-4;
  return options;
}
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneInvariant, Precisions);

struct Momentum {
  Vector linear{}, angular{};
  double size = 0;  ///< [N s] sum over bodies of the magnitudes
};

template <class T>
Momentum momentum(const SceneData<T>& scene, const Vectors3<T>& velocity, const Vectors3<T>& angular_velocity) {
  Momentum sum;
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    const Vector p = inverse_or_zero(static_cast<double>(scene.bodies.inverse_mass[i])) * at(velocity, i);
    const Vector spin = inertia_times(scene, i, at(angular_velocity, i));
    sum.linear = sum.linear + p;
    sum.angular = sum.angular + cross(scene.position[i], p) + spin;
    sum.size += length(p) * (1 + length(scene.position[i])) + length(spin);
  }
  return sum;
}

TYPED_TEST(SceneInvariant, momentum_and_angular_momentum_stay_to_rounding_under_every_method) {
  RandomSceneOptions drawn;
  drawn.with_world = false;
  drawn.with_joints = true;
  for (const Procedure method : all_methods) {
    MethodOptions options = without_turns(method);
    for (std::uint64_t seed = 0; seed < (fast_build ? 500 : 50); ++seed) {
      auto scene = random_scene<TypeParam>(seed, drawn);
      forget_arms(scene);
      const auto made = solved(scene, options);
      const Momentum before = momentum(scene, scene.bodies.velocity, scene.bodies.angular_velocity);
      const Momentum after = momentum(scene, made.arrays.velocity, made.arrays.angular_velocity);
      double impulses = 0;
      for (std::size_t i = 0; i < scene.contact_count(); ++i) impulses += length(made.impulse(i));
      for (const TypeParam p : made.arrays.joint_impulse) impulses += std::abs(static_cast<double>(p));
      // Every impulse changes two bodies with rounding errors: ε/2 of six velocities, of r up to 3 m and of an inverse
      // inertia with condition 10 at most, all relative to the present momentum.
      const double updates = method == Procedure::sequential_impacts
                                 ? static_cast<double>(made.report.impacts) + 1
                                 : 13.0 * static_cast<double>(scene.contact_count() + scene.row_count());
      const double bound = 10 * 3 * epsilon<TypeParam> * updates * (before.size + after.size + impulses);
      EXPECT_LE(length(after.linear - before.linear), bound) << to_string(method) << ", seed " << seed;
      EXPECT_LE(length(after.angular - before.angular), bound) << to_string(method) << ", seed " << seed;
    }
  }
}

TYPED_TEST(SceneInvariant, energy_is_constant_without_friction_at_restitution_one) {
  RandomSceneOptions drawn;
  drawn.friction_limit = 0;
  struct Case {
    Procedure method;
    ContactFilter swept;
  };
  const Case cases[] = {{Procedure::sequential_impacts, ContactFilter::colliding},
                        {Procedure::pgs, ContactFilter::colliding},
                        {Procedure::collisions, ContactFilter::colliding},
                        {Procedure::collisions, ContactFilter::touching}};
  for (const auto& [method, swept] : cases) {
    MethodOptions options = exact<TypeParam>(method);
    options.bender_schmitt.filter = swept;
    options.sequential_impacts.law = Law::frictionless;
    if (method == Procedure::sequential_impacts) set_iterations(options, 100);
    std::size_t converged = 0;
    const std::uint64_t count = fast_build ? 200 : 20;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
      auto scene = random_scene<TypeParam>(seed, drawn);
      std::fill(scene.restitution.begin(), scene.restitution.end(), TypeParam(1));
      const auto made = solved(scene, options);
      if (made.report.not_converged > 0 && method != Procedure::sequential_impacts) continue;
      ++converged;
      const double before = energy_before(scene), after = energy_after(scene, made);
      // Every impact has some ten roundings of the energy. Sweeps end when no contact approaches more than it should;
      // one that still parts a little faster than that, under an impulse p, changes the energy by p times half of it.
      const double bound = method == Procedure::sequential_impacts
                               ? 64 * epsilon<TypeParam> * static_cast<double>(made.report.impacts + 1)
                               : 1e-3;
      EXPECT_NEAR(after, before, bound * (before + 1)) << to_string(method) << ", seed " << seed;
    }
    EXPECT_GE(converged, count * 9 / 10) << to_string(method);
  }
}

/// Random scenes as islands of one, and where the bodies of each begin.
template <class T>
struct ManyScenes {
  ManyScenes(std::size_t count, const RandomSceneOptions& options) {
    for (std::size_t seed = 0; seed < count; ++seed) {
      append(scene, random_scene<T>(seed, options));
      first_body.push_back(scene.body_count());
      first_contact.push_back(scene.contact_count());
    }
  }
  SceneData<T> scene;
  std::vector<std::size_t> first_body{0}, first_contact{0};

  /// Calls f(number, energy before, energy after, max. normal impulse).
  template <class F>
  void each_energy(const Solved<T>& made, F&& f) const {
    for (std::size_t i = 0; i + 1 < first_body.size(); ++i) {
      const std::size_t first = first_body[i], last = first_body[i + 1];
      double impulses = 0;
      for (std::size_t c = first_contact[i]; c < first_contact[i + 1]; ++c) impulses += length(made.impulse(c));
      f(i, kinetic_energy(scene, scene.bodies.velocity, scene.bodies.angular_velocity, first, last),
        kinetic_energy(scene, made.arrays.velocity, made.arrays.angular_velocity, first, last), impulses);
    }
  }
};

TYPED_TEST(SceneInvariant, no_scene_gains_energy_in_sequence_under_laws_that_promise_none) {
  const ManyScenes<TypeParam> many(fast_build ? 10000 : 500, {});
  for (const Law law : {Law::chatterjee_ruina, Law::incremental}) {
    MethodOptions options;
    options.method = Procedure::sequential_impacts;
    options.sequential_impacts.law = law;
    set_iterations(options, 10);
    const auto made = solved(many.scene, options);
    EXPECT_GT(made.report.impacts, many.first_body.size());
    many.each_energy(made, [&](std::size_t i, double before, double after, double) {
      // Up to 100 impacts, each with some ten roundings of the energy.
      EXPECT_LE(after, before * (1 + 1000 * epsilon<TypeParam>)) << to_string(law) << ", scene " << i;
    });
    EXPECT_LT(made.report.energy_after, made.report.energy_before);
  }
}

TYPED_TEST(SceneInvariant, no_scene_gains_energy_from_plastic_simultaneous_contacts) {
  // At μ |k| / K33 >= 1 a contact may jam (Painlevé) and sweeps need not converge; these scenes reach 0.96.
  RandomSceneOptions drawn;
  drawn.max_restitution = 0;
  drawn.friction_limit = 0.4;
  const ManyScenes<TypeParam> many(fast_build ? 10000 : 500, drawn);
  MethodOptions options;
  set_iterations(options, 400);
  options.tolerance = 1e-6;
  const auto made = solved(many.scene, options);
  // The few islands that reach the count have a small residual too.
  EXPECT_LE(static_cast<double>(made.report.not_converged), 0.02 * static_cast<double>(many.first_body.size()));
  many.each_energy(made, [&](std::size_t i, double before, double after, double impulses) {
    // The change is p·u1 less a square: of a contact that has reached its target p·u1 is not above 0, and each may miss
    // that by the residual.
    EXPECT_LE(after, before * (1 + 1000 * epsilon<TypeParam>)+made.report.residual * impulses) << "scene " << i;
  });
}

/// A scene without friction, with a common restitution, and with joints without targets or bounds.
template <class T>
SceneData<T> with_joints_and(double restitution, std::uint64_t seed) {
  RandomSceneOptions drawn;
  drawn.with_joints = true;
  drawn.friction_limit = 0;
  SceneData<T> scene = random_scene<T>(seed, drawn);
  std::ranges::fill(scene.restitution, static_cast<T>(restitution));
  for (auto& row : scene.joints.rows) {
    row.target_velocity = 0;
    row.min_impulse = -std::numeric_limits<T>::infinity();
    row.max_impulse = std::numeric_limits<T>::infinity();
  }
  return scene;
}

// docs/scenes.md derives the bound. A rebound may work against a joint whose rows are off at the start.
TYPED_TEST(SceneInvariant, simultaneous_contacts_gain_no_more_energy_than_the_work_of_joints_lets_them) {
  using T = TypeParam;
  std::size_t converged = 0, gained = 0;
  for (const double e : {0.0, 0.5, 1.0})
    for (const bool rows_hold : {false, true})
      for (std::uint64_t seed = 0; seed < (fast_build ? 200 : 30); ++seed) {
        SceneData<T> scene = with_joints_and<T>(e, seed);
        const MethodOptions options = exact<T>(Procedure::pgs);
        if (rows_hold) {
          SceneData<T> joints_alone = scene;
          std::ranges::fill(joints_alone.body_a, std::int32_t{-7});
          const auto before = solved(joints_alone, options);
          if (before.report.not_converged > 0) continue;
          scene.bodies.velocity = before.arrays.velocity;
          scene.bodies.angular_velocity = before.arrays.angular_velocity;
        }
        const auto made = solved(scene, options);
        if (made.report.not_converged > 0) continue;
        ++converged;
        const double before = energy_before(scene), after = energy_after(scene, made);
        double impulses = 0;
        for (std::size_t i = 0; i < scene.contact_count(); ++i) impulses += length(made.impulse(i));
        for (const T p : made.arrays.joint_impulse) impulses += std::abs(static_cast<double>(p));
        // Contacts and rows miss their targets by the residual, and thousands of sweeps round the velocities.
        const double left = (made.report.residual + options.tolerance * made.report.max_approach_speed) * impulses +
                            1000 * epsilon<T> * (before + after);
        const std::string what = "e " + std::to_string(e) + ", seed " + std::to_string(seed);
        EXPECT_LE(after - before, 2 * e / (1 + e) * std::max(0.0, made.report.joint_work) + left) << what;
        if (rows_hold) {
          EXPECT_LE(std::abs(made.report.joint_work), left) << what;
        }
        gained += after > before * 1.01 ? 1 : 0;
      }
  EXPECT_GT(converged, fast_build ? 800u : 100u);
  EXPECT_GT(gained, 0u);  // else the scenes are too tame
}

// The work of all impulses is the change of the energy.
TYPED_TEST(SceneInvariant, the_work_of_joints_alone_is_the_change_of_the_energy_under_every_method) {
  using T = TypeParam;
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SceneData<T> scene = with_joints_and<T>(0, seed);
    std::ranges::fill(scene.body_a, std::int32_t{-7});
    for (auto& row : scene.joints.rows) row.target_velocity = T(0.3);
    forget_arms(scene);
    const auto check = [&](const Solved<T>& made, const std::string& method) {
      // The check of energy reduces the effect of impulses, and leaves their sum.
      if (made.report.energy_removed > 0) return;
      ++checked;
      const double before = energy_before(scene), after = energy_after(scene, made);
      EXPECT_NEAR(made.report.joint_work, after - before, 1000 * epsilon<T> * (before + after))
          << method << ", seed " << seed;
    };
    for (const Procedure method : all_methods)
      check(solved(scene, without_turns(method)), std::string(to_string(method)));
    if constexpr (std::is_same_v<T, double>)
      for (const Procedure method : methods_of_reference)
        check(solved_by_reference(scene, without_turns(method)), "reference, " + std::string(to_string(method)));
  }
  EXPECT_GE(checked, 18 * std::size(all_methods));
}

// A contact that would separate without its own impulse gets no impulse, even if friction could jam it.
TYPED_TEST(SceneInvariant, simultaneous_contacts_that_can_jam_keep_energy_within_bounds) {
  RandomSceneOptions drawn;
  drawn.max_restitution = 0;
  const ManyScenes<TypeParam> many(fast_build ? 10000 : 500, drawn);
  for (const int sweeps : {10, 400}) {
    MethodOptions options;
    set_iterations(options, sweeps);
    const auto made = solved(many.scene, options);
    many.each_energy(made, [&](std::size_t i, double before, double after, double) {
      EXPECT_LE(after, 2 * before) << sweeps << " sweeps, scene " << i;
    });
  }
}

TYPED_TEST(SceneInvariant, a_scene_without_approach_keeps_its_bits) {
  auto scene = random_scene<TypeParam>(7);
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    put(scene.bodies.velocity, i, {1, 2, 3});
    put(scene.bodies.angular_velocity, i, {});
  }
  // All bodies move as one, so only contacts with the world have a velocity.
  for (std::size_t i = 0; i < scene.contact_count(); ++i)
    if (scene.body_b[i] < 0) put(scene.normal, i, {0, 0, 1});
  for (const Procedure method : all_methods) {
    const auto made = solved(scene, usual(method));
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_TRUE(support::same_bits(made.arrays.velocity[c], scene.bodies.velocity[c])) << to_string(method);
      EXPECT_TRUE(support::same_bits(made.arrays.angular_velocity[c], scene.bodies.angular_velocity[c]))
          << to_string(method);
    }
    EXPECT_EQ(made.report.count(Status::separating), scene.contact_count()) << to_string(method);
  }
}

}  // namespace
}  // namespace carom::scenes
