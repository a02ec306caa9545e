// The impulse of a friction cone by one root. If the slip y = S q + c opposes q on the cone |q| = L - k·q, then y = -λ
// q, so q = -(S + λ)⁻¹ c, and λ >= 0 is the root of a scalar equation. L is the radius of the cone where q is 0, and k
// its rate of change with q.
#pragma once

#include "contact/kernels/stages/contact_lanes.hpp"

namespace carom::kernel {
namespace {

/// Eigenvalues of S, the larger one first, and the axis (cosine, sine) of the larger one.
template <class B>
struct Eigenvalues2 {
  B large, small, cosine, sine;

  /// `determinant`: of S. It avoids cancellation in the smaller eigenvalue.
  static Eigenvalues2 of(B xx, B xy, B yy, B determinant) {
    using T = VectorElement<B>;
    const B zero(0), one(1), half(T(0.5)), difference = half * (xx - yy);
    const B radius = square_root(mul_add(difference, difference, xy * xy));
    const B large = mul_add(half, xx + yy, radius);
    const auto turned = radius > zero;
    const B inverse = one / choose(turned, radius, one);
    const B near = square_root(mul_add(half, magnitude(difference) * inverse, half)), far = half * xy * inverse / near;
    const auto first = difference >= zero;
    return {large, choose(large > zero, larger(determinant, zero) / choose(large > zero, large, one), zero),
            choose(turned, choose(first, near, far), one), choose(turned, choose(first, far, near), zero)};
  }
};

template <class B>
struct Plane {
  B x, y;
};
template <class B>
[[gnu::always_inline]] inline Plane<B> into_axes(B cosine, B sine, const Plane<B>& v) {
  return {mul_add(cosine, v.x, sine * v.y), mul_sub(cosine, v.y, sine * v.x)};
}
template <class B>
[[gnu::always_inline]] inline Plane<B> out_of_axes(B cosine, B sine, const Plane<B>& v) {
  return {mul_sub(cosine, v.x, sine * v.y), mul_add(sine, v.x, cosine * v.y)};
}

/// q along the axes of S, the inverses of S + λ, and the length of the cone there.
template <class B>
struct OnCone {
  Plane<B> q, inverse;
  B length;
};

template <class B>
class ConeRoot {
  using T = VectorElement<B>;

 public:
  /// Vectors are along the axes of S. c is 0 along an axis with eigenvalue 0.
  ConeRoot(B large, B small, const Plane<B>& c, const Plane<B>& k, B length)
      : large_(large), small_(small), c_(c), k_(k), length_(length) {}

  /// q without slip at the end, inside the cone or outside.
  [[gnu::always_inline]] OnCone<B> stick() const { return at(B(0)); }

  /// q on the cone, against the slip, in the lanes `where` the stick is outside it. A lane iterates until its own root
  /// is found, independent of its neighbours. `before`: the previous q, which is close if little changes.
  template <class Mask>
  OnCone<B> slip(Mask where, const Plane<B>& before) const {
    const B zero(0), one(1), half(T(0.5)), rounding(T(4) * epsilon<T>);
    // A length of 1 keeps squares within the range.
    const B scale = one / choose(where, length_, one);
    const ConeRoot unit(large_, small_, {scale * c_.x, scale * c_.y}, k_, one);
    const B size = square_root(mul_add(unit.c_.x, unit.c_.x, unit.c_.y * unit.c_.y));
    B low = zero, high = size * (one + square_root(mul_add(k_.x, k_.x, k_.y * k_.y)));
    B lambda = choose(where, larger(size - large_, zero), zero);
    const Plane<B> near = {scale * before.x, scale * before.y};
    const B near2 = mul_add(near.x, near.x, near.y * near.y);
    const B along = mul_add(near.x, mul_add(large_, near.x, unit.c_.x), near.y * mul_add(small_, near.y, unit.c_.y));
    const B guess = negated(along) / choose(near2 > zero, near2, one);
    lambda = choose(where && guess > zero && guess < high, guess, lambda);
    OnCone<B> found = unit.at(lambda);
    Mask active = where;
    for (int i = 0; i < max_steps && lane_bits(active) != 0; ++i) {
      const B x = found.q.x, y = found.q.y, q2 = mul_add(x, x, y * y);
      const B q = square_root(choose(active, q2, one)), off = found.length - q;
      // r = length / |q| - 1 rises with λ, and is nearly straight.
      const Mask below = off < zero;
      low = choose(below, lambda, low);
      high = choose(below, high, lambda);
      const B ax = x * found.inverse.x, ay = y * found.inverse.y;
      const B slope = mul_add(q2, mul_add(k_.x, ax, k_.y * ay), found.length * mul_add(x, ax, y * ay));
      const B newton = lambda - off * q2 / choose(slope > zero, slope, one);
      const Mask good = slope > zero && newton > low && newton < high;
      const B next = choose(good, newton, half * (low + high));
      const B change = magnitude(next - lambda);
      active = and_not(active, magnitude(off) <= rounding * q || change <= rounding * (small_ + lambda) || is_nan(off));
      lambda = choose(active, next, lambda);
      found = unit.at(lambda);
    }
    // The cone is exact.
    const B length = larger(found.length, zero) * length_, q2 = mul_add(found.q.x, found.q.x, found.q.y * found.q.y);
    const B share = length / square_root(choose(where && q2 > zero, q2, one));
    return {{share * found.q.x, share * found.q.y}, found.inverse, length};
  }

 private:
  /// Newton's method takes 3 to 8 steps. Steep cones need bisection.
  static constexpr int max_steps = 80;

  static B divisor(B eigenvalue, B lambda) { return larger(eigenvalue + lambda, B(min_normal<T>)); }

  [[gnu::always_inline]] OnCone<B> at(B lambda) const {
    const Plane<B> inverse = {B(1) / divisor(large_, lambda), B(1) / divisor(small_, lambda)};
    const Plane<B> q = {negated(c_.x) * inverse.x, negated(c_.y) * inverse.y};
    return {q, inverse, neg_mul_add(k_.x, q.x, neg_mul_add(k_.y, q.y, length_))};
  }

  B large_, small_;
  Plane<B> c_, k_;
  B length_;
};

}  // namespace
}  // namespace carom::kernel
