// Preparation of a contact for the contact step: bodies, coefficients, collision matrix, targets and warm impulses. The
// layouts blocks/, models/ and single_manifold/ load the columns and call these functions.
#pragma once

#include "core/jobs/body_record.hpp"
#include "core/jobs/scene_job.hpp"
#include "core/scene/thresholds.hpp"
#include "motion.hpp"

namespace carom::kernel {
namespace {

/// The bodies of one side of the constraints in `lanes` lanes. Flags are 1 or 0. Lever arms of bodies that can neither
/// move nor turn are not read.
template <class T, std::size_t lanes>
struct BodySide {
  const T* record[lanes];
  T moves[lanes], has_arms[lanes];

  /// Sets the body of a lane, where `other` is the body on the other side. Shock propagation holds the lower body.
  /// Returns the velocity row of the body, or ~row if it does not move.
  [[gnu::always_inline]] std::int32_t set(const SceneJob<T>& job, std::size_t lane, std::int32_t body,
                                          std::int32_t other, bool idle) {
    const T* const row = record[lane] = record_of(job.body_rows, body);
    const bool can_move = !idle && body >= 0 && is_movable(row);
    const bool is_held =
        job.level_of_body != nullptr && other >= 0 && can_move && job.level_of_body[body] < job.level_of_body[other];
    const bool moves_here = can_move && !is_held;
    const auto turns = [](const T* w) { return w[0] != T(0) || w[1] != T(0) || w[2] != T(0); };
    const bool arms = can_move || turns(row + BodyRecord::angular_velocity) ||
                      (job.changes != nullptr && body >= 0 && turns(job.changes[body].numbers + 3));
    moves[lane] = moves_here ? T(1) : T(0);
    has_arms[lane] = arms ? T(1) : T(0);
    return moves_here ? body : ~(idle || body < 0 ? static_cast<std::int32_t>(job.bodies) : body);
  }
};

/// 1/m and J of the bodies of one side, in the world frame.
template <class B>
struct MassAndInertia {
  B mass;
  Symmetric3<B> inertia;
};
/// Reads them from the first numbers of the records. Zero for bodies that do not move.
template <class B, class Mask>
[[gnu::always_inline]] inline MassAndInertia<B> mass_of_movable(const B* record, Mask moves) {
  const auto number = [&](std::size_t i) __attribute__((always_inline)) {
    return choose(moves, record[i], B(0));
  };
  return {number(0), {number(1), number(2), number(3), number(4), number(5), number(6)}};
}

template <class B>
[[gnu::always_inline]] inline Frame<B> frame_of_normal(const Vector3<B>& normal) {
  return frame_along(normal, square_root(dot(normal, normal)));
}

/// A coefficient of friction whose square is finite.
template <class B>
[[gnu::always_inline]] inline B bounded_friction(B friction) {
  return smaller(friction, B(static_cast<VectorElement<B>>(SceneThresholds::max_friction)));
}

/// The part of a contact's velocity that does not come from its bodies, in its frame.
template <class B>
[[gnu::always_inline]] inline Vector3<B> bias_of(const Frame<B>& frame, const Vector3<B>& surface_velocity) {
  const Vector3<B> s = into(frame, surface_velocity);
  return {negated(s.x), negated(s.y), B(0)};
}

/// Lever arm in the frame of the contact. 0 in lanes that do not read it.
template <class B, class Mask>
[[gnu::always_inline]] inline Vector3<B> lever_arm(const Frame<B>& frame, const Vector3<B>& r, Mask reads) {
  return choose(reads, into(frame, r), Vector3<B>{B(0), B(0), B(0)});
}

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

/// K of a contact. `mass`: sum of the inverse masses of both bodies.
template <class B>
[[gnu::always_inline]] inline Symmetric3<B> collision_matrix(B mass, const Symmetric3<B>& ja, const Vector3<B>& ra,
                                                             const Symmetric3<B>& jb, const Vector3<B>& rb) {
  Symmetric3<B> k = {mass, B(0), B(0), mass, B(0), mass};
  add_inertia(k, UnitSpins<B>(ja, ra), ra);
  add_inertia(k, UnitSpins<B>(jb, rb), rb);
  return k;
}

/// K of a contact that yields.
template <class B>
[[gnu::always_inline]] inline Symmetric3<B> with_compliance(Symmetric3<B> k, B normal, B tangential) {
  k.xx = k.xx + tangential;
  k.yy = k.yy + tangential;
  k.zz = k.zz + normal;
  return k;
}

/// K of a contact for a step: 1 / K_33, a column k from the normal component to friction, and a matrix S of friction.
/// `Number`: a vector, or its lanes in memory.
template <class Number>
struct ContactForm {
  Number inverse_k33, k1, k2, s11, s12, s22;
};

/// k / K_33, and K without the normal direction: S = M - k kᵀ / K_33.
template <class B>
[[gnu::always_inline]] inline ContactForm<B> schur_complement(const Symmetric3<B>& k) {
  const B inverse = B(1) / k.zz, k1 = k.xz * inverse, k2 = k.yz * inverse;
  return {inverse, k1, k2, neg_mul_add(k1, k.xz, k.xx), neg_mul_add(k1, k.yz, k.xy), neg_mul_add(k2, k.yz, k.yy)};
}

/// Largest eigenvalue of a symmetric matrix.
template <class B>
[[gnu::always_inline]] inline B largest_eigenvalue(B xx, B xy, B yy) {
  const B half(static_cast<VectorElement<B>>(0.5)), difference = half * (xx - yy);
  return mul_add(half, xx + yy, square_root(mul_add(difference, difference, xy * xy)));
}

/// Form for the step on the cone with all components at once: k / K_33 and S⁻¹.
template <class B>
struct SchurForm : ContactForm<B> {
  B reach;  // 1 / the largest eigenvalue of S
};
template <class B>
inline SchurForm<B> schur_form(const Symmetric3<B>& k) {
  const ContactForm<B> s = schur_complement(k);
  const B one(1), inverse_det = one / difference_of_products(s.s11, s.s22, s.s12, s.s12);
  return {{s.inverse_k33, s.k1, s.k2, s.s22 * inverse_det, negated(s.s12) * inverse_det, s.s11 * inverse_det},
          one / largest_eigenvalue(s.s11, s.s12, s.s22)};
}

/// Third column of K⁻¹, with the signs of the first two numbers reversed.
template <class B>
[[gnu::always_inline]] inline Vector3<B> inverse_column(const SchurForm<B>& k) {
  const B i1 = mul_add(k.s11, k.k1, k.s12 * k.k2), i2 = mul_add(k.s12, k.k1, k.s22 * k.k2);
  return {i1, i2, mul_add(k.k1, i1, mul_add(k.k2, i2, k.inverse_k33))};
}
/// K⁻¹
template <class B>
[[gnu::always_inline]] inline Symmetric3<B> inverse_of(const SchurForm<B>& k) {
  const Vector3<B> i = inverse_column(k);
  return {k.s11, k.s12, negated(i.x), k.s22, negated(i.y), i.z};
}

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

  /// Bits of the lanes in `used` that cannot be solved, and the status of such a lane.
  [[gnu::always_inline]] unsigned faults(Mask used) const { return lane_bits(used) & ~lane_bits(finite && definite); }
  std::uint8_t status(std::size_t lane) const {
    const bool is_finite = (lane_bits(finite) >> lane & 1u) != 0;
    return static_cast<std::uint8_t>(is_finite ? Status::collision_matrix_not_positive_definite : Status::overflow);
  }

 private:
  /// Returns K. A K that is singular within its rounding is replaced by an exactly singular matrix, because its inverse
  /// could have any size.
  static Symmetric3<B> without_doubt(Mask massless, const Symmetric3<B>& k, B terms) {
    const Mask singular = and_not(massless, stands_out(k, B(singular_margin<VectorElement<B>>) * terms));
    const B x = larger(B(1), k.xx + k.yy + k.zz);  // keeps NaN
    return choose(singular, Symmetric3<B>{x, x, x, x, x, x}, k);
  }

  explicit Definiteness(const Symmetric3<B>& k) : Definiteness(k, schur_complement(k)) {}
  Definiteness(const Symmetric3<B>& k, const ContactForm<B>& s)
      : Definiteness(k, s, difference_of_products(k.xx, k.yy, k.xy, k.xy),
                     difference_of_products(s.s11, s.s22, s.s12, s.s12)) {}
  Definiteness(const Symmetric3<B>& k, const ContactForm<B>& s, B det, B det_s)
      : finite(vanishing(det) + vanishing(det_s) + vanishing(s.inverse_k33) == B(0)),
        definite(det > margin() * k.xx * k.yy && det_s > margin() * s.s11 * s.s22 && s.s11 > B(0) && s.s22 > B(0)) {}
  static B margin() { return B(VectorElement<B>(4) * epsilon<VectorElement<B>>); }
};

/// Velocity after a collision in the middle of the step, when half of the forces have acted. 0 without restitution, or
/// if the contact approached more slowly than the threshold before the forces.
template <class B, class T>
inline B rebound_of(const JobInput<T>& job, B normal, B restitution, B half_change) {
  const B rebound = neg_mul_add(restitution, normal - half_change, half_change);
  const auto slow = half_change + half_change - normal < B(job.parameters.restitution_threshold);
  return choose(restitution > B(0), choose(slow, B(0), rebound), B(0));
}

/// Target of u·n for a contact with the velocity `normal` now. `wanted`: SceneContacts::target_velocity.
template <class B, class T>
inline B target_of(const JobInput<T>& job, B normal, B wanted, B restitution, B half_change) {
  const B zero(0), rebound = rebound_of(job, normal, restitution, half_change);
  // A separating contact follows its target at its own rebound speed at most. Overlaps are always pushed out. Without
  // rebound a body may approach as far as its target allows.
  const auto fast = normal - (half_change + half_change) > B(job.parameters.restitution_threshold);
  const B caught = choose(fast, smaller(wanted, negated(restitution) * normal), wanted);
  return choose(wanted - normal > zero, choose(rebound > zero, larger(wanted, rebound), wanted),
                choose(wanted > zero, wanted, caught));
}

/// `worst`, or infinity in lanes that `range`, a sum of vanishing(), marks as beyond the range.
template <class B>
[[gnu::always_inline]] inline B within_range(B worst, B range) {
  return choose(range == B(0), worst, B(static_cast<VectorElement<B>>(__builtin_inf())));
}

/// Factor that shortens a vector with squared length `size2` to `bound`. 1 if it is shorter.
template <class B>
[[gnu::always_inline]] inline B share_within(B size2, B bound) {
  const auto is_longer = size2 > bound * bound;
  return choose(is_longer, bound / square_root(choose(is_longer, size2, B(1))), B(1));
}

/// Warm impulse within static friction, in the frame of the contact.
template <class B>
[[gnu::always_inline]] inline Vector3<B> warm_impulse_of(const Vector3<B>& given, B static_friction) {
  const B normal = larger(given.z, B(0));
  const B cut = share_within(mul_add(given.x, given.x, given.y * given.y), static_friction * normal);
  return {cut * given.x, cut * given.y, normal};
}

/// Stores the status and the path of a contact, unless it is faulty.
template <class T>
inline void store_status(const SceneJob<T>& job, std::size_t contact, bool is_pushed, bool slips) {
  if (job.status[contact] > static_cast<std::uint8_t>(Status::several_solutions)) return;
  job.status[contact] = static_cast<std::uint8_t>(is_pushed ? Status::ok : Status::separating);
  if (job.results->path.data == nullptr) return;
  Path path{};
  path.sliding_end = !is_pushed ? SlidingEnd::separating : slips ? SlidingEnd::slip : SlidingEnd::stick;
  element(job.results->path, contact) = path;
}

/// True for impulses on the friction cone, up to the rounding of three products.
template <class B>
[[gnu::always_inline]] inline auto is_on_cone(B length2, B friction, B normal) {
  using T = VectorElement<B>;
  const B bound = friction * normal * B(T(1) - T(8) * epsilon<T>);
  return length2 >= bound * bound;
}

}  // namespace
}  // namespace carom::kernel
