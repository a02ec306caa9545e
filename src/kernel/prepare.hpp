// Stages 1 to 4 for a block, and the passage to the tile's units.
#pragma once

#include "collision_matrix.hpp"
#include "validate.hpp"

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

  template <template <class> class Contacts>
  void prepare_bodies(const Contacts<T>& contacts, Block block, std::size_t slot) {
    Validator<A, T> validator;
    const typename Load::Pair pair = Load::load_bodies(contacts, block);
    const Vector3<B> lever_a = Load::load(contacts.lever_a, block), lever_b = Load::load(contacts.lever_b, block);
    const Vector3<B> given_normal = Load::load(contacts.normal, block);
    const B friction = Load::load(contacts.friction, block), restitution = Load::load(contacts.restitution, block);

    const B length = square_root(dot(given_normal, given_normal));
    const Frame<B> frame = make_frame((B(1) / length) * given_normal);
    const CollisionMatrix<B> matrix = collision_matrix<T>(frame, pair.a, lever_a, pair.b, lever_b);
    const Vector3<B> u0 = pair.a.velocity + cross(pair.a.angular_velocity, lever_a) - pair.b.velocity -
                          cross(pair.b.angular_velocity, lever_b);
    const Vector3<B> in_frame = {dot(u0, frame.t1), dot(u0, frame.t2), dot(u0, frame.n)};

    store_law_input(contacts, block, slot, matrix, in_frame, friction, restitution, validator);
    validator.pivot(pair);
    validator.contact_columns(contacts, block, friction, restitution);
    validator.bodies(pair, B(parameters.inertia_tolerance));
    const B tolerance = B(parameters.normal_tolerance);
    validator.set(magnitude(length - B(1)) > tolerance, Status::normal_not_unit);
    validator.finite(
        [&](auto&& f) {
          for_each_field(pair.a, f);
          for_each_field(pair.b, f);
          for_each_field(lever_a, f);
          for_each_field(lever_b, f);
          for_each_field(given_normal, f);
          f(restitution);
          if (contacts.step.data != nullptr) f(Load::load(contacts.step, block));
        },
        friction);
    if constexpr (requires { contacts.body_a; }) validator.indices(contacts, block);

    store_vector(tile.t1x, tile.t1y, tile.t1z, slot, frame.t1);
    store_vector(tile.t2x, tile.t2y, tile.t2z, slot, frame.t2);
    store_vector(tile.nx, tile.ny, tile.nz, slot, frame.n);
    finish(block, slot, u0, validator);
  }

  void prepare_space(const SpaceContacts<T>& contacts, Block block, std::size_t slot) {
    Validator<A, T> validator;
    const Symmetric3<B> k = Load::load(contacts.k, block);
    const Vector3<B> u0 = Load::load(contacts.separation_velocity, block);
    const B friction = Load::load(contacts.friction, block), restitution = Load::load(contacts.restitution, block);

    store_law_input(contacts, block, slot, collision_matrix<T>(k), u0, friction, restitution, validator);
    validator.contact_columns(contacts, block, friction, restitution);
    validator.finite(
        [&](auto&& f) {
          for_each_field(k, f);
          for_each_field(u0, f);
          f(restitution);
          if (contacts.step.data != nullptr) f(Load::load(contacts.step, block));
        },
        friction);
    finish(block, slot, u0, validator);
  }

 private:
  static void store_vector(T* x, T* y, T* z, std::size_t slot, const Vector3<B>& v) {
    store_lanes(x + slot, v.x);
    store_lanes(y + slot, v.y);
    store_lanes(z + slot, v.z);
  }

  /// Writes what the law reads, and the faults of what has been computed here: the last ones of Status.
  void store_law_input(const ContactColumns<T>& contacts, Block block, std::size_t slot,
                       const CollisionMatrix<B>& matrix, const Vector3<B>& u0, B friction, B restitution,
                       Validator<A, T>& validator) {
    const B zero(0), one(1);
    const B largest = larger(larger(magnitude(u0.x), magnitude(u0.y)), magnitude(u0.z));
    const B divisor = choose(largest > zero, largest, one);
    const Vector3<B> direction = {u0.x / divisor, u0.y / divisor, u0.z / divisor};
    const B length = square_root(dot(direction, direction));
    const B inverse_length = one / choose(length > zero, length, one);
    const Vector3<B> u = inverse_length * direction;
    const B speed = divisor * length;

    const auto& k = matrix.k;
    const Mask unbounded = friction == B(static_cast<T>(__builtin_inf()));
    const B friction_rate = choose(unbounded, one, friction), normal_rate = choose(unbounded, zero, one);
    B step(parameters.step);
    if (contacts.step.data != nullptr)
      step = Load::load(contacts.step, block) * matrix.trace / choose(speed > zero, speed, one);
    const B half_difference = B(T(0.5)) * (k.xx - k.yy);
    const B norm_m =
        mul_add(B(T(0.5)), k.xx + k.yy, square_root(mul_add(half_difference, half_difference, k.xy * k.xy)));
    const B norm_k = square_root(mul_add(k.xz, k.xz, k.yz * k.yz));

    store_lanes(tile.kxx + slot, k.xx);
    store_lanes(tile.kxy + slot, k.xy);
    store_lanes(tile.kyy + slot, k.yy);
    store_lanes(tile.kxz + slot, k.xz);
    store_lanes(tile.kyz + slot, k.yz);
    store_lanes(tile.kzz + slot, k.zz);
    store_lanes(tile.qx + slot, matrix.qx);
    store_lanes(tile.qy + slot, matrix.qy);
    store_lanes(tile.schur + slot, matrix.schur);
    store_lanes(tile.det_m + slot, matrix.det_m);
    store_vector(tile.u0x, tile.u0y, tile.u0z, slot, u);
    store_lanes(tile.friction + slot, friction);
    store_lanes(tile.restitution + slot, restitution);
    store_lanes(tile.friction_rate + slot, friction_rate);
    store_lanes(tile.normal_rate + slot, normal_rate);
    store_lanes(tile.step + slot, step);
    // Without friction nothing stops a slip, however small.
    const B reach = step * mul_add(friction_rate, norm_m, normal_rate * norm_k);
    store_lanes(tile.stick_radius + slot, choose(friction > zero, reach, zero));
    store_lanes(tile.velocity_unit + slot, speed);
    store_lanes(tile.impulse_unit + slot, speed / matrix.trace);

    // Comparisons with NaN are false: what can't be told to be right is a fault.
    const Mask definite =
        k.xx > zero && matrix.det_m > matrix.margin * k.xx * k.yy && matrix.schur > matrix.margin * k.zz;
    validator.fault =
        choose(definite, validator.fault, B(static_cast<T>(Status::collision_matrix_not_positive_definite)));
    const B finite = (matrix.trace - matrix.trace) + (speed - speed) + (step - step);
    validator.fault = choose(finite == zero && step > zero, validator.fault, B(static_cast<T>(Status::overflow)));
  }

  /// Writes u0 as the host's frame has it and the fault, and lists the contacts that collide.
  void finish(Block block, std::size_t slot, const Vector3<B>& u0, const Validator<A, T>& validator) {
    const Mask known = (u0.x - u0.x) + (u0.y - u0.y) + (u0.z - u0.z) == B(0);
    const B unknown(static_cast<T>(__builtin_nan("")));
    store_lanes(tile.wx + slot, choose(known, u0.x, unknown));
    store_lanes(tile.wy + slot, choose(known, u0.y, unknown));
    store_lanes(tile.wz + slot, choose(known, u0.z, unknown));
    store_lanes(tile.fault + slot, validator.fault);
    for (std::size_t i = slot; i < slot + block.count; ++i) {
      tile.steps[i] = 0;
      tile.moved[i] = false;
      tile.path[i] = Path{Course::none, Sticking::none, 0, 0};
      tile.status[i] = static_cast<Status>(static_cast<int>(tile.fault[i]));
      if (tile.status[i] != Status::ok) continue;
      if (tile.u0z[i] < T(0) && tile.step[i] > T(1)) {
        tile.status[i] = Status::step_too_large;
      } else if (tile.u0z[i] < T(0)) {
        tile.colliding[tile.colliding_count++] = static_cast<std::uint32_t>(i);
      } else {
        tile.status[i] = Status::separating;
        tile.path[i].course = Course::separating;
      }
    }
  }
};

}  // namespace
}  // namespace carom::kernel
