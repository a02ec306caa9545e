// Scenes: load, validate, velocities and impulses, as docs/scenes.md describes them.
#include "scene_state.hpp"

#include "core/scene/thresholds.hpp"
#include "core/support/fault.hpp"
#include "scene_models.hpp"

namespace carom::reference {
namespace {

double read_or(const Column<const double>& column, std::size_t i, double without) {
  return column ? column[i] : without;
}

Vector3 read_if_there(const Vector3Columns<const double>& columns, std::size_t i) {
  return columns.x ? read(columns, i) : Vector3{};
}

std::size_t place_of(std::int32_t body, std::size_t bodies) {
  return body < 0 ? bodies : static_cast<std::size_t>(body);
}

double finite_friction(double friction) {
  return std::min(friction, SceneThresholds::max_friction);
}

// Columns that the method does not read count as missing.
IndexedContacts<double> read_columns(const Scene<double>& scene, const SceneReads& reads) {
  IndexedContacts<double> contacts = scene.indexed_contacts();
  if (reads.laws) return contacts;
  contacts.laws.law = {};
  contacts.laws.restitution_law = {};
  contacts.laws.step = {};
  return contacts;
}

Options read_options(const CallOptions& options, const SceneReads& reads) {
  Options of_contacts = options.collision;
  if (!reads.laws) of_contacts.law = Law::frictionless;
  return of_contacts;
}

// True for a direction whose tangential part is within rounding.
bool is_along_normal(const Vector3& direction, const Vector3& normal) {
  const double scale = std::max({std::abs(direction[0]), std::abs(direction[1]), std::abs(direction[2])});
  if (!(scale > 0)) return true;
  const Vector3 d = 1 / scale * direction, n = normalized(normal);
  const Vector3 across = d - dot(d, n) * n;
  return std::sqrt(dot(across, across)) <= 16 * epsilon;
}

Status fault_of(const SceneContact& c, const Options& options, Numbers numbers) {
  const Status of_data = fault_of_data(c.data, options, numbers);
  if (of_data != Status::ok) return of_data;
  if (!is_finite(c.frame.k)) return Status::overflow;
  if (!is_definite(c.frame.k, c.frame.a, c.frame.r_a, c.frame.b, c.frame.r_b))
    return Status::collision_matrix_not_positive_definite;
  if (c.static_friction < c.friction) return Status::static_friction_below_friction;
  if (c.frequency < 0) return Status::negative_frequency;
  if (c.damping_ratio < 0) return Status::negative_damping_ratio;
  if (c.friction_2 < 0) return Status::negative_friction_2;
  if (c.has_ellipse && is_along_normal(c.friction_direction, c.data.normal))
    return Status::friction_direction_along_normal;
  if (c.rolling_friction < 0) return Status::negative_rolling_friction;
  if (c.spinning_friction < 0) return Status::negative_spinning_friction;
  if (c.normal_compliance < 0) return Status::negative_normal_compliance;
  if (c.tangential_compliance < 0) return Status::negative_tangential_compliance;
  if (c.stiffness <= 0) return Status::stiffness_not_positive;
  if (c.damping < 0) return Status::negative_damping;
  return c.slop < 0 ? Status::negative_slop : Status::ok;
}

void read_model(SceneContact& c, const SceneContacts<double>& from, std::size_t i, bool with_springs,
                Numbers& numbers) {
  const double friction_2 = read_or(from.friction_2, i, c.data.friction);
  c.has_ellipse = friction_2 != c.data.friction;
  c.friction_2 = finite_friction(friction_2);
  c.friction_direction = read_if_there(from.friction_direction, i);
  c.rolling_friction = read_or(from.rolling_friction, i, 0);
  c.spinning_friction = read_or(from.spinning_friction, i, 0);
  c.normal_compliance = read_or(from.normal_compliance, i, 0);
  c.tangential_compliance = read_or(from.tangential_compliance, i, 0);
  c.stiffness = with_springs ? read_or(from.stiffness, i, infinity) : infinity;
  c.damping = with_springs ? read_or(from.damping, i, 0) : 0;
  c.warm_angular_impulse = read_if_there(from.warm_angular_impulse, i);
  for (double x : {c.rolling_friction, c.spinning_friction, c.normal_compliance, c.tangential_compliance, c.damping})
    numbers.see(x);
  numbers.see(c.friction_direction);
  numbers.see(c.warm_angular_impulse);
  for (double x : {friction_2, c.stiffness})  // infinity is valid
    if (std::isnan(x)) numbers.see(x);
}

void see(Numbers& numbers, const Twist& twist) {
  numbers.see(twist.velocity);
  numbers.see(twist.angular_velocity);
}

// u·n for these body velocities.
double approach_of(const std::vector<Twist>& twists, const SceneContact& c) {
  if (twists.empty()) return 0;
  const auto at = [&](std::size_t body, const Vector3& lever) {
    return body < twists.size() ? velocity_at(twists[body], lever) : Vector3{};
  };
  return (c.frame.to_contact * (at(c.a, c.data.r_a) - at(c.b, c.data.r_b)))[2];
}

SceneContact load_contact(const Scene<double>& scene, const IndexedContacts<double>& columns, std::size_t i,
                          const CallOptions& scene_options, const SceneReads& reads,
                          const std::vector<Twist>& changes) {
  const Options options = read_options(scene_options, reads);
  SceneContact c;
  c.data = load(columns, i, options);
  const double static_friction = read_or(scene.contacts.static_friction, i, c.data.friction);
  c.friction = finite_friction(c.data.friction);
  c.static_friction = finite_friction(static_friction);
  c.min_velocity = read_or(scene.contacts.target_velocity, i, 0);
  c.surface_velocity = read_if_there(scene.contacts.surface_velocity, i);
  if (reads.separation) c.separation = read_or(scene.contacts.separation, i, 0);
  if (reads.row_errors) c.slop = read_or(scene.contacts.slop, i, 0);
  const bool may_be_soft = reads.row_errors && scene.contacts.frequency;
  c.frequency = may_be_soft ? scene.contacts.frequency[i] : infinity;
  c.damping_ratio = scene_options.substeps.position_correction.contact_damping_ratio;
  if (may_be_soft) c.damping_ratio = read_or(scene.contacts.damping_ratio, i, c.damping_ratio);
  if (reads.warm_impulse) c.warm_impulse = read_if_there(scene.contacts.warm_impulse, i);

  Numbers numbers;
  numbers.see(c.min_velocity);
  numbers.see(c.surface_velocity);
  numbers.see(c.separation);
  numbers.see(c.slop);
  numbers.see(c.damping_ratio);
  numbers.see(c.warm_impulse);
  if (std::isnan(c.frequency)) numbers.see(c.frequency);  // infinity means rigid
  if (std::isnan(static_friction)) numbers.see(static_friction);
  c.stiffness = infinity;
  if (reads.models) read_model(c, scene.contacts, i, reads.row_errors, numbers);

  const Vector3 n = normalized(c.data.normal);
  c.surface_slip = c.surface_velocity - dot(c.surface_velocity, n) * n;
  c.frame = in_contact_frame(c.data);
  c.frame.u0 = c.frame.u0 - c.frame.to_contact * c.surface_slip;
  c.status = fault_of(c, options, numbers);
  if (c.status != Status::ok) return c;
  c.a = place_of(columns.body_a[i], columns.bodies.inverse_mass.count);
  c.b = place_of(columns.body_b[i], columns.bodies.inverse_mass.count);
  turn_to_axes_of_friction(c);
  c.give = c.normal_compliance;
  c.slip_give = c.tangential_compliance;
  if (c.give > 0 || std::isfinite(c.stiffness)) c.data.restitution = 0;
  c.velocity_change = approach_of(changes, c);
  return c;
}

// True for a row that only turns its bodies, with a response within its rounding.
bool is_singular(const SceneRow& row, const SceneState& state) {
  const Body &a = state.bodies[row.a], &b = state.bodies[row.b];
  const double firm = a.inverse_mass * dot(row.linear_a, row.linear_a) +
                      b.inverse_mass * dot(row.linear_b, row.linear_b) + row.compliance;
  if (firm != 0) return false;
  const auto terms = [](const Matrix3& j, const Vector3& w) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) sum += std::abs(w[i] * j[i][k] * w[k]);
    return sum;
  };
  return row.diagonal <= SceneThresholds::singular_row * epsilon *
                             (terms(a.inverse_inertia, row.angular_a) + terms(b.inverse_inertia, row.angular_b));
}

Status fault_of(const SceneRow& row, Status of_bodies, const SceneState& state) {
  Numbers numbers;
  for (const Vector3& v : {row.linear_a, row.angular_a, row.linear_b, row.angular_b}) numbers.see(v);
  for (double x : {row.target, row.compliance, row.warm_impulse, row.error, row.damping_ratio}) numbers.see(x);
  for (const Vector3& v : {row.r_a, row.r_b}) numbers.see(v);
  if (std::isnan(row.frequency)) numbers.see(row.frequency);  // infinity means rigid
  // A lower limit of +infinity leaves no valid impulse.
  if (!(row.least < infinity)) numbers.see(row.least);
  if (!(row.largest > -infinity)) numbers.see(row.largest);
  const Status of_data = first_fault(numbers.fault(), of_bodies);
  if (of_data != Status::ok) return of_data;
  if (!state.is_movable(row.a) && !state.is_movable(row.b)) return Status::both_immovable;
  const bool singular = is_singular(row, state);
  if (!std::isfinite(row.diagonal) || (row.diagonal > 0 && !singular && !std::isfinite(1 / row.diagonal)))
    return Status::overflow;
  // A negative compliance has its own status. Otherwise only rounding makes the sum negative.
  if (singular || row.diagonal == 0 || (row.diagonal < 0 && row.compliance >= 0))
    return Status::collision_matrix_not_positive_definite;
  if (row.least > row.largest) return Status::impulse_bounds_reversed;
  if (row.compliance < 0) return Status::negative_compliance;
  if (row.frequency < 0) return Status::negative_frequency;
  return row.damping_ratio < 0 ? Status::negative_damping_ratio : Status::ok;
}

SceneRow load_row(const JointRows<double>& rows, std::size_t i, const SceneState& state, const SceneReads& reads,
                  const CallOptions& options) {
  SceneRow row;
  row.body_a = rows.body_a[i];
  row.body_b = rows.body_b[i];
  row.linear_a = read(rows.linear_a, i);
  row.angular_a = read(rows.angular_a, i);
  row.linear_b = read(rows.linear_b, i);
  row.angular_b = read(rows.angular_b, i);
  row.target = read_or(rows.target_velocity, i, 0);
  row.least = read_or(rows.min_impulse, i, -infinity);
  row.largest = read_or(rows.max_impulse, i, infinity);
  row.compliance = read_or(rows.compliance, i, 0);
  if (reads.warm_impulse) row.warm_impulse = read_or(rows.warm_impulse, i, 0);
  if (reads.row_errors) {
    row.error = read_or(rows.position_error, i, 0);
    row.has_error = static_cast<bool>(rows.position_error);
    row.frequency = read_or(rows.frequency, i, options.substeps.position_correction.joint_frequency);
    row.damping_ratio = read_or(rows.damping_ratio, i, options.substeps.position_correction.joint_damping_ratio);
    row.r_a = read_if_there(rows.r_a, i);
    row.r_b = read_if_there(rows.r_b, i);
  }

  const std::size_t bodies = state.bodies.size() - 1;
  row.status = fault_of_indices(row.body_a, row.body_b, bodies);
  if (row.status != Status::ok) return row;
  row.a = place_of(row.body_a, bodies);
  row.b = place_of(row.body_b, bodies);
  row.diagonal = coupling(state, row, row) + row.compliance;
  row.status = fault_of(row, first_fault(state.body_faults[row.a], state.body_faults[row.b]), state);
  return row;
}

}  // namespace

SceneState load_scene(const Scene<double>& scene, const CallOptions& options, const SceneReads& reads) {
  SceneState state;
  const std::size_t bodies = scene.bodies.inverse_mass.count;
  for (std::size_t i = 0; i < bodies; ++i) state.bodies.push_back(read_body<Body>(scene.bodies, i));
  state.bodies.emplace_back();
  for (const Body& body : state.bodies) state.body_faults.push_back(fault_of_body(body, options.collision));

  if (scene::has_forces(scene, options))
    for (std::size_t i = 0; i < bodies; ++i) {
      Twist change;
      if (scene.bodies.velocity_change.x)
        change = {read(scene.bodies.velocity_change, i), read(scene.bodies.angular_velocity_change, i)};
      Body& body = state.bodies[i];
      if (body.inverse_mass > 0) change.velocity = change.velocity + options.time_step * Vector3(options.gravity);
      Numbers numbers;
      see(numbers, change);
      state.body_faults[i] = first_fault(state.body_faults[i], numbers.fault());
      if (state.body_faults[i] != Status::ok) change = {};
      accelerate(body, change);
      state.changes.push_back(change);
    }

  const IndexedContacts<double> columns = read_columns(scene, reads);
  for (std::size_t i = 0; i < scene.contacts.body_a.count; ++i) {
    SceneContact& c = state.contacts.emplace_back(load_contact(scene, columns, i, options, reads, state.changes));
    for (const std::int32_t body : {columns.body_a[i], columns.body_b[i]})
      if (body >= 0 && static_cast<std::size_t>(body) < bodies)
        c.status = first_fault(c.status, state.body_faults[static_cast<std::size_t>(body)]);
  }
  for (SceneContact& c : state.contacts)
    if (c.status == Status::ok) c.approach0 = relative_velocity(state, c)[2];
  for (std::size_t i = 0; i < scene.joints.body_a.count; ++i)
    state.rows.push_back(load_row(scene.joints, i, state, reads, options));
  return state;
}

Vector3 relative_velocity(const SceneState& state, const SceneContact& c) {
  const Vector3 u = separation_velocity(state.bodies[c.a], c.data.r_a, state.bodies[c.b], c.data.r_b);
  return c.frame.to_contact * (u - c.surface_slip);
}

void apply_impulse(SceneState& state, const SceneContact& c, const Vector3& impulse, bool on_a, bool on_b) {
  const Matrix3 to_world = transpose(c.frame.to_contact);
  // An immovable body keeps its velocity bit by bit.
  if (on_a && state.is_movable(c.a))
    accelerate(state.bodies[c.a], change_by(impulse, to_world, c.frame.a, c.frame.r_a));
  if (on_b && state.is_movable(c.b))
    accelerate(state.bodies[c.b], -1.0 * change_by(impulse, to_world, c.frame.b, c.frame.r_b));
}

double velocity_of(const SceneState& state, const SceneRow& row) {
  return row.times(twist_of(state.bodies[row.a]), twist_of(state.bodies[row.b]));
}

double deviation(const SceneState& state, const SceneRow& row, double target) {
  return velocity_of(state, row) + row.compliance * row.impulse - target;
}
double deviation(const SceneState& state, const SceneRow& row) {
  return deviation(state, row, row.target);
}

double begin_rows(SceneState& state, const std::vector<std::size_t>& rows) {
  double greatest = 0;
  for (std::size_t i : rows) {
    SceneRow& row = state.rows[i];
    const double begun = std::clamp(row.impulse, row.least, row.largest);
    if (begun == row.impulse) continue;
    greatest = std::max(greatest, std::abs(begun - row.impulse) * row.diagonal);
    apply_impulse(state, row, begun - row.impulse);
    row.impulse = begun;
  }
  return greatest;
}

RowWork::RowWork(SceneState& state, const std::vector<std::size_t>& rows) : state_(state), rows_(rows) {
  for (std::size_t i : rows) {
    velocities_.push_back(velocity_of(state, state.rows[i]));
    impulses_.push_back(state.rows[i].impulse);
  }
}

void RowWork::end() {
  for (std::size_t n = 0; n < rows_.size(); ++n) {
    SceneRow& row = state_.rows[rows_[n]];
    row.work += (row.impulse - impulses_[n]) * (velocities_[n] + velocity_of(state_, row)) / 2;
  }
}

void apply_impulse(SceneState& state, const SceneRow& row, double impulse) {
  const auto give = [&](std::size_t place, const Vector3& linear, const Vector3& angular) {
    if (!state.is_movable(place)) return;
    Body& body = state.bodies[place];
    accelerate(body, {(body.inverse_mass * impulse) * linear, impulse * (body.inverse_inertia * angular)});
  };
  give(row.a, row.linear_a, row.angular_a);
  give(row.b, row.linear_b, row.angular_b);
}

double residual(const SceneRow& row, double deviation) {
  const bool kept = (deviation > 0 && row.impulse <= row.least) || (deviation < 0 && row.impulse >= row.largest);
  return kept ? 0 : std::abs(deviation);
}
double residual(const SceneState& state, const SceneRow& row) {
  return residual(row, deviation(state, row));
}
double residual(const SceneState& state, const std::vector<std::size_t>& rows) {
  double greatest = 0;
  for (std::size_t i : rows) greatest = std::max(greatest, residual(state, state.rows[i]));
  return greatest;
}

double coupling(const SceneState& state, const SceneRow& x, const SceneRow& y) {
  const Body &a = state.bodies[x.a], &b = state.bodies[x.b];
  return a.inverse_mass * dot(x.linear_a, y.linear_a) + dot(x.angular_a, a.inverse_inertia * y.angular_a) +
         b.inverse_mass * dot(x.linear_b, y.linear_b) + dot(x.angular_b, b.inverse_inertia * y.angular_b);
}

double kinetic_energy(const Body& body) {
  double energy = body.inverse_mass > 0 ? 0.5 * dot(body.velocity, body.velocity) / body.inverse_mass : 0;
  const Vector3& w = body.angular_velocity;
  if (const auto factor = Cholesky::of(body.inverse_inertia)) return energy + 0.5 * dot(w, factor->solve(w));
  // The body cannot turn about some axis. Eigenvalues within the rounding of the max eigenvalue count as 0.
  const auto [values, vectors] = eigenvectors(body.inverse_inertia);
  const double least = 16 * epsilon * std::max({values[0], values[1], values[2]});
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(values[i] > least)) continue;
    const double along = dot(vectors[i], w);
    energy += 0.5 * along * along / values[i];
  }
  return energy;
}

}  // namespace carom::reference
