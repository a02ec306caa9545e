// Solving planar contacts under one law, and comparing the results bit by bit.
#pragma once

#include <carom/solver.hpp>
#include <cstddef>

#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/same_bits.hpp"

namespace carom::support {

inline SolverSetup with(Isa isa, Law law = Law::incremental, RestitutionLaw restitution = RestitutionLaw::energetic) {
  SolverSetup options;
  options.execution.isa = isa;
  options.law = law;
  options.restitution_law = restitution;
  options.execution.threads = 1;
  return options;
}

/// Bit by bit.
template <class T>
bool same(const PlanarResultArrays<T>& a, const PlanarResultArrays<T>& b) {
  for (std::size_t j = 0; j < a.numbers.size(); ++j)
    if (!same_bits(a.numbers[j], b.numbers[j])) return false;
  return a.status == b.status && a.path == b.path;
}

}  // namespace carom::support
