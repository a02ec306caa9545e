// Load, validate, frame and collision matrix for a block, and the passage to the tile's units.
#pragma once

#include "contact.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct Preparer {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  const Parameters<T>& parameters;
  Tile<T>& tile;

  /// The contacts that collide, a bit a lane.
  [[gnu::noinline]] unsigned prepare_bodies(const AnyContacts<T>& any, const Block& block, std::size_t slot) {
    const ContactColumns<T>& contacts = *any.columns;
    Validator<A, T> validator;
    BodyContact<A, T> contact(any, block);
    const PrincipalMatrix<B> matrix = principal_matrix<T>(contact.frame, contact.matrix());
    const Vector3<B> u0 = contact.approach();
    const Mask step_too_large = store_law_input(contacts, block, slot, matrix, contact.in_frame(u0), contact.friction,
                                                contact.restitution, validator);
    validator.contact(
        contact.bodies, contact.length, contact.friction, contact.restitution, limits(),
        vanishing(matrix.trace) + vanishing(u0), [&] { return judge_law(contacts, block, validator); },
        [&](auto&& f) {
          contact.for_each_number(f);
          for_each_of_law(contacts, block, f);
        });
    if (any.indexed != nullptr) validator.indices(*any.indexed, block);

    return finish(block, slot, contact.frame, u0, step_too_large, validator);
  }

  [[gnu::noinline]] unsigned prepare_space(const SpaceContacts<T>& contacts, const Block& block, std::size_t slot) {
    Validator<A, T> validator;
    SpaceContact<A, T> contact(contacts, block);
    Frame<B>& frame = contact.frame;
    const Vector3<B>& u0 = contact.u0;
    const PrincipalMatrix<B> matrix = principal_matrix<T>(frame, collision_matrix<T>(contact.k));
    const Vector3<B> in_frame = {dot(u0, frame.t1), dot(u0, frame.t2), u0.z};
    const Mask step_too_large =
        store_law_input(contacts, block, slot, matrix, in_frame, contact.friction, contact.restitution, validator);
    validator.contact(
        contact.k, u0, contact.friction, contact.restitution, limits(),
        [&] { return judge_law(contacts, block, validator); }, [&](auto&& f) { for_each_of_law(contacts, block, f); });
    return finish(block, slot, frame, u0, step_too_large, validator);
  }

 private:
  typename Validator<A, T>::Limits limits() const {
    return {parameters.normal_tolerance, parameters.inertia_tolerance, parameters.largest_restitution};
  }

  /// What the incremental law reads beside all others: its restitution law, and the step of a contact's own.
  B judge_law(const ContactColumns<T>& contacts, const Block& block, Validator<A, T>& validator) const {
    validator.restitution_law(contacts, block, series() ? RestitutionLaw::kinematic : RestitutionLaw::energetic);
    if (contacts.step.data == nullptr) return B(0);
    const B step = Load::load_optional(contacts.step, block);
    validator.set(step <= B(0), Status::step_not_positive);
    return vanishing(step);
  }
  template <class F>
  static void for_each_of_law(const ContactColumns<T>& contacts, const Block& block, F&& f) {
    if (contacts.step.data != nullptr) f(Load::load_optional(contacts.step, block));
  }

  bool series() const { return parameters.integrator == Integrator::series; }

  static void store_vector(T* x, T* y, T* z, std::size_t slot, const Vector3<B>& v) {
    store_lanes(x + slot, v.x);
    store_lanes(y + slot, v.y);
    store_lanes(z + slot, v.z);
  }

  /// Writes what the law reads, and the faults of what has been computed here: the last ones of Status. True where the
  /// step exceeds the law's limit.
  Mask store_law_input(const ContactColumns<T>& contacts, const Block& block, std::size_t slot,
                       const PrincipalMatrix<B>& matrix, const Vector3<B>& u0, B friction, B restitution,
                       Validator<A, T>& validator) {
    const B zero(0), one(1);
    const auto [u, speed] = direction_of(u0);

    const Mask unbounded = friction == B(static_cast<T>(__builtin_inf()));
    B step(parameters.step);
    if (contacts.step.data != nullptr && !series())
      step = Load::load_optional(contacts.step, block) * matrix.trace / choose(speed > zero, speed, one);
    const B friction_rate = choose(unbounded, one, friction), normal_rate = choose(unbounded, zero, one);
    const B norm_k = square_root(mul_add(matrix.k1, matrix.k1, matrix.k2 * matrix.k2));
    if (series()) {
      // Where next to nothing turns the slip, u_z sets the pace.
      const B fastest =
          larger(mul_add(friction_rate, matrix.m1, normal_rate * norm_k), B(T(0x1p-10)) * normal_rate * matrix.k33);
      step = one / choose(fastest > zero, fastest, one);
    }
    const B friction_step = step * friction_rate, normal_step = step * normal_rate;

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
    store_lanes(tile.rates.c3 + slot, normal_step * matrix.k33);
    if (series()) {
      const B c = square_root(mul_add(friction_step * matrix.k1, friction_step * matrix.k1,
                                      friction_step * matrix.k2 * (friction_step * matrix.k2)));
      store_lanes(tile.monotone + slot, choose(normal_step * matrix.k33 >= c, one, zero));
      store_lanes(tile.restitution_law + slot, validator.laws(contacts, block, parameters.restitution_law));
    }
    store_lanes(tile.e2 + slot, restitution * restitution);
    // Without friction nothing stops a slip, however small.
    const B reach = choose(friction > zero, step * mul_add(friction_rate, matrix.m1, normal_rate * norm_k), zero);
    store_lanes(tile.stick_radius2 + slot, reach * reach);
    store_lanes(tile.velocity_unit + slot, speed);
    store_lanes(tile.impulse_unit + slot, speed / matrix.trace);

    // Comparisons with NaN are false: what can't be told to be right is a fault.
    validator.fault =
        choose(matrix.definite, validator.fault, B(static_cast<T>(Status::collision_matrix_not_positive_definite)));
    const B finite = vanishing(matrix.trace) + vanishing(speed) + vanishing(step);
    validator.fault = choose(finite == zero && step > zero, validator.fault, B(static_cast<T>(Status::overflow)));
    return series() ? Mask(false) : step > one;
  }

  /// Writes u0 as the host's frame has it and the status; the contacts that collide, a bit a lane.
  unsigned finish(const Block& block, std::size_t slot, const Frame<B>& frame, const Vector3<B>& u0,
                  Mask step_too_large, const Validator<A, T>& validator) {
    store_vector(tile.t1x, tile.t1y, tile.t1z, slot, frame.t1);
    store_vector(tile.t2x, tile.t2y, tile.t2z, slot, frame.t2);
    store_vector(tile.nx, tile.ny, tile.nz, slot, frame.n);
    const B zero(0);
    const Mask known = vanishing(u0) == zero;
    const B unknown(static_cast<T>(__builtin_nan("")));
    store_lanes(tile.wx + slot, choose(known, u0.x, unknown));
    store_lanes(tile.wy + slot, choose(known, u0.y, unknown));
    store_lanes(tile.wz + slot, choose(known, u0.z, unknown));
    const Mask approaching = load_lanes<B>(tile.u0z + slot) < zero;
    const B verdict = choose(approaching, choose(step_too_large, number<T, B>(Status::step_too_large), zero),
                             number<T, B>(Status::separating));
    const B status = choose(validator.fault == zero, verdict, validator.fault);
    store_lanes(tile.status + slot, status);
    return lane_bits(status == zero) & block.lanes;
  }
};

}  // namespace
}  // namespace carom::kernel
