// Rotations as rotation vectors (axis times angle), without functions of the C library: their bits differ between
// systems.
#pragma once

#include <array>
#include <cmath>

#include "vector3.hpp"

namespace carom::scene {

using Rotation = Vector3<double>;

/// A unit quaternion.
struct Quaternion {
  double w;
  Rotation v;
};

inline Quaternion quaternion_of(const Rotation& r) {
  // Halves the angle until its series is short, and doubles the result as often.
  double t = dot(r, r), scale = 0.5;
  int halvings = 0;
  for (; t > 0.0625 && halvings < 32; ++halvings, scale *= 0.5) t *= 0.25;
  const double y = 0.25 * t;
  double w = 1 + y * (-0.5 + y * (1.0 / 24 + y * (-1.0 / 720 + y * (1.0 / 40320))));
  double f = scale * (1 + y * (-1.0 / 6 + y * (1.0 / 120 + y * (-1.0 / 5040 + y * (1.0 / 362880)))));
  for (int i = 0; i < halvings; ++i) {
    f *= 2 * w;
    w = 2 * w * w - 1;
  }
  const double unit = 1 / std::sqrt(w * w + f * f * dot(r, r));
  w *= unit;
  f *= unit;
  return {w, {f * r[0], f * r[1], f * r[2]}};
}

/// The rotation vector of q with the angle closest to the angle of `near`.
inline Rotation rotation_of(const Quaternion& q, const Rotation& near) {
  constexpr double two_pi = 6.283185307179586476925;
  const double sign = q.w < 0 ? -1 : 1, size = std::sqrt(dot(q.v, q.v));
  if (!(size > 1e-9)) return near;
  // tan of a sixteenth of the angle.
  double c = sign * q.w, s = size;
  for (int i = 0; i < 3; ++i) {
    c = std::sqrt(0.5 + 0.5 * c);
    s /= 2 * c;
  }
  const double x = s / c, x2 = x * x;
  double series = 0;
  for (int k = 23; k > 0; k -= 2) series = 1.0 / k - x2 * series;
  const Rotation axis = {sign / size * q.v[0], sign / size * q.v[1], sign / size * q.v[2]};
  double angle = 16 * x * series;
  angle += two_pi * std::nearbyint((dot(axis, near) - angle) / two_pi);
  return {angle * axis[0], angle * axis[1], angle * axis[2]};
}

/// [rad] Two rotations whose order matters by less than this are added.
inline constexpr double small_order = 1e-4;

/// The rotation by `first` and then by `second`. Vectors of which double does not resolve the angle are added.
inline Rotation combined(const Rotation& first, const Rotation& second) {
  constexpr double farthest = 1e9;  // [rad]
  if (!(dot(first, first) + dot(second, second) < farthest * farthest)) return first + second;
  const Rotation turn = cross(second, first);
  const Rotation sum = {first[0] + second[0] + 0.5 * turn[0], first[1] + second[1] + 0.5 * turn[1],
                        first[2] + second[2] + 0.5 * turn[2]};
  if (dot(turn, turn) <= small_order * small_order) return sum;
  const Quaternion a = quaternion_of(first), b = quaternion_of(second);
  const Rotation across = cross(b.v, a.v);
  return rotation_of({a.w * b.w - dot(a.v, b.v),
                      {b.w * a.v[0] + a.w * b.v[0] + across[0], b.w * a.v[1] + a.w * b.v[1] + across[1],
                       b.w * a.v[2] + a.w * b.v[2] + across[2]}},
                     sum);
}

/// R m Rᵀ, with R the rotation; m is xx, xy, xz, yy, yz, zz.
inline std::array<double, 6> turned(const std::array<double, 6>& m, const Quaternion& q) {
  const auto [x, y, z] = q.v;
  const double w = q.w;
  const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  const double full[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
  double half[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) half[i][j] = r[i][0] * full[0][j] + r[i][1] * full[1][j] + r[i][2] * full[2][j];
  const auto at = [&](int i, int j) { return half[i][0] * r[j][0] + half[i][1] * r[j][1] + half[i][2] * r[j][2]; };
  return {at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)};
}

}  // namespace carom::scene
