#include "algebraic.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <carom/blocked.hpp>
#include <carom/reference.hpp>
#include <carom/solver.hpp>
#include <cmath>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/blocked.hpp"
#include "support/random_contacts.hpp"
#include "support/random_laws.hpp"

namespace carom::bench {
namespace {

constexpr std::uint64_t seed = 1;

/// A form of contacts, `law` of them named by the options or, for mixed laws, by a column.
template <class T>
struct Inline {
  static constexpr const char* name = "inline";
  static constexpr bool bodies = true;
  explicit Inline(std::size_t n) : drawn(n, seed) {}
  InlineContacts<T> contacts() const { return drawn.inline_contacts(); }
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
  SpaceContacts<T> contacts() const { return drawn.space_contacts(); }
  support::RandomSpaceContacts<T> drawn;
};

/// What a host asks for: impulse, velocities and status.
template <class T>
Results<T> timed_columns(support::ResultArrays<T>& arrays, bool bodies) {
  Results<T> results = arrays.results();
  if (bodies) results.separation_velocity = {};
  results.path = {};
  results.work_compression = results.work_decompression = {};
  results.steps = {};
  return results;
}

Options options_of(Law law, Isa isa, int threads) {
  Options options;
  options.law = law;
  options.isa = isa;
  options.threads = threads;
  return options;
}

/// Whether all contacts of a small batch are resolved, and all but the worst conditioned as the reference does it.
template <template <class> class Form, class T>
std::string disagreement(const Options& options) {
  constexpr std::size_t n = 4096;
  const support::RandomLaws<T> laws(n, seed);
  const support::RandomLaws<double> wide_laws(n, seed);
  Form<T> form(n);
  auto&& contacts = form.contacts();
  laws.give(contacts);
  support::ResultArrays<T> found(n, Form<T>::bodies);
  Solver(options).solve(contacts, found.results());

  // The same contacts before they were rounded to float.
  support::ResultArrays<double> expected(n, Form<T>::bodies);
  if constexpr (std::is_same_v<Form<T>, Blocked<T>>) {
    const Inline<double> wide(n);
    InlineContacts<double> wide_contacts = wide.contacts();
    wide_laws.give(wide_contacts);
    reference::solve(wide_contacts, expected.results(), options);
  } else {
    const Form<double> wide(n);
    auto wide_contacts = wide.contacts();
    wide_laws.give(wide_contacts);
    reference::solve(wide_contacts, expected.results(), options);
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
  const Options options = options_of(law, isa, threads);
  if (const std::string message = disagreement<Form, T>(options); !message.empty())
    return state.SkipWithError(message.c_str());
  Form<T> form(n);
  const support::RandomLaws<T> laws(n, seed);
  auto&& contacts = form.contacts();
  laws.give(contacts);
  support::ResultArrays<T> arrays(n, Form<T>::bodies);
  const Results<T> results = timed_columns(arrays, Form<T>::bodies);
  Solver solver(options);
  Report report = solver.solve(contacts, results);
  if (report.faults() > 0) return state.SkipWithError("faults");
  for (auto _ : state) {
    report = solver.solve(contacts, results);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

/// Every contact with one of `mixed`, at random.
template <class T>
void resolve_mixed(benchmark::State& state, const std::vector<Law>& mixed, Isa isa, std::size_t n) try {
  const Space<T> form(n);
  support::RandomLaws<T> laws(n, seed);
  support::Draw draw(seed);
  for (Law& law : laws.law) law = mixed[draw.below(mixed.size())];
  SpaceContacts<T> contacts = form.contacts();
  laws.give(contacts);
  contacts.law = laws.law;
  support::ResultArrays<T> arrays(n, false);
  const Results<T> results = timed_columns(arrays, false);
  Solver solver(options_of(Law::frictionless, isa, 1));
  for (auto _ : state) {
    solver.solve(contacts, results);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <template <class> class Form, class T>
void register_form(const std::string& precision, int most_threads) {
  for (const Isa isa : available_isas())
    for (const Law law : {Law::frictionless, Law::no_slip, Law::chatterjee_ruina, Law::bilinear, Law::whittaker,
                          Law::smith, Law::anitescu_potra, Law::brach, Law::projected, Law::polar})
      for (const std::size_t n : {std::size_t{4096}, std::size_t{1'000'000}})
        for (int threads = 1; threads <= most_threads; ++threads) {
          const std::string name = "resolve/" + std::string(to_string(law)) + "/" + precision + "/" +
                                   std::string(to_string(isa)) + "/" + Form<T>::name +
                                   "/threads:" + std::to_string(threads) + "/contacts:" + std::to_string(n);
          benchmark::RegisterBenchmark(name.c_str(), resolve<Form, T>, law, isa, threads, n)->UseRealTime();
        }
}

template <class T>
void register_precision(const std::string& precision, int most_threads) {
  register_form<Inline, T>(precision, most_threads);
  register_form<Blocked, T>(precision, most_threads);
  register_form<Indexed, T>(precision, most_threads);
  register_form<Space, T>(precision, most_threads);
  const std::vector<Law> closed = {Law::frictionless, Law::no_slip, Law::chatterjee_ruina, Law::bilinear};
  const std::vector<Law> iterative = {Law::whittaker, Law::smith, Law::anitescu_potra};
  std::vector<Law> both = closed;
  both.insert(both.end(), iterative.begin(), iterative.end());
  for (const Isa isa : available_isas())
    for (const auto& [what, laws] :
         {std::pair{"closed", closed}, std::pair{"iterative", iterative}, std::pair{"all", both}}) {
      const std::string name = "resolve/mixed_" + std::string(what) + "/" + precision + "/" +
                               std::string(to_string(isa)) + "/space/threads:1/contacts:65536";
      benchmark::RegisterBenchmark(name.c_str(), resolve_mixed<T>, laws, isa, std::size_t{65536})->UseRealTime();
    }
}

}  // namespace

void register_algebraic(int most_threads) {
  register_precision<float>("f32", most_threads);
  register_precision<double>("f64", most_threads);
}

}  // namespace carom::bench
