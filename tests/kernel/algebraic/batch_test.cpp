// Properties of batches under every law: the bits of a contact's results depend only on the contact, not on its
// neighbours, their laws, the ISA, the threads, the layout or the size of the batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/contacts/blocked_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

using support::expect_same_bits;
using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomLaws;
using support::RandomSpaceContacts;
using support::ResultArrays;

template <class T>
class LawBatch : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LawBatch, Precisions);

/// Contacts of all laws, some of them faulty or separating.
template <class T>
struct Mixed {
  explicit Mixed(std::size_t n) : count(n), bodies(n, 21), laws(n, 22) {
    for (std::size_t i = 5; i < n; i += 97) bodies.friction[i] = std::numeric_limits<T>::infinity();
    for (std::size_t i = 6; i < n; i += 101) bodies.friction[i] = -1;
    for (std::size_t i = 9; i < n; i += 53)
      for (auto& c : bodies.normal) c[i] = -c[i];
  }
  Contacts<T> contacts() const {
    Contacts<T> c = bodies.inline_contacts();
    laws.give(c.laws);
    c.laws.law = laws.law;
    return c;
  }

  std::size_t count;
  RandomContacts<T> bodies;
  RandomLaws<T> laws;
};

template <class AnyContacts, class T>
ResultArrays<T> solve(const AnyContacts& contacts, std::size_t n, const SolverSetup& options, bool bodies = true) {
  ResultArrays<T> results(n, bodies);
  ConfiguredSolver(options).solve(contacts, results.results());
  return results;
}

TYPED_TEST(LawBatch, of_mixed_laws_has_the_bits_of_each_law_alone) {
  using T = TypeParam;
  constexpr std::size_t n = 3001;
  const Mixed<T> mixed(n);
  for (const Isa isa : available_isas()) {
    ResultArrays<T> found(n);
    const Report report =
        ConfiguredSolver(law_options(Law::frictionless, isa)).solve(mixed.contacts(), found.results());
    EXPECT_GT(report.count(Status::ok), n / 2);
    for (const Law law : support::laws_of_bodies) {
      Contacts<T> contacts = mixed.contacts();
      contacts.laws.law = {};
      const auto alone = solve<Contacts<T>, T>(contacts, n, law_options(law, isa));
      for (std::size_t i = 0; i < n; ++i) {
        if (mixed.laws.law[i] != law) continue;
        ASSERT_EQ(found.status[i], alone.status[i]) << to_string(law) << ", contact " << i << ", " << to_string(isa);
        ASSERT_EQ(found.path[i], alone.path[i]) << to_string(law) << ", contact " << i;
        ASSERT_EQ(found.steps[i], alone.steps[i]) << to_string(law) << ", contact " << i;
        for (const auto columns :
             {&ResultArrays<T>::impulse, &ResultArrays<T>::separation_velocity, &ResultArrays<T>::velocity_a,
              &ResultArrays<T>::angular_velocity_a, &ResultArrays<T>::velocity_b, &ResultArrays<T>::angular_velocity_b})
          for (std::size_t c = 0; c < 3; ++c)
            ASSERT_EQ(std::memcmp(&(found.*columns)[c][i], &(alone.*columns)[c][i], sizeof(T)), 0)
                << to_string(law) << ", contact " << i << ", " << to_string(isa);
      }
    }
  }
}

TYPED_TEST(LawBatch, has_the_same_bits_on_every_isa_with_fma_and_on_any_threads) {
  using T = TypeParam;
  constexpr std::size_t n = 5000;
  const Mixed<T> mixed(n);
  const auto expected = solve<Contacts<T>, T>(mixed.contacts(), n, law_options(Law::smith, Isa::scalar));
  for (const Isa isa : support::isas_with_fma())
    for (const int threads : {1, 2, 3})
      expect_same_bits(expected, solve<Contacts<T>, T>(mixed.contacts(), n, law_options(Law::smith, isa, threads)),
                       std::string(to_string(isa)) + " on " + std::to_string(threads));
}

TYPED_TEST(LawBatch, has_the_same_bits_at_any_place) {
  using T = TypeParam;
  constexpr std::size_t n = 400;
  const Mixed<T> mixed(n);
  const auto expected = solve<Contacts<T>, T>(mixed.contacts(), n, law_options(Law::smith));
  for (const std::size_t first : {1u, 5u, 16u, 333u}) {
    Contacts<T> part = mixed.contacts();
    const auto shift = [&](auto& column) {
      if (!column) return;
      column.data += first;
      column.count -= first;
    };
    const auto shift3 = [&](auto& v) { shift(v.x), shift(v.y), shift(v.z); };
    const auto shift_bodies = [&](auto& b) {
      shift(b.inverse_mass);
      auto& j = b.inverse_inertia;
      for (auto* c : {&j.xx, &j.xy, &j.xz, &j.yy, &j.yz, &j.zz}) shift(*c);
      shift3(b.velocity);
      shift3(b.angular_velocity);
    };
    for (auto* c : {&part.friction, &part.restitution, &part.laws.tangential_restitution, &part.laws.impulse_ratio_1,
                    &part.laws.impulse_ratio_2, &part.laws.polar_angle, &part.laws.azimuth, &part.laws.fraction,
                    &part.laws.candidate.x, &part.laws.candidate.y, &part.laws.candidate.z})
      shift(*c);
    auto& w = part.laws.weight;
    for (auto* c : {&w.incremental, &w.frictionless, &w.chatterjee_ruina, &w.bilinear, &w.smith, &w.anitescu_potra,
                    &w.brach, &w.projected, &w.polar})
      shift(*c);
    shift(part.laws.law);
    shift3(part.normal);
    shift3(part.r_a);
    shift3(part.r_b);
    shift_bodies(part.a);
    shift_bodies(part.b);
    const auto found = solve<Contacts<T>, T>(part, n - first, law_options(Law::smith));
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i + first < n; ++i) {
        ASSERT_EQ(std::memcmp(&found.impulse[c][i], &expected.impulse[c][i + first], sizeof(T)), 0)
            << first << ' ' << i;
        ASSERT_EQ(std::memcmp(&found.angular_velocity_b[c][i], &expected.angular_velocity_b[c][i + first], sizeof(T)),
                  0);
      }
  }
}

// Large batches are cut where lines of the cache begin.
TYPED_TEST(LawBatch, in_closed_form_has_the_same_bits_wherever_its_columns_begin) {
  using T = TypeParam;
  constexpr std::size_t n = 2500;
  const RandomSpaceContacts<T> drawn(n, 33);
  const RandomLaws<T> laws(n, 34);
  const auto from = [&](std::size_t first) {
    const auto column = [&](const std::vector<T>& all) { return Column<const T>(all.data() + first, n - first); };
    KContacts<T> contacts;
    contacts.friction = column(drawn.friction);
    contacts.restitution = column(drawn.restitution);
    contacts.laws.tangential_restitution = column(laws.tangential_restitution);
    auto& k = contacts.k;
    k = {column(drawn.k[0]), column(drawn.k[1]), column(drawn.k[2]),
         column(drawn.k[3]), column(drawn.k[4]), column(drawn.k[5])};
    const auto& u0 = drawn.separation_velocity;
    contacts.separation_velocity = {column(u0[0]), column(u0[1]), column(u0[2])};
    return contacts;
  };
  for (const Isa isa : available_isas()) {
    const SolverSetup setup = law_options(Law::bilinear, isa);
    const auto expected = solve<KContacts<T>, T>(from(0), n, setup, false);
    for (std::size_t first = 1; first <= 16; ++first) {
      const auto found = solve<KContacts<T>, T>(from(first), n - first, setup, false);
      for (std::size_t i = 0; i + first < n; ++i) {
        ASSERT_EQ(found.status[i], expected.status[i + first]) << first << ' ' << i;
        for (std::size_t c = 0; c < 3; ++c) {
          ASSERT_EQ(found.impulse[c][i], expected.impulse[c][i + first]) << first << ' ' << i;
          ASSERT_EQ(found.separation_velocity[c][i], expected.separation_velocity[c][i + first]) << first << ' ' << i;
        }
      }
    }
  }
}

TYPED_TEST(LawBatch, in_blocks_has_the_bits_of_columns) {
  using T = TypeParam;
  for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 2500u}) {
    const Mixed<T> mixed(n);
    const BlockedContacts<T> blocked = support::blocked_of(mixed.contacts());
    EXPECT_EQ(blocked.size(), n);
    for (const Isa isa : available_isas())
      for (const int threads : {1, 2})
        expect_same_bits(solve<Contacts<T>, T>(mixed.contacts(), n, law_options(Law::smith, isa, threads)),
                         solve<BlockedContacts<T>, T>(blocked, n, law_options(Law::smith, isa, threads)),
                         std::to_string(n) + " on " + std::string(to_string(isa)));
  }
}

TYPED_TEST(LawBatch, in_structs_of_the_host_has_the_bits_of_columns) {
  using T = TypeParam;
  constexpr std::size_t n = 777;
  const Mixed<T> mixed(n);
  const auto expected = solve<Contacts<T>, T>(mixed.contacts(), n, law_options(Law::smith));
  struct Struct {
    T friction, before[2], velocity_a[3], angular_velocity_a[3], impulse[3];
    Status status;
  };
  std::vector<Struct> host(n);
  Contacts<T> contacts = mixed.contacts();
  for (std::size_t i = 0; i < n; ++i) {
    host[i].friction = contacts.friction[i];
    for (std::size_t c = 0; c < 3; ++c) {
      host[i].velocity_a[c] = mixed.bodies.a.velocity[c][i];
      host[i].angular_velocity_a[c] = mixed.bodies.a.angular_velocity[c][i];
    }
  }
  contacts.friction = {&host[0].friction, n, sizeof(Struct)};
  const auto velocity = Vector3Columns<T>(host[0].velocity_a, n, sizeof(Struct));
  const auto angular_velocity = Vector3Columns<T>(host[0].angular_velocity_a, n, sizeof(Struct));
  contacts.a.velocity = velocity;
  contacts.a.angular_velocity = angular_velocity;
  // In place: the new velocities overwrite the old ones.
  Results<T> results;
  results.velocity_a = velocity;
  results.angular_velocity_a = angular_velocity;
  results.impulse = {host[0].impulse, n, sizeof(Struct)};
  results.status = {&host[0].status, n, sizeof(Struct)};
  ConfiguredSolver(law_options(Law::smith)).solve(contacts, results);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(host[i].status, expected.status[i]) << i;
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_EQ(std::memcmp(&host[i].velocity_a[c], &expected.velocity_a[c][i], sizeof(T)), 0) << i;
      ASSERT_EQ(std::memcmp(&host[i].angular_velocity_a[c], &expected.angular_velocity_a[c][i], sizeof(T)), 0) << i;
      ASSERT_EQ(std::memcmp(&host[i].impulse[c], &expected.impulse[c][i], sizeof(T)), 0) << i;
    }
  }
}

TYPED_TEST(LawBatch, in_place_has_the_bits_of_separate_columns) {
  using T = TypeParam;
  constexpr std::size_t n = 1500;
  Mixed<T> mixed(n);
  const auto expected = solve<Contacts<T>, T>(mixed.contacts(), n, law_options(Law::smith));
  const Contacts<T> contacts = mixed.contacts();
  const auto columns = [](support::Vectors3<T>& v) { return Vector3Columns<T>{v[0], v[1], v[2]}; };
  Results<T> results;
  results.velocity_a = columns(mixed.bodies.a.velocity);
  results.angular_velocity_a = columns(mixed.bodies.a.angular_velocity);
  results.velocity_b = columns(mixed.bodies.b.velocity);
  results.angular_velocity_b = columns(mixed.bodies.b.angular_velocity);
  ConfiguredSolver(law_options(Law::smith)).solve(contacts, results);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_TRUE(support::same_bits(mixed.bodies.a.velocity[c], expected.velocity_a[c]));
    EXPECT_TRUE(support::same_bits(mixed.bodies.a.angular_velocity[c], expected.angular_velocity_a[c]));
    EXPECT_TRUE(support::same_bits(mixed.bodies.b.velocity[c], expected.velocity_b[c]));
    EXPECT_TRUE(support::same_bits(mixed.bodies.b.angular_velocity[c], expected.angular_velocity_b[c]));
  }
}

// 300,000 contacts are more than the caches of most machines hold, so that results pass them by; a sixteenth is not.
TYPED_TEST(LawBatch, beyond_the_caches_has_the_bits_of_small_ones) {
  using T = TypeParam;
  constexpr std::size_t n = 300'007, part = n / 16;
  const RandomContacts<T> drawn(n, 31);
  const std::vector<T> e_t(n, T(0.25));
  Contacts<T> contacts = drawn.inline_contacts();
  contacts.laws.tangential_restitution = e_t;
  const auto whole = solve<Contacts<T>, T>(contacts, n, law_options(Law::chatterjee_ruina));
  const RandomContacts<T> same(part, 31);
  contacts = same.inline_contacts();
  contacts.laws.tangential_restitution = Column<const T>(e_t.data(), part);
  const auto few = solve<Contacts<T>, T>(contacts, part, law_options(Law::chatterjee_ruina));
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < part; ++i) {
      ASSERT_EQ(whole.impulse[c][i], few.impulse[c][i]) << i;
      ASSERT_EQ(whole.velocity_b[c][i], few.velocity_b[c][i]) << i;
    }
  EXPECT_EQ(std::ranges::count(whole.status, Status::ok), static_cast<std::ptrdiff_t>(n));
  // Nothing of the end is left out.
  for (std::size_t i = n - 40; i < n; ++i) EXPECT_NE(whole.impulse[0][i], T(0)) << i;
}

TYPED_TEST(LawBatch, of_indexed_bodies_has_the_bits_of_inline_ones_packed_or_not) {
  using T = TypeParam;
  for (const std::size_t bodies : {200u, 5000u}) {  // of the latter only some are met, and none packed
    constexpr std::size_t n = 1000;
    RandomIndexedContacts<T> drawn(n, bodies, 41);
    drawn.body_a[17] = static_cast<std::int32_t>(bodies);
    drawn.body_b[18] = -2;
    drawn.body_a[19] = drawn.body_b[19] = 3;
    const RandomLaws<T> laws(n, 42);
    IndexedContacts<T> contacts = drawn.indexed_contacts();
    laws.give(contacts.laws);
    contacts.laws.law = laws.law;
    RandomContacts<T> inlined(n, 1);
    inlined.friction = drawn.friction;
    inlined.restitution = drawn.restitution;
    inlined.normal = drawn.normal;
    inlined.r_a = drawn.r_a;
    inlined.r_b = drawn.r_b;
    const auto body = [&](support::BodyArrays<T>& to, std::size_t i, std::int32_t index) {
      const auto take = [&](std::vector<T>& column, const std::vector<T>& from) {
        column[i] =
            index < 0 || static_cast<std::size_t>(index) >= bodies ? T(0) : from[static_cast<std::size_t>(index)];
      };
      take(to.inverse_mass, drawn.bodies.inverse_mass);
      for (std::size_t c = 0; c < 6; ++c) take(to.inverse_inertia[c], drawn.bodies.inverse_inertia[c]);
      for (std::size_t c = 0; c < 3; ++c) take(to.velocity[c], drawn.bodies.velocity[c]);
      for (std::size_t c = 0; c < 3; ++c) take(to.angular_velocity[c], drawn.bodies.angular_velocity[c]);
    };
    for (std::size_t i = 0; i < n; ++i) {
      body(inlined.a, i, drawn.body_a[i]);
      body(inlined.b, i, drawn.body_b[i]);
    }
    Contacts<T> inline_contacts = inlined.inline_contacts();
    laws.give(inline_contacts.laws);
    inline_contacts.laws.law = laws.law;
    for (const Isa isa : available_isas()) {
      const auto found = solve<IndexedContacts<T>, T>(contacts, n, law_options(Law::smith, isa));
      const auto expected = solve<Contacts<T>, T>(inline_contacts, n, law_options(Law::smith, isa));
      EXPECT_EQ(found.status[17], Status::body_index_out_of_range);
      EXPECT_EQ(found.status[18], Status::body_index_out_of_range);
      EXPECT_EQ(found.status[19], Status::same_body);
      for (std::size_t i = 0; i < n; ++i) {
        if (i >= 17 && i <= 19) continue;
        ASSERT_EQ(found.status[i], expected.status[i]) << i;
        for (std::size_t c = 0; c < 3; ++c) {
          ASSERT_EQ(found.impulse[c][i], expected.impulse[c][i]) << i << ", " << to_string(isa);
          ASSERT_EQ(found.velocity_a[c][i], expected.velocity_a[c][i]) << i;
          ASSERT_EQ(found.angular_velocity_b[c][i], expected.angular_velocity_b[c][i]) << i;
        }
      }
    }
  }
}

// A power of two in the unit of mass or of velocity changes no rounding, so that it comes through to the last bit.
TYPED_TEST(LawBatch, scales_with_the_units_to_the_bit) {
  using T = TypeParam;
  constexpr std::size_t n = 500;
  const RandomSpaceContacts<T> drawn(n, 51);
  const RandomLaws<T> laws(n, 52);
  for (const Law law : {Law::frictionless, Law::no_slip, Law::chatterjee_ruina, Law::bilinear}) {
    KContacts<T> contacts = drawn.space_contacts();
    contacts.laws.tangential_restitution = laws.tangential_restitution;
    const auto expected = solve<KContacts<T>, T>(contacts, n, law_options(law), false);
    for (const auto& [k_unit, u_unit] : {std::pair{T(0x1p20), T(0x1p-40)}, std::pair{T(0x1p-40), T(0x1p20)}}) {
      RandomSpaceContacts<T> scaled = drawn;
      for (auto& c : scaled.k)
        for (T& x : c) x *= k_unit;
      for (auto& c : scaled.separation_velocity)
        for (T& x : c) x *= u_unit;
      KContacts<T> view = scaled.space_contacts();
      view.laws.tangential_restitution = laws.tangential_restitution;
      const auto found = solve<KContacts<T>, T>(view, n, law_options(law), false);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(found.status[i], expected.status[i]);
        for (std::size_t c = 0; c < 3; ++c) {
          ASSERT_EQ(found.impulse[c][i], expected.impulse[c][i] * (u_unit / k_unit)) << to_string(law) << ' ' << i;
          ASSERT_EQ(found.separation_velocity[c][i], expected.separation_velocity[c][i] * u_unit) << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace carom
