// The law of the reference in contact space: its limits and invariants.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference.hpp>
#include <cmath>
#include <limits>

#include "support/laws/collisions.hpp"

namespace carom::reference {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int32_t unlimited = 1 << 30;

// The example of the paper's section 1.2.
Collision two_compressions() {
  return {symmetric(20, -23, 4, 31, -7, 4), {630, -780, -0.22}, 0.5, 0.9, 0};
}

TEST(sliding, two_compressions_converge_to_the_exact_end) {
  const Vector3 u{-18.30499434, -63.75658395, 3.19134599};
  const Vector3 p{-15.09702356, 25.63524771, 60.81154355};
  // The overshoot of the end is a sawtooth in the step: the mean over many steps of one magnitude falls in proportion.
  const auto mean_error = [&](double steps) {
    double sum = 0;
    constexpr int count = 64;
    for (int i = 0; i < count; ++i) {
      Collision c = two_compressions();
      set_steps(c, steps * (1 + i / static_cast<double>(count)));
      const Outcome o = resolve(c, unlimited);
      EXPECT_EQ(to_string(o.path), "slide_end+c2d2");
      EXPECT_LE(distance(o.p, p), (distance(o.u, u) + 1e-8) / 0.9) << "the smallest eigenvalue of K is above 0.9";
      sum += distance(o.u, u);
    }
    return sum / count;
  };
  double coarser = mean_error(2000);
  for (double steps = 4000; steps <= 32000; steps *= 2) {
    const double error = mean_error(steps);
    EXPECT_GT(coarser / error, 1.8) << steps;
    EXPECT_LT(coarser / error, 2.3) << steps;
    coarser = error;
  }
}

// On a ray u moves on a straight line with the rate w, and so does Euler: only the end differs. With h = δ w_z, v =
// -u0_z, the sums of u_z δ are 2 w_z Wc = -(v² + h (a + v) - a²) and 2 w_z Wd = z² - a² - h (z - a), a in [0, h) being
// the first and z the last u_z >= 0. From Wd >= -e² Wc after the last step, but not before it, follows
// h/2 <= z - e v <= 5/2 h, and with e = 0 that 0 <= z < h. So |u - exact| <= 5/2 δ |w|.
void expect_straight_line(const Collision& c, const Vector3& rate) {
  const double time = -(1 + c.restitution) * c.u0[2] / rate[2];
  const Vector3 exact{c.u0[0] + time * rate[0], c.u0[1] + time * rate[1], c.u0[2] + time * rate[2]};
  const Outcome o = resolve(c, unlimited);
  EXPECT_EQ(to_string(o.path), "slide_end+c1d1");
  const double rounding = 8 * epsilon * o.steps * (length(c.u0) + length(exact));
  EXPECT_LE(distance(o.u, exact), 2.5 * c.step * length(rate) + rounding);
}

TEST(sliding, without_friction_the_error_is_two_and_a_half_steps_at_most) {
  for (double steps : {50, 200, 3200})
    for (Collision c : random_collisions(300, 13, steps)) {
      c.friction = 0;
      const double s = -(1 + c.restitution) * c.u0[2] / c.k[2][2];
      // A contact that passes the origin sticks for an instant even without friction: skip contacts near it.
      const double x = c.u0[0], y = c.u0[1], kx = c.k[0][2], ky = c.k[1][2];
      const double nearest = std::clamp(-(x * kx + y * ky) / (kx * kx + ky * ky), 0.0, 1.5 * s);
      if (std::hypot(x + nearest * kx, y + nearest * ky) < 2 * reach(c)) continue;
      expect_straight_line(c, {kx, ky, c.k[2][2]});
    }
}

TEST(sliding, on_a_diverging_ray_the_error_is_two_and_a_half_steps_at_most) {
  std::size_t tried = 0;
  for (Collision c : random_collisions(2000, 14, 800)) {
    const auto q = q_of(c.k);
    if (std::hypot(q[0], q[1]) <= c.friction) continue;
    const double psi = diverging_ray(c.k, c.friction);
    c.u0 = {std::cos(psi), std::sin(psi), -1};
    set_steps(c, 800);
    if (reach(c) > 0.5) continue;
    expect_straight_line(c, sliding_rate(c.k, c.friction, psi));
    ++tried;
  }
  EXPECT_GT(tried, 100u);
}

TEST(sliding, a_plastic_collision_ends_within_a_step_of_rest) {
  std::size_t slid = 0;
  for (Collision c : random_collisions(1000, 15, 200)) {
    c.restitution = 0;
    const Outcome o = resolve(c, unlimited);
    EXPECT_EQ(o.work_decompression, 0);
    EXPECT_GE(o.u[2], 0);
    if (o.path.sliding_end == SlidingEnd::slide_end) {
      ++slid;
      EXPECT_EQ(o.path.decompressions, o.path.compressions);
      EXPECT_LE(o.u[2], c.step * (c.k[2][2] + c.friction * std::hypot(c.k[0][2], c.k[1][2])) * (1 + 8 * epsilon));
    } else if (o.path.sliding_end == SlidingEnd::stick_at_start || o.path.sliding_end == SlidingEnd::stick_in_c) {
      // To stop the slip that is left changes u_z by |q| times one step's reach at most; it is over then.
      const auto q = q_of(c.k);
      EXPECT_LE(o.u[2], std::hypot(q[0], q[1]) * reach(c) * (1 + 1e-12));
    }
  }
  EXPECT_GT(slid, 500u);
}

TEST(law, the_normal_force_gives_back_the_square_of_restitution) {
  for (const Collision& c : random_collisions(2000, 16, 200)) {
    const Outcome o = resolve(c, unlimited);
    const double due = -c.restitution * c.restitution * o.work_compression;
    const double rounding = 4 * epsilon * (o.steps + 8) * (std::abs(o.work_compression) + o.work_decompression);
    EXPECT_LE(o.work_compression, 0);
    EXPECT_GE(o.work_decompression, 0);
    EXPECT_GE(o.work_decompression, due - rounding);
    // The last step slides with a u_z that differs from the final one by the change in a step.
    const double max_change = c.step * (c.k[2][2] + c.friction * std::hypot(c.k[0][2], c.k[1][2]));
    const double overshoot = o.path.sliding_end == SlidingEnd::slide_end ? c.step * (o.u[2] + max_change) : 0;
    // Sticking that began beyond the end, within a step of u_z = 0, cannot return more energy than it has.
    const double crossing = o.path.decompressions > 0 ? c.step * max_change : 0;
    EXPECT_LE(o.work_decompression, due + overshoot + crossing + rounding);
  }
}

TEST(law, energy_grows_by_less_than_the_steps_allow) {
  for (double steps : {10, 200}) {
    for (const Collision& c : random_collisions(3000, 17, steps)) {
      const Outcome o = resolve(c, unlimited);
      double gain = 0, size = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        gain += 0.5 * o.p[i] * (c.u0[i] + o.u[i]);
        size += std::abs(o.p[i]) * (std::abs(c.u0[i]) + std::abs(o.u[i]));
      }
      // A step with impulse δf, f = (-μû, 1), changes the energy by δf·u + ½ δ² f·Kf, where f·u = u_z - μ|u_t| and
      // |f|² = 1 + μ². The u_z δ sum up to Wc + Wd, which exceeds (1 - e²) Wc <= 0 by one step's work at most, with a
      // u_z that is less than |K||f| δ above the last one, or above 0. Both are below the same term for two more steps.
      // Stopping the slip only takes energy, and the closed forms have no error. trace K >= |K|.
      const double overshoot = c.step * o.u[2];
      const double curvature = 0.5 * c.step * c.step * (o.steps + 4) * (1 + c.friction * c.friction) * trace(c.k);
      // K⁻¹ magnifies the rounding of u by the condition of K, some 1024 here.
      const double rounding = 1024 * 8 * epsilon * (o.steps + 8) * size;
      EXPECT_LE(gain, overshoot + curvature + rounding);
    }
  }
}

TEST(law, the_impulse_lies_in_the_cone_of_friction) {
  for (const Collision& c : random_collisions(3000, 18, 200)) {
    const Outcome o = resolve(c, unlimited);
    // Sliding and sticking keep to it; the impulse M⁻¹ u_t that stops the last slip is not bound to.
    const double last = o.path.sticking == Sticking::none ? 0 : reach(c) / eigenvalues_of_m(c.k)[0];
    const double rounding = 1024 * 8 * epsilon * (o.steps + 8) * length(o.p);
    EXPECT_LE(std::hypot(o.p[0], o.p[1]), c.friction * o.p[2] + last + rounding);
    EXPECT_GE(o.u[2], 0);
    EXPECT_LE(distance(c.k * o.p, o.u - c.u0), 32 * epsilon * trace(c.k) * length(o.p));
  }
}

TEST(sticking, held_from_the_start_it_bounces_straight_up) {
  // |q| = |(0.3, -0.2)| < μ
  const Collision c{symmetric(1, 0, 0.3, 1, -0.2, 2), {0, 0, -3}, 0.5, 0.25, 1e-3};
  const Outcome o = resolve(c, unlimited);
  EXPECT_EQ(to_string(o.path), "stick_at_start+stable+c0d0");
  EXPECT_EQ(o.steps, 0);
  EXPECT_EQ(o.u[0], 0);
  EXPECT_EQ(o.u[1], 0);
  EXPECT_NEAR(o.u[2], 0.75, 4 * epsilon);
  // du_z/dp_z = K33 - k·q = 2 - 0.13; p_t = -q p_z
  EXPECT_NEAR(o.p[2], 3.75 / 1.87, 16 * epsilon);
  EXPECT_NEAR(o.p[0], -0.3 * o.p[2], 16 * epsilon);
  EXPECT_NEAR(o.p[1], 0.2 * o.p[2], 16 * epsilon);
}

TEST(sticking, not_held_from_the_start_it_leaves_along_the_diverging_ray) {
  const Collision c{unstable_example, {0, 0, -2}, 0.7, 0.5, 1e-3};
  const Outcome o = resolve(c, unlimited);
  EXPECT_EQ(to_string(o.path), "stick_at_start+diverge+c0d0");
  const double psi = diverging_ray(c.k, c.friction);
  const Vector3 rate = sliding_rate(c.k, c.friction, psi);
  // u_z runs from -2 to 1 at the constant rate, and the slip grows from 0.
  EXPECT_NEAR(o.u[2], 1, 8 * epsilon);
  EXPECT_NEAR(o.p[2], 3 / rate[2], 64 * epsilon);
  EXPECT_NEAR(o.u[0], 3 * rate[0] / rate[2], 64 * epsilon);
  EXPECT_NEAR(o.u[1], 3 * rate[1] / rate[2], 64 * epsilon);
  EXPECT_GT(std::cos(psi) * o.u[0] + std::sin(psi) * o.u[1], 0);
}

TEST(sticking, slip_within_a_step_counts_as_none_and_is_stopped_by_friction_alone) {
  Collision c{symmetric(1, 0, 0.3, 1, -0.2, 2), {0, 0, -3}, 0.5, 0.25, 1e-3};
  // One step reaches δ (μ |M| + |k|).
  const double r = reach(c);
  c.u0[0] = r * (1 - 1e-9);
  const Outcome held = resolve(c, unlimited);
  EXPECT_EQ(held.path.sliding_end, SlidingEnd::stick_at_start);
  // The tangential impulse changes u_z by -q·u_t, and 0.25 of the rest comes back.
  EXPECT_NEAR(held.u[2], 0.25 * (3 + 0.3 * c.u0[0]), 8 * epsilon);
  c.u0[0] = r * (1 + 1e-9);
  EXPECT_EQ(resolve(c, unlimited).path.sliding_end, SlidingEnd::stick_in_c);
}

TEST(sticking, a_head_on_collision_of_symmetric_bodies_is_newtons) {
  // K is diagonal: tangents and normal are uncoupled.
  for (double mu : {0.0, 0.3, infinity}) {
    const Collision c{symmetric(3, 0, 0, 5, 0, 2), {0, 0, -4}, mu, 0.5, 1e-3};
    const Outcome o = resolve(c, unlimited);
    EXPECT_EQ(to_string(o.path), "stick_at_start+stable+c0d0");
    EXPECT_NEAR(o.u[2], 2, 8 * epsilon);
    EXPECT_NEAR(o.p[2], 3, 8 * epsilon);
    EXPECT_EQ(std::hypot(o.u[0], o.u[1]), 0) << mu;
    EXPECT_EQ(std::hypot(o.p[0], o.p[1]), 0) << mu;
  }
}

TEST(infinite_friction, the_slide_costs_no_normal_impulse) {
  std::size_t ended_in_slide = 0, stuck = 0;
  for (Collision c : random_collisions(3000, 19, 200)) {
    c.friction = infinity;
    const Outcome o = resolve(c, unlimited);
    // u_z - q·u_t changes only with p_z, so it is constant during the slide. Its rounding error grows with the steps,
    // and with q, which is less than the condition of K, some 1024.
    const auto q = q_of(c.k);
    const double size = length(c.u0) + length(o.u);
    const double rounding = 1024 * 8 * epsilon * (o.steps + 8) * size;
    const double at_rest = c.u0[2] - (q[0] * c.u0[0] + q[1] * c.u0[1]);
    if (o.path.sliding_end == SlidingEnd::slide_end) {
      ++ended_in_slide;
      EXPECT_NEAR(o.u[2] - (q[0] * o.u[0] + q[1] * o.u[1]), at_rest, rounding);
      EXPECT_LE(std::abs(o.p[2]), rounding * 32);
      EXPECT_EQ(o.work_compression, 0);
      EXPECT_EQ(o.work_decompression, 0);
    } else {
      ++stuck;
      EXPECT_EQ(o.path.sticking, Sticking::stable);
      EXPECT_EQ(std::hypot(o.u[0], o.u[1]), 0);
      EXPECT_NEAR(o.u[2], at_rest < 0 ? -c.restitution * at_rest : at_rest, rounding);
    }
    EXPECT_GE(o.u[2], 0);
  }
  EXPECT_GT(ended_in_slide, 20u);
  EXPECT_GT(stuck, 1000u);
}

TEST(step, a_grazing_contact_is_resolved_to_its_own_approach_with_a_step_of_its_own) {
  // Frictionless, so that 5/2 δ K33 bounds the error of u_z (see expect_straight_line).
  Collision c{symmetric(2, 0.1, 0, 2, 0, 1), {1, 0, -1e-9}, 0, 0.5, 0};
  c.step = 1e-9 / (200 * trace(c.k));
  const Outcome o = resolve(c, unlimited);
  EXPECT_NEAR(o.u[2], 0.5e-9, 2.5 * c.step * c.k[2][2]);
}

TEST(step, the_budget_stops_a_collision) {
  Collision c = two_compressions();
  set_steps(c, 200);
  const std::int32_t needed = resolve(c, unlimited).steps;
  EXPECT_TRUE(resolve(c, needed).ended);
  const Outcome cut = resolve(c, needed - 1);
  EXPECT_FALSE(cut.ended);
  EXPECT_EQ(cut.steps, needed - 1);
}

TEST(scale, powers_of_two_change_no_bit) {
  for (const Collision& c : random_collisions(200, 20, 100)) {
    const Outcome o = resolve(c, unlimited);
    for (int k_exponent : {-500, 500})
      for (int u_exponent : {-400, 400}) {
        Collision d = c;
        for (auto& row : d.k)
          for (double& x : row) x = std::scalbn(x, k_exponent);
        for (double& x : d.u0) x = std::scalbn(x, u_exponent);
        d.step = std::scalbn(d.step, u_exponent - k_exponent);
        const Outcome scaled = resolve(d, unlimited);
        EXPECT_EQ(scaled.path, o.path);
        EXPECT_EQ(scaled.steps, o.steps);
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_EQ(scaled.u[i], std::scalbn(o.u[i], u_exponent));
          EXPECT_EQ(scaled.p[i], std::scalbn(o.p[i], u_exponent - k_exponent));
        }
      }
  }
}

TEST(boundary_distance, does_not_change_the_outcome) {
  for (const Collision& c : random_collisions(500, 21, 100)) {
    const Outcome without = resolve(c, unlimited, false);
    const Outcome with = resolve(c, unlimited, true);
    EXPECT_EQ(without.u, with.u);
    EXPECT_EQ(without.p, with.p);
    EXPECT_EQ(without.path, with.path);
    EXPECT_EQ(without.boundary_distance, infinity);
    EXPECT_LT(with.boundary_distance, infinity);
  }
}

TEST(boundary_distance, is_the_least_over_the_decisions_taken) {
  // Held from the start, so the decisions are: slip against reach, here 5e-4 (μ |M|) + ..., u_z against 0, |q| against
  // μ.
  const Matrix3 k = symmetric(1, 0, 0.3, 1, 0, 2);
  const double near_mu = 0.3 * (1 + 1e-6);
  EXPECT_NEAR(resolve({k, {0, 0, -1}, near_mu, 0.5, 1e-2}, unlimited, true).boundary_distance, 1e-6, 1e-11);
  // |u0| = 1, reach = δ (0.5 + 0.3)
  EXPECT_NEAR(resolve({k, {0, 0, -1}, 0.5, 0.5, 1e-3}, unlimited, true).boundary_distance, 0.8e-3, 1e-15);
  // The slip is one part in a million outside the reach.
  const double outside = 0.8e-3 * (1 + 1e-6);
  EXPECT_LE(resolve({k, {outside, 0, -1}, 0.5, 0.5, 1e-3}, unlimited, true).boundary_distance, 0.8e-9 * (1 + 1e-3));
  // One step of 1/8 takes u_z from -1 to 1/1024, and the collision ends there.
  const Collision plastic{symmetric(1, 0, 0, 1, 0, 8 * (1 + 0x1p-10)), {9, 0, -1}, 0, 0, 0.125};
  const Outcome o = resolve(plastic, unlimited, true);
  EXPECT_EQ(o.steps, 1);
  EXPECT_NEAR(o.boundary_distance, 0x1p-10 / std::hypot(9, 1), 4 * epsilon);
}

}  // namespace
}  // namespace carom::reference
