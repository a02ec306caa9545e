// Misses: by how much the solution of a scene fails the law of its contact models. docs/contact-models.md has it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/scenes/draw_models.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {

/// Misses of a converged scene of Procedure::pgs without restitution: relative to the largest impulse, speed
/// or product of them.
struct Misses {
  double penetration = 0, complementarity = 0, cone = 0, dissipation = 0;
  double worst() const { return std::max({penetration, complementarity, cone, dissipation}); }
};

template <class T>
Misses misses_of(const SceneData<T>& scene, const Solved<T>& made) {
  const auto number = [](const std::vector<T>& column, std::size_t i) {
    return column.empty() ? 0.0 : static_cast<double>(column[i]);
  };
  double impulse = 1e-300, speed = 1e-300;
  for (std::size_t i = 0; i < scene.body_count(); ++i)
    speed = std::max({speed, length(scene.velocity(i)), length(scene.angular_velocity(i))});
  for (std::size_t i = 0; i < scene.contact_count(); ++i) impulse = std::max(impulse, length(made.impulse(i)));
  Misses misses;
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    const auto motion = [&](std::int32_t body, const Vectors3<T>& lever, Vector& turning) {
      if (body < 0) return Vector{};
      const auto b = static_cast<std::size_t>(body);
      turning = made.angular_velocity(b);
      return made.velocity(b) + cross(turning, at(lever, i));
    };
    Vector wa{}, wb{};
    const Vector u = motion(scene.body_a[i], scene.r_a, wa) - motion(scene.body_b[i], scene.r_b, wb);
    const Vector n = (1 / length(at(scene.normal, i))) * at(scene.normal, i);
    Vector t1 = cross(n, std::abs(n[0]) < 0.7 ? Vector{1, 0, 0} : Vector{0, 1, 0});
    double mu1 = number(scene.friction, i), mu2 = mu1;
    if (!scene.friction_2.empty() && scene.friction_2[i] != scene.friction[i]) {
      mu2 = number(scene.friction_2, i);
      const Vector d = at(scene.friction_direction, i);
      t1 = d - dot(d, n) * n;
    }
    t1 = (1 / length(t1)) * t1;
    const Vector t2 = cross(n, t1), p = made.impulse(i), m = at(made.arrays.angular_impulse, i), o = wa - wb;
    const double compliance = number(scene.normal_compliance, i),
                 slip_compliance = number(scene.tangential_compliance, i);
    const double pn = dot(p, n), p1 = dot(p, t1), p2 = dot(p, t2);
    const double zn = dot(u, n) + compliance * pn - number(scene.target_velocity, i);
    const double z1 = dot(u, t1) + slip_compliance * p1, z2 = dot(u, t2) + slip_compliance * p2;
    const auto take = [](double& worst, double x) { worst = std::max(worst, x == x ? x : 1e300); };
    take(misses.penetration, std::max(-zn, 0.0) / speed);
    take(misses.complementarity, std::abs(pn * zn) / (impulse * speed));
    take(misses.cone, std::max(-pn, 0.0) / impulse);
    // |D⁻¹ p_t| <= p_n, without a division by 0.
    take(misses.cone,
         std::max(std::hypot(mu2 * p1, mu1 * p2) - mu1 * mu2 * pn, 0.0) / (impulse * std::max(mu1, mu2) + 1e-300));
    if (mu1 == 0) take(misses.cone, std::abs(p1) / impulse);
    if (mu2 == 0) take(misses.cone, std::abs(p2) / impulse);
    take(misses.dissipation, std::abs(pn * std::hypot(mu1 * z1, mu2 * z2) + p1 * z1 + p2 * z2) / (impulse * speed));
    const double roll = number(scene.rolling_friction, i), spin = number(scene.spinning_friction, i);
    const Vector mr = m - dot(m, n) * n, tangential = o - dot(o, n) * n;
    take(misses.cone, std::max(length(mr) - roll * pn, 0.0) / impulse);
    take(misses.cone, std::max(std::abs(dot(m, n)) - spin * pn, 0.0) / impulse);
    take(misses.dissipation, std::abs(roll * pn * length(tangential) + dot(mr, tangential)) / (impulse * speed));
    take(misses.dissipation, std::abs(spin * pn * std::abs(dot(o, n)) + dot(m, n) * dot(o, n)) / (impulse * speed));
  }
  return misses;
}

}  // namespace carom::scenes
