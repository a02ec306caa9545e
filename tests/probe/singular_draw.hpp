// Draws bodies that can only turn, and lever arms that make K singular or nearly singular.
#pragma once

#include <array>
#include <cmath>

#include "random/draw.hpp"

namespace carom::probe {

/// `digits`: decimal digits of the precision.
class SingularDraw {
 public:
  SingularDraw(support::Draw& draw, double digits) : draw_(draw), digits_(digits) {}

  /// 0, or far below `scale`.
  double inverse_mass(double scale) { return draw_.below(4) > 0 ? 0 : scale * small(1.5 * digits_); }

  /// xx, xy, xz, yy, yz, zz of rank 1, 2 or 3. The numbers have few bits, so the rank is exact.
  std::array<double, 6> inverse_inertia(double scale) {
    const double unit = std::exp2(std::round(std::log2(scale)));
    if (draw_.below(3) == 0) return {unit, 0, 0, unit, 0, unit};
    std::array<double, 6> j{};
    for (std::size_t axes = 1 + draw_.below(3); axes > 0; --axes) {
      std::array<double, 3> d{};
      for (double& x : d) x = static_cast<double>(draw_.below(5)) - 2;
      if (d == std::array<double, 3>{}) d[draw_.below(3)] = 1;
      const double size = unit * std::exp2(static_cast<double>(draw_.below(5)) - 2);
      const std::array<double, 6> more{d[0] * d[0], d[0] * d[1], d[0] * d[2], d[1] * d[1], d[1] * d[2], d[2] * d[2]};
      for (std::size_t c = 0; c < 6; ++c) j[c] += size * more[c];
    }
    return j;
  }

  /// Lever arm parallel to `other`, at an angle from 1 down to below rounding, or arbitrary.
  support::Vector lever(const support::Vector& other) {
    const double size = -std::exp2(static_cast<double>(draw_.below(5)) - 2);
    support::Vector r{size * other[0], size * other[1], size * other[2]};
    const support::Vector d = draw_.direction();
    const double angle = draw_.below(3) == 0 ? 0 : small(1.3 * digits_);
    for (std::size_t c = 0; c < 3; ++c) r[c] += angle * support::length(r) * d[c];
    return r;
  }

 private:
  double small(double decades) { return std::pow(10.0, -draw_.uniform(0, decades)); }

  support::Draw& draw_;
  double digits_;
};

}  // namespace carom::probe
