// Prepare: loads the caller's columns into blocks of manifolds. Computes everything that stays constant over the
// sweeps: frames, masses, the response of every contact to an impulse, targets.
#pragma once

#include "block.hpp"
#include "model_columns.hpp"

namespace carom::kernel {
namespace {

/// Coefficient of friction of retired contacts. Its cone contains every impulse, rounding included, and its square is
/// finite.
template <class T>
inline constexpr T retired_friction = T(1e18);
/// [m/s] Upper limit of gap speeds, so that sums with them are finite.
template <class T>
inline constexpr T max_gap_speed = sizeof(T) == sizeof(float) ? T(0x1p124) : T(0x1p1020);
/// Target of an inactive contact. No velocity is below it, and the violation stays finite.
template <class T>
inline constexpr T no_target = sizeof(T) == sizeof(float) ? T(-0x1p126) : T(-0x1p1022);

template <class A, class T>
struct ManifoldStages {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Manifolds = typename Block::Manifolds;
  using Point = typename Block::Point;
  static constexpr std::size_t width = Block::width;

  static Frame<B> frame_of(const Manifolds& block) {
    return {Block::load(block.t1), Block::load(block.t2), Block::load(block.n)};
  }

  /// Velocities from the rows of the bodies, in the frame of the contact.
  [[gnu::always_inline]] static Motion<B> motion(const Manifolds& block, const Frame<B>& frame,
                                                 const typename Block::Velocity& a, const typename Block::Velocity& b) {
    const Motion<B> sum = motion_of(frame, a, b);
    return {sum.relative + Block::load(block.bias), sum.wa, sum.wb};
  }
  [[gnu::always_inline]] static Motion<B> motion_of(const Frame<B>& frame, const typename Block::Velocity& a,
                                                    const typename Block::Velocity& b) {
    return {into(frame, a.v - b.v), into(frame, a.w), into(frame, b.w)};
  }

  /// Loads four consecutive numbers of a column from each lane's first contact on; points[p] has number p of all lanes.
  /// A tile of StagedColumns is read contact by contact instead, as it would load each number twice. Numbers after a
  /// manifold's last point are undefined.
  static void load_points(const JobInput<T>& job, const Column<const T>& column, const Manifolds& block,
                          B (&points)[row_size]) {
    bool inside = is_contiguous(column) && job.contact_at == nullptr;
    for (std::size_t lane = 0; lane < width; ++lane)
      inside = inside && block.first[lane] + points_of_manifold <= job.contacts;
    if (inside) [[likely]] {
      const T* row[width];
      for (std::size_t lane = 0; lane < width; ++lane) row[lane] = column.data + block.first[lane];
      if constexpr (width == 1)
        for (std::size_t p = 0; p < points_of_manifold; ++p) points[p] = row[0][p];
      else
        load_rows<B, points_of_manifold>(row, points);
      return;
    }
    load_points_singly(job, column, block, points);
  }
  [[gnu::noinline]] static void load_points_singly(const JobInput<T>& job, const Column<const T>& column,
                                                   const Manifolds& block, B (&points)[row_size]) {
    for (std::size_t p = 0; p < points_of_manifold; ++p)
      points[p] = lanes_of<B>([&](std::size_t lane) __attribute__((always_inline)) {
        return element(column, contact_or_last(job, block, lane, p));
      });
  }
  /// Same for vectors. If the vectors are contiguous structs, the load reads one number beyond each vector, provided
  /// that a following contact guarantees that this memory exists.
  static void load_points(const JobInput<T>& job, const Vector3Columns<const T>& columns, const Manifolds& block,
                          B (&x)[row_size], B (&y)[row_size], B (&z)[row_size]) {
    if (!stand_side_by_side(columns)) {
      load_points(job, columns.x, block, x);
      load_points(job, columns.y, block, y);
      load_points(job, columns.z, block, z);
      return;
    }
    std::size_t p = 0;
    if constexpr (width > 1) {
      if (job.contact_at == nullptr && columns.x.stride >= static_cast<std::ptrdiff_t>(3 * sizeof(T)))
        for (const std::size_t last = last_first(block); p < points_of_manifold && last + p + 1 < job.contacts; ++p) {
          const T* row[width];
          for (std::size_t lane = 0; lane < width; ++lane) row[lane] = &element(columns.x, block.first[lane] + p);
          B numbers[row_size];
          load_rows<B, 4>(row, numbers);
          x[p] = numbers[0];
          y[p] = numbers[1];
          z[p] = numbers[2];
        }
    }
    for (; p < points_of_manifold; ++p)
      load_threes<B>(
          [&](std::size_t lane)
              __attribute__((always_inline)) { return &element(columns.x, contact_or_last(job, block, lane, p)); },
          x[p], y[p], z[p]);
  }

  /// The max position of a first point.
  static std::size_t last_first(const Manifolds& block) {
    std::uint32_t last = 0;
    for (const std::uint32_t first : block.first) last = first > last ? first : last;
    return last;
  }

  /// Same for an optional column. `otherwise` is its default.
  static void load_points_or(const JobInput<T>& job, const Column<const T>& column, const Manifolds& block, B otherwise,
                             B (&points)[row_size]) {
    for (B& x : points) x = otherwise;
    if (column.data != nullptr) load_points(job, column, block, points);
  }

  /// Index of the contact of point p, or of the last contact if p is larger.
  static std::size_t contact_or_last(const JobInput<T>& job, const Manifolds& block, std::size_t lane, std::size_t p) {
    const std::uint32_t last = block.items[lane] - 1;
    return contact(job, block, lane, p < last ? static_cast<std::uint32_t>(p) : last);
  }

  /// Index of the contact of a point.
  static std::size_t contact(const JobInput<T>& job, const Manifolds& block, std::size_t lane, std::size_t point) {
    return number_at(job.contact_at, block.first[lane] + static_cast<std::uint32_t>(point));
  }

  /// Index of the first contact of every lane.
  static void find_first(const JobInput<T>& job, const Manifolds& block, std::uint32_t (&first)[width]) {
    for (std::size_t lane = 0; lane < width; ++lane) first[lane] = number_at(job.contact_at, block.first[lane]);
  }

  /// A number of the first contact of every lane.
  static B load_first(const Column<const T>& column, const std::uint32_t (&first)[width]) {
    if (column.stride == 0) return B(*column.data);
    return lanes_of<B>([&](std::size_t lane) __attribute__((always_inline)) { return element(column, first[lane]); });
  }
  static Vector3<B> load_first(const Vector3Columns<const T>& columns, const std::uint32_t (&first)[width]) {
    if (!stand_side_by_side(columns))
      return {load_first(columns.x, first), load_first(columns.y, first), load_first(columns.z, first)};
    Vector3<B> v;
    load_threes<B>(
        [&](std::size_t lane) __attribute__((always_inline)) { return &element(columns.x, first[lane]); }, v.x, v.y,
        v.z);
    return v;
  }

  /// The lanes of point p that are contacts.
  static Mask in_use(const Manifolds& block, std::size_t p) {
    return Block::load(block.in_lane) > B(static_cast<T>(p));
  }

  static void prepare(const SceneJob<T>& job, std::byte* memory) {
    Manifolds& block = *reinterpret_cast<Manifolds*>(memory);
    typename Block::Side a, b;
    Block::find_bodies(job, job.manifolds, block, a, b);
    block.head.on_world = true;
    for (const std::int32_t body : block.b)
      block.head.on_world = block.head.on_world && body == ~static_cast<std::int32_t>(job.bodies);
    const SceneContacts<T>& contacts = job.scene->contacts;
    const B zero(0);

    std::uint32_t first[width];
    find_first(job, block, first);
    Frame<B> frame = frame_of_normal(load_first(contacts.normal, first));
    if (block.head.models != 0) frame = frame_with_axes<ManifoldStages>(job, first, frame);
    Block::store(block.t1, frame.t1);
    Block::store(block.t2, frame.t2);
    Block::store(block.n, frame.n);
    const B friction = load_first(contacts.friction, first);
    Block::store(block.friction, bounded_friction(friction));
    Block::store(block.static_friction,
                 bounded_friction(contacts.static_friction.data != nullptr ? load_first(contacts.static_friction, first)
                                                                           : friction));

    const auto body = [&](const typename Block::Side& side, auto& mass, auto& inertia) {
      const auto given = Block::load_mass(side);
      Block::store(mass, given.mass);
      const Symmetric3<B> j = into(frame, given.inertia);
      Block::store(inertia, j);
      return j;
    };
    const Symmetric3<B> ja = body(a, block.mass_a, block.inertia_a);
    const Symmetric3<B> jb = body(b, block.mass_b, block.inertia_b);
    const B m = Block::load(block.mass_a) + Block::load(block.mass_b);

    Vector3<B> bias = {zero, zero, zero};
    if (contacts.surface_velocity.x.data != nullptr)
      bias = bias_of(frame, load_first(contacts.surface_velocity, first));
    Block::store(block.bias, bias);

    B r_a[3][row_size], r_b[3][row_size];
    load_points(job, contacts.r_a, block, r_a[0], r_a[1], r_a[2]);
    load_points(job, contacts.r_b, block, r_b[0], r_b[1], r_b[2]);
    B separation[row_size];
    const bool has_gap = job.reads_gap && contacts.separation.data != nullptr;
    if (has_gap) load_points(job, contacts.separation, block, separation);
    const Mask has_r_a = load_lanes<B>(a.has_arms) > zero, has_r_b = load_lanes<B>(b.has_arms) > zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      const Mask used = in_use(block, p);
      const Vector3<B> none = {zero, zero, zero};
      const Vector3<B> ra = lever_arm(frame, Vector3<B>{r_a[0][p], r_a[1][p], r_a[2][p]}, used && has_r_a);
      const Vector3<B> rb = lever_arm(frame, Vector3<B>{r_b[0][p], r_b[1][p], r_b[2][p]}, used && has_r_b);
      Block::store(point.r_a, ra);
      Block::store(point.r_b, rb);
      const Symmetric3<B> k = collision_matrix(m, ja, ra, jb, rb);
      const B gap_speed = has_gap ? separation[p] * B(job.parameters.inverse_time_step) : zero, most(max_gap_speed<T>);
      const B reach = choose(used, larger(smaller(gap_speed, most), negated(most)), zero);
      if (is_at_once(job.target)) {
        Block::store(point.response, used, schur_form(k));
      } else {
        Block::store(point.response, used, normal_first_form(k));
        Block::store(point.response.reach, reach);
      }
      Block::store(point.impulse, none);
      mark_singular(job, block, p, Definiteness<B>::of(used, k, m, ja, ra, jb, rb), used);
    }
    // Impulses of contacts with models have other limits.
    if (block.head.models == 0) take_impulses(job, block, frame);
    if (job.begun[3] == nullptr) return set_targets(job, block, frame, ~std::uint32_t{0});
    for (std::size_t p = 0; p < block.head.count; ++p) Block::store(block.point()[p].target, B(no_target<T>));
    for_each_point(job, block, all_lanes(block), [&](Point& point, std::size_t lane, std::size_t contact) {
      point.target[lane] = job.begun[3][contact];
    });
    store_violation(block.head, zero);
  }

  /// Deactivates contacts whose K is not definite or exceeds the range of the precision.
  static void mark_singular(const SceneJob<T>& job, Manifolds& block, std::size_t p, const Definiteness<B>& found,
                            Mask used) {
    const Mask finite = found.finite;
    const unsigned odd = lane_bits(used) & ~lane_bits(finite && found.definite);
    if (odd == 0) [[likely]]
      return;
    const bool is_fault = job.level_of_body == nullptr;  // else only the body that is not held lacks a response
    const unsigned infinite = ~lane_bits(finite);
    Point& point = block.point()[p];
    for_each_bit(odd, [&](std::size_t lane) {
      const Status status =
          (infinite >> lane & 1u) != 0 ? Status::overflow : Status::collision_matrix_not_positive_definite;
      if (is_fault) job.status[contact(job, block, lane, p)] = static_cast<std::uint8_t>(status);
      Block::clear(point.response, lane);
      point.response.reach[lane] = T(0);
      for (std::size_t i = 0; i < 3; ++i) point.r_a[i][lane] = point.r_b[i][lane] = T(0);
    });
  }

  /// Initial impulses: from the previous pass, else the caller's warm impulses.
  static void take_impulses(const SceneJob<T>& job, Manifolds& block, const Frame<B>& frame) {
    const B zero(0);
    if (job.begun[0] != nullptr) {
      for_each_point(job, block, all_lanes(block), [&](Point& point, std::size_t lane, std::size_t contact) {
        for (std::size_t i = 0; i < 3; ++i) point.impulse[i][lane] = job.begun[i][contact];
      });
      return;
    }
    if (job.warm_impulse.x.data == nullptr || !is_at_once(job.target)) return;
    B x[row_size], y[row_size], z[row_size];
    load_points(job, job.warm_impulse, block, x, y, z);
    const B share(job.parameters.warm_start), friction = Block::load(block.static_friction);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      const Vector3<B> given = share * into(frame, Vector3<B>{x[p], y[p], z[p]});
      const Mask taken = in_use(block, p) && Block::load(point.response.inverse_k33) > zero;
      Block::store(point.impulse, choose(taken, warm_impulse_of(given, friction), {zero, zero, zero}));
    }
  }

  /// Sets targets from the velocities of the bodies, and stores by how much the contacts violate the caller's target
  /// velocities.
  static void set_targets(const SceneJob<T>& job, Manifolds& block, const Frame<B>& frame, std::uint32_t lanes) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    T in_turn[width];
    for (std::size_t lane = 0; lane < width; ++lane) in_turn[lane] = (lanes >> lane & 1u) != 0 ? T(1) : T(0);
    const Mask turn = load_lanes<B>(in_turn) > B(0);
    const B zero(0), none(no_target<T>);
    const Motion<B> now =
        motion(block, frame, Block::gather(job.velocities, block.a), Block::gather(job.velocities, block.b));
    B restitution[row_size], wanted[row_size];
    load_points(job, contacts.restitution, block, restitution);
    if (block.head.models != 0) take_restitution<ManifoldStages>(job, block, restitution);
    load_points_or(job, contacts.target_velocity, block, zero, wanted);
    const bool forced = job.changes != nullptr;
    Motion<B> change;
    if (forced) change = motion_of(frame, Block::gather(job.changes, block.a), Block::gather(job.changes, block.b));
    B worst = zero, range = zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      const Mask used = in_use(block, p) && Block::load(point.response.inverse_k33) > zero;
      const B normal = velocity_at(now, Block::load(point.r_a), Block::load(point.r_b)).z;
      B target = wanted[p];
      B missed = target - normal;
      Mask part = used;
      // The criterion for rest ignores the forces of the step.
      const B by_forces = forced ? velocity_at(change, Block::load(point.r_a), Block::load(point.r_b)).z : zero;
      const Mask approaches = missed + by_forces > B(job.parameters.rest_speed);
      if (job.target == Target::resting) {
        part = and_not(used, approaches);
        missed = target - predict(now, Block::load(point.r_a), Block::load(point.r_b),
                                  Block::load(point.response.reach), B(job.parameters.time_step))
                              .separation;
      } else {
        target = target_of(job, normal, target, restitution[p], B(T(0.5)) * by_forces);
        if (job.target == Target::touching) part = and_not(used, missed < zero);
        if (job.target == Target::colliding) {
          // A contact collides in the step in which its gap closes.
          const B reach = Block::load(point.response.reach);
          part = and_not(used && approaches, reach > zero && normal + reach >= zero);
        }
      }
      Block::store(point.target, choose(turn, choose(part, target, none), Block::load(point.target)));
      const B lacks = choose(part, missed, zero);
      worst = larger(lacks, worst);
      range = range + vanishing(lacks);
    }
    store_violation(block.head, choose(turn, within_range(worst, range), load_lanes<B>(block.head.violation)));
  }

  static void store_violation(BlockHead<T>& head, B worst) { store_lanes(head.violation, worst); }

  static std::uint32_t all_lanes(const Manifolds& block) { return (1u << block.head.lanes) - 1; }

  /// Calls f(point, lane, contact) for every contact in the lanes.
  template <class F>
  static void for_each_point(const SceneJob<T>& job, Manifolds& block, std::uint32_t lanes, F&& f) {
    for (std::size_t p = 0; p < block.head.count; ++p)
      for_each_bit(lanes, [&](std::size_t lane) {
        if (p < block.items[lane]) f(block.point()[p], lane, contact(job, block, lane, p));
      });
  }

  static void retarget(const SceneJob<T>& job, std::byte* memory, std::uint32_t lanes) {
    Manifolds& block = *reinterpret_cast<Manifolds*>(memory);
    for_each_point(job, block, lanes, [&](Point& point, std::size_t lane, std::size_t contact) {
      for (std::size_t i = 0; i < 3; ++i) {
        job.impulse_sum[i][contact] += point.impulse[i][lane];
        point.impulse[i][lane] = T(0);
      }
    });
    set_targets(job, block, frame_of(block), lanes);
  }

  /// Without response and with unlimited friction every impulse stays as it is, and the bodies do not move.
  static void retire(Manifolds& block, std::uint32_t lanes) {
    for_each_bit(lanes, [&](std::size_t lane) {
      hold(block.a[lane]);
      hold(block.b[lane]);
      block.static_friction[lane] = retired_friction<T>;
    });
    for (std::size_t p = 0; p < block.head.count; ++p)
      for_each_bit(lanes, [&](std::size_t lane) { Block::clear(block.point()[p].response, lane); });
  }

  static void keep(const SceneJob<T>& job, Manifolds& block, std::uint32_t lanes) {
    for_each_point(job, block, lanes, [&](Point& point, std::size_t lane, std::size_t contact) {
      for (std::size_t i = 0; i < 3; ++i) job.kept[i][contact] = point.impulse[i][lane];
    });
    copy_velocities(block, lanes, job.velocities, job.kept_velocities);
  }
  static void return_to_kept(const SceneJob<T>& job, Manifolds& block, std::uint32_t lanes) {
    for_each_point(job, block, lanes, [&](Point& point, std::size_t lane, std::size_t contact) {
      for (std::size_t i = 0; i < 3; ++i) point.impulse[i][lane] = job.kept[i][contact];
    });
    copy_velocities(block, lanes, job.kept_velocities, job.velocities);
  }

  static void carry(const SceneJob<T>& job, Manifolds& block) {
    for_each_point(job, block, all_lanes(block), [&](Point& point, std::size_t lane, std::size_t contact) {
      for (std::size_t i = 0; i < 3; ++i) job.carried[i][contact] = point.impulse[i][lane];
      job.carried[3][contact] = point.target[lane];
    });
  }
};

}  // namespace
}  // namespace carom::kernel
