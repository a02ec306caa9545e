// Sweep: block Gauss–Seidel over the contacts of blocks. The manifolds of a block share no body that moves; the points
// of a manifold come one after the other.
//
// [BS] J. Bender, A. Schmitt, Constraint-based collision and contact handling using impulses, 2006.
#pragma once

#include "substep_targets.hpp"

namespace carom::kernel {
namespace {

/// The sweeps of a method, or the two of a substep.
enum class Pass : std::uint8_t { sweep, correction_rate, relax };

template <class B>
struct NewImpulse {
  Vector3<B> impulse;
  B missed;  // target less u·n before the step
};

// Laws load the lanes of a point for a step of contact_step.hpp.

/// cone_step. Contacts have a compliance if `soft`.
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
    const Vector3<B> u = velocity_at(motion, ra, rb), p = Block::load(point.impulse);
    B missed = Block::load(point.target) - u.z;
    if constexpr (soft) missed = neg_mul_add(Block::load(soft_points[&point - first_point].compliance), p.z, missed);
    const SchurForm<B> form = {Block::load(point.response), Block::load(point.response.reach)};
    return {cone_step(form, friction, static_friction2, relaxation, u, p, missed), missed};
  }
};

/// normal_first_step with the velocity of now.
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
    const Vector3<B> p = Block::load(point.impulse);
    return {normal_first_step(Block::load(point.response), friction, static_friction, u, p, missed), missed};
  }
};

/// normal_first_step with the overlap after the step: [BS] equation 8.
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

  struct Bodies : ManifoldBodies<B> {
    explicit Bodies(const Manifolds& block)
        : ManifoldBodies<B>{Block::load(block.inertia_a), Block::load(block.inertia_b),
                            Block::load(block.mass_a) + Block::load(block.mass_b)} {}
  };

  /// The motion of the bodies of a block during a visit.
  struct Visit {
    typename Block::Velocity a, b;
    Frame<B> frame;
    Motion<B> before, motion;
    Vector3<B> sum = {B(0), B(0), B(0)};  // of the changes of impulses

    [[gnu::always_inline]] Visit(const SceneJob<T>& job, const Manifolds& block)
        : a(Block::gather(job.velocities, block.a)),
          b(Block::gather(job.velocities, block.b)),
          frame(Base::frame_of(block)),
          before(Base::motion(block, frame, a, b)),
          motion(before) {}
    /// Applies `sum` and the changes of spin to the bodies, in the world frame.
    [[gnu::always_inline]] void put_back(const SceneJob<T>& job, const Manifolds& block, VelocityRow<T>* dummy_body) {
      const Vector3<B> impulse = out_of(frame, sum);
      a.v = mul_add(Block::load(block.mass_a), impulse, a.v);
      a.w = a.w + out_of(frame, motion.wa - before.wa);
      b.v = mul_add(negated(Block::load(block.mass_b)), impulse, b.v);
      b.w = b.w + out_of(frame, motion.wb - before.wb);
      Block::scatter(job.velocities, block.a, a, dummy_body);
      Block::scatter(job.velocities, block.b, b, dummy_body);
    }
  };

  /// `ahead`, the block that comes next, is fetched on the way, point by point, if `fetches`.
  template <class Law, Pass pass = Pass::sweep, bool fetches = false>
  static void sweep(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body,
                    const std::byte* ahead = nullptr) {
    if constexpr (pass == Pass::sweep && Law::knows_world)
      if (block.head.on_world) return sweep_on_world<Law, fetches>(job, block, dummy_body, ahead);
    Visit state(job, block);
    if constexpr (pass == Pass::correction_rate) Goal<A, T>::correction_rate(job, block, state.frame, state.a, state.b);
    if constexpr (pass == Pass::relax) Goal<A, T>::relax(job, block);
    if constexpr (fetches) fetch<sizeof(Manifolds)>(ahead);
    const Bodies bodies(block);
    const Law law(job, block);
    visit_all<fetches>(job, block, bodies, law, state.motion, state.sum, ahead);
    state.put_back(job, block, dummy_body);
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
    Vector3<B> sum = {B(0), B(0), B(0)};
    visit_all<fetches>(job, block, bodies, law, motion, sum, ahead);
    a.v = mul_add(Block::load(block.mass_a), out_of(frame, sum), a.v);
    a.w = a.w + out_of(frame, motion.wa - before);
    Block::scatter(job.velocities, block.a, a, dummy_body);
  }

  /// Visits all points in every round.
  template <bool fetches, class Law, class AnyMotion>
  [[gnu::always_inline]] static void visit_all(const SceneJob<T>& job, Manifolds& block, const Bodies& bodies,
                                               const Law& law, AnyMotion& motion, Vector3<B>& sum,
                                               const std::byte* ahead) {
    if (job.measures_changes)
      Base::store_violation(block.head, visit<true, fetches>(block, bodies, law, motion, sum, ahead));
    else
      visit<false, fetches>(block, bodies, law, motion, sum, ahead);
    for (int round = 1; round < job.parameters.inner_iterations; ++round) visit<false>(block, bodies, law, motion, sum);
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
    return within_range(worst, range);
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
    struct Run : Visit {
      Manifolds& block;
      Bodies bodies;
      Law law;

      [[gnu::always_inline]] Run(const SceneJob<T>& job, Manifolds& of)
          : Visit(job, of), block(of), bodies(of), law(job, of) {}
      [[gnu::always_inline]] void visit(std::size_t p) {
        B worst(0), range(0);
        visit_point<false>(block.point()[p], bodies, law, this->motion, this->sum, worst, range);
      }
    };
    Run of_x(job, x), of_y(job, y);
    for (int round = 0; round < job.parameters.inner_iterations; ++round)
      for (std::size_t p = 0; p < x.head.count; ++p) {
        of_x.visit(p);
        of_y.visit(p);
      }
    of_x.put_back(job, x, dummy_body);
    of_y.put_back(job, y, dummy_body);
  }

  /// The impulses of the block on the bodies.
  static void warm_start(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body) {
    Visit state(job, block);
    const Bodies bodies(block);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const Point& point = block.point()[p];
      bodies.push(state.motion, state.sum, Block::load(point.impulse), Block::load(point.r_a), Block::load(point.r_b));
    }
    state.put_back(job, block, dummy_body);
  }
};

}  // namespace
}  // namespace carom::kernel
