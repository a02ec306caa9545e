// A solver together with the options of its calls, for tests that vary both.
#pragma once

#include <carom/solver.hpp>
#include <utility>

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

class ConfiguredSolver {
 public:
  explicit ConfiguredSolver(const SolverSetup& setup) : solver_(setup.execution), options_(setup) {}

  template <class AnyContacts, class ResultsOf>
  Report solve(const AnyContacts& contacts, const ResultsOf& results) {
    return solver_.solve(contacts, results, options_);
  }
  template <template <class> class AnyContacts, class T>
  RegionReport find_margins(const AnyContacts<T>& contacts, const Vector3Columns<T>& impulse,
                            const RegionMargins<T>& margins) {
    return solver_.find_margins(contacts, impulse, margins, {}, options_);
  }
  Isa isa() const { return solver_.isa(); }

 private:
  Solver solver_;
  Options options_;
};

}  // namespace carom
