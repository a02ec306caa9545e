// The scalar reference for gradients: forward differentiation in double. It shares no code with the kernels.
//
// Experimental: this interface may change in any minor version until 1.0 (README.md#what-is-promised).
#pragma once

#include <carom/export.hpp>
#include <carom/gradients.hpp>
#include <carom/solver.hpp>
#include <limits>

namespace carom::reference {

/// Arguments, results and errors are as for Solver::differentiate.
CAROM_EXPORT GradientReport differentiate(const KContacts<double>& contacts, const Gradients<double>& gradients,
                                          const Options& options = {},
                                          double tolerance = 64 * std::numeric_limits<double>::epsilon());

}  // namespace carom::reference
