// The search for scenes that break a promise.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace carom::probe {

struct SceneSearch {
  std::uint64_t scenes = 0, converged = 0, broken = 0;
};

/// Draws and judges scenes while `goes_on` is true of their number, prints the worst of every method, kind and
/// precision, and each scene that has broken a promise.
SceneSearch search_scenes(std::uint64_t seed, const std::function<bool(std::uint64_t)>& goes_on);

/// Judges the scene of one number that a search has printed, and prints it with its results. False if it breaks a
/// promise.
bool show_scene(std::uint64_t seed);

}  // namespace carom::probe
