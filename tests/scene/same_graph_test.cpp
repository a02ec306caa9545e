// A scene with the manifolds, joints and moving bodies of the last call keeps the graph, with the bits of a
// solver that builds it anew.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

MethodOptions in_substeps() {
  MethodOptions options;
  options.method = Procedure::substeps;
  options.time_step = 0.01;
  return options;
}

/// Two piles side by side, the second with joints.
template <class T>
SceneData<T> scene_of_two_islands() {
  SceneData<T> scene = pyramid<T>(4);
  append(scene, chain<T>(6));
  append(scene, stack<T>(3, 30));
  scene.separation.assign(scene.contact_count(), T(0));
  scene.target_velocity.assign(scene.contact_count(), T(0));
  return scene;
}

template <class T>
class Calls {
 public:
  /// Solves with the solver that has seen other scenes, and with a new one.
  void expect(bool same, const SceneData<T>& scene, const MethodOptions& options, const std::string& what,
              const Execution& execution = {.threads = 1}) {
    const auto again = solved(solver_, scene, options), anew = solved(scene, options, execution);
    EXPECT_EQ(again.report.same_graph, same) << what;
    EXPECT_FALSE(anew.report.same_graph) << what;
    expect_same_bits(again.arrays, anew.arrays, what);
    EXPECT_EQ(again.report.islands, anew.report.islands) << what;
    EXPECT_EQ(again.report.colours, anew.report.colours) << what;
    EXPECT_EQ(again.report.max_island_size, anew.report.max_island_size) << what;
  }

 private:
  SceneSolver solver_{{.threads = 1}};
};

template <class T>
class SameGraph : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SameGraph, Precisions);

TYPED_TEST(SameGraph, is_kept_where_numbers_alone_have_changed) {
  using T = TypeParam;
  for (const Procedure method : {Procedure::pgs, Procedure::substeps, Procedure::collisions, Procedure::resting,
                                 Procedure::both_phases, Procedure::sequential_impacts}) {
    MethodOptions options = in_substeps();
    options.method = method;
    options.time_step = 0.01;
    set_iterations(options, 20);
    Calls<T> calls;
    SceneData<T> scene = scene_of_two_islands<T>();
    calls.expect(false, scene, options, to_string(method).data());
    calls.expect(true, scene, options, to_string(method).data());
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      scene.r_a[0][i] += T(0.015625);
      scene.separation[i] = T(i % 3) * T(-0.001);
      scene.target_velocity[i] = T(i % 2) * T(0.125);
    }
    for (std::size_t i = 0; i < scene.body_count(); ++i) scene.bodies.velocity[0][i] += T(0.25) * T(i % 4);
    for (auto& row : scene.joints.rows) row.target_velocity = T(0.0625);
    calls.expect(true, scene, options, to_string(method).data());
  }
}

TYPED_TEST(SameGraph, is_built_anew_where_what_it_is_made_of_has_changed) {
  using T = TypeParam;
  const std::vector<std::pair<std::string, std::function<void(SceneData<T>&)>>> changes = {
      {"a body that moves no more",
       [](SceneData<T>& s) {
         // The top of the pyramid: its contacts are with bodies that move, and stay.
         s.bodies.inverse_mass[9] = 0;
         for (auto& j : s.bodies.inverse_inertia) j[9] = 0;
       }},
      {"a normal of its own", [](SceneData<T>& s) { s.normal[0][5] = T(0.001); }},
      {"a friction of its own", [](SceneData<T>& s) { s.friction[6] = T(0.25); }},
      {"a contact at fault", [](SceneData<T>& s) { s.friction[2] = T(-1); }},
      {"a row at fault", [](SceneData<T>& s) { s.joints.rows[4].compliance = T(-1); }},
      {"a contact of another pair", [](SceneData<T>& s) { s.body_b[s.contact_count() - 1] = 0; }},
      {"contacts in another order", [](SceneData<T>& s) { std::swap(s.body_a[0], s.body_a[9]); }},
      {"a body more", [](SceneData<T>& s) { s.add(Body{}); }},
  };
  for (const auto& [what, change] : changes)
    for (const Procedure method : {Procedure::pgs, Procedure::substeps}) {
      MethodOptions options = in_substeps();
      options.method = method;
      Calls<T> calls;
      SceneData<T> scene = scene_of_two_islands<T>();
      calls.expect(false, scene, options, what);
      change(scene);
      calls.expect(false, scene, options, what);
      calls.expect(true, scene, options, what);
      calls.expect(false, scene_of_two_islands<T>(), options, what);
    }
}

// Numbers of substeps divide islands into parts.
TYPED_TEST(SameGraph, is_built_anew_where_an_island_takes_more_substeps) {
  using T = TypeParam;
  Calls<T> calls;
  MethodOptions options = in_substeps();
  options.substeps.min_substeps = 2;  // swept
  SceneData<T> scene = scene_of_two_islands<T>();
  scene.warm_impulse = {std::vector<T>(scene.contact_count()), std::vector<T>(scene.contact_count()),
                        std::vector<T>(scene.contact_count())};
  calls.expect(false, scene, options, "unloaded");
  scene.warm_impulse[2].back() = T(1e4);
  calls.expect(false, scene, options, "loaded");
  scene.warm_impulse[2].back() = T(1.0001e4);
  calls.expect(true, scene, options, "loaded a little more");
  MethodOptions sweeps = options;
  sweeps.method = Procedure::pgs;
  calls.expect(false, scene, sweeps, "not in substeps");
  calls.expect(false, scene, options, "in substeps again");
  sweeps.bender_schmitt.shock_propagation = 4;
  calls.expect(false, scene, sweeps, "by levels");
  calls.expect(true, scene, sweeps, "by levels again");
}

TEST(SameGraphOnThreads, is_reported_for_any_number_of_them) {
  const SceneData<float> scene = pyramid<float>(16);
  for (const int threads : {1, 2, 3}) {
    SceneSolver solver({.threads = threads});
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(solved(solver, scene, MethodOptions{}).report.same_graph, k > 0) << threads << " threads, call " << k;
  }
}

}  // namespace
}  // namespace carom::scenes
