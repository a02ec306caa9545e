// Derivatives of the response of a contact: of the impulse p and the separation velocity u after the collision, by the
// contact's own numbers.
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carom {

/// How far the gradient of a contact is to be trusted. docs/gradients.md lists the borders.
enum class GradientStatus : std::uint8_t {
  exact,      ///< the response is differentiable here
  one_sided,  ///< within the tolerance of a kink or a jump: the gradient of the course that was taken
  unbounded,  ///< a divisor vanishes within the tolerance: the gradient grows like 1/√distance to the border
  undefined,  ///< there is no derivative by the slip at u0_t = 0: NaN in the columns of u0_x and u0_y, others hold
  zero,       ///< the contact separates: p = 0, u = u0
  none,       ///< a fault, no solution or friction without bound: all columns are NaN
};
inline constexpr std::size_t gradient_status_count = 6;

/// The names above with hyphens: "one-sided"; "unknown" of any other number.
CAROM_EXPORT std::string_view to_string(GradientStatus status);

/// Derivatives of one number [its unit] by the numbers of a contact [1 / their units], each in a column of its own.
/// Only the columns that are there are written. Those of numbers that the contact's law does not read are 0.
template <class T>
struct Derivatives {
  Column<T> friction{}, restitution{};      ///< by μ and e
  SymmetricColumns<T> k{};                  ///< one with i < j moves both entries of K
  Vector3Columns<T> separation_velocity{};  ///< by u0
  /// By the parameters of single laws: see LawColumns.
  Column<T> tangential_restitution{}, impulse_ratio_1{}, impulse_ratio_2{}, polar_angle{}, azimuth{}, fraction{};
  Vector3Columns<T> candidate{};  ///< by the impulse of projected
  Weights<Column<T>> weight{};    ///< by the weights of a composite
};

/// A cotangent (∂f/∂p, ∂f/∂u) of any number f makes ∂f by the contact's numbers of it, without a Jacobian.
template <class T>
struct VectorJacobianProduct {
  Vector3Columns<const T> impulse{};              ///< [f / (N s)] optional: zeros
  Vector3Columns<const T> separation_velocity{};  ///< [f / (m/s)] optional: zeros
  Derivatives<T> product{};                       ///< ∂f by the numbers of the contact
};

/// Where gradients go. Every column is optional; those that are there are as long as the contacts. A vector is in the
/// frame of the contact, whose normal is along z. Derivatives hold the other numbers fixed.
template <class T>
struct Gradients {
  Derivatives<T> impulse_x{}, impulse_y{}, impulse_z{};     ///< of p [N s]
  Derivatives<T> velocity_x{}, velocity_y{}, velocity_z{};  ///< of u [m/s]
  VectorJacobianProduct<T> cotangent{};                     ///< instead of a Jacobian, or beside it
  Column<GradientStatus> status{};                          ///< how far they are to be trusted
};

/// The report of a call of gradients: how many contacts have each status.
struct GradientReport {
  std::size_t contacts = 0;                                    ///< of the call
  std::array<std::size_t, gradient_status_count> by_status{};  ///< contacts by the number of their status

  /// Contacts of a status.
  std::size_t operator[](GradientStatus status) const { return by_status[static_cast<std::size_t>(status)]; }
};

}  // namespace carom
