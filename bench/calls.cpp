// Calls of few contacts, as a step of a small scene makes them: call/<method>/<precision>/<isa>/contacts:<n>, one
// thread, the best ISA. The rate counts calls. The contacts are random boxes as inline bodies; a closed form is
// Chatterjee and Ruina's law, in the plane and in space.
#include <benchmark/benchmark.h>

#include <carom/solver.hpp>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "cases.hpp"
#include "machine.hpp"
#include "support/planar/random_contacts.hpp"

namespace carom::bench {
namespace {

template <class AnyContacts, class ResultsOf>
void time_calls(benchmark::State& state, const AnyContacts& contacts, const ResultsOf& results,
                const Options& options) {
  Solver solver({.threads = 1});
  Report report = solver.solve(contacts, results, options);
  if (report.faults() > 0) return state.SkipWithError("faults");
  for (auto _ : state) {
    report = solver.solve(contacts, results, options);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

template <class T>
void call(benchmark::State& state, const Options& options, std::size_t n) try {
  const support::RandomContacts<T> drawn(n, seed);
  Contacts<T> contacts = drawn.inline_contacts();
  const T tangential_restitution = 0;
  contacts.laws.tangential_restitution = {&tangential_restitution, n, 0};
  contacts = select(contacts, options);
  support::ResultArrays<T> arrays(n);
  time_calls(state, contacts, timed_columns(arrays), options);
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void call_planar(benchmark::State& state, const Options& options, std::size_t n) try {
  const support::RandomPlanarBodies<T> drawn(n, seed);
  support::PlanarResultArrays<T> arrays(n);
  planar::Results<T> results = arrays.results();
  results.path = {};
  results.work_compression = results.work_decompression = {};
  time_calls(state, select(drawn.inline_contacts(), options), results, options);
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void register_precision(const std::string& precision) {
  Options closed;
  closed.law = Law::chatterjee_ruina;
  const auto add = [&](const std::string& method, auto f, const Options& options) {
    for (const std::size_t n : {1u, 16u}) {
      const std::string name = "call/" + method + "/" + precision + "/" + std::string(to_string(best_isa())) +
                               "/contacts:" + std::to_string(n);
      benchmark::RegisterBenchmark(name.c_str(), f, options, n)->UseRealTime();
    }
  };
  add("chatterjee-ruina", call<T>, closed);
  add("series", call<T>, bench_options(Integrator::series));
  add("euler", call<T>, bench_options(Integrator::euler));
  add("planar-chatterjee-ruina", call_planar<T>, closed);
  add("planar-incremental", call_planar<T>, Options{});
}

const bool registered = [] {
  register_precision<float>("f32");
  register_precision<double>("f64");
  return true;
}();

}  // namespace
}  // namespace carom::bench
