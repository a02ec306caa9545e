#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/analysis/reading.hpp"
#include "cli/analysis/scene_reading.hpp"
#include "cli/analysis/scene_solving.hpp"
#include "cli/options/exit_codes.hpp"
#include "cli/options/solve_options.hpp"
#include "cli/report/scene_report.hpp"
#include "cli/report/solve_summary.hpp"
#include "io/columns/scene_data.hpp"
#include "row_run.hpp"
#include "scene_parts.hpp"

namespace carom::apps {
namespace {

/// The scenes of a file, part by part between HDF5 files and otherwise all at once.
class SceneRun final : public RowRun {
 public:
  SceneRun(const SolveOptions& options, const SceneOptions& scene, Ranks& ranks)
      : RowRun(options,
               {.rows_at_once = std::numeric_limits<std::size_t>::max(), .is_pipelined = false, .is_resumable = false},
               ranks),
        options_(options),
        scene_(scene) {
    require_hdf5();
    form_ = io::Form::bodies;
    const io::Table& table = reader_->table();
    require_scenes(table, "--scene", scene_.method);
    if (scene_.selected() == SceneMethod::sequential_impacts) options_.require_fit(table, form_);
    if (to_hdf5_ && !std::filesystem::is_regular_file(options_.input))
      throw Error("carom: " + table.name() +
                  " can't become HDF5, which needs the columns first: it is no file to read twice");
    if (ranks_.are_many() && reads_keys(table, scene_.method))
      throw Error(
          "carom: " + options_.input +
          " has a column key, by which a scene begins with the impulses of the one before: one rank solves them");
    if (!options.reference) solver_.emplace(options.execution());
  }

 private:
  /// Ranges of whole scenes.
  std::vector<std::vector<RowRange>> shares_of_ranks(const std::vector<RowRange>&) override {
    const std::vector<std::size_t> borders = borders_of_scenes(options_.input);
    const auto ranks = static_cast<std::size_t>(ranks_.size());
    std::vector<std::vector<RowRange>> all(ranks);
    std::size_t i = 1;
    for (std::size_t rank = 1; rank <= ranks; ++rank)
      for (const std::size_t wanted = borders.back() / ranks * rank;
           i < borders.size() && (rank == ranks || borders[i - 1] < wanted); ++i)
        all[rank - 1].push_back({borders[i - 1], borders[i]});
    return all;
  }

  void prepare(Block& block) override { rows_ = in_shares_ ? block.total : block.table.rows(); }
  void understand(Rows& rows) const override {
    io::ReadOptions read = scene_.selected() == SceneMethod::sequential_impacts ? options_.read_options()
                                                                                : options_.read_options_without_laws();
    add_scene_columns(rows.table(), scene_.method, read);
    rows.contacts.emplace(read_contacts(rows.table(), form_, read));
  }
  void solve(Rows& rows) override {
    const io::SceneRows scenes(rows.table(), *rows.contacts, reads_keys(rows.table(), scene_.method));
    const OnScene on_scene = [&](const SolvedScene& solved) {
      scenes_.add(solved);
      solved_rows_ += solved.report.contacts;
      if (ranks_.is_first()) bar_.show(solved_rows_, rows_);
    };
    io::ResultNumbers results = solver_ ? solve_scenes_on_lanes(*rows.contacts, scenes, *solver_, scene_, on_scene)
                                        : solve_scenes_by_reference(*rows.contacts, scenes, scene_, on_scene);
    rows.solved.emplace(Solved{std::move(results), {}});
  }
  void add(const Rows& rows) override { counts_.add(*rows.contacts, rows.solved->results); }

  nlohmann::json sums() const override {
    nlohmann::json sums = RowRun::sums();
    sums.update({{"counts", json_of(counts_)}, {"scenes", json_of_bytes(scenes_.bytes())}});
    return sums;
  }
  /// Scenes of another rank follow the scenes of this one.
  void take(const nlohmann::json& sums) override {
    apps::add(counts_, sums.at("counts"));
    scenes_.add(bytes_of(sums.at("scenes")));
    RowRun::take(sums);
  }
  int report() override {
    const io::Table& table = reader_->table();
    const std::size_t bad_rows = bad_rows_.finish(table);
    std::FILE* out = options_.output == "-" ? stderr : stdout;
    fmt::print(out, "{}: {} contacts in {} scene{}, {}, {}\n", table.name(), counts_.rows, scenes_.scenes(),
               scenes_.scenes() == 1 ? "" : "s", to_string(scene_.selected()), options_.precision);
    if (const std::vector<std::string> unread = unread_columns(table, scene_.method); !unread.empty())
      fmt::print(out, "columns that the method does not read: {}\n", fmt::join(unread, ", "));
    scenes_.print(out, scene_.selected());
    print(out, counts_);
    print_speed(out, options_.reference, solver_ ? solver_->isa() : Isa::scalar, scenes_.threads(), counts_.rows,
                scenes_.seconds(), ranks_.size());
    return bad_rows == 0 ? exit_fine : exit_bad_rows;
  }

  const SolveOptions& options_;
  const SceneOptions& scene_;
  std::optional<SceneSolver> solver_;
  SceneTable scenes_;
  RowCounts counts_;
  std::size_t rows_ = 0, solved_rows_ = 0;  // to solve and solved, for the bar
};

}  // namespace

int solve_scenes(const SolveOptions& options) {
  const SceneOptions scene = options.scene_options();
  if (options.reference && scene.selected() == SceneMethod::ncp) throw Error("carom: --reference has no method ncp");
  if (options.resume) throw Error("carom: --resume is not for scenes, which are begun anew");
  options.require_valid(!options.reference);
  // Checks the options before a long file is read.
  SceneSolver({.threads = 1}).solve(Scene<double>{}, SceneResults<double>{}, scene);
  return SceneRun(options, scene, Ranks::world()).run();
}

}  // namespace carom::apps
