// Rows of joints: prepare and sweep as for contacts, in the frame of the world.
#pragma once

#include "core/scene/thresholds.hpp"
#include "simd/kernels/lanes/subnormals.hpp"
#include "triple.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct GroupStages {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Groups = typename Block::Groups;
  using JointRow = typename Block::JointRow;
  static constexpr std::size_t width = Block::width;

  /// Index of row r of the lane's group.
  static std::size_t number(const SceneJob<T>& job, const Groups& block, std::size_t lane, std::size_t r) {
    return number_at(job.row_at, block.first[lane] + static_cast<std::uint32_t>(r));
  }

  /// The lanes that have a row r.
  static Mask in_use(const Groups& block, std::size_t r) { return Block::load(block.in_lane) > B(static_cast<T>(r)); }

  static B load_row(const SceneJob<T>& job, const Column<const T>& column, const Groups& block, std::size_t r,
                    T otherwise) {
    if (column.data == nullptr) return B(otherwise);
    return lanes_of<B>([&](std::size_t lane) __attribute__((always_inline)) {
      return element(column, number_or_last(job, block, lane, r));
    });
  }
  static Vector3<B> load_row(const SceneJob<T>& job, const Vector3Columns<const T>& columns, const Groups& block,
                             std::size_t r) {
    if (columns.x.data == nullptr || !stand_side_by_side(columns))
      return {load_row(job, columns.x, block, r, T(0)), load_row(job, columns.y, block, r, T(0)),
              load_row(job, columns.z, block, r, T(0))};
    Vector3<B> v;
    load_threes<B>(
        [&](std::size_t lane)
            __attribute__((always_inline)) { return &element(columns.x, number_or_last(job, block, lane, r)); },
        v.x, v.y, v.z);
    return v;
  }
  /// Index of row r, or of the last row if r is larger.
  static std::size_t number_or_last(const SceneJob<T>& job, const Groups& block, std::size_t lane, std::size_t r) {
    const std::size_t last = block.items[lane] - 1;
    return number(job, block, lane, r < last ? r : last);
  }

  /// True for rows whose response is only Σ w·J w.
  static Mask only_turns(const Groups& block, const Vector3<B>& la, const Vector3<B>& lb, B compliance) {
    return Block::load(block.mass_a) * dot(la, la) + Block::load(block.mass_b) * dot(lb, lb) + compliance == B(0);
  }
  /// Upper bound of the rounding error of Σ w·J w: a fraction of the sum of its absolute terms.
  static B rounding_of(const Groups& block, const Vector3<B>& ta, const Vector3<B>& tb) {
    const auto terms = [](const Symmetric3<B>& j, const Vector3<B>& w) {
      const Vector3<B> size = {magnitude(w.x), magnitude(w.y), magnitude(w.z)};
      const Symmetric3<B> of_j = {magnitude(j.xx), magnitude(j.xy), magnitude(j.xz),
                                  magnitude(j.yy), magnitude(j.yz), magnitude(j.zz)};
      return dot(size, of_j * size);
    };
    return B(T(SceneThresholds::singular_row) * epsilon<T>) *
           (terms(Block::load(block.inertia_a), ta) + terms(Block::load(block.inertia_b), tb));
  }

  static void prepare(const SceneJob<T>& job, std::byte* memory) {
    Groups& block = *reinterpret_cast<Groups*>(memory);
    const B zero(0);
    typename Block::Side side_a, side_b;
    Block::find_bodies(job, job.groups, block, side_a, side_b);
    const auto body = [&](const typename Block::Side& side, auto& mass, auto& inertia) {
      const auto given = Block::load_mass(side);
      Block::store(mass, given.mass);
      Block::store(inertia, given.inertia);
    };
    body(side_a, block.mass_a, block.inertia_a);
    body(side_b, block.mass_b, block.inertia_b);

    const JointRows<T>& joints = job.scene->joints;
    const auto a = Block::gather(job.velocities, block.a), b = Block::gather(job.velocities, block.b);
    const T infinity = static_cast<T>(__builtin_inf());
    B worst = zero;
    for (std::size_t r = 0; r < block.head.count; ++r) {
      JointRow& row = block.row()[r];
      const Mask used = in_use(block, r);
      const Vector3<B> none = {zero, zero, zero};
      const auto take = [&](auto& to, const Vector3Columns<const T>& columns) {
        const Vector3<B> v = choose(used, load_row(job, columns, block, r), none);
        Block::store(to, v);
        return v;
      };
      const Vector3<B> la = take(row.linear_a, joints.linear_a), ta = take(row.angular_a, joints.angular_a);
      const Vector3<B> lb = take(row.linear_b, joints.linear_b), tb = take(row.angular_b, joints.angular_b);
      const B compliance = load_row(job, joints.compliance, block, r, T(0));
      const B response = Block::load(block.mass_a) * dot(la, la) + dot(ta, Block::load(block.inertia_a) * ta) +
                         Block::load(block.mass_b) * dot(lb, lb) + dot(tb, Block::load(block.inertia_b) * tb) +
                         compliance;
      const B inverse = B(1) / response, range = vanishing(response) + vanishing(inverse);
      const Mask singular = used && only_turns(block, la, lb, compliance) && response <= rounding_of(block, ta, tb);
      const Mask good = and_not(used && response > zero && range == zero, singular);
      Block::store(row.inverse_response, choose(good, inverse, zero));
      Block::store(row.compliance, choose(good, compliance, zero));
      const B least = load_row(job, joints.min_impulse, block, r, -infinity);
      const B largest = load_row(job, joints.max_impulse, block, r, infinity);
      Block::store(row.least, choose(good, without_subnormals(least), B(-infinity)));
      Block::store(row.largest, choose(good, without_subnormals(largest), B(infinity)));
      const B target = choose(good, load_row(job, joints.target_velocity, block, r, T(0)), zero);
      Block::store(row.target, target);
      const auto drop = [&](auto& lanes) {
        for (auto& lane : lanes) Block::store(lane, choose(good, Block::load(lane), zero));
      };
      if (lane_bits(good) != lane_bits(used)) {  // no impulse moves the row
        drop(row.linear_a);
        drop(row.angular_a);
        drop(row.linear_b);
        drop(row.angular_b);
      }
      const B velocity = dot(la, a.v) + dot(ta, a.w) + (dot(lb, b.v) + dot(tb, b.w));
      worst = larger(choose(good, magnitude(velocity - target), zero), worst);
      Block::store(row.before, velocity);

      T begun[width];
      for (std::size_t lane = 0; lane < width; ++lane)
        begun[lane] =
            lane < block.head.lanes && r < block.items[lane] ? job.row_impulse[number(job, block, lane, r)] : T(0);
      const B impulse = choose(good, load_lanes<B>(begun), zero);
      Block::store(row.impulse, impulse);
      // Limits that do not include 0 act even if the row is at its target.
      if (!is_at_once(job.target) && !job.rows_have_acted) worst = larger(magnitude(impulse) * response, worst);
      const unsigned overflowed = ~lane_bits(range == zero) & ~lane_bits(response == zero || singular);
      for_each_bit(lane_bits(used) & ~lane_bits(good), [&](std::size_t lane) {
        job.row_status[number(job, block, lane, r)] = static_cast<std::uint8_t>(
            (overflowed >> lane & 1u) != 0 ? Status::overflow : Status::collision_matrix_not_positive_definite);
      });
    }
    store_lanes(block.head.violation, worst);
    // Substeps turn lever arms.
    if (job.target == Target::substeps)
      block.triples = 0;
    else
      Triples<A, T>::find(block);
  }

  /// Applies the impulse of a row to the bodies.
  struct Bodies {
    typename Block::Velocity a, b;
    B mass_a, mass_b;
    Symmetric3<B> inertia_a, inertia_b;

    [[gnu::always_inline]] Bodies(const SceneJob<T>& job, const Groups& block)
        : a(Block::gather(job.velocities, block.a)),
          b(Block::gather(job.velocities, block.b)),
          mass_a(Block::load(block.mass_a)),
          mass_b(Block::load(block.mass_b)),
          inertia_a(Block::load(block.inertia_a)),
          inertia_b(Block::load(block.inertia_b)) {}

    [[gnu::always_inline]] void push(const JointRow& row, B change) {
      a.v = mul_add(mass_a * change, Block::load(row.linear_a), a.v);
      a.w = mul_add(change, inertia_a * Block::load(row.angular_a), a.w);
      b.v = mul_add(mass_b * change, Block::load(row.linear_b), b.v);
      b.w = mul_add(change, inertia_b * Block::load(row.angular_b), b.w);
    }
    /// The impulses of three rows.
    [[gnu::always_inline]] void push(const JointRow* row, const Vector3<B>& change) {
      const auto sum = [&](const auto& of) __attribute__((always_inline)) {
        return mul_add(change.x, of(row[0]), mul_add(change.y, of(row[1]), change.z * of(row[2])));
      };
      a.v = mul_add(mass_a, sum([](const JointRow& r) { return Block::load(r.linear_a); }), a.v);
      a.w = a.w + inertia_a * sum([](const JointRow& r) { return Block::load(r.angular_a); });
      b.v = mul_add(mass_b, sum([](const JointRow& r) { return Block::load(r.linear_b); }), b.v);
      b.w = b.w + inertia_b * sum([](const JointRow& r) { return Block::load(r.angular_b); });
    }
    [[gnu::always_inline]] B velocity(const JointRow& row) const {
      return dot(Block::load(row.linear_a), a.v) + dot(Block::load(row.angular_a), a.w) +
             (dot(Block::load(row.linear_b), b.v) + dot(Block::load(row.angular_b), b.w));
    }
    [[gnu::always_inline]] void put_back(const SceneJob<T>& job, const Groups& block,
                                         VelocityRow<T>* dummy_body) const {
      Block::scatter(job.velocities, block.a, a, dummy_body);
      Block::scatter(job.velocities, block.b, b, dummy_body);
    }
  };

  /// Residual of a row: 0 if a limit of the impulse keeps the row from its target.
  static B missed(B rest, const JointRow& row, B impulse) {
    const B zero(0);
    const Mask held =
        (rest > zero && impulse <= Block::load(row.least)) || (rest < zero && impulse >= Block::load(row.largest));
    return choose(held, zero, magnitude(rest));
  }
  static B rest_of(const Bodies& bodies, const JointRow& row, B impulse) {
    return mul_add(Block::load(row.compliance), impulse, bodies.velocity(row)) - Block::load(row.target);
  }

  static void sweep(const SceneJob<T>& job, Groups& block, VelocityRow<T>* dummy_body) {
    Bodies bodies(job, block);
    const B relaxation(job.parameters.relaxation);
    B worst(0);  // in this order NaN is ignored, as elsewhere
    for (int round = 0; round < job.parameters.inner_iterations; ++round) {
      if (block.triples != 0) worst = larger(visit_triples(block, bodies, relaxation), worst);
      worst = larger(visit_rows(block, bodies, relaxation, block.triples != 0 ? 3 : 0, block.head.count), worst);
    }
    store_lanes(block.head.violation, worst);
    bodies.put_back(job, block, dummy_body);
  }
  /// Same for soft rows, which apply the fraction SubstepRow::answer. Call `goal(bodies)` first.
  template <class Goal>
  static void substep(const SceneJob<T>& job, Groups& block, VelocityRow<T>* dummy_body, Goal&& goal) {
    Bodies bodies(job, block);
    goal(bodies);
    const B relaxation(job.parameters.relaxation);
    B worst(0);
    for (int round = 0; round < job.parameters.inner_iterations; ++round)
      worst = larger(visit_rows<true>(block, bodies, relaxation, 0, block.head.count), worst);
    store_lanes(block.head.violation, worst);
    bodies.put_back(job, block, dummy_body);
  }

  /// Visits rows in turn. Returns the max residual.
  template <bool soft = false>
  [[gnu::always_inline]] static B visit_rows(Groups& block, Bodies& bodies, B relaxation, std::size_t first,
                                             std::size_t end) {
    B worst(0);
    for (std::size_t r = first; r < end; ++r) {
      JointRow& row = block.row()[r];
      const B impulse = Block::load(row.impulse), rest = rest_of(bodies, row, impulse);
      worst = larger(missed(rest, row, impulse), worst);
      B answer = relaxation * Block::load(row.inverse_response), kept = impulse;
      if constexpr (soft) {
        const B share = Block::load(Block::substep_row(block)[r].answer);
        answer = share * answer;
        kept = share * kept;
      }
      const B wanted = neg_mul_add(answer, rest, kept);
      const B next = smaller(larger(wanted, Block::load(row.least)), Block::load(row.largest));
      Block::store(row.impulse, next);
      bodies.push(row, next - impulse);
    }
    return worst;
  }

  /// Visits the first three rows: at once in lanes with triples, in turn in all other lanes.
  [[gnu::always_inline]] static B visit_triples(Groups& block, Bodies& bodies, B relaxation) {
    if (block.triples == Triples<A, T>::all_lanes) return visit_at_once(block, bodies, relaxation);
    // Each branch restores the impulses and velocities of the other branch's lanes bit by bit.
    const Mask are = Triples<A, T>::lanes(block);
    const auto kept = bodies;
    const Vector3<B> before = impulses(block);
    const B missed_at_once = visit_at_once(block, bodies, relaxation);
    const Vector3<B> at_once = impulses(block);
    const auto pushed = bodies;
    bodies = kept;
    store_impulses(block, before);
    const B missed_in_turn = visit_rows(block, bodies, relaxation, 0, 3);
    store_impulses(block, choose(are, at_once, impulses(block)));
    bodies.a = {choose(are, pushed.a.v, bodies.a.v), choose(are, pushed.a.w, bodies.a.w)};
    bodies.b = {choose(are, pushed.b.v, bodies.b.v), choose(are, pushed.b.w, bodies.b.w)};
    return choose(are, missed_at_once, missed_in_turn);
  }
  /// Visits three rows at once.
  [[gnu::always_inline]] static B visit_at_once(Groups& block, Bodies& bodies, B relaxation) {
    const JointRow* const row = block.row();
    const Vector3<B> impulse = impulses(block);
    const Vector3<B> rest = {rest_of(bodies, row[0], impulse.x), rest_of(bodies, row[1], impulse.y),
                             rest_of(bodies, row[2], impulse.z)};
    const Vector3<B> answer = Block::load(block.inverse_triple) * rest;
    const Vector3<B> next = {neg_mul_add(relaxation, answer.x, impulse.x), neg_mul_add(relaxation, answer.y, impulse.y),
                             neg_mul_add(relaxation, answer.z, impulse.z)};
    store_impulses(block, next);
    bodies.push(row, next - impulse);
    return larger(magnitude(rest.z), larger(magnitude(rest.y), larger(magnitude(rest.x), B(0))));
  }
  /// The impulses of the first three rows.
  static Vector3<B> impulses(Groups& block) {
    const JointRow* const row = block.row();
    return {Block::load(row[0].impulse), Block::load(row[1].impulse), Block::load(row[2].impulse)};
  }
  static void store_impulses(Groups& block, const Vector3<B>& impulse) {
    JointRow* const row = block.row();
    Block::store(row[0].impulse, impulse.x);
    Block::store(row[1].impulse, impulse.y);
    Block::store(row[2].impulse, impulse.z);
  }

  static void warm_start(const SceneJob<T>& job, Groups& block, VelocityRow<T>* dummy_body) {
    Bodies bodies(job, block);
    for (std::size_t r = 0; r < block.head.count; ++r) bodies.push(block.row()[r], Block::load(block.row()[r].impulse));
    bodies.put_back(job, block, dummy_body);
    if (job.target != Target::substeps) return;
    // These impulses act at the present r_a and r_b.
    const Vector3<B> none = {B(0), B(0), B(0)};
    Block::store(block.turned_a, none);
    Block::store(block.turned_b, none);
  }

  static void finish(const SceneJob<T>& job, Groups& block) {
    const Bodies bodies(job, block);
    B worst(0), range(0);
    for (std::size_t r = 0; r < block.head.count; ++r) {
      const JointRow& row = block.row()[r];
      B impulse = Block::load(row.impulse);
      const B velocity = bodies.velocity(row);
      worst = larger(missed(rest_of(bodies, row, impulse), row, impulse), worst);
      // A lane has undefined numbers after its last row.
      range = range + choose(in_use(block, r), vanishing(velocity) + vanishing(impulse), B(0));
      if (job.target == Target::substeps)
        impulse = within_bounds(job, block, r, impulse + Block::load(Block::substep_row(block)[r].sum));
      T mean[width], given[width];
      store_lanes(mean, B(T(0.5)) * (Block::load(row.before) + velocity));
      store_lanes(given, impulse);
      for (std::size_t lane = 0; lane < block.head.lanes; ++lane) {
        if (r >= block.items[lane]) continue;
        const std::size_t i = number(job, block, lane, r);
        const T begun = job.rows_have_acted ? job.row_impulse[i] : T(0);
        job.row_work[i] += (given[lane] - begun) * mean[lane];
        job.row_impulse[i] = given[lane];
      }
    }
    store_lanes(block.head.violation, worst);
    block.head.overflow = ((1u << block.head.lanes) - 1) & ~lane_bits(range == B(0));
  }

  /// The sum of the fractions of a limit may be rounded beyond the limit.
  static B within_bounds(const SceneJob<T>& job, const Groups& block, std::size_t r, B impulse) {
    const JointRows<T>& joints = job.scene->joints;
    const T infinity = static_cast<T>(__builtin_inf());
    return larger(smaller(impulse, load_row(job, joints.max_impulse, block, r, infinity)),
                  load_row(job, joints.min_impulse, block, r, -infinity));
  }

  static void keep(const SceneJob<T>& job, Groups& block, std::uint32_t lanes) {
    for (std::size_t r = 0; r < block.head.count; ++r)
      for_each_bit(lanes, [&](std::size_t lane) {
        if (r < block.items[lane]) job.kept_rows[number(job, block, lane, r)] = block.row()[r].impulse[lane];
      });
    copy_velocities(block, lanes, job.velocities, job.kept_velocities);
  }
  static void return_to_kept(const SceneJob<T>& job, Groups& block, std::uint32_t lanes) {
    for (std::size_t r = 0; r < block.head.count; ++r)
      for_each_bit(lanes, [&](std::size_t lane) {
        if (r < block.items[lane]) block.row()[r].impulse[lane] = job.kept_rows[number(job, block, lane, r)];
      });
    copy_velocities(block, lanes, job.kept_velocities, job.velocities);
  }

  /// See ManifoldStages::retire.
  static void retire(Groups& block, std::uint32_t lanes) {
    for_each_bit(lanes, [&](std::size_t lane) {
      hold(block.a[lane]);
      hold(block.b[lane]);
      for (std::size_t r = 0; r < block.head.count; ++r) block.row()[r].inverse_response[lane] = T(0);
      if (block.triples != 0)
        for (auto& lanes_of : block.inverse_triple) lanes_of[lane] = T(0);
    });
  }
};

}  // namespace
}  // namespace carom::kernel
