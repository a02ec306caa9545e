// The choices in a collision law.
#pragma once

#include <carom/export.hpp>
#include <cstdint>
#include <string_view>

namespace carom {

/// What decides the end of an incremental collision.
enum class RestitutionLaw : std::uint8_t {
  energetic,  ///< Stronge: the normal force gives back e² of the work that compression took. Never gains energy.
  kinetic,    ///< Poisson, Routh: it gives back e times the impulse of compression. With Integrator::series only.
  kinematic,  ///< Newton: u·n rises to -e times its first value. Can gain energy. With Integrator::series only.
};

/// How the sliding phase is integrated.
enum class Integrator : std::uint8_t {
  euler,   ///< explicit Euler in the normal impulse, first order in its step
  series,  ///< Taylor series in slip time, exact to rounding; has no step to choose
};

CAROM_EXPORT std::string_view to_string(RestitutionLaw law);
CAROM_EXPORT std::string_view to_string(Integrator integrator);

/// The inverse of to_string(RestitutionLaw); throws Error on any other text.
CAROM_EXPORT RestitutionLaw restitution_law_from_string(std::string_view text);

/// The inverse of to_string(Integrator); throws Error on any other text.
CAROM_EXPORT Integrator integrator_from_string(std::string_view text);

}  // namespace carom
