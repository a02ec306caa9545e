#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/analysis/reading.hpp"
#include "cli/analysis/scene_reading.hpp"
#include "cli/analysis/scene_solving.hpp"
#include "cli/options/exit_codes.hpp"
#include "cli/options/solve_options.hpp"
#include "cli/output/bad_rows.hpp"
#include "cli/output/output_file.hpp"
#include "cli/ranks/ranks.hpp"
#include "cli/report/scene_report.hpp"
#include "cli/report/solve_summary.hpp"
#include "io/columns/scene_data.hpp"
#include "io/columns/table_reader.hpp"
#include "result_sink.hpp"
#include "scene_parts.hpp"

namespace carom::apps {
namespace {

/// The columns that the method reads.
io::ReadOptions read_options(const io::Table& table, const SolveOptions& options, const SceneOptions::Method& method) {
  io::ReadOptions read =
      std::holds_alternative<SequentialImpacts>(method) ? options.read_options() : options.read_options_without_laws();
  add_scene_columns(table, method, read);
  return read;
}

/// The scenes of a file, all at once or part by part.
class SceneRun {
 public:
  SceneRun(const SolveOptions& options, const SceneOptions& scene, Ranks& ranks)
      : options_(options),
        scene_(scene),
        ranks_(ranks),
        in_parts_(io::is_hdf5(options.input) && io::is_hdf5_name(options.output)),
        bad_rows_(options, !ranks.is_first()) {
    if (ranks.are_many() && !in_parts_)
      throw Error(
          "carom: " + std::to_string(ranks.size()) +
          " ranks need HDF5 files, as IN and as OUT, where every row has its place; `carom convert` makes them");
    if (!options.reference) solver_.emplace(options.execution());
  }

  int solve() {
    if (in_parts_)
      solve_parts();
    else
      solve_whole();
    bar_.hide();
    hear_others();
    if (!ranks_.is_first()) return exit_fine;
    output_->finish();
    const std::size_t bad_rows = bad_rows_.finish(header_);
    print();
    return bad_rows == 0 ? exit_fine : exit_bad_rows;
  }

 private:
  /// Throws Error if the table holds no scenes, or the options do not fit it.
  void require(const io::Table& table) const {
    require_scenes(table, "--scene", scene_.method);
    if (scene_.selected() == SceneMethod::sequential_impacts) options_.require_fit(table, io::Form::bodies);
  }

  void solve_whole() {
    Rows rows;
    rows.table = read_table(options_.input);
    rows_ = rows.table.rows();
    require(rows.table);
    if (io::is_hdf5_name(options_.output) && !std::filesystem::is_regular_file(options_.input))
      throw Error("carom: " + rows.table.name() +
                  " can't become HDF5, which needs the columns first: it is no file to read twice");
    output_.emplace(options_.output, options_.input);
    solve(rows);
    make_sink(rows, false);
    write(rows);
    header_ = std::move(rows.table);
  }

  void solve_parts() {
    reader_ = io::open_table(options_.input);
    require(reader_->table());
    if (ranks_.are_many() && reads_keys(reader_->table(), scene_.method))
      throw Error(
          "carom: " + options_.input +
          " has a column key, by which a scene begins with the impulses of the one before: one rank solves them");
    if (ranks_.is_first()) output_.emplace(options_.output, options_.input);
    Rows none;
    reader_->read(0);
    none.table = reader_->take();
    solve(none);
    if (ranks_.is_first()) make_sink(none, false);
    const std::vector<std::size_t> parts = share();
    if (!ranks_.is_first()) make_sink(none, true);
    rows_ = parts.back() - parts.front();
    if (rows_ > 0) reader_ = io::open_table(options_.input, {}, parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      ranks_.poll();
      Rows rows;
      rows.first = parts[i - 1];
      reader_->read(parts[i] - parts[i - 1]);
      rows.table = reader_->take();
      solve(rows);
      write(rows);
    }
    header_ = std::move(none.table);
  }

  /// Sends every rank the borders of its parts and the name of the output file.
  std::vector<std::size_t> share() {
    std::vector<std::string> texts;
    if (ranks_.is_first()) {
      const std::vector<std::size_t> borders = borders_of_scenes(options_.input);
      auto begin = borders.begin();
      for (int rank = 1; rank <= ranks_.size(); ++rank) {
        const std::size_t wanted =
            borders.back() / static_cast<std::size_t>(ranks_.size()) * static_cast<std::size_t>(rank);
        const auto last =
            rank == ranks_.size() ? std::prev(borders.end()) : std::lower_bound(begin, borders.end(), wanted);
        texts.push_back(
            nlohmann::json{{"part", bytes_of(part_)}, {"borders", std::vector<std::size_t>(begin, std::next(last))}}
                .dump());
        begin = last;
      }
    }
    const nlohmann::json own = nlohmann::json::parse(ranks_.scatter(texts));
    part_ = path_of(own.at("part"));
    return own.at("borders");
  }

  void solve(Rows& rows) {
    const io::ReadOptions read = read_options(rows.table, options_, scene_.method);
    rows.contacts.emplace(read_contacts(rows.table, io::Form::bodies, read));
    const io::SceneRows scenes(rows.table, *rows.contacts, reads_keys(rows.table, scene_.method));
    const OnScene on_scene = [&](const SolvedScene& solved) {
      scenes_.add(solved);
      solved_rows_ += solved.report.contacts;
      if (ranks_.is_first()) bar_.show(solved_rows_, rows_);
    };
    io::ResultNumbers results = solver_ ? solve_scenes_on_lanes(*rows.contacts, scenes, *solver_, scene_, on_scene)
                                        : solve_scenes_by_reference(*rows.contacts, scenes, scene_, on_scene);
    rows.solved.emplace(Solved{std::move(results), {}});
  }

  void make_sink(const Rows& rows, bool is_made) {
    const io::ResultNumbers& results = rows.solved->results;
    std::vector<io::ResultColumn> columns = io::result_columns(rows.table, io::Form::bodies, results, options_.details);
    if (!io::is_hdf5_name(options_.output)) {
      sink_ = csv_sink(*output_, std::move(columns));
      return;
    }
    if (!is_made) part_ = output_->part();
    sink_ = hdf5_sink(part_, std::move(columns), *io::open_table(options_.input), results, is_made);
    if (ranks_.are_many()) sink_->sync();  // before another rank counts on it
  }

  void write(const Rows& rows) {
    sink_->put(rows);
    bar_.hide();
    bad_rows_.print(rows.table, *rows.contacts, rows.solved->results.status);
    counts_.add(*rows.contacts, rows.solved->results);
  }

  /// Rank 0 adds the results of the other ranks. Their scenes follow its own.
  void hear_others() {
    if (!ranks_.are_many()) return;
    sink_->sync();
    const nlohmann::json own = {{"counts", json_of(counts_)},
                                {"faults", bad_rows_.faults()},
                                {"bad_rows", bad_rows_.rows()},
                                {"lines", bad_rows_.kept_lines()}};
    const std::vector<std::string> all = ranks_.gather(text_of(own)), scenes = ranks_.gather(scenes_.bytes());
    for (std::size_t other = 1; other < all.size(); ++other) {
      const nlohmann::json sums = nlohmann::json::parse(all[other]);
      add(counts_, sums.at("counts"));
      bad_rows_.take(sums.at("faults"), sums.at("bad_rows"), sums.at("lines"));
      scenes_.add(scenes[other]);
    }
  }

  void print() const {
    std::FILE* out = options_.output == "-" ? stderr : stdout;
    fmt::print(out, "{}: {} contacts in {} scene{}, {}, {}\n", header_.name(), counts_.rows, scenes_.scenes(),
               scenes_.scenes() == 1 ? "" : "s", to_string(scene_.selected()), options_.precision);
    if (const std::vector<std::string> unread = unread_columns(header_, scene_.method); !unread.empty())
      fmt::print(out, "columns that the method does not read: {}\n", fmt::join(unread, ", "));
    scenes_.print(out, scene_.selected());
    apps::print(out, counts_);
    print_speed(out, options_.reference, solver_ ? solver_->isa() : Isa::scalar, scenes_.threads(), counts_.rows,
                scenes_.seconds(), ranks_.size());
  }

  const SolveOptions& options_;
  const SceneOptions& scene_;
  Ranks& ranks_;
  const bool in_parts_;
  BadRows bad_rows_;
  std::optional<SceneSolver> solver_;
  std::unique_ptr<io::TableReader> reader_;
  std::optional<OutputFile> output_;  // of rank 0
  std::string part_;
  std::unique_ptr<ResultSink> sink_;
  io::Table header_;
  ProgressBar bar_{"solving"};
  SceneTable scenes_;
  RowCounts counts_;
  std::size_t rows_ = 0, solved_rows_ = 0;
};

}  // namespace

int solve_scenes(const SolveOptions& options) {
  const SceneOptions scene = options.scene_options();
  if (options.reference && scene.selected() == SceneMethod::ncp) throw Error("carom: --reference has no method ncp");
  if (options.resume) throw Error("carom: --resume is not for scenes, which are begun anew");
  options.require_valid(!options.reference);
  // Checks the options before a long file is read.
  SceneSolver({.threads = 1}).solve(Scene<double>{}, SceneResults<double>{}, scene);
  return SceneRun(options, scene, Ranks::world()).solve();
}

}  // namespace carom::apps
