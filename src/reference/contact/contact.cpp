#include "contact.hpp"

#include "vector.hpp"

namespace carom::reference {

SpaceContact load(const KContacts<double>& contacts, std::size_t i, const Options& options) {
  SpaceContact c;
  load_laws(contacts, i, options, c);
  c.k = read(contacts.k, i);
  c.u0 = read(contacts.separation_velocity, i);
  return c;
}

// Validate.

namespace {

bool is_positive_semidefinite(const Matrix3& m, double tolerance) {
  // Fast path: most matrices are positive definite, or zero for an immovable body.
  if (m == Matrix3{} || Cholesky::of(m)) return true;
  return !(min_eigenvalue(m) < -tolerance * trace(m));
}

}  // namespace

Status fault_of_body(const Body& body, const Options& options) {
  Numbers numbers;
  numbers.see(body);
  if (numbers.fault() != Status::ok) return numbers.fault();
  if (body.inverse_mass < 0) return Status::negative_inverse_mass;
  if (!is_positive_semidefinite(body.inverse_inertia, options.data.inertia_tolerance))
    return Status::inverse_inertia_not_positive_semidefinite;
  return Status::ok;
}

Status fault_of_data(const SpaceContact& c) {
  Numbers numbers;
  numbers.see_laws(c);
  numbers.see(c.k);
  numbers.see(c.u0);
  if (numbers.fault() != Status::ok) return numbers.fault();
  return fault_of_laws(c);
}

bool is_definite(const Matrix3& k, const Body& a, const Vector3& r_a, const Body& b, const Vector3& r_b) {
  const auto terms = [](const Matrix3& j, const Vector3& r) { return trace(j) * dot(r, r); };
  const double rounding =
      rounding_of_k(a.inverse_mass + b.inverse_mass, terms(a.inverse_inertia, r_a) + terms(b.inverse_inertia, r_b));
  return Cholesky::of(k) && Cholesky::of(less(k, rounding));
}

// Law.

Status collide(const Laws& laws, const Matrix3& k, const Vector3& u0, const Options& options,
               bool with_boundary_distance, Outcome& outcome) {
  outcome.u = u0;
  outcome.boundary_distance = infinity;
  if (!is_finite(k) || !is_finite(u0)) return Status::overflow;
  if (!Cholesky::of(k)) return Status::collision_matrix_not_positive_definite;

  const double speed = std::hypot(u0[0], u0[1], u0[2]);
  if (u0[2] >= 0) {
    if (with_boundary_distance) outcome.boundary_distance = speed > 0 ? u0[2] / speed : 0;
    outcome.path.sliding_end = SlidingEnd::separating;
    return Status::separating;
  }

  // K and u0 are finite, but the ratio that scales the impulse may overflow.
  const auto in_range = [](double impulse) { return impulse > 0 && !std::isinf(impulse); };
  Outcome o;
  Status status = Status::ok;
  if (laws.law != Law::incremental) {
    if (!in_range(speed / trace(k))) return Status::overflow;
    const LawOutcome found = apply(laws.law, {k, u0, laws.friction, laws.restitution}, laws.parameters,
                                   laws.restitution_law, options.step_budget);
    status = found.status;
    if (!is_resolved(status)) return status;
    o.u = found.u;
    o.p = found.p;
    o.path = found.path;
    o.boundary_distance = infinity;
  } else if (laws.integrator == Integrator::euler) {
    const double step = laws.has_step ? laws.step : speed / (options.steps * trace(k));
    if (!in_range(step)) return Status::overflow;
    if (laws.has_step && step * trace(k) > speed) return Status::step_too_large;
    o = resolve({k, u0, laws.friction, laws.restitution, step}, options.step_budget, with_boundary_distance);
  } else {
    if (!in_range(speed / trace(k))) return Status::overflow;
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
  frame.to_contact = rotation_to_z(normalized(c.normal));
  frame.a = rotate(frame.to_contact, c.a);
  frame.b = rotate(frame.to_contact, c.b);
  frame.r_a = frame.to_contact * c.r_a;
  frame.r_b = frame.to_contact * c.r_b;

  // Collision matrix (step 2).
  frame.u0 = separation_velocity(frame.a, frame.r_a, frame.b, frame.r_b);
  frame.k = collision_matrix(frame.a, frame.r_a, frame.b, frame.r_b);
  return frame;
}

Status collide(const BodyContact& c, const InContactFrame& frame, const Options& options, bool with_boundary_distance,
               Outcome& outcome) {
  if (is_finite(frame.k) && is_finite(frame.u0) && !is_definite(frame.k, frame.a, frame.r_a, frame.b, frame.r_b))
    return Status::collision_matrix_not_positive_definite;
  Laws laws = c;
  laws.parameters.candidate = frame.to_contact * c.parameters.candidate;
  return collide(laws, frame.k, frame.u0, options, with_boundary_distance, outcome);
}

Twist change_by(const Vector3& impulse, const Matrix3& to_world, const Body& in_frame, const Vector3& lever) {
  return {to_world * (in_frame.inverse_mass * impulse), to_world * (in_frame.inverse_inertia * cross(lever, impulse))};
}

}  // namespace carom::reference
