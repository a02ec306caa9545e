// Iteration over blocks with contact models: the block step with the ellipse's root, and a manifold's moment before and
// after its forces. docs/contact-models.md
#pragma once

#include "prepare.hpp"
#include "scene/kernels/blocks/sweep.hpp"

namespace carom::kernel {
namespace {

/// All three components at once, exactly: none, the impulse that stops the contact if it is in the ellipse, or that on
/// it against the slip.
template <class A, class T, Pass pass>
struct ModelLaw {
  using Models = ModelBlocks<A, T>;
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Form = typename Models::Form;

  const typename Models::Head& head;
  B d1, d2, most, static_ratio, relaxation;
  const typename Block::Point* first;
  const typename Models::ModelPoint* points;
  const typename Models::SubstepModel* pushing;
  typename Models::Moments* moments;

  ModelLaw(const SceneJob<T>& job, typename Block::Manifolds& block)
      : head(Models::model_head(job, block)),
        d1(Block::load(head.d1)),
        d2(Block::load(head.d2)),
        most(Block::load(head.most)),
        static_ratio(Block::load(head.static_ratio)),
        relaxation(job.parameters.relaxation),
        first(block.point()),
        points(Models::model_point(job, block)),
        pushing(pass == Pass::correction_rate ? Models::substep_model(job, block) : nullptr),
        moments(Models::has_moments(block) ? &Models::moments(job, block) : nullptr) {}

  const Form& form(std::size_t p) const {
    if constexpr (pass == Pass::correction_rate)
      return pushing[p].pushing;
    else
      return points[p].form;
  }

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
    const B zero(0), one(1);
    const auto number = static_cast<std::size_t>(&point - first);
    const Vector3<B> u = velocity_at(motion, ra, rb), p = Block::load(point.impulse);
    const Form& r = form(number);
    const auto [z1, z2, missed] = relative(r, point, u, p);
    const B k1 = Block::load(r.k1), k2 = Block::load(r.k2);
    const B need = mul_add(k1, p.x, mul_add(k2, p.y, mul_add(missed, Block::load(r.inverse_k33), p.z)));
    const B length = most * need;
    const Mask pushes = need > zero, has_friction = Models::is_some(length);
    // The slip that is left without friction, once the normal velocity is at its target.
    const B s12 = Block::load(r.s12);
    const B b1 = neg_mul_add(Block::load(r.s11), p.x, neg_mul_add(s12, p.y, mul_add(k1, missed, z1)));
    const B b2 = neg_mul_add(s12, p.x, neg_mul_add(Block::load(r.s22), p.y, mul_add(k2, missed, z2)));
    const Eigenvalues2<B> axes = Models::load(r.axes);
    const auto turned = [&](B x, B y) { return into_axes(axes.cosine, axes.sine, Plane<B>{d1 * x, d2 * y}); };
    const Plane<B> k = turned(k1, k2);
    const ConeRoot<B> root(axes.large, axes.small, turned(b1, b2), {most * k.x, most * k.y}, length);
    OnCone<B> found = root.stick();
    const B bound = static_ratio * found.length;
    const B size2 = mul_add(found.q.x, found.q.x, found.q.y * found.q.y);
    const Mask is_within = is_in_cone(found.q.x, found.q.y, size2, bound * bound);
    const Mask sticks = bound >= zero && is_within && has_friction;
    const Mask slips = and_not(pushes && has_friction, sticks);
    if (lane_bits(slips) != 0) {
      const Plane<B> before = into_axes(
          axes.cosine, axes.sine, Plane<B>{Block::load(head.inverse_d1) * p.x, Block::load(head.inverse_d2) * p.y});
      const OnCone<B> slip = root.slip(slips, before);
      found.q = {choose(slips, slip.q.x, found.q.x), choose(slips, slip.q.y, found.q.y)};
      found.length = choose(slips, slip.length, found.length);
    }
    const Plane<B> q = out_of_axes(axes.cosine, axes.sine, found.q);
    Vector3<B> next = {choose(has_friction, d1 * q.x, zero), choose(has_friction, d2 * q.y, zero),
                       choose(has_friction, found.length / choose(has_friction, most, one), need)};
    next = choose(pushes, next, Vector3<B>{zero, zero, zero});
    if (lane_bits(relaxation == one) == 0) next = relaxed(p, next);
    const Mask used = Block::load(point.response.inverse_k33) > zero;
    if (moments != nullptr && number == 0) Block::store(moments->stuck, choose(pushes && sticks, one, zero));
    return {choose(used, next, p), missed};
  }

  /// Every change is multiplied before the ellipse bounds it.
  [[gnu::noinline]] Vector3<B> relaxed(const Vector3<B>& p, const Vector3<B>& next) const {
    const B zero(0), one(1);
    const Vector3<B> to = {mul_add(relaxation, next.x - p.x, p.x), mul_add(relaxation, next.y - p.y, p.y),
                           larger(mul_add(relaxation, next.z - p.z, p.z), zero)};
    const B size2 = Models::length2(head, to);
    const B bound = larger(static_ratio, one) * most * to.z;
    const B size = square_root(larger(size2, B(min_square<T>)));
    const B share = choose(is_in_cone(to.x, to.y, size2, bound * bound), one, most * to.z / size);
    return {share * to.x, share * to.y, to.z};
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

  template <Pass pass>
  static void sweep(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body) {
    const auto a = Block::gather(job.velocities, block.a), b = Block::gather(job.velocities, block.b);
    const Frame<B> frame = Base::frame_of(block);
    const Motion<B> before = Base::motion(block, frame, a, b);
    if constexpr (pass == Pass::correction_rate) correction_rate(job, block, frame, a, b);
    if constexpr (pass == Pass::relax) relax(job, block);
    const Bodies bodies(block);
    const ModelLaw<A, T, pass> law(job, block);
    Motion<B> motion = before;
    Vector3<B> sum = {B(0), B(0), B(0)};
    if (job.measures_changes)
      Base::store_violation(block.head, visit<true>(job, block, bodies, law, motion, sum));
    else
      visit<false>(job, block, bodies, law, motion, sum);
    for (int round = 1; round < job.parameters.inner_iterations; ++round)
      visit<false>(job, block, bodies, law, motion, sum);
    Sweep::put_back(job, block, frame, a, b, before, motion, sum, dummy_body);
  }

  /// The impulses of the block on the bodies.
  static void warm_start(const SceneJob<T>& job, Manifolds& block, VelocityRow<T>* dummy_body) {
    Sweep::warm_start(job, block, dummy_body);
    if (!Models::has_moments(block)) return;
    const auto a = Block::gather(job.velocities, block.a), b = Block::gather(job.velocities, block.b);
    const Frame<B> frame = Base::frame_of(block);
    const Motion<B> before = Base::motion(block, frame, a, b);
    Motion<B> motion = before;
    turn(Bodies(block), motion, Block::load(Models::moments(job, block).moment));
    Sweep::put_back(job, block, frame, a, b, before, motion, Vector3<B>{B(0), B(0), B(0)}, dummy_body);
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

  /// An angular impulse on A, and its opposite on B.
  [[gnu::always_inline]] static void turn(const Bodies& bodies, Motion<B>& motion, const Vector3<B>& by) {
    motion.wa = motion.wa + bodies.inertia_a * by;
    motion.wb = motion.wb - bodies.inertia_b * by;
  }

  template <bool measures, class Law>
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
    return larger(missed, choose(range == B(0), made, B(static_cast<T>(__builtin_inf()))));
  }

  /// Lanes with a contact that takes part.
  static Mask is_live(Manifolds& block) {
    B any(0);
    for (std::size_t p = 0; p < block.head.count; ++p)
      any = larger(any, Block::load(block.point()[p].response.inverse_k33));
    return any > B(0);
  }

  /// Solves the rolling part, before the forces: with free bodies, or with bodies that the first point holds.
  template <class Law>
  static void roll(Manifolds& block, Moments& of, const Law& law, const Bodies& bodies, Mask live, Motion<B>& motion) {
    const B zero(0);
    const B limit = Models::limits(block, law.points).roll;
    const Vector3<B> m = Block::load(of.moment);
    const Mask held = Block::load(of.stuck) > zero && Block::load(of.held.small) > zero;
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
    const B large = choose(held, at.large, free.large), small = choose(held, at.small, free.small);
    const B cosine = choose(held, at.cosine, free.cosine), sine = choose(held, at.sine, free.sine);
    const Plane<B> along = into_axes(cosine, sine, o), now = into_axes(cosine, sine, Plane<B>{m.x, m.y});
    const auto slip = [&](B eigenvalue, B o_now, B m_now) {
      return choose(eigenvalue > zero, neg_mul_add(eigenvalue, m_now, o_now), zero);
    };
    const ConeRoot<B> root(large, small, {slip(large, along.x, now.x), slip(small, along.y, now.y)}, {zero, zero},
                           limit);
    OnCone<B> found = root.stick();
    const Mask pushes = Models::is_some(limit);
    const B size2 = mul_add(found.q.x, found.q.x, found.q.y * found.q.y);
    const Mask slips = and_not(pushes, size2 <= limit * limit);
    if (lane_bits(slips) != 0) {
      const OnCone<B> on_limit = root.slip(slips, now);
      found.q = {choose(slips, on_limit.q.x, found.q.x), choose(slips, on_limit.q.y, found.q.y)};
    }
    const Plane<B> q = out_of_axes(cosine, sine, found.q);
    const B x = choose(live, choose(pushes, q.x, zero), m.x), y = choose(live, choose(pushes, q.y, zero), m.y);
    store(of, bodies, motion, m, {x, y, m.z});
  }

  /// Solves the spinning part, after the forces, which have changed the limits of both parts.
  template <class Law>
  static void spin(Manifolds& block, Moments& of, const Law& law, const Bodies& bodies, Mask live, Motion<B>& motion) {
    const Vector3<B> m = Block::load(of.moment);
    const B inverse = Block::load(of.inverse_spin), o = motion.wa.z - motion.wb.z;
    const Vector3<B> wanted = {m.x, m.y, choose(inverse > B(0), neg_mul_add(inverse, o, m.z), B(0))};
    const Vector3<B> next = Models::cut(wanted, Models::limits(block, law.points));
    store(of, bodies, motion, m, choose(live, next, m));
  }

  static void store(Moments& of, const Bodies& bodies, Motion<B>& motion, const Vector3<B>& before,
                    const Vector3<B>& next) {
    turn(bodies, motion, next - before);
    Block::store(of.moment, next);
  }
};

}  // namespace
}  // namespace carom::kernel
