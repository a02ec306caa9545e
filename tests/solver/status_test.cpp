// Bad data: every fault has its own status, affects only its own contact, and is the same on lanes and in the
// reference.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;

constexpr std::size_t count = 21;
constexpr std::size_t bad = 12;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class V>
bool same_value(V a, V b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

SolverSetup few_steps(Isa isa) {
  SolverSetup options;
  options.integrator = Integrator::euler;
  options.execution.isa = isa;
  options.execution.threads = 1;
  options.steps = 20;
  return options;
}

/// A zero impulse, untouched velocities, no course; the other contacts as in `good`.
template <class T>
void expect_left_alone(const RandomContacts<T>& contacts, const ResultArrays<T>& results, const ResultArrays<T>& good,
                       const std::string& what) {
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(results.impulse[j][bad], T(0)) << what;
    EXPECT_TRUE(same_value(results.velocity_a[j][bad], contacts.a.velocity[j][bad])) << what;
    EXPECT_TRUE(same_value(results.angular_velocity_a[j][bad], contacts.a.angular_velocity[j][bad])) << what;
    EXPECT_TRUE(same_value(results.velocity_b[j][bad], contacts.b.velocity[j][bad])) << what;
    EXPECT_TRUE(same_value(results.angular_velocity_b[j][bad], contacts.b.angular_velocity[j][bad])) << what;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == bad) continue;
      EXPECT_EQ(results.impulse[j][i], good.impulse[j][i]) << what << ", contact " << i;
      EXPECT_EQ(results.velocity_a[j][i], good.velocity_a[j][i]) << what << ", contact " << i;
    }
  }
  EXPECT_EQ(results.work_compression[bad], T(0)) << what;
  EXPECT_EQ(results.work_decompression[bad], T(0)) << what;
  if (is_fault(results.status[bad])) {
    EXPECT_EQ(results.path[bad], Path{}) << what;
  }
}

template <class T>
class Faults : public testing::Test {
 public:
  using Change = std::function<void(RandomContacts<T>&)>;

  /// Makes contact `bad` bad and expects the status from every ISA, and from the reference.
  static void expect(Status status, const std::string& what, const Change& change) {
    const RandomContacts<T> sound(count, 21);
    RandomContacts<T> contacts(count, 21);
    change(contacts);
    for (const Isa isa : available_isas()) {
      const std::string name = what + " on " + std::string(to_string(isa));
      ResultArrays<T> good(count), results(count);
      ConfiguredSolver solver(few_steps(isa));
      EXPECT_EQ(solver.solve(sound.inline_contacts(), good.results()).count(Status::ok), count);
      const Report report = solver.solve(contacts.inline_contacts(), results.results());
      EXPECT_EQ(results.status[bad], status) << name << ": " << to_string(results.status[bad]);
      EXPECT_EQ(report.count(status), 1u) << name;
      EXPECT_EQ(report.count(Status::ok), count - 1) << name;
      expect_left_alone(contacts, results, good, name);
    }
    ResultArrays<double> reference(count);
    reference::solve(contacts.widened().inline_contacts(), reference.results(), few_steps(Isa::automatic));
    EXPECT_EQ(reference.status[bad], status) << what << ": the reference has " << to_string(reference.status[bad]);
  }

  /// Every field of a contact but friction, by name.
  static std::vector<std::pair<std::string, std::function<T&(RandomContacts<T>&)>>> fields() {
    std::vector<std::pair<std::string, std::function<T&(RandomContacts<T>&)>>> all;
    all.emplace_back("restitution", [](auto& c) -> T& { return c.restitution[bad]; });
    for (std::size_t j = 0; j < 3; ++j) {
      all.emplace_back("normal", [j](auto& c) -> T& { return c.normal[j][bad]; });
      all.emplace_back("r_a", [j](auto& c) -> T& { return c.r_a[j][bad]; });
      all.emplace_back("r_b", [j](auto& c) -> T& { return c.r_b[j][bad]; });
      all.emplace_back("velocity_a", [j](auto& c) -> T& { return c.a.velocity[j][bad]; });
      all.emplace_back("angular_velocity_a", [j](auto& c) -> T& { return c.a.angular_velocity[j][bad]; });
      all.emplace_back("velocity_b", [j](auto& c) -> T& { return c.b.velocity[j][bad]; });
      all.emplace_back("angular_velocity_b", [j](auto& c) -> T& { return c.b.angular_velocity[j][bad]; });
    }
    for (std::size_t j = 0; j < 6; ++j) {
      all.emplace_back("inverse_inertia_a", [j](auto& c) -> T& { return c.a.inverse_inertia[j][bad]; });
      all.emplace_back("inverse_inertia_b", [j](auto& c) -> T& { return c.b.inverse_inertia[j][bad]; });
    }
    all.emplace_back("inverse_mass_a", [](auto& c) -> T& { return c.a.inverse_mass[bad]; });
    all.emplace_back("inverse_mass_b", [](auto& c) -> T& { return c.b.inverse_mass[bad]; });
    return all;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Faults, Precisions);

TYPED_TEST(Faults, nan_in_any_field) {
  using T = TypeParam;
  for (const auto& [name, field] : TestFixture::fields())
    TestFixture::expect(Status::not_a_number, name, [&, &field = field](auto& c) { field(c) = static_cast<T>(nan); });
  TestFixture::expect(Status::not_a_number, "friction", [](auto& c) { c.friction[bad] = static_cast<T>(nan); });
}

TYPED_TEST(Faults, infinity_in_any_field_but_friction) {
  using T = TypeParam;
  for (const auto& [name, field] : TestFixture::fields())
    for (const double sign : {1.0, -1.0})
      TestFixture::expect(Status::infinite, name,
                          [&, &field = field](auto& c) { field(c) = static_cast<T>(sign * inf); });
}

TYPED_TEST(Faults, nan_goes_before_infinity) {
  using T = TypeParam;
  TestFixture::expect(Status::not_a_number, "both", [](auto& c) {
    c.a.velocity[0][bad] = static_cast<T>(inf);
    c.friction[bad] = static_cast<T>(nan);
  });
}

TYPED_TEST(Faults, normal_that_is_not_unit) {
  using T = TypeParam;
  for (const double factor : {1 + 3e-5, 1 - 3e-5, 0.0, 2.0, 1e30}) {
    TestFixture::expect(Status::normal_not_unit, "factor " + std::to_string(factor), [&](auto& c) {
      for (auto& column : c.normal) column[bad] = static_cast<T>(static_cast<double>(column[bad]) * factor);
    });
  }
}

TYPED_TEST(Faults, negative_inverse_mass) {
  TestFixture::expect(Status::negative_inverse_mass, "a", [](auto& c) { c.a.inverse_mass[bad] = -1; });
  TestFixture::expect(Status::negative_inverse_mass, "b", [](auto& c) { c.b.inverse_mass[bad] = TypeParam(-1e-6); });
}

TYPED_TEST(Faults, inverse_inertia_that_is_not_positive_semidefinite) {
  using T = TypeParam;
  const auto set = [](support::BodyArrays<T>& body, const std::array<double, 6>& j) {
    for (std::size_t i = 0; i < 6; ++i) body.inverse_inertia[i][bad] = static_cast<T>(j[i]);
  };
  // xx, xy, xz, yy, yz, zz: a negative diagonal; a 2 x 2 minor; a determinant with sound 2 x 2 minors; a zero diagonal
  // with nonzero off-diagonal entries; and a matrix of small entries, since the test must not depend on units.
  const std::array<std::array<double, 6>, 5> indefinite = {{{1, 0, 0, 1, 0, -0.1},
                                                            {1, 1.1, 0, 1, 0, 1},
                                                            {1, 0.9, 0.9, 1, -0.9, 1},
                                                            {0, 0.1, 0, 0, 0, 0},
                                                            {1e-9, 1.1e-9, 0, 1e-9, 0, 1e-9}}};
  for (const auto& j : indefinite) {
    TestFixture::expect(Status::inverse_inertia_not_positive_semidefinite, "a", [&](auto& c) { set(c.a, j); });
    TestFixture::expect(Status::inverse_inertia_not_positive_semidefinite, "b", [&](auto& c) { set(c.b, j); });
  }
}

TYPED_TEST(Faults, both_bodies_immovable) {
  TestFixture::expect(Status::both_immovable, "zeros", [](auto& c) {
    for (auto* body : {&c.a, &c.b}) {
      body->inverse_mass[bad] = 0;
      for (auto& column : body->inverse_inertia) column[bad] = 0;
    }
  });
}

TYPED_TEST(Faults, restitution_outside_0_and_1) {
  TestFixture::expect(Status::restitution_out_of_range, "below",
                      [](auto& c) { c.restitution[bad] = TypeParam(-1e-6); });
  TestFixture::expect(Status::restitution_out_of_range, "above",
                      [](auto& c) { c.restitution[bad] = TypeParam(1.00001); });
}

TYPED_TEST(Faults, negative_friction) {
  TestFixture::expect(Status::negative_friction, "small", [](auto& c) { c.friction[bad] = TypeParam(-1e-6); });
  TestFixture::expect(Status::negative_friction, "-inf",
                      [](auto& c) { c.friction[bad] = static_cast<TypeParam>(-inf); });
}

TYPED_TEST(Faults, a_pivot_without_mass_has_no_positive_definite_collision_matrix) {
  TestFixture::expect(Status::collision_matrix_not_positive_definite, "pivot", [](auto& c) {
    c.a.inverse_mass[bad] = 0;
    c.b.inverse_mass[bad] = 0;
    for (auto& column : c.b.inverse_inertia) column[bad] = 0;
    // With J = 1 and r = (0.5, 0, 0), K = diag(0, 1/4, 1/4) in the world frame: singular without any rounding.
    for (std::size_t j = 0; j < 6; ++j) c.a.inverse_inertia[j][bad] = j == 0 || j == 3 || j == 5 ? 1 : 0;
    c.r_a[0][bad] = TypeParam(0.5);
    c.r_a[1][bad] = c.r_a[2][bad] = 0;
    c.normal[0][bad] = c.normal[1][bad] = 0;
    c.normal[2][bad] = 1;
  });
}

TYPED_TEST(Faults, overflow_of_what_is_computed_from_finite_data) {
  // The reference has the range of double, even if the lanes are float.
  if constexpr (std::is_same_v<TypeParam, double>) {
    TestFixture::expect(Status::overflow, "u0", [](auto& c) {
      constexpr double huge = 1e300;
      for (auto& column : c.a.angular_velocity) column[bad] = huge;
      c.r_a[0][bad] = huge;
    });
  }
  // For a float contact in contact space, only the impulse overflows: |u0| / K = 1e39 N s.
  RandomSpaceContacts<float> contacts(count, 26);
  for (std::size_t j = 0; j < 6; ++j) contacts.k[j][bad] = j == 0 || j == 3 || j == 5 ? 1e-19f : 0.0f;
  for (std::size_t j = 0; j < 3; ++j) contacts.separation_velocity[j][bad] = -1e20f;
  for (const Isa isa : available_isas()) {
    ResultArrays<float> results(count, false);
    ConfiguredSolver(few_steps(isa)).solve(contacts.space_contacts(), results.results());
    EXPECT_EQ(results.status[bad], Status::overflow);
    EXPECT_EQ(results.impulse[2][bad], 0.0f);
    EXPECT_EQ(results.separation_velocity[2][bad], -1e20f);
  }
}

TYPED_TEST(Faults, the_first_in_the_order_of_status_counts) {
  using T = TypeParam;
  TestFixture::expect(Status::normal_not_unit, "normal, restitution and friction", [](auto& c) {
    c.normal[0][bad] = 3;
    c.restitution[bad] = 2;
    c.friction[bad] = -1;
  });
  TestFixture::expect(Status::restitution_out_of_range, "restitution and friction", [](auto& c) {
    c.restitution[bad] = 2;
    c.friction[bad] = -1;
  });
  TestFixture::expect(Status::restitution_out_of_range, "a fault of a contact that separates", [](auto& c) {
    c.restitution[bad] = static_cast<T>(-2);
    for (std::size_t j = 0; j < 3; ++j) c.a.velocity[j][bad] += 1000 * c.normal[j][bad];
  });
}

TYPED_TEST(Faults, separating_contacts_are_a_normal_outcome) {
  TestFixture::expect(Status::separating, "apart", [](auto& c) {
    for (std::size_t j = 0; j < 3; ++j) c.a.velocity[j][bad] += 1000 * c.normal[j][bad];
  });
}

TYPED_TEST(Faults, a_step_that_is_not_positive_or_not_finite) {
  using T = TypeParam;
  const RandomSpaceContacts<T> contacts(count, 22);
  for (const auto& [value, status] : {std::pair{0.0, Status::step_not_positive},
                                      {-1.0, Status::step_not_positive},
                                      {nan, Status::not_a_number},
                                      {inf, Status::infinite}}) {
    std::vector<T> step(count, T(0.001));
    step[bad] = static_cast<T>(value);
    KContacts<T> view = contacts.space_contacts();
    view.laws.step = step;
    for (const Isa isa : available_isas()) {
      ResultArrays<T> results(count, false);
      ConfiguredSolver(few_steps(isa)).solve(view, results.results());
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(results.status[i], i == bad ? status : Status::ok) << value;
    }
  }
}

TYPED_TEST(Faults, a_restitution_law_that_is_not_available) {
  using T = TypeParam;
  const RandomSpaceContacts<T> contacts(count, 23);
  for (const RestitutionLaw law : {RestitutionLaw::kinetic, RestitutionLaw::kinematic}) {
    std::vector<RestitutionLaw> laws(count, RestitutionLaw::energetic);
    laws[bad] = law;
    KContacts<T> view = contacts.space_contacts();
    view.laws.restitution_law = laws;
    for (const Isa isa : available_isas()) {
      ResultArrays<T> results(count, false);
      ConfiguredSolver(few_steps(isa)).solve(view, results.results());
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(results.status[i], i == bad ? Status::restitution_law_unavailable : Status::ok);
    }
  }
}

TYPED_TEST(Faults, a_collision_matrix_of_the_host_that_is_not_positive_definite) {
  using T = TypeParam;
  const std::array<std::array<double, 6>, 5> not_definite = {
      {{-1, 0, 0, 1, 0, 1}, {1, 1, 0, 1, 0, 1}, {1, 2, 0, 1, 0, 1}, {1, 0, 1, 1, 0, 1}, {0, 0, 0, 0, 0, 0}}};
  for (const auto& k : not_definite) {
    RandomSpaceContacts<T> contacts(count, 24);
    for (std::size_t j = 0; j < 6; ++j) contacts.k[j][bad] = static_cast<T>(k[j]);
    for (const Isa isa : available_isas()) {
      ResultArrays<T> results(count, false);
      ConfiguredSolver(few_steps(isa)).solve(contacts.space_contacts(), results.results());
      EXPECT_EQ(results.status[bad], Status::collision_matrix_not_positive_definite);
      EXPECT_EQ(results.impulse[2][bad], T(0));
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_EQ(results.separation_velocity[j][bad], contacts.separation_velocity[j][bad]);
    }
  }
}

TYPED_TEST(Faults, body_indices) {
  using T = TypeParam;
  constexpr std::size_t bodies = 30;
  for (const auto& [a, b, status] : {std::tuple{30, 0, Status::body_index_out_of_range},
                                     {0, -2, Status::body_index_out_of_range},
                                     {std::numeric_limits<std::int32_t>::min(), 1, Status::body_index_out_of_range},
                                     {std::numeric_limits<std::int32_t>::max(), 1, Status::body_index_out_of_range},
                                     {7, 7, Status::same_body},
                                     {-1, -1, Status::both_immovable}}) {
    RandomIndexedContacts<T> contacts(count, bodies, 25);
    contacts.body_a[bad] = a;
    contacts.body_b[bad] = b;
    for (const Isa isa : available_isas()) {
      ResultArrays<T> results(count);
      ConfiguredSolver(few_steps(isa)).solve(contacts.indexed_contacts(), results.results());
      EXPECT_EQ(results.status[bad], status) << a << ' ' << b << ": " << to_string(results.status[bad]);
      EXPECT_EQ(results.impulse[0][bad], T(0));
      EXPECT_EQ(std::isnan(results.separation_velocity[0][bad]), status == Status::body_index_out_of_range);
    }
  }
}

TYPED_TEST(Faults, the_step_budget_is_a_status_and_leaves_the_bodies_alone) {
  using T = TypeParam;
  const RandomContacts<T> contacts(count, 21);
  for (const Isa isa : available_isas()) {
    SolverSetup options = few_steps(isa);
    ResultArrays<T> unbounded(count), results(count);
    ConfiguredSolver(options).solve(contacts.inline_contacts(), unbounded.results());
    options.step_budget = 30;
    const Report report = ConfiguredSolver(options).solve(contacts.inline_contacts(), results.results());
    std::size_t reached = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (unbounded.steps[i] <= 30) {
        EXPECT_EQ(results.status[i], Status::ok);
        EXPECT_EQ(results.impulse[0][i], unbounded.impulse[0][i]);
      } else {
        ++reached;
        EXPECT_EQ(results.status[i], Status::step_budget_reached);
        EXPECT_EQ(results.steps[i], 30);
        EXPECT_EQ(results.impulse[0][i], T(0));
        EXPECT_EQ(results.velocity_a[0][i], contacts.a.velocity[0][i]);
      }
    }
    EXPECT_GT(reached, 0u);
    EXPECT_LT(reached, count);
    EXPECT_EQ(report.count(Status::step_budget_reached), reached);
  }
}

// Without normalisation the impulse would have a relative error of some 5e-6. With it, a normal that is 5e-6 too long
// rounds to within a few 1e-16 of the exact one, and the condition of a collision amplifies this to less than 1e-11.
TEST(Faults, within_the_tolerance_a_normal_is_normalised) {
  RandomContacts<double> contacts(count, 21);
  ResultArrays<double> exact(count), off(count);
  ConfiguredSolver solver(few_steps(Isa::automatic));
  solver.solve(contacts.inline_contacts(), exact.results());
  for (auto& column : contacts.normal)
    for (double& x : column) x *= 1 + 5e-6;
  EXPECT_EQ(solver.solve(contacts.inline_contacts(), off.results()).faults(), 0u);
  for (std::size_t i = 0; i < count; ++i) {
    double size = 0;
    for (std::size_t j = 0; j < 3; ++j) size += std::abs(exact.impulse[j][i]);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(off.impulse[j][i], exact.impulse[j][i], 1e-11 * size);
  }
}

TEST(Statuses, resolved_are_those_with_an_impulse) {
  for (std::size_t i = 0; i < 256; ++i) {
    const auto status = static_cast<Status>(i);
    EXPECT_EQ(is_resolved(status), status == Status::ok || status == Status::several_solutions) << i;
    if (status != Status::separating) {
      EXPECT_NE(is_resolved(status), is_fault(status)) << i;
    }
  }
}

// Two consecutive batches add up to the batch of both, for any position of the max. gain of energy.
TEST(Reports, add_up_to_that_of_the_whole_batch) {
  constexpr std::size_t n = 500;
  for (const std::size_t first : {n / 5, n - n / 5}) {
    RandomSpaceContacts<double> drawn(n, 22);
    // A restitution above 1 gains energy, without friction and at this speed more than any other contact has.
    drawn.restitution[n / 2] = 1.5;
    drawn.friction[n / 2] = 0;
    drawn.separation_velocity[2][n / 2] = -1e3;
    drawn.friction[n - 1] = -1;
    const auto report_of = [&](std::size_t begin, std::size_t end) {
      const auto part = [&](std::vector<double>& values) { return std::span(values).subspan(begin, end - begin); };
      KContacts<double> contacts;
      contacts.friction = part(drawn.friction);
      contacts.restitution = part(drawn.restitution);
      auto& [xx, xy, xz, yy, yz, zz] = drawn.k;
      contacts.k = {part(xx), part(xy), part(xz), part(yy), part(yz), part(zz)};
      auto& [x, y, z] = drawn.separation_velocity;
      contacts.separation_velocity = {part(x), part(y), part(z)};
      SolverSetup options = few_steps(Isa::automatic);
      options.data.max_restitution = 2;
      return ConfiguredSolver(options).solve(contacts, Results<double>{});
    };
    Report sum = report_of(0, first);
    sum += report_of(first, n);
    const Report whole = report_of(0, n);
    EXPECT_EQ(sum.contacts, n);
    EXPECT_EQ(sum.by_status, whole.by_status);
    EXPECT_EQ(sum.by_path, whole.by_path);
    EXPECT_EQ(sum.isa, whole.isa);
    EXPECT_EQ(sum.threads, 1);
    EXPECT_EQ(sum.sliding_steps, whole.sliding_steps);
    EXPECT_GE(sum.lane_steps, sum.sliding_steps);
    EXPECT_GT(whole.max_energy_gain, 0);
    EXPECT_EQ(sum.max_energy_gain, whole.max_energy_gain);
    EXPECT_EQ(whole.max_energy_gain_contact, n / 2);
    EXPECT_EQ(sum.max_energy_gain_contact, n / 2);
  }
}

TEST(Reports, keep_the_larger_number_of_threads_and_the_earlier_of_equal_gains) {
  Report report{.contacts = 5, .isa = Isa::scalar, .threads = 3, .max_energy_gain = 1};
  report.max_energy_gain_contact = 4;
  Report next{.contacts = 2, .isa = Isa::sse2, .threads = 2, .max_energy_gain = 1};
  report += next;
  EXPECT_EQ(report.contacts, 7u);
  EXPECT_EQ(report.threads, 3);
  EXPECT_EQ(report.isa, Isa::sse2);
  EXPECT_EQ(report.max_energy_gain_contact, 4u);
}

}  // namespace
}  // namespace carom
