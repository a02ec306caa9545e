// The reference on columns of contacts: load, validate, the algorithm, store.

#include "contact.hpp"
#include "core/columns/column_check.hpp"
#include "vector.hpp"

namespace carom::reference {
namespace {

using Solution = SolutionOf<Outcome, Vector3, Vector3>;

Collision in_contact_space(const BodyContact& c) {
  const InContactFrame frame = in_contact_frame(c);
  return {frame.k, frame.u0, c.friction, c.restitution, c.step};
}

Solution solve_one(const SpaceContact& c, const Options& options, bool with_boundary_distance) {
  Solution s;
  s.outcome.u = c.u0;
  s.outcome.boundary_distance = infinity;
  s.status = fault_of_data(c);
  if (s.status != Status::ok) return s;
  s.status = collide(c, c.k, c.u0, options, with_boundary_distance, s.outcome);
  if (is_resolved(s.status)) s.energy_gain = energy_gain(s.outcome, c.u0);
  return s;
}

Solution solve_one(const BodyContact& c, const Options& options, bool with_boundary_distance) {
  Solution s;
  s.velocity_a = c.a.velocity;
  s.angular_velocity_a = c.a.angular_velocity;
  s.velocity_b = c.b.velocity;
  s.angular_velocity_b = c.b.angular_velocity;
  const Vector3 before = separation_velocity(c.a, c.r_a, c.b, c.r_b);
  s.outcome.u = before;
  s.outcome.boundary_distance = infinity;
  s.status = fault_of_data(c, options);
  if (s.status != Status::ok) return s;

  const InContactFrame frame = in_contact_frame(c);

  // Law and impulse (steps 3 to 7).
  s.status = collide(c, frame, options, with_boundary_distance, s.outcome);
  if (!is_resolved(s.status)) {
    s.outcome.u = before;
    return s;
  }
  s.energy_gain = energy_gain(s.outcome, frame.u0);

  // The new velocities (eq. 1), turned back (step 8). Only their changes are turned, so that an immovable body keeps
  // its velocity to the last bit.
  const Matrix3 to_world = transpose(frame.to_contact);
  const Vector3 p = s.outcome.p;
  const Twist a = change_by(p, to_world, frame.a, frame.r_a), b = change_by(p, to_world, frame.b, frame.r_b);
  s.velocity_a = c.a.velocity + a.velocity;
  s.velocity_b = c.b.velocity - b.velocity;
  s.angular_velocity_a = c.a.angular_velocity + a.angular_velocity;
  s.angular_velocity_b = c.b.angular_velocity - b.angular_velocity;
  s.outcome.p = to_world * p;
  s.outcome.u = to_world * s.outcome.u;
  return s;
}

template <class AnyContacts>
Report solve_columns(const AnyContacts& given, const Results<double>& results, const Options& options,
                     const Column<double>& boundary_distance) {
  check_options(options);
  const std::size_t count = check_columns(given, results, options)->friction.count;
  ColumnCheck({"friction"}, count).accept({"boundary_distance"}, boundary_distance);
  std::uint64_t steps = 0;
  Report report = solve_all(given, results, options, [&](const AnyContacts& contacts, std::size_t i) {
    const Solution s = solve_one(load(contacts, i, options), options, static_cast<bool>(boundary_distance));
    write(results.steps, i, s.outcome.steps);
    write(boundary_distance, i, s.outcome.boundary_distance);
    steps += static_cast<std::uint64_t>(s.outcome.steps);
    return s;
  });
  report.sliding_steps = steps;
  return report;
}

}  // namespace

Collision collision_of(const Contacts<double>& contacts, std::size_t i) {
  return in_contact_space(load(columns::without_constants(contacts), i, {}));
}

Collision collision_of(const IndexedContacts<double>& contacts, std::size_t i) {
  return in_contact_space(load(columns::without_constants(contacts), i, {}));
}

Collision collision_of(const KContacts<double>& contacts, std::size_t i) {
  const SpaceContact c = load(columns::without_constants(contacts), i, {});
  return {c.k, c.u0, c.friction, c.restitution, c.step};
}

Report solve(const Contacts<double>& contacts, const Results<double>& results, const Options& options,
             Column<double> boundary_distance) {
  return solve_columns(contacts, results, options, boundary_distance);
}

Report solve(const IndexedContacts<double>& contacts, const Results<double>& results, const Options& options,
             Column<double> boundary_distance) {
  return solve_columns(contacts, results, options, boundary_distance);
}

Report solve(const KContacts<double>& contacts, const Results<double>& results, const Options& options,
             Column<double> boundary_distance) {
  return solve_columns(contacts, results, options, boundary_distance);
}

}  // namespace carom::reference
