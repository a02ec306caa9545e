// The laws without a course on lanes, against values made independently: the golden set and the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomLaws;
using support::RandomSpaceContacts;
using support::ResultArrays;

constexpr std::array closed_laws{Law::frictionless, Law::no_slip, Law::chatterjee_ruina, Law::bilinear};

template <class T>
class AlgebraicLaws : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(AlgebraicLaws, Precisions);

/// K in the contact frame, in double.
struct Matrix {
  double xx, xy, xz, yy, yz, zz;

  double trace() const { return xx + yy + zz; }
  double determinant() const { return xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz); }
  /// Bounds the condition number: the product of the two larger eigenvalues is at most trace² / 4.
  double condition() const { return trace() * trace() * trace() / (4 * determinant()); }
};

template <class T>
Matrix matrix_of(const SymmetricColumns<const T>& k, std::size_t i) {
  const auto at = [&](const Column<const T>& c) { return static_cast<double>(c[i]); };
  return {at(k.xx), at(k.xy), at(k.xz), at(k.yy), at(k.yz), at(k.zz)};
}

/// Condition of K, which does not depend on the frame: from the bodies, in double.
template <class T>
double condition_of(const RandomContacts<T>& c, std::size_t i) {
  Matrix k{};
  for (const bool first : {true, false}) {
    const auto& body = first ? c.a : c.b;
    const auto& lever = first ? c.r_a : c.r_b;
    const auto number = [i](const std::vector<T>& column) { return static_cast<double>(column[i]); };
    const double x = number(lever[0]), y = number(lever[1]), z = number(lever[2]), m = number(body.inverse_mass);
    const auto& j = body.inverse_inertia;
    const double cross[3][3] = {{0, -z, y}, {z, 0, -x}, {-y, x, 0}};
    const double inertia[3][3] = {{number(j[0]), number(j[1]), number(j[2])},
                                  {number(j[1]), number(j[3]), number(j[4])},
                                  {number(j[2]), number(j[4]), number(j[5])}};
    const auto entry = [&](std::size_t row, std::size_t column) {
      double sum = row == column ? m : 0;
      for (std::size_t s = 0; s < 3; ++s)
        for (std::size_t t = 0; t < 3; ++t) sum += cross[row][s] * inertia[s][t] * cross[column][t];
      return sum;
    };
    k.xx += entry(0, 0);
    k.xy += entry(0, 1);
    k.xz += entry(0, 2);
    k.yy += entry(1, 1);
    k.yz += entry(1, 2);
    k.zz += entry(2, 2);
  }
  return k.condition();
}

double size(const std::array<double, 3>& v) {
  return std::hypot(v[0], v[1], v[2]);
}

template <class V>
std::array<double, 3> at(const V& columns, std::size_t i) {
  return {static_cast<double>(columns[0][i]), static_cast<double>(columns[1][i]), static_cast<double>(columns[2][i])};
}

template <class A, class B>
double distance(const A& a, const B& b, std::size_t i) {
  const auto x = at(a, i), y = at(b, i);
  return size(x - y);
}

// Solutions of K p = v with errors of an ulp in the entries of K and v differ by 2 ulp cond K |p|. There are some ten
// consecutive roundings, and in float the rows' numbers are rounded first.
constexpr double roundings = 16;

TYPED_TEST(AlgebraicLaws, agree_with_the_golden_set) {
  using T = TypeParam;
  const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "algebraic3d.csv");
  const std::size_t n = table.rows();
  const auto column = [&](const std::string& name) {
    const std::vector<double> numbers = table.numbers(name);
    std::vector<T> rounded(numbers.size());
    std::ranges::transform(numbers, rounded.begin(), [](double x) { return static_cast<T>(x); });
    return rounded;
  };
  RandomSpaceContacts<T> data(0, 0);
  for (std::size_t c = 0; c < 6; ++c) data.k[c] = column(std::array{"k_xx", "k_xy", "k_xz", "k_yy", "k_yz", "k_zz"}[c]);
  for (std::size_t c = 0; c < 3; ++c) data.separation_velocity[c] = column(std::string("u0_") + "xyz"[c]);
  data.friction = column("friction");
  data.restitution = column("restitution");
  const std::vector<T> e_t = column("tangential_restitution");
  KContacts<T> contacts = data.space_contacts();
  contacts.laws.tangential_restitution = e_t;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  ASSERT_GE(n, 600u);
  for (const auto& [law, name] : {std::pair{Law::frictionless, "frictionless"}, std::pair{Law::no_slip, "no_slip"},
                                  std::pair{Law::chatterjee_ruina, "chatterjee_ruina"}}) {
    std::array<std::vector<double>, 3> expected;
    for (std::size_t c = 0; c < 3; ++c) expected[c] = table.numbers(std::string(name) + "_" + "xyz"[c]);
    for (const Isa isa : available_isas()) {
      ResultArrays<T> found(n, false);
      const Report report = ConfiguredSolver(law_options(law, isa)).solve(contacts, found.results());
      EXPECT_EQ(report.count(Status::ok) + report.count(Status::separating), n);
      for (std::size_t i = 0; i < n; ++i) {
        const double bound = roundings * epsilon * matrix_of(contacts.k, i).condition() * size(at(expected, i));
        ASSERT_LE(distance(found.impulse, expected, i), bound) << name << ", row " << i << ", " << to_string(isa);
      }
    }
  }
}

/// The same numbers in double.
std::vector<double> widened(const std::vector<float>& v) {
  return {v.begin(), v.end()};
}
std::vector<double> widened(const std::vector<double>& v) {
  return v;
}
template <class V>
auto widened_columns(const V& from) {
  std::array<std::vector<double>, std::tuple_size_v<V>> to;
  for (std::size_t c = 0; c < to.size(); ++c) to[c] = widened(from[c]);
  return to;
}

TYPED_TEST(AlgebraicLaws, in_contact_space_agree_with_the_reference) {
  using T = TypeParam;
  constexpr std::size_t n = 5000;
  RandomSpaceContacts<T> drawn(n, 11);
  for (std::size_t i = 0; i < n; i += 50) drawn.friction[i] = std::numeric_limits<T>::infinity();
  for (std::size_t i = 1; i < n; i += 50) drawn.friction[i] = 0;
  for (std::size_t i = 2; i < n; i += 50) drawn.separation_velocity[0][i] = drawn.separation_velocity[1][i] = 0;
  const RandomLaws<T> laws(n, 12);
  RandomSpaceContacts<double> wide(0, 0);
  wide.k = widened_columns(drawn.k);
  wide.separation_velocity = widened_columns(drawn.separation_velocity);
  wide.friction = widened(drawn.friction);
  wide.restitution = widened(drawn.restitution);
  const std::vector<double> wide_e_t = widened(laws.tangential_restitution);
  KContacts<T> contacts = drawn.space_contacts();
  contacts.laws.tangential_restitution = laws.tangential_restitution;
  KContacts<double> wide_contacts = wide.space_contacts();
  wide_contacts.laws.tangential_restitution = wide_e_t;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const Law law : closed_laws) {
    ResultArrays<double> expected(n, false);
    solve_by_reference(wide_contacts, expected.results(), law_options(law));
    for (const Isa isa : available_isas()) {
      ResultArrays<T> found(n, false);
      ConfiguredSolver(law_options(law, isa)).solve(contacts, found.results());
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(found.status[i], expected.status[i]) << i;
        const double bound = roundings * epsilon * matrix_of(contacts.k, i).condition();
        // Frictionless and bilinear impulses need not be anywhere near P_II, to which the condition applies.
        ASSERT_LE(distance(found.impulse, expected.impulse, i), bound * size(at(expected.impulse, i)))
            << to_string(law) << ", contact " << i << ", " << to_string(isa);
        // K Δp, with |K| |p| <= cond K |u0| (1 + e).
        ASSERT_LE(distance(found.separation_velocity, expected.separation_velocity, i),
                  2 * bound * size(at(wide.separation_velocity, i)))
            << to_string(law) << ", contact " << i << ", " << to_string(isa);
        // A cone within rounding is reached or not.
        if (found.path[i] != expected.path[i]) {
          const auto p = at(expected.impulse, i);
          EXPECT_NEAR(std::hypot(p[0], p[1]), wide.friction[i] * p[2], bound * size(p)) << to_string(law) << ' ' << i;
        }
      }
    }
  }
}

// The reported impulse changes the bodies' velocities by the reported separation velocity, up to rounding errors of the
// terms: velocities, and r times angular velocities.
TYPED_TEST(AlgebraicLaws, leave_bodies_that_separate_as_reported) {
  using T = TypeParam;
  constexpr std::size_t n = 3000;
  const RandomContacts<T> drawn(n, 13);
  const RandomLaws<T> laws(n, 14);
  Contacts<T> contacts = drawn.inline_contacts();
  laws.give(contacts.laws);
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  using Vector = std::array<double, 3>;
  for (const Law law : closed_laws) {
    for (const Isa isa : available_isas()) {
      ResultArrays<T> found(n);
      const Report report = ConfiguredSolver(law_options(law, isa)).solve(contacts, found.results());
      ASSERT_EQ(report.count(Status::ok), n);
      for (std::size_t i = 0; i < n; ++i) {
        Vector u{};
        double parts = 0;
        for (const double side : {1.0, -1.0}) {
          const auto& v = side > 0 ? found.velocity_a : found.velocity_b;
          const auto& w = side > 0 ? found.angular_velocity_a : found.angular_velocity_b;
          const auto& before_v = side > 0 ? drawn.a.velocity : drawn.b.velocity;
          const auto& before_w = side > 0 ? drawn.a.angular_velocity : drawn.b.angular_velocity;
          const auto& lever = side > 0 ? drawn.r_a : drawn.r_b;
          u = u + side * (at(v, i) + cross(at(w, i), at(lever, i)));
          parts += size(at(v, i)) + size(at(w, i)) * size(at(lever, i)) + size(at(before_v, i)) +
                   size(at(before_w, i)) * size(at(lever, i));
        }
        const Vector reported = at(found.separation_velocity, i);
        const double difference = size(u - reported);
        // Some 16 roundings of terms that are no larger than these in each of u0, the impulse's effect and K.
        ASSERT_LE(difference, 3 * roundings * epsilon * condition_of(drawn, i) * parts)
            << to_string(law) << ", contact " << i << ", " << to_string(isa);
      }
    }
  }
}

// [CR] 5.1: the law stays in the permissible region, at any friction.
TYPED_TEST(AlgebraicLaws, chatterjee_ruina_stays_in_the_permissible_region) {
  using T = TypeParam;
  constexpr std::size_t n = 20000;
  RandomSpaceContacts<T> drawn(n, 15);
  for (std::size_t i = 0; i < n; i += 10) drawn.friction[i] = std::numeric_limits<T>::infinity();
  const RandomLaws<T> laws(n, 16);
  KContacts<T> contacts = drawn.space_contacts();
  contacts.laws.tangential_restitution = laws.tangential_restitution;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const Isa isa : available_isas()) {
    ResultArrays<T> found(n, false);
    ConfiguredSolver(law_options(Law::chatterjee_ruina, isa)).solve(contacts, found.results());
    for (std::size_t i = 0; i < n; ++i) {
      const auto p = at(found.impulse, i), u = at(found.separation_velocity, i);
      const auto u0 = at(drawn.separation_velocity, i);
      const double bound = roundings * epsilon * matrix_of(contacts.k, i).condition();
      const double friction = static_cast<double>(drawn.friction[i]);
      EXPECT_GE(p[2], 0) << i;
      EXPECT_GE(u[2], -epsilon * size(u0)) << i;
      if (std::isfinite(friction)) {
        EXPECT_LE(std::hypot(p[0], p[1]), friction * p[2] + bound * size(p)) << i;
      }
      const double energy = 0.5 * (p[0] * (u0[0] + u[0]) + p[1] * (u0[1] + u[1]) + p[2] * (u0[2] + u[2]));
      EXPECT_LE(energy, bound * size(p) * size(u0)) << i;
    }
  }
}

// A composite of one law equals it, and a composite of two with equal weights is half way between them.
TYPED_TEST(AlgebraicLaws, composite_is_the_mean_of_its_members) {
  using T = TypeParam;
  constexpr std::size_t n = 1000;
  const RandomSpaceContacts<T> drawn(n, 17);
  const RandomLaws<T> laws(n, 18);
  const std::vector<T> weight(n, T(0.75));
  KContacts<T> contacts = drawn.space_contacts();
  contacts.laws.tangential_restitution = laws.tangential_restitution;
  for (const Isa isa : available_isas()) {
    ResultArrays<T> incremental(n, false), chatterjee_ruina(n, false), one(n, false), both(n, false);
    ConfiguredSolver(law_options(Law::incremental, isa)).solve(contacts, incremental.results());
    ConfiguredSolver(law_options(Law::chatterjee_ruina, isa)).solve(contacts, chatterjee_ruina.results());
    KContacts<T> composed = contacts;
    composed.laws.weight.incremental = weight;
    ConfiguredSolver(law_options(Law::composite, isa)).solve(composed, one.results());
    composed.laws.weight.chatterjee_ruina = weight;
    const Report report = ConfiguredSolver(law_options(Law::composite, isa)).solve(composed, both.results());
    EXPECT_EQ(report.count(Status::ok), n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto a = at(incremental.impulse, i), b = at(chatterjee_ruina.impulse, i);
      const auto p = at(one.impulse, i), mean = at(both.impulse, i);
      // A product with the weight, a quotient by it, and products with the unit of impulse.
      const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
      const double bound = 8 * epsilon * (size(a) + size(b));
      // A law as a component of a composite has other rounding errors than the law itself.
      const double components = bound + roundings * epsilon * matrix_of(contacts.k, i).condition() * size(b);
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_NEAR(p[c], a[c], bound) << i << ", " << to_string(isa);
        ASSERT_NEAR(mean[c], 0.5 * (a[c] + b[c]), components) << i << ", " << to_string(isa);
      }
    }
  }
}

}  // namespace
}  // namespace carom
