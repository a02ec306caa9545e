// Planar contacts with individual laws have the same bits as batches of one law, and staged batches the same bits as
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/jobs/dispatch.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

using support::PlanarResultArrays;
using support::RandomPlanarBodies;
using support::RandomPlanarSpace;

template <class T>
class PlanarMixed : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PlanarMixed, Precisions);

// Several tiles of every precision, the last one short and no multiple of a vector.
constexpr std::size_t count = 4999;
static_assert(count > 2 * kernel::PlanarTile<float>::size && count % kernel::PlanarTile<float>::size % 16 != 0);

SolverSetup on(Isa isa, Law law = Law::incremental, int threads = 1) {
  SolverSetup options;
  options.execution.isa = isa;
  options.law = law;
  options.execution.threads = threads;
  return options;
}

/// One in eleven contacts has a fault in a column of its law, of all laws, or both.
template <class T>
void spoil(support::PlanarLawArrays<T>& laws) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (std::size_t i = 0; i < laws.law.size(); i += 11) {
    const std::size_t kind = i / 11 % 8;
    if (kind == 0) laws.restitution[i] = 2;
    if (kind == 1 || kind == 2) laws.friction[i] = kind == 1 ? T(-1) : nan;
    if (kind == 2 || kind == 3) laws.tangential_restitution[i] = 3;
    if (kind == 4) laws.impulse_ratio[i] = laws.polar_angle[i] = laws.candidate_x[i] = nan;
    if (kind == 5) laws.fraction[i] = laws.candidate_y[i] = laws.weights[i % 10][i] = infinity;
    if (kind == 6) laws.weights[0][i] = -1;
    // A batch of a law that does not read it leaves the column out.
    if (kind == 7 && (laws.law[i] == Law::incremental || laws.law[i] == Law::composite))
      laws.restitution_law[i] = static_cast<RestitutionLaw>(7);
  }
}

template <class AnyContacts, class T>
void expect_the_bits_of_single_laws(const AnyContacts& contacts, const support::PlanarLawArrays<T>& laws, bool bodies,
                                    Isa isa) {
  const std::size_t n = laws.law.size();
  AnyContacts mixed = contacts;
  mixed.laws.law = laws.law;
  PlanarResultArrays<T> found(n, bodies);
  const Report report = ConfiguredSolver(on(isa)).solve(mixed, found.results());
  Report expected;
  for (std::size_t l = 0; l < law_count; ++l) {
    const Law law = static_cast<Law>(l);
    PlanarResultArrays<T> alone(n, bodies);
    ConfiguredSolver(on(isa, law)).solve(contacts, alone.results());
    for (std::size_t i = 0; i < n; ++i) {
      if (laws.law[i] != law) continue;
      for (std::size_t j = 0; j < alone.numbers.size(); ++j)
        ASSERT_EQ(std::memcmp(&alone.numbers[j][i], &found.numbers[j][i], sizeof(T)), 0)
            << i << ' ' << j << ' ' << to_string(law) << ' ' << to_string(isa);
      ASSERT_EQ(alone.status[i], found.status[i]) << i << ' ' << to_string(law) << ' ' << to_string(isa);
      ASSERT_EQ(alone.path[i], found.path[i]) << i << ' ' << to_string(law) << ' ' << to_string(isa);
      expected.by_status.add(alone.status[i], i);
      expected.by_path.add(alone.path[i]);
    }
  }
  EXPECT_EQ(report.by_status, expected.by_status);
  EXPECT_EQ(report.by_path, expected.by_path);
}

template <class T, class Check>
void for_each_form(Check&& check) {
  RandomPlanarBodies<T> bodies(count, 81, 500);
  RandomPlanarSpace<T> space(count, 82);
  for (auto* laws : {&bodies.laws, &space.laws}) {
    // A tile of one law among the others.
    std::fill_n(laws->law.begin() + kernel::PlanarTile<T>::size, kernel::PlanarTile<T>::size, Law::brach);
    spoil(*laws);
  }
  // Some that separate, and some that no law can resolve.
  for (std::size_t i = 0; i < count; i += 7) {
    bodies.normal_x[i] = -bodies.normal_x[i];
    bodies.normal_y[i] = -bodies.normal_y[i];
    space.u0_y[i] = -space.u0_y[i];
  }
  for (std::size_t i = 3; i < count; i += 31) {
    bodies.r_a_x[i] = space.k_xx[i] = std::numeric_limits<T>::quiet_NaN();
    bodies.body_b[i + 1] = -7;
  }
  const auto with_restitution_law = [](auto contacts, const support::PlanarLawArrays<T>& laws) {
    contacts.laws.restitution_law = laws.restitution_law;
    return contacts;
  };
  check(with_restitution_law(bodies.inline_contacts(), bodies.laws), bodies.laws, true);
  check(with_restitution_law(bodies.indexed_contacts(), bodies.laws), bodies.laws, true);
  check(with_restitution_law(space.view(), space.laws), space.laws, false);
}

TYPED_TEST(PlanarMixed, laws_give_the_bits_of_batches_of_one_law) {
  for_each_form<TypeParam>([](const auto& contacts, const auto& laws, bool bodies) {
    for (const Isa isa : available_isas()) expect_the_bits_of_single_laws(contacts, laws, bodies, isa);
  });
}

// A missing column that a law reads is a fault only of contacts with that law.
TYPED_TEST(PlanarMixed, laws_miss_their_own_columns_only) {
  for_each_form<TypeParam>([](auto contacts, const auto& laws, bool bodies) {
    contacts.laws.impulse_ratio_1 = {};
    contacts.laws.candidate.y = {};
    contacts.laws.weight.smith = {};
    for (const Isa isa : available_isas()) expect_the_bits_of_single_laws(contacts, laws, bodies, isa);
  });
}

TYPED_TEST(PlanarMixed, numbers_that_are_no_law_are_faults_of_their_contacts_alone) {
  using T = TypeParam;
  for (const Isa isa : available_isas()) {
    RandomPlanarSpace<T> drawn(count, 83);
    planar::KContacts<T> contacts = drawn.view();
    contacts.laws.law = drawn.laws.law;
    PlanarResultArrays<T> good(count, false), found(count, false);
    ConfiguredSolver solver(on(isa));
    solver.solve(contacts, good.results());
    for (std::size_t i = 0; i < count; i += 5) drawn.laws.law[i] = static_cast<Law>(i % 2 == 0 ? law_count : 255);
    drawn.laws.friction[5] = std::numeric_limits<T>::quiet_NaN();
    const Report report = solver.solve(contacts, found.results());
    EXPECT_EQ(report.count(Status::law_unavailable), (count + 4) / 5 - 1);
    EXPECT_EQ(found.status[5], Status::not_a_number);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 5 == 0) {
        EXPECT_EQ(found.numbers[PlanarResultArrays<T>::p_y][i], T(0));
        EXPECT_EQ(found.path[i], Path{});
        continue;
      }
      for (std::size_t j = 0; j < good.numbers.size(); ++j)
        ASSERT_EQ(std::memcmp(&good.numbers[j][i], &found.numbers[j][i], sizeof(T)), 0) << i << ' ' << j;
    }
  }
}

TYPED_TEST(PlanarMixed, laws_work_in_place_and_on_two_threads) {
  using T = TypeParam;
  using R = PlanarResultArrays<T>;
  const RandomPlanarBodies<T> drawn(count, 84);
  for (const Isa isa : available_isas()) {
    R expected(count);
    planar::Contacts<T> contacts = drawn.inline_contacts();
    contacts.laws.law = drawn.laws.law;
    ConfiguredSolver(on(isa)).solve(contacts, expected.results());
    RandomPlanarBodies<T> host = drawn;
    contacts = host.inline_contacts();
    contacts.laws.law = host.laws.law;
    planar::Results<T> in_place;
    in_place.velocity_a = {host.a.velocity_x, host.a.velocity_y};
    in_place.angular_velocity_a = host.a.angular_velocity;
    in_place.velocity_b = {host.b.velocity_x, host.b.velocity_y};
    in_place.angular_velocity_b = host.b.angular_velocity;
    in_place.impulse = {host.laws.candidate_x, host.laws.candidate_y};
    ConfiguredSolver(on(isa, Law::incremental, 2)).solve(contacts, in_place);
    EXPECT_TRUE(support::same_bits(host.a.velocity_x, expected.numbers[R::va_x])) << to_string(isa);
    EXPECT_TRUE(support::same_bits(host.a.velocity_y, expected.numbers[R::va_y])) << to_string(isa);
    EXPECT_TRUE(support::same_bits(host.a.angular_velocity, expected.numbers[R::wa])) << to_string(isa);
    EXPECT_TRUE(support::same_bits(host.b.velocity_x, expected.numbers[R::vb_x])) << to_string(isa);
    EXPECT_TRUE(support::same_bits(host.b.velocity_y, expected.numbers[R::vb_y])) << to_string(isa);
    EXPECT_TRUE(support::same_bits(host.b.angular_velocity, expected.numbers[R::wb])) << to_string(isa);
    EXPECT_TRUE(support::same_bits(host.laws.candidate_x, expected.numbers[R::p_x])) << to_string(isa);
    EXPECT_TRUE(support::same_bits(host.laws.candidate_y, expected.numbers[R::p_y])) << to_string(isa);
  }
}

/// The same elements with two others after each.
template <class V>
Column<const V> spread(Column<const V> column, std::vector<V>& host) {
  host.assign(3 * column.count, V{});
  for (std::size_t i = 0; i < column.count; ++i) host[3 * i] = column[i];
  return {host.data(), column.count, 3 * sizeof(V)};
}

TYPED_TEST(PlanarMixed, columns_of_laws_may_lie_in_structs_of_the_host) {
  using T = TypeParam;
  const RandomPlanarSpace<T> drawn(count, 86);
  planar::KContacts<T> contacts = drawn.view();
  contacts.laws.law = drawn.laws.law;
  contacts.laws.restitution_law = drawn.laws.restitution_law;
  planar::KContacts<T> in_structs = contacts;
  std::array<std::vector<T>, 8> numbers;
  std::vector<Law> laws;
  std::vector<RestitutionLaw> restitution_laws;
  std::size_t next = 0;
  for (auto* column : {&in_structs.friction, &in_structs.laws.tangential_restitution, &in_structs.laws.impulse_ratio_1,
                       &in_structs.laws.polar_angle, &in_structs.laws.fraction, &in_structs.laws.candidate.x,
                       &in_structs.laws.candidate.y, &in_structs.laws.weight.smith})
    *column = spread(*column, numbers[next++]);
  in_structs.laws.law = spread(in_structs.laws.law, laws);
  in_structs.laws.restitution_law = spread(in_structs.laws.restitution_law, restitution_laws);
  for (const Isa isa : available_isas()) {
    PlanarResultArrays<T> expected(count, false), found(count, false);
    ConfiguredSolver solver(on(isa));
    EXPECT_EQ(solver.solve(contacts, expected.results()).count(Status::ok), count);
    solver.solve(in_structs, found.results());
    for (std::size_t j = 0; j < found.numbers.size(); ++j)
      EXPECT_TRUE(support::same_bits(found.numbers[j], expected.numbers[j])) << j << ' ' << to_string(isa);
    EXPECT_EQ(found.status, expected.status) << to_string(isa);
  }
}

/// As batches beyond the caches, which a test has no time for: two ranges, the later one first.
template <class T, template <class> class AnyContacts>
void expect_the_bits_of_unstaged(Isa isa, const AnyContacts<T>& contacts, Law law) {
  using R = PlanarResultArrays<T>;
  const std::size_t n = contacts.friction.count;
  R expected(n);
  const SolverSetup options = on(isa, law);
  const Report report = ConfiguredSolver(options).solve(contacts, expected.results());
  const auto tiles = std::make_unique<kernel::PlanarTiles<T>>();
  const kernel::Workspace<T> workspace{.planar = tiles.get()};
  const auto solve_range = kernel_for<T, AnyContacts>(*find_isa(isa).planar);
  for (const bool stream : {false, true}) {
    // Columns that begin at different places of a line, one of them not next to each other, with a margin to watch.
    std::array<std::vector<T>, R::columns> numbers;
    std::vector<Status> status(n);
    planar::Results<T> results;
    Column<T>* const columns[] = {&results.impulse.x,
                                  &results.impulse.y,
                                  &results.separation_velocity.x,
                                  &results.separation_velocity.y,
                                  &results.velocity_a.x,
                                  &results.velocity_a.y,
                                  &results.angular_velocity_a,
                                  &results.velocity_b.x,
                                  &results.velocity_b.y,
                                  &results.angular_velocity_b,
                                  &results.work_compression,
                                  &results.work_decompression};
    const auto stride = [](std::size_t j) -> std::size_t { return j == R::va_y ? 3 : 1; };
    for (std::size_t j = 0; j < R::columns; ++j) {
      numbers[j].assign(stride(j) * n + 2 * j + 2, T(-7));
      *columns[j] = {numbers[j].data() + j + 1, n, static_cast<std::ptrdiff_t>(stride(j) * sizeof(T))};
    }
    results.status = status;
    kernel::Job<T, AnyContacts> job{contacts, results, {}};
    job.parameters.law = law;
    job.parameters.restitution_law = options.restitution_law;
    job.parameters.normal_tolerance = static_cast<T>(options.data.normal_tolerance);
    job.parameters.max_restitution = static_cast<T>(options.data.max_restitution);
    job.layout.prefetch = true;
    job.layout.stream = stream;
    kernel::OwnTally tally;
    const std::size_t split = n / 2 + 5;
    solve_range(job, split, n - split, workspace, tally);
    solve_range(job, 0, split, workspace, tally);
    for (std::size_t j = 0; j < R::columns; ++j) {
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(std::memcmp(&(*columns[j])[i], &expected.numbers[j][i], sizeof(T)), 0)
            << i << ' ' << j << ' ' << to_string(law) << ' ' << to_string(isa);
      for (std::size_t i = 0; i <= j; ++i) {
        ASSERT_EQ(numbers[j][i], T(-7)) << j;
        ASSERT_EQ(numbers[j][numbers[j].size() - 1 - i], T(-7)) << j;
      }
    }
    EXPECT_EQ(status, expected.status);
    EXPECT_EQ(tally.max_energy_gain, report.max_energy_gain);
    EXPECT_EQ(tally.max_energy_gain_contact, report.max_energy_gain_contact);
  }
}

TYPED_TEST(PlanarMixed, batches_beyond_the_caches_have_the_same_bits) {
  using T = TypeParam;
  const RandomPlanarBodies<T> drawn(3001, 85, 400);
  for (const Isa isa : available_isas()) {
    for (const Law law : {Law::chatterjee_ruina, Law::whittaker, Law::composite}) {
      expect_the_bits_of_unstaged<T, planar::Contacts>(isa, drawn.inline_contacts(), law);
      expect_the_bits_of_unstaged<T, planar::IndexedContacts>(isa, drawn.indexed_contacts(), law);
    }
    planar::Contacts<T> mixed = drawn.inline_contacts();
    mixed.laws.law = drawn.laws.law;
    expect_the_bits_of_unstaged<T, planar::Contacts>(isa, mixed, Law::incremental);
  }
}

TYPED_TEST(PlanarMixed, steps_are_zero) {
  using T = TypeParam;
  constexpr std::size_t count = 1003, stride = 2;
  const RandomPlanarBodies<T> drawn(count, 91);
  for (const bool mixed : {false, true}) {
    planar::Contacts<T> contacts = drawn.inline_contacts();
    if (mixed) contacts.laws.law = drawn.laws.law;
    for (const Isa isa : available_isas()) {
      std::vector<std::int32_t> steps(stride * count, -1);
      planar::Results<T> results;
      results.steps = {steps.data(), count, stride * sizeof steps[0]};
      ConfiguredSolver(on(isa)).solve(contacts, results);
      for (std::size_t i = 0; i < steps.size(); ++i) ASSERT_EQ(steps[i], i % stride == 0 ? 0 : -1) << i;
    }
  }
}

}  // namespace
}  // namespace carom
