// Contact models of contact systems. Friction within an ellipse is friction within a circle once the tangents are
// scaled, and compliance is a part of W (docs/contact-systems.md, Contact models). With r = F x of a contact, and Γ its
// compliance, the solver has
//
//   W' = Fᵀ (W + Γ) F,   q' = Fᵀ q,   friction' = the larger coefficient,
//
// where the columns of F are the ellipse's axes, each times its coefficient over the larger one, and the normal. F of a
// moment has its lengths (moments.hpp).
#pragma once

#include <array>
#include <carom/system.hpp>
#include <cmath>

#include "core/support/array.hpp"
#include "islands.hpp"

namespace carom::systems {

/// The change of variables that turns a contact's model, or its moment's, into a plain cone.
struct ContactForm {
  std::array<double, 9> to_world{1, 0, 0, 0, 1, 0, 0, 0, 1};    ///< F, by rows
  std::array<double, 9> from_world{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< its inverse; 0 along an axis without friction
  std::array<double, 3> compliance{};                           ///< diagonal of Fᵀ Γ F
  double friction = 0;
  bool is_plain = true;
};

template <class T>
bool has_models(const ContactSystem<T>& system) {
  return system.friction_2 || system.normal_compliance || system.tangential_compliance || system.moment;
}

/// Replaces q by Fᵀ q.
void turn_velocity(const ContactForm& form, double* q);

template <class T>
ContactForm form_of(const ContactSystem<T>& system, std::size_t contact, double max_friction);

/// [m] Upper limit of the rolling and spinning lengths. Larger ones act like this one, as friction above
/// `max_friction` does. `w` [1/kg]: the contact's response to a unit impulse. `w_moment` [1/(kg m²)]: to a unit
/// angular impulse.
inline double longest_length(double max_friction, double w, double w_moment) {
  return max_friction * std::sqrt(w / w_moment);
}

/// The forms of an island's rows.
class ContactForms {
 public:
  /// Transforms the island from read_island to the form of its contacts' models.
  template <class T>
  void shape(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double max_friction,
             IslandSystem& island);

  /// False if the island is unchanged.
  bool any() const { return !form_.empty(); }
  /// to_world: r = F x for row `c` of the island. from_world: x, as near to r as possible.
  void to_world(std::size_t c, double* r) const;
  void from_world(std::size_t c, double* r) const;
  /// u = q_scale q + unit W r, without the compliance, for impulses r = F x.
  template <class T>
  void velocities(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double unit,
                  double q_scale, const Numbers& r, Numbers& u) const;

 private:
  template <class T>
  void list_moments(const ContactSystem<T>& system, const Islands& islands, std::size_t index, IslandSystem& island);

  Array<ContactForm> form_;
  IslandSystem whole_;
  Array<Array<std::int32_t>> beside_;  // columns of each contact and its moment
};

}  // namespace carom::systems
