// Gradients by the parameters of bodies, by the chain rule, against differences of the reference.
#include <gtest/gtest.h>

#include <carom/body_gradients.hpp>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <vector>

#include "random/draw.hpp"

namespace carom::test {
namespace {

/// Every number of a pair, in one order.
template <class Pair>
auto numbers_of(Pair& pair) {
  std::vector<decltype(&pair.a.inverse_mass)> all;
  const auto add = [&](auto& array) {
    for (auto& x : array) all.push_back(&x);
  };
  add(pair.normal);
  for (auto* body : {&pair.a, &pair.b}) {
    all.push_back(&body->inverse_mass);
    add(body->inverse_inertia);
    add(body->lever);
    add(body->velocity);
    add(body->angular_velocity);
  }
  return all;
}

BodyPair<double> random_pair(support::Draw& draw) {
  BodyPair<double> pair;
  for (double* x : numbers_of(pair)) *x = draw.bell();
  const double length = std::hypot(pair.normal[0], pair.normal[1], pair.normal[2]);
  for (double& x : pair.normal) x /= length;
  for (auto* body : {&pair.a, &pair.b}) {
    body->inverse_mass = draw.uniform(0.2, 2);
    // G Gᵀ
    double g[3][3];
    for (auto& row : g)
      for (double& x : row) x = draw.bell();
    std::size_t at = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j)
        body->inverse_inertia[at++] = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
  }
  return pair;
}

template <class N>
KContacts<N> contacts_of(const ContactSpace<N>& space, const N& friction, const N& restitution) {
  KContacts<N> c;
  c.friction = {&friction, 1};
  c.restitution = {&restitution, 1};
  c.k = {space.k.data(), 1};
  c.separation_velocity = {space.separation_velocity.data(), 1};
  return c;
}

// f = p·a + u·b in the world. Differences of h = 1e-6 are good to h² f''' and ε / h.
TEST(BodyGradients, agree_with_differences) {
  support::Draw draw(4);
  std::size_t compared = 0;
  for (int trial = 0; trial < 20; ++trial) {
    BodyPair<double> pair = random_pair(draw);
    const double friction = draw.uniform(0.1, 1), restitution = draw.uniform(0.1, 0.9);
    std::array<double, 3> a{}, b{};
    for (auto* v : {&a, &b})
      for (double& x : *v) x = draw.bell();
    const ContactSpace<double> space = contact_space(pair);
    if (space.separation_velocity[2] > -0.1) continue;

    Solver solver;
    ContactCotangent<double> cotangent;
    cotangent.of_impulse = detail::product(space.frame, a);
    cotangent.of_velocity = detail::product(space.frame, b);
    const KContacts<double> contacts = contacts_of(space, friction, restitution);
    Results<double> results;
    results.impulse = {cotangent.impulse.data(), 1};
    results.separation_velocity = {cotangent.velocity.data(), 1};
    solver.solve(contacts, results);
    Gradients<double> gradients;
    gradients.cotangent.impulse = {cotangent.of_impulse.data(), 1};
    gradients.cotangent.separation_velocity = {cotangent.of_velocity.data(), 1};
    gradients.cotangent.product.k = {cotangent.k.data(), 1};
    gradients.cotangent.product.separation_velocity = {cotangent.separation_velocity.data(), 1};
    solver.differentiate(contacts, gradients);
    BodyPair<double> found = pull_back(pair, space, cotangent);

    const auto f = [&](const BodyPair<double>& moved) {
      const ContactSpace<double> there = contact_space(moved);
      std::array<double, 3> p{}, u{};
      Results<double> to;
      to.impulse = {p.data(), 1};
      to.separation_velocity = {u.data(), 1};
      reference::solve(contacts_of(there, friction, restitution), to);
      double value = 0;
      const auto frame = detail::transposed(there.frame);
      for (std::size_t i = 0; i < 3; ++i)
        value += a[i] * detail::product(frame, p)[i] + b[i] * detail::product(frame, u)[i];
      return value;
    };
    const auto derivatives = numbers_of(found);
    double size = 1;
    for (const double* d : derivatives) size = std::max(size, std::abs(*d));
    for (std::size_t v = 0; v < derivatives.size(); ++v) {
      const double h = 1e-6;
      double by_v = 0, expected = *derivatives[v];
      for (const double side : {-1.0, 1.0}) {
        BodyPair<double> moved = pair;
        *numbers_of(moved)[v] += side * h;
        // The normal moves among unit vectors.
        const double length = std::hypot(moved.normal[0], moved.normal[1], moved.normal[2]);
        for (double& x : moved.normal) x /= length;
        by_v += side * f(moved) / (2 * h);
      }
      EXPECT_NEAR(expected, by_v, 1e-6 * size) << trial << ' ' << v;
      ++compared;
    }
  }
  EXPECT_GT(compared, 200U);
}

}  // namespace
}  // namespace carom::test
