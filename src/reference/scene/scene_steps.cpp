#include "scene_steps.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {

Vector3 step_on_cone(const ContactStep& step, double relaxation) {
  const auto& [k, v, p, friction, static_friction] = step;
  const double k33 = k[2][2];
  const double kappa_x = k[0][2] / k33, kappa_y = k[1][2] / k33;
  // S, the tangential block that is left when the normal impulse keeps u·n.
  const double sxx = k[0][0] - k[0][2] * kappa_x;
  const double sxy = k[0][1] - k[0][2] * kappa_y;
  const double syy = k[1][1] - k[1][2] * kappa_y;
  const double ax = v[0] - kappa_x * v[2], ay = v[1] - kappa_y * v[2];

  // Open: it separates without its own impulse.
  const double needed = p[2] + kappa_x * p[0] + kappa_y * p[1] - v[2] / k33;
  if (!(needed > 0)) return {};

  // Stick.
  const double determinant = sxx * syy - sxy * sxy;
  const double tx = -(syy * ax - sxy * ay) / determinant;
  const double ty = -(sxx * ay - sxy * ax) / determinant;
  const double n = -(v[2] / k33 + kappa_x * tx + kappa_y * ty);
  const Vector3 d{p[0] + relaxation * tx, p[1] + relaxation * ty, p[2] + relaxation * n};
  const double bound = static_friction * d[2];
  if (d[2] >= 0 && d[0] * d[0] + d[1] * d[1] <= bound * bound) return d;

  // Slip. A step of 1 / (largest eigenvalue of S) against a gives the direction, or the impulse that sticks if the step
  // ends inside the cone.
  const double half_trace = 0.5 * (sxx + syy);
  const double largest = half_trace + std::hypot(0.5 * (sxx - syy), sxy);
  double ex = p[0] - ax / largest, ey = p[1] - ay / largest;
  if (std::hypot(ex, ey) < friction * (p[2] > 0 ? p[2] : needed)) {
    ex = d[0];
    ey = d[1];
  }
  const double length = std::hypot(ex, ey);
  const double direction_x = length > 0 ? ex / length : 0, direction_y = length > 0 ? ey / length : 0;
  const double slope = 1 + friction * (kappa_x * direction_x + kappa_y * direction_y);
  const double kept_slope = std::max(std::abs(slope), 0.25);
  const double full = (needed + p[2] * (kept_slope - slope)) / kept_slope;
  const double normal = std::max(0.0, p[2] + relaxation * (full - p[2]));
  return {friction * normal * direction_x, friction * normal * direction_y, normal};
}

Vector3 step_normal_first(const ContactStep& step) {
  const auto& [k, v, p, friction, static_friction] = step;
  const double normal = std::max(0.0, p[2] - v[2] / k[2][2]);
  const double change = normal - p[2];
  const double slip_x = v[0] + k[0][2] * change, slip_y = v[1] + k[1][2] * change;
  const double slip = std::hypot(slip_x, slip_y);
  double x = p[0], y = p[1];
  if (slip > 0) {
    const double tx = slip_x / slip, ty = slip_y / slip;
    const double along = tx * (k[0][0] * tx + k[0][1] * ty) + ty * (k[1][0] * tx + k[1][1] * ty);
    x -= slip_x / along;
    y -= slip_y / along;
  }
  const double length = std::hypot(x, y);
  if (length <= static_friction * normal) return {x, y, normal};
  const double scale = friction * normal / length;
  return {scale * x, scale * y, normal};
}

}  // namespace carom::reference
