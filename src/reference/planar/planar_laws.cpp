// Algebraic laws of planar collisions, from their definitions. docs/planar.md has the equations, and the reason why
// laws with a friction condition have one solution in 2D.
//
// [CR]: A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
// [PG]: F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, 1996.
#include <algorithm>

#include "core/columns/columns.hpp"
#include "planar.hpp"
#include "reference/contact/laws_columns.hpp"
#include "reference/contact/vector.hpp"

namespace carom::reference::planar {
namespace {

struct Impulse {
  Vector2 p{};
  bool slips = false;  // it lies on the friction cone
};

double sign_of(double x) {
  return x < 0 ? -1 : 1;
}

// [CR] eqs. 3 and 4.
Vector2 plastic_frictionless(const Problem& c) {
  return {0, -c.y / c.c};
}
Vector2 plastic_sticking(const Problem& c) {
  return c.impulse_for(-c.x, -c.y);
}

Impulse frictionless(const Problem& c) {
  return {{0, (1 + c.e) * plastic_frictionless(c)[1]}, c.mu == 0};
}

Impulse no_slip(const Problem& c) {
  const Vector2 p = plastic_sticking(c);
  return {{(1 + c.e) * p[0], (1 + c.e) * p[1]}, false};
}

// [CR] eqs. 10 to 14, with the cone's condition divided by max(1, μ).
Impulse chatterjee_ruina(const Problem& c, const Parameters& parameters) {
  const double bounce = (1 + c.e) * plastic_frictionless(c)[1];
  const double stop = plastic_sticking(c)[0];
  // P_II - P_I does not change u_n.
  const auto at = [&](double kappa) { return Vector2{kappa * stop, bounce - c.b / c.c * kappa * stop}; };
  const double kappa = 1 + parameters.tangential_restitution;
  if (c.in_cone(at(kappa))) return {at(kappa), false};
  return {at(c.wn() * bounce / (c.wt() * std::abs(stop) + c.wn() * (c.b / c.c) * stop)), true};
}

// [CR] eq. 9, with |P_II| along the tangent for the tangential impulse that stops the slip.
Impulse bilinear(const Problem& c, const Parameters& parameters) {
  const double p_n = (1 + c.e) * plastic_frictionless(c)[1];
  const double wanted = (1 + parameters.tangential_restitution) * std::abs(plastic_sticking(c)[0]);
  const bool slips = !c.in_cone({wanted, p_n});
  const double p_t = slips ? c.mu * p_n : wanted;
  return {{c.x == 0 ? 0 : -sign_of(c.x) * p_t, p_n}, slips};
}

// u_n rises by `rise` > 0, and either the contact sticks or friction opposes its final slip; [CR] 4.2.2.
Impulse stick_or_slip(const Problem& c, double rise) {
  const Vector2 sticking = c.impulse_for(-c.x, rise);
  if (c.in_cone(sticking)) return {sticking, false};
  const double sign = sign_of(c.x + c.b / c.c * rise);
  const double size = rise / (c.wt() * c.c - sign * c.wn() * c.b);
  return {{-sign * c.wn() * size, c.wt() * size}, true};
}

Impulse whittaker(const Problem& c) {
  return stick_or_slip(c, -(1 + c.e) * c.y);
}

// [CR] eq. 8. A slip that keeps its direction, or a reversed one of speed w: then the equation is a cubic in w, which
// changes its sign once where p_n > 0.
Impulse smith(const Problem& c) {
  const double rise = -(1 + c.e) * c.y;
  if (c.mu == 0) return frictionless(c);
  if (c.x == 0) return stick_or_slip(c, rise);
  const double sign = sign_of(c.x), slip = std::abs(c.x), b = sign * c.b;
  const double keeping = c.wt() * c.c - c.wn() * b, reversing = c.wt() * c.c + c.wn() * b;
  const double pull = c.wt() * b - c.wn() * c.a, push = c.wt() * b + c.wn() * c.a;
  const Impulse kept{{-sign * c.wn() * rise / keeping, c.wt() * rise / keeping}, true};
  if (keeping > 0 && slip + pull * rise / keeping >= 0) return kept;
  if (std::isinf(c.mu)) {
    // The slip is reversed, unless that pulls: then p_n = 0.
    const Vector2 p = c.impulse_for(-2 * c.x, rise);
    if (p[1] >= 0) return {p, false};
    return {{rise / c.b, 0}, true};
  }

  // p_n > 0 between these.
  double low = keeping < 0 ? slip * std::sqrt(-keeping / reversing) : 0;
  double high = reversing < 0 ? slip * std::sqrt(keeping / -reversing) : infinity;
  if (keeping > 0) high = std::min(high, -slip - pull * rise / keeping);
  if (b >= 0) high = std::min(high, slip);
  const auto excess = [&](double w) {
    return (slip + w) * (keeping * slip * slip + reversing * w * w) + rise * (pull * slip * slip + push * w * w);
  };
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (excess(middle) < 0 ? low : high) = middle;
  }
  const Vector2 p = c.impulse_for(-sign * high - c.x, rise);
  if (c.in_cone(p)) return {p, false};
  // The very end of the cone: friction that opposes the last slip, within rounding.
  const double size = rise / (c.wt() * c.c + sign_of(p[0]) * c.wn() * c.b);
  return {{sign_of(p[0]) * c.wn() * size, c.wt() * size}, true};
}

// Compression until u_n = 0, and expansion with e times the normal impulse of compression, each with friction against
// its final slip. In 2D, expansion needs no larger impulse to keep u_n >= 0.
struct TwoPhases {
  Impulse compression, expansion;
};
TwoPhases two_phases(const Problem& c) {
  const Impulse first = stick_or_slip(c, -c.y);
  const double x = c.velocity_after(first.p)[0];
  const double p_n = c.e * first.p[1];
  // μ p_n, also where μ grows beyond bounds while p_n vanishes.
  const double bound = first.slips ? c.e * std::abs(first.p[0]) : p_n > 0 ? c.mu * p_n : 0;
  const double slip = (first.slips ? x : 0) + c.b * p_n;
  const double p_t = -slip / c.a;
  const bool slips = std::abs(p_t) > bound;
  return {first, {{slips ? sign_of(p_t) * bound : p_t, p_n}, slips}};
}

bool on_one_side(double p_t, double q_t) {
  return p_t * q_t >= 0;
}

Impulse anitescu_potra(const Problem& c) {
  const auto [first, second] = two_phases(c);
  return {{first.p[0] + second.p[0], first.p[1] + second.p[1]},
          first.slips && (second.slips || c.e == 0) && on_one_side(first.p[0], second.p[0])};
}

// [PG] with one parameter. The tangential impulse of expansion is e_t times e p_t of compression, with e as for the
// normal impulse, plus (1 - e_t) times the impulse of friction.
Impulse pfeiffer_glocker(const Problem& c, const Parameters& parameters) {
  const double back = std::max(parameters.tangential_restitution, 0.0);
  const auto [first, second] = two_phases(c);
  const double p_t = back * c.e * first.p[0] + (1 - back) * second.p[0];
  return {
      {first.p[0] + p_t, first.p[1] + second.p[1]},
      first.slips && (second.slips || c.e == 0 || back == 1) && (back == 1 || on_one_side(first.p[0], second.p[0]))};
}

// The tangent along which the ratio and the polar angle count.
double axis_of(const Problem& c) {
  return c.x > 0 ? -1 : 1;
}

// u_n = -e u0_n and p_t = θ p_n: a point of the line (w, (rise - b w) / c), on which K changes only the slip, by T w
// with T = det K / c. From w = 0 towards the side of the ratio, as far as ratio, friction and energy permit.
Impulse brach(const Problem& c, const Parameters& parameters) {
  const double side = sign_of(axis_of(c) * parameters.impulse_ratio), size = std::abs(parameters.impulse_ratio);
  const double rise = -(1 + c.e) * c.y;
  // Twice the energy gained is square w² + 2 linear w - lost; without friction it is lost, or gained, which then is
  // allowed.
  const double square = c.a - c.b / c.c * c.b;
  const double linear = side * (c.x - c.b / c.c * c.y);
  const double lost = std::max((1 - c.e) * (1 + c.e), 0.0) * c.y * c.y / c.c;
  const double root = std::sqrt(linear * linear + square * lost);
  const double within_energy = linear > 0 ? lost / (linear + root) : (root - linear) / square;

  // At ratio θ, w = θ rise / (c + b θ), if it gets there.
  const bool slips = c.mu <= size;
  const double tangential = slips ? c.wn() : size > 1 ? 1 : size, normal = slips ? c.wt() : size > 1 ? 1 / size : 1;
  const double rate = normal * c.c + tangential * side * c.b;
  if (rate > 0 && tangential * rise <= within_energy * rate)
    return {{side * tangential * rise / rate, normal * rise / rate}, slips};
  const double p_n = (rise - side * c.b * within_energy) / c.c;
  // If the bounds of energy and cone coincide, rounding must not leave the cone.
  return {{side * within_energy, std::max(p_n, normal / tangential * within_energy)}, false};
}

// Distance from 1.5 P_I, a point of the permissible region, along (d_t, d_n) to the boundary of the region.
struct Reach {
  double length = infinity;
  bool cone = false;
};
Reach reach(const Problem& c, const Vector2& d) {
  const double p_n = 1.5 * plastic_frictionless(c)[1];
  const Vector2 kd{c.a * d[0] + c.b * d[1], c.b * d[0] + c.c * d[1]};
  Reach r;
  if (kd[1] < 0) r.length = 0.5 * c.y / kd[1];
  // Twice the energy gained is -0.75 y²/c + 2 linear t + square t².
  const double square = d[0] * kd[0] + d[1] * kd[1];
  const double linear = d[0] * (c.x + 1.5 * c.b * plastic_frictionless(c)[1]) - 0.5 * c.y * d[1];
  const double constant = 0.75 * c.y * c.y / c.c;
  if (square > 0) {
    const double root = std::sqrt(linear * linear + square * constant);
    r.length = std::min(r.length, linear > 0 ? constant / (linear + root) : (root - linear) / square);
  }
  const double outwards = c.wt() * std::abs(d[0]) - c.wn() * d[1];
  if (outwards > 0) {
    const double to_cone = c.wn() * p_n / outwards;
    r.cone = to_cone <= r.length;
    r.length = std::min(r.length, to_cone);
  }
  return r;
}

Impulse projected(const Problem& c, const Parameters& parameters) {
  const double p_n = 1.5 * plastic_frictionless(c)[1];
  const Vector2& wanted = parameters.candidate;
  const double size = std::max(std::abs(wanted[0]), std::abs(wanted[1] - p_n));
  if (size == 0) return {wanted, c.mu == 0};
  const Vector2 d{wanted[0] / size, (wanted[1] - p_n) / size};
  const Reach r = reach(c, d);
  if (size < r.length) return {wanted, c.mu == 0};
  return {{r.length * d[0], p_n + r.length * d[1]}, r.cone || c.mu == 0};
}

Impulse polar(const Problem& c, const Parameters& parameters) {
  const double p_n = 1.5 * plastic_frictionless(c)[1];
  const double angle = parameters.polar_angle;
  const Vector2 d{axis_of(c) * std::sin(angle), std::cos(angle)};
  // Along the normal exactly, so that without friction there is a way to go.
  const bool upright = std::abs(d[0]) <= epsilon;
  const Vector2 way{upright ? 0 : d[0], d[1]};
  const Reach r = reach(c, way);
  const double length = parameters.fraction * r.length;
  return {{length * way[0], p_n + length * way[1]}, c.mu == 0 || (r.cone && parameters.fraction == 1)};
}

Impulse algebraic(const Problem& c, Law law, const Parameters& parameters) {
  switch (law) {
    case Law::no_slip:
      return no_slip(c);
    case Law::chatterjee_ruina:
      return chatterjee_ruina(c, parameters);
    case Law::bilinear:
      return bilinear(c, parameters);
    case Law::whittaker:
      return whittaker(c);
    case Law::smith:
      return smith(c);
    case Law::anitescu_potra:
      return anitescu_potra(c);
    case Law::pfeiffer_glocker:
      return pfeiffer_glocker(c, parameters);
    case Law::brach:
      return brach(c, parameters);
    case Law::projected:
      return projected(c, parameters);
    case Law::polar:
      return polar(c, parameters);
    default:
      return frictionless(c);
  }
}

// Slides to its end without a change of direction, or leaves along the cone.
bool slips(Path path) {
  return path.sliding_end == SlidingEnd::slide_end ||
         (path.sliding_end == SlidingEnd::stick_at_start && path.sticking == Sticking::diverge);
}

Impulse composite(const Problem& c, const Parameters& parameters, RestitutionLaw restitution_law) {
  const double largest = largest_weight(parameters.weight);
  double sum = 0, to_one_side = 0;
  Impulse mean;
  mean.slips = true;
  const auto add = [&](const auto&, Law law, double of_all) {
    const double weight = of_all / largest;
    if (!(weight > 0)) return;
    Impulse one;
    if (law == Law::incremental) {
      const Outcome o = resolve_incremental(c, restitution_law);
      one = {o.p, slips(o.path)};
    } else {
      one = algebraic(c, law, parameters);
    }
    mean.p[0] += weight * one.p[0];
    mean.p[1] += weight * one.p[1];
    mean.slips = mean.slips && one.slips && on_one_side(to_one_side, one.p[0]);
    if (one.p[0] != 0) to_one_side = one.p[0];
    sum += weight;
  };
  columns::each_weight(add, parameters.weight);
  return {{mean.p[0] / sum, mean.p[1] / sum}, mean.slips};
}

}  // namespace

Outcome resolve(const Collision& collision, Law law, const Parameters& parameters, RestitutionLaw restitution_law) {
  // In units of powers of two, which change no bit.
  const Vector2& u0 = collision.u0;
  const int k_unit = exponent(std::max(collision.k_xx, collision.k_yy));
  const int u_unit = exponent(std::max(std::abs(u0[0]), std::abs(u0[1])));
  const Problem c{std::scalbn(collision.k_xx, -k_unit),
                  std::scalbn(collision.k_xy, -k_unit),
                  std::scalbn(collision.k_yy, -k_unit),
                  std::scalbn(u0[0], -u_unit),
                  std::scalbn(u0[1], -u_unit),
                  collision.friction,
                  collision.restitution};
  Parameters scaled = parameters;
  for (double& x : scaled.candidate) x = std::scalbn(x, k_unit - u_unit);

  Outcome o;
  if (law == Law::incremental) {
    o = resolve_incremental(c, restitution_law);
  } else {
    const Impulse found = law == Law::composite ? composite(c, scaled, restitution_law) : algebraic(c, law, scaled);
    o.p = found.p;
    o.u = c.velocity_after(found.p);
    o.u[1] = normal_velocity(law, parameters.weight, -c.e * c.y, o.u[1]);
    o.path.sliding_end = found.slips ? SlidingEnd::slip : SlidingEnd::stick;
  }
  for (double& x : o.p) x = std::scalbn(x, u_unit - k_unit);
  for (double& x : o.u) x = std::scalbn(x, u_unit);
  o.work_compression = std::scalbn(o.work_compression, 2 * u_unit - k_unit);
  o.work_decompression = std::scalbn(o.work_decompression, 2 * u_unit - k_unit);
  return o;
}

Margins margins(const Collision& c, const Vector2& p) {
  const Vector2 kp{c.k_xx * p[0] + c.k_xy * p[1], c.k_xy * p[0] + c.k_yy * p[1]};
  return {-(p[0] * (c.u0[0] + 0.5 * kp[0]) + p[1] * (c.u0[1] + 0.5 * kp[1])), c.u0[1] + kp[1], p[1],
          std::isinf(c.friction) ? infinity : c.friction * p[1] - std::abs(p[0])};
}

}  // namespace carom::reference::planar
