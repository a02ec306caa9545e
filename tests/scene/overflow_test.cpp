// Numbers beyond the range of the precision, and contradictory contacts. A scene reports them, solves all other
// islands, and does not carry their effects into the next call.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "support/scenes/iterations.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class SceneOverflow : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneOverflow, Precisions);

template <class T>
constexpr double huge = static_cast<double>(std::numeric_limits<T>::max());

bool is_finite(const Vector& v) {
  return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
}

/// Solves with every method, each with a new solver.
template <class T, class F>
void each_method(const SceneData<T>& scene, const F& f) {
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    options.bender_schmitt.rest_tolerance = 1;
    f(solved(scene, options), std::string(to_string(method)));
  }
}

/// Three stacks of two cubes; the first has a ball joint to the world.
template <class T>
SceneData<T> three_stacks() {
  SceneData<T> scene = stack<T>(2);
  append(scene, SceneData<T>(scene));
  append(scene, stack<T>(2));
  add_ball_joint(scene.joints, JointBodies<T>{1, world, {T(0.25), 0, 0}, {}});
  for (std::size_t i = 0; i < scene.body_count(); ++i) scene.bodies.velocity[2][i] = T(-0.04);
  return scene;
}

TYPED_TEST(SceneOverflow, of_one_island_leaves_its_bodies_as_they_came_and_the_others_solved) {
  using T = TypeParam;
  const SceneData<T> good = three_stacks<T>();
  SceneData<T> bad = good;
  // Both velocities are finite, but the velocity of a corner is not.
  put(bad.bodies.velocity, 1, {0, 0, -0.9 * huge<T>});
  put(bad.bodies.angular_velocity, 1, {0.9 * huge<T>, 0, 0});
  std::vector<Solved<T>> undisturbed;
  each_method(good, [&](const Solved<T>& made, const std::string&) { undisturbed.push_back(made); });
  std::size_t n = 0;
  each_method(bad, [&](const Solved<T>& made, const std::string& what) {
    const Solved<T>& sound = undisturbed[n++];
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(made.arrays.status[i], Status::overflow) << what;
      EXPECT_EQ(made.impulse(i), Vector{}) << what;
    }
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(made.arrays.joint_status[r], Status::overflow) << what;
      EXPECT_EQ(made.arrays.joint_impulse[r], T(0)) << what;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(made.velocity(i), bad.velocity(i)) << what;
      EXPECT_EQ(made.angular_velocity(i), bad.angular_velocity(i)) << what;
    }
    EXPECT_GE(made.report.not_converged, 1u) << what;
    EXPECT_GT(made.report.residual, 0) << what;
    EXPECT_EQ(made.report.joint_work, 0) << what;  // its rows are the only ones
    EXPECT_EQ(made.report.count(Status::overflow), 8u) << what;
    EXPECT_EQ(made.report.count_joints(Status::overflow), 3u) << what;
    for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(made.velocity(i), sound.velocity(i)) << what;
    for (std::size_t i = 8; i < 24; ++i) EXPECT_EQ(made.impulse(i), sound.impulse(i)) << what;
  });
}

/// A ball with this inverse mass, held by one row along z.
template <class T>
SceneData<T> on_a_row(double inverse_mass, double speed) {
  SceneData<T> scene;
  const std::int32_t a = scene.add(
      Body{.inverse_mass = inverse_mass, .inverse_inertia = {inverse_mass, 0, 0, inverse_mass, 0, inverse_mass}});
  put(scene.bodies.velocity, 0, {0, 0, speed});
  scene.joints.rows.push_back({.body_a = a, .body_b = world, .linear_a = {0, 0, 1}});
  return scene;
}

// One row absorbs more energy than the precision can represent, and another supplies as much: the sum is undefined.
TYPED_TEST(SceneOverflow, of_the_work_of_rows_is_infinite_in_the_report) {
  using T = TypeParam;
  const double speed = std::pow(huge<T>, 0.4), inverse_mass = std::pow(huge<T>, -0.3);
  SceneData<T> scene = on_a_row<T>(inverse_mass, speed);
  append(scene, on_a_row<T>(inverse_mass, 0));
  scene.joints.rows[1].target_velocity = static_cast<T>(speed);
  each_method(scene, [&](const Solved<T>& made, const std::string& what) {
    for (const Status status : made.arrays.joint_status) EXPECT_EQ(status, Status::ok) << what;
    EXPECT_EQ(made.report.joint_work, std::numeric_limits<double>::infinity()) << what;
    EXPECT_EQ(made.report.energy_before, std::numeric_limits<double>::infinity()) << what;
    EXPECT_EQ(made.report.energy_after, std::numeric_limits<double>::infinity()) << what;
    EXPECT_GE(made.report.residual, 0) << what;
    if constexpr (std::is_same_v<T, double>) {
      if (what == "ncp") return;
      const auto reference = solved_by_reference(
          scene, usual(*std::ranges::find(all_methods, what, [](Procedure of) { return to_string(of); })));
      EXPECT_EQ(reference.report.joint_work, std::numeric_limits<double>::infinity()) << what;
    }
  });
}

// The impulse of each substep is within the range, but the sum is not.
TYPED_TEST(SceneOverflow, of_a_joint_impulse_that_adds_up_over_substeps_has_a_status) {
  using T = TypeParam;
  SceneData<T> scene = on_a_row<T>(8 / huge<T>, 0);
  scene.velocity_change = scene.angular_velocity_change = vectors<T>(1);
  put(scene.velocity_change, 0, {0, 0, -100});
  MethodOptions options = usual(Procedure::substeps);
  options.substeps.min_substeps = options.substeps.max_substeps = 64;
  const auto made = solved(scene, options);
  EXPECT_EQ(made.arrays.joint_status[0], Status::overflow);
  EXPECT_EQ(made.arrays.joint_impulse[0], T(0));
  EXPECT_EQ(made.arrays.joint_warm_impulse[0], T(0));
  EXPECT_EQ(made.velocity(0), (Vector{0, 0, -100}));
}

// The square of the impulse is beyond the range. A rebound of any island ends the impulses of all substeps.
TYPED_TEST(SceneOverflow, of_an_impulse_does_not_depend_on_rebounds_of_other_islands) {
  using T = TypeParam;
  const T change = static_cast<T>(-std::pow(huge<T>, 0.24));
  SceneData<T> scene;
  for (const double inverse : {std::pow(huge<T>, -0.3), 1.0}) {
    const std::int32_t ball =
        scene.add(Body{.inverse_mass = inverse, .inverse_inertia = {inverse, 0, 0, inverse, 0, inverse}});
    scene.add(Contact{.a = ball});
  }
  scene.velocity_change = scene.angular_velocity_change = vectors<T>(2);
  scene.velocity_change[2][0] = change;
  put(scene.bodies.velocity, 1, {0, 0, -10});
  MethodOptions options = usual(Procedure::substeps);
  options.substeps.min_substeps = 2;
  for (const double restitution : {0.0, 0.5}) {
    scene.restitution[1] = static_cast<T>(restitution);
    const auto made = solved(scene, options);
    EXPECT_EQ(made.arrays.status[0], Status::overflow) << restitution;
    EXPECT_EQ(made.impulse(0), Vector{}) << restitution;
    EXPECT_EQ(made.velocity(0), (Vector{0, 0, static_cast<double>(change)})) << restitution;
    EXPECT_EQ(made.arrays.status[1], Status::ok) << restitution;
    EXPECT_NEAR(made.velocity(1)[2], 10 * restitution, 1e-4) << restitution;
  }
}

// The velocity along the row is beyond the range, but the velocity of the body is not.
TYPED_TEST(SceneOverflow, of_a_row_has_a_status) {
  using T = TypeParam;
  const double large = std::pow(huge<T>, 0.8);
  SceneData<T> scene = on_a_row<T>(1 / large, large);
  // Only zero velocities are at rest along the row in this precision.
  put(scene.bodies.velocity, 0, large * Vector{1, 0.5, 0.3});
  scene.joints.rows[0].linear_a = {static_cast<T>(0.6 * large), static_cast<T>(0.3 * large), static_cast<T>(large)};
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    options.sequential_impacts.max_impacts = 1;
    const auto made = solved(scene, options);
    EXPECT_EQ(made.arrays.joint_status[0], Status::overflow) << to_string(method);
    EXPECT_EQ(made.velocity(0), scene.velocity(0)) << to_string(method);
  }
}

TEST(SceneOverflowOfTheReference, is_as_that_of_the_lanes) {
  SceneData<double> scene = three_stacks<double>();
  put(scene.bodies.velocity, 1, {0, 0, -0.9 * huge<double>});
  put(scene.bodies.angular_velocity, 1, {0.9 * huge<double>, 0, 0});
  for (const Procedure method : methods_of_reference) {
    MethodOptions options = usual(method);
    options.bender_schmitt.rest_tolerance = 1;
    const auto lanes = solved(scene, options), reference = solved_by_reference(scene, options);
    EXPECT_EQ(reference.arrays.status, lanes.arrays.status) << to_string(method);
    EXPECT_EQ(reference.arrays.joint_status, lanes.arrays.joint_status) << to_string(method);
    EXPECT_EQ(reference.velocity(1), scene.velocity(1)) << to_string(method);
    EXPECT_EQ(reference.report.not_converged, lanes.report.not_converged) << to_string(method);
  }
}

// Finite data of every kind near the range: results are finite, and a missing result has a status.
TYPED_TEST(SceneOverflow, of_any_column_is_no_result_without_a_status) {
  using T = TypeParam;
  using Data = SceneData<T>;
  using Spoil = void (*)(Data&, T);
  const Spoil spoils[] = {
      [](Data& s, T x) { s.bodies.velocity[0][0] = x; },
      [](Data& s, T x) { s.bodies.angular_velocity[1][1] = x; },
      [](Data& s, T x) { s.bodies.inverse_mass[0] = x; },
      [](Data& s, T x) { s.bodies.inverse_inertia[0][0] = s.bodies.inverse_inertia[3][0] = x; },
      [](Data& s, T x) { s.r_a[0][1] = x; },
      [](Data& s, T x) { s.friction[1] = x; },
      [](Data& s, T x) { s.target_velocity[1] = x; },
      [](Data& s, T x) { s.separation[1] = -x; },
      [](Data& s, T x) { s.surface_velocity[0][1] = x; },
      [](Data& s, T x) { s.warm_impulse[2][1] = x; },
      [](Data& s, T x) { s.joints.rows[0].compliance = x; },
      [](Data& s, T x) { s.joints.rows[0].target_velocity = x; },
      [](Data& s, T x) { s.joints.rows[0].linear_a[0] = x; },
      [](Data& s, T x) { s.joints.rows[0].angular_a[1] = x; },
      [](Data& s, T x) { s.joints.rows[0].min_impulse = x; },
  };
  Data scene = three_stacks<T>();
  const std::size_t n = scene.contact_count();
  scene.separation.assign(n, 0);
  scene.target_velocity.assign(n, 0);
  scene.surface_velocity = scene.warm_impulse = vectors<T>(n);
  for (const double x : {huge<T>, std::sqrt(huge<T>), 1 / huge<T>, 1e-30 / huge<T>})
    for (std::size_t k = 0; k < std::size(spoils); ++k) {
      Data bad = scene;
      spoils[k](bad, static_cast<T>(x));
      each_method(bad, [&](const Solved<T>& made, const std::string& method) {
        const std::string what = method + ", column " + std::to_string(k) + ", " + std::to_string(x);
        for (std::size_t i = 0; i < bad.body_count(); ++i)
          EXPECT_TRUE(is_finite(made.velocity(i)) && is_finite(made.angular_velocity(i))) << what;
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_TRUE(is_finite(made.impulse(i))) << what;
          if (!is_fault(made.arrays.status[i])) {
            EXPECT_TRUE(is_finite(at(made.arrays.separation_velocity, i))) << what;
          }
        }
        for (const T impulse : made.arrays.joint_impulse) EXPECT_TRUE(std::isfinite(impulse)) << what;
        // The other stacks are unaffected.
        for (std::size_t i = 8; i < n; ++i) EXPECT_FALSE(is_fault(made.arrays.status[i])) << what;
      });
    }
}

// A body that neither moves nor turns has zero velocity at every point, and impulses do not turn it.
TYPED_TEST(SceneOverflow, does_not_come_of_a_lever_arm_of_the_world) {
  using T = TypeParam;
  const SceneData<T> scene = three_stacks<T>();
  std::vector<Solved<T>> undisturbed;
  each_method(scene, [&](const Solved<T>& made, const std::string&) { undisturbed.push_back(made); });
  for (const std::size_t contact : {0u, 1u, 3u}) {
    SceneData<T> far = scene;
    far.r_b[0][contact] = std::numeric_limits<T>::max();
    std::size_t n = 0;
    each_method(far, [&](const Solved<T>& made, const std::string& what) {
      expect_same_bits(made.arrays, undisturbed[n++].arrays, what + ", contact " + std::to_string(contact));
    });
  }
}

// K overflows, and needs no impulse for that.
TYPED_TEST(SceneOverflow, of_a_lever_arm_has_a_status_where_the_contact_separates) {
  using T = TypeParam;
  SceneData<T> scene = stack<T>(1);
  put(scene.bodies.velocity, 0, {0, 0, 1});
  scene.r_a[0][1] = std::numeric_limits<T>::max();
  each_method(scene, [&](const Solved<T>& made, const std::string& what) {
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(made.arrays.status[i], i == 1 ? Status::overflow : Status::separating) << what << ", contact " << i;
    EXPECT_EQ(made.velocity(0), (Vector{0, 0, 1})) << what;
  });
}

// Sweeps measure the slip of a contact without friction, which direct islands do not need.
TYPED_TEST(SceneOverflow, of_a_target_has_the_same_status_in_direct_and_in_swept_islands) {
  using T = TypeParam;
  constexpr T largest = std::numeric_limits<T>::max();
  SceneData<T> moving = stack<T>(1);
  moving.friction.assign(4, T(0));
  put(moving.bodies.velocity, 0, {0, 0, 1});
  SceneData<T> rising = moving;
  for (auto& column : moving.surface_velocity) column.assign(4, T(0));
  moving.surface_velocity[0][1] = largest / 2;
  rising.target_velocity.assign(4, T(0));
  rising.target_velocity[1] = -largest / 2;
  for (const SceneData<T>& scene : {moving, rising}) {
    MethodOptions direct = usual(Procedure::substeps), swept = direct;
    swept.substeps.min_substeps = 4;
    const Solved<T> a = solved(scene, direct), b = solved(scene, swept);
    EXPECT_EQ(a.arrays.status, b.arrays.status);
    EXPECT_EQ(a.report.not_converged, b.report.not_converged);
  }
}

/// A body between ten contacts with the world. Their gaps contradict each other, so no velocity satisfies all contacts.
template <class T>
SceneData<T> jammed(std::uint64_t seed) {
  support::Draw draw(seed);
  SceneData<T> scene;
  Body body = random_box(draw);
  body.position = {};
  const std::int32_t a = scene.add(body);
  for (int i = 0; i < 10; ++i) {
    scene.add(Contact{a, world, draw.direction(), 1.5 * draw.direction(), draw.uniform(0, 1), 0});
    scene.separation.push_back(static_cast<T>(draw.uniform(-0.01, 0.01)));
    scene.key.push_back(static_cast<std::uint64_t>(i) + 1);
  }
  return scene;
}

TYPED_TEST(SceneOverflow, does_not_come_of_contacts_at_rest_that_contradict_each_other) {
  using T = TypeParam;
  MethodOptions options;
  options.method = Procedure::resting;
  for (const double h : {0.01, 1.0, 1000.0})
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      options.time_step = h;
      const SceneData<T> scene = jammed<T>(seed);
      SceneSolver solver({.threads = 1});
      const auto made = solved(solver, scene, options);
      const std::string what = "seed " + std::to_string(seed) + ", h " + std::to_string(h);
      EXPECT_EQ(made.report.count(Status::overflow), 0u) << what;
      // At worst the contacts require the body to cancel its speed and close the gaps.
      double wanted = length(scene.velocity(0)) + 1.5 * length(scene.angular_velocity(0)) + 0.01 / h;
      for (const double x : {made.velocity(0)[0], made.velocity(0)[1], made.velocity(0)[2]})
        EXPECT_LT(std::abs(x), 40 * wanted) << what;
      const double done = std::max(options.tolerance * made.report.max_approach_speed,
                                   options.bender_schmitt.rest_tolerance / (100 * h));
      if (made.report.iterations == 1000) {
        EXPECT_EQ(made.report.not_converged, made.report.residual > done ? 1u : 0u) << what;
      } else if (made.report.not_converged > 0) {  // it diverged, and the best iterate was restored
        EXPECT_GT(made.report.residual, done) << what;
      }
      // Its impulses cause no fault in the next call.
      const auto next = solved(solver, scene, MethodOptions{});
      for (const Status status : next.arrays.status) EXPECT_FALSE(is_fault(status)) << what;
    }
}

/// A box against another box held by a pivot. The iterations of a long step take it to 4e7 m/s and back.
template <class T>
SceneData<T> beside_a_pivot() {
  SceneData<T> scene;
  const std::int32_t held =
      scene.add(Body{.inverse_mass = 1.590202,
                     .inverse_inertia = {14.269275, -5.706127, 0.4011795, 12.112427, -0.34386784, 6.604033},
                     .velocity = {-0.19647317, 2.6175015, 1.4082162},
                     .angular_velocity = {1.0275859, 0.7031171, -1.6468701}});
  const std::int32_t box =
      scene.add(Body{.inverse_mass = 1.0295624,
                     .inverse_inertia = {5.212587, 0.13474533, -0.059623536, 4.1801515, -0.9390026, 4.29518},
                     .velocity = {0.20585546, 0.07516407, -0.84956014},
                     .angular_velocity = {0.82471687, 0.29706195, -0.16444123},
                     .position = {-1.4352688, 3.0147112, 1.0113939}});
  const Vector above = {-0.33155102, -0.94120926, -0.064799905}, below = {-0.17229362, 0.9179567, 0.35730985};
  const auto touch = [&](const Vector& normal, const Vector& point, double friction, double separation) {
    scene.add(Contact{.a = box, .b = held, .normal = normal, .point = point, .friction = friction});
    scene.separation.push_back(static_cast<T>(separation));
  };
  touch(above, {-0.6601824, 2.0787327, 0.105412655}, 0.45082694, -0.0014342017);
  touch(above, {-1.2767458, 1.3185712, 0.12919335}, 0.45082694, 0.0013233306);
  touch(above, {-0.20193864, 1.6803366, 0.06508894}, 0.45082694, 0.008175862);
  touch(below, {-1.3502619, 1.751481, 0.67943585}, 1.2060798, 0.0044927797);
  touch(below, {-0.79716283, 2.1430604, 0.22364303}, 1.2060798, -0.005443386);
  touch(below, {-0.101636276, 1.4429003, 0.8318744}, 1.2060798, 0.009195581);
  add_ball_joint(scene.joints, JointBodies<T>{world, held, {}, {T(-0.21818459), T(0.3270853), T(-0.087955706)}});
  return scene;
}

// Rounding errors at such a speed would remain in the velocities: v - v0 would differ from Σ p / m.
TYPED_TEST(SceneOverflow, is_no_way_to_an_end_without_momentum) {
  using T = TypeParam;
  const SceneData<T> scene = beside_a_pivot<T>();
  MethodOptions options;
  options.bender_schmitt.rest_tolerance = 1;
  options.time_step = 10;
  options.tolerance = 1e-5;
  set_iterations(options, 4000);
  const auto judge = [&](const Solved<T>& made, const std::string& what) {
    const double mass = static_cast<double>(scene.bodies.inverse_mass[1]);
    Vector owed = scene.velocity(1) - made.velocity(1);
    double size = length(scene.velocity(1)) + length(made.velocity(1));
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      owed = owed + mass * made.impulse(i);
      size += mass * length(made.impulse(i));
    }
    // Every visit of each of the six contacts rounds.
    EXPECT_LE(length(owed), epsilon<T> * 6 * made.report.iterations * size) << what;
    EXPECT_EQ(made.report.not_converged, 1u) << what;
    EXPECT_EQ(made.arrays.island_status[0], IslandStatus::diverged) << what;
    EXPECT_LE(made.report.residual, made.report.max_approach_speed) << what;
  };
  options.method = Procedure::both_phases;
  judge(solved(scene, options), "lanes");
  if constexpr (std::is_same_v<T, double>) judge(solved_by_reference(scene, options), "reference");
}

// A cached impulse may be too large for the bodies of the next call.
TYPED_TEST(SceneOverflow, by_remembered_impulses_is_none_of_the_next_call) {
  using T = TypeParam;
  SceneData<T> scene = three_stacks<T>();
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  for (std::size_t i = 0; i < scene.row_count(); ++i) scene.joints.rows[i].key = i + 1;
  SceneData<T> heavy = scene;
  for (std::size_t i = 0; i < 2; ++i) {
    heavy.bodies.inverse_mass[i] = static_cast<T>(std::pow(huge<T>, -0.45));
    for (auto& column : heavy.bodies.inverse_inertia) column[i] *= heavy.bodies.inverse_mass[i];
  }
  SceneData<T> light = scene;
  for (std::size_t i = 0; i < 2; ++i) {
    light.bodies.inverse_mass[i] = static_cast<T>(std::pow(huge<T>, 0.45));
    for (auto& column : light.bodies.inverse_inertia) column[i] *= light.bodies.inverse_mass[i];
  }
  const MethodOptions options = usual(Procedure::pgs);
  SceneSolver solver({.threads = 1});
  const auto first = solved(solver, heavy, options);
  ASSERT_GT(length(first.impulse(0)), std::pow(huge<T>, 0.4));
  const auto second = solved(solver, light, options);
  SceneData<T> cold = light;
  for (std::size_t i = 0; i < 8; ++i) cold.key[i] = 0;
  for (auto& row : cold.joints.rows) row.key = 0;
  SceneSolver other({.threads = 1});
  solved(other, heavy, options);
  const auto alone = solved(other, cold, options);
  expect_same_bits(second.arrays, alone.arrays, "as without names");
  for (const Status status : second.arrays.status) EXPECT_FALSE(is_fault(status));
}

// A rotation by h w moves a point by at most twice its lever arm, for any spin.
TYPED_TEST(SceneOverflow, does_not_come_of_the_spin_of_a_body_at_rest) {
  using T = TypeParam;
  for (const double spin : {1.0, 1e2, 1e4, 1e6}) {
    SceneData<T> scene;
    Body body;
    body.angular_velocity = {spin, 0.3 * spin, 0};
    const std::int32_t a = scene.add(body);
    // The contact point moves perpendicular to the normal, so the contact is at rest.
    scene.add(Contact{.a = a, .b = world, .point = {0, 0, -1}, .friction = 0});
    MethodOptions options;
    options.method = Procedure::resting;
    options.time_step = 1;
    set_iterations(options, 1);
    const auto made = solved(scene, options);
    EXPECT_LE(made.impulse(0)[2], 2.0 * 1.0 / options.time_step + 1e-3) << spin;  // over K33, which is 1
  }
}

// The normal turns with body b, by a radian at most. The impulse that keeps a sliding point outside is the impulse
// along the original normal divided by the cosine of this angle. If the normal turned further, the impulse would grow
// with every iteration.
TYPED_TEST(SceneOverflow, does_not_come_of_a_normal_that_turns) {
  using T = TypeParam;
  for (const double spin : {0.5, 1.0, 1.5, 2.0, 3.0, 10.0, 1e6})
    for (const double side : {-1.0, 1.0}) {
      SceneData<T> scene;
      Body body;
      body.velocity = {0, side * 0.02, -0.01};
      const std::int32_t a = scene.add(body);
      const Body drum{.inverse_mass = 0, .inverse_inertia = {}, .angular_velocity = {spin, 0, 0}};
      scene.add(Contact{.a = a, .b = scene.add(drum), .friction = 0});
      MethodOptions options;
      options.method = Procedure::resting;
      options.time_step = 1;
      const auto judge = [&](const auto& made, const std::string& what) {
        EXPECT_EQ(made.report.not_converged, 0u) << what;
        EXPECT_LE(made.impulse(0)[2], length(body.velocity) / std::cos(1.0)) << what;
      };
      const std::string what = "spin " + std::to_string(spin) + ", side " + std::to_string(side);
      judge(solved(scene, options), what);
      if constexpr (std::is_same_v<T, double>) judge(solved_by_reference(scene, options), what + ", reference");
    }
}

// One contact in a vector with manifolds of four. Its lane has empty slots after its last point, where bodies are
// faster than any target.
TYPED_TEST(SceneOverflow, has_one_report_on_every_isa) {
  using T = TypeParam;
  SceneData<T> scene = stack<T>(1);
  Body body;
  body.velocity = {0, 0, -0.8 * huge<T>};
  const std::int32_t a = scene.add(body);
  scene.add(Contact{.a = a, .b = world, .point = {3, 0, -0.5}, .friction = 0});
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    options.bender_schmitt.filter = ContactFilter::touching;
    set_iterations(options, 1000);
    std::vector<SceneReport> reports;
    for (const Isa isa : available_isas())
      if (isa != Isa::sse2) reports.push_back(solved(scene, options, {.isa = isa, .threads = 1}).report);
    for (const SceneReport& report : reports) {
      EXPECT_EQ(report.iterations, reports[0].iterations) << to_string(method) << ' ' << to_string(report.isa);
      EXPECT_EQ(report.residual, reports[0].residual) << to_string(method) << ' ' << to_string(report.isa);
      EXPECT_EQ(report.not_converged, reports[0].not_converged) << to_string(method) << ' ' << to_string(report.isa);
    }
  }
}

}  // namespace
}  // namespace carom::scenes
