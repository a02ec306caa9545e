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
#include <vector>

#include "islands.hpp"

namespace carom::systems {

/// The change of variables by which a contact's model, or its moment's, becomes a plain cone.
struct ContactForm {
  std::array<double, 9> to_world{1, 0, 0, 0, 1, 0, 0, 0, 1};    ///< F, row after row
  std::array<double, 9> from_world{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< its inverse; 0 along an axis without friction
  std::array<double, 3> compliance{};                           ///< diagonal of Fᵀ Γ F
  double friction = 0;
  bool is_plain = true;
};

template <class T>
bool has_models(const ContactSystem<T>& system) {
  return system.friction_2 || system.normal_compliance || system.tangential_compliance || system.moment;
}

/// q becomes Fᵀ q.
void turn_velocity(const ContactForm& form, double* q);

template <class T>
ContactForm form_of(const ContactSystem<T>& system, std::size_t contact, double most_friction);

/// [m] The rolling and spinning lengths that count as any longer one, of a contact that answers a unit impulse with
/// `w` [1/kg] and a unit angular impulse with `w_moment` [1/(kg m²)]: as friction above `most_friction` does.
inline double longest_length(double most_friction, double w, double w_moment) {
  return most_friction * std::sqrt(w / w_moment);
}

/// The forms of an island's rows.
class ContactForms {
 public:
  /// Gives the island that read_island has read the form of its contacts' models.
  template <class T>
  void shape(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double most_friction,
             IslandSystem& island);

  /// False: the island is as it stands.
  bool any() const { return !form_.empty(); }
  /// r = F x of row `c` of the island, and x as near to r as there is one.
  void to_world(std::size_t c, double* r) const;
  void from_world(std::size_t c, double* r) const;
  /// u = q_scale q + unit W r, without the compliance, of impulses r = F x.
  template <class T>
  void velocities(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double unit,
                  double q_scale, const Numbers& r, Numbers& u) const;

 private:
  template <class T>
  void list_moments(const ContactSystem<T>& system, const Islands& islands, std::size_t index, IslandSystem& island);

  std::vector<ContactForm> form_;
  IslandSystem whole_;
  std::vector<std::vector<std::int32_t>> beside_;  // columns of each contact and its moment
};

}  // namespace carom::systems
