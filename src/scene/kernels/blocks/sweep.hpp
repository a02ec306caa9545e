// Sweep: block Gauss–Seidel over the contacts of blocks. The manifolds of a block share no body that moves; the points
// of a manifold come one after the other.
//
// [BS] J. Bender, A. Schmitt, Constraint-based collision and contact handling using impulses, 2006.
#pragma once

#include "substep_targets.hpp"

namespace carom::kernel {
namespace {

/// Squares of small numbers vanish: a vector of no length may have components.
template <class B>
[[gnu::always_inline]] inline auto is_something(B x, B y) {
  return magnitude(x) + magnitude(y) > B(0);
}

/// Returns true if (x, y) lies within the radius of the cone; `size2` is its squared length. A radius below the
/// shortest length counts as 0.
template <class B>
[[gnu::always_inline]] inline auto is_in_cone(B x, B y, B size2, B radius2) {
  return and_not(size2 <= radius2, and_not(is_something(x, y), radius2 > B(min_square<VectorElement<B>>)));
}

/// The sweeps of a method, or the two of a substep.
enum class Pass : std::uint8_t { sweep, correction_rate, relax };

template <class B>
struct NewImpulse {
  Vector3<B> impulse;
  B missed;  // by how much u·n missed the target before
};

/// Solves for all three components at once. If the impulse that stops the contact is in the cone, it is the solution.
/// Otherwise the contact slips: the impulse lies on the cone and brings u·n to its target, or it is 0. Friction points
/// along p_t - ρ u_t if that is at or outside the cone; at a fixed point friction then opposes the slip. Inside the
/// cone that direction could be a fixed point with friction along the slip. There friction points along the impulse
/// that stops the contact, which is no fixed point unless 1 + κ·t < 0 (docs/scenes.md).
///
/// A soft contact asks for u·n + compliance p_n in place of u·n; its response is K_33 plus the compliance.
template <class A, class T, bool soft = false>
struct PgsSweep {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  static constexpr bool knows_world = true;

  B friction, static_friction2, relaxation;
  const typename Block::Point* first_point;
  const typename Block::SoftPoint* soft_points;

  PgsSweep(const SceneJob<T>& job, typename Block::Manifolds& block)
      : friction(Block::load(block.friction)),
        relaxation(job.parameters.relaxation),
        first_point(block.point()),
        soft_points(soft ? Block::soft_point(block) : nullptr) {
    const B s = Block::load(block.static_friction);
    static_friction2 = s * s;
  }

  template <class AnyMotion>
  [[gnu::always_inline]] NewImpulse<B> operator()(const typename Block::Point& point, const AnyMotion& motion,
                                                  const Vector3<B>& ra, const Vector3<B>& rb) const {
    const B zero(0), one(1);
    const Vector3<B> u = velocity_at(motion, ra, rb), p = Block::load(point.impulse);
    const auto& r = point.response;
    const B k1 = Block::load(r.k1), k2 = Block::load(r.k2);
    B missed = Block::load(point.target) - u.z;
    if constexpr (soft) missed = neg_mul_add(Block::load(soft_points[&point - first_point].compliance), p.z, missed);
    const B inverse_k33 = Block::load(r.inverse_k33);
    // The normal impulse without friction: none is needed of a contact that separates without its own impulse.
    const B needed = mul_add(k1, p.x, mul_add(k2, p.y, mul_add(missed, inverse_k33, p.z)));

    // K⁻¹ from its Schur form, which needs no velocity: the next point waits for the fewest operations.
    const B s11 = Block::load(r.s11), s12 = Block::load(r.s12), s22 = Block::load(r.s22);
    const B i1 = mul_add(s11, k1, s12 * k2), i2 = mul_add(s12, k1, s22 * k2);
    const B i3 = mul_add(k1, i1, mul_add(k2, i2, inverse_k33));
    const B d1 = mul_add(i1, missed, mul_add(s11, u.x, s12 * u.y));
    const B d2 = mul_add(i2, missed, mul_add(s12, u.x, s22 * u.y));
    const B dn = mul_add(i3, missed, mul_add(i1, u.x, i2 * u.y));
    const Vector3<B> stick = {neg_mul_add(relaxation, d1, p.x), neg_mul_add(relaxation, d2, p.y),
                              mul_add(relaxation, dn, p.z)};
    const B stick2 = mul_add(stick.x, stick.x, stick.y * stick.y);
    const B bound2 = static_friction2 * (stick.z * stick.z);
    const auto pushes = needed > zero, is_bounded = bound2 > B(min_square<T>);
    auto sticks = stick.z >= zero && stick2 <= bound2;
    if (lane_bits(and_not(pushes, is_bounded)) != 0) [[unlikely]] {
      sticks = and_not(sticks, and_not(is_something(stick.x, stick.y), is_bounded));
      // Retired contacts keep their impulse.
      sticks = sticks || inverse_k33 == zero;
    }
    const Vector3<B> none = {zero, zero, zero};
    // If every lane sticks or separates, the root and the division of a slip are skipped.
    if (lane_bits(and_not(pushes, sticks)) == 0) return {choose(pushes, stick, none), missed};

    // The slip once the normal velocity is at its target.
    const B a1 = mul_add(k1, missed, u.x), a2 = mul_add(k2, missed, u.y), reach = Block::load(r.reach);
    B e1 = neg_mul_add(reach, a1, p.x), e2 = neg_mul_add(reach, a2, p.y), size2 = mul_add(e1, e1, e2 * e2);
    const B bound = friction * choose(p.z > zero, p.z, needed), slip_bound2 = bound * bound;
    const auto is_special = size2 < larger(slip_bound2, B(min_square<T>));
    if (lane_bits(is_special) != 0) [[unlikely]] {
      const auto inside = size2 < slip_bound2;
      e1 = choose(inside, stick.x, e1);
      e2 = choose(inside, stick.y, e2);
      size2 = larger(choose(inside, stick2, size2), B(min_square<T>));
    }
    const B size = square_root(size2), f1 = friction * e1, f2 = friction * e2, inverse_size = one / size;
    // On the ray (t1, t2, 1), with (f1, f2) = |e| t, p_n moves u·n by K_33 (1 + κ·t) of its change.
    const B ray = size + mul_add(k1, f1, k2 * f2);
    B full = size * (needed / ray);
    const auto is_steep = ray < B(T(0.25)) * size;
    if (lane_bits(is_steep) != 0) [[unlikely]] {
      const B part = ray * inverse_size, divisor = larger(magnitude(part), B(T(0.25)));
      full = choose(is_steep, mul_add(p.z, divisor - part, needed) / divisor, full);
    }
    const B normal = larger(mul_add(relaxation, full - p.z, p.z), zero);
    const Vector3<B> slip = {(f1 * inverse_size) * normal, (f2 * inverse_size) * normal, normal};
    return {choose(pushes, choose(sticks, stick, slip), none), missed};
  }
};

/// Solves for the normal impulse, then for friction: [BS] equations 1 to 6. The accumulated normal impulse bounds the
/// accumulated friction.
template <class A, class T>
struct IterationSweep {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  static constexpr bool knows_world = false;

  B friction, static_friction;

  IterationSweep(const SceneJob<T>&, const typename Block::Manifolds& block)
      : friction(Block::load(block.friction)), static_friction(Block::load(block.static_friction)) {}

  [[gnu::always_inline]] NewImpulse<B> operator()(const typename Block::Point& point, const Motion<B>& motion,
                                                  const Vector3<B>& ra, const Vector3<B>& rb) const {
    const Vector3<B> u = velocity_at(motion, ra, rb);
    return respond(point, u, Block::load(point.target) - u.z);
  }

  [[gnu::always_inline]] NewImpulse<B> respond(const typename Block::Point& point, const Vector3<B>& u,
                                               B missed) const {
    const B zero(0), one(1);
    const Vector3<B> p = Block::load(point.impulse);
    const auto& r = point.response;
    const B normal = larger(mul_add(missed, Block::load(r.inverse_k33), p.z), zero), change = normal - p.z;
    const B u1 = mul_add(Block::load(r.k1), change, u.x), u2 = mul_add(Block::load(r.k2), change, u.y);
    // u_t / (tᵀ M t) with t = u_t / |u_t|
    const B slip2 = mul_add(u1, u1, u2 * u2);
    const B work = mul_add(u1, mul_add(Block::load(r.s11), u1, Block::load(r.s12) * u2),
                           u2 * mul_add(Block::load(r.s12), u1, Block::load(r.s22) * u2));
    const B stopping = choose(work > zero, slip2 / choose(work > zero, work, one), zero);
    const B c1 = neg_mul_add(stopping, u1, p.x), c2 = neg_mul_add(stopping, u2, p.y);
    const B min_size(min_length<T>), bound = static_friction * normal;
    const B size = larger(square_root(mul_add(c1, c1, c2 * c2)), choose(is_something(c1, c2), min_size, zero));
    const B share = choose(size <= bound, one, friction * normal / larger(size, min_size));
    // Behind a lane's last point the slip may be no number.
    const auto pushed = normal > zero;
    return {{choose(pushed, share * c1, zero), choose(pushed, share * c2, zero), normal}, missed};
  }
};

/// The same against the overlap after the step: [BS] equation 8.
template <class A, class T>
struct RestingSweep : IterationSweep<A, T> {
  using Block = Blocks<A, T>;
  using B = typename Block::B;

  B time_step;

  RestingSweep(const SceneJob<T>& job, const typename Block::Manifolds& block)
      : IterationSweep<A, T>(job, block), time_step(job.parameters.time_step) {}

  [[gnu::always_inline]] NewImpulse<B> operator()(const typename Block::Point& point, const Motion<B>& motion,
                                                  const Vector3<B>& ra, const Vector3<B>& rb) const {
    const Prediction<B> next = predict(motion, ra, rb, Block::load(point.response.reach), time_step);
    return this->respond(point, next.slip, Block::load(point.target) - next.separation);
  }
};

template <class A, class T>
struct ManifoldSweep : ManifoldStages<A, T> {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Manifolds = typename Block::Manifolds;
  using Point = typename Block::Point;
  using Base = ManifoldStages<A, T>;

  /// Velocities with an impulse on a point, in the frame.
  struct Bodies {
    Symmetric3<B> inertia_a, inertia_b;
    B mass;

    explicit Bodies(const Manifolds& block)
        : inertia_a(Block::load(block.inertia_a)),
          inertia_b(Block::load(block.inertia_b)),
          mass(Block::load(block.mass_a) + Block::load(block.mass_b)) {}

    [[gnu::always_inline]] void push(Motion<B>& motion, Vector3<B>& sum, const Vector3<B>& change, const Vector3<B>& ra,
                                     const Vector3<B>& rb) const {
      motion.relative = mul_add(mass, change, motion.relative);
      sum = sum + change;
      motion.wa = add(motion.wa, inertia_a, cross(ra, change));
      motion.wb = subtract(motion.wb, inertia_b, cross(rb, change));
    }
    [[gnu::always_inline]] void push(MotionOnWorld<B>& motion, Vector3<B>& sum, const Vector3<B>& change,
                                     const Vector3<B>& ra, const Vector3<B>&) const {
      motion.relative = mul_add(mass, change, motion.relative);
      sum = sum + change;
      motion.wa = add(motion.wa, inertia_a, cross(ra, change));
    }

   private:
    [[gnu::always_inline]] static Vector3<B> add(const Vector3<B>& w, const Symmetric3<B>& j, const Vector3<B>& l) {
      return {mul_add(j.xx, l.x, mul_add(j.xy, l.y, mul_add(j.xz, l.z, w.x))),
              mul_add(j.xy, l.x, mul_add(j.yy, l.y, mul_add(j.yz, l.z, w.y))),
              mul_add(j.xz, l.x, mul_add(j.yz, l.y, mul_add(j.zz, l.z, w.z)))};
    }
    [[gnu::always_inline]] static Vector3<B> subtract(const Vector3<B>& w, const Symmetric3<B>& j,
                                                      const Vector3<B>& l) {
      return {neg_mul_add(j.xx, l.x, neg_mul_add(j.xy, l.y, neg_mul_add(j.xz, l.z, w.x))),
              neg_mul_add(j.xy, l.x, neg_mul_add(j.yy, l.y, neg_mul_add(j.yz, l.z, w.y))),
              neg_mul_add(j.xz, l.x, neg_mul_add(j.yz, l.y, neg_mul_add(j.zz, l.z, w.z)))};
    }
  };

  /// Applies the accumulated impulse `sum` and the changes of spin to the bodies, in the world frame.
  [[gnu::always_inline]] static void put_back(const SceneJob<T>& job, const Manifolds& block, const Frame<B>& frame,
                                              typename Block::Velocity a, typename Block::Velocity b,
                                              const Motion<B>& before, const Motion<B>& after, const Vector3<B>& sum,
                                              VelocityRow<T>* dummy_body) {
    const Vector3<B> impulse = out_of(frame, sum);
    a.v = mul_add(Block::load(block.mass_a), impulse, a.v);
    a.w = a.w + out_of(frame, after.wa - before.wa);
    b.v = mul_add(negated(Block::load(block.mass_b)), impulse, b.v);
    b.w = b.w + out_of(frame, after.wb - before.wb);
    Block::scatter(job.velocities, block.a, a, dummy_body);
    Block::scatter(job.velocities, block.b, b, dummy_body);
  }

  /// `ahead`, the block that comes next, is fetched on the way, point by point, if `fetches`.
  template <class Law, Pass pass = Pass::sweep, bool fetches = false>
  static void sweep(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body,
                    const std::byte* ahead = nullptr) {
    if constexpr (pass == Pass::sweep && Law::knows_world)
      if (block.head.on_world) return sweep_on_world<Law, fetches>(job, block, dummy_body, ahead);
    const auto a = Block::gather(job.velocities, block.a), b = Block::gather(job.velocities, block.b);
    const Frame<B> frame = Base::frame_of(block);
    const Motion<B> before = Base::motion(block, frame, a, b);
    if constexpr (pass == Pass::correction_rate) Goal<A, T>::correction_rate(job, block, frame, a, b);
    if constexpr (pass == Pass::relax) Goal<A, T>::relax(job, block);
    if constexpr (fetches) fetch<sizeof(Manifolds)>(ahead);
    const Bodies bodies(block);
    const Law law(job, block);
    Motion<B> motion = before;
    const Vector3<B> sum = visit_all<fetches>(job, block, bodies, law, motion, ahead);
    put_back(job, block, frame, a, b, before, motion, sum, dummy_body);
  }
  /// Same, with the world as B. Only signs of zeros in point velocities and impulses can differ. They do not reach the
  /// bodies, because impulse changes are added to sums that begin with +0.
  template <class Law, bool fetches>
  static void sweep_on_world(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body,
                             const std::byte* ahead) {
    auto a = Block::gather(job.velocities, block.a);
    const Frame<B> frame = Base::frame_of(block);
    if constexpr (fetches) fetch<sizeof(Manifolds)>(ahead);
    const Bodies bodies(block);
    const Law law(job, block);
    MotionOnWorld<B> motion = {into(frame, a.v) + Block::load(block.bias), into(frame, a.w)};
    const Vector3<B> before = motion.wa;
    const Vector3<B> sum = visit_all<fetches>(job, block, bodies, law, motion, ahead);
    a.v = mul_add(Block::load(block.mass_a), out_of(frame, sum), a.v);
    a.w = a.w + out_of(frame, motion.wa - before);
    Block::scatter(job.velocities, block.a, a, dummy_body);
  }

  /// Visits all points in every round. Returns the sum of the changes of their impulses.
  template <bool fetches, class Law, class AnyMotion>
  [[gnu::always_inline]] static Vector3<B> visit_all(const SceneJob<T>& job, Manifolds& block, const Bodies& bodies,
                                                     const Law& law, AnyMotion& motion, const std::byte* ahead) {
    Vector3<B> sum = {B(0), B(0), B(0)};
    if (job.measures_changes)
      Base::store_violation(block.head, visit<true, fetches>(block, bodies, law, motion, sum, ahead));
    else
      visit<false, fetches>(block, bodies, law, motion, sum, ahead);
    for (int round = 1; round < job.parameters.inner_iterations; ++round) visit<false>(block, bodies, law, motion, sum);
    return sum;
  }

  template <std::size_t bytes>
  [[gnu::always_inline]] static void fetch(const std::byte* from) {
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i);
  }

  /// Visits all points once. If `measures`, returns the max. residual [m/s]: the missed normal targets, and the
  /// velocities that the impulse changes cause.
  template <bool measures, bool fetches = false, class Law, class AnyMotion>
  [[gnu::always_inline]] static B visit(Manifolds& block, const Bodies& bodies, const Law& law, AnyMotion& motion,
                                        Vector3<B>& sum, const std::byte* ahead = nullptr) {
    B worst(0), range(0);
    for (Point *point = block.point(), *end = point + block.head.count; point != end; ++point) {
      if constexpr (fetches)
        fetch<sizeof(Point)>(ahead + (reinterpret_cast<std::byte*>(point) - reinterpret_cast<std::byte*>(&block)));
      visit_point<measures>(*point, bodies, law, motion, sum, worst, range);
    }
    return choose(range == B(0), worst, B(static_cast<T>(__builtin_inf())));
  }
  template <bool measures, class Law, class AnyMotion>
  [[gnu::always_inline]] static void visit_point(Point& point, const Bodies& bodies, const Law& law, AnyMotion& motion,
                                                 Vector3<B>& sum, B& worst, B& range) {
    const Vector3<B> ra = Block::load(point.r_a), rb = Block::load(point.r_b);
    const NewImpulse<B> next = law(point, motion, ra, rb);
    const Vector3<B> change = next.impulse - Block::load(point.impulse);
    if constexpr (measures) {
      // A lane has undefined numbers after its last point.
      const auto used = Block::load(point.response.inverse_k33) > B(0);
      const B size2 = dot(change, change);
      // With these operands NaN leaves `worst` unchanged; `range` detects it.
      worst = larger(choose(used, larger(next.missed, bodies.mass * square_root(size2)), B(0)), worst);
      range = range + choose(used, vanishing(size2) + vanishing(next.missed), B(0));
    }
    Block::store(point.impulse, next.impulse);
    bodies.push(motion, sum, change, ra, rb);
  }

  /// A visit of a point is a chain of dependent operations. Vectors of 32 bytes leave the ports of a core half idle
  /// meanwhile, and the points of a second block fill them; vectors of 64 bytes take twice the port time.
  static constexpr bool takes_turns = Block::width * sizeof(T) == 32;
  /// True if the points of the blocks may take turns in sweep_in_turns().
  static bool may_take_turns(const SceneJob<T>& job, const Manifolds& x, const Manifolds& y) {
    return !job.measures_changes && !x.head.on_world && !y.head.on_world && x.head.count == y.head.count;
  }
  /// Solves two blocks of one colour. They share no movable body, so each has the same bits as if solved separately.
  template <class Law>
  static void sweep_in_turns(const SceneJob<T>& job, Manifolds& x, Manifolds& y, VelocityRow<T>* dummy_body) {
    struct Run {
      Manifolds& block;
      typename Block::Velocity a, b;
      Frame<B> frame;
      Bodies bodies;
      Law law;
      Motion<B> before, motion;
      Vector3<B> sum = {B(0), B(0), B(0)};

      [[gnu::always_inline]] Run(const SceneJob<T>& job, Manifolds& of)
          : block(of),
            a(Block::gather(job.velocities, of.a)),
            b(Block::gather(job.velocities, of.b)),
            frame(Base::frame_of(of)),
            bodies(of),
            law(job, of),
            before(Base::motion(of, frame, a, b)),
            motion(before) {}
      [[gnu::always_inline]] void visit(std::size_t p) {
        B worst(0), range(0);
        visit_point<false>(block.point()[p], bodies, law, motion, sum, worst, range);
      }
      [[gnu::always_inline]] void finish(const SceneJob<T>& job, VelocityRow<T>* dummy_body) const {
        put_back(job, block, frame, a, b, before, motion, sum, dummy_body);
      }
    };
    Run of_x(job, x), of_y(job, y);
    for (int round = 0; round < job.parameters.inner_iterations; ++round)
      for (std::size_t p = 0; p < x.head.count; ++p) {
        of_x.visit(p);
        of_y.visit(p);
      }
    of_x.finish(job, dummy_body);
    of_y.finish(job, dummy_body);
  }

  /// The impulses of the block on the bodies.
  static void warm_start(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body) {
    const auto a = Block::gather(job.velocities, block.a), b = Block::gather(job.velocities, block.b);
    const Frame<B> frame = Base::frame_of(block);
    const Motion<B> before = Base::motion(block, frame, a, b);
    const Bodies bodies(block);
    Motion<B> motion = before;
    Vector3<B> sum = {B(0), B(0), B(0)};
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const Point& point = block.point()[p];
      bodies.push(motion, sum, Block::load(point.impulse), Block::load(point.r_a), Block::load(point.r_b));
    }
    put_back(job, block, frame, a, b, before, motion, sum, dummy_body);
  }
};

}  // namespace
}  // namespace carom::kernel
