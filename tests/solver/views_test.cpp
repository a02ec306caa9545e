// A contact has the same bits in any layout of the caller's arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "io/columns/contact_columns.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/errors.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

using support::expect_same_bits;
using support::few_steps;
using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;
using support::same_bits;
using support::solve;

template <class T>
class Views : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Views, Precisions);

TYPED_TEST(Views, indexed_bodies_give_the_bits_of_inline_bodies) {
  using T = TypeParam;
  constexpr std::size_t count = 777;
  const RandomIndexedContacts<T> indexed(count, 90, 8);
  RandomContacts<T> inlined(count, 8);
  inlined.friction = indexed.friction;
  inlined.restitution = indexed.restitution;
  inlined.normal = indexed.normal;
  inlined.r_a = indexed.r_a;
  inlined.r_b = indexed.r_b;
  const auto copy = [&](support::BodyArrays<T>& to, const std::vector<std::int32_t>& body) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = [&](const std::vector<T>& column) {
        return body[i] < 0 ? T(0) : column[static_cast<std::size_t>(body[i])];
      };
      to.inverse_mass[i] = value(indexed.bodies.inverse_mass);
      for (std::size_t j = 0; j < 6; ++j) to.inverse_inertia[j][i] = value(indexed.bodies.inverse_inertia[j]);
      for (std::size_t j = 0; j < 3; ++j) {
        to.velocity[j][i] = value(indexed.bodies.velocity[j]);
        to.angular_velocity[j][i] = value(indexed.bodies.angular_velocity[j]);
      }
    }
  };
  copy(inlined.a, indexed.body_a);
  copy(inlined.b, indexed.body_b);
  expect_same_bits(solve<T>(indexed.indexed_contacts(), count, few_steps()),
                   solve<T>(inlined.inline_contacts(), count, few_steps()), "indexed");
}

// An engine's own struct, of which carom reads and writes the fields where they are.
template <class T>
struct EngineContact {
  char name[3];
  T k[6], u0[3], friction;
  double unrelated;
  T restitution, impulse[3];
  Status status;
};

TYPED_TEST(Views, strided_views_give_the_bits_of_contiguous_columns) {
  using T = TypeParam;
  constexpr std::size_t count = 101;
  const RandomSpaceContacts<T> contacts(count, 9);
  const auto expected = solve<T>(contacts.space_contacts(), count, few_steps(), nullptr, false);

  std::vector<EngineContact<T>> engine(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < 6; ++j) engine[i].k[j] = contacts.k[j][i];
    for (std::size_t j = 0; j < 3; ++j) engine[i].u0[j] = contacts.separation_velocity[j][i];
    engine[i].friction = contacts.friction[i];
    engine[i].restitution = contacts.restitution[i];
    engine[i].unrelated = 42;
  }
  const auto column = [&](auto& field) { return Column(&field, count, sizeof(EngineContact<T>)); };
  auto& e = engine.front();
  KContacts<T> view;
  view.k = {column(e.k[0]), column(e.k[1]), column(e.k[2]), column(e.k[3]), column(e.k[4]), column(e.k[5])};
  view.separation_velocity = {column(e.u0[0]), column(e.u0[1]), column(e.u0[2])};
  view.friction = column(e.friction);
  view.restitution = column(e.restitution);
  Results<T> results;
  results.impulse = {column(e.impulse[0]), column(e.impulse[1]), column(e.impulse[2])};
  results.status = column(e.status);
  ConfiguredSolver(few_steps()).solve(view, results);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(engine[i].impulse[j], expected.impulse[j][i]) << i;
    ASSERT_EQ(engine[i].status, expected.status[i]);
    ASSERT_EQ(engine[i].unrelated, 42);
  }
}

TYPED_TEST(Views, negative_strides_read_a_batch_backwards) {
  using T = TypeParam;
  constexpr std::size_t count = 37;
  const RandomSpaceContacts<T> contacts(count, 10);
  const auto expected = solve<T>(contacts.space_contacts(), count, few_steps(), nullptr, false);
  KContacts<T> view = contacts.space_contacts();
  const auto reverse = [&](Column<const T>& c) {
    c = {c.data + (count - 1), count, -static_cast<std::ptrdiff_t>(sizeof(T))};
  };
  for (auto* c : {&view.k.xx, &view.k.xy, &view.k.xz, &view.k.yy, &view.k.yz, &view.k.zz, &view.separation_velocity.x,
                  &view.separation_velocity.y, &view.separation_velocity.z, &view.friction, &view.restitution})
    reverse(*c);
  const auto results = solve<T>(view, count, few_steps(), nullptr, false);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(results.impulse[j][i], expected.impulse[j][count - 1 - i]);
}

TYPED_TEST(Views, results_may_replace_the_velocities_that_were_read) {
  using T = TypeParam;
  constexpr std::size_t count = 1203;
  RandomContacts<T> contacts(count, 11);
  const auto expected = solve<T>(contacts.inline_contacts(), count, few_steps());
  const Contacts<T> view = contacts.inline_contacts();
  Results<T> in_place;
  const auto columns = [](support::Vectors3<T>& v) { return Vector3Columns<T>{v[0], v[1], v[2]}; };
  in_place.velocity_a = columns(contacts.a.velocity);
  in_place.angular_velocity_a = columns(contacts.a.angular_velocity);
  in_place.velocity_b = columns(contacts.b.velocity);
  in_place.angular_velocity_b = columns(contacts.b.angular_velocity);
  ConfiguredSolver(few_steps()).solve(view, in_place);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same_bits(contacts.a.velocity[i], expected.velocity_a[i]));
    EXPECT_TRUE(same_bits(contacts.a.angular_velocity[i], expected.angular_velocity_a[i]));
    EXPECT_TRUE(same_bits(contacts.b.velocity[i], expected.velocity_b[i]));
    EXPECT_TRUE(same_bits(contacts.b.angular_velocity[i], expected.angular_velocity_b[i]));
  }
}

// One value for all contacts, and an immovable body, in whole vectors too.
TYPED_TEST(Views, repeated_values_have_the_bits_of_columns_full_of_them) {
  using T = TypeParam;
  constexpr std::size_t count = 700;
  RandomContacts<T> contacts(count, 16);
  const T friction = T(0.3), restitution = T(0.6);
  contacts.friction.assign(count, friction);
  contacts.restitution.assign(count, restitution);
  contacts.b.inverse_mass.assign(count, T(0));
  for (auto& column : contacts.b.inverse_inertia) column.assign(count, T(0));
  for (auto& column : contacts.b.velocity) column.assign(count, T(0));
  for (auto& column : contacts.b.angular_velocity) column.assign(count, T(0));
  for (auto& column : contacts.r_b) column.assign(count, T(0));
  Contacts<T> repeated = contacts.inline_contacts();
  repeated.friction = {&friction, count, 0};
  repeated.restitution = {&restitution, count, 0};
  repeated.b = {};
  repeated.r_b = {};
  for (const Isa isa : available_isas())
    expect_same_bits(solve<T>(repeated, count, few_steps(isa)),
                     solve<T>(contacts.inline_contacts(), count, few_steps(isa)), std::string(to_string(isa)));
}

template <class View, class R>
void expect_error(const View& view, const R& results, const std::string& name) {
  try {
    ConfiguredSolver(few_steps()).solve(view, results);
    ADD_FAILURE() << name << " was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("column"), std::string::npos) << error.what();
  }
}

TYPED_TEST(Views, a_column_of_another_length_or_without_an_address_is_an_error) {
  using T = TypeParam;
  constexpr std::size_t count = 20;
  const RandomContacts<T> contacts(count, 61);
  const RandomIndexedContacts<T> indexed(count, 5, 62);
  ResultArrays<T> arrays(count);
  Contacts<T> view = contacts.inline_contacts();
  Results<T> results = arrays.results();
  int tried = 0;
  const auto spoil = [&](const std::string& name, auto& column) {
    const auto sound = column;
    column.count = count - 1;
    expect_error(view, results, name);
    column = sound;
    column.data = nullptr;
    expect_error(view, results, name);
    column = sound;
    ++tried;
  };
  io::visit_needed(view, spoil);
  io::visit_results(view, results, spoil);
  io::visit_details(view, results, spoil);
  EXPECT_EQ(tried, 37 + 17 + 6);

  const std::vector<T> step;  // of no elements, which is not the same as no column
  view.laws.step = step;
  expect_error(view, results, "an empty step");
  view.laws.step = {};
  results.impulse.x.stride = 0;
  expect_error(view, results, "a result of stride 0");
  results.impulse.x.stride = sizeof(T);

  IndexedContacts<T> by_index = indexed.indexed_contacts();
  by_index.bodies.angular_velocity.z.count = 4;
  expect_error(by_index, results, "bodies.angular_velocity.z");
  by_index = indexed.indexed_contacts();
  by_index.body_b.count = count + 1;
  expect_error(by_index, results, "body_b");
}

TEST(LargeMemory, begins_on_a_line_or_a_large_page_and_holds_what_is_written) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, 4 * mib, 5 * mib + 1}) {
    void* const memory = allocate_large(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % (bytes >= 4 * mib ? 2 * mib : 64), 0) << bytes;
    std::memset(memory, 'x', bytes);
    free_large(memory);
  }
  const std::vector<double, LargeAllocator<double>> column(mib, 2.5);
  EXPECT_EQ(std::count(column.begin(), column.end(), 2.5), static_cast<std::ptrdiff_t>(mib));
}

TEST(LargeMemory, that_nobody_has_is_an_error) {
  EXPECT_THROW(allocate_large(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  const auto kind_of_allocating = [](std::size_t floats, std::size_t doubles) {
    return std::pair{support::error_of([&] { BlockedContacts<float> contacts(floats); })->kind(),
                     support::error_of([&] { BlockedContacts<double> contacts(doubles); })->kind()};
  };
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(kind_of_allocating(most, most / 37), std::pair(ErrorKind::out_of_memory, ErrorKind::out_of_memory));
}

}  // namespace
}  // namespace carom
