// The number of substeps of every island, from the load of its bodies.
//
// Full warm starting repeats the impulses of the last substep, so the unsolved part of an island acts as a spring: a
// body with the load a [m/s²] sinks by about a h². It holds while that stays within the slop, so an island takes
// 2 H √(max load / slop) substeps of the step H. docs/scenes.md, Substeps
#pragma once

#include <carom/scene.hpp>

#include "core/scene/call_options.hpp"
#include "scene/solvers/direct/slop.hpp"
#include "sweeps.hpp"

namespace carom::scene {

/// A load counts if it has lasted over this number of calls.
inline constexpr std::size_t loads_of_a_body = 3;

/// Sets Workspace::substeps_wanted and Workspace::substeps of all islands of the graph. Settled islands keep
/// their needs. `has_history`: the solver has remembered impulses of contacts and rows.
template <class T>
void count_substeps(const CallOptions& options, const kernel::SceneJob<T>& job, Workspace<T>& workspace,
                    const Slops<T>& slops, const T* row_impulse, bool has_history, bool rows_have_history,
                    ThreadTeam& team);

}  // namespace carom::scene
