// Transformations of a contact that do not change its collision, and bounds of the rounding error of its result.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/properties/solve_rows.hpp"

namespace carom::support {

template <std::size_t D>
using Rotation = std::array<Tuple<Wide, D>, D>;

template <std::size_t D>
BodiesRow<Wide, D> rotated(const Rotation<D>& r, BodiesRow<Wide, D> c) {
  c.normal = turned(r, c.normal);
  c.r_a = turned(r, c.r_a);
  c.r_b = turned(r, c.r_b);
  c.candidate = turned(r, c.candidate);
  for (BodyRow<Wide, D>* body : {&c.a, &c.b}) {
    body->inverse_inertia = conjugated(r, body->inverse_inertia);
    body->velocity = turned(r, body->velocity);
    body->angular_velocity = turned(r, body->angular_velocity);
  }
  return c;
}

/// About the normal.
inline SpaceRow<Wide, 3> rotated(const Rotation<3>& r, SpaceRow<Wide, 3> c) {
  c.k = conjugated(r, c.k);
  c.u0 = turned(r, c.u0);
  c.candidate = turned(r, c.candidate);
  return c;
}
template <std::size_t D>
Outcome<Wide, D> rotated(const Rotation<D>& r, Outcome<Wide, D> o) {
  for (auto* v : {&o.impulse, &o.u, &o.velocity_a, &o.velocity_b}) *v = turned(r, *v);
  for (auto* w : {&o.angular_velocity_a, &o.angular_velocity_b}) *w = turned(r, *w);
  return o;
}

template <class T, std::size_t N>
std::array<T, N> negative(std::array<T, N> v) {
  for (T& x : v) x = -x;
  return v;
}

/// n and u change their signs, and with them axis 1; axis 2 = n x axis 1 keeps its sign. So numbers along axis 2 change
/// their signs to give the opposite impulse.
template <class T, std::size_t D>
BodiesRow<T, D> swapped(BodiesRow<T, D> c) {
  std::swap(c.a, c.b);
  std::swap(c.r_a, c.r_b);
  c.normal = negative(c.normal);
  c.candidate = negative(c.candidate);
  if (D == 3) c.ratios[1] = -c.ratios[1];
  if (D == 3) c.azimuth = -c.azimuth;
  return c;
}
template <class T, std::size_t D>
Outcome<T, D> swapped(Outcome<T, D> o) {
  std::swap(o.velocity_a, o.velocity_b);
  std::swap(o.angular_velocity_a, o.angular_velocity_b);
  o.impulse = negative(o.impulse);
  o.u = negative(o.u);
  return o;
}

/// In the mirror that swaps the sides of a tangent.
template <class T>
SpaceRow<T, 3> mirrored(SpaceRow<T, 3> c, std::size_t tangent) {
  for (T* x : {&c.k[1], &c.k[tangent == 0 ? 2 : 4], &c.u0[tangent], &c.candidate[tangent], &c.ratios[1], &c.azimuth})
    *x = -*x;
  return c;
}
template <class T>
SpaceRow<T, 2> mirrored(SpaceRow<T, 2> c, std::size_t) {
  for (T* x : {&c.k[1], &c.u0[0], &c.candidate[0]}) *x = -*x;
  return c;
}
template <class T, std::size_t D>
Outcome<T, D> mirrored(Outcome<T, D> o, std::size_t tangent) {
  o.impulse[tangent] = -o.impulse[tangent];
  o.u[tangent] = -o.u[tangent];
  return o;
}

/// Units of mass, length and time: powers of two.
struct Units {
  int mass, length, time;
};

template <class T, std::size_t N>
void scale(std::array<T, N>& v, int exponent) {
  for (T& x : v) x = std::ldexp(x, exponent);
}
template <class T, std::size_t D>
BodiesRow<T, D> in_units(const Units& unit, BodiesRow<T, D> c) {
  for (BodyRow<T, D>* body : {&c.a, &c.b}) {
    body->inverse_mass = std::ldexp(body->inverse_mass, -unit.mass);
    scale(body->inverse_inertia, -unit.mass - 2 * unit.length);
    scale(body->velocity, unit.length - unit.time);
    scale(body->angular_velocity, -unit.time);
  }
  scale(c.r_a, unit.length);
  scale(c.r_b, unit.length);
  scale(c.candidate, unit.mass + unit.length - unit.time);
  return c;
}
template <class T, std::size_t D>
SpaceRow<T, D> in_units(const Units& unit, SpaceRow<T, D> c) {
  scale(c.k, -unit.mass);
  scale(c.u0, unit.length - unit.time);
  scale(c.candidate, unit.mass + unit.length - unit.time);
  return c;
}
template <class T, std::size_t D>
Outcome<T, D> in_units(const Units& unit, Outcome<T, D> o) {
  scale(o.impulse, unit.mass + unit.length - unit.time);
  for (auto* v : {&o.u, &o.velocity_a, &o.velocity_b}) scale(*v, unit.length - unit.time);
  for (auto* w : {&o.angular_velocity_a, &o.angular_velocity_b}) scale(*w, -unit.time);
  return o;
}

/// By T. Duff et al., Building an Orthonormal Basis, Revisited, 2017; the rows are the tangents and the normal.
inline Rotation<3> contact_frame(const Tuple<Wide, 3>& n) {
  const Wide sign = n[2] < 0 ? -1 : 1, a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  return {{{1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}, {b, sign + n[1] * n[1] * a, -n[1]}, n}};
}
inline Rotation<2> contact_frame(const Tuple<Wide, 2>& n) {
  return {{{n[1], -n[0]}, n}};
}

/// The contact in contact space, and the magnitudes of the terms in its sums.
template <std::size_t D>
struct Collision {
  SpaceRow<Wide, D> row;
  Wide k_terms, u_terms;
};

template <std::size_t D>
Collision<D> collision_of(const BodiesRow<Wide, D>& c) {
  Collision<D> result{{}, 0, terms_of_velocity(c)};
  static_cast<LawRow<Wide, D>&>(result.row) = c;
  Tuple<Wide, D> n = c.normal;
  const Wide size = length(n);
  for (Wide& x : n) x /= size;
  const Rotation<D> frame = contact_frame(n);
  const auto add = [&](const BodyRow<Wide, D>& body, const Tuple<Wide, D>& lever) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = i; j < D; ++j) {
        const auto turn = times(body.inverse_inertia, moment(lever, frame[j]));
        result.row.k[place++] += dot(moment(lever, frame[i]), turn) + (i == j ? body.inverse_mass : 0);
      }
    }
    result.k_terms += D * body.inverse_mass + trace(body.inverse_inertia) * dot(lever, lever);
  };
  add(c.a, c.r_a);
  add(c.b, c.r_b);
  const auto velocity = [](const BodyRow<Wide, D>& body, const Tuple<Wide, D>& lever) {
    return body.velocity + swing(body.angular_velocity, lever);
  };
  result.row.u0 = turned(frame, velocity(c.a, c.r_a) - velocity(c.b, c.r_b));
  result.row.candidate = turned(frame, c.candidate);
  return result;
}
template <std::size_t D>
Collision<D> collision_of(const SpaceRow<Wide, D>& c) {
  return {c, trace(c.k), length(c.u0)};
}

/// ½ u·K⁻¹u by Cholesky's decomposition; NaN or infinite where K is not positive definite.
inline Wide energy_of(const std::array<Wide, 6>& k, const Tuple<Wide, 3>& u) {
  const Wide a = std::sqrt(k[0]), b = k[1] / a, c = k[2] / a, d = std::sqrt(k[3] - b * b), e = (k[4] - c * b) / d;
  const Wide f = std::sqrt(k[5] - c * c - e * e), x = u[0] / a, y = (u[1] - b * x) / d, z = (u[2] - c * x - e * y) / f;
  return (x * x + y * y + z * z) / 2;
}
inline Wide energy_of(const std::array<Wide, 3>& k, const Tuple<Wide, 2>& u) {
  const Wide a = std::sqrt(k[0]), b = k[1] / a, x = u[0] / a, y = (u[1] - b * x) / std::sqrt(k[2] - b * b);
  return (x * x + y * y) / 2;
}

/// Bounds the ratio of K's extreme eigenvalues, by no more than D too high: trace K · trace K⁻¹.
template <std::size_t D>
Wide condition(const Triangle<Wide, D>& k) {
  Wide inverse_trace = 0;
  for (std::size_t i = 0; i < D; ++i) {
    Tuple<Wide, D> axis{};
    axis[i] = 1;
    inverse_trace += 2 * energy_of(k, axis);
  }
  return trace(k) * inverse_trace;
}

/// Differences of every law's results between the contacts that rounding cannot distinguish from this one.
///
/// A law's result is a function of K, u0 and, for the projected law, of the candidate: 12 numbers in 3D and 7 in 2D,
/// each in units of its terms. Rounding moves each entry of K by at most 6 ε (r twice, an inertia and a direction are
/// rounded once when they are rotated, and as often again in each of the two assemblies), each entry of u0 by 4 ε and
/// the candidate's by ε: 51 ε in all, summed over the numbers. So both contacts are within the cross-polytope of radius
/// 64 ε about this one. Where the result is continuous, it is nearly linear there, and its change is largest at a
/// corner. Where it jumps, because the law decides between sticking and slipping, among several solutions or on a
/// second compression, a jump between the contact and a point of the polytope cuts off a corner, so both results occur
/// at corners.
template <std::size_t D>
struct Spread {
  std::vector<Wide> impulse, velocity;
  std::vector<bool> known;  ///< whether the law has an answer at all corners

  Spread(const Collision<D>& collision, Wide epsilon) {
    const std::size_t laws = variants<D>().size();
    impulse.assign(laws, 0);
    velocity.assign(laws, 0);
    known.assign(laws, true);
    std::vector<SpaceRow<double, D>> rows = under_every_law(converted<double>(collision.row));
    const auto add = [&](auto&& number, Wide unit) {
      for (const Wide sign : {-1, 1}) {
        SpaceRow<Wide, D> corner = collision.row;
        number(corner) += sign * 64 * epsilon * unit;
        append_under_every_law(rows, converted<double>(corner), std::integral_constant<std::size_t, D>());
      }
    };
    for (std::size_t i = 0; i < collision.row.k.size(); ++i)
      add([i](auto& c) -> Wide& { return c.k[i]; }, collision.k_terms);
    for (std::size_t i = 0; i < D; ++i) {
      add([i](auto& c) -> Wide& { return c.u0[i]; }, collision.u_terms);
      add([i](auto& c) -> Wide& { return c.candidate[i]; }, length(collision.row.candidate));
    }
    const auto answers = solve(Isa::automatic, rows);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto &answer = answers[i], &centre = answers[i % laws];
      const auto distance = [](const Tuple<double, D>& a, const Tuple<double, D>& b) {
        return static_cast<Wide>(length(a - b));
      };
      if (is_fault(answer.status)) known[i % laws] = false;
      impulse[i % laws] = std::max(impulse[i % laws], distance(answer.impulse, centre.impulse));
      velocity[i % laws] = std::max(velocity[i % laws], distance(answer.u, centre.u));
    }
  }
};

}  // namespace carom::support
