// The planar reference on columns of contacts: load, validate, the law, store.
#include <algorithm>
#include <cmath>
#include <limits>

#include "planar.hpp"
#include "reference/contact/stages.hpp"

namespace carom::reference::planar {
namespace {

using carom::planar::Contacts;
using carom::planar::IndexedContacts;
using carom::planar::KContacts;
using carom::planar::Results;

struct Body {
  double inverse_mass = 0, inverse_inertia = 0;
  Vector2 velocity{};
  double angular_velocity = 0;
};

using Laws = LawsOf<Parameters>;
using BodyContact = BodyContactOf<Laws, Vector2, Body>;
using Solution = SolutionOf<Outcome, Vector2, double>;

struct SpaceContact : Laws {
  double k_xx = 0, k_xy = 0, k_yy = 0;
  Vector2 u0{};
};

double cross(const Vector2& a, const Vector2& b) {
  return a[0] * b[1] - a[1] * b[0];
}

// Load.

template <class AnyContacts>
BodyContact load(const AnyContacts& contacts, std::size_t i, const Options& options) {
  return load_bodies<BodyContact>(contacts, i, options);
}

SpaceContact load(const KContacts<double>& contacts, std::size_t i, const Options& options) {
  SpaceContact c;
  load_laws(contacts, i, options, c);
  c.k_xx = contacts.k.xx[i];
  c.k_xy = contacts.k.xy[i];
  c.k_yy = contacts.k.yy[i];
  c.u0 = read(contacts.separation_velocity, i);
  return c;
}

// Validate.

Status fault_of_body(const Body& body, const Options&) {
  if (body.inverse_mass < 0) return Status::negative_inverse_mass;
  return body.inverse_inertia < 0 ? Status::inverse_inertia_not_positive_semidefinite : Status::ok;
}

Status fault_of_data(const SpaceContact& c) {
  Numbers numbers;
  numbers.see_laws(c);
  numbers.see(std::array{c.k_xx, c.k_xy, c.k_yy});
  numbers.see(c.u0);
  return numbers.fault() != Status::ok ? numbers.fault() : fault_of_laws(c);
}

// Law.

// Returns false if rounding errors do not permit a decision whether K is positive definite.
bool is_definite(const SpaceContact& c) {
  return c.k_xx > 0 && c.k_yy - c.k_xy / c.k_xx * c.k_xy > 4 * std::numeric_limits<double>::epsilon() * c.k_yy;
}
// True if the K of these bodies in `space` is definite only by its rounding.
bool is_singular(const SpaceContact& space, const BodyContact& of) {
  const double mass = of.a.inverse_mass + of.b.inverse_mass;
  const double rounding =
      rounding_of_k(mass, of.a.inverse_inertia * dot(of.r_a, of.r_a) + of.b.inverse_inertia * dot(of.r_b, of.r_b));
  SpaceContact c = space;
  c.k_xx -= rounding;
  c.k_yy -= rounding;
  return !(mass > 0 || is_definite(c));
}

// In contact space. A status other than ok means that there is no impulse.
Status collide(const SpaceContact& c, Outcome& outcome) {
  outcome.u = c.u0;
  const double trace = c.k_xx + c.k_yy, speed = std::max(std::abs(c.u0[0]), std::abs(c.u0[1]));
  if (!is_finite(std::array{trace, c.k_xy}) || !is_finite(c.u0)) return Status::overflow;
  // The unit of impulse.
  const double unit = (speed > 0 ? speed : 1) / trace;
  if (trace > 0 && !(unit > 0 && std::isfinite(unit))) return Status::overflow;
  if (!is_definite(c)) return Status::collision_matrix_not_positive_definite;
  if (c.u0[1] >= 0) {
    outcome.path.sliding_end = SlidingEnd::separating;
    return Status::separating;
  }
  const Outcome o =
      resolve({c.k_xx, c.k_xy, c.k_yy, c.u0, c.friction, c.restitution}, c.law, c.parameters, c.restitution_law);
  if (!is_finite(o.p) || !is_finite(o.u)) return Status::overflow;
  outcome = o;
  return Status::ok;
}

Solution solve_one(const SpaceContact& c, const Options&) {
  Solution s;
  s.outcome.u = c.u0;
  s.status = fault_of_data(c);
  if (s.status != Status::ok) return s;
  s.status = collide(c, s.outcome);
  if (s.status == Status::ok) s.energy_gain = energy_gain(s.outcome, c.u0);
  return s;
}

Vector2 velocity_at(const Body& body, const Vector2& lever) {
  return {body.velocity[0] - body.angular_velocity * lever[1], body.velocity[1] + body.angular_velocity * lever[0]};
}

Vector2 separation_velocity(const BodyContact& c) {
  return velocity_at(c.a, c.r_a) - velocity_at(c.b, c.r_b);
}

struct Frame {
  Vector2 tangent{}, normal{};
};

Frame contact_frame(const Vector2& normal) {
  const double length = std::sqrt(dot(normal, normal));
  const Vector2 n{normal[0] / length, normal[1] / length};
  return {{n[1], -n[0]}, n};
}

// Step 2 of [R] 5.2, with the axes of the contact frame in place of a rotated space.
SpaceContact to_contact_space(const BodyContact& c, const Vector2& t, const Vector2& n, const Vector2& u) {
  SpaceContact space;
  static_cast<Laws&>(space) = c;
  const double mass = c.a.inverse_mass + c.b.inverse_mass;
  const double at = cross(c.r_a, t), an = cross(c.r_a, n), bt = cross(c.r_b, t), bn = cross(c.r_b, n);
  const double ja = c.a.inverse_inertia, jb = c.b.inverse_inertia;
  space.k_xx = mass + ja * at * at + jb * bt * bt;
  space.k_xy = ja * at * an + jb * bt * bn;
  space.k_yy = mass + ja * an * an + jb * bn * bn;
  space.u0 = {dot(u, t), dot(u, n)};
  const Vector2 candidate = c.parameters.candidate;
  space.parameters.candidate = {dot(candidate, t), dot(candidate, n)};
  return space;
}

Collision collision_of(const SpaceContact& c) {
  return {c.k_xx, c.k_xy, c.k_yy, c.u0, c.friction, c.restitution};
}

Collision collision_of(const BodyContact& c) {
  const auto [t, n] = contact_frame(c.normal);
  return collision_of(to_contact_space(c, t, n, separation_velocity(c)));
}

Solution solve_one(const BodyContact& c, const Options& options) {
  Solution s;
  s.velocity_a = c.a.velocity;
  s.angular_velocity_a = c.a.angular_velocity;
  s.velocity_b = c.b.velocity;
  s.angular_velocity_b = c.b.angular_velocity;
  const Vector2 before = separation_velocity(c);
  s.outcome.u = before;
  s.status = fault_of_data(c, options);
  if (s.status != Status::ok) return s;

  const auto [t, n] = contact_frame(c.normal);
  const SpaceContact space = to_contact_space(c, t, n, before);
  const bool finite = is_finite(std::array{space.k_xx + space.k_yy, space.k_xy}) && is_finite(space.u0);
  s.status =
      finite && is_singular(space, c) ? Status::collision_matrix_not_positive_definite : collide(space, s.outcome);
  if (s.status != Status::ok) {
    s.outcome.u = before;
    return s;
  }
  s.energy_gain = energy_gain(s.outcome, space.u0);

  const auto to_world = [t = t, n = n](const Vector2& v) {
    return Vector2{v[0] * t[0] + v[1] * n[0], v[0] * t[1] + v[1] * n[1]};
  };
  const Vector2 p = to_world(s.outcome.p);
  s.outcome.p = p;
  s.outcome.u = to_world(s.outcome.u);
  for (std::size_t i = 0; i < 2; ++i) {
    s.velocity_a[i] += c.a.inverse_mass * p[i];
    s.velocity_b[i] -= c.b.inverse_mass * p[i];
  }
  s.angular_velocity_a += c.a.inverse_inertia * cross(c.r_a, p);
  s.angular_velocity_b -= c.b.inverse_inertia * cross(c.r_b, p);
  return s;
}

template <class AnyContacts>
Report solve_columns(const AnyContacts& given, const Results<double>& results, const Options& options) {
  return solve_all(given, results, options, [&](const AnyContacts& contacts, std::size_t i) {
    return solve_one(load(contacts, i, options), options);
  });
}

}  // namespace

Collision collision_of(const Contacts<double>& contacts, std::size_t i) {
  return collision_of(load(columns::without_constants(contacts), i, {}));
}

Collision collision_of(const IndexedContacts<double>& contacts, std::size_t i) {
  return collision_of(load(columns::without_constants(contacts), i, {}));
}

Collision collision_of(const KContacts<double>& contacts, std::size_t i) {
  return collision_of(load(columns::without_constants(contacts), i, {}));
}

Report solve(const Contacts<double>& contacts, const Results<double>& results, const Options& options) {
  return solve_columns(contacts, results, options);
}

Report solve(const IndexedContacts<double>& contacts, const Results<double>& results, const Options& options) {
  return solve_columns(contacts, results, options);
}

Report solve(const KContacts<double>& contacts, const Results<double>& results, const Options& options) {
  return solve_columns(contacts, results, options);
}

}  // namespace carom::reference::planar
