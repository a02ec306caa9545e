// Compares gradients of the reference with differences in 34 digits, and checks the identities between their columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference.hpp>
#include <carom/reference_gradients.hpp>
#include <cmath>
#include <vector>

#include "support/gradients/golden_gradients.hpp"
#include "support/gradients/gradient_laws.hpp"

namespace carom::test {
namespace {

using Table = GradientTable<double>;
using Variable = GradientVariable;

void differentiate(Table& table, const Options& options = {}) {
  reference::differentiate(table.contacts(), table.gradients(), options);
}

// The differences themselves have errors of h² f with h = 1e-12 of the numbers: 4e-12 next to a second compression.
TEST(ReferenceGradients, agree_with_differences_in_34_digits) {
  const std::vector<GoldenGradient> golden = golden_gradients();
  ASSERT_GE(golden.size(), 400U);
  Table table;
  for (const GoldenGradient& g : golden) table.add(g.law, g.restitution_law, g.numbers);
  differentiate(table);
  std::vector<double> of_incremental;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const double error = error_of(table, i, golden[i]);
    if (golden[i].law == Law::incremental) of_incremental.push_back(error);
    EXPECT_LE(error, 1e-11) << i << ' ' << golden[i].kind << ' ' << golden[i].sliding_end;
  }
  std::nth_element(of_incremental.begin(), of_incremental.begin() + of_incremental.size() / 2, of_incremental.end());
  EXPECT_LE(of_incremental[of_incremental.size() / 2], 1e-14);
}

// p(K, c u0) = c p and p(cK, u0) = p / c, for impulses and velocities; turning the contact about the normal turns p.
TEST(ReferenceGradients, columns_obey_the_symmetries_of_every_law) {
  Table table;
  add_random_contacts(360, 11, all_laws(), table);
  differentiate(table);
  const auto contacts = table.contacts();
  for (std::size_t i = 0; i < table.count(); ++i) {
    if (table.status(i) == GradientStatus::none) continue;
    const auto law = contacts.laws.law[i];
    SCOPED_TRACE(testing::Message() << i << ' ' << to_string(law));
    double n[Table::variables], j[3][Table::variables], size = 0;
    for (std::size_t v = 0; v < Table::variables; ++v) n[v] = table.number(v, i);
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t v = 0; v < Table::variables; ++v) {
        j[r][v] = table.at(r, v, i);
        size = std::max(size, std::abs(j[r][v] * n[v]));
      }
    constexpr std::size_t candidate = Variable::own + 6;
    double of_u0[3] = {}, of_k[3] = {};
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t v = 0; v < 3; ++v) of_u0[r] += n[Variable::u0 + v] * j[r][Variable::u0 + v];
      for (std::size_t v = 0; v < 3; ++v) of_u0[r] += n[candidate + v] * j[r][candidate + v];
      for (std::size_t v = 0; v < 6; ++v) of_k[r] += n[Variable::k + v] * j[r][Variable::k + v];
      for (std::size_t v = 0; v < 3; ++v) of_k[r] -= n[candidate + v] * j[r][candidate + v];
    }
    const double *k = n + Variable::k, *u0 = n + Variable::u0;
    const double turned[9] = {-2 * k[1], k[0] - k[3], -k[4], 2 * k[1], k[2], 0, -u0[1], u0[0], 0};
    const double expected[3] = {-of_u0[1], of_u0[0], 0};
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_NEAR(of_k[r], -of_u0[r], 1e-12 * size);
      double turn = -n[candidate + 1] * j[r][candidate] + n[candidate] * j[r][candidate + 1];
      for (std::size_t v = 0; v < 9; ++v) turn += turned[v] * j[r][Variable::k + v];
      EXPECT_NEAR(turn, expected[r], 1e-12 * size);
    }
  }
}

/// Compares the gradients of all contacts with status `exact` with differences of the laws themselves, by the first
/// `variables` numbers of a contact. h = 1e-5 leaves errors of h² f''' and ε / h. Returns the number of these contacts.
std::size_t compare_with_differences(Table& table, std::size_t variables) {
  std::size_t compared = 0;
  for (std::size_t i = 0; i < table.count(); ++i) {
    if (table.status(i) != GradientStatus::exact) continue;
    ++compared;
    for (std::size_t v = 0; v < variables; ++v) {
      const double x = table.number(v, i), h = 1e-5 * std::max(std::abs(x), 0.1);
      if (v >= Variable::weight && x == 0) continue;
      double p[2][3];
      for (const int side : {0, 1}) {
        table.number(v, i) = x + (side == 0 ? -h : h);
        Results<double> results;
        results.impulse = {p[side], 1};
        reference::solve(columns::sliced(table.contacts(), i, 1), results);
      }
      table.number(v, i) = x;
      for (std::size_t r = 0; r < 3; ++r) {
        const double difference = (p[1][r] - p[0][r]) / (2 * h);
        EXPECT_NEAR(table.at(r, v, i), difference, 2e-5 * (1 + std::abs(difference))) << i << ' ' << r << ' ' << v;
      }
    }
  }
  return compared;
}

// Laws that are not in the golden set.
TEST(ReferenceGradients, polar_and_composite_agree_with_differences) {
  Table table;
  add_random_contacts(60, 5, {Law::polar, Law::composite}, table);
  differentiate(table);
  EXPECT_GT(compare_with_differences(table, Table::variables), 50U);
}

// In each contact two rays nearly merge. The slip falls by 18 digits while it turns there, then follows another ray.
TEST(ReferenceGradients, slides_that_turn_as_they_stop_agree_with_differences) {
  Table table;
  table.add(Law::incremental, RestitutionLaw::kinematic,
            {0.42935727473559393, 0.035938762218332622, 1.2788751545249877, 2.7251849384204916, 0.40770272157781601,
             10.313701210303607, 3.1589500066152261, 2.1870512062628298, 0.015070336356264589, -0.12200468491554757,
             -0.93175613527875711});
  table.add(Law::incremental, RestitutionLaw::kinematic,
            {0.47376151623652601, 0.55887671384723792, 1.6844638056118268, -0.24169498915533744, -1.1451398538790375,
             8.1523327116453306, 1.0426027878844574, 1.366046803527424, 0.47899451664704917, -0.24080810611294148,
             -0.57142746919358456});
  table.add(Law::incremental, RestitutionLaw::energetic,
            {0.86988927507660574, 0.25054756807944872, 6.8683090928936235, -3.2457747661928722, 3.2573706288429012,
             2.607083110164476, -2.8437245211109077, 4.091736931663184, -0.86001404110194035, 0.7934474166332619,
             -1.3687482114008012});
  differentiate(table);
  EXPECT_EQ(compare_with_differences(table, Variable::own), 3U);
}

TEST(ReferenceGradients, contacts_that_stop_and_diverge_agree_with_differences) {
  Table table;
  add_contacts_that_diverge(200, 1, table);
  differentiate(table);
  EXPECT_EQ(compare_with_differences(table, Variable::own), 200U);
}

}  // namespace
}  // namespace carom::test
