// Derivatives of a collision: of the impulse p and the separation velocity u after it, with respect to the numbers of
// the contact.
//
// Experimental: this interface may change in any minor version until 1.0 (README.md#what-is-promised).
#pragma once

#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace carom {

/// Validity of the gradient of a contact. docs/gradients.md lists the borders. Numbers keep their meaning in later
/// versions.
enum class GradientStatus : std::uint8_t {
  exact = 0,      ///< the response is differentiable here
  one_sided = 1,  ///< within the tolerance of a kink or a jump: the gradient holds on the contact's side of it
  unbounded = 2,  ///< a divisor vanishes within the tolerance: the gradient grows like 1/√distance to the border
  undefined = 3,  ///< u0_t = 0 and p has no derivative by the slip there: the columns of u0_x and u0_y are NaN
  zero = 4,       ///< the contact separates: p = 0, u = u0
  none = 5,       ///< a fault, no solution, or infinite friction: all columns are NaN
};
inline constexpr std::size_t gradient_status_count = 6;

/// Returns the name of the enumerator with hyphens: "one-sided"; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(GradientStatus status);

/// Derivatives of one number with respect to the numbers of a contact. The unit is the unit of the first over the unit
/// of the second. Only columns that you pass are written. Derivatives with respect to numbers that the contact's law
/// does not read are 0.
template <class T>
struct Derivatives {
  Column<T> friction{}, restitution{};      ///< by μ and e
  SymmetricColumns<T> k{};                  ///< by K; a change of an entry with i < j changes both entries
  Vector3Columns<T> separation_velocity{};  ///< by u0
  /// By the parameters of single laws: see LawColumns.
  Column<T> tangential_restitution{}, impulse_ratio_1{}, impulse_ratio_2{}, polar_angle{}, azimuth{}, fraction{};
  Vector3Columns<T> candidate{};  ///< by the impulse of Law::projected
  Weights<Column<T>> weight{};    ///< by the weights of Law::composite
};

/// Reverse mode: the derivatives of a number f with respect to the contact's numbers, from ∂f/∂p and ∂f/∂u, without a
/// Jacobian.
template <class T>
struct VectorJacobianProduct {
  Vector3Columns<const T> impulse{};              ///< [f / (N s)] input: ∂f/∂p. Optional, default 0.
  Vector3Columns<const T> separation_velocity{};  ///< [f / (m/s)] input: ∂f/∂u. Optional, default 0.
  Derivatives<T> product{};                       ///< output: ∂f by the numbers of the contact
};

/// Results of Solver::differentiate. Every column is optional and as long as the contacts. Vectors are in the frame of
/// the contact, whose normal is along z. Each derivative is partial: all other numbers are held fixed.
template <class T>
struct Gradients {
  Derivatives<T> impulse_x{}, impulse_y{}, impulse_z{};     ///< of p [N s]
  Derivatives<T> velocity_x{}, velocity_y{}, velocity_z{};  ///< of u [m/s]
  VectorJacobianProduct<T> cotangent{};                     ///< instead of the Jacobian, or in addition to it
  Column<GradientStatus> status{};                          ///< validity of the gradient
};

/// Report of Solver::differentiate.
struct GradientReport {
  std::size_t contacts = 0;                                         ///< number of contacts of the call
  StatusCounts<GradientStatus, gradient_status_count> by_status{};  ///< see count and first

  /// Returns true if every contact has a gradient: none has GradientStatus::none.
  bool ok() const { return count(GradientStatus::none) == 0; }
  /// Returns the number of contacts with this status; 0 for an unknown status.
  std::size_t count(GradientStatus status) const { return by_status.count(status); }
  /// Returns the index of the first contact with this status, if there is one.
  std::optional<std::size_t> first(GradientStatus status) const { return by_status.first(status); }
};

/// Writes "3 contacts: 2 exact, 1 none (first: contact 2)".
CAROM_EXPORT std::ostream& operator<<(std::ostream& stream, const GradientReport& report);

}  // namespace carom
