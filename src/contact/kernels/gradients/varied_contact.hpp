// A contact in numbers that carry their derivatives: K divided by its trace, u0 by |u0|, impulses in these units.
#pragma once

#include "gradient_lanes.hpp"
#include "varied.hpp"

namespace carom::kernel {
namespace {

/// Numbers of contacts in the order of GradientTile::Variable, and which of these the derivatives of Varied are by.
template <class B>
struct Directions {
  static constexpr std::size_t at_once = Varied<B>::size;

  const B* values;
  const std::size_t* variables;  // at_once of them

  Varied<B> number(std::size_t v) const {
    Varied<B> x(values[v]);
    for (std::size_t d = 0; d < at_once; ++d)
      if (variables[d] == v) x.d[d] = B(1);
    return x;
  }
  Varied<B> own(columns::Parameter parameter) const {
    return number(columns::derivatives_by_own + static_cast<std::size_t>(parameter));
  }
};

template <class B>
struct VariedContact {
  using N = Varied<B>;
  using V = Vector3<N>;

  N xx, xy, xz, yy, yz, zz;
  V u0;
  N friction, restitution;

  template <class Tile>
  static VariedContact of(const Directions<B>& by) {
    return {by.number(Tile::k_xx),
            by.number(Tile::k_xy),
            by.number(Tile::k_xz),
            by.number(Tile::k_yy),
            by.number(Tile::k_yz),
            by.number(Tile::k_zz),
            {by.number(Tile::u0_x), by.number(Tile::u0_y), by.number(Tile::u0_z)},
            by.number(Tile::friction),
            by.number(Tile::restitution)};
  }

  V times(const V& p) const {
    return {xx * p.x + xy * p.y + xz * p.z, xy * p.x + yy * p.y + yz * p.z, xz * p.x + yz * p.y + zz * p.z};
  }
};

}  // namespace
}  // namespace carom::kernel
