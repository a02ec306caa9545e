// Finish: stores impulses, separation velocities, statuses and paths in the caller's columns, and the violation of the
// targets.
#pragma once

#include "scene/kernels/blocks/joint_rows.hpp"
#include "scene/kernels/blocks/prepare_manifolds.hpp"
#include "scene/kernels/models/finish.hpp"

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

  /// `has_models`: see models/model_block.hpp.
  template <bool has_models = false>
  static void finish(const SceneJob<T>& job, Manifolds& block) {
    using Models = ModelFinish<A, T>;
    const std::uint32_t lanes = Base::all_lanes(block);
    const Frame<B> frame = Base::frame_of(block);
    const Motion<B> now =
        Base::motion(block, frame, Block::gather(job.velocities, block.a), Block::gather(job.velocities, block.b));
    const Vector3<B> bias = Block::load(block.bias);
    const B zero(0);
    B friction = Block::load(block.friction);
    if constexpr (has_models) friction = Models::most(job, block);
    B worst = zero, range = zero;
    typename Base::PointVectors impulses, velocities;
    std::uint32_t pushed[points_of_manifold] = {}, slips[points_of_manifold] = {};
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const Point& point = block.point()[p];
      const Vector3<B> ra = Block::load(point.r_a), rb = Block::load(point.r_b);
      const Vector3<B> u = velocity_at(now, ra, rb);
      const B separation =
          job.target == Target::resting
              ? predict(now, ra, rb, Block::load(point.response.reach), B(job.parameters.time_step)).separation
              : u.z;
      if constexpr (has_models)
        worst = larger(Block::load(point.target) - separation - Models::give(job, block, p), worst);
      else
        worst = larger(Block::load(point.target) - separation, worst);
      Vector3<B> impulse = Block::load(point.impulse);
      // The sum shows whether an impulse is out of range; a rebound of any island has set the last impulse to zero.
      if (job.target == Target::substeps) impulse = impulse + Block::load(Block::substep_point(block)[p].sum);
      // A lane has undefined numbers after its last point.
      const B here = vanishing(dot(u, u)) + vanishing(dot(impulse, impulse));
      range = range + choose(Base::in_use(block, p), here, zero);
      if (job.impulse_sum[0] != nullptr) impulse = impulse + load_sum(job, block, p, lanes);
      B length2 = mul_add(impulse.x, impulse.x, impulse.y * impulse.y);
      if constexpr (has_models) length2 = Models::length2(job, block, impulse);
      slips[p] = lane_bits(is_on_cone(length2, friction, impulse.z));
      pushed[p] = ~lane_bits(magnitude(impulse.x) + magnitude(impulse.y) + magnitude(impulse.z) == zero);
      // The signs of zeros may also depend on the neighbours of a lane, which continue after the lane has ended.
      impulses.set(p, unsigned_zeros(out_of(frame, impulse)));
      velocities.set(p, unsigned_zeros(out_of(frame, u - bias)));
    }
    Base::store_violation(block.head, worst);
    if constexpr (has_models) {
      const Vector3<B> moment = Models::moment(job, block);
      range = range + vanishing(dot(moment, moment));
      Models::store(job, block);
    }
    block.head.overflow = lanes & ~lane_bits(range == zero);
    // Faulty contacts get undefined results; the solver overwrites them.
    bool whole = job.contact_at == nullptr;
    for_each_bit(lanes, [&](std::size_t lane) { whole = whole && block.items[lane] == points_of_manifold; });
    const auto for_each = [&](auto&& f) { Base::for_each_contact(job, block, lanes, f); };
    Base::store_points(job.results->impulse, whole, block.first, lanes, impulses, for_each);
    Base::store_points(job.results->separation_velocity, whole, block.first, lanes, velocities, for_each);
    const std::uint32_t* const contact_at =
        job.contact_at;  // statuses are bytes, which may alias anything for the compiler
    for_each_bit(lanes, [&](std::size_t lane) {
      const std::uint32_t first = block.first[lane];
      for (std::size_t p = 0; p < block.items[lane]; ++p)
        store_status(job, number_at(contact_at, first + static_cast<std::uint32_t>(p)), (pushed[p] >> lane & 1u) != 0,
                     (slips[p] >> lane & 1u) != 0);
    });
  }

  static Vector3<B> load_sum(const SceneJob<T>& job, const Manifolds& block, std::size_t p, std::uint32_t lanes) {
    T sum[3][width] = {};
    for_each_bit(lanes, [&](std::size_t lane) {
      if (p >= block.items[lane]) return;
      for (std::size_t i = 0; i < 3; ++i) sum[i][lane] = job.impulse_sum[i][Base::contact(job, block, lane, p)];
    });
    return Block::load(sum);
  }
};

}  // namespace
}  // namespace carom::kernel
