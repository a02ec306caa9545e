// Load, validate, frame and collision matrix for a block, and the conversion to the tile's units.
#pragma once

#include "contact/kernels/stages/contact_lanes.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct Preparer {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  /// Columns that only this law reads.
  const LawColumns<T>& columns;
  const Parameters<T>& parameters;
  Tile<T>& tile;

  /// Returns the contacts that collide, one bit per lane. `index_fault`: faults of the body indices, or null.
  [[gnu::noinline]] unsigned prepare_bodies(const BodyPointers<T>& from, WholeBlock at, const T* index_fault,
                                            const Block& block, std::size_t slot) {
    using Numbers = TileLoader<A, T>;
    const Vector3<B> normal = Numbers::load(from.normal, at);
    const B length = square_root(dot(normal, normal));
    Frame<B> frame = frame_along(normal, length);
    const Vector3<B> r_a = Numbers::load(from.r_a, at), r_b = Numbers::load(from.r_b, at);
    const B mass_a = Numbers::load(from.a.inverse_mass, at), mass_b = Numbers::load(from.b.inverse_mass, at);
    const Symmetric3<B> inertia_a = Numbers::load(from.a.inverse_inertia, at);
    const Symmetric3<B> inertia_b = Numbers::load(from.b.inverse_inertia, at);
    const B m = mass_a + mass_b;
    Least<B> least(smaller(mass_a, mass_b));
    least.add_minors(inertia_a, B(parameters.inertia_tolerance));
    least.add_minors(inertia_b, B(parameters.inertia_tolerance));
    least.add(B(parameters.normal_tolerance) - magnitude(length - B(1)));
    const Vector3<B> u0 =
        separation_velocity(Numbers::load(from.a.velocity, at), Numbers::load(from.a.angular_velocity, at), r_a,
                            Numbers::load(from.b.velocity, at), Numbers::load(from.b.angular_velocity, at), r_b);
    const auto [direction, speed] = scaled_direction_of(u0);
    const Symmetric3<B> a =
        quick_inertia_at_contact(frame, m, inertia_a, r_a, inertia_b, r_b, [&] { return careful_inertia(from, at); });
    const PrincipalMatrix<B> matrix =
        principal_matrix<T>(frame, a, matrix_of_bodies<T>(a, m, [&] { return BodyContact<A, T>::terms(from, at); }));
    const Computed computed =
        store_law_input(block, slot, matrix, {frame.from_world(direction), speed}, Numbers::load(from.friction, at),
                        Numbers::load(from.restitution, at), least);
    Mask fine = computed.fine;
    if (index_fault != nullptr) fine = fine && load_lanes<B>(index_fault) == B(0);
    return finish(block, slot, frame, u0, computed, fine, [&] {
      const Computed copy = computed;  // a copy: passed by reference, `computed` would be in memory from the start
      return validate<BodyContact<A, T>>(from, at, index_fault, block, copy);
    });
  }

  [[gnu::noinline]] unsigned prepare_space(const SpacePointers<T>& from, WholeBlock at, const Block& block,
                                           std::size_t slot) {
    SpaceContact<A, T> contact(from, at);
    Frame<B>& frame = contact.frame;
    const Vector3<B>& u0 = contact.u0;
    const PrincipalMatrix<B> matrix = principal_matrix<T>(frame, contact.k, collision_matrix<T>(contact.k));
    const auto [direction, speed] = scaled_direction_of(u0);
    const Vector3<B> in_frame = {dot(direction, frame.t1), dot(direction, frame.t2), direction.z};
    const Computed computed =
        store_law_input(block, slot, matrix, {in_frame, speed}, contact.friction, contact.restitution, Least<B>(B(0)));
    return finish(block, slot, frame, u0, computed, computed.fine, [&] {
      const Computed copy = computed;
      return validate<SpaceContact<A, T>>(from, at, nullptr, block, copy);
    });
  }

 private:
  using Validate = Validator<A, T>;

  /// Values that decide on the faults of a contact, in addition to its columns.
  struct Computed {
    B trace, speed, step;
    B approach;  // u0_z in units of the speed
    Mask definite;
    Mask fine;  // no fault found so far
  };

  /// A = K - m with full accuracy. Loads its input itself: arguments passed by reference would always be in memory.
  [[gnu::noinline]] static Symmetric3<B> careful_inertia(const BodyPointers<T>& from, WholeBlock at) {
    using Numbers = TileLoader<A, T>;
    const Vector3<B> normal = Numbers::load(from.normal, at);
    const Frame<B> frame = frame_along(normal, square_root(dot(normal, normal)));
    const B m = Numbers::load(from.a.inverse_mass, at) + Numbers::load(from.b.inverse_mass, at);
    return inertia_at_contact(frame, m, Numbers::load(from.a.inverse_inertia, at), Numbers::load(from.r_a, at),
                              Numbers::load(from.b.inverse_inertia, at), Numbers::load(from.r_b, at));
  }

  /// Returns the faults of a block, as numbers. Called only if a contact may have a fault. `index_fault`: faults of the
  /// body indices, or null.
  template <class AnyContact, class Pointers>
  [[gnu::noinline]] B validate(const Pointers& from, WholeBlock at, const T* index_fault, const Block& block,
                               const Computed& computed) const {
    const Mask finite = vanishing(computed.trace) + vanishing(computed.speed) == B(0);
    const Mask in_range = (vanishing(computed.step) == B(0) && computed.step > B(0)) || computed.trace <= B(0);
    Validate validator;
    validator.computed(computed.definite, finite && in_range);
    AnyContact(from, at).validate(
        validator, Validate::limits_of(parameters),
        [&] { return vanishing(computed.trace) + validate_law(block, validator); },
        [&](auto&& f) {
          if (columns.step.data != nullptr) f(Load::load(columns.step, block));
        });
    if (index_fault != nullptr) validator.indices(load_lanes<B>(index_fault));
    return validator.fault;
  }

  /// Validates the columns that only the incremental law reads: the restitution law and the step of each contact.
  B validate_law(const Block& block, Validate& validator) const {
    validator.restitution_law(columns, block, parameters.restitution_law, last_restitution_law());
    if (columns.step.data == nullptr) return B(0);
    const B step = Load::load(columns.step, block);
    validator.set(step <= B(0), Status::step_not_positive);
    return vanishing(step);
  }
  bool series() const { return parameters.integrator == Integrator::series; }
  RestitutionLaw last_restitution_law() const {
    return series() ? RestitutionLaw::kinematic : RestitutionLaw::energetic;
  }

  /// Writes the law's input to the tile.
  [[gnu::always_inline]] Computed store_law_input(const Block& block, std::size_t slot,
                                                  const PrincipalMatrix<B>& matrix, const SizedDirection<B>& u0,
                                                  B friction, B restitution, Least<B> least) {
    const B zero(0), one(1);
    const auto& [u, speed] = u0;

    const Mask unbounded = friction == B(static_cast<T>(__builtin_inf()));
    const B friction_rate = choose(unbounded, one, friction), normal_rate = choose(unbounded, zero, one);
    const B turning = mul_add(friction_rate, matrix.m1, normal_rate * matrix.size_k);
    B step(parameters.step), of_law(0);
    least.add(friction);
    least.add(restitution);
    least.add(B(parameters.max_restitution) - restitution);
    Mask fine = matrix.definite && least.value() >= zero;
    if (columns.step.data != nullptr) {
      const B given = Load::load(columns.step, block);
      fine = fine && given > zero;
      of_law = vanishing(given);
      step = given * matrix.trace / choose(speed > zero, speed, one);
    }
    const B law = Validate::laws(columns, block, parameters.restitution_law);
    fine = fine && law <= number<T, B>(last_restitution_law());
    if (series()) {
      // If the slip hardly turns, u_z determines the step.
      const B fastest = larger(turning, B(T(0x1p-10)) * normal_rate * matrix.k33);
      step = one / choose(fastest > zero, fastest, one);
    }
    const B friction_step = step * friction_rate, normal_step = step * normal_rate, rise = normal_step * matrix.k33;

    store_lanes(tile.m1 + slot, matrix.m1);
    store_lanes(tile.m2 + slot, matrix.m2);
    store_lanes(tile.k1 + slot, matrix.k1);
    store_lanes(tile.k2 + slot, matrix.k2);
    store_lanes(tile.q1 + slot, matrix.q1);
    store_lanes(tile.q2 + slot, matrix.q2);
    store_lanes(tile.schur + slot, matrix.schur);
    store_vector(tile.u0x, tile.u0y, tile.u0z, slot, u);
    store_lanes(tile.friction + slot, friction);
    store_lanes(tile.restitution + slot, restitution);
    store_lanes(tile.friction_step + slot, friction_step);
    store_lanes(tile.normal_step + slot, normal_step);
    store_lanes(tile.rates.a1 + slot, friction_step * matrix.m1);
    store_lanes(tile.rates.a2 + slot, friction_step * matrix.m2);
    store_lanes(tile.rates.b1 + slot, normal_step * matrix.k1);
    store_lanes(tile.rates.b2 + slot, normal_step * matrix.k2);
    store_lanes(tile.rates.c1 + slot, friction_step * matrix.k1);
    store_lanes(tile.rates.c2 + slot, friction_step * matrix.k2);
    store_lanes(tile.rates.c3 + slot, rise);
    if (series()) {
      store_lanes(tile.monotone + slot, choose(rise >= friction_step * matrix.size_k, one, zero));
      store_lanes(tile.restitution_law + slot, law);
    } else {
      store_lanes(tile.e2 + slot, restitution * restitution);
      // Without friction, no slip stops, however small.
      const B reach = choose(friction > zero, step * turning, zero);
      store_lanes(tile.stick_radius2 + slot, reach * reach);
    }
    store_lanes(tile.velocity_unit + slot, speed);
    store_lanes(tile.impulse_unit + slot, speed * matrix.inverse_trace);

    const B finite = vanishing(matrix.trace) + vanishing(speed) + vanishing(step) + vanishing(restitution) + of_law;
    fine = fine && finite == zero && step > zero && friction == friction;
    return {matrix.trace, speed, step, u.z, matrix.definite, fine};
  }

  /// Writes u0 in the caller's frame and the status. Returns the contacts that collide, one bit per lane.
  /// `find_fault()` returns the faults; it is called unless all contacts are fine.
  template <class FindFault>
  [[gnu::always_inline]] unsigned finish(const Block& block, std::size_t slot, const Frame<B>& frame,
                                         const Vector3<B>& u0, const Computed& computed, Mask fine,
                                         FindFault&& find_fault) {
    const B zero(0);
    store_frame(tile, slot, frame);
    store_vector(tile.wx, tile.wy, tile.wz, slot, u0);
    const Mask approaching = computed.approach < zero;
    const Mask too_large = computed.step > B(1);
    B status = choose(approaching, zero, number<T, B>(Status::separating));
    if (!series()) status = choose(approaching && too_large, number<T, B>(Status::step_too_large), status);
    if (lane_bits(fine) != Validate::all_lanes) [[unlikely]] {
      const B fault = find_fault(), unknown(static_cast<T>(__builtin_nan("")));
      status = choose(fine || fault == zero, status, fault);
      store_vector(tile.wx, tile.wy, tile.wz, slot,
                   choose(vanishing(u0) == zero, u0, Vector3<B>{unknown, unknown, unknown}));
    }
    store_lanes(tile.status + slot, status);
    return lane_bits(status == zero) & block.lanes;
  }
};

}  // namespace
}  // namespace carom::kernel
