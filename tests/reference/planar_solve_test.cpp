// The planar reference on batches: bodies, statuses, reports.
#include <gtest/gtest.h>

#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "support/planar/faults.hpp"

namespace carom::reference::planar {
namespace {

using support::PlanarFaultBatch;
using support::PlanarResultArrays;
using support::RandomPlanarBodies;
using Results = PlanarResultArrays<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Options with(Law law) {
  Options options;
  options.law = law;
  return options;
}

// Momentum and the definition of u hold under every law.
TEST(PlanarReferenceSolve, conserves_momentum_about_any_point_and_changes_u_by_k_p) {
  constexpr std::size_t n = 2000;
  const RandomPlanarBodies<double> drawn(n, 31);
  for (std::size_t l = 0; l < law_count; ++l) {
    Results out(n);
    const Report report =
        solve(select(drawn.inline_contacts(), with(static_cast<Law>(l))), out.results(), with(static_cast<Law>(l)));
    ASSERT_EQ(report.count(Status::ok), n) << l;
    const auto& r = out.numbers;
    for (std::size_t i = 0; i < n; ++i) {
      const double px = r[Results::p_x][i], py = r[Results::p_y][i];
      const auto expect_body = [&](const support::PlanarBodyArrays<double>& body, double side, double rx, double ry,
                                   std::size_t vx, std::size_t vy, std::size_t w) {
        const double size = std::hypot(px, py);
        const double m = body.inverse_mass[i], j = body.inverse_inertia[i];
        EXPECT_NEAR(r[vx][i], body.velocity_x[i] + side * m * px,
                    4 * epsilon * (std::abs(body.velocity_x[i]) + m * size));
        EXPECT_NEAR(r[vy][i], body.velocity_y[i] + side * m * py,
                    4 * epsilon * (std::abs(body.velocity_y[i]) + m * size));
        EXPECT_NEAR(r[w][i], body.angular_velocity[i] + side * j * (rx * py - ry * px),
                    8 * epsilon * (std::abs(body.angular_velocity[i]) + j * size * std::hypot(rx, ry)));
      };
      const double ax = drawn.r_a_x[i], ay = drawn.r_a_y[i], bx = drawn.r_b_x[i], by = drawn.r_b_y[i];
      expect_body(drawn.a, 1, ax, ay, Results::va_x, Results::va_y, Results::wa);
      expect_body(drawn.b, -1, bx, by, Results::vb_x, Results::vb_y, Results::wb);
      // u from the new velocities, of terms up to a hundred times as large as u.
      const double ux = r[Results::va_x][i] - r[Results::wa][i] * ay - r[Results::vb_x][i] + r[Results::wb][i] * by;
      const double uy = r[Results::va_y][i] + r[Results::wa][i] * ax - r[Results::vb_y][i] - r[Results::wb][i] * bx;
      const double size = std::abs(ux) + std::abs(uy) + 100;
      EXPECT_NEAR(r[Results::u_x][i], ux, 64 * epsilon * size) << i << ' ' << l;
      EXPECT_NEAR(r[Results::u_y][i], uy, 64 * epsilon * size) << i << ' ' << l;
    }
  }
}

// The indexed form of the same numbers gives the same bits.
TEST(PlanarReferenceSolve, indexed_bodies_are_the_inline_ones) {
  constexpr std::size_t n = 500;
  const RandomPlanarBodies<double> drawn(n, 32, 40);
  Results one(n), other(n);
  const Report first = solve(select(drawn.inline_contacts(), {}), one.results());
  const Report second = solve(select(drawn.indexed_contacts(), {}), other.results());
  EXPECT_EQ(first.by_path, second.by_path);
  EXPECT_EQ(one.numbers, other.numbers);
  EXPECT_EQ(one.status, other.status);
}

// Rotating the world rotates the results: the tangent is (n_y, -n_x), angles are anticlockwise. The parameter of the
// projected law is in the frame of the results.
TEST(PlanarReferenceSolve, turns_with_the_world) {
  constexpr std::size_t n = 300;
  const RandomPlanarBodies<double> drawn(n, 33);
  RandomPlanarBodies<double> turned = drawn;
  // By 90 degrees, exactly: (x, y) to (-y, x).
  const auto turn = [](std::vector<double>& x, std::vector<double>& y) {
    std::swap(x, y);
    for (double& v : x) v = -v;
  };
  turn(turned.normal_x, turned.normal_y);
  turn(turned.r_a_x, turned.r_a_y);
  turn(turned.r_b_x, turned.r_b_y);
  for (auto* body : {&turned.a, &turned.b}) turn(body->velocity_x, body->velocity_y);
  turn(turned.laws.candidate_x, turned.laws.candidate_y);
  for (const Law law : {Law::incremental, Law::projected, Law::polar, Law::brach}) {
    Results one(n), other(n);
    solve(select(drawn.inline_contacts(), with(law)), one.results(), with(law));
    solve(select(turned.inline_contacts(), with(law)), other.results(), with(law));
    for (std::size_t i = 0; i < n; ++i) {
      const double size = 1e-12 * (1 + std::hypot(one.numbers[0][i], one.numbers[1][i]));
      EXPECT_NEAR(other.numbers[Results::p_x][i], -one.numbers[Results::p_y][i], size) << i << to_string(law);
      EXPECT_NEAR(other.numbers[Results::p_y][i], one.numbers[Results::p_x][i], size) << i << to_string(law);
      EXPECT_NEAR(other.numbers[Results::wa][i], one.numbers[Results::wa][i], 1e3 * size) << i << to_string(law);
    }
  }
}

template <class AnyContacts>
void expect_fault(const support::PlanarFault<double>& fault, const PlanarFaultBatch<double>& batch,
                  const AnyContacts& contacts) {
  SCOPED_TRACE(std::string(to_string(fault.status)) + " of " + std::string(to_string(fault.law)));
  Results out(3);
  for (auto& column : out.numbers) column.assign(3, 7);
  const Report report = solve(contacts, out.results());
  EXPECT_EQ(out.status[1], fault.status) << to_string(out.status[1]);
  EXPECT_EQ(out.status[0], Status::ok);
  EXPECT_EQ(out.status[2], Status::ok);
  EXPECT_EQ(report.count(fault.status), 1u);
  EXPECT_EQ(out.path[1], Path{});
  EXPECT_EQ(out.numbers[Results::p_x][1], 0);
  EXPECT_EQ(out.numbers[Results::p_y][1], 0);
  EXPECT_EQ(out.numbers[Results::va_x][1], batch.bodies.a.velocity_x[1]);
  EXPECT_EQ(out.numbers[Results::va_y][1], batch.bodies.a.velocity_y[1]);
  EXPECT_EQ(out.numbers[Results::vb_y][1], batch.bodies.b.velocity_y[1]);
}

TEST(PlanarReferenceSolve, names_every_fault_and_touches_nothing) {
  for (const auto& faults : {support::planar_law_faults<double>(), support::planar_body_faults<double>()}) {
    for (const auto& fault : faults) {
      PlanarFaultBatch<double> batch(3, fault.law);
      fault.spoil(batch, 1);
      expect_fault(fault, batch, batch.inline_contacts());
      expect_fault(fault, batch, batch.indexed_contacts());
    }
  }
}

TEST(PlanarReferenceSolve, names_wrong_indices) {
  const auto status_of = [](std::int32_t a, std::int32_t b) {
    PlanarFaultBatch<double> batch(3, Law::incremental);
    batch.bodies.body_a[1] = a;
    batch.bodies.body_b[1] = b;
    Results out(3);
    solve(batch.indexed_contacts(), out.results());
    EXPECT_EQ(out.status[0], Status::ok);
    EXPECT_EQ(out.numbers[Results::p_y][1], 0);
    return out.status[1];
  };
  EXPECT_EQ(status_of(6, 0), Status::body_index_out_of_range);
  EXPECT_EQ(status_of(0, -2), Status::body_index_out_of_range);
  EXPECT_EQ(status_of(4, 4), Status::same_body);
  EXPECT_EQ(status_of(-1, -1), Status::both_immovable);
}

// If a contact has several faults, the first one in Status is reported. Columns that the law does not read cause no
// faults.
TEST(PlanarReferenceSolve, ranks_faults_and_ignores_what_is_not_read) {
  PlanarFaultBatch<double> batch(3, Law::frictionless);
  auto& laws = batch.bodies.laws;
  laws.tangential_restitution[1] = laws.impulse_ratio[1] = laws.polar_angle[1] = std::nan("");
  laws.weights[0][1] = -1;
  Results out(3);
  solve(batch.inline_contacts(), out.results());
  EXPECT_EQ(out.status[1], Status::ok);
  // A composite reads only the parameters of components with a weight.
  laws.law[1] = Law::composite;
  for (auto& weight : laws.weights) weight[1] = 0;
  laws.weights[1][1] = 1;
  solve(batch.inline_contacts(), out.results());
  EXPECT_EQ(out.status[1], Status::ok);
  laws.weights[7][1] = 1;
  solve(batch.inline_contacts(), out.results());
  EXPECT_EQ(out.status[1], Status::not_a_number);
  laws.friction[1] = -1;
  laws.impulse_ratio[1] = 0;
  laws.weights[9][1] = -1;
  solve(batch.inline_contacts(), out.results());
  EXPECT_EQ(out.status[1], Status::negative_friction);
}

TEST(PlanarReferenceSolve, leaves_separating_contacts_alone) {
  PlanarFaultBatch<double> batch(3, Law::incremental);
  batch.bodies.a.velocity_y[1] = 4;
  Results out(3);
  const Report report = solve(batch.inline_contacts(), out.results());
  EXPECT_EQ(out.status[1], Status::separating);
  EXPECT_EQ(to_string(out.path[1]), "separating");
  EXPECT_EQ(report.count(Status::separating), 1u);
  EXPECT_EQ(out.numbers[Results::va_y][1], 4);
}

TEST(PlanarReferenceSolve, reports_the_max_energy_gain) {
  // The example of reference_planar_laws_test: 2.1316 J by Whittaker's law.
  const std::vector<double> one(3, 1.0), coupling{0, .9, 0}, x{1, -.9, 1}, y(3, -1.0), mu(3, .8);
  carom::planar::KContacts<double> c;
  c.k.xx = c.k.yy = one;
  c.k.xy = coupling;
  c.separation_velocity = {x, y};
  c.friction = mu;
  c.restitution = one;
  Results out(3, false);
  const Report gains = solve(c, out.results(), with(Law::whittaker));
  EXPECT_NEAR(gains.max_energy_gain, 0.5 * .81 / .19, 1e-13);
  EXPECT_EQ(gains.max_energy_gain_contact, 1u);
  EXPECT_LE(solve(c, out.results(), with(Law::smith)).max_energy_gain, 1e-15);
}

TEST(PlanarReferenceSolve, refuses_misuse_with_the_column_s_name) {
  PlanarFaultBatch<double> batch(3, Law::incremental);
  Results out(3);
  const auto message_of = [&](const carom::planar::Contacts<double>& c, const carom::planar::Results<double>& r) {
    try {
      solve(c, r);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  auto c = batch.inline_contacts();
  c.r_b.y = {};
  EXPECT_NE(message_of(c, out.results()).find("r_b.y"), std::string::npos);
  c = batch.inline_contacts();
  c.laws.weight.polar.count = 2;
  EXPECT_NE(message_of(c, out.results()).find("weight.polar"), std::string::npos);
  auto r = out.results();
  r.velocity_b.x.stride = 0;
  EXPECT_NE(message_of(batch.inline_contacts(), r).find("results.velocity_b.x"), std::string::npos);
}

// The laws see the very same numbers, so that all that does not depend on the frame has the same bits.
TEST(PlanarCollisionOf, bodies_collide_as_their_contacts_in_contact_space) {
  constexpr std::size_t n = 500;
  const RandomPlanarBodies<double> drawn(n, 35, 40);
  support::RandomPlanarSpace<double> same(n, 36);
  for (std::size_t i = 0; i < n; ++i) {
    const Collision c = collision_of(drawn.inline_contacts(), i);
    same.k_xx[i] = c.k_xx;
    same.k_xy[i] = c.k_xy;
    same.k_yy[i] = c.k_yy;
    same.u0_x[i] = c.u0[0];
    same.u0_y[i] = c.u0[1];
    same.laws.friction[i] = c.friction;
    same.laws.restitution[i] = c.restitution;
    const Collision indexed = collision_of(drawn.indexed_contacts(), i), again = collision_of(same.view(), i);
    for (const Collision& other : {indexed, again}) {
      EXPECT_EQ(other.k_xx, c.k_xx);
      EXPECT_EQ(other.k_xy, c.k_xy);
      EXPECT_EQ(other.k_yy, c.k_yy);
      EXPECT_EQ(other.u0, c.u0);
      EXPECT_EQ(other.friction, drawn.laws.friction[i]);
      EXPECT_EQ(other.restitution, drawn.laws.restitution[i]);
    }
  }
  Results of_bodies(n), of_space(n, false);
  solve(select(drawn.inline_contacts(), {}), of_bodies.results());
  solve(select(same.view(), {}), of_space.results());
  EXPECT_EQ(of_bodies.status, of_space.status);
  EXPECT_EQ(of_bodies.path, of_space.path);
  for (const std::size_t work : {Results::compression, Results::decompression})
    EXPECT_EQ(of_bodies.numbers[work], of_space.numbers[work]);
}

}  // namespace
}  // namespace carom::reference::planar
