#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "cli/options/sweep_options.hpp"
#include "cli/ranks/ranks.hpp"
#include "commands.hpp"

namespace carom::apps {
namespace {

constexpr const char* sweep_footer =
    R"(Solves all contacts of a file under every law with every pair of coefficients, whatever the rows name, and
tells of each such point how many contacts it resolves, how many it does not solve or are bad, the energy
that they lose together and the largest gain of one [J].

VALUES are numbers with commas between them, or FROM:TO:STEP with FROM, and TO if a step meets it. Without --friction or
--restitution every row has its own. The parameters that single laws read are those of the rows.

OUT.h5 has a dataset of two dimensions for every component of the impulse, and for the status:
impulse_x[point, row]. The datasets law, friction and restitution tell the points. Blocks of rows are read once
and solved at all points, so that memory does not grow with the file, nor with the study.
mpirun -n N carom sweep ... spreads the rows of HDF5 files over ranks.

Examples:
  carom sweep contacts.csv --friction 0:1:0.1
  carom sweep contacts.h5 --law smith,anitescu-potra --friction 0:1:0.1 --restitution 0,0.5,1 -o sweep.h5
  carom sweep contacts.h5 --law incremental --restitution-law kinetic --restitution 0:1:0.25 --json

Exit code: 0 all rows are fine at all points; 1 there are bad rows (those of the last point are named);
2 wrong usage, or a file that can't be read or written.)";

double number_of(const std::string& text, const std::string& all) {
  const std::optional<double> number = io::to_number(text);
  if (!number || std::isnan(*number)) throw Error("carom: '" + text + "' in " + all + " is not a number");
  return *number;
}

/// Returns the number of decimals: 2 for 0.25 and for 25e-2.
int decimals_of(double number) {
  std::array<char, 32> room;
  // The shortest text that reproduces the number.
  const auto end = std::to_chars(room.data(), room.data() + room.size(), number, std::chars_format::scientific).ptr;
  const std::string text(room.data(), end);
  const std::size_t point = text.find('.'), e = text.find('e');
  const int digits = point < e ? static_cast<int>(e - point) - 1 : 0;
  return std::max(0, digits - std::stoi(text.substr(e + 1)));
}

/// Throws Error.
std::vector<double> values_of(const std::string& text) {
  const auto parts = [&](char mark) {
    std::vector<double> values;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(mark, begin), text.size());
      values.push_back(number_of(text.substr(begin, end - begin), text));
      begin = end + 1;
    }
    return values;
  };
  if (text.find(':') == std::string::npos) return parts(',');
  constexpr double max_steps = 1e6, rounding = 1e-9;
  const std::vector<double> range = parts(':');
  if (range.size() != 3 || !(range[2] > 0) || !(range[1] >= range[0]) || !std::isfinite(range[1] - range[0]))
    throw Error("carom: " + text + " is not FROM:TO:STEP with finite TO >= FROM and a STEP above 0");
  const double exact = (range[1] - range[0]) / range[2], steps = std::floor(exact + rounding);
  if (!(steps < max_steps)) throw Error("carom: " + text + " has more than a million steps");
  // Values have the decimals of FROM and STEP, so that 0.1:1:0.1 has 0.3.
  const int decimals = std::max(decimals_of(range[0]), decimals_of(range[2]));
  std::vector<double> values;
  for (double i = 0; i <= steps; ++i)
    values.push_back(*io::to_number(fmt::format("{:.{}f}", range[0] + i * range[2], decimals)));
  if (std::abs(exact - steps) <= rounding) values.back() = range[1];
  return values;
}

/// Values in [0, most]. Throws Error.
std::vector<double> values_within(const std::string& option, const std::string& text, double most) {
  if (text.empty()) return {};
  std::vector<double> values = values_of(text);
  for (const double value : values)
    if (!(value >= 0 && value <= most))
      throw Error(fmt::format("carom: {}: {} is outside [0, {}]", option, value, most));
  return values;
}

}  // namespace

void add_sweep_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<SweepOptions>();
  auto frictions = std::make_shared<std::string>(), restitutions = std::make_shared<std::string>();
  CLI::App* sweep = app.add_subcommand("sweep", "Solve the contacts of a file under laws and coefficients of a study");
  add_solver_options(*sweep, *command);
  sweep->add_option("--law", command->laws, "The laws, with commas between them; `carom laws` lists them")
      ->option_text("NAME,NAME,... [" + text_of(Options{}.law) + "]")
      ->delimiter(',')
      ->check(CLI::IsMember(law_names()));
  sweep->add_option("--friction", *frictions, "Coefficients of friction of all contacts")->option_text("VALUES");
  sweep->add_option("--restitution", *restitutions, "Coefficients of restitution of all contacts")
      ->option_text("VALUES");
  sweep->add_option("-o,--output", command->output, "HDF5 file for the impulses")->option_text("OUT.h5");
  sweep->add_flag("--details", command->details, "Write all results, not only impulse and status");
  sweep->add_flag("--json", command->as_json, "One JSON object on standard output");
  add_resume_options(*sweep, *command);
  sweep->footer(sweep_footer);
  sweep->callback([=, &exit_code] {
    Ranks& ranks = Ranks::world();
    command->threads = ranks.threads(command->threads);
    exit_code = ranks.run([&] {
      command->frictions = values_within("--friction", *frictions, std::numeric_limits<double>::infinity());
      command->restitutions =
          values_within("--restitution", *restitutions, command->solver_options().data.max_restitution);
      if (command->laws.empty()) command->laws = {text_of(Options{}.law)};
      command->given.set("law", command->laws.back());  // whose faults are named
      return run_sweep(*command);
    });
  });
}

}  // namespace carom::apps
