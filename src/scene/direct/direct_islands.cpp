#include "direct_islands.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "kernel/body_record.hpp"
#include "scene/slop.hpp"

namespace carom::scene::direct {
namespace {

constexpr std::uint32_t no_number = ~std::uint32_t{0};
/// Islands per task.
constexpr std::size_t islands_at_once = 8;
/// Iterations of an interior point of average length.
constexpr double iterations = 12;

StepOptions step_options(const SceneOptions& options) {
  const SubstepsOptions& s = options.substeps;
  return {s.time_step, options.rest.gravity * s.time_step, options.restitution_threshold, s.push_out / s.time_step,
          s.largest_push_out_speed};
}

template <class T>
Vector3 vector_at(const Vector3Columns<const T>& columns, std::size_t i) {
  return {static_cast<double>(columns.x[i]), static_cast<double>(columns.y[i]), static_cast<double>(columns.z[i])};
}

template <class T>
BodyRow row_of(const kernel::VelocityRow<T>& from) {
  BodyRow row{};
  for (std::size_t c = 0; c < 6; ++c) row.at[c] = static_cast<double>(from.numbers[c]);
  return row;
}

/// Stores a vector without subnormal components and negative zeros.
template <class T>
void put(const Vector3Columns<T>& to, std::size_t i, const Vector3& v) {
  const Column<T>* const columns[3] = {&to.x, &to.y, &to.z};
  for (std::size_t c = 0; c < 3; ++c) {
    if (!*columns[c]) continue;
    const auto x = static_cast<T>(v[c]);
    (*columns[c])[i] = std::abs(x) < std::numeric_limits<T>::min() ? T(0) : x;
  }
}

Vector3 in_world(const Manifold& m, const Vector3& v) {
  Vector3 world;
  for (std::size_t c = 0; c < 3; ++c) world[c] = v[0] * m.axis[0][c] + v[1] * m.axis[1][c] + v[2] * m.axis[2][c];
  return world;
}

}  // namespace

/// True if a manifold has hard contacts of the plain Coulomb law.
template <class T>
bool DirectIslands::is_plain(const kernel::SceneJob<T>& job, const Graph& graph, std::uint32_t manifold) const {
  if (!graph.models.empty() && graph.models[manifold] != 0) return false;
  const SceneContacts<T>& contacts = job.scene->contacts;
  const Constraint& m = graph.manifolds[manifold];
  if (!contacts.frequency) return true;
  for (std::uint32_t k = 0; k < m.count; ++k)
    if (std::isfinite(contacts.frequency[kernel::number_at(job.contact_at, m.first + k)])) return false;
  return true;
}

template <class T>
void DirectIslands::find_candidates(const SceneOptions& options, const kernel::SceneJob<T>& job, const Graph& graph,
                                    const Parts& parts, const std::vector<std::int32_t>& substeps) {
  candidates_.clear();
  excluded_.assign(graph.islands, 0);
  begin_.assign(graph.islands + 1, 0);
  for (const std::uint32_t island : graph.island_of_group) excluded_[island] = 1;
  for (std::uint32_t m = 0; m < graph.manifolds.size(); ++m) {
    const std::uint32_t island = graph.island_of_manifold[m];
    ++begin_[island + 1];
    if (excluded_[island] == 0 && !is_plain(job, graph, m)) excluded_[island] = 1;
  }
  for (std::size_t i = 0; i < graph.islands; ++i) begin_[i + 1] += begin_[i];
  manifolds_.resize(graph.manifolds.size());
  for (std::uint32_t m = 0; m < graph.manifolds.size(); ++m) manifolds_[begin_[graph.island_of_manifold[m]]++] = m;
  // begin_[i] is now the end of island i.
  local_.assign(parts.bodies, no_number);
  solver_of_body_.resize(std::max(solver_of_body_.size(), parts.bodies), -1);
  taken_.assign(solvers_.size(), 0);
  // Multiply-adds of the visits of a point in a substep.
  const double work_of_visit = 80.0 * options.substeps.rounds * (options.substeps.sweeps + options.substeps.relaxing);
  for (std::uint32_t i = 0; i < graph.islands; ++i) {
    if (excluded_[i] != 0) continue;
    Candidate candidate{i, i == 0 ? 0 : begin_[i - 1], begin_[i], 0, 0, false};
    std::size_t points = 0;
    for (std::uint32_t k = candidate.first; k < candidate.end; ++k) points += graph.manifolds[manifolds_[k]].count;
    // Two factorisations may cost no more than the sweeps that they replace.
    candidate.sweeps = work_of_visit * static_cast<double>(points) * substeps[i];
    if (plan(candidate, graph, parts, candidate.sweeps / SceneThresholds::direct_tries))
      candidates_.push_back(candidate);
  }
  for (std::size_t s = 0; s < solvers_.size(); ++s)
    if (taken_[s] == 0 && body_of_solver_[s] >= 0) {
      solver_of_body_[static_cast<std::size_t>(body_of_solver_[s])] = -1;
      body_of_solver_[s] = -1;
    }
}

/// Numbers the bodies of an island, and gives it a solver with a plan and memory. Returns false if it is too large.
bool DirectIslands::plan(Candidate& candidate, const Graph& graph, const Parts& parts, double most_work) {
  bodies_.clear();
  edges_.clear();
  std::size_t points = 0;
  const auto moves = [&](std::int32_t body) { return body >= 0 && parts.movable[body] != 0; };
  const auto number = [&](std::int32_t body) {
    std::uint32_t& local = local_[static_cast<std::size_t>(body)];
    if (local == no_number) {
      local = static_cast<std::uint32_t>(bodies_.size());
      bodies_.push_back(static_cast<std::uint32_t>(body));
    }
    return static_cast<std::int32_t>(local);
  };
  for (std::uint32_t k = candidate.first; k < candidate.end; ++k) {
    const Constraint& m = graph.manifolds[manifolds_[k]];
    points += m.count;
    const bool a = moves(m.body_a), b = moves(m.body_b);
    const std::int32_t first = a ? number(m.body_a) : -1, second = b ? number(m.body_b) : -1;
    if (a && b) edges_.push_back({first, second});
    if (static_cast<double>(bodies_.size()) > SceneThresholds::direct_bodies) return false;
  }
  const std::uint32_t first_body = bodies_.front();
  std::int32_t solver = solver_of_body_[first_body];
  if (solver < 0) {
    const auto idle = std::find(body_of_solver_.begin(), body_of_solver_.end(), -1);
    solver = static_cast<std::int32_t>(idle - body_of_solver_.begin());
    if (idle == body_of_solver_.end()) {
      solvers_.push_back(std::make_unique<DirectIsland>());
      body_of_solver_.push_back(-1);
      taken_.push_back(0);
    }
    body_of_solver_[static_cast<std::size_t>(solver)] = static_cast<std::int32_t>(first_body);
    solver_of_body_[first_body] = solver;
  }
  candidate.solver = static_cast<std::size_t>(solver);
  taken_[candidate.solver] = 1;
  DirectIsland& island = *solvers_[candidate.solver];
  if (!island.plan(bodies_.size(), edges_, most_work)) return false;
  const std::size_t manifolds = candidate.end - candidate.first;
  island.reserve(manifolds, points, 2 * manifolds);
  return true;
}

/// Squares of numbers beyond this are beyond the range of T.
template <class T>
double most_number() {
  return std::sqrt(static_cast<double>(std::numeric_limits<T>::max()) / 16);
}

template <class T>
bool DirectIslands::take(const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
                         const SubstepsOptions& options, const Candidate& candidate) {
  DirectIsland& island = *solvers_[candidate.solver];
  island.begin();
  const SceneContacts<T>& contacts = job.scene->contacts;
  const auto world = static_cast<std::int32_t>(island.bodies().size());
  std::size_t set = 0;
  bool is_sound = true;
  const auto row = [&](std::int32_t body) -> std::int32_t {
    if (body < 0) return world;
    const auto i = static_cast<std::size_t>(body);
    const BodyRow change = job.changes != nullptr ? row_of(job.changes[i]) : BodyRow{};
    if (parts.movable[i] == 0) return island.add_fixed(row_of(job.velocities[i]), change);
    const std::size_t position = island.position(local_[i]);
    if (local_[i] < set) return static_cast<std::int32_t>(position);
    ++set;
    const T* const record = kernel::record_of(job.body_rows, body);
    std::array<double, 6> inertia;
    for (std::size_t c = 0; c < 6; ++c)
      inertia[c] = static_cast<double>(record[kernel::BodyRecord::inverse_inertia + c]);
    is_sound = island.set_body(position, static_cast<std::uint32_t>(i),
                               static_cast<double>(record[kernel::BodyRecord::inverse_mass]), inertia,
                               row_of(job.velocities[i]), change) &&
               is_sound;
    return static_cast<std::int32_t>(position);
  };
  // Trace of the inverse inertia. [1/(kg m²)]
  const auto turning = [&](std::int32_t body) -> double {
    if (body < 0 || parts.movable[body] == 0) return 0;
    const T* const j = kernel::record_of(job.body_rows, body) + kernel::BodyRecord::inverse_inertia;
    return static_cast<double>(j[0]) + static_cast<double>(j[3]) + static_cast<double>(j[5]);
  };
  const Slops<T> slops(job, options);
  const double share = static_cast<double>(job.parameters.warm_start);
  for (std::uint32_t k = candidate.first; k < candidate.end && is_sound; ++k) {
    const Constraint& of = graph.manifolds[manifolds_[k]];
    const std::uint32_t first = kernel::number_at(job.contact_at, of.first);
    Manifold m;
    m.a = row(of.body_a);
    m.b = row(of.body_b);
    const std::optional<Vector3> normal = unit(vector_at(contacts.normal, first));
    if (!normal || !is_sound) return false;
    const auto [t1, t2] = tangents(*normal);
    m.axis = {t1, t2, *normal};
    m.friction = std::min(static_cast<double>(contacts.friction[first]), SceneThresholds::most_friction);
    island.add(m);
    const double slop2 = slops.square_of(of), turning_a = turning(of.body_a), turning_b = turning(of.body_b);
    Vector3 surface{};
    if (contacts.surface_velocity.x) {
      const Vector3 s = vector_at(contacts.surface_velocity, first);
      surface = {dot(s, t1), dot(s, t2), 0};
    }
    for (std::uint32_t c = 0; c < of.count; ++c) {
      const std::uint32_t i = kernel::number_at(job.contact_at, of.first + c);
      Point p;
      p.contact = i;
      p.arm_a = vector_at(contacts.lever_a, i);
      p.arm_b = vector_at(contacts.lever_b, i);
      // Sweeps find the contacts whose K overflows.
      const double k = turning_a * dot(p.arm_a, p.arm_a) + turning_b * dot(p.arm_b, p.arm_b);
      if (!(k < most_number<T>())) return false;
      p.slop = std::sqrt(slops.square_of_contact(i, slop2));
      p.gap = contacts.gap ? static_cast<double>(contacts.gap[i]) : 0;
      p.least = contacts.target_velocity ? static_cast<double>(contacts.target_velocity[i]) : 0;
      p.restitution = static_cast<double>(contacts.restitution[i]);
      p.target = surface;
      if (job.warm_impulse.x) {
        const Vector3 w = vector_at(job.warm_impulse, i);
        const Vector3 given = {share * dot(w, t1), share * dot(w, t2), share * dot(w, *normal)};
        const double friction = std::sqrt(given[0] * given[0] + given[1] * given[1]), most = m.friction * given[2];
        const double cut = friction > most ? most / friction : 1;
        if (given[2] > 0) p.impulse = {cut * given[0], cut * given[1], given[2]};
      }
      island.add(p);
    }
  }
  return is_sound;
}

template <class T>
void DirectIslands::store(const kernel::SceneJob<T>& job, const DirectIsland& island, const StepOptions& options) {
  const double h = options.time_step;
  for (std::size_t i = 0; i < island.bodies().size(); ++i) {
    const std::size_t body = island.bodies()[i].number;
    const BodyRow &v = island.velocity(i), &motion = island.motion(i);
    for (std::size_t c = 0; c < 6; ++c) {
      job.velocities[body].numbers[c] = static_cast<T>(v.at[c]) + T(0);
      job.displacements[body].numbers[c] = static_cast<T>(h * motion.at[c]);
    }
  }
  const SceneResults<T>& to = *job.results;
  for (const Manifold& m : island.manifolds()) {
    double mass = 0;
    for (const std::int32_t row : {m.a, m.b})
      if (static_cast<std::size_t>(row) < island.bodies().size())
        mass += island.bodies()[static_cast<std::size_t>(row)].mass;
    for (std::uint32_t k = m.first; k < m.end; ++k) {
      const Point& p = island.points()[k];
      put(to.impulse, p.contact, in_world(m, p.impulse));
      const Vector3 u = island.velocity_of(m, p);
      put(to.separation_velocity, p.contact, in_world(m, u));
      // The next step begins with the impulse of a load, not of a blow: see docs/scenes.md, Impacts.
      const double most = u[2] > options.weight_speed ? 0 : 2 * p.begun[2] + options.weight_speed * mass;
      const double share = island.was_struck() && p.impulse[2] > most ? most / p.impulse[2] : 1;
      put(to.warm_impulse, p.contact, in_world(m, {share * p.impulse[0], share * p.impulse[1], share * p.impulse[2]}));
      const bool is_pushed = p.impulse != Vector3{};
      job.status[p.contact] = static_cast<std::uint8_t>(is_pushed ? Status::ok : Status::separating);
      if (!to.path) continue;
      Path path{};
      const double friction2 = p.impulse[0] * p.impulse[0] + p.impulse[1] * p.impulse[1];
      const double bound = m.friction * p.impulse[2] * (1 - 1e-6);  // as for the state of the next step
      path.course = !is_pushed ? Course::separating : friction2 >= bound * bound ? Course::slip : Course::stick;
      to.path[p.contact] = path;
    }
  }
}

void DirectIslands::forget() {
  solvers_.clear();
  body_of_solver_.clear();
  solver_of_body_.clear();
  taken_.clear();
  candidates_.clear();
}

template <class T>
void DirectIslands::solve(const SceneOptions& options, const kernel::SceneJob<T>& job, const Graph& graph,
                          const Parts& parts, std::vector<std::int32_t>& substeps, std::vector<SubstepNeed>& needs,
                          ThreadTeam& team, bool may_throw) {
  accepted_.clear();
  if (!solves_islands(options)) return;
  try {
    find_candidates(options, job, graph, parts, substeps);
    accepted_.reserve(candidates_.size());
  } catch (const std::bad_alloc&) {
    forget();
    if (may_throw) throw;
    return;
  }
  const StepOptions step = step_options(options);
  team.each(candidates_.size(), islands_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
    for (std::size_t i = first; i < end; ++i) {
      Candidate& candidate = candidates_[i];
      DirectIsland& island = *solvers_[candidate.solver];
      if (!take(job, graph, parts, options.substeps, candidate)) continue;
      // Work is measured in the sweeps that it replaces.
      float& spent = needs[candidate.island].spent;
      const double left = SceneThresholds::direct_credit - static_cast<double>(spent);
      const double tries = SceneThresholds::direct_tries * island.work_of_factorisation() / candidate.sweeps;
      const double interior_point = iterations * island.work_of_iteration() / candidate.sweeps;
      const auto is_affordable = [&](double work) { return work <= SceneThresholds::direct_income || work <= left; };
      if (!is_affordable(tries)) continue;
      candidate.is_accepted =
          island.solve(step, is_affordable(tries + interior_point)) && island.greatest_number() < most_number<T>();
      spent += static_cast<float>(island.work_done() / candidate.sweeps);
      if (candidate.is_accepted) store(job, island, step);
    }
  });
  for (const Candidate& candidate : candidates_) {
    if (!candidate.is_accepted) continue;
    const DirectIsland& island = *solvers_[candidate.solver];
    substeps[candidate.island] = solved;
    accepted_.push_back({manifolds_[candidate.first], island.approach(), island.residual(), island.solves()});
  }
}

template void DirectIslands::solve(const SceneOptions&, const kernel::SceneJob<float>&, const Graph&, const Parts&,
                                   std::vector<std::int32_t>&, std::vector<SubstepNeed>&, ThreadTeam&, bool);
template void DirectIslands::solve(const SceneOptions&, const kernel::SceneJob<double>&, const Graph&, const Parts&,
                                   std::vector<std::int32_t>&, std::vector<SubstepNeed>&, ThreadTeam&, bool);

}  // namespace carom::scene::direct
