// The checks of options. check.cpp has the checks of columns.
#include <cmath>
#include <string>

#include "check.hpp"
#include "columns.hpp"
#include "option_table.hpp"
#include "refuse.hpp"

namespace carom {
namespace {

/// Prefix of an option's name: "pgs.", "position_correction.".
struct Owner {
  const char* method = "";
  const char* part = "";

  template <class... Pieces>
  [[noreturn, gnu::cold, gnu::noinline]] void refuse(const char* name, const Pieces&... rest) const {
    refuse_option(Text(method, part, name), rest...);
  }
};

// Arguments by value, so that calls with valid options do not store them.
[[noreturn, gnu::cold, gnu::noinline]] void is_out_of_range(Owner of, OptionInfo info, double value) {
  of.refuse(info.name, " is ", value, ", not in ", info.range.text());
}
[[noreturn, gnu::cold, gnu::noinline]] void is_none_of(Owner of, const char* name, std::size_t count,
                                                       std::size_t number) {
  refuse_enumerator(Text(of.method, of.part, name), count, number);
}

template <class O>
void check_all(const Owner& of, const O& options);

template <class T>
[[gnu::always_inline]] inline void check_one(const Owner& of, const OptionInfo& info, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    if (static_cast<std::size_t>(value) >= enumerators<T>) [[unlikely]]
      is_none_of(of, info.name, enumerators<T>, static_cast<std::size_t>(value));
  } else if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double>) {
    if (!info.range.holds(static_cast<double>(value))) [[unlikely]]
      is_out_of_range(of, info, static_cast<double>(value));
  } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
    for (const double number : value) check_one(of, info, number);
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    if (value) check_one(of, info, *value);
  } else if constexpr (std::is_same_v<T, PositionCorrection>) {
    check_all(Owner{of.method, "position_correction."}, value);
  } else if constexpr (std::is_same_v<T, std::optional<PositionCorrection>>) {
    if (value) check_one(of, info, *value);
  }
}

template <class O>
void check_all(const Owner& of, const O& options) {
  each_option([&](const OptionInfo& info, const auto& value, auto&...) { check_one(of, info, value); }, options);
}

template <class O>
void check_integrator(const Owner& of, const O& options) {
  if (options.integrator == Integrator::euler && options.restitution_law != RestitutionLaw::energetic)
    of.refuse("restitution_law", " is ", to_string(options.restitution_law),
              "; the integrator euler offers energetic only");
}

/// Throws Error for an option that differs from its default and that contacts under none of `laws` read.
template <class O>
void check_read(const Owner& of, const O& options, unsigned laws, bool planar) {
  const O usual;
  const bool incremental = (laws & columns::bit_of(Law::incremental)) != 0;
  const auto check = [&](const OptionInfo& info, const auto& value, const auto& otherwise) {
    const std::string_view name = info.name;
    if (value == otherwise || name == "law") return;
    if (!incremental) of.refuse(info.name, " is not read by the law ", to_string(options.law));
    if (planar && name != "restitution_law") of.refuse(info.name, " is not read: planar contacts are not integrated");
    if (name == "steps" && options.integrator != Integrator::euler)
      of.refuse("steps", " is ", options.steps, ", but the integrator series has no step to choose");
  };
  each_law_option(check, options, usual);
}

void need_time_step(const SceneOptions& options, const char* what) {
  if (!(options.time_step > 0)) Owner{}.refuse("time_step", " is 0, but ", what, " needs a step above 0");
}

const char* prefix_of(SceneMethod method) {
  static constexpr const char* prefixes[] = {"substeps.", "pgs.", "ncp.", "sequential_impacts.", "bender_schmitt."};
  static_assert(std::size(prefixes) == scene_method_count);
  return prefixes[static_cast<std::size_t>(method)];
}

// Constraints between the options of one method.

void check_together(const SceneOptions& options, const Substeps& s) {
  need_time_step(options, "the method substeps");
  const Owner of{"substeps."};
  if (s.min_substeps > s.max_substeps)
    of.refuse("max_substeps", " is ", s.max_substeps, ", below min_substeps, which is ", s.min_substeps);
  if (s.min_direct_substeps > s.max_substeps)
    of.refuse("min_direct_substeps", " is ", s.min_direct_substeps, ", above max_substeps, which is ", s.max_substeps);
  if (s.min_direct_substeps > 1 && s.min_substeps > 1)
    of.refuse("min_direct_substeps", " is ", s.min_direct_substeps,
              ", but no island is solved directly with min_substeps above 1");
}
void check_together(const SceneOptions& options, const Pgs& pgs) {
  if (!pgs.position_correction) return;
  need_time_step(options, "position correction");
  if (pgs.relaxation != 1)
    Owner{"pgs."}.refuse("relaxation", " is ", pgs.relaxation, ", but position correction has no relaxation");
}
void check_together(const SceneOptions&, const Ncp& ncp) {
  const Ncp usual;
  if (ncp.max_island_size > 0 || ncp.pgs_presolve) return;
  if (ncp.pgs_iterations != usual.pgs_iterations || ncp.pgs_tolerance != usual.pgs_tolerance)
    throw Error(
        "carom: the options ncp.pgs_iterations and ncp.pgs_tolerance are for ncp.max_island_size and "
        "ncp.pgs_presolve, which are not set",
        {.option = ncp.pgs_iterations != usual.pgs_iterations ? "ncp.pgs_iterations" : "ncp.pgs_tolerance"});
}
void check_together(const SceneOptions& options, const SequentialImpacts& impacts) {
  check_integrator({"sequential_impacts."}, impacts);
  if (options.restitution_threshold > 0)
    Owner{}.refuse("restitution_threshold", " is not for the method sequential-impacts");
}
void check_together(const SceneOptions& options, const BenderSchmitt& bs) {
  const Owner of{"bender_schmitt."};
  if (bs.phase != BenderSchmittPhase::collisions) {
    need_time_step(options, "the rest of contacts");
    if (bs.filter != ContactFilter::colliding)
      of.refuse("filter", " is touching, which is for the phase collisions alone");
  } else if (bs.shock_propagation > 0 && bs.filter == ContactFilter::colliding) {
    of.refuse("shock_propagation", " is not for collisions of colliding contacts");
  }
}

}  // namespace

std::string Range::text() const {
  std::string text(1, excludes_low ? '(' : '[');
  if (low == -max_float)
    text += "-3.4e38";
  else
    text += Text(low).view();
  text += ", ";
  if (high == max_float)
    text += "3.4e38";
  else
    text += Text(high).view();
  text += excludes_high ? ')' : ']';
  return text;
}

void check_execution(const Execution& execution) {
  const Scheduler& scheduler = execution.scheduler;
  const Owner scheduler_options{"scheduler."};
  if (scheduler.parallel_for != nullptr)
    check_one(scheduler_options, {"workers", "", within(1, Execution::max_threads), ""}, scheduler.workers);
  const char* const set = scheduler.context != nullptr ? "context"
                          : scheduler.workers != 0     ? "workers"
                          : scheduler.runs_at_once     ? "runs_at_once"
                                                       : nullptr;
  if (scheduler.parallel_for == nullptr && set != nullptr)
    scheduler_options.refuse(set, " is set without scheduler.parallel_for");
  check_all({}, execution);
}

void check_options(const Options& options) {
  check_all({}, options);
  check_integrator({}, options);
}
void check_options(const SystemOptions& options) {
  check_all({}, options);
}
void check_options(const MechanismOptions& options) {
  check_all({}, options);
}

void check_tolerance(double tolerance) {
  if (!(tolerance >= 0 && std::isfinite(tolerance)))
    refuse_option("tolerance", " is ", tolerance, ", not a finite number >= 0");
}

void check_options_of_laws(const Options& options, unsigned laws, bool planar) {
  check_read(Owner{}, options, laws, planar);
}
void check_options_of_margins(const Options& options) {
  const Options usual;
  const auto check = [&](const OptionInfo& info, const auto& value, const auto& otherwise) {
    if (value != otherwise) Owner{}.refuse(info.name, " is not read by find_margins");
  };
  each_law_option(check, options, usual);
}
void check_options_of_laws(const SequentialImpacts& impacts, unsigned laws) {
  check_read(Owner{"sequential_impacts."}, impacts, laws, false);
}

void check_scene_options(const SceneOptions& options) {
  check_all({}, options);
  const std::array<double, 3>& g = options.gravity;
  if (g[0] != 0 || g[1] != 0 || g[2] != 0) need_time_step(options, "gravity");
  std::visit(
      [&](const auto& method) {
        check_all({prefix_of(options.selected())}, method);
        check_together(options, method);
      },
      options.method);
}

}  // namespace carom
