// Blocks: manifolds of contacts and groups of joint rows, one per lane. Velocities, r_a, r_b and impulses of a manifold
// are in the frame of its contacts (t1, t2, n), so that the axis of the cone is a coordinate.
#pragma once

#include "scene/kernels/contact_step/contact_step.hpp"
#include "simd/kernels/lanes/transpose.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct Blocks {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  using Lane = T[width];

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

  struct alignas(64) Manifolds {
    BlockHead<T> head;
    std::int32_t a[width], b[width];           // velocity rows; ~row of a body that does not move
    std::uint32_t first[width], items[width];  // places, contacts
    Lane in_lane;                              // as `items`, 0 of idle lanes
    Lane t1[3], t2[3], n[3];
    Lane bias[3];  // part of u that does not come from the bodies' velocities
    Lane friction, static_friction;
    Lane mass_a, mass_b;  // inverse
    Lane inertia_a[6], inertia_b[6];

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

  struct alignas(64) Groups {
    BlockHead<T> head;
    std::int32_t a[width], b[width];
    std::uint32_t first[width], items[width];  // positions; numbers of rows
    Lane in_lane;                              // as `items`; 0 in inactive lanes
    Lane mass_a, mass_b;
    Lane inertia_a[6], inertia_b[6];
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

  [[gnu::always_inline]] static B load(const Lane& lane) { return load_lanes<B>(lane); }
  [[gnu::always_inline]] static Vector3<B> load(const Lane (&lanes)[3]) {
    return {load(lanes[0]), load(lanes[1]), load(lanes[2])};
  }
  [[gnu::always_inline]] static Symmetric3<B> load(const Lane (&lanes)[6]) {
    return {load(lanes[0]), load(lanes[1]), load(lanes[2]), load(lanes[3]), load(lanes[4]), load(lanes[5])};
  }
  [[gnu::always_inline]] static void store(Lane& lane, B x) { store_lanes(lane, x); }
  [[gnu::always_inline]] static void store(Lane (&lanes)[3], const Vector3<B>& v) {
    store(lanes[0], v.x);
    store(lanes[1], v.y);
    store(lanes[2], v.z);
  }
  [[gnu::always_inline]] static void store(Lane (&lanes)[6], const Symmetric3<B>& m) {
    store(lanes[0], m.xx);
    store(lanes[1], m.xy);
    store(lanes[2], m.xz);
    store(lanes[3], m.yy);
    store(lanes[4], m.yz);
    store(lanes[5], m.zz);
  }

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

  struct Velocity {
    Vector3<B> v, w;
  };

  using Side = BodySide<T, width>;

  /// Finds the items of a block and their bodies, of manifolds or of groups of rows.
  template <class Items>
  static void find_bodies(const SceneJob<T>& job, const Constraint* list, Items& block, Side& a, Side& b) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      const bool idle = lane >= block.head.lanes;
      const Constraint& m = list[block.head.manifold[idle ? 0 : lane]];
      block.first[lane] = m.first;
      block.items[lane] = m.count;
      block.in_lane[lane] = idle ? T(0) : static_cast<T>(m.count);
      block.a[lane] = a.set(job, lane, m.body_a, m.body_b, idle);
      block.b[lane] = b.set(job, lane, m.body_b, m.body_a, idle);
    }
  }

  static MassAndInertia<B> load_mass(const Side& side) {
    B c[row_size];
    load_rows<B, 8>(side.record, c);
    return mass_of_movable(c, load_lanes<B>(side.moves) > B(0));
  }

  [[gnu::always_inline]] static Velocity gather(const VelocityRow<T>* rows, const std::int32_t (&index)[width]) {
    const T* row[width];
    for (std::size_t lane = 0; lane < width; ++lane) row[lane] = rows[index[lane] ^ (index[lane] >> 31)].numbers;
    B c[row_size];
    load_rows<B, width == 1 ? 6 : 16 / sizeof(T) == 4 ? 8 : 6>(row, c);
    return {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
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
