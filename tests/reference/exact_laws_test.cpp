// The laws of restitution in the exact reference, against closed forms.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <limits>

#include "support/laws/collisions.hpp"

namespace carom::reference {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr RestitutionLaw laws[] = {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic};

Outcome solved(const Collision& c, RestitutionLaw law) {
  const Outcome o = resolve_exact(c, law, 1 << 30);
  EXPECT_TRUE(o.ended);
  return o;
}

TEST(laws, agree_without_friction) {
  for (Collision c : random_collisions(200, 32, 1))
    for (RestitutionLaw law : laws) {
      c.friction = 0;
      const Outcome o = solved(c, law);
      EXPECT_EQ(o.u[2], -c.restitution * c.u0[2]);
      EXPECT_NEAR(o.p[2], -(1 + c.restitution) * c.u0[2] / c.k[2][2], 4 * epsilon * o.p[2]);
      EXPECT_EQ(std::hypot(o.p[0], o.p[1]), 0);
      // The integrated path equals the closed form: friction this small changes p by less than its rounding error.
      c.friction = 1e-18;
      const Outcome slid = solved(c, law);
      EXPECT_LE(distance(slid.u, o.u), 64 * epsilon * (length(c.u0) + length(o.u)));
      EXPECT_LE(distance(slid.p, o.p), 64 * epsilon * length(o.p));
    }
}

// K33 = 2, k = (0.3, 0), M = 1, μ = 0.5: a slip along +x falls by 0.2 per unit of p_z while u_z rises by
// w1 = 2 - 0.5 0.3 = 1.85. Once it rests, |q| = 0.3 < μ holds it, and u_z rises by w2 = 2 - 0.3² = 1.91.
constexpr double w1 = 1.85, w2 = 1.91;
Collision on_one_ray(double slip, double restitution) {
  return {symmetric(1, 0, 0.3, 1, 0, 2), {slip, 0, -3}, 0.5, restitution, 0};
}

void expect_end(const Outcome& o, const char* path, const Vector3& u, const Vector3& p) {
  EXPECT_EQ(to_string(o.path), path);
  // Some twenty operations in numbers up to 4.
  EXPECT_LE(distance(o.u, u), 32 * epsilon * 4);
  EXPECT_LE(distance(o.p, p), 32 * epsilon * 4);
}

TEST(laws, agree_where_nothing_changes_the_rise_of_uz) {
  // It would rest at p_z = 10, but ends at (1 + e) 3 / w1 < 4.
  const double e = 0.7, pz = (1 + e) * 3 / w1;
  for (RestitutionLaw law : laws)
    expect_end(solved(on_one_ray(2, e), law), "slide_end+c1d1", {2 - 0.2 * pz, 0, e * 3}, {-0.5 * pz, 0, pz});
}

TEST(laws, differ_as_their_closed_forms_do_when_it_sticks_in_compression) {
  // Rests at p_z = 1/2, compression ends at c.
  const double e = 0.6, z = -3 + w1 / 2, c = 0.5 - z / w2;
  const double work = (9 - z * z) / (2 * w1) + z * z / (2 * w2);
  const auto expect = [&](RestitutionLaw law, double uz) {
    const double pz = c + uz / w2;
    expect_end(solved(on_one_ray(0.1, e), law), "stick_in_c+stable+c1d0", {0, 0, uz},
               {-0.5 * 0.5 - 0.3 * (pz - 0.5), 0, pz});
  };
  expect(RestitutionLaw::energetic, std::sqrt(2 * w2 * e * e * work));
  expect(RestitutionLaw::kinetic, w2 * e * c);
  expect(RestitutionLaw::kinematic, e * 3);
}

TEST(laws, differ_as_their_closed_forms_do_when_it_sticks_in_decompression) {
  // Compression ends at c = 3/w1 = 1.62, it rests at p_z = 2.5 with u_z = z, before e = 0.9 has come back.
  const double e = 0.9, z = -3 + 2.5 * w1, c = 3 / w1;
  const auto expect = [&](RestitutionLaw law, double uz) {
    const double pz = 2.5 + (uz - z) / w2;
    expect_end(solved(on_one_ray(0.5, e), law), "stick_in_d+stable+c1d1", {0, 0, uz},
               {-0.5 * 2.5 - 0.3 * (pz - 2.5), 0, pz});
  };
  expect(RestitutionLaw::energetic, std::sqrt(z * z + 2 * w2 * (e * e * 9 / (2 * w1) - z * z / (2 * w1))));
  expect(RestitutionLaw::kinetic, z + w2 * ((1 + e) * c - 2.5));
  expect(RestitutionLaw::kinematic, e * 3);
}

TEST(laws, a_small_restitution_keeps_its_digits) {
  for (double e : {1e-3, 1e-6, 1e-9, 1e-12})
    for (RestitutionLaw law : laws) {
      // On a straight line all give u_z = -e u0_z, here relative to itself.
      const Outcome o = solved(on_one_ray(2, e), law);
      EXPECT_NEAR(o.u[2], e * 3, 64 * epsilon * e * 3) << e << to_string(law);
    }
  // Off a ray as well: in a collision that turns, u_z is proportional to e in the limit.
  Collision c{symmetric(2, 0.5, 0.4, 1, -0.3, 1.5), {1, 0.7, -2}, 0.4, 1e-9, 0};
  for (RestitutionLaw law : laws) {
    const double at_1e9 = solved(c, law).u[2];
    Collision smaller = c;
    smaller.restitution = 1e-12;
    // The first term that e leaves out is of the order of e² |u0|.
    EXPECT_NEAR(solved(smaller, law).u[2] / at_1e9, 1e-3, 1e-3 * 1e-8) << to_string(law);
  }
}

TEST(infinite_friction, the_slip_is_stopped_first_and_the_rest_is_a_collision_at_rest) {
  // M = diag(1, 4), k = (0.5, 0), K33 = 2: the slip along x is stopped by p_x = -1 and leaves u_z = -3 - 0.5. Then
  // q = (0.5, 0) holds it, and u_z rises by 2 - 0.25.
  const double e = 0.4, z = -3.5, w = 1.75;
  for (RestitutionLaw law : laws) {
    // Nothing was compressed while p_z stood still, but Newton's law counts from the first u_z.
    const double uz = law == RestitutionLaw::kinematic ? e * 3 : -e * z;
    const double pz = (uz - z) / w;
    expect_end(solved({symmetric(1, 0, 0.5, 4, 0, 2), {1, 0, -3}, infinity, e}, law), "stick_in_c+stable+c1d0",
               {0, 0, uz}, {-1 - 0.5 * pz, 0, pz});
  }
}

TEST(infinite_friction, can_end_the_collision_without_any_normal_impulse) {
  // k = (-0.5, 0): stopping the slip lifts u_z by 0.5 per unit of its way, from -0.1 to e 0.1 after (1 + e) 0.2.
  const double e = 0.4, way = (1 + e) * 0.2;
  for (RestitutionLaw law : laws)
    expect_end(solved({symmetric(1, 0, -0.5, 4, 0, 2), {1, 0, -0.1}, infinity, e}, law), "slide_end+c1d1",
               {1 - way, 0, e * 0.1}, {-way, 0, 0});
}

TEST(infinite_friction, is_the_limit_of_large_friction) {
  for (Collision c : random_collisions(300, 33, 1))
    for (RestitutionLaw law : laws) {
      c.friction = infinity;
      const Outcome limit = solved(c, law);
      // While it is stopped, compression and restitution are of the order of 1/μ. Their work alone can raise a u_z of 0
      // to its square root, times √(cond K) < 32 at most.
      c.friction = 1e12;
      EXPECT_LE(distance(solved(c, law).u, limit.u), 32e-6 * length(c.u0)) << to_string(law);
    }
}

}  // namespace
}  // namespace carom::reference
