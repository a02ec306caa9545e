// The reference on columns of contacts: load, validate, the algorithm, store.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "reference/algorithm.hpp"
#include "reference/laws_columns.hpp"
#include "reference/vector.hpp"
#include "solver/check.hpp"

namespace carom::reference {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Laws : LawOfContact {
  double friction = 0, restitution = 0, largest_restitution = 1;
  double step = 0;  // of its own, if it has one
  bool has_step = false;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  Integrator integrator = Integrator::euler;
};

struct BodyContact : Laws {
  Vector3 normal{};
  Body a, b;
  Vector3 lever_a{}, lever_b{};
  Status indices = Status::ok;
};

struct SpaceContact : Laws {
  Matrix3 k{};
  Vector3 u0{};
};

// What is stored for a contact; vectors in the frame of the results.
struct Solution {
  Status status = Status::ok;
  Outcome outcome;
  Vector3 velocity_a{}, angular_velocity_a{}, velocity_b{}, angular_velocity_b{};
  double energy_gain = 0;
};

// Load.

Vector3 read(const Vector3Columns<const double>& v, std::size_t i) {
  return {v.x[i], v.y[i], v.z[i]};
}

Matrix3 read(const SymmetricColumns<const double>& m, std::size_t i) {
  const double xy = m.xy[i], xz = m.xz[i], yz = m.yz[i];
  return {Vector3{m.xx[i], xy, xz}, Vector3{xy, m.yy[i], yz}, Vector3{xz, yz, m.zz[i]}};
}

Body read(const BodyColumns<const double>& bodies, std::size_t i) {
  return {bodies.inverse_mass[i], read(bodies.inverse_inertia, i), read(bodies.velocity, i),
          read(bodies.angular_velocity, i)};
}

void load_laws(const ContactColumns<double>& columns, std::size_t i, const Options& options, Laws& laws) {
  static_cast<LawOfContact&>(laws) = read_law(columns, i, options);
  laws.friction = columns.friction[i];
  laws.restitution = columns.restitution[i];
  laws.largest_restitution = options.largest_restitution;
  laws.has_step = columns.step && laws.law == Law::incremental;
  if (laws.has_step) laws.step = columns.step[i];
  laws.restitution_law = columns.restitution_law ? columns.restitution_law[i] : options.restitution_law;
  laws.integrator = options.integrator;
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
  if (index < 0 || static_cast<std::size_t>(index) >= bodies.inverse_mass.count)
    return {0, {}, {nan, nan, nan}, {nan, nan, nan}};
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
  c.k = read(contacts.k, i);
  c.u0 = read(contacts.separation_velocity, i);
  return c;
}

// Validate.

// What a contact's numbers are, but for its friction, which may be infinite.
class Numbers {
 public:
  void see(double x) {
    any_nan_ |= std::isnan(x);
    any_infinite_ |= std::isinf(x);
  }
  void see(const Vector3& v) {
    for (double x : v) see(x);
  }
  void see(const Matrix3& m) {
    for (const Vector3& row : m) see(row);
  }
  void see(const Body& body) {
    see(body.inverse_mass);
    see(body.inverse_inertia);
    see(body.velocity);
    see(body.angular_velocity);
  }
  void see_laws(const Laws& laws) {
    see(laws.restitution);
    see(laws.step);
    any_nan_ |= std::isnan(laws.friction) || laws.fault == Status::not_a_number;
    any_infinite_ |= laws.fault == Status::infinite;
  }
  Status fault() const { return any_nan_ ? Status::not_a_number : any_infinite_ ? Status::infinite : Status::ok; }

 private:
  bool any_nan_ = false, any_infinite_ = false;
};

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

// Without any mass one body alone that turns leaves K singular, whatever rounding makes of it.
bool is_pivot(const BodyContact& c) {
  const bool both_turn = c.a.inverse_inertia != Matrix3{} && c.b.inverse_inertia != Matrix3{};
  return c.a.inverse_mass + c.b.inverse_mass == 0 && !both_turn;
}

bool is_immovable(const Body& body) {
  return body.inverse_mass == 0 && body.inverse_inertia == Matrix3{};
}

Status fault_of_data(const BodyContact& c, const Options& options) {
  if (c.indices != Status::ok) return c.indices;
  Numbers numbers;
  numbers.see_laws(c);
  numbers.see(c.normal);
  numbers.see(c.a);
  numbers.see(c.b);
  numbers.see(c.lever_a);
  numbers.see(c.lever_b);
  if (numbers.fault() != Status::ok) return numbers.fault();
  if (!(std::abs(std::sqrt(dot(c.normal, c.normal)) - 1) <= options.normal_tolerance)) return Status::normal_not_unit;
  if (c.a.inverse_mass < 0 || c.b.inverse_mass < 0) return Status::negative_inverse_mass;
  if (!is_positive_semidefinite(c.a.inverse_inertia, options.inertia_tolerance) ||
      !is_positive_semidefinite(c.b.inverse_inertia, options.inertia_tolerance))
    return Status::inverse_inertia_not_positive_semidefinite;
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

// What both forms of contact have in common, in contact space. There is an impulse if the contact is resolved.
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

double energy_gain(const Outcome& outcome, const Vector3& u0) {
  return 0.5 * dot(outcome.p, u0 + outcome.u);
}

// The contact frame with what stands in it.
struct InContactFrame {
  Matrix3 to_contact{};  // the rotation from the world
  Body a, b;
  Vector3 lever_a{}, lever_b{};
  Vector3 u0{};
  Matrix3 k{};
};

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

Collision in_contact_space(const BodyContact& c) {
  const InContactFrame frame = in_contact_frame(c);
  return {frame.k, frame.u0, c.friction, c.restitution, c.step};
}

Solution solve_one(const SpaceContact& c, const Options& options, bool with_boundary_distance) {
  Solution s;
  s.outcome.u = c.u0;
  s.outcome.boundary_distance = std::numeric_limits<double>::infinity();
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
  const Vector3 before = separation_velocity(c.a, c.lever_a, c.b, c.lever_b);
  s.outcome.u = before;
  s.outcome.boundary_distance = std::numeric_limits<double>::infinity();
  s.status = fault_of_data(c, options);
  if (s.status != Status::ok) return s;

  const auto [to_contact, a, b, lever_a, lever_b, u0, k] = in_contact_frame(c);

  // Law and impulse (steps 3 to 7).
  Laws laws = c;
  laws.parameters.candidate = to_contact * c.parameters.candidate;
  s.status = is_pivot(c) && is_finite(k) && is_finite(u0)
                 ? Status::collision_matrix_not_positive_definite
                 : collide(laws, k, u0, options, with_boundary_distance, s.outcome);
  if (!is_resolved(s.status)) {
    s.outcome.u = before;
    return s;
  }
  s.energy_gain = energy_gain(s.outcome, u0);

  // The new velocities (eq. 1), turned back (step 8). Only their changes are turned, so that an immovable body keeps
  // its velocity to the last bit.
  const Matrix3 to_world = transpose(to_contact);
  const Vector3 p = s.outcome.p;
  s.velocity_a = c.a.velocity + to_world * (a.inverse_mass * p);
  s.velocity_b = c.b.velocity - to_world * (b.inverse_mass * p);
  s.angular_velocity_a = c.a.angular_velocity + to_world * (a.inverse_inertia * cross(lever_a, p));
  s.angular_velocity_b = c.b.angular_velocity - to_world * (b.inverse_inertia * cross(lever_b, p));
  s.outcome.p = to_world * p;
  s.outcome.u = to_world * s.outcome.u;
  return s;
}

// Store.

template <class T>
void write(const Column<T>& column, std::size_t i, T value) {
  if (column) column[i] = value;
}

void write(const Vector3Columns<double>& columns, std::size_t i, const Vector3& v) {
  write(columns.x, i, v[0]);
  write(columns.y, i, v[1]);
  write(columns.z, i, v[2]);
}

void store(const Solution& s, std::size_t i, const Results<double>& results, const Column<double>& boundary_distance) {
  const Outcome& o = s.outcome;
  write(results.impulse, i, o.p);
  write(results.separation_velocity, i, is_finite(o.u) ? o.u : Vector3{nan, nan, nan});
  write(results.velocity_a, i, s.velocity_a);
  write(results.angular_velocity_a, i, s.angular_velocity_a);
  write(results.velocity_b, i, s.velocity_b);
  write(results.angular_velocity_b, i, s.angular_velocity_b);
  write(results.status, i, s.status);
  write(results.path, i, o.path);
  write(results.work_compression, i, o.work_compression);
  write(results.work_decompression, i, o.work_decompression);
  write(results.steps, i, o.steps);
  write(boundary_distance, i, o.boundary_distance);
}

void count(const Solution& s, std::size_t i, Report& report) {
  ++report.by_status[static_cast<std::size_t>(s.status)];
  ++report.by_path[s.outcome.path.index()];
  report.sliding_steps += static_cast<std::uint64_t>(s.outcome.steps);
  if (s.energy_gain > report.largest_energy_gain) {
    report.largest_energy_gain = s.energy_gain;
    report.largest_energy_gain_contact = i;
  }
}

template <class Contacts>
Report solve_all(const Contacts& contacts, const Results<double>& results, const Options& options,
                 const Column<double>& boundary_distance) {
  check_options(options);
  Report report;
  report.contacts = check_columns(contacts, results);
  if (boundary_distance && boundary_distance.count != report.contacts)
    throw Error("carom: the column boundary_distance has " + std::to_string(boundary_distance.count) +
                " elements, but there are " + std::to_string(report.contacts) + " contacts");
  if (boundary_distance && boundary_distance.stride == 0 && boundary_distance.count > 1)
    throw Error("carom: the result column boundary_distance has stride 0, so its contacts share one place");
  for (std::size_t i = 0; i < report.contacts; ++i) {
    const Solution s = solve_one(load(contacts, i, options), options, static_cast<bool>(boundary_distance));
    store(s, i, results, boundary_distance);
    count(s, i, report);
  }
  return report;
}

}  // namespace

Collision collision_of(const InlineContacts<double>& contacts, std::size_t i) {
  return in_contact_space(load(contacts, i, {}));
}

Collision collision_of(const IndexedContacts<double>& contacts, std::size_t i) {
  return in_contact_space(load(contacts, i, {}));
}

Collision collision_of(const SpaceContacts<double>& contacts, std::size_t i) {
  const SpaceContact c = load(contacts, i, {});
  return {c.k, c.u0, c.friction, c.restitution, c.step};
}

Report solve(const InlineContacts<double>& contacts, const Results<double>& results, const Options& options,
             Column<double> boundary_distance) {
  return solve_all(contacts, results, options, boundary_distance);
}

Report solve(const IndexedContacts<double>& contacts, const Results<double>& results, const Options& options,
             Column<double> boundary_distance) {
  return solve_all(contacts, results, options, boundary_distance);
}

Report solve(const SpaceContacts<double>& contacts, const Results<double>& results, const Options& options,
             Column<double> boundary_distance) {
  return solve_all(contacts, results, options, boundary_distance);
}

}  // namespace carom::reference
