// From a table to contacts, and a batch in parts that a progress bar can count.
#pragma once

#include <algorithm>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <carom/solver.hpp>
#include <chrono>
#include <string>

#include "io/contact_file.hpp"
#include "report/progress_bar.hpp"

namespace carom::apps {

/// Many for the threads of a call to share, few for memory and for a progress bar to count.
inline constexpr std::size_t rows_at_once = 65536;

inline io::Table read_table(const std::string& path) {
  ProgressBar bar("reading");
  return io::read_csv(path, bar.function());
}

template <class Contacts>
io::ContactData<Contacts> read_contacts(const io::Table& table, const io::ReadOptions& options) {
  ProgressBar bar("reading numbers");
  return io::ContactData<Contacts>(table, options, bar.function());
}

/// Calls work.template operator()<Contacts>() with the type that fits the form and the precision.
template <class Work>
auto with_contacts_of(io::Form form, bool in_float, Work&& work) {
  const auto with = [&]<class InDouble>() {
    return in_float ? work.template operator()<io::Rebound<InDouble, float>>() : work.template operator()<InDouble>();
  };
  switch (form) {
    case io::Form::bodies:
      return with.template operator()<InlineContacts<double>>();
    case io::Form::contact_space:
      return with.template operator()<SpaceContacts<double>>();
    case io::Form::planar_bodies:
      return with.template operator()<planar::InlineContacts<double>>();
    default:
      return with.template operator()<planar::SpaceContacts<double>>();
  }
}

template <class Contacts>
Report solve_by_reference(const Contacts& contacts, const io::ResultsOf<Contacts>& results, const Options& options,
                          Column<double> boundary_distance = {}) {
  if constexpr (io::is_planar<Contacts>)
    return reference::planar::solve(contacts, results, options);
  else
    return reference::solve(contacts, results, options, boundary_distance);
}

constexpr bool is_resolved(Status status) {
  return status == Status::ok || status == Status::several_solutions;
}

inline void add_part(Report& whole, const Report& part, std::size_t first) {
  whole.contacts += part.contacts;
  for (std::size_t i = 0; i < status_count; ++i) whole.by_status[i] += part.by_status[i];
  for (std::size_t i = 0; i < Path::kinds; ++i) whole.by_path[i] += part.by_path[i];
  whole.isa = part.isa;
  whole.threads = std::max(whole.threads, part.threads);
  whole.sliding_steps += part.sliding_steps;
  if (part.largest_energy_gain > whole.largest_energy_gain) {
    whole.largest_energy_gain = part.largest_energy_gain;
    whole.largest_energy_gain_contact = first + part.largest_energy_gain_contact;
  }
}

/// Calls solve(first, count), which returns a Report, for parts of the batch. At least once, so that misuse is found
/// in an empty batch too.
template <class Solve>
Report solve_in_parts(std::size_t contacts, const std::string& label, Solve&& solve) {
  ProgressBar bar(label);
  Report report;
  std::size_t first = 0;
  do {
    const std::size_t count = std::min(rows_at_once, contacts - first);
    add_part(report, solve(first, count), first);
    first += count;
    bar.show(first, contacts);
  } while (first < contacts);
  return report;
}

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace carom::apps
