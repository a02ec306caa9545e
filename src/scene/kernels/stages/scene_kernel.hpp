// The kernels of scenes without the contact step, for the table of an ISA.
#pragma once

#include "block_kinds.hpp"
#include "energy.hpp"
#include "finish.hpp"
#include "scene/kernels/islands/settle_alone.hpp"
#include "scene/kernels/models/prepare.hpp"
#include "validate_scene.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct SceneStages : BlockKinds<A, T> {
  using Kinds = BlockKinds<A, T>;
  using Kinds::groups, Kinds::has_models, Kinds::is_joint, Kinds::manifolds;

  static void validate_bodies(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                              std::uint8_t* movable, T* energy) {
    SceneValidation<A, T>::validate_bodies(job, first, count, fault, movable, energy);
    leave_lanes<A>();
  }
  static void validate_contacts(const JobInput<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                                std::uint8_t* link) {
    SceneValidation<A, T>::validate_contacts(job, first, count, fault, link);
    if (job.has_models) SceneValidation<A, T>::validate_models(job, first, count, fault);
    leave_lanes<A>();
  }
  static void validate_rows(const JobInput<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault) {
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
constexpr SceneKernelsFor<T> scene_kernels_for(const SweepKernels<T>& sweeps,
                                               const SingleManifoldKernels<T>& single_manifold) {
  using Stages = SceneStages<A, T>;
  return {&sweeps,
          &single_manifold,
          Blocks<A, T>::width,
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
          &Stages::retarget,
          &Stages::retire,
          &Stages::keep,
          &Stages::return_to_kept,
          &Stages::carry,
          &Stages::work,
          &Stages::store_warm,
          &Stages::finish,
          &SettledIslands<A, T>::settle,
          &SettledAlone<A, T>::settle,
          &SettledIslands<A, T>::begin_to_settle,
          &SettledIslands<A, T>::end_settling,
          &SettledIslands<A, T>::store_settled};
}

}  // namespace
}  // namespace carom::kernel
