#include <benchmark/benchmark.h>

#include <carom/reference.hpp>
#include <carom/solver.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "accuracy.hpp"
#include "algebraic.hpp"
#include "bullet.hpp"
#include "cases.hpp"
#include "energy.hpp"
#include "gradients.hpp"
#include "limit.hpp"
#include "machine.hpp"
#include "ncp.hpp"
#include "placement.hpp"
#include "rest.hpp"
#include "scene.hpp"

namespace carom::bench {
namespace {

void count(benchmark::State& state, Integrator integrator, const Report& report) {
  const auto times = static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(report.contacts));
  state.counters[std::string(to_string(integrator)) + "_steps"] =
      benchmark::Counter(times * static_cast<double>(report.sliding_steps), benchmark::Counter::kIsRate);
  if (report.lane_steps > 0)
    state.counters["active_lanes"] = static_cast<double>(report.sliding_steps) / static_cast<double>(report.lane_steps);
}

template <class T>
void resolve(benchmark::State& state, Integrator integrator, Isa isa, int threads, std::size_t n) try {
  const Case<T>& drawn = case_of<T>(bench_options(integrator), n);
  const Options options = bench_options(integrator);
  Solver solver({.isa = isa, .threads = threads});
  support::ResultArrays<T> arrays(n);
  const Contacts<T> contacts = drawn.contacts.inline_contacts();
  const Results<T> results = timed_columns(arrays);

  Report report = solver.solve(contacts, results, options);
  if (const std::string message = support::disagreement(drawn.expected, arrays); !message.empty()) {
    state.SkipWithError(message.c_str());
    return;
  }
  for (auto _ : state) {
    report = solver.solve(contacts, results, options);
    benchmark::ClobberMemory();
  }
  count(state, integrator, report);
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

void resolve_reference(benchmark::State& state, Integrator integrator, std::size_t n) try {
  const Case<double>& drawn = case_of<double>(bench_options(integrator), n);
  support::ResultArrays<double> arrays(n);
  const Contacts<double> contacts = drawn.contacts.inline_contacts();
  const Results<double> results = timed_columns(arrays);

  Report report;
  for (auto _ : state) {
    report = reference::solve(contacts, results, bench_options(integrator));
    benchmark::ClobberMemory();
  }
  count(state, integrator, report);
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void limit(benchmark::State& state, const LimitLoop<T>& loop) {
  constexpr std::int64_t rounds = 1000;
  // The numbers approach numerator^(2/3), whose root and reciprocal are as hard as any.
  constexpr T numerator = T(1.7);
  std::vector<T> x(loop.lanes, T(2));
  for (auto _ : state) {
    loop.run(x.data(), numerator, rounds);
    benchmark::ClobberMemory();
  }
  for (const T found : x) {
    if (!(std::abs(found * found * found - numerator * numerator) < T(1e-5))) state.SkipWithError("wrong numbers");
  }
  state.SetItemsProcessed(state.iterations() * rounds * static_cast<std::int64_t>(loop.lanes));
}

template <class T>
void register_resolve(const std::string& precision, int max_threads) {
  for (const Isa isa : available_isas()) {
    for (int threads = 1; threads <= max_threads; ++threads) {
      for (const std::size_t n : {1024u, 65536u}) {
        for (const Integrator integrator : {Integrator::series, Integrator::euler}) {
          const std::string name = "resolve/energetic/" + std::string(to_string(integrator)) + "/" + precision + "/" +
                                   std::string(to_string(isa)) + "/threads:" + std::to_string(threads) +
                                   "/contacts:" + std::to_string(n);
          benchmark::RegisterBenchmark(name.c_str(), resolve<T>, integrator, isa, threads, n)->UseRealTime();
        }
      }
    }
  }
}

void register_limits() {
  for (const Isa isa : available_isas()) {
    const std::string name = "limit/sqrt_div/";
    const LimitLoops& loops = limit_loops(isa);
    benchmark::RegisterBenchmark((name + "f32/" + std::string(to_string(isa))).c_str(), limit<float>, loops.f32)
        ->UseRealTime();
    benchmark::RegisterBenchmark((name + "f64/" + std::string(to_string(isa))).c_str(), limit<double>, loops.f64)
        ->UseRealTime();
  }
}

void register_all(int max_threads) {
  register_resolve<float>("f32", max_threads);
  register_resolve<double>("f64", max_threads);
  for (const std::size_t n : {1024u, 65536u}) {
    for (const Integrator integrator : {Integrator::series, Integrator::euler}) {
      const std::string name =
          "reference/energetic/" + std::string(to_string(integrator)) + "/f64/contacts:" + std::to_string(n);
      benchmark::RegisterBenchmark(name.c_str(), resolve_reference, integrator, n)->UseRealTime();
    }
  }
  register_algebraic(max_threads);
  register_gradients();
  register_scenes(max_threads);
  register_rest();
  register_ncp();
#ifdef CAROM_HAS_BULLET
  register_bullet(max_threads);
#endif
  register_limits();
  register_accuracy();
  register_energy();
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) try {
  using namespace carom::bench;
  const PinnedThreads pinned(2);
  register_all(pinned.count());
  for (const auto& [key, value] : machine_facts()) benchmark::AddCustomContext(key, value);
  benchmark::AddCustomContext("threads", pinned.description());
  benchmark::AddCustomContext("steps", std::to_string(euler_steps));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
} catch (const std::exception& error) {
  std::fprintf(stderr, "carom_bench: %s\n", error.what());
  return 1;
}
