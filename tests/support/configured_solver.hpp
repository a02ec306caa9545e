// A solver together with the options of its calls, for tests that vary both.
#pragma once

#include <carom/solver.hpp>
#include <utility>

namespace carom {

struct SolverSetup : Options {
  Machine machine{Isa::automatic, 1};
};

class ConfiguredSolver : public Solver {
 public:
  explicit ConfiguredSolver(const SolverSetup& setup) : Solver(setup.machine), options_(setup) {}

  template <class Contacts, class ResultsOf>
  Report solve(const Contacts& contacts, const ResultsOf& results) {
    return Solver::solve(contacts, results, options_);
  }

 private:
  Options options_;
};

}  // namespace carom
