// The reference on columns of contacts: bodies, frames, conservation, the report.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <carom/reference.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "support/laws/collisions.hpp"

namespace carom::reference {
namespace {

const Options euler{.integrator = Integrator::euler};

using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Vector3 at(const support::Vectors3<double>& v, std::size_t i) {
  return {v[0][i], v[1][i], v[2][i]};
}

void put(support::Vectors3<double>& v, std::size_t i, const Vector3& value) {
  for (std::size_t j = 0; j < 3; ++j) v[j][i] = value[j];
}

Matrix3 inertia(const support::BodyArrays<double>& body, std::size_t i) {
  const auto& m = body.inverse_inertia;
  return symmetric(m[0][i], m[1][i], m[2][i], m[3][i], m[4][i], m[5][i]);
}

bool same_bits(const Vector3& a, const Vector3& b) {
  for (std::size_t j = 0; j < 3; ++j)
    if (std::bit_cast<std::uint64_t>(a[j]) != std::bit_cast<std::uint64_t>(b[j])) return false;
  return true;
}

TEST(bodies, momentum_and_angular_momentum_are_conserved) {
  const std::size_t n = 2000;
  const RandomContacts<double> c(n, 31);
  ResultArrays<double> out(n);
  solve(c.inline_contacts(), out.results(), euler);
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3 p = at(out.impulse, i);
    // A receives what B loses: Δv = ± p/m, Δω = ± I⁻¹ (r x p), with the same p. Each side has some twenty rounding
    // errors of numbers up to `size`; the frame's rotation adds as many.
    const auto check = [&](double sign, const support::BodyArrays<double>& body, const Vector3& lever, const Vector3& v,
                           const Vector3& w) {
      const Vector3 v0 = at(body.velocity, i), w0 = at(body.angular_velocity, i);
      const Vector3 turn = inertia(body, i) * cross(lever, p);
      const double dv = sign * body.inverse_mass[i];
      EXPECT_LE(distance(v, {v0[0] + dv * p[0], v0[1] + dv * p[1], v0[2] + dv * p[2]}),
                64 * epsilon * (length(v0) + body.inverse_mass[i] * length(p)));
      const double size = length(w0) + trace(inertia(body, i)) * length(lever) * length(p);
      EXPECT_LE(distance(w, {w0[0] + sign * turn[0], w0[1] + sign * turn[1], w0[2] + sign * turn[2]}),
                64 * epsilon * size);
    };
    check(1, c.a, at(c.r_a, i), at(out.velocity_a, i), at(out.angular_velocity_a, i));
    check(-1, c.b, at(c.r_b, i), at(out.velocity_b, i), at(out.angular_velocity_b, i));
  }
}

TEST(bodies, the_new_separation_velocity_is_that_of_the_new_velocities) {
  const std::size_t n = 2000;
  const RandomContacts<double> c(n, 32);
  ResultArrays<double> out(n);
  solve(c.inline_contacts(), out.results(), euler);
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3 la = at(c.r_a, i), lb = at(c.r_b, i);
    const Vector3 ta = cross(at(out.angular_velocity_a, i), la), tb = cross(at(out.angular_velocity_b, i), lb);
    const Vector3 va = at(out.velocity_a, i), vb = at(out.velocity_b, i);
    const Vector3 u{va[0] + ta[0] - vb[0] - tb[0], va[1] + ta[1] - vb[1] - tb[1], va[2] + ta[2] - vb[2] - tb[2]};
    // K p is summed up in another order here, from terms no larger than trace K |p|.
    const double m = c.a.inverse_mass[i] + c.b.inverse_mass[i];
    const double turning =
        trace(inertia(c.a, i)) * length(la) * length(la) + trace(inertia(c.b, i)) * length(lb) * length(lb);
    const double size = (3 * m + turning) * length(at(out.impulse, i)) + length(va) + length(vb) +
                        length(at(out.angular_velocity_a, i)) * length(la) +
                        length(at(out.angular_velocity_b, i)) * length(lb);
    EXPECT_LE(distance(u, at(out.separation_velocity, i)), 128 * epsilon * size);
  }
}

TEST(bodies, an_immovable_body_keeps_its_velocity_to_the_last_bit) {
  const std::size_t n = 500;
  RandomContacts<double> c(n, 33);
  std::size_t a = 0, b = 0;
  const auto is_immovable = [&](const support::BodyArrays<double>& body, std::size_t i) {
    return body.inverse_mass[i] == 0;
  };
  // Both sides move along with 0.1 (1, 2, 3), immovable or not: the impulse stays.
  for (std::size_t i = 0; i < n; ++i)
    for (auto* body : {&c.a, &c.b})
      for (std::size_t j = 0; j < 3; ++j) body->velocity[j][i] += 0.1 * static_cast<double>(j + 1);
  ResultArrays<double> out(n);
  EXPECT_EQ(solve(c.inline_contacts(), out.results(), euler).count(Status::ok), n);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_immovable(c.a, i)) {
      ++a;
      EXPECT_TRUE(same_bits(at(out.velocity_a, i), at(c.a.velocity, i)));
      EXPECT_TRUE(same_bits(at(out.angular_velocity_a, i), at(c.a.angular_velocity, i)));
    }
    if (is_immovable(c.b, i)) {
      ++b;
      EXPECT_TRUE(same_bits(at(out.velocity_b, i), at(c.b.velocity, i)));
      EXPECT_TRUE(same_bits(at(out.angular_velocity_b, i), at(c.b.angular_velocity, i)));
    }
    EXPECT_GT(length(at(out.impulse, i)), 0);
  }
  EXPECT_GT(a, 50u);
  EXPECT_GT(b, 50u);
}

// Rounding in each of some 1000 steps, times the condition of K, which is below 1e4 for such boxes. If every decision
// is farther than that from its boundary, the same contact in another frame takes the same steps and has an impulse
// within this error.
constexpr double magnified_rounding = 1e3 * 1e4 * epsilon;

void expect_same_away_from_decisions(const ResultArrays<double>& x, const std::vector<double>& margin,
                                     const ResultArrays<double>& y, const std::function<Vector3(Vector3)>& map) {
  std::size_t compared = 0;
  for (std::size_t i = 0; i < margin.size(); ++i) {
    if (margin[i] < magnified_rounding) continue;
    ++compared;
    EXPECT_EQ(x.path[i], y.path[i]);
    EXPECT_EQ(x.steps[i], y.steps[i]);
    EXPECT_LE(distance(map(at(x.impulse, i)), at(y.impulse, i)), magnified_rounding * length(at(x.impulse, i)));
  }
  EXPECT_GT(compared, margin.size() / 2);
}

TEST(bodies, exchanging_the_bodies_reverses_the_impulse) {
  const std::size_t n = 1000;
  const RandomContacts<double> c(n, 34);
  ResultArrays<double> out(n), exchanged(n);
  std::vector<double> margin(n);
  solve(c.inline_contacts(), out.results(), euler, margin);
  RandomContacts<double> d = c;
  std::swap(d.a, d.b);
  std::swap(d.r_a, d.r_b);
  for (auto& component : d.normal)
    for (double& x : component) x = -x;
  solve(d.inline_contacts(), exchanged.results(), euler);
  expect_same_away_from_decisions(out, margin, exchanged, [](const Vector3& p) {
    return Vector3{-p[0], -p[1], -p[2]};
  });
}

// Turns everything so that `from` becomes `to`, both unit.
Matrix3 rotation_between(const Vector3& from, const Vector3& to) {
  // Two reflections: about the plane that bisects `from` and -`to`, then about the plane perpendicular to `to`.
  const auto reflect = [](const Vector3& v) {
    const double f = 2 / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    Matrix3 m{Vector3{1, 0, 0}, Vector3{0, 1, 0}, Vector3{0, 0, 1}};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) m[i][j] -= f * v[i] * v[j];
    return m;
  };
  const Matrix3 first = reflect(from + to), second = reflect(to);
  Matrix3 product{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) product[i][j] += second[i][k] * first[k][j];
  return product;
}

TEST(frame, normals_at_and_near_both_poles_are_as_good_as_any) {
  const std::size_t n = 300;
  const RandomContacts<double> c(n, 35);
  ResultArrays<double> out(n);
  std::vector<double> margin(n);
  solve(c.inline_contacts(), out.results(), euler, margin);
  for (double pole : {1.0, -1.0})
    for (double tilt : {0.0, 1e-200, 1e-17, 1e-9, 1e-4}) {
      const double tilt_y = -0.5 * tilt;
      const Vector3 normal{tilt, tilt_y, pole * std::sqrt(1 - tilt * tilt - tilt_y * tilt_y)};
      RandomContacts<double> d = c;
      std::vector<Matrix3> rotation(n);
      for (std::size_t i = 0; i < n; ++i) {
        const Matrix3& r = rotation[i] = rotation_between(at(c.normal, i), normal);
        put(d.normal, i, normal);
        for (auto* v : {&d.r_a, &d.r_b, &d.a.velocity, &d.a.angular_velocity, &d.b.velocity, &d.b.angular_velocity})
          put(*v, i, r * at(*v, i));
        for (auto* body : {&d.a, &d.b}) {
          const Matrix3 inverse_inertia = inertia(*body, i);
          const auto entry = [&](std::size_t j, std::size_t k) {
            const Vector3 column = inverse_inertia * r[k];
            return r[j][0] * column[0] + r[j][1] * column[1] + r[j][2] * column[2];
          };
          const std::array<double, 6> turned{entry(0, 0), entry(0, 1), entry(0, 2),
                                             entry(1, 1), entry(1, 2), entry(2, 2)};
          for (std::size_t j = 0; j < 6; ++j) body->inverse_inertia[j][i] = turned[j];
        }
      }
      ResultArrays<double> turned(n);
      EXPECT_EQ(solve(d.inline_contacts(), turned.results(), euler).count(Status::ok), n);
      std::size_t compared = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (margin[i] < magnified_rounding) continue;
        ++compared;
        EXPECT_EQ(turned.path[i], out.path[i]);
        EXPECT_LE(distance(rotation[i] * at(out.impulse, i), at(turned.impulse, i)),
                  magnified_rounding * length(at(out.impulse, i)))
            << "pole " << pole << " tilt " << tilt;
      }
      EXPECT_GT(compared, n / 2);
    }
}

TEST(frame, a_normal_within_the_tolerance_counts_as_its_direction) {
  const std::size_t n = 200;
  const RandomContacts<double> c(n, 36);
  RandomContacts<double> longer = c;
  for (auto& component : longer.normal)
    for (double& x : component) x *= 1 + 0x1p-20;
  ResultArrays<double> out(n), same(n);
  std::vector<double> margin(n);
  solve(c.inline_contacts(), out.results(), euler, margin);
  solve(longer.inline_contacts(), same.results(), euler);
  expect_same_away_from_decisions(out, margin, same, [](const Vector3& p) { return p; });
}

TEST(indexed, gives_the_bits_of_inline_bodies) {
  const std::size_t n = 500, bodies = 100;
  const RandomIndexedContacts<double> c(n, bodies, 37);
  ResultArrays<double> out(n), inline_out(n);
  const Report report = solve(c.indexed_contacts(), out.results(), euler);
  RandomContacts<double> d(n, 38);
  d.friction = c.friction;
  d.restitution = c.restitution;
  d.normal = c.normal;
  d.r_a = c.r_a;
  d.r_b = c.r_b;
  for (std::size_t i = 0; i < n; ++i) {
    const auto copy = [&](std::int32_t index, support::BodyArrays<double>& to) {
      const auto from = static_cast<std::size_t>(index);
      to.inverse_mass[i] = index < 0 ? 0 : c.bodies.inverse_mass[from];
      for (std::size_t j = 0; j < 6; ++j) to.inverse_inertia[j][i] = index < 0 ? 0 : c.bodies.inverse_inertia[j][from];
      put(to.velocity, i, index < 0 ? Vector3{} : at(c.bodies.velocity, from));
      put(to.angular_velocity, i, index < 0 ? Vector3{} : at(c.bodies.angular_velocity, from));
    };
    copy(c.body_a[i], d.a);
    copy(c.body_b[i], d.b);
  }
  solve(d.inline_contacts(), inline_out.results(), euler);
  EXPECT_GT(report.count(Status::ok), n / 2);
  for (std::size_t i = 0; i < n; ++i) {
    if (out.status[i] == Status::same_body) continue;
    EXPECT_EQ(out.status[i], inline_out.status[i]);
    EXPECT_TRUE(same_bits(at(out.impulse, i), at(inline_out.impulse, i)));
    EXPECT_TRUE(same_bits(at(out.angular_velocity_b, i), at(inline_out.angular_velocity_b, i)));
  }
}

TEST(columns, results_may_replace_the_inputs_they_follow) {
  const std::size_t n = 300;
  RandomContacts<double> c(n, 39);
  ResultArrays<double> apart(n);
  solve(c.inline_contacts(), apart.results(), euler);
  Results<double> in_place;
  const auto columns = [](support::Vectors3<double>& v) { return Vector3Columns<double>{v[0], v[1], v[2]}; };
  in_place.velocity_a = columns(c.a.velocity);
  in_place.angular_velocity_a = columns(c.a.angular_velocity);
  in_place.velocity_b = columns(c.b.velocity);
  in_place.angular_velocity_b = columns(c.b.angular_velocity);
  solve(c.inline_contacts(), in_place, euler);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_TRUE(same_bits(at(c.a.velocity, i), at(apart.velocity_a, i)));
    EXPECT_TRUE(same_bits(at(c.a.angular_velocity, i), at(apart.angular_velocity_a, i)));
    EXPECT_TRUE(same_bits(at(c.b.velocity, i), at(apart.velocity_b, i)));
    EXPECT_TRUE(same_bits(at(c.b.angular_velocity, i), at(apart.angular_velocity_b, i)));
  }
}

TEST(columns, a_step_of_its_own_replaces_the_option) {
  const std::size_t n = 200;
  const RandomSpaceContacts<double> c(n, 40);
  std::vector<double> step(n);
  for (std::size_t i = 0; i < n; ++i)
    step[i] = length(at(c.separation_velocity, i)) / (777 * (c.k[0][i] + c.k[3][i] + c.k[5][i]));
  ResultArrays<double> by_option(n, false), by_column(n, false);
  Options options;
  options.integrator = Integrator::euler;
  options.steps = 777;
  solve(c.space_contacts(), by_option.results(), options);
  auto with_step = c.space_contacts();
  with_step.laws.step = step;
  solve(with_step, by_column.results(), euler);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(by_option.steps[i], by_column.steps[i]);
    EXPECT_TRUE(same_bits(at(by_option.impulse, i), at(by_column.impulse, i)));
  }
}

TEST(report, adds_up_what_the_columns_say) {
  const std::size_t n = 1000;
  RandomContacts<double> c(n, 41);
  c.friction[7] = -1;
  for (auto* v : {&c.a, &c.b})
    for (auto& component : v->velocity) component[8] = 0;
  for (auto* v : {&c.a, &c.b})
    for (auto& component : v->angular_velocity) component[8] = 0;
  // Without friction and losses the steps do gain energy.
  for (std::size_t i = 10; i < n; ++i) {
    c.friction[i] = 0;
    c.restitution[i] = 1;
  }
  ResultArrays<double> out(n);
  const Report report = solve(c.inline_contacts(), out.results(), euler);
  EXPECT_EQ(report.contacts, n);
  EXPECT_EQ(report.isa, Isa::scalar);
  EXPECT_EQ(report.threads, 1);
  EXPECT_EQ(report.faults(), 1u);
  EXPECT_EQ(report.count(Status::negative_friction), 1u);
  EXPECT_EQ(report.count(Status::separating), 1u);
  EXPECT_EQ(report.count(Status::ok), n - 2);
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < n; ++i) steps += static_cast<std::uint64_t>(out.steps[i]);
  EXPECT_EQ(report.sliding_steps, steps);
  for (const auto& [path, count] : report.paths())
    EXPECT_EQ(count, static_cast<std::size_t>(std::count(out.path.begin(), out.path.end(), path)));
  // ½ p·(u0 + u), of the contact with the max. gain.
  const std::size_t i = report.max_energy_gain_contact;
  ASSERT_GT(report.max_energy_gain, 0);
  const Vector3 p = at(out.impulse, i), u = at(out.separation_velocity, i);
  const Vector3 ta = cross(at(c.a.angular_velocity, i), at(c.r_a, i));
  const Vector3 tb = cross(at(c.b.angular_velocity, i), at(c.r_b, i));
  double gain = 0, size = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    const double u0 = c.a.velocity[j][i] + ta[j] - c.b.velocity[j][i] - tb[j];
    gain += 0.5 * p[j] * (u0 + u[j]);
    size += std::abs(p[j]) * (std::abs(u0) + std::abs(u[j]));
  }
  EXPECT_NEAR(report.max_energy_gain, gain, 64 * epsilon * size);
}

// The laws see the very same numbers, so that all that does not depend on the frame has the same bits.
TEST(collision_of, bodies_collide_as_their_contacts_in_contact_space) {
  const std::size_t n = 500;
  const RandomContacts<double> drawn(n, 39);
  std::vector<double> own_step(n, 1e-4);
  Contacts<double> bodies = drawn.inline_contacts();
  bodies.laws.step = own_step;
  RandomSpaceContacts<double> same(n, 40);
  for (std::size_t i = 0; i < n; ++i) {
    const Collision c = collision_of(bodies, i);
    const std::array entries{c.k[0][0], c.k[0][1], c.k[0][2], c.k[1][1], c.k[1][2], c.k[2][2]};
    for (std::size_t j = 0; j < 6; ++j) same.k[j][i] = entries[j];
    put(same.separation_velocity, i, c.u0);
    same.friction[i] = c.friction;
    same.restitution[i] = c.restitution;
    EXPECT_EQ(c.step, 1e-4);
    EXPECT_EQ(collision_of(drawn.inline_contacts(), i).step, 0);
    const Collision again = collision_of(same.space_contacts(), i);
    EXPECT_EQ(again.k, c.k);
    EXPECT_EQ(again.u0, c.u0);
    EXPECT_EQ(again.friction, drawn.friction[i]);
    EXPECT_EQ(again.restitution, drawn.restitution[i]);
  }
  ResultArrays<double> of_bodies(n), of_space(n, false);
  EXPECT_EQ(solve(drawn.inline_contacts(), of_bodies.results()).count(Status::ok), n);
  solve(same.space_contacts(), of_space.results());
  EXPECT_EQ(of_bodies.path, of_space.path);
  EXPECT_EQ(of_bodies.steps, of_space.steps);
  EXPECT_EQ(of_bodies.work_compression, of_space.work_compression);
  EXPECT_EQ(of_bodies.work_decompression, of_space.work_decompression);
}

TEST(collision_of, indexed_bodies_are_the_inline_ones_and_the_world_stands_still) {
  const RandomIndexedContacts<double> drawn(200, 30, 41);
  const IndexedContacts<double> indexed = drawn.indexed_contacts();
  std::size_t on_the_world = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const auto one = [&](const Column<const double>& column, std::int32_t body) {
      static constexpr double zero = 0;
      return body < 0 ? Column<const double>(&zero, 1)
                      : Column<const double>(&column[static_cast<std::size_t>(body)], 1);
    };
    const auto body = [&](std::int32_t index) {
      const auto& b = indexed.bodies;
      const auto& j = b.inverse_inertia;
      return BodyColumns<const double>{
          one(b.inverse_mass, index),
          {one(j.xx, index), one(j.xy, index), one(j.xz, index), one(j.yy, index), one(j.yz, index), one(j.zz, index)},
          {one(b.velocity.x, index), one(b.velocity.y, index), one(b.velocity.z, index)},
          {one(b.angular_velocity.x, index), one(b.angular_velocity.y, index), one(b.angular_velocity.z, index)}};
    };
    const auto at_i = [&](const Column<const double>& column) { return Column<const double>(&column[i], 1); };
    const auto vector_at_i = [&](const Vector3Columns<const double>& v) {
      return Vector3Columns<const double>{at_i(v.x), at_i(v.y), at_i(v.z)};
    };
    Contacts<double> alone;
    alone.friction = at_i(indexed.friction);
    alone.restitution = at_i(indexed.restitution);
    alone.normal = vector_at_i(indexed.normal);
    alone.r_a = vector_at_i(indexed.r_a);
    alone.r_b = vector_at_i(indexed.r_b);
    alone.a = body(indexed.body_a[i]);
    alone.b = body(indexed.body_b[i]);
    if (indexed.body_a[i] < 0 || indexed.body_b[i] < 0) ++on_the_world;
    EXPECT_EQ(collision_of(indexed, i).k, collision_of(alone, 0).k);
    EXPECT_EQ(collision_of(indexed, i).u0, collision_of(alone, 0).u0);
  }
  EXPECT_GT(on_the_world, 0u);
}

}  // namespace
}  // namespace carom::reference
