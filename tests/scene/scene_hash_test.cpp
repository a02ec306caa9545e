// One number a method stands for all bits of the results on some scenes. It is the same for every ISA with fused
// multiply-add, NEON among them, every compiler and every build type; only a decision may change it.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/running/hash.hpp"
#include "support/scenes/runs.hpp"
#include "support/scenes/zigzag.hpp"

namespace carom::scenes {
namespace {

/// Islands of one manifold and of many, with and without joints, at rest and not. What friction carried is subnormal in
/// one of them.
template <class T>
SceneData<T> scene_of_all_kinds() {
  std::vector<SceneData<T>> islands = {stack<T>(1),  stack<T>(10),  pyramid<T>(5),
                                       pile<T>(100), sandwich<T>(), chain<T>(8)};
  RandomSceneOptions drawn;
  drawn.with_joints = true;
  for (std::uint64_t seed = 0; seed < 10; ++seed) islands.push_back(random_scene<T>(seed, drawn));
  for (std::uint64_t seed = 0; seed < 4; ++seed) islands.push_back(odd_zigzag<T>(3, seed));
  SceneData<T> scene;
  for (const SceneData<T>& island : islands) append(scene, island);
  scene.warm_impulse = {};
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    scene.warm_impulse[0].push_back(i % 3 == 0 ? std::numeric_limits<T>::min() / 4 : T(0.01));
    scene.warm_impulse[1].push_back(T(0));
    scene.warm_impulse[2].push_back(T(0.05));
  }
  return scene;
}

template <class T>
std::string hash_of(const SceneData<T>& scene, SceneMethod method, Isa isa) {
  const Solved<T> found = solved(scene, usual(method), {.isa = isa, .threads = 1});
  EXPECT_EQ(found.report.isa, isa);
  const SceneArrays<T>& of = found.arrays;
  support::Hash hash;
  const auto add = [&](const auto& column) {
    for (const auto& value : column) hash.add(value);
  };
  for (std::size_t c = 0; c < 3; ++c) {
    add(of.velocity[c]);
    add(of.angular_velocity[c]);
    add(of.displacement[c]);
    add(of.rotation[c]);
    add(of.impulse[c]);
    add(of.warm_impulse[c]);
    add(of.separation_velocity[c]);
  }
  add(of.joint_impulse);
  add(of.joint_warm_impulse);
  add(of.status);
  add(of.island_residual);
  add(of.island_iterations);
  return hash.text();
}

template <class T>
void expect_hashes(const std::vector<std::pair<SceneMethod, std::string>>& expected) {
  const SceneData<T> scene = scene_of_all_kinds<T>();
  for (const Isa isa : available_isas()) {
    if (isa == Isa::sse2) continue;  // it has no fused multiply-add
    for (const auto& [method, hash] : expected)
      EXPECT_EQ(hash_of(scene, method, isa), hash)
          << to_string(method) << " on " << to_string(isa)
          << ": bits of the results have changed. If that is meant, write the decision and its reason into "
             "CHANGELOG.md, then put the new value here; if not, a compiler or a change has altered the arithmetic.";
  }
}

TEST(SceneHash, of_every_method_in_float_on_every_isa) {
  expect_hashes<float>({{SceneMethod::simultaneous, "0xd9a4e31cc73b82ac"},
                        {SceneMethod::sequence, "0x861c242bbea628db"},
                        {SceneMethod::iteration, "0xc25efa9be10beb7c"},
                        {SceneMethod::resting, "0x45246e950834bd30"},
                        {SceneMethod::step, "0x72daa43d6669997c"},
                        {SceneMethod::substeps, "0xe5179c90b338bcd2"},
                        {SceneMethod::coulomb, "0xe9a3f7ebc16cdd00"}});
}

TEST(SceneHash, of_every_method_in_double_on_every_isa) {
  expect_hashes<double>({{SceneMethod::simultaneous, "0x25207b41b050b2e8"},
                         {SceneMethod::sequence, "0x0942f24f5f1afa27"},
                         {SceneMethod::iteration, "0x080aa04a19ad4995"},
                         {SceneMethod::resting, "0xbfc3788020ca807a"},
                         {SceneMethod::step, "0x965d5276d681251c"},
                         {SceneMethod::substeps, "0xf17e9562a8694655"},
                         {SceneMethod::coulomb, "0x8845be487fb099f4"}});
}

}  // namespace
}  // namespace carom::scenes
