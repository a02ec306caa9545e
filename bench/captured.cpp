// Compares contacts of an engine with random boxes: captured/<contacts>/<method>/<precision>/<isa>/contacts:65536, one
// thread, fastest ISA. The pile has every 24th contact of three moments of a heap of cubes, including separating
// contacts. The funnel has the approaching contacts of examples/funnel. Both are repeated in order up to the number of
// contacts.
#include <benchmark/benchmark.h>

#include <carom/solver.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "captured_contacts.hpp"
#include "cases.hpp"
#include "machine.hpp"
#include "support/running/agreement.hpp"

namespace carom::bench {
namespace {

constexpr std::size_t contacts = 65536;

template <class T>
support::RandomContacts<T> contacts_of(std::string_view source, std::size_t n) {
  if (source == "boxes") return {n, seed};
  return captured_contacts<T>(source == "pile" ? CAROM_BENCH_PILE_CONTACTS : CAROM_BENCH_FUNNEL_CONTACTS, n);
}

/// The first contacts, all different, against the reference.
template <class T>
std::string disagreement(std::string_view source, const Options& options) {
  const support::RandomContacts<T> few = contacts_of<T>(source, 1000);
  support::ResultArrays<T> found(1000);
  Solver({.threads = 1}).solve(few.inline_contacts(), found.results(), options);
  return support::disagreement(support::Expected(few.widened(), options), found);
}

template <class T>
void resolve(benchmark::State& state, std::string_view source, Options options) try {
  // Other benchmarks compare the law in closed form.
  if (options.law == Law::incremental)
    if (const std::string message = disagreement<T>(source, options); !message.empty())
      return state.SkipWithError(message.c_str());
  const support::RandomContacts<T> drawn = contacts_of<T>(source, contacts);
  Contacts<T> view = drawn.inline_contacts();
  const T tangential_restitution = 0;
  if (options.law == Law::chatterjee_ruina) view.laws.tangential_restitution = tangential_restitution;
  support::ResultArrays<T> arrays(contacts);
  const Results<T> results = timed_columns(arrays);
  Solver solver({.threads = 1});
  Report report = solver.solve(view, results, options);
  if (report.faults() > 0) return state.SkipWithError("faults");
  for (auto _ : state) {
    report = solver.solve(view, results, options);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(contacts));
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void register_precision(const std::string& precision) {
  Options closed;
  closed.law = Law::chatterjee_ruina;
  for (const char* source : {"boxes", "pile", "funnel"}) {
    for (const auto& [method, options] : {std::pair{"series", bench_options(Integrator::series)},
                                          {"euler", bench_options(Integrator::euler)},
                                          {"chatterjee-ruina", closed}}) {
      const std::string name = std::string("captured/") + source + "/" + method + "/" + precision + "/" +
                               std::string(to_string(best_isa())) + "/contacts:" + std::to_string(contacts);
      benchmark::RegisterBenchmark(name.c_str(), resolve<T>, source, options)->UseRealTime();
    }
  }
}

const bool registered = [] {
  register_precision<float>("f32");
  register_precision<double>("f64");
  return true;
}();

}  // namespace
}  // namespace carom::bench
