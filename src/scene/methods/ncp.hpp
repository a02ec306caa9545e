// Procedure::ncp: solves islands as contact systems, to a given error. docs/contact-systems.md
#pragma once

#include "core/scene/call_options.hpp"
#include "sweeps.hpp"

namespace carom::scene {

/// Solves every island, except islands that Ncp leaves to PGS. The job has the initial impulses of contacts and rows;
/// `warm`: they may be nonzero.
template <class T>
SweepOutcome solve_ncp(const Call<T>& call, bool warm, SceneReport& report);

}  // namespace carom::scene
