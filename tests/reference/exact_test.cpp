// The exact reference in contact space: against the golden sets, which are exact solutions made by other means, against
// Euler's limit, closed forms and invariants.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "random/draw.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/laws/collisions.hpp"

namespace carom::reference {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int32_t unlimited = 1 << 30;
constexpr RestitutionLaw laws[] = {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic};

Outcome solved(const Collision& c, RestitutionLaw law = RestitutionLaw::energetic) {
  const Outcome o = resolve_exact(c, law, unlimited, true);
  EXPECT_TRUE(o.ended);
  return o;
}

struct Row {
  std::string kind, path;
  RestitutionLaw law = RestitutionLaw::energetic;
  Collision collision;
  Vector3 u, p;
};

class Numbers {
 public:
  explicit Numbers(const io::Table& table) : table_(table) {}
  double operator()(const char* name, std::size_t row) {
    auto [found, is_new] = columns_.try_emplace(name);
    if (is_new) found->second = table_.numbers(name);
    return found->second[row];
  }

 private:
  const io::Table& table_;
  std::map<std::string, std::vector<double>> columns_;
};

io::Table golden(const char* name) {
  return io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / name);
}

std::vector<Row> incremental3d() {
  const io::Table table = golden("incremental3d.csv");
  Numbers at(table);
  std::vector<Row> rows(table.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    row.kind = table.cell(i, table.find("kind"));
    row.path = table.cell(i, table.find("path"));
    row.law = restitution_law_from_string(table.cell(i, table.find("restitution_law")));
    row.collision.k =
        symmetric(at("k_xx", i), at("k_xy", i), at("k_xz", i), at("k_yy", i), at("k_yz", i), at("k_zz", i));
    row.collision.u0 = {at("u0_x", i), at("u0_y", i), at("u0_z", i)};
    row.collision.friction = at("friction", i);
    row.collision.restitution = at("restitution", i);
    row.u = {at("u_x", i), at("u_y", i), at("u_z", i)};
    row.p = {at("p_x", i), at("p_y", i), at("p_z", i)};
  }
  return rows;
}

// In the plane y = 0; the second tangent is free of the others.
std::vector<Row> planar() {
  const io::Table table = golden("planar.csv");
  Numbers at(table);
  std::vector<Row> rows(table.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    row.kind = "planar";
    row.path = table.cell(i, table.find("path"));
    row.collision.k = symmetric(at("k_xx", i), 0, at("k_xy", i), at("k_xx", i), 0, at("k_yy", i));
    row.collision.u0 = {at("u0_x", i), 0, at("u0_y", i)};
    row.collision.friction = at("friction", i);
    row.collision.restitution = at("restitution", i);
    row.u = {at("u_x", i), 0, at("u_y", i)};
    row.p = {at("p_x", i), 0, at("p_y", i)};
  }
  return rows;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The sets are good to 1e-15 in the median and 3e-11 at worst, in the rows of kind ill_conditioned to 1e-8. The limits
// for all that is compared with them: 5e-15 in the median, 1e-10 at worst. The impulses, which are not of the size of
// u0 in grazing contacts, are measured by themselves.
void expect_golden(const std::vector<Row>& rows) {
  std::vector<double> u_errors, p_errors;
  for (const Row& row : rows) {
    const Outcome o = solved(row.collision, row.law);
    const double u_error = distance(o.u, row.u) / length(row.collision.u0);
    const double p_error = distance(o.p, row.p) / length(row.p);
    const double limit = row.kind == "ill_conditioned" ? 1e-8 : 1e-10;
    EXPECT_LE(u_error, limit) << row.kind << ' ' << to_string(row.law);
    EXPECT_LE(p_error, limit) << row.kind << ' ' << to_string(row.law);
    // The paths of unstable rows start on a separatrix and are undetermined.
    if (row.kind != "unstable") {
      EXPECT_EQ(to_string(o.path), row.path) << row.kind;
    }
    u_errors.push_back(u_error);
    p_errors.push_back(p_error);
  }
  EXPECT_LE(median(u_errors), 5e-15);
  EXPECT_LE(median(p_errors), 5e-15);
}

TEST(exact, reaches_the_golden_set_of_all_laws) {
  const std::vector<Row> rows = incremental3d();
  ASSERT_EQ(rows.size(), 1200u);
  for (RestitutionLaw law : laws) {
    std::vector<Row> chosen;
    for (const Row& row : rows)
      if (row.law == law) chosen.push_back(row);
    EXPECT_GE(chosen.size(), 200u);
    expect_golden(chosen);
  }
}

TEST(exact, reaches_the_planar_golden_set) {
  const std::vector<Row> rows = planar();
  ASSERT_EQ(rows.size(), 600u);
  expect_golden(rows);
}

Collision two_compressions(double restitution) {
  return {symmetric(20, -23, 4, 31, -7, 4), {630, -780, -0.22}, 0.5, restitution, 0};
}

TEST(exact, a_collision_with_two_compressions_ends_at_the_known_point) {
  const Outcome o = solved(two_compressions(0.9));
  EXPECT_EQ(to_string(o.path), "slide_end+c2d2");
  // Known to eight decimals.
  const Vector3 u{-18.30499434, -63.75658395, 3.19134599}, p{-15.09702356, 25.63524771, 60.81154355};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(o.u[i], u[i], 5.1e-9);
    EXPECT_NEAR(o.p[i], p[i], 5.1e-9);
  }
}

// u_z has its zeros at p_z = 14.5960251016, 29.8305996080 and 55.981 (a fourth-order Runge-Kutta method in p_z, to ten
// digits). The work up to the second zero suffices for e up to 0.51324758678. For larger e, the second compression is
// also returned, and p_z goes from 29.8 to 58.9.
constexpr double last_e_of_one_compression = 0.51324758678;

TEST(exact, the_second_compression_begins_where_the_work_no_longer_suffices) {
  for (RestitutionLaw law : laws) {
    const Outcome plastic = solved(two_compressions(0), law);
    EXPECT_EQ(to_string(plastic.path), "slide_end+c1d1");
    EXPECT_NEAR(plastic.p[2], 14.5960251016, 1e-9);
  }
  const Outcome before = solved(two_compressions(last_e_of_one_compression - 1e-10));
  EXPECT_EQ(to_string(before.path), "slide_end+c1d1");
  // u_z falls towards the zero with 0.05, so the missing work, 1e-10 of 1.4, is the work of the last 1e-4.
  EXPECT_NEAR(before.p[2], 29.830599608, 2e-4);
  const Outcome after = solved(two_compressions(last_e_of_one_compression + 1e-10));
  EXPECT_EQ(to_string(after.path), "slide_end+c2d2");
  EXPECT_NEAR(after.p[2], 58.9, 0.05);
}

TEST(exact, is_the_limit_of_eulers_steps) {
  // Over many contacts the sawtooth of Euler's error averages out and the rest halves with the step. After five
  // halvings, the remaining error is below 1.8^-5 of the first.
  const std::size_t count = 400;
  double coarser = 0;
  for (int steps = 200; steps <= 6400; steps *= 2) {
    double sum = 0;
    for (const Collision& c : random_collisions(count, 31, steps))
      sum += distance(resolve(c, unlimited).u, solved(c).u) / length(c.u0);
    if (coarser > 0) {
      EXPECT_GT(coarser / sum, 1.8) << steps;
      EXPECT_LT(coarser / sum, 2.3) << steps;
    }
    coarser = sum;
  }
  EXPECT_LT(coarser / count, 1e-3);
}

// The part of the kinetic energy that an impulse can take: ½ u·K⁻¹u.
double energy(const Matrix3& k, const Vector3& u) {
  std::array<std::array<long double, 4>, 3> rows{};
  for (std::size_t i = 0; i < 3; ++i) rows[i] = {k[i][0], k[i][1], k[i][2], u[i]};
  long double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i + 1; j < 3; ++j) {
      const long double factor = rows[j][i] / rows[i][i];
      for (std::size_t column = i; column < 4; ++column) rows[j][column] -= factor * rows[i][column];
    }
    sum += rows[i][3] * rows[i][3] / rows[i][i];
  }
  return static_cast<double>(sum / 2);
}

void expect_invariants(const Collision& c, RestitutionLaw law) {
  const Outcome o = resolve_exact(c, law, 10000);
  ASSERT_TRUE(o.ended);
  // A step sums up a dozen terms a few times.
  const double rounding = 16 * epsilon * (o.steps + 8);
  EXPECT_GE(o.u[2], 0);
  EXPECT_GE(o.p[2], 0);
  if (std::isfinite(c.friction)) {
    EXPECT_LE(std::hypot(o.p[0], o.p[1]), c.friction * o.p[2] * (1 + rounding));
  }
  const Vector3 kp = c.k * o.p;
  EXPECT_LE(distance(kp, o.u - c.u0), rounding * (length(c.u0) + trace(c.k) * length(o.p)));
  EXPECT_LE(o.work_compression, 0);
  EXPECT_GE(o.work_decompression, 0);
  if (law != RestitutionLaw::energetic) return;
  EXPECT_NEAR(o.work_decompression, -c.restitution * c.restitution * o.work_compression,
              -rounding * o.work_compression);
  double gain = 0;
  for (std::size_t i = 0; i < 3; ++i) gain += 0.5 * o.p[i] * (c.u0[i] + o.u[i]);
  EXPECT_LE(gain, 1e-14 * energy(c.k, c.u0));
}

TEST(invariants, hold_for_random_contacts) {
  for (const Collision& c : random_collisions(support::fast_build ? 100'000 : 5'000, 34, 1))
    for (RestitutionLaw law : laws) expect_invariants(c, law);
}

// Random axes, eigenvalues from 1 down to 1/condition.
Matrix3 matrix_of_condition(support::Draw& draw, double condition) {
  const support::Rows axes = draw.rotation();
  const std::array<double, 3> eigenvalues{1, std::pow(condition, -draw.uniform()), 1 / condition};
  Matrix3 k{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t axis = 0; axis < 3; ++axis) k[i][j] += eigenvalues[axis] * axes[i][axis] * axes[j][axis];
      k[j][i] = k[i][j];
    }
  return k;
}

TEST(invariants, hold_at_the_extremes) {
  support::Draw draw(35);
  const auto power = [&](double low, double high) { return std::pow(10.0, draw.uniform(low, high)); };
  for (int i = 0; i < 20000; ++i) {
    Collision c;
    c.k = matrix_of_condition(draw, power(0, 8));
    c.u0 = draw.bell3(1);
    c.u0[2] = -std::abs(c.u0[2]) - 1e-3;
    const std::size_t kind = draw.below(4);
    if (kind == 0) c.u0[2] *= power(-12, 0);  // grazing
    if (kind == 1) {                          // head-on
      const double slip = power(-12, 0);
      c.u0[0] *= slip;
      c.u0[1] *= slip;
    }
    if (kind == 2) {  // scaled
      const double mass = power(-12, 12), speed = power(-12, 12);
      for (Vector3& row : c.k)
        for (double& x : row) x *= mass;
      for (double& x : c.u0) x *= speed;
    }
    const std::size_t friction = draw.below(8);
    c.friction = friction == 0 ? 0 : friction == 1 ? 1e3 : friction == 2 ? infinity : power(-6, 3);
    c.restitution = draw.below(4) == 0 ? static_cast<double>(draw.below(2)) : draw.uniform();
    expect_invariants(c, laws[draw.below(3)]);
  }
}

TEST(budget, stops_a_collision) {
  for (const Collision& c : {two_compressions(0.9), random_collisions(1, 36, 1)[0]}) {
    const std::int32_t needed = solved(c).steps;
    EXPECT_GT(needed, 1);
    EXPECT_TRUE(resolve_exact(c, RestitutionLaw::energetic, needed).ended);
    for (std::int32_t budget = 1; budget < needed; ++budget) {
      const Outcome cut = resolve_exact(c, RestitutionLaw::energetic, budget);
      EXPECT_FALSE(cut.ended);
      EXPECT_EQ(cut.steps, budget);
    }
  }
}

TEST(scale, powers_of_two_change_no_bit) {
  for (const Collision& c : random_collisions(200, 37, 1)) {
    const Outcome o = solved(c);
    for (int k_exponent : {-500, 500})
      for (int u_exponent : {-400, 400}) {
        Collision d = c;
        for (auto& row : d.k)
          for (double& x : row) x = std::scalbn(x, k_exponent);
        for (double& x : d.u0) x = std::scalbn(x, u_exponent);
        const Outcome scaled = solved(d);
        EXPECT_EQ(scaled.path, o.path);
        EXPECT_EQ(scaled.steps, o.steps);
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_EQ(scaled.u[i], std::scalbn(o.u[i], u_exponent));
          EXPECT_EQ(scaled.p[i], std::scalbn(o.p[i], u_exponent - k_exponent));
        }
      }
  }
}

TEST(exact_boundary_distance, is_the_least_over_the_decisions) {
  // From rest: |q| = 0.3 against μ.
  const Matrix3 k = symmetric(1, 0, 0.3, 1, 0, 2);
  EXPECT_NEAR(solved({k, {0, 0, -1}, 0.3 * (1 + 1e-6), 0.5}).boundary_distance, 1e-6, 1e-11);
  // Without friction the slip passes the origin at 1e-5: u_t = (1 - p_z, 1e-5), |u0| = √2.
  const Outcome passing = solved({symmetric(4, 0, -1, 4, 0, 2), {1, 1e-5, -1}, 0, 1});
  EXPECT_NEAR(passing.boundary_distance, 1e-5 / std::sqrt(2.0), 1e-15);
  // On a ray, M = 1, μ = 0.5: the slip falls by 0.5 - 0.3 = 0.2, u_z rises by 2 - 0.5 0.3 = 1.85, and 1e-6 is left at
  // the end.
  const double slip = 0.2 * 1.5 * 3 / 1.85 + 1e-6;
  EXPECT_NEAR(solved({k, {slip, 0, -3}, 0.5, 0.5}).boundary_distance, 1e-6 / std::hypot(slip, 3), 1e-14);
  // The missing work at the second zero of u_z is (e² - e_0²) Wc.
  const double e = last_e_of_one_compression + 1e-6;
  const double missing = e * e - last_e_of_one_compression * last_e_of_one_compression;
  EXPECT_NEAR(solved(two_compressions(e)).boundary_distance, missing, 1e-4 * missing);
}

TEST(exact_boundary_distance, does_not_change_the_outcome) {
  for (const Collision& c : random_collisions(300, 38, 1)) {
    const Outcome without = resolve_exact(c, RestitutionLaw::energetic, unlimited);
    const Outcome with = resolve_exact(c, RestitutionLaw::energetic, unlimited, true);
    EXPECT_EQ(without.u, with.u);
    EXPECT_EQ(without.p, with.p);
    EXPECT_EQ(without.boundary_distance, infinity);
    EXPECT_LT(with.boundary_distance, infinity);
  }
}

}  // namespace
}  // namespace carom::reference
