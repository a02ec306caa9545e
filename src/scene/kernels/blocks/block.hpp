// Blocks: manifolds of contacts and groups of joint rows, one per lane. Velocities, r_a, r_b and impulses of a manifold
// are in the frame of its contacts (t1, t2, n), so that the axis of the cone is a coordinate.
#pragma once

#include "scene/kernels/contact_step/contact_step.hpp"
#include "simd/kernels/lanes/transpose.hpp"

namespace carom::kernel {
namespace {

/// Vectors in memory. A number that all lanes share takes one place.
template <class Vector>
struct LaneMemory {
  using V = Vector;
  using T = VectorElement<V>;
  using Mask = decltype(V() > V());
  static constexpr std::size_t width = VectorTraits<V>::width;
  using Lane = T[width];

  template <std::size_t places>
  [[gnu::always_inline]] static V load(const T (&lanes)[places]) {
    if constexpr (places == 1)
      return V(*lanes);
    else
      return load_lanes<V>(lanes);
  }
  template <std::size_t places>
  [[gnu::always_inline]] static Vector3<V> load(const T (&lanes)[3][places]) {
    return {load(lanes[0]), load(lanes[1]), load(lanes[2])};
  }
  template <std::size_t places>
  [[gnu::always_inline]] static Symmetric3<V> load(const T (&lanes)[6][places]) {
    return {load(lanes[0]), load(lanes[1]), load(lanes[2]), load(lanes[3]), load(lanes[4]), load(lanes[5])};
  }
  template <std::size_t places>
  [[gnu::always_inline]] static void store(T (&lanes)[places], V x) {
    if constexpr (places == width) {
      store_lanes(lanes, x);
    } else {
      T all[width];
      store_lanes(all, x);
      lanes[0] = all[0];
    }
  }
  template <std::size_t places>
  [[gnu::always_inline]] static void store(T (&lanes)[3][places], const Vector3<V>& v) {
    store(lanes[0], v.x);
    store(lanes[1], v.y);
    store(lanes[2], v.z);
  }
  template <std::size_t places>
  [[gnu::always_inline]] static void store(T (&lanes)[6][places], const Symmetric3<V>& m) {
    store(lanes[0], m.xx);
    store(lanes[1], m.xy);
    store(lanes[2], m.xz);
    store(lanes[3], m.yy);
    store(lanes[4], m.yz);
    store(lanes[5], m.zz);
  }
};

/// Constraints side by side: one per lane, or a single constraint for all lanes.
template <class T, std::size_t size>
struct ConstraintLanes {
  std::int32_t a[size], b[size];           // velocity rows; ~row of a body that does not move
  std::uint32_t first[size], items[size];  // places; contacts or rows
  T in_lane[size];                         // as `items`, 0 of idle lanes
  T mass_a[size], mass_b[size];            // inverse
  T inertia_a[6][size], inertia_b[6][size];
};
/// Manifolds side by side, without their points.
template <class T, std::size_t size>
struct ManifoldLanes : ConstraintLanes<T, size> {
  T t1[3][size], t2[3][size], n[3][size];
  T bias[3][size];  // part of u that does not come from the bodies' velocities
  T friction[size], static_friction[size];
};

/// Bodies of constraints side by side.
template <class Vector, std::size_t size>
struct ConstraintBodies : LaneMemory<Vector> {
  using V = Vector;
  using T = VectorElement<V>;
  static constexpr std::size_t width = VectorTraits<V>::width;
  static_assert(size == width || size == 1);
  using Side = BodySide<T, size>;
  using Velocity = kernel::Velocity<V>;

  /// Finds the items and the bodies of constraints. `constraint(lane)` exists in every lane, and the first `used`
  /// lanes are in use.
  template <class Constraints>
  static void find_bodies(const SceneJob<T>& job, std::size_t used, const Constraints& constraint,
                          ConstraintLanes<T, size>& block, Side& a, Side& b) {
    for (std::size_t lane = 0; lane < size; ++lane) {
      const bool idle = lane >= used;
      const Constraint& of = constraint(lane);
      block.first[lane] = of.first;
      block.items[lane] = of.count;
      block.in_lane[lane] = idle ? T(0) : static_cast<T>(of.count);
      block.a[lane] = a.set(job, lane, of.body_a, of.body_b, idle);
      block.b[lane] = b.set(job, lane, of.body_b, of.body_a, idle);
    }
  }

  template <std::size_t columns>
  [[gnu::always_inline]] static void load_records(const T* const* row, V (&lanes)[row_size]) {
    if constexpr (size == width)
      load_rows<V, columns>(row, lanes);
    else
      for (std::size_t c = 0; c < columns; ++c) lanes[c] = V(row[0][c]);
  }
  static MassAndInertia<V> load_mass(const Side& side) {
    V c[row_size];
    load_records<8>(side.record, c);
    return mass_of_movable(c, LaneMemory<V>::load(side.moves) > V(0));
  }
  [[gnu::always_inline]] static Velocity gather(const VelocityRow<T>* rows, const std::int32_t (&index)[size]) {
    const T* row[size];
    for (std::size_t lane = 0; lane < size; ++lane) row[lane] = rows[index[lane] ^ (index[lane] >> 31)].numbers;
    V c[row_size];
    load_records<6>(row, c);
    return {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
  }
};

template <class A, class T>
struct Blocks : ConstraintBodies<typename LaneTypes<A, T>::Batch, LaneTypes<A, T>::width> {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  using Lane = T[width];
  using Bodies = ConstraintBodies<B, width>;
  using Bodies::load, Bodies::store;
  using typename Bodies::Side, typename Bodies::Velocity;

  /// The linear relation between an impulse on one contact and its velocity: schur_form of PGS and substeps, else
  /// normal_first_form. `inverse_k33` is 0 in lanes without a contact.
  struct Response : ContactForm<Lane> {
    Lane reach;  // SchurForm::reach; resting: gap / h
  };

  struct alignas(16) Point {
    Lane r_a[3], r_b[3];
    Response response;
    Lane target;
    Lane impulse[3];
  };

  struct Head {
    BlockHead<T> head;
  };
  struct alignas(64) Manifolds : Head, ManifoldLanes<T, width> {
    Point* point() { return reinterpret_cast<Point*>(this + 1); }
  };

  struct alignas(16) JointRow {
    Lane linear_a[3], angular_a[3], linear_b[3], angular_b[3];
    Lane target, compliance;
    Lane inverse_response;  // 0: there is no row in this lane
    Lane least, largest;
    Lane impulse;
    Lane before;  // J v when the row was prepared
  };

  struct alignas(64) Groups : Head, ConstraintLanes<T, width> {
    Lane inverse_triple[6];  // see Triples
    std::uint32_t triples;   // bits of lanes
    // Substeps: additional angular velocity of the bodies if the accumulated impulses act at the present r_a and r_b.
    Lane turned_a[3], turned_b[3];

    JointRow* row() { return reinterpret_cast<JointRow*>(this + 1); }
  };

  // Follow the points or rows of a block with Target::substeps.
  struct alignas(16) SubstepHead {
    Lane still_a, still_b;  // 1 for bodies that are immovable
  };
  struct alignas(16) SubstepPoint {
    Lane separation, least;  // at the start of the step; SceneContacts::target_velocity
    Lane slop;               // penetration that is not corrected
    Lane sum[3];             // impulse of the previous substeps
  };
  // After these, if contacts have a frequency.
  struct alignas(16) SoftPoint {
    Response hard, soft;  // without the compliance, and with it
    Lane compliance;
    Lane rate;  // fraction of the overlap that is corrected per second
  };
  struct alignas(16) SubstepRow {
    Lane error, wanted;  // at the start of the step; JointRows::target_velocity
    Lane error_now;
    Lane rate, share;  // of the error that goes in a second, of the row's full answer
    Lane answer;       // `share` where the row is held, 1 where it is slack
    Lane sum;
    Lane r_a[3], r_b[3];
  };
  static SubstepHead& substep_head(Manifolds& block) {
    return *reinterpret_cast<SubstepHead*>(block.point() + block.head.count);
  }
  static SubstepPoint* substep_point(Manifolds& block) {
    return reinterpret_cast<SubstepPoint*>(&substep_head(block) + 1);
  }
  static SoftPoint* soft_point(Manifolds& block) {
    return reinterpret_cast<SoftPoint*>(substep_point(block) + block.head.count);
  }
  static SubstepHead& substep_head(Groups& block) {
    return *reinterpret_cast<SubstepHead*>(block.row() + block.head.count);
  }
  static SubstepRow* substep_row(Groups& block) { return reinterpret_cast<SubstepRow*>(&substep_head(block) + 1); }

  [[gnu::always_inline]] static ContactForm<B> load(const ContactForm<Lane>& of) {
    return {load(of.inverse_k33), load(of.k1), load(of.k2), load(of.s11), load(of.s12), load(of.s22)};
  }
  static void store(ContactForm<Lane>& to, Mask used, const ContactForm<B>& k) {
    store_used(used, to.inverse_k33, k.inverse_k33, to.k1, k.k1, to.k2, k.k2);
    store_used(used, to.s11, k.s11, to.s12, k.s12, to.s22, k.s22);
  }
  static void store(Response& to, Mask used, const SchurForm<B>& k) {
    store(static_cast<ContactForm<Lane>&>(to), used, k);
    store_used(used, to.reach, k.reach);
  }
  /// Stores pairs of lanes and numbers, or 0 where the mask is false.
  template <class... More>
  [[gnu::always_inline]] static void store_used(Mask used, Lane& to, B x, More&&... more) {
    store(to, choose(used, x, B(0)));
    if constexpr (sizeof...(more) > 0) store_used(used, more...);
  }
  /// Removes the response of a lane.
  static void clear(ContactForm<Lane>& r, std::size_t lane) {
    r.inverse_k33[lane] = r.k1[lane] = r.k2[lane] = r.s11[lane] = r.s12[lane] = r.s22[lane] = T(0);
  }

  /// Finds the items of a block and their bodies, of manifolds or of groups of rows.
  template <class Items>
  static void find_bodies(const SceneJob<T>& job, const Constraint* list, Items& block, Side& a, Side& b) {
    const auto& head = block.head;
    const auto constraint = [&](std::size_t lane) -> const Constraint& {
      return list[head.manifold[lane < head.lanes ? lane : 0]];
    };
    Bodies::find_bodies(job, head.lanes, constraint, block, a, b);
  }

  /// Rows of bodies that do not move go `dummy_body`, so that no two threads write to one place.
  [[gnu::always_inline]] static void scatter(VelocityRow<T>* rows, const std::int32_t (&index)[width],
                                             const Velocity& velocity, VelocityRow<T>* dummy_body) {
    T* row[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      row[lane] = (index[lane] < 0 ? dummy_body : rows + index[lane])->numbers;
    const B c[6] = {velocity.v.x, velocity.v.y, velocity.v.z, velocity.w.x, velocity.w.y, velocity.w.z};
    store_rows<B>(row, c);
  }
};

/// Copies the velocities of the bodies that move in these lanes of a block.
template <class Block, class T>
inline void copy_velocities(const Block& block, std::uint32_t lanes, const VelocityRow<T>* from, VelocityRow<T>* to) {
  const auto copy = [&](std::int32_t body) {
    if (body >= 0) to[body] = from[body];
  };
  for_each_bit(lanes, [&](std::size_t lane) {
    copy(block.a[lane]);
    copy(block.b[lane]);
  });
}

/// Marks a body as held by a negative index: it is read, but not changed.
inline void hold(std::int32_t& index) {
  index = index < 0 ? index : ~index;
}

}  // namespace
}  // namespace carom::kernel
