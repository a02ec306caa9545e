#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/analysis/reading.hpp"
#include "cli/analysis/scene_reading.hpp"
#include "cli/output/output_file.hpp"
#include "commands.hpp"
#include "io/columns/scene_data.hpp"
#include "io/fclib/fclib.hpp"
#include "io/fclib/scene_system.hpp"

namespace carom::apps {
namespace {

struct ExportCommand {
  bool fclib = false;
  std::string input, output;
  double step = 0;
};

constexpr const char* export_footer =
    R"(--fclib writes the contacts of one scene_step as a local problem of FCLIB, u = W r + q with friction: the one
that 'carom solve --scene --method ncp' solves. Contacts stand in the order of the file; those with faulty data are
left out. 'carom solve OUT' solves it, as other codes do.

Examples:
  carom export --fclib scenes.csv --step 3 -o problem.hdf5
  carom solve problem.hdf5 -o solved.hdf5

Exit code: 0 all is well; 1 some contacts are left out; 2 wrong usage, or a file that can't be read or written.)";

const io::SceneOfRows& scene_of(const io::SceneRows& rows, const ExportCommand& command, const CLI::Option& step) {
  const std::vector<io::SceneOfRows>& scenes = rows.scenes();
  if (step.count() == 0) {
    if (scenes.size() == 1) return scenes.front();
    throw Error(
        fmt::format("carom: {} has {} scenes, and --step tells which one is exported", command.input, scenes.size()));
  }
  const auto found = std::find_if(scenes.begin(), scenes.end(),
                                  [&](const io::SceneOfRows& scene) { return scene.step == command.step; });
  if (found == scenes.end())
    throw Error(fmt::format("carom: {} has no row with scene_step {}", command.input, command.step));
  return *found;
}

/// Returns the contact system of a scene. Throws Error if no contact has sound data.
io::SceneSystem system_of(const io::SceneData<double>& data, const std::string& name, double step) {
  io::SceneSystem system = io::system_of(data.scene(), SceneOptions{});
  if (system.contact.empty())
    throw Error(
        fmt::format("carom: {}: no contact of scene_step {} has sound data, so that there is no system", name, step));
  return system;
}

int run(const ExportCommand& command, const CLI::Option& step) {
  if (!command.fclib) throw Error("carom: export needs --fclib, the layout to write");
  const io::Table table = read_table(command.input);
  require_scenes(table, "export --fclib", Ncp{});
  OutputFile output(command.output, command.input);
  io::ReadOptions read;
  read.own_laws = false;
  add_scene_columns(table, Ncp{}, read);
  io::ContactNumbers contacts = read_contacts(table, io::Form::bodies, read);
  const io::SceneRows rows(table, contacts, false);
  const io::SceneOfRows& scene = scene_of(rows, command, step);
  io::ResultNumbers results(contacts);
  io::SceneData<double> data(contacts, rows, false, results);
  data.load(scene);
  const io::SceneSystem system = system_of(data, table.name(), scene.step);
  output.stream() << io::new_fclib(
      system, command.output, fmt::format("scene_step {} of {}, by carom {}", scene.step, table.name(), version()));
  output.finish();
  const std::size_t left_out = scene.rows.size() - system.contacts();
  std::FILE* out = command.output == "-" ? stderr : stdout;
  fmt::print(out, "{}: scene_step {}: {} contacts, {} blocks of W", table.name(), scene.step, system.contacts(),
             system.block.size());
  if (left_out > 0)
    fmt::print(out, "; {} with faulty data {} left out",
               left_out == 1 ? "1 contact" : fmt::format("{} contacts", left_out), left_out == 1 ? "is" : "are");
  const std::size_t unreadable = contacts.faults().size();
  if (unreadable > 0)
    fmt::print(out, "; {} that can't be read",
               unreadable == 1 ? "the file has 1 cell" : fmt::format("the file has {} cells", unreadable));
  fmt::print(out, "\n");
  for (const io::ContactNumbers::Fault& fault : contacts.faults())
    fmt::print(stderr, "carom: {}{}\n", table.place(fault.row), fault.message);
  return left_out == 0 && contacts.faults().empty() ? exit_fine : exit_bad_rows;
}

}  // namespace

void add_export_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<ExportCommand>();
  CLI::App* sub = app.add_subcommand("export", "Write a scene of a contact file as a contact system");
  sub->add_option("FILE", command->input, "Contact file with scenes; - is standard input")
      ->option_text("REQUIRED")
      ->required();
  sub->add_flag("--fclib", command->fclib, "As a local problem of FCLIB, in HDF5");
  CLI::Option* step =
      sub->add_option("--step", command->step, "The scene_step; needed if the file has several")->option_text("K");
  sub->add_option("-o,--output", command->output, "File to write")->option_text("OUT REQUIRED")->required();
  sub->footer(export_footer);
  sub->callback([command, step, &exit_code] { exit_code = run(*command, *step); });
}

}  // namespace carom::apps
