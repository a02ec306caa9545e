// What the tests of the planar lanes share: options, contacts at the limits, results bit by bit.
#pragma once

#include <carom/solver.hpp>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/planar/planar_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/same_bits.hpp"

namespace carom::support {

inline SolverSetup with(Isa isa, Law law = Law::incremental, RestitutionLaw restitution = RestitutionLaw::energetic) {
  SolverSetup options;
  options.machine.isa = isa;
  options.law = law;
  options.restitution_law = restitution;
  options.machine.threads = 1;
  return options;
}

/// The ends of the ranges of friction, restitution and slip among the others.
template <class T>
void add_limits(PlanarLawArrays<T>& laws, std::vector<T>* slip) {
  for (std::size_t i = 0; i < laws.friction.size(); ++i) {
    if (i % 9 == 0) laws.friction[i] = 0;
    if (i % 9 == 1) laws.friction[i] = std::numeric_limits<T>::infinity();
    if (i % 9 == 2) laws.friction[i] = 30;
    if (i % 7 == 0) laws.restitution[i] = 0;
    if (i % 7 == 1) laws.restitution[i] = 1;
    if (slip != nullptr && i % 13 == 0) (*slip)[i] = 0;
  }
}

/// Bit by bit.
template <class T>
bool same(const PlanarResultArrays<T>& a, const PlanarResultArrays<T>& b) {
  for (std::size_t j = 0; j < a.numbers.size(); ++j)
    if (!same_bits(a.numbers[j], b.numbers[j])) return false;
  return a.status == b.status && a.path == b.path;
}

}  // namespace carom::support
