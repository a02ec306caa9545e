// Faults of contacts that the laws of sequential impacts find.
#pragma once

#include "method.hpp"

namespace carom::scene {

/// Adds to the faults of the contacts the faults that their laws find, as the batch does.
template <class T>
void validate_laws(const Call<T>& call);

}  // namespace carom::scene
