// Solver::find_margins against plain arithmetic in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "random/draw.hpp"
#include "support/contacts/blocked_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/planar/random_contacts.hpp"

namespace carom {
namespace {

using support::at;
using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomSpaceContacts;
using support::Vector;
using support::Vectors3;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
struct Checked {
  explicit Checked(std::size_t n) : energy(n), non_penetration(n), tension(n), cone(n), contact_energy(n), status(n) {
    for (auto* vectors : {&frictionless, &sticking}) vectors->fill(std::vector<T>(n));
  }

  RegionMargins<T> margins() { return {energy, non_penetration, tension, cone, status}; }
  ImpulseSpace<T> space() {
    return {
        {frictionless[0], frictionless[1], frictionless[2]}, {sticking[0], sticking[1], sticking[2]}, contact_energy};
  }

  std::vector<T> energy, non_penetration, tension, cone, contact_energy;
  std::vector<Status> status;
  Vectors3<T> frictionless, sticking;
};

template <class T>
Vectors3<T> random_impulses(std::size_t n, std::uint64_t seed) {
  support::Draw draw(seed);
  Vectors3<T> p;
  for (std::size_t i = 0; i < n; ++i) {
    const Vector v = draw.bell3(1);
    for (std::size_t j = 0; j < 3; ++j) p[j].push_back(static_cast<T>(v[j]));
  }
  return p;
}

template <class T>
Vector3Columns<const T> columns(const Vectors3<T>& v) {
  return {v[0], v[1], v[2]};
}

/// The numbers of a contact that define its region.
struct Plain {
  Vector n, u0;
  std::array<Vector, 3> k;  // columns of K
  double friction = 0;
  double velocity_terms = 0;  // sum of the absolute terms of u0
  double matrix_terms = 0;    // same, of K

  Vector change(const Vector& p) const { return p[0] * k[0] + p[1] * k[1] + p[2] * k[2]; }
};

template <class T>
Plain plain(const RandomSpaceContacts<T>& c, std::size_t i) {
  const auto k = [&](std::size_t j) { return static_cast<double>(c.k[j][i]); };
  const Vector u0 = at(c.separation_velocity, i);
  return {{0, 0, 1},
          u0,
          {Vector{k(0), k(1), k(2)}, Vector{k(1), k(3), k(4)}, Vector{k(2), k(4), k(5)}},
          static_cast<double>(c.friction[i]),
          length(u0),
          k(0) + k(3) + k(5)};
}

template <class T>
Plain plain_bodies(const Vector& normal, double friction, const support::BodyArrays<T>* body_a, std::size_t a,
                   const Vector& r_a, const support::BodyArrays<T>* body_b, std::size_t b, const Vector& r_b) {
  Plain contact{1 / length(normal) * normal, {}, {}, friction, 0, 0};
  const auto add = [&](const support::BodyArrays<T>* body, std::size_t i, const Vector& lever, double sign) {
    if (body == nullptr) return;
    const auto j = [&](std::size_t e) { return static_cast<double>(body->inverse_inertia[e][i]); };
    contact.u0 = contact.u0 + sign * (at(body->velocity, i) + cross(at(body->angular_velocity, i), lever));
    contact.velocity_terms += length(at(body->velocity, i)) + length(at(body->angular_velocity, i)) * length(lever);
    contact.matrix_terms += 3 * static_cast<double>(body->inverse_mass[i]) + (j(0) + j(3) + j(5)) * dot(lever, lever);
    for (std::size_t e = 0; e < 3; ++e) {
      Vector unit{};
      unit[e] = 1;
      const Vector turn = cross(lever, unit);
      const Vector spin = {j(0) * turn[0] + j(1) * turn[1] + j(2) * turn[2],
                           j(1) * turn[0] + j(3) * turn[1] + j(4) * turn[2],
                           j(2) * turn[0] + j(4) * turn[1] + j(5) * turn[2]};
      contact.k[e] = contact.k[e] + (static_cast<double>(body->inverse_mass[i]) * unit + cross(spin, lever));
    }
  };
  add(body_a, a, r_a, 1);
  add(body_b, b, r_b, -1);
  return contact;
}

template <class T>
Plain plain(const RandomContacts<T>& c, std::size_t i) {
  return plain_bodies<T>(at(c.normal, i), static_cast<double>(c.friction[i]), &c.a, i, at(c.r_a, i), &c.b, i,
                         at(c.r_b, i));
}

template <class T>
Plain plain(const RandomIndexedContacts<T>& c, std::size_t i) {
  const auto body = [&](std::int32_t index) { return index < 0 ? nullptr : &c.bodies; };
  return plain_bodies<T>(at(c.normal, i), static_cast<double>(c.friction[i]), body(c.body_a[i]),
                         static_cast<std::size_t>(std::max(c.body_a[i], 0)), at(c.r_a, i), body(c.body_b[i]),
                         static_cast<std::size_t>(std::max(c.body_b[i], 0)), at(c.r_b, i));
}

/// Bound of the rounding errors in units of ε times the sum of absolute terms: about a dozen roundings on each side,
/// including K, u0 and the frame.
constexpr double roundings = 24;

template <class T, class AnyContacts>
void expect_margins(const AnyContacts& contacts, const Vectors3<T>& impulse, const Checked<T>& found) {
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::size_t i = 0; i < impulse[0].size(); ++i) {
    const Plain c = plain(contacts, i);
    const Vector p = at(impulse, i), change = c.change(p);
    const double velocity_terms = c.velocity_terms + c.matrix_terms * length(p), bound = roundings * epsilon;
    const double normal = dot(p, c.n), tangential = length(p - normal * c.n);
    ASSERT_NEAR(static_cast<double>(found.energy[i]), -dot(p, c.u0) - 0.5 * dot(p, change),
                bound * length(p) * velocity_terms);
    ASSERT_NEAR(static_cast<double>(found.non_penetration[i]), dot(c.u0 + change, c.n), bound * velocity_terms);
    ASSERT_NEAR(static_cast<double>(found.tension[i]), normal, bound * length(p));
    ASSERT_NEAR(static_cast<double>(found.cone[i]), c.friction * normal - tangential,
                bound * length(p) * (1 + c.friction));
    ASSERT_EQ(found.status[i], Status::ok);
  }
}

// P_I stops the approach and has no tangential part. P_II stops all of u; its energy follows from this.
template <class T, class AnyContacts>
void expect_landmarks(const AnyContacts& contacts, const Checked<T>& found) {
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::size_t i = 0; i < found.energy.size(); ++i) {
    const Plain c = plain(contacts, i);
    const Vector first = at(found.frictionless, i), second = at(found.sticking, i);
    const double bound = roundings * epsilon;
    ASSERT_NEAR(dot(c.u0 + c.change(first), c.n), 0, bound * (c.velocity_terms + c.matrix_terms * length(first)));
    ASSERT_NEAR(length(first - dot(first, c.n) * c.n), 0, bound * length(first));
    ASSERT_NEAR(length(c.u0 + c.change(second)), 0, bound * (c.velocity_terms + c.matrix_terms * length(second)));
    const double energy = -0.5 * dot(c.u0, second);
    ASSERT_NEAR(static_cast<double>(found.contact_energy[i]), energy,
                bound * length(second) * (c.velocity_terms + c.matrix_terms * length(second)));
    ASSERT_GT(found.contact_energy[i], T(0));
  }
}

template <class T>
class Region : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Region, Precisions);

TYPED_TEST(Region, margins_are_those_of_the_definition_in_contact_space) {
  const RandomSpaceContacts<TypeParam> contacts(5003, 61);
  const auto impulse = random_impulses<TypeParam>(5003, 62);
  for (const Isa isa : available_isas()) {
    Checked<TypeParam> found(5003);
    Solver({.isa = isa, .threads = 1})
        .find_margins(contacts.space_contacts(), columns(impulse), found.margins(), found.space());
    expect_margins(contacts, impulse, found);
    expect_landmarks(contacts, found);
  }
}

TYPED_TEST(Region, margins_are_those_of_the_definition_between_bodies) {
  const RandomContacts<TypeParam> contacts(5003, 63);
  const auto impulse = random_impulses<TypeParam>(5003, 64);
  for (const Isa isa : available_isas()) {
    Checked<TypeParam> found(5003);
    Solver({.isa = isa, .threads = 1})
        .find_margins(contacts.inline_contacts(), columns(impulse), found.margins(), found.space());
    expect_margins(contacts, impulse, found);
    expect_landmarks(contacts, found);
  }
}

TYPED_TEST(Region, bodies_may_be_stored_once) {
  const RandomIndexedContacts<TypeParam> contacts(5003, 500, 65);
  const auto impulse = random_impulses<TypeParam>(5003, 66);
  for (const Isa isa : available_isas()) {
    Checked<TypeParam> found(5003);
    Solver({.isa = isa, .threads = 1}).find_margins(contacts.indexed_contacts(), columns(impulse), found.margins());
    for (Status& status : found.status) status = status == Status::separating ? Status::ok : status;
    expect_margins(contacts, impulse, found);
  }
}

TYPED_TEST(Region, contacts_may_stand_in_blocks) {
  constexpr std::size_t n = 5003;
  const RandomContacts<TypeParam> contacts(n, 74);
  const auto impulse = random_impulses<TypeParam>(n, 75);
  const BlockedContacts<TypeParam> blocked = support::blocked_of(contacts.inline_contacts());
  Checked<TypeParam> expected(n), found(n);
  Solver().find_margins(contacts.inline_contacts(), columns(impulse), expected.margins(), expected.space());
  Solver().find_margins(blocked, columns(impulse), found.margins(), found.space());
  EXPECT_EQ(found.energy, expected.energy);
  EXPECT_EQ(found.non_penetration, expected.non_penetration);
  EXPECT_EQ(found.tension, expected.tension);
  EXPECT_EQ(found.cone, expected.cone);
  EXPECT_EQ(found.contact_energy, expected.contact_energy);
  EXPECT_EQ(found.sticking, expected.sticking);
}

template <class T>
struct PlanarChecked : Checked<T> {
  using Checked<T>::Checked;
  planar::ImpulseSpace<T> planar_space() {
    return {
        {this->frictionless[0], this->frictionless[1]}, {this->sticking[0], this->sticking[1]}, this->contact_energy};
  }
};

TYPED_TEST(Region, planar_margins_are_those_of_the_planar_reference) {
  using T = TypeParam;
  constexpr std::size_t n = 3000;
  const support::RandomPlanarBodies<T> drawn(n, 76, 200);
  const auto wide = drawn.widened();
  const auto bodies = wide.inline_contacts();
  const auto impulse = random_impulses<T>(n, 77);
  PlanarChecked<T> found(n), indexed(n);
  const planar::Vector2Columns<const T> p{impulse[0], impulse[1]};
  planar::Contacts<TypeParam> inline_contacts = drawn.inline_contacts();
  planar::IndexedContacts<TypeParam> indexed_contacts = drawn.indexed_contacts();
  inline_contacts.laws = indexed_contacts.laws = {};
  Solver().find_margins(inline_contacts, p, found.margins(), found.planar_space());
  Solver().find_margins(indexed_contacts, p, indexed.margins(), indexed.planar_space());
  EXPECT_EQ(indexed.energy, found.energy);
  EXPECT_EQ(indexed.cone, found.cone);
  EXPECT_EQ(indexed.sticking, found.sticking);
  for (std::size_t i = 0; i < n; ++i) {
    const reference::planar::Collision c = reference::planar::collision_of(bodies, i);
    const double nx = bodies.normal.x[i], ny = bodies.normal.y[i];
    const double px = static_cast<double>(impulse[0][i]), py = static_cast<double>(impulse[1][i]);
    const reference::planar::Margins m = reference::planar::margins(c, {px * ny - py * nx, px * nx + py * ny});
    const double size = std::hypot(px, py);
    const double rounding = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
    // Sizes of the terms of u0 and K: bodies are random with velocities of some units and offsets below 2.
    const double speed = std::hypot(c.u0[0], c.u0[1]) + 20, inertia = c.k_xx + c.k_yy;
    ASSERT_NEAR(static_cast<double>(found.energy[i]), m.energy, rounding * size * (speed + inertia * size)) << i;
    ASSERT_NEAR(static_cast<double>(found.non_penetration[i]), m.non_penetration, rounding * (speed + inertia * size));
    ASSERT_NEAR(static_cast<double>(found.tension[i]), m.tension, rounding * size);
    if (std::isfinite(m.cone)) {
      ASSERT_NEAR(static_cast<double>(found.cone[i]), m.cone, rounding * size * (1 + c.friction));
    }
  }
}

TYPED_TEST(Region, the_report_counts_what_the_margins_say) {
  using T = TypeParam;
  const std::size_t n = 4001;
  const RandomSpaceContacts<T> contacts(n, 67);
  const auto impulse = random_impulses<T>(n, 68);
  const T tolerance = T(0.125);
  for (const Isa isa : available_isas()) {
    Checked<T> found(n);
    const RegionReport report = Solver({.isa = isa, .threads = 1})
                                    .find_margins(contacts.space_contacts(), columns(impulse), found.margins(),
                                                  found.space(), {}, double{tolerance});
    RegionReport expected;
    expected.contacts = n;
    for (std::size_t i = 0; i < n; ++i) {
      const double p = length(at(impulse, i)), u0 = length(at(contacts.separation_velocity, i)), t = double{tolerance};
      const bool energy = found.energy[i] < -tolerance * found.contact_energy[i];
      const bool penetrates = double{found.non_penetration[i]} < -t * u0, pulls = double{found.tension[i]} < -t * p;
      const bool cone = double{found.cone[i]} < -t * p;
      expected.gains_energy += energy;
      expected.penetrates += penetrates;
      expected.pulls += pulls;
      expected.leaves_cone += cone;
      expected.outside += energy || penetrates || pulls || cone;
    }
    EXPECT_EQ(report.contacts, n);
    EXPECT_EQ(report.faults(), 0u);
    EXPECT_EQ(report.gains_energy, expected.gains_energy);
    EXPECT_EQ(report.penetrates, expected.penetrates);
    EXPECT_EQ(report.pulls, expected.pulls);
    EXPECT_EQ(report.leaves_cone, expected.leaves_cone);
    EXPECT_EQ(report.outside, expected.outside);
    EXPECT_GT(report.outside, 1000u);
    EXPECT_LT(report.outside, n - 20);
  }
}

TYPED_TEST(Region, what_the_solver_makes_of_collisions_lies_inside) {
  const RandomContacts<TypeParam> contacts(3000, 69);
  support::ResultArrays<TypeParam> results(3000);
  Solver solver;
  solver.solve(contacts.inline_contacts(), results.results());
  // Slender boxes have a condition of about 1e4, which multiplies the rounding of u_z and so of the energy.
  const RegionReport report =
      solver.find_margins(contacts.inline_contacts(), columns(results.impulse), RegionMargins<TypeParam>{}, {}, {},
                          1e4 * 64 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
  EXPECT_EQ(report.outside, 0u);
  // Twice the impulse that stops all of u keeps the energy; a larger multiple raises it.
  Checked<TypeParam> found(3000);
  solver.find_margins(contacts.inline_contacts(), columns(results.impulse), found.margins(), found.space());
  auto more = found.sticking;
  for (auto& column : more)
    for (TypeParam& x : column) x *= TypeParam(2.01);
  EXPECT_EQ(solver.find_margins(contacts.inline_contacts(), columns(more), found.margins()).gains_energy, 3000u);
}

TYPED_TEST(Region, faults_and_unbounded_friction) {
  using T = TypeParam;
  RandomSpaceContacts<T> contacts(40, 70);
  auto impulse = random_impulses<T>(40, 71);
  impulse[1][3] = std::numeric_limits<T>::quiet_NaN();
  impulse[0][4] = std::numeric_limits<T>::infinity();
  contacts.friction[5] = T(-1);
  contacts.k[0][6] = T(-1);
  contacts.friction[7] = std::numeric_limits<T>::infinity();
  contacts.separation_velocity[2][8] = T(1);
  for (const Isa isa : available_isas()) {
    Checked<T> found(40);
    const RegionReport report =
        Solver({.isa = isa, .threads = 1})
            .find_margins(contacts.space_contacts(), columns(impulse), found.margins(), found.space());
    EXPECT_EQ(report.contacts, 40u);
    EXPECT_EQ(report.faults(), 4u);
    EXPECT_EQ(found.status[3], Status::not_a_number);
    EXPECT_EQ(found.status[4], Status::infinite);
    EXPECT_EQ(found.status[5], Status::negative_friction);
    EXPECT_EQ(found.status[6], Status::collision_matrix_not_positive_definite);
    EXPECT_EQ(found.status[8], Status::separating);
    for (const std::size_t i : {3u, 4u, 5u, 6u}) {
      EXPECT_TRUE(std::isnan(found.energy[i]) && std::isnan(found.non_penetration[i]));
      EXPECT_TRUE(std::isnan(found.tension[i]) && std::isnan(found.cone[i]) && std::isnan(found.contact_energy[i]));
    }
    EXPECT_EQ(static_cast<double>(found.cone[7]), infinity);
    EXPECT_TRUE(std::isfinite(found.energy[8]));
  }
}

TYPED_TEST(Region, misuse_is_an_error) {
  const RandomSpaceContacts<TypeParam> contacts(10, 72);
  const auto impulse = random_impulses<TypeParam>(10, 73), short_impulse = random_impulses<TypeParam>(9, 73);
  Checked<TypeParam> found(9);
  Solver solver;
  EXPECT_THROW(solver.find_margins(contacts.space_contacts(), columns(short_impulse), RegionMargins<TypeParam>{}),
               Error);
  EXPECT_THROW(solver.find_margins(contacts.space_contacts(), columns(impulse), found.margins()), Error);
  EXPECT_THROW(solver.find_margins(contacts.space_contacts(), columns(impulse), {}, found.space()), Error);
  EXPECT_THROW(solver.find_margins(contacts.space_contacts(), {}, RegionMargins<TypeParam>{}), Error);
  EXPECT_THROW(solver.find_margins(contacts.space_contacts(), columns(impulse), {}, {}, {}, -1), Error);
  EXPECT_THROW(solver.find_margins(contacts.space_contacts(), columns(impulse), {}, {}, {}, infinity), Error);
}

}  // namespace
}  // namespace carom
