// Law::projected. The caller's impulse; an impulse outside the permissible region is moved to the boundary towards P_0
// = 1.5 P_I.
//
// A. Chatterjee, A. Ruina, 1998, section 4.1, 2.
#pragma once

#include "ray.hpp"

namespace carom::kernel {
namespace {

struct Projected {
  static constexpr Law law = Law::projected;
  static constexpr bool iterates = false;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    const Vector3<B>& candidate = in.parameters.candidate;
    Vector3<B> d = candidate - inner_point<A, T>(in);
    const B size = larger(larger(magnitude(d.x), magnitude(d.y)), magnitude(d.z));
    const B divisor = choose(size > B(0), size, B(1));
    d = {d.x / divisor, d.y / divisor, d.z / divisor};
    const B way = way_to_boundary<A, T>(in, d);
    LawResult<A, T> result = on_the_way<A, T>(in, d, smaller(way, size));
    const auto inside = way >= size;
    const Vector3<B> u = in.u0 + k_times(in, candidate);
    result.p = {choose(inside, candidate.x, result.p.x), choose(inside, candidate.y, result.p.y),
                choose(inside, candidate.z, result.p.z)};
    result.u = {choose(inside, u.x, result.u.x), choose(inside, u.y, result.u.y),
                choose(inside, larger(u.z, B(0)), result.u.z)};
    return result;
  }
};

}  // namespace
}  // namespace carom::kernel
