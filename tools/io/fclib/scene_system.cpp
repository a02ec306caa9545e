#include "scene_system.hpp"

#include <algorithm>
#include <array>
#include <carom/status.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "core/scene/contact_models.hpp"
#include "core/support/vector3.hpp"
#include "fclib.hpp"

namespace carom::io {
namespace {

using Vector = scene::Vector<double>;
using Twist = std::array<double, 6>;

double dot(const Twist& a, const Twist& b) {
  double sum = 0;
  for (std::size_t c = 0; c < 6; ++c) sum += a[c] * b[c];
  return sum;
}

Vector element(const Vector3Columns<const double>& columns, std::size_t i) {
  return {columns.x[i], columns.y[i], columns.z[i]};
}

std::array<Vector, 3> inverse_inertia_of(const SceneBodies<double>& bodies, std::size_t b) {
  const SymmetricColumns<const double>& inertia = bodies.inverse_inertia;
  return {{{inertia.xx[b], inertia.xy[b], inertia.xz[b]},
           {inertia.xy[b], inertia.yy[b], inertia.yz[b]},
           {inertia.xz[b], inertia.yz[b], inertia.zz[b]}}};
}

Twist velocity_of(const SceneBodies<double>& bodies, std::int32_t body) {
  const auto b = static_cast<std::size_t>(body);
  const Vector v = element(bodies.velocity, b), w = element(bodies.angular_velocity, b);
  return {v[0], v[1], v[2], w[0], w[1], w[2]};
}

/// Three directions (two tangents and the normal) on a body, and the velocity changes per unit impulse.
struct Side {
  std::int32_t body = -1;
  std::array<Twist, 3> of{}, response{};
};

Side side_of(const SceneBodies<double>& bodies, std::int32_t body, const std::array<Vector, 3>& frame,
             const Vector& arm, double sign) {
  Side side;
  if (body < 0) return side;
  const auto b = static_cast<std::size_t>(body);
  side.body = body;
  const std::array<Vector, 3> row = inverse_inertia_of(bodies, b);
  for (std::size_t d = 0; d < 3; ++d) {
    const Vector along = {sign * frame[d][0], sign * frame[d][1], sign * frame[d][2]}, turn = scene::cross(arm, along);
    for (std::size_t c = 0; c < 3; ++c) {
      side.of[d][c] = along[c];
      side.of[d][3 + c] = turn[c];
      side.response[d][c] = bodies.inverse_mass[b] * along[c];
      side.response[d][3 + c] = scene::dot(row[c], turn);
    }
  }
  return side;
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
  std::array<Side, 2> side;
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
    const Vector n = scene::unit(element(contacts.normal, i)).value_or(Vector{0, 0, 1});
    const auto [t1, t2] = scene::tangents(n);
    const std::array<Vector, 3> frame = {t1, t2, n};
    Constraint& own = constraints.emplace_back(
        Constraint{i,
                   {side_of(scene.bodies, contacts.body_a[i], frame, element(contacts.r_a, i), 1),
                    side_of(scene.bodies, contacts.body_b[i], frame, element(contacts.r_b, i), -1)},
                   {},
                   {},
                   std::min(contacts.friction[i], max_friction)});
    for (const Side& side : own.side)
      if (side.body >= 0)
        for (std::size_t d = 0; d < 3; ++d) own.before[d] += dot(side.of[d], velocity_of(scene.bodies, side.body));
    own.w[2] = -target(own.before[2], contacts.target_velocity ? contacts.target_velocity[i] : 0,
                       contacts.restitution[i], options.restitution_threshold);
    if (contacts.surface_velocity.x)
      for (std::size_t d = 0; d < 2; ++d) own.w[d] -= scene::dot(frame[d], element(contacts.surface_velocity, i));
  }
  return constraints;
}

bool moves(const Side& side) {
  double moved = 0;
  for (std::size_t d = 0; d < 3; ++d) moved += dot(side.of[d], side.response[d]);
  return moved > 0;
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
void add_side(const SceneBodies<double>& bodies, const Side& side, const Motion& motion, std::size_t contact,
              GlobalSystem& system) {
  const Twist velocity = velocity_of(bodies, side.body);
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t column = 3 * contact + d;
    const Vector turn = {side.of[d][3], side.of[d][4], side.of[d][5]};
    const auto add = [&](std::int32_t first, std::size_t c, double value) {
      if (value != 0)
        system.directions.entries.push_back(
            {first + static_cast<std::int32_t>(c), static_cast<std::int32_t>(column), value});
    };
    for (std::size_t c = 0; c < 3; ++c) {
      if (motion.linear >= 0)
        add(motion.linear, c, side.of[d][c]);
      else
        system.velocity[column] += side.of[d][c] * velocity[c];
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
    for (const Side& side : constraint.side)
      if (moves(side)) of_body[side.body].push_back(static_cast<std::int32_t>(k));
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
    for (const Side& side : constraints[k].side)
      if (const auto found = of_body.find(side.body); found != of_body.end())
        columns.insert(columns.end(), found->second.begin(), found->second.end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const std::int32_t j : columns) {
      SystemBlock<double> block{};
      for (const Side& a : constraints[k].side)
        for (const Side& b : constraints[static_cast<std::size_t>(j)].side)
          if (a.body >= 0 && a.body == b.body)
            for (std::size_t c = 0; c < 3; ++c)
              for (std::size_t d = 0; d < 3; ++d) block[3 * c + d] += dot(a.of[c], b.response[d]);
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
    for (const Side& side : constraint.side)
      if (moves(side)) motions[side.body];
  for (auto& [body, motion] : motions) add_body(scene.bodies, body, motion, system);
  system.bodies = motions.size();
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const Constraint& constraint = constraints[k];
    system.contact.push_back(constraint.contact);
    system.friction.push_back(constraint.friction);
    system.velocity.insert(system.velocity.end(), constraint.w.begin(), constraint.w.end());
    for (const Side& side : constraint.side) {
      if (side.body < 0) continue;
      const auto motion = motions.find(side.body);
      add_side(scene.bodies, side, motion != motions.end() ? motion->second : Motion{}, k, system);
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
