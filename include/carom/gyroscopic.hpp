// The gyroscopic torque of a body that turns freely.
#pragma once

#include <array>
#include <cmath>

namespace carom {

/// Returns the angular velocity after `time_step` [s] of a body that turns freely, by the implicit midpoint rule in the
/// body's frame:
///
///   I (ω′ - ω) + h m × I m = 0,   m = (ω + ω′) / 2
///
/// Energy ω·I ω and |I ω| stay the same at any time step, to rounding. Without this torque a body of unequal moments of
/// inertia turns about an axis that is fixed in the world; an explicit torque makes it gain energy.
///
/// `inertia` [kg m²] is xx, xy, xz, yy, yz, zz in the frame of `angular_velocity` [rad/s], at the start of the step. If
/// both are in the world frame, rotate the body by h ω′, with ω′ the result. Call it before SceneSolver::solve for
/// every body with finite inertia, and use the result as SceneBodies::angular_velocity. angular_velocity_change does
/// not include this change. A body without inertia, or with an inertia that is not definite, keeps its angular
/// velocity.
template <class T>
std::array<T, 3> gyroscopic_velocity(const std::array<T, 3>& angular_velocity, const std::array<T, 6>& inertia,
                                     T time_step) {
  using Vector = std::array<double, 3>;
  const double xx = static_cast<double>(inertia[0]), xy = static_cast<double>(inertia[1]),
               xz = static_cast<double>(inertia[2]), yy = static_cast<double>(inertia[3]),
               yz = static_cast<double>(inertia[4]), zz = static_cast<double>(inertia[5]);
  const auto dot = [](const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  const auto cross = [](const Vector& a, const Vector& b) -> Vector {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto times = [&](const Vector& v) -> Vector {
    return {xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2], xz * v[0] + yz * v[1] + zz * v[2]};
  };
  Vector w = {static_cast<double>(angular_velocity[0]), static_cast<double>(angular_velocity[1]),
              static_cast<double>(angular_velocity[2])};
  // Newton's method settles from ω in steps of up to half a radian.
  constexpr double max_turn = 0.5;
  constexpr int max_pieces = 1024, newton_iterations = 4;
  const double turn = std::sqrt(dot(w, w)) * std::abs(static_cast<double>(time_step));
  if (!(turn > 0) || !std::isfinite(turn)) return angular_velocity;
  const int pieces = turn < max_turn * max_pieces ? static_cast<int>(turn / max_turn) + 1 : max_pieces;
  const double h = static_cast<double>(time_step) / pieces;
  for (int piece = 0; piece < pieces; ++piece) {
    const Vector before = w, of_before = times(before);
    for (int i = 0; i < newton_iterations; ++i) {
      const Vector m = {0.5 * (w[0] + before[0]), 0.5 * (w[1] + before[1]), 0.5 * (w[2] + before[2])};
      const Vector l = times(m), of_w = times(w), torque = cross(m, l);
      const Vector f = {of_w[0] - of_before[0] + h * torque[0], of_w[1] - of_before[1] + h * torque[1],
                        of_w[2] - of_before[2] + h * torque[2]};
      // Columns of the derivative I + h/2 ([m] I - [I m]).
      std::array<Vector, 3> column;
      for (std::size_t c = 0; c < 3; ++c) {
        Vector e{};
        e[c] = 1;
        const Vector of_e = times(e), a = cross(e, l), b = cross(m, of_e);
        for (std::size_t r = 0; r < 3; ++r) column[c][r] = of_e[r] + 0.5 * h * (a[r] + b[r]);
      }
      const double determinant = dot(column[0], cross(column[1], column[2]));
      const Vector step = {dot(f, cross(column[1], column[2])) / determinant,
                           dot(column[0], cross(f, column[2])) / determinant,
                           dot(column[0], cross(column[1], f)) / determinant};
      if (!std::isfinite(step[0] + step[1] + step[2])) return angular_velocity;
      for (std::size_t c = 0; c < 3; ++c) w[c] -= step[c];
    }
  }
  return {static_cast<T>(w[0]), static_cast<T>(w[1]), static_cast<T>(w[2])};
}

}  // namespace carom
