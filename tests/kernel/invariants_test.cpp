// Invariants of every collision, on random batches, in every precision. ε is the precision's epsilon, n the number of
// steps of a contact, δ = |u0| / (N trace K) its step; a sum of n terms has an error of n ε times the sum of their
// sizes.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <limits>

#include "random/draw.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::at;
using support::RandomContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;
using support::Vector;

constexpr std::size_t count = support::fast_build ? 20000 : 2000;
constexpr int steps_option = 50;

SolverSetup options() {
  SolverSetup o;
  o.integrator = Integrator::euler;
  o.execution.threads = 1;
  o.steps = steps_option;
  return o;
}

double norm(const Vector& v) {
  return std::hypot(v[0], v[1], v[2]);
}
template <class T>
Vector product(const std::array<std::vector<T>, 6>& m, const Vector& v, std::size_t i) {
  const auto e = [&](std::size_t j) { return static_cast<double>(m[j][i]); };
  return {e(0) * v[0] + e(1) * v[1] + e(2) * v[2], e(1) * v[0] + e(3) * v[1] + e(4) * v[2],
          e(2) * v[0] + e(4) * v[1] + e(5) * v[2]};
}

template <class T>
class Invariants : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Invariants, Precisions);

// Momentum: A's change of momentum is the impulse and B's is its opposite, so their sum is zero. In terms of
// velocities, Δv = p / m, with one rounding of the product and sum. Angular momentum about the contact point: I Δω = r
// x p = r x m Δv.
TYPED_TEST(Invariants, momentum_and_angular_momentum_are_conserved) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const RandomContacts<T> c(count, 31);
  ResultArrays<T> r(count);
  ASSERT_EQ(ConfiguredSolver(options()).solve(c.inline_contacts(), r.results()).count(Status::ok), count);
  for (std::size_t i = 0; i < count; ++i) {
    const Vector p = at(r.impulse, i);
    const auto check = [&](const support::BodyArrays<T>& body, const auto& lever, const auto& v, const auto& w,
                           double sign) {
      const double inverse_mass = static_cast<double>(body.inverse_mass[i]);
      const Vector before = at(body.velocity, i), after = at(v, i);
      EXPECT_LE(norm(after - (before + sign * inverse_mass * p)), epsilon * (norm(after) + inverse_mass * norm(p)))
          << i;
      const Vector arm = at(lever, i);
      const Vector torque = cross(arm, sign * p);
      const Vector turn = product(body.inverse_inertia, torque, i);
      double inertia = 0;
      for (const auto& column : body.inverse_inertia) inertia += std::abs(static_cast<double>(column[i]));
      // A cross product and a matrix product: 2 and 3 roundings of their terms, then one of the sum.
      const double size = inertia * norm(arm) * norm(p);
      EXPECT_LE(norm(at(w, i) - (at(body.angular_velocity, i) + turn)), epsilon * (5 * size + norm(at(w, i)))) << i;
    };
    check(c.a, c.r_a, r.velocity_a, r.angular_velocity_a, 1);
    check(c.b, c.r_b, r.velocity_b, r.angular_velocity_b, -1);
  }
}

// All contacts in contact space, with their numbers in double.
template <class T>
struct Solved {
  RandomSpaceContacts<T> contacts;
  ResultArrays<T> results;
  Report report;

  explicit Solved(std::uint64_t seed) : contacts(count, seed), results(count, false) {
    report = ConfiguredSolver(options()).solve(contacts.space_contacts(), results.results());
  }

  template <class Check>
  void each(Check&& check) const {
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(results.status[i], Status::ok);
      const Vector u0 = at(contacts.separation_velocity, i);
      const double trace = static_cast<double>(contacts.k[0][i]) + static_cast<double>(contacts.k[3][i]) +
                           static_cast<double>(contacts.k[5][i]);
      check(i, u0, at(results.separation_velocity, i), at(results.impulse, i), norm(u0) / (steps_option * trace), trace,
            static_cast<double>(results.steps[i]));
    }
  }
};

constexpr bool slides_to_the_end(Path path) {
  return path.sliding_end == SlidingEnd::slide_end;
}

TYPED_TEST(Invariants, the_velocity_changes_by_k_times_the_impulse) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const Solved<T> solved(32);
  solved.each(
      [&](std::size_t i, const Vector& u0, const Vector& u, const Vector& p, double delta, double trace, double n) {
        const Vector expected = u0 + product(solved.contacts.k, p, i);
        // u and p are summed apart: n steps of (1 + μ) δ trace K each, on top of u0, and the closed form's few
        // roundings, of which M⁻¹ u_t and q carry the condition of M, which these matrices keep below 2^10.
        const double mu = static_cast<double>(solved.contacts.friction[i]);
        const double size = norm(u0) + norm(u) + trace * norm(p) + (1 + mu) * n * delta * trace;
        EXPECT_LE(norm(u - expected), epsilon * (n + 8) * size) << to_string(solved.results.path[i]);
      });
}

TYPED_TEST(Invariants, no_approach_is_left) {
  Solved<TypeParam>(33).each([](std::size_t, const Vector&, const Vector& u, const Vector& p, double, double, double) {
    EXPECT_GE(u[2], 0);
    EXPECT_GE(p[2], 0);
  });
}

// While the contact slides, friction is at most μ p_z: a sum of vectors of length μ δ. Where sliding stops, the rest of
// the slip, at most the reach δ (μ |M| + |k|) of one step, is stopped by an impulse M⁻¹ u_t; stable sticking and the
// diverging ray stay in the cone.
TYPED_TEST(Invariants, the_impulse_lies_in_the_friction_cone) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const Solved<T> solved(34);
  solved.each([&](std::size_t i, const Vector&, const Vector&, const Vector& p, double delta, double trace, double n) {
    const double mu = static_cast<double>(solved.contacts.friction[i]);
    double bound = mu * p[2] * (1 + (n + 8) * epsilon);
    if (!slides_to_the_end(solved.results.path[i])) {
      const double xx = static_cast<double>(solved.contacts.k[0][i]), xy = static_cast<double>(solved.contacts.k[1][i]),
                   yy = static_cast<double>(solved.contacts.k[3][i]);
      const double largest = (xx + yy) / 2 + std::hypot((xx - yy) / 2, xy);
      const double smallest = (xx * yy - xy * xy) / largest;
      const double k =
          std::hypot(static_cast<double>(solved.contacts.k[2][i]), static_cast<double>(solved.contacts.k[4][i]));
      bound += delta * (mu * largest + k) / smallest * (1 + 1e-3);
    }
    EXPECT_LE(std::hypot(p[0], p[1]), bound) << to_string(solved.results.path[i]) << ' ' << trace;
  });
}

// The kinetic energy changes by ½ p·(u0 + u). A step of Euler's method changes it by the work of the normal force, δ
// u_z, minus the dissipation by friction, plus ½ δ² c·K c with c = (-μ û, 1) because u changes in the step. The normal
// work ends at W_c + W_d <= (1 - e²) W_c + δ u_z with u_z of the last step, which is at most the final u_z plus the
// change in a step. Sticking is exact, and stopping the remaining slip takes energy.
TYPED_TEST(Invariants, energy_grows_by_no_more_than_the_step_allows) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const Solved<T> solved(35);
  double largest = 0;
  std::size_t of_contact = 0;
  solved.each(
      [&](std::size_t i, const Vector& u0, const Vector& u, const Vector& p, double delta, double trace, double n) {
        const double mu = static_cast<double>(solved.contacts.friction[i]);
        double bound = 0.5 * n * delta * delta * (1 + mu * mu) * trace;
        if (slides_to_the_end(solved.results.path[i])) bound += delta * (u[2] + delta * (1 + mu) * trace);
        const double rounding = epsilon * (n + 8) * norm(p) * (norm(u0) + norm(u));
        const double gain = 0.5 * dot(p, u0 + u);
        EXPECT_LE(gain, bound + rounding) << to_string(solved.results.path[i]);
        if (gain > largest) {
          largest = gain;
          of_contact = i;
        }
      });
  ASSERT_GT(largest, 0) << "the batch should have a contact that gains by the step";
  EXPECT_NEAR(solved.report.max_energy_gain, largest, largest * 1e3 * epsilon);
  EXPECT_EQ(solved.report.max_energy_gain_contact, of_contact);
}

// Stronge's law: decompression returns e² of the work of compression, with Euler's overshoot at most one step more.
TYPED_TEST(Invariants, restitution_is_reached) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const Solved<T> solved(36);
  solved.each([&](std::size_t i, const Vector&, const Vector& u, const Vector&, double delta, double trace, double n) {
    const double e = static_cast<double>(solved.contacts.restitution[i]);
    const double mu = static_cast<double>(solved.contacts.friction[i]);
    const double compression = static_cast<double>(solved.results.work_compression[i]);
    const double decompression = static_cast<double>(solved.results.work_decompression[i]);
    const double due = -e * e * compression;
    const double rounding = epsilon * (n + 8) * std::abs(compression);
    EXPECT_LE(compression, 0);
    EXPECT_GE(decompression, due - rounding);
    const double overshoot =
        slides_to_the_end(solved.results.path[i]) ? delta * (u[2] + delta * (1 + mu) * trace) : 0.0;
    EXPECT_LE(decompression, due + overshoot + rounding);
  });
}

}  // namespace
}  // namespace carom
