#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/options/exit_codes.hpp"
#include "cli/options/solve_options.hpp"
#include "cli/output/exact_numbers.hpp"
#include "cli/report/solve_summary.hpp"
#include "row_run.hpp"

namespace carom::apps {
namespace {

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

  void add(const Rows& rows) {
    counts.add(*rows.contacts, rows.solved->results);
    const Report& of_rows = rows.solved->report;
    if (of_rows.max_energy_gain > 0)
      add_gain(of_rows.max_energy_gain, rows.table().line(of_rows.max_energy_gain_contact));
    report += of_rows;
    seconds += rows.solved->seconds;
  }
  nlohmann::json json() const {
    return {{"counts", json_of(counts)},
            {"energy_gain", exact_text(report.max_energy_gain)},
            {"energy_gain_row", energy_gain_line},
            {"seconds", seconds}};
  }
  /// Adds the sums of another rank or of an earlier run. The time becomes the max of both.
  void add(const nlohmann::json& other) {
    apps::add(counts, other.at("counts"));
    add_gain(exact_number(other.at("energy_gain")), other.at("energy_gain_row"));
    seconds = std::max(seconds, other.at("seconds").get<double>());
  }

 private:
  void add_gain(double gain, std::size_t line) {
    double& largest = report.max_energy_gain;
    if (gain > largest || (gain == largest && line < energy_gain_line)) energy_gain_line = line;
    largest = std::max(largest, gain);
  }
};

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

class ContactRun final : public RowRun {
 public:
  ContactRun(const SolveOptions& command, Ranks& ranks) : RowRun(command, {}, ranks), command_(command) {
    form_ = io::form_of(reader_->table());
    command.require_fit(reader_->table(), form_);
    if (!command.reference) solver_.emplace(command.execution());
    require_hdf5();
  }

 private:
  void understand(Rows& rows) const override { rows.contacts.emplace(rows.table(), form_, command_.read_options()); }
  void solve(Rows& rows) override {
    const Options options = command_.solver_options();
    rows.solved =
        solver_ ? solve_on_lanes(*rows.contacts, *solver_, options) : solve_by_reference(*rows.contacts, options);
  }
  void add(const Rows& rows) override { summary_.add(rows); }

  nlohmann::json options_of_results() const override {
    nlohmann::json options = RowRun::options_of_results();
    options.update({{"--reference", command_.reference}, {"--isa", to_string(solver_ ? solver_->isa() : Isa::scalar)}});
    return options;
  }
  nlohmann::json sums() const override {
    nlohmann::json sums = summary_.json();
    sums.update(RowRun::sums());
    return sums;
  }
  void take(const nlohmann::json& sums) override {
    summary_.add(sums);
    RowRun::take(sums);
  }
  int report() override {
    const std::size_t bad_rows = bad_rows_.finish(reader_->table());
    print_summary(command_, reader_->table(), summary_, ranks_.size());
    return bad_rows == 0 ? exit_fine : exit_bad_rows;
  }

  const SolveOptions& command_;
  std::optional<Solver> solver_;
  Summary summary_;
};

}  // namespace

int solve_contacts(const SolveOptions& command) {
  command.require_owned({single_contacts}, "single contacts, without --scene");
  command.require_valid(!command.reference);
  keep_memory();
  return ContactRun(command, Ranks::world()).run();
}

}  // namespace carom::apps
