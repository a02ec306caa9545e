// Vectors and matrices of a direct island, in double.
#pragma once

#include <array>
#include <cstddef>

#include "core/support/vector3.hpp"
#include "linear/block_factor.hpp"

namespace carom::scene::direct {

using Vector3 = carom::Vector3<double>;
using Matrix3 = carom::Matrix3<double>;

inline Vector3 linear(const BodyRow& row) {
  return {row.at[0], row.at[1], row.at[2]};
}
inline Vector3 angular(const BodyRow& row) {
  return {row.at[3], row.at[4], row.at[5]};
}

/// Axes about which a body cannot turn: bits 0 to 2 for x, y and z of the world.
using Axes = unsigned;

/// The axes of an inverse inertia that have no part in it.
inline Axes locked_axes(const std::array<double, 6>& j) {
  return (j[0] == 0 && j[1] == 0 && j[2] == 0 ? 1u : 0u) | (j[3] == 0 && j[1] == 0 && j[4] == 0 ? 2u : 0u) |
         (j[5] == 0 && j[2] == 0 && j[4] == 0 ? 4u : 0u);
}

/// The inverse of a symmetric positive definite matrix without the locked axes. Returns false if it is not definite by
/// more than rounding.
inline bool invert(std::array<double, 6> a, Axes locked, std::array<double, 6>& inverse) {
  constexpr std::size_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const auto set = [&](std::array<double, 6>& m, double diagonal) {
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3 && (locked >> k & 1u) != 0; ++i) m[at[k][i]] = i == k ? diagonal : 0;
  };
  inverse = {};
  if (locked == 7) return true;
  if (locked != 0) {
    set(a, 0);
    set(a, a[0] + a[3] + a[5]);
  }
  const auto [xx, xy, xz, yy, yz, zz] = a;
  const double c0 = yy * zz - yz * yz, c1 = xz * yz - xy * zz, c2 = xy * yz - xz * yy;
  const double determinant = xx * c0 + xy * c1 + xz * c2, trace = xx + yy + zz;
  if (!(determinant > 1e-12 * trace * trace * trace) || !(determinant < 1e300)) return false;
  const double s = 1 / determinant;
  inverse = {s * c0, s * c1, s * c2, s * (xx * zz - xz * xz), s * (xy * xz - xx * yz), s * (xx * yy - xy * xy)};
  if (locked != 0) set(inverse, 0);
  return true;
}

}  // namespace carom::scene::direct
