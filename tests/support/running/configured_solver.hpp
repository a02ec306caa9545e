// A solver together with the options of its calls, for tests that vary both.
#pragma once

#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <carom/solver.hpp>
#include <concepts>
#include <utility>

#include "core/columns/law_columns.hpp"

namespace carom {

struct SolverSetup : Options {
  Execution execution{Isa::automatic, 1};
};

inline SolverSetup law_options(Law law, Isa isa = Isa::automatic, int threads = 1) {
  SolverSetup options;
  options.law = law;
  options.execution.isa = isa;
  options.execution.threads = threads;
  return options;
}

/// The options of laws that contacts of a call can read. The others have their defaults.
template <class AnyContacts>
Options read_options(const AnyContacts& contacts, const Options& options) {
  Options read{.law = options.law, .data = options.data};
  if ((columns::possible_laws(contacts.laws, options.law) & columns::bit_of(Law::incremental)) == 0) return read;
  read.restitution_law = options.restitution_law;
  if (FormTraits<AnyContacts>::is_planar) return read;
  read.integrator = options.integrator;
  read.step_budget = options.step_budget;
  if (options.integrator == Integrator::euler) read.steps = options.steps;
  return read;
}

/// Contacts may have columns and options for other laws.
template <class AnyContacts, class ResultsOf>
Report solve_by_reference(const AnyContacts& contacts, const ResultsOf& results, const Options& options,
                          const Column<double>& boundary_distance = {}) {
  const Options read = read_options(contacts, options);
  if constexpr (FormTraits<AnyContacts>::is_planar)
    return reference::planar::solve(select(contacts, read), results, read);
  else
    return reference::solve(select(contacts, read), results, read, boundary_distance);
}

class ConfiguredSolver {
 public:
  explicit ConfiguredSolver(const SolverSetup& setup) : solver_(setup.execution), options_(setup) {}

  template <class AnyContacts, class ResultsOf>
  Report solve(const AnyContacts& contacts, const ResultsOf& results) {
    // Contacts may have columns and options for other laws.
    const Options read = read_options(contacts, options_);
    if constexpr (std::copyable<AnyContacts>)
      return solver_.solve(select(contacts, read), results, read);
    else
      return solver_.solve(contacts, results, read);
  }
  template <template <class> class AnyContacts, class T>
  RegionReport find_margins(const AnyContacts<T>& contacts, const Vector3Columns<T>& impulse,
                            const RegionMargins<T>& margins) {
    AnyContacts<T> without_laws = contacts;
    without_laws.laws = {};
    return solver_.find_margins(without_laws, impulse, margins, {}, {.data = options_.data});
  }
  Isa isa() const { return solver_.isa(); }

 private:
  Solver solver_;
  Options options_;
};

}  // namespace carom
