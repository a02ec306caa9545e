// Draws the options of calls of Solver and SystemSolver from the table of options. scene_draw_options.hpp draws those
// of scenes.
#pragma once

#include <carom/solver.hpp>
#include <carom/system.hpp>
#include <cmath>

#include "probe/contacts.hpp"
#include "probe/option_draw.hpp"

namespace carom::probe {

/// Draws options that calls with such contacts accept under the law.
template <class T>
Options draw_options_of(Law law, const AnyContacts<T>& contacts, support::Draw& draw) {
  AnyContacts<T> first(contacts.form, 1);
  for (const auto& [name, column] : contacts.columns) first[name][0] = column[0];
  Outcomes<T> outcomes(1);
  thread_local Solver solver({.threads = 1});
  const auto draw_usual = [&] {
    return Options{.law = law, .restitution_law = static_cast<RestitutionLaw>(draw.below(restitution_law_count))};
  };
  return draw_options(draw, draw_usual, [&](const Options& options) {
    return options.law == law && accepts_options([&] { solve(solver, first, outcomes, options); });
  });
}

/// Draws options that a call without contacts accepts.
template <class T>
SystemOptions draw_system_options(support::Draw& draw) {
  thread_local SystemSolver solver({.threads = 1});
  const auto draw_usual = [&] {
    SystemOptions o;
    o.tolerance = std::pow(10.0, draw.uniform(-8, -1));
    o.error_mass = draw.below(2) == 0 ? 1 : std::exp2(std::round(draw.uniform(-20, 20)));
    o.scale = draw.below(2) == 0 ? ErrorScale::system : ErrorScale::island;
    if (draw.below(4) == 0) o.budget = 1 + static_cast<double>(draw.below(100));
    return o;
  };
  return draw_options(draw, draw_usual, [&](const SystemOptions& options) {
    return accepts_options([&] { solver.solve(ContactSystem<T>{}, {}, options); });
  });
}

}  // namespace carom::probe
