// The next call begins with the impulses of named contacts and rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/scenes/iterations.hpp"
#include "support/scenes/rod_chain.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class WarmStart : public testing::Test {
 public:
  WarmStart() : scene_(pyramid<T>(10)) {
    append(scene_, chain<T>(10));
    for (std::size_t i = 0; i < scene_.contact_count(); ++i) scene_.key.push_back(0x9e3779b97f4a7c15u * (i + 1));
    for (std::size_t i = 0; i < scene_.row_count(); ++i) scene_.joints.rows[i].key = 1000 + i;
  }

  static Vectors3<T> impulses_of(const Solved<T>& made) { return made.arrays.impulse; }

  SceneData<T> scene_;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(WarmStart, Precisions);

TYPED_TEST(WarmStart, by_key_leaves_a_smaller_residual_with_every_call) {
  SceneSolver solver({.threads = 1});
  double residual = solved(solver, this->scene_, {}).report.residual;
  EXPECT_GT(residual, 0.01);
  for (int call = 0; call < 4; ++call) {
    const double next = solved(solver, this->scene_, {}).report.residual;
    EXPECT_LT(next, 0.8 * residual) << call;
    residual = next;
  }
}

TYPED_TEST(WarmStart, by_key_takes_fewer_sweeps_to_the_same_answer) {
  SceneSolver solver({.threads = 1});
  MethodOptions options;
  set_iterations(options, 5000);
  options.tolerance = 1e-4;
  const auto cold = solved(solver, this->scene_, options), warm = solved(solver, this->scene_, options);
  EXPECT_GT(cold.report.iterations, 40);
  EXPECT_LE(warm.report.iterations, 8);
  // Contacts may share their load in several ways; velocities agree within the sum of the residuals of 30 contacts.
  for (std::size_t i = 0; i < this->scene_.body_count(); ++i)
    EXPECT_NEAR(length(warm.velocity(i) - cold.velocity(i)), 0, 30 * 1e-4 * cold.report.max_approach_speed) << i;
}

// The end is looked for in the first sweep and every fourth, by the reference too.
TYPED_TEST(WarmStart, lets_what_rests_end_with_its_first_sweep) {
  using T = TypeParam;
  SceneData<T> scene = pyramid<T>(6);
  MethodOptions options;
  set_iterations(options, 5000);
  options.tolerance = 1e-4;
  scene.warm_impulse = solved(scene, options).arrays.impulse;
  options.tolerance = 1e-3;
  const auto resting = solved(scene, options);
  EXPECT_EQ(resting.report.iterations, 1);
  EXPECT_EQ(resting.report.not_converged, 0u);
  EXPECT_LE(resting.report.residual, 1e-3 * resting.report.max_approach_speed);
  EXPECT_EQ(solved_by_reference(widened(scene), options).report.iterations, 1);

  const auto sweeps_after = [&](double change) {
    auto changed = scene;
    for (T& x : changed.warm_impulse[2]) x = static_cast<T>(change * static_cast<double>(x));
    const int sweeps = solved(changed, options).report.iterations;
    EXPECT_EQ(solved_by_reference(widened(changed), options).report.iterations, sweeps) << change;
    return sweeps;
  };
  EXPECT_GT(sweeps_after(1.01), 1);
  for (const double change : {0.0, 0.9, 0.99, 1.001, 1.01, 1.1}) {
    const int sweeps = sweeps_after(change);
    EXPECT_TRUE(sweeps == 1 || sweeps % 4 == 0) << change << ": " << sweeps;
  }
}

// A row pulls a body away from the world at 1 m/s; it needs the same impulse in every call.
TYPED_TEST(WarmStart, does_not_begin_a_step) {
  SceneData<TypeParam> scene;
  scene.add(Body{.velocity = {1, 0, 0}});
  add_distance_joint(scene.joints, JointBodies<TypeParam>{0, -1, {}, {}}, {1, 0, 0});
  scene.joints.rows[0].key = 7;
  const MethodOptions options{.method = Procedure::both_phases, .time_step = 0.01};
  SceneSolver solver({.threads = 1});
  for (int call = 0; call < 3; ++call) {
    SceneArrays<TypeParam> arrays(scene);
    solver.solve(scene.view(options), arrays.view(), options);
    EXPECT_NEAR(arrays.joint_impulse[0], -1, 4 * epsilon<TypeParam>) << call;
  }
}

TYPED_TEST(WarmStart, by_key_is_that_by_impulse) {
  for (const double share : {1.0, 0.5}) {
    MethodOptions options;
    options.pgs.warm_start = share;
    options.pgs.joint_warm_start = share / 2;
    SceneSolver solver({.threads = 1});
    const auto first = solved(solver, this->scene_, options), by_key = solved(solver, this->scene_, options);
    auto named_no_more = this->scene_;
    named_no_more.key.clear();
    named_no_more.warm_impulse = first.arrays.impulse;
    for (std::size_t i = 0; i < named_no_more.row_count(); ++i) {
      named_no_more.joints.rows[i].key = 0;
      named_no_more.joints.rows[i].warm_impulse = first.arrays.joint_impulse[i];
    }
    const auto by_impulse = solved(named_no_more, options);
    expect_same_bits(by_key.arrays, by_impulse.arrays, "share " + std::to_string(share));
    // Impulses in the scene take precedence over stored impulses.
    auto both = this->scene_;
    both.warm_impulse = vectors<TypeParam>(both.contact_count());
    both.joints = named_no_more.joints;
    MethodOptions without = options;
    auto cold_contacts = named_no_more;
    cold_contacts.warm_impulse = both.warm_impulse;
    expect_same_bits(solved(solver, both, without).arrays, solved(cold_contacts, without).arrays, "impulses given");
  }
}

TYPED_TEST(WarmStart, follows_a_key_to_another_place_and_forgets_those_that_are_gone) {
  SceneSolver solver({.threads = 1});
  const auto first = solved(solver, this->scene_, {});
  // The same scene without its first manifold, as the next step may have it: there is no point to take its load.
  auto next = this->scene_;
  std::ptrdiff_t points = 0;
  while (next.body_a[static_cast<std::size_t>(points)] == next.body_a[0] &&
         next.body_b[static_cast<std::size_t>(points)] == next.body_b[0])
    ++points;
  const auto drop = [&](auto& column) { column.erase(column.begin(), column.begin() + points); };
  const auto drop3 = [&](auto& v) {
    for (auto& column : v) drop(column);
  };
  drop(next.body_a), drop(next.body_b), drop3(next.normal), drop3(next.r_a), drop3(next.r_b);
  drop(next.friction), drop(next.restitution), drop(next.tangential_restitution), drop(next.key);
  const auto found = solved(solver, next, {});
  auto expected = next;
  expected.warm_impulse = first.arrays.impulse;
  drop3(expected.warm_impulse);
  expected.key.clear();
  for (std::size_t i = 0; i < expected.row_count(); ++i)
    expected.joints.rows[i].warm_impulse = first.arrays.joint_impulse[i];
  expect_same_bits(found.arrays, solved(expected, MethodOptions{}).arrays, "one manifold fewer");

  // The first manifold comes back and starts from zero.
  const auto back = solved(solver, this->scene_, {});
  auto cold = this->scene_;
  cold.warm_impulse = found.arrays.impulse;
  for (auto& column : cold.warm_impulse) column.insert(column.begin(), static_cast<std::size_t>(points), TypeParam(0));
  cold.key.clear();
  for (std::size_t i = 0; i < cold.row_count(); ++i) cold.joints.rows[i].warm_impulse = found.arrays.joint_impulse[i];
  expect_same_bits(back.arrays, solved(cold, MethodOptions{}).arrays, "a manifold comes back");
}

// If targets correct errors, the impulses of the last step include this correction. A warm start with all of them would
// move the chain to 10^12 m within 20 s; with half of them it is stable.
TYPED_TEST(WarmStart, of_rows_by_default_lets_no_chain_diverge_whose_targets_take_errors_away) {
  for (const double share : {0.05, 0.2, 0.8}) {
    RodChain hanging(0);
    hanging.options = {};
    hanging.share = share;
    // Ten sweeps leave the weight some 10 mm a step, and the chain sags until its targets are that: 0.05 m over the
    // share in the mean, and four times as much at the start.
    EXPECT_LE(hanging.template run<TypeParam>(support::fast_build ? 1200 : 60).peak, 0.2 / share) << share;
  }
}

TYPED_TEST(WarmStart, ends_with_forget_and_with_a_share_of_nothing) {
  SceneSolver solver({.threads = 1});
  const auto first = solved(solver, this->scene_, {});
  MethodOptions none;
  none.pgs.warm_start = 0;
  none.pgs.joint_warm_start = 0;
  expect_same_bits(solved(solver, this->scene_, none).arrays, first.arrays, "a share of nothing");
  solver.forget();
  expect_same_bits(solved(solver, this->scene_, {}).arrays, first.arrays, "forgotten");
  auto nameless = this->scene_;
  nameless.key.assign(nameless.contact_count(), 0);
  for (auto& row : nameless.joints.rows) row.key = 0;
  SceneSolver other({.threads = 1});
  solved(other, nameless, {});
  expect_same_bits(solved(other, nameless, {}).arrays, first.arrays, "key 0 is no name");
}

// A contact that turned keeps the part of its impulse within the new cone: it does not pull, and friction is limited.
TYPED_TEST(WarmStart, brings_no_impulse_out_of_the_cone) {
  SceneData<TypeParam> scene;
  scene.add(Body{.velocity = {0, 0, 1}});
  scene.add(Contact{.a = 0, .friction = 0.5});
  scene.warm_impulse = vectors<TypeParam>(1);
  put(scene.warm_impulse, 0, {3, 0, -2});
  MethodOptions options;
  set_iterations(options, 1);
  const auto pulled = solved(scene, options);
  EXPECT_EQ(pulled.velocity(0), (Vector{0, 0, 1}));
  EXPECT_EQ(pulled.impulse(0), Vector{});

  // Without approach the sweep removes the normal part of the warm impulse.
  put(scene.bodies.velocity, 0, {});
  put(scene.warm_impulse, 0, {3, 0, 2});
  set_iterations(options, 200);
  const auto pushed = solved(scene, options);
  EXPECT_NEAR(length(pushed.velocity(0)), 0, 100 * epsilon<TypeParam>);
}

}  // namespace
}  // namespace carom::scenes
