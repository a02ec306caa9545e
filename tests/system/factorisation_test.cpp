// Linear systems by bodies against the same by contacts.
#include "systems/problem/factorisation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace carom::systems {
namespace {

struct Case {
  IslandSystem system;
  BodyForm form;
  Numbers a, b, c, block;  // block: B W C, and off-diagonal A
  Beside beside;
};

double number(const Numbers& numbers, std::size_t contact, std::size_t side, std::size_t row, std::size_t k) {
  return numbers[36 * contact + 18 * side + 6 * row + k];
}

/// Contacts between bodies in a row, four a pair, all with a block of W where they share a body. `small` is the size of
/// A for every other contact, as for sticking contacts. `with_moments`: the second of four is the moment of the first.
Case row_of_bodies(std::int32_t bodies, double small, std::mt19937_64& random, bool with_moments = false) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Case made;
  made.form.bodies = static_cast<std::size_t>(bodies);
  for (std::int32_t body = 0; body < bodies; ++body)
    for (int point = 0; point < 4; ++point) {
      made.form.body.push_back({body, body - 1});
      for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 18; ++k) {
          made.form.direction.push_back(uniform(random));
          made.form.response.push_back(1.5 * made.form.direction.back());  // M is a number
        }
      for (int k = 0; k < 3; ++k) made.form.extra.push_back(point == 0 ? 0.5 : 0);
    }
  const std::size_t contacts = made.form.body.size();
  IslandSystem& system = made.system;
  system.clear();
  for (std::size_t i = 0; i < contacts; ++i) {
    for (std::size_t j = 0; j < contacts; ++j) {
      double w[9] = {};
      bool coupled = false;
      for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t t = 0; t < 2; ++t) {
          if (made.form.body[i][s] < 0 || made.form.body[i][s] != made.form.body[j][t]) continue;
          coupled = true;
          for (std::size_t e = 0; e < 9; ++e)
            for (std::size_t k = 0; k < 6; ++k)
              w[e] += number(made.form.direction, i, s, e / 3, k) * number(made.form.response, j, t, e % 3, k);
        }
      if (!coupled) continue;
      if (i == j) {
        system.diagonal.push_back(static_cast<std::int32_t>(system.column.size()));
        for (std::size_t k = 0; k < 3; ++k) w[4 * k] += made.form.extra[3 * i + k];
      }
      system.column.push_back(static_cast<std::int32_t>(j));
      system.block.insert(system.block.end(), w, w + 9);
    }
    system.row_start.push_back(static_cast<std::int32_t>(system.column.size()));
    system.friction.push_back(1);
    for (std::size_t k = 0; k < 9; ++k) {
      made.a.push_back((i % 2 == 0 ? 1 : small) * (uniform(random) / 4 + (k % 4 == 0 ? 1 : 0)));
      made.b.push_back(uniform(random) / 4 + (k % 4 == 0 ? 1 : 0));
    }
    for (std::size_t k = 0; k < 3; ++k) made.c.push_back(1.5 + uniform(random));
  }
  made.beside.clear(contacts);
  if (with_moments) {
    system.moment.assign(contacts, -1);
    system.parent_contact.assign(contacts, -1);
    for (std::size_t i = 0; i < contacts; i += 4) {
      system.moment[i] = static_cast<std::int32_t>(i + 1);
      system.parent_contact[i + 1] = static_cast<std::int32_t>(i);
      for (Numbers* numbers : {&made.beside.below, &made.beside.above, &made.beside.b_below})
        for (std::size_t e = 0; e < 9; ++e) (*numbers)[9 * (i + 1) + e] = uniform(random) / 8;
    }
  }
  made.block.resize(system.block.size());
  for (std::size_t i = 0; i < contacts; ++i)
    for (std::size_t n = at(system.row_start[i]); n < at(system.row_start[i + 1]); ++n)
      for (std::size_t e = 0; e < 9; ++e)
        for (std::size_t k = 0; k < 3; ++k)
          made.block[9 * n + e] += made.b[9 * i + 3 * (e / 3) + k] * system.block[9 * n + 3 * k + e % 3] *
                                   made.c[3 * at(system.column[n]) + e % 3];
  for (std::size_t i = 0; i < contacts; ++i) {
    if (!system.is_moment(i)) continue;
    const std::size_t contact = i - 1;
    // Both have blocks in the same columns.
    for (std::size_t n = at(system.row_start[i]); n < at(system.row_start[i + 1]); ++n) {
      const std::size_t above = at(system.row_start[contact]) + n - at(system.row_start[i]);
      for (std::size_t e = 0; e < 9; ++e)
        for (std::size_t k = 0; k < 3; ++k)
          made.block[9 * n + e] += made.beside.b_below[9 * i + 3 * (e / 3) + k] *
                                   system.block[9 * above + 3 * k + e % 3] * made.c[3 * at(system.column[n]) + e % 3];
    }
    for (std::size_t e = 0; e < 9; ++e) {
      made.block[9 * system.block_of(i, static_cast<std::int32_t>(contact)) + e] += made.beside.below[9 * i + e];
      made.block[9 * system.block_of(contact, static_cast<std::int32_t>(i)) + e] += made.beside.above[9 * i + e];
    }
  }
  return made;
}

// Both have the residual that their condition leaves, 1e-16 by 1e3 and, where A is small, by its inverse: four contacts
// of a pair are more than the six numbers of a body. By bodies the refinement takes the second factor away.
TEST(Factorisation, by_bodies_solves_what_the_one_by_contacts_does) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const auto& [small, with_moments] :
       {std::pair{1.0, false}, {1e-3, false}, {1e-6, false}, {1.0, true}, {1e-3, true}}) {
    Case given = row_of_bodies(6, small, random, with_moments);
    Numbers right(3 * given.system.contacts());
    for (double& x : right) x = uniform(random);
    for (const bool by_bodies : {true, false}) {
      given.system.bodies = by_bodies ? &given.form : nullptr;
      Factorisation factorisation;
      factorisation.plan(given.system);
      ASSERT_TRUE(factorisation.factor(given.system, given.block, given.a, given.b, given.c, given.beside));
      Numbers x = right;
      factorisation.solve(x);
      double missed = 0, largest = 0;
      for (std::size_t i = 0; i < given.system.contacts(); ++i) {
        double sum[3] = {-right[3 * i], -right[3 * i + 1], -right[3 * i + 2]};
        add_product(&given.a[9 * i], &x[3 * i], sum);
        for (std::size_t n = at(given.system.row_start[i]); n < at(given.system.row_start[i + 1]); ++n)
          add_product(&given.block[9 * n], &x[3 * at(given.system.column[n])], sum);
        for (const double s : sum) missed = std::max(missed, std::abs(s));
        for (std::size_t k = 0; k < 3; ++k) largest = std::max(largest, std::abs(x[3 * i + k]));
      }
      EXPECT_LE(missed, 1e-13 * (1 + largest)) << by_bodies << ", A of " << small << ", " << with_moments;
    }
  }
}

}  // namespace
}  // namespace carom::systems
