#include <carom/system.hpp>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/options/exit_codes.hpp"
#include "cli/options/solve_options.hpp"
#include "cli/output/output_file.hpp"
#include "cli/ranks/ranks.hpp"
#include "cli/report/system_report.hpp"
#include "io/columns/table_reader.hpp"
#include "io/fclib/fclib.hpp"

namespace carom::apps {
namespace {

/// Throws Error if the options do not fit contact systems.
void require_fit(const SolveOptions& options) {
  if (!options.given_of_contacts.empty())
    throw Error("carom: " + options.given_of_contacts.front() + " is for contact files, and " + options.input +
                " is a contact system");
  options.require_owned({contact_systems}, contact_systems);
  if (options.more_inputs.empty()) return;
  if (!options.output.empty()) throw Error("carom: --output takes the solution of one contact system, not of several");
  for (const std::string& name : options.more_inputs)
    if (!io::is_hdf5(name)) throw Error("carom: " + name + " is no HDF5 file, or can't be read");
}

/// A problem in the precision in which the library solves it, and its solution.
template <class T>
class System {
 public:
  explicit System(const io::FclibProblem& problem)
      : problem_(problem), impulse_(3 * problem.contacts()), velocity_(3 * problem.contacts()) {
    for (const double x : problem.friction) friction_.push_back(static_cast<T>(x));
    for (const double x : problem.velocity) q_.push_back(static_cast<T>(x));
    for (const SystemBlock<double>& block : problem.block) {
      SystemBlock<T>& own = block_.emplace_back();
      for (std::size_t e = 0; e < 9; ++e) own[e] = static_cast<T>(block[e]);
    }
  }

  SystemReport solve(SystemSolver& solver, const SystemOptions& options) {
    const std::size_t contacts = friction_.size();
    ContactSystem<T> system;
    system.friction = friction_;
    system.velocity = {q_.data(), contacts};
    system.row_start = problem_.row_start;
    system.column = problem_.column;
    system.block = block_;
    SystemResults<T> results;
    results.impulse = {impulse_.data(), contacts};
    results.velocity = {velocity_.data(), contacts};
    return solver.solve(system, results, options);
  }
  std::vector<double> impulse() const { return {impulse_.begin(), impulse_.end()}; }
  std::vector<double> velocity() const { return {velocity_.begin(), velocity_.end()}; }

 private:
  const io::FclibProblem& problem_;
  std::vector<T> friction_, q_, impulse_, velocity_;
  std::vector<SystemBlock<T>> block_;
};

template <class T>
SolvedSystem solve(const io::FclibProblem& problem, SystemSolver& solver, const SystemOptions& options,
                   OutputFile* output) {
  System<T> system(problem);
  SolvedSystem solved{problem.path, system.solve(solver, options), options.tolerance};
  const std::vector<double> impulse = system.impulse(), velocity = system.velocity();
  std::vector<double> of_bodies;
  if (problem.global) {
    const io::CondensedSystem& global = *problem.global;
    of_bodies = global.velocities_of(impulse);
    solved.global = {of_bodies.size(), global.global().mass_was_half, global.error_of(of_bodies, impulse),
                     global.difference(of_bodies, velocity, problem.velocity), problem.condensing_seconds};
  }
  if (output != nullptr) output->stream() << io::with_solution(problem, impulse, velocity, of_bodies);
  return solved;
}

/// On rank 0 the systems of all ranks, in the order of their names.
std::vector<SolvedSystem> of_all(const std::vector<SolvedSystem>& solved, const std::vector<std::string>& names,
                                 Ranks& ranks) {
  struct Reports {
    SystemReport report;
    double tolerance;
    GlobalReport global;
  };
  // No part of it points to memory, so ranks may exchange its bytes.
  static_assert(std::is_standard_layout_v<Reports> && std::is_trivially_destructible_v<Reports>);
  if (!ranks.are_many()) return solved;
  std::string own;
  for (const SolvedSystem& system : solved) {
    const Reports reports{system.report, system.tolerance, system.global};
    own.append(reinterpret_cast<const char*>(&reports), sizeof reports);
  }
  const std::vector<std::string> of_ranks = ranks.gather(own);
  std::vector<SolvedSystem> all;
  for (std::size_t i = 0; i < names.size() && ranks.is_first(); ++i) {
    Reports reports;
    const std::size_t place = i / of_ranks.size() * sizeof reports;
    std::memcpy(static_cast<void*>(&reports), of_ranks[i % of_ranks.size()].data() + place, sizeof reports);
    all.push_back({names[i], reports.report, reports.tolerance, reports.global});
  }
  return all;
}

}  // namespace

int solve_systems(const SolveOptions& options) {
  require_fit(options);
  SystemOptions system_options;
  options.given.read(system_options);
  if (system_options.tolerance == 0) system_options.tolerance = options.in_float() ? 1e-4 : 1e-8;
  SystemSolver solver(options.execution());
  std::optional<OutputFile> output;
  if (!options.output.empty() && Ranks::world().is_first()) output.emplace(options.output, options.input);

  std::vector<std::string> names = {options.input};
  names.insert(names.end(), options.more_inputs.begin(), options.more_inputs.end());
  // A rank takes every size-th file.
  Ranks& ranks = Ranks::world();
  const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
  std::vector<SolvedSystem> solved;
  for (std::size_t i = rank; i < names.size(); i += size) {
    ranks.poll();
    const std::string& name = names[i];
    const io::FclibProblem problem = io::read_fclib(name);
    OutputFile* const place = output ? &*output : nullptr;
    try {
      solved.push_back(options.in_float() ? solve<float>(problem, solver, system_options, place)
                                          : solve<double>(problem, solver, system_options, place));
    } catch (const Error& error) {
      // The library refuses a system for a fault of the file.
      const std::string text = error.what(), prefix = "carom: ";
      throw Error(prefix + name + ": " + (text.starts_with(prefix) ? text.substr(prefix.size()) : text));
    }
  }
  solved = of_all(solved, names, ranks);
  if (!ranks.is_first()) return exit_fine;
  if (output) output->finish();
  std::FILE* out = options.output == "-" ? stderr : stdout;
  if (options.as_json)
    print_json(solved, system_options, system_options.tolerance, out);
  else
    print_text(solved, out);
  for (const SolvedSystem& system : solved)
    if (!system.solved()) return exit_bad_rows;
  return exit_fine;
}

}  // namespace carom::apps
