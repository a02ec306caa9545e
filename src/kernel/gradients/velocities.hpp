// δu = δu0 + δK p + K δp, and products of cotangents with both Jacobians.
#pragma once

#include "gradient_lanes.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
inline void differentiate_velocities(const VelocityTile<T>& tile) {
  using B = typename LaneTypes<A, T>::Batch;
  using V = Vector3<B>;
  using Tile = GradientTile<T>;
  const B zero(0), one(1);
  for (std::size_t i = 0; i < tile.count; i += LaneTypes<A, T>::width) {
    const auto load = [&](const T* column) { return column == nullptr ? zero : load_lanes<B>(column + i); };
    const auto in = [&](std::size_t variable) { return load(tile.in[variable]); };
    const Symmetric3<B> k = {in(Tile::k_xx), in(Tile::k_xy), in(Tile::k_xz),
                             in(Tile::k_yy), in(Tile::k_yz), in(Tile::k_zz)};
    const V p = {load(tile.p[0]), load(tile.p[1]), load(tile.p[2])};
    const V of_p = {load(tile.cotangent[0]), load(tile.cotangent[1]), load(tile.cotangent[2])};
    const V of_u = {load(tile.cotangent[3]), load(tile.cotangent[4]), load(tile.cotangent[5])};
    for (std::size_t v = 0; v < VelocityTile<T>::variables; ++v) {
      if (tile.product[v] == nullptr && tile.of_u[0][v] == nullptr && tile.of_u[1][v] == nullptr &&
          tile.of_u[2][v] == nullptr)
        continue;
      const V dp = {load(tile.of_p[0][v]), load(tile.of_p[1][v]), load(tile.of_p[2][v])};
      V du = k * dp;
      switch (v) {
        case Tile::k_xx:
          du.x = du.x + p.x;
          break;
        case Tile::k_xy:
          du.x = du.x + p.y, du.y = du.y + p.x;
          break;
        case Tile::k_xz:
          du.x = du.x + p.z, du.z = du.z + p.x;
          break;
        case Tile::k_yy:
          du.y = du.y + p.y;
          break;
        case Tile::k_yz:
          du.y = du.y + p.z, du.z = du.z + p.y;
          break;
        case Tile::k_zz:
          du.z = du.z + p.z;
          break;
        case Tile::u0_x:
          du.x = du.x + one;
          break;
        case Tile::u0_y:
          du.y = du.y + one;
          break;
        case Tile::u0_z:
          du.z = du.z + one;
          break;
        default:
          break;
      }
      const auto store = [&](T* column, B x) {
        if (column != nullptr) store_lanes(column + i, without_sign_of_zero(x));
      };
      store(tile.of_u[0][v], du.x);
      store(tile.of_u[1][v], du.y);
      store(tile.of_u[2][v], du.z);
      if (tile.product[v] != nullptr) store(tile.product[v], dot(of_p, dp) + dot(of_u, du));
    }
  }
}

}  // namespace
}  // namespace carom::kernel
