// Memory behind a block of manifolds with contact models: compliance, friction in two directions, or resistance to
// rolling and spinning. The law is in docs/contact-models.md.
#pragma once

#include "scene/kernels/blocks/block.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct ModelBlocks : Blocks<A, T> {
  using Block = Blocks<A, T>;
  using Lane = typename Block::Lane;
  using Manifolds = typename Block::Manifolds;
  using B = typename Block::B;

  struct alignas(16) Head : FrictionEllipse<Lane> {};
  [[gnu::always_inline]] static FrictionEllipse<B> load(const Head& of) {
    return {Block::load(of.d1),         Block::load(of.d2),   Block::load(of.inverse_d1),
            Block::load(of.inverse_d2), Block::load(of.most), Block::load(of.static_ratio)};
  }
  static void store(Head& to, const FrictionEllipse<B>& x) {
    Block::store(to.d1, x.d1);
    Block::store(to.d2, x.d2);
    Block::store(to.inverse_d1, x.inverse_d1);
    Block::store(to.inverse_d2, x.inverse_d2);
    Block::store(to.most, x.most);
    Block::store(to.static_ratio, x.static_ratio);
  }

  using Axes = Eigenvalues2<Lane>;
  [[gnu::always_inline]] static Eigenvalues2<B> load(const Axes& of) {
    return {Block::load(of.large), Block::load(of.small), Block::load(of.cosine), Block::load(of.sine)};
  }
  template <class Mask>
  static void store(Axes& to, Mask used, const Eigenvalues2<B>& x) {
    const B zero(0);
    Block::store(to.large, choose(used, x.large, zero));
    Block::store(to.small, choose(used, x.small, zero));
    Block::store(to.cosine, choose(used, x.cosine, B(1)));
    Block::store(to.sine, choose(used, x.sine, zero));
  }

  /// A manifold has one moment, since its points' limits add up.
  struct alignas(16) Moments {
    Lane moment[3], sum[3];  // on A, in this substep; sum over the earlier substeps
    Lane stuck;              // 1 where the first point stuck at its last visit
    Axes free, held;         // K_rr; K_rr of bodies that the first point holds, else 0
    Lane hold[6];            // K_rp K_pp⁻¹ of the first point, row by row
    Lane inverse_spin;       // 0: neither body turns about the normal
    // [1/m] of a change: the impulse that takes as much energy.
    Lane roll_as_impulse, spin_as_impulse;
  };

  /// EllipseForm of a point, and its compliance.
  struct Form : EllipseForm<Lane> {
    Lane compliance, tangential_compliance;
  };
  [[gnu::always_inline]] static EllipseForm<B> load(const Form& of) { return {Block::load(of), load(of.axes)}; }
  template <class Mask>
  static void store(Form& to, Mask used, const EllipseForm<B>& k) {
    Block::store(to, used, k);
    store(to.axes, used, k.axes);
  }
  struct alignas(16) ModelPoint {
    Form form;
    Lane roll, spin;  // [m]
  };
  /// Substeps push out with another form.
  struct alignas(16) SubstepModel {
    Form pushing;
    Lane rate;    // of the overlap that a spring takes away in a second
    Lane spring;  // 1 of springs
  };

  static Head& model_head(const JobInput<T>& job, Manifolds& block) {
    std::byte* at = reinterpret_cast<std::byte*>(block.point() + block.head.count);
    if (job.target == Target::substeps)
      at += sizeof(typename Block::SubstepHead) + block.head.count * sizeof(typename Block::SubstepPoint);
    if (has_soft_contacts(job)) at += block.head.count * sizeof(typename Block::SoftPoint);
    return *reinterpret_cast<Head*>(at);
  }
  static bool has_moments(const Manifolds& block) { return (block.head.models & models_with_moments) != 0; }
  static Moments& moments(const JobInput<T>& job, Manifolds& block) {
    return *reinterpret_cast<Moments*>(&model_head(job, block) + 1);
  }
  static ModelPoint* model_point(const JobInput<T>& job, Manifolds& block) {
    std::byte* const at = reinterpret_cast<std::byte*>(&model_head(job, block) + 1);
    return reinterpret_cast<ModelPoint*>(at + (has_moments(block) ? sizeof(Moments) : 0));
  }
  static SubstepModel* substep_model(const JobInput<T>& job, Manifolds& block) {
    return reinterpret_cast<SubstepModel*>(model_point(job, block) + block.head.count);
  }

  /// Limits of the moment of a manifold, by its current impulses.
  [[gnu::always_inline]] static MomentLimits<B> limits(Manifolds& block, const ModelPoint* of) {
    MomentLimits<B> sum = {B(0), B(0)};
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const B normal = Block::load(block.point()[p].impulse[2]);
      sum.roll = mul_add(Block::load(of[p].roll), normal, sum.roll);
      sum.spin = mul_add(Block::load(of[p].spin), normal, sum.spin);
    }
    return sum;
  }
};

}  // namespace
}  // namespace carom::kernel
