// The contact system of a scene, by the equations of docs/contact-systems.md and none of the solver's code.
#pragma once

#include <carom/scene.hpp>
#include <cstddef>
#include <vector>

#include "system_numbers.hpp"

namespace carom::io {

struct SceneSystem : SystemNumbers {
  std::vector<std::size_t> contact;  ///< the scene's contacts that are in it, in their order: those that are no fault
};

/// W, q and the friction of all contacts that SceneMethod::ncp has a part in, with its targets, in frames of two
/// tangents and the normal [1/kg, m/s, 1]. `options` counts for the faults of contacts and the threshold of
/// restitution. Throws Error for what that method refuses, and for joints, which no contact file has.
SceneSystem system_of(const Scene<double>& scene, SceneOptions options);

}  // namespace carom::io
