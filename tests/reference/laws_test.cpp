// Every law against its own equations (docs/laws.md) on random contacts, relative to their terms. An impulse is the
// result of some fifty operations on numbers of the size of those terms. The condition of K, up to 1e3 here, amplifies
// rounding only in P_II = -K⁻¹ u0: 1e-12 is above 50 * 2.2e-16 and 5 * 1e3 * 2.2e-16.
#include <gtest/gtest.h>

#include <carom/reference.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/laws/law_samples.hpp"

namespace carom::reference {
namespace {

constexpr double tolerance = 1e-12;
constexpr std::size_t many = 100'000;

// The largest of a quantity over all contacts, and where it was.
class Worst {
 public:
  void see(double x, std::size_t i) {
    if (x > value_ || std::isnan(x)) value_ = x, at_ = i;
  }
  ~Worst() { EXPECT_LE(value_, tolerance) << "contact " << at_; }

 private:
  double value_ = 0;
  std::size_t at_ = 0;
};

Vector3 frictionless_impulse(const Collision& c) {
  return {0, 0, -(1 + c.restitution) * c.u0[2] / c.k[2][2]};
}

// How far u_z is from -e u0_z.
double restitution_residual(const Collision& c, const LawOutcome& o) {
  return std::abs(o.u[2] + c.restitution * c.u0[2]) / speeds(c, o.p);
}

// How far an impulse is from being on the cone and against the slip u_t.
double sliding_residual(double friction, const Vector3& p, const Vector3& u, double speed) {
  const double on_cone = std::abs(slip(p) - friction * p[2]) / slip(p);
  const double against = std::hypot(u[0] * slip(p) + p[0] * slip(u), u[1] * slip(p) + p[1] * slip(u)) / slip(p) / speed;
  return std::max(on_cone, against);
}

void expect_consistent(const Collision& c, const LawOutcome& o, std::size_t i, Worst& worst) {
  worst.see(distance(o.u, c.u0 + c.k * o.p) / speeds(c, o.p), i);
}

TEST(golden, closed_form_laws_to_rounding) {
  const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "algebraic3d.csv");
  std::map<std::string, std::vector<double>> numbers;
  for (const std::string& name : table.header()) numbers[name] = table.numbers(name);
  ASSERT_EQ(table.rows(), 600u);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto at = [&](const std::string& name) { return numbers.at(name)[i]; };
    Collision c;
    c.k = symmetric(at("k_xx"), at("k_xy"), at("k_xz"), at("k_yy"), at("k_yz"), at("k_zz"));
    c.u0 = {at("u0_x"), at("u0_y"), at("u0_z")};
    c.friction = at("friction");
    c.restitution = at("restitution");
    LawParameters parameters;
    parameters.tangential_restitution = at("tangential_restitution");
    const auto check = [&](Law law, const std::string& name) {
      const Vector3 expected{at(name + "_x"), at(name + "_y"), at(name + "_z")};
      const LawOutcome o = apply(law, c, parameters);
      EXPECT_EQ(o.status, Status::ok);
      EXPECT_LE(distance(o.p, expected), tolerance * length(expected)) << name << " " << i;
    };
    check(Law::frictionless, "frictionless");
    check(Law::no_slip, "no_slip");
    check(Law::chatterjee_ruina, "chatterjee_ruina");
  }
}

TEST(equations, frictionless_pushes_along_the_normal_alone) {
  Worst worst;
  const auto samples = law_samples(many, 1);
  for (std::size_t i = 0; i < many; ++i) {
    const auto& [c, parameters] = samples[i];
    const LawOutcome o = apply(Law::frictionless, c);
    expect_consistent(c, o, i, worst);
    ASSERT_EQ(slip(o.p), 0);
    worst.see(restitution_residual(c, o), i);
  }
}

TEST(equations, no_slip_reverses_the_velocity) {
  Worst worst;
  const auto samples = law_samples(many, 2);
  for (std::size_t i = 0; i < many; ++i) {
    const Collision& c = samples[i].c;
    const LawOutcome o = apply(Law::no_slip, c);
    expect_consistent(c, o, i, worst);
    worst.see(distance(o.u, -c.restitution * c.u0) / speeds(c, o.p), i);
  }
}

TEST(equations, chatterjee_ruina_goes_towards_sticking_as_far_as_the_cone) {
  Worst worst;
  std::size_t clipped = 0;
  const auto samples = law_samples(many, 3);
  for (std::size_t i = 0; i < many; ++i) {
    const auto& [c, parameters] = samples[i];
    const LawOutcome o = apply(Law::chatterjee_ruina, c, parameters);
    expect_consistent(c, o, i, worst);
    const Vector3 plastic{0, 0, -c.u0[2] / c.k[2][2]};
    const Vector3 way = stopping_impulse(c) - plastic;
    const Vector3 gone = o.p - frictionless_impulse(c);
    const double kappa = dot(gone, way) / dot(way, way), full = 1 + parameters.tangential_restitution;
    const double size = length(o.p) + length(way);
    worst.see(distance(gone, kappa * way) / size, i);
    worst.see(restitution_residual(c, o), i);
    worst.see(-kappa, i);
    worst.see(kappa - full, i);
    worst.see((slip(o.p) - c.friction * o.p[2]) / length(o.p), i);
    if (kappa < full * (1 - tolerance)) {
      ++clipped;
      worst.see(std::abs(slip(o.p) - c.friction * o.p[2]) / length(o.p), i);
      EXPECT_EQ(o.path.sliding_end, SlidingEnd::slip);
    }
  }
  EXPECT_GT(clipped, many / 10);
  EXPECT_LT(clipped, many - many / 10);
}

TEST(equations, bilinear_takes_the_smaller_friction_against_the_first_slip) {
  Worst worst;
  const auto samples = law_samples(many, 4);
  for (std::size_t i = 0; i < many; ++i) {
    const auto& [c, parameters] = samples[i];
    const LawOutcome o = apply(Law::bilinear, c, parameters);
    expect_consistent(c, o, i, worst);
    const double normal = frictionless_impulse(c)[2];
    const double tangential =
        std::min(c.friction * normal, (1 + parameters.tangential_restitution) * slip(stopping_impulse(c)));
    const double a = slip(c.u0);
    worst.see(distance(o.p, {-tangential * c.u0[0] / a, -tangential * c.u0[1] / a, normal}) / length(o.p), i);
  }
}

TEST(equations, whittaker_sticks_or_slides_against_the_last_slip) {
  Worst worst;
  std::size_t sticking = 0;
  const auto samples = law_samples(many, 5);
  for (std::size_t i = 0; i < many; ++i) {
    const Collision& c = samples[i].c;
    const LawOutcome o = apply(Law::whittaker, c);
    expect_consistent(c, o, i, worst);
    ASSERT_FALSE(is_fault(o.status));
    worst.see(restitution_residual(c, o), i);
    const double speed = speeds(c, o.p);
    const bool sticks = o.path.sliding_end == SlidingEnd::stick;
    sticking += sticks ? 1 : 0;
    worst.see(sticks ? slip(o.u) / speed : sliding_residual(c.friction, o.p, o.u, speed), i);
    worst.see((slip(o.p) - c.friction * o.p[2]) / length(o.p), i);
  }
  EXPECT_GT(sticking, many / 10);
  EXPECT_LT(sticking, many - many / 10);
}

TEST(equations, smith_opposes_the_mean_of_both_slips) {
  Worst worst;
  const auto samples = law_samples(many / 4, 6);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Collision& c = samples[i].c;
    const LawOutcome o = apply(Law::smith, c);
    expect_consistent(c, o, i, worst);
    ASSERT_FALSE(is_fault(o.status)) << i;
    EXPECT_GT(o.p[2], 0);
    worst.see(restitution_residual(c, o), i);
    const double a = slip(c.u0), b = slip(o.u), square = a * a + b * b;
    // u is known to rounding of `speeds`, and its mean with u0 to that relative to both slips.
    const double tilt = speeds(c, o.p) / std::sqrt(square);
    for (std::size_t j = 0; j < 2; ++j)
      worst.see(std::abs(o.p[j] + c.friction * o.p[2] * (a * c.u0[j] + b * o.u[j]) / square) /
                    (slip(o.p) + c.friction * o.p[2] * (1 + tilt)),
                i);
  }
}

TEST(equations, anitescu_potra_compresses_and_expands_against_its_last_slips) {
  Worst worst;
  const auto samples = law_samples(many, 7);
  for (std::size_t i = 0; i < many; ++i) {
    const Collision& c = samples[i].c;
    const LawOutcome o = apply(Law::anitescu_potra, c);
    expect_consistent(c, o, i, worst);
    ASSERT_FALSE(is_fault(o.status));
    Collision plastic = c;
    plastic.restitution = 0;
    const Vector3 p1 = apply(Law::whittaker, plastic).p;
    const Vector3 p2 = o.p - p1;
    const double speed = speeds(c, o.p);
    const double more = (p2[2] - c.restitution * p1[2]) / length(o.p);
    worst.see(-more, i);
    worst.see(-o.u[2] / speed, i);
    if (more > tolerance) worst.see(std::abs(o.u[2]) / speed, i);
    // p2 is a difference and less accurate than p: its cone is measured relative to p, its direction relative to both.
    worst.see((slip(p2) - c.friction * p2[2]) / length(o.p), i);
    const bool sticks = slip(o.u) <= tolerance * speed;
    if (!sticks) {
      worst.see(std::abs(slip(p2) - c.friction * p2[2]) / length(o.p), i);
      worst.see(std::abs(p2[0] * o.u[1] - p2[1] * o.u[0]) / (length(o.p) * speed), i);
      EXPECT_LE(p2[0] * o.u[0] + p2[1] * o.u[1], tolerance * length(o.p) * speed);
    }
  }
}

TEST(equations, brach_keeps_the_largest_share_of_the_ratios_that_the_region_allows) {
  Worst worst;
  std::size_t kept = 0, on_cone = 0, on_ellipsoid = 0;
  const auto samples = law_samples(many, 8);
  for (std::size_t i = 0; i < many; ++i) {
    const auto& [c, parameters] = samples[i];
    const LawOutcome o = apply(Law::brach, c, parameters);
    expect_consistent(c, o, i, worst);
    worst.see(restitution_residual(c, o), i);
    const double a = slip(c.u0);
    const double x = -(parameters.impulse_ratio_1 * c.u0[0] - parameters.impulse_ratio_2 * c.u0[1]) / a;
    const double y = -(parameters.impulse_ratio_1 * c.u0[1] + parameters.impulse_ratio_2 * c.u0[0]) / a;
    const double size = std::hypot(x, y);
    const double share = (o.p[0] * x + o.p[1] * y) / (size * size * o.p[2]);
    worst.see(distance(o.p, {share * x * o.p[2], share * y * o.p[2], o.p[2]}) / length(o.p), i);
    worst.see(-share, i);
    worst.see(share - 1, i);
    const Margins m = region_margins(c, o.p);
    const double energies = speeds(c, o.p) * length(o.p);
    worst.see(-m.energy / energies, i);
    worst.see(-m.cone / length(o.p), i);
    if (share > 1 - tolerance)
      ++kept;
    else if (std::abs(m.cone) <= tolerance * length(o.p))
      ++on_cone;
    else if (std::abs(m.energy) <= tolerance * energies)
      ++on_ellipsoid;
    else
      ADD_FAILURE() << "contact " << i << " is scaled back by nothing";
  }
  EXPECT_GT(kept, many / 100);
  EXPECT_GT(on_cone, many / 100);
  EXPECT_GT(on_ellipsoid, many / 100);
}

// Returns whether a bound of the region holds with equality, relative to its terms.
bool is_on_boundary(const Collision& c, const Vector3& p) {
  const Margins m = region_margins(c, p);
  const double speed = speeds(c, p);
  return std::min({std::abs(m.energy) / (speed * length(p)), std::abs(m.non_penetration) / speed,
                   std::abs(m.cone) / length(p)}) <= tolerance;
}

bool is_in_region(const Collision& c, const Vector3& p) {
  const Margins m = region_margins(c, p);
  const double speed = speeds(c, p);
  return m.energy >= -tolerance * speed * length(p) && m.non_penetration >= -tolerance * speed &&
         m.tension >= -tolerance * length(p) && m.cone >= -tolerance * length(p);
}

TEST(equations, projected_draws_a_candidate_back_to_the_boundary_and_no_further) {
  Worst worst;
  std::size_t inside = 0;
  const auto samples = law_samples(many, 9);
  for (std::size_t i = 0; i < many; ++i) {
    const auto& [c, parameters] = samples[i];
    const LawOutcome o = apply(Law::projected, c, parameters);
    expect_consistent(c, o, i, worst);
    ASSERT_TRUE(is_in_region(c, o.p)) << i;
    if (o.p == parameters.candidate) {
      ++inside;
      continue;
    }
    ASSERT_TRUE(is_on_boundary(c, o.p)) << i;
    const Vector3 inner{0, 0, -1.5 * c.u0[2] / c.k[2][2]};
    const Vector3 way = parameters.candidate - inner, gone = o.p - inner;
    const double s = dot(gone, way) / dot(way, way);
    worst.see(distance(gone, s * way) / (length(o.p) + length(inner)), i);
    worst.see(-s, i);
    worst.see(s - 1, i);
  }
  EXPECT_GT(inside, many / 100);
  EXPECT_LT(inside, many / 2);
}

TEST(equations, polar_goes_a_fraction_of_the_way_to_the_boundary) {
  Worst worst;
  const auto samples = law_samples(many, 10);
  for (std::size_t i = 0; i < many; ++i) {
    const auto& [c, parameters] = samples[i];
    const LawOutcome o = apply(Law::polar, c, parameters);
    expect_consistent(c, o, i, worst);
    LawParameters whole = parameters;
    whole.fraction = 1;
    const Vector3 boundary = apply(Law::polar, c, whole).p;
    ASSERT_TRUE(is_on_boundary(c, boundary)) << i;
    ASSERT_TRUE(is_in_region(c, boundary)) << i;
    const Vector3 inner{0, 0, -1.5 * c.u0[2] / c.k[2][2]};
    const Vector3 way = boundary - inner;
    worst.see(distance(o.p, inner + parameters.fraction * way) / (length(inner) + length(way)), i);
    const double a = slip(c.u0), across = std::sin(parameters.polar_angle);
    const double first = across * std::cos(parameters.azimuth), second = across * std::sin(parameters.azimuth);
    const Vector3 d{(-first * c.u0[0] + second * c.u0[1]) / a, (-first * c.u0[1] - second * c.u0[0]) / a,
                    std::cos(parameters.polar_angle)};
    worst.see(distance(way, length(way) * d) / (length(inner) + length(way)), i);
  }
}

TEST(equations, composite_is_the_weighted_mean_of_its_members) {
  Worst worst;
  const auto samples = law_samples((support::fast_build ? many : many / 50) / 20, 11);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& [c, parameters] = samples[i];
    const LawOutcome o = apply(Law::composite, c, parameters, RestitutionLaw::kinetic);
    expect_consistent(c, o, i, worst);
    const Weights<double>& w = parameters.weight;
    const std::map<Law, double> weights{{Law::incremental, w.incremental},
                                        {Law::frictionless, w.frictionless},
                                        {Law::chatterjee_ruina, w.chatterjee_ruina},
                                        {Law::bilinear, w.bilinear},
                                        {Law::smith, w.smith},
                                        {Law::anitescu_potra, w.anitescu_potra},
                                        {Law::brach, w.brach},
                                        {Law::projected, w.projected},
                                        {Law::polar, w.polar}};
    Vector3 weighted{};
    double sum = 0, size = 0;
    for (const auto& [law, weight] : weights) {
      const Vector3 member = apply(law, c, parameters, RestitutionLaw::kinetic).p;
      weighted = weighted + weight * member;
      sum += weight;
      size += weight * length(member);
    }
    worst.see(distance(o.p, 1 / sum * weighted) / (size / sum), i);
  }
}

TEST(equations, incremental_is_the_exact_reference) {
  const auto samples = law_samples(500, 12);
  for (RestitutionLaw law : {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic})
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Collision& c = samples[i].c;
      const Outcome expected = resolve_exact(c, law, 1'000'000);
      const LawOutcome o = apply(Law::incremental, c, {}, law);
      ASSERT_EQ(o.status, Status::ok);
      EXPECT_EQ(o.path, expected.path);
      // Scaling K by a power of two changes only the order of a few roundings.
      EXPECT_LE(distance(o.p, expected.p), 1e-10 * length(expected.p));
    }
}

}  // namespace
}  // namespace carom::reference
