#include <algorithm>
#include <carom/law_info.hpp>
#include <exception>
#include <memory>
#include <utility>

#include "cli/analysis/energy.hpp"
#include "cli/analysis/law_runs.hpp"
#include "cli/analysis/solving.hpp"
#include "cli/options/exit_codes.hpp"
#include "cli/options/sweep_options.hpp"
#include "cli/output/bad_rows.hpp"
#include "cli/output/interruption.hpp"
#include "cli/output/output_file.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/report/sweep_report.hpp"
#include "io/files/result_file.hpp"
#include "row_pipeline.hpp"
#include "share_reader.hpp"

namespace carom::apps {
namespace {

constexpr std::size_t rows_of_block = 16384;

std::vector<StudyPoint> points_of(const std::vector<Law>& laws, const SweepOptions& options) {
  const auto or_own = [](const std::vector<double>& values) {
    std::vector<std::optional<double>> all(values.begin(), values.end());
    if (all.empty()) all.emplace_back();
    return all;
  };
  std::vector<StudyPoint> points;
  for (const Law law : laws)
    for (const auto& friction : or_own(options.frictions))
      for (const auto& restitution : or_own(options.restitutions)) points.push_back({law, friction, restitution});
  return points;
}

/// Results that are written for every row at every point.
std::vector<io::ResultColumn> columns_of_sweep(const io::ResultNumbers& results, io::Form form, bool details) {
  const io::FormColumns& all = io::columns_of(form);
  std::vector<std::string> names = all.impulse_components;
  names.emplace_back("status");
  if (details) {
    names = all.results;
    names.insert(names.end(), results.on_demand.begin(), results.on_demand.end());
  }
  std::vector<io::ResultColumn> columns;
  for (std::string& name : names) {
    using Source = io::ResultColumn::Source;
    const Source source = name == "status" ? Source::status : name == "path" ? Source::path : Source::numbers;
    const std::size_t index = source == Source::numbers ? results.numbers.index_of(name) : 0;
    columns.push_back({std::move(name), source, index});
  }
  return columns;
}

/// The file of a study: datasets of its points, then all results at every point.
class SweepFile {
 public:
  SweepFile(const std::string& part, const std::vector<StudyPoint>& points, std::vector<io::ResultColumn> columns,
            const io::ResultNumbers& results, std::size_t rows, bool is_made)
      : columns_(std::move(columns)), in_file_(io::hdf5_columns(columns_, {}, results)), rows_(rows) {
    for (io::Hdf5Column& column : in_file_) column.extents = {points.size(), rows};
    std::vector<io::Hdf5Column> all = describe(points);
    all.insert(all.end(), in_file_.begin(), in_file_.end());
    writer_ = std::make_unique<io::Hdf5Writer>(is_made ? io::Hdf5Writer::reopened(part, all, rows)
                                                       : io::Hdf5Writer(part, all, rows));
    for (std::size_t i = 0; i < of_points_.size() && !is_made; ++i) writer_->write(i, 0, of_points_[i]);
  }

  void make(Rows& rows) const {
    rows.cells.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      rows.cells.push_back(
          io::result_cells(columns_[i], in_file_[i].type, rows.table, *rows.contacts, rows.solved->results));
  }
  void write(const Rows& rows) {
    for (std::size_t i = 0; i < rows.cells.size(); ++i)
      writer_->write(of_points_.size() + i, rows.point * rows_ + rows.first, rows.cells[i]);
  }
  void sync() { writer_->sync(); }

 private:
  std::vector<io::Hdf5Column> describe(const std::vector<StudyPoint>& points) {
    std::vector<std::string> laws;
    for (const LawInfo& info : all_laws()) laws.emplace_back(to_string(info.law));
    io::WordCells law{{}, std::make_shared<const std::vector<std::string>>(laws)};
    std::vector<double> friction, restitution;
    for (const StudyPoint& point : points) {
      const auto place = std::find(laws.begin(), laws.end(), to_string(point.law)) - laws.begin();
      law.codes.push_back(static_cast<std::uint8_t>(place));
      if (point.friction) friction.push_back(*point.friction);
      if (point.restitution) restitution.push_back(*point.restitution);
    }
    const std::vector<std::size_t> extents = {points.size()};
    std::vector<io::Hdf5Column> columns = {{"law", {io::ColumnType::word, 1, law.words}, extents}};
    of_points_.emplace_back(std::move(law));
    const auto add = [&](const char* name, std::vector<double>& values) {
      if (values.empty()) return;  // every row has its own
      columns.push_back({name, {io::ColumnType::float64, 1, nullptr}, extents});
      of_points_.emplace_back(std::move(values));
    };
    add("friction", friction);
    add("restitution", restitution);
    return columns;
  }

  std::vector<io::ResultColumn> columns_;
  std::vector<io::Hdf5Column> in_file_;
  std::vector<io::Cells> of_points_;
  std::size_t rows_;
  std::unique_ptr<io::Hdf5Writer> writer_;
};

std::vector<std::string> texts_of(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{}", value));
  return texts;
}

nlohmann::json description(const SweepOptions& options, io::TableReader& reader, Isa isa) {
  nlohmann::json of_results = texts_of_options(options.solver_options());
  of_results.update({{"version", version()},
                     {"--law", options.laws},
                     {"--friction", texts_of(options.frictions)},
                     {"--restitution", texts_of(options.restitutions)},
                     {"--precision", options.precision},
                     {"--details", options.details},
                     {"--isa", to_string(isa)}});
  return {{"options", std::move(of_results)}, {"input", description_of(options.input, reader)}};
}

class SweepRun {
 public:
  SweepRun(const SweepOptions& options, Ranks& ranks)
      : options_(options),
        ranks_(ranks),
        from_hdf5_(io::is_hdf5(options.input)),
        reader_(io::open_table(options.input,
                               [this](std::size_t done, std::size_t total) { done_ = done, total_ = total; })),
        form_(io::form_of(reader_->table())),
        points_(points_of(laws_by_name(options.laws, reader_->table(), form_).laws, options)),
        solver_(options.execution()),
        bad_rows_(options, !ranks.is_first()),
        sums_(points_.size()),
        sums_of_block_(points_.size()) {
    if (!options.output.empty() && !io::is_hdf5_name(options.output))
      throw Error("carom: " + options.output + " would be CSV, and a sweep is written as HDF5: OUT.h5");
    if (options.resume && (options.output.empty() || !from_hdf5_))
      throw Error("carom: --resume needs HDF5 files, as IN and as OUT; `carom convert` makes them");
    if (ranks.are_many() && !from_hdf5_)
      throw Error("carom: " + std::to_string(ranks.size()) +
                  " ranks need an HDF5 file, where every row has its place; `carom convert` makes it");
    if (from_hdf5_ || !options.output.empty()) rows_ = reader_->count();
  }

  int run() {
    const bool is_resumable = !options_.output.empty() && from_hdf5_;
    if (is_resumable) take_interruptions();  // before the part exists: a run without rows removes it
    if (!options_.output.empty() && ranks_.is_first())
      output_.emplace(options_.output, options_.input,
                      from_hdf5_ ? UnfinishedPart::is_kept : UnfinishedPart::is_removed);
    std::exception_ptr failure;
    bool is_complete = false;
    try {
      begin();
      run_stages({[this](Rows& rows) { return read(rows); }, [this](Rows& rows) { take_point(rows); },
                  [this](Rows& rows) { rows.solved = solve_on_lanes(*rows.contacts, solver_, options_of(rows)); },
                  [this](Rows& rows) {
                    if (file_) file_->make(rows);
                  },
                  [this](Rows& rows) { write(rows); }},
                 options_.threads);
      bar_.hide();
      if (interrupted == 0) is_complete = finish();
    } catch (...) {
      failure = std::current_exception();
    }
    if (is_complete) return tell();
    bar_.hide();
    if (log_) {
      const auto last_moment = [this] {
        if (written_ > 0 && is_sound_) add_moment();
      };
      if (!log_->leave(last_moment, rows_) && output_) output_->discard();
    }
    if (interrupted == 0) std::rethrow_exception(failure);
    end_as_interrupted();
  }

 private:
  void begin() {
    if (!from_hdf5_ && !output_) return;  // rows are counted as they come
    std::vector<RowRange> share =
        shares(rows_, {}, rows_of_block, ranks_.size())[static_cast<std::size_t>(ranks_.rank())];
    if (!options_.output.empty() && from_hdf5_) {
      log_.emplace(options_.output, output_ ? &*output_ : nullptr, ranks_);
      if (ranks_.is_first()) {
        const bool is_resumed = log_->open(description(options_, *reader_, solver_.isa()), options_.resume);
        for (const nlohmann::json& sums : log_->earlier()) take(sums);
        make_file(output_->part(), is_resumed);
      }
      share = log_->begin(sums(), shares(rows_, log_->done(), rows_of_block, ranks_.size()));
      if (!ranks_.is_first()) make_file(log_->part(), true);
    } else if (output_) {
      make_file(output_->part(), false);
    }
    share_.emplace(options_.input, std::move(share), rows_of_block);
  }

  void make_file(const std::string& part, bool is_made) {
    if (from_hdf5_) reader_->read(0);
    const io::ContactNumbers none(reader_->table(), form_, options_.read_options_without_laws());
    const io::ResultNumbers results(none);
    file_.emplace(part, points_, columns_of_sweep(results, form_, options_.details), results, rows_, is_made);
    if (ranks_.are_many()) file_->sync();  // before another rank counts on it
  }

  /// Reads a block once and passes it through the stages once per point.
  bool read(Rows& rows) {
    if (interrupted != 0) return false;
    if (point_ == points_.size()) point_ = 0;
    if (point_ == 0) {
      auto block = std::make_shared<Rows>();
      if (!(share_ ? share_->read(*block) : read_next(*block))) return false;
      block->contacts.emplace(block->table, form_, options_.read_options_without_laws());
      block_ = std::move(block);
    }
    rows.block = block_;
    rows.first = block_->first;
    rows.point = point_++;
    return true;
  }

  bool read_next(Rows& rows) {
    if (!reader_->read(rows_of_block)) return false;
    rows.table = reader_->take();
    rows.first = std::exchange(rows_, rows_ + rows.table.rows());
    rows.done = done_;
    rows.total = total_;
    return true;
  }

  void take_point(Rows& rows) const {
    const StudyPoint& point = points_[rows.point];
    rows.contacts = rows.block->contacts;
    if (point.friction) rows.contacts->fill("friction", *point.friction);
    if (point.restitution) rows.contacts->fill("restitution", *point.restitution);
  }

  Options options_of(const Rows& rows) const {
    Options options = options_.solver_options();
    options.law = points_[rows.point].law;
    return options;
  }

  void write(Rows& rows) {
    if (file_) file_->write(rows);
    PointSums& sums = sums_of_block_[rows.point];
    const io::ResultNumbers& results = rows.solved->results;
    for (std::size_t row = 0; row < rows.contacts->size(); ++row)
      ++sums.by_status[io::index_of_status(*rows.contacts, results, row)];
    sums.energy_loss = energy_loss(*rows.contacts, results);
    sums.max_energy_gain = rows.solved->report.max_energy_gain;
    if (rows.point + 1 == points_.size()) end_block(rows);
  }

  void end_block(const Rows& rows) {
    bar_.hide();
    const Rows& block = *rows.block;
    bad_rows_.print(block.table, *rows.contacts, rows.solved->results.status);
    for (std::size_t point = 0; point < points_.size(); ++point) {
      sums_[point].add(sums_of_block_[point]);
      sums_of_block_[point] = {};
    }
    written_ += block.table.rows();
    if (ranks_.is_first()) bar_.show(block.done, block.total, written_ * points_.size());
    if (!log_) return;
    log_->add_rows(block.first, block.table.rows());
    if (since_moment_.seconds() >= options_.checkpoint) add_moment();
  }

  nlohmann::json sums() const {
    return {{"points", sums_},
            {"faults", bad_rows_.faults()},
            {"bad_rows", bad_rows_.rows()},
            {"lines", bad_rows_.kept_lines()}};
  }

  /// Adds what another rank or an earlier run has found.
  void take(const nlohmann::json& sums) {
    for (std::size_t point = 0; point < points_.size(); ++point)
      sums_[point].add(sums.at("points").at(point).get<PointSums>());
    bad_rows_.take(sums.at("faults"), sums.at("bad_rows"), sums.at("lines"));
  }

  void add_moment() {
    // A disk that has failed once may report success on the next attempt.
    is_sound_ = false;
    file_->sync();
    is_sound_ = true;
    log_->add_moment(sums());
    since_moment_ = Stopwatch();
  }

  /// The sums of other ranks are added after the file has its name. The last snapshot before that has only the sums of
  /// rank 0.
  bool finish() {
    if (log_ && ranks_.are_many() && written_ > 0)
      add_moment();  // another rank may be killed before its sums arrive
    else if (file_)
      file_->sync();
    if (ranks_.are_many()) heard_ = ranks_.gather(text_of(sums()));
    if (output_) output_->finish();
    if (log_ && ranks_.is_first()) log_->remove();
    return true;
  }

  int tell() {
    if (!ranks_.is_first()) return exit_fine;
    for (std::size_t other = 1; other < heard_.size(); ++other) take(nlohmann::json::parse(heard_[other]));
    bad_rows_.finish(reader_->table());
    const SweepReport report{reader_->table().name(), form_, rows_, points_, sums_};
    if (options_.as_json)
      print_json(report, options_);
    else
      print_text(report, options_);
    const auto is_bad = [](const PointSums& sums) { return sums.bad() > 0; };
    return std::any_of(sums_.begin(), sums_.end(), is_bad) ? exit_bad_rows : exit_fine;
  }

  const SweepOptions& options_;
  Ranks& ranks_;
  const bool from_hdf5_;
  ProgressBar bar_{"solving"};
  std::size_t done_ = 0, total_ = 0;  // of CSV [bytes]
  std::unique_ptr<io::TableReader> reader_;
  io::Form form_;
  std::vector<StudyPoint> points_;
  Solver solver_;
  BadRows bad_rows_;
  std::vector<PointSums> sums_, sums_of_block_;  // sums_of_block_: of the block that has not reached the last point
  std::size_t rows_ = 0, written_ = 0, point_ = 0;
  std::optional<OutputFile> output_;  // of rank 0
  std::optional<RunLog> log_;
  std::optional<SweepFile> file_;
  std::optional<ShareReader> share_;
  std::shared_ptr<const Rows> block_;
  bool is_sound_ = true;
  Stopwatch since_moment_;
  std::vector<std::string> heard_;  // from all ranks, in the end
};

}  // namespace

int run_sweep(const SweepOptions& options) {
  options.require_valid();
  return SweepRun(options, Ranks::world()).run();
}

}  // namespace carom::apps
