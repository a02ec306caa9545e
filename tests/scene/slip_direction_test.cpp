// Converged PGS satisfies Coulomb's law: friction opposes the slip, for any initial impulses and for any anisotropy of
// the collision matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <string>

#include "support/scenes/iterations.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class SlipDirection : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SlipDirection, Precisions);

/// One body on the ground with K = diag(1.0001, ratio, 1), that approaches at 1 m/s and slips along x at `slip`. The
/// impulse of the previous step was along the present slip.
template <class T>
SceneData<T> reversed(double friction, double ratio, double slip) {
  SceneData<T> scene;
  Body body;
  body.inverse_inertia = {ratio - 1, 0, 0, 1e-4, 0, 1};
  body.velocity = {slip, 0, -1};
  const std::int32_t a = scene.add(body);
  scene.add(Contact{.a = a, .b = world, .point = {0, 0, -1}, .friction = friction});
  push(scene.warm_impulse, Vector{friction, 0, 1});
  return scene;
}

TYPED_TEST(SlipDirection, of_a_contact_whose_slip_has_turned_round_is_that_of_the_law) {
  using T = TypeParam;
  for (const double friction : {0.3, 1.0})
    for (const double ratio : {1.0, 2.0, 3.0, 10.0, 100.0})
      for (const double slip : {0.2, 0.5, 1.0, 2.0, 3.0}) {
        const auto scene = reversed<T>(friction, ratio, slip);
        MethodOptions options = exact<T>(Procedure::pgs);
        set_iterations(options, 1000);
        const double wanted = std::max(0.0, slip - friction * 1.0001);
        const auto check = [&](const auto& made, const std::string& who) {
          const double left = made.velocity(0)[0] - made.angular_velocity(0)[1];
          EXPECT_NEAR(left, wanted, 1e-5)
              << who << ", friction " << friction << ", ratio " << ratio << ", slip " << slip;
        };
        check(solved(scene, options), "lanes");
        if constexpr (std::is_same_v<T, double>) check(solved_by_reference(scene, options), "reference");
      }
}

/// -p_t·u_t over μ p_n |u_t|, 1 where friction opposes the slip and has its full length.
template <class T>
double opposition(const SceneData<T>& scene, const Solved<T>& made, std::size_t i) {
  const Vector n = at(scene.normal, i), p = made.impulse(i), u = at(made.arrays.separation_velocity, i);
  const double pn = dot(p, n), un = dot(u, n);
  const Vector slip = u - un * n;
  return -dot(p, slip) / (static_cast<double>(scene.friction[i]) * pn * length(slip));
}

TYPED_TEST(SlipDirection, of_converged_scenes_opposes_friction_at_every_contact_that_slips) {
  using T = TypeParam;
  std::size_t slipping = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    support::Draw draw(seed);
    RandomSceneOptions drawn;
    drawn.max_restitution = 0;
    drawn.friction_limit = 0.5;
    SceneData<T> scene = random_scene<T>(seed, drawn);
    // Slender bodies, whose contacts have an anisotropic K, and impulses along the present slip.
    for (std::size_t i = 0; i < scene.body_count(); ++i)
      for (std::size_t c = 0; c < 6; ++c) scene.bodies.inverse_inertia[c][i] *= static_cast<T>(draw.log_uniform(0.7));
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      const Vector n = at(scene.normal, i), along = scene.slip(i);
      const double size = draw.log_uniform(1);
      push(scene.warm_impulse, size * n + size * static_cast<double>(scene.friction[i]) / length(along) * along);
    }
    const MethodOptions options = exact<T>(Procedure::pgs);
    const auto made = solved(scene, options);
    if (made.report.not_converged > 0) continue;
    const double rounding = 1e3 * epsilon<T> * made.report.max_approach_speed;
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      const Vector n = at(scene.normal, i), u = at(made.arrays.separation_velocity, i);
      const double slip = length(u - dot(u, n) * n), pn = dot(made.impulse(i), n);
      // The direction of a slip that is a thousand times the residual is known to a thousandth.
      if (pn < 1e-6 || slip < 1e3 * (options.tolerance * made.report.max_approach_speed + rounding)) continue;
      ++slipping;
      EXPECT_GT(opposition(scene, made, i), 0.99) << "seed " << seed << ", contact " << i;
    }
  }
  EXPECT_GT(slipping, 100u);
}

}  // namespace
}  // namespace carom::scenes
