// Solves the scenes of a file, on the lanes or by the reference.
#pragma once

#include <carom/scene.hpp>
#include <functional>

#include "io/columns/contact_numbers.hpp"
#include "io/columns/scene_rows.hpp"

namespace carom::apps {

/// A solved scene.
struct SolvedScene {
  double step = 0;  ///< its scene_step
  SceneReport report;
  double seconds = 0;  ///< time spent in the library
};

/// Called after every scene.
using OnScene = std::function<void(const SolvedScene&)>;

/// Solves the scenes in the order of their first rows. Rows that are left out get no impulse, and the velocities of
/// their bodies after the scene if the bodies are known.
io::ResultNumbers solve_scenes_on_lanes(const io::ContactNumbers& contacts, const io::SceneRows& rows,
                                        SceneSolver& solver, const SceneOptions& options, const OnScene& on_scene);

/// Solves the scenes by the scalar reference in double.
io::ResultNumbers solve_scenes_by_reference(const io::ContactNumbers& contacts, const io::SceneRows& rows,
                                            const SceneOptions& options, const OnScene& on_scene);

}  // namespace carom::apps
