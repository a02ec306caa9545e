// Prepare: loads the caller's columns into blocks of lone manifolds.
#pragma once

#include "manifold.hpp"

namespace carom::kernel {
namespace {

template <class Vector, std::size_t size>
struct SingleManifoldPrepare : SingleManifoldBase<Vector, size> {
  using Base = SingleManifoldBase<Vector, size>;
  using Base::gather, Base::load, Base::may_move, Base::store, Base::vectors, Base::width;
  using typename Base::Block, typename Base::Points, typename Base::Side, typename Base::T, typename Base::V;
  using Mask = typename Base::Mask;

  /// Finds the indices of the contacts.
  static void find_contacts(const SceneJob<T>& job, Block& block) {
    block.last_contact = 0;
    block.is_whole = job.contact_at == nullptr;
    for (std::size_t island = 0; island < size; ++island) {
      const std::uint32_t count = block.items[island];
      block.is_whole = block.is_whole && count == points_of_manifold;
      for (std::uint32_t p = 0; p < points_of_manifold; ++p) {
        const std::uint32_t i = number_at(job.contact_at, block.first[island] + (p < count - 1 ? p : count - 1));
        block.contact[p * size + island] = i;
        block.last_contact = i > block.last_contact ? i : block.last_contact;
      }
    }
  }
  /// The contact on a lane of vector k.
  [[gnu::always_inline]] static std::size_t contact_on(const Block& block, std::size_t k, std::size_t lane) {
    return block.contact[k * width + lane];
  }
  /// Numbers of the points, vector by vector.
  static void load_points(const JobInput<T>&, const Column<const T>& column, const Block& block, V (&to)[vectors]) {
    if (column.stride == 0) {
      for (V& x : to) x = V(*column.data);
      return;
    }
    if (block.is_whole && is_contiguous(column)) return Base::load_fours(column, block.contact, to);
    Base::load_singly(
        column,
        [&](std::size_t k, std::size_t lane) __attribute__((always_inline)) { return contact_on(block, k, lane); }, to);
  }
  static void load_points(const JobInput<T>& job, const Vector3Columns<const T>& columns, const Block& block,
                          Vector3<V> (&to)[vectors]) {
    const auto load_numbers = [&](const Column<const T>& column, auto& of) { load_points(job, column, block, of); };
    if (!stand_side_by_side(columns)) return Base::load_components(columns, load_numbers, to);
    const bool reads_beyond = block.last_contact + 1 < job.contacts;
    for (std::size_t k = 0; k < vectors; ++k)
      to[k] = Base::load_structs(
          columns,
          reads_beyond, [&](std::size_t lane) __attribute__((always_inline)) { return contact_on(block, k, lane); });
  }

  /// Fills the block except `manifold` and `used`.
  static void prepare(const SceneJob<T>& job, Block& block) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    const V zero(0);
    Side a, b;
    Base::find_bodies(
        job, block.used, [&](std::size_t lane) -> const Constraint& { return *block.manifold[lane]; }, block, a, b);
    find_contacts(job, block);
    const Frame<V> frame = frame_of_normal(Base::load_first(contacts.normal, block.contact));
    const auto [static_friction, mass, ja, jb] =
        Base::template prepare_shared<true>(job, block, frame, a, b, block.contact);

    Vector3<V> r_a[vectors], r_b[vectors];
    load_points(job, contacts.r_a, block, r_a);
    load_points(job, contacts.r_b, block, r_b);
    const bool pushes_a = may_move(block.a), pushes_b = may_move(block.b);
    const auto has_r_a = load(a.has_arms) > zero, has_r_b = load(b.has_arms) > zero;
    UnitSpins<V> spins_a[vectors], spins_b[vectors];
    for (std::size_t k = 0; k < vectors; ++k) {
      const auto here = Base::in_use(block, k);
      const Vector3<V> ra = lever_arm(frame, r_a[k], here && has_r_a), rb = lever_arm(frame, r_b[k], here && has_r_b);
      store(block.r_a[k], ra);
      store(block.r_b[k], rb);
      Symmetric3<V> matrix = {mass, zero, zero, mass, zero, mass};
      if (pushes_a) {
        spins_a[k] = UnitSpins<V>(ja, ra);
        add_inertia(matrix, spins_a[k], ra);
      }
      if (pushes_b) {
        spins_b[k] = UnitSpins<V>(jb, rb);
        add_inertia(matrix, spins_b[k], rb);
      }
      const auto found = Definiteness<V>::of(here, matrix, mass, ja, ra, jb, rb);
      respond(block, k, schur_form(matrix), here && found.finite && found.definite);
      if (const unsigned faults = found.faults(here); faults != 0) [[unlikely]]
        for_each_bit(faults, [&](std::size_t lane) { job.status[contact_on(block, k, lane)] = found.status(lane); });
    }
    if (pushes_a && pushes_b)
      couple<true, true>(block, mass, spins_a, spins_b);
    else if (pushes_a)
      couple<true, false>(block, mass, spins_a, spins_b);
    else
      couple<false, true>(block, mass, spins_a, spins_b);
    set_targets(job, block, frame);
    take_impulses(job, block, frame, static_friction);
  }

  static void respond(Block& block, std::size_t k, const SchurForm<V>& form, Mask there) {
    const V zero(0);
    store(block.inverse_k33[k], choose(there, form.inverse_k33, zero));
    store(block.k1[k], choose(there, form.k1, zero));
    store(block.k2[k], choose(there, form.k2, zero));
    store(block.reach[k], choose(there, form.reach, zero));
    store(block.inverse_k[k], choose(there, inverse_of(form), Symmetric3<V>{zero, zero, zero, zero, zero, zero}));
  }

  /// W and W K⁻¹. The signs of zeros in the inertia do not matter.
  template <bool pushes_a, bool pushes_b>
  static void couple(Block& block, V mass, const UnitSpins<V> (&spins_a)[vectors],
                     const UnitSpins<V> (&spins_b)[vectors]) {
    const V zero(0);
    for_four_points([&](auto of) __attribute__((always_inline)) {
      constexpr int j = decltype(of)::value;
      const Symmetric3<V> inverse = Base::template at<j>(block.inverse_k);
      UnitSpins<V> a, b;
      if constexpr (pushes_a) a = spins_at<j>(spins_a);
      if constexpr (pushes_b) b = spins_at<j>(spins_b);
      for (std::size_t k = 0; k < vectors; ++k) {
        const Vector3<V> ra = load(block.r_a[k]), rb = load(block.r_b[k]);
        const auto turn = [&](const Vector3<V>& of_a, const Vector3<V>& of_b) __attribute__((always_inline)) {
          if constexpr (pushes_a && pushes_b)
            return cross(of_a, ra) + cross(of_b, rb);
          else if constexpr (pushes_a)
            return cross(of_a, ra);
          else
            return cross(of_b, rb);
        };
        const Vector3<V> x = turn(a.x, b.x) + Vector3<V>{mass, zero, zero};
        const Vector3<V> y = turn(a.y, b.y) + Vector3<V>{zero, mass, zero};
        const Vector3<V> z = turn(a.z, b.z) + Vector3<V>{zero, zero, mass};
        store(block.response[j][0][k], x);
        store(block.response[j][1][k], y);
        store(block.response[j][2][k], z);
        store(block.stop[j][0][k], mul_add(inverse.xx, x, mul_add(inverse.xy, y, inverse.xz * z)));
        store(block.stop[j][1][k], mul_add(inverse.xy, x, mul_add(inverse.yy, y, inverse.yz * z)));
        store(block.stop[j][2][k], mul_add(inverse.xz, x, mul_add(inverse.yz, y, inverse.zz * z)));
      }
    });
  }
  template <int j>
  static UnitSpins<V> spins_at(const UnitSpins<V> (&of)[vectors]) {
    if constexpr (vectors == 1) {
      const auto at = [](const Vector3<V>& v) __attribute__((always_inline)) {
        return Vector3<V>{broadcast<j>(v.x), broadcast<j>(v.y), broadcast<j>(v.z)};
      };
      UnitSpins<V> spins;
      spins.x = at(of[0].x);
      spins.y = at(of[0].y);
      spins.z = at(of[0].z);
      return spins;
    } else {
      return of[j];
    }
  }

  static void set_targets(const SceneJob<T>& job, Block& block, const Frame<V>& frame) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    const V zero(0);
    const Motion<V> now = Base::motion(block, frame, gather(job.velocities, block.a), gather(job.velocities, block.b));
    V restitution[vectors], wanted[vectors];
    load_points(job, contacts.restitution, block, restitution);
    for (V& x : wanted) x = zero;
    if (contacts.target_velocity.data != nullptr) load_points(job, contacts.target_velocity, block, wanted);
    const bool forced = job.changes != nullptr;
    const Motion<V> change = Base::motion_by_forces(job, block, frame);
    Points lacks, infinite;
    for (std::size_t k = 0; k < vectors; ++k) {
      const auto here = load(block.inverse_k33[k]) > zero;
      const Vector3<V> ra = load(block.r_a[k]), rb = load(block.r_b[k]);
      const Vector3<V> u = velocity_at(now, ra, rb);
      const V half_change = forced ? V(T(0.5)) * velocity_at(change, ra, rb).z : zero;
      const V target = target_of(job, u.z, wanted[k], restitution[k], half_change);
      store(block.target[k], target);
      store(block.start[k], Vector3<V>{u.x, u.y, u.z - target});
      lacks.of[k] = choose(here, wanted[k] - u.z, zero);
      infinite.of[k] = vanishing(lacks.of[k]);
    }
    V worst = zero, range = zero;
    for_four_points([&](auto p) __attribute__((always_inline)) {
      worst = larger(Base::template at<decltype(p)::value>(lacks), worst);
      range = range + Base::template at<decltype(p)::value>(infinite);
    });
    store(block.approach, within_range(worst, range));
  }

  static void take_impulses(const SceneJob<T>& job, Block& block, const Frame<V>& frame, V static_friction) {
    const V zero(0);
    if (job.warm_impulse.x.data == nullptr) {
      for (auto& impulse : block.impulse) store(impulse, Vector3<V>{zero, zero, zero});
      return;
    }
    Vector3<V> impulse[vectors];
    load_points(job, job.warm_impulse, block, impulse);
    const V share(job.parameters.warm_start);
    for (std::size_t k = 0; k < vectors; ++k) {
      const auto taken = load(block.inverse_k33[k]) > zero;
      store(block.impulse[k], choose(taken, warm_impulse_of(share * into(frame, impulse[k]), static_friction),
                                     Vector3<V>{zero, zero, zero}));
    }
  }
};

}  // namespace
}  // namespace carom::kernel
