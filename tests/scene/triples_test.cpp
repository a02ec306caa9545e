// The first three rows of a joint are solved at once where they have no bounds and do not repeat each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "support/scenes/runs.hpp"
#include "support/scenes/zigzag.hpp"

namespace carom::scenes {
namespace {

template <class T>
class Triples : public testing::Test {
 public:
  using Row = typename JointRowData<T>::Row;

  /// J v + γ λ - target of a row with the velocities and impulses of the result.
  static double rest(const SceneData<T>& scene, const Solved<T>& made, std::size_t i) {
    const Row& row = scene.joints.rows[i];
    double sum = row.compliance * made.arrays.joint_impulse[i] - row.target_velocity;
    const auto add = [&](std::int32_t body, const auto& linear, const auto& angular) {
      if (body < 0) return;
      const auto at = static_cast<std::size_t>(body);
      sum += dot(vector_of<double>(linear), made.velocity(at)) +
             dot(vector_of<double>(angular), made.angular_velocity(at));
    };
    add(row.body_a, row.linear_a, row.angular_a);
    add(row.body_b, row.linear_b, row.angular_b);
    return sum;
  }
  static double max_rest(const SceneData<T>& scene, const Solved<T>& made) {
    double greatest = 0;
    for (std::size_t i = 0; i < scene.row_count(); ++i) greatest = std::max(greatest, std::abs(rest(scene, made, i)));
    return greatest;
  }
  /// As before any sweep.
  static Solved<T> untouched(const SceneData<T>& scene) {
    Solved<T> made{SceneArrays<T>(scene), {}};
    made.arrays.velocity = scene.bodies.velocity;
    made.arrays.angular_velocity = scene.bodies.angular_velocity;
    made.arrays.joint_impulse.assign(scene.row_count(), T(0));
    return made;
  }
  /// One joint between two rods that move.
  static SceneData<T> joint(std::uint64_t seed) {
    SceneData<T> scene = zigzag<T>(2, seed);
    scene.joints.rows.erase(scene.joints.rows.begin(), scene.joints.rows.begin() + 3);
    return scene;
  }
  /// Bounds beyond all impulses, with which rows are solved one by one.
  static SceneData<T> in_turn(SceneData<T> scene) {
    for (Row& row : scene.joints.rows) row.max_impulse = T(1e6);
    return scene;
  }
  static MethodOptions sweeps(Procedure method, int count) {
    MethodOptions options = usual(method);
    options.bender_schmitt.filter = ContactFilter::touching;
    set_iterations(options, count);
    return options;
  }

  // Velocities of a joint are of the order of 1, and its K has a condition of some 10: ten roundings each of K, of its
  // inverse and of the velocities.
  static constexpr double bound = 1000 * epsilon<T>;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Triples, Precisions);

constexpr Procedure sweeping[] = {Procedure::pgs, Procedure::collisions, Procedure::resting};

TYPED_TEST(Triples, hold_a_ball_joint_after_one_sweep) {
  double in_turn = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const Procedure method : sweeping) {
      const auto scene = this->joint(seed);
      const MethodOptions once = this->sweeps(method, 1);
      EXPECT_LE(this->max_rest(scene, solved(scene, once)), this->bound) << to_string(method);
      in_turn = std::max(in_turn, this->max_rest(scene, solved(this->in_turn(scene), once)));
    }
  EXPECT_GT(in_turn, 0.01);
}

TYPED_TEST(Triples, reach_targets_and_give_way_by_their_compliance) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto scene = this->joint(seed);
    for (std::size_t i = 0; i < 3; ++i) {
      scene.joints.rows[i].target_velocity = TypeParam(0.25) * static_cast<TypeParam>(i);
      scene.joints.rows[i].compliance = TypeParam(0.5) * static_cast<TypeParam>(i + 1);
    }
    const auto made = solved(scene, this->sweeps(Procedure::pgs, 1));
    EXPECT_LE(this->max_rest(scene, made), this->bound);
    EXPECT_GT(std::abs(made.arrays.joint_impulse[0]), 0.001);
  }
}

// The change is ω times the change that brings J v + γ λ to its target, so the violation is multiplied by 1 - ω.
TYPED_TEST(Triples, leave_the_share_of_their_relaxation) {
  for (const double relaxation : {0.5, 1.5})
    for (const int inner_iterations : {1, 2}) {
      const auto scene = this->joint(7);
      MethodOptions options = this->sweeps(Procedure::pgs, 1);
      options.pgs.relaxation = relaxation;
      options.pgs.inner_iterations = inner_iterations;
      const auto made = solved(scene, options), before = this->untouched(scene);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(this->rest(scene, made, i),
                    std::pow(1 - relaxation, inner_iterations) * this->rest(scene, before, i), this->bound);
    }
}

// K of a row that occurs twice is singular, K of nearly equal rows nearly singular. Solved one by one, these rows
// converge.
TYPED_TEST(Triples, are_no_rows_that_nearly_repeat_each_other) {
  using T = TypeParam;
  for (const double apart : {0.0, 1e-7, 1e-3, 1e-2}) {
    auto scene = this->joint(3);
    auto& rows = scene.joints.rows;
    const auto other = rows[1];
    rows[1] = rows[0];
    const auto mix = [&](auto& to, const auto& from) {
      for (std::size_t c = 0; c < 3; ++c) to[c] += T(apart) * from[c];
    };
    mix(rows[1].linear_a, other.linear_a);
    mix(rows[1].angular_a, other.angular_a);
    mix(rows[1].linear_b, other.linear_b);
    mix(rows[1].angular_b, other.angular_b);
    const MethodOptions options = this->sweeps(Procedure::pgs, 4);
    const auto free = solved(scene, options), in_turn = solved(this->in_turn(scene), options);
    expect_same_bits(free.arrays, in_turn.arrays, std::to_string(apart));
    for (const T impulse : free.arrays.joint_impulse) EXPECT_LT(std::abs(impulse), 10);
  }
}

TYPED_TEST(Triples, are_no_rows_with_a_bound_and_no_two_rows) {
  for (const int kind : {0, 1, 2}) {
    auto scene = this->joint(5), other = scene;
    if (kind == 0) scene.joints.rows[2].max_impulse = TypeParam(1e6);
    if (kind == 1) scene.joints.rows[0].min_impulse = TypeParam(-1e6);
    if (kind == 2) {
      scene.joints.rows.pop_back();
      other.joints.rows.pop_back();
    }
    const MethodOptions once = this->sweeps(Procedure::pgs, 1);
    expect_same_bits(solved(scene, once).arrays, solved(this->in_turn(other), once).arrays, std::to_string(kind));
  }
}

TYPED_TEST(Triples, leave_a_tenth_of_what_ten_sweeps_in_turn_leave_of_a_chain) {
  double at_once = 0, in_turn = 0;
  const MethodOptions options = this->sweeps(Procedure::pgs, 10);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto scene = zigzag<TypeParam>(12, seed);
    at_once += solved(scene, options).report.residual;
    in_turn += solved(this->in_turn(scene), options).report.residual;
  }
  EXPECT_LT(at_once, in_turn / 10);
}

}  // namespace
}  // namespace carom::scenes
