// Procedure::ncp: islands as contact systems, solved to an error. docs/contact-systems.md
#pragma once

#include "core/scene/call_options.hpp"
#include "sweeps.hpp"

namespace carom::scene {

/// Solves every island, or those that Ncp do not leave to sweeps. The impulses of contacts and rows to begin
/// with are those of the job; `warm`: there may be some.
template <class T>
SweepOutcome solve_ncp(const Call<T>& call, bool warm, SceneReport& report);

}  // namespace carom::scene
