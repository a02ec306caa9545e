// Compares the incremental law in 2D with known results from other sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "support/planar/random_contacts.hpp"

namespace carom::reference::planar {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

Outcome incremental(const Collision& c, RestitutionLaw law = RestitutionLaw::energetic) {
  return resolve(c, Law::incremental, {}, law);
}

double size(const Vector2& v) {
  return std::hypot(v[0], v[1]);
}

double distance(const Vector2& a, const Vector2& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1]);
}

// How much K⁻¹ enlarges an error of u0: the ratio of its eigenvalues.
double condition(const Collision& c) {
  const double mean = 0.5 * (c.k_xx + c.k_yy), radius = std::hypot(0.5 * (c.k_xx - c.k_yy), c.k_xy);
  return (mean + radius) * (mean + radius) / (c.k_xx * c.k_yy - c.k_xy * c.k_xy);
}

// The five values that are given for section 5 of [R], to the nine digits that they are given with. The inputs are
// rounded to as many, so the last of them is uncertain by 2.
TEST(PlanarIncremental, reproduces_the_values_of_the_source) {
  struct Row {
    double friction;
    Vector2 u0, p, u;
  };
  const Vector2 first{7.361928138, -2.522130662}, second{-2.941655574, -3.621704533};
  const Row rows[] = {{.5, first, {-.238304690, .476609381}, {4.955913429, 2.396024129}},
                      {.95, first, {-.474050820, .712709393}, {0, 3.544485887}},
                      {.8, first, {-.459030157, .668808601}, {0, 3.015644377}},
                      {.3, second, {-.046247432, .440637666}, {.400893292, 2.829996686}},
                      {.01, second, {.000771423, .445256749}, {1.955145029, 3.417426977}}};
  for (const Row& row : rows) {
    const Outcome o =
        incremental({31.98096582195349, 10.942292911704264, 15.79019385897896, row.u0, row.friction, .95});
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(o.p[i], row.p[i], 2e-9) << row.friction;
      EXPECT_NEAR(o.u[i], row.u[i], 2e-9) << row.friction;
    }
  }
}

TEST(PlanarIncremental, agrees_with_the_golden_set_and_its_paths) {
  const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "planar.csv");
  const auto column = [&](const char* name) { return table.numbers(name); };
  const auto kxx = column("k_xx"), kxy = column("k_xy"), kyy = column("k_yy"), x = column("u0_x"), y = column("u0_y"),
             mu = column("friction"), e = column("restitution"), ux = column("u_x"), uy = column("u_y"),
             px = column("p_x"), py = column("p_y");
  ASSERT_EQ(table.rows(), 600u);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const Collision c{kxx[i], kxy[i], kyy[i], {x[i], y[i]}, mu[i], e[i]};
    const Outcome o = incremental(c);
    // The golden values carry 1e-13 and their own K⁻¹; ours some ten roundings of each.
    const double relative = 1e-13 + 16 * epsilon * condition(c);
    EXPECT_LE(distance(o.u, {ux[i], uy[i]}), relative * size(c.u0)) << i;
    EXPECT_LE(distance(o.p, {px[i], py[i]}), relative * std::max(size(o.p), size(c.u0) / kyy[i])) << i;
    EXPECT_EQ(to_string(o.path), table.cell(i, table.find("path"))) << i;
  }
}

// The same collision in space, where K has no coupling out of the plane: an independent text, with the same courses.
TEST(PlanarIncremental, is_the_law_of_space_restricted_to_the_plane) {
  const support::RandomPlanarSpace<double> drawn(4000, 11);
  std::size_t paths = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    Collision c{drawn.k_xx[i],          drawn.k_xy[i],
                drawn.k_yy[i],          {drawn.u0_x[i], drawn.u0_y[i]},
                drawn.laws.friction[i], drawn.laws.restitution[i]};
    if (i % 7 == 0) c.friction = 0;
    if (i % 7 == 1) c.friction = infinity;
    if (i % 7 == 2) c.friction = 50;
    if (i % 5 == 0) c.restitution = 0;
    if (i % 5 == 1) c.restitution = 1;
    if (i % 11 == 0) c.u0[0] = 0;
    const reference::Collision space{{{{c.k_xx, 0, c.k_xy}, {0, 0.7 * c.k_xx, 0}, {c.k_xy, 0, c.k_yy}}},
                                     {c.u0[0], 0, c.u0[1]},
                                     c.friction,
                                     c.restitution,
                                     0};
    for (const RestitutionLaw law : {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic}) {
      const Outcome flat = incremental(c, law);
      const reference::Outcome solid = resolve_exact(space, law, 1 << 20, true);
      ASSERT_TRUE(solid.ended);
      // Some ten roundings in each, of terms that K⁻¹ enlarges.
      const double relative = 32 * epsilon * condition(c);
      EXPECT_LE(distance(flat.u, {solid.u[0], solid.u[2]}), relative * size(c.u0)) << i << to_string(flat.path);
      EXPECT_LE(distance(flat.p, {solid.p[0], solid.p[2]}), relative * (size(flat.p) + size(c.u0) / c.k_yy)) << i;
      const double work = size(c.u0) * size(c.u0) / c.k_yy;
      EXPECT_NEAR(flat.work_compression, solid.work_compression, relative * work) << i;
      EXPECT_NEAR(flat.work_decompression, solid.work_decompression, relative * work) << i;
      if (solid.boundary_distance < relative) continue;
      ++paths;
      EXPECT_EQ(to_string(flat.path), to_string(solid.path)) << i << ' ' << to_string(law);
    }
  }
  EXPECT_GT(paths, 10000u);
}

// u - u0 = K p, u·n >= 0, the friction cone, and each hypothesis about the end, from works or impulses of the outcome.
TEST(PlanarIncremental, keeps_its_own_equations) {
  const support::RandomPlanarSpace<double> drawn(100000, 12);
  for (std::size_t i = 0; i < 100000; ++i) {
    const Collision c{drawn.k_xx[i],          drawn.k_xy[i],
                      drawn.k_yy[i],          {drawn.u0_x[i], drawn.u0_y[i]},
                      drawn.laws.friction[i], drawn.laws.restitution[i]};
    const Outcome o = incremental(c);
    const double speed = size(c.u0) + (c.k_xx + c.k_yy) * size(o.p);
    const Vector2 u{c.u0[0] + c.k_xx * o.p[0] + c.k_xy * o.p[1], c.u0[1] + c.k_xy * o.p[0] + c.k_yy * o.p[1]};
    ASSERT_LE(distance(o.u, u), 1e-12 * speed) << i;
    ASSERT_GE(o.u[1], 0) << i;
    ASSERT_LE(std::abs(o.p[0]), c.friction * o.p[1] * (1 + 1e-12)) << i;
    const double e = c.restitution;
    ASSERT_NEAR(o.work_decompression, -e * e * o.work_compression, 1e-12 * -o.work_compression) << i;
    // Energy: [CR] 3.2.
    ASSERT_LE(0.5 * (o.p[0] * (c.u0[0] + o.u[0]) + o.p[1] * (c.u0[1] + o.u[1])), 1e-12 * speed * size(o.p)) << i;
    if (o.path.sliding_end == SlidingEnd::slide_end) {
      ASSERT_NEAR(o.u[1], -e * c.u0[1], 1e-12 * speed);
    }
    // Newton's by its definition, unless the slip ends faster than that.
    const Outcome newton = incremental(c, RestitutionLaw::kinematic);
    ASSERT_GE(newton.u[1], -e * c.u0[1] * (1 - 1e-12)) << i;
  }
}

// [CR] 3.5: with kinematic restitution a slip that stops in compression can end with more energy than it had. K and u0
// of the kind of a rod that comes down slanting: while it slides u_n rises slowly, from rest u_n has to rise by S p_n.
TEST(PlanarIncremental, gains_energy_with_kinematic_restitution_alone) {
  const support::RandomPlanarSpace<double> drawn(5000, 13);
  std::size_t gains = 0;
  for (std::size_t i = 0; i < 5000; ++i) {
    const Collision c{drawn.k_xx[i],          drawn.k_xy[i],
                      drawn.k_yy[i],          {drawn.u0_x[i], drawn.u0_y[i]},
                      drawn.laws.friction[i], drawn.laws.restitution[i]};
    for (const RestitutionLaw law : {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic}) {
      const Outcome o = incremental(c, law);
      const double gain = -margins(c, o.p).energy, scale = size(o.p) * size(c.u0);
      if (law == RestitutionLaw::kinematic)
        gains += gain > 1e-9 * scale ? 1u : 0u;
      else
        EXPECT_LE(gain, 1e-12 * scale * condition(c)) << i;
    }
  }
  EXPECT_GT(gains, 0u);
}

// Without rotation, [F] and [B] reduce to this: two bodies on a line, v = ((1 - e m_b/m_a) ...) from momentum and u =
// -e u0. Elastic equal masses exchange their velocities, inelastic ones move on together.
TEST(PlanarIncremental, resolves_two_bodies_on_a_line) {
  for (const auto& [e, va, vb] : {std::array{1.0, -2.0, 3.0}, std::array{0.0, 0.5, 0.5}}) {
    support::PlanarResultArrays<double> out(1);
    const double one = 1, zero = 0, fast = 3, slow = -2;
    carom::planar::Contacts<double> c;
    const auto all = [](const double& x) { return Column<const double>(&x, 1); };
    c.friction = all(one);
    c.restitution = all(e);
    // A flies in +x at 3 m/s towards B, which comes at -2: the normal, from B to A, is -x.
    const double minus = -1;
    c.normal = {all(minus), all(zero)};
    c.a = {all(one), all(one), {all(fast), all(zero)}, all(zero)};
    c.b = {all(one), all(one), {all(slow), all(zero)}, all(zero)};
    const double right = 0.5, left = -0.5;
    c.r_a = {all(right), all(zero)};
    c.r_b = {all(left), all(zero)};
    const Report report = solve(c, out.results());
    ASSERT_EQ(report.count(Status::ok), 1u);
    EXPECT_DOUBLE_EQ(out.numbers[out.va_x][0], va);
    EXPECT_DOUBLE_EQ(out.numbers[out.vb_x][0], vb);
    EXPECT_DOUBLE_EQ(out.numbers[out.va_y][0], 0);
    EXPECT_DOUBLE_EQ(out.numbers[out.wa][0], 0);
  }
}

// A rod on a hinge that strikes the ground, [CR] 3.4. About the hinge, at distance l along (c, s), its tip moves on a
// circle only, so that K → d dᵀ / J with d = (-s, c) l as the hinge's mass grows: along d is all that u has. There the
// impulse p_n alone would make u_n rise by d_n² p_n / J, friction by d_n d_t p_t / J; u·d is stopped by one equation:
// the tip's speed w = u·d / l² falls to 0 as p·d = -J w. With friction large enough it stays at rest: no bounce for
// energetic restitution, because nothing has come up out of the plane of sticking.
TEST(PlanarIncremental, of_a_pendulum_is_the_limit_of_a_heavy_hinge) {
  const double cosine = 0.6, sine = -0.8;  // down to the right
  const Vector2 d{-sine, cosine};
  const double w = -1;  // clockwise: the tip moves along -d = (-0.8, -0.6), down and to the left
  for (const double hinge : {1e-4, 1e-8, 1e-10}) {
    const Collision c{d[0] * d[0] + hinge, d[0] * d[1], d[1] * d[1] + hinge, {w * d[0], w * d[1]}, 0.3, 0.5};
    // Slipping to the left, friction pushes to the right: per p_n the tip's speed rises by d·(μ, 1) = 0.84. It stops
    // at p_n = 1 / 0.84, and as |K_xy| > μ K_xx there it lifts off along the other ray, (-μ, 1)·d = 0.36 per p_n.
    // Stronge: the normal work ½ v² d_n / (d·(∓μ, 1)) of both phases, so v = e sqrt(0.36 / 0.84).
    const Outcome o = incremental(c);
    const double compression = 1 / 0.84, v = 0.5 * std::sqrt(0.36 / 0.84);
    // The hinge yields by its own compliance, some `hinge` times impulses of order 1, and the remaining K is singular.
    const double tolerance = 10 * hinge + 64 * epsilon / hinge;
    EXPECT_NEAR(o.p[1], compression + v / 0.36, tolerance) << hinge;
    EXPECT_NEAR(o.p[0], 0.3 * compression - 0.3 * v / 0.36, tolerance) << hinge;
    EXPECT_NEAR(o.u[0] * d[0] + o.u[1] * d[1], v, tolerance) << hinge;
    EXPECT_NEAR(o.u[0] * d[1] - o.u[1] * d[0], 0, tolerance) << hinge;
    EXPECT_EQ(o.path.sticking, Sticking::diverge) << hinge;
    // With friction strong enough to hold it, μ >= d_n / d_t = 0.75, there is no rebound.
    Collision rough = c;
    rough.friction = 0.8;
    const Outcome dead = incremental(rough);
    EXPECT_NEAR(size(dead.u), 0, tolerance + std::sqrt(10 * hinge)) << hinge;
  }
}

}  // namespace
}  // namespace carom::reference::planar
