// Procedure::substeps: the order of its work.
#pragma once

#include "core/scene/call_options.hpp"
#include "sweeps.hpp"

namespace carom::scene {

/// Solves every island in its number of substeps, Workspace::substeps. `warm`: contacts or rows may begin with
/// impulses.
template <class T>
SweepOutcome run_substeps(const Call<T>& call, bool warm);

}  // namespace carom::scene
