// Contacts of the benchmarks, and the reference's results for them.
#pragma once

#include <carom/solver.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "support/contacts/random_contacts.hpp"
#include "support/running/agreement.hpp"

namespace carom::bench {

inline constexpr std::uint64_t seed = 1;
inline constexpr int euler_steps = 100;

inline Options bench_options(Integrator integrator, int steps = euler_steps) {
  Options options;
  options.integrator = integrator;
  if (integrator == Integrator::euler) options.steps = steps;
  return options;
}

template <class T>
struct Case {
  Case(const Options& options, std::size_t n) : contacts(n, seed), expected(contacts.widened(), options) {}

  support::RandomContacts<T> contacts;
  support::Expected expected;
};

/// Drawn and solved by the reference when a benchmark first needs it.
template <class T>
const Case<T>& case_of(const Options& options, std::size_t n) {
  static std::map<std::tuple<Integrator, int, std::size_t>, std::unique_ptr<Case<T>>> cases;
  auto& entry = cases[{options.integrator, options.steps, n}];
  if (!entry) entry = std::make_unique<Case<T>>(options, n);
  return *entry;
}

/// Results that an application typically requests: impulse, velocities and status.
template <class T>
Results<T> timed_columns(support::ResultArrays<T>& arrays) {
  Results<T> results = arrays.results();
  results.path = {};
  results.work_compression = results.work_decompression = {};
  results.steps = {};
  return results;
}

}  // namespace carom::bench
