// The kernels of scenes, for the table of an ISA.
#pragma once

#include "energy.hpp"
#include "finish.hpp"
#include "scene/kernels/islands/settle_alone.hpp"
#include "scene/kernels/models/sweep.hpp"
#include "scene/kernels/single_manifold/solve.hpp"
#include "simd/kernels/lanes/subnormals.hpp"
#include "validate_scene.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct SceneStages {
  using Block = Blocks<A, T>;
  using Manifolds = typename Block::Manifolds;
  using Groups = typename Block::Groups;

  static bool is_joint(const std::byte* block) { return reinterpret_cast<const BlockHead<T>*>(block)->is_joint; }
  static bool has_models(const std::byte* block) { return reinterpret_cast<const BlockHead<T>*>(block)->models != 0; }
  static Manifolds& manifolds(std::byte* block) { return *reinterpret_cast<Manifolds*>(block); }
  static Groups& groups(std::byte* block) { return *reinterpret_cast<Groups*>(block); }

  static void validate_bodies(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                              std::uint8_t* movable, T* energy) {
    SceneValidation<A, T>::validate_bodies(job, first, count, fault, movable, energy);
    leave_lanes<A>();
  }
  static void validate_contacts(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                                std::uint8_t* link) {
    SceneValidation<A, T>::validate_contacts(job, first, count, fault, link);
    if (job.has_models) SceneValidation<A, T>::validate_models(job, first, count, fault);
    leave_lanes<A>();
  }
  static void validate_rows(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault) {
    SceneValidation<A, T>::validate_rows(job, first, count, fault);
    leave_lanes<A>();
  }
  static void energies(const SceneJob<T>& job, std::size_t first, std::size_t count, T* energy) {
    SceneValidation<A, T>::find_energies(job, first, count, energy);
    leave_lanes<A>();
  }
  static void prepare(const SceneJob<T>& job, std::byte* block) {
    if (is_joint(block))
      GroupStages<A, T>::prepare(job, block);
    else
      ManifoldStages<A, T>::prepare(job, block);
    if (job.target == Target::substeps) {
      if (is_joint(block))
        Goal<A, T>::begin(job, groups(block));
      else
        Goal<A, T>::begin(job, manifolds(block));
    }
    if (has_models(block)) ModelStages<A, T>::prepare(job, manifolds(block));
    leave_lanes<A>();
  }
  static void warm_start(const SceneJob<T>& job, std::byte* block, VelocityRow<T>* dummy_body) {
    if (is_joint(block))
      GroupStages<A, T>::warm_start(job, groups(block), dummy_body);
    else if (has_models(block))
      ModelSweep<A, T>::warm_start(job, manifolds(block), dummy_body);
    else
      ManifoldSweep<A, T>::warm_start(job, manifolds(block), dummy_body);
    leave_lanes<A>();
  }
  static void retarget(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes) {
    if (!is_joint(block)) ManifoldStages<A, T>::retarget(job, block, lanes);
    leave_lanes<A>();
  }
  static void retire(std::byte* block, std::uint32_t lanes) {
    if (is_joint(block))
      GroupStages<A, T>::retire(groups(block), lanes);
    else
      ManifoldStages<A, T>::retire(manifolds(block), lanes);
    leave_lanes<A>();
  }
  static void keep(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes) {
    if (is_joint(block))
      GroupStages<A, T>::keep(job, groups(block), lanes);
    else
      ManifoldStages<A, T>::keep(job, manifolds(block), lanes);
    leave_lanes<A>();
  }
  static void return_to_kept(const SceneJob<T>& job, std::byte* block, std::uint32_t lanes) {
    if (is_joint(block))
      GroupStages<A, T>::return_to_kept(job, groups(block), lanes);
    else
      ManifoldStages<A, T>::return_to_kept(job, manifolds(block), lanes);
    if (has_models(block)) ModelStages<A, T>::return_to_kept(job, manifolds(block), lanes);
    leave_lanes<A>();
  }
  static void carry(const SceneJob<T>& job, std::byte* block) {
    if (!is_joint(block)) ManifoldStages<A, T>::carry(job, manifolds(block));
    if (has_models(block)) ModelStages<A, T>::carry(job, manifolds(block));
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
        ModelSweep<A, T>::template sweep<Pass::sweep>(job, manifolds(blocks[i]), dummy_body);
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
          ModelSweep<A, T>::template sweep<pass>(job, block, dummy_body);
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
  static void work(const SceneJob<T>& job, std::byte* block) {
    if (is_joint(block))
      Work<A, T>::find(job, groups(block));
    else
      Work<A, T>::find(job, manifolds(block));
    leave_lanes<A>();
  }
  static void store_warm(const SceneJob<T>& job, std::byte* block) {
    if (is_joint(block))
      Goal<A, T>::store_warm(job, groups(block));
    else
      Goal<A, T>::store_warm(job, manifolds(block));
    if (has_models(block)) ModelFinish<A, T>::store_warm(job, manifolds(block));
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
  static void finish(const SceneJob<T>& job, std::byte* block) {
    if (is_joint(block))
      GroupStages<A, T>::finish(job, groups(block));
    else if (has_models(block))
      ManifoldFinish<A, T>::template finish<true>(job, manifolds(block));
    else
      ManifoldFinish<A, T>::finish(job, manifolds(block));
    leave_lanes<A>();
  }
};

template <class A, class T>
constexpr SceneKernelsFor<T> scene_kernels_for() {
  using Stages = SceneStages<A, T>;
  return {Blocks<A, T>::width,
          sizeof(typename Blocks<A, T>::Manifolds),
          sizeof(typename Blocks<A, T>::Point),
          sizeof(typename Blocks<A, T>::Groups),
          sizeof(typename Blocks<A, T>::JointRow),
          sizeof(typename Blocks<A, T>::SubstepHead),
          sizeof(typename Blocks<A, T>::SubstepPoint),
          sizeof(typename Blocks<A, T>::SubstepRow),
          sizeof(typename Blocks<A, T>::SoftPoint),
          sizeof(typename ModelBlocks<A, T>::Head),
          sizeof(typename ModelBlocks<A, T>::Moments),
          sizeof(typename ModelBlocks<A, T>::ModelPoint),
          sizeof(typename ModelBlocks<A, T>::SubstepModel),
          &Stages::validate_bodies,
          &Stages::validate_contacts,
          &Stages::validate_rows,
          &Stages::energies,
          &Stages::prepare,
          &Stages::warm_start,
          &Stages::retarget,
          &Stages::retire,
          &Stages::keep,
          &Stages::return_to_kept,
          &Stages::carry,
          &Stages::pgs,
          &Stages::template sweep<IterationSweep<A, T>>,
          &Stages::template sweep<RestingSweep<A, T>>,
          &Stages::template substep<Pass::correction_rate>,
          &Stages::template substep<Pass::relax>,
          &Stages::work,
          &Stages::store_warm,
          &Stages::rebound,
          &Stages::finish,
          &SingleManifoldIslands<A, T>::solve,
          &SettledIslands<A, T>::settle,
          &SettledAlone<A, T>::settle,
          &SettledIslands<A, T>::begin_to_settle,
          &SettledIslands<A, T>::end_settling,
          &SettledIslands<A, T>::store_settled};
}

}  // namespace
}  // namespace carom::kernel
