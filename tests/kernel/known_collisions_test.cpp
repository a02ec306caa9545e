// Collisions whose numbers follow from a few lines of arithmetic, on every ISA and under every law that has a say in
// them.
//
// [R] the reworked version of B. Mirtich's frictional collision algorithm. [F] R. Fotino, 2D Rigid Body Collision
// Response. [B] M. J. Baker, Physics - Dynamics - Collision response. [CR] A. Chatterjee, A. Ruina, A New Algebraic
// Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "random/draw.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::RandomSpaceContacts;
using support::ResultArrays;

template <class T>
class Known : public testing::Test {
 protected:
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Known, Precisions);

SolverSetup under(Law law, Isa isa, RestitutionLaw restitution = RestitutionLaw::energetic) {
  SolverSetup options;
  options.law = law;
  options.execution.isa = isa;
  options.restitution_law = restitution;
  options.execution.threads = 1;
  return options;
}

constexpr std::array restitution_laws{RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic};
constexpr std::array laws_of_both{Law::incremental, Law::frictionless, Law::no_slip, Law::chatterjee_ruina,
                                  Law::bilinear,    Law::whittaker,    Law::smith,   Law::anitescu_potra,
                                  Law::brach};

/// One body on the x axis, at 3 m/s and 2 kg, meets another, at -1 m/s and 6 kg.
template <class T>
struct Line {
  T friction = T(0.5), restitution, zero = 0;
  T inverse_mass[2] = {T(1) / 2, T(1) / 6}, velocity[2] = {3, -1}, minus_one = -1;
  T tangential_restitution = T(0.25);

  template <class AnyContacts>
  AnyContacts contacts() const {
    const auto one = [](const T& x) { return Column<const T>(&x, 1); };
    constexpr bool flat = !requires(AnyContacts c) {
      c.normal.z;
    };
    const auto vector = [&](const T& x) {
      if constexpr (flat)
        return planar::Vector2Columns<const T>{one(x), one(zero)};
      else
        return Vector3Columns<const T>{one(x), one(zero), one(zero)};
    };
    const auto scalar = [&] {
      if constexpr (flat)
        return one(zero);
      else
        return Vector3Columns<const T>{one(zero), one(zero), one(zero)};
    };
    const auto inertia = [&] {
      if constexpr (flat)
        return one(zero);
      else
        return SymmetricColumns<const T>{one(zero), one(zero), one(zero), one(zero), one(zero), one(zero)};
    };
    AnyContacts c;
    c.friction = one(friction);
    c.restitution = one(restitution);
    c.laws.tangential_restitution = one(tangential_restitution);
    c.laws.impulse_ratio_1 = c.laws.impulse_ratio_2 = one(zero);
    c.normal = vector(minus_one);
    c.a = {one(inverse_mass[0]), inertia(), vector(velocity[0]), scalar()};
    c.b = {one(inverse_mass[1]), inertia(), vector(velocity[1]), scalar()};
    c.r_a = c.r_b = vector(zero);
    return c;
  }
};

// [F], [B]: m_a v_a + m_b v_b is kept and v_b - v_a = e (3 + 1). Elastic: v = (-3, 1) with the energy as it was; e =
// 1/2: v = (-1.5, .5); inelastic: v = 0 for both, and all energy is lost.
TYPED_TEST(Known, bodies_on_a_line_rebound_as_momentum_and_restitution_say) {
  using T = TypeParam;
  for (const auto& [e, a, b] : {std::array{0.0, 0.0, 0.0}, std::array{0.5, -1.5, 0.5}, std::array{1.0, -3.0, 1.0}}) {
    Line<T> line;
    line.restitution = static_cast<T>(e);
    // Some eight roundings of velocities up to 4.
    const double bound = 32 * TestFixture::epsilon;
    for (const Isa isa : available_isas())
      for (const Law law : laws_of_both)
        for (const RestitutionLaw restitution : restitution_laws) {
          ConfiguredSolver solver(under(law, isa, restitution));
          ResultArrays<T> space(1);
          T flat[2] = {};
          planar::Results<T> in_plane;
          in_plane.velocity_a.x = {&flat[0], 1};
          in_plane.velocity_b.x = {&flat[1], 1};
          ASSERT_EQ(solver.solve(line.template contacts<Contacts<T>>(), space.results()).count(Status::ok), 1u);
          solver.solve(line.template contacts<planar::Contacts<T>>(), in_plane);
          for (const auto& [v_a, v_b] :
               {std::pair{space.velocity_a[0][0], space.velocity_b[0][0]}, std::pair{flat[0], flat[1]}}) {
            EXPECT_NEAR(static_cast<double>(v_a), a, bound) << to_string(law) << ' ' << to_string(isa);
            EXPECT_NEAR(static_cast<double>(v_b), b, bound) << to_string(law) << ' ' << to_string(isa);
          }
        }
  }
}

// Solid spheres on a floor: M = 3.5/m and k = 0, so friction keeps the direction of the slip, for any slip, and has the
// impulse min(μ p_z, m |u0_t| / 3.5). All hypotheses of restitution agree, and so do Whittaker's law and the two
// phases.
TYPED_TEST(Known, spheres_follow_their_closed_form_in_any_direction) {
  using T = TypeParam;
  constexpr std::size_t n = 20'000;
  RandomSpaceContacts<T> drawn(n, 61);
  support::Draw draw(62);
  for (std::size_t i = 0; i < n; ++i) {
    const T inverse_mass = static_cast<T>(draw.log_uniform(2));
    drawn.k[0][i] = drawn.k[3][i] = T(3.5) * inverse_mass;
    drawn.k[5][i] = inverse_mass;
    drawn.k[1][i] = drawn.k[2][i] = drawn.k[4][i] = 0;
    if (i % 100 == 0) drawn.friction[i] = std::numeric_limits<T>::infinity();
  }
  for (const Isa isa : available_isas())
    for (const Law law : {Law::incremental, Law::whittaker, Law::anitescu_potra})
      for (const RestitutionLaw restitution : restitution_laws) {
        ResultArrays<T> found(n, false);
        const Report report =
            ConfiguredSolver(under(law, isa, restitution)).solve(drawn.space_contacts(), found.results());
        ASSERT_EQ(report.count(Status::ok), n);
        // Closed form, without integration.
        EXPECT_EQ(report.sliding_steps, 0u) << to_string(law) << ' ' << to_string(isa);
        for (std::size_t i = 0; i < n; ++i) {
          const auto u0 = [&](std::size_t c) { return static_cast<double>(drawn.separation_velocity[c][i]); };
          const double m = 1 / static_cast<double>(drawn.k[5][i]), slip = std::hypot(u0(0), u0(1));
          const double normal = -(1 + static_cast<double>(drawn.restitution[i])) * u0(2) * m;
          const double stopping = static_cast<double>(m) * slip / 3.5;
          const double tangential = std::min(static_cast<double>(drawn.friction[i]) * normal, stopping);
          // Some 16 roundings, of impulses no larger than these.
          const double bound = 16 * TestFixture::epsilon * (normal + stopping);
          const auto p = [&](std::size_t c) { return static_cast<double>(found.impulse[c][i]); };
          ASSERT_NEAR(p(0), -tangential * u0(0) / slip, bound) << i << ' ' << to_string(law) << ' ' << to_string(isa);
          ASSERT_NEAR(p(1), -tangential * u0(1) / slip, bound) << i << ' ' << to_string(law) << ' ' << to_string(isa);
          ASSERT_NEAR(p(2), normal, bound) << i << ' ' << to_string(law) << ' ' << to_string(isa);
        }
      }
}

// K of a sphere with rounding errors, or of a body that is nearly a sphere: hardly anything turns the slip, and the
// turning is of the order of rounding errors.
TYPED_TEST(Known, bodies_that_are_nearly_spheres_slide_as_the_exact_reference_has_it) {
  using T = TypeParam;
  constexpr std::size_t n = 20'000;
  RandomSpaceContacts<T> drawn(n, 63);
  RandomSpaceContacts<double> wide(n, 63);
  support::Draw draw(64);
  const auto set = [](std::vector<T>& column, std::vector<double>& same, std::size_t i, double x) {
    column[i] = static_cast<T>(x);
    same[i] = static_cast<double>(column[i]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto tiny = [&] { return std::pow(10, -draw.uniform(1, 18)); };
    const double k[6] = {1,          draw.below(2) == 0 ? 0.3 * tiny() : 0, draw.below(2) == 0 ? tiny() : 0,
                         1 + tiny(), draw.below(4) == 0 ? tiny() : 0,       draw.uniform(0.25, 3)};
    for (std::size_t j = 0; j < 6; ++j) set(drawn.k[j], wide.k[j], i, k[j]);
    for (std::size_t j = 0; j < 3; ++j)
      set(drawn.separation_velocity[j], wide.separation_velocity[j], i, wide.separation_velocity[j][i]);
    set(drawn.friction, wide.friction, i, wide.friction[i]);
    set(drawn.restitution, wide.restitution, i, wide.restitution[i]);
  }
  ResultArrays<double> expected(n, false);
  reference::solve(wide.space_contacts(), expected.results());
  for (const Isa isa : available_isas()) {
    ResultArrays<T> found(n, false);
    ASSERT_EQ(ConfiguredSolver(under(Law::incremental, isa)).solve(drawn.space_contacts(), found.results()).faults(),
              0u);
    for (std::size_t i = 0; i < n; ++i) {
      double difference = 0, speed = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        difference = std::max(difference, std::abs(static_cast<double>(found.separation_velocity[j][i]) -
                                                   expected.separation_velocity[j][i]));
        speed += std::abs(wide.separation_velocity[j][i]);
      }
      // Some 16 roundings of terms up to (1 + e) times the first velocity, enlarged by a condition of 5 at most.
      ASSERT_LE(difference, 16 * 5 * TestFixture::epsilon * speed) << i << ' ' << to_string(isa);
    }
  }
}

/// The impulse along tangent and normal in 2D, and in 3D without coupling to the second tangent.
template <class T>
std::array<std::array<double, 2>, 2> impulses(std::array<double, 3> k, std::array<double, 2> u0, double friction,
                                              double restitution, const SolverSetup& options) {
  const auto number = [](double x) { return static_cast<T>(x); };
  const T xx = number(k[0]), xn = number(k[1]), nn = number(k[2]), other = number(0.75), zero = 0, t = number(u0[0]),
          n = number(u0[1]), mu = number(friction), e = number(restitution);
  const auto one = [](const T& x) { return Column<const T>(&x, 1); };
  planar::KContacts<T> flat;
  flat.k.xx = one(xx);
  flat.k.xy = one(xn);
  flat.k.yy = one(nn);
  flat.separation_velocity = {one(t), one(n)};
  KContacts<T> space;
  space.k = {one(xx), one(zero), one(xn), one(other), one(zero), one(nn)};
  space.separation_velocity = {one(t), one(zero), one(n)};
  flat.friction = space.friction = one(mu);
  flat.restitution = space.restitution = one(e);
  flat.laws.tangential_restitution = space.laws.tangential_restitution = one(zero);
  T p[4] = {};
  planar::Results<T> in_plane;
  in_plane.impulse = {{&p[0], 1}, {&p[1], 1}};
  Results<T> in_space;
  in_space.impulse.x = {&p[2], 1};
  in_space.impulse.z = {&p[3], 1};
  ConfiguredSolver solver(options);
  EXPECT_EQ(solver.solve(flat, in_plane).faults(), 0u);
  EXPECT_EQ(solver.solve(space, in_space).faults(), 0u);
  const auto wide = [&](std::size_t i) { return static_cast<double>(p[i]); };
  return {{{wide(0), wide(1)}, {wide(2), wide(3)}}};
}

// The five values given for [R] section 5, to the nine digits that they are given with; their inputs are rounded to as
// many, which makes the last one uncertain by 2.
TYPED_TEST(Known, planar_collisions_have_the_values_of_their_source) {
  using T = TypeParam;
  struct Row {
    double friction;
    std::array<double, 2> u0, p;
  };
  const std::array<double, 2> first{7.361928138, -2.522130662}, second{-2.941655574, -3.621704533};
  const double bound = std::max(2e-9, 64 * TestFixture::epsilon);
  for (const Row& row : {Row{.5, first, {-.238304690, .476609381}}, Row{.95, first, {-.474050820, .712709393}},
                         Row{.8, first, {-.459030157, .668808601}}, Row{.3, second, {-.046247432, .440637666}},
                         Row{.01, second, {.000771423, .445256749}}})
    for (const Isa isa : available_isas())
      for (const auto& p : impulses<T>({31.98096582195349, 10.942292911704264, 15.79019385897896}, row.u0, row.friction,
                                       .95, under(Law::incremental, isa)))
        for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(p[c], row.p[c], bound) << row.friction << ' ' << to_string(isa);
}

// [CR] 3.4. K = (1 -.6; -.6 .6), u0 = (-1, -0), μ = 1.6. The slide goes along K (1.6, 1) = (1, -.36) until p_n = 1 and
// presses the bodies together at .36; sticking, u_n rises by det K / K_tt = .24 per p_n and ends compression at
// P_II = (2.5, 2.5) after work -.18 - .27 = -.45. Kinetic restitution then gives 2.5 e more; energetic s with
// .12 s² = .45 e². Kinematic restitution returns nothing, and neither do laws that depend only on u0_n.
TYPED_TEST(Known, grazing_friction_that_presses_the_bodies_together_rebounds_but_by_newtons_law) {
  using T = TypeParam;
  const double e = 0.5, approach = 1e-9;
  // The effect of the approach, some ten times as large, and rounding: 16 times the condition of K, 8.6.
  const double bound = 10 * approach + 16 * 8.6 * TestFixture::epsilon * 4;
  const auto expect = [&](double more, Law law, RestitutionLaw restitution) {
    for (const Isa isa : available_isas())
      for (const auto& p : impulses<T>({1, -.6, .6}, {-1, -approach}, 1.6, e, under(law, isa, restitution))) {
        EXPECT_NEAR(p[0], 2.5 + .6 * more, bound) << to_string(law) << ' ' << to_string(restitution);
        EXPECT_NEAR(p[1], 2.5 + more, bound) << to_string(law) << ' ' << to_string(restitution);
      }
  };
  expect(2.5 * e, Law::incremental, RestitutionLaw::kinetic);
  expect(std::sqrt(.45 / .12) * e, Law::incremental, RestitutionLaw::energetic);
  expect(0, Law::incremental, RestitutionLaw::kinematic);
  expect(2.5 * e, Law::anitescu_potra, RestitutionLaw::energetic);
  expect(0, Law::whittaker, RestitutionLaw::energetic);
  expect(0, Law::chatterjee_ruina, RestitutionLaw::energetic);
}

// [CR] 3.4. K = (2 1; 1 1), K⁻¹ = (1 -1; -1 2), u0 = (-4, -1), e = 0: P_II = (3, -2) would have to pull, so that even
// with infinite friction no collision ends dead. The slide, along (1, 0) per p_t, ends compression at p = (1, 0).
TYPED_TEST(Known, infinite_friction_need_not_stop_the_bodies) {
  using T = TypeParam;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Isa isa : available_isas()) {
    for (const Law law : {Law::incremental, Law::chatterjee_ruina, Law::whittaker, Law::anitescu_potra})
      for (const auto& p : impulses<T>({2, 1, 1}, {-4, -1}, infinity, 0, under(law, isa))) {
        EXPECT_NEAR(p[0], 1, 64 * TestFixture::epsilon) << to_string(law) << ' ' << to_string(isa);
        EXPECT_NEAR(p[1], 0, 64 * TestFixture::epsilon) << to_string(law) << ' ' << to_string(isa);
      }
    for (const auto& p : impulses<T>({2, 1, 1}, {-4, -1}, infinity, 0, under(Law::no_slip, isa))) {
      EXPECT_NEAR(p[0], 3, 64 * TestFixture::epsilon) << to_string(isa);
      EXPECT_NEAR(p[1], -2, 64 * TestFixture::epsilon) << to_string(isa);
    }
  }
}

// Smith's friction without bound, p_t = -μ p_z m, leaves m = 0: u_t = -u0_t, unless that pulls. Here, with
// K = (2 .3 .4; .3 1.5 -.2; .4 -.2 1) and u0 = (1, .5, -1), K p = (-2, -1, 1.5) has p_z = 2.03.
TYPED_TEST(Known, infinite_friction_reverses_the_slip_under_smiths_law) {
  using T = TypeParam;
  const T k[6] = {2, T(0.3), T(0.4), T(1.5), T(-0.2), 1}, u0[3] = {1, T(0.5), -1}, e = T(0.5),
          infinity = std::numeric_limits<T>::infinity();
  const auto one = [](const T& x) { return Column<const T>(&x, 1); };
  KContacts<T> c;
  c.k = {one(k[0]), one(k[1]), one(k[2]), one(k[3]), one(k[4]), one(k[5])};
  c.separation_velocity = {one(u0[0]), one(u0[1]), one(u0[2])};
  c.friction = one(infinity);
  c.restitution = one(e);
  for (const Isa isa : available_isas()) {
    ResultArrays<T> found(1, false);
    EXPECT_EQ(ConfiguredSolver(under(Law::smith, isa)).solve(c, found.results()).count(Status::ok), 1u)
        << to_string(isa);
    const double expected[3] = {-1, -0.5, 0.5};
    // Some 64 roundings of velocities up to 2.
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(static_cast<double>(found.separation_velocity[j][0]), expected[j], 128 * TestFixture::epsilon)
          << to_string(isa);
    EXPECT_GT(found.impulse[2][0], 2) << to_string(isa);
  }
}

// [CR] 3.4: a pendulum's tip moves only along d = (.8, .6): K = d dᵀ + hinge, where `hinge` is the inverse mass that
// models the hinge, and u0 = -d. Friction μ = .3 to the right: along (μ, 1)·d = .84 per p_n it stops at p_n = 1/.84.
// There |K_tn| > μ K_tt, so it lifts off along the other ray, by (-μ, 1)·d = .36 per p_n, up to v = e sqrt(.36/.84),
// since the normal's work is ½ v² d_n / (d·(∓μ, 1)).
TYPED_TEST(Known, a_pendulum_is_the_limit_of_a_heavy_hinge_in_a_matrix_of_the_users) {
  using T = TypeParam;
  const bool narrow = sizeof(T) == sizeof(float);
  for (const double hinge : narrow ? std::vector{1e-2, 1e-3, 1e-4} : std::vector{1e-4, 1e-8, 1e-10}) {
    const double compression = 1 / .84, v = .5 * std::sqrt(.36 / .84);
    // The hinge yields by its own compliance, and the remaining K is nearly singular.
    const double bound = 10 * hinge + 16 * TestFixture::epsilon / hinge;
    for (const Isa isa : available_isas())
      for (const auto& p : impulses<T>({.64 + hinge, .48, .36 + hinge}, {-.8, -.6}, .3, .5,
                                       under(Law::incremental, isa, RestitutionLaw::energetic))) {
        EXPECT_NEAR(p[1], compression + v / .36, bound) << hinge << ' ' << to_string(isa);
        EXPECT_NEAR(p[0], .3 * compression - .3 * v / .36, bound) << hinge << ' ' << to_string(isa);
      }
  }
}

// K is singular if the hinge does not yield. The laws of free contacts do not determine how friction shares the load
// with a bearing, so this is a fault.
TYPED_TEST(Known, a_pendulum_without_a_hinge_that_gives_way_is_a_fault) {
  using T = TypeParam;
  const T xx = 4, xn = 2, nn = 1, t = -2, n = -1, half = T(0.5);
  const auto one = [](const T& x) { return Column<const T>(&x, 1); };
  planar::KContacts<T> c;
  c.k.xx = one(xx);
  c.k.xy = one(xn);
  c.k.yy = one(nn);
  c.separation_velocity = {one(t), one(n)};
  c.friction = c.restitution = one(half);
  for (const Isa isa : available_isas())
    EXPECT_EQ(ConfiguredSolver(under(Law::incremental, isa))
                  .solve(c, planar::Results<T>{})
                  .count(Status::collision_matrix_not_positive_definite),
              1u);
}

}  // namespace
}  // namespace carom
