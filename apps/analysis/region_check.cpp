#include "analysis/region_check.hpp"

#include <algorithm>
#include <limits>

#include "analysis/region.hpp"
#include "analysis/region_table.hpp"
#include "report/bad_rows.hpp"

namespace carom::apps {
namespace {

enum class Source { file, own_laws, all_laws };

template <class Contacts>
std::vector<std::string> impulse_columns() {
  std::vector<std::string> names;
  ImpulseColumns<Contacts> impulse;
  const auto add = [&](const std::string& name, auto&) { names.push_back(name); };
  io::visit_vector(io::impulse_name<Contacts>, impulse, add);
  return names;
}

template <class Contacts>
class Checker {
 public:
  using T = io::ScalarOf<Contacts>;

  Checker(const io::Table& table, const RegionCheckOptions& command, std::ostream* output)
      : table_(table),
        command_(command),
        output_(output),
        source_(source()),
        contacts_(read_contacts<Contacts>(table, read_options())),
        region_(contacts_.view()),
        solver_(command.machine()) {}

  RegionCheck check() {
    result_.file = table_.name();
    result_.form = io::form_of(table_);
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
    if (command_.which == "all") return Source::all_laws;
    if (!command_.which.empty()) return Source::own_laws;
    const auto names = impulse_columns<Contacts>();
    const auto there = [&](const std::string& name) { return table_.find(name) != io::Table::none; };
    if (std::all_of(names.begin(), names.end(), there)) return Source::file;
    return there("law") ? Source::own_laws : Source::all_laws;
  }

  io::ReadOptions read_options() const {
    if (source_ == Source::own_laws) {
      command_.check_fit(table_, io::form_of(table_));
      return command_.read_options();
    }
    if (source_ == Source::all_laws && output_ != nullptr)
      throw Error("carom: --output needs the impulses of the file or one --law");
    // What the frictionless law refuses is no fault of a law's own parameters.
    io::ReadOptions options{
        .law = Law::frictionless, .restitution_law = command_.read_options().restitution_law, .own_laws = false};
    if (source_ == Source::file) options.further = impulse_columns<Contacts>();
    return options;
  }

  void check_file() {
    ImpulseColumns<Contacts> impulse;
    std::size_t axis = 0;
    const auto take = [&](const std::string&, auto& column) { column = contacts_.further()[axis++].second; };
    io::visit_vector("", impulse, take);
    put_to_region(impulse);
    result_.bad_rows = print_bad_rows(table_, contacts_, region_.statuses(), command_);
    tally("the file", impulse, [&](std::size_t row) { return !is_fault(region_.statuses()[row]); });
    write();
  }

  void check_own_laws() {
    io::ResultData<Contacts> results(contacts_.size());
    solve_contacts(contacts_, results, command_.machine(), command_.solver_options(), command_.reference, "solving");
    put_to_region(results.view().impulse);
    const Column<Status> statuses = results.view().status;
    result_.bad_rows = print_bad_rows(table_, contacts_, statuses, command_);
    tally(contacts_.view().law ? "the rows' laws" : command_.law, results.view().impulse,
          [&](std::size_t row) { return !is_fault(statuses[row]); });
    write();
  }

  void check_all_laws() {
    const LawSelection selection = all_laws_for(table_, result_.form);
    result_.skipped = selection.skipped;
    io::ResultData<Contacts> results(contacts_.size());
    for (const Law law : selection.laws) {
      Options options = command_.solver_options();
      options.law = law;
      solve_contacts(contacts_, results, command_.machine(), options, command_.reference, std::string(to_string(law)));
      put_to_region(results.view().impulse);
      // Impulses are finite, so the region refuses what is wrong with the data, whatever the law.
      if (law == selection.laws.front())
        result_.bad_rows = print_bad_rows(table_, contacts_, region_.statuses(), command_);
      tally(std::string(to_string(law)), results.view().impulse, [&](std::size_t row) {
        return !is_fault(results.view().status[row]) && !is_fault(region_.statuses()[row]);
      });
    }
  }

  void put_to_region(const ImpulseColumns<Contacts>& impulse) {
    solve_in_parts(contacts_.size(), "checking", [&](std::size_t first, std::size_t count) {
      ImpulseColumns<Contacts> part = impulse;
      const auto cut = [&](const std::string&, auto& column) {
        column = count > 0 ? Column<const T>(&column[first], count, column.stride) : Column<const T>();
      };
      io::visit_vector("", part, cut);
      region_.check(solver_, contacts_.view(first, count), part, first, count, command_.solver_options());
      return Report();
    });
  }

  template <class IsSolved>
  void tally(const std::string& source, const ImpulseColumns<Contacts>& impulse, IsSolved is_solved) {
    CheckedImpulses& checked = result_.checks.emplace_back();
    checked.source = source;
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      if (!is_solved(row)) {
        if (!is_fault(region_.statuses()[row])) ++checked.not_solved;
        continue;
      }
      ++checked.checked;
      see(row, norm(vector_at(impulse, row)), checked);
    }
  }

  void see(std::size_t row, double impulse, CheckedImpulses& checked) const {
    RowOutside outside{.line = table_.line(row), .law = {}, .beyond = {}};
    bool is_outside = false;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      if (!region_.is_outside(i, row, impulse, command_.tolerance_in_use())) continue;
      is_outside = true;
      outside.beyond[i] = -region_.margin(i, row);
      const double scale = region_.scale(i, row, impulse);
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

  void write() {
    if (output_ == nullptr) return;
    ProgressBar bar("writing");
    write_region(*output_, table_, region_, bar.function());
  }

  const io::Table& table_;
  const RegionCheckOptions& command_;
  std::ostream* output_;
  Source source_;
  io::ContactData<Contacts> contacts_;
  Region<Contacts> region_;
  Solver solver_;
  RegionCheck result_;
};

}  // namespace

double RegionCheckOptions::tolerance_in_use() const {
  return tolerance.value_or(64 * (in_float() ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                             : std::numeric_limits<double>::epsilon()));
}

RegionCheck check_region(const io::Table& table, const RegionCheckOptions& options, std::ostream* output) {
  return with_contacts_of(io::form_of(table), options.in_float(),
                          [&]<class Contacts>() { return Checker<Contacts>(table, options, output).check(); });
}

}  // namespace carom::apps
