// Planar contacts of every law on the best ISA, one thread: resolve/planar/<law>/<precision>/<isa>/<form>/contacts:N.
// Rows of mixed laws have of_mean: the rate over the harmonic mean of the rates of the single laws, timed in turns.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <carom/reference_planar.hpp>
#include <carom/solver.hpp>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "support/planar/random_contacts.hpp"

namespace carom::bench {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::size_t in_cache = 4096, beyond_cache = 1'000'000;
enum class Form { inlined, indexed, space };
constexpr std::pair<Form, const char*> forms[] = {
    {Form::inlined, "inline"}, {Form::indexed, "indexed"}, {Form::space, "space"}};

template <class T>
struct AnyContacts {
  AnyContacts(Form form, std::size_t n) {
    if (form == Form::space)
      space = support::RandomPlanarSpace<T>(n, seed);
    else
      bodies = support::RandomPlanarBodies<T>(n, seed, form == Form::indexed ? n / 10 : 0);
  }

  template <class Solve>
  Report visit(Form form, bool mixed, Solve&& solve) const {
    const auto with_law = [&](auto view, const auto& laws) {
      if (mixed) view.laws.law = laws.law;
      return view;
    };
    if (form == Form::space) return solve(with_law(space.view(), space.laws));
    if (form == Form::inlined) return solve(with_law(bodies.inline_contacts(), bodies.laws));
    return solve(with_law(bodies.indexed_contacts(), bodies.laws));
  }

  support::RandomPlanarSpace<T> space;
  support::RandomPlanarBodies<T> bodies;
};

/// Draws the contacts when a benchmark first needs them, and frees the last ones.
template <class T>
const AnyContacts<T>& contacts_of(Form form, std::size_t n) {
  static std::pair<Form, std::size_t> last;
  static std::unique_ptr<AnyContacts<T>> contacts;
  if (!contacts || last != std::pair{form, n}) contacts = std::make_unique<AnyContacts<T>>(form, n);
  last = {form, n};
  return *contacts;
}

/// Checks the impulses against the reference. Contacts between bodies of very different size, or with a grazing normal,
/// are badly conditioned: they differ by thousands of roundings.
template <class T>
bool is_right(Form form, bool mixed, const Options& options) {
  const AnyContacts<T> few(form, in_cache);
  support::PlanarResultArrays<T> found(in_cache, form != Form::space);
  Solver solver({.threads = 1});
  few.visit(form, mixed,
            [&](const auto& view) { return solver.solve(select(view, options), found.results(), options); });
  AnyContacts<double> wide(Form::space, 0);
  wide.space = few.space.widened();
  wide.bodies = few.bodies.widened();
  support::PlanarResultArrays<double> expected(in_cache, form != Form::space);
  wide.visit(form, mixed, [&](const auto& view) {
    return reference::planar::solve(select(view, options), expected.results(), options);
  });
  for (std::size_t i = 0; i < in_cache; ++i) {
    const double px = expected.numbers[0][i], py = expected.numbers[1][i];
    const double bound = 2e4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (std::hypot(px, py) + 100);
    if (!(std::abs(static_cast<double>(found.numbers[0][i]) - px) <= bound) ||
        !(std::abs(static_cast<double>(found.numbers[1][i]) - py) <= bound))
      return false;
  }
  return true;
}

/// The results that engines use: impulse, velocities and status.
template <class T>
planar::Results<T> timed_columns(support::PlanarResultArrays<T>& arrays) {
  planar::Results<T> results = arrays.results();
  results.path = {};
  results.work_compression = results.work_decompression = {};
  return results;
}

template <class T>
void resolve(benchmark::State& state, Law law, Form form, std::size_t n) try {
  const Options options{.law = law};
  if (!is_right<T>(form, false, options)) return state.SkipWithError("wrong impulses");
  support::PlanarResultArrays<T> arrays(n, form != Form::space);
  const planar::Results<T> results = timed_columns(arrays);
  Solver solver({.threads = 1});
  contacts_of<T>(form, n).visit(form, false, [&](const auto& view) {
    const auto selected = select(view, options);
    Report report = solver.solve(selected, results, options);
    for (auto _ : state) {
      report = solver.solve(selected, results, options);
      benchmark::ClobberMemory();
    }
    return report;
  });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

/// Every contact has a random law.
template <class T>
void resolve_mixed(benchmark::State& state, Form form, std::size_t n) try {
  if (!is_right<T>(form, true, {})) return state.SkipWithError("wrong impulses");
  const AnyContacts<T>& contacts = contacts_of<T>(form, n);
  support::PlanarResultArrays<T> arrays(n, form != Form::space);
  const planar::Results<T> results = timed_columns(arrays);
  Solver solver({.threads = 1});
  const auto seconds = [&](Law law, bool mixed) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    contacts.visit(form, mixed,
                   [&](const auto& view) { return solver.solve(select(view, {.law = law}), results, {.law = law}); });
    benchmark::ClobberMemory();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  for (const LawInfo& info : all_laws()) seconds(info.law, false);
  double of_single = 0, of_mixed = 0;
  for (auto _ : state) {
    for (const LawInfo& info : all_laws()) of_single += seconds(info.law, false);
    const double one = seconds(Law::incremental, true);
    state.SetIterationTime(one);
    of_mixed += one;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
  state.counters["of_mean"] = of_single / static_cast<double>(law_count) / of_mixed;
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

std::string name_of(std::string_view law, std::size_t bits, Form form, std::size_t n) {
  const auto* const named =
      std::find_if(std::begin(forms), std::end(forms), [&](const auto& f) { return f.first == form; });
  return "resolve/planar/" + std::string(law) + "/f" + std::to_string(bits) + "/" + std::string(to_string(best_isa())) +
         "/" + named->second + "/contacts:" + std::to_string(n);
}

template <class T>
void register_precision() {
  constexpr double min_seconds = 0.2;
  const auto one = [](Law law, Form form, std::size_t n) {
    benchmark::RegisterBenchmark(name_of(to_string(law), 8 * sizeof(T), form, n).c_str(), resolve<T>, law, form, n)
        ->UseRealTime()
        ->MinTime(min_seconds);
  };
  for (const Form form : {Form::inlined, Form::space}) {
    for (std::size_t l = 0; l < law_count; ++l) one(static_cast<Law>(l), form, in_cache);
    // For the mean, each law is also timed separately.
    benchmark::RegisterBenchmark(name_of("mixed", 8 * sizeof(T), form, in_cache).c_str(), resolve_mixed<T>, form,
                                 in_cache)
        ->UseManualTime()
        ->MinTime(min_seconds / 4);
    one(Law::chatterjee_ruina, form, beyond_cache);
  }
  for (const std::size_t n : {in_cache, beyond_cache}) one(Law::chatterjee_ruina, Form::indexed, n);
}

const bool registered = [] {
  register_precision<float>();
  register_precision<double>();
  return true;
}();

}  // namespace
}  // namespace carom::bench
