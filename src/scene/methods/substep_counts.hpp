// The number of substeps of every island, from the load of its bodies.
//
// Full warm starting repeats the impulses of the last substep, so the unsolved part of an island acts as a spring: a
// body with the load a [m/s²] sinks by about a h². It holds while that stays within the slop, so an island takes
// 2 H √(max load / slop) substeps of the step H. docs/scenes.md, Substeps
#pragma once

#include <carom/scene.hpp>

#include "method.hpp"
#include "scene/solvers/direct/slop.hpp"

namespace carom::scene {

/// A load counts if it has lasted over this number of calls.
inline constexpr std::size_t loads_of_a_body = 3;

/// Sets Workspace::substeps_wanted and Workspace::substeps of all islands of the graph. Settled islands keep
/// their needs.
template <class T>
void count_substeps(const Call<T>& call, const Slops<T>& slops);

}  // namespace carom::scene
