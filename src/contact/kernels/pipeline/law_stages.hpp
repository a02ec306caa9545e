// Frame, collision matrix and velocities for the algebraic laws. Each stage processes a whole tile before the next one
// begins: a collision is a long chain of dependent operations, and the processor's window is too short to overlap it
// with the next vector.
#pragma once

#include "contact/kernels/stages/contact_lanes.hpp"
#include "law_call.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct LawStages {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = TileLoader<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  LawTile<T>& tile;

  static B get(const T* x, std::size_t slot) { return load_lanes<B>(x + slot); }

  /// K, divided by its trace.
  [[gnu::always_inline]] Symmetric3<B> get_matrix(std::size_t slot) const {
    return {get(tile.m11, slot), get(tile.m12, slot), get(tile.k1, slot),
            get(tile.m22, slot), get(tile.k2, slot),  get(tile.k33, slot)};
  }

  [[gnu::flatten]] void frame(const BodyPointers<T>& contacts, WholeBlock block, std::size_t slot) const {
    const Vector3<B> given = Load::load(contacts.normal, block);
    const B length = square_root(dot(given, given));
    store_lanes(tile.length + slot, length);
    store_frame(tile, slot, frame_along(given, length));
  }

  [[gnu::flatten]] void inertia(const BodyPointers<T>& contacts, WholeBlock block, std::size_t slot) const {
    const B m = Load::load(contacts.a.inverse_mass, block) + Load::load(contacts.b.inverse_mass, block);
    const Symmetric3<B> a = inertia_at_contact(
        load_frame<B>(tile, slot), m, Load::load(contacts.a.inverse_inertia, block), Load::load(contacts.r_a, block),
        Load::load(contacts.b.inverse_inertia, block), Load::load(contacts.r_b, block));
    store_lanes(tile.axx + slot, a.xx);
    store_lanes(tile.axy + slot, a.xy);
    store_lanes(tile.axz + slot, a.xz);
    store_lanes(tile.ayy + slot, a.yy);
    store_lanes(tile.ayz + slot, a.yz);
    store_lanes(tile.azz + slot, a.zz);
    store_lanes(tile.m + slot, m);
  }

  [[gnu::flatten]] void matrix(const BodyPointers<T>& contacts, WholeBlock block, std::size_t slot) const {
    const Symmetric3<B> a = {get(tile.axx, slot), get(tile.axy, slot), get(tile.axz, slot),
                             get(tile.ayy, slot), get(tile.ayz, slot), get(tile.azz, slot)};
    put_matrix(slot,
               matrix_of_bodies<T>(a, get(tile.m, slot), [&] { return BodyContact<A, T>::terms(contacts, block); }));
  }

  [[gnu::flatten]] void matrix(const SpacePointers<T>& contacts, WholeBlock block, std::size_t slot) const {
    put_matrix(slot, collision_matrix<T>(Load::load(contacts.k, block)));
  }

  [[gnu::flatten]] void approach(const BodyPointers<T>& contacts, WholeBlock block, std::size_t slot) const {
    const Vector3<B> r_a = Load::load(contacts.r_a, block), r_b = Load::load(contacts.r_b, block);
    const Vector3<B> u0 = separation_velocity(
        Load::load(contacts.a.velocity, block), Load::load(contacts.a.angular_velocity, block), r_a,
        Load::load(contacts.b.velocity, block), Load::load(contacts.b.angular_velocity, block), r_b);
    put_approach(slot, u0, load_frame<B>(tile, slot).from_world(u0));
  }

  [[gnu::flatten]] void approach(const SpacePointers<T>& contacts, WholeBlock block, std::size_t slot) const {
    const Vector3<B> u0 = Load::load(contacts.separation_velocity, block);
    put_approach(slot, u0, u0);
  }

 private:
  void put_matrix(std::size_t slot, const CollisionMatrix<B>& matrix) const {
    store_lanes(tile.m11 + slot, matrix.m11);
    store_lanes(tile.m12 + slot, matrix.m12);
    store_lanes(tile.m22 + slot, matrix.m22);
    store_lanes(tile.k1 + slot, matrix.k1);
    store_lanes(tile.k2 + slot, matrix.k2);
    store_lanes(tile.k33 + slot, matrix.k33);
    store_lanes(tile.det_m + slot, matrix.det_m);
    store_lanes(tile.q1 + slot, matrix.q1);
    store_lanes(tile.q2 + slot, matrix.q2);
    store_lanes(tile.schur + slot, matrix.schur);
    store_lanes(tile.trace + slot, matrix.trace);
    // Comparisons with NaN are false, so a NaN is a fault.
    store_lanes(tile.status + slot,
                choose(matrix.definite, B(0), B(static_cast<T>(Status::collision_matrix_not_positive_definite))));
  }

  void put_approach(std::size_t slot, const Vector3<B>& u0, const Vector3<B>& in_frame) const {
    const B zero(0), trace = get(tile.trace, slot);
    const B unknown(static_cast<T>(__builtin_nan("")));
    const auto [direction, speed] = direction_of(in_frame);
    store_vector(tile.wx, tile.wy, tile.wz, slot,
                 choose(vanishing(u0) == zero, u0, Vector3<B>{unknown, unknown, unknown}));
    store_vector(tile.u0x, tile.u0y, tile.u0z, slot, direction);
    store_lanes(tile.velocity_unit + slot, speed);
    store_lanes(tile.impulse_unit + slot, speed / trace);
    store_lanes(tile.status + slot, choose(vanishing(trace) + vanishing(speed) == zero, get(tile.status, slot),
                                           B(static_cast<T>(Status::overflow))));
  }
};

}  // namespace
}  // namespace carom::kernel
