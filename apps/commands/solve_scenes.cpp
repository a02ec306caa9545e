#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "analysis/reading.hpp"
#include "analysis/scene_reading.hpp"
#include "analysis/scene_solving.hpp"
#include "commands/commands.hpp"
#include "commands/output_file.hpp"
#include "commands/solve_options.hpp"
#include "io/result_file.hpp"
#include "io/scene_data.hpp"
#include "io/table_reader.hpp"
#include "report/bad_rows.hpp"
#include "report/scene_report.hpp"
#include "report/solve_summary.hpp"

namespace carom::apps {
namespace {

SceneOptions scene_options(const SolveOptions& options) {
  SceneOptions scene;
  scene.method = scene_method_from_string(options.method);
  scene.collision = options.solver_options();
  if (options.iterations)
    scene.simultaneous.iterations = scene.iteration.iterations = scene.resting.iterations = scene.sequence.impacts =
        *options.iterations;
  scene.relative_tolerance = options.relative_tolerance;
  scene.resting.time_step = scene.substeps.time_step = options.time_step.value_or(0);
  scene.coulomb.tolerance = options.tolerance.value_or(scene.coulomb.tolerance);
  scene.coulomb.budget = options.budget.value_or(scene.coulomb.budget);
  scene.coulomb.largest_island = options.largest_island.value_or(scene.coulomb.largest_island);
  scene.coulomb.after_sweeps = options.after_sweeps;
  if (options.substeps) scene.substeps.least = scene.substeps.most = *options.substeps;
  return scene;
}

bool reads_keys(SceneMethod method) {
  return method == SceneMethod::simultaneous || method == SceneMethod::substeps || method == SceneMethod::coulomb;
}

/// Throws Error if the options do not fit each other.
void require_fit(const SolveOptions& options, SceneMethod method) {
  if (method != SceneMethod::sequence && !options.given_of_laws.empty())
    throw Error("carom: " + options.given_of_laws.front() + " needs --method sequence; " + options.method +
                " has no collision law");
  if (reads_gap(method) && !options.time_step)
    throw Error("carom: --method " + options.method +
                (method == SceneMethod::substeps
                     ? " needs --time-step, the step [s] that it divides"
                     : " needs --time-step, the step [s] after which no bodies shall overlap"));
  if (!reads_gap(method) && options.time_step)
    throw Error("carom: --time-step needs --method resting, step or substeps; " + options.method +
                " has no use for it");
  if (method != SceneMethod::substeps && options.substeps)
    throw Error("carom: --substeps needs --method substeps; " + options.method + " has no use for it");
  if (method == SceneMethod::substeps && options.iterations)
    throw Error("carom: --iterations is not of --method substeps, which has --substeps");
  for (const auto& [name, given] : {std::pair{"--tolerance", options.tolerance}, {"--budget", options.budget}})
    if (method != SceneMethod::coulomb && given)
      throw Error(fmt::format("carom: {} needs --method coulomb; {} has no use for it", name, options.method));
  const bool mixes = options.largest_island || options.after_sweeps;
  if (method != SceneMethod::coulomb && mixes)
    throw Error(fmt::format("carom: {} needs --method coulomb; {} has no use for it",
                            options.largest_island ? "--largest-island" : "--after-sweeps", options.method));
  if (method == SceneMethod::coulomb && options.iterations && !mixes)
    throw Error(
        "carom: --iterations is not of --method coulomb, which has --budget, but with --largest-island or "
        "--after-sweeps");
  if (method == SceneMethod::coulomb && options.reference) throw Error("carom: --reference has no method coulomb");
}

/// The columns that the method reads.
io::ReadOptions read_options(const io::Table& table, const SolveOptions& options, SceneMethod method) {
  io::ReadOptions read = method == SceneMethod::sequence ? options.read_options() : options.read_options_without_laws();
  add_scene_columns(table, method, read);
  return read;
}

void write(OutputFile& output, const SolveOptions& options, const io::Table& table, const io::ContactNumbers& contacts,
           const io::ResultNumbers& results) {
  if (!io::is_hdf5_name(options.output))
    return io::write_results(output.stream(), table, contacts, results, options.details);
  const std::vector<io::ResultColumn> columns = io::result_columns(table, io::Form::bodies, results, options.details);
  const auto reader = io::open_table(options.input);
  const std::vector<io::Hdf5Column> in_file = io::hdf5_columns(columns, reader->types(), results);
  io::Hdf5Writer writer(output.part(), in_file, table.rows());
  for (std::size_t i = 0; i < columns.size(); ++i)
    writer.write(i, 0, io::result_cells(columns[i], in_file[i].type, table, contacts, results));
}

}  // namespace

int solve_scenes(const SolveOptions& options) {
  const SceneOptions scene = scene_options(options);
  require_fit(options, scene.method);
  if (io::is_hdf5_name(options.output) && !std::filesystem::is_regular_file(options.input))
    throw Error("carom: " + options.input +
                " can't become HDF5, which needs the columns first: it is no file to read twice");
  if (options.resume) throw Error("carom: --resume is not for scenes, which are written when all are solved");
  options.require_valid(!options.reference);
  const io::Table table = read_table(options.input);
  require_scenes(table, "--scene");
  if (scene.method == SceneMethod::sequence) options.require_fit(table, io::Form::bodies);
  OutputFile output(options.output, options.input);

  io::ContactNumbers contacts = read_contacts(table, io::Form::bodies, read_options(table, options, scene.method));
  const io::SceneRows rows(table, contacts, reads_keys(scene.method));
  std::optional<SceneSolver> solver;
  if (!options.reference) solver.emplace(options.execution());
  SceneTable scenes;
  std::size_t solved_rows = 0;
  ProgressBar bar("solving");
  const OnScene on_scene = [&](const SolvedScene& solved) {
    scenes.add(solved);
    solved_rows += solved.report.contacts;
    bar.show(solved_rows, contacts.size());
  };
  const io::ResultNumbers results = solver ? solve_scenes_on_lanes(contacts, rows, *solver, scene, on_scene)
                                           : solve_scenes_by_reference(contacts, rows, scene, on_scene);
  bar.hide();
  write(output, options, table, contacts, results);
  output.finish();
  const std::size_t bad_rows = print_bad_rows(table, contacts, results.status, options);

  std::FILE* out = options.output == "-" ? stderr : stdout;
  fmt::print(out, "{}: {} contacts in {} scene{}, {}, {}\n", table.name(), contacts.size(), scenes.scenes(),
             scenes.scenes() == 1 ? "" : "s", options.method, options.precision);
  scenes.print(out, scene.method);
  RowCounts counts;
  counts.add(contacts, results);
  print(out, counts);
  print_speed(out, options.reference, solver ? solver->isa() : Isa::scalar, scenes.threads(), contacts.size(),
              scenes.seconds());
  return bad_rows == 0 ? exit_fine : exit_bad_rows;
}

}  // namespace carom::apps
