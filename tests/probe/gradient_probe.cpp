// Gradients: those of the lanes against those of the reference, of contacts whose slide stops and goes on along the
// diverging ray.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/carom.hpp>
#include <carom/reference_gradients.hpp>
#include <cmath>

#include "probe/search.hpp"
#include "support/draw.hpp"
#include "support/gradients/gradient_table.hpp"

namespace carom::probe {
namespace {

using test::GradientTable;

constexpr std::size_t contacts = 32;

/// docs/gradients.md has 3e-12 as the worst of 24,000; a search sees more of them.
constexpr double unit = 3e-12;

/// Far from borders: there the gradient itself grows without bound.
constexpr double tolerance = 1e-3;

/// Contacts of which half cannot stick.
GradientTable<double> draw_contacts(std::uint64_t number) {
  support::Draw draw(number);
  GradientTable<double> table;
  for (std::size_t i = 0; i < contacts; ++i) {
    double g[3][3], k[3][3];
    for (auto& row : g)
      for (double& x : row) x = draw.bell();
    const double c = draw.uniform(0.05, 1);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        k[a][b] = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2] + (a == b ? c : 0);
    const double det = k[0][0] * k[1][1] - k[0][1] * k[0][1];
    const double holds = std::hypot(k[1][1] * k[0][2] - k[0][1] * k[1][2], k[0][0] * k[1][2] - k[0][1] * k[0][2]) / det;
    const double friction = draw.below(2) == 0 ? draw.uniform(0.05, 1.5) : holds * draw.uniform(0.2, 0.98) + 0.01;
    table.add(Law::incremental, static_cast<RestitutionLaw>(draw.below(restitution_law_count)),
              {friction, draw.uniform(0.05, 0.95), k[0][0], k[0][1], k[0][2], k[1][1], k[1][2], k[2][2], draw.bell(),
               draw.bell(), -std::abs(draw.bell()) - 0.05});
  }
  return table;
}

}  // namespace

Judged judge_gradients(std::uint64_t number, bool shows) {
  GradientTable<double> lanes = draw_contacts(number), exact = lanes;
  Judged judged{"incremental", "double", "gradients", {}, false};
  thread_local Solver solver({.threads = 1});
  solver.differentiate(lanes.contacts(), lanes.gradients(), {}, tolerance);
  reference::differentiate(exact.contacts(), exact.gradients(), {}, tolerance);
  for (std::size_t i = 0; i < contacts; ++i) {
    if (lanes.status(i) != GradientStatus::exact || exact.status(i) != GradientStatus::exact) continue;
    const double error = std::max(test::difference(lanes, exact, i, 0), test::difference(lanes, exact, i, 3)) / unit;
    if (shows && error > bound) {
      fmt::print("contact {}: by {:.3g} under restitution {}\n", i, error * unit,
                 to_string(lanes.contacts().laws.restitution_law[i]));
      for (std::size_t n = 0; n < test::GradientVariable::own; ++n) {
        fmt::print("  {}  lanes", lanes.number(n, i));
        for (std::size_t r = 0; r < 3; ++r) fmt::print(" {}", lanes.at(r, n, i));
        fmt::print("  reference");
        for (std::size_t r = 0; r < 3; ++r) fmt::print(" {}", exact.at(r, n, i));
        fmt::print("\n");
      }
    }
    judged.verdict.add("lanes and reference agree", error);
  }
  return judged;
}

}  // namespace carom::probe
