// Contacts in the form and the precision that the library solves. Only here does the command know both as types.
#pragma once

#include <carom/solver.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "io/files/contact_file.hpp"
#include "region.hpp"

namespace carom::apps {

/// Contacts of a call: enough to share among its threads, few enough to limit memory and to advance a progress bar.
inline constexpr std::size_t rows_at_once = 65536;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Results of contacts and the library's report.
struct Solved {
  io::ResultNumbers results;
  Report report;
  double seconds = 0;  ///< time spent in the library
};

/// Solves contacts on the lanes. Columns that no law of the options reads are left out, here and below.
Solved solve_on_lanes(const io::ContactNumbers& contacts, Solver& solver, const Options& options,
                      const io::Progress& progress = {});

/// Solves contacts by the scalar reference in double. Contacts in float enter with their rounded numbers.
/// `boundary_distance`, if not null, receives reference::Outcome::boundary_distance; the planar reference leaves it
/// infinite.
Solved solve_by_reference(const io::ContactNumbers& contacts, const Options& options, const io::Progress& progress = {},
                          std::vector<double>* boundary_distance = nullptr);

/// Names of the columns of laws that the table has and no law of the options reads.
std::vector<std::string> unread_columns(const io::Table& table, io::Form form, const Options& options);

/// Return a function that solves all contacts in one call, to be timed. Results in double go to `results`, results in
/// float to columns of the function. All arguments must outlive it.
std::function<void()> repeatable_on_lanes(const io::ContactNumbers& contacts, Solver& solver, const Options& options,
                                          io::ResultNumbers& results);
std::function<void()> repeatable_by_reference(const io::ContactNumbers& contacts, const Options& options,
                                              io::ResultNumbers& results);

/// The scales that the reference's K and u0 give.
ContactScales scales_of(const io::ContactNumbers& contacts);

/// Projects impulses onto the permissible region on the lanes, and shows a progress bar. `impulses` holds them under
/// their names in results.
Region region_of(const io::ContactNumbers& contacts, const ContactScales& scales, const io::Numbers& impulses,
                 Solver& solver, const Options& options);

}  // namespace carom::apps
