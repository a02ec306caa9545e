#include <carom/system.hpp>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/options/exit_codes.hpp"
#include "cli/options/solve_options.hpp"
#include "cli/report/system_report.hpp"
#include "io/fclib/fclib.hpp"
#include "io/files/table_file.hpp"
#include "run.hpp"

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
  SolvedSystem solved{problem.path, system.solve(solver, options)};
  if (output != nullptr) output->stream() << io::with_solution(problem, system.impulse(), system.velocity());
  return solved;
}

/// The contact systems of some files. A rank takes every size-th file.
class SystemRun final : public Run {
 public:
  SystemRun(const SolveOptions& options, Ranks& ranks)
      : Run(options.input, options.output, false, ranks), options_(options), names_({options.input}) {
    names_.insert(names_.end(), options.more_inputs.begin(), options.more_inputs.end());
    options.given.read(system_options_);
    if (system_options_.tolerance == 0) system_options_.tolerance = options.in_float() ? 1e-4 : 1e-8;
    systems_.resize(names_.size());
  }

 private:
  // A report and its file. No part of it points to memory, so ranks may exchange its bytes.
  struct Found {
    std::size_t file;
    SystemReport report;
  };
  static_assert(std::is_standard_layout_v<Found> && std::is_trivially_destructible_v<Found>);

  void work() override {
    SystemSolver solver(options_.execution());
    OutputFile* const output = output_ ? &*output_ : nullptr;
    for (std::size_t i = first(); i < names_.size(); i += step()) {
      ranks_.poll();
      const io::FclibProblem problem = io::read_fclib(names_[i]);
      try {
        systems_[i] = options_.in_float() ? solve<float>(problem, solver, system_options_, output)
                                          : solve<double>(problem, solver, system_options_, output);
      } catch (const Error& error) {
        // The library refuses a system for a fault of the file.
        const std::string text = error.what(), prefix = "carom: ";
        throw Error(prefix + names_[i] + ": " + (text.starts_with(prefix) ? text.substr(prefix.size()) : text));
      }
    }
  }
  nlohmann::json sums() const override {
    std::string bytes;
    for (std::size_t i = first(); i < names_.size(); i += step()) {
      const Found found{i, systems_[i].report};
      bytes.append(reinterpret_cast<const char*>(&found), sizeof found);
    }
    return json_of_bytes(bytes);
  }
  void take(const nlohmann::json& sums) override {
    const std::string bytes = bytes_of(sums);
    Found found;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof found) {
      std::memcpy(static_cast<void*>(&found), bytes.data() + at, sizeof found);
      systems_[found.file] = {names_[found.file], found.report};
    }
  }
  int report() override {
    std::FILE* out = options_.output == "-" ? stderr : stdout;
    if (options_.as_json)
      print_json(systems_, system_options_, system_options_.tolerance, out);
    else
      print_text(systems_, out);
    for (const SolvedSystem& system : systems_)
      if (!system.report.ok()) return exit_bad_rows;
    return exit_fine;
  }

  std::size_t first() const { return static_cast<std::size_t>(ranks_.rank()); }
  std::size_t step() const { return static_cast<std::size_t>(ranks_.size()); }

  const SolveOptions& options_;
  SystemOptions system_options_;
  std::vector<std::string> names_;
  std::vector<SolvedSystem> systems_;  ///< by file
};

}  // namespace

int solve_systems(const SolveOptions& options) {
  require_fit(options);
  return SystemRun(options, Ranks::world()).run();
}

}  // namespace carom::apps
