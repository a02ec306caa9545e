// Results of islands: which island a contact or row is of, and how each island has ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/scene/thresholds.hpp"
#include "support/scenes/generators.hpp"
#include "support/scenes/iterations.hpp"
#include "support/scenes/runs.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

template <class T>
class IslandResults : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(IslandResults, Precisions);

/// The sets of bodies that sound contacts and rows connect, by union–find: for each body the smallest number in its
/// set.
template <class T>
std::vector<std::size_t> sets_of_bodies(const SceneData<T>& scene, const SceneArrays<T>& made) {
  std::vector<std::size_t> set(scene.body_count());
  std::iota(set.begin(), set.end(), std::size_t{0});
  const auto moves = [&](std::int32_t body) {
    const auto i = static_cast<std::size_t>(body);
    return body >= 0 && (scene.bodies.inverse_mass[i] > 0 || scene.bodies.inverse_inertia[0][i] > 0);
  };
  const auto root = [&](std::size_t i) {
    while (set[i] != i) i = set[i];
    return i;
  };
  const auto join = [&](std::int32_t a, std::int32_t b) {
    if (!moves(a) || !moves(b)) return;
    const std::size_t x = root(static_cast<std::size_t>(a)), y = root(static_cast<std::size_t>(b));
    set[std::max(x, y)] = std::min(x, y);
  };
  for (std::size_t i = 0; i < scene.contact_count(); ++i)
    if (made.island[i] >= 0) join(scene.body_a[i], scene.body_b[i]);
  for (std::size_t r = 0; r < scene.row_count(); ++r)
    if (made.joint_island[r] >= 0) join(scene.joints.rows[r].body_a, scene.joints.rows[r].body_b);
  for (std::size_t i = 0; i < set.size(); ++i) set[i] = root(i);
  return set;
}

template <class T>
void expect_islands(const SceneData<T>& scene, const Solved<T>& made, const std::string& what) {
  const SceneArrays<T>& arrays = made.arrays;
  const std::vector<std::size_t> sets = sets_of_bodies(scene, arrays);
  const auto moves = [&](std::int32_t body) {
    const auto i = static_cast<std::size_t>(body);
    return body >= 0 && (scene.bodies.inverse_mass[i] > 0 || scene.bodies.inverse_inertia[0][i] > 0);
  };
  std::map<std::size_t, std::int32_t> island_of_set;
  std::map<std::int32_t, std::size_t> set_of_island;
  const auto see = [&](std::int32_t a, std::int32_t b, std::int32_t island, bool sound) {
    ASSERT_EQ(island >= 0, sound) << what;
    if (!sound) return;
    ASSERT_LT(static_cast<std::size_t>(island), made.report.islands) << what;
    const std::size_t set = sets[static_cast<std::size_t>(moves(a) ? a : b)];
    ASSERT_EQ(island_of_set.try_emplace(set, island).first->second, island) << what;
    ASSERT_EQ(set_of_island.try_emplace(island, set).first->second, set) << what;
  };
  const auto is_sound = [](Status status) { return !is_fault(status) || status == Status::overflow; };
  for (std::size_t i = 0; i < scene.contact_count(); ++i)
    see(scene.body_a[i], scene.body_b[i], arrays.island[i], is_sound(arrays.status[i]));
  for (std::size_t r = 0; r < scene.row_count(); ++r)
    see(scene.joints.rows[r].body_a, scene.joints.rows[r].body_b, arrays.joint_island[r],
        is_sound(arrays.joint_status[r]));
  EXPECT_EQ(set_of_island.size(), made.report.islands) << what;

  const auto count = [&](auto&& is) {
    return static_cast<std::size_t>(
        std::count_if(arrays.island_status.begin(),
                      arrays.island_status.begin() + static_cast<std::ptrdiff_t>(made.report.islands), is));
  };
  EXPECT_EQ(count([](IslandStatus s) { return s != IslandStatus::converged; }), made.report.not_converged) << what;
  EXPECT_EQ(count([](IslandStatus s) { return s == IslandStatus::stalled; }), made.report.stalled) << what;
  double residual = 0;
  int iterations = 0;
  for (std::size_t i = 0; i < made.report.islands; ++i) {
    residual = std::max(residual, static_cast<double>(arrays.island_residual[i]));
    iterations = std::max(iterations, arrays.island_iterations[i]);
  }
  EXPECT_EQ(residual, static_cast<double>(static_cast<T>(made.report.residual))) << what;
  double error = 0;
  for (std::size_t i = 0; i < made.report.islands; ++i) {
    const bool is_by_system = arrays.island_algorithm[i] == IslandAlgorithm::system;
    if (is_by_system) error = std::max(error, static_cast<double>(arrays.island_error[i]));
    EXPECT_TRUE(!is_by_system || made.report.method == SceneMethod::ncp) << what;
    EXPECT_GE(arrays.island_error[i], T(0)) << what;
    if (!is_by_system && arrays.island_residual[i] > T(0) && made.report.islands == 1) {
      const double of_island = static_cast<double>(arrays.island_residual[i]) / made.report.max_approach_speed;
      EXPECT_NEAR(static_cast<double>(arrays.island_error[i]), of_island, 1e-6 * of_island) << what;
    }
  }
  EXPECT_EQ(error, static_cast<double>(static_cast<T>(made.report.relative_error))) << what;
  EXPECT_EQ(iterations, made.report.iterations) << what;
}

TYPED_TEST(IslandResults, say_which_algorithm_solved_an_island_and_to_which_relative_error) {
  using T = TypeParam;
  const auto solved_by = [](const SceneData<T>& scene, SceneSolver& solver, const MethodOptions& options) {
    return solved(solver, scene, options).arrays;
  };
  const BoxWorld tower = box_stack(3);
  const SceneData<T> scene = tower.scene_with_forces<T>(h);
  SceneSolver solver({.threads = 1});
  SceneArrays<T> of = solved_by(scene, solver, in_substeps());
  EXPECT_EQ(of.island_algorithm[0], IslandAlgorithm::linear);
  EXPECT_LE(of.island_error[0], T(1e-4)) << "the bound of a direct island";
  for (int k = 0; k < 10; ++k) of = solved_by(scene, solver, in_substeps());
  EXPECT_EQ(of.island_algorithm[0], IslandAlgorithm::last_impulses);
  EXPECT_EQ(of.island_iterations[0], 0);
  EXPECT_LE(of.island_error[0], static_cast<T>(SceneThresholds::direct_settled));

  MethodOptions options;
  for (const auto& [method, expected] : {std::pair{Procedure::pgs, IslandAlgorithm::pgs},
                                         {Procedure::sequential_impacts, IslandAlgorithm::impacts},
                                         {Procedure::ncp, IslandAlgorithm::system}}) {
    options.method = method;
    options.ncp.pgs_presolve = false;
    SceneSolver other({.threads = 1});
    const SceneArrays<T> made = solved_by(scene, other, options);
    EXPECT_EQ(made.island_algorithm[0], expected) << to_string(method);
    if (made.island_status[0] == IslandStatus::converged && method != Procedure::ncp) {
      EXPECT_LE(made.island_error[0], T(2 * options.tolerance)) << to_string(method);
    }
  }
}

TYPED_TEST(IslandResults, are_those_of_what_bodies_connect_and_sum_up_to_the_report) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SceneData<T> scene = random_scene<T>(seed);
    append(scene, random_scene<T>(seed + 100));
    add_ball_joint(scene.joints, JointBodies<T>{0, 1, {}, {}});
    scene.separation.assign(scene.contact_count(), T(0));
    if (seed % 2 == 0) scene.friction[seed % scene.contact_count()] = T(-1);
    for (const Procedure method : all_methods) {
      MethodOptions options = usual(method);
      set_iterations(options, 3);
      expect_islands(scene, solved(scene, options), std::string(to_string(method)) + ", seed " + std::to_string(seed));
      if constexpr (std::is_same_v<T, double>)
        if (method != Procedure::ncp)
          expect_islands(scene, solved_by_reference(scene, options), "reference, " + std::string(to_string(method)));
    }
  }
}

// A sound stack and a stack whose speeds overflow, in each method.
TYPED_TEST(IslandResults, tell_an_island_that_overflows_from_one_that_converges) {
  using T = TypeParam;
  SceneData<T> scene = stack<T>(1);
  append(scene, stack<T>(1));
  for (std::size_t i = 0; i < 2; ++i) scene.bodies.velocity[2][i] = T(-0.01);
  scene.bodies.velocity[2][1] = -std::numeric_limits<T>::max() / 4;
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    options.bender_schmitt.rest_tolerance = method == Procedure::resting ? 1e30 : 0;
    set_iterations(options, 1000);
    const auto made = solved(scene, options);
    const auto status = [&](std::size_t contact) {
      return made.arrays.island_status[static_cast<std::size_t>(made.arrays.island[contact])];
    };
    EXPECT_EQ(status(0), IslandStatus::converged) << to_string(method);
    EXPECT_EQ(status(4), IslandStatus::overflow) << to_string(method);
    EXPECT_TRUE(std::isinf(made.arrays.island_error[static_cast<std::size_t>(made.arrays.island[4])]))
        << to_string(method);
  }
}

// One sweep over a falling stack of ten leaves an approach, and a ball between walls never stops.
TYPED_TEST(IslandResults, tell_what_has_not_converged_from_what_has_stalled) {
  using T = TypeParam;
  SceneData<T> falling = stack<T>(10);
  for (std::size_t i = 0; i < 10; ++i) falling.bodies.velocity[2][i] = T(-1);
  MethodOptions options;
  options.pgs.iterations = 1;
  const auto swept = solved(falling, options);
  EXPECT_EQ(swept.arrays.island_status[0], IslandStatus::not_converged);
  EXPECT_EQ(swept.arrays.island_iterations[0], 1);
  EXPECT_GT(swept.arrays.island_residual[0], T(0));

  SceneData<T> between = row_of_balls<T>({1});
  between.add(Contact{0, world, {-1, 0, 0}, {0.5, 0, 0}, 0, 1});
  between.add(Contact{0, world, {1, 0, 0}, {-0.5, 0, 0}, 0, 1});
  options.method = Procedure::sequential_impacts;
  options.sequential_impacts.law = Law::frictionless;
  const auto made = solved(between, options);
  EXPECT_EQ(made.arrays.island_status[0], IslandStatus::stalled);
  EXPECT_EQ(made.arrays.island_iterations[0], 200);  // 100 impacts for each of two contacts
  EXPECT_EQ(made.arrays.island_residual[0], T(1));
}

}  // namespace
}  // namespace carom::scenes
