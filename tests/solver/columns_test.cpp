// Columns made of values, containers, members of structs and vector types.
#include "core/columns/columns.hpp"

#include <gtest/gtest.h>

#include <array>
#include <carom/carom.hpp>
#include <carom/experimental.hpp>
#include <carom/reference.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/contacts/blocked_contacts.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/planar/same_bits.hpp"
#include "support/running/constants.hpp"
#include "support/running/same_bits.hpp"

/// Vector types of engines: a struct, a class whose numbers are private, a template with sizes as Eigen has it.
namespace engine {

struct Vec3 {
  float x = 0, y = 0, z = 0;
};

class alignas(16) Padded {
 public:
  Padded() = default;
  Padded(float x, float y, float z) : v_{x, y, z, 0} {}
  bool is_sound() const { return v_[3] == 0; }

 private:
  float v_[4] = {};
};

struct Unknown {
  float x, y, z;
};

template <class S, int height, int width>
struct Matrix {
  std::array<S, static_cast<std::size_t>(height) * width> numbers{};
};

}  // namespace engine

template <>
struct carom::VectorTraits<engine::Vec3> : carom::VectorOf<float, 3> {};
template <>
struct carom::VectorTraits<engine::Padded> : carom::VectorOf<float, 4> {};
template <class S, int height, int width>
struct carom::VectorTraits<engine::Matrix<S, height, width>>
    : carom::VectorOf<S, static_cast<std::size_t>(height) * width> {};

namespace carom {
namespace {

using support::Constants;
using support::expect_same_bits;
using support::RandomContacts;
using support::RandomIndexedContacts;
using support::RandomLaws;
using support::RandomSpaceContacts;
using support::ResultArrays;

struct Material {
  float friction = 0.4f, restitution = 0.5f;
  Law law = Law::incremental;
};
/// A body that hits the floor.
struct Hit : Material {
  std::int32_t body = 0;
  float inverse_mass = 1;
  const float normal[3] = {0, 0, 1};
  engine::Vec3 r{};
  engine::Padded velocity{};
  std::array<float, 3> spin{};
  engine::Matrix<float, 3, 3> inverse_inertia{};
  float triangle[6] = {}, rows[3][3] = {};
  float impulse[3] = {};
  engine::Vec3 new_velocity{};
};

// Constructions that must not compile.
template <class To, class... From>
constexpr bool makes = std::is_constructible_v<To, From...>;
using Numbers = Column<const float>;
using Vectors = Vector3Columns<const float>;
using Hits = std::vector<Hit>;
static_assert(makes<Numbers, Hits&, float Hit::*> && makes<Numbers, const Hits&, float Material::*>);
static_assert(makes<Column<float>, Hits&, float Hit::*> && !makes<Column<float>, const Hits&, float Hit::*>);
static_assert(!makes<Numbers, Hits&&, float Hit::*> && !makes<Numbers, std::vector<float>&&>);
static_assert(makes<Numbers, std::span<Hit>, float Hit::*> && makes<Numbers, std::span<const float>>);
static_assert(!makes<Numbers, Hits&, std::int32_t Hit::*> && !makes<Column<const double>, Hits&, float Hit::*>);
static_assert(makes<Numbers, double> && makes<Numbers, int> && !makes<Numbers, bool> && !makes<Column<float>, float>);
static_assert(makes<Column<const std::int32_t>, int> && !makes<Column<const std::int32_t>, double>);
static_assert(makes<Column<const Law>, Law> && !makes<Column<const Law>, int> &&
              !makes<Column<const Law>, RestitutionLaw>);
static_assert(!makes<Column<const SystemBlock<double>>, double> && !makes<Column<Status>, Status>);
static_assert(makes<Vectors, Hits&, const float (Hit::*)[3]> && makes<Vectors, const Hits&, engine::Vec3 Hit::*>);
static_assert(!makes<Vectors, Hits&&, engine::Vec3 Hit::*> && !makes<Vectors, Hits&, float Hit::*>);
static_assert(makes<Vector3Columns<float>, Hits&, engine::Vec3 Hit::*> &&
              !makes<Vector3Columns<float>, const Hits&, engine::Vec3 Hit::*> &&
              !makes<Vector3Columns<float>, Hits&, const float (Hit::*)[3]>);
static_assert(!makes<Vector3Columns<const double>, Hits&, engine::Vec3 Hit::*> &&
              !makes<Vector3Columns<float>, int, int, int>);
static_assert(!makes<Vectors, Hits&, float (Hit::*)[6][6]> &&
              !makes<SymmetricColumns<const float>, Hits&, engine::Vec3 Hit::*>);
// Constructors that are deleted for their errors (tests/cmake/column_errors_test.cpp) change no trait and no overload.
union Either {
  float number;
  std::int32_t integer;
};
static_assert(makes<Numbers, std::vector<Either>&, float Either::*> && !makes<Numbers, float Hit::*>);
static_assert(!makes<Numbers, double*, std::size_t> && !makes<Vectors, double*, std::size_t>);
static_assert(!makes<Numbers, std::list<float>&> && !makes<Vectors, std::list<Hit>&, engine::Vec3 Hit::*>);
static_assert(!makes<Vectors, Hits&, engine::Unknown Hit::*> && !makes<Vectors, Hits&, float (Hit::*)() const>);
static_assert(!makes<planar::Vector2Columns<const float>, Hits&, engine::Unknown Hit::*> &&
              !makes<planar::SymmetricColumns<const double>, Hits&, engine::Padded Hit::*>);
static_assert(!std::is_convertible_v<std::vector<double>&, Numbers> && !std::is_convertible_v<Hits, Numbers>);
constexpr int precision_of(Column<const float>) {
  return 4;
}
constexpr int precision_of(Column<const double>) {
  return 8;
}
static_assert(requires(std::vector<float> & of_float, const std::vector<double>& of_double) {
  precision_of(of_float);
  precision_of(of_double);
});
static_assert(sizeof(Numbers) == 8 + sizeof(std::size_t) + sizeof(std::ptrdiff_t) &&
              std::is_trivially_copyable_v<Numbers>);

template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(ColumnTypes, equal_columns_have_equal_bytes) {
  const std::vector<float> numbers(3);
  const auto in_dirty_memory = [](unsigned char dirt, const auto& make) {
    using C = decltype(make());
    alignas(C) unsigned char memory[sizeof(C)];
    std::memset(memory, dirt, sizeof memory);
    C copy = *new (memory) C(make());
    return copy;
  };
  const auto expect = [&](const auto& make) {
    EXPECT_TRUE(same_bytes(in_dirty_memory(0, make), in_dirty_memory(0xff, make)));
  };
  expect([] { return Numbers(); });
  expect([] { return Numbers(0.4); });
  expect([] { return Column<const Law>(Law::smith); });
  expect([] { return Column<const std::int32_t>(-1); });
  expect([&] { return Numbers(numbers); });
  expect([] { return Contacts<float>{.friction = 0.4, .normal = {0, 0, 1}}; });
  EXPECT_FALSE(same_bytes(Numbers(0.4), Numbers(0.5)));
}

TEST(ColumnTypes, a_constant_is_a_column_and_the_default_is_none) {
  EXPECT_FALSE(Numbers());
  EXPECT_TRUE(Numbers(0));
  EXPECT_TRUE(Numbers(0).is_constant());
  EXPECT_EQ(Numbers(1).constant, 1.0f);
  const Vectors vector = {0, 0, 1};
  EXPECT_TRUE(vector.x.is_constant());
  EXPECT_EQ(vector.z.constant, 1.0f);
  const planar::Vector2Columns<const float> in_plane = {0, 0};
  EXPECT_TRUE(in_plane.x.is_constant() && in_plane.y.is_constant());
  const planar::SymmetricColumns<const float> matrix = {0, 0, 1};
  EXPECT_EQ(matrix.yy.constant, 1.0f);
}

TEST(ColumnTypes, an_empty_range_is_a_column_without_elements) {
  Hits none;
  const std::vector<float> numbers;
  for (const Numbers& column : {Numbers(numbers), Numbers(none, &Hit::friction), Vectors(none, &Hit::r).y,
                                SymmetricColumns<const float>(none, &Hit::inverse_inertia).zz}) {
    EXPECT_TRUE(column);
    EXPECT_EQ(column.count, 0u);
  }
}

TEST(ColumnTypes, members_are_found_in_every_row) {
  Hits hits(2);
  hits[1].restitution = 0.25f;
  hits[1].r = {1, 2, 3};
  hits[1].velocity = {4, 5, 6};
  hits[1].spin = {7, 8, 9};
  for (std::size_t i = 0; i < 9; ++i)
    hits[1].inverse_inertia.numbers[i] = hits[1].rows[i / 3][i % 3] = static_cast<float>(i);
  for (std::size_t i = 0; i < 6; ++i) hits[1].triangle[i] = static_cast<float>(10 + i);
  EXPECT_EQ(Numbers(hits, &Hit::restitution)[1], 0.25f);
  const auto expect = [](const Vectors& v, float x, float y, float z) {
    EXPECT_EQ(v.x.count, 2u);
    EXPECT_EQ(v.x[1], x);
    EXPECT_EQ(v.y[1], y);
    EXPECT_EQ(v.z[1], z);
  };
  expect({hits, &Hit::normal}, 0, 0, 1);
  expect({hits, &Hit::r}, 1, 2, 3);
  expect({std::span<const Hit>(hits), &Hit::velocity}, 4, 5, 6);
  expect({hits, &Hit::spin}, 7, 8, 9);
  expect({hits[0].triangle, 2, sizeof(Hit)}, 10, 11, 12);
  const auto upper = [](const SymmetricColumns<const float>& m) {
    return std::vector<float>{m.xx[1], m.xy[1], m.xz[1], m.yy[1], m.yz[1], m.zz[1]};
  };
  EXPECT_EQ(upper({hits, &Hit::inverse_inertia}), (std::vector<float>{0, 1, 2, 4, 5, 8}));
  EXPECT_EQ(upper({hits, &Hit::rows}), (std::vector<float>{0, 1, 2, 4, 5, 8}));
  EXPECT_EQ(upper({hits, &Hit::triangle}), (std::vector<float>{10, 11, 12, 13, 14, 15}));
  struct InPlane {
    double normal[2], k[3], whole[2][2];
  };
  std::vector<InPlane> rows(2, {{1, 2}, {3, 4, 5}, {{6, 7}, {7, 8}}});
  const planar::Vector2Columns<const double> normal = {rows, &InPlane::normal};
  EXPECT_EQ(normal.y[1], 2);
  const planar::SymmetricColumns<const double> k = {rows, &InPlane::k}, whole = {rows, &InPlane::whole};
  EXPECT_EQ(k.yy[1], 5);
  EXPECT_EQ(whole.xy[1], 7);
  EXPECT_EQ(whole.yy[1], 8);
}

TEST(ColumnTypes, structs_give_the_bits_of_arrays) {
  constexpr std::size_t count = 100;
  const RandomContacts<float> drawn(count, 71);
  const Contacts<float> view = drawn.inline_contacts();
  Hits hits(count);
  for (std::size_t i = 0; i < count; ++i) {
    hits[i].inverse_mass = view.a.inverse_mass[i] + 0.1f;
    const auto& inertia = view.a.inverse_inertia;
    hits[i].inverse_inertia.numbers = {inertia.xx[i] + 0.1f, inertia.xy[i],        inertia.xz[i],
                                       inertia.xy[i],        inertia.yy[i] + 0.1f, inertia.yz[i],
                                       inertia.xz[i],        inertia.yz[i],        inertia.zz[i] + 0.1f};
    hits[i].r = {view.r_a.x[i], view.r_a.y[i], view.r_a.z[i]};
    hits[i].velocity = {view.a.velocity.x[i], view.a.velocity.y[i], -1};
    hits[i].spin = {view.a.angular_velocity.x[i], view.a.angular_velocity.y[i], view.a.angular_velocity.z[i]};
  }
  const auto structs = [&] {  // the caller's aggregate is destroyed before the call
    auto made = std::make_unique<Contacts<float>>(
        Contacts<float>{.friction = 0.4,
                        .restitution = {hits, &Hit::restitution},
                        .normal = {hits, &Hit::normal},
                        .r_a = {hits, &Hit::r},
                        .a = {.inverse_mass = {hits, &Hit::inverse_mass},
                              .inverse_inertia = {hits, &Hit::inverse_inertia},
                              .velocity = {hits, &Hit::velocity},
                              .angular_velocity = {hits, &Hit::spin}},
                        .laws = {.law = {hits, &Hit::law}, .restitution_law = RestitutionLaw::energetic}});
    const Contacts<float> copy = *made;
    std::memset(static_cast<void*>(made.get()), 0xff, sizeof *made);
    return copy;
  }();
  // Same in arrays, with a body B at rest.
  RandomContacts<float> arrays(count, 71);
  for (std::size_t i = 0; i < count; ++i) {
    arrays.friction[i] = 0.4f;
    arrays.restitution[i] = 0.5f;
    arrays.a.inverse_mass[i] = hits[i].inverse_mass;
    const auto& m = hits[i].inverse_inertia.numbers;
    const std::size_t triangle[] = {0, 1, 2, 4, 5, 8};
    for (std::size_t c = 0; c < 6; ++c) arrays.a.inverse_inertia[c][i] = m[triangle[c]];
    arrays.a.velocity[2][i] = -1;
    arrays.b.inverse_mass[i] = 0;
    for (auto& column : arrays.b.inverse_inertia) column[i] = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      arrays.normal[c][i] = c == 2 ? 1.0f : 0.0f;
      arrays.r_b[c][i] = arrays.b.velocity[c][i] = arrays.b.angular_velocity[c][i] = 0;
    }
  }
  ResultArrays<float> expected(count), found(count);
  Solver solver({.threads = 1});
  solver.solve(arrays.inline_contacts(), expected.results());
  Results<float> to = found.results();
  to.impulse = {hits, &Hit::impulse};
  to.velocity_a = {hits, &Hit::new_velocity};
  const Report report = solver.solve(structs, to);
  EXPECT_EQ(report.contacts, count);
  EXPECT_GT(report.count(Status::ok), count / 2);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < 3; ++c) found.impulse[c][i] = hits[i].impulse[c];
    found.velocity_a[0][i] = hits[i].new_velocity.x;
    found.velocity_a[1][i] = hits[i].new_velocity.y;
    found.velocity_a[2][i] = hits[i].new_velocity.z;
  }
  expect_same_bits(found, expected, "structs");
}

template <class T>
class ColumnConstants : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ColumnConstants, Precisions);

const auto each_of_contacts = [](const auto& f, auto& first, auto&... rest) {
  columns::each_of_contacts(f, first, rest...);
  if constexpr (requires { first.bodies; }) columns::each(f, {"bodies"}, first.bodies, rest.bodies...);
};

/// Contacts of one pair of bodies against each other, so that constants leave most of them sound.
template <class T, template <class> class AnyContacts>
void expect_bits_of_full_columns(AnyContacts<T> view, std::size_t count, bool bodies) {
  const RandomLaws<T> laws(count, 72);
  const std::vector<RestitutionLaw> restitution_law(count, RestitutionLaw::kinematic);
  const std::vector<T> step(count, T(1e-3));
  laws.give(view.laws);
  view.laws.law = laws.law;
  view.laws.restitution_law = restitution_law;
  view.laws.step = step;
  std::size_t sound = 0, tried = 0;
  support::for_each_constant(view, each_of_contacts, [&](const std::string& name, Constants<AnyContacts<T>>& made) {
    Report report;
    const auto found = support::solve<T>(made.constant, count, law_options(Law::incremental), &report, bodies);
    sound += report.count(Status::ok);
    ++tried;
    expect_same_bits(found, support::solve<T>(made.full, count, law_options(Law::incremental), nullptr, bodies), name);
    if constexpr (std::is_same_v<T, double>) {
      ResultArrays<T> expected(count, bodies), in_reference(count, bodies);
      reference::solve(select(made.full, {}), expected.results());
      reference::solve(select(made.constant, {}), in_reference.results());
      expect_same_bits(in_reference, expected, "reference: " + name);
      EXPECT_EQ(reference::collision_of(made.constant, count - 1).u0, reference::collision_of(made.full, count - 1).u0);
    }
    ResultArrays<T> impulse(count);
    std::vector<T> energy(count), of_full(count);
    const Vector3Columns<const T> p = Results<T>(impulse.results()).impulse;
    made.constant.laws = made.full.laws = {};
    Solver({.threads = 1}).find_margins(made.constant, p, {.energy = energy});
    Solver({.threads = 1}).find_margins(made.full, p, {.energy = of_full});
    EXPECT_TRUE(support::same_bits(energy, of_full)) << name;
  });
  EXPECT_GT(tried, 20u);
  EXPECT_GT(sound, tried * count / 4);
}

TYPED_TEST(ColumnConstants, of_contacts_have_the_bits_of_full_columns) {
  const RandomContacts<TypeParam> drawn(60, 73);
  expect_bits_of_full_columns<TypeParam, Contacts>(drawn.inline_contacts(), 60, true);
}
TYPED_TEST(ColumnConstants, of_indexed_contacts_have_the_bits_of_full_columns) {
  const RandomIndexedContacts<TypeParam> drawn(60, 12, 74);
  expect_bits_of_full_columns<TypeParam, IndexedContacts>(drawn.indexed_contacts(), 60, true);
}
TYPED_TEST(ColumnConstants, of_contacts_in_contact_space_have_the_bits_of_full_columns) {
  const RandomSpaceContacts<TypeParam> drawn(60, 75);
  expect_bits_of_full_columns<TypeParam, KContacts>(drawn.space_contacts(), 60, false);
}

TYPED_TEST(ColumnConstants, of_planar_contacts_have_the_bits_of_full_columns) {
  using T = TypeParam;
  constexpr std::size_t count = 60;
  const support::RandomPlanarBodies<T> drawn(count, 76);
  const auto expect = [&]<template <class> class Form>(const Form<T>& view) {
    support::for_each_constant(view, each_of_contacts, [&](const std::string& name, Constants<Form<T>>& made) {
      support::PlanarResultArrays<T> found(count), expected(count);
      Solver solver({.threads = 1});
      solver.solve(select(made.constant, {}), found.results());
      solver.solve(select(made.full, {}), expected.results());
      EXPECT_TRUE(support::same(found, expected)) << name;
      std::vector<T> energy(count), of_full(count);
      const planar::Vector2Columns<const T> p = planar::Results<T>(found.results()).impulse;
      made.constant.laws = made.full.laws = {};
      solver.find_margins(made.constant, p, {.energy = energy});
      solver.find_margins(made.full, p, {.energy = of_full});
      EXPECT_TRUE(support::same_bits(energy, of_full)) << name;
    });
  };
  expect.template operator()<planar::Contacts>(drawn.inline_contacts());
  expect.template operator()<planar::IndexedContacts>(drawn.indexed_contacts());
}

TYPED_TEST(ColumnConstants, of_gradients_and_blocks_have_the_bits_of_full_columns) {
  using T = TypeParam;
  constexpr std::size_t count = 40;
  const RandomSpaceContacts<T> drawn(count, 77);
  Solver solver({.threads = 1});
  support::for_each_constant(
      drawn.space_contacts(), each_of_contacts, [&](const std::string& name, Constants<KContacts<T>>& made) {
        const std::vector<T> ones(count, T(1)), zeros(count);
        std::vector<T> found(count), expected(count);
        Gradients<T> gradients{.cotangent = {.impulse = {0, 0, 1}, .product = {.friction = found}}};
        solver.differentiate(made.constant, gradients);
        gradients.cotangent.impulse = {zeros, zeros, ones};
        gradients.cotangent.product.friction = expected;
        solver.differentiate(made.full, gradients);
        EXPECT_TRUE(support::same_bits(found, expected)) << name;
      });
  BlockedContacts<T> blocked = support::blocked_of(RandomContacts<T>(count, 78).inline_contacts());
  const std::vector<T> e(count, T(0.3));
  ResultArrays<T> found(count), expected(count);
  blocked.laws.tangential_restitution = 0.3;
  solver.solve(blocked, found.results(), {.law = Law::chatterjee_ruina});
  blocked.laws.tangential_restitution = e;
  solver.solve(blocked, expected.results(), {.law = Law::chatterjee_ruina});
  expect_same_bits(found, expected, "blocked");
}

TYPED_TEST(ColumnConstants, without_body_b_contacts_are_with_the_immovable_world) {
  using T = TypeParam;
  constexpr std::size_t count = 50;
  RandomContacts<T> drawn(count, 79);
  for (auto* columns : {&drawn.r_b, &drawn.b.velocity, &drawn.b.angular_velocity})
    for (auto& column : *columns) column.assign(count, T(0));
  for (auto& column : drawn.b.inverse_inertia) column.assign(count, T(0));
  drawn.b.inverse_mass.assign(count, T(0));
  Contacts<T> view = drawn.inline_contacts();
  const auto expected = support::solve<T>(view, count, law_options(Law::incremental));
  view.b = {};
  view.r_b = {};
  expect_same_bits(support::solve<T>(view, count, law_options(Law::incremental)), expected, "world");

  const support::RandomPlanarBodies<T> in_plane(count, 80);
  const std::vector<T> zero(count);
  planar::Contacts<T> planar_view = in_plane.inline_contacts();
  planar_view.laws = {};
  support::PlanarResultArrays<T> of_world(count), absent(count);
  planar_view.b = {zero, zero, {zero, zero}, zero};
  planar_view.r_b = {zero, zero};
  std::vector<T> energy(count), of_absent(count);
  Solver solver({.threads = 1});
  solver.solve(planar_view, of_world.results());
  const planar::Vector2Columns<const T> p = planar::Results<T>(of_world.results()).impulse;
  solver.find_margins(planar_view, p, {.energy = energy});
  planar_view.b = {};
  planar_view.r_b = {};
  solver.solve(planar_view, absent.results());
  solver.find_margins(planar_view, p, {.energy = of_absent});
  EXPECT_TRUE(support::same(of_world, absent));
  EXPECT_TRUE(support::same_bits(energy, of_absent));
}

std::string error_of(const auto& contacts, const auto& results) {
  try {
    Solver({.threads = 1}).solve(contacts, results);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ColumnErrors, name_the_column) {
  constexpr std::size_t count = 4;
  const RandomContacts<double> drawn(count, 81);
  const Contacts<double> sound = drawn.inline_contacts();
  const auto error = [](Contacts<double> contacts, const auto& change) {
    change(contacts);
    std::vector<double> untouched(count, 7);
    const std::string what = error_of(contacts, Results<double>{.impulse = {untouched, untouched, untouched}});
    EXPECT_EQ(untouched, std::vector<double>(count, 7));
    return what;
  };
  using C = Contacts<double>;
  EXPECT_EQ(error(sound, [](C& c) { c.b = {}; }), "carom: r_b: body B is absent; give b, too, or leave out r_b");
  EXPECT_EQ(error(sound, [](C& c) { c.r_b = {}; }), "carom: the column r_b.x is missing");
  EXPECT_EQ(error(sound, [](C& c) { c.b = {.inverse_mass = 0}; }), "carom: the column b.inverse_inertia.xx is missing");
  EXPECT_EQ(error(sound, [](C& c) { c.a.velocity.y = {}; }), "carom: the column a.velocity.y is missing");
  EXPECT_EQ(error(sound, [](C& c) { c.friction = {}; }), "carom: the column friction is missing");
  EXPECT_EQ(error(sound, [](C& c) { c.friction = 0.4, c.normal.y.count = 3; }),
            "carom: the column normal.y has 3 elements, but restitution has 4");
  EXPECT_EQ(error({}, [](C& c) { c.friction = 0.4; }), "carom: the column restitution is missing");
  const auto make_constant = [](C& c) {
    columns::each_of_contacts(
        [](const auto&, auto& column) {
          if constexpr (std::is_same_v<std::remove_reference_t<decltype(column)>, Column<const double>>)
            if (column) column = 0.5;
        },
        c);
  };
  EXPECT_EQ(error(sound, make_constant), "carom: no column gives the number of contacts: all of them are constants");
  IndexedContacts<double> indexed{.friction = 0.4,
                                  .restitution = drawn.restitution,
                                  .normal = {0, 0, 1},
                                  .r_a = {0, 0, 0},
                                  .r_b = {0, 0, 0},
                                  .body_a = 0,
                                  .body_b = -1,
                                  .bodies = {1, {1, 0, 0, 1, 0, 1}, {0, 0, -1}, {0, 0, 0}}};
  EXPECT_EQ(error_of(indexed, Results<double>{}),
            "carom: no column gives the number of bodies: all of them are constants");
  const std::vector<double> one_mass = {1};
  indexed.bodies.inverse_mass = one_mass;
  EXPECT_EQ(error_of(indexed, Results<double>{}), "");
}

TEST(ColumnErrors, empty_batches_may_have_constants) {
  const Hits none;
  const Contacts<float> contacts{.friction = 0.4,
                                 .restitution = 0.5,
                                 .normal = {none, &Hit::r},
                                 .r_a = {none, &Hit::r},
                                 .a = {.inverse_mass = {none, &Hit::inverse_mass},
                                       .inverse_inertia = {none, &Hit::inverse_inertia},
                                       .velocity = {none, &Hit::velocity},
                                       .angular_velocity = {none, &Hit::spin}}};
  EXPECT_EQ(Solver({.threads = 1}).solve(contacts, {}).contacts, 0u);
  EXPECT_EQ(Solver({.threads = 1}).solve(Contacts<float>{}, {}).contacts, 0u);
}

TEST(ColumnConstants, of_pairs_of_bodies_combine) {
  const std::vector<double> of_bodies = {0.1, 0.5};
  const std::vector<std::int32_t> a = {0, 1, 0};
  std::vector<double> found(3);
  combine(CombineRule::max, of_bodies, 0.3, a, -1, Column<double>(found));
  EXPECT_EQ(found, (std::vector<double>{0.3, 0.5, 0.3}));
  combine(CombineRule::max, 0.2, 0.3, a, -1, Column<double>(found));
  EXPECT_EQ(found, (std::vector<double>{0.3, 0.3, 0.3}));
  EXPECT_THROW(combine(CombineRule::max, of_bodies, 0.3, 0, -1, Column<double>(found)), Error);
}

}  // namespace
}  // namespace carom
