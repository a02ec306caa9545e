// The passes over blocks, for the table of an ISA.
#pragma once

#include "block_kinds.hpp"
#include "scene/kernels/models/sweep.hpp"
#include "simd/kernels/lanes/subnormals.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct SweepStages : BlockKinds<A, T> {
  using Kinds = BlockKinds<A, T>;
  using Kinds::groups, Kinds::has_models, Kinds::is_joint, Kinds::manifolds;
  using typename Kinds::Block, typename Kinds::Groups, typename Kinds::Manifolds;

  static void warm_start(const SceneJob<T>& job, std::byte* block, VelocityRow<T>* dummy_body) {
    if (is_joint(block))
      GroupStages<A, T>::warm_start(job, groups(block), dummy_body);
    else if (has_models(block))
      ModelSweep<A, T>::warm_start(job, manifolds(block), dummy_body);
    else
      ManifoldSweep<A, T>::warm_start(job, manifolds(block), dummy_body);
    leave_lanes<A>();
  }
  template <class Law, bool reads_ahead = false>
  static void sweep(const SceneJob<T>& job, std::byte* const* blocks, std::size_t count, VelocityRow<T>* dummy_body) {
    using Sweep = ManifoldSweep<A, T>;
    const SubnormalsAreZero here;
    const auto is_plain = [&](std::size_t i) { return !is_joint(blocks[i]) && !has_models(blocks[i]); };
    for (std::size_t i = 0; i < count; ++i)
      if (is_joint(blocks[i]))
        GroupStages<A, T>::sweep(job, groups(blocks[i]), dummy_body);
      else if (has_models(blocks[i]))
        ModelSweep<A, T>::sweep(job, manifolds(blocks[i]), dummy_body, Pass::sweep);
      else if (Law::knows_world && Sweep::takes_turns && !reads_ahead && i + 1 < count && is_plain(i + 1) &&
               Sweep::may_take_turns(job, manifolds(blocks[i]), manifolds(blocks[i + 1]))) {
        Sweep::template sweep_in_turns<Law>(job, manifolds(blocks[i]), manifolds(blocks[i + 1]), dummy_body);
        ++i;
      } else
        Sweep::template sweep<Law, Pass::sweep, reads_ahead>(job, manifolds(blocks[i]), dummy_body,
                                                             blocks[i + 1 < count ? i + 1 : i]);
    leave_lanes<A>();
  }
  static void pgs(const SceneJob<T>& job, std::byte* const* blocks, std::size_t count, VelocityRow<T>* dummy_body) {
    using Law = PgsSweep<A, T>;
    return job.reads_ahead ? sweep<Law, true>(job, blocks, count, dummy_body)
                           : sweep<Law>(job, blocks, count, dummy_body);
  }
  template <Pass pass>
  static void substep(const SceneJob<T>& job, std::byte* const* blocks, std::size_t count, VelocityRow<T>* dummy_body) {
    const SubnormalsAreZero here;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_joint(blocks[i])) {
        Manifolds& block = manifolds(blocks[i]);
        if (has_models(blocks[i]))
          ModelSweep<A, T>::sweep(job, block, dummy_body, pass);
        else if (pass == Pass::correction_rate && has_soft_contacts(job))
          ManifoldSweep<A, T>::template sweep<PgsSweep<A, T, true>, pass>(job, block, dummy_body);
        else
          ManifoldSweep<A, T>::template sweep<PgsSweep<A, T>, pass>(job, block, dummy_body);
        continue;
      }
      Groups& block = groups(blocks[i]);
      GroupStages<A, T>::substep(job, block, dummy_body, [&](auto& bodies) {
        if constexpr (pass == Pass::correction_rate)
          Goal<A, T>::correction_rate(job, block, bodies);
        else
          Goal<A, T>::relax(job, block, bodies);
      });
    }
    leave_lanes<A>();
  }
  static void rebound(const SceneJob<T>& job, std::byte* block) {
    if (is_joint(block))
      store_lanes(groups(block).head.violation, typename Block::B(0));
    else if (has_models(block))
      ModelSweep<A, T>::rebound(job, manifolds(block));
    else
      Goal<A, T>::rebound(job, manifolds(block));
    leave_lanes<A>();
  }
};

template <class A, class T>
constexpr SweepKernels<T> sweep_kernels_for() {
  using Stages = SweepStages<A, T>;
  return {&Stages::warm_start,
          &Stages::pgs,
          &Stages::template sweep<IterationSweep<A, T>>,
          &Stages::template sweep<RestingSweep<A, T>>,
          &Stages::template substep<Pass::correction_rate>,
          &Stages::template substep<Pass::relax>,
          &Stages::rebound};
}

}  // namespace
}  // namespace carom::kernel
