#include "algebraic.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <carom/blocked.hpp>
#include <carom/reference.hpp>
#include <carom/solver.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "structs.hpp"
#include "support/contacts/blocked_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace carom::bench {
namespace {

constexpr std::uint64_t seed = 1;

/// A form of contacts. Their law is an option; batches of mixed laws have a column of laws.
template <class T>
struct Inline {
  static constexpr const char* name = "inline";
  static constexpr bool bodies = true;
  explicit Inline(std::size_t n) : drawn(n, seed) {}
  Contacts<T> contacts() const { return drawn.inline_contacts(); }
  support::RandomContacts<T> drawn;
};
template <class T>
struct Blocked {
  static constexpr const char* name = "blocked";
  static constexpr bool bodies = true;
  explicit Blocked(std::size_t n) : drawn(n, seed), blocked(support::blocked_of(drawn.inline_contacts())) {}
  BlockedContacts<T>& contacts() { return blocked; }
  support::RandomContacts<T> drawn;
  BlockedContacts<T> blocked;
};
template <class T>
struct Indexed {
  static constexpr const char* name = "indexed";
  static constexpr bool bodies = true;
  explicit Indexed(std::size_t n) : drawn(n, n / 10, seed) {}
  IndexedContacts<T> contacts() const { return drawn.indexed_contacts(); }
  support::RandomIndexedContacts<T> drawn;
};
template <class T>
struct Space {
  static constexpr const char* name = "space";
  static constexpr bool bodies = false;
  explicit Space(std::size_t n) : drawn(n, seed) {}
  KContacts<T> contacts() const { return drawn.space_contacts(); }
  support::RandomSpaceContacts<T> drawn;
};

/// The columns that contacts under the law of the options read.
template <class T>
LawColumns<T> selected(const LawColumns<T>& laws, const Options& options) {
  return select(Contacts<T>{.laws = laws}, options).laws;
}

/// The results that engines use: impulse, velocities and status.
template <class T>
Results<T> timed_columns(support::ResultArrays<T>& arrays, bool bodies) {
  Results<T> results = arrays.results();
  if (bodies) results.separation_velocity = {};
  results.path = {};
  results.work_compression = results.work_decompression = {};
  results.steps = {};
  return results;
}

/// Checks a small batch: every contact is resolved, and agrees with the reference unless it is badly conditioned.
template <template <class> class Form, class T>
std::string disagreement(Isa isa, const Options& options) {
  constexpr std::size_t n = 4096;
  const support::RandomLaws<T> laws(n, seed);
  const support::RandomLaws<double> wide_laws(n, seed);
  Form<T> form(n);
  auto&& contacts = form.contacts();
  laws.give(contacts.laws);
  support::ResultArrays<T> found(n, Form<T>::bodies);
  contacts.laws = selected(contacts.laws, options);
  Solver({.isa = isa, .threads = 1}).solve(contacts, found.results(), options);

  // The same contacts in double, not rounded to float.
  support::ResultArrays<double> expected(n, Form<T>::bodies);
  if constexpr (std::is_same_v<Form<T>, Blocked<T>>) {
    const Inline<double> wide(n);
    Contacts<double> wide_contacts = wide.contacts();
    wide_laws.give(wide_contacts.laws);
    reference::solve(select(wide_contacts, options), expected.results(), options);
  } else {
    const Form<double> wide(n);
    auto wide_contacts = wide.contacts();
    wide_laws.give(wide_contacts.laws);
    reference::solve(select(wide_contacts, options), expected.results(), options);
  }
  const double tolerance = sizeof(T) == sizeof(float) ? 1e-2 : 1e-9;
  std::size_t far = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double difference = 0, size = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      difference = std::max(difference, std::abs(static_cast<double>(found.impulse[c][i]) - expected.impulse[c][i]));
      size = std::max(size, std::abs(expected.impulse[c][i]));
    }
    far += difference <= tolerance * size ? 0u : 1u;
  }
  return far > n / 50 ? std::to_string(far) + " of 4096 impulses are not the reference's" : "";
}

template <template <class> class Form, class T>
void resolve(benchmark::State& state, Law law, Isa isa, int threads, std::size_t n) try {
  const Options options{.law = law};
  static std::map<std::pair<Law, Isa>, std::string> checked;
  const auto [check, is_new] = checked.try_emplace({law, isa});
  if (is_new) check->second = disagreement<Form, T>(isa, options);
  if (!check->second.empty()) return state.SkipWithError(check->second.c_str());
  // Drawing takes longer than the benchmark, so each batch is drawn once.
  static std::map<std::size_t, std::pair<Form<T>, support::RandomLaws<T>>> drawn;
  auto& of_size = drawn.try_emplace(n, std::piecewise_construct, std::tuple(n), std::tuple(n, seed)).first->second;
  Form<T>& form = of_size.first;
  const support::RandomLaws<T>& laws = of_size.second;
  auto&& contacts = form.contacts();
  laws.give(contacts.laws);
  contacts.laws = selected(contacts.laws, options);
  support::ResultArrays<T> arrays(n, Form<T>::bodies);
  Results<T> results = timed_columns(arrays, Form<T>::bodies);
  if constexpr (requires { form.results(arrays); }) results = form.results(arrays);
  Solver solver({.isa = isa, .threads = threads});
  Report report = solver.solve(contacts, results, options);
  if (report.faults() > 0) return state.SkipWithError("faults");
  for (auto _ : state) {
    report = solver.solve(contacts, results, options);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

/// Every contact has a random law of `mixed`. `of_mean`: rate over the harmonic mean of the laws' separate rates. 1
/// means that mixing laws has no cost.
template <template <class> class Form, class T>
void resolve_mixed(benchmark::State& state, const std::vector<Law>& mixed, Isa isa, std::size_t n) try {
  Form<T> form(n);
  support::RandomLaws<T> laws(n, seed);
  support::Draw draw(seed);
  for (Law& law : laws.law) law = mixed[draw.below(mixed.size())];
  auto&& contacts = form.contacts();
  laws.give(contacts.laws);
  support::ResultArrays<T> arrays(n, Form<T>::bodies);
  const Results<T> results = timed_columns(arrays, Form<T>::bodies);
  using Clock = std::chrono::steady_clock;
  Solver solver({.isa = isa, .threads = 1});
  const auto seconds = [&](Law law) {
    contacts.laws = {};
    laws.give(contacts.laws);
    contacts.laws = selected(contacts.laws, {.law = law});
    const auto begin = Clock::now();
    solver.solve(contacts, results, {.law = law});
    benchmark::ClobberMemory();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  for (const Law law : mixed) seconds(law);
  double of_single = 0, of_mixed = 0;
  for (auto _ : state) {
    state.PauseTiming();
    for (const Law law : mixed) of_single += seconds(law);
    laws.give(contacts.laws);
    contacts.laws.law = laws.law;
    state.ResumeTiming();
    const auto begin = Clock::now();
    solver.solve(contacts, results);
    benchmark::ClobberMemory();
    of_mixed += std::chrono::duration<double>(Clock::now() - begin).count();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
  state.counters["of_mean"] = of_single / static_cast<double>(mixed.size()) / of_mixed;
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

void stream_line_in_parts(float* to, const float* line) {
#ifdef __SSE2__
  for (int i = 0; i < 16; i += 4) _mm_stream_ps(to + i, _mm_loadu_ps(line + i));
#else
  std::copy_n(line, 16, to);
#endif
}
#ifdef __x86_64__
[[gnu::target("avx512f")]] void stream_whole_line(float* to, const float* line) {
  _mm512_stream_ps(to, _mm512_loadu_ps(line));
}
#endif

/// Measures the limit of the memory: reads a batch in blocks and writes impulse, velocities and status past the caches.
void stream(benchmark::State& state, std::size_t n) {
  using Part [[gnu::vector_size(16)]] = float;
  constexpr std::size_t columns = BlockedContacts<float>::columns, block = 16, at_once = 4, written = 15;
  const BlockedContacts<float> contacts(n);
  const float* const first = contacts.friction.data;
  const std::unique_ptr<float[]> out(new float[written * n + block]());
  float* const aligned = out.get() + block - reinterpret_cast<std::uintptr_t>(out.get()) / sizeof(float) % block;
  auto stream_line = stream_line_in_parts;
#ifdef __x86_64__
  if (available_isas().front() == Isa::avx512) stream_line = stream_whole_line;
#endif
  for (auto _ : state) {
    Part sum[4] = {};
    for (std::size_t i = 0; i + at_once * block <= n; i += at_once * block) {
      const float* const from = first + i * columns;
      for (std::size_t c = 0; c < at_once * columns; ++c)
        __builtin_prefetch(from + (c + 2 * at_once * columns) * block, 0, 2);
      for (std::size_t c = 0; c < at_once * columns; ++c)
        for (std::size_t part = 0; part < 4; ++part)
          sum[part] += *reinterpret_cast<const Part*>(from + c * block + part * 4);
      float line[block];
      std::memcpy(line, sum, sizeof line);
      for (std::size_t c = 0; c < written; ++c)
        for (std::size_t lane = 0; lane < at_once * block; lane += block)
          stream_line(aligned + c * (n / block * block) + i + lane, line);
    }
    benchmark::DoNotOptimize(sum[0]);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
}

// Each row of mixed laws also times the single laws, which takes several times as long.
constexpr double of_mixed_seconds = 0.1;

constexpr std::size_t in_cache = 4096, beyond_cache = 1'000'000;

std::string name_of(const std::string& what, const std::string& precision, Isa isa, const std::string& form,
                    int threads, std::size_t n) {
  return "laws/" + what + "/" + precision + "/" + std::string(to_string(isa)) + "/" + form +
         "/threads:" + std::to_string(threads) + "/contacts:" + std::to_string(n);
}

template <template <class> class Form, class T>
void register_one(Law law, const std::string& precision, Isa isa, int threads, std::size_t n) {
  const std::string name = name_of(std::string(to_string(law)), precision, isa, std::string(Form<T>::name), threads, n);
  benchmark::RegisterBenchmark(name.c_str(), resolve<Form, T>, law, isa, threads, n)->UseRealTime();
}

template <template <class> class Form, class T>
void register_form(const std::string& precision, int max_threads) {
  const Isa best = best_isa();
  for (const Law law : {Law::frictionless, Law::no_slip, Law::chatterjee_ruina, Law::bilinear}) {
    register_one<Form, T>(law, precision, best, 1, in_cache);
    if (std::is_same_v<T, float>) register_one<Form, T>(law, precision, best, 1, beyond_cache);
  }
  for (int threads = 2; std::is_same_v<T, float> && threads <= max_threads; ++threads)
    register_one<Form, T>(Law::chatterjee_ruina, precision, best, threads, beyond_cache);
  for (const Isa isa : available_isas())
    if (isa != best) register_one<Form, T>(Law::chatterjee_ruina, precision, isa, 1, in_cache);
}

template <class T>
void register_precision(const std::string& precision, int max_threads) {
  register_form<Inline, T>(precision, max_threads);
  register_form<Blocked, T>(precision, max_threads);
  register_form<Indexed, T>(precision, max_threads);
  register_form<Space, T>(precision, max_threads);
  const Isa best = best_isa();
  const auto register_host = [&]<template <class> class Form>() {
    for (const Law law : {Law::chatterjee_ruina, Law::incremental})
      register_one<Form, T>(law, precision, best, 1, in_cache);
    register_one<Form, T>(Law::chatterjee_ruina, precision, best, 1, beyond_cache);
  };
  register_host.template operator()<Floor>();
  register_host.template operator()<FloorOnPages>();
  register_host.template operator()<RepeatedFloor>();
  register_host.template operator()<StructsOnFloor>();
  register_host.template operator()<IndexedStructs>();
  register_one<Indexed, T>(Law::incremental, precision, best, 1, in_cache);
  for (const Law law : {Law::whittaker, Law::smith, Law::anitescu_potra, Law::brach, Law::projected, Law::polar})
    register_one<Space, T>(law, precision, best, 1, in_cache);
  const std::vector<Law> closed = {Law::frictionless, Law::no_slip, Law::chatterjee_ruina, Law::bilinear};
  const std::vector<Law> iterative = {Law::whittaker, Law::smith, Law::anitescu_potra};
  std::vector<Law> both = closed;
  both.insert(both.end(), iterative.begin(), iterative.end());
  for (const auto& [what, laws] :
       {std::pair{"mixed-closed", closed}, std::pair{"mixed-iterative", iterative}, std::pair{"mixed", both}}) {
    benchmark::RegisterBenchmark(name_of(what, precision, best, "space", 1, in_cache).c_str(), resolve_mixed<Space, T>,
                                 laws, best, in_cache)
        ->MinTime(of_mixed_seconds)
        ->UseRealTime();
    benchmark::RegisterBenchmark(name_of(what, precision, best, "inline", 1, in_cache).c_str(),
                                 resolve_mixed<Inline, T>, laws, best, in_cache)
        ->MinTime(of_mixed_seconds)
        ->UseRealTime();
  }
}

}  // namespace

void register_algebraic(int max_threads) {
  register_precision<float>("f32", max_threads);
  register_precision<double>("f64", max_threads);
  benchmark::RegisterBenchmark("limit/stream/f32", stream, beyond_cache)->UseRealTime();
}

}  // namespace carom::bench
