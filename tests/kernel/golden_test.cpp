// The kernels of every ISA against the golden sets, which hold exact solutions made independently of carom. Euler is of
// first order, so the errors of many contacts halve with the step and the golden value is their limit. The error of one
// contact is a sawtooth, since the last step overshoots the end by a part of itself.
#include <gtest/gtest.h>

#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "io/files/contact_file.hpp"
#include "support/contacts/file_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::ResultArrays;

struct Golden {
  io::Table table;
  std::vector<std::size_t> rows;  // that have a golden value of the energetic law
  std::array<std::vector<double>, 3> u;
  std::vector<double> speed;  // |u0|
};

Golden read(const std::string& file, const std::string& name) {
  Golden golden{io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / file), {}, {}, {}};
  const std::size_t law = golden.table.find("restitution_law"), kind = golden.table.find("kind");
  for (std::size_t i = 0; i < golden.table.rows(); ++i) {
    if (law != io::Table::none && golden.table.cell(i, law) != "energetic") continue;
    // The law itself jumps where the work just suffices at the crest before a second compression.
    if (kind != io::Table::none && golden.table.cell(i, kind) == "multi_phase") continue;
    golden.rows.push_back(i);
  }
  for (std::size_t j = 0; j < 3; ++j) golden.u[j] = golden.table.numbers(name + "_" + "xyz"[j]);
  return golden;
}

template <class AnyContacts>
ResultArrays<double> solve(const AnyContacts& contacts, Isa isa, int steps, bool bodies) {
  SolverSetup options;
  options.integrator = Integrator::euler;
  options.execution.isa = isa;
  options.execution.threads = 1;
  options.steps = steps;
  options.step_budget = 1 << 30;
  ResultArrays<double> results(contacts.friction.count, bodies);
  ConfiguredSolver(options).solve(contacts, results.results());
  return results;
}

// The number of steps is chosen so that the last error is some 1e-4, far above the 3e-11 to which the sets are good.
template <class Difference>
void expect_errors_to_halve(const std::vector<std::size_t>& rows, Difference&& error_with_steps) {
  ASSERT_GE(rows.size(), 100u) << "too few for the sawtooth to average out";
  double coarser = 0;
  for (int steps = 200; steps <= 3200; steps *= 2) {
    const auto error = error_with_steps(steps);
    double sum = 0;
    for (const std::size_t i : rows) sum += error(i);
    if (coarser > 0) {
      EXPECT_GT(coarser / sum, 1.8) << steps;
      EXPECT_LT(coarser / sum, 2.3) << steps;
    }
    coarser = sum;
  }
}

TEST(KernelGolden, errors_in_contact_space_halve_with_the_step) {
  const Golden golden = read("incremental3d.csv", "u");
  const support::FileContacts<KContacts<double>> contacts(golden.table);
  const auto& u0 = contacts.view().separation_velocity;
  for (const Isa isa : available_isas()) {
    expect_errors_to_halve(golden.rows, [&](int steps) {
      const auto results = solve(contacts.view(), isa, steps, false);
      return [&, results](std::size_t i) {
        EXPECT_EQ(results.status[i], Status::ok);
        const auto& u = results.separation_velocity;
        return std::hypot(u[0][i] - golden.u[0][i], u[1][i] - golden.u[1][i], u[2][i] - golden.u[2][i]) /
               std::hypot(u0.x[i], u0.y[i], u0.z[i]);
      };
    });
  }
}

/// vA + wA x rA - vB - wB x rB
std::array<double, 3> separation_velocity(const Contacts<double>& c, const Vector3Columns<const double>& va,
                                          const Vector3Columns<const double>& wa,
                                          const Vector3Columns<const double>& vb,
                                          const Vector3Columns<const double>& wb, std::size_t i) {
  const auto point = [&](const auto& v, const auto& w, const auto& r) {
    return std::array{v.x[i] + w.y[i] * r.z[i] - w.z[i] * r.y[i], v.y[i] + w.z[i] * r.x[i] - w.x[i] * r.z[i],
                      v.z[i] + w.x[i] * r.y[i] - w.y[i] * r.x[i]};
  };
  const auto a = point(va, wa, c.r_a), b = point(vb, wb, c.r_b);
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

TEST(KernelGolden, errors_of_bodies_halve_with_the_step) {
  const Golden golden = read("bodies3d.csv", "impulse");
  const support::FileContacts<Contacts<double>> contacts(golden.table);
  const auto& c = contacts.view();
  const auto after = [&](const std::string& name) {
    std::array<std::vector<double>, 3> columns;
    for (std::size_t j = 0; j < 3; ++j) columns[j] = golden.table.numbers(name + "_" + "xyz"[j]);
    return columns;
  };
  const auto view = [](const std::array<std::vector<double>, 3>& v) {
    return Vector3Columns<const double>{v[0], v[1], v[2]};
  };
  const auto va = after("new_velocity_a"), wa = after("new_angular_velocity_a");
  const auto vb = after("new_velocity_b"), wb = after("new_angular_velocity_b");
  std::vector<std::size_t> colliding;
  for (const std::size_t i : golden.rows)
    if (golden.table.cell(i, golden.table.find("path")) != "separating") colliding.push_back(i);
  for (const Isa isa : available_isas()) {
    expect_errors_to_halve(colliding, [&](int steps) {
      const auto results = solve(c, isa, steps, true);
      return [&, results](std::size_t i) {
        EXPECT_EQ(results.status[i], Status::ok);
        const auto exact = separation_velocity(c, view(va), view(wa), view(vb), view(wb), i);
        const auto before =
            separation_velocity(c, c.a.velocity, c.a.angular_velocity, c.b.velocity, c.b.angular_velocity, i);
        const auto& u = results.separation_velocity;
        return std::hypot(u[0][i] - exact[0], u[1][i] - exact[1], u[2][i] - exact[2]) /
               std::hypot(before[0], before[1], before[2]);
      };
    });
  }
}

TEST(KernelGolden, contacts_that_separate_are_left_alone) {
  const Golden golden = read("bodies3d.csv", "impulse");
  const support::FileContacts<Contacts<double>> contacts(golden.table);
  const auto results = solve(contacts.view(), Isa::automatic, 200, true);
  std::size_t tried = 0;
  for (const std::size_t i : golden.rows) {
    if (golden.table.cell(i, golden.table.find("path")) != "separating") continue;
    ++tried;
    EXPECT_EQ(results.status[i], Status::separating);
    EXPECT_EQ(to_string(results.path[i]), "separating");
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(results.impulse[j][i], 0);
  }
  EXPECT_GT(tried, 10u);
}

// The new velocities of the golden set follow from its impulse by momentum, and carom's from carom's impulse: the
// difference is the difference of the impulses times 1/m or I^-1 r x, up to rounding.
TEST(KernelGolden, new_velocities_of_bodies_are_those_of_the_golden_impulse) {
  const Golden golden = read("bodies3d.csv", "impulse");
  const support::FileContacts<Contacts<double>> contacts(golden.table);
  const auto& c = contacts.view();
  std::array<std::vector<double>, 3> velocity;
  for (std::size_t j = 0; j < 3; ++j) velocity[j] = golden.table.numbers(std::string("new_velocity_b_") + "xyz"[j]);
  const auto results = solve(c, Isa::automatic, 200, true);
  for (const std::size_t i : golden.rows) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double expected = velocity[j][i] - c.b.inverse_mass[i] * (results.impulse[j][i] - golden.u[j][i]);
      const double size =
          std::abs(expected) + c.b.inverse_mass[i] * (std::abs(results.impulse[j][i]) + std::abs(golden.u[j][i]));
      // Four roundings in each of carom, this test and the set.
      EXPECT_NEAR(results.velocity_b[j][i], expected, 12 * 0x1p-53 * size) << i;
    }
  }
}

// At 200 steps the error of the step, some 2e-3 in the mean, is far above the error of float: some 500 steps of 6e-8,
// amplified by 10 or so where K is well conditioned, is 3e-4. So the sum of errors equals the sum in double to a tenth.
TEST(KernelGolden, float_comes_as_near_to_the_golden_values_as_the_step_lets_it) {
  const Golden golden = read("incremental3d.csv", "u");
  const support::FileContacts<KContacts<double>> contacts(golden.table);
  const support::FileContacts<KContacts<float>> rounded(golden.table);
  const auto in_double = solve(contacts.view(), Isa::automatic, 200, false);
  for (const Isa isa : available_isas()) {
    SolverSetup options;
    options.integrator = Integrator::euler;
    options.execution.isa = isa;
    ResultArrays<float> in_float(golden.table.rows(), false);
    ConfiguredSolver(options).solve(rounded.view(), in_float.results());
    double sum = 0, sum_of_double = 0;
    for (const std::size_t i : golden.rows) {
      if (golden.table.cell(i, golden.table.find("kind")) == "ill_conditioned") continue;
      EXPECT_EQ(in_float.status[i], Status::ok);
      const auto& u0 = contacts.view().separation_velocity;
      const auto error = [&](const auto& u) {
        return std::hypot(u[0][i] - golden.u[0][i], u[1][i] - golden.u[1][i], u[2][i] - golden.u[2][i]) /
               std::hypot(u0.x[i], u0.y[i], u0.z[i]);
      };
      sum += error(in_float.separation_velocity);
      sum_of_double += error(in_double.separation_velocity);
    }
    EXPECT_NEAR(sum, sum_of_double, 0.1 * sum_of_double) << to_string(isa);
  }
}

TEST(KernelGolden, contacts_that_stick_from_the_start_are_exact) {
  const Golden golden = read("incremental3d.csv", "u");
  const support::FileContacts<KContacts<double>> contacts(golden.table);
  std::size_t tried = 0;
  const auto results = solve(contacts.view(), Isa::automatic, 200, false);
  for (const std::size_t i : golden.rows) {
    if (golden.table.cell(i, golden.table.find("kind")) != "stick_at_start") continue;
    ++tried;
    EXPECT_EQ(to_string(results.path[i]), golden.table.cell(i, golden.table.find("path")));
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(results.separation_velocity[j][i], golden.u[j][i],
                  3e-11 * std::abs(contacts.view().separation_velocity.z[i]))
          << "the accuracy of the set";
  }
  EXPECT_GT(tried, 10u);
}

// The example of [R] 1.2, in which du_z/dp_z turns negative between two compressions. Its exact end:
// u = (-18.30499434, -63.75658395, 3.19134599), p = (-15.09702356, 25.63524771, 60.81154355).
TEST(KernelGolden, a_collision_with_two_compressions_converges) {
  const double k[] = {20, -23, 4, 31, -7, 4}, u0[] = {630, -780, -0.22}, friction = 0.5, restitution = 0.9;
  KContacts<double> contact;
  const auto one = [](const double& x) { return Column<const double>(&x, 1); };
  contact.k = {one(k[0]), one(k[1]), one(k[2]), one(k[3]), one(k[4]), one(k[5])};
  contact.separation_velocity = {one(u0[0]), one(u0[1]), one(u0[2])};
  contact.friction = one(friction);
  contact.restitution = one(restitution);
  for (const Isa isa : available_isas()) {
    const auto error = [&](int steps) {
      const auto results = solve(contact, isa, steps, false);
      EXPECT_EQ(to_string(results.path[0]), "slide_end+c2d2");
      const auto &u = results.separation_velocity, &p = results.impulse;
      return std::hypot(u[0][0] + 18.30499434, u[1][0] + 63.75658395, u[2][0] - 3.19134599) +
             std::hypot(p[0][0] + 15.09702356, p[1][0] - 25.63524771, p[2][0] - 60.81154355);
    };
    // First order over three decades, the last step of each a sawtooth of 2 at most.
    const double coarse = error(1000);
    EXPECT_LT(error(1000000), coarse / 1000 * 2);
  }
}

}  // namespace
}  // namespace carom
