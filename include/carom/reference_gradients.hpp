// The scalar reference of gradients: forward differentiation in double, which shares no code with the lanes.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
#pragma once

#include <carom/export.hpp>
#include <carom/gradients.hpp>
#include <carom/solver.hpp>
#include <limits>

namespace carom::reference {

/// The arguments, results and errors of Solver::differentiate.
CAROM_EXPORT GradientReport differentiate(const KContacts<double>& contacts, const Gradients<double>& gradients,
                                          const Options& options = {},
                                          double tolerance = 64 * std::numeric_limits<double>::epsilon());

}  // namespace carom::reference
