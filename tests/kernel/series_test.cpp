// The series integrator: the kernels of every ISA against exact solutions from independent programs, and against the
// exact reference, which uses collocation. A contact has the same bits in every batch. Invariants of every collision.
// The golden sets are exact to 1e-10 of |u0|, rows of kind ill_conditioned to 1e-8.
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
#include "io/files/contact_file.hpp"
#include "support/contacts/file_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::RandomContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;

template <class T>
class Series : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Series, Precisions);

constexpr std::array laws = {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic};

template <class T>
constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

SolverSetup options(Isa isa = Isa::automatic) {
  SolverSetup o;
  o.execution.isa = isa;
  o.execution.threads = 1;
  o.integrator = Integrator::series;
  return o;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Required accuracy of the integrator, relative to |u0|: rounding only for the median; for the worst row, rounding
// errors amplified along the path.
template <class T>
double median_mark() {
  return std::is_same_v<T, float> ? 3e-7 : 5e-15;
}
template <class T>
double worst_mark() {
  return std::is_same_v<T, float> ? 1e-4 : 1e-10;
}

struct Golden {
  io::Table table;
  std::array<std::vector<double>, 3> u, p, u0;
};

Golden read_golden() {
  Golden golden{io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "incremental3d.csv"), {}, {}, {}};
  for (std::size_t j = 0; j < 3; ++j) {
    const std::string axis(1, "xyz"[j]);
    golden.u[j] = golden.table.numbers("u_" + axis);
    golden.p[j] = golden.table.numbers("p_" + axis);
    golden.u0[j] = golden.table.numbers("u0_" + axis);
  }
  return golden;
}

TYPED_TEST(Series, meets_the_golden_set_on_every_isa) {
  using T = TypeParam;
  const Golden golden = read_golden();
  const std::size_t kind = golden.table.find("kind"), path = golden.table.find("path");
  const support::FileContacts<KContacts<T>> contacts(golden.table);
  for (const Isa isa : available_isas()) {
    ResultArrays<T> results(contacts.size(), false);
    ConfiguredSolver(options(isa)).solve(contacts.view(), results.results());
    std::vector<double> errors;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const auto of_kind = golden.table.cell(i, kind);
      // Float cannot distinguish all of these from singular ones.
      if (std::is_same_v<T, float> && of_kind == "ill_conditioned" && results.status[i] != Status::ok) {
        EXPECT_EQ(results.status[i], Status::collision_matrix_not_positive_definite) << i;
        continue;
      }
      ASSERT_FALSE(is_fault(results.status[i])) << i << ": " << to_string(results.status[i]) << to_string(isa);
      double error = 0, speed = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        error = std::hypot(error, static_cast<double>(results.separation_velocity[j][i]) - golden.u[j][i]);
        speed = std::hypot(speed, golden.u0[j][i]);
      }
      error /= speed;
      if (of_kind == "ill_conditioned") {
        if (std::is_same_v<T, double>) {
          EXPECT_LE(error, 1e-8) << "row " << i << " on " << to_string(isa);
        }
        continue;
      }
      errors.push_back(error);
      EXPECT_LE(error, worst_mark<T>()) << "row " << i << " on " << to_string(isa);
      // Contacts that start on a separatrix, up to rounding, may take either path to the same end.
      if (std::is_same_v<T, double> && of_kind != "unstable") {
        EXPECT_EQ(to_string(results.path[i]), golden.table.cell(i, path)) << "row " << i << " on " << to_string(isa);
      }
    }
    EXPECT_LE(median(errors), median_mark<T>()) << to_string(isa);
  }
}

// A planar collision embedded in space, with any inertia across the plane.
TYPED_TEST(Series, meets_the_planar_golden_set) {
  using T = TypeParam;
  const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "planar.csv");
  const std::size_t n = table.rows();
  const auto numbers = [&](const char* name) {
    const std::vector<double> values = table.numbers(name);
    return std::vector<T>(values.begin(), values.end());
  };
  const std::vector<T> kxx = numbers("k_xx"), kxy = numbers("k_xy"), kyy = numbers("k_yy");
  const std::vector<T> ux = numbers("u0_x"), uy = numbers("u0_y"), zeros(n, T(0));
  const std::vector<T> friction = numbers("friction"), restitution = numbers("restitution");
  KContacts<T> contacts;
  contacts.k = {kxx, zeros, kxy, kxx, zeros, kyy};
  contacts.separation_velocity = {ux, zeros, uy};
  contacts.friction = friction;
  contacts.restitution = restitution;
  ResultArrays<T> results(n, false);
  ConfiguredSolver(options()).solve(contacts, results.results());
  const std::vector<double> x = table.numbers("u_x"), y = table.numbers("u_y");
  std::vector<double> errors;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_FALSE(is_fault(results.status[i])) << i << ": " << to_string(results.status[i]);
    const auto u = [&](std::size_t j) { return static_cast<double>(results.separation_velocity[j][i]); };
    const double speed = std::hypot(static_cast<double>(ux[i]), static_cast<double>(uy[i]));
    errors.push_back(std::hypot(u(0) - x[i], u(1), u(2) - y[i]) / speed);
    EXPECT_LE(errors.back(), worst_mark<T>()) << i;
  }
  EXPECT_LE(median(errors), median_mark<T>());
}

// Both are exact to rounding, by different methods. The law itself is steep for a few of the random contacts: the
// reference's distance to the nearest decision bounds the slope.
TYPED_TEST(Series, agrees_with_the_exact_reference_under_every_law) {
  using T = TypeParam;
  constexpr std::size_t count = 4000;
  for (const RestitutionLaw law : laws) {
    const RandomContacts<T> contacts(count, 3);
    const RandomContacts<double> wide = contacts.widened();
    SolverSetup o = options();
    o.restitution_law = law;
    ResultArrays<T> results(count);
    ResultArrays<double> expected(count);
    std::vector<double> distance(count);
    ConfiguredSolver(o).solve(contacts.inline_contacts(), results.results());
    solve_by_reference(wide.inline_contacts(), expected.results(), o, distance);
    std::vector<double> errors, work_errors;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(results.status[i], expected.status[i]) << i;
      const auto difference = [&](const auto& a, const auto& b) {
        double sum = 0, size = 0;
        for (std::size_t j = 0; j < 3; ++j) {
          sum = std::hypot(sum, static_cast<double>(a[j][i]) - b[j][i]);
          size = std::hypot(size, b[j][i]);
        }
        return sum / size;
      };
      errors.push_back(difference(results.impulse, expected.impulse));
      const double work = expected.work_decompression[i] - expected.work_compression[i];
      work_errors.push_back(
          (std::abs(static_cast<double>(results.work_compression[i]) - expected.work_compression[i]) +
           std::abs(static_cast<double>(results.work_decompression[i]) - expected.work_decompression[i])) /
          work);
      if (distance[i] > 100 * epsilon<T>) {
        EXPECT_EQ(to_string(results.path[i]), to_string(expected.path[i])) << i;
      }
    }
    const auto worst = [](const std::vector<double>& values) {
      return *std::max_element(values.begin(), values.end());
    };
    constexpr bool is_float = std::is_same_v<T, float>;
    EXPECT_LE(median(errors), (is_float ? 5e-7 : 5e-15)) << to_string(law);
    EXPECT_LE(worst(errors), (is_float ? 1e-4 : 1e-11)) << to_string(law);
    EXPECT_LE(median(work_errors), (is_float ? 1e-6 : 5e-15)) << to_string(law);
    EXPECT_LE(worst(work_errors), (is_float ? 1e-3 : 1e-11)) << to_string(law);
  }
}

template <class T>
std::vector<unsigned char> bits(const ResultArrays<T>& r, std::size_t i) {
  std::vector<unsigned char> all;
  const auto add = [&](const auto& value) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    all.insert(all.end(), bytes, bytes + sizeof value);
  };
  for (std::size_t j = 0; j < 3; ++j) {
    add(r.impulse[j][i]);
    add(r.separation_velocity[j][i]);
  }
  add(r.work_compression[i]);
  add(r.work_decompression[i]);
  add(r.steps[i]);
  add(r.status[i]);
  add(r.path[i]);
  return all;
}

// K with wide eigenvalues and friction up to 4: many compressions, all laws, some contacts without friction or with
// unbounded friction, some at rest tangentially.
template <class T>
struct Mixed {
  explicit Mixed(std::size_t count) : contacts(count, 19), law(count) {
    for (std::size_t i = 0; i < count; ++i) {
      law[i] = laws[i % 3];
      contacts.friction[i] *= T(3);
      if (i % 7 == 0) contacts.friction[i] = T(0);
      if (i % 11 == 0) contacts.friction[i] = std::numeric_limits<T>::infinity();
      if (i % 13 == 0) contacts.separation_velocity[0][i] = contacts.separation_velocity[1][i] = T(0);
      if (i % 17 == 0) contacts.restitution[i] = T(0);
    }
  }
  KContacts<T> view() const {
    KContacts<T> v = contacts.space_contacts();
    v.laws.restitution_law = law;
    return v;
  }
  RandomSpaceContacts<T> contacts;
  std::vector<RestitutionLaw> law;
};

TYPED_TEST(Series, gives_the_same_bits_on_every_isa_with_fused_multiply_add) {
  using T = TypeParam;
  constexpr std::size_t count = 6000;
  const Mixed<T> mixed(count);
  ResultArrays<T> expected(count, false);
  ConfiguredSolver(options(Isa::scalar)).solve(mixed.view(), expected.results());
  for (const Isa isa : available_isas()) {
    if (isa == Isa::sse2) continue;
    ResultArrays<T> results(count, false);
    ConfiguredSolver(options(isa)).solve(mixed.view(), results.results());
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(bits(results, i), bits(expected, i)) << to_string(isa) << i;
  }
}

TYPED_TEST(Series, gives_a_contact_the_same_bits_alone_and_in_any_batch) {
  using T = TypeParam;
  constexpr std::size_t count = 3000;
  const Mixed<T> mixed(count);
  ResultArrays<T> together(count, false);
  SolverSetup two = options();
  two.execution.threads = 2;
  ConfiguredSolver(two).solve(mixed.view(), together.results());
  ConfiguredSolver solver(options());
  for (std::size_t i = 0; i < count; i += 7) {
    Mixed<T> one(1);
    for (std::size_t j = 0; j < 6; ++j) one.contacts.k[j][0] = mixed.contacts.k[j][i];
    for (std::size_t j = 0; j < 3; ++j)
      one.contacts.separation_velocity[j][0] = mixed.contacts.separation_velocity[j][i];
    one.contacts.friction[0] = mixed.contacts.friction[i];
    one.contacts.restitution[0] = mixed.contacts.restitution[i];
    one.law[0] = mixed.law[i];
    ResultArrays<T> alone(1, false);
    solver.solve(one.view(), alone.results());
    ASSERT_EQ(bits(alone, 0), bits(together, i)) << i;
  }
}

TYPED_TEST(Series, resolves_every_mixed_contact_and_gains_no_energy_but_by_newtons_law) {
  using T = TypeParam;
  constexpr std::size_t count = 50000;
  const Mixed<T> mixed(count);
  ResultArrays<T> results(count, false);
  const Report report = ConfiguredSolver(options()).solve(mixed.view(), results.results());
  EXPECT_EQ(report.faults(), 0u);
  for (std::size_t i = 0; i < count; ++i) {
    if (results.status[i] != Status::ok || mixed.law[i] == RestitutionLaw::kinematic) continue;
    double gain = 0, before = 0, norm_p = 0;
    double u0[3], p[3];
    for (std::size_t j = 0; j < 3; ++j) {
      u0[j] = static_cast<double>(mixed.contacts.separation_velocity[j][i]);
      p[j] = static_cast<double>(results.impulse[j][i]);
      gain += 0.5 * p[j] * (u0[j] + static_cast<double>(results.separation_velocity[j][i]));
      norm_p = std::hypot(norm_p, p[j]);
      before = std::hypot(before, u0[j]);
    }
    // p·u0 and p·u are sums of three products each; p and u themselves are good to some tens of ε of their size.
    EXPECT_LE(gain, 50 * epsilon<T> * norm_p * before) << i;
    // Inside the cone: sums of the same signs as the normal impulse, and the sticking part by its own condition.
    const double friction = static_cast<double>(mixed.contacts.friction[i]);
    if (std::isfinite(friction)) {
      EXPECT_LE(std::hypot(p[0], p[1]), friction * p[2] + 50 * epsilon<T> * norm_p) << i;
    }
    EXPECT_GE(results.separation_velocity[2][i], T(0)) << i;
  }
}

TYPED_TEST(Series, gives_back_what_each_law_promises_where_nothing_slides) {
  using T = TypeParam;
  // Without friction all three mean u_z = -e u0_z.
  constexpr std::size_t count = 300;
  Mixed<T> mixed(count);
  for (T& friction : mixed.contacts.friction) friction = T(0);
  ResultArrays<T> results(count, false);
  ConfiguredSolver(options()).solve(mixed.view(), results.results());
  for (std::size_t i = 0; i < count; ++i) {
    const double u0 = static_cast<double>(mixed.contacts.separation_velocity[2][i]);
    const double e = static_cast<double>(mixed.contacts.restitution[i]);
    EXPECT_NEAR(static_cast<double>(results.separation_velocity[2][i]), -e * u0, 10 * epsilon<T> * std::abs(u0)) << i;
    if (i % 13 != 0) {
      EXPECT_EQ(to_string(results.path[i]), "slide_end+c1d1");
    }
  }
}

// The slip decreases along -M u_t, however slender M, and ends at u_z = u0_z - q·u0_t if the collision does not end
// before.
TEST(SeriesUnboundedFriction, stops_the_slip_in_few_steps_whatever_the_condition_of_k) {
  for (const double ratio : {1.0, 1e-2, 1e-4, 1e-6}) {
    constexpr std::size_t count = 16;
    RandomSpaceContacts<double> contacts(count, 1);
    for (std::size_t i = 0; i < count; ++i) {
      const double c = std::cos(0.3 * static_cast<double>(i)), s = std::sin(0.3 * static_cast<double>(i));
      const double q = 0.2 * std::sqrt(ratio);  // k = M (0, q) along the slender axis
      const double k[6] = {c * c + s * s * ratio, c * s * (1 - ratio), -s * ratio * q,
                           s * s + c * c * ratio, c * ratio * q,       1};
      for (std::size_t j = 0; j < 6; ++j) contacts.k[j][i] = k[j];
      for (std::size_t j = 0; j < 3; ++j) contacts.separation_velocity[j][i] = j == 0 ? 1 : j == 1 ? 0.5 : -1;
      contacts.friction[i] = std::numeric_limits<double>::infinity();
      contacts.restitution[i] = 0;
    }
    ResultArrays<double> results(count, false);
    ConfiguredSolver(options()).solve(contacts.space_contacts(), results.results());
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(results.status[i], Status::ok);
      EXPECT_LE(results.steps[i], 50) << ratio;
      // The change of u is K times the impulse.
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
        double change = 0;
        for (std::size_t l = 0; l < 3; ++l) change += contacts.k[row[j][l]][i] * results.impulse[l][i];
        EXPECT_NEAR(change, results.separation_velocity[j][i] - contacts.separation_velocity[j][i],
                    64 * epsilon<double> / ratio);
      }
      // Plastic: u is 0. M^-1 amplifies the rounding of K.
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(results.separation_velocity[j][i], 0, 16 * epsilon<double> / ratio) << ratio;
    }
  }
}

TEST(SeriesBudget, is_reported_and_leaves_the_contact_alone) {
  const RandomSpaceContacts<double> contacts(500, 5);
  SolverSetup o = options();
  o.step_budget = 1;
  ResultArrays<double> results(500, false);
  const Report report = ConfiguredSolver(o).solve(contacts.space_contacts(), results.results());
  EXPECT_GT(report.count(Status::step_budget_reached), 0u);
  EXPECT_GT(report.count(Status::ok), 0u);
  for (std::size_t i = 0; i < 500; ++i) {
    if (results.status[i] != Status::step_budget_reached) continue;
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(results.impulse[j][i], 0);
      EXPECT_EQ(results.separation_velocity[j][i], contacts.separation_velocity[j][i]);
    }
    EXPECT_EQ(results.steps[i], 1);
  }
}

}  // namespace
}  // namespace carom
