#include "analysis/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>

#include "analysis/batch.hpp"
#include "analysis/contact_scales.hpp"
#include "report/bad_rows.hpp"

namespace carom::apps {
namespace {

class SpreadOf {
 public:
  explicit SpreadOf(const io::Table& table) : table_(table) {}

  void add(std::size_t row, double difference) {
    // NaN would not be ordered, and must not hide.
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    if (differences_.empty() || difference > largest_) {
      largest_ = difference;
      row_ = row;
    }
    differences_.push_back(difference);
  }

  Spread spread() {
    if (differences_.empty()) return {};
    const auto middle = differences_.begin() + static_cast<std::ptrdiff_t>(differences_.size() / 2);
    std::nth_element(differences_.begin(), middle, differences_.end());
    return {differences_.size(), largest_, *middle, table_.line(row_)};
  }

 private:
  const io::Table& table_;
  std::vector<double> differences_;
  double largest_ = 0;
  std::size_t row_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Median seconds of two things done in turn, so that a drift of the machine's speed meets both.
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
  // The first run warms up; if it was short, its time says little.
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

template <class Results>
std::string word_for(bool readable, const Results& results, std::size_t row, const std::string& column) {
  if (column == "status") return std::string(readable ? to_string(results.status[row]) : io::unreadable);
  return to_string(results.path[row]);
}

template <class Contacts>
class Comparer {
 public:
  using T = typename io::ContactData<Contacts>::Scalar;
  using ReferenceContacts = io::Rebound<Contacts, double>;

  Comparer(const io::Table& table, const CommandOptions& command)
      : table_(table),
        command_(command),
        options_(command.solver_options()),
        solver_(command.machine()),
        contacts_(read_contacts<Contacts>(table, command.read_options())),
        results_(contacts_.size()),
        reference_results_(contacts_.size()) {
    if constexpr (!same_contacts) {
      io::ReadOptions options = command.read_options();
      options.rounded_to_float = true;
      ProgressBar bar("reading numbers");
      rounded_contacts_.emplace(table, options, bar.function());
    }
  }

  Comparison compare() {
    Comparison comparison;
    comparison.file = table_.name();
    comparison.form = io::form_of(table_);
    comparison.contacts = contacts_.size();
    solve(comparison);
    comparison.bad_rows = print_faults();
    compare_rows(comparison);
    compare_expected(comparison);
    time(comparison);
    return comparison;
  }

 private:
  // In double lanes and reference read the same numbers.
  static constexpr bool same_contacts = std::is_same_v<Contacts, ReferenceContacts>;
  const io::ContactData<ReferenceContacts>& reference_contacts() const {
    if constexpr (same_contacts)
      return contacts_;
    else
      return *rounded_contacts_;
  }

  void solve(Comparison& comparison) {
    // Closed forms decide nothing on their way that would be told.
    std::vector<double> boundary(contacts_.size(), std::numeric_limits<double>::infinity());
    const auto with_reference = [&](std::size_t first, std::size_t count) {
      const Column<double> part = count > 0 ? Column<double>(&boundary[first], count) : Column<double>();
      return solve_by_reference(reference_contacts().view(first, count), reference_results_.view(first, count),
                                options_, part);
    };
    const auto on_lanes = [&](std::size_t first, std::size_t count) {
      return solver_.solve(contacts_.view(first, count), results_.view(first, count), options_);
    };
    const Report report = solve_in_parts(contacts_.size(), "solving on lanes", on_lanes);
    const Report reference_report = solve_in_parts(contacts_.size(), "solving by the reference", with_reference);
    comparison.isa = report.isa;
    comparison.threads = report.threads;
    comparison.lanes = side(report, results_.view().status);
    comparison.reference = side(reference_report, reference_results_.view().status);
    boundary_ = std::move(boundary);
  }

  Side side(const Report& report, const Column<Status>& statuses) const {
    Side side;
    for (std::size_t row = 0; row < contacts_.size(); ++row)
      ++side.by_status[std::string(contacts_.readable(row) ? to_string(statuses[row]) : io::unreadable)];
    if (report.largest_energy_gain > 0) {
      side.energy_gain = report.largest_energy_gain;
      side.energy_gain_line = table_.line(report.largest_energy_gain_contact);
    }
    return side;
  }

  // Of the lanes; where only the reference refuses a row, the row stands among the differing paths.
  std::size_t print_faults() const {
    std::size_t bad_rows = print_bad_rows(table_, contacts_, results_.view().status, command_);
    for (std::size_t row = 0; row < contacts_.size(); ++row)
      if (!is_fault(results_.view().status[row]) && is_fault(reference_results_.view().status[row])) ++bad_rows;
    return bad_rows;
  }

  void compare_rows(Comparison& comparison) const {
    const auto& lanes = results_.view();
    const auto& reference = reference_results_.view();
    SpreadOf velocity(table_);
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      const Status status = lanes.status[row], reference_status = reference.status[row];
      if (is_resolved(status) && is_resolved(reference_status))
        velocity.add(
            row, distance(vector_at(lanes.separation_velocity, row), vector_at(reference.separation_velocity, row)) /
                     contact_speed(reference_contacts().view(), row));
      if (status == reference_status && lanes.path[row] == reference.path[row]) continue;
      const auto course = [row](const auto& results) {
        return is_fault(results.status[row]) ? std::string(to_string(results.status[row]))
                                             : to_string(results.path[row]);
      };
      comparison.path_differences.push_back({table_.line(row), course(lanes), course(reference), boundary_[row]});
    }
    comparison.velocity = velocity.spread();
  }

  void compare_expected(Comparison& comparison) const {
    const auto& lanes = results_.view();
    const auto& reference = reference_results_.view();
    const auto& contacts = reference_contacts().view();
    const auto speed = [&](std::size_t row) { return contact_speed(contacts, row); };
    const auto impulse = [&](std::size_t row) { return speed(row) / trace_k(contacts, row); };
    if constexpr (io::has_bodies<Contacts>) {
      const auto spin_a = [&](std::size_t row) { return speed(row) / norm(vector_at(contacts.lever_a, row)); };
      const auto spin_b = [&](std::size_t row) { return speed(row) / norm(vector_at(contacts.lever_b, row)); };
      expect(comparison, "impulse", lanes.impulse, reference.impulse, impulse);
      expect(comparison, "new_velocity_a", lanes.velocity_a, reference.velocity_a, speed);
      expect(comparison, "new_angular_velocity_a", lanes.angular_velocity_a, reference.angular_velocity_a, spin_a);
      expect(comparison, "new_velocity_b", lanes.velocity_b, reference.velocity_b, speed);
      expect(comparison, "new_angular_velocity_b", lanes.angular_velocity_b, reference.angular_velocity_b, spin_b);
      expect(comparison, "new_separation_velocity", lanes.separation_velocity, reference.separation_velocity, speed);
    } else {
      expect(comparison, "u", lanes.separation_velocity, reference.separation_velocity, speed);
      expect(comparison, "p", lanes.impulse, reference.impulse, impulse);
    }
    for (const std::string name : {"status", "path"}) expect_word(comparison, name);
  }

  // The difference relative to scale(row), over the resolved rows whose cells hold numbers.
  template <class Lanes, class Reference, class Scale>
  void expect(Comparison& comparison, const std::string& name, const Lanes& lanes, const Reference& reference,
              Scale scale) const {
    std::vector<std::size_t> columns;
    Reference names = reference;
    const auto find = [&](const std::string& component, auto&) { columns.push_back(table_.find(component)); };
    io::visit_vector(name, names, find);
    if (std::find(columns.begin(), columns.end(), io::Table::none) != columns.end()) return;
    SpreadOf of_lanes(table_), of_reference(table_);
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      // A number alone turns about z.
      Vector expected{};
      bool known = contacts_.readable(row);
      for (std::size_t i = 0; i < columns.size() && known; ++i) {
        const auto value = io::to_number(table_.cell(row, columns[i]));
        known = value.has_value();
        expected[columns.size() == 1 ? 2 : i] = value.value_or(0);
      }
      if (!known) continue;
      const auto relative = [&](const Vector& value) {
        const double difference = distance(value, expected);
        return difference == 0 ? 0 : difference / scale(row);
      };
      if (is_resolved(results_.view().status[row])) of_lanes.add(row, relative(vector_at(lanes, row)));
      if (is_resolved(reference_results_.view().status[row]))
        of_reference.add(row, relative(vector_at(reference, row)));
    }
    comparison.expected_vectors.push_back({name, of_lanes.spread(), of_reference.spread()});
  }

  void expect_word(Comparison& comparison, const std::string& name) const {
    const std::size_t column = table_.find(name);
    if (column == io::Table::none) return;
    ExpectedWord word{.name = name};
    for (std::size_t row = 0; row < contacts_.size(); ++row) {
      const std::string_view expected = table_.cell(row, column);
      if (expected.empty() || (name == "path" && is_fault(results_.view().status[row]))) continue;
      ++word.rows;
      if (expected != word_for(contacts_.readable(row), results_.view(), row, name)) ++word.lanes_differ;
      if (expected != word_for(contacts_.readable(row), reference_results_.view(), row, name)) ++word.reference_differs;
    }
    comparison.expected_words.push_back(word);
  }

  void time(Comparison& comparison) {
    if (contacts_.size() == 0) return;
    const Timing timing =
        time_in_turn([&] { solver_.solve(contacts_.view(), results_.view(), options_); },
                     [&] { solve_by_reference(reference_contacts().view(), reference_results_.view(), options_); });
    const auto contacts = static_cast<double>(contacts_.size());
    comparison.lanes.contacts_per_second = contacts / timing.first;
    comparison.reference.contacts_per_second = contacts / timing.second;
    comparison.repetitions = timing.repetitions;
  }

  const io::Table& table_;
  const CommandOptions& command_;
  Options options_;
  Solver solver_;
  io::ContactData<Contacts> contacts_;
  std::optional<io::ContactData<ReferenceContacts>> rounded_contacts_;
  io::ResultData<Contacts> results_;
  io::ResultData<ReferenceContacts> reference_results_;
  std::vector<double> boundary_;
};

}  // namespace

Comparison compare(const io::Table& table, const CommandOptions& options) {
  const io::Form form = io::form_of(table);
  options.check_fit(table, form);
  return with_contacts_of(form, options.in_float(),
                          [&]<class Contacts>() { return Comparer<Contacts>(table, options).compare(); });
}

}  // namespace carom::apps
