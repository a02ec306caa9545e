#include "region_check.hpp"

#include <algorithm>
#include <limits>

#include "cli/output/bad_rows.hpp"
#include "io/csv/csv_writer.hpp"
#include "reading.hpp"
#include "region.hpp"
#include "solving.hpp"
#include "vectors.hpp"

namespace carom::apps {
namespace {

enum class Source { file, own_laws, all_laws };

class RegionCheckRun {
 public:
  RegionCheckRun(const io::Table& table, const RegionCheckOptions& command, std::ostream* output)
      : table_(table),
        command_(command),
        output_(output),
        form_(io::form_of(table)),
        source_(source()),
        contacts_(read_contacts(table, form_, read_options())),
        scales_(scales_of(contacts_)),
        solver_(command.execution()),
        options_(command.solver_options()) {}

  RegionCheck run() {
    result_.file = table_.name();
    result_.form = form_;
    result_.contacts = contacts_.size();
    if (source_ == Source::file)
      check_file();
    else if (source_ == Source::own_laws)
      check_own_laws();
    else
      check_all_laws();
    return std::move(result_);
  }

 private:
  Source source() const {
    if (command_.impulses_of == "all") return Source::all_laws;
    if (!command_.impulses_of.empty()) return Source::own_laws;
    const auto& names = io::columns_of(form_).impulse_components;
    const auto there = [&](const std::string& name) { return table_.find(name) != io::Table::none; };
    if (std::all_of(names.begin(), names.end(), there)) return Source::file;
    return there("law") ? Source::own_laws : Source::all_laws;
  }

  io::ReadOptions read_options() const {
    if (source_ == Source::own_laws) {
      command_.require_fit(table_, form_);
      return command_.read_options();
    }
    if (source_ == Source::all_laws && output_ != nullptr)
      throw Error("carom: --output needs the impulses of the file or one --law");
    io::ReadOptions options = command_.read_options_without_laws();
    if (source_ == Source::file) options.further = io::columns_of(form_).impulse_components;
    return options;
  }

  void check_file() {
    const Region region = region_of(contacts_, scales_, contacts_.numbers(), solver_, options_);
    result_.bad_rows = print_bad_rows(table_, contacts_, region.statuses(), command_);
    tally("the file", region, contacts_.numbers(), [&](std::size_t row) { return !is_fault(region.statuses()[row]); });
    write(region);
  }

  void check_own_laws() {
    const io::ResultNumbers results = solve_contacts(contacts_, solver_, options_, command_.reference, "solving");
    const Region region = region_of(contacts_, scales_, results.numbers, solver_, options_);
    result_.bad_rows = print_bad_rows(table_, contacts_, results.status, command_);
    tally(contacts_.names_laws() ? "the rows' laws" : text_of(options_.law), region, results.numbers,
          [&](std::size_t row) { return !is_fault(results.status[row]); });
    write(region);
  }

  void check_all_laws() {
    const LawSelection selection = all_laws_for(table_, form_);
    result_.skipped = selection.skipped;
    for (const Law law : selection.laws) {
      Options options = options_;
      options.law = law;
      const std::string name(to_string(law));
      const io::ResultNumbers results = solve_contacts(contacts_, solver_, options, command_.reference, name);
      const Region region = region_of(contacts_, scales_, results.numbers, solver_, options_);
      // Impulses are finite, so faults of the region are faults of the data under any law.
      if (law == selection.laws.front())
        result_.bad_rows = print_bad_rows(table_, contacts_, region.statuses(), command_);
      tally(name, region, results.numbers,
            [&](std::size_t row) { return !is_fault(results.status[row]) && !is_fault(region.statuses()[row]); });
    }
  }

  template <class IsSolved>
  void tally(const std::string& source, const Region& region, const io::Numbers& impulses, IsSolved is_solved) {
    CheckedImpulses& checked = result_.checks.emplace_back();
    checked.source = source;
    const Vectors impulse(impulses, io::columns_of(form_).impulse);
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      if (!is_solved(row)) {
        if (!is_fault(region.statuses()[row])) ++checked.not_solved;
        continue;
      }
      ++checked.checked;
      count(row, region, norm(impulse[row]), checked);
    }
  }

  void count(std::size_t row, const Region& region, double impulse, CheckedImpulses& checked) const {
    RowOutside outside{.line = table_.line(row), .law = {}, .beyond = {}};
    bool is_outside = false;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      if (!region.is_outside(i, row, impulse, command_.tolerance_in_use())) continue;
      is_outside = true;
      outside.beyond[i] = -region.margin(i, row);
      const double scale = region.scale(i, row, impulse);
      const double relative = scale > 0 ? outside.beyond[i] / scale : std::numeric_limits<double>::infinity();
      Breach& breach = checked.breaches[i];
      if (breach.rows++ == 0 || relative > breach.relative)
        breach = {breach.rows, outside.beyond[i], relative, outside.line};
    }
    if (!is_outside) return;
    if (source_ == Source::own_laws) outside.law = to_string(contacts_.law(row));
    if (source_ == Source::all_laws) outside.law = checked.source;
    checked.outside.push_back(std::move(outside));
  }

  /// Writes the rows with their margins. A margin replaces a column of its name.
  void write(const Region& region) {
    if (output_ == nullptr) return;
    ProgressBar bar("writing");
    std::vector<io::FileColumn> columns;
    io::RowBlock rows{.count = table_.rows(), .table = &table_};
    for (std::size_t i = 0; i < table_.header().size(); ++i)
      if (const std::string& name = table_.header()[i]; region.numbers().find(name) == nullptr) {
        columns.push_back({name});
        rows.columns.emplace_back(i);
      }
    for (const io::NumberColumn& column : region.numbers().columns()) {
      columns.push_back({column.name});
      rows.columns.emplace_back(&column);
    }
    io::CsvWriter(*output_, columns).put(rows, bar.function());
  }

  const io::Table& table_;
  const RegionCheckOptions& command_;
  std::ostream* output_;
  io::Form form_;
  Source source_;
  io::ContactNumbers contacts_;
  ContactScales scales_;
  Solver solver_;
  Options options_;
  RegionCheck result_;
};

}  // namespace

double RegionCheckOptions::tolerance_in_use() const {
  return tolerance.value_or(64 * epsilon());
}

RegionCheck check_region(const io::Table& table, const RegionCheckOptions& options, std::ostream* output) {
  return RegionCheckRun(table, options, output).run();
}

}  // namespace carom::apps
