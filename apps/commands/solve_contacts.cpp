#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "commands/commands.hpp"
#include "commands/journal.hpp"
#include "commands/result_sink.hpp"
#include "commands/row_pipeline.hpp"
#include "commands/solve_options.hpp"
#include "report/bad_rows.hpp"
#include "report/progress_bar.hpp"
#include "report/solve_summary.hpp"

namespace carom::apps {
namespace {

/// Few enough for the caches of a core to keep much of them.
constexpr std::size_t rows_of_stage_at_once = 16384;

/// Memory of a block serves the next one, which would else get new pages from the system at more than half of the cost.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int largest = 1 << 25, kept = 1 << 30;  // the largest that glibc takes
  mallopt(M_MMAP_THRESHOLD, largest);
  mallopt(M_TRIM_THRESHOLD, kept);
  mallopt(M_ARENA_MAX, 1);  // for all threads, each of which would else keep as much
#endif
}

std::atomic<int> interrupted{0};

extern "C" void note_interruption(int signal) {
  interrupted = signal;
}

/// Sums over the rows that have been solved.
struct Summary {
  RowCounts counts;
  Report report;
  std::size_t energy_gain_line = 0;
  double seconds = 0;
};

void add_rows(Summary& summary, const Rows& rows) {
  summary.counts.add(*rows.contacts, rows.solved->results);
  const Report& report = rows.solved->report;
  if (report.largest_energy_gain > summary.report.largest_energy_gain)
    summary.energy_gain_line = rows.table.line(report.largest_energy_gain_contact);
  summary.report += report;
  summary.seconds += rows.solved->seconds;
}

void print_summary(const SolveOptions& command, const io::Table& table, const Summary& summary) {
  FILE* out = command.output == "-" ? stderr : stdout;
  const Report& report = summary.report;
  const io::Form form = io::form_of(table);
  fmt::print(out, "{}: {} contacts, {}, {}, {}\n", table.name(), summary.counts.rows, io::to_string(form),
             command.method_in_words(form), command.precision);
  print(out, summary.counts);
  print_speed(out, command.reference, report.isa, report.threads, summary.counts.rows, summary.seconds);
  if (report.largest_energy_gain > 0)
    fmt::print(out, "largest energy gain {:.3g} J at {} {}\n", report.largest_energy_gain, table.unit_of_line(),
               summary.energy_gain_line);
  else
    fmt::print(out, "no contact gained energy\n");
}

/// The description of a run has all that the bits of the results depend on.
nlohmann::json description(const SolveOptions& command, io::TableReader& reader, Isa isa) {
  const std::filesystem::path input(command.input);
  nlohmann::json types = nlohmann::json::array();
  for (const io::ColumnType& type : reader.types()) types.push_back({type.kind, type.width});
  return {{"options",
           {{"version", version()},
            {"--law", command.law},
            {"--integrator", command.integrator},
            {"--restitution", command.restitution},
            {"--largest-restitution", command.largest_restitution},
            {"--steps", command.steps.value_or(0)},
            {"--precision", command.precision},
            {"--reference", command.reference},
            {"--details", command.details},
            {"--isa", to_string(isa)}}},
          {"input",
           {{"size", std::filesystem::file_size(input)},
            {"time", std::filesystem::last_write_time(input).time_since_epoch().count()},
            {"rows", reader.count()},
            {"columns", reader.table().header()},
            {"types", types}}}};
}

/// Throws Error if the journal is of another run.
void require_same_run(const SolveOptions& command, const nlohmann::json& before, const nlohmann::json& now) {
  const auto refuse = [&](const std::string& why) {
    throw Error("carom: --resume: " + command.output + ".part was begun with " + why + "; remove it and " +
                command.output + ".journal to begin anew");
  };
  const auto was = [&](const char* part, const std::string& name) {
    return before.value(part, nlohmann::json::object()).value(name, nlohmann::json());
  };
  for (const auto& [name, value] : now["options"].items())
    if (const auto old = was("options", name); old != value)
      refuse("other options: " + name + " was " + old.dump() + " and is " + value.dump());
  for (const auto& [name, value] : now["input"].items())
    if (was("input", name) != value) refuse("another input: its " + name + " was another");
}

class Run {
 public:
  explicit Run(const SolveOptions& command)
      : command_(command),
        to_hdf5_(io::is_hdf5_name(command.output)),
        is_resumable_(to_hdf5_ && io::is_hdf5(command.input)),
        bad_rows_(command) {
    reader_ = open(0);
    form_ = io::form_of(reader_->table());
    command.require_fit(reader_->table(), form_);
    if (!command.reference) solver_.emplace(command.execution());
  }

  int solve() {
    require_resumable();
    output_.emplace(command_.output, command_.input,
                    is_resumable_ ? UnfinishedPart::is_kept : UnfinishedPart::is_removed);
    if (is_resumable_) open_journal();
    if (to_hdf5_) reader_->types();  // CSV is read for them, which must be over before the stages begin
    std::exception_ptr failure;
    try {
      run_stages({[this](Rows& rows) { return read(rows); },
                  [this](Rows& rows) { rows.contacts.emplace(rows.table, form_, command_.read_options()); },
                  [this](Rows& rows) { solve(rows); }, [this](Rows& rows) { sink_->make(rows); },
                  [this](Rows& rows) { write(rows); }},
                 command_.threads);
    } catch (...) {
      failure = std::current_exception();
    }
    bar_.hide();
    if (failure || interrupted != 0) leave(failure);
    if (sink_) sink_->sync();
    output_->finish();
    if (journal_) journal_->remove();
    const std::size_t bad_rows = bad_rows_.finish(reader_->table());
    print_summary(command_, reader_->table(), summary_);
    return bad_rows == 0 ? exit_fine : exit_bad_rows;
  }

 private:
  std::unique_ptr<io::TableReader> open(std::size_t first_row) {
    return io::open_table(
        command_.input, [this](std::size_t done, std::size_t total) { done_ = done, total_ = total; }, first_row);
  }

  void require_resumable() const {
    if (command_.resume && !is_resumable_)
      throw Error("carom: --resume needs HDF5 files, as IN and as OUT; `carom convert` makes them");
  }

  void open_journal() {
    journal_.emplace(output_->place());
    const nlohmann::json now = description(command_, *reader_, solver_ ? solver_->isa() : Isa::scalar);
    const nlohmann::json& moment = journal_->moment();
    // A run that ended between the names of its file and of its journal has left no part.
    if (moment.is_null() || std::filesystem::file_size(output_->part()) == 0) return journal_->begin(now);
    if (!command_.resume)
      throw Error(
          fmt::format("carom: {0}.part has {1} rows of an earlier run: --resume goes on with it; remove it and "
                      "{0}.journal to begin anew",
                      command_.output, moment["rows"].get<std::size_t>()));
    require_same_run(command_, journal_->run(), now);
    restore(moment);
  }

  void restore(const nlohmann::json& moment) {
    is_resumed_ = true;
    next_ = written_ = skipped_ = moment["rows"];
    summary_.counts.rows = next_;
    summary_.counts.by_law = moment["laws"];
    summary_.counts.by_status = moment["statuses"];
    summary_.counts.by_path = moment["paths"];
    summary_.report.largest_energy_gain = moment["energy_gain"];
    summary_.energy_gain_line = moment["energy_gain_row"];
    summary_.seconds = moment["seconds"];
    bad_rows_.restore(moment["faults"], moment["bad_rows"]);
    reader_ = open(next_);
  }

  void add_moment() {
    // A disk that has refused once may claim success when it is asked again.
    is_sound_ = false;
    sink_->sync();
    is_sound_ = true;
    journal_->add({{"rows", written_},
                   {"laws", summary_.counts.by_law},
                   {"statuses", summary_.counts.by_status},
                   {"paths", summary_.counts.by_path},
                   {"energy_gain", summary_.report.largest_energy_gain},
                   {"energy_gain_row", summary_.energy_gain_line},
                   {"seconds", summary_.seconds},
                   {"faults", bad_rows_.faults()},
                   {"bad_rows", bad_rows_.rows()}});
    since_moment_ = Stopwatch();
  }

  bool read(Rows& rows) {
    if (interrupted != 0) return false;
    // An empty file goes through the stages once: it has a header to write, and misuse is found in it too.
    const bool is_first = std::exchange(is_first_, false);
    if (!reader_->read(rows_of_stage_at_once) && !is_first) return false;
    rows.table = reader_->take();
    rows.first = next_;
    rows.done = done_;
    rows.total = total_;
    next_ += rows.table.rows();
    return true;
  }

  void solve(Rows& rows) {
    const Options options = command_.solver_options();
    rows.solved =
        solver_ ? solve_on_lanes(*rows.contacts, *solver_, options) : solve_by_reference(*rows.contacts, options);
    if (sink_) return;
    const io::ResultNumbers& results = rows.solved->results;
    std::vector<io::ResultColumn> columns = io::result_columns(rows.table, form_, results, command_.details);
    sink_ = to_hdf5_ ? hdf5_sink(*output_, std::move(columns), *reader_, results, is_resumed_)
                     : csv_sink(*output_, std::move(columns));
    if (journal_) take_interruptions();
  }

  void write(Rows& rows) {
    sink_->write(rows);
    bar_.hide();
    bad_rows_.print(rows.table, *rows.contacts, rows.solved->results.status);
    add_rows(summary_, rows);
    written_ += rows.table.rows();
    bar_.show(rows.done, rows.total, written_ - skipped_);
    if (journal_ && since_moment_.seconds() >= command_.checkpoint) add_moment();
  }

  /// From now on an interruption leaves time for a last moment.
  static void take_interruptions() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      if (std::signal(signal, note_interruption) == SIG_IGN) std::signal(signal, SIG_IGN);
  }

  /// Ends a run that did not come to its end.
  [[noreturn]] void leave(const std::exception_ptr& failure) {
    if (journal_ && sink_ && written_ > 0 && is_sound_) {
      try {
        add_moment();
      } catch (const Error&) {
        // The last moment stands.
      }
    }
    const bool is_kept = journal_ && !journal_->moment().is_null();
    if (is_kept)
      fmt::print(stderr, "carom: {}.part has {} of {} rows: --resume goes on with it\n", command_.output,
                 journal_->moment()["rows"].get<std::size_t>(), reader_->count());
    else
      output_->discard();
    if (!is_kept && journal_) journal_->remove();
    if (failure) std::rethrow_exception(failure);
    std::signal(interrupted, SIG_DFL);
    std::raise(interrupted);
    std::abort();
  }

  const SolveOptions& command_;
  const bool to_hdf5_, is_resumable_;
  ProgressBar bar_{"solving"};
  std::size_t done_ = 0, total_ = 0;
  std::unique_ptr<io::TableReader> reader_;
  io::Form form_{};
  std::optional<Solver> solver_;
  std::optional<OutputFile> output_;
  std::optional<Journal> journal_;
  std::unique_ptr<ResultSink> sink_;
  bool is_resumed_ = false, is_first_ = true, is_sound_ = true;
  std::size_t next_ = 0, written_ = 0, skipped_ = 0;  // rows that were read, written, and written by earlier runs
  Stopwatch since_moment_;
  BadRows bad_rows_;
  Summary summary_;
};

}  // namespace

int solve_contacts(const SolveOptions& command) {
  command.require_valid(!command.reference);
  keep_memory();
  return Run(command).solve();
}

}  // namespace carom::apps
