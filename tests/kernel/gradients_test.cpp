// Solver::differentiate on every ISA: against differences in 34 digits, against the reference, and against itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference_gradients.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/gradients/golden_gradients.hpp"
#include "support/gradients/gradient_laws.hpp"

namespace carom::test {
namespace {

using Variable = GradientVariable;
constexpr std::size_t variables = columns::derivative_count, rows = columns::gradient_rows;

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

// A contact is generic if no column of its gradient vanishes by symmetry. In vanishing columns the remaining truncation
// error of A counts.
bool is_generic(const GoldenGradient& g) {
  return g.kind != "sphere" && g.kind != "on a ray";
}

TEST(Gradients, agree_with_differences_in_34_digits) {
  const std::vector<GoldenGradient> golden = golden_gradients();
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(to_string(isa));
    GradientTable<double> table;
    for (const GoldenGradient& g : golden) table.add(g.law, g.restitution_law, g.numbers);
    Solver({.isa = isa}).differentiate(table.contacts(), table.gradients());
    std::vector<double> generic;
    for (std::size_t i = 0; i < golden.size(); ++i) {
      const double error = error_of(table, i, golden[i]);
      if (is_generic(golden[i])) generic.push_back(error);
      EXPECT_LE(error, is_generic(golden[i]) ? 1e-10 : 1e-8)
          << i << ' ' << golden[i].kind << ' ' << golden[i].sliding_end;
    }
    EXPECT_LE(median(generic), 1e-14);
  }
}

/// Counts the contacts whose slip stops and continues along the diverging ray.
std::size_t count_diverging(const GradientTable<double>& table) {
  std::vector<Path> path(table.count());
  Results<double> results;
  results.path = path;
  Solver().solve(table.contacts(), results);
  return static_cast<std::size_t>(
      std::count_if(path.begin(), path.end(), [](const Path& p) { return p.sticking == Sticking::diverge; }));
}

// Every vector holds contacts of different laws; composites have other laws as components.
TEST(Gradients, agree_with_the_reference_under_every_law) {
  GradientTable<double> drawn;
  add_random_contacts(1200, 3, all_laws(), drawn);
  add_contacts_that_diverge(400, 1, drawn);
  EXPECT_GE(count_diverging(drawn), 400U);
  GradientTable<double> exact = drawn;
  reference::differentiate(exact.contacts(), exact.gradients());
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(to_string(isa));
    GradientTable<double> table = drawn;
    Solver({.isa = isa}).differentiate(table.contacts(), table.gradients());
    std::vector<double> errors;
    std::size_t exactly = 0;
    for (std::size_t i = 0; i < table.count(); ++i) {
      exactly += table.status(i) == GradientStatus::exact ? 1 : 0;
      ASSERT_EQ(table.status(i), exact.status(i)) << i;
      if (table.status(i) == GradientStatus::none) continue;
      for (const std::size_t first : {std::size_t{0}, std::size_t{3}}) {
        errors.push_back(difference(table, exact, i, first));
        EXPECT_LE(errors.back(), 1e-9) << i << ' ' << to_string(table.contacts().laws.law[i]);
      }
    }
    EXPECT_LE(median(errors), 1e-14);
    EXPECT_EQ(exactly, table.count()) << "random contacts are next to no border";
  }
}

TEST(Gradients, agree_with_the_reference_in_float) {
  GradientTable<double> exact;
  add_random_contacts(1200, 4, all_laws(), exact);
  reference::differentiate(exact.contacts(), exact.gradients());
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(to_string(isa));
    GradientTable<float> table;
    add_random_contacts(1200, 4, all_laws(), table);
    Solver({.isa = isa}).differentiate(table.contacts(), table.gradients());
    std::vector<double> all, incremental;
    for (std::size_t i = 0; i < table.count(); ++i) {
      if (table.status(i) != GradientStatus::exact || exact.status(i) != GradientStatus::exact) continue;
      all.push_back(difference(table, exact, i, 0));
      if (table.contacts().laws.law[i] == Law::incremental) incremental.push_back(all.back());
    }
    EXPECT_GT(all.size(), 1000U);
    EXPECT_LE(median(all), 3e-6);
    EXPECT_LE(median(incremental), 3e-6);
  }
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
class GradientBits : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(GradientBits, Numbers);

// No bit depends on a contact's neighbours, on the threads or on the ISA (among ISAs with fused multiply-add).
TYPED_TEST(GradientBits, are_those_of_the_contact_alone) {
  using T = TypeParam;
  constexpr std::size_t count = 4001;
  GradientTable<T> whole;
  add_random_contacts(count, 8, all_laws(), whole);
  Solver().differentiate(whole.contacts(), whole.gradients());
  for (const Isa isa : available_isas()) {
    if (isa == Isa::sse2) continue;
    for (const int threads : {1, 2}) {
      GradientTable<T> other;
      add_random_contacts(count, 8, all_laws(), other);
      Solver({.isa = isa, .threads = threads}).differentiate(other.contacts(), other.gradients());
      std::size_t differ = 0;
      for (std::size_t r = 0; r <= rows; ++r)
        for (std::size_t v = 0; v < variables; ++v)
          for (std::size_t i = 0; i < count; ++i)
            differ += same_bits(whole.values()[r][v][i], other.values()[r][v][i]) ? 0 : 1;
      EXPECT_EQ(differ, 0U) << to_string(isa) << ' ' << threads;
    }
  }
  Solver solver;
  for (std::size_t i = 0; i < 200; ++i) {
    GradientTable<T> alone;
    add_random_contacts(1, 0, {Law::incremental}, alone);
    Gradients<T> gradients = alone.gradients();
    solver.differentiate(columns::sliced(whole.contacts(), i, 1), gradients);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t v = 0; v < variables; ++v)
        ASSERT_TRUE(same_bits(alone.at(r, v, 0), whole.at(r, v, i))) << i << ' ' << r << ' ' << v;
  }
}

// A column requested separately, with a stride, has the same bits as among all others.
TYPED_TEST(GradientBits, are_those_of_columns_asked_for_alone) {
  using T = TypeParam;
  constexpr std::size_t count = 600;
  for (const Law law : {Law::incremental, Law::chatterjee_ruina, Law::smith, Law::brach}) {
    GradientTable<T> table;
    add_random_contacts(count, 9, {law}, table);
    Solver solver;
    solver.differentiate(table.contacts(), table.gradients());
    std::vector<T> strided(3 * count, T(-5)), contiguous(count, T(-5));
    Gradients<T> some;
    some.impulse_x.friction = {strided.data(), count, 3 * sizeof(T)};
    some.impulse_z.k.yz = contiguous;
    solver.differentiate(table.contacts(), some);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(same_bits(strided[3 * i], table.at(0, Variable::friction, i))) << i << ' ' << to_string(law);
      ASSERT_TRUE(same_bits(contiguous[i], table.at(2, Variable::k + 4, i))) << i << ' ' << to_string(law);
      ASSERT_EQ(strided[3 * i + 1], T(-5));
    }
  }
}

TEST(Gradients, products_are_those_of_the_jacobian) {
  constexpr std::size_t count = 300;
  GradientTable<double> table;
  add_random_contacts(count, 12, all_laws(), table);
  support::Draw draw(1);
  std::vector<double> cotangent[6];
  for (auto& c : cotangent)
    for (std::size_t i = 0; i < count; ++i) c.push_back(draw.bell());
  Gradients<double> gradients = table.gradients();
  gradients.cotangent.impulse = {cotangent[0], cotangent[1], cotangent[2]};
  gradients.cotangent.separation_velocity = {cotangent[3], cotangent[4], cotangent[5]};
  Solver().differentiate(table.contacts(), gradients);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t v = 0; v < variables; ++v) {
      double product = 0, size = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        product += cotangent[r][i] * table.at(r, v, i);
        size += std::abs(cotangent[r][i] * table.at(r, v, i));
      }
      EXPECT_NEAR(table.product(v, i), product, 1e-14 * size) << i << ' ' << v;
    }
}

// Without a collision u = u0; for faulty contacts the derivatives are unknown; without slip some laws have no
// derivative by slip.
TEST(Gradients, statuses_tell_what_there_is) {
  const auto status_of = [](Law law, std::vector<double> n, double* by_u0_x = nullptr, double* by_u0_z = nullptr) {
    GradientTable<double> table, exact;
    for (auto* t : {&table, &exact}) t->add(law, RestitutionLaw::energetic, n);
    Solver().differentiate(table.contacts(), table.gradients());
    reference::differentiate(exact.contacts(), exact.gradients());
    EXPECT_EQ(table.status(0), exact.status(0));
    if (by_u0_x != nullptr) *by_u0_x = table.at(0, Variable::u0, 0);
    if (by_u0_z != nullptr) *by_u0_z = table.at(5, Variable::u0 + 2, 0);
    return table.status(0);
  };
  const std::vector<double> slides = {0.3, 0.5, 2, 0.1, -0.2, 2.5, 0.3, 1.5, 0.75, -0.5, -1, 0.2, 0.1, 0.1};
  auto with = [&](std::size_t v, double x) {
    auto n = slides;
    n[v] = x;
    return n;
  };
  double by_x = 0, by_z = 0;
  for (const Law law : all_laws()) {
    if (law == Law::composite) continue;
    EXPECT_EQ(status_of(law, with(Variable::u0 + 2, 1), &by_x, &by_z), GradientStatus::zero);
    EXPECT_EQ(by_x, 0);
    EXPECT_EQ(by_z, 1);
    EXPECT_EQ(status_of(law, with(Variable::friction, -1), &by_x), GradientStatus::none);
    EXPECT_TRUE(std::isnan(by_x));
    EXPECT_EQ(status_of(law, with(Variable::k + 3, 1e-3)), GradientStatus::none) << "K is not positive definite";
    EXPECT_EQ(status_of(law, with(Variable::friction, std::numeric_limits<double>::infinity())), GradientStatus::none);
    EXPECT_EQ(status_of(law, with(Variable::u0 + 2, -1e-16)), GradientStatus::one_sided) << to_string(law);
  }
  // |q| = 0.17: the contact sticks if the friction is above, and slides if it is below.
  auto at_rest = with(Variable::u0, 0);
  at_rest[Variable::u0 + 1] = 0;
  EXPECT_EQ(status_of(Law::incremental, at_rest, &by_x), GradientStatus::exact);
  EXPECT_FALSE(std::isnan(by_x));
  at_rest[Variable::friction] = 0.1;
  EXPECT_EQ(status_of(Law::incremental, at_rest, &by_x), GradientStatus::undefined);
  EXPECT_TRUE(std::isnan(by_x));
  EXPECT_EQ(status_of(Law::bilinear, at_rest), GradientStatus::undefined);
  EXPECT_EQ(status_of(Law::brach, at_rest), GradientStatus::undefined);
  EXPECT_EQ(status_of(Law::whittaker, at_rest), GradientStatus::exact);
  // q = k / M: the friction is just enough to hold.
  const std::vector<double> held = {0.25, 0.5, 2, 0, 0.5, 2, 0, 1, -0.1, 0, -1};
  EXPECT_EQ(status_of(Law::incremental, held), GradientStatus::one_sided);
  // Bilinear with μ p_z = |P_II,t| = 1.
  EXPECT_EQ(status_of(Law::bilinear, {1, 0, 1, 0, 0, 1, 0, 1, 1, 0, -1}), GradientStatus::one_sided);
  // Chatterjee-Ruina at the corner of the cone: D = (-½, 0, 0), so p = (-½, 0, 1) with e = e_t = 0.
  EXPECT_EQ(status_of(Law::chatterjee_ruina, {0.5, 0, 2, 0, 0, 2, 0, 1, 1, 0, -1}), GradientStatus::one_sided);
}

GradientStatus status_near(RestitutionLaw law, const std::vector<double>& numbers, double tolerance) {
  GradientTable<double> table, exact;
  for (auto* t : {&table, &exact}) t->add(Law::incremental, law, numbers);
  Solver().differentiate(table.contacts(), table.gradients(), {}, tolerance);
  reference::differentiate(exact.contacts(), exact.gradients(), {}, tolerance);
  EXPECT_EQ(table.status(0), exact.status(0)) << to_string(law) << ' ' << tolerance;
  return table.status(0);
}

// K = diag(2, 2, 1) and μ = ½: the slip falls at the rate 1, as -u_z does. From |u0_t| = 1 it ends together with the
// compression, from 1 + e together with the collision.
TEST(Gradients, statuses_tell_of_rest_where_a_phase_ends) {
  const std::vector<double> at_turn = {0.5, 0.5, 2, 0, 0, 2, 0, 1, 1, 0, -1};
  std::vector<double> at_end = at_turn;
  at_end[Variable::u0] = 1.5;
  for (const RestitutionLaw law : {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic}) {
    EXPECT_EQ(status_near(law, at_turn, 1e-13),
              law == RestitutionLaw::kinetic ? GradientStatus::one_sided : GradientStatus::exact)
        << to_string(law);
    EXPECT_EQ(status_near(law, at_end, 1e-13), GradientStatus::one_sided) << to_string(law);
  }
}

// K_33 = 2, k = (1.5, 0) and μ = ½: the slip (1, 0) grows in a straight line with du_z/ds = 1.25, which is 0.625 K_33.
// The energetic collision ends at u_z = e. Tolerances below -u0_z / |u0| = 0.707 detect no other divisor.
TEST(Gradients, statuses_tell_of_divisors_that_vanish) {
  const std::vector<double> slides = {0.5, 0.5, 2, 0, 1.5, 2, 0, 2, 1, 0, -1};
  for (const RestitutionLaw law : {RestitutionLaw::kinetic, RestitutionLaw::kinematic}) {
    EXPECT_EQ(status_near(law, slides, 0.62), GradientStatus::exact) << to_string(law);
    EXPECT_EQ(status_near(law, slides, 0.63), GradientStatus::unbounded) << to_string(law);
  }
  EXPECT_EQ(status_near(RestitutionLaw::energetic, slides, 0.7), GradientStatus::exact);
  EXPECT_EQ(status_near(RestitutionLaw::energetic, slides, 0.99), GradientStatus::one_sided);
  EXPECT_EQ(status_near(RestitutionLaw::energetic, slides, 1.01), GradientStatus::unbounded);
}

// Faults in columns that no derivative reads.
TEST(Gradients, faults_of_choices_are_those_of_solve) {
  constexpr std::size_t count = 40;
  GradientTable<float> table;
  add_random_contacts(count, 2, {Law::chatterjee_ruina}, table);
  KContacts<float> contacts = table.contacts();
  const Gradients<float> gradients = table.gradients();
  Solver solver;
  EXPECT_EQ(solver.differentiate(contacts, gradients).count(GradientStatus::none), 0U);
  std::vector<RestitutionLaw> restitution_laws(count, RestitutionLaw::energetic);
  restitution_laws[7] = static_cast<RestitutionLaw>(3);
  contacts.laws.restitution_law = restitution_laws;
  EXPECT_EQ(solver.differentiate(contacts, gradients).count(GradientStatus::none), 1U);
  EXPECT_EQ(table.status(7), GradientStatus::none);
  contacts = table.contacts();
  std::vector<Law> laws(count, Law::chatterjee_ruina);
  laws[3] = static_cast<Law>(99);
  laws[4] = Law::pfeiffer_glocker;
  contacts.laws.law = laws;
  EXPECT_EQ(solver.differentiate(contacts, gradients).count(GradientStatus::none), 2U);
  EXPECT_EQ(table.status(3), GradientStatus::none);
  EXPECT_TRUE(std::isnan(table.at(0, 0, 3)));
  contacts = table.contacts();
  contacts.laws.tangential_restitution = {};
  EXPECT_EQ(solver.differentiate(contacts, gradients).count(GradientStatus::none), count);
}

TEST(Gradients, ends_of_ranges_agree_with_the_reference) {
  for (const Law law : {Law::incremental, Law::chatterjee_ruina, Law::whittaker, Law::anitescu_potra, Law::smith})
    for (const bool frictionless : {false, true}) {
      GradientTable<double> table, exact;
      add_random_contacts(100, 21, {law}, table, exact);
      for (std::size_t i = 0; i < 100; ++i)
        for (auto* t : {&table, &exact}) t->number(frictionless ? Variable::friction : Variable::restitution, i) = 0;
      Solver().differentiate(table.contacts(), table.gradients());
      reference::differentiate(exact.contacts(), exact.gradients());
      for (std::size_t i = 0; i < 100; ++i)
        EXPECT_LE(difference(table, exact, i, 0), 1e-9) << i << ' ' << to_string(law) << ' ' << frictionless;
    }
}

std::string message_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Gradients, misuse_names_the_column) {
  GradientTable<double> table;
  add_random_contacts(3, 1, {Law::incremental}, table);
  Solver solver;
  double few[2] = {};
  Gradients<double> gradients;
  gradients.impulse_y.k.xz = few;
  EXPECT_EQ(message_of([&] { solver.differentiate(table.contacts(), gradients); }),
            "carom: the column gradients.impulse_y.k.xz has 2 elements, but friction has 3");
  gradients = {};
  gradients.cotangent.product.weight.smith = {few, 3, 0};
  EXPECT_EQ(
      message_of([&] { solver.differentiate(table.contacts(), gradients); }),
      "carom: the column gradients.cotangent.product.weight.smith is a result with stride 0, so its elements share "
      "one place");
  gradients = {};
  gradients.cotangent.separation_velocity.x = few;
  EXPECT_EQ(message_of([&] { solver.differentiate(table.contacts(), gradients); }),
            "carom: the column gradients.cotangent.separation_velocity.x has 2 elements, but friction has 3");
  EXPECT_EQ(message_of([&] { solver.differentiate(table.contacts(), {}, {.integrator = Integrator::euler}); }),
            "carom: the option integrator is euler; gradients are those of series");
  EXPECT_EQ(message_of([&] { solver.differentiate(table.contacts(), {}, {}, -1); }),
            "carom: the option tolerance is -1, not a finite number >= 0");
}

TEST(Gradients, report_counts_statuses) {
  GradientTable<float> table;
  add_random_contacts(5000, 1, {Law::chatterjee_ruina}, table);
  for (std::size_t i = 0; i < 100; ++i) table.number(Variable::u0 + 2, i) = 1;
  for (std::size_t i = 100; i < 107; ++i) table.number(Variable::friction, i) = -1;
  const GradientReport report = Solver().differentiate(table.contacts(), table.gradients());
  EXPECT_EQ(report.contacts, 5000U);
  EXPECT_EQ(report.count(GradientStatus::zero), 100U);
  EXPECT_EQ(report.count(GradientStatus::none), 7U);
  EXPECT_EQ(report.count(GradientStatus::exact), 4893U);
  EXPECT_EQ(to_string(GradientStatus::one_sided), "one-sided");
}

}  // namespace
}  // namespace carom::test
