// A container for scenes, arrays for their results, and sums over bodies, for tests and benchmarks of scenes.
#pragma once

#include <algorithm>
#include <array>
#include <carom/joints.hpp>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random/draw.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/scenes/method_options.hpp"

namespace carom::scenes {

using support::at;
using support::BodyArrays;
using support::Vector;
using support::Vectors3;

inline constexpr std::int32_t world = -1;

struct Body {
  double inverse_mass = 1;
  std::array<double, 6> inverse_inertia = {6, 0, 0, 6, 0, 6};  ///< a unit cube of 1 kg
  Vector velocity{}, angular_velocity{};
  Vector position{};
};

/// A box of these edge lengths along the axes.
inline Body box(double mass, const Vector& edges, const Vector& position, const Vector& velocity = {}) {
  const auto inverse = [&](std::size_t i, std::size_t j) {
    return 12 / (mass * (edges[i] * edges[i] + edges[j] * edges[j]));
  };
  return {1 / mass, {inverse(1, 2), 0, 0, inverse(0, 2), 0, inverse(0, 1)}, velocity, {}, position};
}

struct Contact {
  std::int32_t a = 0, b = world;
  Vector normal = {0, 0, 1};
  Vector point{};
  double friction = 0, restitution = 0, tangential_restitution = 0;
};

template <class T, class V>
void push(Vectors3<T>& columns, const V& v) {
  for (std::size_t c = 0; c < 3; ++c) columns[c].push_back(static_cast<T>(v[c]));
}
template <class T>
void put(Vectors3<T>& columns, std::size_t i, const Vector& v) {
  for (std::size_t c = 0; c < 3; ++c) columns[c][i] = static_cast<T>(v[c]);
}
template <class T>
Vectors3<T> vectors(std::size_t n, T value = 0) {
  const std::vector<T> column(n, value);
  return {column, column, column};
}

/// All columns of a scene. Optional ones are absent from the view while they are empty.
template <class T>
struct SceneData {
  BodyArrays<T> bodies;
  std::vector<Vector> position;  ///< of the bodies; no column of a scene, but the lever arms come from it

  std::vector<std::int32_t> body_a, body_b;
  Vectors3<T> normal, r_a, r_b;
  std::vector<T> friction, restitution, tangential_restitution;
  // Columns that are absent unless a test makes them.
  std::vector<T> static_friction, separation, frequency, damping_ratio, slop, target_velocity;
  std::vector<T> friction_2, rolling_friction, spinning_friction, normal_compliance, tangential_compliance, stiffness,
      damping;
  Vectors3<T> surface_velocity, warm_impulse, friction_direction, warm_angular_impulse;
  Vectors3<T> velocity_change, angular_velocity_change;  ///< of the bodies
  std::vector<std::uint64_t> key;
  std::vector<Law> law;
  JointRowData<T> joints;

  std::size_t body_count() const { return position.size(); }
  std::size_t contact_count() const { return body_a.size(); }
  std::size_t row_count() const { return joints.rows.size(); }

  std::int32_t add(const Body& body) {
    bodies.inverse_mass.push_back(static_cast<T>(body.inverse_mass));
    for (std::size_t c = 0; c < 6; ++c) bodies.inverse_inertia[c].push_back(static_cast<T>(body.inverse_inertia[c]));
    push(bodies.velocity, body.velocity);
    push(bodies.angular_velocity, body.angular_velocity);
    position.push_back(body.position);
    return static_cast<std::int32_t>(position.size()) - 1;
  }

  /// The lever arms come from the positions of the bodies.
  std::size_t add(const Contact& contact) {
    const auto lever = [&](std::int32_t body) {
      return body < 0 ? Vector{} : contact.point - position[static_cast<std::size_t>(body)];
    };
    body_a.push_back(contact.a);
    body_b.push_back(contact.b);
    push(normal, contact.normal);
    push(r_a, lever(contact.a));
    push(r_b, lever(contact.b));
    friction.push_back(static_cast<T>(contact.friction));
    restitution.push_back(static_cast<T>(contact.restitution));
    tangential_restitution.push_back(static_cast<T>(contact.tangential_restitution));
    return body_a.size() - 1;
  }

  Scene<T> view() const {
    Scene<T> scene;
    scene.bodies = bodies.columns();
    scene.contacts.body_a = body_a;
    scene.contacts.body_b = body_b;
    scene.contacts.normal = columns(normal);
    scene.contacts.r_a = columns(r_a);
    scene.contacts.r_b = columns(r_b);
    scene.contacts.friction = friction;
    scene.contacts.restitution = restitution;
    scene.contacts.laws.tangential_restitution = tangential_restitution;
    scene.contacts.static_friction = optional(static_friction);
    scene.contacts.separation = optional(separation);
    scene.contacts.frequency = optional(frequency);
    scene.contacts.damping_ratio = optional(damping_ratio);
    scene.contacts.slop = optional(slop);
    scene.contacts.target_velocity = optional(target_velocity);
    scene.contacts.friction_2 = optional(friction_2);
    scene.contacts.rolling_friction = optional(rolling_friction);
    scene.contacts.spinning_friction = optional(spinning_friction);
    scene.contacts.normal_compliance = optional(normal_compliance);
    scene.contacts.tangential_compliance = optional(tangential_compliance);
    scene.contacts.stiffness = optional(stiffness);
    scene.contacts.damping = optional(damping);
    if (!friction_direction[0].empty()) scene.contacts.friction_direction = columns(friction_direction);
    if (!warm_angular_impulse[0].empty()) scene.contacts.warm_angular_impulse = columns(warm_angular_impulse);
    if (!surface_velocity[0].empty()) scene.contacts.surface_velocity = columns(surface_velocity);
    if (!warm_impulse[0].empty()) scene.contacts.warm_impulse = columns(warm_impulse);
    if (!velocity_change[0].empty()) {
      scene.bodies.velocity_change = columns(velocity_change);
      scene.bodies.angular_velocity_change = columns(angular_velocity_change);
    }
    scene.contacts.key = optional(key);
    scene.contacts.laws.law = optional(law);
    if (!joints.rows.empty()) scene.joints = joints.view();
    // Warm impulses take precedence over keys.
    const auto is_warm = [](const auto& row) { return row.warm_impulse != 0; };
    if (std::none_of(joints.rows.begin(), joints.rows.end(), is_warm)) scene.joints.warm_impulse = {};
    return scene;
  }

  /// The columns that the method reads.
  Scene<T> view(const SceneOptions& options) const { return selected(view(), options); }

  Vector velocity(std::size_t body) const { return at(bodies.velocity, body); }
  Vector angular_velocity(std::size_t body) const { return at(bodies.angular_velocity, body); }
  /// The tangential part of a contact's separation velocity at the start.
  Vector slip(std::size_t contact) const {
    const auto point = [&](std::int32_t body, const Vectors3<T>& lever) {
      if (body < 0) return Vector{};
      const auto b = static_cast<std::size_t>(body);
      return velocity(b) + cross(angular_velocity(b), at(lever, contact));
    };
    const Vector n = at(normal, contact), u = point(body_a[contact], r_a) - point(body_b[contact], r_b);
    return u - dot(u, n) * n;
  }

 private:
  template <class U>
  static Column<const U> optional(const std::vector<U>& column) {
    if (column.empty()) return {};
    return column;
  }
  static Vector3Columns<const T> columns(const Vectors3<T>& v) { return {v[0], v[1], v[2]}; }
};

/// Places for all results of a scene.
template <class T>
struct SceneArrays {
  explicit SceneArrays(const SceneData<T>& scene)
      : velocity(scene.bodies.velocity),
        angular_velocity(scene.bodies.angular_velocity),
        displacement(vectors<T>(scene.body_count())),
        rotation(vectors<T>(scene.body_count())),
        warm_impulse(vectors<T>(scene.contact_count())),
        angular_impulse(vectors<T>(scene.contact_count())),
        warm_angular_impulse(vectors<T>(scene.contact_count())),
        impulse(vectors<T>(scene.contact_count())),
        separation_velocity(vectors<T>(scene.contact_count())),
        status(scene.contact_count()),
        path(scene.contact_count()),
        joint_impulse(scene.row_count()),
        joint_warm_impulse(scene.row_count()),
        joint_status(scene.row_count()),
        island(scene.contact_count()),
        joint_island(scene.row_count()),
        island_status(scene.body_count()),
        island_residual(scene.body_count()),
        island_energy_removed(scene.body_count()),
        island_iterations(scene.body_count()),
        island_substeps(scene.body_count()),
        island_error(scene.body_count()),
        island_algorithm(scene.body_count()),
        has_moments(!scene.rolling_friction.empty() || !scene.spinning_friction.empty()) {}

  SceneResults<T> view() {
    SceneResults<T> results;
    const auto columns = [](Vectors3<T>& v) { return Vector3Columns<T>{v[0], v[1], v[2]}; };
    results.velocity = columns(velocity);
    results.angular_velocity = columns(angular_velocity);
    results.displacement = columns(displacement);
    results.rotation = columns(rotation);
    results.warm_impulse = columns(warm_impulse);
    if (has_moments) {
      results.angular_impulse = columns(angular_impulse);
      results.warm_angular_impulse = columns(warm_angular_impulse);
    }
    results.impulse = columns(impulse);
    results.separation_velocity = columns(separation_velocity);
    results.status = status;
    results.path = path;
    results.island = island;
    results.islands = {island_status,         island_residual, island_iterations, island_substeps,
                       island_energy_removed, island_error,    island_algorithm};
    if (!joint_impulse.empty()) {
      results.joint_island = joint_island;
      results.joint_impulse = joint_impulse;
      results.joint_warm_impulse = joint_warm_impulse;
      results.joint_status = joint_status;
    }
    return results;
  }

  Vectors3<T> velocity, angular_velocity, displacement, rotation, warm_impulse, angular_impulse, warm_angular_impulse,
      impulse, separation_velocity;
  std::vector<Status> status;
  std::vector<Path> path;
  std::vector<T> joint_impulse, joint_warm_impulse;
  std::vector<Status> joint_status;
  std::vector<std::int32_t> island, joint_island;
  std::vector<IslandStatus> island_status;
  std::vector<T> island_residual, island_energy_removed;
  std::vector<std::int32_t> island_iterations, island_substeps;
  std::vector<T> island_error;
  std::vector<IslandAlgorithm> island_algorithm;
  bool has_moments;
};

/// Adds the bodies, contacts and rows of `other`, which is another scene with the same optional columns.
template <class T>
void append(SceneData<T>& scene, const SceneData<T>& other) {
  const auto first = static_cast<std::int32_t>(scene.body_count());
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  const auto add3 = [&](auto& to, const auto& from) {
    for (std::size_t c = 0; c < from.size(); ++c) add(to[c], from[c]);
  };
  const auto shifted = [first](std::int32_t body) { return body < 0 ? body : body + first; };
  add(scene.bodies.inverse_mass, other.bodies.inverse_mass);
  add3(scene.bodies.inverse_inertia, other.bodies.inverse_inertia);
  add3(scene.bodies.velocity, other.bodies.velocity);
  add3(scene.bodies.angular_velocity, other.bodies.angular_velocity);
  add(scene.position, other.position);
  for (const std::int32_t body : other.body_a) scene.body_a.push_back(shifted(body));
  for (const std::int32_t body : other.body_b) scene.body_b.push_back(shifted(body));
  add3(scene.normal, other.normal);
  add3(scene.r_a, other.r_a);
  add3(scene.r_b, other.r_b);
  add(scene.friction, other.friction);
  add(scene.restitution, other.restitution);
  add(scene.tangential_restitution, other.tangential_restitution);
  add(scene.static_friction, other.static_friction);
  add(scene.separation, other.separation);
  add(scene.frequency, other.frequency);
  add(scene.damping_ratio, other.damping_ratio);
  add(scene.slop, other.slop);
  add(scene.target_velocity, other.target_velocity);
  add3(scene.surface_velocity, other.surface_velocity);
  add3(scene.warm_impulse, other.warm_impulse);
  add(scene.friction_2, other.friction_2);
  add(scene.rolling_friction, other.rolling_friction);
  add(scene.spinning_friction, other.spinning_friction);
  add(scene.normal_compliance, other.normal_compliance);
  add(scene.tangential_compliance, other.tangential_compliance);
  add(scene.stiffness, other.stiffness);
  add(scene.damping, other.damping);
  add3(scene.friction_direction, other.friction_direction);
  add3(scene.warm_angular_impulse, other.warm_angular_impulse);
  add3(scene.velocity_change, other.velocity_change);
  add3(scene.angular_velocity_change, other.angular_velocity_change);
  add(scene.key, other.key);
  add(scene.law, other.law);
  for (typename JointRowData<T>::Row row : other.joints.rows) {
    row.body_a = shifted(row.body_a);
    row.body_b = shifted(row.body_b);
    scene.joints.rows.push_back(row);
  }
}

/// The same values in double, for the reference.
template <class T>
SceneData<double> widened(const SceneData<T>& scene) {
  SceneData<double> wide;
  const auto widen = [](const std::vector<T>& column) { return std::vector<double>(column.begin(), column.end()); };
  const auto widen3 = [&](const Vectors3<T>& v) { return Vectors3<double>{widen(v[0]), widen(v[1]), widen(v[2])}; };
  wide.bodies.inverse_mass = widen(scene.bodies.inverse_mass);
  for (std::size_t c = 0; c < 6; ++c) wide.bodies.inverse_inertia[c] = widen(scene.bodies.inverse_inertia[c]);
  wide.bodies.velocity = widen3(scene.bodies.velocity);
  wide.bodies.angular_velocity = widen3(scene.bodies.angular_velocity);
  wide.position = scene.position;
  wide.body_a = scene.body_a;
  wide.body_b = scene.body_b;
  wide.normal = widen3(scene.normal);
  wide.r_a = widen3(scene.r_a);
  wide.r_b = widen3(scene.r_b);
  wide.friction = widen(scene.friction);
  wide.restitution = widen(scene.restitution);
  wide.tangential_restitution = widen(scene.tangential_restitution);
  wide.static_friction = widen(scene.static_friction);
  wide.separation = widen(scene.separation);
  wide.frequency = widen(scene.frequency);
  wide.damping_ratio = widen(scene.damping_ratio);
  wide.slop = widen(scene.slop);
  wide.target_velocity = widen(scene.target_velocity);
  wide.surface_velocity = widen3(scene.surface_velocity);
  wide.warm_impulse = widen3(scene.warm_impulse);
  wide.friction_2 = widen(scene.friction_2);
  wide.rolling_friction = widen(scene.rolling_friction);
  wide.spinning_friction = widen(scene.spinning_friction);
  wide.normal_compliance = widen(scene.normal_compliance);
  wide.tangential_compliance = widen(scene.tangential_compliance);
  wide.stiffness = widen(scene.stiffness);
  wide.damping = widen(scene.damping);
  wide.friction_direction = widen3(scene.friction_direction);
  wide.warm_angular_impulse = widen3(scene.warm_angular_impulse);
  wide.velocity_change = widen3(scene.velocity_change);
  wide.angular_velocity_change = widen3(scene.angular_velocity_change);
  wide.key = scene.key;
  wide.law = scene.law;
  for (const auto& row : scene.joints.rows) {
    JointRowData<double>::Row to;
    to.body_a = row.body_a;
    to.body_b = row.body_b;
    for (std::size_t c = 0; c < 3; ++c) {
      to.linear_a[c] = static_cast<double>(row.linear_a[c]);
      to.angular_a[c] = static_cast<double>(row.angular_a[c]);
      to.linear_b[c] = static_cast<double>(row.linear_b[c]);
      to.r_a[c] = static_cast<double>(row.r_a[c]);
      to.r_b[c] = static_cast<double>(row.r_b[c]);
      to.angular_b[c] = static_cast<double>(row.angular_b[c]);
    }
    to.target_velocity = static_cast<double>(row.target_velocity);
    to.min_impulse = static_cast<double>(row.min_impulse);
    to.max_impulse = static_cast<double>(row.max_impulse);
    to.compliance = static_cast<double>(row.compliance);
    to.warm_impulse = static_cast<double>(row.warm_impulse);
    to.key = row.key;
    to.position_error = static_cast<double>(row.position_error);
    to.frequency = static_cast<double>(row.frequency);
    to.damping_ratio = static_cast<double>(row.damping_ratio);
    wide.joints.rows.push_back(to);
  }
  return wide;
}

}  // namespace carom::scenes
