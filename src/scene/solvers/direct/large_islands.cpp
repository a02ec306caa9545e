// The calls of large islands, and their way to rest. docs/scenes.md, Large islands.
//
// A factorisation of a large island takes as long as its sweeps, an interior point many times as long. Such an island
// is swept while it moves. While it is calm, a certificate of rest is sought in slices after the sweeps. Its impulses
// let the linear solve accept the island.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/jobs/body_record.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "direct_islands.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// [multiply-adds] The plan of a factorisation with less work takes little time, compared with the sweeps.
constexpr double small_plan = 1e7;
/// Larger islands are dissected.
constexpr std::size_t dissected = 1000;
constexpr int max_passes = 64;
/// [1] Max. change of velocities by forces, as a multiple of gravity × time step, of an island that is held.
constexpr double max_forces = 2;
/// [1] Refused solutions of a calm island before it begins a certificate although its factorisation is cheap.
constexpr int max_refused = 30;
/// [1] Max. speed of a body in a certificate, as a fraction of gravity × time step, for its island to be stopped; and
/// of an island that has rested on one, for it to be held.
constexpr double moving = 6e-3;

}  // namespace

/// True for an island of many contacts and no joints.
template <class T>
bool DirectIslands<T>::has_size_of_large(const Candidate& candidate) const {
  return job_.scene->contacts.key && candidate.first_group == candidate.end_group && candidate.substeps == 1 &&
         candidate.end - candidate.first + 1 >= static_cast<std::size_t>(Thresholds::large_bodies);
}

/// True if the bodies, surfaces and targets of manifolds do not drive each other.
template <class T>
bool DirectIslands<T>::drive_nothing(std::uint32_t first, std::uint32_t end) const {
  const SceneContacts<T>& contacts = job_.scene->contacts;
  for (std::uint32_t k = first; k < end; ++k) {
    const Constraint& m = manifold(k);
    for (const std::int32_t body : {m.body_a, m.body_b}) {
      if (body < 0 || moves(body)) continue;
      for (std::size_t c = 0; c < 6; ++c)
        if (job_.velocities[body].numbers[c] != T(0)) return false;
    }
    if (!contacts.target_velocity && !contacts.surface_velocity.x) continue;
    for (std::uint32_t c = 0; c < m.count; ++c) {
      const std::uint32_t i = contact_at(m, c);
      if (contacts.target_velocity && contacts.target_velocity[i] != T(0)) return false;
      if (contacts.surface_velocity.x && vector_at(contacts.surface_velocity, i) != Vector3{}) return false;
    }
  }
  return true;
}

/// The motion of the bodies of an island before the forces of the call.
template <class T>
typename DirectIslands<T>::Motion DirectIslands<T>::motion_of() const {
  Motion made;
  double energy = 0, mass = 0;
  const auto change_of = [&](std::uint32_t i, std::size_t first) {
    return job_.changes != nullptr ? vector_of<double>(job_.changes[i].numbers + first) : Vector3{};
  };
  const Vector3 gravity = change_of(memory_.bodies.front(), 0);
  made.change = gravity;
  made.forces = length(gravity);
  for (const std::uint32_t i : memory_.bodies) {
    const T* const record = kernel::record_of(job_.body_rows, static_cast<std::ptrdiff_t>(i));
    const T* const j = record + kernel::BodyRecord::inverse_inertia;
    const T* const v = job_.velocities[i].numbers;
    const Vector3 change = change_of(i, 0), turn = change_of(i, 3);
    const Vector3 speed = vector_of<double>(v) - change, spin = vector_of<double>(v + 3) - turn;
    made.is_uniform = made.is_uniform && change == gravity && turn == Vector3{};
    const double m = 1 / static_cast<double>(record[kernel::BodyRecord::inverse_mass]);
    const double trace = static_cast<double>(j[0]) + static_cast<double>(j[3]) + static_cast<double>(j[5]);
    const double inertia = trace > 0 ? 3 / trace : 0;
    mass += m;
    energy += m * dot(speed, speed) + inertia * dot(spin, spin);
    made.fastest = std::max(made.fastest, length(speed) + std::sqrt(inertia / m * dot(spin, spin)));
  }
  made.rms = std::sqrt(energy / mass);
  return made;
}

/// Finds the places of the bodies of an island from the lever arms of its contacts. Leaves none if that takes long.
template <class T>
void DirectIslands<T>::find_places(const Candidate& candidate) {
  const SceneContacts<T>& contacts = job_.scene->contacts;
  memory_.places.assign(memory_.bodies.size(), Vector3{});
  memory_.is_placed.assign(memory_.bodies.size(), 0);
  memory_.is_placed[0] = 1;
  std::size_t placed = 1;
  const auto local = [&](std::int32_t body) {
    return body < 0 ? no_number : memory_.local[static_cast<std::size_t>(body)];
  };
  for (int pass = 0; pass < max_passes && placed < memory_.bodies.size(); ++pass)
    for (std::uint32_t k = candidate.first; k < candidate.end; ++k) {
      // Forwards and backwards.
      const std::uint32_t at = pass % 2 == 0 ? k : candidate.first + candidate.end - 1 - k;
      const Constraint& m = manifold(at);
      const std::uint32_t a = local(m.body_a), b = local(m.body_b);
      if (a == no_number || b == no_number || memory_.is_placed[a] == memory_.is_placed[b]) continue;
      const std::uint32_t i = contact_at(m);
      const Vector3 between = vector_at(contacts.r_a, i) - vector_at(contacts.r_b, i);
      if (memory_.is_placed[a] != 0)
        memory_.places[b] = memory_.places[a] + between;
      else
        memory_.places[a] = memory_.places[b] - between;
      memory_.is_placed[a] = memory_.is_placed[b] = 1;
      ++placed;
    }
  const auto is_finite = [](const Vector3& place) { return std::isfinite(dot(place, place)); };
  if (placed < memory_.bodies.size() || !std::all_of(memory_.places.begin(), memory_.places.end(), is_finite))
    memory_.places.clear();
}

/// Selects the action of a large island in this call. Returns false if only PGS solves it. `points`: of the island. The
/// bodies and edges are in memory_.bodies and memory_.edges.
template <class T>
bool DirectIslands<T>::plan_large(Candidate& candidate, std::uint64_t name, std::size_t points) {
  DirectIsland& island = *memory_.solvers[candidate.solver];
  Certificate& of = island.certificate();
  of.recall(memory_.bodies, name, step_.time_step);
  const bool was_direct = of.was_direct;
  of.was_direct = false;
  const Motion motion = motion_of();
  // A force on a single body is no reason to hold the others.
  const bool may_hold = motion.is_uniform && motion.forces < max_forces * step_.weight_speed;
  // An island that has rested on a certificate needs a new one if its contact points change.
  const double still = of.is_certified ? moving : Thresholds::large_still;
  const bool is_still = may_hold && motion.fastest < still * step_.weight_speed;
  candidate.may_hold = may_hold;
  candidate.is_still = is_still;
  // The certificate is valid for these forces only. A resting island may lose contacts that support it.
  const bool is_as_before = of.forces == motion.change && (!of.holds || of.contacts == points);
  if (of.is_at_work() && !is_as_before) of.fail();
  of.forces = motion.change;
  of.contacts = points;
  of.holds = of.holds && is_still && of.held < Thresholds::large_holds;
  if (!of.holds) of.held = 0;
  if (of.is_at_work()) {
    if (!(motion.rms < Thresholds::large_restless * step_.weight_speed)) of.drop();
  }
  if (of.is_at_work() && of.phase() != Certificate::Phase::is_complete) {
    candidate.action = Action::works;
    return true;
  }
  if (of.wait > 0) --of.wait;
  const bool is_complete = of.phase() == Certificate::Phase::is_complete;
  if (is_complete && !of.holds && !(motion.fastest < Thresholds::large_slow * step_.weight_speed)) {
    if (++of.waited > Thresholds::large_waits) of.drop();
    return false;
  }
  const bool is_calm = motion.rms < Thresholds::large_calm * step_.weight_speed &&
                       motion.fastest < Thresholds::large_restless * step_.weight_speed;
  // A new plan has no factor.
  const bool is_planned = island.is_planned(memory_.bodies.size(), memory_.edges);
  of.is_certified = of.is_certified && is_planned;
  candidate.has_factor = is_planned;
  // An island whose factorisation is not cheap is only planned for certificates.
  const bool is_moderate = memory_.bodies.size() <= static_cast<std::size_t>(Thresholds::direct_bodies);
  const bool may_plan =
      is_complete || of.is_certified || (is_calm && of.wait == 0) || (of.is_cheap && (was_direct || is_moderate));
  if (!may_plan) return false;
  const std::size_t manifolds = candidate.end - candidate.first;
  of.reserve(memory_.bodies.size(), manifolds, points);
  memory_.places.clear();
  if (!is_planned && memory_.bodies.size() > dissected) find_places(candidate);
  if (!island.plan(memory_.bodies.size(), memory_.edges, Thresholds::large_max_share * candidate.sweeps, blocks_,
                   Thresholds::large_max_work, memory_.places))
    return false;
  island.reserve(manifolds, points, 0, 2 * manifolds);
  const double share = island.work_of_factorisation() / candidate.sweeps;
  of.is_cheap = share <= Thresholds::large_cheap;
  candidate.treatment.closed = Thresholds::large_closed;
  candidate.treatment.may_factor = of.is_cheap;
  candidate.treatment.is_certified = of.is_certified;
  candidate.begins = is_calm && of.wait == 0 && !is_complete && (!of.is_cheap || of.refused >= max_refused);
  // A plan is enough work for a call, unless every call needs a new one.
  candidate.begins_later =
      candidate.begins && !is_planned && !of.is_late && island.work_of_factorisation() > small_plan;
  of.is_late = candidate.begins_later;
  if (candidate.begins_later && !is_still) candidate.begins = false;
  const bool is_tried = of.is_certified || of.is_cheap;
  candidate.action = is_complete ? Action::completes : is_tried ? Action::solves : Action::none;
  return candidate.action != Action::none || candidate.begins;
}

/// Stores an island that stays where it is, with the impulses that it began with.
template <class T>
void DirectIslands<T>::store_held(const Candidate& candidate) const {
  const auto stop = [&](std::int32_t body) {
    if (body < 0 || !kernel::is_movable(kernel::record_of(job_.body_rows, body))) return;
    for (std::size_t c = 0; c < 8; ++c) {
      job_.velocities[body].numbers[c] = 0;
      job_.displacements[body].numbers[c] = 0;
    }
  };
  const SceneResults<T>& to = *job_.results;
  for (std::uint32_t k = candidate.first; k < candidate.end; ++k) {
    const Constraint& m = manifold(k);
    stop(m.body_a);
    stop(m.body_b);
    for (std::uint32_t c = 0; c < m.count; ++c) {
      const std::uint32_t i = contact_at(m, c);
      const Vector3 w = job_.warm_impulse.x ? vector_at(job_.warm_impulse, i) : Vector3{};
      put(to.impulse, i, w);
      put(to.separation_velocity, i, {});
      put(to.warm_impulse, i, w);
      const bool is_pushed = w != Vector3{};
      job_.status[i] = static_cast<std::uint8_t>(is_pushed ? Status::ok : Status::separating);
      if (!to.path) continue;
      Path path{};
      path.sliding_end = is_pushed ? SlidingEnd::stick : SlidingEnd::separating;
      to.path[i] = path;
    }
  }
}

/// Solves, holds or works for a large island. Returns true if the island is accepted.
template <class T>
bool DirectIslands<T>::solve_large(Candidate& candidate) {
  DirectIsland& island = *memory_.solvers[candidate.solver];
  Certificate& of = island.certificate();
  const Column<const std::uint64_t>& key = job_.scene->contacts.key;
  const auto take_island = [&] { return take(candidate); };
  const auto hold = [&] {
    ++of.held;
    candidate.is_held = true;
    store_held(candidate);
    return true;
  };
  const auto solves = [&](Treatment treatment) {
    treatment.slow = treatment.is_certified && candidate.may_hold ? Thresholds::large_stop : 0;
    island.treat(treatment);
    const bool ok = island.solve(step_, false);
    if (!ok || !(island.max_number() < max_number<T>())) return false;
    store(island);
    of.succeed(treatment.is_certified);
    return true;
  };
  const auto begin = [&](bool holds) {
    Treatment treatment = candidate.treatment;
    treatment.is_certified = true;
    island.treat(treatment);
    island.assemble_for_rest(step_);
    of.begin(island, key, holds);
  };
  // The island begins with the impulses of the certificate.
  const auto take_certificate = [&] {
    std::size_t hint = 0;
    for (const Manifold& m : island.manifolds())
      for (std::uint32_t k = m.first; k < m.end; ++k) {
        const Vector3 p = of.impulse(key[island.points()[k].contact], hint);
        island.set_impulse(k, {dot(m.axis[0], p), dot(m.axis[1], p), dot(m.axis[2], p)});
      }
  };
  if (candidate.action == Action::works) {
    of.work(island.block_factor(),
            candidate.sweeps * (of.holds ? Thresholds::large_slice_held : Thresholds::large_slice));
    if (of.has_factored()) island.keep_factor();
    return of.holds && hold();
  }
  if (!take_island()) {
    of.drop();
    return false;
  }
  Treatment treatment = candidate.treatment;
  if (candidate.action == Action::solves) {
    if (solves(treatment)) return true;
    ++of.refused;
    of.is_certified = false;
    if (!candidate.begins || !take_island()) return false;
  }
  if (candidate.action == Action::completes) {
    take_certificate();
    treatment.is_certified = true;
    if (of.holds && candidate.has_factor && solves(treatment)) return true;
    // The contacts can hold the island at its earlier position. If it is slow, moving bodies are stopped, and the
    // certificate is repeated for the present position.
    const bool can_stop = !(of.holds && candidate.has_factor) && candidate.may_hold &&
                          of.fastest() < moving * step_.weight_speed && of.touches_everywhere(island);
    if (can_stop) {
      begin(true);
      hold();
      for (const Manifold& m : island.manifolds())
        for (std::uint32_t k = m.first; k < m.end; ++k) {
          const Point& p = island.points()[k];
          const Vector3 w = transpose(m.axis) * p.impulse;
          put(job_.results->impulse, p.contact, w);
          put(job_.results->warm_impulse, p.contact, w);
        }
      return true;
    }
    of.fail();
    return false;
  }
  const bool holds = candidate.is_still && of.touches_everywhere(island);
  if (candidate.begins_later) return holds && hold();
  begin(holds);
  return holds && hold();
}

#define CAROM_INSTANTIATE(T)                                                          \
  template bool DirectIslands<T>::has_size_of_large(const Candidate&) const;          \
  template bool DirectIslands<T>::drive_nothing(std::uint32_t, std::uint32_t) const;  \
  template bool DirectIslands<T>::plan_large(Candidate&, std::uint64_t, std::size_t); \
  template bool DirectIslands<T>::solve_large(Candidate&);
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom::scene::direct
