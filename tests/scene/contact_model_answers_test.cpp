// Known answers of contact models: analytic motions in steps of 1/60 s, on lanes and by the reference.
#include <gtest/gtest.h>

#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/scene/thresholds.hpp"
#include "support/scenes/contact_models.hpp"

namespace carom::scenes {
namespace {

constexpr double g = 9.81, h = 1.0 / 60;

using Solve = std::function<Solved<double>(const SceneData<double>&, const MethodOptions&)>;

/// Calls f(solve) with the lanes, with the reference, and with Procedure::ncp in place of `pgs`.
template <class F>
void each_solver(const F& f) {
  f([](const SceneData<double>& scene, const MethodOptions& options) { return solved(scene, options); });
  f(&solved_by_reference);
  f([](const SceneData<double>& scene, MethodOptions options) {
    if (options.method == Procedure::pgs && !(options.pgs.position_correction)) options.method = Procedure::ncp;
    options.ncp.tolerance = 1e-13;
    return solved(scene, options);
  });
}

MethodOptions converged() {
  MethodOptions options;
  options.pgs.iterations = 2000;
  options.tolerance = 1e-15;
  return options;
}

/// A body with I = f m R² that touches the ground, or a slope that falls towards x.
SceneData<double> round_body(double mass, double radius, double factor, double slope = 0) {
  SceneData<double> scene;
  Body body;
  const double inverse = 1 / (factor * mass * radius * radius);
  body.inverse_mass = 1 / mass;
  body.inverse_inertia = {inverse, 0, 0, inverse, 0, inverse};
  const Vector normal = {std::sin(slope), 0, std::cos(slope)};
  scene.add(body);
  scene.add(Contact{0, world, normal, -radius * normal});
  add_neutral_models(scene);
  return scene;
}

/// Velocities of a result become the velocities of the scene.
void take(SceneData<double>& scene, const Solved<double>& made) {
  scene.bodies.velocity = made.arrays.velocity;
  scene.bodies.angular_velocity = made.arrays.angular_velocity;
}

/// [m] the way along x of a ball that begins to roll at 1 m/s, in steps x += h v.
double way_of(SceneData<double> scene, double radius, const Solve& solve) {
  scene.bodies.velocity[0][0] = 1;
  scene.bodies.angular_velocity[1][0] = 1 / radius;
  double x = 0;
  for (int k = 0; k < 1000; ++k) {
    scene.bodies.velocity[2][0] -= h * g;
    const auto made = solve(scene, converged());
    EXPECT_EQ(made.report.not_converged, 0u);
    take(scene, made);
    x += h * scene.bodies.velocity[0][0];
  }
  EXPECT_NEAR(scene.bodies.velocity[0][0], 0, 1e-13);
  return x;
}

/// Σ h (v - n a h) as long as it is above 0.
double stepped_way(double speed, double slowing) {
  const double n = std::floor(speed / (slowing * h));
  return h * (n * speed - slowing * h * n * (n + 1) / 2);
}

TEST(ContactModelAnswers, balls_and_cylinders_roll_to_rest) {
  // Force R μ_r p_n / (I + m R²): the speed falls by a = g μ_r / (R (1 + f)).
  const double radius = 0.1, rolling = 0.002;
  const struct { double factor, way; } cases[] = {{0.4, 3.559457}, {2.0 / 3, 4.239037}, {0.5, 3.814300}};
  each_solver([&](const Solve& solve) {
    for (const auto& [factor, way] : cases) {
      auto scene = round_body(0.3, radius, factor);
      scene.friction[0] = scene.friction_2[0] = 0.5;
      scene.rolling_friction[0] = rolling;
      const double expected = stepped_way(1, g * rolling / (radius * (1 + factor)));
      EXPECT_NEAR(expected, way, 1e-6);
      EXPECT_NEAR(way_of(scene, radius, solve), expected, 1e-9 * expected);
    }
  });
}

TEST(ContactModelAnswers, a_ball_whose_friction_cannot_hold_it_slides) {
  each_solver([&](const Solve& solve) {
    auto scene = round_body(0.3, 0.1, 0.4);
    scene.friction[0] = scene.friction_2[0] = 0.01;
    // Below μ_r / (R (1 + f)) the resistance to rolling stops the turning first, and the ball slides.
    scene.rolling_friction[0] = 0.002;
    scene.bodies.velocity[0][0] = 1;
    scene.bodies.angular_velocity[1][0] = 10;
    double x = 0;
    for (int k = 0; k < 1000; ++k) {
      scene.bodies.velocity[2][0] -= h * g;
      take(scene, solve(scene, converged()));
      x += h * scene.bodies.velocity[0][0];
    }
    const double expected = stepped_way(1, 0.01 * g);
    EXPECT_NEAR(expected, 5.088510, 1e-6);
    EXPECT_NEAR(x, expected, 1e-9 * expected);
  });
}

TEST(ContactModelAnswers, a_ball_on_a_slope_stays_below_the_angle_of_its_rolling_friction) {
  each_solver([&](const Solve& solve) {
    for (const double tangent : {0.0199, 0.0201}) {
      const double slope = std::atan(tangent), radius = 0.1;
      auto scene = round_body(0.3, radius, 0.4, slope);
      scene.friction[0] = scene.friction_2[0] = 0.5;
      scene.rolling_friction[0] = 0.02 * radius;
      for (int k = 0; k < 60; ++k) {
        scene.bodies.velocity[2][0] -= h * g;
        take(scene, solve(scene, converged()));
      }
      const double speed =
          scene.bodies.velocity[0][0] * std::cos(slope) - scene.bodies.velocity[2][0] * std::sin(slope);
      const double expected = tangent < 0.02 ? 0 : g * (std::sin(slope) - 0.02 * std::cos(slope)) / 1.4;
      if (expected > 0) {
        EXPECT_NEAR(expected, 0.000700573, 1e-9);
      }
      EXPECT_NEAR(speed, expected, 1e-9 * expected + 1e-13);
    }
  });
}

TEST(ContactModelAnswers, a_top_spins_down) {
  // I ω / (μ_s m g) = 3.397893 s; the step in which it stops ends at 3.4 s.
  each_solver([&](const Solve& solve) {
    SceneData<double> scene;
    Body top;
    top.inverse_mass = 1 / 0.3;
    top.inverse_inertia = {1 / 3e-4, 0, 0, 1 / 3e-4, 0, 1 / 2e-4};
    top.angular_velocity = {0, 0, 50};
    scene.add(top);
    scene.add(Contact{0, world, {0, 0, 1}, {0, 0, -0.05}, 0.3});
    add_neutral_models(scene);
    scene.spinning_friction[0] = 0.001;
    const double slowing = 0.001 * 0.3 * g / 2e-4;
    for (int k = 1; k <= 210; ++k) {
      scene.bodies.velocity[2][0] -= h * g;
      take(scene, solve(scene, converged()));
      const double expected = std::max(50 - k * h * slowing, 0.0);
      ASSERT_NEAR(scene.bodies.angular_velocity[2][0], expected, 1e-9 * 50) << k;
      if (k >= 204) {
        ASSERT_NEAR(scene.bodies.angular_velocity[2][0], 0, 1e-13);
      }
    }
    EXPECT_GT(203 * h * slowing, 50 - h * slowing);
  });
}

TEST(ContactModelAnswers, a_block_slides_off_the_fall_line_along_the_normal_of_the_ellipse) {
  constexpr double degree = std::numbers::pi / 180;
  const struct {
    double slope, descent, friction_1, friction_2, direction, acceleration;
  } cases[] = {{40, 45, .2, .6, 19.265385, 3.624520},
               {40, 20, .2, .6, 7.156195, 4.554426},
               {40, 70, .2, .6, 44.620243, 2.354262},
               {30, 45, .1, .5, 10.761369, 2.903579},
               {35, 60, .05, .65, 7.595766, 2.635757}};
  each_solver([&](const Solve& solve) {
    for (const auto& of : cases) {
      // A point mass. Gravity has N against the plane and G along it.
      SceneData<double> scene;
      Body mass;
      mass.inverse_mass = 0.5;
      mass.inverse_inertia = {};
      scene.add(mass);
      const Vector t1 = {std::cos(0.3), std::sin(0.3), 0}, t2 = {-std::sin(0.3), std::cos(0.3), 0};
      scene.add(Contact{0, world, {0, 0, 1}, {}, of.friction_1});
      add_neutral_models(scene);
      scene.friction_2[0] = of.friction_2;
      put(scene.friction_direction, 0, 3 * t1 + Vector{0, 0, 5});
      const double normal = g * std::cos(of.slope * degree), along = g * std::sin(of.slope * degree);
      const Vector pull = (along * std::cos(of.descent * degree)) * t1 + (along * std::sin(of.descent * degree)) * t2;
      for (int k = 0; k < 60; ++k) {
        for (std::size_t c = 0; c < 2; ++c) scene.bodies.velocity[c][0] += h * pull[c];
        scene.bodies.velocity[2][0] -= h * normal;
        take(scene, solve(scene, converged()));
      }
      // The block keeps one direction v from rest on, and its pull is a v + N D² v / |D v|.
      const double v1 = dot(scene.velocity(0), t1), v2 = dot(scene.velocity(0), t2), speed = std::hypot(v1, v2);
      EXPECT_NEAR(std::atan2(v2, v1) / degree, of.direction, 1e-6);
      EXPECT_NEAR(speed, of.acceleration, 1e-6);
      const double d1 = of.friction_1, d2 = of.friction_2, size = std::hypot(d1 * v1, d2 * v2);
      EXPECT_NEAR(speed * v1 / speed + normal * d1 * d1 * v1 / size, dot(pull, t1), 1e-9 * along);
      EXPECT_NEAR(speed * v2 / speed + normal * d2 * d2 * v2 / size, dot(pull, t2), 1e-9 * along);
    }
  });
}

TEST(ContactModelAnswers, a_block_sticks_up_to_the_ellipse_and_no_further) {
  // tan β <= 1 / √((cos ψ/μ1)² + (sin ψ/μ2)²)
  const double limit = 1 / std::hypot(std::cos(std::numbers::pi / 4) / 0.2, std::sin(std::numbers::pi / 4) / 0.6);
  EXPECT_NEAR(limit, .268328, 1e-6);
  each_solver([&](const Solve& solve) {
    for (const double share : {1 - 1e-9, 1 + 1e-9}) {
      SceneData<double> scene;
      Body mass;
      mass.inverse_inertia = {};
      const double slip = h * g * limit * share * std::sqrt(0.5);
      mass.velocity = {slip, slip, -h * g};
      scene.add(mass);
      scene.add(Contact{0, world, {0, 0, 1}, {}, 0.2});
      add_neutral_models(scene);
      scene.friction_2[0] = 0.6;
      put(scene.friction_direction, 0, {1, 0, 0});
      const auto made = solve(scene, converged());
      const double left = std::hypot(made.velocity(0)[0], made.velocity(0)[1]);
      if (share < 1)
        EXPECT_LE(left, 1e-16);
      else
        EXPECT_GE(left, 1e-12);
      EXPECT_EQ(made.arrays.path[0].sliding_end, share < 1 ? SlidingEnd::stick : SlidingEnd::slip);
    }
  });
}

TEST(ContactModelAnswers, a_skate_glides_along_its_blade_and_holds_across) {
  each_solver([&](const Solve& solve) {
    SceneData<double> scene;
    Body mass;
    mass.inverse_inertia = {};
    mass.velocity = {2, 0.01, -h * g};
    scene.add(mass);
    scene.add(Contact{0, world, {0, 0, 1}, {}, 0});
    add_neutral_models(scene);
    scene.friction_2[0] = 0.5;
    put(scene.friction_direction, 0, {1, 0, 0});
    for (const bool swapped : {false, true}) {
      if (swapped) {
        std::swap(scene.friction[0], scene.friction_2[0]);
        put(scene.friction_direction, 0, {0, 1, 0});
      }
      const auto made = solve(scene, converged());
      EXPECT_NEAR(made.velocity(0)[0], 2, 1e-14);
      EXPECT_NEAR(made.velocity(0)[1], 0, 1e-14);
      EXPECT_NEAR(made.velocity(0)[2], 0, 1e-14);
    }
  });
}

/// [m] how deep a mass of 3 kg on one contact has sunk after steps with its own gap.
double sink(SceneData<double> scene, MethodOptions options, int steps, const Solve& solve) {
  scene.velocity_change = scene.angular_velocity_change = vectors<double>(1);
  scene.velocity_change[2][0] = -h * g;
  scene.separation.assign(1, 0);
  for (int k = 0; k < steps; ++k) {
    const auto made = solve(scene, options);
    take(scene, made);
    scene.separation[0] += made.arrays.displacement[2][0];
    scene.warm_impulse = made.arrays.warm_impulse;
    // The reference does not return the impulses that the next step begins with.
    if (made.arrays.warm_impulse[2][0] == 0) scene.warm_impulse = vectors<double>(1);
  }
  EXPECT_NEAR(scene.bodies.velocity[2][0], 0, 1e-12);
  return -scene.separation[0];
}

SceneData<double> load_of_three_kilograms() {
  SceneData<double> scene;
  Body mass;
  mass.inverse_mass = 1.0 / 3;
  mass.inverse_inertia = {};
  scene.add(mass);
  scene.add(Contact{0, world, {0, 0, 1}, {}, 0.5});
  return scene;
}

TEST(ContactModelAnswers, a_load_sinks_into_its_spring_by_its_weight) {
  each_solver([&](const Solve& solve) {
    for (const bool in_one : {false, true}) {
      auto scene = load_of_three_kilograms();
      scene.stiffness.assign(1, 1000);
      scene.damping.assign(1, 60);
      MethodOptions options;
      options.method = in_one ? Procedure::pgs : Procedure::substeps;
      options.time_step = h;
      if (in_one) options.correct_positions(h);
      const double expected = 3 * g / 1000;
      EXPECT_NEAR(expected, 0.029430, 1e-9);
      EXPECT_NEAR(sink(scene, options, 400, solve), expected, 1e-9 * expected) << in_one;
    }
  });
}

TEST(ContactModelAnswers, a_load_sinks_by_its_frequency_below_the_slop) {
  for (const auto& [hertz, depth] : {std::array{5.0, 9.939608e-3}, std::array{30.0, .276100e-3}}) {
    auto scene = load_of_three_kilograms();
    scene.frequency.assign(1, hertz);
    scene.damping_ratio.assign(1, 1);
    MethodOptions options;
    options.method = Procedure::substeps;
    options.time_step = h;
    options.substeps.min_substeps = options.substeps.max_substeps = 8;  // a quarter of their rate is above 30 Hz
    const double omega = 2 * std::numbers::pi * hertz, expected = g / (omega * omega);
    EXPECT_NEAR(expected, depth, 1e-9);
    const double sunk = sink(scene, options, 2000, [](const auto& of, const auto& how) { return solved(of, how); });
    EXPECT_NEAR(sunk - SceneThresholds::slop_without_size, expected, 1e-9 * sunk);
  }
}

TEST(ContactModelAnswers, a_spring_without_damping_swings_as_the_implicit_method_has_it) {
  // |λ|² = 1 / (1 + h² k / m) for each step of a mass that stays on its spring.
  each_solver([&](const Solve& solve) {
    auto scene = load_of_three_kilograms();
    scene.stiffness.assign(1, 1000);
    scene.separation.assign(1, -0.03);
    scene.velocity_change = scene.angular_velocity_change = vectors<double>(1);
    scene.velocity_change[2][0] = -h * g;
    MethodOptions options;
    options.correct_positions(h);
    double v = 0.1, separation = -0.03;
    scene.bodies.velocity[2][0] = v;
    for (int k = 0; k < 20; ++k) {
      v = (v - h * g - h * 1000 / 3 * separation) / (1 + h * h * 1000 / 3);
      separation += h * v;
      const auto made = solve(scene, options);
      take(scene, made);
      scene.separation[0] += made.arrays.displacement[2][0];
      ASSERT_NEAR(scene.separation[0], separation, 1e-9 * 0.03) << k;
      ASSERT_NEAR(scene.bodies.velocity[2][0], v, 1e-9 * 0.1) << k;
    }
  });
}

TEST(ContactModelAnswers, compliance_gives_way_by_the_impulse) {
  // u_n = -γ p_n with p_n = -u0 / (K + γ), and a sticking contact creeps by γ_t p_t.
  each_solver([&](const Solve& solve) {
    auto scene = load_of_three_kilograms();
    add_neutral_models(scene);
    scene.normal_compliance[0] = 0.1;
    scene.tangential_compliance[0] = 0.2;
    scene.restitution[0] = 0.9;  // has no part
    put(scene.bodies.velocity, 0, {0.1, 0, -1});
    const auto made = solve(scene, converged());
    const double p = 1 / (1.0 / 3 + 0.1), pt = -0.1 / (1.0 / 3 + 0.2);
    EXPECT_NEAR(made.impulse(0)[2], p, 1e-12);
    EXPECT_NEAR(made.velocity(0)[2], -0.1 * p, 1e-12);
    EXPECT_NEAR(made.impulse(0)[0], pt, 1e-12);
    EXPECT_NEAR(made.velocity(0)[0], -0.2 * pt, 1e-12);
    EXPECT_LE(made.report.residual, 1e-15);
  });
}

}  // namespace
}  // namespace carom::scenes
