// Results in the memory of the inputs that they replace have the same bits as results in separate memory.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/scenes/draw_models.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class SceneInPlace : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneInPlace, Precisions);

/// Large and small islands, joints, and a contact with a fault that is found only while its island is solved, so that
/// everything is solved again. All contacts and rows have warm impulses.
template <class T>
SceneData<T> warm_scene(bool with_models) {
  SceneData<T> scene = pyramid<T>(4);
  append(scene, islands<T>(20, 4, 4, 7));
  append(scene, chain<T>(6));
  Body pivot;
  pivot.inverse_mass = 0;
  const std::int32_t a = scene.add(pivot);
  scene.add(Contact{.a = a, .b = world, .point = {0.3, 0.2, -0.5}});
  if (with_models) draw_models(scene, 3);
  support::Draw draw(11);
  const std::size_t n = scene.contact_count();
  scene.warm_impulse = scene.warm_angular_impulse = vectors<T>(n);
  for (std::size_t i = 0; i < n; ++i) {
    put(scene.warm_impulse, i, Vector{0, 0, draw.uniform(0, 0.2)} + draw.uniform(0, 0.05) * draw.direction());
    put(scene.warm_angular_impulse, i, draw.uniform(0, 0.01) * draw.direction());
  }
  for (auto& row : scene.joints.rows) row.warm_impulse = static_cast<T>(draw.uniform(-0.1, 0.1));
  return scene;
}

template <class T>
Vector3Columns<T> writable(Vectors3<T>& v) {
  return {v[0], v[1], v[2]};
}

/// Results that share memory with inputs. Only the method substeps returns impulses for the next step.
enum class Pairs { of_the_step, of_the_next_step, crossed };

/// Solves with velocities and impulses of contacts and rows in the memory of the inputs, and returns them.
template <class T, class Solve>
SceneArrays<T> solved_in_place(SceneData<T> scene, Pairs pairs, const Solve& solve) {
  SceneArrays<T> arrays(scene);
  arrays.has_moments = true;
  SceneResults<T> results = arrays.view();
  results.velocity = writable(scene.bodies.velocity);
  results.angular_velocity = writable(scene.bodies.angular_velocity);
  const auto impulses = writable(scene.warm_impulse), moments = writable(scene.warm_angular_impulse);
  (pairs == Pairs::of_the_step        ? results.impulse
   : pairs == Pairs::of_the_next_step ? results.warm_impulse
                                      : results.angular_impulse) = impulses;
  (pairs == Pairs::of_the_step        ? results.angular_impulse
   : pairs == Pairs::of_the_next_step ? results.warm_angular_impulse
                                      : results.impulse) = moments;
  auto& rows = scene.joints.rows;
  (pairs == Pairs::of_the_next_step ? results.joint_warm_impulse : results.joint_impulse) =
      Column<T>(&rows[0].warm_impulse, rows.size(), sizeof rows[0]);
  solve(scene.view(), results);
  arrays.velocity = scene.bodies.velocity;
  arrays.angular_velocity = scene.bodies.angular_velocity;
  (pairs == Pairs::of_the_step        ? arrays.impulse
   : pairs == Pairs::of_the_next_step ? arrays.warm_impulse
                                      : arrays.angular_impulse) = scene.warm_impulse;
  (pairs == Pairs::of_the_step        ? arrays.angular_impulse
   : pairs == Pairs::of_the_next_step ? arrays.warm_angular_impulse
                                      : arrays.impulse) = scene.warm_angular_impulse;
  for (std::size_t i = 0; i < rows.size(); ++i)
    (pairs == Pairs::of_the_next_step ? arrays.joint_warm_impulse : arrays.joint_impulse)[i] = rows[i].warm_impulse;
  return arrays;
}

template <class T, class Solve>
void expect_same_in_place(const SceneData<T>& scene, bool in_substeps, const Solve& solve, const std::string& what) {
  SceneArrays<T> expected(scene);
  expected.has_moments = true;
  solve(scene.view(), expected.view());
  for (const Pairs pairs : {Pairs::of_the_step, Pairs::of_the_next_step, Pairs::crossed})
    if (in_substeps || pairs != Pairs::of_the_next_step)
      expect_same_bits(solved_in_place(scene, pairs, solve), expected, what + std::to_string(static_cast<int>(pairs)));
}

/// Every method, with contact models where it reads them, with and without keys.
template <class T, class F>
void each_case(const F& f) {
  for (const Procedure method : all_methods)
    for (const bool with_models : {false, true})
      for (const bool named : {false, true}) {
        const bool reads_models = method == Procedure::pgs || method == Procedure::substeps || method == Procedure::ncp;
        if (with_models && !reads_models) continue;
        SceneData<T> scene = warm_scene<T>(with_models);
        if (named)
          for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
        f(scene, usual(method),
          std::string(to_string(method)) + (with_models ? ", models" : "") + (named ? ", keys, " : ", "));
      }
}

TYPED_TEST(SceneInPlace, has_the_bits_of_results_in_memory_of_their_own) {
  using T = TypeParam;
  each_case<T>([](const SceneData<T>& scene, const MethodOptions& options, const std::string& what) {
    for (const int threads : {1, 2})
      expect_same_in_place(
          scene, options.method == Procedure::substeps,
          [&](const Scene<T>& of, const SceneResults<T>& results) {
            SceneSolver solver({.threads = threads});
            const SceneReport report = solver.solve(selected(of, options), results, options);
            EXPECT_EQ(report.count(Status::collision_matrix_not_positive_definite), 1u) << what;
          },
          what);
  });
}

// With a time step the method simultaneous runs as one substep.
TYPED_TEST(SceneInPlace, has_the_bits_of_the_simultaneous_step_that_moves_bodies) {
  using T = TypeParam;
  MethodOptions options = usual(Procedure::pgs);
  options.correct_positions(0.01);
  for (const bool with_models : {false, true})
    expect_same_in_place(
        warm_scene<T>(with_models), true,
        [&](const Scene<T>& of, const SceneResults<T>& results) {
          SceneSolver solver({.threads = 1});
          solver.solve(selected(of, options), results, options);
        },
        "");
}

// If cached impulses of rows make an island overflow, it is solved again without them, and its contacts start again
// from the caller's impulses.
TYPED_TEST(SceneInPlace, has_the_bits_where_an_overflow_is_solved_again) {
  using T = TypeParam;
  SceneData<T> heavy = warm_scene<T>(false);
  std::uint64_t key = 0;
  for (auto& row : heavy.joints.rows) {
    row.key = ++key;
    row.warm_impulse = 0;
  }
  SceneData<T> light = heavy;
  const double huge = static_cast<double>(std::numeric_limits<T>::max());
  for (std::size_t i = 0; i < heavy.body_count(); ++i)
    for (auto [scene, power] : {std::pair{&heavy, -0.45}, std::pair{&light, 0.45}}) {
      if (scene->bodies.inverse_mass[i] == T(0)) continue;
      const auto share = static_cast<T>(std::pow(huge, power));
      scene->bodies.inverse_mass[i] *= share;
      for (auto& column : scene->bodies.inverse_inertia) column[i] *= share;
    }
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < light.contact_count(); ++i)
      light.warm_impulse[c][i] *= static_cast<T>(std::pow(huge, -0.45));
  const MethodOptions options = usual(Procedure::pgs);
  const auto solve = [&](const Scene<T>& of, const SceneResults<T>& results) {
    SceneSolver solver({.threads = 1});
    SceneArrays<T> first(heavy);
    solver.solve(heavy.view(options), first.view(), options);
    solver.solve(selected(of, options), results, options);
  };
  SceneArrays<T> expected(light);
  solve(light.view(), expected.view());
  SceneData<T> mine = light;
  SceneArrays<T> arrays(mine);
  SceneResults<T> results = arrays.view();
  results.impulse = writable(mine.warm_impulse);
  solve(mine.view(), results);
  arrays.impulse = mine.warm_impulse;
  expect_same_bits(arrays, expected, "in place");
  EXPECT_EQ(std::count(expected.status.begin(), expected.status.end(), Status::overflow), 0);
}

// The reference returns no impulses for the next step.
TEST(SceneInPlaceOfTheReference, has_the_bits_of_results_in_memory_of_their_own) {
  each_case<double>([](const SceneData<double>& scene, const MethodOptions& options, const std::string& what) {
    if (options.method == Procedure::ncp) return;
    expect_same_in_place(
        scene, false,
        [&](const Scene<double>& of, const SceneResults<double>& results) {
          reference::solve_scene(selected(of, options), results, options);
        },
        what);
  });
}

}  // namespace
}  // namespace carom::scenes
