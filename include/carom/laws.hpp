// The choices in a collision law.
#pragma once

#include <carom/export.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carom {

/// A collision law makes an impulse of a contact. Every law gives none when u·n >= 0 before the collision. docs/laws.md
/// and docs/planar.md have the equations, and the choices where a law leaves one. With P_I the impulse that stops the
/// approach without friction and P_II the one that stops all of u; [CR] is A. Chatterjee, A. Ruina, A New Algebraic
/// Rigid Body Collision Law Based on Impulse Space Considerations, 1998:
enum class Law : std::uint8_t {
  incremental,       ///< Coulomb friction integrated along the normal impulse: Options::integrator, RestitutionLaw
  frictionless,      ///< (1 + e) P_I. Newton
  no_slip,           ///< (1 + e) P_II; can leave the friction cone, and pull
  chatterjee_ruina,  ///< (1 + e) P_I + κ (P_II - P_I), κ = 1 + e_t or less, to stay in the friction cone. [CR] 5
  bilinear,          ///< spheres and discs: |p_t| = min(μ p_n, (1 + e_t) |P_II|_t), against the first slip. [CR] 4.2.5
  whittaker,         ///< u·n = -e u0·n, friction against the last slip; can gain energy. [CR] 4.2.2
  smith,             ///< u·n = -e u0·n, friction against a mean of the first and the last slip. [CR] 4.2.3
  anitescu_potra,    ///< compression and expansion each with friction against its last slip, kinetic restitution.
                     ///< [CR] 4.2.4
  pfeiffer_glocker,  ///< the same with tangential restitution; planar contacts only. [CR] 4.2.4
  brach,             ///< u·n = -e u0·n and two ratios of impulse, held inside the permissible region. [CR] 4.1
  projected,         ///< an impulse of the host's, drawn back to the permissible region. [CR] 4.1
  polar,             ///< a point of the permissible region by direction and fraction. [CR] 4.1
  composite,         ///< a weighted mean of the laws that stay in the permissible region. [CR] 5.3
};
inline constexpr std::size_t law_count = 13;

/// A value for each law that can be a member of Law::composite.
template <class V>
struct Weights {
  V incremental{}, frictionless{}, chatterjee_ruina{}, bilinear{}, smith{};  ///< that of the law of this name
  V anitescu_potra{}, pfeiffer_glocker{}, brach{}, projected{}, polar{};     ///< likewise
};

/// The hypothesis that decides the end of an incremental collision.
enum class RestitutionLaw : std::uint8_t {
  energetic,  ///< Stronge: the normal force gives back e² of the work that compression took. Never gains energy.
  kinetic,    ///< Poisson, Routh: it gives back e times the impulse of compression. With Integrator::series only.
  kinematic,  ///< Newton: u·n rises to -e times its first value. Can gain energy. With Integrator::series only.
};
inline constexpr std::size_t restitution_law_count = 3;

/// How the sliding phase is integrated.
enum class Integrator : std::uint8_t {
  euler,   ///< explicit Euler in the normal impulse, first order in its step
  series,  ///< Taylor series in slip time, exact to rounding; has no step to choose
};
inline constexpr std::size_t integrator_count = 2;

/// The names above with hyphens: "chatterjee-ruina"; "unknown" of any other number.
CAROM_EXPORT std::string_view to_string(Law law);
/// Likewise.
CAROM_EXPORT std::string_view to_string(RestitutionLaw law);
/// Likewise.
CAROM_EXPORT std::string_view to_string(Integrator integrator);

/// The inverse of to_string(Law); throws Error on any other text.
CAROM_EXPORT Law law_from_string(std::string_view text);

/// The inverse of to_string(RestitutionLaw); throws Error on any other text.
CAROM_EXPORT RestitutionLaw restitution_law_from_string(std::string_view text);

/// The inverse of to_string(Integrator); throws Error on any other text.
CAROM_EXPORT Integrator integrator_from_string(std::string_view text);

}  // namespace carom
