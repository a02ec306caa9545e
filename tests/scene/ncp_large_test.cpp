// Procedure::ncp where one movable body carries thousands of contacts: memory grows with the contacts, not with
// their square.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

/// A barge on the ground with boxes of 1 kg on it, and one box apart, all after a step of free fall.
template <class T>
SceneData<T> barge(int boxes) {
  constexpr double fall = -0.0981;
  SceneData<T> scene;
  const auto cube = [&](double x, double y, double z, std::int32_t below) {
    const std::int32_t a = scene.add(box(1, {1, 1, 1}, {x, y, z}, {0, 0, fall}));
    add_manifold(scene, {.a = a, .b = below, .friction = 0.5}, x - 0.5, x + 0.5, y - 0.5, y + 0.5, z - 0.5);
  };
  cube(-10, 0, 0, world);
  const double length = 1.1 * boxes / 50;
  const std::int32_t hull = scene.add(box(1e5, {55, length, 1}, {27, length / 2, 0}, {0, 0, fall}));
  add_manifold(scene, {.a = hull, .b = world, .friction = 0.5}, 0, 54, 0, length, -0.5);
  for (int i = 0; i < boxes; ++i) cube(1.1 * (i % 50), 1.1 * (i / 50), 1, hull);
  return scene;
}

template <class T>
class NcpLarge : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(NcpLarge, Precisions);

// W of 48,000 contacts on one body would have 2.3 billion blocks of 72 bytes.
TYPED_TEST(NcpLarge, one_movable_body_carries_thousands_of_boxes) {
  for (const int boxes : {1000, 12000}) {
    const auto scene = barge<TypeParam>(boxes);
    const auto made = solved(scene, ncp_to(1e-6));
    EXPECT_EQ(made.report.not_converged, 0u) << boxes;
    EXPECT_LE(made.report.relative_error, 1e-6) << boxes;
    double fastest = 0, carried = 0;
    for (std::size_t b = 0; b < scene.body_count(); ++b) fastest = std::max(fastest, length(made.velocity(b)));
    // The error, 1e-6 of the velocities of all contacts, at a single one.
    EXPECT_LT(fastest, 1e-6 * 0.0981 * std::sqrt(3.0 * static_cast<double>(scene.contact_count()))) << boxes;
    for (std::size_t i = 4; i < 8; ++i) carried += made.impulse(i)[2];
    EXPECT_NEAR(carried, (1e5 + boxes) * 0.0981, 1e-5 * (1e5 + boxes)) << boxes;
  }
}

// A budget of one sweep has no room for a factorisation.
TYPED_TEST(NcpLarge, a_budget_bounds_the_work_on_such_a_body) {
  const auto scene = barge<TypeParam>(1000);
  auto options = ncp_to(1e-6);
  options.ncp.budget = 1;
  const auto made = solved(scene, options);
  EXPECT_EQ(made.report.not_converged, 2u);
  EXPECT_LE(made.report.iterations, 2);
  EXPECT_LT(made.report.energy_after, made.report.energy_before);
}

// A chain hangs on the barge.
TEST(NcpLargeInDouble, a_body_with_joints_carries_a_thousand_boxes) {
  auto scene = barge<double>(1000);
  const std::int32_t first = static_cast<std::int32_t>(scene.body_count());
  for (std::int32_t i = 0; i < 10; ++i) {
    scene.add(box(1, {1, 1, 1}, {60.0 + i, 0, 0}, {0, 0, -0.0981}));
    add_ball_joint(
        scene.joints,
        JointBodies<double>{
            first + i, i == 0 ? 1 : first + i - 1, {-0.5, 0, 0}, {i == 0 ? 32.5 : 0.5, i == 0 ? -11.0 : 0, 0}});
  }
  const auto made = solved(scene, ncp_to(1e-6));
  EXPECT_EQ(made.report.not_converged, 0u);
  EXPECT_LE(made.report.residual, 1e-6);
}

}  // namespace
}  // namespace carom::scenes
