#include "command_options.hpp"

namespace carom::apps {

Options CommandOptions::solver_options() const {
  Options options;
  options.isa = isa_from_string(isa);
  options.threads = threads;
  options.integrator = integrator_from_string(integrator);
  options.restitution_law = restitution_law_from_string(restitution);
  if (options.integrator == Integrator::euler) {
    options.steps = steps.value_or(options.steps);
    if (options.restitution_law != RestitutionLaw::energetic)
      throw Error("carom: --restitution " + restitution + " needs --integrator series; euler offers energetic only");
  } else if (steps) {
    throw Error("carom: --steps needs --integrator euler; series has no step to choose");
  }
  return options;
}

std::string CommandOptions::integrator_in_words() const {
  const Options options = solver_options();
  return options.integrator == Integrator::euler ? "euler with " + std::to_string(options.steps) + " steps"
                                                 : integrator;
}

void add_command_options(CLI::App& command, CommandOptions& options) {
  command.add_option("IN", options.input, "Contact file (CSV) to read")->option_text("REQUIRED")->required();
  command
      .add_option("--integrator", options.integrator,
                  "How sliding is integrated: series is exact to rounding, euler is of first order in --steps")
      ->option_text("series|euler [" + options.integrator + "]")
      ->check(CLI::IsMember({"series", "euler"}));
  command
      .add_option("--restitution", options.restitution,
                  "Law (Stronge's|Poisson's|Newton's) where the file names none; euler offers energetic only")
      ->option_text("energetic|kinetic|kinematic [" + options.restitution + "]")
      ->check(CLI::IsMember({"energetic", "kinetic", "kinematic"}));
  command.add_option("--steps", options.steps, "Of euler only: its step of impulse is |u0| / (N trace K) [N s]")
      ->option_text("N [" + std::to_string(Options{}.steps) + "]")
      ->check(CLI::Range(1, 1 << 30));
  command.add_option("--precision", options.precision, "Arithmetic of the lanes")
      ->option_text("double|float [" + options.precision + "]")
      ->check(CLI::IsMember({"double", "float"}));
  command.add_option("--threads", options.threads, "0: as many as the machine offers")
      ->option_text("N [0]")
      ->check(CLI::Range(0, 1 << 16));
  command.add_option("--isa", options.isa, "Instruction set of the lanes; auto: the best one here")
      ->option_text("auto|scalar|sse2|avx2|avx512|neon [" + options.isa + "]")
      ->check(CLI::IsMember({"auto", "scalar", "sse2", "avx2", "avx512", "neon"}));
  command.add_flag("--all-faults", options.all_faults, "Print every bad row, not only the first 20");
}

}  // namespace carom::apps
