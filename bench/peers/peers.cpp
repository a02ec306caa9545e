// Times carom's SystemSolver and solvers of Siconos on contact systems in FCLIB files. Each runs in its own process
// with a limit on its CPU time. All results are judged by one measure of error.
#include <fmt/format.h>
#include <fmt/os.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "io/fclib/fclib.hpp"
#include "natural_map.hpp"
#include "siconos.hpp"

namespace carom::peers {
namespace {

struct Outcome {
  double seconds = 0, error = INFINITY;  ///< of the fastest run
  bool came_back = false;
};

using Clock = std::chrono::steady_clock;

/// Runs `solve` until half a second has gone or 20 times, and takes the fastest. All solve on one thread.
Outcome measure(const io::FclibProblem& problem, const std::function<std::vector<double>()>& solve) {
  Outcome outcome;
  outcome.seconds = INFINITY;
  double sum = 0;
  for (int run = 0; run < 20 && (run == 0 || sum < 0.5); ++run) {
    const auto begin = Clock::now();
    const std::vector<double> impulse = solve();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    sum += seconds;
    outcome.seconds = std::min(outcome.seconds, seconds);
    outcome.error = natural_map_error(problem, impulse);
  }
  outcome.came_back = true;
  return outcome;
}

/// Calls `run` in a child process with a limit of CPU time [s]. Without a result of the child, the outcome is empty.
Outcome in_a_child(int limit, const std::function<Outcome()>& run) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const rlimit of_cpu{static_cast<rlim_t>(limit), static_cast<rlim_t>(limit)};
    setrlimit(RLIMIT_CPU, &of_cpu);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) std::_Exit(2);  // Siconos prints as it likes
    const Outcome outcome = run();
    std::_Exit(write(pipe_ends[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
  }
  close(pipe_ends[1]);
  Outcome outcome;
  if (child < 0 || read(pipe_ends[0], &outcome, sizeof outcome) != sizeof outcome) outcome = {};
  close(pipe_ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return outcome;
}

Outcome run_carom(const io::FclibProblem& problem, double tolerance) {
  SystemSolver solver({.threads = 1});
  const std::size_t n = problem.contacts();
  const ContactSystem<double> system = problem.view();
  SystemOptions options;
  options.tolerance = tolerance;
  return measure(problem, [&] {
    std::vector<double> impulse(3 * n);
    SystemResults<double> results;
    results.impulse = {impulse.data(), n};
    solver.solve(system, results, options);
    return impulse;
  });
}

int run(const std::vector<std::string>& files, const std::string& output, const std::vector<double>& tolerances,
        int limit) {
  auto file = fmt::output_file(output);
  file.print("problem,contacts,tolerance,solver,seconds,error,solved\n");
  for (const std::string& path : files) {
    const io::FclibProblem problem = io::read_fclib(path);
    std::string name = path.substr(path.find_last_of('/') + 1);
    name = name.substr(0, name.rfind('.'));
    for (const double tolerance : tolerances) {
      std::string line = fmt::format("{:<42} {:>5} {:.0e}", name, problem.contacts(), tolerance);
      const auto tell = [&](const std::string& solver, const Outcome& of) {
        // Siconos and carom stop by their own words; 1 % is for the difference of roundings.
        const bool solved = of.came_back && of.error <= 1.01 * tolerance;
        file.print("{},{},{},{},{:.6g},{:.6g},{}\n", name, problem.contacts(), tolerance, solver, of.seconds, of.error,
                   solved ? 1 : 0);
        line += solved ? fmt::format("  {} {:.3g} ms", solver, 1e3 * of.seconds)
                       : fmt::format("  {} – ({:.1e})", solver, of.error);
      };
      tell("carom", in_a_child(limit, [&] { return run_carom(problem, tolerance); }));
      for (const std::string& solver : siconos_solvers())
        tell(solver, in_a_child(limit, [&] {
               Siconos siconos(problem, solver, tolerance);
               return measure(problem, [&] { return siconos.solve(); });
             }));
      fmt::print("{}\n", line);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace carom::peers

int main(int argc, char** argv) {
  CLI::App app("Times solvers of contact systems on FCLIB files");
  std::vector<std::string> files;
  std::string output = "peers.csv";
  std::vector<double> tolerances = {1e-4, 1e-8, 1e-12};
  int limit = 60;
  app.add_option("files", files, "FCLIB files")->required()->check(CLI::ExistingFile);
  app.add_option("-o,--output", output, "the table (CSV)");
  app.add_option("--tolerance", tolerances, "relative errors to be reached");
  app.add_option("--limit", limit, "CPU seconds for a solver on a problem")->check(CLI::Range(1, 100000));
  CLI11_PARSE(app, argc, argv);
  try {
    return carom::peers::run(files, output, tolerances, limit);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
