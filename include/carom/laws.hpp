// The collision laws, and the choices within the incremental law.
#pragma once

#include <carom/export.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carom {

/// A collision law computes the impulse of a contact. Every law returns a zero impulse if u·n >= 0 before the
/// collision. docs/laws.md and docs/planar.md have the equations, and the choices that a source leaves open.
///
/// P_I is the impulse that stops the approach without friction, P_II the impulse that stops all of u. [CR] is
/// A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
enum class Law : std::uint8_t {
  incremental = 0,       ///< Coulomb friction integrated over the normal impulse: Options::integrator, RestitutionLaw
  frictionless = 1,      ///< (1 + e) P_I. Newton
  no_slip = 2,           ///< (1 + e) P_II; can leave the friction cone, and pull
  chatterjee_ruina = 3,  ///< (1 + e) P_I + κ (P_II - P_I), κ = 1 + e_t or less, to stay in the friction cone. [CR] 5
  bilinear = 4,   ///< spheres and discs: |p_t| = min(μ p_n, (1 + e_t) |P_II|_t), against the first slip. [CR] 4.2.5
  whittaker = 5,  ///< u·n = -e u0·n, friction against the last slip; can gain energy. [CR] 4.2.2
  smith = 6,      ///< u·n = -e u0·n, friction against a mean of the first and the last slip. [CR] 4.2.3
  anitescu_potra = 7,    ///< compression and expansion each with friction against its last slip, kinetic restitution.
                         ///< [CR] 4.2.4
  pfeiffer_glocker = 8,  ///< as anitescu_potra with tangential restitution; planar contacts only. [CR] 4.2.4
  brach = 9,             ///< u·n = -e u0·n and two ratios of impulse, held inside the permissible region. [CR] 4.1
  projected = 10,        ///< an impulse that you pass, moved into the permissible region. [CR] 4.1
  polar = 11,            ///< a point of the permissible region given by direction and fraction. [CR] 4.1
  composite = 12,        ///< a weighted mean of laws that stay in the permissible region. [CR] 5.3
};
inline constexpr std::size_t law_count = 13;

/// A value for each law that can be a component of Law::composite.
template <class V>
struct Weights {
  V incremental{}, frictionless{}, chatterjee_ruina{}, bilinear{}, smith{};  ///< the law with the name of the field
  V anitescu_potra{}, pfeiffer_glocker{}, brach{}, projected{}, polar{};     ///< the law with the name of the field
};

/// The hypothesis of restitution that ends an incremental collision.
enum class RestitutionLaw : std::uint8_t {
  energetic = 0,  ///< Stronge: expansion returns e² of the work of compression. Never gains energy.
  kinetic = 1,    ///< Poisson, Routh: expansion has e times the impulse of compression. Only with Integrator::series.
  kinematic = 2,  ///< Newton: u·n ends at -e times its first value. Can gain energy. Only with Integrator::series.
};
inline constexpr std::size_t restitution_law_count = 3;

/// How the sliding phase is integrated.
enum class Integrator : std::uint8_t {
  euler = 0,   ///< explicit Euler in the normal impulse, first order in its step
  series = 1,  ///< Taylor series in slip time, exact to rounding; has no step size to choose
};
inline constexpr std::size_t integrator_count = 2;

/// Returns the name of the enumerator with hyphens: "chatterjee-ruina"; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(Law law);
/// Same for RestitutionLaw.
CAROM_EXPORT std::string_view to_string(RestitutionLaw law);
/// Same for Integrator.
CAROM_EXPORT std::string_view to_string(Integrator integrator);

/// The inverse of to_string(Law); throws Error on any other text.
CAROM_EXPORT Law law_from_string(std::string_view text);

/// The inverse of to_string(RestitutionLaw); throws Error on any other text.
CAROM_EXPORT RestitutionLaw restitution_law_from_string(std::string_view text);

/// The inverse of to_string(Integrator); throws Error on any other text.
CAROM_EXPORT Integrator integrator_from_string(std::string_view text);

}  // namespace carom
