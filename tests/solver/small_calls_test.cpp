// Calls of few contacts: each of them gets the bits that it gets in a large batch, and the same faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/columns/columns.hpp"
#include "support/contacts/blocked_contacts.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

using support::expect_same_bits;
using support::ResultArrays;

constexpr std::size_t count = 301;

/// The columns from contact `first` on.
template <class T>
Results<T> results_from(ResultArrays<T>& arrays, std::size_t first, std::size_t n) {
  Results<T> results = arrays.results();
  const auto cut = [&](const columns::Label&, auto& column) { column = columns::sliced(column, first, n); };
  columns::each_vector_result(cut, results);
  columns::each_scalar_result(cut, results);
  return results;
}

/// Cuts the contacts into calls of 1, 2, ... 20 and again; `solve(first, n)` is one of them.
template <class Solve>
void for_each_call(Solve&& solve) {
  for (std::size_t first = 0, n = 1; first < count; first += n, n = n % 20 + 1)
    solve(first, std::min(n, count - first));
}

template <class T, class AnyContacts>
void expect_bits_of_batch(const AnyContacts& drawn, const Options& options, bool bodies, const std::string& what) {
  const AnyContacts contacts = select(drawn, options);
  for (const Isa isa : available_isas()) {
    const std::string name = what + ", " + std::string(to_string(isa));
    Solver solver({.isa = isa, .threads = 1});
    ResultArrays<T> expected(count, bodies), found(count, bodies);
    const Report whole = solver.solve(contacts, expected.results(), options);
    Report sum;
    for_each_call([&](std::size_t first, std::size_t n) {
      sum += solver.solve(columns::sliced(contacts, first, n), results_from(found, first, n), options);
    });
    expect_same_bits(expected, found, name);
    EXPECT_EQ(sum.by_status, whole.by_status) << name;
    EXPECT_EQ(sum.by_path, whole.by_path) << name;
    EXPECT_EQ(sum.sliding_steps, whole.sliding_steps) << name;
    EXPECT_EQ(sum.max_energy_gain, whole.max_energy_gain) << name;
    if constexpr (std::is_same_v<AnyContacts, Contacts<T>>) {
      ResultArrays<T> blocked(count, bodies);
      for_each_call([&](std::size_t first, std::size_t n) {
        const BlockedContacts<T> blocks = support::blocked_of(columns::sliced(contacts, first, n));
        solver.solve(blocks, results_from(blocked, first, n), options);
      });
      expect_same_bits(expected, blocked, name + ", in blocks");
    }
  }
}

/// Under laws of each kind, and under laws of the contacts' own.
template <class T, class AnyContacts>
void expect_bits_under_laws(AnyContacts contacts, bool bodies, const std::string& what) {
  const std::vector<T> tangential(count, T(0.25));
  contacts.laws.tangential_restitution = tangential;
  for (const Law law : {Law::incremental, Law::chatterjee_ruina, Law::smith}) {
    Options options;
    options.law = law;
    expect_bits_of_batch<T>(contacts, options, bodies, what + ", " + std::string(to_string(law)));
  }
  Options euler;
  euler.integrator = Integrator::euler;
  euler.steps = 20;
  expect_bits_of_batch<T>(contacts, euler, bodies, what + ", Euler");
  std::vector<Law> laws(count);
  const Law mixed[] = {Law::incremental, Law::chatterjee_ruina, Law::smith, Law::frictionless};
  for (std::size_t i = 0; i < count; ++i) laws[i] = mixed[i * i % 7 % 4];
  contacts.laws.law = laws;
  expect_bits_of_batch<T>(contacts, {}, bodies, what + ", mixed");
}

/// Some contacts have faults, others separate or have no friction.
template <class Drawn>
void spoil(Drawn& drawn) {
  using T = typename decltype(drawn.friction)::value_type;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 11 == 3) drawn.friction[i] = std::numeric_limits<T>::quiet_NaN();
    if (i % 13 == 5) drawn.restitution[i] = T(-1);
    if (i % 17 == 6) drawn.friction[i] = T(0);
    if constexpr (requires { drawn.normal; })
      if (i % 7 == 2)
        for (auto& n : drawn.normal) n[i] = -n[i];
  }
}

template <class T>
class SmallCalls : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SmallCalls, Precisions);

TYPED_TEST(SmallCalls, of_inline_contacts_have_the_bits_of_a_batch) {
  support::RandomContacts<TypeParam> drawn(count, 31);
  spoil(drawn);
  expect_bits_under_laws<TypeParam>(drawn.inline_contacts(), true, "inline");
}

TYPED_TEST(SmallCalls, of_indexed_contacts_have_the_bits_of_a_batch) {
  // Many bodies are read where they are, few are first turned into rows.
  for (const std::size_t bodies : {std::size_t{2}, 50 * count}) {
    support::RandomIndexedContacts<TypeParam> drawn(count, bodies, 32);
    spoil(drawn);
    expect_bits_under_laws<TypeParam>(drawn.indexed_contacts(), true, "indexed");
  }
}

TYPED_TEST(SmallCalls, in_contact_space_have_the_bits_of_a_batch) {
  support::RandomSpaceContacts<TypeParam> drawn(count, 33);
  spoil(drawn);
  expect_bits_under_laws<TypeParam>(drawn.space_contacts(), false, "space");
}

// Structs of the caller, friction and restitution as repeated values, and new velocities that overwrite the old ones.
TYPED_TEST(SmallCalls, of_structs_in_place_have_the_bits_of_a_batch) {
  using T = TypeParam;
  struct Hit {
    T numbers[16], velocity[3], spin[3];
  };
  const support::RandomContacts<T> drawn(count, 34);
  const T friction(0.4f), restitution(0.5f), tangential(0.25f);
  for (const Law law : {Law::incremental, Law::chatterjee_ruina, Law::smith}) {
    Options options;
    options.law = law;
    Solver solver({.threads = 1});
    const auto uniform = [&](Contacts<T>& contacts) {
      contacts.friction = {&friction, count, 0};
      contacts.restitution = restitution;
      contacts.laws.tangential_restitution = tangential;
    };
    Contacts<T> contacts = drawn.inline_contacts();
    uniform(contacts);
    contacts = select(contacts, options);
    ResultArrays<T> expected(count), found(count);
    solver.solve(contacts, expected.results(), options);

    std::vector<Hit> hits(count);
    constexpr auto stride = static_cast<std::ptrdiff_t>(sizeof(Hit));
    std::size_t place = 0;
    const auto move = [&](Column<const T>& column, T* first) {
      Column<T> field{first, count, stride};
      for (std::size_t i = 0; i < count; ++i) field[i] = column[i];
      column = field;
    };
    const auto move3 = [&](Vector3Columns<const T>& v, T* first) {
      move(v.x, first), move(v.y, first + 1), move(v.z, first + 2);
    };
    const auto next = [&](std::size_t numbers) { return hits[0].numbers + (place += numbers) - numbers; };
    move3(contacts.normal, next(3));
    move3(contacts.r_a, next(3));
    move(contacts.a.inverse_mass, next(1));
    auto& j = contacts.a.inverse_inertia;
    for (Column<const T>* column : {&j.xx, &j.xy, &j.xz, &j.yy, &j.yz, &j.zz}) move(*column, next(1));
    move3(contacts.a.velocity, hits[0].velocity);
    move3(contacts.a.angular_velocity, hits[0].spin);
    for_each_call([&](std::size_t first, std::size_t n) {
      Results<T> results = results_from(found, first, n);
      results.velocity_a = {hits[first].velocity, n, stride};
      results.angular_velocity_a = {hits[first].spin, n, stride};
      solver.solve(columns::sliced(contacts, first, n), results, options);
    });
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        found.velocity_a[c][i] = hits[i].velocity[c];
        found.angular_velocity_a[c][i] = hits[i].spin[c];
      }
    expect_same_bits(expected, found, std::string(to_string(law)));
  }
}

}  // namespace
}  // namespace carom
