// A vector of contacts of a tile of gradients: where they are read and where their derivatives go.
#pragma once

#include "core/jobs/gradient_job.hpp"
#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

/// Compilers negate fused operations in more than one way, and many derivatives are 0.
template <class B>
[[gnu::always_inline]] inline B without_sign_of_zero(B x) {
  return x + B(0);
}

template <class A, class T>
struct GradientLanes {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Tile = GradientTile<T>;

  const Tile& tile;
  std::size_t i;
  Mask chosen;

  GradientLanes(const Tile& tile_of_them, std::size_t first)
      : tile(tile_of_them),
        i(first),
        chosen(tile.chosen == nullptr ? Mask(true) : load_lanes<B>(tile.chosen + first) > B(0)) {}

  B in(std::size_t variable) const { return load_lanes<B>(tile.in[variable] + i); }
  B own(columns::Parameter parameter) const { return in(Tile::own + static_cast<std::size_t>(parameter)); }
  Symmetric3<B> k() const {
    return {in(Tile::k_xx), in(Tile::k_xy), in(Tile::k_xz), in(Tile::k_yy), in(Tile::k_yz), in(Tile::k_zz)};
  }
  Vector3<B> u0() const { return {in(Tile::u0_x), in(Tile::u0_y), in(Tile::u0_z)}; }

  [[gnu::always_inline]] void put(T* column, B value) const {
    if (column == nullptr) return;
    value = without_sign_of_zero(value);
    store_lanes(column + i, tile.chosen == nullptr ? value : choose(chosen, value, load_lanes<B>(column + i)));
  }
  [[gnu::always_inline]] void put(std::size_t variable, const Vector3<B>& of_p) const {
    put(tile.out[0][variable], of_p.x);
    put(tile.out[1][variable], of_p.y);
    put(tile.out[2][variable], of_p.z);
  }
};

template <class T, class B>
inline B status_number(GradientStatus status) {
  return B(static_cast<T>(status));
}

/// Contacts that separate have zeros; the others have a status that says how near a border is.
template <class T, class B, class M>
inline B at_least(B status, M condition, GradientStatus worse) {
  return choose(condition, larger(status, status_number<T, B>(worse)), status);
}

}  // namespace
}  // namespace carom::kernel
