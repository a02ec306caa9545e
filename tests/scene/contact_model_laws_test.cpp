// Converged iterations satisfy the law of contact models to rounding, in every regime. No part gains energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "support/scenes/contact_models.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

/// One contact of a random box with another or with the ground; every part of the model is there in half of them.
SceneData<double> single_contact(std::uint64_t seed) {
  support::Draw draw(seed);
  SceneData<double> scene;
  Body a = random_box(draw), b = random_box(draw);
  // Slips are from rest to fast, turns from slow to fast.
  for (Body* body : {&a, &b}) {
    const double slip = draw.log_uniform(4), turning = draw.log_uniform(4);
    for (std::size_t c = 0; c < 3; ++c) {
      body->velocity[c] *= slip;
      body->angular_velocity[c] *= turning;
    }
  }
  const bool grounded = draw.below(2) == 0;
  scene.add(a);
  if (!grounded) scene.add(b);
  const Vector n = draw.direction();
  const Vector towards = (0.5 + draw.uniform()) * n;
  for (std::size_t c = 0; c < 3; ++c) scene.bodies.velocity[c][0] -= draw.uniform(0, 3) * n[c];
  Contact contact{0, grounded ? world : 1, n, a.position - towards + 0.3 * draw.direction()};
  if (!grounded) contact.point = 0.5 * (a.position + b.position) + 0.3 * draw.direction();
  contact.friction = draw.below(8) == 0 ? 0 : draw.uniform(0, 1);
  scene.add(contact);
  add_neutral_models(scene);
  if (draw.below(2) == 0) scene.friction_2[0] = draw.below(8) == 0 ? 0 : draw.uniform(0, 1);
  if (draw.below(2) == 0) scene.rolling_friction[0] = 0.2 * draw.log_uniform(3);
  if (draw.below(2) == 0) scene.spinning_friction[0] = 0.2 * draw.log_uniform(3);
  if (draw.below(4) == 0) scene.normal_compliance[0] = draw.uniform(0, 1);
  if (draw.below(4) == 0) scene.tangential_compliance[0] = draw.uniform(0, 1);
  if (scene.friction_2[0] == scene.friction[0] && scene.rolling_friction[0] == 0 && scene.spinning_friction[0] == 0)
    scene.normal_compliance[0] = draw.uniform(0.01, 1);
  put(scene.friction_direction, 0, draw.direction());
  return scene;
}

/// μ |κ| and the like below 1: the bracket of the law stays positive, and there is one solution.
bool is_steep(const SceneData<double>& scene) {
  const Vector n = at(scene.normal, 0);
  double k33 = 0;
  Vector across{}, turning{};
  for (const bool is_a : {true, false}) {
    const std::int32_t body = is_a ? scene.body_a[0] : scene.body_b[0];
    if (body < 0) continue;
    const auto i = static_cast<std::size_t>(body);
    const auto& j = scene.bodies.inverse_inertia;
    const auto turned = [&](const Vector& v) {
      return Vector{j[0][i] * v[0] + j[1][i] * v[1] + j[2][i] * v[2], j[1][i] * v[0] + j[3][i] * v[1] + j[4][i] * v[2],
                    j[2][i] * v[0] + j[4][i] * v[1] + j[5][i] * v[2]};
    };
    const Vector r = at(is_a ? scene.r_a : scene.r_b, 0);
    const Vector spin = turned(cross(r, n)), shift = cross(spin, r);
    k33 += scene.bodies.inverse_mass[i] + dot(shift, n);
    across = across + shift;
    turning = turning + spin;
  }
  k33 += scene.normal_compliance[0];
  const Vector slip = across - dot(across, n) * n, roll = turning - dot(turning, n) * n;
  return std::max(scene.friction[0], scene.friction_2[0]) * length(slip) / k33 +
             scene.rolling_friction[0] * length(roll) / k33 +
             scene.spinning_friction[0] * std::abs(dot(turning, n)) / k33 >=
         1;
}

/// Sweeps until the law is missed by no more than `bound`; `most` + 1 if that is not enough.
int sweeps_to(const SceneData<double>& scene, double bound, int most) {
  MethodOptions options;
  options.tolerance = 0;
  for (int n = 1; n <= most; ++n) {
    options.pgs.iterations = n;
    if (misses_of(scene, solved(scene, options)).worst() <= bound) return n;
  }
  return most + 1;
}

TEST(ContactModelLaws, of_single_contacts_hold_to_rounding_after_a_few_sweeps) {
  std::vector<int> sweeps;
  const std::size_t count = fast_build ? 2000 : 200;
  for (std::uint64_t seed = 0; sweeps.size() < count; ++seed) {
    const auto scene = single_contact(seed);
    if (is_steep(scene)) continue;
    sweeps.push_back(sweeps_to(scene, 1e-12, 400));
    ASSERT_LE(sweeps.back(), 400) << seed;
  }
  std::sort(sweeps.begin(), sweeps.end());
  RecordProperty("median_sweeps", sweeps[count / 2]);
  RecordProperty("worst_sweeps", sweeps.back());
  std::cout << "sweeps: median " << sweeps[count / 2] << ", 99 % " << sweeps[count * 99 / 100] << ", worst "
            << sweeps.back() << "\n";
  EXPECT_LE(sweeps[count / 2], 3);
}

TEST(ContactModelLaws, of_chains_of_three_hold_at_every_ratio_of_their_coefficients) {
  for (const double ratio : {5.0, 10.0, 30.0, 100.0})
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      support::Draw draw(seed);
      SceneData<double> scene;
      Body bodies[3] = {random_box(draw), random_box(draw), random_box(draw)};
      for (int i = 0; i < 3; ++i) {
        bodies[i].position = {0, 0, static_cast<double>(i)};
        bodies[i].velocity = {3 * draw.bell(), 3 * draw.bell(), -1 - draw.uniform()};
        bodies[i].angular_velocity = draw.bell3(1);
        scene.add(bodies[i]);
        const Vector tilt = draw.bell3(0.1);
        const Vector n = {tilt[0], tilt[1], 1};
        scene.add(Contact{i, i - 1, (1 / length(n)) * n, {0.1 * draw.bell(), 0.1 * draw.bell(), i - 0.5}, 0.8});
      }
      add_neutral_models(scene);
      for (std::size_t i = 0; i < 3; ++i) {
        scene.friction_2[i] = scene.friction[i] / ratio;
        put(scene.friction_direction, i, draw.direction());
      }
      MethodOptions options;
      options.pgs.iterations = 20000;
      options.tolerance = 1e-14;
      const auto made = solved(scene, options);
      EXPECT_LE(misses_of(scene, made).worst(), 1e-11) << ratio << ", " << seed;
      EXPECT_LE(energy_after(scene, made), energy_before(scene) * (1 + 1e-12)) << ratio << ", " << seed;
    }
}

TEST(ContactModelLaws, lose_energy_and_hold_in_random_scenes_that_converge) {
  RandomSceneOptions drawn;
  drawn.max_restitution = 0;
  drawn.friction_limit = 0.5;
  std::size_t converged = 0;
  const std::size_t count = fast_build ? 300 : 40;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    auto scene = random_scene<double>(seed, drawn);
    draw_models(scene, seed);
    MethodOptions options;
    options.pgs.iterations = 4000;
    options.tolerance = 1e-13;
    const auto made = solved(scene, options);
    if (made.report.not_converged > 0) continue;
    ++converged;
    EXPECT_LE(misses_of(scene, made).worst(), 1e-10) << seed;
    EXPECT_LE(energy_after(scene, made), energy_before(scene) * (1 + 1e-12)) << seed;
  }
  EXPECT_GE(converged, count * 9 / 10);
}

}  // namespace
}  // namespace carom::scenes
