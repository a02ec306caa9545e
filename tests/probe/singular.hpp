// Singular collision matrices and rows: the rule of docs/accuracy.md, Singular K.
#pragma once

#include <limits>

#include "probe/real.hpp"

namespace carom::probe {

enum class Definiteness {
  singular,  ///< exactly singular, up to the rounding of lever arms, or indefinite: must be a fault
  either,    ///< rounding decides
  definite,  ///< must have an answer
};

/// `least` is the smallest eigenvalue, `terms` the sum of the magnitudes of the trace's terms. K with a mass is never
/// singular.
template <class T, class R>
Definiteness definiteness(R least, R terms, bool has_mass) {
  constexpr R epsilon = std::numeric_limits<T>::epsilon();
  if (least > 64 * epsilon * terms) return Definiteness::definite;
  const bool is_singular = absolute(least) <= 64 * epsilon * epsilon * terms || least < -64 * epsilon * terms;
  return is_singular && !has_mass ? Definiteness::singular : Definiteness::either;
}

}  // namespace carom::probe
