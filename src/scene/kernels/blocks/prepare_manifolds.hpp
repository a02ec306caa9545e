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

/// Manifolds side by side: one per lane, with a vector for every point, or a single one with its points on the lanes.
template <class Vector, std::size_t size>
struct ManifoldColumns : ConstraintBodies<Vector, size> {
  using Bodies = ConstraintBodies<Vector, size>;
  using Bodies::gather, Bodies::load, Bodies::store, Bodies::width;
  using typename Bodies::Mask, typename Bodies::Side, typename Bodies::T, typename Bodies::V, typename Bodies::Velocity;
  using Block = ManifoldLanes<T, size>;
  static constexpr std::size_t vectors = points_of_manifold * size / width;  // of a number of all points

  static Frame<V> frame_of(const Block& block) { return {load(block.t1), load(block.t2), load(block.n)}; }

  /// Velocities from the rows of the bodies, in the frame of the contact.
  [[gnu::always_inline]] static Motion<V> motion(const Block& block, const Frame<V>& frame, const Velocity& a,
                                                 const Velocity& b) {
    const Motion<V> sum = motion_of(frame, a, b);
    return {sum.relative + load(block.bias), sum.wa, sum.wb};
  }
  /// Changes of the velocities by the forces of the step.
  [[gnu::always_inline]] static Motion<V> motion_by_forces(const SceneJob<T>& job, const Block& block,
                                                           const Frame<V>& frame) {
    if (job.changes == nullptr) return {};
    return motion_of(frame, gather(job.changes, block.a), gather(job.changes, block.b));
  }

  /// The lanes of vector k that are contacts.
  static Mask in_use(const Block& block, std::size_t k) {
    if constexpr (size == width) {
      return load(block.in_lane) > V(static_cast<T>(k));
    } else {
      static constexpr T point[width] = {0, 1, 2, 3};
      return load(block.in_lane) > load(point);
    }
  }

  /// Loads four consecutive numbers of a column from the first contact of every manifold on.
  static void load_fours(const Column<const T>& column, const std::uint32_t* first, V (&points)[vectors]) {
    if constexpr (vectors == 1) {
      points[0] = load_lanes<V>(column.data + first[0]);
    } else {
      const T* row[size];
      for (std::size_t lane = 0; lane < size; ++lane) row[lane] = column.data + first[lane];
      V numbers[row_size];
      load_rows<V, points_of_manifold>(row, numbers);
      for (std::size_t p = 0; p < vectors; ++p) points[p] = numbers[p];
    }
  }
  /// Loads numbers of the contacts contact(k, lane).
  template <class Contact>
  [[gnu::always_inline]] static void load_singly(const Column<const T>& column, const Contact& contact,
                                                 V (&points)[vectors]) {
    for (std::size_t k = 0; k < vectors; ++k)
      points[k] = lanes_of<V>([&](std::size_t lane)
                                  __attribute__((always_inline)) { return element(column, contact(k, lane)); });
  }
  /// Loads vectors of the contacts contact(lane), which are contiguous structs. If `reads_beyond`, also reads the
  /// number beyond each vector.
  template <class Contact>
  [[gnu::always_inline]] static Vector3<V> load_structs(const Vector3Columns<const T>& columns, bool reads_beyond,
                                                        const Contact& contact) {
    const auto at = [&](std::size_t lane) __attribute__((always_inline)) {
      return &element(columns.x, contact(lane));
    };
    if constexpr (width > 1)
      if (reads_beyond && columns.x.stride >= static_cast<std::ptrdiff_t>(3 * sizeof(T))) {
        const T* row[width];
        for (std::size_t lane = 0; lane < width; ++lane) row[lane] = at(lane);
        V numbers[row_size];
        load_rows<V, 4>(row, numbers);
        return {numbers[0], numbers[1], numbers[2]};
      }
    Vector3<V> v;
    load_threes<V>(at, v.x, v.y, v.z);
    return v;
  }
  /// Loads vectors from columns that are no structs. `load` loads numbers.
  template <class Load>
  [[gnu::always_inline]] static void load_components(const Vector3Columns<const T>& columns, const Load& load,
                                                     Vector3<V> (&points)[vectors]) {
    V x[vectors], y[vectors], z[vectors];
    load(columns.x, x);
    load(columns.y, y);
    load(columns.z, z);
    for (std::size_t k = 0; k < vectors; ++k) points[k] = {x[k], y[k], z[k]};
  }

  /// A number of the first contact of every manifold.
  static V load_first(const Column<const T>& column, const std::uint32_t* first) {
    if constexpr (size != width) return V(element(column, first[0]));
    if (column.stride == 0) return V(*column.data);
    return lanes_of<V>([&](std::size_t lane) __attribute__((always_inline)) { return element(column, first[lane]); });
  }
  static Vector3<V> load_first(const Vector3Columns<const T>& columns, const std::uint32_t* first) {
    if (size != width || !stand_side_by_side(columns))
      return {load_first(columns.x, first), load_first(columns.y, first), load_first(columns.z, first)};
    return load_structs(
        columns, false, [&](std::size_t lane) __attribute__((always_inline)) { return std::size_t{first[lane]}; });
  }

  /// Common data of a manifold that the preparation of its points reads.
  struct Shared {
    V static_friction, mass;  // sum of the inverse masses
    Symmetric3<V> inertia_a, inertia_b;
  };
  /// Fills the common data of the points. `first`: the first contact of every manifold. Mass and inertia of an
  /// immovable body are zero; with `skips_immovable` these zeros may have other signs.
  template <bool skips_immovable>
  [[gnu::always_inline]] static Shared prepare_shared(const SceneJob<T>& job, Block& block, const Frame<V>& frame,
                                                      const Side& a, const Side& b, const std::uint32_t* first) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    const V zero(0);
    store(block.t1, frame.t1);
    store(block.t2, frame.t2);
    store(block.n, frame.n);
    const V friction = load_first(contacts.friction, first);
    store(block.friction, bounded_friction(friction));
    const V static_friction = bounded_friction(
        contacts.static_friction.data != nullptr ? load_first(contacts.static_friction, first) : friction);
    store(block.static_friction, static_friction);

    const auto body = [&](const Side& side, const std::int32_t(&index)[size], T(&mass)[size], T(&inertia)[6][size]) {
      MassAndInertia<V> given = {zero, {zero, zero, zero, zero, zero, zero}};
      if (!skips_immovable || may_move(index)) {
        given = Bodies::load_mass(side);
        given.inertia = into(frame, given.inertia);
      }
      store(mass, given.mass);
      store(inertia, given.inertia);
      return given;
    };
    const MassAndInertia<V> of_a = body(a, block.a, block.mass_a, block.inertia_a);
    const MassAndInertia<V> of_b = body(b, block.b, block.mass_b, block.inertia_b);
    Vector3<V> bias = {zero, zero, zero};
    if (contacts.surface_velocity.x.data != nullptr)
      bias = bias_of(frame, load_first(contacts.surface_velocity, first));
    store(block.bias, bias);
    return {static_friction, of_a.mass + of_b.mass, of_a.inertia, of_b.inertia};
  }
  /// True if the body of any lane moves.
  static bool may_move(const std::int32_t (&body)[size]) {
    std::int32_t all = -1;
    for (const std::int32_t index : body) all &= index;
    return all >= 0;
  }

  /// A vector for every point.
  struct PointVectors {
    V component[3][vectors];

    void set(std::size_t k, const Vector3<V>& v) {
      component[0][k] = v.x;
      component[1][k] = v.y;
      component[2][k] = v.z;
    }
  };
  /// Stores vectors of the points. `lanes`: manifolds in use. `whole`: each has four points, whose contacts are
  /// consecutive from `first` on; else for_each(f) calls f(k, lane, contact) for the contacts.
  template <class ForEach>
  static void store_points(const Vector3Columns<T>& columns, bool whole, const std::uint32_t* first,
                           std::uint32_t lanes, const PointVectors& points, const ForEach& for_each) {
    const Column<T>* const each[3] = {&columns.x, &columns.y, &columns.z};
    for (std::size_t c = 0; c < 3; ++c) {
      const Column<T>& column = *each[c];
      if (column.data == nullptr) continue;
      if (whole && is_contiguous(column)) {
        if constexpr (vectors == 1) {
          store_lanes(column.data + first[0], points.component[c][0]);
        } else {
          T idle[points_of_manifold];
          T* row[size];
          for (std::size_t lane = 0; lane < size; ++lane)
            row[lane] = (lanes >> lane & 1u) != 0 ? column.data + first[lane] : idle;
          store_four(row, points.component[c]);
        }
        continue;
      }
      T values[vectors][width];
      for (std::size_t k = 0; k < vectors; ++k) store(values[k], points.component[c][k]);
      for_each(
          [&](std::size_t k, std::size_t lane, std::size_t contact) { element(column, contact) = values[k][lane]; });
    }
  }
};

template <class A, class T>
struct ManifoldStages : ManifoldColumns<typename LaneTypes<A, T>::Batch, LaneTypes<A, T>::width> {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Manifolds = typename Block::Manifolds;
  using Point = typename Block::Point;
  static constexpr std::size_t width = Block::width;
  using Columns = ManifoldColumns<B, width>;

  /// Loads four consecutive numbers of a column from each lane's first contact on; points[p] has number p of all lanes.
  /// A tile of StagedColumns is read contact by contact instead, as it would load each number twice. Numbers after a
  /// manifold's last point are undefined.
  static void load_points(const JobInput<T>& job, const Column<const T>& column, const Manifolds& block,
                          B (&points)[points_of_manifold]) {
    bool inside = is_contiguous(column) && job.contact_at == nullptr;
    for (std::size_t lane = 0; lane < width; ++lane)
      inside = inside && block.first[lane] + points_of_manifold <= job.contacts;
    if (inside) [[likely]]
      return Columns::load_fours(column, block.first, points);
    load_points_singly(job, column, block, points);
  }
  [[gnu::noinline]] static void load_points_singly(const JobInput<T>& job, const Column<const T>& column,
                                                   const Manifolds& block, B (&points)[points_of_manifold]) {
    Columns::load_singly(
        column, [&](std::size_t p, std::size_t lane) { return contact_or_last(job, block, lane, p); }, points);
  }
  /// Same for vectors. If the vectors are contiguous structs, the load reads one number beyond each vector, provided
  /// that a following contact guarantees that this memory exists.
  static void load_points(const JobInput<T>& job, const Vector3Columns<const T>& columns, const Manifolds& block,
                          Vector3<B> (&points)[points_of_manifold]) {
    const auto load = [&](const Column<const T>& column, auto& to) { load_points(job, column, block, to); };
    if (!stand_side_by_side(columns)) return Columns::load_components(columns, load, points);
    const std::size_t last = last_first(block);
    for (std::size_t p = 0; p < points_of_manifold; ++p) {
      const bool reads_beyond = job.contact_at == nullptr && last + p + 1 < job.contacts;
      points[p] = Columns::load_structs(
          columns, reads_beyond, [&](std::size_t lane) __attribute__((always_inline)) {
            return reads_beyond ? block.first[lane] + p : contact_or_last(job, block, lane, p);
          });
    }
  }

  /// The max position of a first point.
  static std::size_t last_first(const Manifolds& block) {
    std::uint32_t last = 0;
    for (const std::uint32_t first : block.first) last = first > last ? first : last;
    return last;
  }

  /// Same for an optional column. `otherwise` is its default.
  static void load_points_or(const JobInput<T>& job, const Column<const T>& column, const Manifolds& block, B otherwise,
                             B (&points)[points_of_manifold]) {
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
    Frame<B> frame = frame_of_normal(Columns::load_first(contacts.normal, first));
    if (block.head.models != 0) frame = frame_with_axes<Columns>(job, first, frame);
    const auto [static_friction, m, ja, jb] = Columns::template prepare_shared<false>(job, block, frame, a, b, first);

    Vector3<B> r_a[points_of_manifold], r_b[points_of_manifold];
    load_points(job, contacts.r_a, block, r_a);
    load_points(job, contacts.r_b, block, r_b);
    B separation[points_of_manifold];
    const bool has_gap = job.reads_gap && contacts.separation.data != nullptr;
    if (has_gap) load_points(job, contacts.separation, block, separation);
    const Mask has_r_a = load_lanes<B>(a.has_arms) > zero, has_r_b = load_lanes<B>(b.has_arms) > zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      const Mask used = Columns::in_use(block, p);
      const Vector3<B> none = {zero, zero, zero};
      const Vector3<B> ra = lever_arm(frame, r_a[p], used && has_r_a);
      const Vector3<B> rb = lever_arm(frame, r_b[p], used && has_r_b);
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

  /// K of a point that has been prepared.
  static Symmetric3<B> matrix_of(const Manifolds& block, const Point& point) {
    return collision_matrix(Block::load(block.mass_a) + Block::load(block.mass_b), Block::load(block.inertia_a),
                            Block::load(point.r_a), Block::load(block.inertia_b), Block::load(point.r_b));
  }

  /// Deactivates contacts whose K is not definite or exceeds the range of the precision.
  static void mark_singular(const SceneJob<T>& job, Manifolds& block, std::size_t p, const Definiteness<B>& found,
                            Mask used) {
    const unsigned odd = found.faults(used);
    if (odd == 0) [[likely]]
      return;
    const bool is_fault = job.level_of_body == nullptr;  // else only the body that is not held lacks a response
    Point& point = block.point()[p];
    for_each_bit(odd, [&](std::size_t lane) {
      if (is_fault) job.status[contact(job, block, lane, p)] = found.status(lane);
      Block::clear(point.response, lane);
      point.response.reach[lane] = T(0);
      for (std::size_t i = 0; i < 3; ++i) point.r_a[i][lane] = point.r_b[i][lane] = T(0);
    });
  }

  /// Initial impulses: from the previous pass, else the caller's warm impulses.
  static void take_impulses(const SceneJob<T>& job, Manifolds& block, const Frame<B>& frame) {
    const B zero(0);
    if (job.begun[0] != nullptr) return load_impulses(job, block, all_lanes(block), job.begun);
    if (job.warm_impulse.x.data == nullptr || !is_at_once(job.target)) return;
    Vector3<B> warm[points_of_manifold];
    load_points(job, job.warm_impulse, block, warm);
    const B share(job.parameters.warm_start), friction = Block::load(block.static_friction);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      const Vector3<B> given = share * into(frame, warm[p]);
      const Mask taken = Columns::in_use(block, p) && Block::load(point.response.inverse_k33) > zero;
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
        Columns::motion(block, frame, Block::gather(job.velocities, block.a), Block::gather(job.velocities, block.b));
    B restitution[points_of_manifold], wanted[points_of_manifold];
    load_points(job, contacts.restitution, block, restitution);
    if (block.head.models != 0) take_restitution<ManifoldStages>(job, block, restitution);
    load_points_or(job, contacts.target_velocity, block, zero, wanted);
    const bool forced = job.changes != nullptr;
    const Motion<B> change = Columns::motion_by_forces(job, block, frame);
    B worst = zero, range = zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      const Mask used = Columns::in_use(block, p) && Block::load(point.response.inverse_k33) > zero;
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

  /// Copies impulses of the lanes to arrays of all contacts, and back.
  static void store_impulses(const SceneJob<T>& job, Manifolds& block, std::uint32_t lanes, T* const* to) {
    for_each_point(job, block, lanes, [&](Point& point, std::size_t lane, std::size_t contact) {
      for (std::size_t i = 0; i < 3; ++i) to[i][contact] = point.impulse[i][lane];
    });
  }
  static void load_impulses(const SceneJob<T>& job, Manifolds& block, std::uint32_t lanes, const T* const* from) {
    for_each_point(job, block, lanes, [&](Point& point, std::size_t lane, std::size_t contact) {
      for (std::size_t i = 0; i < 3; ++i) point.impulse[i][lane] = from[i][contact];
    });
  }

  static std::uint32_t all_lanes(const Manifolds& block) { return (1u << block.head.lanes) - 1; }

  /// Calls f(point number, lane, contact) for every contact in the lanes.
  template <class F>
  static void for_each_contact(const SceneJob<T>& job, const Manifolds& block, std::uint32_t lanes, F&& f) {
    for (std::size_t p = 0; p < block.head.count; ++p)
      for_each_bit(lanes, [&](std::size_t lane) {
        if (p < block.items[lane]) f(p, lane, contact(job, block, lane, p));
      });
  }
  /// Calls f(point, lane, contact) for every contact in the lanes.
  template <class F>
  static void for_each_point(const SceneJob<T>& job, Manifolds& block, std::uint32_t lanes, F&& f) {
    for_each_contact(job, block, lanes,
                     [&](std::size_t p, std::size_t lane, std::size_t contact) { f(block.point()[p], lane, contact); });
  }
  /// Stores a vector of point p of every manifold.
  static void store_point(const SceneJob<T>& job, const Vector3Columns<T>& columns, const Manifolds& block,
                          std::size_t p, const Vector3<B>& v) {
    const Column<T>* const to[3] = {&columns.x, &columns.y, &columns.z};
    T values[3][width];
    Block::store(values, v);
    for_each_bit(all_lanes(block), [&](std::size_t lane) {
      if (p >= block.items[lane]) return;
      for (std::size_t c = 0; c < 3; ++c)
        if (to[c]->data != nullptr) element(*to[c], contact(job, block, lane, p)) = values[c][lane];
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
    set_targets(job, block, Columns::frame_of(block), lanes);
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
    store_impulses(job, block, lanes, job.kept);
    copy_velocities(block, lanes, job.velocities, job.kept_velocities);
  }
  static void return_to_kept(const SceneJob<T>& job, Manifolds& block, std::uint32_t lanes) {
    load_impulses(job, block, lanes, job.kept);
    copy_velocities(block, lanes, job.kept_velocities, job.velocities);
  }

  static void carry(const SceneJob<T>& job, Manifolds& block) {
    store_impulses(job, block, all_lanes(block), job.carried);
    for_each_point(job, block, all_lanes(block), [&](Point& point, std::size_t lane, std::size_t contact) {
      job.carried[3][contact] = point.target[lane];
    });
  }
};

}  // namespace
}  // namespace carom::kernel
