// Response: the effect of an impulse at a contact on its velocities, in the form that the local steps use.
#pragma once

#include "block.hpp"

namespace carom::kernel {
namespace {

/// J (r × e_i) for the axes e_i of a frame: the angular velocity of a body per unit impulse at r.
template <class B>
struct UnitSpins {
  Vector3<B> x, y, z;

  UnitSpins() = default;
  // Each r × e_i has one component of zero.
  [[gnu::always_inline]] UnitSpins(const Symmetric3<B>& j, const Vector3<B>& r)
      : x{mul_sub(j.xy, r.z, j.xz * r.y), mul_sub(j.yy, r.z, j.yz * r.y), mul_sub(j.yz, r.z, j.zz * r.y)},
        y{mul_sub(j.xz, r.x, j.xx * r.z), mul_sub(j.yz, r.x, j.xy * r.z), mul_sub(j.zz, r.x, j.xz * r.z)},
        z{mul_sub(j.xx, r.y, j.xy * r.x), mul_sub(j.xy, r.y, j.yy * r.x), mul_sub(j.xz, r.y, j.yz * r.x)} {}
};

/// K += [r]ᵀ J [r], with [r] p = r × p.
template <class B>
[[gnu::always_inline]] inline void add_inertia(Symmetric3<B>& k, const UnitSpins<B>& s, const Vector3<B>& r) {
  k.xx = k.xx + mul_sub(r.z, s.x.y, r.y * s.x.z);
  k.xy = k.xy + mul_sub(r.z, s.y.y, r.y * s.y.z);
  k.xz = k.xz + mul_sub(r.z, s.z.y, r.y * s.z.z);
  k.yy = k.yy + mul_sub(r.x, s.y.z, r.z * s.y.x);
  k.yz = k.yz + mul_sub(r.x, s.z.z, r.z * s.z.x);
  k.zz = k.zz + mul_sub(r.y, s.z.x, r.x * s.z.y);
}

/// K of a contact in the form that the simultaneous step uses.
template <class B>
struct SchurForm {
  B inverse_k33, k1, k2;  // k / K_33
  B s11, s12, s22;        // S⁻¹, S = M - k kᵀ / K_33
  B reach;                // 1 / the max eigenvalue of S

  explicit SchurForm(const Symmetric3<B>& k)
      : inverse_k33(B(1) / k.zz), k1(k.xz * inverse_k33), k2(k.yz * inverse_k33) {
    using T = VectorElement<B>;
    const B one(1), half(T(0.5));
    const B m11 = neg_mul_add(k1, k.xz, k.xx), m12 = neg_mul_add(k1, k.yz, k.xy), m22 = neg_mul_add(k2, k.yz, k.yy);
    const B inverse_det = one / difference_of_products(m11, m22, m12, m12);
    const B difference = half * (m11 - m22);
    const B largest = mul_add(half, m11 + m22, square_root(mul_add(difference, difference, m12 * m12)));
    s11 = m22 * inverse_det;
    s12 = negated(m12) * inverse_det;
    s22 = m11 * inverse_det;
    reach = one / largest;
  }
};

/// Decides whether K allows the contact to be solved.
template <class B>
struct Definiteness {
  using Mask = decltype(B() > B());
  Mask finite, definite;

  /// Applies to contacts in `used`. `mass`: sum of the inverse masses of both bodies.
  [[gnu::always_inline]] static Definiteness of(Mask used, const Symmetric3<B>& k, B mass, const Symmetric3<B>& ja,
                                                const Vector3<B>& ra, const Symmetric3<B>& jb, const Vector3<B>& rb) {
    if (const Mask massless = used && mass == B(0); lane_bits(massless) != 0) [[unlikely]]
      return Definiteness(without_doubt(massless, k, turning_terms(ja, ra) + turning_terms(jb, rb)));
    return Definiteness(k);
  }

 private:
  /// Returns K. A K that is singular within its rounding is replaced by an exactly singular matrix, because its inverse
  /// could have any size.
  static Symmetric3<B> without_doubt(Mask massless, const Symmetric3<B>& k, B terms) {
    const Mask singular = and_not(massless, stands_out(k, B(singular_margin<VectorElement<B>>) * terms));
    const B x = larger(B(1), k.xx + k.yy + k.zz);  // keeps NaN
    return choose(singular, Symmetric3<B>{x, x, x, x, x, x}, k);
  }

  explicit Definiteness(const Symmetric3<B>& k) : Definiteness(k, B(1) / k.zz) {}
  Definiteness(const Symmetric3<B>& k, B inverse)
      : Definiteness(k, inverse, neg_mul_add(k.xz * inverse, k.xz, k.xx), neg_mul_add(k.yz * inverse, k.yz, k.yy),
                     neg_mul_add(k.xz * inverse, k.yz, k.xy)) {}
  Definiteness(const Symmetric3<B>& k, B inverse, B s11, B s22, B s12)
      : Definiteness(k, inverse, s11, s22, difference_of_products(k.xx, k.yy, k.xy, k.xy),
                     difference_of_products(s11, s22, s12, s12)) {}
  Definiteness(const Symmetric3<B>& k, B inverse, B s11, B s22, B det, B det_s)
      : finite(vanishing(det) + vanishing(det_s) + vanishing(inverse) == B(0)),
        definite(det > margin() * k.xx * k.yy && det_s > margin() * s11 * s22 && s11 > B(0) && s22 > B(0)) {}
  static B margin() { return B(VectorElement<B>(4) * epsilon<VectorElement<B>>); }
};

template <class A, class T>
struct Responses {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Response = typename Block::Response;

  /// K of a contact. `mass`: sum of the inverse masses of both bodies.
  [[gnu::always_inline]] static Symmetric3<B> collision_matrix(B mass, const Symmetric3<B>& ja, const Vector3<B>& ra,
                                                               const Symmetric3<B>& jb, const Vector3<B>& rb) {
    Symmetric3<B> k = {mass, B(0), B(0), mass, B(0), mass};
    kernel::add_inertia(k, UnitSpins<B>(ja, ra), ra);
    kernel::add_inertia(k, UnitSpins<B>(jb, rb), rb);
    return k;
  }

  /// All three components at once.
  static void respond_at_once(Response& response, const Symmetric3<B>& k, Mask used) {
    const SchurForm<B> form(k);
    const auto keep = [&](auto& to, B x) { Block::store(to, choose(used, x, B(0))); };
    keep(response.inverse_k33, form.inverse_k33);
    keep(response.k1, form.k1);
    keep(response.k2, form.k2);
    keep(response.s11, form.s11);
    keep(response.s12, form.s12);
    keep(response.s22, form.s22);
    keep(response.reach, form.reach);
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
