// SingleManifold manifolds from the caller's columns to the results, in one go, so that blocks stay in the first-level
// cache.
#pragma once

#include "simd/kernels/lanes/subnormals.hpp"
#include "sweep.hpp"

namespace carom::kernel {
namespace {

template <class L>
struct SingleManifoldSolve : SingleManifoldBase<L> {
  using Base = SingleManifoldBase<L>;
  using Base::islands;
  using Base::vectors;
  using Base::width;
  using typename Base::Block;
  using typename Base::T;
  using typename Base::V;

  static void solve(const SceneJob<T>& job, const Constraint* const* manifolds, std::size_t used,
                    const SingleManifoldLimits& limits, SingleManifoldOutcome<T>* outcomes) {
    Block block;
    block.used = used;
    for (std::size_t island = 0; island < islands; ++island)
      block.manifold[island] = manifolds[island < used ? island : 0];
    SingleManifoldPrepare<L>::prepare(job, block);
    sweep(block, limits, outcomes);
    finish(job, block, outcomes);
  }

  /// It is not inlined, since the block would then not be memory that others see.
  [[gnu::noinline]] static void sweep(Block& block, const SingleManifoldLimits& limits,
                                      SingleManifoldOutcome<T>* outcomes) {
    const SubnormalsAreZero here;
    for (std::size_t island = 0; island < block.used; ++island)
      outcomes[island] = {block.approach[island], T(0), limits.max_sweeps, false, false};
    SingleManifoldSweep<L> state(block);
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
    if (live == (1u << block.used) - 1)
      keep_all(block, state);
    else
      for_each_bit(live, [&](std::size_t island) { keep(block, state, island); });
  }
  static void keep_all(Block& block, const SingleManifoldSweep<L>& state) {
    for (int p = 0; p < static_cast<int>(points_of_manifold); ++p)
      for (std::size_t c = 0; c < 3; ++c) L::store_at(block.impulse[c], p, state.impulse[p][c]);
  }
  /// Takes the present impulses of an island.
  static void keep(Block& block, const SingleManifoldSweep<L>& state, std::size_t island) {
    for (std::size_t p = 0; p < points_of_manifold; ++p)
      for (std::size_t c = 0; c < 3; ++c) {
        T lanes[width];
        store_lanes(lanes, state.impulse[p][c]);
        block.impulse[c][p * islands + island] = lanes[island];
      }
  }

  static void finish(const SceneJob<T>& job, Block& block, SingleManifoldOutcome<T>* outcomes) {
    const Frame<V> frame = Base::frame_of(block);
    typename Base::Velocities v = Base::gather(job.velocities, block);
    push_bodies(block, frame, v);
    store_velocities(job, block, v);
    const Motion<V> now = Base::motion(block, frame, v);
    const Vector3<V> bias = Base::shared(block.bias);
    const V zero(0), friction = L::shared(block.friction);
    typename Base::Points worst, range;
    T impulses[3][4 * islands], velocities[3][4 * islands];
    unsigned pushed[vectors], slips[vectors];
    for (int k = 0; k < vectors; ++k) {
      const Vector3<V> u = velocity_at(now, Base::load(block.r_a, k), Base::load(block.r_b, k));
      const Vector3<V> impulse = Base::load(block.impulse, k);
      const auto here = Base::load(block.inverse_k33, k) > zero;
      worst.of[k] = choose(here, Base::load(block.target, k) - u.z, zero);
      range.of[k] = choose(here, vanishing(dot(u, u)) + vanishing(dot(impulse, impulse)), zero);
      slips[k] = lane_bits(is_on_cone(mul_add(impulse.x, impulse.x, impulse.y * impulse.y), friction, impulse.z));
      pushed[k] = ~lane_bits(magnitude(impulse.x) + magnitude(impulse.y) + magnitude(impulse.z) == zero);
      // Zeros lose their signs.
      Base::store(impulses, k, out_of(frame, impulse) + Vector3<V>{zero, zero, zero});
      Base::store(velocities, k, out_of(frame, u - bias) + Vector3<V>{zero, zero, zero});
    }
    measure(block, worst, range, outcomes);
    const auto put = [&](const Vector3Columns<T>& to, const T(&from)[3][4 * islands]) {
      store_points(to.x, block, from[0]);
      store_points(to.y, block, from[1]);
      store_points(to.z, block, from[2]);
    };
    put(job.results->impulse, impulses);
    put(job.results->separation_velocity, velocities);
    Base::for_each_contact(block, [&](std::size_t place, std::size_t i) {
      if (job.status[i] > static_cast<std::uint8_t>(Status::several_solutions)) return;
      const bool is_pushed = (pushed[place / width] >> place % width & 1u) != 0;
      job.status[i] = static_cast<std::uint8_t>(is_pushed ? Status::ok : Status::separating);
      if (job.results->path.data == nullptr) return;
      Path path{};
      path.sliding_end = !is_pushed                                          ? SlidingEnd::separating
                         : (slips[place / width] >> place % width & 1u) != 0 ? SlidingEnd::slip
                                                                             : SlidingEnd::stick;
      element(job.results->path, i) = path;
    });
  }

  static void store_points(const Column<T>& column, const Block& block, const T (&from)[4 * islands]) {
    if (column.data == nullptr) return;
    if (!block.is_whole || !is_contiguous(column))
      return Base::for_each_contact(block, [&](std::size_t place, std::size_t i) { element(column, i) = from[place]; });
    if constexpr (vectors == 1) {
      store_lanes(column.data + block.contact[0], Base::load(from, 0));
    } else {
      T idle[points_of_manifold];
      T* row[islands];
      for (std::size_t island = 0; island < islands; ++island)
        row[island] = island < block.used ? column.data + block.contact[island] : idle;
      V points[4];
      for (int k = 0; k < vectors; ++k) points[k] = Base::load(from, k);
      store_four(row, points);
    }
  }

  /// Residuals, and whether a number is beyond the range.
  static void measure(const Block& block, const typename Base::Points& worst, const typename Base::Points& range,
                      SingleManifoldOutcome<T>* outcomes) {
    V residual(0), beyond(0);
    for_four_points([&](auto p) __attribute__((always_inline)) {
      residual = larger(L::template at<decltype(p)::value>(worst), residual);
      beyond = beyond + L::template at<decltype(p)::value>(range);
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
  static void push_bodies(const Block& block, const Frame<V>& frame, typename Base::Velocities& v) {
    Vector3<V> sum = {V(0), V(0), V(0)}, spin_a = sum, spin_b = sum;
    const bool pushes_a = SingleManifoldPrepare<L>::may_move(block.a),
               pushes_b = SingleManifoldPrepare<L>::may_move(block.b);
    for_four_points([&](auto p) {
      constexpr int j = decltype(p)::value;
      const auto at = [&](const T(&of)[3][4 * islands]) {
        return Vector3<V>{L::template at<j>(Base::points(of[0])), L::template at<j>(Base::points(of[1])),
                          L::template at<j>(Base::points(of[2]))};
      };
      const Vector3<V> impulse = at(block.impulse);
      sum = sum + impulse;
      if (pushes_a) spin_a = spin_a + cross(at(block.r_a), impulse);
      if (pushes_b) spin_b = spin_b + cross(at(block.r_b), impulse);
    });
    const Vector3<V> impulse = out_of(frame, sum);
    if (pushes_a) {
      v.va = mul_add(L::shared(block.mass_a), impulse, v.va);
      v.wa = v.wa + out_of(frame, Base::shared(block.inertia_a) * spin_a);
    }
    if (pushes_b) {
      v.vb = mul_add(negated(L::shared(block.mass_b)), impulse, v.vb);
      v.wb = v.wb - out_of(frame, Base::shared(block.inertia_b) * spin_b);
    }
  }

  static void store_velocities(const SceneJob<T>& job, const Block& block, const typename Base::Velocities& v) {
    const auto side = [&](const std::int32_t(&index)[islands], const Vector3<V>& linear, const Vector3<V>& angular) {
      if (!SingleManifoldPrepare<L>::may_move(index)) return;
      const V* const numbers[6] = {&linear.x, &linear.y, &linear.z, &angular.x, &angular.y, &angular.z};
      for (std::size_t c = 0; c < 6; ++c) {
        T lanes[width];
        store_lanes(lanes, *numbers[c]);
        for (std::size_t island = 0; island < islands; ++island)
          if (index[island] >= 0) job.velocities[index[island]].numbers[c] = lanes[island];
      }
    };
    side(block.a, v.va, v.wa);
    side(block.b, v.vb, v.wb);
  }
};

/// Solves islands of one manifold each.
template <class A, class T>
struct SingleManifoldIslands {
  static void solve(const SceneJob<T>& job, const std::uint32_t* list, std::size_t count,
                    const SingleManifoldLimits& limits, SingleManifoldOutcome<T>* outcomes) {
    using Several = ManifoldsOnLanes<A, T>;
    using One = typename SingleManifoldLayout<A, T>::Type;
    constexpr std::size_t few = Several::islands / 4;
    const Constraint* manifolds[Several::islands];
    for (std::size_t i = 0; i < count;) {
      const std::size_t n = count - i < Several::islands ? count - i : Several::islands;
      for (std::size_t k = 0; k < n; ++k) manifolds[k] = &job.manifolds[list[i + k]];
      if (n > few)
        SingleManifoldSolve<Several>::solve(job, manifolds, n, limits, outcomes + i);
      else
        for (std::size_t k = 0; k < n; ++k)
          SingleManifoldSolve<One>::solve(job, manifolds + k, 1, limits, outcomes + i + k);
      i += n;
    }
    leave_lanes<A>();
  }
};

}  // namespace
}  // namespace carom::kernel
