#include "io/scene_system.hpp"

#include <algorithm>
#include <array>
#include <carom/status.hpp>
#include <map>

#include "scene/contact_models.hpp"
#include "scene/vector3.hpp"

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

/// Three directions, two tangents and the normal, on a body, and the change of velocity that a unit impulse makes.
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
  const SymmetricColumns<const double>& inertia = bodies.inverse_inertia;
  const Vector row[3] = {{inertia.xx[b], inertia.xy[b], inertia.xz[b]},
                         {inertia.xy[b], inertia.yy[b], inertia.yz[b]},
                         {inertia.xz[b], inertia.yz[b], inertia.zz[b]}};
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
/// (docs/scenes.md, simultaneous).
double target(double normal, double wanted, double restitution, double threshold) {
  const bool rebounds = restitution > 0 && -normal >= threshold;
  const double rebound = rebounds ? -restitution * normal : 0;
  if (wanted > normal) return rebound > 0 ? std::max(wanted, rebound) : wanted;
  if (wanted > 0 || normal <= threshold) return wanted;
  return std::min(wanted, -restitution * normal);
}

std::vector<std::size_t> sound_contacts(const Scene<double>& scene, SceneOptions& options) {
  const std::size_t contacts = scene.contacts.friction.count;
  // The solver is asked for nothing but what it refuses.
  options.method = SceneMethod::coulomb;
  options.coulomb.tolerance = 1;
  options.coulomb.budget = 1;
  std::vector<Status> status(contacts);
  SceneResults<double> results;
  results.status = {status.data(), contacts};
  SceneSolver({.threads = 1}).solve(scene, results, options);
  std::vector<std::size_t> sound;
  for (std::size_t i = 0; i < contacts; ++i)
    if (!is_fault(status[i])) sound.push_back(i);
  return sound;
}

}  // namespace

SceneSystem system_of(const Scene<double>& scene, SceneOptions options) {
  if (scene.joints.body_a) throw Error("carom: a scene with joints is not written as a contact system");
  if (scene::has_contact_models(scene.contacts))
    throw Error(
        "carom: a scene whose contacts have models is not written as a contact system: FCLIB has no place for them");
  const SceneContacts<double>& contacts = scene.contacts;
  SceneSystem system;
  system.contact = sound_contacts(scene, options);
  std::vector<std::array<Side, 2>> sides;
  std::map<std::int32_t, std::vector<std::int32_t>> of_body;
  for (std::size_t k = 0; k < system.contact.size(); ++k) {
    const std::size_t i = system.contact[k];
    const Vector n = scene::unit(element(contacts.normal, i)).value_or(Vector{0, 0, 1});
    const auto [t1, t2] = scene::tangents(n);
    const std::array<Vector, 3> frame = {t1, t2, n};
    const std::array<Side, 2>& both = sides.emplace_back(
        std::array{side_of(scene.bodies, contacts.body_a[i], frame, element(contacts.lever_a, i), 1),
                   side_of(scene.bodies, contacts.body_b[i], frame, element(contacts.lever_b, i), -1)});
    double q[3] = {};
    for (const Side& side : both) {
      if (side.body < 0) continue;
      const auto b = static_cast<std::size_t>(side.body);
      const Vector v = element(scene.bodies.velocity, b), w = element(scene.bodies.angular_velocity, b);
      for (std::size_t d = 0; d < 3; ++d) q[d] += dot(side.of[d], {v[0], v[1], v[2], w[0], w[1], w[2]});
      double moved = 0;
      for (std::size_t d = 0; d < 3; ++d) moved += dot(side.of[d], side.response[d]);
      if (moved > 0) of_body[side.body].push_back(static_cast<std::int32_t>(k));
    }
    q[2] -= target(q[2], contacts.target_velocity ? contacts.target_velocity[i] : 0, contacts.restitution[i],
                   options.restitution_threshold);
    if (contacts.surface_velocity.x)
      for (std::size_t d = 0; d < 2; ++d) q[d] -= scene::dot(frame[d], element(contacts.surface_velocity, i));
    system.velocity.insert(system.velocity.end(), q, q + 3);
    system.friction.push_back(std::min(contacts.friction[i], options.coulomb.most_friction));
  }
  system.row_start.assign(1, 0);
  for (std::size_t k = 0; k < sides.size(); ++k) {
    std::vector<std::int32_t> columns = {static_cast<std::int32_t>(k)};
    for (const Side& side : sides[k])
      if (const auto found = of_body.find(side.body); found != of_body.end())
        columns.insert(columns.end(), found->second.begin(), found->second.end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const std::int32_t j : columns) {
      SystemBlock<double> block{};
      for (const Side& a : sides[k])
        for (const Side& b : sides[static_cast<std::size_t>(j)])
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

}  // namespace carom::io
