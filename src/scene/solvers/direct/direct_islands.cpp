#include "direct_islands.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "core/jobs/body_record.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "scene/rows/read.hpp"
#include "slop.hpp"

namespace carom::scene::direct {
namespace {

/// Islands per task.
constexpr std::size_t islands_at_once = 8;
/// Iterations of an interior point of average length.
constexpr double iterations = 12;
/// [1] SceneThresholds::direct_income of islands below SceneThresholds::direct_small: their sweeps fill few lanes.
constexpr double small_income = 0.5;
/// [1] The number of substeps of an island with contacts falls after this share of SceneThresholds::substeps_quiet.
constexpr float contact_quiet = 0.25F;

template <class T>
BodyRow row_of(const kernel::VelocityRow<T>& from) {
  BodyRow row{};
  for (std::size_t c = 0; c < 6; ++c) row.at[c] = static_cast<double>(from.numbers[c]);
  return row;
}

/// Stores the initial impulse of the next step, and its rounding error.
template <class T>
void put_warm(const kernel::SceneJob<T>& job, std::size_t i, const Vector3& v) {
  const Vector3Columns<T>&to = job.results->warm_impulse, &rest = job.next_rest;
  put(to, i, v);
  if (!rest.x) return;
  Vector3 left;
  for (std::size_t c = 0; c < 3; ++c) left[c] = v[c] - static_cast<double>(without_subnormals<T>(v[c]));
  put(rest, i, left);
}

/// The options of a call that its islands read.
template <class T>
StepOptions step_options(const CallOptions& options, const Scene<T>& scene) {
  const double h = options.time_step;
  const PositionCorrection& correction = options.substeps.position_correction;
  const bool remembers =
      (scene.contacts.key || scene.joints.key) && !scene.contacts.warm_impulse.x && !scene.joints.warm_impulse;
  return {h,        options.rest_gravity * h, options.restitution_threshold, correction.rate / h, correction.max_speed,
          remembers};
}

}  // namespace

template <class T>
DirectIslands<T>::DirectIslands(const IslandCall<T>& call, ThreadTeam& team, const Slops<T>& slops,
                                const CachedRow<T>* cached_rows, Array<std::int32_t>& substeps, DirectMemory& memory)
    : options_(call.options),
      kernels_(call.kernels),
      blocks_(*call.entry.scene.blocks),
      job_(call.job),
      graph_(call.graph),
      parts_(call.parts),
      step_(step_options(call.options, *call.job.scene)),
      team_(team),
      slops_(slops),
      cached_rows_(cached_rows),
      substeps_(substeps),
      memory_(memory) {}

/// True if a manifold has hard contacts of the plain Coulomb law.
template <class T>
bool DirectIslands<T>::is_plain(std::uint32_t m) const {
  if (!graph_.models.empty() && graph_.models[m] != 0) return false;
  const Column<const T>& frequency = job_.scene->contacts.frequency;
  const Constraint& of = graph_.manifolds[m];
  for (std::uint32_t c = 0; c < of.count && frequency; ++c)
    if (std::isfinite(frequency[contact_at(of, c)])) return false;
  return true;
}

/// The solver that an island had in the last call, or -1: islands are known by their first bodies.
template <class T>
std::int32_t DirectIslands<T>::solver_of(std::uint32_t island) const {
  const Constraint& of = !memory_.manifolds.is_empty(island) ? manifold(memory_.manifolds.begin[island])
                                                             : group(memory_.groups.begin[island]);
  return memory_.solver_of_body[static_cast<std::size_t>(moves(of.body_a) ? of.body_a : of.body_b)];
}

/// Lists the constraints of all islands, their solvers, and the islands with contacts of other laws.
template <class T>
void DirectIslands<T>::list_islands() {
  memory_.solver_of_body.assign(job_.bodies, -1);
  memory_.body_of_solver.resize(memory_.solvers.size(), -1);
  for (std::size_t s = 0; s < memory_.solvers.size(); ++s)
    if (const auto body = static_cast<std::size_t>(memory_.body_of_solver[s]); body < job_.bodies)
      memory_.solver_of_body[body] = static_cast<std::int32_t>(s);
  memory_.excluded.assign(graph_.islands, 0);
  for (std::uint32_t m = 0; m < graph_.manifolds.size(); ++m) {
    const std::uint32_t island = graph_.island_of_manifold[m];
    if (memory_.excluded[island] == 0 && !is_plain(m)) memory_.excluded[island] = 1;
  }
  memory_.manifolds.fill(graph_.islands, graph_.island_of_manifold);
  memory_.groups.fill(graph_.islands, graph_.island_of_group);
}

template <class T>
void DirectIslands<T>::find_candidates(Array<SubstepNeed>& needs) {
  memory_.candidates.clear();
  const std::size_t most = std::min(parts_.bodies, parts_.contacts + parts_.rows);
  memory_.candidates.reserve(most);
  memory_.local.assign(parts_.bodies, no_number);
  memory_.taken.assign(memory_.solvers.size(), 0);
  // Multiply-adds of the visits of a point, and of a row, in a substep.
  const double visits = options_.substeps.inner_iterations *
                        (options_.substeps.iterations + options_.substeps.position_correction.relax_iterations);
  const double work_of_visit = 80 * visits, work_of_row = 48 * visits;
  for (const kernel::SettledIsland& island : memory_.settled)
    if (const std::int32_t solver = solver_of(island.number); solver >= 0)
      memory_.taken[static_cast<std::size_t>(solver)] = 1;
  for (std::uint32_t i = 0; i < graph_.islands; ++i) {
    if (memory_.excluded[i] != 0 || memory_.is_settled[i] != 0) continue;
    Candidate candidate;
    candidate.island = i;
    candidate.first = memory_.manifolds.begin[i];
    candidate.end = memory_.manifolds.begin[i + 1];
    candidate.first_group = memory_.groups.begin[i];
    candidate.end_group = memory_.groups.begin[i + 1];
    std::size_t points = 0, rows = 0;
    for (std::uint32_t k = candidate.first; k < candidate.end; ++k) points += manifold(k).count;
    for (std::uint32_t k = candidate.first_group; k < candidate.end_group; ++k) rows += group(k).count;
    candidate.substeps = options_.substeps.min_direct_substeps;
    if (rows > 0) candidate.substeps = std::max(candidate.substeps, count_substeps(candidate, needs[i]));
    // Two factorisations may cost no more than the sweeps that they replace.
    candidate.sweeps =
        (work_of_visit * static_cast<double>(points) + work_of_row * static_cast<double>(rows)) * substeps_[i];
    if (plan(candidate)) memory_.candidates.push_back(candidate);
  }
  for (std::size_t s = 0; s < memory_.solvers.size(); ++s)
    if (memory_.taken[s] == 0) memory_.body_of_solver[s] = -1;
}

/// The number of substeps of an island with joints: arms turn by at most a small angle in a substep. The number falls
/// only after many calls that needed much fewer, because changes cost energy: velocities belong to the middle of a
/// substep.
template <class T>
int DirectIslands<T>::count_substeps(const Candidate& candidate, SubstepNeed& need) const {
  const JointRows<T>& rows = job_.scene->joints;
  if (!rows.r_a.x) return 1;
  double fastest2 = 0;  // [rad²/s²]
  const auto take = [&](std::int32_t body, const Vector3Columns<const T>& arms, std::size_t i) {
    if (!moves(body)) return;
    const Vector3 arm = vector_at(arms, i), spin = angular(row_of(job_.velocities[body]));
    const Vector3 speed = cross(spin, arm);
    const double length2 = dot(arm, arm);
    if (length2 > 0) fastest2 = std::max(fastest2, dot(speed, speed) / length2);
  };
  for (std::uint32_t k = candidate.first_group; k < candidate.end_group; ++k) {
    const Constraint& of = group(k);
    for (std::uint32_t r = 0; r < of.count; ++r) {
      const std::uint32_t i = row_at(of, r);
      take(of.body_a, rows.r_a, i);
      take(of.body_b, rows.r_b, i);
    }
  }
  const double angle = std::sqrt(fastest2) * options_.time_step;
  const bool has_contacts = candidate.first < candidate.end;
  const auto max_turn = [&](int n) {
    return n > 1 ? (has_contacts ? SceneThresholds::direct_contact_arm_turn : SceneThresholds::direct_arm_turn) * n
                 : (has_contacts ? SceneThresholds::direct_contact_still_turn : SceneThresholds::direct_still_turn);
  };
  const int most = std::min(SceneThresholds::direct_substeps, options_.substeps.max_substeps);
  int substeps = 1;
  while (2 * substeps <= most && angle > max_turn(substeps)) substeps *= 2;
  const int before = std::min(static_cast<int>(need.direct), most);
  if (substeps >= before) {
    need.direct_quiet = 0;
  } else {
    const bool is_quiet = before > 2 ? 8 * angle < max_turn(before) : 2 * angle < max_turn(1);
    need.direct_quiet = is_quiet ? need.direct_quiet + 1 : 0;
    substeps = before;
    if (need.direct_quiet >= static_cast<float>(SceneThresholds::substeps_quiet) * (has_contacts ? contact_quiet : 1)) {
      need.direct_quiet = 0;
      substeps /= 2;
    }
  }
  need.direct = static_cast<float>(substeps);
  return substeps;
}

/// Numbers the bodies of an island, and gives it a solver with a plan and memory. Returns false if it is too large.
template <class T>
bool DirectIslands<T>::plan(Candidate& candidate) {
  const bool may_be_large =
      step_.remembers && has_size_of_large(candidate) && drive_nothing(candidate.first, candidate.end);
  const std::size_t max_bodies =
      static_cast<std::size_t>(may_be_large ? SceneThresholds::large_max_bodies : SceneThresholds::direct_bodies);
  memory_.bodies.clear();
  memory_.edges.clear();
  std::size_t points = 0, rows = 0;
  const auto number = [&](std::int32_t body) {
    std::uint32_t& local = memory_.local[static_cast<std::size_t>(body)];
    if (local == no_number) {
      local = static_cast<std::uint32_t>(memory_.bodies.size());
      memory_.bodies.push_back(static_cast<std::uint32_t>(body));
    }
    return static_cast<std::int32_t>(local);
  };
  const auto connect = [&](const Constraint& of) {
    const bool a = moves(of.body_a), b = moves(of.body_b);
    const std::int32_t first = a ? number(of.body_a) : -1, second = b ? number(of.body_b) : -1;
    // A pair with many contacts has several manifolds, as many as touch in this call.
    const Edge edge = {first, second};
    if (a && b && (memory_.edges.empty() || memory_.edges.back() != edge)) memory_.edges.push_back(edge);
    return memory_.bodies.size() <= max_bodies;
  };
  for (std::uint32_t k = candidate.first; k < candidate.end; ++k) {
    points += manifold(k).count;
    if (!connect(manifold(k))) return false;
  }
  for (std::uint32_t k = candidate.first_group; k < candidate.end_group; ++k) {
    rows += group(k).count;
    if (!connect(group(k))) return false;
  }
  const std::uint32_t first_body = memory_.bodies.front();
  std::int32_t solver = memory_.solver_of_body[first_body];
  if (solver < 0) {
    const auto idle = std::find(memory_.body_of_solver.begin(), memory_.body_of_solver.end(), -1);
    solver = static_cast<std::int32_t>(idle - memory_.body_of_solver.begin());
    if (idle == memory_.body_of_solver.end()) {
      memory_.solvers.push_back(make_owned<DirectIsland>());
      memory_.body_of_solver.push_back(-1);
      memory_.taken.push_back(0);
    }
    memory_.body_of_solver[static_cast<std::size_t>(solver)] = static_cast<std::int32_t>(first_body);
    memory_.solver_of_body[first_body] = solver;
    memory_.solvers[static_cast<std::size_t>(solver)]->forget_factor();
  }
  candidate.solver = static_cast<std::size_t>(solver);
  memory_.taken[candidate.solver] = 1;
  DirectIsland& island = *memory_.solvers[candidate.solver];
  candidate.is_large = may_be_large && memory_.bodies.size() >= static_cast<std::size_t>(SceneThresholds::large_bodies);
  if (candidate.is_large) {
    const std::uint32_t first = contact_at(manifold(candidate.first));
    return plan_large(candidate, job_.scene->contacts.key[first], points);
  }
  // Its certificate has another matrix.
  island.certificate().forget();
  if (!island.plan(memory_.bodies.size(), memory_.edges, candidate.sweeps / SceneThresholds::direct_tries, blocks_))
    return false;
  const std::size_t manifolds = candidate.end - candidate.first, groups = candidate.end_group - candidate.first_group;
  island.reserve(manifolds, points, rows, 2 * (manifolds + groups));
  return true;
}

template <class T>
bool DirectIslands<T>::take(const Candidate& candidate) {
  DirectIsland& island = *memory_.solvers[candidate.solver];
  const SceneContacts<T>& contacts = job_.scene->contacts;
  const JointRows<T>& rows = job_.scene->joints;
  // An island has the name of its first contact or row.
  const auto name_of = [](const Column<const std::uint64_t>& key, std::uint32_t i) { return key ? key[i] : 0; };
  island.begin(candidate.substeps, candidate.first < candidate.end
                                       ? name_of(contacts.key, contact_at(manifold(candidate.first)))
                                       : name_of(rows.key, row_at(group(candidate.first_group))));
  const auto world = static_cast<std::int32_t>(island.bodies().size());
  std::size_t set = 0;
  bool is_sound = true;
  const auto row = [&](std::int32_t body) -> std::int32_t {
    if (body < 0) return world;
    const auto i = static_cast<std::size_t>(body);
    const BodyRow change = job_.changes != nullptr ? row_of(job_.changes[i]) : BodyRow{};
    if (parts_.movable[i] == 0) return island.add_fixed(row_of(job_.velocities[i]), change);
    const std::size_t position = island.position(memory_.local[i]);
    if (memory_.local[i] < set) return static_cast<std::int32_t>(position);
    ++set;
    const T* const record = kernel::record_of(job_.body_rows, body);
    std::array<double, 6> inertia;
    for (std::size_t c = 0; c < 6; ++c)
      inertia[c] = static_cast<double>(record[kernel::BodyRecord::inverse_inertia + c]);
    is_sound = island.set_body(position, static_cast<std::uint32_t>(i),
                               static_cast<double>(record[kernel::BodyRecord::inverse_mass]), inertia,
                               row_of(job_.velocities[i]), change) &&
               is_sound;
    return static_cast<std::int32_t>(position);
  };
  // Trace of the inverse inertia. [1/(kg m²)]
  const auto turning = [&](std::int32_t body) -> double {
    if (!moves(body)) return 0;
    const T* const j = kernel::record_of(job_.body_rows, body) + kernel::BodyRecord::inverse_inertia;
    return static_cast<double>(j[0]) + static_cast<double>(j[3]) + static_cast<double>(j[5]);
  };
  const double share = static_cast<double>(job_.parameters.warm_start);
  for (std::uint32_t k = candidate.first; k < candidate.end && is_sound; ++k) {
    const Constraint& of = manifold(k);
    const std::uint32_t first = contact_at(of);
    const std::int32_t a = row(of.body_a), b = row(of.body_b);
    const std::optional<Vector3> normal = unit(vector_at(contacts.normal, first));
    if (!normal || !is_sound) return false;
    const auto [t1, t2] = tangents(*normal);
    const ContactFrame frame = {t1, t2, *normal};
    const double friction = std::min(static_cast<double>(contacts.friction[first]), SceneThresholds::max_friction);
    island.add_manifold(a, b, frame, friction);
    const double slop2 = slops_.square_of(of), turning_a = turning(of.body_a), turning_b = turning(of.body_b);
    const double slop = std::sqrt(slop2);
    const auto [surface_1, surface_2] = surface_along(contacts, first, frame);
    const Vector3 surface = {surface_1, surface_2, 0};
    const double speed = length(surface);
    for (std::uint32_t c = 0; c < of.count; ++c) {
      const std::uint32_t i = contact_at(of, c);
      Point& p = island.add_point();
      p.contact = i;
      p.r_a = vector_at(contacts.r_a, i);
      p.r_b = vector_at(contacts.r_b, i);
      // Sweeps find the contacts whose K, surface velocity or target overflows.
      const double response =
          (turning_a > 0 ? turning_a * dot(p.r_a, p.r_a) : 0) + (turning_b > 0 ? turning_b * dot(p.r_b, p.r_b) : 0);
      const double least = contacts.target_velocity ? static_cast<double>(contacts.target_velocity[i]) : 0;
      if (!(std::max({response, std::abs(least), speed}) < max_number<T>())) return false;
      p.slop = contacts.slop ? std::sqrt(slops_.square_of_contact(i, slop2)) : slop;
      p.separation = p.first_gap = contacts.separation ? static_cast<double>(contacts.separation[i]) : 0;
      p.least = least;
      p.restitution = static_cast<double>(contacts.restitution[i]);
      p.target = surface;
      if (job_.warm_impulse.x) {
        Vector3 w = vector_at(job_.warm_impulse, i);
        if (job_.warm_rest.x) w = w + vector_at(job_.warm_rest, i);
        const Vector3 given = {share * dot(w, t1), share * dot(w, t2), share * dot(w, *normal)};
        const double held2 = given[0] * given[0] + given[1] * given[1], most = friction * given[2];
        const double cut = held2 > most * most ? most / std::sqrt(held2) : 1;
        if (given[2] > 0) p.impulse = {cut * given[0], cut * given[1], given[2]};
      }
    }
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::uint32_t k = candidate.first_group; k < candidate.end_group && is_sound; ++k) {
    const Constraint& of = group(k);
    JointRow joint;
    joint.a = row(of.body_a);
    joint.b = row(of.body_b);
    if (!is_sound) return false;
    joint.allowed_error = std::sqrt(slops_.square_of(of)) *
                          (rows.position_error ? SceneThresholds::direct_closed : SceneThresholds::direct_joint_drift);
    for (std::uint32_t r = 0; r < of.count; ++r) {
      const std::uint32_t i = row_at(of, r);
      joint.row = i;
      joint.linear_a = vector_at(rows.linear_a, i);
      joint.linear_b = vector_at(rows.linear_b, i);
      joint.angular_a = vector_at(rows.angular_a, i);
      joint.angular_b = vector_at(rows.angular_b, i);
      if (rows.r_a.x) {
        joint.r_a = vector_at(rows.r_a, i);
        joint.r_b = vector_at(rows.r_b, i);
      }
      joint.wanted = number_or(rows.target_velocity, i, 0);
      joint.first_error = joint.error = number_or(rows.position_error, i, 0);
      joint.frequency = number_or(rows.frequency, i, options_.substeps.position_correction.joint_frequency);
      joint.damping_ratio = number_or(rows.damping_ratio, i, options_.substeps.position_correction.joint_damping_ratio);
      joint.keeps_position = joint.frequency == infinity;
      joint.given_compliance = number_or(rows.compliance, i, 0);
      joint.impulse = static_cast<double>(job_.row_impulse[i]);
      joint.given_least = number_or(rows.min_impulse, i, -infinity);
      joint.given_largest = number_or(rows.max_impulse, i, infinity);
      joint.is_bounded = joint.given_least > -infinity || joint.given_largest < infinity;
      if (job_.row_warm_rest && !joint.is_bounded) joint.impulse += static_cast<double>(job_.row_warm_rest[i]);
      // PGS detects rows that no impulse moves, and rows out of range.
      if (!island.add(joint, max_number<T>())) return false;
    }
  }
  return is_sound;
}

template <class T>
void DirectIslands<T>::store(const DirectIsland& island) const {
  for (std::size_t i = 0; i < island.bodies().size(); ++i) {
    const std::size_t body = island.bodies()[i].number;
    const BodyRow &v = island.velocity(i), &moved = island.moved(i);
    for (std::size_t c = 0; c < 6; ++c) {
      job_.velocities[body].numbers[c] = static_cast<T>(v.at[c]) + T(0);
      job_.displacements[body].numbers[c] = static_cast<T>(moved.at[c]);
    }
  }
  const double substeps = island.substeps();
  const SceneResults<T>& to = *job_.results;
  for (const Manifold& m : island.manifolds())
    for (std::uint32_t k = m.first; k < m.end; ++k) {
      const Point& p = island.points()[k];
      const Vector3 impulse = transpose(m.axis) * p.sum;
      put(to.impulse, p.contact, impulse);
      put(to.separation_velocity, p.contact, transpose(m.axis) * island.velocity_of(m, p));
      const Vector3 next = substeps * p.next;
      put_warm(job_, p.contact, next == p.sum ? impulse : transpose(m.axis) * next);
      const bool is_pushed = p.sum != Vector3{};
      job_.status[p.contact] = static_cast<std::uint8_t>(is_pushed ? Status::ok : Status::separating);
      if (!to.path) continue;
      Path path{};
      const double friction2 = p.sum[0] * p.sum[0] + p.sum[1] * p.sum[1];
      const double bound = m.friction * p.sum[2] * (1 - 1e-6);  // as for the state of the next step
      path.sliding_end = !is_pushed                   ? SlidingEnd::separating
                         : friction2 >= bound * bound ? SlidingEnd::slip
                                                      : SlidingEnd::stick;
      to.path[p.contact] = path;
    }
  for (const JointRow& row : island.rows()) {
    job_.row_impulse[row.row] = without_subnormals<T>(row.sum);
    const double next = substeps * row.next;
    job_.row_warm[row.row] = without_subnormals<T>(next);
    if (job_.row_next_rest != nullptr)
      job_.row_next_rest[row.row] = without_subnormals<T>(next - static_cast<double>(job_.row_warm[row.row]));
    job_.row_work[row.row] = static_cast<T>(row.sum * 0.5 * (row.before + island.velocity_of(row)));
  }
}

template <class T>
void DirectIslands<T>::solve(Array<SubstepNeed>& needs, bool may_throw) {
  if (!options_.solves_islands) return;
  try {
    find_candidates(needs);
  } catch (const std::bad_alloc&) {
    // Islands that were planned anew have lost their factors: docs/determinism.md.
    memory_.candidates.clear();
    if (may_throw) throw;
  }
  store_settled();
  team_.each_balanced(memory_.candidates.size(), islands_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
    for (std::size_t i = first; i < end; ++i) {
      Candidate& candidate = memory_.candidates[i];
      if (candidate.is_large) {
        candidate.is_accepted = solve_large(candidate);
        continue;
      }
      DirectIsland& island = *memory_.solvers[candidate.solver];
      if (!take(candidate)) continue;
      // Work is measured in the sweeps that it replaces.
      float& spent = needs[candidate.island].spent;
      const double left = SceneThresholds::direct_credit - static_cast<double>(spent);
      const double tries = SceneThresholds::direct_tries * island.work_of_factorisation() / candidate.sweeps;
      const double work = candidate.substeps * iterations * island.work_of_iteration();
      const bool is_small = work < SceneThresholds::direct_small;
      const bool may_owe = is_small && 2 * left > SceneThresholds::direct_credit;
      const double income = is_small ? small_income : SceneThresholds::direct_income;
      const auto is_affordable = [&](double price) { return price <= income || price <= left; };
      if (!is_affordable(tries)) continue;
      const bool may_use_interior_point = may_owe || is_affordable(tries + work / candidate.sweeps);
      candidate.is_accepted = island.solve(step_, may_use_interior_point) && island.max_number() < max_number<T>();
      spent += static_cast<float>(island.work_done() / candidate.sweeps);
      // The next call may try linear solves, which only resting islands need.
      if (candidate.is_accepted && is_small)
        spent = std::min(spent, static_cast<float>(SceneThresholds::direct_credit - tries));
      if (candidate.is_accepted) store(island);
    }
  });
  for (const Candidate& candidate : memory_.candidates) {
    if (!candidate.is_accepted) continue;
    const DirectIsland& island = *memory_.solvers[candidate.solver];
    substeps_[candidate.island] = solved;
    const bool is_group = candidate.first == candidate.end;
    if (candidate.is_held) {
      // The speed that the forces cause in the step.
      memory_.accepted.push_back({memory_.manifolds.number[candidate.first], false, step_.weight_speed,
                                  step_.weight_speed, 0, 1, IslandAlgorithm::holding});
      continue;
    }
    memory_.accepted.push_back(
        {is_group ? memory_.groups.number[candidate.first_group] : memory_.manifolds.number[candidate.first], is_group,
         island.approach(), island.residual(), island.solves(), island.substeps(), island.algorithm()});
  }
}

#define CAROM_INSTANTIATE(T)                                                                                        \
  template DirectIslands<T>::DirectIslands(const IslandCall<T>&, ThreadTeam&, const Slops<T>&, const CachedRow<T>*, \
                                           Array<std::int32_t>&, DirectMemory&);                                    \
  template std::int32_t DirectIslands<T>::solver_of(std::uint32_t) const;                                           \
  template void DirectIslands<T>::list_islands();                                                                   \
  template bool DirectIslands<T>::take(const Candidate&);                                                           \
  template void DirectIslands<T>::store(const DirectIsland&) const;                                                 \
  template void DirectIslands<T>::solve(Array<SubstepNeed>&, bool);
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom::scene::direct
