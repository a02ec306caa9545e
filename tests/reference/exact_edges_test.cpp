// The exact reference next to rays of constant sliding, and all references in units in which numbers are subnormal.
#include <gtest/gtest.h>

#include <array>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>

#include "support/contacts/encounter.hpp"
#include "support/laws/law_samples.hpp"
#include "support/planar/equations.hpp"

namespace carom::reference {
namespace {

constexpr std::int32_t unlimited = 1 << 30;

double condition_of(const Matrix3& k) {
  support::WideMatrix wide{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) wide[i][j] = k[i][j];
  return support::condition(wide);
}

struct Known {
  Collision c;
  RestitutionLaw law;
  Vector3 u;
};

// Solved by the same method in 64 bits of mantissa, with 16 nodes and a tail of 2e-10. The slips are 1e-17 to 6e-14 off
// a ray that turns them so slowly that rounding of the rates would do as much.
TEST(ExactReference, holds_its_bound_next_to_rays) {
  const std::array<Known, 3> contacts{
      {{{symmetric(0.89955635929257682, -4.9679647826279009e-16, -0.080275927550122889, 0.89955635929258326,
                   -0.11696736176357561, 0.92955850451904454),
         {-0.56586266499789672, -0.82449951143798628, -0.0012257257537500819},
         0.31228,
         0.23915},
        RestitutionLaw::energetic,
        {-0.56572766740150387, -0.8243028109677907, 0.00029313231400933208}},
       {{symmetric(0.92739404024926109, 0.0016832271630631279, 0, 0.89271040658362888, 0, 0.64217960517505868),
         {0.048360459707048838, -0.9988299484581562, -4.6872882058421299e-05},
         0.572491,
         0.173587},
        RestitutionLaw::kinetic,
        {0.0483583427576786, -0.99878622529168566, 8.1365229778751777e-06}},
       {{symmetric(0.51705618615506055, -2.2402926989859449e-05, -0.17718382474375077, 0.51708154030145448,
                   0.18243961343922882, 0.15410695345348635),
         {0.86385344918885154, 0.50374320672791639, -0.00063126583251247161},
         infinity,
         0.984067},
        RestitutionLaw::energetic,
        {0.85470639672918398, 0.49840924002040593, 0.00062120787400305041}}}};
  for (const Known& known : contacts) {
    const Outcome o = resolve_exact(known.c, known.law, unlimited);
    ASSERT_TRUE(o.ended);
    EXPECT_LE(distance(o.u, known.u), 4e-15 * condition_of(known.c.k) * length(known.c.u0));
  }
}

// Numbers of 16 bits, so that they keep all of them where they are subnormal.
double short_number(double x) {
  const int unit = std::ilogb(x) - 15;
  return std::scalbn(std::round(std::scalbn(x, -unit)), unit);
}

Vector3 scaled(const Vector3& v, int n) {
  return {std::scalbn(v[0], n), std::scalbn(v[1], n), std::scalbn(v[2], n)};
}

/// To 16 bits of the largest.
Collision short_numbers(Collision c) {
  const double of_k = 0x1p-15 * std::exp2(std::ilogb(trace(c.k))), of_u = 0x1p-15 * std::exp2(std::ilogb(length(c.u0)));
  for (Vector3& row : c.k)
    for (double& x : row) x = of_k * std::round(x / of_k);
  for (double& x : c.u0) x = of_u * std::round(x / of_u);
  c.step = short_number(c.step);
  return c;
}

/// K times 2^k, u0 times 2^u.
struct Units {
  int k, u;
};
constexpr std::array units{Units{0, -1050}, Units{-1050, 0}, Units{1000, 0}, Units{0, 1000}, Units{-1050, -1055}};

// Powers of two change no bit, but that the results are rounded where they are subnormal themselves.
TEST(References, give_the_same_collision_in_any_units) {
  for (const LawSample& sample : law_samples(300, 861)) {
    const Collision c = short_numbers(sample.c);
    if (!(c.u0[2] < 0)) continue;
    for (const Units& unit : units) {
      Collision d = c;
      for (Vector3& row : d.k) row = scaled(row, unit.k);
      d.u0 = scaled(c.u0, unit.u);
      const int of_p = unit.u - unit.k;
      const auto expect_same = [&](const auto& one, const auto& other, const char* name) {
        EXPECT_EQ(scaled(one.u, unit.u), other.u) << name << ' ' << unit.k << ' ' << unit.u;
        EXPECT_EQ(scaled(one.p, of_p), other.p) << name << ' ' << unit.k << ' ' << unit.u;
        EXPECT_EQ(one.path, other.path) << name << ' ' << unit.k << ' ' << unit.u;
      };
      for (RestitutionLaw law : {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic})
        expect_same(resolve_exact(c, law, unlimited), resolve_exact(d, law, unlimited), "exact");
      d.step = std::scalbn(c.step, of_p);
      // A step in these units may not have as many bits.
      if (std::scalbn(d.step, -of_p) == c.step) expect_same(resolve(c, unlimited), resolve(d, unlimited), "Euler");
      for (const Law law : laws_of_bodies) {
        if (law == Law::projected || law == Law::composite) continue;  // their candidate is an impulse
        expect_same(apply(law, c, sample.parameters), apply(law, d, sample.parameters), to_string(law).data());
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(References, give_the_same_planar_collision_in_any_units) {
  for (const planar::Case& sample : planar::draw(300, 871)) {
    planar::Collision c = sample.c;
    for (double* x : {&c.k_xx, &c.k_xy, &c.k_yy, &c.u0[0], &c.u0[1]})
      *x = static_cast<double>(static_cast<float>(0x1p-10 * std::round(0x1p10 * *x)));
    if (!(c.k_xx * c.k_yy > c.k_xy * c.k_xy && c.u0[1] < 0)) continue;
    for (const Units& unit : units) {
      planar::Collision d = c;
      for (double* x : {&d.k_xx, &d.k_xy, &d.k_yy}) *x = std::scalbn(*x, unit.k);
      for (double& x : d.u0) x = std::scalbn(x, unit.u);
      for (std::size_t i = 0; i < law_count; ++i) {
        const Law law = static_cast<Law>(i);
        if (law == Law::projected || law == Law::composite) continue;
        const planar::Outcome one = planar::resolve(c, law, sample.p), other = planar::resolve(d, law, sample.p);
        for (std::size_t j = 0; j < 2; ++j) {
          ASSERT_EQ(std::scalbn(one.u[j], unit.u), other.u[j]) << to_string(law) << ' ' << unit.k << ' ' << unit.u;
          ASSERT_EQ(std::scalbn(one.p[j], unit.u - unit.k), other.p[j])
              << to_string(law) << ' ' << unit.k << ' ' << unit.u;
        }
      }
    }
  }
}

}  // namespace
}  // namespace carom::reference
