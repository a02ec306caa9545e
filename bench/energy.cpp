#include "energy.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>

#include "cases.hpp"
#include "machine.hpp"
#include "support/contacts/encounter.hpp"

namespace carom::bench {
namespace {

constexpr std::size_t total = 10'000'000;
constexpr std::size_t contacts_per_call = 62'500;
static_assert(total % contacts_per_call == 0);

template <class T>
Contacts<T> view(const support::RandomContacts<T>& contacts) {
  return contacts.inline_contacts();
}
template <class T>
KContacts<T> view(const support::RandomSpaceContacts<T>& contacts) {
  return contacts.space_contacts();
}

/// Only the solving is timed. Without `as_drawn` one contact in twelve has no losses.
template <template <class> class AnyContacts, class T, bool as_drawn>
void energy(benchmark::State& state, Isa isa) try {
  const Options options = bench_options(Integrator::series);
  Solver solver({.isa = isa, .threads = 1});
  constexpr bool has_bodies = std::is_same_v<AnyContacts<T>, support::RandomContacts<T>>;
  support::ResultArrays<T> arrays(contacts_per_call, has_bodies);
  double max_gain = -std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    for (std::uint64_t call = 0; call < total / contacts_per_call; ++call) {
      state.PauseTiming();
      AnyContacts<T> contacts(contacts_per_call, seed + call);
      if constexpr (!as_drawn) support::leave_some_without_losses(contacts);
      state.ResumeTiming();
      const Report report = solver.solve(view(contacts), arrays.results(), options);
      state.PauseTiming();
      if (report.count(Status::ok) != contacts_per_call) {
        state.SkipWithError("not every contact is resolved");
        return;
      }
      for (std::size_t i = 0; i < contacts_per_call; ++i)
        max_gain = std::max(max_gain, support::relative_energy_gain(support::encounter(contacts, i), arrays, i));
      state.ResumeTiming();
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(total));
  state.counters["contacts"] = static_cast<double>(total);
  state.counters["max_gain"] = max_gain;
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void register_precision(const std::string& precision, Isa isa) {
  const std::string name = "energy/energetic/series/" + precision + "/" + std::string(to_string(isa));
  const auto add = [&](const std::string& what, void (*function)(benchmark::State&, Isa)) {
    // It always comes to the same.
    benchmark::RegisterBenchmark((name + "/" + what).c_str(), function, isa)
        ->Iterations(1)
        ->Repetitions(1)
        ->UseRealTime();
  };
  add("random", energy<support::RandomContacts, T, true>);
  add("lossless", energy<support::RandomContacts, T, false>);
  add("lossless_space", energy<support::RandomSpaceContacts, T, false>);
}

}  // namespace

void register_energy() {
  const Isa best = best_isa();
  register_precision<float>("f32", best);
  register_precision<double>("f64", best);
}

}  // namespace carom::bench
