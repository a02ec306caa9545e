// Solvers of Siconos on a contact system.
#pragma once

#include <string>
#include <vector>

#include "io/fclib/fclib.hpp"

namespace carom::peers {

/// "NSGS", "NSN_AC", "ADMM".
const std::vector<std::string>& siconos_solvers();

/// A solver of Siconos with its matrix. The constructor sets it up once, outside of the measured time.
class Siconos {
 public:
  Siconos(const io::FclibProblem& problem, const std::string& solver, double tolerance);
  /// Solves from no impulses, until the tolerance or 10 million iterations. Returns impulses, the normal last.
  std::vector<double> solve();

 private:
  struct State;
  State* state_;  // never freed: Siconos has its own ways to free matrices
};

}  // namespace carom::peers
