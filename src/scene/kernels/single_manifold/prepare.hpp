// Prepare: loads the caller's columns into blocks of lone manifolds.
#pragma once

#include "manifold.hpp"

namespace carom::kernel {
namespace {

template <class L>
struct SingleManifoldPrepare : SingleManifoldBase<L> {
  using Base = SingleManifoldBase<L>;
  using Base::islands;
  using Base::vectors;
  using Base::width;
  using typename Base::Block;
  using typename Base::Points;
  using typename Base::T;
  using typename Base::V;

  /// Finds the indices of the contacts. Returns the number of contacts of each manifold, 0 for idle lanes.
  static V find_contacts(const SceneJob<T>& job, Block& block) {
    T count[islands];
    block.last_contact = 0;
    block.is_whole = job.contact_at == nullptr;
    for (std::size_t island = 0; island < islands; ++island) {
      const Constraint& manifold = *block.manifold[island];
      block.is_whole = block.is_whole && manifold.count == points_of_manifold;
      count[island] = island < block.used ? static_cast<T>(manifold.count) : T(0);
      for (std::uint32_t p = 0; p < points_of_manifold; ++p) {
        const std::uint32_t last = manifold.count - 1;
        const std::uint32_t i = number_at(job.contact_at, manifold.first + (p < last ? p : last));
        block.contact[p * islands + island] = i;
        block.last_contact = i > block.last_contact ? i : block.last_contact;
      }
    }
    return L::shared(count);
  }
  /// Numbers of the points, vector by vector.
  static void load_points(const Column<const T>& column, const Block& block, V (&to)[vectors]) {
    if (column.stride == 0) {
      for (V& x : to) x = V(*column.data);
      return;
    }
    if (block.is_whole && is_contiguous(column)) {
      load_wholes(column, block, to);
      return;
    }
    for (int k = 0; k < vectors; ++k)
      to[k] = lanes_of<V>([&](std::size_t lane)
                              __attribute__((always_inline)) { return element(column, contact_on(block, k, lane)); });
  }
  [[gnu::always_inline]] static void load_wholes(const Column<const T>& column, const Block& block, V (&to)[vectors]) {
    if constexpr (vectors == 1) {
      to[0] = load_lanes<V>(column.data + block.contact[0]);
    } else {
      const T* row[islands];
      for (std::size_t island = 0; island < islands; ++island) row[island] = column.data + block.contact[island];
      V numbers[row_size];
      kernel::load_rows<V, points_of_manifold>(row, numbers);
      for (int k = 0; k < vectors; ++k) to[k] = numbers[k];
    }
  }
  static void load_points(const SceneJob<T>& job, const Vector3Columns<const T>& columns, const Block& block,
                          Vector3<V> (&to)[vectors]) {
    if (!stand_side_by_side(columns)) {
      V x[vectors], y[vectors], z[vectors];
      load_points(columns.x, block, x);
      load_points(columns.y, block, y);
      load_points(columns.z, block, z);
      for (int k = 0; k < vectors; ++k) to[k] = {x[k], y[k], z[k]};
      return;
    }
    const auto at = [&](int k, std::size_t lane) __attribute__((always_inline)) {
      return &element(columns.x, contact_on(block, k, lane));
    };
    // The load reads one number beyond the vector, if a following contact guarantees that this memory exists.
    if (block.last_contact + 1 < job.contacts && columns.x.stride >= static_cast<std::ptrdiff_t>(3 * sizeof(T)) &&
        width > 1) {
      for (int k = 0; k < vectors; ++k) {
        const T* row[width];
        for (std::size_t lane = 0; lane < width; ++lane) row[lane] = at(k, lane);
        V numbers[row_size];
        kernel::load_rows<V, width == 1 ? 3 : 4>(row, numbers);
        to[k] = {numbers[0], numbers[1], numbers[2]};
      }
      return;
    }
    for (int k = 0; k < vectors; ++k)
      load_threes<V>(
          [&](std::size_t lane) __attribute__((always_inline)) { return at(k, lane); }, to[k].x, to[k].y, to[k].z);
  }
  /// The contact on a lane of vector k.
  [[gnu::always_inline]] static std::size_t contact_on(const Block& block, int k, std::size_t lane) {
    return block.contact[static_cast<std::size_t>(k) * width + lane];
  }
  static V load_first(const Column<const T>& column, const Block& block) {
    T of[islands];
    for (std::size_t island = 0; island < islands; ++island) of[island] = element(column, block.contact[island]);
    return L::shared(of);
  }
  static Vector3<V> load_first(const Vector3Columns<const T>& columns, const Block& block) {
    return {load_first(columns.x, block), load_first(columns.y, block), load_first(columns.z, block)};
  }

  using Side = BodySide<T, islands>;
  static void find_bodies(const SceneJob<T>& job, Block& block, Side& a, Side& b) {
    for (std::size_t island = 0; island < islands; ++island) {
      const bool idle = island >= block.used;
      const Constraint& m = *block.manifold[island];
      block.a[island] = a.set(job, island, m.body_a, m.body_b, idle);
      block.b[island] = b.set(job, island, m.body_b, m.body_a, idle);
    }
  }
  /// 1/m and J of one side. Zero for immovable bodies.
  static Symmetric3<V> load_mass(const Side& side, const std::int32_t (&body)[islands], const Frame<V>& frame,
                                 T (&mass)[islands], T (&inertia)[6][islands]) {
    if (!may_move(body)) {
      Base::store_shared(mass, V(0));
      const V zero(0);
      const Symmetric3<V> none = {zero, zero, zero, zero, zero, zero};
      Base::store_shared(inertia, none);
      return none;
    }
    V c[row_size];
    L::template load_rows<8>(side.record, c);
    const auto given = mass_of_movable(c, L::shared(side.moves) > V(0));
    Base::store_shared(mass, given.mass);
    const Symmetric3<V> j = into(frame, given.inertia);
    Base::store_shared(inertia, j);
    return j;
  }

  /// Fills the block except `manifold` and `used`.
  static void prepare(const SceneJob<T>& job, Block& block) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    const V zero(0);
    Side a, b;
    find_bodies(job, block, a, b);
    const V count = find_contacts(job, block);
    const Frame<V> frame = frame_of_normal(load_first(contacts.normal, block));
    Base::store_shared(block.t1, frame.t1);
    Base::store_shared(block.t2, frame.t2);
    Base::store_shared(block.n, frame.n);
    const V friction = load_first(contacts.friction, block);
    Base::store_shared(block.friction, bounded_friction(friction));
    const V static_friction = bounded_friction(
        contacts.static_friction.data != nullptr ? load_first(contacts.static_friction, block) : friction);
    Base::store_shared(block.static_friction, static_friction);
    // An immovable body adds zeros. They can only change the sign of a zero, which couple() allows.
    const Symmetric3<V> ja = load_mass(a, block.a, frame, block.mass_a, block.inertia_a);
    const Symmetric3<V> jb = load_mass(b, block.b, frame, block.mass_b, block.inertia_b);
    const V mass = L::shared(block.mass_a) + L::shared(block.mass_b);
    Vector3<V> bias = {zero, zero, zero};
    if (contacts.surface_velocity.x.data != nullptr)
      bias = bias_of(frame, load_first(contacts.surface_velocity, block));
    Base::store_shared(block.bias, bias);

    Vector3<V> r_a[vectors], r_b[vectors];
    load_points(job, contacts.r_a, block, r_a);
    load_points(job, contacts.r_b, block, r_b);
    const bool pushes_a = may_move(block.a), pushes_b = may_move(block.b);
    const auto has_r_a = L::shared(a.has_arms) > zero, has_r_b = L::shared(b.has_arms) > zero;
    UnitSpins<V> spins_a[vectors], spins_b[vectors];
    for (int k = 0; k < vectors; ++k) {
      const auto here = L::in_use(count, k);
      const Vector3<V> ra = lever_arm(frame, r_a[k], here && has_r_a), rb = lever_arm(frame, r_b[k], here && has_r_b);
      Base::store(block.r_a, k, ra);
      Base::store(block.r_b, k, rb);
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
      const unsigned odd = lane_bits(here) & ~lane_bits(found.finite && found.definite);
      if (odd != 0) [[unlikely]]
        mark(job, block, k, odd, ~lane_bits(found.finite));
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

  static void respond(Block& block, int k, const SchurForm<V>& form, decltype(V() > V()) there) {
    const V zero(0);
    const auto keep = [&](T(&to)[4 * islands], V x) { Base::store(to, k, choose(there, x, zero)); };
    keep(block.inverse_k33, form.inverse_k33);
    keep(block.k1, form.k1);
    keep(block.k2, form.k2);
    keep(block.reach, form.reach);
    const Symmetric3<V> inverse = inverse_of(form);
    keep(block.inverse_k[0], inverse.xx);
    keep(block.inverse_k[1], inverse.xy);
    keep(block.inverse_k[2], inverse.xz);
    keep(block.inverse_k[3], inverse.yy);
    keep(block.inverse_k[4], inverse.yz);
    keep(block.inverse_k[5], inverse.zz);
  }

  /// Contacts whose K is not definite, or beyond the precision's range, are faults.
  [[gnu::noinline]] static void mark(const SceneJob<T>& job, const Block& block, int k, unsigned odd,
                                     unsigned infinite) {
    Base::for_each_contact(block, [&](std::size_t place, std::size_t contact) {
      if (place / width != static_cast<std::size_t>(k) || (odd >> place % width & 1u) == 0) return;
      job.status[contact] = static_cast<std::uint8_t>(
          (infinite >> place % width & 1u) != 0 ? Status::overflow : Status::collision_matrix_not_positive_definite);
    });
  }

  /// True if the body of any island moves.
  static bool may_move(const std::int32_t (&body)[islands]) {
    std::int32_t all = -1;
    for (std::size_t island = 0; island < islands; ++island) all &= body[island];
    return all >= 0;
  }

  /// W and W K⁻¹.
  template <bool pushes_a, bool pushes_b>
  static void couple(Block& block, V mass, const UnitSpins<V> (&spins_a)[vectors],
                     const UnitSpins<V> (&spins_b)[vectors]) {
    Points inverse[6];
    for (std::size_t i = 0; i < 6; ++i) inverse[i] = Base::points(block.inverse_k[i]);
    const V zero(0);
    for_four_points([&](auto of) __attribute__((always_inline)) {
      constexpr int j = decltype(of)::value;
      const V i11 = L::template at<j>(inverse[0]), i12 = L::template at<j>(inverse[1]),
              i13 = L::template at<j>(inverse[2]), i22 = L::template at<j>(inverse[3]),
              i23 = L::template at<j>(inverse[4]), i33 = L::template at<j>(inverse[5]);
      UnitSpins<V> a, b;
      if constexpr (pushes_a) a = spins_at<j>(spins_a);
      if constexpr (pushes_b) b = spins_at<j>(spins_b);
      for (int k = 0; k < vectors; ++k) {
        const Vector3<V> ra = Base::load(block.r_a, k), rb = Base::load(block.r_b, k);
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
        Base::store(block.response[j][0], k, x);
        Base::store(block.response[j][1], k, y);
        Base::store(block.response[j][2], k, z);
        Base::store(block.stop[j][0], k, mul_add(i11, x, mul_add(i12, y, i13 * z)));
        Base::store(block.stop[j][1], k, mul_add(i12, x, mul_add(i22, y, i23 * z)));
        Base::store(block.stop[j][2], k, mul_add(i13, x, mul_add(i23, y, i33 * z)));
      }
    });
  }
  template <int j>
  static UnitSpins<V> spins_at(const UnitSpins<V> (&of)[vectors]) {
    const auto at = [&](auto field) __attribute__((always_inline)) {
      Points x;
      for (int k = 0; k < vectors; ++k) x.of[k] = field(of[k]);
      return L::template at<j>(x);
    };
    const auto vector = [&](auto of_spins) __attribute__((always_inline)) {
      return Vector3<V>{at([&](const UnitSpins<V>& s) { return of_spins(s).x; }),
                        at([&](const UnitSpins<V>& s) { return of_spins(s).y; }),
                        at([&](const UnitSpins<V>& s) { return of_spins(s).z; })};
    };
    UnitSpins<V> spins;
    spins.x = vector([](const UnitSpins<V>& s) -> const Vector3<V>& { return s.x; });
    spins.y = vector([](const UnitSpins<V>& s) -> const Vector3<V>& { return s.y; });
    spins.z = vector([](const UnitSpins<V>& s) -> const Vector3<V>& { return s.z; });
    return spins;
  }

  static void set_targets(const SceneJob<T>& job, Block& block, const Frame<V>& frame) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    const V zero(0);
    const Motion<V> now = Base::motion(block, frame, Base::gather(job.velocities, block));
    V restitution[vectors], wanted[vectors];
    load_points(contacts.restitution, block, restitution);
    for (V& x : wanted) x = zero;
    if (contacts.target_velocity.data != nullptr) load_points(contacts.target_velocity, block, wanted);
    const bool forced = job.changes != nullptr;
    Motion<V> change{};
    if (forced) {
      const auto by = Base::gather(job.changes, block);
      change = Base::motion_of(frame, by.va, by.wa, by.vb, by.wb);
    }
    Points lacks, infinite;
    for (int k = 0; k < vectors; ++k) {
      const auto here = Base::load(block.inverse_k33, k) > zero;
      const Vector3<V> ra = Base::load(block.r_a, k), rb = Base::load(block.r_b, k);
      const Vector3<V> u = velocity_at(now, ra, rb);
      const V half_change = forced ? V(T(0.5)) * velocity_at(change, ra, rb).z : zero;
      const V target = target_of(job, u.z, wanted[k], restitution[k], half_change);
      Base::store(block.target, k, target);
      Base::store(block.start, k, {u.x, u.y, u.z - target});
      lacks.of[k] = choose(here, wanted[k] - u.z, zero);
      infinite.of[k] = vanishing(lacks.of[k]);
    }
    V worst = zero, range = zero;
    for_four_points([&](auto p) __attribute__((always_inline)) {
      worst = larger(L::template at<decltype(p)::value>(lacks), worst);
      range = range + L::template at<decltype(p)::value>(infinite);
    });
    Base::store_shared(block.approach, within_range(worst, range));
  }

  static void take_impulses(const SceneJob<T>& job, Block& block, const Frame<V>& frame, V static_friction) {
    const V zero(0);
    if (job.warm_impulse.x.data == nullptr) {
      for (int k = 0; k < vectors; ++k) Base::store(block.impulse, k, {zero, zero, zero});
      return;
    }
    Vector3<V> impulse[vectors];
    load_points(job, job.warm_impulse, block, impulse);
    const V share(job.parameters.warm_start);
    for (int k = 0; k < vectors; ++k) {
      const auto taken = Base::load(block.inverse_k33, k) > zero;
      Base::store(block.impulse, k,
                  choose(taken, warm_impulse_of(share * into(frame, impulse[k]), static_friction), {zero, zero, zero}));
    }
  }
};

}  // namespace
}  // namespace carom::kernel
