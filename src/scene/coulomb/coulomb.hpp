// SceneMethod::coulomb: islands as contact systems, solved to an error. docs/contact-systems.md
#pragma once

#include "scene/sweeps.hpp"

namespace carom::scene {

/// Solves every island. The impulses of contacts and rows to begin with are those of the job.
template <class T>
SweepOutcome solve_coulomb(const Call<T>& call, SceneReport& report);

}  // namespace carom::scene
