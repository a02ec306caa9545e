// Random contacts of every law, for gradients.
#pragma once

#include <carom/carom.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "random/draw.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/gradients/gradient_table.hpp"

namespace carom::test {

/// K = G Gᵀ + c 1, u0_z < 0; friction and restitution inside their ranges. Cycles through laws and restitution laws.
inline void add_random_contacts(std::size_t count, std::uint64_t seed, const std::vector<Law>& laws, auto&&... tables) {
  support::Draw draw(seed);
  for (std::size_t i = 0; i < count; ++i) {
    double g[3][3], k[3][3];
    for (auto& row : g)
      for (double& x : row) x = draw.bell();
    const double c = draw.uniform(0.05, 1);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        k[a][b] = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2] + (a == b ? c : 0);
    std::vector<double> numbers = {draw.uniform(0.05, 1.5),
                                   draw.uniform(0.05, 0.95),
                                   k[0][0],
                                   k[0][1],
                                   k[0][2],
                                   k[1][1],
                                   k[1][2],
                                   k[2][2],
                                   draw.bell(),
                                   draw.bell(),
                                   -std::abs(draw.bell()) - 0.05};
    // The parameters in the order of columns::Parameter, then weights; pfeiffer_glocker is planar.
    for (const double x : {draw.uniform(-0.9, 0.9), draw.bell(), draw.bell(), draw.uniform(0.1, 3), draw.uniform(-6, 6),
                           draw.uniform(0.1, 0.9), draw.bell(), draw.bell(), 3 * draw.uniform()})
      numbers.push_back(x);
    for (const columns::Component& member : columns::components)
      numbers.push_back(member.law == Law::pfeiffer_glocker || draw.below(3) == 0 ? 0.0 : draw.uniform(0.1, 1));
    for (double& x : numbers) x = static_cast<double>(static_cast<float>(x));
    const auto restitution_law = static_cast<RestitutionLaw>(draw.below(restitution_law_count));
    (tables.add(laws[i % laws.size()], restitution_law, numbers), ...);
  }
}

/// Adds `count` random contacts under the incremental law whose slip stops and then continues along the diverging ray.
/// About six in a thousand random contacts do so.
inline void add_contacts_that_diverge(std::size_t count, std::uint64_t seed, auto&&... tables) {
  constexpr std::size_t drawn_at_once = 4000;
  Solver solver({.threads = 1});
  for (std::size_t found = 0; found < count; ++seed) {
    GradientTable<double> drawn;
    add_random_contacts(drawn_at_once, seed, {Law::incremental}, drawn);
    const KContacts<double> contacts = drawn.contacts();
    std::vector<Path> path(drawn_at_once);
    Results<double> results;
    results.path = path;
    solver.solve(contacts, results);
    for (std::size_t i = 0; i < drawn_at_once && found < count; ++i) {
      if (path[i].sticking != Sticking::diverge) continue;
      ++found;
      (tables.add(Law::incremental, contacts.laws.restitution_law[i], drawn.numbers_of(i)), ...);
    }
  }
}

inline std::vector<Law> all_laws() {
  return {support::laws_of_bodies.begin(), support::laws_of_bodies.end()};
}

}  // namespace carom::test
