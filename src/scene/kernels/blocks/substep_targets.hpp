// Substeps: targets of contacts and rows. A substep has an iteration that corrects overlaps and errors, the motion of
// the bodies, and a relax iteration, which removes the correction from the velocities and from the initial impulses of
// the next substep.
//
// A row with frequency f and damping ratio ζ is a spring and a damper, integrated implicitly over the substep h: with ω
// = 2π min(f, 1/(4h)), a1 = 2ζ + hω and a2 = hω a1, its error decays at the rate ω / a1, and its effective mass is
// multiplied by a2 / (1 + a2). E. Catto, Soft Constraints, 2011; Solver2D, 2024. docs/scenes.md
#pragma once

#include "core/scene/thresholds.hpp"
#include "joint_rows.hpp"
#include "prepare_manifolds.hpp"

namespace carom::kernel {
namespace {

/// The step as contacts see it.
template <class A, class T>
struct Goal {
  using Block = Blocks<A, T>;
  using Base = ManifoldStages<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Manifolds = typename Block::Manifolds;
  using Point = typename Block::Point;
  using SoftPoint = typename Block::SoftPoint;
  using SubstepPoint = typename Block::SubstepPoint;
  using Groups = typename Block::Groups;
  using SubstepRow = typename Block::SubstepRow;
  using JointRow = typename Block::JointRow;
  static constexpr std::size_t width = Block::width;

  template <class Any>
  static void mark_still(Any& block) {
    auto& head = Block::substep_head(block);
    for (std::size_t lane = 0; lane < width; ++lane) {
      head.still_a[lane] = block.a[lane] < 0 ? T(1) : T(0);
      head.still_b[lane] = block.b[lane] < 0 ? T(1) : T(0);
    }
  }

  /// Fills the parts of a prepared block that substeps use.
  static void begin(const SceneJob<T>& job, Manifolds& block) {
    mark_still(block);
    const SceneContacts<T>& contacts = job.scene->contacts;
    const B zero(0);
    B separation[points_of_manifold], least[points_of_manifold], slop[points_of_manifold];
    Base::load_points_or(job, contacts.separation, block, zero, separation);
    Base::load_points_or(job, contacts.target_velocity, block, zero, least);
    Base::load_points_or(job, contacts.slop, block, zero, slop);
    const B default_slop = slop_of_bodies(job, block);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      SubstepPoint& to = Block::substep_point(block)[p];
      const Mask used = Base::in_use(block, p);
      Block::store(to.separation, choose(used, separation[p], zero));
      Block::store(to.slop, choose(slop[p] > zero, slop[p], default_slop));
      Block::store(to.least, choose(used, least[p], B(no_target<T>)));
      Block::store(to.sum, Vector3<B>{zero, zero, zero});
    }
    if (has_soft_contacts(job)) begin_soft(job, block);
  }

  /// [m] Overlap that the contacts of two bodies may keep, without a column for it.
  static B slop_of_bodies(const SceneJob<T>& job, const Manifolds& block) {
    const auto& of = job.parameters;
    if (of.slop > T(0)) return B(of.slop);
    const B size2 = smaller(size2_of(Block::load(block.mass_a), Block::load(block.inertia_a)),
                            size2_of(Block::load(block.mass_b), Block::load(block.inertia_b)));
    return choose(size2 < B(static_cast<T>(__builtin_inf())), B(of.relative_slop) * square_root(size2),
                  B(T(SceneThresholds::slop_without_size)));
  }
  /// [m²] Square of the radius of gyration, tr J / (m tr J²) with J the inverse inertia: the same for all axes of a
  /// cube, dominated by the thin axis of a rod, exact for planar bodies. Infinite for a body without mass or inertia.
  static B size2_of(B inverse_mass, const Symmetric3<B>& inverse_inertia) {
    const B zero(0), one(1), infinite(static_cast<T>(__builtin_inf()));
    const B trace = inverse_inertia.xx + inverse_inertia.yy + inverse_inertia.zz;
    const Mask has_size = inverse_mass > zero && trace > zero;
    const B scale = one / choose(has_size, trace, one);  // J² itself may be beyond the range
    const B xx = scale * inverse_inertia.xx, yy = scale * inverse_inertia.yy, zz = scale * inverse_inertia.zz;
    const B xy = scale * inverse_inertia.xy, xz = scale * inverse_inertia.xz, yz = scale * inverse_inertia.yz;
    const B squares = xx * xx + yy * yy + zz * zz + B(T(2)) * (xy * xy + xz * xz + yz * yz);
    const B size2 = inverse_mass * scale / choose(has_size, squares, one);
    return choose(has_size && size2 < infinite, size2, infinite);  // a NaN of numbers beyond the range is no size
  }

  /// Contacts with a frequency are springs and dampers, integrated implicitly: E. Catto, Soft Constraints, 2011.
  static void begin_soft(const SceneJob<T>& job, Manifolds& block) {
    const auto& of = job.parameters;
    const B zero(0), one(1), h(of.substep), infinite(static_cast<T>(__builtin_inf()));
    B given[points_of_manifold], damping[points_of_manifold];
    Base::load_points(job, job.scene->contacts.frequency, block, given);
    Base::load_points_or(job, job.scene->contacts.damping_ratio, block, B(of.contact_damping_ratio), damping);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const Point& point = block.point()[p];
      SoftPoint& to = Block::soft_point(block)[p];
      const Mask used = Block::load(point.response.inverse_k33) > zero;
      const Mask is_soft = used && given[p] > zero && given[p] < infinite;
      const B frequency = choose(is_soft, smaller(given[p], B(T(0.25) * of.inverse_substep)), one);
      const B omega = B(T(6.283185307179586)) * frequency, stiffness = mul_add(h, omega, B(T(2)) * damping[p]);
      Symmetric3<B> k = Base::matrix_of(block, point);
      const B compliance = choose(is_soft, k.zz / (h * omega * stiffness), zero);
      k.zz = k.zz + compliance;
      to.hard = to.soft = point.response;
      Block::store(to.soft, used, schur_form(k));
      Block::store(to.compliance, compliance);
      Block::store(to.rate, choose(is_soft, omega / stiffness, choose(given[p] > zero, B(of.correction_rate), zero)));
    }
  }

  /// How the bodies of a block have moved since the step began, in the order of Velocity.
  [[gnu::always_inline]] static typename Block::Velocity moved(const SceneJob<T>& job,
                                                               const std::int32_t (&index)[width],
                                                               const typename Block::Lane& still,
                                                               const typename Block::Velocity& velocity) {
    const auto row = Block::gather(job.displacements, index);
    const Mask is_still = Block::load(still) > B(0);
    const B elapsed(job.elapsed);
    return {choose(is_still, elapsed * velocity.v, row.v), choose(is_still, elapsed * velocity.w, row.w)};
  }

  static B gap_now(const SubstepPoint& of, const Motion<B>& moved, const Point& point) {
    return Block::load(of.separation) + velocity_at(moved, Block::load(point.r_a), Block::load(point.r_b)).z;
  }
  static Motion<B> moved(const SceneJob<T>& job, Manifolds& block, const Frame<B>& frame,
                         const typename Block::Velocity& a, const typename Block::Velocity& b) {
    const auto& head = Block::substep_head(block);
    return motion_of(frame, moved(job, block.a, head.still_a, a), moved(job, block.b, head.still_b, b));
  }

  /// A gap may close within the substep; an overlap beyond the slop is pushed out.
  static void correction_rate(const SceneJob<T>& job, Manifolds& block, const Frame<B>& frame,
                              const typename Block::Velocity& a, const typename Block::Velocity& b) {
    const auto& of = job.parameters;
    const Motion<B> motion = moved(job, block, frame, a, b);
    const B zero(0), rate(of.inverse_substep), most(max_gap_speed<T>);
    const bool is_soft = has_soft_contacts(job);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      SubstepPoint& to = Block::substep_point(block)[p];
      B correction_rate(of.correction_rate);
      if (is_soft) {
        point.response = Block::soft_point(block)[p].soft;
        correction_rate = Block::load(Block::soft_point(block)[p].rate);
      }
      if (job.begins_substep) Block::store(to.sum, Block::load(to.sum) + Block::load(point.impulse));
      const B separation = gap_now(to, motion, point);
      const B closing = smaller(separation * rate, most);
      const B overlap = larger(negated(separation) - Block::load(to.slop), zero);
      const B pushed = smaller(correction_rate * overlap, B(of.max_correction_speed));
      Block::store(point.target, Block::load(to.least) + choose(separation > zero, negated(closing), pushed));
    }
  }

  static void relax(const SceneJob<T>& job, Manifolds& block) {
    if (has_soft_contacts(job)) harden(block);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      Block::store(point.target, smaller(Block::load(point.target), Block::load(Block::substep_point(block)[p].least)));
    }
  }

  static void harden(Manifolds& block) {
    for (std::size_t p = 0; p < block.head.count; ++p) block.point()[p].response = Block::soft_point(block)[p].hard;
  }

  /// [N s] The next step starts from an impulse up to twice its value at the start of the step plus this growth: after
  /// an impact the weight of both bodies in a step; without an impact, or without a mass, infinity.
  template <class Any>
  static B lasting_growth(const SceneJob<T>& job, const Any& block) {
    const B zero(0), one(1), infinite(static_cast<T>(__builtin_inf()));
    if (block.head.hit == 0) return infinite;
    T hit[width];
    for (std::size_t lane = 0; lane < width; ++lane) hit[lane] = (block.head.hit >> lane & 1u) != 0 ? T(1) : T(0);
    const auto mass = [&](B inverse) {
      return choose(inverse > zero, one / choose(inverse > zero, inverse, one), zero);
    };
    const B both = B(job.parameters.weight) * (mass(Block::load(block.mass_a)) + mass(Block::load(block.mass_b)));
    return choose(load_lanes<B>(hit) > zero && both > zero, both, infinite);
  }
  /// Fraction of an impulse that the next step starts from, by its size now and at the start of the step. Loads grow
  /// less from step to step; the rest is from the impact, and would act again.
  static B lasting_share(B size, B begun, B growth) {
    const B most = mul_add(B(T(2)), begun, growth);
    return choose(size > most, most / size, B(T(1)));
  }

  /// The impulses of the last substep, for the next step to begin with.
  static void store_warm(const SceneJob<T>& job, Manifolds& block) {
    const Frame<B> frame = Base::frame_of(block);
    const B substeps(job.parameters.substeps), zero(0), growth = lasting_growth(job, block);
    const Vector3Columns<const T>& begun = job.warm_impulse;
    Vector3<B> started[points_of_manifold]{};
    if (begun.x.data != nullptr && block.head.hit != 0) Base::load_points(job, begun, block, started);
    for (std::size_t p = 0; p < block.head.count; ++p) {
      const Vector3<B> impulse = substeps * Block::load(block.point()[p].impulse);
      const B begun_normal = larger(dot(started[p], frame.n), zero);
      Base::store_point(job, job.results->warm_impulse, block, p,
                        unsigned_zeros(lasting_share(impulse.z, begun_normal, growth) * out_of(frame, impulse)));
    }
  }

  /// Contacts with restitution that have come together, within half the slop, rebound at the speed with which they met.
  /// The speed comes from the fall: a body whose position follows its velocity in substeps conserves (v + a h / 2)² / 2
  /// - a x, with a the acceleration by forces and h the substep. A contact that approached more slowly than the forces
  /// of a substep cause is at rest. The rebound is a separate collision, whose impulses start at zero.
  static void rebound(const SceneJob<T>& job, Manifolds& block) {
    if (has_soft_contacts(job)) harden(block);
    const Frame<B> frame = Base::frame_of(block);
    const auto a = Block::gather(job.velocities, block.a), b = Block::gather(job.velocities, block.b);
    const Motion<B> shift = moved(job, block, frame, a, b);
    const Motion<B> start = motion_of(frame, came(job, block.a), came(job, block.b));
    const bool forced = job.changes != nullptr;
    const Motion<B> change = Base::motion_by_forces(job, block, frame);
    B restitution[points_of_manifold];
    Base::load_points(job, job.scene->contacts.restitution, block, restitution);
    if (block.head.models != 0) take_restitution<Base>(job, block, restitution);
    const Motion<B> now = Base::motion(block, frame, a, b);
    const B zero(0), bias = Block::load(block.bias[2]);
    const B half_share(T(0.5) / job.parameters.substeps), acceleration(T(2) / job.parameters.time_step);
    B worst = zero;
    for (std::size_t p = 0; p < block.head.count; ++p) {
      Point& point = block.point()[p];
      SubstepPoint& of = Block::substep_point(block)[p];
      Block::store(of.sum, Block::load(of.sum) + Block::load(point.impulse));
      Block::store(point.impulse, Vector3<B>{zero, zero, zero});
      const Vector3<B> ra = Block::load(point.r_a), rb = Block::load(point.r_b);
      const B forces = forced ? velocity_at(change, ra, rb).z : zero, half = half_share * forces;
      const B speed = velocity_at(start, ra, rb).z + bias - forces;
      const B separation = gap_now(of, shift, point), fallen = Block::load(of.separation) - separation;
      const B met2 = neg_mul_add(acceleration * forces, fallen, (speed + half) * (speed + half));
      const B wanted = mul_add(restitution[p], square_root(larger(met2, zero)), negated(half));
      const B slow = larger(B(job.parameters.restitution_threshold), magnitude(half + half));
      const B near = B(T(0.5)) * Block::load(of.slop);
      const Mask rebounds =
          separation < near && restitution[p] > zero && negated(speed) > slow && Base::in_use(block, p);
      const B target = Block::load(point.target);
      const B goal = choose(rebounds, larger(wanted, target), target);
      Block::store(point.target, goal);
      worst = larger(choose(rebounds, goal - velocity_at(now, ra, rb).z, zero), worst);
    }
    Base::store_violation(block.head, worst);
  }

  /// The velocities that the bodies came with, forces in them.
  static typename Block::Velocity came(const SceneJob<T>& job, const std::int32_t (&index)[width]) {
    const T* row[width];
    const auto world = static_cast<std::int32_t>(job.bodies);
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::int32_t body = index[lane] ^ (index[lane] >> 31);
      row[lane] = record_of(job.body_rows, body == world ? -1 : body) + BodyRecord::velocity;
    }
    B c[row_size];
    load_rows<B, width == 1 ? 6 : 8>(row, c);
    return {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
  }

  // Rows ------------------------------------------------------------------------------------------------------------

  static void begin(const SceneJob<T>& job, Groups& block) {
    using Stages = GroupStages<A, T>;
    mark_still(block);
    const JointRows<T>& joints = job.scene->joints;
    const auto& of = job.parameters;
    const B zero(0), one(1), n(of.substeps), share = one / n, h(of.substep), stiffest(T(0.25) * of.inverse_substep);
    for (std::size_t r = 0; r < block.head.count; ++r) {
      JointRow& row = block.row()[r];
      SubstepRow& to = Block::substep_row(block)[r];
      const Mask used = Stages::in_use(block, r) && Block::load(row.inverse_response) > zero;
      // Impulses and responses are per substep.
      Block::store(row.impulse, share * Block::load(row.impulse));
      Block::store(row.least, without_subnormals(share * Block::load(row.least)));
      Block::store(row.largest, without_subnormals(share * Block::load(row.largest)));
      const B compliance = Block::load(row.compliance);
      const B response = one / choose(used, Block::load(row.inverse_response), one) + (n - one) * compliance;
      Block::store(row.inverse_response, choose(used, one / response, zero));
      Block::store(row.compliance, n * compliance);

      const auto read = [&](const Column<const T>& column, T otherwise) {
        return choose(used, Stages::load_row(job, column, block, r, otherwise), zero);
      };
      const B given = read(joints.frequency, of.joint_frequency), frequency = smaller(given, stiffest);
      const B omega = B(T(6.283185307179586)) * frequency;
      const B stiffness = mul_add(h, omega, B(T(2)) * read(joints.damping_ratio, of.joint_damping_ratio));
      const B answer = h * omega * stiffness;
      const Mask keeps = frequency > zero;
      const B error = read(joints.position_error, T(0));
      // A row without an error is rigid: the next step would not know how far its load has moved it.
      const Mask is_soft = keeps && (error < zero || error > zero || given < B(static_cast<T>(__builtin_inf())));
      Block::store(to.rate, choose(keeps, omega / choose(keeps, stiffness, one), zero));
      Block::store(to.share, choose(is_soft, answer / (one + answer), one));
      Block::store(to.error, error);
      Block::store(to.error_now, Block::load(to.error));
      Block::store(to.wanted, Block::load(row.target));
      Block::store(to.sum, zero);
      const auto arm = [&](typename Block::Lane(&lanes)[3], const Vector3Columns<const T>& columns) {
        Block::store(lanes, Vector3<B>{read(columns.x, T(0)), read(columns.y, T(0)), read(columns.z, T(0))});
      };
      arm(to.r_a, joints.r_a);
      arm(to.r_b, joints.r_b);
    }
    const Vector3<B> none = {zero, zero, zero};
    Block::store(block.turned_a, none);
    Block::store(block.turned_b, none);
  }

  /// `bodies` have the impulses of the rows.
  template <class Bodies>
  static void correction_rate(const SceneJob<T>& job, Groups& block, Bodies& bodies) {
    if (job.begins_substep) {
      if (!job.relaxes) turn(job, block, bodies);
      bodies.a.w = bodies.a.w + Block::load(block.turned_a);
      bodies.b.w = bodies.b.w + Block::load(block.turned_b);
    }
    const B zero(0), one(1), inverse(job.parameters.inverse_substep);
    for (std::size_t r = 0; r < block.head.count; ++r) {
      JointRow& row = block.row()[r];
      SubstepRow& of = Block::substep_row(block)[r];
      if (job.begins_substep) Block::store(of.sum, Block::load(of.sum) + Block::load(row.impulse));
      const B error = Block::load(of.error_now), rate = Block::load(of.rate);
      // A row that pushes one way only lets the error on its free side shrink.
      const Mask slack = rate > zero && ((Block::load(row.largest) == zero && error < zero) ||
                                         (Block::load(row.least) == zero && error > zero));
      Block::store(row.target, neg_mul_add(choose(slack, inverse, rate), error, Block::load(of.wanted)));
      Block::store(of.answer, choose(slack, one, Block::load(of.share)));
    }
  }

  /// Turns r_a, r_b and the inertia of rows with their bodies, and computes the present errors. Impulses that continue
  /// from substep to substep act at the new r_a and r_b from the next substep on: equal and opposite impulses at one
  /// point conserve angular momentum.
  template <class Bodies>
  static void turn(const SceneJob<T>& job, Groups& block, Bodies& bodies) {
    const auto& head = Block::substep_head(block);
    const auto a = moved(job, block.a, head.still_a, bodies.a), b = moved(job, block.b, head.still_b, bodies.b);
    Turn turn_a(a.w), turn_b(b.w);
    if (job.inertia != nullptr) {
      turn_a.take(job, block.a, head.still_a, block.inertia_a, bodies.inertia_a);
      turn_b.take(job, block.b, head.still_b, block.inertia_b, bodies.inertia_b);
    }
    const B zero(0), one(1), elapsed(job.elapsed);
    Vector3<B> spin_a = {zero, zero, zero}, spin_b = spin_a;
    for (std::size_t r = 0; r < block.head.count; ++r) {
      JointRow& row = block.row()[r];
      SubstepRow& of = Block::substep_row(block)[r];
      const B impulse = Block::load(row.impulse);
      const Vector3<B> la = Block::load(row.linear_a), lb = Block::load(row.linear_b);
      B error = Block::load(of.error) + (dot(la, a.v) + dot(lb, b.v));
      error = error + (turn_a(row.angular_a, spin_a, bodies.inertia_a, la, Block::load(of.r_a), impulse) +
                       turn_b(row.angular_b, spin_b, bodies.inertia_b, lb, Block::load(of.r_b), impulse));
      Block::store(of.error_now, neg_mul_add(elapsed, Block::load(of.wanted), error));
      const Vector3<B> ta = Block::load(row.angular_a), tb = Block::load(row.angular_b);
      const B response = bodies.mass_a * dot(la, la) + dot(ta, bodies.inertia_a * ta) + bodies.mass_b * dot(lb, lb) +
                         dot(tb, bodies.inertia_b * tb) + Block::load(row.compliance);
      const Mask used = Block::load(row.inverse_response) > zero && response > zero;
      Block::store(row.inverse_response, choose(used, one / choose(used, response, one), zero));
    }
    Block::store(block.turned_a, spin_a);
    Block::store(block.turned_b, spin_b);
  }

  /// Turns a body's side of rows by the rotation vector of the body since the step began.
  struct Turn {
    Vector3<B> rotation;
    B sine, cosine;                                            // sin θ / θ, (1 - cos θ) / θ²
    Symmetric3<B> change{B(0), B(0), B(0), B(0), B(0), B(0)};  // of the inverse inertia

    explicit Turn(const Vector3<B>& by) : rotation(by) {
      const B t = dot(by, by);
      // cos θ/2 and sin (θ/2) / θ of angles up to 1/4, from θ²/4.
      const auto series = [](B y, B& w, B& f) {
        const auto c = [](double x) { return B(static_cast<T>(x)); };
        w = mul_add(y, mul_add(y, mul_add(y, mul_add(y, c(1.0 / 40320), c(-1.0 / 720)), c(1.0 / 24)), c(-0.5)), c(1));
        f = mul_add(y, mul_add(y, mul_add(y, mul_add(y, c(1.0 / 725760), c(-1.0 / 10080)), c(1.0 / 240)), c(-1.0 / 12)),
                    c(0.5));
      };
      B w, f;
      series(B(T(0.25)) * t, w, f);
      const Mask is_large = t > B(T(0.0625));
      if (lane_bits(is_large) != 0) [[unlikely]] {
        // A 64th of the angle, doubled six times.
        B large_w, large_f;
        series(B(T(0x1p-14)) * t, large_w, large_f);
        large_f = B(T(0x1p-6)) * large_f;
        for (int i = 0; i < 6; ++i) {
          const B twice = large_w + large_w;
          large_f = twice * large_f;
          large_w = mul_add(twice, large_w, B(T(-1)));
        }
        const B size2 = mul_add(large_w, large_w, t * (large_f * large_f));
        const B scale = B(1) / square_root(choose(is_large, size2, B(1)));
        w = choose(is_large, scale * large_w, w);
        f = choose(is_large, scale * large_f, f);
      }
      sine = (w + w) * f;
      cosine = (f + f) * f;
    }

    /// Takes the body's inverse inertia as the solver has turned it.
    void take(const SceneJob<T>& job, const std::int32_t (&index)[width], const typename Block::Lane& still,
              typename Block::Lane (&kept)[6], Symmetric3<B>& inertia) {
      const T* row[width];
      for (std::size_t lane = 0; lane < width; ++lane)
        row[lane] = job.inertia[index[lane] ^ (index[lane] >> 31)].numbers;
      B c[row_size];
      load_rows<B, 8>(row, c);
      const Mask is_still = Block::load(still) > B(0);
      const auto next = [&](B before, B now) { return choose(is_still, before, now); };
      const Symmetric3<B> now = {next(inertia.xx, c[0]), next(inertia.xy, c[1]), next(inertia.xz, c[2]),
                                 next(inertia.yy, c[3]), next(inertia.yz, c[4]), next(inertia.zz, c[5])};
      change = {now.xx - inertia.xx, now.xy - inertia.xy, now.xz - inertia.xz,
                now.yy - inertia.yy, now.yz - inertia.yz, now.zz - inertia.zz};
      inertia = now;
      Block::store(kept, now);
    }

    /// Returns the error that the rotation has added to the row. Adds to `spin` the angular velocity by which the
    /// effect of `impulse` changes with the new lever arm and inertia.
    [[gnu::always_inline]] B operator()(typename Block::Lane (&angular)[3], Vector3<B>& spin,
                                        const Symmetric3<B>& inertia, const Vector3<B>& linear, const Vector3<B>& arm,
                                        B impulse) const {
      const Vector3<B> old = Block::load(angular);
      const Mask has_arm = dot(arm, arm) > B(0);
      const Vector3<B> across = cross(rotation, arm);
      const Vector3<B> shift = mul_add(cosine, cross(rotation, across), sine * across);
      const Vector3<B> now = choose(has_arm, cross(arm + shift, linear), old);
      Block::store(angular, now);
      spin = spin + (inertia * (impulse * (now - old)) + change * (impulse * old));
      return choose(has_arm, dot(linear, shift), dot(old, rotation));
    }
  };

  template <class Bodies>
  static void relax(const SceneJob<T>& job, Groups& block, Bodies& bodies) {
    if (job.has_moved) turn(job, block, bodies);
    for (std::size_t r = 0; r < block.head.count; ++r) {
      JointRow& row = block.row()[r];
      SubstepRow& of = Block::substep_row(block)[r];
      const B rate = Block::load(of.rate), wanted = Block::load(of.wanted), target = Block::load(row.target);
      const Mask slack = rate > B(0) && ((Block::load(row.largest) == B(0) && target > wanted) ||
                                         (Block::load(row.least) == B(0) && target < wanted));
      Block::store(row.target, choose(slack, target, wanted));
      Block::store(of.answer, B(1));
    }
  }

  static void store_warm(const SceneJob<T>& job, Groups& block) {
    using Stages = GroupStages<A, T>;
    const B growth = lasting_growth(job, block);
    for (std::size_t r = 0; r < block.head.count; ++r) {
      const JointRow& row = block.row()[r];
      const auto each = [&](const auto& f) {
        for (std::size_t lane = 0; lane < block.head.lanes; ++lane)
          if (r < block.items[lane]) f(lane, Stages::number(job, block, lane, r));
      };
      T begun[width] = {}, values[width];
      each([&](std::size_t lane, std::size_t i) { begun[lane] = job.row_impulse[i]; });
      // A row that only turns the bodies does not carry their weight.
      const Vector3<B> linear = Block::load(row.linear_a);
      const B length = square_root(dot(linear, linear)),
              impulse = B(job.parameters.substeps) * Block::load(row.impulse);
      const B share = lasting_share(length * magnitude(impulse), length * magnitude(load_lanes<B>(begun)), growth);
      store_lanes(values, share * impulse);
      each([&](std::size_t lane, std::size_t i) { job.row_warm[i] = values[lane]; });
    }
  }
};

}  // namespace
}  // namespace carom::kernel
