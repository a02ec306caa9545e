// The direction of the slip: how it turns, when it has settled, and the ray
// that it settles on.
#pragma once

#include "slide.hpp"
#include "turning_points.hpp"

namespace carom::kernel {
namespace {

/// How the direction of the slip turns: with û = u_t / r, θ' = f, (ln r)' = rate and df/dθ = slope.
template <class B>
struct Turning {
  B f, rate, slope;
};

template <class B>
inline Turning<B> turning(const Rates<B>& k, B x, B y) {
  const B dx = neg_mul_add(k.a1, x, k.b1), dy = neg_mul_add(k.a2, y, k.b2);
  const B rate = mul_add(x, dx, y * dy);
  return {mul_sub(x, dy, y * dx), rate, negated(rate + mul_add(k.a1, y * y, k.a2 * x * x))};
}

template <class M>
struct Settled {
  M near_ray;  // moving the rest of the way along the ray itself ends at the same place
  M frozen;    // and moving along the present direction
};

/// The resulting difference is r |f / slope| at most, or r |f| for the remaining time 1 / |rate|: two solutions never
/// move apart in the norm of M⁻¹. Both are compared with |u0|.
template <class T, class M, class B>
inline Settled<M> settled(const Turning<B>& turning, B r) {
  const B tolerance(SeriesOrder<T>::tolerance);
  const B f = magnitude(turning.f), slope = magnitude(turning.slope);
  const M still = f <= B(epsilon<T>);
  // If the direction hardly turns, f may be a rounding error, although the distance to the ray is larger than rounding.
  const M steep = slope > B(T(1) / T(8));
  return {f <= B(T(0.1)) * slope && ((still && steep) || and_not(r * f <= tolerance * slope, still)),
          still || (turning.rate < B(0) && r * f <= tolerance * magnitude(turning.rate))};
}

/// Onto the ray itself, to rounding. Newton's method on the angle.
template <class T, class B, class M>
inline void turn_onto_ray(M wanted, const Rates<B>& k, B& x, B& y, Turning<B>& t) {
  for (int rest = inner_iterations(sizeof(T) == sizeof(float) ? 4 : 5); rest > 0; --rest) {
    const B turn = negated(t.f) / choose(wanted, t.slope, B(1));
    const B angle = choose(wanted && magnitude(turn) < B(T(0.5)), turn, B(0));
    const B nx = neg_mul_add(angle, y, x), ny = mul_add(angle, x, y);
    const B inverse = B(1) / square_root(mul_add(nx, nx, ny * ny));
    x = choose(wanted, nx * inverse, x);
    y = choose(wanted, ny * inverse, y);
    t = turning(k, x, y);
  }
}

}  // namespace
}  // namespace carom::kernel
