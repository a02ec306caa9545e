// Law::polar. The permissible region in spherical coordinates about P_0 = 1.5 P_I.
//
//   d   (sinφ (cosψ axis 1 + sinψ axis 2), cosφ), axis 1 = -u0_t / |u0_t|, axis 2 = n x axis 1
//
//   p = P_0 + ρ τ d, with the way τ to the boundary and the fraction ρ of it
//
// A. Chatterjee, A. Ruina, 1998, section 4.1, 1.
#pragma once

#include "ray.hpp"
#include "simd/kernels/numerics/rotation.hpp"

namespace carom::kernel {
namespace {

struct PolarLaw {
  static constexpr Law law = Law::polar;
  static constexpr bool iterates = false;

  template <class A, class T>
  static LawResult<A, T> apply(typename LaneTypes<A, T>::Mask, const LawInput<A, T>& in) {
    using B = typename LaneTypes<A, T>::Batch;
    const SlipAxis<B> axis = slip_axis(in.u0);
    const Rotation<B> tilt = rotation<A, T>(in.parameters.polar_angle), turn = rotation<A, T>(in.parameters.azimuth);
    const Vector3<B> d = {tilt.sine * mul_sub(turn.cosine, axis.x, turn.sine * axis.y),
                          tilt.sine * mul_add(turn.cosine, axis.y, turn.sine * axis.x), tilt.cosine};
    return on_the_way<A, T>(in, d, in.parameters.fraction * way_to_boundary<A, T>(in, d));
  }
};

}  // namespace
}  // namespace carom::kernel
