// The sweeps of substeps over the islands that are not solved directly.
#pragma once

#include "method.hpp"

namespace carom::scene {

/// Solves every island in its number of substeps, Workspace::substeps, and takes over the direct islands.
template <class T>
SweepOutcome sweep_substeps(const Call<T>& call);

}  // namespace carom::scene
