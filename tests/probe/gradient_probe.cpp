// Compares gradients of the lanes with the reference. Many contacts stop and slide on along the diverging ray.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/carom.hpp>
#include <carom/reference_gradients.hpp>
#include <cmath>

#include "probe/search.hpp"
#include "random/draw.hpp"
#include "support/gradients/gradient_laws.hpp"

namespace carom::probe {
namespace {

using test::GradientTable;

constexpr std::size_t contacts = 32;

/// [1] Unit of the error of a column. The max of 24,000 contacts is 3e-12 (docs/gradients.md); more contacts raise it.
constexpr double unit = 1e-9;

/// Tolerance that excludes contacts near borders, where the gradient itself grows without bound.
constexpr double tolerance = 1e-3;

/// Draws contacts; every second one cannot stick.
GradientTable<double> draw_contacts(std::uint64_t number) {
  using Variable = test::GradientVariable;
  GradientTable<double> table;
  test::add_random_contacts(contacts, number, {Law::incremental}, table);
  support::Draw draw(scattered(number));
  for (std::size_t i = 0; i < contacts; i += 2) {
    const auto k = [&](std::size_t entry) { return table.number(Variable::k + entry, i); };
    const double xx = k(0), xy = k(1), xz = k(2), yy = k(3), yz = k(4);
    const double holds = std::hypot(yy * xz - xy * yz, xx * yz - xy * xz) / (xx * yy - xy * xy);
    table.number(Variable::friction, i) = holds * draw.uniform(0.2, 0.98) + 0.01;
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
