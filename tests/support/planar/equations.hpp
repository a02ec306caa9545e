// Planar collisions with parameters for every law, and the terms of the laws' equations, computed only from the
// impulse.
#pragma once

#include <carom/reference_planar.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/columns/columns.hpp"
#include "support/planar/random_contacts.hpp"

namespace carom::reference::planar {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr std::size_t count = 100000;
/// Error of an equation relative to its largest term: some twenty rounding errors, amplified up to 1000 times by
/// 1/(K_xx (K⁻¹)_xx).
inline constexpr double tolerance = 1e-12;

inline double distance(const Vector2& a, const Vector2& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1]);
}

struct Case {
  Collision c;
  Parameters p;
};

inline std::vector<Case> draw(std::size_t n, std::uint64_t seed) {
  support::RandomPlanarSpace<double> drawn(n, seed);
  support::add_limits(drawn.laws, &drawn.u0_x);
  std::vector<Case> cases(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& [c, p] = cases[i];
    const auto& laws = drawn.laws;
    c = {drawn.k_xx[i],    drawn.k_xy[i],      drawn.k_yy[i], {drawn.u0_x[i], drawn.u0_y[i]},
         laws.friction[i], laws.restitution[i]};
    p.tangential_restitution = laws.tangential_restitution[i];
    p.impulse_ratio = laws.impulse_ratio[i];
    p.polar_angle = laws.polar_angle[i];
    p.fraction = laws.fraction[i];
    p.candidate = {laws.candidate_x[i], laws.candidate_y[i]};
    auto next = laws.weights.begin();
    columns::each_weight([&](const auto&, Law, double& weight) { weight = (*next++)[i]; }, p.weight);
  }
  return cases;
}

/// The terms of a law's equations, with scales that their residuals are relative to.
struct Equations {
  Equations(const Collision& collision, const Outcome& o) : Equations(collision, o.p) {}
  Equations(const Collision& collision, const Vector2& impulse) : c(collision), p(impulse) {
    u = {c.u0[0] + c.k_xx * p[0] + c.k_xy * p[1], c.u0[1] + c.k_xy * p[0] + c.k_yy * p[1]};
    impulse_scale = std::hypot(p[0], p[1]) + std::hypot(c.u0[0], c.u0[1]) / c.k_yy;
    velocity_scale = std::hypot(c.u0[0], c.u0[1]) + (c.k_xx + c.k_yy) * std::hypot(p[0], p[1]);
    energy_scale = impulse_scale * velocity_scale;
    frictionless = -c.u0[1] / c.k_yy;
  }

  /// |p_t| - μ p_n, over max(1, μ).
  double beyond_cone() const {
    return c.friction > 1 ? std::abs(p[0]) / c.friction - p[1] : std::abs(p[0]) - c.friction * p[1];
  }
  /// How far it is from friction that opposes the slip v: sticking, or the full cone against it.
  double friction_against(double v, double min_slip) const {
    if (beyond_cone() > tolerance * impulse_scale) return beyond_cone();
    if (std::abs(v) <= min_slip) return 0;
    const double against = v > 0 ? -p[0] : p[0];
    return c.friction > 1 ? std::abs(p[1] - against / c.friction) : std::abs(c.friction * p[1] - against);
  }

  Collision c;
  Vector2 p, u{};
  double impulse_scale = 0, velocity_scale = 0, energy_scale = 0, frictionless = 0;
};

}  // namespace carom::reference::planar
