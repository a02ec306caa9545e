// Energy: the work that targets, surface velocities, bodies of infinite mass and springs may do by the impulses of a
// substep. Procedure::substeps allows an island no other gain (docs/scenes.md, Energy).
//
// An impulse p on a contact with the relative velocity u does the work p·(u⁻ + u⁺)/2 on its two bodies. A body of
// infinite mass gains no energy, so the other body also gains p times the velocity of the infinite one. The rest may be
// positive by the target, the surface velocity or a spring.
#pragma once

#include "scene/kernels/blocks/joint_rows.hpp"
#include "scene/kernels/blocks/prepare_manifolds.hpp"
#include "scene/kernels/models/model_block.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct Work {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Velocity = typename Block::Velocity;
  using Manifolds = typename Block::Manifolds;
  using Groups = typename Block::Groups;
  using Base = ManifoldStages<A, T>;
  static constexpr std::size_t width = Block::width;

  static void find(const SceneJob<T>& job, Manifolds& block) {
    using Models = ModelBlocks<A, T>;
    const Frame<B> frame = Base::frame_of(block);
    const auto& head = Block::substep_head(block);
    const Velocity a = Block::gather(job.velocities, block.a), b = Block::gather(job.velocities, block.b);
    const Motion<B> driven =
        motion_of(frame, driven_part(a, block.mass_a, block.inertia_a), driven_part(b, block.mass_b, block.inertia_b));
    const bool has_springs = block.head.models != 0 && job.scene->contacts.stiffness.data != nullptr;
    const bool is_soft = has_soft_contacts(job) && !job.relaxes;
    Motion<B> mean{};
    if (has_springs || is_soft)
      mean = motion_of(frame, middle(job, block.a, head.still_a, a), middle(job, block.b, head.still_b, b));
    const Vector3<B> bias = Block::load(block.bias);
    const B zero(0);
    B work = zero, load = zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const auto& point = block.point()[p];
      const Vector3<B> ra = Block::load(point.r_a), rb = Block::load(point.r_b);
      const Vector3<B> impulse = Block::load(point.impulse);
      const B target = larger(Block::load(Block::substep_point(block)[p].least), zero);
      B normal = target;
      if (has_springs || is_soft) {
        const B velocity = velocity_at(mean, ra, rb).z;
        if (is_soft) normal = choose(Block::load(Block::soft_point(block)[p].compliance) > zero, velocity, normal);
        if (has_springs)
          normal = choose(Block::load(Models::substep_model(job, block)[p].spring) > zero, velocity, normal);
      }
      const B here = impulse.z * normal - dot(impulse, velocity_at(driven, ra, rb) + bias);
      const Mask used = Base::in_use(block, p);
      work = work + choose(used, here, zero);
      load = larger(choose(used, impulse.z, zero), load);
    }
    if (Models::has_moments(block))
      work = work - dot(Block::load(Models::moments(job, block).moment), driven.wa - driven.wb);
    store_lanes(block.head.work, work);
    block.head.loaded = all_lanes(block) & lane_bits(load > zero);
    block.head.grounded = block.head.loaded & still_lanes(head);
  }

  static void find(const SceneJob<T>& job, Groups& block) {
    using Stages = GroupStages<A, T>;
    auto& head = Block::substep_head(block);
    const Velocity a = Block::gather(job.velocities, block.a), b = Block::gather(job.velocities, block.b);
    const Velocity driven_a = driven_part(a, block.mass_a, block.inertia_a);
    const Velocity driven_b = driven_part(b, block.mass_b, block.inertia_b);
    Velocity mean_a{}, mean_b{};
    if (!job.relaxes) {
      mean_a = middle(job, block.a, head.still_a, a);
      mean_b = middle(job, block.b, head.still_b, b);
    }
    B work(0);
    for (std::size_t r = 0; r < block.head.count; ++r) {
      const auto& row = block.row()[r];
      const auto& of = Block::substep_row(block)[r];
      B target = Block::load(of.wanted);
      if (!job.relaxes) {
        const B frequency =
            Stages::load_row(job, job.scene->joints.frequency, block, r, job.parameters.joint_frequency);
        const Mask is_soft = frequency > B(0) && frequency < B(T(0.25) * job.parameters.inverse_substep);
        target = choose(is_soft, velocity(row, mean_a, mean_b), target);
      }
      const B here = Block::load(row.impulse) * (target - velocity(row, driven_a, driven_b));
      work = work + choose(Stages::in_use(block, r), here, B(0));
    }
    store_lanes(block.head.work, work);
    block.head.loaded = 0;
    block.head.grounded = all_lanes(block) & still_lanes(head);
  }

 private:
  template <class Any>
  static std::uint32_t all_lanes(const Any& block) {
    return (1u << block.head.lanes) - 1;
  }
  static std::uint32_t still_lanes(const typename Block::SubstepHead& head) {
    return lane_bits(Block::load(head.still_a) > B(0)) | lane_bits(Block::load(head.still_b) > B(0));
  }
  /// The part of a body's velocity that impulses do not change.
  static Velocity driven_part(const Velocity& of, const typename Block::Lane& mass,
                              const typename Block::Lane (&inertia)[6]) {
    const B zero(0);
    const Vector3<B> none = {zero, zero, zero};
    const B trace = Block::load(inertia[0]) + Block::load(inertia[3]) + Block::load(inertia[5]);
    return {choose(Block::load(mass) > zero, none, of.v), choose(trace > zero, none, of.w)};
  }
  /// The mean of the velocities at the start of the substep and now.
  static Velocity middle(const SceneJob<T>& job, const std::int32_t (&index)[width], const typename Block::Lane& still,
                         const Velocity& now) {
    const Velocity before = Block::gather(job.began, index);
    const Mask is_still = Block::load(still) > B(0);
    const B half(T(0.5));
    return {choose(is_still, now.v, half * (before.v + now.v)), choose(is_still, now.w, half * (before.w + now.w))};
  }
  static B velocity(const typename Block::JointRow& row, const Velocity& a, const Velocity& b) {
    return dot(Block::load(row.linear_a), a.v) + dot(Block::load(row.angular_a), a.w) +
           (dot(Block::load(row.linear_b), b.v) + dot(Block::load(row.angular_b), b.w));
  }
};

}  // namespace
}  // namespace carom::kernel
