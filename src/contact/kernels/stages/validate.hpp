// Validate: the first fault of every lane, in the order of Status. A fault is a number in the lanes' own type;
// the stages set faults from the last of Status to the first, so that the first one stays.
#pragma once

#include "contact_pointers.hpp"
#include "load.hpp"
#include "units.hpp"

namespace carom::kernel {
namespace {

/// Calls f on every number of a vector, a matrix or a body.
template <class Fields, class F>
[[gnu::always_inline]] inline void for_each_field(const Fields& fields, F&& f) {
  for_each_of_bodies(fields, f);
}

/// Numbers above it are infinite.
template <class T>
inline constexpr T max_finite = sizeof(T) == sizeof(float) ? T(3.4028234663852886e38) : T(1.7976931348623157e308);

/// Replaces an infinity by 0, for numbers that may be infinite.
template <class B>
[[gnu::always_inline]] inline B without_infinity(B x) {
  return choose(magnitude(x) > B(max_finite<VectorElement<B>>), B(0), x);
}

/// The min of numbers that should not be negative. It may miss a NaN, except in a minor.
template <class B>
struct Least {
  explicit Least(B first) : least_(first), undefined_(B(0)) {}
  [[gnu::always_inline]] void add(B x) { least_ = smaller(least_, x); }

  /// Adds the principal minors of J / 2^e + tolerance, with 2^e next to trace J, as in Validator::indefinite. Numbers
  /// far above the trace may overflow; a semidefinite matrix has no such entries.
  [[gnu::always_inline]] void add_minors(const Symmetric3<B>& j, B tolerance) {
    const B trace = j.xx + j.yy + j.zz;
    const B scale = binade_of(trace).inverse, shift = tolerance * (trace * scale);
    const B xx = mul_add(j.xx, scale, shift), yy = mul_add(j.yy, scale, shift), zz = mul_add(j.zz, scale, shift);
    const B xy = j.xy * scale, xz = j.xz * scale, yz = j.yz * scale;
    const B d12 = mul_sub(xx, yy, xy * xy), d13 = mul_sub(xx, zz, xz * xz), d23 = mul_sub(yy, zz, yz * yz);
    const B c = mul_sub(xx, yz, xy * xz), d123 = mul_sub(d12, d13, c * c);
    add(smaller(smaller(smaller(xx, yy), smaller(zz, d12)), smaller(smaller(d13, d23), d123)));
    undefined_ = undefined_ + vanishing(d123);
  }

  /// NaN if a minor is not finite.
  B value() const { return least_ + undefined_; }

 private:
  B least_, undefined_;
};

template <class B>
inline B trace_of(const Symmetric3<B>& j) {
  return j.xx + j.yy + j.zz;
}
/// Same for an inertia in the plane.
template <class B>
inline B trace_of(const B& j) {
  return j;
}

template <class A, class T>
struct Validator {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  static constexpr unsigned all_lanes = (1u << width) - 1;

  B fault = B(static_cast<T>(Status::ok));

  void set(Mask where, Status status) { fault = choose(where, B(static_cast<T>(status)), fault); }

  struct Limits {
    T normal_tolerance, inertia_tolerance, max_restitution;
  };
  template <class Options>
  static Limits limits_of(const Options& options) {
    return {options.normal_tolerance, options.inertia_tolerance, options.max_restitution};
  }

  /// Sets the faults of computed numbers, the last ones of Status: of the collision matrix, and of numbers that are out
  /// of range. Comparisons with NaN are false, so a NaN is a fault.
  void computed(Mask definite, Mask in_range) {
    fault = choose(definite, B(0), B(static_cast<T>(Status::collision_matrix_not_positive_definite)));
    fault = choose(in_range, fault, B(static_cast<T>(Status::overflow)));
  }

  /// The fault; without one, ok if the contact approaches, else separating.
  B verdict(Mask approaches) const {
    const B ok(static_cast<T>(Status::ok)), separating(static_cast<T>(Status::separating));
    return choose(fault == ok, choose(approaches, ok, separating), fault);
  }

  /// Validates contacts between bodies. `of_law()` sets the faults of law parameters. It returns 0 if these are finite,
  /// else NaN. `sum` is the same for all other numbers. `each(f)` calls f on all numbers outside of the bodies.
  template <int dimension, class OfLaw, class Each>
  [[gnu::always_inline]] void contact(const BodyPair<B, dimension>& pair, B length, B friction, B restitution,
                                      const Limits& limits, B sum, OfLaw&& of_law, Each&& each) {
    sum = sum + of_law();
    coefficients(friction, restitution, B(limits.max_restitution));
    bodies(pair, B(limits.inertia_tolerance));
    set(magnitude(length - B(1)) > B(limits.normal_tolerance), Status::normal_not_unit);
    finite(
        sum + vanishing(restitution) == B(0),
        [&](auto&& f) {
          for_each_field(pair.a, f);
          for_each_field(pair.b, f);
          each(f);
          f(restitution);
        },
        friction);
  }

  /// Same for contacts in contact space.
  template <class Matrix, class Vector, class OfLaw, class Each>
  [[gnu::always_inline]] void contact(const Matrix& k, const Vector& u0, B friction, B restitution,
                                      const Limits& limits, OfLaw&& of_law, Each&& each) {
    B sum = vanishing(u0) + vanishing(restitution);
    for_each_field(k, [&](const B& x) { sum = sum + vanishing(x); });
    sum = sum + of_law();
    coefficients(friction, restitution, B(limits.max_restitution));
    finite(
        sum == B(0),
        [&](auto&& f) {
          for_each_field(k, f);
          for_each_field(u0, f);
          each(f);
          f(restitution);
        },
        friction);
  }

  /// The restitution laws of a block as numbers. Sets a fault if a contact's own one is above `last`, the last
  /// available law. The law of the options, `otherwise`, is already checked.
  B restitution_law(const LawColumns<T>& contacts, const Block& block, RestitutionLaw otherwise, RestitutionLaw last) {
    const B law = laws(contacts, block, otherwise);
    if (contacts.restitution_law.data != nullptr)
      set(law > B(static_cast<T>(last)), Status::restitution_law_unavailable);
    return law;
  }

  void coefficients(B friction, B restitution, B max_restitution) {
    set(friction < B(0), Status::negative_friction);
    set(restitution < B(0) || restitution > max_restitution, Status::restitution_out_of_range);
  }

  /// The restitution laws of a block as numbers.
  static B laws(const LawColumns<T>& contacts, const Block& block, RestitutionLaw otherwise) {
    if (contacts.restitution_law.data == nullptr) return B(static_cast<T>(otherwise));
    T law[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      law[lane] = static_cast<T>(
          element(contacts.restitution_law, block.first + (lane < block.count ? lane : block.count - 1)));
    return load_lanes<B>(law);
  }

  /// A matrix J is positive semidefinite within the tolerance if J / trace J + tolerance has no negative principal
  /// minor. All are written without a division: d12 d13 - c² is the first diagonal element times the determinant.
  Mask indefinite(const Symmetric3<B>& j, B trace, B tolerance) {
    const Mask positive = trace > B(0);
    const B scale = choose(positive, B(1) / trace, B(1));
    const B shift = choose(positive, tolerance, B(0));
    const B xx = mul_add(j.xx, scale, shift), yy = mul_add(j.yy, scale, shift), zz = mul_add(j.zz, scale, shift);
    const B xy = j.xy * scale, xz = j.xz * scale, yz = j.yz * scale;
    const B d12 = mul_sub(xx, yy, xy * xy), d13 = mul_sub(xx, zz, xz * xz), d23 = mul_sub(yy, zz, yz * yz);
    const B c = mul_sub(xx, yz, xy * xz);
    const B d123 = mul_sub(d12, d13, c * c);
    return xx < B(0) || yy < B(0) || zz < B(0) || d12 < B(0) || d13 < B(0) || d23 < B(0) || d123 < B(0);
  }
  /// Same in the plane.
  Mask indefinite(B inertia, B, B) { return inertia < B(0); }

  template <int dimension>
  void bodies(const BodyPair<B, dimension>& pair, B tolerance) {
    const Body<B, dimension>&a = pair.a, &b = pair.b;
    const B trace_a = trace_of(a.inverse_inertia), trace_b = trace_of(b.inverse_inertia);
    const B zero(0);
    // The trace of a semidefinite matrix is zero only if the matrix is zero. Other matrices with trace 0 are caught
    // below.
    set(a.inverse_mass == zero && b.inverse_mass == zero && trace_a == zero && trace_b == zero, Status::both_immovable);
    set(indefinite(a.inverse_inertia, trace_a, tolerance) || indefinite(b.inverse_inertia, trace_b, tolerance),
        Status::inverse_inertia_not_positive_semidefinite);
    set(a.inverse_mass < zero || b.inverse_mass < zero, Status::negative_inverse_mass);
  }

  /// Sets the faults of numbers that are not finite. `each(f)` calls f on every field that must be finite; friction may
  /// be infinite. `finite` is true if all fields are finite: every field of a body enters K or u0, and NaN and infinity
  /// persist through sums and products.
  template <class Each>
  void finite(Mask finite, Each&& each, B friction) {
    const Mask friction_nan = is_nan(friction);
    if (lane_bits(finite && friction == friction) == all_lanes) [[likely]]
      return;
    B sum = B(0);
    each([&](const B& x) { sum = sum + (x - x); });  // x - x is NaN for NaN and infinity, else 0
    Mask nan = friction_nan;
    each([&](const B& x) { nan = nan || is_nan(x); });
    set(is_nan(sum), Status::infinite);
    set(nan, Status::not_a_number);
  }

  /// Sets the faults of body indices, each a Status. They precede all other faults.
  void indices(B of_index) { fault = choose(of_index > B(0), of_index, fault); }
};

}  // namespace
}  // namespace carom::kernel
