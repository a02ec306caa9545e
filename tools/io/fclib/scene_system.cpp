#include "scene_system.hpp"

#include <algorithm>
#include <array>
#include <carom/status.hpp>
#include <cmath>
#include <map>
#include <string>

#include "core/scene/contact_models.hpp"
#include "fclib.hpp"
#include "scene/rows/read.hpp"

namespace carom::io {
namespace {

using scene::body_of;
using scene::contact_rows;
using scene::coupling;
using scene::Row;
using scene::surface_along;
using scene::Twist;
using scene::velocity_at;

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

struct Constraint {
  std::size_t contact;
  std::array<Row, 3> row;
  Vector3<double> q;  ///< [m/s] relative velocity before the step minus the target
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
                                            std::min(contacts.friction[i], max_friction)});
    for (std::size_t s = 0; s < 2; ++s)
      if (const std::int32_t body = own.row[0].body[s]; body >= 0)
        for (std::size_t d = 0; d < 3; ++d) own.q[d] += dot(own.row[d].side[s].of, velocity_of(scene.bodies, body));
    own.q[2] -= target(own.q[2], contacts.target_velocity ? contacts.target_velocity[i] : 0, contacts.restitution[i],
                       options.restitution_threshold);
    const auto surface = surface_along(contacts, i, frame);
    for (std::size_t d = 0; d < 2; ++d) own.q[d] -= surface[d];
  }
  return constraints;
}

/// The body of a side if the contact moves it, else -1.
std::int32_t moved_body(const Constraint& constraint, std::size_t side) {
  double moved = 0;
  for (const Row& row : constraint.row) moved += dot(row.side[side].of, row.side[side].response);
  return moved > 0 ? constraint.row[0].body[side] : -1;
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
    system.velocity.insert(system.velocity.end(), constraint.q.begin(), constraint.q.end());
    system.friction.push_back(constraint.friction);
  }
  double blocks = 0;
  for (const auto& [body, numbers] : of_body)
    blocks += static_cast<double>(numbers.size()) * static_cast<double>(numbers.size());
  if (blocks > static_cast<double>(max_fclib_blocks))
    throw Error("carom: the contact system of this scene may have " + std::to_string(std::llround(blocks)) +
                " blocks of W, and FCLIB counts up to " + std::to_string(max_fclib_blocks) +
                ": too many contacts are on one body");
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

}  // namespace carom::io
