// Contact models have the same bits on every ISA with fused operations, for any number of threads and with any other
// islands in the scene. Islands without models keep the bits that they have in scenes without their columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/scenes/contact_models.hpp"

namespace carom::scenes {
namespace {

template <class T>
class ContactModelBits : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ContactModelBits, Precisions);

std::vector<MethodOptions> various_options() {
  std::vector<MethodOptions> made(4, usual(Procedure::pgs));
  made[1].correct_positions(0.01);
  made[2] = usual(Procedure::substeps);
  made[3] = usual(Procedure::ncp);
  made[3].ncp.budget = 200;
  for (MethodOptions& options : made) options.tolerance = 1e-3;
  return made;
}
bool has_step(const MethodOptions& options) {
  return options.moves();
}

/// Islands with models, of all sizes.
template <class T>
std::vector<SceneData<T>> modelled_islands(bool with_springs) {
  std::vector<SceneData<T>> made = {pyramid<T>(12), stack<T>(6), stack<T>(1)};
  RandomSceneOptions drawn;
  for (std::uint64_t seed = 0; seed < 40; ++seed) made.push_back(random_scene<T>(seed, drawn));
  for (std::size_t i = 0; i < made.size(); ++i) draw_models(made[i], i, with_springs);
  return made;
}

/// Others, with neutral columns.
template <class T>
std::vector<SceneData<T>> plain_islands() {
  std::vector<SceneData<T>> made = {pyramid<T>(5), stack<T>(4), stack<T>(1)};
  for (std::uint64_t seed = 100; seed < 140; ++seed) made.push_back(random_scene<T>(seed));
  return made;
}

template <class T>
void expect_same_part(const Solved<T>& whole, std::size_t body, std::size_t contact, const Solved<T>& part,
                      const std::string& what) {
  const auto same = [&](const Vectors3<T>& all, std::size_t first, const Vectors3<T>& few) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto begin = all[c].begin() + static_cast<std::ptrdiff_t>(first);
      const std::vector<T> of_whole(begin, begin + static_cast<std::ptrdiff_t>(few[c].size()));
      EXPECT_TRUE(support::same_bits(of_whole, few[c])) << what;
    }
  };
  same(whole.arrays.velocity, body, part.arrays.velocity);
  same(whole.arrays.angular_velocity, body, part.arrays.angular_velocity);
  same(whole.arrays.displacement, body, part.arrays.displacement);
  same(whole.arrays.impulse, contact, part.arrays.impulse);
  same(whole.arrays.angular_impulse, contact, part.arrays.angular_impulse);
  same(whole.arrays.warm_angular_impulse, contact, part.arrays.warm_angular_impulse);
  same(whole.arrays.separation_velocity, contact, part.arrays.separation_velocity);
}

TYPED_TEST(ContactModelBits, do_not_depend_on_isas_threads_or_other_islands) {
  for (const MethodOptions& options : various_options()) {
    const auto islands = modelled_islands<TypeParam>(has_step(options));
    SceneData<TypeParam> scene;
    for (const auto& island : islands) append(scene, island);
    const auto expected = solved(scene, options, {.isa = Isa::scalar, .threads = 1});
    for (const Isa isa : available_isas()) {
      if (isa == Isa::sse2) continue;  // without fused operations
      for (const int threads : {1, 4})
        expect_same_bits(solved(scene, options, {.isa = isa, .threads = threads}).arrays, expected.arrays,
                         std::string(to_string(isa)) + ", " + std::to_string(threads));
    }
    std::size_t body = 0, contact = 0;
    for (const auto& island : islands) {
      expect_same_part(expected, body, contact, solved(island, options), "alone");
      body += island.body_count();
      contact += island.contact_count();
    }
  }
}

TYPED_TEST(ContactModelBits, of_islands_without_models_are_those_of_scenes_without_the_columns) {
  for (const MethodOptions& options : various_options()) {
    SceneData<TypeParam> scene;
    for (auto island : plain_islands<TypeParam>()) {
      add_neutral_models(island, has_step(options));
      append(scene, island);
    }
    for (const auto& island : modelled_islands<TypeParam>(has_step(options))) append(scene, island);
    const auto whole = solved(scene, options);
    std::size_t body = 0, contact = 0;
    for (const auto& island : plain_islands<TypeParam>()) {
      expect_same_part(whole, body, contact, solved(island, options), "without columns");
      body += island.body_count();
      contact += island.contact_count();
    }
  }
}

TYPED_TEST(ContactModelBits, of_a_scene_whose_models_change_are_those_of_a_new_solver) {
  MethodOptions options = usual(Procedure::pgs);
  SceneSolver solver({.threads = 1});
  auto scene = pyramid<TypeParam>(4);
  for (int k = 0; k < 4; ++k) {
    add_neutral_models(scene);
    if (k == 1) scene.rolling_friction.assign(scene.contact_count(), TypeParam(0.1));
    if (k == 2) scene.friction_2.assign(scene.contact_count(), TypeParam(0.1));
    if (k == 2) scene.friction_direction[0].assign(scene.contact_count(), TypeParam(1));
    const auto made = solved(solver, scene, options);
    expect_same_bits(made.arrays, solved(scene, options).arrays, std::to_string(k));
    EXPECT_FALSE(k > 0 && made.report.same_graph) << k;
    EXPECT_TRUE(solved(solver, scene, options).report.same_graph) << k;
  }
}

// The solver keeps moments as it keeps impulses: a call with keys has the bits of one with the last call's results.
TYPED_TEST(ContactModelBits, of_keys_are_those_of_warm_impulses_and_moments) {
  using T = TypeParam;
  for (const MethodOptions& options : various_options())
    for (const bool contiguous : {true, false}) {
      auto scene = stack<T>(5);
      if (!contiguous) scene = random_scene<T>(4);
      draw_models(scene, 5);
      scene.rolling_friction.assign(scene.contact_count(), T(0.1));
      auto named = scene;
      for (std::uint64_t i = 0; i < scene.contact_count(); ++i) named.key.push_back(i + 1);
      SceneSolver solver({.threads = 1});
      const auto first = solved(solver, named, options);
      scene.warm_impulse = has_step(options) ? first.arrays.warm_impulse : first.arrays.impulse;
      scene.warm_angular_impulse = has_step(options) ? first.arrays.warm_angular_impulse : first.arrays.angular_impulse;
      const auto second = solved(solver, named, options);
      double moments = 0;
      for (const T x : second.arrays.angular_impulse[0]) moments += std::abs(static_cast<double>(x));
      EXPECT_GT(moments, 0);
      auto again = solved(scene, options);
      again.arrays.island_substeps = second.arrays.island_substeps;
      again.arrays.island_energy_removed = second.arrays.island_energy_removed;
      if (options.method != Procedure::substeps)
        expect_same_bits(second.arrays, again.arrays, std::string(to_string(options.method)));
      // New contacts inherit the rest of their manifold's impulses, moments too.
      std::swap(named.key[0], named.key[1]);
      named.key[0] = 1000;
      solver.forget();
      expect_same_bits(solved(solver, named, options).arrays, first.arrays, "forgotten");
    }
}

TYPED_TEST(ContactModelBits, of_moments_come_back_after_calls_without) {
  using T = TypeParam;
  const MethodOptions options = usual(Procedure::pgs);
  auto scene = stack<T>(3);
  for (std::uint64_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  SceneSolver solver({.threads = 1});
  const auto plain = solved(solver, scene, options);
  auto modelled = scene;
  modelled.rolling_friction.assign(scene.contact_count(), T(0.1));
  // The solver knows impulses, and no moments: zeros.
  const auto made = solved(solver, modelled, options);
  auto warm = modelled;
  warm.key.clear();
  warm.warm_impulse = plain.arrays.impulse;
  warm.warm_angular_impulse = vectors<T>(scene.contact_count());
  expect_same_bits(made.arrays, solved(warm, options).arrays, "with moments");
  auto cold = scene;
  cold.key.clear();
  cold.warm_impulse = made.arrays.impulse;
  expect_same_bits(solved(solver, scene, options).arrays, solved(cold, options).arrays, "without again");
}

TYPED_TEST(ContactModelBits, of_contacts_without_a_moment_are_zeros_under_every_method) {
  using T = TypeParam;
  const auto scene = stack<T>(2);
  for (std::size_t method = 0; method < scene_method_count; ++method) {
    SceneArrays<T> arrays(scene);
    SceneResults<T> results = arrays.view();
    auto moment = vectors<T>(scene.contact_count()), warm_moment = moment;
    for (auto* const vectors : {&moment, &warm_moment})
      for (auto& component : *vectors) component.assign(scene.contact_count(), std::numeric_limits<T>::quiet_NaN());
    results.angular_impulse = {moment[0], moment[1], moment[2]};
    results.warm_angular_impulse = {warm_moment[0], warm_moment[1], warm_moment[2]};
    SceneSolver({.threads = 1})
        .solve(scene.view(usual(static_cast<Procedure>(method))), results, usual(static_cast<Procedure>(method)));
    for (const auto* const vectors : {&moment, &warm_moment})
      for (const auto& component : *vectors)
        for (const T x : component) EXPECT_EQ(x, T(0)) << method;
  }
}

}  // namespace
}  // namespace carom::scenes
