// The bits of an island depend on its bodies, contacts and rows, their order and the options, but not on threads, the
// ISA, other islands or the order of islands.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/scenes/runs.hpp"
#include "support/scenes/zigzag.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

template <class T>
class SceneBits : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneBits, Precisions);

/// A body at rest on a slack rope, with velocities of -0.
template <class T>
SceneData<T> slack_rope() {
  SceneData<T> scene;
  scene.add(Body{.velocity = {-0.0, -0.0, -0.0}, .angular_velocity = {-0.0, -0.0, -0.0}});
  add_distance_joint<T>(scene.joints, {.a = 0, .r_a = {T(0.3), T(0.1), T(0.5)}}, {0, T(0.6), T(-0.8)});
  scene.joints.rows.back().max_impulse = 0;
  return scene;
}

/// Makes every zero in the velocities a negative zero.
template <class T>
SceneData<T> with_negative_zeros(SceneData<T> scene) {
  for (auto* columns : {&scene.bodies.velocity, &scene.bodies.angular_velocity})
    for (auto& column : *columns)
      for (T& x : column) x = x == T(0) ? -T(0) : x;
  return scene;
}

/// Islands of all kinds, without optional columns.
template <class T>
std::vector<SceneData<T>> various_islands() {
  std::vector<SceneData<T>> made = {pyramid<T>(fast_build ? 24 : 8), pile<T>(fast_build ? 2000 : 200), stack<T>(20),
                                    sandwich<T>(), chain<T>(30)};
  for (std::uint64_t seed = 0; seed < 60; ++seed) made.push_back(islands<T>(1, 1, 12, seed));
  RandomSceneOptions drawn;
  drawn.with_joints = true;
  for (std::uint64_t seed = 0; seed < 30; ++seed) made.push_back(random_scene<T>(seed, drawn));
  // One vector holds joints whose rows are solved together and joints whose rows are solved in turn.
  for (std::uint64_t seed = 0; seed < 20; ++seed) made.push_back(odd_zigzag<T>(3, seed));
  for (const SceneData<T>& scene : {stack<T>(1), stack<T>(3), chain<T>(4), cube_against_wall<T>()})
    made.push_back(with_negative_zeros(scene));
  made.push_back(slack_rope<T>());
  return made;
}

template <class T>
SceneData<T> together(const std::vector<SceneData<T>>& all, const std::vector<std::size_t>& order) {
  SceneData<T> scene;
  for (const std::size_t i : order) append(scene, all[i]);
  return scene;
}

std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::vector<MethodOptions> various_options() {
  std::vector<MethodOptions> made;
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    made.push_back(options);
    if (method == Procedure::sequential_impacts) {
      options.sequential_impacts.seed = 7;
    } else {
      options.bender_schmitt.shock_propagation = 4;
      options.bender_schmitt.filter = ContactFilter::touching;
    }
    made.push_back(options);
  }
  return made;
}

std::string name_of(const MethodOptions& options) {
  return std::string(to_string(options.method)) +
         (options.bender_schmitt.shock_propagation > 0 ? ", shock propagation" : "");
}

template <class T>
std::vector<T> part(const std::vector<T>& column, std::size_t first, std::size_t count) {
  const auto begin = column.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}
template <class T>
Vectors3<T> part(const Vectors3<T>& v, std::size_t first, std::size_t count) {
  return {part(v[0], first, count), part(v[1], first, count), part(v[2], first, count)};
}

/// Renumbers the islands of a part of a scene in their order in the part, and copies their results from `whole`.
template <class T>
void number_islands(SceneArrays<T>& of_part, const SceneArrays<T>& whole) {
  std::vector<std::int32_t> seen;
  for (auto* column : {&of_part.island, &of_part.joint_island})
    for (std::int32_t& island : *column) {
      if (island < 0) continue;
      if (std::ranges::find(seen, island) == seen.end()) seen.push_back(island);
      island = static_cast<std::int32_t>(std::ranges::find(seen, island) - seen.begin());
    }
  SceneArrays<T> from = whole;
  for (std::size_t i = 0; i < of_part.island_status.size(); ++i) {
    const bool known = i < seen.size();
    const auto island = known ? static_cast<std::size_t>(seen[i]) : 0;
    of_part.island_status[i] = known ? from.island_status[island] : IslandStatus::converged;
    of_part.island_residual[i] = known ? from.island_residual[island] : T(0);
    of_part.island_iterations[i] = known ? from.island_iterations[island] : 0;
    of_part.island_substeps[i] = known ? from.island_substeps[island] : 0;
    of_part.island_error[i] = known ? from.island_error[island] : T(0);
    of_part.island_algorithm[i] = known ? from.island_algorithm[island] : IslandAlgorithm::pgs;
    of_part.island_energy_removed[i] = known ? from.island_energy_removed[island] : T(0);
  }
}

/// Splits the results of a scene, which contains islands in this order, into the results of each island.
template <class T>
std::vector<SceneArrays<T>> apart(const SceneArrays<T>& arrays, const std::vector<SceneData<T>>& all,
                                  const std::vector<std::size_t>& order) {
  std::vector<SceneArrays<T>> made;
  for (const SceneData<T>& one : all) made.emplace_back(one);
  std::size_t body = 0, contact = 0, row = 0;
  for (const std::size_t i : order) {
    const std::size_t bodies = all[i].body_count(), contacts = all[i].contact_count(), rows = all[i].row_count();
    SceneArrays<T>& one = made[i];
    one.velocity = part(arrays.velocity, body, bodies);
    one.angular_velocity = part(arrays.angular_velocity, body, bodies);
    one.displacement = part(arrays.displacement, body, bodies);
    one.rotation = part(arrays.rotation, body, bodies);
    one.warm_impulse = part(arrays.warm_impulse, contact, contacts);
    one.impulse = part(arrays.impulse, contact, contacts);
    one.separation_velocity = part(arrays.separation_velocity, contact, contacts);
    one.status = part(arrays.status, contact, contacts);
    one.path = part(arrays.path, contact, contacts);
    one.joint_impulse = part(arrays.joint_impulse, row, rows);
    one.joint_warm_impulse = part(arrays.joint_warm_impulse, row, rows);
    one.joint_status = part(arrays.joint_status, row, rows);
    one.island = part(arrays.island, contact, contacts);
    one.joint_island = part(arrays.joint_island, row, rows);
    number_islands(one, arrays);
    body += bodies, contact += contacts, row += rows;
  }
  return made;
}

TYPED_TEST(SceneBits, are_the_same_on_1_2_and_7_threads) {
  const auto all = various_islands<TypeParam>();
  const auto scene = together(all, in_order(all.size()));
  for (const MethodOptions& options : various_options()) {
    const auto one = solved(scene, options, {.threads = 1});
    for (const int threads : {2, 7, 0}) {
      const auto several = solved(scene, options, {.threads = threads});
      expect_same_bits(one.arrays, several.arrays, name_of(options) + ", threads " + std::to_string(threads));
      EXPECT_EQ(one.report.energy_after, several.report.energy_after) << name_of(options);
      EXPECT_EQ(one.report.residual, several.report.residual) << name_of(options);
      EXPECT_EQ(one.report.iterations, several.report.iterations) << name_of(options);
      EXPECT_EQ(one.report.not_converged, several.report.not_converged) << name_of(options);
    }
  }
}

TEST(SceneArena, of_the_caller_is_what_a_call_keeps_to) {
  const tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  const auto scene = pile<float>(1200);
  const MethodOptions options = usual(Procedure::pgs);
  const auto expected = solved(scene, options, {.threads = 1});
  SceneSolver solver;
  for (const int room : {1, 2, 3, 1}) {
    tbb::task_arena arena(room);
    const auto found = arena.execute([&] { return solved(solver, scene, options); });
    EXPECT_LE(found.report.threads, room);
    expect_same_bits(expected.arrays, found.arrays, "an arena of " + std::to_string(room));
    solver.forget();
  }
}

TYPED_TEST(SceneBits, are_the_same_on_every_isa_with_fused_multiply_add) {
  const auto all = various_islands<TypeParam>();
  const auto scene = together(all, in_order(all.size()));
  const std::vector<Isa> isas = support::isas_with_fma();
  for (const MethodOptions& options : various_options()) {
    const auto first = solved(scene, options, {.isa = isas.front(), .threads = 1});
    EXPECT_EQ(first.report.isa, isas.front());
    for (const Isa isa : isas) {
      const auto other = solved(scene, options, {.isa = isa, .threads = 1});
      EXPECT_EQ(other.report.isa, isa);
      expect_same_bits(first.arrays, other.arrays, name_of(options) + ", " + std::string(to_string(isa)));
    }
  }
}

TYPED_TEST(SceneBits, of_an_island_are_the_same_alone_among_others_and_in_any_order) {
  const auto all = various_islands<TypeParam>();
  const std::vector<std::size_t> order = in_order(all.size());
  std::vector<std::size_t> permuted = order;
  support::Draw draw(11);
  for (std::size_t i = permuted.size(); i > 1; --i) std::swap(permuted[i - 1], permuted[draw.below(i)]);
  for (const MethodOptions& options : various_options()) {
    // Random tie-breaking depends on the indices, and these depend on the order.
    if (options.sequential_impacts.seed != 0) continue;
    const auto one_order = apart(solved(together(all, order), options).arrays, all, order);
    const auto another = apart(solved(together(all, permuted), options).arrays, all, permuted);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string what = name_of(options) + ", island " + std::to_string(i);
      expect_same_bits(one_order[i], another[i], what + ", permuted");
      const auto alone = apart(solved(all[i], options).arrays, {all[i]}, {0});
      expect_same_bits(one_order[i], alone[0], what + ", alone");
    }
  }
}

TYPED_TEST(SceneBits, are_the_same_in_place_and_through_structs) {
  auto scene = pyramid<TypeParam>(10);
  const MethodOptions options = usual(Procedure::pgs);
  const auto made = solved(scene, options);
  SceneResults<TypeParam> in_place;
  in_place.velocity = {scene.bodies.velocity[0], scene.bodies.velocity[1], scene.bodies.velocity[2]};
  in_place.angular_velocity = {scene.bodies.angular_velocity[0], scene.bodies.angular_velocity[1],
                               scene.bodies.angular_velocity[2]};
  SceneData<TypeParam> before = scene;
  SceneSolver({.threads = 1}).solve(scene.view(options), in_place, options);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_TRUE(support::same_bits(scene.bodies.velocity[c], made.arrays.velocity[c]));
    EXPECT_TRUE(support::same_bits(scene.bodies.angular_velocity[c], made.arrays.angular_velocity[c]));
  }

  struct Point {
    TypeParam normal[3], r_a[3], r_b[3], impulse[3];
  };
  std::vector<Point> points(before.contact_count());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      points[i].normal[c] = before.normal[c][i];
      points[i].r_a[c] = before.r_a[c][i];
      points[i].r_b[c] = before.r_b[c][i];
    }
  }
  const auto columns = [&](TypeParam* field) { return Vector3Columns<TypeParam>(field, points.size(), sizeof(Point)); };
  Scene<TypeParam> view = before.view(options);
  view.contacts.normal = columns(points[0].normal);
  view.contacts.r_a = columns(points[0].r_a);
  view.contacts.r_b = columns(points[0].r_b);
  SceneResults<TypeParam> results;
  results.impulse = columns(points[0].impulse);
  SceneSolver({.threads = 1}).solve(view, results, options);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(points[i].impulse[c], made.arrays.impulse[c][i]);
}

// Packed vectors without padding. The last manifold has one to four contacts.
TYPED_TEST(SceneBits, are_the_same_through_packed_vectors) {
  using T = TypeParam;
  const auto whole = pyramid<T>(5);
  for (std::size_t left_out = 0; left_out < 4; ++left_out) {
    SceneData<T> scene = whole;
    scene.friction.back() = static_cast<T>(left_out == 0 ? 0.5 : -1);
    for (std::size_t i = 1; i < left_out; ++i) scene.friction[scene.contact_count() - 1 - i] = T(-1);
    const auto made = solved(scene, usual(Procedure::pgs));
    const auto packed = [&](const Vectors3<T>& from) {
      std::vector<T> numbers;
      for (std::size_t i = 0; i < from[0].size(); ++i)
        for (std::size_t c = 0; c < 3; ++c) numbers.push_back(from[c][i]);
      numbers.shrink_to_fit();
      return numbers;
    };
    const std::vector<T> r_a = packed(scene.r_a), r_b = packed(scene.r_b);
    Scene<T> view = scene.view(usual(Procedure::pgs));
    view.contacts.r_a = {r_a.data(), scene.contact_count()};
    view.contacts.r_b = {r_b.data(), scene.contact_count()};
    SceneArrays<T> found(scene);
    SceneSolver({.threads = 1}).solve(view, found.view(), usual(Procedure::pgs));
    expect_same_bits(found, made.arrays, std::to_string(left_out));
  }
}

TYPED_TEST(SceneBits, of_a_second_call_are_those_of_the_first) {
  const auto all = various_islands<TypeParam>();
  const auto scene = together(all, in_order(all.size())), other = islands<TypeParam>(300, 1, 12, 9);
  for (const MethodOptions& options : various_options()) {
    SceneSolver solver({.threads = 1});
    const auto first = solved(solver, scene, options);
    solved(solver, other, usual(Procedure::pgs));
    expect_same_bits(first.arrays, solved(solver, scene, options).arrays, name_of(options));
  }
}

template <class T>
void expect_no_negative_zero(const SceneArrays<T>& arrays, const std::string& what) {
  const auto look = [&](const std::vector<T>& column) {
    for (const T x : column) ASSERT_FALSE(x == T(0) && std::signbit(x)) << what;
  };
  for (const auto* columns : {&arrays.velocity, &arrays.angular_velocity, &arrays.displacement, &arrays.rotation,
                              &arrays.warm_impulse, &arrays.impulse, &arrays.separation_velocity})
    for (const auto& column : *columns) look(column);
  for (const auto* column : {&arrays.joint_impulse, &arrays.joint_warm_impulse, &arrays.island_residual}) look(*column);
}

// The scene includes bodies without contacts, and bodies with only faulty contacts.
TYPED_TEST(SceneBits, have_no_negative_zero) {
  using T = TypeParam;
  const auto all = various_islands<T>();
  auto scene = together(all, in_order(all.size()));
  append(scene, slack_rope<T>());
  scene.joints.rows.pop_back();
  append(scene, with_negative_zeros(stack<T>(1)));
  scene.friction.back() = -1;
  for (const MethodOptions& options : various_options())
    expect_no_negative_zero(solved(scene, options).arrays, name_of(options));
}

// A level of shock propagation spans several of the parts that threads share, and fills vectors that no part fills.
TEST(LevelBits, of_levels_that_are_wider_than_any_part_are_those_of_one_thread) {
  SceneData<float> scene;
  for (int i = 0; i < 17; ++i) {
    const std::int32_t a = scene.add(box(1, {1, 1, 1}, {2.0 * i, 0, 0}, {0.1 * i, 0, -1}));
    for (int k = 0; k < 60; ++k)  // each is its own manifold
      scene.add(Contact{.a = a, .point = {2.0 * i + 0.01 * k - 0.3, 0.1, -0.5}, .friction = 0.3 + 0.001 * k});
  }
  MethodOptions options;
  options.bender_schmitt.shock_propagation = 4;
  const auto one = solved(scene, options, {.threads = 1}), two = solved(scene, options, {.threads = 2});
  expect_same_bits(one.arrays, two.arrays, "two threads");
}

}  // namespace
}  // namespace carom::scenes
