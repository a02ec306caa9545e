// Conditions on options under which promises hold: the judges ask here.
#pragma once

#include <array>
#include <carom/law_info.hpp>
#include <carom/scene.hpp>
#include <carom/status.hpp>
#include <cmath>
#include <limits>

#include "core/scene/call_options.hpp"
#include "probe/option_draw.hpp"

namespace carom::probe {

/// Returns whether the law reads the integrator and the restitution law. Composites may have the incremental law as a
/// member.
constexpr bool may_be_incremental(Law law) {
  return law == Law::incremental || law == Law::composite;
}

/// Returns whether contacts are exact to rounding. Euler's method has an error of the size of its step.
constexpr bool is_exact(const auto& options) {
  return options.integrator == Integrator::series || !may_be_incremental(options.law);
}

/// Returns whether a law never gains energy at its own contact. `couples`: a composite that has the bilinear law as a
/// member.
constexpr bool never_gains_energy(const auto& options, bool couples) {
  if (!is_exact(options)) return false;
  const bool is_kinematic = options.restitution_law == RestitutionLaw::kinematic && may_be_incremental(options.law);
  return !is_kinematic && !couples && options.law != Law::bilinear && options.law != Law::whittaker;
}

/// Returns whether impulses push, within the cone of friction.
constexpr bool stays_in_the_cone(Law law) {
  return law != Law::no_slip;
}

/// Returns whether the solution of the law is searched, and the search may give up. docs/accuracy.md, Where there is no
/// answer
constexpr bool may_have_no_solution(Law law) {
  return law == Law::smith || law == Law::composite;
}

/// Returns whether every collision ends: only the default number of sliding steps, and of steps for them, suffices for
/// all.
constexpr bool ends_every_collision(const auto& options) {
  return is_exact(options) && options.step_budget >= Options{}.step_budget;
}

/// Returns whether a status comes from the collision of a sound contact, which took part in its island before.
constexpr bool is_outcome(Status status) {
  return status == Status::overflow || status == Status::step_budget_reached || status == Status::no_solution;
}

/// Says whether a normal may be a fault, or has to be: tolerances may be as small as the rounding of normals.
template <class T, class R>
struct NormalFault {
  NormalFault(R length, const Tolerances& data) {
    const R miss = length > 1 ? length - 1 : 1 - length, tolerance = static_cast<R>(data.normal_tolerance);
    constexpr R rounding = 8 * std::numeric_limits<T>::epsilon();
    may_be = !(miss + rounding < tolerance);
    must_be = miss > tolerance + rounding;
  }
  bool may_be, must_be;
};

/// Returns whether the rounding of a positive semidefinite inverse inertia may be a fault.
template <class T>
bool rounding_may_be_a_fault(const Tolerances& data) {
  return data.inertia_tolerance < 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// Returns whether the options of a scene have no number that takes velocities or impulses near the end of the range of
/// the precision, or below it. In a substep of seconds bodies turn by many radians, and joints correct what that
/// leaves.
inline bool keeps_in_range(const SceneOptions& options) {
  const scene::CallOptions call = scene::call_options(options);
  // Relaxation near 2 makes impulses that do not decay, and with inner iterations they grow.
  bool keeps = (call.procedure != scene::Procedure::substeps || options.time_step <= 1) && call.pgs.relaxation <= 1.5;
  // A sequence with tolerance 0 ends at subnormal speeds.
  if (call.procedure == scene::Procedure::sequential_impacts) keeps = keeps && call.tolerance > 0;
  // Drawn speeds are about 1 m/s. Large changes by forces round them.
  for (const double g : options.gravity) keeps = keeps && std::abs(g) * options.time_step <= 1000;
  const auto see = [&](const OptionInfo& info, double x) {
    const bool has_unit = info.unit[0] != '1' && info.unit[0] != 0;
    const double size = std::abs(x);
    if (std::isfinite(x) && (size > 1e6 || (has_unit && size > 0 && size < 1e-6))) keeps = false;
  };
  const auto see_line = [&]<class T>(const auto& self, const OptionInfo& info, const T& value) -> void {
    if constexpr (std::is_same_v<T, double>) {
      see(info, value);
    } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
      for (const double x : value) see(info, x);
    } else if constexpr (std::is_same_v<T, PositionCorrection>) {
      each_line([&](const OptionInfo& of, const auto& x) { self(self, of, x); }, value);
    } else if constexpr (std::is_same_v<T, std::optional<PositionCorrection>>) {
      if (value) self(self, info, *value);
    }
  };
  each_line([&](const OptionInfo& info, const auto& value) { see_line(see_line, info, value); }, options);
  return keeps;
}

}  // namespace carom::probe
