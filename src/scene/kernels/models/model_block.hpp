// Memory after a block of manifolds with contact models: compliance, friction in two directions, or resistance to
// rolling and spinning. docs/contact-models.md has the law.
//
// The ellipse of friction is D = diag(d1, d2) times a disc of μ p_n, with the larger d 1: p_t = D q, |q| <= μ p_n.
#pragma once

#include "cone_root.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct ModelBlocks : Blocks<A, T> {
  using Block = Blocks<A, T>;
  using Lane = typename Block::Lane;
  using Manifolds = typename Block::Manifolds;
  using B = typename Block::B;

  struct alignas(16) Head {
    Lane d1, d2, inverse_d1, inverse_d2;  // the inverse is 0 of 0
    Lane most;                            // μ
    Lane static_ratio;                    // static friction over friction
  };

  /// Eigenvalues2 of a matrix.
  struct Axes {
    Lane large, small, cosine, sine;
  };
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

  /// The response of a point with its compliance.
  struct Form {
    Lane inverse_k33, k1, k2;  // k / K_33
    Lane s11, s12, s22;        // S
    Axes axes;                 // of D S D
    Lane compliance, tangential_compliance;
  };
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

  static Head& model_head(const SceneJob<T>& job, Manifolds& block) {
    std::byte* at = reinterpret_cast<std::byte*>(block.point() + block.head.count);
    if (job.target == Target::substeps)
      at += sizeof(typename Block::SubstepHead) + block.head.count * sizeof(typename Block::SubstepPoint);
    if (has_soft_contacts(job)) at += block.head.count * sizeof(typename Block::SoftPoint);
    return *reinterpret_cast<Head*>(at);
  }
  /// |q|² of an impulse p_t = D q.
  [[gnu::always_inline]] static B length2(const Head& head, const Vector3<B>& p) {
    const B q1 = Block::load(head.inverse_d1) * p.x, q2 = Block::load(head.inverse_d2) * p.y;
    return mul_add(q1, q1, q2 * q2);
  }
  static bool has_moments(const Manifolds& block) { return (block.head.models & models_with_moments) != 0; }
  static Moments& moments(const SceneJob<T>& job, Manifolds& block) {
    return *reinterpret_cast<Moments*>(&model_head(job, block) + 1);
  }
  static ModelPoint* model_point(const SceneJob<T>& job, Manifolds& block) {
    std::byte* const at = reinterpret_cast<std::byte*>(&model_head(job, block) + 1);
    return reinterpret_cast<ModelPoint*>(at + (has_moments(block) ? sizeof(Moments) : 0));
  }
  static SubstepModel* substep_model(const SceneJob<T>& job, Manifolds& block) {
    return reinterpret_cast<SubstepModel*>(model_point(job, block) + block.head.count);
  }

  /// A manifold's limits of its moment, for the present impulses.
  struct Limits {
    B roll, spin;
  };
  [[gnu::always_inline]] static Limits limits(Manifolds& block, const ModelPoint* of) {
    Limits sum = {B(0), B(0)};
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const B normal = Block::load(block.point()[p].impulse[2]);
      sum.roll = mul_add(Block::load(of[p].roll), normal, sum.roll);
      sum.spin = mul_add(Block::load(of[p].spin), normal, sum.spin);
    }
    return sum;
  }

  /// True for limits whose squares keep their digits; below there is no moment.
  [[gnu::always_inline]] static auto is_some(B limit) { return limit > B(min_length<T>); }

  /// The moment within its limits.
  [[gnu::always_inline]] static Vector3<B> cut(const Vector3<B>& m, const Limits& to) {
    const B size2 = mul_add(m.x, m.x, m.y * m.y), roll = larger(to.roll, B(0)), spin = larger(to.spin, B(0));
    const auto is_longer = size2 > roll * roll;
    const B fitting = choose(is_longer, roll / square_root(choose(is_longer, size2, B(1))), B(1));
    const B share = choose(is_some(roll), fitting, B(0));
    return {share * m.x, share * m.y, larger(smaller(m.z, spin), negated(spin))};
  }
};

}  // namespace
}  // namespace carom::kernel
