#include "gradients.hpp"

#include <benchmark/benchmark.h>

#include <carom/reference_gradients.hpp>
#include <carom/solver.hpp>
#include <chrono>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "core/columns/derivative_columns.hpp"
#include "machine.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"

namespace carom::bench {
namespace {

constexpr std::uint64_t seed = 1;

/// The 11 columns that every contact has, e_t's where the law reads it, of p or of p and u; or a product with
/// cotangents of both.
enum class Asked { impulse, impulse_and_velocity, product };

template <class T>
class Room {
 public:
  Room(std::size_t n, Law law, Asked asked) : law_(law) {
    if (asked == Asked::product) {
      give(gradients.cotangent.product, n);
      cotangents_.assign(6, std::vector<T>(n, T(1)));
      gradients.cotangent.impulse = {cotangents_[0], cotangents_[1], cotangents_[2]};
      gradients.cotangent.separation_velocity = {cotangents_[3], cotangents_[4], cotangents_[5]};
      return;
    }
    std::size_t row = 0;
    columns::each_gradient(
        [&](const char*, Derivatives<T>& to) {
          if (row++ < 3 || asked == Asked::impulse_and_velocity) give(to, n);
        },
        gradients);
  }
  Gradients<T> gradients;

 private:
  void give(Derivatives<T>& to, std::size_t n) {
    const auto add = [&](const auto&, Column<T>& column) {
      columns_.emplace_back(n);
      column = columns_.back();
    };
    columns::each_number(add, to);
    columns::each_parameter(
        [&](const auto& label, columns::Parameter parameter, Column<T>& column) {
          if (columns::reads(law_, parameter, false)) add(label, column);
        },
        to);
  }
  Law law_;
  std::vector<std::vector<T>> columns_, cotangents_;
};

/// Empty if the derivatives of a small batch equal the reference's, except for the worst conditioned contacts.
template <class T>
std::string disagreement(Law law, Isa isa) {
  constexpr std::size_t n = 512;
  support::RandomSpaceContacts<T> drawn(n, seed);
  const support::RandomLaws<T> laws(n, seed);
  support::RandomSpaceContacts<double> wide(n, seed);
  const support::RandomLaws<double> wide_laws(n, seed);
  auto contacts = drawn.space_contacts();
  auto wide_contacts = wide.space_contacts();
  laws.give(contacts.laws);
  wide_laws.give(wide_contacts.laws);
  contacts = select(contacts, {.law = law});
  wide_contacts = select(wide_contacts, {.law = law});
  Room<T> found(n, law, Asked::impulse);
  Room<double> expected(n, law, Asked::impulse);
  Solver({.isa = isa, .threads = 1}).differentiate(contacts, found.gradients, {.law = law});
  reference::differentiate(wide_contacts, expected.gradients, {.law = law});
  std::size_t far = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = static_cast<double>(found.gradients.impulse_z.separation_velocity.z[i]);
    const double b = expected.gradients.impulse_z.separation_velocity.z[i];
    far += std::abs(a - b) <= (sizeof(T) == sizeof(float) ? 1e-2 : 1e-9) * std::abs(b) ? 0u : 1u;
  }
  return far > n / 20 ? std::to_string(far) + " of 512 derivatives are not the reference's" : "";
}

/// Counter `of_solve`: rate relative to Solver::solve with impulses, velocities and statuses, on the same contacts.
template <class T>
void differentiate(benchmark::State& state, Law law, Asked asked, std::size_t n) try {
  const std::string wrong = disagreement<T>(law, best_isa());
  if (!wrong.empty()) return state.SkipWithError(wrong.c_str());
  support::RandomSpaceContacts<T> drawn(n, seed);
  const support::RandomLaws<T> laws(n, seed);
  auto contacts = drawn.space_contacts();
  laws.give(contacts.laws);
  contacts = select(contacts, {.law = law});
  support::ResultArrays<T> arrays(n, false);
  Results<T> results = arrays.results();
  results.path = {};
  results.work_compression = results.work_decompression = {};
  results.steps = {};
  Room<T> room(n, law, asked);
  const Options options{.law = law};
  Solver solver({.isa = best_isa(), .threads = 1});
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](auto&& call) {
    const auto begin = Clock::now();
    call();
    benchmark::ClobberMemory();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  // Best times of both, so that other processes do not affect only one of them.
  double of_solve = 1e9, of_gradients = 1e9;
  for (auto _ : state) {
    of_gradients = std::min(of_gradients, seconds([&] { solver.differentiate(contacts, room.gradients, options); }));
    state.PauseTiming();
    of_solve = std::min(of_solve, seconds([&] { solver.solve(contacts, results, options); }));
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
  state.counters["of_solve"] = of_solve / of_gradients;
  state.counters["ns_solve"] = 1e9 * of_solve / static_cast<double>(n);
  state.counters["ns_gradients"] = 1e9 * of_gradients / static_cast<double>(n);
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

template <class T>
void register_precision(const std::string& precision) {
  constexpr std::size_t in_cache = 1000;
  for (const Law law : {Law::chatterjee_ruina, Law::incremental, Law::frictionless, Law::bilinear, Law::whittaker,
                        Law::smith, Law::anitescu_potra, Law::brach, Law::projected, Law::polar})
    for (const auto& [what, asked] :
         {std::pair{"impulse", Asked::impulse}, std::pair{"impulse-velocity", Asked::impulse_and_velocity},
          std::pair{"product", Asked::product}}) {
      if (law != Law::chatterjee_ruina && law != Law::incremental && asked != Asked::impulse) continue;
      const std::string name = "gradients/" + std::string(to_string(law)) + "/" + what + "/" + precision + "/" +
                               std::string(to_string(best_isa())) +
                               "/space/threads:1/contacts:" + std::to_string(in_cache);
      benchmark::RegisterBenchmark(name.c_str(), differentiate<T>, law, asked, in_cache)->MinTime(0.1)->UseRealTime();
    }
}

}  // namespace

void register_gradients() {
  register_precision<float>("f32");
  register_precision<double>("f64");
}

}  // namespace carom::bench
