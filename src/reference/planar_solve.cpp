// The planar reference on columns of contacts: load, validate, the law, store.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "reference/planar.hpp"
#include "reference/planar_parameters.hpp"
#include "solver/check.hpp"

namespace carom::reference::planar {
namespace {

using carom::planar::BodyColumns;
using carom::planar::IndexedContacts;
using carom::planar::InlineContacts;
using carom::planar::Results;
using carom::planar::SpaceContacts;
using carom::planar::Vector2Columns;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Body {
  double inverse_mass = 0, inverse_inertia = 0;
  Vector2 velocity{};
  double angular_velocity = 0;
};

struct BodyContact : Laws {
  Vector2 normal{};
  Body a, b;
  Vector2 lever_a{}, lever_b{};
  Status indices = Status::ok;
};

struct SpaceContact : Laws {
  double k_xx = 0, k_xy = 0, k_yy = 0;
  Vector2 u0{};
};

struct Solution {
  Status status = Status::ok;
  Outcome outcome;
  Vector2 velocity_a{}, velocity_b{};
  double angular_velocity_a = 0, angular_velocity_b = 0;
  double energy_gain = 0;
};

bool is_finite(const Vector2& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]);
}

Vector2 operator-(const Vector2& a, const Vector2& b) {
  return {a[0] - b[0], a[1] - b[1]};
}

double dot(const Vector2& a, const Vector2& b) {
  return a[0] * b[0] + a[1] * b[1];
}

double cross(const Vector2& a, const Vector2& b) {
  return a[0] * b[1] - a[1] * b[0];
}

// Load.

Vector2 read(const Vector2Columns<const double>& v, std::size_t i) {
  return {v.x[i], v.y[i]};
}

Body read(const BodyColumns<const double>& bodies, std::size_t i) {
  return {bodies.inverse_mass[i], bodies.inverse_inertia[i], read(bodies.velocity, i), bodies.angular_velocity[i]};
}

template <class Contacts>
void load_laws(const Contacts& contacts, std::size_t i, const Options& options, Laws& laws) {
  const LawColumns<double>& columns = contacts.laws;
  laws.friction = contacts.friction[i];
  laws.restitution = contacts.restitution[i];
  laws.largest_restitution = options.largest_restitution;
  laws.restitution_law = columns.restitution_law ? columns.restitution_law[i] : options.restitution_law;
  laws.law = columns.law ? columns.law[i] : options.law;
  ParameterReader(columns, i, laws).read_for(laws.law);
}

BodyContact load(const InlineContacts<double>& contacts, std::size_t i, const Options& options) {
  BodyContact c;
  load_laws(contacts, i, options, c);
  c.normal = read(contacts.normal, i);
  c.a = read(contacts.a, i);
  c.b = read(contacts.b, i);
  c.lever_a = read(contacts.lever_a, i);
  c.lever_b = read(contacts.lever_b, i);
  return c;
}

// The world stands still; of a body that does not exist nothing is known.
Body load_body(const BodyColumns<const double>& bodies, std::int32_t index) {
  if (index == -1) return {};
  if (index < 0 || static_cast<std::size_t>(index) >= bodies.inverse_mass.count) return {0, 0, {nan, nan}, nan};
  return read(bodies, static_cast<std::size_t>(index));
}

BodyContact load(const IndexedContacts<double>& contacts, std::size_t i, const Options& options) {
  BodyContact c;
  load_laws(contacts, i, options, c);
  c.normal = read(contacts.normal, i);
  const std::int32_t a = contacts.body_a[i], b = contacts.body_b[i];
  const auto exists = [&](std::int32_t index) {
    return index >= -1 && (index < 0 || static_cast<std::size_t>(index) < contacts.bodies.inverse_mass.count);
  };
  if (!exists(a) || !exists(b))
    c.indices = Status::body_index_out_of_range;
  else if (a == b && a >= 0)
    c.indices = Status::same_body;
  c.a = load_body(contacts.bodies, a);
  c.b = load_body(contacts.bodies, b);
  c.lever_a = read(contacts.lever_a, i);
  c.lever_b = read(contacts.lever_b, i);
  return c;
}

SpaceContact load(const SpaceContacts<double>& contacts, std::size_t i, const Options& options) {
  SpaceContact c;
  load_laws(contacts, i, options, c);
  c.k_xx = contacts.k.xx[i];
  c.k_xy = contacts.k.xy[i];
  c.k_yy = contacts.k.yy[i];
  c.u0 = read(contacts.separation_velocity, i);
  return c;
}

// Validate.

Status fault_of_numbers(const Laws& laws, std::initializer_list<double> numbers) {
  bool any_nan = laws.any_nan || std::isnan(laws.friction) || std::isnan(laws.restitution);
  bool any_infinite = laws.any_infinite || std::isinf(laws.restitution);
  for (const double x : numbers) {
    any_nan |= std::isnan(x);
    any_infinite |= std::isinf(x);
  }
  return any_nan ? Status::not_a_number : any_infinite ? Status::infinite : Status::ok;
}

Status fault_of_laws(const Laws& laws) {
  if (!(laws.restitution >= 0 && laws.restitution <= laws.largest_restitution)) return Status::restitution_out_of_range;
  if (laws.friction < 0) return Status::negative_friction;
  if (static_cast<std::size_t>(laws.law) >= law_count) return Status::law_unavailable;
  if (laws.missing) return Status::law_parameter_missing;
  if (laws.out_of_range) return Status::law_parameter_out_of_range;
  if (laws.restitution_law > RestitutionLaw::kinematic) return Status::restitution_law_unavailable;
  return Status::ok;
}

Status fault_of_data(const BodyContact& c, const Options& options) {
  if (c.indices != Status::ok) return c.indices;
  const Body &a = c.a, &b = c.b;
  const Status status =
      fault_of_numbers(c, {c.normal[0], c.normal[1], a.inverse_mass, a.inverse_inertia, a.velocity[0], a.velocity[1],
                           a.angular_velocity, b.inverse_mass, b.inverse_inertia, b.velocity[0], b.velocity[1],
                           b.angular_velocity, c.lever_a[0], c.lever_a[1], c.lever_b[0], c.lever_b[1]});
  if (status != Status::ok) return status;
  if (!(std::abs(std::sqrt(dot(c.normal, c.normal)) - 1) <= options.normal_tolerance)) return Status::normal_not_unit;
  if (a.inverse_mass < 0 || b.inverse_mass < 0) return Status::negative_inverse_mass;
  if (a.inverse_inertia < 0 || b.inverse_inertia < 0) return Status::inverse_inertia_not_positive_semidefinite;
  if (a.inverse_mass == 0 && b.inverse_mass == 0 && a.inverse_inertia == 0 && b.inverse_inertia == 0)
    return Status::both_immovable;
  return fault_of_laws(c);
}

Status fault_of_data(const SpaceContact& c) {
  const Status status = fault_of_numbers(c, {c.k_xx, c.k_xy, c.k_yy, c.u0[0], c.u0[1]});
  return status != Status::ok ? status : fault_of_laws(c);
}

// Law.

// Not if rounding leaves open that K is positive definite.
bool is_definite(const SpaceContact& c) {
  return c.k_xx > 0 && c.k_yy - c.k_xy / c.k_xx * c.k_xy > 4 * std::numeric_limits<double>::epsilon() * c.k_yy;
}

// In contact space. Anything but ok means that there is no impulse.
Status collide(const SpaceContact& c, Outcome& outcome) {
  outcome.u = c.u0;
  const double trace = c.k_xx + c.k_yy, speed = std::max(std::abs(c.u0[0]), std::abs(c.u0[1]));
  if (!is_finite({trace, c.k_xy}) || !is_finite(c.u0)) return Status::overflow;
  // The unit of impulse.
  const double unit = (speed > 0 ? speed : 1) / trace;
  if (trace > 0 && !(unit > 0 && std::isfinite(unit))) return Status::overflow;
  if (!is_definite(c)) return Status::collision_matrix_not_positive_definite;
  if (c.u0[1] >= 0) {
    outcome.path.course = Course::separating;
    return Status::separating;
  }
  const Outcome o =
      resolve({c.k_xx, c.k_xy, c.k_yy, c.u0, c.friction, c.restitution}, c.law, c.parameters, c.restitution_law);
  if (!is_finite(o.p) || !is_finite(o.u)) return Status::overflow;
  outcome = o;
  return Status::ok;
}

double energy_gain(const Outcome& outcome, const Vector2& u0) {
  return 0.5 * (outcome.p[0] * (u0[0] + outcome.u[0]) + outcome.p[1] * (u0[1] + outcome.u[1]));
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
  return velocity_at(c.a, c.lever_a) - velocity_at(c.b, c.lever_b);
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
  const double at = cross(c.lever_a, t), an = cross(c.lever_a, n), bt = cross(c.lever_b, t), bn = cross(c.lever_b, n);
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
  // Without any mass one body alone that turns leaves K singular, whatever rounding makes of it.
  const bool pivot = c.a.inverse_mass + c.b.inverse_mass == 0 && (c.a.inverse_inertia == 0 || c.b.inverse_inertia == 0);
  s.status = pivot && is_finite({space.k_xx + space.k_yy, space.k_xy}) && is_finite(space.u0)
                 ? Status::collision_matrix_not_positive_definite
                 : collide(space, s.outcome);
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
  s.angular_velocity_a += c.a.inverse_inertia * cross(c.lever_a, p);
  s.angular_velocity_b -= c.b.inverse_inertia * cross(c.lever_b, p);
  return s;
}

// Store.

template <class T>
void write(const Column<T>& column, std::size_t i, T value) {
  if (column) column[i] = value;
}

void write(const Vector2Columns<double>& columns, std::size_t i, const Vector2& v) {
  write(columns.x, i, v[0]);
  write(columns.y, i, v[1]);
}

void store(const Solution& s, std::size_t i, const Results<double>& results) {
  const Outcome& o = s.outcome;
  write(results.impulse, i, o.p);
  write(results.separation_velocity, i, is_finite(o.u) ? o.u : Vector2{nan, nan});
  write(results.velocity_a, i, s.velocity_a);
  write(results.angular_velocity_a, i, s.angular_velocity_a);
  write(results.velocity_b, i, s.velocity_b);
  write(results.angular_velocity_b, i, s.angular_velocity_b);
  write(results.status, i, s.status);
  write(results.path, i, o.path);
  write(results.work_compression, i, o.work_compression);
  write(results.work_decompression, i, o.work_decompression);
}

template <class Contacts>
Report solve_all(const Contacts& contacts, const Results<double>& results, const Options& options) {
  check_options(options);
  Report report;
  report.contacts = check_columns(contacts, results);
  for (std::size_t i = 0; i < report.contacts; ++i) {
    const Solution s = solve_one(load(contacts, i, options), options);
    store(s, i, results);
    ++report.by_status[static_cast<std::size_t>(s.status)];
    ++report.by_path[s.outcome.path.index()];
    if (s.energy_gain > report.largest_energy_gain) {
      report.largest_energy_gain = s.energy_gain;
      report.largest_energy_gain_contact = i;
    }
  }
  return report;
}

}  // namespace

Collision collision_of(const InlineContacts<double>& contacts, std::size_t i) {
  return collision_of(load(contacts, i, {}));
}

Collision collision_of(const IndexedContacts<double>& contacts, std::size_t i) {
  return collision_of(load(contacts, i, {}));
}

Collision collision_of(const SpaceContacts<double>& contacts, std::size_t i) {
  return collision_of(load(contacts, i, {}));
}

Report solve(const InlineContacts<double>& contacts, const Results<double>& results, const Options& options) {
  return solve_all(contacts, results, options);
}

Report solve(const IndexedContacts<double>& contacts, const Results<double>& results, const Options& options) {
  return solve_all(contacts, results, options);
}

Report solve(const SpaceContacts<double>& contacts, const Results<double>& results, const Options& options) {
  return solve_all(contacts, results, options);
}

}  // namespace carom::reference::planar
