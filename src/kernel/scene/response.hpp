// Response: what an impulse at a contact does to its velocities, in the form that the local steps take.
#pragma once

#include "block.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct Responses {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Response = typename Block::Response;

  /// K += [r]ᵀ J [r], with [r] p = r × p.
  static void add_inertia(Symmetric3<B>& k, const Symmetric3<B>& j, const Vector3<B>& r) {
    // J times r × e_i, which have one component of zero each.
    const Vector3<B> j1 = {mul_sub(j.xy, r.z, j.xz * r.y), mul_sub(j.yy, r.z, j.yz * r.y),
                           mul_sub(j.yz, r.z, j.zz * r.y)};
    const Vector3<B> j2 = {mul_sub(j.xz, r.x, j.xx * r.z), mul_sub(j.yz, r.x, j.xy * r.z),
                           mul_sub(j.zz, r.x, j.xz * r.z)};
    const Vector3<B> j3 = {mul_sub(j.xx, r.y, j.xy * r.x), mul_sub(j.xy, r.y, j.yy * r.x),
                           mul_sub(j.xz, r.y, j.yz * r.x)};
    k.xx = k.xx + mul_sub(r.z, j1.y, r.y * j1.z);
    k.xy = k.xy + mul_sub(r.z, j2.y, r.y * j2.z);
    k.xz = k.xz + mul_sub(r.z, j3.y, r.y * j3.z);
    k.yy = k.yy + mul_sub(r.x, j2.z, r.z * j2.x);
    k.yz = k.yz + mul_sub(r.x, j3.z, r.z * j3.x);
    k.zz = k.zz + mul_sub(r.y, j3.x, r.x * j3.y);
  }

  /// All three components at once.
  static void respond_at_once(Response& response, const Symmetric3<B>& k, Mask used) {
    const B zero(0), one(1), half(T(0.5));
    const B inverse = one / k.zz, k1 = k.xz * inverse, k2 = k.yz * inverse;
    const B s11 = neg_mul_add(k1, k.xz, k.xx), s12 = neg_mul_add(k1, k.yz, k.xy), s22 = neg_mul_add(k2, k.yz, k.yy);
    const B inverse_det = one / difference_of_products(s11, s22, s12, s12);
    const B difference = half * (s11 - s22);
    const B largest = mul_add(half, s11 + s22, square_root(mul_add(difference, difference, s12 * s12)));
    const auto keep = [&](auto& to, B x) { Block::store(to, choose(used, x, zero)); };
    keep(response.inverse_k33, inverse);
    keep(response.k1, k1);
    keep(response.k2, k2);
    keep(response.s11, s22 * inverse_det);
    keep(response.s12, negated(s12) * inverse_det);
    keep(response.s22, s11 * inverse_det);
    keep(response.reach, one / largest);
  }

  /// The normal component first.
  static void respond_in_turn(Response& response, const Symmetric3<B>& k, Mask used, B reach) {
    const B zero(0);
    const auto keep = [&](auto& to, B x) { Block::store(to, choose(used, x, zero)); };
    keep(response.inverse_k33, B(1) / k.zz);
    keep(response.k1, k.xz);
    keep(response.k2, k.yz);
    keep(response.s11, k.xx);
    keep(response.s12, k.xy);
    keep(response.s22, k.yy);
    Block::store(response.reach, reach);
  }

  static void respond_not(Response& r, std::size_t lane) {
    r.inverse_k33[lane] = r.k1[lane] = r.k2[lane] = r.s11[lane] = r.s12[lane] = r.s22[lane] = T(0);
  }
};

}  // namespace
}  // namespace carom::kernel
