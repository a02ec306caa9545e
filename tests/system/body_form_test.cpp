// W by bodies against its definition: velocities, joints that hold, repeat or contradict each other.
#include "systems/problem/body_form.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace carom::systems {
namespace {

/// Bodies in a row with M a number, a contact between neighbours and three rows of joints of every second pair.
BodyForm row_of_bodies(std::int32_t bodies, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  BodyForm form;
  form.bodies = static_cast<std::size_t>(bodies);
  const auto fill = [&](Numbers& direction, Numbers& response, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      direction.push_back(uniform(random));
      response.push_back(0.5 * direction.back());
    }
  };
  for (std::int32_t b = 0; b < bodies; ++b) {
    form.body.push_back({b, b - 1});
    fill(form.direction, form.response, 36);
    for (int k = 0; k < 3; ++k) form.extra.push_back(k == 0 ? 0.25 : 0);
    for (int k = 0; k < 3 && b % 2 == 1; ++k) {
      form.rows.body.push_back({b, b - 1});
      fill(form.rows.direction, form.rows.response, 12);
      form.rows.compliance.push_back(k == 0 ? 0.1 : 0);
    }
  }
  return form;
}

double largest(const Numbers& x) {
  double found = 0;
  for (const double y : x) found = std::max(found, std::abs(y));
  return found;
}

// J v = 0 for v = M⁻¹ (Hᵀ r + Jᵀ λ) and some λ. Joints without compliance do no work.
TEST(BodyForm, joints_hold_whatever_the_contacts_do) {
  std::mt19937_64 random(1);
  BodyForm form = row_of_bodies(5, random);
  form.rows.compliance.assign(form.rows.size(), 0);
  ASSERT_TRUE(form.rows.factor(form.bodies));
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers r(3 * form.body.size()), v, free(6 * form.bodies, 0), missed, u(r.size(), 0);
  for (double& x : r) x = uniform(random);
  form.answer(r, v);
  form.rows.measure(v, missed);
  EXPECT_LE(largest(missed), 1e-13);
  for (std::size_t i = 0; i < form.body.size(); ++i) form.push(i, &r[3 * i], free);
  double work = 0;
  for (std::size_t k = 0; k < v.size(); ++k) work += v[k] * (free[k] - v[k]);
  EXPECT_NEAR(work, 0, 1e-13);
  form.add_product(r, u);
  for (std::size_t i = 0; i < form.body.size(); ++i) {
    double w[3] = {};
    form.add_velocity(i, v, &r[3 * i], w);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(u[3 * i + a], w[a]);
  }
}

TEST(BilateralRows, that_repeat_each_other_share_a_bounded_impulse) {
  std::mt19937_64 random(2);
  BodyForm form = row_of_bodies(4, random);
  BilateralRows& rows = form.rows;
  const std::size_t count = rows.size();
  for (std::size_t k = 0; k < count; ++k) {
    rows.body.push_back(rows.body[k]);
    rows.compliance.push_back(rows.compliance[k] = 0);
  }
  for (Numbers* numbers : {&rows.direction, &rows.response}) {
    const Numbers given = *numbers;
    numbers->insert(numbers->end(), given.begin(), given.end());
  }
  ASSERT_TRUE(rows.factor(form.bodies));
  Numbers missed(2 * count), v(6 * form.bodies, 0), lambda, after;
  for (std::size_t k = 0; k < 2 * count; ++k) missed[k] = static_cast<double>(1 + k % count);
  const Numbers given = missed;
  rows.hold(missed, v, lambda);
  EXPECT_LE(largest(missed), 1e-12);
  rows.measure(v, after);
  for (std::size_t k = 0; k < count; ++k) {
    EXPECT_NEAR(after[k], -given[k], 1e-12);
    EXPECT_NEAR(lambda[k], lambda[count + k], 1e-6 * (1 + std::abs(lambda[k])));
  }
  EXPECT_LE(largest(lambda), 1e3);
  // The copies have the opposite targets: no impulse satisfies both.
  missed = given;
  for (std::size_t k = count; k < 2 * count; ++k) missed[k] = -missed[k];
  rows.leave_contradictions(missed);
  EXPECT_LE(largest(missed), 1e-6 * largest(given));
}

// (J M⁻¹ Jᵀ + γ) λ = −missed.
TEST(BilateralRows, yield_by_their_compliance) {
  BilateralRows rows;
  rows.body = {{0, -1}};
  rows.direction = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  rows.response = {0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  rows.compliance = {1.5};
  ASSERT_TRUE(rows.factor(1));
  Numbers missed = {-1}, v(6, 0), lambda;
  rows.hold(missed, v, lambda);
  EXPECT_NEAR(lambda[0], 0.5, 1e-15);
  EXPECT_NEAR(v[0], 0.25, 1e-15);
}

}  // namespace
}  // namespace carom::systems
