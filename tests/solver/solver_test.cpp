// One answer: the bits of a result depend only on the contact and the options.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "support/running/configured_solver.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

using support::expect_same_bits;
using support::few_steps;
using support::isas_with_fma;
using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;
using support::same_bits;
using support::solve;

void expect_same_report(const Report& a, const Report& b) {
  EXPECT_EQ(a.contacts, b.contacts);
  EXPECT_EQ(a.by_status, b.by_status);
  EXPECT_EQ(a.by_path, b.by_path);
  EXPECT_EQ(a.sliding_steps, b.sliding_steps);
  EXPECT_EQ(a.max_energy_gain, b.max_energy_gain);
  EXPECT_EQ(a.max_energy_gain_contact, b.max_energy_gain_contact);
}

template <class T>
class OneAnswer : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(OneAnswer, Precisions);

TYPED_TEST(OneAnswer, every_isa_with_fma_gives_the_bits_of_the_scalar_kernel_for_inline_bodies) {
  using T = TypeParam;
  const RandomContacts<T> contacts(5000, 1);
  Report scalar_report;
  const auto scalar = solve<T>(contacts.inline_contacts(), 5000, few_steps(Isa::scalar), &scalar_report);
  EXPECT_EQ(scalar_report.isa, Isa::scalar);
  for (const Isa isa : isas_with_fma()) {
    Report report;
    const auto lanes = solve<T>(contacts.inline_contacts(), 5000, few_steps(isa), &report);
    EXPECT_EQ(report.isa, isa);
    expect_same_bits(lanes, scalar, std::string(to_string(isa)));
    expect_same_report(report, scalar_report);
  }
}

TYPED_TEST(OneAnswer, every_isa_with_fma_gives_the_bits_of_the_scalar_kernel_for_indexed_bodies_and_contact_space) {
  using T = TypeParam;
  const RandomIndexedContacts<T> indexed(3001, 500, 2);
  const RandomSpaceContacts<T> space(3001, 3);
  const auto scalar_indexed = solve<T>(indexed.indexed_contacts(), 3001, few_steps(Isa::scalar));
  const auto scalar_space = solve<T>(space.space_contacts(), 3001, few_steps(Isa::scalar), nullptr, false);
  for (const Isa isa : isas_with_fma()) {
    expect_same_bits(solve<T>(indexed.indexed_contacts(), 3001, few_steps(isa)), scalar_indexed,
                     std::string(to_string(isa)));
    expect_same_bits(solve<T>(space.space_contacts(), 3001, few_steps(isa), nullptr, false), scalar_space,
                     std::string(to_string(isa)));
  }
}

TYPED_TEST(OneAnswer, does_not_depend_on_the_thread_count) {
  using T = TypeParam;
  const tbb::global_control seven(tbb::global_control::max_allowed_parallelism, 7);
  constexpr std::size_t count = 20011;
  const RandomContacts<T> contacts(count, 4);
  Report one_report;
  const auto one = solve<T>(contacts.inline_contacts(), count, few_steps(Isa::automatic, 1), &one_report);
  for (const int threads : {2, 7}) {
    Report report;
    tbb::task_arena arena(7);
    arena.execute([&] {
      expect_same_bits(solve<T>(contacts.inline_contacts(), count, few_steps(Isa::automatic, threads), &report), one,
                       std::to_string(threads) + " threads");
    });
    EXPECT_LE(report.threads, threads);
    expect_same_report(report, one_report);
  }
}

TYPED_TEST(OneAnswer, does_not_depend_on_the_size_of_the_batch) {
  using T = TypeParam;
  constexpr std::size_t most = 1100;  // more than two tiles
  const RandomContacts<T> contacts(most, 5);
  const auto whole = solve<T>(contacts.inline_contacts(), most, few_steps());
  const auto first = [](const auto& column, std::size_t n) {
    auto part = column;
    part.count = n;
    return part;
  };
  // The widths of all lanes, one less and one more, and the same about the size of a tile.
  for (const std::size_t n :
       {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 128u, 129u, 511u, 512u, 513u, 1025u}) {
    Contacts<T> part = contacts.inline_contacts();
    const auto cut3 = [&](auto& v) { v = {first(v.x, n), first(v.y, n), first(v.z, n)}; };
    const auto cut_body = [&](BodyColumns<const T>& b) {
      b.inverse_mass = first(b.inverse_mass, n);
      auto& j = b.inverse_inertia;
      j = {first(j.xx, n), first(j.xy, n), first(j.xz, n), first(j.yy, n), first(j.yz, n), first(j.zz, n)};
      cut3(b.velocity);
      cut3(b.angular_velocity);
    };
    part.friction = first(part.friction, n);
    part.restitution = first(part.restitution, n);
    cut3(part.normal);
    cut_body(part.a);
    cut_body(part.b);
    cut3(part.r_a);
    cut3(part.r_b);
    Report report;
    const auto results = solve<T>(part, n, few_steps(), &report);
    EXPECT_EQ(report.contacts, n);
    for (std::size_t i = 0; n > 0 && i < 3; ++i) {
      EXPECT_EQ(std::memcmp(results.impulse[i].data(), whole.impulse[i].data(), n * sizeof(T)), 0) << n;
      EXPECT_EQ(std::memcmp(results.velocity_a[i].data(), whole.velocity_a[i].data(), n * sizeof(T)), 0) << n;
    }
    EXPECT_TRUE(std::equal(results.path.begin(), results.path.end(), whole.path.begin())) << n;
  }
}

TEST(OneAnswer, of_a_batch_of_1000003_does_not_depend_on_threads_or_isa) {
  constexpr std::size_t count = 1000003;
  const RandomSpaceContacts<float> contacts(count, 6);
  SolverSetup options = few_steps();
  options.steps = 5;
  const auto one = solve<float>(contacts.space_contacts(), count, options, nullptr, false);
  options.execution.threads = 2;
  options.execution.isa = Isa::scalar;
  Report report;
  expect_same_bits(solve<float>(contacts.space_contacts(), count, options, &report, false), one, "scalar, 2 threads");
  EXPECT_EQ(report.contacts, count);
  std::size_t with_status = 0, with_path = 0;
  for (const Status status : all_statuses()) with_status += report.count(status);
  for (const auto& [path, number] : report.paths()) with_path += number;
  EXPECT_EQ(with_status, count);
  EXPECT_EQ(with_path, count);
}

TYPED_TEST(OneAnswer, does_not_depend_on_the_place_in_the_batch) {
  using T = TypeParam;
  constexpr std::size_t count = 1500;
  const RandomSpaceContacts<T> contacts(count, 7);
  const auto straight = solve<T>(contacts.space_contacts(), count, few_steps(), nullptr, false);
  // 7 and 1500 have no common divisor, so i -> 7 i mod 1500 visits every place once.
  RandomSpaceContacts<T> permuted = contacts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = 7 * i % count;
    permuted.friction[i] = contacts.friction[from];
    permuted.restitution[i] = contacts.restitution[from];
    for (std::size_t j = 0; j < 6; ++j) permuted.k[j][i] = contacts.k[j][from];
    for (std::size_t j = 0; j < 3; ++j) permuted.separation_velocity[j][i] = contacts.separation_velocity[j][from];
  }
  const auto results = solve<T>(permuted.space_contacts(), count, few_steps(), nullptr, false);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = 7 * i % count;
    for (std::size_t j = 0; j < 3; ++j) {
      ASSERT_EQ(results.impulse[j][i], straight.impulse[j][from]) << i;
      ASSERT_EQ(results.separation_velocity[j][i], straight.separation_velocity[j][from]) << i;
    }
    ASSERT_EQ(results.path[i], straight.path[from]) << i;
    ASSERT_EQ(results.steps[i], straight.steps[from]) << i;
  }
}

TYPED_TEST(OneAnswer, a_solver_gives_the_same_bits_again_and_in_any_form_of_contacts) {
  using T = TypeParam;
  ConfiguredSolver solver(few_steps());
  const RandomContacts<T> contacts(600, 12);
  const RandomSpaceContacts<T> space(600, 13);
  ResultArrays<T> first(600), second(600), between(600, false);
  solver.solve(contacts.inline_contacts(), first.results());
  solver.solve(space.space_contacts(), between.results());
  solver.solve(contacts.inline_contacts(), second.results());
  expect_same_bits(first, second, "second call");
}

TYPED_TEST(OneAnswer, does_not_depend_on_the_rounding_mode_of_the_host) {
  using T = TypeParam;
  constexpr std::size_t count = 5000;
  const RandomContacts<T> contacts(count, 17);
  for (const int threads : {1, 2}) {
    const auto expected = solve<T>(contacts.inline_contacts(), count, few_steps(Isa::automatic, threads));
    ConfiguredSolver solver(few_steps(Isa::automatic, threads));
    ResultArrays<T> results(count);
    std::fesetround(FE_UPWARD);
    solver.solve(contacts.inline_contacts(), results.results());
    const int mode_after = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(mode_after, FE_UPWARD) << "the host's mode is its own again";
    expect_same_bits(results, expected, std::to_string(threads) + " threads");
  }
}

// A call computes with its options in the default environment, too: a third of the unit is one number only
// if it is rounded one way.
TYPED_TEST(OneAnswer, does_not_depend_on_how_the_host_rounds_the_step) {
  using T = TypeParam;
  constexpr std::size_t count = 500;
  const RandomContacts<T> contacts(count, 18);
  SolverSetup setup;
  setup.integrator = Integrator::euler;
  setup.steps = 30;
  const auto expected = solve<T>(contacts.inline_contacts(), count, setup);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ConfiguredSolver solver(setup);
    ResultArrays<T> results(count);
    std::fesetround(mode);
    solver.solve(contacts.inline_contacts(), results.results());
    const int mode_after = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(mode_after, mode);
    expect_same_bits(results, expected, std::to_string(mode));
  }
}

// A tile of contacts is stored before its slowest ones have ended; their results must not differ, in place either.
// Steps of 2^-4 to 2^-14 N s make some contacts a thousand times slower than their neighbours.
TYPED_TEST(OneAnswer, slow_contacts_among_fast_ones_have_the_bits_they_have_alone) {
  using T = TypeParam;
  constexpr std::size_t count = 3000;
  RandomContacts<T> contacts(count, 15);
  std::vector<T> step(count);
  for (std::size_t i = 0; i < count; ++i) step[i] = std::ldexp(T(1), -static_cast<int>(4 + (i * i) % 11));
  Contacts<T> view = contacts.inline_contacts();
  view.laws.step = step;
  for (const Isa isa : available_isas()) {
    SolverSetup options = few_steps(isa);
    options.step_budget = 4000;
    Report report;
    const auto together = solve<T>(view, count, options, &report);
    // Some steps are more than a contact's natural one, and the slowest contacts run into the budget.
    ASSERT_GT(report.count(Status::ok), count / 2);
    ASSERT_GT(report.count(Status::step_budget_reached), 50u);
    ASSERT_EQ(report.faults(), report.count(Status::step_budget_reached) + report.count(Status::step_too_large));
    ASSERT_EQ(report.count(Path{}), report.faults());

    RandomContacts<T> in_place = contacts;
    Contacts<T> in_place_view = in_place.inline_contacts();
    in_place_view.laws.step = step;
    Results<T> results;
    results.velocity_a = {in_place.a.velocity[0], in_place.a.velocity[1], in_place.a.velocity[2]};
    results.angular_velocity_b = {in_place.b.angular_velocity[0], in_place.b.angular_velocity[1],
                                  in_place.b.angular_velocity[2]};
    ConfiguredSolver(options).solve(in_place_view, results);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(same_bits(in_place.a.velocity[j], together.velocity_a[j]));
      EXPECT_TRUE(same_bits(in_place.b.angular_velocity[j], together.angular_velocity_b[j]));
    }
    // One contact a tile: every tile ends before the next begins.
    const auto alone = [&](std::size_t i) {
      Contacts<T> one = view;
      const auto cut = [&](auto&... column) { ((column = {&column[i], 1, column.stride}), ...); };
      const auto cut3 = [&](auto& v) { cut(v.x, v.y, v.z); };
      const auto cut_body = [&](BodyColumns<const T>& b) {
        auto& m = b.inverse_inertia;
        cut(b.inverse_mass, m.xx, m.xy, m.xz, m.yy, m.yz, m.zz);
        cut3(b.velocity);
        cut3(b.angular_velocity);
      };
      cut(one.friction, one.restitution, one.laws.step);
      cut3(one.normal);
      cut3(one.r_a);
      cut3(one.r_b);
      cut_body(one.a);
      cut_body(one.b);
      return solve<T>(one, 1, options);
    };
    for (std::size_t i = 0; i < count; i += 37) {
      const auto single = alone(i);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(single.impulse[j][0], together.impulse[j][i]) << i;
        EXPECT_EQ(single.angular_velocity_a[j][0], together.angular_velocity_a[j][i]) << i;
      }
      EXPECT_EQ(single.steps[0], together.steps[i]) << i;
      EXPECT_EQ(single.path[0], together.path[i]) << i;
    }
  }
}

// Scaling the units of length, mass and time by powers of two must
// scale the result and change no bit of its significands.
TEST(OneAnswer, does_not_depend_on_the_units_of_the_host) {
  constexpr std::size_t count = 300;
  const RandomSpaceContacts<double> contacts(count, 14);
  const auto expected = solve<double>(contacts.space_contacts(), count, few_steps(), nullptr, false);
  for (const double mass : {0x1p-40, 0x1p30}) {
    for (const double speed : {0x1p-50, 0x1p45}) {
      RandomSpaceContacts<double> scaled = contacts;
      for (auto& column : scaled.k)
        for (double& x : column) x /= mass;
      for (auto& column : scaled.separation_velocity)
        for (double& x : column) x *= speed;
      const auto results = solve<double>(scaled.space_contacts(), count, few_steps(), nullptr, false);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < 3; ++j)
          ASSERT_EQ(results.impulse[j][i], expected.impulse[j][i] * mass * speed) << mass << ' ' << speed;
        ASSERT_EQ(results.path[i], expected.path[i]);
        ASSERT_EQ(results.work_compression[i], expected.work_compression[i] * mass * speed * speed);
      }
    }
  }
}

}  // namespace
}  // namespace carom
