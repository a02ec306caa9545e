#include "reference/contact.hpp"

#include <algorithm>
#include <limits>

#include "reference/vector.hpp"

namespace carom::reference {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Load.

Matrix3 read(const SymmetricColumns<const double>& m, std::size_t i) {
  const double xy = m.xy[i], xz = m.xz[i], yz = m.yz[i];
  return {Vector3{m.xx[i], xy, xz}, Vector3{xy, m.yy[i], yz}, Vector3{xz, yz, m.zz[i]}};
}

template <class Contacts>
void load_laws(const Contacts& contacts, std::size_t i, const Options& options, Laws& laws) {
  const LawColumns<double>& columns = contacts.laws;
  static_cast<LawOfContact&>(laws) = read_law(columns, i, options);
  laws.friction = contacts.friction[i];
  laws.restitution = contacts.restitution[i];
  laws.largest_restitution = options.largest_restitution;
  laws.has_step = columns.step && laws.law == Law::incremental;
  if (laws.has_step) laws.step = columns.step[i];
  laws.restitution_law = columns.restitution_law ? columns.restitution_law[i] : options.restitution_law;
  laws.integrator = options.integrator;
}

}  // namespace

Vector3 read(const Vector3Columns<const double>& v, std::size_t i) {
  return {v.x[i], v.y[i], v.z[i]};
}

Body read(const BodyColumns<const double>& bodies, std::size_t i) {
  return {bodies.inverse_mass[i], read(bodies.inverse_inertia, i), read(bodies.velocity, i),
          read(bodies.angular_velocity, i)};
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

Body load_body(const BodyColumns<const double>& bodies, std::int32_t index) {
  if (index == -1) return {};
  if (index < 0 || static_cast<std::size_t>(index) >= bodies.inverse_mass.count)
    return {0, {}, {nan, nan, nan}, {nan, nan, nan}};
  return read(bodies, static_cast<std::size_t>(index));
}

Status fault_of_indices(std::int32_t a, std::int32_t b, std::size_t bodies) {
  const auto exists = [&](std::int32_t index) {
    return index >= -1 && (index < 0 || static_cast<std::size_t>(index) < bodies);
  };
  if (!exists(a) || !exists(b)) return Status::body_index_out_of_range;
  return a == b && a >= 0 ? Status::same_body : Status::ok;
}

BodyContact load(const IndexedContacts<double>& contacts, std::size_t i, const Options& options) {
  BodyContact c;
  load_laws(contacts, i, options, c);
  c.normal = read(contacts.normal, i);
  const std::int32_t a = contacts.body_a[i], b = contacts.body_b[i];
  c.indices = fault_of_indices(a, b, contacts.bodies.inverse_mass.count);
  c.a = load_body(contacts.bodies, a);
  c.b = load_body(contacts.bodies, b);
  c.lever_a = read(contacts.lever_a, i);
  c.lever_b = read(contacts.lever_b, i);
  return c;
}

SpaceContact load(const SpaceContacts<double>& contacts, std::size_t i, const Options& options) {
  SpaceContact c;
  load_laws(contacts, i, options, c);
  c.k = read(contacts.k, i);
  c.u0 = read(contacts.separation_velocity, i);
  return c;
}

// Validate.

namespace {

Status fault_of_laws(const Laws& laws) {
  if (!(laws.restitution >= 0 && laws.restitution <= laws.largest_restitution)) return Status::restitution_out_of_range;
  if (laws.friction < 0) return Status::negative_friction;
  if (laws.fault != Status::ok) return laws.fault;
  if (laws.has_step && !(laws.step > 0)) return Status::step_not_positive;
  // The integrator is that of the incremental law alone.
  const bool euler = laws.law == Law::incremental && laws.integrator == Integrator::euler;
  const auto last = euler ? RestitutionLaw::energetic : RestitutionLaw::kinematic;
  if (laws.restitution_law > last) return Status::restitution_law_unavailable;
  return Status::ok;
}

bool is_positive_semidefinite(const Matrix3& m, double tolerance) {
  // Most are positive definite, or the zeros of an immovable body, and that is faster to see.
  if (m == Matrix3{} || Cholesky::of(m)) return true;
  return !(smallest_eigenvalue(m) < -tolerance * (m[0][0] + m[1][1] + m[2][2]));
}

}  // namespace

bool is_pivot(const BodyContact& c) {
  const bool both_turn = c.a.inverse_inertia != Matrix3{} && c.b.inverse_inertia != Matrix3{};
  return c.a.inverse_mass + c.b.inverse_mass == 0 && !both_turn;
}

bool is_immovable(const Body& body) {
  return body.inverse_mass == 0 && body.inverse_inertia == Matrix3{};
}

Status fault_of_body(const Body& body, const Options& options) {
  Numbers numbers;
  numbers.see(body);
  if (numbers.fault() != Status::ok) return numbers.fault();
  if (body.inverse_mass < 0) return Status::negative_inverse_mass;
  if (!is_positive_semidefinite(body.inverse_inertia, options.inertia_tolerance))
    return Status::inverse_inertia_not_positive_semidefinite;
  return Status::ok;
}

Status fault_of_data(const BodyContact& c, const Options& options, Numbers numbers) {
  if (c.indices != Status::ok) return c.indices;
  numbers.see_laws(c);
  numbers.see(c.normal);
  numbers.see(c.a);
  numbers.see(c.b);
  numbers.see(c.lever_a);
  numbers.see(c.lever_b);
  if (numbers.fault() != Status::ok) return numbers.fault();
  if (!(std::abs(std::sqrt(dot(c.normal, c.normal)) - 1) <= options.normal_tolerance)) return Status::normal_not_unit;
  const Status a = fault_of_body(c.a, options), b = fault_of_body(c.b, options);
  if (a != Status::ok || b != Status::ok) return a == Status::ok ? b : b == Status::ok ? a : std::min(a, b);
  if (is_immovable(c.a) && is_immovable(c.b)) return Status::both_immovable;
  return fault_of_laws(c);
}

Status fault_of_data(const SpaceContact& c) {
  Numbers numbers;
  numbers.see_laws(c);
  numbers.see(c.k);
  numbers.see(c.u0);
  if (numbers.fault() != Status::ok) return numbers.fault();
  return fault_of_laws(c);
}

// Law.

Status collide(const Laws& laws, const Matrix3& k, const Vector3& u0, const Options& options,
               bool with_boundary_distance, Outcome& outcome) {
  outcome.u = u0;
  outcome.boundary_distance = std::numeric_limits<double>::infinity();
  if (!is_finite(k) || !is_finite(u0)) return Status::overflow;
  if (!Cholesky::of(k)) return Status::collision_matrix_not_positive_definite;

  const double speed = std::hypot(u0[0], u0[1], u0[2]);
  if (u0[2] >= 0) {
    if (with_boundary_distance) outcome.boundary_distance = speed > 0 ? u0[2] / speed : 0;
    outcome.path.course = Course::separating;
    return Status::separating;
  }

  // K and u0 are finite, but the ratio that measures the impulse may not be.
  const double trace = k[0][0] + k[1][1] + k[2][2];
  const auto in_range = [](double impulse) { return impulse > 0 && !std::isinf(impulse); };
  Outcome o;
  Status status = Status::ok;
  if (laws.law != Law::incremental) {
    if (!in_range(speed / trace)) return Status::overflow;
    const LawOutcome found = apply(laws.law, {k, u0, laws.friction, laws.restitution}, laws.parameters,
                                   laws.restitution_law, options.step_budget);
    status = found.status;
    if (!is_resolved(status)) return status;
    o.u = found.u;
    o.p = found.p;
    o.path = found.path;
    o.boundary_distance = std::numeric_limits<double>::infinity();
  } else if (laws.integrator == Integrator::euler) {
    const double step = laws.has_step ? laws.step : speed / (options.steps * trace);
    if (!in_range(step)) return Status::overflow;
    if (laws.has_step && step * trace > speed) return Status::step_too_large;
    o = resolve({k, u0, laws.friction, laws.restitution, step}, options.step_budget, with_boundary_distance);
  } else {
    if (!in_range(speed / trace)) return Status::overflow;
    o = resolve_exact({k, u0, laws.friction, laws.restitution}, laws.restitution_law, options.step_budget,
                      with_boundary_distance);
  }
  if (!o.ended) {
    outcome.steps = o.steps;
    return Status::step_budget_reached;
  }
  if (!is_finite(o.p) || !is_finite(o.u)) return Status::overflow;
  outcome = o;
  return status;
}

InContactFrame in_contact_frame(const BodyContact& c) {
  InContactFrame frame;

  // Frame (step 1).
  frame.to_contact = rotation_to_z(1 / std::sqrt(dot(c.normal, c.normal)) * c.normal);
  frame.a = rotate(frame.to_contact, c.a);
  frame.b = rotate(frame.to_contact, c.b);
  frame.lever_a = frame.to_contact * c.lever_a;
  frame.lever_b = frame.to_contact * c.lever_b;

  // Collision matrix (step 2).
  frame.u0 = separation_velocity(frame.a, frame.lever_a, frame.b, frame.lever_b);
  frame.k = collision_matrix(frame.a, frame.lever_a, frame.b, frame.lever_b);
  return frame;
}

Status collide(const BodyContact& c, const InContactFrame& frame, const Options& options, bool with_boundary_distance,
               Outcome& outcome) {
  if (is_pivot(c) && is_finite(frame.k) && is_finite(frame.u0)) return Status::collision_matrix_not_positive_definite;
  Laws laws = c;
  laws.parameters.candidate = frame.to_contact * c.parameters.candidate;
  return collide(laws, frame.k, frame.u0, options, with_boundary_distance, outcome);
}

Change change_by(const Vector3& impulse, const Matrix3& to_world, const Body& in_frame, const Vector3& lever) {
  return {to_world * (in_frame.inverse_mass * impulse), to_world * (in_frame.inverse_inertia * cross(lever, impulse))};
}

}  // namespace carom::reference
