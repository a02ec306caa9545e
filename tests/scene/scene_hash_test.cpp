// One hash per method covers the bits of all columns of results on some scenes. It is the same for every ISA with
// fused multiply-add, NEON among them, every compiler and every build type; only a decision may change it.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/running/hash.hpp"
#include "support/scenes/draw_models.hpp"
#include "support/scenes/runs.hpp"
#include "support/scenes/zigzag.hpp"

namespace carom::scenes {
namespace {

/// Islands of one manifold and of many, with and without joints, at rest and not. Some warm impulses are subnormal.
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
std::string hash_of(const SceneData<T>& scene, Procedure method, Isa isa) {
  const Solved<T> found = solved(scene, usual(method), {.isa = isa, .threads = 1});
  EXPECT_EQ(found.report.isa, isa);
  const SceneArrays<T>& of = found.arrays;
  support::Hash hash;
  const auto add = [&](const auto& column) {
    for (const auto& value : column) hash.add(value);
  };
  // Other methods move bodies by their velocities, and the next step begins with the impulses.
  const bool moves = method == Procedure::substeps;
  const std::vector<T> of_bodies(scene.body_count()), of_contacts(scene.contact_count());
  for (std::size_t c = 0; c < 3; ++c) {
    add(of.velocity[c]);
    add(of.angular_velocity[c]);
    add(moves ? of.displacement[c] : of_bodies);
    add(moves ? of.rotation[c] : of_bodies);
    add(of.impulse[c]);
    add(moves ? of.warm_impulse[c] : of_contacts);
    add(of.separation_velocity[c]);
    add(of.angular_impulse[c]);
    add(moves ? of.warm_angular_impulse[c] : of_contacts);
  }
  add(of.status);
  add(of.path);
  add(of.joint_impulse);
  add(of.joint_warm_impulse);
  add(of.joint_status);
  add(of.island);
  add(of.joint_island);
  add(of.island_status);
  add(of.island_residual);
  add(of.island_iterations);
  add(of.island_substeps);
  if (method == Procedure::substeps) add(of.island_energy_removed);  // 0 of other methods
  return hash.text();
}

template <class T>
void expect_hashes(const SceneData<T>& scene, const std::vector<std::pair<Procedure, std::string>>& expected) {
  for (const Isa isa : available_isas()) {
    if (isa == Isa::sse2) continue;  // it has no fused multiply-add
    for (const auto& [method, hash] : expected)
      EXPECT_EQ(hash_of(scene, method, isa), hash)
          << to_string(method) << " on " << to_string(isa)
          << ": bits of the results have changed. If that is meant, write the decision and its reason into "
             "CHANGELOG.md, then put the new value here; if not, a compiler or a change has altered the arithmetic.";
  }
}

TEST(SceneHash, of_every_method_in_float_on_isas_with_fma) {
  expect_hashes(scene_of_all_kinds<float>(), {{Procedure::pgs, "0x89edaa1d4b9403bc"},
                                              {Procedure::sequential_impacts, "0xb71dfbdc7fd2a9db"},
                                              {Procedure::collisions, "0x0669122165df24b3"},
                                              {Procedure::resting, "0x1a9a11d9fcc51a8a"},
                                              {Procedure::both_phases, "0xc848686bed61cdca"},
                                              {Procedure::substeps, "0x874893bc34c58199"},
                                              {Procedure::ncp, "0x42ae1d1b0ddea288"}});
}

TEST(SceneHash, of_every_method_in_double_on_isas_with_fma) {
  expect_hashes(scene_of_all_kinds<double>(), {{Procedure::pgs, "0xa59e43157dc8cdd2"},
                                               {Procedure::sequential_impacts, "0x79aac7b8f6d9b687"},
                                               {Procedure::collisions, "0x62578b51a5fa05c0"},
                                               {Procedure::resting, "0x40c38532e8d54d8e"},
                                               {Procedure::both_phases, "0x9be139cac5c2fcc0"},
                                               {Procedure::substeps, "0x6649a6c5c7662bcc"},
                                               {Procedure::ncp, "0x11b18c4e3c34de7f"}});
}

template <class T>
SceneData<T> scene_with_models() {
  SceneData<T> scene = scene_of_all_kinds<T>();
  draw_models(scene, 1);
  return scene;
}

TEST(SceneHash, of_contact_models_on_isas_with_fma) {
  expect_hashes(scene_with_models<float>(),
                {{Procedure::pgs, "0x4685660ef9af64e9"}, {Procedure::substeps, "0xd6bd6faf0c72c745"}});
  expect_hashes(scene_with_models<double>(),
                {{Procedure::pgs, "0x523f9a68fe57bec1"}, {Procedure::substeps, "0x6f27f481eb1e02e0"}});
}

}  // namespace
}  // namespace carom::scenes
