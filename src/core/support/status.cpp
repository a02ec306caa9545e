#include <algorithm>
#include <carom/gradients.hpp>
#include <carom/joints.hpp>
#include <carom/laws.hpp>
#include <carom/scene.hpp>
#include <carom/status.hpp>
#include <carom/system.hpp>
#include <iterator>

#include "core/columns/text.hpp"

namespace carom {
namespace {

constexpr auto statuses = [] {
  std::array<Status, 3 + std::size(fault_priority)> all{Status::ok, Status::separating, Status::several_solutions};
  std::copy(std::begin(fault_priority), std::end(fault_priority), all.begin() + 3);
  return all;
}();
constexpr std::string_view unknown = "unknown";
constexpr std::array<std::string_view, 8> sliding_end_names = {
    "", "separating", "slide_end", "stick_in_c", "stick_in_d", "stick_at_start", "slip", "stick"};
constexpr std::array<std::string_view, 3> sticking_names = {"", "+stable", "+diverge"};
constexpr std::array<std::string_view, isa_count> isa_names = {"auto", "scalar", "sse2", "avx2", "avx512", "neon"};
constexpr std::array<std::string_view, law_count> law_names = {
    "incremental",    "frictionless",     "no-slip", "chatterjee-ruina", "bilinear", "whittaker", "smith",
    "anitescu-potra", "pfeiffer-glocker", "brach",   "projected",        "polar",    "composite"};
constexpr std::array<std::string_view, restitution_law_count> restitution_names = {"energetic", "kinetic", "kinematic"};
constexpr std::array<std::string_view, integrator_count> integrator_names = {"euler", "series"};
constexpr std::array<std::string_view, gradient_status_count> gradient_names = {"exact",     "one-sided", "unbounded",
                                                                                "undefined", "zero",      "none"};

constexpr std::array<std::string_view, contact_filter_count> filter_names = {"colliding", "touching"};
constexpr std::array<std::string_view, bender_schmitt_phase_count> phase_names = {"both", "collisions", "resting"};
constexpr std::array<std::string_view, error_scale_count> scale_names = {"system", "island"};
constexpr std::array<std::string_view, contact_state_count> state_names = {"open", "stick", "slip"};
constexpr std::array<std::string_view, island_algorithm_count> algorithm_names = {
    "pgs", "impacts", "last_impulses", "linear", "interior_point", "system", "holding"};
constexpr std::array<std::string_view, combine_rule_count> rule_names = {"mean", "geometric-mean", "min", "max",
                                                                         "product"};

// A number outside of the enumeration comes from a cast, a file or memory that was never written.
template <class Enum, std::size_t n>
constexpr std::string_view name_of(const std::array<std::string_view, n>& names, Enum value) {
  const auto number = static_cast<std::size_t>(value);
  return number < n ? names[number] : unknown;
}

template <class Enum, std::size_t n>
Enum from_name(const std::array<std::string_view, n>& names, std::string_view text, const char* what) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw Error(Text("carom: '", text, "' is not ", what));
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::span<const Status> all_statuses() {
  return statuses;
}

#define CAROM_NAME(name) \
  case Enum::name:       \
    return #name

std::string_view to_string(Status status) {
  using Enum = Status;
  switch (status) {
    CAROM_NAME(ok);
    CAROM_NAME(separating);
    CAROM_NAME(several_solutions);
    CAROM_NAME(body_index_out_of_range);
    CAROM_NAME(same_body);
    CAROM_NAME(not_a_number);
    CAROM_NAME(infinite);
    CAROM_NAME(normal_not_unit);
    CAROM_NAME(negative_inverse_mass);
    CAROM_NAME(inverse_inertia_not_positive_semidefinite);
    CAROM_NAME(both_immovable);
    CAROM_NAME(restitution_out_of_range);
    CAROM_NAME(negative_friction);
    CAROM_NAME(law_unavailable);
    CAROM_NAME(law_parameter_missing);
    CAROM_NAME(law_parameter_out_of_range);
    CAROM_NAME(step_not_positive);
    CAROM_NAME(restitution_law_unavailable);
    CAROM_NAME(overflow);
    CAROM_NAME(collision_matrix_not_positive_definite);
    CAROM_NAME(step_too_large);
    CAROM_NAME(step_budget_reached);
    CAROM_NAME(no_solution);
    CAROM_NAME(static_friction_below_friction);
    CAROM_NAME(impulse_bounds_reversed);
    CAROM_NAME(negative_compliance);
    CAROM_NAME(negative_frequency);
    CAROM_NAME(negative_damping_ratio);
    CAROM_NAME(negative_friction_2);
    CAROM_NAME(friction_direction_along_normal);
    CAROM_NAME(negative_rolling_friction);
    CAROM_NAME(negative_spinning_friction);
    CAROM_NAME(negative_normal_compliance);
    CAROM_NAME(negative_tangential_compliance);
    CAROM_NAME(stiffness_not_positive);
    CAROM_NAME(negative_damping);
    CAROM_NAME(negative_slop);
  }
  return unknown;
}

std::string_view to_string(IslandStatus status) {
  using Enum = IslandStatus;
  switch (status) {
    CAROM_NAME(converged);
    CAROM_NAME(not_converged);
    CAROM_NAME(stalled);
    CAROM_NAME(diverged);
    CAROM_NAME(overflow);
  }
  return unknown;
}
#undef CAROM_NAME

#define CAROM_TO_STRING(Enum, names)                                    \
  static_assert(!names.back().empty(), "an enumerator lacks its name"); \
  std::string_view to_string(Enum value) {                              \
    return name_of(names, value);                                       \
  }
CAROM_TO_STRING(Isa, isa_names)
CAROM_TO_STRING(Law, law_names)
CAROM_TO_STRING(RestitutionLaw, restitution_names)
CAROM_TO_STRING(Integrator, integrator_names)
CAROM_TO_STRING(GradientStatus, gradient_names)
CAROM_TO_STRING(ContactFilter, filter_names)
CAROM_TO_STRING(BenderSchmittPhase, phase_names)
CAROM_TO_STRING(ErrorScale, scale_names)
CAROM_TO_STRING(ContactState, state_names)
CAROM_TO_STRING(IslandAlgorithm, algorithm_names)
CAROM_TO_STRING(CombineRule, rule_names)
#undef CAROM_TO_STRING

std::string to_string(Path path) {
  if (!path.is_known()) return std::string(unknown);
  std::string text(name_of(sliding_end_names, path.sliding_end));
  if (path.sliding_end <= SlidingEnd::separating || path.sliding_end >= SlidingEnd::slip) return text;
  text += name_of(sticking_names, path.sticking);
  return text + "+c" + std::to_string(path.compressions) + "d" + std::to_string(path.decompressions);
}

Isa isa_from_string(std::string_view text) {
  return from_name<Isa>(isa_names, text, "an ISA: auto, scalar, sse2, avx2, avx512 or neon");
}

Law law_from_string(std::string_view text) {
  return from_name<Law>(law_names, text,
                        "a law: incremental, frictionless, no-slip, chatterjee-ruina, bilinear, whittaker, smith, "
                        "anitescu-potra, pfeiffer-glocker, brach, projected, polar or composite");
}

RestitutionLaw restitution_law_from_string(std::string_view text) {
  return from_name<RestitutionLaw>(restitution_names, text, "a restitution law: energetic, kinetic or kinematic");
}

Integrator integrator_from_string(std::string_view text) {
  return from_name<Integrator>(integrator_names, text, "an integrator: euler or series");
}

}  // namespace carom
