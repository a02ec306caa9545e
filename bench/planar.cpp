// Planar contacts of every law and form, one thread: resolve/planar/<law>/<precision>/<isa>/<form>/contacts:N.
#include <benchmark/benchmark.h>

#include <carom/reference_planar.hpp>
#include <carom/solver.hpp>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "support/planar_contacts.hpp"

namespace carom::bench {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::size_t in_cache = 4096, beyond_cache = 1'000'000;
enum class Form { inlined, indexed, space };
constexpr std::pair<Form, const char*> forms[] = {
    {Form::inlined, "inline"}, {Form::indexed, "indexed"}, {Form::space, "space"}};

template <class T>
struct Contacts {
  Contacts(Form form, std::size_t n) {
    if (form == Form::space)
      space = support::RandomPlanarSpace<T>(n, seed);
    else
      bodies = support::RandomPlanarBodies<T>(n, seed, form == Form::indexed ? n / 10 : 0);
  }

  template <class Solve>
  Report visit(Form form, bool mixed, Solve&& solve) const {
    const auto with_law = [&](auto view, const auto& laws) {
      if (mixed) view.law = laws.law;
      return view;
    };
    if (form == Form::space) return solve(with_law(space.view(), space.laws));
    if (form == Form::inlined) return solve(with_law(bodies.inline_contacts(), bodies.laws));
    return solve(with_law(bodies.indexed_contacts(), bodies.laws));
  }

  support::RandomPlanarSpace<T> space;
  support::RandomPlanarBodies<T> bodies;
};

/// Drawn when a benchmark first needs them; those before are let go.
template <class T>
const Contacts<T>& contacts_of(Form form, std::size_t n) {
  static std::pair<Form, std::size_t> last;
  static std::unique_ptr<Contacts<T>> contacts;
  if (!contacts || last != std::pair{form, n}) contacts = std::make_unique<Contacts<T>>(form, n);
  last = {form, n};
  return *contacts;
}

/// Whether the lanes give the reference's impulses. Contacts that two bodies of very different size or a grazing normal
/// make sensitive are off by thousands of roundings.
template <class T>
bool is_right(Form form, bool mixed, const Options& options) {
  const Contacts<T> few(form, in_cache);
  support::PlanarResultArrays<T> found(in_cache, form != Form::space);
  Solver solver(options);
  few.visit(form, mixed, [&](const auto& view) { return solver.solve(view, found.results()); });
  Contacts<double> wide(Form::space, 0);
  wide.space = few.space.widened();
  wide.bodies = few.bodies.widened();
  support::PlanarResultArrays<double> expected(in_cache, form != Form::space);
  wide.visit(form, mixed,
             [&](const auto& view) { return reference::planar::solve(view, expected.results(), options); });
  for (std::size_t i = 0; i < in_cache; ++i) {
    const double px = expected.numbers[0][i], py = expected.numbers[1][i];
    const double bound = 2e4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (std::hypot(px, py) + 100);
    if (!(std::abs(static_cast<double>(found.numbers[0][i]) - px) <= bound) ||
        !(std::abs(static_cast<double>(found.numbers[1][i]) - py) <= bound))
      return false;
  }
  return true;
}

template <class T>
void resolve(benchmark::State& state, Law law, bool mixed, Isa isa, Form form, std::size_t n) try {
  Options options;
  options.law = law;
  options.isa = isa;
  options.threads = 1;
  if (!is_right<T>(form, mixed, options)) {
    state.SkipWithError("wrong impulses");
    return;
  }
  const Contacts<T>& contacts = contacts_of<T>(form, n);
  support::PlanarResultArrays<T> arrays(n, form != Form::space);
  // What a host asks for: impulse, velocities and status.
  planar::Results<T> results = arrays.results();
  results.path = {};
  results.work_compression = results.work_decompression = {};
  Solver solver(options);
  contacts.visit(form, mixed, [&](const auto& view) {
    Report report = solver.solve(view, results);
    for (auto _ : state) {
      report = solver.solve(view, results);
      benchmark::ClobberMemory();
    }
    return report;
  });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void register_precision(const std::string& precision) {
  for (const Isa isa : available_isas()) {
    for (const auto& [form, form_name] : forms) {
      for (const std::size_t n : {in_cache, beyond_cache}) {
        for (std::size_t l = 0; l <= law_count; ++l) {
          const bool mixed = l == law_count;
          const Law law = mixed ? Law::incremental : static_cast<Law>(l);
          const std::string name = "resolve/planar/" + (mixed ? "mixed" : std::string(to_string(law))) + "/" +
                                   precision + "/" + std::string(to_string(isa)) + "/" + form_name +
                                   "/contacts:" + std::to_string(n);
          benchmark::RegisterBenchmark(name.c_str(), resolve<T>, law, mixed, isa, form, n)->UseRealTime();
        }
      }
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
