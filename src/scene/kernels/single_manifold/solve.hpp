// SingleManifold manifolds from the caller's columns to the results, in one go, so that blocks stay in the first-level
// cache.
#pragma once

#include "simd/kernels/lanes/subnormals.hpp"
#include "sweep.hpp"

namespace carom::kernel {
namespace {

template <class Vector, std::size_t size>
struct SingleManifoldSolve : SingleManifoldBase<Vector, size> {
  using Base = SingleManifoldBase<Vector, size>;
  using Base::load, Base::may_move, Base::store, Base::vectors, Base::width;
  using typename Base::Block, typename Base::T, typename Base::V, typename Base::Velocity;
  using Sweep = SingleManifoldSweep<Vector, size>;

  static void solve(const SceneJob<T>& job, const Constraint* const* manifolds, std::size_t used,
                    const SingleManifoldLimits& limits, SingleManifoldOutcome<T>* outcomes) {
    Block block;
    block.used = used;
    for (std::size_t island = 0; island < size; ++island)
      block.manifold[island] = manifolds[island < used ? island : 0];
    SingleManifoldPrepare<Vector, size>::prepare(job, block);
    sweep(block, limits, outcomes);
    finish(job, block, outcomes);
  }

  /// It is not inlined, since the block would then not be memory that others see.
  [[gnu::noinline]] static void sweep(Block& block, const SingleManifoldLimits& limits,
                                      SingleManifoldOutcome<T>* outcomes) {
    const SubnormalsAreZero here;
    for (std::size_t island = 0; island < block.used; ++island)
      outcomes[island] = {block.approach[island], T(0), limits.max_sweeps, false, false};
    Sweep state(block);
    unsigned live = (1u << block.used) - 1;
    int look = 1;  // iteration that tests convergence: the first one, then every between_looks
    for (int sweeps = 0; sweeps < limits.max_sweeps;
         look = (sweeps / limits.between_looks + 1) * limits.between_looks) {
      const bool is_last = look >= limits.max_sweeps;
      for (const int end = is_last ? limits.max_sweeps : look - 1; sweeps < end; ++sweeps) state.visit();
      if (is_last) break;
      if (sweeps > 0) state.find_velocities();
      T worst[width];
      store_lanes(worst, state.visit_and_measure());
      ++sweeps;
      for_each_bit(live, [&](std::size_t island) {
        SingleManifoldOutcome<T>& of = outcomes[island];
        if (!(static_cast<double>(worst[island]) <= limits.relative_tolerance * static_cast<double>(of.approach)))
          return;
        of.sweeps = sweeps;
        of.converged = true;
        live &= ~(1u << island);
        keep(block, state, island);
      });
      if (live == 0) return;
    }
    if constexpr (vectors > 1)
      if (live == (1u << block.used) - 1) {
        for (std::size_t p = 0; p < points_of_manifold; ++p) store(block.impulse[p], state.impulse[p]);
        return;
      }
    for_each_bit(live, [&](std::size_t island) { keep(block, state, island); });
  }
  /// Takes the present impulses of an island.
  static void keep(Block& block, const Sweep& state, std::size_t island) {
    for (std::size_t p = 0; p < points_of_manifold; ++p) {
      T lanes[3][width];
      store(lanes, state.impulse[p]);
      for (std::size_t c = 0; c < 3; ++c)
        block.impulse[Base::vector_of(p)][c][Base::lane_of(p, island)] = lanes[c][island];
    }
  }

  static void finish(const SceneJob<T>& job, Block& block, SingleManifoldOutcome<T>* outcomes) {
    const Frame<V> frame = Base::frame_of(block);
    Velocity a = Base::gather(job.velocities, block.a), b = Base::gather(job.velocities, block.b);
    push_bodies(block, frame, a, b);
    store_velocity(job, block.a, a);
    store_velocity(job, block.b, b);
    const Motion<V> now = Base::motion(block, frame, a, b);
    const Vector3<V> bias = load(block.bias);
    const V zero(0), friction = load(block.friction);
    typename Base::Points worst, range;
    typename Base::PointVectors impulses, velocities;
    unsigned pushed[vectors], slips[vectors];
    for (std::size_t k = 0; k < vectors; ++k) {
      const Vector3<V> u = velocity_at(now, load(block.r_a[k]), load(block.r_b[k]));
      const Vector3<V> impulse = load(block.impulse[k]);
      const auto here = load(block.inverse_k33[k]) > zero;
      worst.of[k] = choose(here, load(block.target[k]) - u.z, zero);
      range.of[k] = choose(here, vanishing(dot(u, u)) + vanishing(dot(impulse, impulse)), zero);
      slips[k] = lane_bits(is_on_cone(mul_add(impulse.x, impulse.x, impulse.y * impulse.y), friction, impulse.z));
      pushed[k] = ~lane_bits(magnitude(impulse.x) + magnitude(impulse.y) + magnitude(impulse.z) == zero);
      impulses.set(k, unsigned_zeros(out_of(frame, impulse)));
      velocities.set(k, unsigned_zeros(out_of(frame, u - bias)));
    }
    measure(block, worst, range, outcomes);
    const std::uint32_t used = (1u << block.used) - 1;
    const auto for_each = [&](auto&& f) { Base::for_each_contact(block, f); };
    Base::store_points(job.results->impulse, block.is_whole, block.contact, used, impulses, for_each);
    Base::store_points(job.results->separation_velocity, block.is_whole, block.contact, used, velocities, for_each);
    for_each([&](std::size_t k, std::size_t lane, std::size_t i) {
      store_status(job, i, (pushed[k] >> lane & 1u) != 0, (slips[k] >> lane & 1u) != 0);
    });
  }

  /// Residuals, and whether a number is beyond the range.
  static void measure(const Block& block, const typename Base::Points& worst, const typename Base::Points& range,
                      SingleManifoldOutcome<T>* outcomes) {
    V residual(0), beyond(0);
    for_four_points([&](auto p) __attribute__((always_inline)) {
      residual = larger(Base::template at<decltype(p)::value>(worst), residual);
      beyond = beyond + Base::template at<decltype(p)::value>(range);
    });
    T residuals[width], are_beyond[width];
    store_lanes(residuals, residual);
    store_lanes(are_beyond, beyond);
    for (std::size_t island = 0; island < block.used; ++island) {
      outcomes[island].residual = residuals[island];
      outcomes[island].overflow = !(are_beyond[island] == T(0));
    }
  }

  /// The bodies with all impulses on them.
  static void push_bodies(const Block& block, const Frame<V>& frame, Velocity& a, Velocity& b) {
    Vector3<V> sum = {V(0), V(0), V(0)}, spin_a = sum, spin_b = sum;
    const bool pushes_a = may_move(block.a), pushes_b = may_move(block.b);
    for_four_points([&](auto p) {
      constexpr int j = decltype(p)::value;
      const Vector3<V> impulse = Base::template at<j>(block.impulse);
      sum = sum + impulse;
      if (pushes_a) spin_a = spin_a + cross(Base::template at<j>(block.r_a), impulse);
      if (pushes_b) spin_b = spin_b + cross(Base::template at<j>(block.r_b), impulse);
    });
    const Vector3<V> impulse = out_of(frame, sum);
    if (pushes_a) {
      a.v = mul_add(load(block.mass_a), impulse, a.v);
      a.w = a.w + out_of(frame, load(block.inertia_a) * spin_a);
    }
    if (pushes_b) {
      b.v = mul_add(negated(load(block.mass_b)), impulse, b.v);
      b.w = b.w - out_of(frame, load(block.inertia_b) * spin_b);
    }
  }

  static void store_velocity(const SceneJob<T>& job, const std::int32_t (&index)[size], const Velocity& of) {
    if (!may_move(index)) return;
    T lanes[6][width];
    const V* const numbers[6] = {&of.v.x, &of.v.y, &of.v.z, &of.w.x, &of.w.y, &of.w.z};
    for (std::size_t c = 0; c < 6; ++c) {
      store(lanes[c], *numbers[c]);
      for (std::size_t island = 0; island < size; ++island)
        if (index[island] >= 0) job.velocities[index[island]].numbers[c] = lanes[c][island];
    }
  }
};

/// The vector for a manifold that is solved alone.
template <class A, class T>
struct VectorOfOne {
  using Type = typename LaneTypes<Scalar, T>::Batch;
};
#ifdef CAROM_HAS_VEC4
template <class A, class T>
requires(LaneTypes<A, T>::width > 1) struct VectorOfOne<A, T> {
  using Type = Vec4<T>;
};
#endif

/// Solves islands of one manifold each.
template <class A, class T>
struct SingleManifoldIslands {
  static void solve(const SceneJob<T>& job, const std::uint32_t* list, std::size_t count,
                    const SingleManifoldLimits& limits, SingleManifoldOutcome<T>* outcomes) {
    constexpr std::size_t width = LaneTypes<A, T>::width, few = width / 4;
    using Several = SingleManifoldSolve<typename LaneTypes<A, T>::Batch, width>;
    using One = SingleManifoldSolve<typename VectorOfOne<A, T>::Type, 1>;
    const Constraint* manifolds[width];
    for (std::size_t i = 0; i < count;) {
      const std::size_t n = count - i < width ? count - i : width;
      for (std::size_t k = 0; k < n; ++k) manifolds[k] = &job.manifolds[list[i + k]];
      if (n > few)
        Several::solve(job, manifolds, n, limits, outcomes + i);
      else
        for (std::size_t k = 0; k < n; ++k) One::solve(job, manifolds + k, 1, limits, outcomes + i + k);
      i += n;
    }
    leave_lanes<A>();
  }
};

}  // namespace
}  // namespace carom::kernel
