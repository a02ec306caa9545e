// The planar lanes against the reference, which shares no code with them, and against the golden set.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/planar/same_bits.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::add_limits;
using support::PlanarResultArrays;
using support::RandomPlanarBodies;
using support::RandomPlanarSpace;
using support::with;

template <class T>
class Planar : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Planar, Precisions);

/// The largest impulse and the largest velocity of a contact, and the condition of its K.
struct Size {
  double impulse, velocity, condition;
};

Size size_of(double kxx, double kxy, double kyy, double ux, double uy, double px, double py) {
  const double mean = 0.5 * (kxx + kyy), radius = std::hypot(0.5 * (kxx - kyy), kxy);
  const double condition = (mean + radius) * (mean + radius) / (kxx * kyy - kxy * kxy);
  const double impulse = std::hypot(px, py) + std::hypot(ux, uy) / kyy;
  return {impulse, std::hypot(ux, uy) + (kxx + kyy) * impulse, condition};
}

// A handful of roundings, each enlarged by K⁻¹: by the condition of K at most. Smith's law solves a cubic and Brach's a
// quadratic equation, whose roots move by more than that where they lie near another root.
template <class T>
double tolerance(const Size& size, Law law) {
  const double roundings = law == Law::brach || law == Law::composite ? 64 : law == Law::smith ? 16 : 4;
  return roundings * static_cast<double>(std::numeric_limits<T>::epsilon()) * size.condition;
}

template <class T>
reference::planar::Collision collision(const RandomPlanarSpace<T>& c, std::size_t i) {
  return {static_cast<double>(c.k_xx[i]),          static_cast<double>(c.k_xy[i]),
          static_cast<double>(c.k_yy[i]),          {static_cast<double>(c.u0_x[i]), static_cast<double>(c.u0_y[i])},
          static_cast<double>(c.laws.friction[i]), static_cast<double>(c.laws.restitution[i])};
}

template <class T>
void expect_agreement(const RandomPlanarSpace<T>& drawn, const PlanarResultArrays<double>& expected,
                      const PlanarResultArrays<T>& found, Isa isa, Law law) {
  using R = PlanarResultArrays<T>;
  for (std::size_t i = 0; i < found.status.size(); ++i) {
    ASSERT_EQ(found.status[i], expected.status[i]) << i << to_string(law);
    const auto c = collision(drawn, i);
    const auto at = [&](std::size_t j) { return expected.numbers[j][i]; };
    const auto error = [&](std::size_t j) { return std::abs(static_cast<double>(found.numbers[j][i]) - at(j)); };
    const Size size = size_of(c.k_xx, c.k_xy, c.k_yy, c.u0[0], c.u0[1], at(R::p_x), at(R::p_y));
    const double bound = tolerance<T>(size, law);
    const double relative =
        std::max({error(R::p_x) / size.impulse, error(R::p_y) / size.impulse, error(R::u_x) / size.velocity,
                  error(R::u_y) / size.velocity, error(R::compression) / (size.impulse * size.velocity),
                  error(R::decompression) / (size.impulse * size.velocity)});
    EXPECT_LE(relative, bound) << "contact " << i << ", " << to_string(law) << " on " << to_string(isa) << ", path "
                               << to_string(expected.path[i]);
  }
}

TYPED_TEST(Planar, every_law_agrees_with_the_reference_in_contact_space) {
  using T = TypeParam;
  constexpr std::size_t n = 20011;
  RandomPlanarSpace<T> drawn(n, 41);
  add_limits(drawn.laws, &drawn.u0_x);
  const auto wide = drawn.widened();
  for (std::size_t l = 0; l < law_count; ++l) {
    const Law law = static_cast<Law>(l);
    for (std::size_t r = 0; r < (law == Law::incremental ? 3 : 1); ++r) {
      const auto restitution = static_cast<RestitutionLaw>(r);
      PlanarResultArrays<double> expected(n, false);
      const Report of_reference =
          solve_by_reference(wide.view(), expected.results(), with(Isa::automatic, law, restitution));
      for (const Isa isa : available_isas()) {
        PlanarResultArrays<T> found(n, false);
        const Report report = ConfiguredSolver(with(isa, law, restitution)).solve(drawn.view(), found.results());
        expect_agreement(drawn, expected, found, isa, law);
        EXPECT_EQ(report.contacts, n);
        EXPECT_EQ(report.by_status, of_reference.by_status);
        EXPECT_EQ(report.isa, isa);
        if (of_reference.max_energy_gain > 1) {
          EXPECT_NEAR(report.max_energy_gain / of_reference.max_energy_gain, 1,
                      std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())));
        }
      }
    }
  }
}

// Contacts for which the reference takes the same path with small changes of the path's inputs, and does not end on the
// friction cone within rounding while its law has the impulse inside.
TYPED_TEST(Planar, paths_agree_away_from_the_boundaries_between_them) {
  using T = TypeParam;
  constexpr std::size_t n = 20000;
  RandomPlanarSpace<T> drawn(n, 42);
  add_limits(drawn.laws, &drawn.u0_x);
  for (std::size_t l = 0; l < law_count; ++l) {
    const Law law = static_cast<Law>(l);
    PlanarResultArrays<double> expected(n, false);
    auto wide = drawn.widened();
    solve_by_reference(wide.view(), expected.results(), with(Isa::automatic, law));
    std::vector<bool> clear(n, true);
    for (std::size_t i = 0; i < n; ++i) {
      const auto c = collision(drawn, i);
      const double px = std::abs(expected.numbers[0][i]), py = expected.numbers[1][i];
      const Size size = size_of(c.k_xx, c.k_xy, c.k_yy, c.u0[0], c.u0[1], px, py);
      const double inside = c.friction > 1 ? py - px / c.friction : c.friction * py - px;
      if (expected.path[i].sliding_end == SlidingEnd::stick)
        clear[i] = std::abs(inside) > tolerance<T>(size, law) * size.impulse;
    }
    for (int change = 0; change < 10; ++change) {
      auto moved = wide;
      for (std::size_t i = 0; i < n; ++i) {
        const auto c = collision(drawn, i);
        const Size size = size_of(c.k_xx, c.k_xy, c.k_yy, c.u0[0], c.u0[1], 0, 0);
        const double factor = 1 + (change % 2 == 0 ? 1 : -1) * tolerance<T>(size, law);
        auto& laws = moved.laws;
        std::vector<double>* const fields[] = {&laws.friction, &moved.u0_x, &moved.k_yy, &laws.tangential_restitution,
                                               &laws.impulse_ratio};
        double& field = (*fields[change / 2])[i];
        field *= factor;
        field = change / 2 == 3 ? std::clamp(field, -1.0, 1.0) : field;
      }
      PlanarResultArrays<double> other(n, false);
      solve_by_reference(moved.view(), other.results(), with(Isa::automatic, law));
      for (std::size_t i = 0; i < n; ++i)
        if (other.status[i] == Status::ok && other.path[i] != expected.path[i]) clear[i] = false;
    }
    EXPECT_GT(std::count(clear.begin(), clear.end(), true), static_cast<std::ptrdiff_t>(n * 95 / 100))
        << to_string(law);
    for (const Isa isa : available_isas()) {
      PlanarResultArrays<T> found(n, false);
      const Report report = ConfiguredSolver(with(isa, law)).solve(drawn.view(), found.results());
      std::size_t counted = 0;
      for (const auto& [path, times] : report.paths()) counted += times;
      EXPECT_EQ(counted, n);
      for (std::size_t i = 0; i < n; ++i) {
        if (!clear[i]) continue;
        ASSERT_EQ(to_string(found.path[i]), to_string(expected.path[i])) << i << ' ' << to_string(law);
      }
    }
  }
}

TYPED_TEST(Planar, bodies_agree_with_the_reference) {
  using T = TypeParam;
  using R = PlanarResultArrays<T>;
  constexpr std::size_t n = 4003;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const bool indexed : {false, true}) {
    RandomPlanarBodies<T> drawn(n, 43, indexed ? 300 : 0);
    add_limits<T>(drawn.laws, nullptr);
    const auto wide = drawn.widened();
    for (std::size_t l = 0; l < law_count; ++l) {
      const Law law = static_cast<Law>(l);
      PlanarResultArrays<double> expected(n);
      if (indexed)
        solve_by_reference(wide.indexed_contacts(), expected.results(), with(Isa::automatic, law));
      else
        solve_by_reference(wide.inline_contacts(), expected.results(), with(Isa::automatic, law));
      for (const Isa isa : available_isas()) {
        R found(n);
        ConfiguredSolver solver(with(isa, law));
        if (indexed)
          solver.solve(drawn.indexed_contacts(), found.results());
        else
          solver.solve(drawn.inline_contacts(), found.results());
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(found.status[i], Status::ok) << i;
          // K of a rectangle at one of its points: 1/m between 1/10 and 10, J r² up to 3/m, both bodies.
          const double impulse = std::hypot(expected.numbers[R::p_x][i], expected.numbers[R::p_y][i]) + 1;
          // u0 from velocities and levers ten times as large, a grazing normal, K with a condition of up to 400.
          const double bound = 20000 * epsilon;
          for (const std::size_t j : {R::p_x, R::p_y})
            EXPECT_NEAR(static_cast<double>(found.numbers[j][i]), expected.numbers[j][i], bound * impulse)
                << i << ' ' << to_string(law) << ' ' << to_string(isa);
        }
      }
    }
  }
}

// New velocities follow from the impulse, u from them at the contact, and contact space has the same results.
TYPED_TEST(Planar, bodies_move_by_the_impulse_and_contact_space_agrees) {
  using T = TypeParam;
  using R = PlanarResultArrays<T>;
  constexpr std::size_t n = 3000;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const RandomPlanarBodies<T> drawn(n, 44);
  for (const Isa isa : available_isas()) {
    R found(n);
    ConfiguredSolver(with(isa)).solve(drawn.inline_contacts(), found.results());
    RandomPlanarSpace<T> space;
    for (std::size_t i = 0; i < n; ++i) {
      const auto d = [](T x) { return static_cast<double>(x); };
      const double nx = d(drawn.normal_x[i]), ny = d(drawn.normal_y[i]), tx = ny, ty = -nx;
      const double px = d(found.numbers[R::p_x][i]), py = d(found.numbers[R::p_y][i]), p = std::hypot(px, py);
      double kxx = 0, kxy = 0, kyy = 0, ux = 0, uy = 0;
      for (const double side : {1.0, -1.0}) {
        const auto& body = side > 0 ? drawn.a : drawn.b;
        const double rx = d((side > 0 ? drawn.r_a_x : drawn.r_b_x)[i]);
        const double ry = d((side > 0 ? drawn.r_a_y : drawn.r_b_y)[i]);
        const double m = d(body.inverse_mass[i]), j = d(body.inverse_inertia[i]);
        const double vx = d(body.velocity_x[i]), vy = d(body.velocity_y[i]), w = d(body.angular_velocity[i]);
        const std::size_t first = side > 0 ? R::va_x : R::vb_x;
        const auto expect = [&](std::size_t column, double before, double change) {
          EXPECT_NEAR(d(found.numbers[column][i]), before + side * change,
                      8 * epsilon * (std::abs(before) + std::abs(change) + j * p * std::hypot(rx, ry)))
              << i << ' ' << column;
        };
        expect(first, vx, m * px);
        expect(first + 1, vy, m * py);
        expect(first + 2, w, j * (rx * py - ry * px));
        const double rt = rx * ty - ry * tx, rn = rx * ny - ry * nx;
        kxx += m + j * rt * rt;
        kxy += j * rt * rn;
        kyy += m + j * rn * rn;
        ux += side * (vx - w * ry);
        uy += side * (vy + w * rx);
      }
      space.k_xx.push_back(static_cast<T>(kxx));
      space.k_xy.push_back(static_cast<T>(kxy));
      space.k_yy.push_back(static_cast<T>(kyy));
      space.u0_x.push_back(static_cast<T>(ux * tx + uy * ty));
      space.u0_y.push_back(static_cast<T>(ux * nx + uy * ny));
    }
    space.laws = drawn.laws;
    R in_space(n, false);
    ConfiguredSolver(with(isa)).solve(space.view(), in_space.results());
    for (std::size_t i = 0; i < n; ++i) {
      const double nx = static_cast<double>(drawn.normal_x[i]), ny = static_cast<double>(drawn.normal_y[i]);
      const double t = static_cast<double>(in_space.numbers[R::p_x][i]);
      const double p_n = static_cast<double>(in_space.numbers[R::p_y][i]);
      const double bound = 20000 * epsilon * (std::hypot(t, p_n) + 1);
      EXPECT_NEAR(static_cast<double>(found.numbers[R::p_x][i]), t * ny + p_n * nx, bound) << i;
      EXPECT_NEAR(static_cast<double>(found.numbers[R::p_y][i]), -t * nx + p_n * ny, bound) << i;
    }
  }
}

TEST(PlanarGolden, every_isa_agrees_with_the_golden_set_and_its_paths) {
  const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "planar.csv");
  RandomPlanarSpace<double> c;
  c.k_xx = table.numbers("k_xx");
  c.k_xy = table.numbers("k_xy");
  c.k_yy = table.numbers("k_yy");
  c.u0_x = table.numbers("u0_x");
  c.u0_y = table.numbers("u0_y");
  c.laws.friction = table.numbers("friction");
  c.laws.restitution = table.numbers("restitution");
  const std::size_t n = table.rows();
  planar::KContacts<double> view;
  view.friction = c.laws.friction;
  view.restitution = c.laws.restitution;
  view.k.xx = c.k_xx;
  view.k.xy = c.k_xy;
  view.k.yy = c.k_yy;
  view.separation_velocity = {c.u0_x, c.u0_y};
  const auto ux = table.numbers("u_x"), uy = table.numbers("u_y"), px = table.numbers("p_x"), py = table.numbers("p_y");
  for (const Isa isa : available_isas()) {
    PlanarResultArrays<double> found(n, false);
    ConfiguredSolver(with(isa)).solve(view, found.results());
    for (std::size_t i = 0; i < n; ++i) {
      const Size size = size_of(c.k_xx[i], c.k_xy[i], c.k_yy[i], c.u0_x[i], c.u0_y[i], px[i], py[i]);
      // The golden values are good to 1e-13.
      const double bound = 1e-13 + tolerance<double>(size, Law::incremental);
      using R = PlanarResultArrays<double>;
      EXPECT_NEAR(found.numbers[R::p_x][i], px[i], bound * size.impulse) << i;
      EXPECT_NEAR(found.numbers[R::p_y][i], py[i], bound * size.impulse) << i;
      EXPECT_NEAR(found.numbers[R::u_x][i], ux[i], bound * size.velocity) << i;
      EXPECT_NEAR(found.numbers[R::u_y][i], uy[i], bound * size.velocity) << i;
      EXPECT_EQ(to_string(found.path[i]), table.cell(i, table.find("path"))) << i;
    }
  }
}

}  // namespace
}  // namespace carom
