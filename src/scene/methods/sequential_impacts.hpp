// One impact after the other, the most urgent first: [CR] 6.4. Islands do not know of each other, so that the next
// impact of each goes through the kernels of single contacts in one batch.
//
// [CR] A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
#pragma once

#include <carom/scene.hpp>

#include "core/jobs/dispatch.hpp"
#include "core/scene/call_options.hpp"
#include "scene/solvers/sequential/impact_workspace.hpp"
#include "sweeps.hpp"

namespace carom::scene {

/// Adds faults that the laws of contacts find to the faults of the contacts, as for a batch of contacts.
template <class T>
void validate_laws(const CallOptions& options, const IsaEntry& entry, kernel::SceneJob<T>& job,
                   ImpactWorkspace<T>& space, ThreadTeam& team);

/// Solves every island. Stores impulses in `impulses`, three arrays of all contacts, and velocities in the job's rows.
template <class T>
SweepOutcome run_sequential_impacts(const Call<T>& call, const IsaEntry& entry, ImpactWorkspace<T>& space, T* impulses,
                                    SceneReport& report);

}  // namespace carom::scene
