// Finish: impulses, velocities of separation, statuses and paths to the host's columns, and what contacts still miss.
#pragma once

#include "rows.hpp"
#include "sweep.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct ManifoldFinish : ManifoldStages<A, T> {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Manifolds = typename Block::Manifolds;
  using Point = typename Block::Point;
  using Base = ManifoldStages<A, T>;
  static constexpr std::size_t width = Block::width;

  static void finish(const SceneJob<T>& job, Manifolds& block) {
    const std::uint32_t lanes = Base::all_lanes(block);
    const Frame<B> frame = Base::frame_of(block);
    const Motion<B> now =
        Base::motion(block, frame, Block::gather(job.velocities, block.a), Block::gather(job.velocities, block.b));
    const Vector3<B> bias = Block::load(block.bias);
    const B zero(0), friction = Block::load(block.friction);
    B worst = zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const Point& point = block.point()[p];
      const Vector3<B> ra = Block::load(point.arm_a), rb = Block::load(point.arm_b);
      const Vector3<B> u = velocity_at(now, ra, rb);
      const B separation =
          job.target == Target::resting
              ? predict(now, ra, rb, Block::load(point.response.reach), B(job.parameters.time_step)).separation
              : u.z;
      const B missed = larger(Block::load(point.target) - separation, zero);
      Vector3<B> impulse = Block::load(point.impulse);
      if (job.impulse_sum[0] != nullptr) impulse = impulse + load_sum(job, block, p, lanes);
      // The cone's boundary within the roundings of three products.
      const B bound = friction * impulse.z * B(T(1) - T(8) * (sizeof(T) == sizeof(float) ? T(0x1p-23) : T(0x1p-52)));
      const Mask slips = mul_add(impulse.x, impulse.x, impulse.y * impulse.y) >= bound * bound;
      const unsigned slipping = lane_bits(slips);
      // Zeros lose their signs, which lanes that have come to an end may have turned.
      const Vector3<B> world = out_of(frame, impulse) + Vector3<B>{zero, zero, zero},
                       velocity = out_of(frame, u - bias);
      worst = larger(worst, missed);
      T x[6][width];
      store_lanes(x[0], world.x);
      store_lanes(x[1], world.y);
      store_lanes(x[2], world.z);
      store_lanes(x[3], velocity.x);
      store_lanes(x[4], velocity.y);
      store_lanes(x[5], velocity.z);
      const SceneResults<T>& results = *job.results;
      for_each_bit(lanes, [&](std::size_t lane) {
        if (p >= block.points[lane]) return;
        const std::size_t i = block.first[lane] + p;
        if (job.status[i] > static_cast<std::uint8_t>(Status::several_solutions)) return;
        const bool pushed = x[0][lane] != T(0) || x[1][lane] != T(0) || x[2][lane] != T(0);
        job.status[i] = static_cast<std::uint8_t>(pushed ? Status::ok : Status::separating);
        const auto put = [&](const Vector3Columns<T>& columns, std::size_t from) {
          if (columns.x.data != nullptr) element(columns.x, i) = x[from][lane];
          if (columns.y.data != nullptr) element(columns.y, i) = x[from + 1][lane];
          if (columns.z.data != nullptr) element(columns.z, i) = x[from + 2][lane];
        };
        put(results.impulse, 0);
        put(results.separation_velocity, 3);
        if (results.path.data != nullptr)
          element(results.path, i).course = !pushed                        ? Course::separating
                                            : (slipping >> lane & 1u) != 0 ? Course::slip
                                                                           : Course::stick;
      });
    }
    Base::store_violation(block.head, worst);
  }

  static Vector3<B> load_sum(const SceneJob<T>& job, const Manifolds& block, std::size_t p, std::uint32_t lanes) {
    T sum[3][width] = {};
    for_each_bit(lanes, [&](std::size_t lane) {
      if (p >= block.points[lane]) return;
      for (std::size_t i = 0; i < 3; ++i) sum[i][lane] = job.impulse_sum[i][block.first[lane] + p];
    });
    return {load_lanes<B>(sum[0]), load_lanes<B>(sum[1]), load_lanes<B>(sum[2])};
  }
};

}  // namespace
}  // namespace carom::kernel
