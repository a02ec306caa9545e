#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/exit_codes.hpp"
#include "cli/options/solve_options.hpp"
#include "cli/output/bad_rows.hpp"
#include "cli/output/exact_numbers.hpp"
#include "cli/output/interruption.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/report/solve_summary.hpp"
#include "result_sink.hpp"
#include "row_pipeline.hpp"
#include "run_log.hpp"
#include "share_reader.hpp"

namespace carom::apps {
namespace {

/// Few enough for the caches of a core to keep much of them.
constexpr std::size_t rows_of_stage_at_once = 16384;

/// Reuses the memory of a block for the next one. New pages from the system would take more than half of the time.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int largest = 1 << 25, kept = 1 << 30;  // the max that glibc accepts
  mallopt(M_MMAP_THRESHOLD, largest);
  mallopt(M_TRIM_THRESHOLD, kept);
  mallopt(M_ARENA_MAX, 1);  // for all threads; each arena would keep as much
#endif
}

/// Sums over the rows that have been solved.
struct Summary {
  RowCounts counts;
  Report report;
  std::size_t energy_gain_line = 0;
  double seconds = 0;
};

void add_gain(Summary& summary, double gain, std::size_t line) {
  double& largest = summary.report.max_energy_gain;
  if (gain > largest || (gain == largest && line < summary.energy_gain_line)) summary.energy_gain_line = line;
  largest = std::max(largest, gain);
}

void add_rows(Summary& summary, const Rows& rows) {
  summary.counts.add(*rows.contacts, rows.solved->results);
  const Report& report = rows.solved->report;
  if (report.max_energy_gain > 0)
    add_gain(summary, report.max_energy_gain, rows.table.line(report.max_energy_gain_contact));
  summary.report += report;
  summary.seconds += rows.solved->seconds;
}

nlohmann::json json_of(const Summary& summary) {
  return {{"counts", json_of(summary.counts)},
          {"energy_gain", exact_text(summary.report.max_energy_gain)},
          {"energy_gain_row", summary.energy_gain_line},
          {"seconds", summary.seconds}};
}

/// Adds the sums of another rank or of an earlier run. The time becomes the max of both.
void add(Summary& summary, const nlohmann::json& other) {
  add(summary.counts, other.at("counts"));
  add_gain(summary, exact_number(other.at("energy_gain")), other.at("energy_gain_row"));
  summary.seconds = std::max(summary.seconds, other.at("seconds").get<double>());
}

void print_summary(const SolveOptions& command, const io::Table& table, const Summary& summary, int ranks) {
  FILE* out = command.output == "-" ? stderr : stdout;
  const Report& report = summary.report;
  const io::Form form = io::form_of(table);
  fmt::print(out, "{}: {} contacts, {}, {}, {}\n", table.name(), summary.counts.rows, io::to_string(form),
             command.method_in_words(form), command.precision);
  if (const std::vector<std::string> unread = unread_columns(table, form, command.solver_options()); !unread.empty())
    fmt::print(out, "columns that the law does not read: {}\n", fmt::join(unread, ", "));
  print(out, summary.counts);
  print_speed(out, command.reference, report.isa, report.threads, summary.counts.rows, summary.seconds, ranks);
  if (report.max_energy_gain > 0)
    fmt::print(out, "largest energy gain {:.3g} J at {} {}\n", report.max_energy_gain, table.unit_of_line(),
               summary.energy_gain_line);
  else
    fmt::print(out, "no contact gained energy\n");
}

/// Everything that determines the bits of the results.
nlohmann::json description(const SolveOptions& command, io::TableReader& reader, Isa isa) {
  nlohmann::json of_results = texts_of_options(command.solver_options());
  of_results.update({{"version", version()},
                     {"--precision", command.precision},
                     {"--reference", command.reference},
                     {"--details", command.details},
                     {"--isa", to_string(isa)}});
  return {{"options", std::move(of_results)}, {"input", description_of(command.input, reader)}};
}

class Run {
 public:
  Run(const SolveOptions& command, Ranks& ranks)
      : command_(command),
        ranks_(ranks),
        to_hdf5_(io::is_hdf5_name(command.output)),
        is_resumable_(to_hdf5_ && io::is_hdf5(command.input)),
        bad_rows_(command, !ranks.is_first()) {
    reader_ = open(0);
    form_ = io::form_of(reader_->table());
    command.require_fit(reader_->table(), form_);
    if (!command.reference) solver_.emplace(command.execution());
  }

  int solve() {
    require_resumable();
    if (is_resumable_) take_interruptions();  // before the part exists: a run without rows removes it
    if (ranks_.is_first())
      output_.emplace(command_.output, command_.input,
                      is_resumable_ ? UnfinishedPart::is_kept : UnfinishedPart::is_removed);
    std::exception_ptr failure;
    bool is_complete = false;
    try {
      if (is_resumable_) begin_resumable();
      if (to_hdf5_) reader_->types();  // reads the CSV once, which must be done before the stages begin
      run_stages({[this](Rows& rows) { return read(rows); },
                  [this](Rows& rows) { rows.contacts.emplace(rows.table, form_, command_.read_options()); },
                  [this](Rows& rows) { solve(rows); }, [this](Rows& rows) { sink_->make(rows); },
                  [this](Rows& rows) { write(rows); }},
                 command_.threads);
      bar_.hide();
      if (interrupted == 0) is_complete = finish();
    } catch (...) {
      failure = std::current_exception();
    }
    if (is_complete) return tell();
    leave(failure);
  }

 private:
  std::unique_ptr<io::TableReader> open(std::size_t first_row) {
    return io::open_table(
        command_.input, [this](std::size_t done, std::size_t total) { done_ = done, total_ = total; }, first_row);
  }

  void require_resumable() const {
    if (command_.resume && !is_resumable_)
      throw Error("carom: --resume needs HDF5 files, as IN and as OUT; `carom convert` makes them");
    if (ranks_.are_many() && !is_resumable_)
      throw Error(
          "carom: " + std::to_string(ranks_.size()) +
          " ranks need HDF5 files, as IN and as OUT, where every row has its place; `carom convert` makes them");
  }

  void begin_resumable() {
    log_.emplace(command_.output, output_ ? &*output_ : nullptr, ranks_);
    bool is_resumed = false;
    if (ranks_.is_first()) {
      is_resumed = log_->open(description(command_, *reader_, solver_ ? solver_->isa() : Isa::scalar), command_.resume);
      for (const nlohmann::json& sums : log_->earlier()) take(sums);
      make_sink(output_->part(), is_resumed);
    }
    share_.emplace(command_.input,
                   log_->begin(sums(), shares(reader_->count(), log_->done(), rows_of_stage_at_once, ranks_.size())),
                   rows_of_stage_at_once);
    if (!ranks_.is_first()) make_sink(log_->part(), true);
  }

  void make_sink(const std::string& part, bool is_made) {
    reader_->read(0);
    Rows none;
    none.table = reader_->take();
    none.contacts.emplace(none.table, form_, command_.read_options());
    solve_rows(none);
    const io::ResultNumbers& results = none.solved->results;
    sink_ =
        hdf5_sink(part, io::result_columns(none.table, form_, results, command_.details), *reader_, results, is_made);
    if (ranks_.are_many()) sink_->sync();  // before another rank counts on it
  }

  nlohmann::json sums() const {
    nlohmann::json sums = json_of(summary_);
    sums.update({{"faults", bad_rows_.faults()}, {"bad_rows", bad_rows_.rows()}, {"lines", bad_rows_.kept_lines()}});
    return sums;
  }

  /// Adds what another rank or an earlier run has found.
  void take(const nlohmann::json& sums) {
    add(summary_, sums);
    bad_rows_.take(sums.at("faults"), sums.at("bad_rows"), sums.at("lines"));
  }

  void add_moment() {
    // A disk that has failed once may report success on the next attempt.
    is_sound_ = false;
    sink_->sync();
    is_sound_ = true;
    log_->add_moment(sums());
    since_moment_ = Stopwatch();
  }

  bool read(Rows& rows) {
    if (interrupted != 0) return false;
    return share_ ? share_->read(rows) : read_all(rows);
  }

  bool read_all(Rows& rows) {
    // An empty file passes the stages once: its header is written, and misuse is detected.
    const bool is_first = std::exchange(is_first_, false);
    if (!reader_->read(rows_of_stage_at_once) && !is_first) return false;
    rows.table = reader_->take();
    rows.first = next_;
    next_ += rows.table.rows();
    rows.done = done_;
    rows.total = total_;
    return true;
  }

  void solve_rows(Rows& rows) {
    const Options options = command_.solver_options();
    rows.solved =
        solver_ ? solve_on_lanes(*rows.contacts, *solver_, options) : solve_by_reference(*rows.contacts, options);
  }

  void solve(Rows& rows) {
    solve_rows(rows);
    if (sink_) return;
    const io::ResultNumbers& results = rows.solved->results;
    std::vector<io::ResultColumn> columns = io::result_columns(rows.table, form_, results, command_.details);
    sink_ = to_hdf5_ ? hdf5_sink(output_->part(), std::move(columns), *reader_, results, false)
                     : csv_sink(*output_, std::move(columns));
  }

  void write(Rows& rows) {
    sink_->write(rows);
    bar_.hide();
    bad_rows_.print(rows.table, *rows.contacts, rows.solved->results.status);
    add_rows(summary_, rows);
    written_ += rows.table.rows();
    if (ranks_.is_first()) bar_.show(rows.done, rows.total, written_);
    if (!log_) return;
    log_->add_rows(rows.first, rows.table.rows());
    if (since_moment_.seconds() >= command_.checkpoint) add_moment();
  }

  /// The sums of other ranks are added after the file has its name. The last snapshot before that has only the sums of
  /// rank 0.
  bool finish() {
    if (ranks_.are_many() && written_ > 0)
      add_moment();  // another rank may be killed before its sums arrive
    else if (sink_)
      sink_->sync();
    if (ranks_.are_many()) heard_ = ranks_.gather(text_of(sums()));
    if (output_) output_->finish();
    if (log_ && ranks_.is_first()) log_->remove();
    return true;
  }

  int tell() {
    if (!ranks_.is_first()) return exit_fine;
    for (std::size_t other = 1; other < heard_.size(); ++other) take(nlohmann::json::parse(heard_[other]));
    const std::size_t bad_rows = bad_rows_.finish(reader_->table());
    print_summary(command_, reader_->table(), summary_, ranks_.size());
    return bad_rows == 0 ? exit_fine : exit_bad_rows;
  }

  /// Ends a run that was interrupted.
  [[noreturn]] void leave(const std::exception_ptr& failure) {
    bar_.hide();
    if (log_) {
      const bool has_more = sink_ && written_ > 0 && is_sound_;
      const auto last_moment = [this, has_more] {
        if (has_more) add_moment();
      };
      if (!log_->leave(last_moment, reader_->count()) && output_) output_->discard();
    }
    if (interrupted == 0) std::rethrow_exception(failure);
    end_as_interrupted();
  }

  const SolveOptions& command_;
  Ranks& ranks_;
  const bool to_hdf5_, is_resumable_;
  ProgressBar bar_{"solving"};
  std::size_t done_ = 0, total_ = 0;
  std::unique_ptr<io::TableReader> reader_;
  io::Form form_{};
  std::optional<Solver> solver_;
  std::optional<OutputFile> output_;  // of rank 0
  std::optional<RunLog> log_;
  std::unique_ptr<ResultSink> sink_;
  bool is_first_ = true, is_sound_ = true;
  std::optional<ShareReader> share_;
  std::size_t next_ = 0, written_ = 0;  // rows
  Stopwatch since_moment_;
  BadRows bad_rows_;
  Summary summary_;
  std::vector<std::string> heard_;  // from all ranks, in the end
};

}  // namespace

int solve_contacts(const SolveOptions& command) {
  command.require_owned({single_contacts}, "single contacts, without --scene");
  command.require_valid(!command.reference);
  keep_memory();
  return Run(command, Ranks::world()).solve();
}

}  // namespace carom::apps
