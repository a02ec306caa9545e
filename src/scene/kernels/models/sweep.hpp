// Iteration over blocks with contact models: the block step with the ellipse's root, and a manifold's moment before and
// after its forces. docs/contact-models.md
#pragma once

#include "prepare.hpp"
#include "scene/kernels/blocks/sweep.hpp"

namespace carom::kernel {
namespace {

/// Loads the lanes of a point for ellipse_step.
template <class A, class T>
struct ModelLaw {
  using Models = ModelBlocks<A, T>;
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Form = typename Models::Form;

  FrictionEllipse<B> ellipse;
  B relaxation;
  const typename Block::Point* first;
  const typename Models::ModelPoint* points;
  typename Models::Moments* moments;
  const std::byte* forms;  // of the pass
  std::size_t form_bytes;

  ModelLaw(const SceneJob<T>& job, typename Block::Manifolds& block, Pass pass)
      : ellipse(Models::load(Models::model_head(job, block))),
        relaxation(job.parameters.relaxation),
        first(block.point()),
        points(Models::model_point(job, block)),
        moments(Models::has_moments(block) ? &Models::moments(job, block) : nullptr),
        forms(reinterpret_cast<const std::byte*>(&points->form)),
        form_bytes(sizeof(typename Models::ModelPoint)) {
    if (pass != Pass::correction_rate) return;
    forms = reinterpret_cast<const std::byte*>(&Models::substep_model(job, block)->pushing);
    form_bytes = sizeof(typename Models::SubstepModel);
  }

  const Form& form(std::size_t p) const { return *reinterpret_cast<const Form*>(forms + p * form_bytes); }

  /// z of a point. `missed`: its target minus z_n.
  struct Relative {
    B z1, z2, missed;
  };
  [[gnu::always_inline]] static Relative relative(const Form& r, const typename Block::Point& point,
                                                  const Vector3<B>& u, const Vector3<B>& p) {
    const B tangential = Block::load(r.tangential_compliance);
    return {mul_add(tangential, p.x, u.x), mul_add(tangential, p.y, u.y),
            neg_mul_add(Block::load(r.compliance), p.z, Block::load(point.target) - u.z)};
  }

  [[gnu::always_inline]] NewImpulse<B> operator()(const typename Block::Point& point, const Motion<B>& motion,
                                                  const Vector3<B>& ra, const Vector3<B>& rb) const {
    const auto number = static_cast<std::size_t>(&point - first);
    const Vector3<B> u = velocity_at(motion, ra, rb), p = Block::load(point.impulse);
    const Form& of = form(number);
    const auto [z1, z2, missed] = relative(of, point, u, p);
    const EllipseImpulse<B> next = ellipse_step(Models::load(of), ellipse, relaxation, z1, z2, missed, p);
    const Mask used = Block::load(point.response.inverse_k33) > B(0);
    if (moments != nullptr && number == 0) Block::store(moments->stuck, choose(next.sticks, B(1), B(0)));
    return {choose(used, next.impulse, p), missed};
  }
};

template <class A, class T>
struct ModelSweep : ManifoldSweep<A, T> {
  using Block = Blocks<A, T>;
  using Models = ModelBlocks<A, T>;
  using Stages = ModelStages<A, T>;
  using Base = ManifoldStages<A, T>;
  using Sweep = ManifoldSweep<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Manifolds = typename Block::Manifolds;
  using Bodies = typename Sweep::Bodies;
  using Moments = typename Models::Moments;
  using Law = ModelLaw<A, T>;

  static void sweep(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body, Pass pass) {
    typename Sweep::Visit state(job, block);
    if (pass == Pass::correction_rate) correction_rate(job, block, state.frame, state.a, state.b);
    if (pass == Pass::relax) relax(job, block);
    const Bodies bodies(block);
    const Law law(job, block, pass);
    if (job.measures_changes)
      Base::store_violation(block.head, visit<true>(job, block, bodies, law, state.motion, state.sum));
    else
      visit<false>(job, block, bodies, law, state.motion, state.sum);
    for (int round = 1; round < job.parameters.inner_iterations; ++round)
      visit<false>(job, block, bodies, law, state.motion, state.sum);
    state.put_back(job, block, dummy_body);
  }

  /// The impulses of the block on the bodies.
  static void warm_start(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body) {
    Sweep::warm_start(job, block, dummy_body);
    if (!Models::has_moments(block)) return;
    typename Sweep::Visit state(job, block);
    Bodies(block).turn(state.motion, Block::load(Models::moments(job, block).moment));
    state.put_back(job, block, dummy_body);
  }

  /// A rebound is a collision, but contacts with compliance keep their impulses: springs cause no impacts.
  static void rebound(const SceneJob<T>& job, Manifolds& block) {
    const B zero(0);
    Vector3<B> impulse[points_of_manifold], sum[points_of_manifold];
    for (std::size_t p = 0; p < block.head.count; ++p) {
      impulse[p] = Block::load(block.point()[p].impulse);
      sum[p] = Block::load(Block::substep_point(block)[p].sum);
    }
    Goal<A, T>::rebound(job, block);
    Mask any = zero > zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      auto& point = block.point()[p];
      auto& of = Block::substep_point(block)[p];
      const Mask gives_way = Block::load(Models::model_point(job, block)[p].form.compliance) > zero;
      any = any || gives_way;
      Block::store(point.impulse, choose(gives_way, impulse[p], Block::load(point.impulse)));
      Block::store(of.sum, choose(gives_way, sum[p], Block::load(of.sum)));
    }
    if (!Models::has_moments(block)) return;
    Moments& of = Models::moments(job, block);
    const Vector3<B> before = Block::load(of.sum), moment = Block::load(of.moment), none = {zero, zero, zero};
    Block::store(of.sum, choose(any, before, before + moment));
    Block::store(of.moment, choose(any, moment, none));
  }

 private:
  static void correction_rate(const SceneJob<T>& job, Manifolds& block, const Frame<B>& frame,
                              const typename Block::Velocity& a, const typename Block::Velocity& b) {
    using Of = Goal<A, T>;
    Of::correction_rate(job, block, frame, a, b);
    if (Models::has_moments(block) && job.begins_substep) {
      Moments& of = Models::moments(job, block);
      Block::store(of.sum, Block::load(of.sum) + Block::load(of.moment));
    }
    if (job.scene->contacts.stiffness.data == nullptr) return;
    const Motion<B> moved = Of::moved(job, block, frame, a, b);
    const B zero(0);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      auto& point = block.point()[p];
      const auto& of = Models::substep_model(job, block)[p];
      const auto& substep = Block::substep_point(block)[p];
      const Mask is_spring = Block::load(of.spring) > zero;
      const B overlap = negated(Of::gap_now(substep, moved, point));
      const B target = mul_add(Block::load(of.rate), overlap, Block::load(substep.least));
      Block::store(point.target, choose(is_spring && overlap >= zero, target, Block::load(point.target)));
    }
  }

  /// A spring is no push: it stays as it is.
  static void relax(const SceneJob<T>& job, Manifolds& block) {
    for (std::size_t p = 0; p < block.head.count; ++p) {
      auto& point = block.point()[p];
      const Mask is_spring = Block::load(Models::substep_model(job, block)[p].spring) > B(0);
      const B target = Block::load(point.target), least = Block::load(Block::substep_point(block)[p].least);
      Block::store(point.target, choose(is_spring, target, smaller(target, least)));
    }
  }

  template <bool measures>
  static B visit(const SceneJob<T>& job, Manifolds& block, const Bodies& bodies, const Law& law, Motion<B>& motion,
                 Vector3<B>& sum) {
    if (!Models::has_moments(block)) return Sweep::template visit<measures>(block, bodies, law, motion, sum);
    Moments& of = Models::moments(job, block);
    const Vector3<B> before = Block::load(of.moment);
    const Mask live = is_live(block);
    roll(block, of, law, bodies, live, motion);
    const B missed = Sweep::template visit<measures>(block, bodies, law, motion, sum);
    spin(block, of, law, bodies, live, motion);
    if constexpr (!measures) return missed;
    const Vector3<B> change = Block::load(of.moment) - before;
    const B roll2 = mul_add(change.x, change.x, change.y * change.y);
    const B as_impulse = larger(square_root(roll2) * Block::load(of.roll_as_impulse),
                                magnitude(change.z) * Block::load(of.spin_as_impulse));
    const B made = bodies.mass * as_impulse, range = vanishing(made);
    return larger(missed, within_range(made, range));
  }

  /// Lanes with a contact that takes part.
  static Mask is_live(Manifolds& block) {
    B any(0);
    for (std::size_t p = 0; p < block.head.count; ++p)
      any = larger(any, Block::load(block.point()[p].response.inverse_k33));
    return any > B(0);
  }

  /// Solves the rolling part, before the forces: with free bodies, or with bodies that the first point holds.
  static void roll(Manifolds& block, Moments& of, const Law& law, const Bodies& bodies, Mask live, Motion<B>& motion) {
    const B limit = Models::limits(block, law.points).roll;
    const Vector3<B> m = Block::load(of.moment);
    const Mask held = Block::load(of.stuck) > B(0) && Block::load(of.held.small) > B(0);
    Plane<B> o = {motion.wa.x - motion.wb.x, motion.wa.y - motion.wb.y};
    if (lane_bits(held) != 0) {
      const auto& point = block.point()[0];
      const Vector3<B> u = velocity_at(motion, Block::load(point.r_a), Block::load(point.r_b));
      const typename Law::Relative z = Law::relative(law.form(0), point, u, Block::load(point.impulse));
      const auto less = [&](B from, std::size_t row) {
        const B along = mul_add(Block::load(of.hold[row]), z.z1,
                                mul_sub(Block::load(of.hold[row + 1]), z.z2, Block::load(of.hold[row + 2]) * z.missed));
        return choose(held, from - along, from);
      };
      o = {less(o.x, 0), less(o.y, 3)};
    }
    const Eigenvalues2<B> free = Models::load(of.free), at = Models::load(of.held);
    const Eigenvalues2<B> axes = {choose(held, at.large, free.large), choose(held, at.small, free.small),
                                  choose(held, at.cosine, free.cosine), choose(held, at.sine, free.sine)};
    const Plane<B> next = rolling_step(axes, o, {m.x, m.y}, limit);
    store(of, bodies, motion, m, {choose(live, next.x, m.x), choose(live, next.y, m.y), m.z});
  }

  /// Solves the spinning part, after the forces, which have changed the limits of both parts.
  static void spin(Manifolds& block, Moments& of, const Law& law, const Bodies& bodies, Mask live, Motion<B>& motion) {
    const Vector3<B> m = Block::load(of.moment);
    const Vector3<B> next =
        spinning_step(Block::load(of.inverse_spin), motion.wa.z - motion.wb.z, m, Models::limits(block, law.points));
    store(of, bodies, motion, m, choose(live, next, m));
  }

  static void store(Moments& of, const Bodies& bodies, Motion<B>& motion, const Vector3<B>& before,
                    const Vector3<B>& next) {
    bodies.turn(motion, next - before);
    Block::store(of.moment, next);
  }
};

}  // namespace
}  // namespace carom::kernel
