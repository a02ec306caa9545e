// The number of substeps of every island, from the load of its bodies.
//
// Full warm starting repeats the impulses of the last substep, so that what the sweeps have not solved acts as a
// spring: under an acceleration a [m/s²] by what a body carries it sinks by about a h². It holds while that stays
// within the slop, so that an island takes 2 H √(load / slop) substeps of the step H. docs/scenes.md, Substeps
#pragma once

#include <carom/scene.hpp>

#include "sweeps.hpp"

namespace carom::scene {

/// A load counts that has lasted over so many calls.
inline constexpr std::size_t loads_of_a_body = 3;

/// Sets Workspace::substeps_wanted and Workspace::substeps of all islands of the graph, and sorts the islands by them.
/// `has_history`: contacts and rows come with what the solver remembers of them.
template <class T>
void count_substeps(const SceneOptions& options, const kernel::SceneJob<T>& job, Workspace<T>& workspace,
                    const T* row_impulse, bool has_history, bool rows_have_history);

}  // namespace carom::scene
