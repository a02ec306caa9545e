// The laws in closed form in one pass from the columns to the results. Frictionless, no slip and Chatterjee–Ruina are
// points of one ray,
//
//   p = (1 + e) P_I + κ D        u = (1 - κ) u0 + (1 + e - κ) K P_I        D = P_II - P_I
//
// (closed_form.hpp) with κ = 0, 1 + e, or 1 + e_t, limited by the cone. The bilinear law takes the size of D's
// tangential part, directed against the slip. No contact frame is needed: bodies are computed in the frame of the
// world.
//
// Contacts with a fault, with an ill-conditioned K, or with numbers so large or small that bits would be lost here are
// left to the stages (law_stages.hpp). The choice depends only on the contact.
#pragma once

#include "contact/kernels/laws/algebraic/law_list.hpp"
#include "contact/kernels/stages/units.hpp"
#include "contact/kernels/stages/validate.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct DirectLaws {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = TileLoader<A, T>;

  /// The answers of the contacts that are `plain`.
  struct Solved {
    Vector3<B> p, u, w;  // [N s], [m/s], u0 [m/s] in the frame of the results
    B energy;            // gained [J]
    Mask plain, approaches, slips;
  };
  /// With the change of the angular velocities by the impulse.
  struct SolvedBodies : Solved {
    TurnRows<B> turn_a, turn_b;
  };

  const Parameters<T>& options;

  /// `law` and e_t: of every contact; e_t is NaN for laws without it.
  [[gnu::always_inline]] SolvedBodies solve(const BodyPointers<T>& contacts, WholeBlock block, B law,
                                            B tangential_restitution) const {
    const B one(1);
    const Vector3<B> r_a = Load::load(contacts.r_a, block), r_b = Load::load(contacts.r_b, block);
    const B mass_a = Load::load(contacts.a.inverse_mass, block), mass_b = Load::load(contacts.b.inverse_mass, block);
    const Symmetric3<B> inertia_a = Load::load(contacts.a.inverse_inertia, block);
    const Symmetric3<B> inertia_b = Load::load(contacts.b.inverse_inertia, block);
    const B m = mass_a + mass_b;
    Symmetric3<B> k = {m, B(0), B(0), m, B(0), m};
    SolvedBodies solved;
    solved.turn_a = TurnRows<B>(inertia_a, r_a);
    solved.turn_b = TurnRows<B>(inertia_b, r_b);
    add_inertia(k, solved.turn_a, r_a);
    add_inertia(k, solved.turn_b, r_b);
    // K is at least m, so its condition is at most its trace over m. The other bound is of its cancelling terms.
    const B trace_a = inertia_a.xx + inertia_a.yy + inertia_a.zz, trace_b = inertia_b.xx + inertia_b.yy + inertia_b.zz;
    const B terms = mul_add(trace_a, dot(r_a, r_a), mul_add(trace_b, dot(r_b, r_b), B(3) * m));
    const B trace = k.xx + k.yy + k.zz;
    Least<B> least(neg_mul_add(B(T(1) / T(max_condition)), trace, m));
    least.add(mul_sub(B(max_cancellation<T>), trace, terms));
    least.add(mass_a);
    least.add(mass_b);
    least.add_minors(inertia_a, B(options.inertia_tolerance));
    least.add_minors(inertia_b, B(options.inertia_tolerance));

    const Vector3<B> given = Load::load(contacts.normal, block);
    const B size = square_root(dot(given, given));
    least.add(B(options.normal_tolerance) - magnitude(size - one));
    const Vector3<B> n = (one / size) * given;
    const Vector3<B> w =
        Load::load(contacts.a.velocity, block) + cross(Load::load(contacts.a.angular_velocity, block), r_a) -
        Load::load(contacts.b.velocity, block) - cross(Load::load(contacts.b.angular_velocity, block), r_b);
    const B approach = dot(w, n);
    // Impulses are multiplied by K_33, which makes velocities of them.
    const Vector3<B> to_normal = k * n;
    const B k33 = dot(n, to_normal), response = one / k33, stopping = negated(approach);
    const Vector3<B> d = mul_add(approach, n, negated(k33) * solution_of(k, w));
    const B along = dot(d, n);
    const Vector3<B> across = mul_add(negated(along), n, d);
    const B friction = Load::load(contacts.friction, block), restitution = Load::load(contacts.restitution, block);
    Ray ray = ray_of(stopping, along, dot(across, across), friction, restitution, law, tangential_restitution, options,
                     least);

    solved.p = mul_add(response * ray.normal, n, (response * ray.kappa) * across);
    solved.u = mul_add(ray.left, w, (response * ray.normal_left) * to_normal);
    solved.w = w;
    if (const Mask opposes = law == number(Law::bilinear); lane_bits(opposes) != 0)
      oppose(solved, opposes, slip_of(w, n), response, friction, tangential_restitution, ray, k);
    finish(solved, w, approach, response, ray, friction, restitution, least);
    return solved;
  }

  [[gnu::always_inline]] Solved solve(const SpacePointers<T>& contacts, WholeBlock block, B law,
                                      B tangential_restitution) const {
    const B zero(0), one(1);
    const Symmetric3<B> k = Load::load(contacts.k, block);
    const Vector3<B> u0 = Load::load(contacts.separation_velocity, block);
    const B response = one / k.zz;  // K is divided by K_33, impulses are multiplied by it
    const B m11 = k.xx * response, m12 = k.xy * response, m22 = k.yy * response;
    const B k1 = k.xz * response, k2 = k.yz * response;
    const B det = difference_of_products(m11, m22, m12, m12);
    const B inverse_det = one / det;
    const B q1 = difference_of_products(m22, k1, m12, k2) * inverse_det;
    const B q2 = difference_of_products(m11, k2, m12, k1) * inverse_det;
    const B schur = neg_mul_add(q1, k1, neg_mul_add(q2, k2, one));
    // Twice the margin of the stages for a K without masses; and products of M keep their bits.
    Least<B> least(m11);
    least.add(neg_mul_add(B(T(8) * epsilon<T>) * m11, m22, det));
    least.add(neg_mul_add(B(T(16) * epsilon<T>), schur_terms(q1, q2, m11, m22, one), schur));
    least.add(B(T(max_ratio)) - (m11 + m22));

    const B stopping = negated(u0.z);
    const B slip1 = mul_add(k1, stopping, u0.x), slip2 = mul_add(k2, stopping, u0.y);
    const B along = mul_add(q1, slip1, q2 * slip2) / schur;
    const Vector3<B> across = {
        negated(mul_add(q1, along, difference_of_products(m22, slip1, m12, slip2) * inverse_det)),
        negated(mul_add(q2, along, difference_of_products(m11, slip2, m12, slip1) * inverse_det)), zero};
    const B friction = Load::load(contacts.friction, block), restitution = Load::load(contacts.restitution, block);
    Ray ray = ray_of(stopping, along, mul_add(across.x, across.x, across.y * across.y), friction, restitution, law,
                     tangential_restitution, options, least);

    Solved solved;
    const B impulse = ray.kappa * response;
    solved.p = {impulse * across.x, impulse * across.y, response * ray.normal};
    solved.u = {mul_add(ray.left, u0.x, ray.normal_left * k1), mul_add(ray.left, u0.y, ray.normal_left * k2),
                negated(restitution * u0.z)};
    solved.w = u0;
    if (const Mask opposes = law == number(Law::bilinear); lane_bits(opposes) != 0)
      oppose(solved, opposes, {u0.x, u0.y, zero}, response, friction, tangential_restitution, ray, k);
    finish(solved, u0, u0.z, response, ray, friction, restitution, least);
    return solved;
  }

 private:
  // Within these squares of velocities and energies keep their bits in float.
  static constexpr double min_speed = 1e-14, max_speed = 1e10;
  static constexpr double min_mass = 1e-20, max_mass = 1e15, max_ratio = 1e7, friction_limit = 1e6;
  // Above it the stages decide: they round K less.
  static constexpr double max_condition = 256;

  static B number(Law law) { return B(static_cast<T>(law)); }

  /// u0_t along the tangents: w without its normal part may keep a normal part by rounding.
  static Vector3<B> slip_of(const Vector3<B>& w, const Vector3<B>& n) {
    const Frame<B> frame = make_frame(n);
    return mul_add(dot(w, frame.t1), frame.t1, dot(w, frame.t2) * frame.t2);
  }

  /// Position of p and u on the ray.
  struct Ray {
    B kappa, normal;      // p = normal n + kappa D_t
    B left, normal_left;  // 1 - κ; (1 + e - κ) times the impulse that stops the approach
    B across, bound;      // |D_t|; of κ D_t the square of its size
    Mask outside;
  };

  /// `stopping` n is P_I, `along` and `across2` are D's normal part and the square of its tangential part.
  [[gnu::always_inline]] static Ray ray_of(B stopping, B along, B across2, B friction, B restitution, B law,
                                           B tangential_restitution, const Parameters<T>& options, Least<B>& least) {
    const B zero(0), one(1);
    const Mask no_slip = law == number(Law::no_slip), bounded = law == number(Law::chatterjee_ruina);
    const Mask reads = bounded || law == number(Law::bilinear);
    const B normal_factor = one + restitution, normal = normal_factor * stopping;
    const B candidate = choose(bounded, one + tangential_restitution, choose(no_slip, normal_factor, zero));
    // `rate`: how fast |p_t| approaches the cone as κ grows. It is positive outside of the cone.
    Ray ray;
    ray.across = square_root(across2);
    const B rate = neg_mul_add(friction, along, ray.across), room = friction * normal;
    ray.outside = bounded && candidate * rate > room;
    ray.kappa = choose(ray.outside, room / choose(ray.outside, rate, one), candidate);
    const B sum = mul_add(ray.kappa, along, normal);
    ray.normal = choose(bounded, larger(sum, zero), sum);
    ray.left = choose(no_slip, negated(restitution), one - ray.kappa);
    ray.normal_left = (normal_factor - ray.kappa) * stopping;
    ray.bound = ray.kappa * ray.kappa * across2;

    least.add(B(T(friction_limit)) - friction);
    least.add(friction);
    least.add(restitution);
    least.add(B(options.max_restitution) - restitution);
    least.add(one - magnitude(choose(reads, tangential_restitution, zero)));
    return ray;
  }

  /// Applies the friction of the bilinear law where it `opposes` the slip `u0_t`.
  [[gnu::always_inline]] static void oppose(Solved& solved, Mask opposes, const Vector3<B>& u0_t, B response,
                                            B friction, B tangential_restitution, Ray& ray, const Symmetric3<B>& k) {
    const B zero(0), one(1);
    const B slip = square_root(dot(u0_t, u0_t)), room = friction * ray.normal;
    const Mask slides = opposes && slip > zero;
    const B candidate = choose(slides, (one + tangential_restitution) * ray.across, zero);
    const Mask outside = opposes && candidate > room;
    const B size = choose(outside, room, candidate);
    const Vector3<B> p = (response * negated(size) / choose(slides, slip, one)) * u0_t;
    ray.bound = choose(opposes, size * size, ray.bound);
    ray.outside = ray.outside || outside;
    solved.p = choose(slides, solved.p + p, solved.p);
    solved.u = choose(slides, solved.u + k * p, solved.u);
  }

  [[gnu::always_inline]] static void finish(Solved& solved, const Vector3<B>& u0, B approach, B response,
                                            const Ray& ray, B friction, B restitution, Least<B>& least) {
    const B zero(0);
    solved.approaches = approach < zero;
    const B reach = friction * ray.normal;
    solved.slips = ray.outside || ray.bound >= reach * magnitude(reach);
    // In K so well conditioned u is u0 + K p to rounding.
    solved.energy = B(T(0.5)) * dot(solved.p, u0 + solved.u);
    const B speed2 = dot(u0, u0);
    least.add(speed2 - B(T(min_speed * min_speed)));
    least.add(B(T(max_speed * max_speed)) - speed2);
    least.add(response - B(T(min_mass)));
    least.add(B(T(max_mass)) - response);
    solved.plain = least.value() >= zero && vanishing(solved.p) + vanishing(ray.bound) + vanishing(friction) +
                                                    vanishing(restitution) + vanishing(solved.u) ==
                                                zero;
  }
};

}  // namespace
}  // namespace carom::kernel
