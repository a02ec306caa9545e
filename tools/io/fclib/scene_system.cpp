#include "scene_system.hpp"

#include <algorithm>
#include <array>
#include <carom/status.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "core/scene/contact_models.hpp"
#include "fclib.hpp"
#include "scene/rows/read.hpp"

namespace carom::io {
namespace {

using Vector = scene::Vector<double>;
using scene::body_of;
using scene::contact_rows;
using scene::coupling;
using scene::dot;
using scene::Row;
using scene::surface_along;
using scene::Twist;
using scene::vector_at;
using scene::velocity_at;

std::array<Vector, 3> inverse_inertia_of(const SceneBodies<double>& bodies, std::size_t b) {
  const auto& [xx, xy, xz, yy, yz, zz] = body_of(bodies, static_cast<std::int32_t>(b)).inverse_inertia;
  return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

Twist velocity_of(const SceneBodies<double>& bodies, std::int32_t body) {
  return velocity_at(bodies.velocity, bodies.angular_velocity, static_cast<std::size_t>(body));
}

/// The least normal velocity after the step of a contact that has `normal` before it, without forces of the step
/// (docs/scenes.md, PGS).
double target(double normal, double wanted, double restitution, double threshold) {
  const bool rebounds = restitution > 0 && -normal >= threshold;
  const double rebound = rebounds ? -restitution * normal : 0;
  if (wanted > normal) return rebound > 0 ? std::max(wanted, rebound) : wanted;
  if (wanted > 0 || normal <= threshold) return wanted;
  return std::min(wanted, -restitution * normal);
}

std::vector<std::size_t> sound_contacts(const Scene<double>& scene, SceneOptions options) {
  const std::size_t contacts = scene.contacts.friction.count;
  // Finds the contacts that the solver rejects. One iteration is enough, and no W is built.
  options.method = Ncp{.max_island_size = 1, .pgs_iterations = 1};
  std::vector<Status> status(contacts);
  SceneResults<double> results;
  results.status = {status.data(), contacts};
  SceneSolver({.threads = 1}).solve(scene, results, options);
  std::vector<std::size_t> sound;
  for (std::size_t i = 0; i < contacts; ++i)
    if (!is_fault(status[i])) sound.push_back(i);
  return sound;
}

/// A contact with u = Σ of · velocity, of both bodies, + w.
struct Constraint {
  std::size_t contact;
  std::array<Row, 3> row;
  Vector w, before;  ///< `before`: the sum for the velocities before the step
  double friction;
};

std::vector<Constraint> constraints_of(const Scene<double>& scene, SceneOptions options) {
  if (scene.joints.body_a) throw Error("carom: a scene with joints is not written as a contact system");
  if (scene::has_contact_models(scene.contacts))
    throw Error(
        "carom: a scene whose contacts have models is not written as a contact system: FCLIB has no place for them");
  if (scene.bodies.velocity_change.x || options.gravity != std::array<double, 3>{})
    throw Error("carom: a scene with forces is not written as a contact system");
  const double max_friction = options.use<Ncp>().max_friction;
  const SceneContacts<double>& contacts = scene.contacts;
  std::vector<Constraint> constraints;
  for (const std::size_t i : sound_contacts(scene, options)) {
    const scene::ContactFrame frame = scene::frame_along(vector_at(contacts.normal, i));
    Constraint& own =
        constraints.emplace_back(Constraint{i,
                                            contact_rows(contacts, i, frame, body_of(scene.bodies, contacts.body_a[i]),
                                                         body_of(scene.bodies, contacts.body_b[i])),
                                            {},
                                            {},
                                            std::min(contacts.friction[i], max_friction)});
    for (std::size_t s = 0; s < 2; ++s)
      if (const std::int32_t body = own.row[0].body[s]; body >= 0)
        for (std::size_t d = 0; d < 3; ++d)
          own.before[d] += dot(own.row[d].side[s].of, velocity_of(scene.bodies, body));
    own.w[2] = -target(own.before[2], contacts.target_velocity ? contacts.target_velocity[i] : 0,
                       contacts.restitution[i], options.restitution_threshold);
    const auto surface = surface_along(contacts, i, frame);
    for (std::size_t d = 0; d < 2; ++d) own.w[d] -= surface[d];
  }
  return constraints;
}

/// The body of a side if the contact moves it, else -1.
std::int32_t moved_body(const Constraint& constraint, std::size_t side) {
  double moved = 0;
  for (const Row& row : constraint.row) moved += dot(row.side[side].of, row.side[side].response);
  return moved > 0 ? constraint.row[0].body[side] : -1;
}

/// The velocities of a body in a global system.
struct Motion {
  std::int32_t linear = -1, angular = -1;  ///< index of the first of each; -1: does not move so
  bool about_all_axes = false;
  std::vector<Vector> axis;  ///< the sum of their outer products is the inverse inertia
};

/// Pivoted Cholesky factors of the inverse inertia. Pivots within rounding are dropped.
void find_axes(const SceneBodies<double>& bodies, std::size_t b, Motion& motion) {
  std::array<Vector, 3> rest = inverse_inertia_of(bodies, b);
  const double trace = rest[0][0] + rest[1][1] + rest[2][2];
  double pivot = 0;
  for (int turn = 0; turn < 3; ++turn) {
    std::size_t p = 0;
    for (std::size_t i = 1; i < 3; ++i)
      if (rest[i][i] > rest[p][p]) p = i;
    pivot = rest[p][p];
    if (!(pivot > 8 * std::numeric_limits<double>::epsilon() * trace)) return;
    const double root = std::sqrt(pivot);
    const Vector axis = {rest[p][0] / root, rest[p][1] / root, rest[p][2] / root};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) rest[i][j] -= axis[i] * axis[j];
    motion.axis.push_back(axis);
  }
  // The inertia can be computed without losing more than half of the digits.
  motion.about_all_axes = pivot > 0x1p-26 * trace;
}

/// Adds a body to M and f. `linear` and `angular` index its momentum before the step in f.
void add_body(const SceneBodies<double>& bodies, std::int32_t body, Motion& motion, GlobalSystem& system) {
  const auto b = static_cast<std::size_t>(body);
  const Twist velocity = velocity_of(bodies, body);
  const auto add = [&](std::size_t row, std::size_t column, double value) {
    if (value != 0)
      system.mass.entries.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), value});
  };
  if (bodies.inverse_mass[b] > 0) {
    const double mass = 1 / bodies.inverse_mass[b];
    motion.linear = static_cast<std::int32_t>(system.momentum.size());
    for (std::size_t c = 0; c < 3; ++c) {
      add(system.momentum.size(), system.momentum.size(), mass);
      system.momentum.push_back(mass * velocity[c]);
    }
  }
  find_axes(bodies, b, motion);
  if (motion.axis.empty()) return;
  const std::size_t first = system.momentum.size();
  motion.angular = static_cast<std::int32_t>(first);
  // Cofactors of numbers near 1 stay within the range of double.
  std::array<Vector, 3> j = inverse_inertia_of(bodies, b);
  const double trace = j[0][0] + j[1][1] + j[2][2];
  for (Vector& row : j)
    for (double& x : row) x /= trace;
  const double whole = trace * scene::dot(j[0], scene::cross(j[1], j[2]));
  for (std::size_t c = 0; c < motion.axis.size(); ++c) {
    if (!motion.about_all_axes) {
      add(first + c, first + c, 1);
      system.momentum.push_back(0);
      continue;
    }
    const Vector row = scene::cross(j[(c + 1) % 3], j[(c + 2) % 3]);
    for (std::size_t d = 0; d < 3; ++d) add(first + c, first + d, row[d] / whole);
    system.momentum.push_back(scene::dot(row, {velocity[3], velocity[4], velocity[5]}) / whole);
  }
}

/// Adds one side of a contact to H and w. Velocities that are not in the system do not change and go to w.
void add_side(const SceneBodies<double>& bodies, const Constraint& constraint, std::size_t side, const Motion& motion,
              std::size_t contact, GlobalSystem& system) {
  const Twist velocity = velocity_of(bodies, constraint.row[0].body[side]);
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t column = 3 * contact + d;
    const Twist& of = constraint.row[d].side[side].of;
    const Vector turn = {of[3], of[4], of[5]};
    const auto add = [&](std::int32_t first, std::size_t c, double value) {
      if (value != 0)
        system.directions.entries.push_back(
            {first + static_cast<std::int32_t>(c), static_cast<std::int32_t>(column), value});
    };
    for (std::size_t c = 0; c < 3; ++c) {
      if (motion.linear >= 0)
        add(motion.linear, c, of[c]);
      else
        system.velocity[column] += of[c] * velocity[c];
      if (motion.about_all_axes)
        add(motion.angular, c, turn[c]);
      else
        system.velocity[column] += turn[c] * velocity[3 + c];
    }
    if (!motion.about_all_axes)
      for (std::size_t c = 0; c < motion.axis.size(); ++c) add(motion.angular, c, scene::dot(turn, motion.axis[c]));
  }
}

}  // namespace

SceneSystem system_of(const Scene<double>& scene, SceneOptions options) {
  const std::vector<Constraint> constraints = constraints_of(scene, options);
  SceneSystem system;
  std::map<std::int32_t, std::vector<std::int32_t>> of_body;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const Constraint& constraint = constraints[k];
    system.contact.push_back(constraint.contact);
    for (std::size_t s = 0; s < 2; ++s)
      if (const std::int32_t body = moved_body(constraint, s); body >= 0)
        of_body[body].push_back(static_cast<std::int32_t>(k));
    for (std::size_t d = 0; d < 3; ++d) system.velocity.push_back(constraint.before[d] + constraint.w[d]);
    system.friction.push_back(constraint.friction);
  }
  double blocks = 0;
  for (const auto& [body, numbers] : of_body)
    blocks += static_cast<double>(numbers.size()) * static_cast<double>(numbers.size());
  if (blocks > static_cast<double>(max_fclib_blocks))
    throw Error("carom: the contact system of this scene may have " + std::to_string(std::llround(blocks)) +
                " blocks of W, and FCLIB counts up to " + std::to_string(max_fclib_blocks) +
                ": too many contacts are on one body; a global system has no W");
  system.row_start.assign(1, 0);
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    std::vector<std::int32_t> columns = {static_cast<std::int32_t>(k)};
    for (const std::int32_t body : constraints[k].row[0].body)
      if (const auto found = of_body.find(body); found != of_body.end())
        columns.insert(columns.end(), found->second.begin(), found->second.end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const std::int32_t j : columns) {
      SystemBlock<double> block{};
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d)
          block[3 * c + d] = coupling(constraints[k].row[c], constraints[static_cast<std::size_t>(j)].row[d]);
      system.column.push_back(j);
      system.block.push_back(block);
    }
    system.row_start.push_back(static_cast<std::int64_t>(system.column.size()));
  }
  return system;
}

SceneGlobalSystem global_system_of(const Scene<double>& scene, SceneOptions options) {
  const std::vector<Constraint> constraints = constraints_of(scene, options);
  SceneGlobalSystem system;
  std::map<std::int32_t, Motion> motions;
  for (const Constraint& constraint : constraints)
    for (std::size_t s = 0; s < 2; ++s)
      if (const std::int32_t body = moved_body(constraint, s); body >= 0) motions[body];
  for (auto& [body, motion] : motions) add_body(scene.bodies, body, motion, system);
  system.bodies = motions.size();
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const Constraint& constraint = constraints[k];
    system.contact.push_back(constraint.contact);
    system.friction.push_back(constraint.friction);
    system.velocity.insert(system.velocity.end(), constraint.w.begin(), constraint.w.end());
    for (std::size_t s = 0; s < 2; ++s) {
      if (constraint.row[0].body[s] < 0) continue;
      const auto motion = motions.find(constraint.row[0].body[s]);
      add_side(scene.bodies, constraint, s, motion != motions.end() ? motion->second : Motion{}, k, system);
    }
  }
  const auto rows = static_cast<std::int64_t>(system.momentum.size());
  system.mass.rows = system.mass.columns = system.directions.rows = rows;
  system.directions.columns = static_cast<std::int64_t>(system.velocity.size());
  system.mass.put_in_order();
  system.directions.put_in_order();
  return system;
}

}  // namespace carom::io
