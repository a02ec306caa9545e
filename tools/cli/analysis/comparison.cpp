#include "comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "cli/output/bad_rows.hpp"
#include "reading.hpp"
#include "solving.hpp"
#include "vectors.hpp"

namespace carom::apps {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class SpreadOf {
 public:
  explicit SpreadOf(const io::Table& table) : table_(table) {}

  void add(std::size_t row, double difference) {
    // A NaN has no order and would go unnoticed.
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    if (differences_.empty() || difference > largest_) {
      largest_ = difference;
      row_ = row;
    }
    differences_.push_back(difference);
  }

  Spread spread() {
    const std::size_t rows = differences_.size();
    if (rows == 0) return {};
    return {rows, largest_, median(std::move(differences_)), table_.line(row_)};
  }

 private:
  const io::Table& table_;
  std::vector<double> differences_;
  double largest_ = 0;
  std::size_t row_ = 0;
};

// Median times [s] of two kinds of work. They alternate, so a change of the machine's speed affects both.
struct Timing {
  double first = 0, second = 0;
  int repetitions = 0;
};

Timing time_in_turn(const std::function<void()>& first, const std::function<void()>& second) {
  constexpr double shortest = 0.01;
  const auto time = [](const std::function<void()>& work, int rounds) {
    const Stopwatch watch;
    for (int i = 0; i < rounds; ++i) work();
    return watch.seconds() / rounds;
  };
  const auto rounds_for = [&](double seconds) {
    return seconds < shortest ? static_cast<int>(std::ceil(shortest / std::max(seconds, 1e-7))) : 1;
  };
  // The first run warms up. A short first run is not a useful time.
  const auto warm_up = [&](const std::function<void()>& work) {
    const double seconds = time(work, 1);
    return seconds < shortest ? time(work, 1) : seconds;
  };
  const double first_seconds = warm_up(first), second_seconds = warm_up(second);
  const int first_rounds = rounds_for(first_seconds), second_rounds = rounds_for(second_seconds);
  const int repetitions = first_seconds + second_seconds > 1 ? 3 : 7;
  ProgressBar bar("timing");
  std::vector<double> first_times, second_times;
  for (int i = 0; i < repetitions; ++i) {
    bar.show(static_cast<std::size_t>(i), static_cast<std::size_t>(repetitions));
    first_times.push_back(time(first, first_rounds));
    second_times.push_back(time(second, second_rounds));
  }
  return {median(first_times), median(second_times), repetitions};
}

class Comparer {
 public:
  Comparer(io::Table table, io::Form form, const CommandOptions& command)
      : table_(std::move(table)),
        command_(command),
        options_(command.solver_options()),
        solver_(command.execution()),
        contacts_(read_contacts(table_, form, command.read_options())),
        scales_(scales_of(contacts_)) {}

  Comparison compare() {
    Comparison comparison;
    comparison.file = table_.name();
    comparison.form = contacts_.form();
    comparison.contacts = contacts_.size();
    solve(comparison);
    comparison.bad_rows = print_faults();
    compare_rows(comparison);
    compare_expected(comparison);
    time(comparison);
    return comparison;
  }

 private:
  void solve(Comparison& comparison) {
    Report report, reference_report;
    {
      ProgressBar bar("solving on lanes");
      Solved solved = solve_on_lanes(contacts_, solver_, options_, bar.function());
      lanes_.emplace(std::move(solved.results));
      report = solved.report;
    }
    {
      ProgressBar bar("solving by the reference");
      Solved solved = solve_by_reference(contacts_, options_, bar.function(), &boundary_);
      reference_.emplace(std::move(solved.results));
      reference_report = solved.report;
    }
    comparison.isa = report.isa;
    comparison.threads = report.threads;
    comparison.lanes = side(report, *lanes_);
    comparison.reference = side(reference_report, *reference_);
  }

  Side side(const Report& report, const io::ResultNumbers& results) const {
    Side side;
    for (std::size_t row = 0; row < contacts_.size(); ++row) ++side.by_status[status_word(results, row)];
    if (report.max_energy_gain > 0) {
      side.energy_gain = report.max_energy_gain;
      side.energy_gain_line = table_.line(report.max_energy_gain_contact);
    }
    return side;
  }

  std::string status_word(const io::ResultNumbers& results, std::size_t row) const {
    return std::string(contacts_.readable(row) ? to_string(results.status[row]) : io::unreadable);
  }

  // Prints the rows in which the lanes find a fault. Rows that only the reference rejects are among the differing
  // paths.
  std::size_t print_faults() const {
    std::size_t bad_rows = print_bad_rows(table_, contacts_, lanes_->status, command_);
    for (std::size_t row = 0; row < contacts_.size(); ++row)
      if (!is_fault(lanes_->status[row]) && is_fault(reference_->status[row])) ++bad_rows;
    return bad_rows;
  }

  void compare_rows(Comparison& comparison) const {
    const std::string name = is_body_form(contacts_.form()) ? "new_separation_velocity" : "u";
    const Vectors u(lanes_->numbers, name), reference_u(reference_->numbers, name);
    SpreadOf velocity(table_);
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      const Status status = lanes_->status[row], reference_status = reference_->status[row];
      if (is_resolved(status) && is_resolved(reference_status))
        velocity.add(row, distance(u[row], reference_u[row]) / scales_.speed[row]);
      if (status == reference_status && lanes_->path[row] == reference_->path[row]) continue;
      const auto sliding_end = [row](const io::ResultNumbers& results) {
        return is_fault(results.status[row]) ? std::string(to_string(results.status[row]))
                                             : to_string(results.path[row]);
      };
      comparison.path_differences.push_back(
          {table_.line(row), sliding_end(*lanes_), sliding_end(*reference_), boundary_[row]});
    }
    comparison.velocity = velocity.spread();
  }

  void compare_expected(Comparison& comparison) const {
    const auto speed = [&](std::size_t row) { return scales_.speed[row]; };
    const auto impulse = [&](std::size_t row) { return speed(row) / scales_.trace_k[row]; };
    if (is_body_form(contacts_.form())) {
      const Vectors r_a(contacts_.numbers(), "r_a"), r_b(contacts_.numbers(), "r_b");
      expect(comparison, "impulse", impulse);
      expect(comparison, "new_velocity_a", speed);
      expect(comparison, "new_angular_velocity_a", [&](std::size_t row) { return speed(row) / norm(r_a[row]); });
      expect(comparison, "new_velocity_b", speed);
      expect(comparison, "new_angular_velocity_b", [&](std::size_t row) { return speed(row) / norm(r_b[row]); });
      expect(comparison, "new_separation_velocity", speed);
    } else {
      expect(comparison, "u", speed);
      expect(comparison, "p", impulse);
    }
    expect_word(comparison, "status");
    expect_word(comparison, "path");
  }

  // Takes the differences relative to scale(row), in the resolved rows whose cells hold numbers.
  template <class Scale>
  void expect(Comparison& comparison, const std::string& name, Scale scale) const {
    const Vectors lanes(lanes_->numbers, name), reference(reference_->numbers, name);
    std::array<std::size_t, 3> columns{};
    for (std::size_t i = 0; i < 3; ++i) {
      const io::NumberColumn* component = lanes.column(i);
      columns[i] = component == nullptr ? io::Table::none : table_.find(component->name);
      if (component != nullptr && columns[i] == io::Table::none) return;
    }
    SpreadOf of_lanes(table_), of_reference(table_);
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      Vector expected{};
      bool known = contacts_.readable(row);
      for (std::size_t i = 0; i < 3 && known; ++i) {
        if (columns[i] == io::Table::none) continue;
        const auto value = table_.number(row, columns[i]);
        known = value.has_value();
        expected[i] = value.value_or(0);
      }
      if (!known) continue;
      const auto relative = [&](const Vector& value) {
        const double difference = distance(value, expected);
        return difference == 0 ? 0 : difference / scale(row);
      };
      if (is_resolved(lanes_->status[row])) of_lanes.add(row, relative(lanes[row]));
      if (is_resolved(reference_->status[row])) of_reference.add(row, relative(reference[row]));
    }
    comparison.expected_vectors.push_back({name, of_lanes.spread(), of_reference.spread()});
  }

  void expect_word(Comparison& comparison, const std::string& name) const {
    const std::size_t column = table_.find(name);
    if (column == io::Table::none) return;
    const auto word_for = [&](const io::ResultNumbers& results, std::size_t row) {
      return name == "status" ? status_word(results, row) : to_string(results.path[row]);
    };
    ExpectedWord word{.name = name};
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      const std::string expected = table_.text(row, column);
      if (expected.empty() || (name == "path" && is_fault(lanes_->status[row]))) continue;
      ++word.rows;
      if (expected != word_for(*lanes_, row)) ++word.lanes_differ;
      if (expected != word_for(*reference_, row)) ++word.reference_differs;
    }
    comparison.expected_words.push_back(word);
  }

  void time(Comparison& comparison) {
    if (contacts_.size() == 0) return;
    // Frees the table, because contacts and results in float need memory.
    table_ = io::Table();
    const Timing timing = time_in_turn(repeatable_on_lanes(contacts_, solver_, options_, *lanes_),
                                       repeatable_by_reference(contacts_, options_, *reference_));
    const auto contacts = static_cast<double>(contacts_.size());
    comparison.lanes.contacts_per_second = contacts / timing.first;
    comparison.reference.contacts_per_second = contacts / timing.second;
    comparison.repetitions = timing.repetitions;
  }

  io::Table table_;
  const CommandOptions& command_;
  Options options_;
  Solver solver_;
  io::ContactNumbers contacts_;
  ContactScales scales_;
  std::optional<io::ResultNumbers> lanes_, reference_;
  std::vector<double> boundary_;
};

}  // namespace

Comparison compare(io::Table table, const CommandOptions& options) {
  const io::Form form = io::form_of(table);
  options.require_fit(table, form);
  return Comparer(std::move(table), form, options).compare();
}

}  // namespace carom::apps
