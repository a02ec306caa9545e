#include "command_options.hpp"

#include <carom/law_info.hpp>
#include <limits>

namespace carom::apps {

Options CommandOptions::solver_options() const {
  Options options;
  given.read(options);
  if (options.integrator == Integrator::euler && options.restitution_law != RestitutionLaw::energetic)
    throw Error("carom: --restitution-law " + text_of(options.restitution_law) +
                " needs --integrator series; euler offers energetic only");
  if (options.integrator != Integrator::euler && given.has("steps"))
    throw Error("carom: --steps needs --integrator euler; series has no step to choose");
  return options;
}

Execution CommandOptions::execution() const {
  return {isa_from_string(isa), threads};
}

io::ReadOptions CommandOptions::read_options() const {
  const Options options = solver_options();
  return {.rounded_to_float = in_float(), .law = options.law, .restitution_law = options.restitution_law};
}

io::ReadOptions CommandOptions::read_options_without_laws() const {
  io::ReadOptions options = read_options();
  options.law = Law::frictionless;
  options.own_laws = false;
  return options;
}

double CommandOptions::epsilon() const {
  return in_float() ? static_cast<double>(std::numeric_limits<float>::epsilon())
                    : std::numeric_limits<double>::epsilon();
}

void CommandOptions::require_valid(bool uses_lanes) const {
  if (reference && in_float())
    throw Error("carom: the reference works in double: --reference excludes --precision float");
  const Options options = solver_options();
  if (uses_lanes) Solver(execution()).solve(KContacts<double>{}, Results<double>{}, options);
}

void CommandOptions::require_fit(const io::Table& table, io::Form form) const {
  const Options options = solver_options();
  if (io::is_planar_form(form) && options.integrator == Integrator::euler)
    throw Error("carom: " + table.name() + " holds planar contacts, which are solved in closed form: --integrator " +
                text_of(options.integrator) + " has no use");
  if (table.find("law") != io::Table::none) return;
  const LawInfo& info = law_info(options.law);
  if (!io::is_there(info, form))
    throw Error("carom: --law " + text_of(options.law) + " is for " +
                (info.in_plane ? "planar contacts" : "contacts in 3D") + ", and " + table.name() + " holds others");
  if (const std::string missing = missing_parameters(options.law, table, form); !missing.empty())
    throw Error("carom: " + table.header_place() + "--law " + text_of(options.law) + " reads " + missing);
}

std::string CommandOptions::method_in_words(io::Form form) const {
  const Options options = solver_options();
  if (options.law != Law::incremental || io::is_planar_form(form)) return text_of(options.law);
  return text_of(options.integrator) +
         (options.integrator == Integrator::euler ? " with " + std::to_string(options.steps) + " steps" : "");
}

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const LawInfo& info : all_laws()) names.emplace_back(to_string(info.law));
  return names;
}

std::string missing_parameters(Law law, const io::Table& table, io::Form form) {
  std::vector<std::string> missing;
  std::size_t needed = 0;
  for (const LawParameter& parameter : law_info(law).parameters) {
    if (!io::is_there(parameter, form)) continue;
    ++needed;
    if (table.find(parameter.name) == io::Table::none) missing.emplace_back(parameter.name);
  }
  if (missing.empty()) return {};
  if (law == Law::composite)
    return missing.size() < needed ? std::string() : "columns weight_LAW, of which there are none";
  return io::columns_in_words(missing) + ", which " + (missing.size() == 1 ? "is" : "are") + " missing";
}

void add_command_options(CLI::App& command, CommandOptions& options) {
  add_solver_options(command, options);
  options.given.add_to(command, Options{}, [](const OptionInfo& info) { return std::string(info.help); });
}

void add_solver_options(CLI::App& command, CommandOptions& options) {
  command.add_option("IN", options.input, "Contact file (CSV or HDF5) to read; - is standard input")
      ->option_text("REQUIRED")
      ->required();
  options.given.add_to(command, Options{}, [](const OptionInfo& info) {
    return std::string_view(info.name) == "law" ? std::string() : info.help;
  });
  add_precision(command, options.precision, "Arithmetic of the lanes");
  command.add_option("--threads", options.threads, "0: as many as the machine offers")
      ->option_text("N [0]")
      ->check(within(0, Execution::max_threads));
  command.add_option("--isa", options.isa, "Instruction set of the lanes; auto: the best one here")
      ->option_text("auto|scalar|sse2|avx2|avx512|neon [" + options.isa + "]")
      ->check(CLI::IsMember({"auto", "scalar", "sse2", "avx2", "avx512", "neon"}));
  command.add_flag("--all-faults", options.all_faults, "Print every bad row, not only the first 20");
}

void add_precision(CLI::App& command, std::string& precision, const std::string& of) {
  command.add_option("--precision", precision, of)
      ->option_text("double|float [" + precision + "]")
      ->check(CLI::IsMember({"double", "float"}));
}

void add_report_options(CLI::App& command, bool& as_json, std::string& output, const std::string& of) {
  auto* json = command.add_flag("--json", as_json, "One JSON object on standard output");
  command.add_option("-o,--output", output, "File (CSV or HDF5) for " + of + "; - is standard output")
      ->option_text("OUT")
      ->excludes(json);
}

void add_resume_options(CLI::App& command, RunOptions& options) {
  constexpr double a_day = 86400;
  command.add_flag("--resume", options.resume,
                   "Go on with OUT where an earlier run ended; IN and OUT are HDF5. Without an earlier run it begins");
  command
      .add_option("--checkpoint", options.checkpoint,
                  "Seconds after which OUT (HDF5) is brought to the disk, for a run to resume there; 0: after every "
                  "block of rows")
      ->option_text(fmt::format("S [{}]", options.checkpoint))
      ->check(within(0.0, a_day));
}

}  // namespace carom::apps
