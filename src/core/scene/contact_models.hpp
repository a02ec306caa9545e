// Contact models of a scene for the solver: which contacts have one, and which contacts can share a manifold.
#pragma once

#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/jobs/scene_job.hpp"

namespace carom::scene {

/// True where contacts have columns of models; docs/contact-models.md.
template <class T>
bool has_contact_models(const SceneContacts<T>& c) {
  return c.friction_2 || c.rolling_friction || c.spinning_friction || c.normal_compliance || c.tangential_compliance ||
         c.stiffness;
}
template <class T>
bool has_contact_moments(const SceneContacts<T>& c) {
  return c.rolling_friction || c.spinning_friction;
}

template <class T>
bool has_ellipse(const SceneContacts<T>& c, std::size_t i) {
  return c.friction_2 && c.friction[i] != c.friction_2[i];
}

/// Bits of kernel::has_model and kernel::models_with_moments. 0 if the numbers of the contact equal a contact without
/// models; it is then solved as one.
template <class T>
std::uint8_t models_of(const SceneContacts<T>& c, std::size_t i) {
  const auto above_zero = [i](const Column<const T>& column) { return column && column[i] > T(0); };
  const bool gives_way = above_zero(c.normal_compliance) || above_zero(c.tangential_compliance) ||
                         (c.stiffness && std::isfinite(c.stiffness[i]));
  const bool turns = above_zero(c.rolling_friction) || above_zero(c.spinning_friction);
  return static_cast<std::uint8_t>((has_ellipse(c, i) || gives_way || turns ? kernel::has_model : 0) |
                                   (turns ? kernel::models_with_moments : 0));
}

/// True if the friction of two contacts has the same ellipse.
template <class T>
bool have_same_ellipse(const SceneContacts<T>& c, std::size_t i, std::size_t j) {
  if (!has_ellipse(c, i) && !has_ellipse(c, j)) return true;
  const Vector3Columns<const T>& d = c.friction_direction;
  return c.friction_2[i] == c.friction_2[j] && d.x[i] == d.x[j] && d.y[i] == d.y[j] && d.z[i] == d.z[j];
}

}  // namespace carom::scene
