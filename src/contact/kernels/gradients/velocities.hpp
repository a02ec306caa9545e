// δu = δu0 + δK p + K δp, and products of cotangents with both Jacobians.
#pragma once

#include "gradient_lanes.hpp"

namespace carom::kernel {
namespace {

/// The places of K's entries in the order of GradientTile::Variable.
struct EntryOfK {
  std::uint8_t row, column;
};
constexpr EntryOfK entries_of_k[] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

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
    const B p[] = {load(tile.p[0]), load(tile.p[1]), load(tile.p[2])};
    const V of_p = {load(tile.cotangent[0]), load(tile.cotangent[1]), load(tile.cotangent[2])};
    const V of_u = {load(tile.cotangent[3]), load(tile.cotangent[4]), load(tile.cotangent[5])};
    for (std::size_t v = 0; v < VelocityTile<T>::variables; ++v) {
      if (tile.product[v] == nullptr && tile.of_u[0][v] == nullptr && tile.of_u[1][v] == nullptr &&
          tile.of_u[2][v] == nullptr)
        continue;
      const V dp = {load(tile.of_p[0][v]), load(tile.of_p[1][v]), load(tile.of_p[2][v])};
      const V from_p = k * dp;
      B du[] = {from_p.x, from_p.y, from_p.z};
      if (v >= Tile::k_xx && v <= Tile::k_zz) {
        const auto [row, column] = entries_of_k[v - Tile::k_xx];
        du[row] = du[row] + p[column];
        if (row != column) du[column] = du[column] + p[row];
      } else if (v >= Tile::u0_x && v <= Tile::u0_z) {
        du[v - Tile::u0_x] = du[v - Tile::u0_x] + one;
      }
      const auto store = [&](T* column, B x) {
        if (column != nullptr) store_lanes(column + i, without_sign_of_zero(x));
      };
      for (int r = 0; r < 3; ++r) store(tile.of_u[r][v], du[r]);
      if (tile.product[v] != nullptr) store(tile.product[v], dot(of_p, dp) + dot(of_u, V{du[0], du[1], du[2]}));
    }
  }
}

}  // namespace
}  // namespace carom::kernel
