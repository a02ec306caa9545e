// Brach's law for contacts with almost no approach: P_I is then a tiny fraction of the impulse, and only the energy
// bound limits the ratios.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/contacts/encounter.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::condition;
using support::Draw;
using support::energy_at;
using support::RandomLaws;
using support::RandomPlanarSpace;
using support::RandomSpaceContacts;
using support::ResultArrays;
using support::trace;
using support::Wide;
using support::wide_at;
using support::WideMatrix;
using support::WideVector;

// An impulse is some ten operations away from its bounds. The bend of the energy along it is known to a few roundings
// times cond K, and with it the energy that comes back; the pair of |p_t| and p_z to roundings of |p|.
constexpr double roundings = 64;

constexpr double infinity = std::numeric_limits<double>::infinity();

SolverSetup options_of(Law law, Isa isa = Isa::automatic) {
  SolverSetup options;
  options.law = law;
  options.execution.isa = isa;
  options.execution.threads = 1;
  return options;
}

/// -u0_z from |u0| down to 1e-30 of it.
double approach(Draw& draw) {
  return std::exp(-35) * draw.log_uniform(35);
}

template <class T>
void choose_limits(std::vector<T>& friction, std::vector<T>& restitution) {
  for (std::size_t i = 0; i < friction.size(); ++i) {
    if (i % 9 == 0) friction[i] = T(0);
    if (i % 9 == 1) friction[i] = static_cast<T>(infinity);
    if (i % 9 == 2) friction[i] *= 100;
    if (i % 4 == 0) restitution[i] = T(1);
    if (i % 5 == 0) restitution[i] = T(0);
  }
}

void expect_permissible(const WideMatrix& k, const WideVector& u0, double friction, const WideVector& p,
                        double epsilon) {
  const Wide size = length(p), across = std::hypot(p[0], p[1]);
  const WideVector kp = k * p;
  const Wide gain = dot(p, u0) + dot(p, kp) / 2, bound = roundings * static_cast<Wide>(epsilon);
  EXPECT_LE(gain, bound * condition(k) * energy_at(k, u0));
  EXPECT_LE(friction > 1 ? across / friction - p[2] : across - friction * p[2], bound * size);
  EXPECT_GE(p[2], 0);
  EXPECT_GE(u0[2] + kp[2], -bound * (length(u0) + trace(k) * size));
}

template <class T>
class BrachGrazing : public testing::Test {
 protected:
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  /// The first are contacts that gained up to 10⁷ times their energy, pulled, or left the cone.
  struct InSpace {
    explicit InSpace(std::size_t n) : contacts(n, 811), laws(n, 812) {
      Draw draw(813);
      for (std::size_t i = 0; i < n; ++i) {
        auto& u0 = contacts.separation_velocity;
        if (i % 17 == 0) u0[0][i] = u0[1][i] = T(0);
        const double size = i % 17 == 0 ? 1 : std::hypot(u0[0][i], u0[1][i]);
        u0[2][i] = static_cast<T>(-size * approach(draw));
        const double ratio = draw.log_uniform(3);
        for (auto* r : {&laws.impulse_ratio_1, &laws.impulse_ratio_2}) (*r)[i] = static_cast<T>((*r)[i] * ratio);
        if (i % 10 == 3) laws.impulse_ratio_1[i] = T(0);
        if (i % 11 == 3) laws.impulse_ratio_2[i] = T(0);
      }
      choose_limits(contacts.friction, contacts.restitution);
      const auto set = [&](std::size_t i, const std::array<double, 6>& k, const std::array<double, 3>& u0,
                           const std::array<double, 4>& rest) {
        for (std::size_t j = 0; j < 6; ++j) contacts.k[j][i] = static_cast<T>(k[j]);
        for (std::size_t j = 0; j < 3; ++j) contacts.separation_velocity[j][i] = static_cast<T>(u0[j]);
        contacts.friction[i] = static_cast<T>(rest[0]);
        contacts.restitution[i] = static_cast<T>(rest[1]);
        laws.impulse_ratio_1[i] = static_cast<T>(rest[2]);
        laws.impulse_ratio_2[i] = static_cast<T>(rest[3]);
      };
      set(0, {6.690547, -0.60149115, -2.9717855, 0.63067204, -0.31060845, 2.4790661},
          {-1.298987, -2.2292798, -0.000187769023}, {2.2106235, 0.05260238, 6.8474903, 0.6505207});
      set(1, {1.1297470, -1.7480186, -0.3884171, 6.1387639, 2.6678474, 2.0311322},
          {-0.88240457, 2.1440425, -1.63798263e-07}, {0.92173696, 0.03520492, 5.0432963, -0.7426024});
    }

    void expect_permissible(const ResultArrays<T>& found) const {
      for (std::size_t i = 0; i < contacts.friction.size(); ++i) {
        ASSERT_EQ(found.status[i], Status::ok);
        EXPECT_GE(found.separation_velocity[2][i], 0);
        carom::expect_permissible(wide_at(contacts.k, i), wide_at(contacts.separation_velocity, i),
                                  contacts.friction[i], wide_at(found.impulse, i), epsilon);
        ASSERT_FALSE(testing::Test::HasFailure()) << "contact " << i;
      }
    }

    RandomSpaceContacts<T> contacts;
    RandomLaws<T> laws;
  };

  struct InThePlane {
    explicit InThePlane(std::size_t n) : contacts(n, 821) {
      Draw draw(823);
      auto& c = contacts;
      for (std::size_t i = 0; i < n; ++i) {
        if (i % 17 == 0) c.u0_x[i] = T(0);
        c.u0_y[i] = static_cast<T>(-(i % 17 == 0 ? 1 : std::abs(c.u0_x[i])) * approach(draw));
        c.laws.impulse_ratio[i] = static_cast<T>(c.laws.impulse_ratio[i] * draw.log_uniform(3));
      }
      choose_limits(c.laws.friction, c.laws.restitution);
      const auto set = [&](std::size_t i, const std::array<double, 8>& row) {
        std::size_t j = 0;
        for (auto* column : {&c.k_xx, &c.k_xy, &c.k_yy, &c.u0_x, &c.u0_y, &c.laws.friction, &c.laws.restitution,
                             &c.laws.impulse_ratio})
          (*column)[i] = static_cast<T>(row[j++]);
      };
      set(0, {0.6125879, -0.3608199, 0.71163162, -2.4729247, -1.9127409e-09, 2.4104523, 0.017667766, 2.4558462});
      set(1, {0.23469053, -0.13195102, 0.10137588, -1.5657111, -1.6584186e-15, 3.9783045, 0.01791044, 1.9330572});
      set(2, {0.78387517, 0.27463508, 0.32180557, 1.6303735, -4.074473e-08, 1.3951955, 0.67119032, 5.6545701});
    }

    template <class Found>
    void expect_permissible(const Found& found) const {
      for (std::size_t i = 0; i < contacts.k_xx.size(); ++i) {
        // With a third axis that takes no part, within the eigenvalues of the other two.
        const auto& c = contacts;
        const Wide between = (static_cast<Wide>(c.k_xx[i]) + c.k_yy[i]) / 2;
        const WideMatrix k{{{c.k_xx[i], 0, c.k_xy[i]}, {0, between, 0}, {c.k_xy[i], 0, c.k_yy[i]}}};
        ASSERT_EQ(found.status[i], Status::ok);
        carom::expect_permissible(k, {c.u0_x[i], 0, c.u0_y[i]}, c.laws.friction[i],
                                  {found.numbers[found.p_x][i], 0, found.numbers[found.p_y][i]}, epsilon);
        ASSERT_FALSE(testing::Test::HasFailure()) << "contact " << i;
      }
    }

    RandomPlanarSpace<T> contacts;
  };

  static constexpr std::size_t count = 8000;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BrachGrazing, Precisions);

TYPED_TEST(BrachGrazing, stays_in_the_permissible_region) {
  const typename TestFixture::InSpace drawn(TestFixture::count);
  auto c = drawn.contacts.space_contacts();
  drawn.laws.give(c.laws);
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(to_string(isa));
    ResultArrays<TypeParam> found(TestFixture::count, false);
    ConfiguredSolver(options_of(Law::brach, isa)).solve(c, found.results());
    drawn.expect_permissible(found);
  }
}

TYPED_TEST(BrachGrazing, stays_in_the_permissible_region_as_a_member_of_a_composite) {
  typename TestFixture::InSpace drawn(TestFixture::count);
  for (auto& weights : drawn.laws.weights) std::fill(weights.begin(), weights.end(), TypeParam(0));
  for (std::size_t i = 0; i < TestFixture::count; ++i) {
    drawn.laws.weights[6][i] = TypeParam(1);
    drawn.laws.weights[1][i] = static_cast<TypeParam>(i % 3);
  }
  auto c = drawn.contacts.space_contacts();
  drawn.laws.give(c.laws);
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(to_string(isa));
    ResultArrays<TypeParam> found(TestFixture::count, false);
    ConfiguredSolver(options_of(Law::composite, isa)).solve(c, found.results());
    drawn.expect_permissible(found);
  }
}

TYPED_TEST(BrachGrazing, stays_in_the_permissible_region_in_the_plane) {
  const typename TestFixture::InThePlane drawn(TestFixture::count);
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(to_string(isa));
    support::PlanarResultArrays<TypeParam> found(TestFixture::count, false);
    ConfiguredSolver(options_of(Law::brach, isa)).solve(drawn.contacts.view(), found.results());
    drawn.expect_permissible(found);
  }
}

class BrachGrazingReference : public BrachGrazing<double> {};

TEST_F(BrachGrazingReference, stays_in_the_permissible_region) {
  const InSpace drawn(count);
  auto c = drawn.contacts.space_contacts();
  drawn.laws.give(c.laws);
  ResultArrays<double> found(count, false);
  solve_by_reference(c, found.results(), options_of(Law::brach));
  drawn.expect_permissible(found);
}

TEST_F(BrachGrazingReference, stays_in_the_permissible_region_in_the_plane) {
  const InThePlane drawn(count);
  support::PlanarResultArrays<double> found(count, false);
  solve_by_reference(drawn.contacts.view(), found.results(), options_of(Law::brach));
  drawn.expect_permissible(found);
}

// The lanes find the same point on the bounds, up to a few rounding errors times cond K.
TYPED_TEST(BrachGrazing, agrees_with_the_reference) {
  const typename TestFixture::InSpace drawn(TestFixture::count);
  const auto& contacts = drawn.contacts;
  auto c = contacts.space_contacts();
  drawn.laws.give(c.laws);
  for (const Isa isa : available_isas()) {
    ResultArrays<TypeParam> found(TestFixture::count, false);
    ConfiguredSolver(options_of(Law::brach, isa)).solve(c, found.results());
    for (std::size_t i = 0; i < TestFixture::count; ++i) {
      reference::Collision one;
      const WideMatrix k = wide_at(contacts.k, i);
      for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t j = 0; j < 3; ++j) one.k[row][j] = static_cast<double>(k[row][j]);
        one.u0[row] = contacts.separation_velocity[row][i];
      }
      one.friction = contacts.friction[i];
      one.restitution = contacts.restitution[i];
      reference::LawParameters parameters;
      parameters.impulse_ratio_1 = drawn.laws.impulse_ratio_1[i];
      parameters.impulse_ratio_2 = drawn.laws.impulse_ratio_2[i];
      const reference::Vector3 p = reference::apply(Law::brach, one, parameters).p;
      const double size =
          std::hypot(p[0], p[1], p[2]) + std::hypot(one.u0[0], one.u0[1], one.u0[2]) / static_cast<double>(trace(k));
      for (std::size_t j = 0; j < 3; ++j)
        ASSERT_NEAR(found.impulse[j][i], p[j], roundings * TestFixture::epsilon * condition(k) * size)
            << to_string(isa) << ", contact " << i;
    }
  }
}

}  // namespace
}  // namespace carom
