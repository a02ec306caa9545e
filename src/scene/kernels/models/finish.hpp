// Finish: writes moments to the caller's columns. Each contact of a manifold gets a fraction by its limit.
#pragma once

#include "model_block.hpp"
#include "scene/kernels/blocks/prepare_manifolds.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct ModelFinish {
  using Block = Blocks<A, T>;
  using Models = ModelBlocks<A, T>;
  using Base = ManifoldStages<A, T>;
  using B = typename Block::B;
  using Manifolds = typename Block::Manifolds;

  /// |q|² of an impulse of a point: on the cone it is (`most` p_n)².
  static B length2(const SceneJob<T>& job, Manifolds& block, const Vector3<B>& impulse) {
    return length2_of(Models::load(Models::model_head(job, block)), impulse);
  }
  static B most(const SceneJob<T>& job, Manifolds& block) { return Block::load(Models::model_head(job, block).most); }

  /// The part of a miss that the compliance explains.
  static B give(const SceneJob<T>& job, Manifolds& block, std::size_t p) {
    return Block::load(Models::model_point(job, block)[p].form.compliance) * Block::load(block.point()[p].impulse[2]);
  }

  /// The moment of the step.
  static Vector3<B> moment(const SceneJob<T>& job, Manifolds& block) {
    if (!Models::has_moments(block)) return {B(0), B(0), B(0)};
    const auto& of = Models::moments(job, block);
    return Block::load(of.sum) + Block::load(of.moment);
  }

  static void store(const SceneJob<T>& job, Manifolds& block) {
    const bool in_substeps = job.target == Target::substeps;
    if (Models::has_moments(block))
      share(job, block, moment(job, block), job.results->angular_impulse, [&](std::size_t p) {
        const B normal = Block::load(block.point()[p].impulse[2]);
        return in_substeps ? normal + Block::load(Block::substep_point(block)[p].sum[2]) : normal;
      });
  }

  /// The moment of the last substep, for the next step to begin with.
  static void store_warm(const SceneJob<T>& job, Manifolds& block) {
    if (Models::has_moments(block))
      share(job, block, B(job.parameters.substeps) * Block::load(Models::moments(job, block).moment),
            job.results->warm_angular_impulse, [&](std::size_t p) { return Block::load(block.point()[p].impulse[2]); });
  }

 private:
  template <class Normal>
  static void share(const SceneJob<T>& job, Manifolds& block, const Vector3<B>& moment,
                    const Vector3Columns<T>& columns, const Normal& normal) {
    if (columns.x.data == nullptr && columns.y.data == nullptr && columns.z.data == nullptr) return;
    const Frame<B> frame = Base::frame_of(block);
    const auto* const of = Models::model_point(job, block);
    const B zero(0), one(1);
    B roll = zero, spin = zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      roll = mul_add(Block::load(of[p].roll), normal(p), roll);
      spin = mul_add(Block::load(of[p].spin), normal(p), spin);
    }
    const auto inverse = [&](B sum) {
      const auto has_limit = is_some(sum);
      return choose(has_limit, one / choose(has_limit, sum, one), zero);
    };
    const B per_roll = inverse(roll), per_spin = inverse(spin);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const B roll_share = Block::load(of[p].roll) * normal(p) * per_roll;
      const B spin_share = Block::load(of[p].spin) * normal(p) * per_spin;
      Base::store_point(job, columns, block, p,
                        unsigned_zeros(out_of(
                            frame, Vector3<B>{roll_share * moment.x, roll_share * moment.y, spin_share * moment.z})));
    }
  }
};

}  // namespace
}  // namespace carom::kernel
