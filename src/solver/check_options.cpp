// The checks of options. check.cpp has the checks of columns.
#include <algorithm>
#include <carom/system.hpp>
#include <charconv>
#include <string>

#include "check.hpp"

namespace carom {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void is_out_of_range(double value, double low, double high, const char* name) {
  throw Error(std::string("carom: the option ") + name + " is " + in_words(value) + ", not in [" + in_words(low) +
              ", " + in_words(high) + "]");
}
[[gnu::always_inline]] inline void in_range(double value, double low, double high, const char* name) {
  if (!(value >= low && value <= high)) [[unlikely]]
    is_out_of_range(value, low, high, name);
}

[[noreturn, gnu::cold, gnu::noinline]] void is_none_of(std::size_t count, std::size_t number, const char* name) {
  throw Error(std::string("carom: the option ") + name + " is number " + std::to_string(number) +
              ", of which there are " + std::to_string(count) + " from 0 on");
}
template <class Enum>
[[gnu::always_inline]] inline void is_one_of(std::size_t count, Enum value, const char* name) {
  if (static_cast<std::size_t>(value) >= count) [[unlikely]]
    is_none_of(count, static_cast<std::size_t>(value), name);
}

}  // namespace

std::string in_words(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 15).ptr);
}

void check_execution(const Execution& execution) {
  is_one_of(isa_count, execution.isa, "isa");
  in_range(execution.threads, 0, Execution::max_threads, "threads");
  const Scheduler& scheduler = execution.scheduler;
  if (scheduler.parallel_for != nullptr)
    return in_range(scheduler.workers, 1, Execution::max_threads, "scheduler.workers");
  const char* const set = scheduler.context != nullptr ? "context"
                          : scheduler.workers != 0     ? "workers"
                          : scheduler.runs_at_once     ? "runs_at_once"
                                                       : nullptr;
  if (set != nullptr)
    throw Error(std::string("carom: the option scheduler.") + set + " is set without scheduler.parallel_for");
}

void check_options(const Options& options) {
  is_one_of(law_count, options.law, "law");
  is_one_of(integrator_count, options.integrator, "integrator");
  is_one_of(restitution_law_count, options.restitution_law, "restitution_law");
  in_range(options.steps, 1, Options::max_steps, "steps");
  in_range(options.step_budget, 1, Options::max_steps, "step_budget");
  in_range(options.max_restitution, 1, Options::restitution_limit, "max_restitution");
  in_range(options.normal_tolerance, 0, Options::max_tolerance, "normal_tolerance");
  in_range(options.inertia_tolerance, 0, Options::max_tolerance, "inertia_tolerance");
  if (options.integrator == Integrator::euler && options.restitution_law != RestitutionLaw::energetic)
    throw Error("carom: the option restitution_law is " + std::string(to_string(options.restitution_law)) +
                "; the integrator euler offers energetic only");
}

void check_scene_options(const SceneOptions& options) {
  check_options(options.collision);
  is_one_of(scene_method_count, options.method, "method");
  in_range(options.relative_tolerance, 0, 1, "relative_tolerance");
  constexpr double most = std::numeric_limits<float>::max();
  in_range(options.restitution_threshold, 0, most, "restitution_threshold");
  in_range(options.rest.gravity, 0, most, "rest.gravity");
  in_range(options.rest.tolerance, 0, most, "rest.tolerance");
  const auto is_count = [](int count, const char* name) { in_range(count, 1, SceneLimits::max_iterations, name); };
  is_count(options.shock_propagation.iterations, "shock_propagation.iterations");
  is_count(options.pgs.iterations, "pgs.iterations");
  in_range(options.pgs.warm_start, 0, 1, "pgs.warm_start");
  in_range(options.pgs.joint_warm_start, 0, 1, "pgs.joint_warm_start");
  if (const double relaxation = options.pgs.relaxation; !(relaxation > 0 && relaxation < 2))
    throw Error("carom: the option pgs.relaxation is " + in_words(relaxation) + ", not in (0, 2)");
  in_range(options.pgs.inner_iterations, 1, SceneLimits::max_rounds, "pgs.inner_iterations");
  in_range(options.pgs.time_step, 0, SceneLimits::max_time_step, "pgs.time_step");
  in_range(options.pgs.relax_iterations, 0, SceneLimits::max_iterations, "pgs.relax_iterations");
  is_count(options.sequential_impacts.impacts, "sequential_impacts.impacts");
  is_count(options.iteration.iterations, "iteration.iterations");
  is_one_of(contact_filter_count, options.iteration.swept, "iteration.swept");
  is_count(options.resting.iterations, "resting.iterations");
  in_range(options.resting.time_step, 0, SceneLimits::max_time_step, "resting.time_step");
  const bool rests = options.method == SceneMethod::resting || options.method == SceneMethod::step;
  if (rests && !(options.resting.time_step > 0))
    throw Error("carom: the option resting.time_step is 0, but contacts at rest need a step above 0");
  for (const double g : options.resting.gravity) in_range(g, -most, most, "resting.gravity");
  const SubstepsOptions& s = options.substeps;
  in_range(s.time_step, 0, SceneLimits::max_time_step, "substeps.time_step");
  if (options.method == SceneMethod::substeps && !(s.time_step > 0))
    throw Error("carom: the option substeps.time_step is 0, but substeps need a step above 0");
  in_range(s.least, 1, SceneLimits::max_substeps, "substeps.least");
  in_range(s.most, s.least, SceneLimits::max_substeps, "substeps.most");
  in_range(s.min_direct_substeps, 1, std::min(SceneThresholds::direct_substeps, s.most),
           "substeps.min_direct_substeps");
  if (s.min_direct_substeps > 1 && s.least > 1)
    throw Error("carom: the option substeps.min_direct_substeps is " + in_words(s.min_direct_substeps) +
                ", but no island is solved directly with substeps.least above 1");
  in_range(s.inner_iterations, 1, SceneLimits::max_rounds, "substeps.inner_iterations");
  is_count(s.sweeps, "substeps.sweeps");
  in_range(s.relax_iterations, 0, SceneLimits::max_iterations, "substeps.relax_iterations");
  is_count(s.restitution_sweeps, "substeps.restitution_sweeps");
  in_range(s.slop, 0, most, "substeps.slop");
  if (!(s.relative_slop > 0))
    throw Error("carom: the option substeps.relative_slop is " + in_words(s.relative_slop) + ", not above 0");
  in_range(s.relative_slop, 0, most, "substeps.relative_slop");
  in_range(s.correction_rate, 0, 1, "substeps.correction_rate");
  in_range(s.max_correction_speed, 0, most, "substeps.max_correction_speed");
  if (!(s.joint_frequency >= 0))
    throw Error("carom: the option substeps.joint_frequency is " + in_words(s.joint_frequency) + ", not 0 or above");
  in_range(s.joint_damping_ratio, 0, most, "substeps.joint_damping_ratio");
  in_range(s.contact_damping_ratio, 0, most, "substeps.contact_damping_ratio");
  in_range(s.warm_start, 0, 1, "substeps.warm_start");
  in_range(s.joint_warm_start, 0, 1, "substeps.joint_warm_start");
  const NcpOptions& c = options.ncp;
  in_range(c.tolerance, 0, SystemOptions::max_tolerance, "ncp.tolerance");
  in_range(c.budget, 1, SystemOptions::max_budget, "ncp.budget");
  if (!(c.max_friction > 0))
    throw Error("carom: the option ncp.max_friction is " + in_words(c.max_friction) + ", not above 0");
  in_range(c.max_friction, 0, SystemOptions::friction_limit, "ncp.max_friction");
  in_range(c.warm_start, 0, 1, "ncp.warm_start");
  in_range(c.max_island_size, 0, SceneLimits::max_iterations, "ncp.max_island_size");
}

}  // namespace carom
