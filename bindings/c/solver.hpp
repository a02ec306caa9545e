#pragma once

#include <carom/carom.h>

#include <carom/solver.hpp>
#include <limits>

struct carom_solver {
  carom::Solver solver;
};

namespace carom::c {

/// The tolerance of a call in C, whose default depends on the precision.
template <class T>
double tolerance_of(double tolerance) {
  return tolerance == CAROM_DEFAULT_TOLERANCE ? 64.0 * std::numeric_limits<T>::epsilon() : tolerance;
}

}  // namespace carom::c
