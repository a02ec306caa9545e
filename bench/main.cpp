#include <benchmark/benchmark.h>

#include <carom/reference.hpp>
#include <carom/solver.hpp>
#include <exception>
#include <map>
#include <memory>
#include <string>

#include "machine.hpp"
#include "support/agreement.hpp"
#include "support/random_contacts.hpp"

namespace carom::bench {
namespace {

constexpr std::uint64_t seed = 1;

Options bench_options() {
  Options options;
  options.steps = 100;
  return options;
}

template <class T>
struct Case {
  explicit Case(std::size_t n) : contacts(n, seed), expected(contacts.widened(), bench_options()) {}

  support::RandomContacts<T> contacts;
  support::Expected expected;
};

/// Drawn and solved by the reference when a benchmark first needs it.
template <class T>
const Case<T>& case_of(std::size_t n) {
  static std::map<std::size_t, std::unique_ptr<Case<T>>> cases;
  auto& entry = cases[n];
  if (!entry) entry = std::make_unique<Case<T>>(n);
  return *entry;
}

/// What a host asks for: impulse, velocities and status.
template <class T>
Results<T> timed_columns(support::ResultArrays<T>& arrays) {
  Results<T> results = arrays.results();
  results.path = {};
  results.work_compression = results.work_decompression = {};
  results.steps = {};
  return results;
}

void count(benchmark::State& state, const Report& report) {
  const auto times = static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(report.contacts));
  state.counters["euler_steps"] =
      benchmark::Counter(times * static_cast<double>(report.sliding_steps), benchmark::Counter::kIsRate);
}

template <class T>
void resolve(benchmark::State& state, Isa isa, int threads, std::size_t n) try {
  const Case<T>& drawn = case_of<T>(n);
  Options options = bench_options();
  options.isa = isa;
  options.threads = threads;
  Solver solver(options);
  support::ResultArrays<T> arrays(n);
  const InlineContacts<T> contacts = drawn.contacts.inline_contacts();
  const Results<T> results = timed_columns(arrays);

  Report report = solver.solve(contacts, results);
  if (const std::string message = support::disagreement(drawn.expected, arrays); !message.empty()) {
    state.SkipWithError(message.c_str());
    return;
  }
  for (auto _ : state) {
    report = solver.solve(contacts, results);
    benchmark::ClobberMemory();
  }
  count(state, report);
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

void resolve_reference(benchmark::State& state, std::size_t n) try {
  const Case<double>& drawn = case_of<double>(n);
  support::ResultArrays<double> arrays(n);
  const InlineContacts<double> contacts = drawn.contacts.inline_contacts();
  const Results<double> results = timed_columns(arrays);

  Report report;
  for (auto _ : state) {
    report = reference::solve(contacts, results, bench_options());
    benchmark::ClobberMemory();
  }
  count(state, report);
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void register_resolve(const std::string& precision) {
  for (const Isa isa : available_isas()) {
    for (const int threads : {1, 2}) {
      for (const std::size_t n : {1024u, 65536u}) {
        const std::string name = "resolve/energetic/euler/" + precision + "/" + std::string(to_string(isa)) +
                                 "/threads:" + std::to_string(threads) + "/contacts:" + std::to_string(n);
        benchmark::RegisterBenchmark(name.c_str(), resolve<T>, isa, threads, n)->UseRealTime();
      }
    }
  }
}

void register_all() {
  register_resolve<float>("f32");
  register_resolve<double>("f64");
  for (const std::size_t n : {1024u, 65536u}) {
    const std::string name = "reference/energetic/euler/f64/contacts:" + std::to_string(n);
    benchmark::RegisterBenchmark(name.c_str(), resolve_reference, n)->UseRealTime();
  }
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  carom::bench::register_all();
  for (const auto& [key, value] : carom::bench::machine_facts()) benchmark::AddCustomContext(key, value);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
