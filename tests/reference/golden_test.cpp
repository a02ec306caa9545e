// The reference against the golden sets, which hold exact solutions. Euler is of first order and overshoots the end of
// a collision by a part of a step that varies like a sawtooth: the error of one contact jumps about, the error of many
// halves with the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "support/laws/collisions.hpp"

namespace carom::reference {
namespace {

const Options euler{.integrator = Integrator::euler};

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int coarsest = 200;
constexpr int halvings = 5;

struct Row {
  std::string kind;
  Collision collision;
  Vector3 u, p;
  std::string path;
};

const io::Table& contact_space_table() {
  static const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "incremental3d.csv");
  return table;
}

std::vector<Row> energetic_rows() {
  const io::Table& table = contact_space_table();
  std::map<std::string, std::vector<double>> numbers;
  for (const char* name : {"k_xx", "k_xy", "k_xz", "k_yy", "k_yz", "k_zz", "u0_x", "u0_y", "u0_z", "friction",
                           "restitution", "u_x", "u_y", "u_z", "p_x", "p_y", "p_z"})
    numbers[name] = table.numbers(name);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.cell(i, table.find("restitution_law")) != "energetic") continue;
    const auto at = [&](const char* name) { return numbers.at(name)[i]; };
    Row row;
    row.kind = table.cell(i, table.find("kind"));
    row.path = table.cell(i, table.find("path"));
    row.collision.k = symmetric(at("k_xx"), at("k_xy"), at("k_xz"), at("k_yy"), at("k_yz"), at("k_zz"));
    row.collision.u0 = {at("u0_x"), at("u0_y"), at("u0_z")};
    row.collision.friction = at("friction");
    row.collision.restitution = at("restitution");
    row.u = {at("u_x"), at("u_y"), at("u_z")};
    row.p = {at("p_x"), at("p_y"), at("p_z")};
    rows.push_back(row);
  }
  return rows;
}

Outcome resolve_with(Row row, int steps) {
  set_steps(row.collision, steps);
  return resolve(row.collision, 1 << 30);
}

double error_of(const Row& row, const Outcome& outcome) {
  return distance(outcome.u, row.u) / length(row.collision.u0);
}

// The sum of the errors, of every contact relative to its |u0|, halves with the step five times in a row. So the limit
// is the golden value, and the final error is less than 1.8^-5 of the first.
void expect_errors_to_halve(const std::vector<Row>& rows) {
  ASSERT_GE(rows.size(), 100u) << "too few for the sawtooth to average out";
  double coarser = 0;
  for (int i = 0; i <= halvings; ++i) {
    double sum = 0;
    for (const Row& row : rows) sum += error_of(row, resolve_with(row, coarsest << i));
    if (i > 0) {
      EXPECT_GT(coarser / sum, 1.8) << (coarsest << i) << " steps";
      EXPECT_LT(coarser / sum, 2.3) << (coarsest << i) << " steps";
    }
    coarser = sum;
  }
}

std::vector<Row> rows_of(const std::set<std::string>& kinds) {
  std::vector<Row> chosen;
  for (const Row& row : energetic_rows())
    if (kinds.count(row.kind)) chosen.push_back(row);
  return chosen;
}

TEST(contact_space, the_errors_of_generic_contacts_halve_with_the_step) {
  expect_errors_to_halve(rows_of({"generic"}));
}

TEST(contact_space, the_errors_of_boxes_halve_with_the_step) {
  expect_errors_to_halve(rows_of({"box"}));
}

TEST(contact_space, the_errors_of_elastic_and_plastic_contacts_halve_with_the_step) {
  expect_errors_to_halve(rows_of({"elastic", "plastic", "frictionless"}));
}

TEST(contact_space, the_errors_of_grazing_and_scaled_contacts_halve_with_the_step) {
  expect_errors_to_halve(rows_of({"grazing", "scaled"}));
}

TEST(contact_space, the_errors_of_contacts_that_stick_halve_with_the_step) {
  expect_errors_to_halve(rows_of({"low_friction_stick", "unstable", "ill_conditioned", "steep"}));
}

TEST(contact_space, contacts_of_several_phases_converge) {
  // Too few to halve step by step, and the law itself jumps where the work just suffices at the crest before a second
  // compression: such a row takes the other path until the step is fine enough. From there on the errors fall by 2 each
  // time, by at least 1.8^3 in three halvings.
  double coarse = 0, fine = 0;
  for (const Row& row : rows_of({"multi_phase"})) {
    EXPECT_EQ(to_string(resolve_with(row, 8 * coarsest).path), row.path);
    coarse += error_of(row, resolve_with(row, 8 * coarsest));
    fine += error_of(row, resolve_with(row, 64 * coarsest));
  }
  EXPECT_GT(coarse / fine, 1.8 * 1.8 * 1.8);
}

TEST(contact_space, contacts_without_slip_are_exact) {
  std::size_t tried = 0;
  for (const Row& row : rows_of({"stick_at_start"})) {
    const Outcome o = resolve_with(row, coarsest);
    EXPECT_EQ(o.steps, 0);
    EXPECT_EQ(to_string(o.path), row.path);
    // Closed form throughout. The golden values are good to 3e-11 at worst.
    EXPECT_LE(error_of(row, o), 3e-11);
    ++tried;
  }
  EXPECT_GT(tried, 10u);
}

TEST(contact_space, paths_become_the_golden_ones) {
  // If a decision is close, a coarse step can take the other path; a finer one does not. The paths of unstable rows
  // start on a separatrix and are undetermined.
  const std::vector<Row> rows = energetic_rows();
  std::size_t coarse_differences = 0;
  for (const Row& row : rows) {
    if (row.kind == "unstable") continue;
    coarse_differences += to_string(resolve_with(row, coarsest).path) != row.path;
    EXPECT_EQ(to_string(resolve_with(row, 32 * coarsest).path), row.path) << row.kind;
  }
  // In units of |u0| a decision is off by a few steps' reach, that is by about 1 %.
  EXPECT_LE(coarse_differences, rows.size() / 100);
}

TEST(contact_space, impulses_converge_with_the_velocities) {
  for (const Row& row : energetic_rows()) {
    if (row.kind == "ill_conditioned" || row.kind == "steep") continue;
    const Outcome o = resolve_with(row, 32 * coarsest);
    const Vector3 back = row.collision.k * (o.p - row.p);
    // K (p - p_golden) = u - u_golden, up to rounding and the 3e-11 of the golden values.
    const double off = distance(back, o.u - row.u);
    EXPECT_LE(off, 64 * epsilon * trace(row.collision.k) * length(row.p) + 6e-11 * length(row.collision.u0))
        << row.kind;
  }
}

class Bodies : public testing::Test {
 protected:
  Bodies() : table_(io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "bodies3d.csv")) {}

  Column<const double> column(const std::string& name) {
    auto [found, is_new] = numbers_.try_emplace(name);
    if (is_new) found->second = table_.numbers(name);
    return {&found->second[first_], std::min(count_, found->second.size() - first_)};
  }
  Vector3Columns<const double> vector(const std::string& name) {
    return {column(name + "_x"), column(name + "_y"), column(name + "_z")};
  }
  BodyColumns<const double> body(const std::string& side) {
    const std::string inertia = "inverse_inertia_" + side;
    return {column("inverse_mass_" + side),
            {column(inertia + "_xx"), column(inertia + "_xy"), column(inertia + "_xz"), column(inertia + "_yy"),
             column(inertia + "_yz"), column(inertia + "_zz")},
            vector("velocity_" + side),
            vector("angular_velocity_" + side)};
  }
  Contacts<double> contacts() {
    Contacts<double> c;
    c.friction = column("friction");
    c.restitution = column("restitution");
    c.normal = vector("normal");
    c.a = body("a");
    c.b = body("b");
    c.r_a = vector("r_a");
    c.r_b = vector("r_b");
    return c;
  }
  // |u0| of a contact, and the speed at which the contact points part in error after given new velocities.
  double speed(std::size_t i) {
    return length(parting(vector("velocity_a"), vector("angular_velocity_a"), vector("velocity_b"),
                          vector("angular_velocity_b"), i));
  }
  template <class Velocities>
  Vector3 parting(const Velocities& va, const Velocities& wa, const Velocities& vb, const Velocities& wb,
                  std::size_t i) {
    const auto la = vector("r_a"), lb = vector("r_b");
    return {va.x[i] + wa.y[i] * la.z[i] - wa.z[i] * la.y[i] - vb.x[i] - wb.y[i] * lb.z[i] + wb.z[i] * lb.y[i],
            va.y[i] + wa.z[i] * la.x[i] - wa.x[i] * la.z[i] - vb.y[i] - wb.z[i] * lb.x[i] + wb.x[i] * lb.z[i],
            va.z[i] + wa.x[i] * la.y[i] - wa.y[i] * la.x[i] - vb.z[i] - wb.x[i] * lb.y[i] + wb.y[i] * lb.x[i]};
  }

  io::Table table_;
  std::map<std::string, std::vector<double>> numbers_;
  std::size_t first_ = 0, count_ = static_cast<std::size_t>(-1);  // the rows that columns show
};

TEST_F(Bodies, the_errors_of_all_new_velocities_halve_with_the_step) {
  const auto c = contacts();
  const std::size_t n = table_.rows();
  const auto va = vector("new_velocity_a"), wa = vector("new_angular_velocity_a"), vb = vector("new_velocity_b"),
             wb = vector("new_angular_velocity_b");
  double coarser = 0;
  for (int i = 0; i <= halvings; ++i) {
    support::ResultArrays<double> out(n);
    Options options;
    options.integrator = Integrator::euler;
    options.steps = coarsest << i;
    const Report report = solve(c, out.results(), options);
    EXPECT_EQ(report.faults(), 0u);
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const auto off = [&](const support::Vectors3<double>& ours, const Vector3Columns<const double>& golden) {
        return std::hypot(ours[0][j] - golden.x[j], ours[1][j] - golden.y[j], ours[2][j] - golden.z[j]);
      };
      sum += (off(out.velocity_a, va) + off(out.angular_velocity_a, wa) + off(out.velocity_b, vb) +
              off(out.angular_velocity_b, wb)) /
             speed(j);
    }
    if (i > 0) {
      EXPECT_GT(coarser / sum, 1.8) << options.steps;
      EXPECT_LT(coarser / sum, 2.3) << options.steps;
    }
    coarser = sum;
  }
}

TEST_F(Bodies, paths_become_the_golden_ones) {
  // A contact that passes the origin at a distance within the reach of a step sticks. So refine the step where the path
  // differs, and find that it ceases to.
  const std::size_t n = table_.rows();
  std::vector<std::size_t> differing(n);
  std::iota(differing.begin(), differing.end(), 0);
  const auto golden = [&](std::size_t i) { return table_.cell(i, table_.find("path")); };
  for (int steps = coarsest; steps <= 256 * coarsest && !differing.empty(); steps *= 2) {
    Options options;
    options.integrator = Integrator::euler;
    options.steps = steps;
    std::vector<std::size_t> still;
    for (std::size_t i : differing) {
      first_ = i;
      count_ = 1;
      Path path;
      Results<double> results;
      results.path = {&path, 1};
      solve(contacts(), results, options);
      if (to_string(path) != golden(i)) still.push_back(i);
    }
    EXPECT_LE(still.size(), n / 100);
    differing = still;
  }
  for (std::size_t i : differing) ADD_FAILURE() << "row " << i << " should be " << golden(i);
}

TEST_F(Bodies, separating_contacts_are_the_golden_ones_and_stay_as_they_are) {
  const std::size_t n = table_.rows();
  support::ResultArrays<double> out(n);
  const Report report = solve(contacts(), out.results(), euler);
  std::size_t separating = 0;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(out.status[i] == Status::separating, table_.cell(i, table_.find("path")) == "separating");
    if (out.status[i] != Status::separating) continue;
    ++separating;
    EXPECT_EQ(length({out.impulse[0][i], out.impulse[1][i], out.impulse[2][i]}), 0);
    EXPECT_EQ(out.velocity_a[0][i], vector("velocity_a").x[i]);
    EXPECT_EQ(out.angular_velocity_b[2][i], vector("angular_velocity_b").z[i]);
  }
  EXPECT_GT(separating, 10u);
  EXPECT_EQ(report.count(Status::separating), separating);
}

}  // namespace
}  // namespace carom::reference
