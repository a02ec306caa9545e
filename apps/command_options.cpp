#include "command_options.hpp"

namespace carom::apps {

Options CommandOptions::solver_options() const {
  Options options;
  options.isa = isa_from_string(isa);
  options.threads = threads;
  options.steps = steps;
  options.integrator = Integrator::euler;
  return options;
}

void add_command_options(CLI::App& command, CommandOptions& options) {
  command.add_option("IN", options.input, "Contact file (CSV) to read")->option_text("REQUIRED")->required();
  command.add_option("--integrator", options.integrator, "How sliding is integrated; only Euler's method so far")
      ->option_text("euler")
      ->check(CLI::IsMember({"euler"}));
  command.add_option("--steps", options.steps, "Euler's step of impulse is |u0| / (N trace K) [N s]")
      ->option_text("N [" + std::to_string(options.steps) + "]")
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
