// Prepares the additional parts of blocks with contact models.
#pragma once

#include "model_block.hpp"
#include "scene/kernels/blocks/substep_targets.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct ModelStages : ModelBlocks<A, T> {
  using Block = Blocks<A, T>;
  using Models = ModelBlocks<A, T>;
  using Base = ManifoldStages<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Manifolds = typename Block::Manifolds;
  using Point = typename Block::Point;
  using Head = typename Models::Head;
  using Moments = typename Models::Moments;
  using Form = typename Models::Form;
  using ModelPoint = typename Models::ModelPoint;
  using SubstepModel = typename Models::SubstepModel;

  /// Requires the manifold to have been prepared like one without models.
  static void prepare(const SceneJob<T>& job, Manifolds& block) {
    prepare_ellipse(job, block);
    const SceneContacts<T>& contacts = job.scene->contacts;
    const bool in_substeps = job.target == Target::substeps;
    const B zero(0), one(1), infinite(static_cast<T>(__builtin_inf())),
        share(in_substeps ? job.parameters.substeps : T(1));
    B roll[points_of_manifold], spin[points_of_manifold], normal[points_of_manifold], tangential[points_of_manifold],
        stiffness[points_of_manifold], damping[points_of_manifold];
    Base::load_points_or(job, contacts.rolling_friction, block, zero, roll);
    Base::load_points_or(job, contacts.spinning_friction, block, zero, spin);
    Base::load_points_or(job, contacts.normal_compliance, block, zero, normal);
    Base::load_points_or(job, contacts.tangential_compliance, block, zero, tangential);
    Base::load_points_or(job, contacts.stiffness, block, infinite, stiffness);
    Base::load_points_or(job, contacts.damping, block, zero, damping);
    const Head& head = Models::model_head(job, block);
    ModelPoint* const points = Models::model_point(job, block);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const Point& point = block.point()[p];
      const Mask used = is_used(point);
      ModelPoint& to = points[p];
      Block::store(to.roll, choose(used, roll[p], zero));
      Block::store(to.spin, choose(used, spin[p], zero));
      // The impulse of a substep is the impulse of the step divided by the number of substeps.
      const B tangential_compliance = choose(used, share * tangential[p], zero);
      B compliance = choose(used, share * normal[p], zero);
      if (!in_substeps) {
        respond(block, head, to.form, point, compliance, tangential_compliance, used);
        continue;
      }
      // f = -k φ - c u·n within the step: p_n (h k + c) h = -k φ - (h k + c) u·n.
      const B h(job.parameters.substep);
      const Mask is_spring = used && stiffness[p] < infinite;
      const B slope = choose(is_spring, mul_add(h, stiffness[p], damping[p]), one);
      SubstepModel& more = Models::substep_model(job, block)[p];
      Block::store(more.rate, choose(is_spring, stiffness[p] / slope, zero));
      Block::store(more.spring, choose(is_spring, one, zero));
      compliance = compliance + choose(is_spring, one / (h * slope), zero);
      respond(block, head, to.form, point, compliance, tangential_compliance, used);
      more.pushing = to.form;
      if (!has_soft_contacts(job)) continue;
      const B soft = choose(is_spring, zero, Block::load(Block::soft_point(block)[p].compliance));
      respond(block, head, more.pushing, point, compliance + soft, tangential_compliance, used);
    }
    if (Models::has_moments(block)) prepare_moments(job, block);
    take_impulses(job, block);
  }

  /// Copies moments to the arrays of Procedure::ncp and back, as ManifoldStages does with impulses.
  static void carry(const SceneJob<T>& job, Manifolds& block) {
    if (!Models::has_moments(block) || job.carried_moment[0] == nullptr) return;
    const Moments& of = Models::moments(job, block);
    for_each_bit(Base::all_lanes(block), [&](std::size_t lane) {
      for (std::size_t i = 0; i < 3; ++i)
        job.carried_moment[i][Base::contact(job, block, lane, 0)] = of.moment[i][lane];
    });
  }
  static void return_to_kept(const SceneJob<T>& job, Manifolds& block, std::uint32_t lanes) {
    if (!Models::has_moments(block) || job.kept_moment[0] == nullptr) return;
    Moments& to = Models::moments(job, block);
    for_each_bit(lanes, [&](std::size_t lane) {
      for (std::size_t i = 0; i < 3; ++i) to.moment[i][lane] = T(0);
      to.stuck[lane] = T(0);
    });
    Base::for_each_point(job, block, lanes, [&](Point&, std::size_t lane, std::size_t contact) {
      for (std::size_t i = 0; i < 3; ++i) to.moment[i][lane] += job.kept_moment[i][contact];
    });
  }

  static Mask is_used(const Point& point) { return Block::load(point.response.inverse_k33) > B(0); }

 private:
  static void prepare_ellipse(const SceneJob<T>& job, Manifolds& block) {
    const B friction = Block::load(block.friction);
    B second = friction;
    if (job.scene->contacts.friction_2.data != nullptr) {
      std::uint32_t first[Block::width];
      Base::find_first(job, block, first);
      second = bounded_friction(Base::load_first(job.scene->contacts.friction_2, first));
    }
    Models::store(Models::model_head(job, block),
                  friction_ellipse(friction, second, Block::load(block.static_friction)));
  }

  /// Stores K of a point, with compliance, in the form that the contact step reads.
  static void respond(const Manifolds& block, const Head& head, Form& to, const Point& point, B compliance,
                      B tangential, Mask used) {
    const Symmetric3<B> k = with_compliance(Base::matrix_of(block, point), compliance, tangential);
    Models::store(to, used, ellipse_form(k, Block::load(head.d1), Block::load(head.d2)));
    Block::store_used(used, to.compliance, compliance, to.tangential_compliance, tangential);
  }

  /// Eigenvalues of a matrix that may be singular. An eigenvalue within the rounding of the larger one becomes 0.
  static Eigenvalues2<B> moments_of(B xx, B xy, B yy, B of_rounding) {
    Eigenvalues2<B> x = Eigenvalues2<B>::of(xx, xy, yy, difference_of_products(xx, yy, xy, xy));
    const B least = B(T(64) * epsilon<T>) * of_rounding;
    x.large = choose(x.large > least, x.large, B(0));
    x.small = choose(x.small > least, x.small, B(0));
    return x;
  }

  static void prepare_moments(const SceneJob<T>& job, Manifolds& block) {
    const B zero(0), one(1);
    Moments& to = Models::moments(job, block);
    const ModelPoint* const points = Models::model_point(job, block);
    const Symmetric3<B> ja = Block::load(block.inertia_a), jb = Block::load(block.inertia_b);
    const B xx = ja.xx + jb.xx, xy = ja.xy + jb.xy, yy = ja.yy + jb.yy, zz = ja.zz + jb.zz;
    const Eigenvalues2<B> free = moments_of(xx, xy, yy, xx + yy);
    const Mask all = zero == zero;
    Models::store(to.free, all, free);
    const Mask spins = zz > B(T(64) * epsilon<T>) * (xx + yy + zz);
    Block::store(to.inverse_spin, choose(spins, one / choose(spins, zz, one), zero));
    Block::store(to.moment, Vector3<B>{zero, zero, zero});
    Block::store(to.sum, Vector3<B>{zero, zero, zero});
    Block::store(to.stuck, zero);
    const B mass = Block::load(block.mass_a) + Block::load(block.mass_b);
    const auto as_impulse = [&](B turning) {
      return choose(mass > zero, square_root(larger(turning, zero) / choose(mass > zero, mass, one)), zero);
    };
    Block::store(to.roll_as_impulse, as_impulse(free.large));
    Block::store(to.spin_as_impulse, as_impulse(zz));

    // Response to moments of a body that the first point holds: K_rr - K_rp K_pp⁻¹ K_pr.
    const Point& point = block.point()[0];
    const UnitSpins<B> sa(ja, Block::load(point.r_a)), sb(jb, Block::load(point.r_b));
    const Head& head = Models::model_head(job, block);
    // A tangent without friction does not hold the body.
    const Mask has_1 = Block::load(head.d1) > zero, has_2 = Block::load(head.d2) > zero;
    const auto part = [&](B x, B y, B z) { return Vector3<B>{choose(has_1, x, zero), choose(has_2, y, zero), z}; };
    const Vector3<B> row1 = part(sa.x.x + sb.x.x, sa.y.x + sb.y.x, sa.z.x + sb.z.x);
    const Vector3<B> row2 = part(sa.x.y + sb.x.y, sa.y.y + sb.y.y, sa.z.y + sb.z.y);
    Symmetric3<B> k = Base::matrix_of(block, point);
    k.xz = choose(has_1, k.xz, zero);
    k.yz = choose(has_2, k.yz, zero);
    k.xy = choose(has_1 && has_2, k.xy, zero);
    const Form& form = points[0].form;
    k = with_compliance(k, Block::load(form.compliance), Block::load(form.tangential_compliance));
    const Mask used = is_used(point);
    const Vector3<B> hold1 = solution_of(k, row1), hold2 = solution_of(k, row2);
    const B held_xy = xy - dot(row1, hold2);
    const Eigenvalues2<B> held = moments_of(xx - dot(row1, hold1), held_xy, yy - dot(row2, hold2), xx + yy);
    // The formula needs a body that can turn about both axes.
    const Mask known = used && held.small > zero && free.small > zero;
    Models::store(to.held, known, held);
    const B numbers[6] = {hold1.x, hold1.y, hold1.z, hold2.x, hold2.y, hold2.z};
    for (std::size_t i = 0; i < 6; ++i) Block::store(to.hold[i], choose(known, numbers[i], zero));
  }

  /// Sets the initial impulses, projected onto the friction ellipse, and the initial moment, cut to its limits.
  static void take_impulses(const SceneJob<T>& job, Manifolds& block) {
    if (job.warm_impulse.x.data == nullptr) return;
    const B zero(0), share(job.parameters.warm_start);
    const Frame<B> frame = Base::frame_of(block);
    const FrictionEllipse<B> ellipse = Models::load(Models::model_head(job, block));
    const Mask has_1 = ellipse.inverse_d1 > zero, has_2 = ellipse.inverse_d2 > zero;
    const B bound = ellipse.most * ellipse.static_ratio;
    Vector3<B> warm[points_of_manifold];
    Base::load_points(job, job.warm_impulse, block, warm);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      Vector3<B> given = share * into(frame, warm[p]);
      given = {choose(has_1, given.x, zero), choose(has_2, given.y, zero), larger(given.z, zero)};
      const B cut = share_within(length2_of(ellipse, given), bound * given.z);
      const Vector3<B> taken = {cut * given.x, cut * given.y, given.z};
      Block::store(point.impulse, choose(is_used(point), taken, Vector3<B>{zero, zero, zero}));
    }
    if (!Models::has_moments(block) || job.warm_angular_impulse.x.data == nullptr) return;
    Base::load_points(job, job.warm_angular_impulse, block, warm);
    Vector3<B> sum = {zero, zero, zero};
    for (std::size_t p = 0; p < block.head.count; ++p)
      sum = sum + choose(is_used(block.point()[p]), warm[p], Vector3<B>{zero, zero, zero});
    Moments& to = Models::moments(job, block);
    const Vector3<B> moment = Models::limits(block, Models::model_point(job, block)).cut(share * into(frame, sum));
    Block::store(to.moment,
                 Vector3<B>{moment.x, moment.y, choose(Block::load(to.inverse_spin) > zero, moment.z, zero)});
  }
};

}  // namespace
}  // namespace carom::kernel
