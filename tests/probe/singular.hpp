// Singular collision matrices and rows: the rule of docs/accuracy.md, Singular K.
#pragma once

#include <limits>

#include "probe/real.hpp"

namespace carom::probe {

enum class Definiteness {
  singular,  ///< exactly, or up to the rounding of levers: a fault
  either,    ///< rounding decides
  definite,  ///< an answer
};

/// `least` is the least eigenvalue, `terms` the sum of the sizes of the terms of the trace. K with a mass is never
/// singular.
template <class T, class R>
Definiteness definiteness(R least, R terms, bool has_mass) {
  constexpr R epsilon = std::numeric_limits<T>::epsilon();
  if (least > 64 * epsilon * terms) return Definiteness::definite;
  if (!has_mass && absolute(least) <= 64 * epsilon * epsilon * terms) return Definiteness::singular;
  return Definiteness::either;
}

}  // namespace carom::probe
