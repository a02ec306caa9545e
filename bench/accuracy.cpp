#include "accuracy.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "cases.hpp"
#include "machine.hpp"

namespace carom::bench {
namespace {

/// Few enough for runs with 10,000 steps, enough for a median.
constexpr std::size_t contacts_per_call = 4096;

/// Errors of u relative to |u0|, in ascending order.
template <class T>
std::vector<double> errors(const support::Expected& exact, const support::ResultArrays<T>& found) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < exact.impact_speed.size(); ++i) {
    const auto difference = [&](std::size_t j) {
      return static_cast<double>(found.separation_velocity[j][i]) - exact.results.separation_velocity[j][i];
    };
    errors.push_back(std::hypot(difference(0), difference(1), difference(2)) / exact.impact_speed[i]);
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

template <class T>
void accuracy(benchmark::State& state, Options options, Isa isa) try {
  // 10,000 steps are but the unit: a slender body may need hundreds of times as many.
  options.step_budget = 1 << 30;
  const Case<T>& exact = case_of<T>(bench_options(Integrator::series), contacts_per_call);
  const Case<T>& same = case_of<T>(options, contacts_per_call);
  Solver solver({.isa = isa, .threads = 1});
  support::ResultArrays<T> arrays(contacts_per_call);
  const Contacts<T> contacts = same.contacts.inline_contacts();
  const Results<T> results = timed_columns(arrays);

  Report report = solver.solve(contacts, results, options);
  if (const std::string message = support::disagreement(same.expected, arrays); !message.empty()) {
    state.SkipWithError(message.c_str());
    return;
  }
  const std::vector<double> ascending = errors(exact.expected, arrays);
  for (auto _ : state) {
    report = solver.solve(contacts, results, options);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(report.contacts));
  state.counters["median_error"] = ascending[ascending.size() / 2];
  state.counters["p90_error"] = ascending[ascending.size() * 9 / 10];
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void register_precision(const std::string& precision, Isa isa) {
  const auto add = [&](const Options& options, const std::string& steps) {
    const std::string name = "accuracy/energetic/" + std::string(to_string(options.integrator)) + "/" + precision +
                             "/" + std::string(to_string(isa)) + steps;
    benchmark::RegisterBenchmark(name.c_str(), accuracy<T>, options, isa)->UseRealTime();
  };
  add(bench_options(Integrator::series), "");
  for (const int steps : {10, 100, 1000, 10000})
    add(bench_options(Integrator::euler, steps), "/steps:" + std::to_string(steps));
}

}  // namespace

void register_accuracy() {
  const Isa best = best_isa();
  register_precision<float>("f32", best);
  register_precision<double>("f64", best);
}

}  // namespace carom::bench
