// Every option: its name, unit, range and meaning. Checks, the interfaces in C and Python, the command, the tables of
// docs/ and the prober read these lines. A new option needs its field in a public header and a line here.
#pragma once

#include <carom/joints.hpp>
#include <carom/mechanism.hpp>
#include <carom/scene_options.hpp>
#include <carom/solver.hpp>
#include <carom/system.hpp>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

namespace carom {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

/// The values of an option that is a number.
struct Range {
  double low, high;
  bool excludes_low = false, excludes_high = false;

  constexpr bool holds(double value) const {
    return (excludes_low ? value > low : value >= low) && (excludes_high ? value < high : value <= high);
  }
  /// "[0, 1]", "[0.01, 2)".
  std::string text() const;
};
constexpr double max_float = std::numeric_limits<float>::max();
constexpr Range within(double low, double high) {
  return {low, high};
}
constexpr Range above(double low, double high = max_float) {
  return {low, high, true};
}
/// Finite in both precisions.
constexpr Range at_least(double low) {
  return {low, max_float};
}
constexpr Range any_finite() {
  return {-max_float, max_float};
}
/// Every value of the type. For bool, enumerations and seeds.
constexpr Range any() {
  return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}

/// The number of values of an enumeration, from 0 on.
template <class E>
constexpr std::size_t enumerators = 0;
template <>
inline constexpr std::size_t enumerators<Isa> = isa_count;
template <>
inline constexpr std::size_t enumerators<Law> = law_count;
template <>
inline constexpr std::size_t enumerators<RestitutionLaw> = restitution_law_count;
template <>
inline constexpr std::size_t enumerators<Integrator> = integrator_count;
template <>
inline constexpr std::size_t enumerators<BenderSchmittPhase> = bender_schmitt_phase_count;
template <>
inline constexpr std::size_t enumerators<ContactFilter> = contact_filter_count;
template <>
inline constexpr std::size_t enumerators<ErrorScale> = error_scale_count;
template <>
inline constexpr std::size_t enumerators<SceneMethod> = scene_method_count;
template <>
inline constexpr std::size_t enumerators<CombineRule> = combine_rule_count;

struct OptionInfo {
  const char* name;
  const char* unit;  ///< "m/s"; "1" for ratios, "" for counts, names and truth values
  Range range;
  const char* help;
};

// Each function calls f(OptionInfo, field, the same fields of others...) for every field of a struct, in the order of
// the fields. Fields that are structs of options come with f, too.
#define CAROM_OPTION(name, unit, range, help) f(OptionInfo{#name, unit, range, help}, o.name, others.name...)

/// The fields of Scheduler are fields of its counterpart in C.
template <class F, Is<Execution> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(isa, "", any(), "Instruction set; the best one of this CPU by default.");
  CAROM_OPTION(threads, "", within(0, Execution::max_threads), "Maximum number of threads. 0: all.");
  const auto of_scheduler = [&](auto& s) {
    f(OptionInfo{"parallel_for", "", any(), "Runs the pieces of a loop."}, s.parallel_for, others.parallel_for...);
    f(OptionInfo{"context", "", any(), "First argument of parallel_for."}, s.context, others.context...);
    f(OptionInfo{"workers", "", within(0, Execution::max_threads), "Maximum number of pieces."}, s.workers,
      others.workers...);
    f(OptionInfo{"runs_at_once", "", any(), "Whether all pieces of a loop run at the same time."}, s.runs_at_once,
      others.runs_at_once...);
  };
  of_scheduler(o.scheduler);
}

template <class F, Is<Tolerances> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(max_restitution, "1", within(1, Tolerances::restitution_limit),
               "Maximum coefficient of restitution; larger ones are faults.");
  CAROM_OPTION(normal_tolerance, "1", within(0, Tolerances::max_tolerance), "Maximum distance of |n| from 1.");
  CAROM_OPTION(inertia_tolerance, "1", within(0, Tolerances::max_tolerance),
               "Maximum negative eigenvalue of an inverse inertia, relative to its trace.");
}

/// Structs of C have the tolerances among their own fields.
template <class O>
auto& data_of(O& options) {
  if constexpr (requires { options.data; })
    return options.data;
  else
    return options;
}

/// The options that Options and SequentialImpacts share.
template <class F, class O, class... Others>
void each_law_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(law, "", any(), "Collision law if the column law is absent.");
  CAROM_OPTION(restitution_law, "", any(), "Restitution hypothesis of the incremental law.");
  CAROM_OPTION(integrator, "", any(), "Integrator of the incremental law.");
  CAROM_OPTION(steps, "", within(1, Options::max_steps),
               "Steps of Euler's method: the step is |u0| / (steps trace K).");
  CAROM_OPTION(step_budget, "", within(1, Options::max_steps), "Maximum number of sliding steps of a contact.");
}

template <class F, Is<Options> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  each_law_option(f, o, others...);
  each_option(f, o.data, data_of(others)...);
}

template <class F, Is<PositionCorrection> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(slop, "m", at_least(0), "Penetration that is not corrected. 0: relative_slop times the size.");
  CAROM_OPTION(relative_slop, "1", above(0), "Slop as a fraction of the radius of gyration of the smaller body.");
  CAROM_OPTION(rate, "1", within(0, 1), "Fraction of the penetration beyond slop that a substep corrects.");
  CAROM_OPTION(max_speed, "m/s", at_least(0), "Maximum speed of the correction.");
  CAROM_OPTION(relax_iterations, "", within(0, SceneLimits::max_iterations),
               "Number of iterations without position correction.");
  CAROM_OPTION(joint_frequency, "Hz", within(0, std::numeric_limits<double>::infinity()),
               "Stiffness of the correction of joints that give none.");
  CAROM_OPTION(joint_damping_ratio, "1", at_least(0), "Damping ratio of joints that give none.");
  CAROM_OPTION(contact_damping_ratio, "1", at_least(0), "Damping ratio of contacts with a frequency that give none.");
}

template <class F, Is<Substeps> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(min_substeps, "", within(1, SceneLimits::max_substeps), "Minimum number of substeps.");
  CAROM_OPTION(max_substeps, "", within(1, SceneLimits::max_substeps), "Maximum number of substeps.");
  CAROM_OPTION(min_direct_substeps, "", within(1, SceneLimits::max_direct_substeps),
               "Minimum number of substeps of an island that is solved directly.");
  CAROM_OPTION(iterations, "", within(1, SceneLimits::max_iterations), "Iterations of a substep before the motion.");
  CAROM_OPTION(inner_iterations, "", within(1, SceneLimits::max_inner_iterations),
               "Passes over the points of a manifold, or the rows of a joint, in an iteration.");
  CAROM_OPTION(restitution_iterations, "", within(1, SceneLimits::max_iterations),
               "Iterations at the end of the step for islands that rebound.");
  CAROM_OPTION(warm_start, "1", within(0, 1), "Fraction of the last impulses of contacts to start from.");
  CAROM_OPTION(joint_warm_start, "1", within(0, 1), "Fraction of the last impulses of rows to start from.");
  CAROM_OPTION(tolerance, "1", within(0, 1), "Relative velocity error at which an island has converged.");
  CAROM_OPTION(position_correction, "", any(), "Position correction.");
}

template <class F, Is<Pgs> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(iterations, "", within(1, SceneLimits::max_iterations), "Maximum number of iterations over an island.");
  CAROM_OPTION(inner_iterations, "", within(1, SceneLimits::max_inner_iterations),
               "Passes over the points of a manifold, or the rows of a joint, in an iteration.");
  CAROM_OPTION(relaxation, "1", (Range{0.01, 2, false, true}), "Factor of every change of an impulse.");
  CAROM_OPTION(warm_start, "1", within(0, 1), "Fraction of the last impulses of contacts to start from.");
  CAROM_OPTION(joint_warm_start, "1", within(0, 1),
               "Fraction of the last impulses of rows to start from. Default: 1 with position correction, else 0.5.");
  CAROM_OPTION(tolerance, "1", within(0, 1), "Relative velocity error at which an island has converged.");
  CAROM_OPTION(position_correction, "", any(), "Position correction. Default: none.");
}

template <class F, Is<Ncp> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(tolerance, "1", within(0, SystemOptions::max_tolerance),
               "Maximum error of an island. 0: 1e-8 in double, 1e-4 in float.");
  CAROM_OPTION(budget, "iterations", within(1, SystemOptions::max_budget), "Limit of the work on an island.");
  CAROM_OPTION(max_friction, "1", above(0, SystemOptions::friction_limit),
               "Larger coefficients of friction count as this one.");
  CAROM_OPTION(warm_start, "1", within(0, 1), "Fraction of the last impulses to start from.");
  CAROM_OPTION(max_island_size, "", within(0, SceneLimits::max_iterations),
               "Contacts and rows of the largest island that is solved to the tolerance. 0: no limit.");
  CAROM_OPTION(pgs_presolve, "", any(), "Whether all islands are solved by PGS first.");
  CAROM_OPTION(pgs_iterations, "", within(1, SceneLimits::max_iterations),
               "Maximum number of PGS iterations, of larger islands and before.");
  CAROM_OPTION(pgs_tolerance, "1", within(0, 1), "Relative velocity error at which PGS has converged.");
}

template <class F, Is<SequentialImpacts> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(max_impacts, "", within(1, SceneLimits::max_iterations),
               "Maximum number of impacts per contact and joint of an island.");
  CAROM_OPTION(seed, "", any(), "Tie-breaking between equally fast contacts. 0: lowest index; else a seed.");
  CAROM_OPTION(tolerance, "1", within(0, 1), "Relative approach speed at which an island has converged.");
  each_law_option(f, o, others...);
}

template <class F, Is<BenderSchmitt> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(phase, "", any(), "Collisions, contacts at rest, or both.");
  CAROM_OPTION(filter, "", any(), "Contacts of the phase of collisions alone.");
  CAROM_OPTION(max_iterations, "", within(1, SceneLimits::max_iterations), "Maximum number of iterations of a phase.");
  CAROM_OPTION(tolerance, "1", within(0, 1), "Relative velocity error at which an island has converged.");
  CAROM_OPTION(rest_tolerance, "m", at_least(0), "Contacts that approach with at most sqrt(2 g this) are at rest.");
  CAROM_OPTION(shock_propagation, "", within(0, SceneLimits::max_iterations),
               "Iterations over each level, from the immovable bodies upwards. 0: none.");
}

/// Without `method`.
template <class F, Is<SceneOptions> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(time_step, "s", within(0, SceneLimits::max_time_step), "Duration of the step.");
  CAROM_OPTION(gravity, "m/s²", any_finite(), "Acceleration of every body with mass.");
  CAROM_OPTION(restitution_threshold, "m/s", at_least(0), "Contacts that approach more slowly do not rebound.");
  each_option(f, o.data, data_of(others)...);
}

template <class F, Is<SystemOptions> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(tolerance, "1", within(0, SystemOptions::max_tolerance),
               "Maximum error. 0: 1e-8 in double, 1e-4 in float.");
  CAROM_OPTION(error_mass, "kg", within(0, SystemOptions::max_mass), "Mass in the error. 0: each island's own.");
  CAROM_OPTION(scale, "", any(), "Reference velocity of the error.");
  CAROM_OPTION(budget, "iterations", within(1, SystemOptions::max_budget), "Limit of the work on an island.");
  CAROM_OPTION(max_friction, "1", above(0, SystemOptions::friction_limit),
               "Larger coefficients of friction count as this one.");
  CAROM_OPTION(asymmetry, "1", within(0, 2), "Maximum asymmetry of W.");
  CAROM_OPTION(range_tolerance, "1", within(0, 1),
               "Maximum distance of q from the range of W at which its projection may be solved.");
}

template <class F, Is<MechanismOptions> O, class... Others>
void each_option(F&& f, O& o, Others&... others) {
  CAROM_OPTION(redundancy, "1", within(0, MechanismOptions::option_limit),
               "Fraction of a row that other rows do not repeat at which it is redundant.");
  CAROM_OPTION(min_eigenvalue, "1", within(0, MechanismOptions::option_limit),
               "Eigenvalues of K below this fraction of its trace are locked directions.");
}
#undef CAROM_OPTION

}  // namespace carom
