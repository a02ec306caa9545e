// Frame: two tangents to every normal, without a singular direction.
//
// T. Duff et al., Building an Orthonormal Basis, Revisited, JCGT 6(1), 2017.
#pragma once

#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

/// Right-handed: t1 x t2 = n.
template <class B>
struct Frame {
  Vector3<B> t1, t2, n;

  Vector3<B> to_world(const Vector3<B>& v) const { return mul_add(v.x, t1, mul_add(v.y, t2, v.z * n)); }
  Vector3<B> from_world(const Vector3<B>& v) const { return {dot(v, t1), dot(v, t2), dot(v, n)}; }
};

template <class B>
inline Frame<B> make_frame(const Vector3<B>& n) {
  const B sign = choose(n.z < B(0), B(-1), B(1));
  const B a = B(-1) / (sign + n.z);
  const B b = n.x * n.y * a;
  return {{mul_add(sign * n.x * n.x, a, B(1)), sign * b, negated(sign * n.x)},
          {b, mul_add(n.y * n.y, a, sign), negated(n.y)},
          n};
}

}  // namespace
}  // namespace carom::kernel
