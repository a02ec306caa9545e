// Impulses of a substep: linear solves on the states of contacts and rows, or the interior point.
#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "reference/contact/vector.hpp"
#include "scene_direct_solver.hpp"

namespace carom::reference {
namespace {

using Thresholds = SceneThresholds;

// The power of 4 nearest to a ratio, in [1/64, 4].
double power_of_4(double ratio) {
  return std::clamp(std::exp2(2 * std::floor(std::log2(ratio) / 2 + 0.5)), 1.0 / 64, 4.0);
}

// Takes friction to its bound, against the slip.
void slide(DirectPoint& p, const Vector3& velocity) {
  const double size = -p.friction * p.impulse[2] / tangential_length(velocity);
  p.change = Vector3{size * velocity[0], size * velocity[1], p.impulse[2]} - p.impulse;
  p.impulse = p.impulse + p.change;
}

}  // namespace

// Contacts may close their gap. A small gap of a loaded contact counts as closed.
void DirectSolver::set_targets() {
  for (DirectPoint& p : of_.points) {
    const bool is_closed = p.separation <= 0 || (p.separation < Thresholds::direct_closed * p.slop && p.impulse[2] > 0);
    p.target[2] = p.min_velocity - (is_closed ? 0 : p.separation / h_);
  }
}

// The load of contacts that are about to open begins at the closed contacts of their manifold.
void DirectSolver::pass_on_loads() {
  for (const auto& [first, end] : of_.manifolds) {
    Vector3 load{};
    std::vector<DirectPoint*> closed;
    for (std::size_t i = first; i < end; ++i) {
      DirectPoint& p = of_.points[i];
      if (p.separation <= 0) closed.push_back(&p);
    }
    for (std::size_t i = first; i < end && !closed.empty(); ++i) {
      DirectPoint& p = of_.points[i];
      if (!(p.impulse[2] > 0) || p.separation <= 0 || !(p.target[2] < p.min_velocity - of_.weight_speed)) continue;
      load = load + p.impulse;
      p.impulse = {};
    }
    for (DirectPoint* p : closed) p->impulse = p->impulse + 1.0 / static_cast<double>(closed.size()) * load;
  }
}

void DirectSolver::measure_approach() {
  approach_ = 0;
  is_hit_ = rebounds_ = false;
  for (const DirectRow& row : of_.rows) {
    // The direction in which a one-sided row acts: 1, -1, or 0 for both.
    const double acts = row.least == 0 ? 1 : row.largest == 0 ? -1 : 0;
    const double now = DirectIsland::velocity_of(row, of_.free) - row.wanted;
    const double before = DirectIsland::velocity_of(row, of_.before) - row.wanted;
    approach_ = std::max(approach_, acts == 0 ? std::abs(now) : -acts * now);
    const double free_way = row.keeps_position ? std::max(acts * row.error, 0.0) : 0;
    if (row.keeps_position && acts != 0 &&
        -acts * before - free_way / h_ > Thresholds::direct_impact * of_.weight_speed)
      is_hit_ = true;
  }
  for (const DirectPoint& p : of_.points) {
    const double now = of_.velocity_of(p, of_.free)[2], before = of_.velocity_of(p, of_.before)[2];
    approach_ = std::max(approach_, p.min_velocity - now);
    if (!(now < p.target[2])) continue;
    if (p.target[2] - before > Thresholds::direct_impact * of_.weight_speed) is_hit_ = true;
    const double at_rest = std::max(options_.restitution_threshold, Thresholds::direct_impact * std::abs(now - before));
    if (p.restitution > 0 && -before > at_rest) rebounds_ = true;
  }
}

// Statuses by the impulses of the last step. A contact near the boundary of its cone which slips against its friction
// slides, and its friction turns against the slip. Friction that just holds a manifold sticks: without a slip that
// shows, its directions are unknown. Without any impulses all closed contacts stick.
void DirectSolver::set_statuses(bool is_loaded) {
  bool any = false;
  for (const auto& [first, end] : of_.manifolds) {
    bool just_holds = is_loaded;
    for (std::size_t i = first; i < end; ++i) {
      DirectPoint& p = of_.points[i];
      p.change = {};
      p.has_left = false;
      if (!is_loaded) {
        p.status = p.separation <= 0 ? DirectStatus::sticks : DirectStatus::open;
        continue;
      }
      const double size = tangential_length(p.impulse), most = p.friction * p.impulse[2];
      p.status = !(p.impulse[2] > 0)        ? DirectStatus::open
                 : size < most * (1 - 1e-6) ? DirectStatus::sticks
                                            : DirectStatus::slips;
      if (p.status == DirectStatus::open) continue;
      const Vector3 u = excess(p);
      const double slip = tangential_length(u), along = u[0] * p.impulse[0] + u[1] * p.impulse[1];
      if (p.status == DirectStatus::sticks || size == 0 || !(slip < Thresholds::direct_push)) just_holds = false;
      if (!(size > Thresholds::direct_slipping * most) || !(slip > Thresholds::direct_slip)) continue;
      if (!(along < (p.status == DirectStatus::slips ? 0 : -0.9 * slip * size))) continue;
      p.status = DirectStatus::slips;
      slide(p, u);
      any = true;
    }
    for (std::size_t i = first; just_holds && i < end; ++i)
      if (of_.points[i].status == DirectStatus::slips) of_.points[i].status = DirectStatus::sticks;
  }
  if (any) of_.apply_changes();
}

// A contact with a small share of the load of its manifold has a smaller weight, so that its impulse stays positive.
void DirectSolver::set_weights() {
  for (const auto& [first, end] : of_.manifolds) {
    double load = 0, loaded = 0;
    for (std::size_t i = first; i < end; ++i)
      if (of_.points[i].impulse[2] > 0) {
        load += of_.points[i].impulse[2];
        ++loaded;
      }
    for (std::size_t i = first; i < end; ++i) {
      DirectPoint& p = of_.points[i];
      p.weight = p.status == DirectStatus::open ? 0 : Thresholds::direct_weight / p.inverse_mass;
      if (p.impulse[2] > 0) p.weight *= power_of_4(loaded * p.impulse[2] / load);
    }
  }
}

// The matrix M + Jᵀ D J, where a sticking contact has three rows in J and a sliding contact has its normal.
bool DirectSolver::factor() {
  set_weights();
  of_.begin_matrix();
  for (const DirectPoint& p : of_.points) {
    if (p.status == DirectStatus::open) continue;
    const double friction = p.status == DirectStatus::sticks ? p.weight : 0;
    of_.add(p, Matrix3{Vector3{friction, 0, 0}, Vector3{0, friction, 0}, Vector3{0, 0, p.weight}});
  }
  return of_.matrix.factor();
}

bool DirectSolver::leaves_cone(const DirectPoint& p, const Vector3& impulse, double lag) const {
  const double most = p.friction * std::max(impulse[2], 0.0);
  // The friction of a sliding contact follows its normal impulse in the next solution.
  const double late = p.status == DirectStatus::slips ? lag * p.friction * p.impulse[2] : 0;
  return impulse[2] < -tolerance_ || tangential_length(impulse) > most * (1 + 1e-6) + std::max(tolerance_, late);
}

DirectSolver::Verdict DirectSolver::solve_statuses(bool is_last, double lag) {
  ++of_.solves;
  const auto held = [](const DirectPoint& p, Vector3 v) {
    return p.status == DirectStatus::slips ? Vector3{0, 0, v[2]} : v;
  };
  std::vector<double> right = of_.right_hand_side();
  for (DirectPoint& p : of_.points) {
    p.change = {};
    if (p.status == DirectStatus::open) continue;
    p.change = held(p, -1.0 * excess(p));
    of_.add(p, p.weight * p.change, right);
  }
  of_.add_rows(right);
  const Twists change = of_.solve(right);
  of_.find_row_changes(change);
  missed_ = 0;
  bool leaves = std::ranges::any_of(
      of_.rows, [&](const DirectRow& row) { return row.is_held && leaves_bounds(row, row.impulse + row.change); });
  for (DirectPoint& p : of_.points) {
    if (p.status == DirectStatus::open) continue;
    const Vector3 miss = held(p, p.change - of_.velocity_of(p, change));
    for (const double x : miss) missed_ = std::max(missed_, std::abs(x));
    p.change = p.weight * miss;
    leaves = leaves || !is_finite(p.change) || leaves_cone(p, p.impulse + p.change, lag);
  }
  if (leaves) {
    if (!is_last) release();
    return Verdict::contradicted;
  }
  for (DirectPoint& p : of_.points) p.impulse = p.impulse + p.change;
  of_.take_row_changes(1);
  for (std::size_t i = 0; i < of_.movable; ++i) of_.velocity[i] = of_.velocity[i] + change[i];
  const bool holds_contacts = hold_approaching();
  if (hold_rows() || holds_contacts) return Verdict::contradicted;
  keep_in_cones();
  keep_rows_in_bounds();
  return Verdict::accepted;
}

void DirectSolver::restore(const Kept& kept) {
  of_.points = kept.points;
  of_.rows = kept.rows;
  of_.velocity = kept.velocity;
}

// Solves with the same matrix after `change` of impulses and velocities. Returns false, and restores all of them, if
// `change` returns false or if the solution contradicts the statuses.
template <class Change>
bool DirectSolver::solve_or_restore(const Change& change, double lag) {
  const Kept before = kept();
  if (change() && solve_statuses(true, lag) == Verdict::accepted) return true;
  restore(before);
  return false;
}

// The friction of sliding contacts follows their loads and slips. Returns false if no contact slides.
bool DirectSolver::turn_friction() {
  // Loads move from contact to contact; the next turn takes friction back into the cones.
  constexpr double any_lag = 1;
  const auto turn = [&] {
    bool any = false;
    for (DirectPoint& p : of_.points) {
      p.change = {};
      if (p.status != DirectStatus::slips || !(p.impulse[2] > 0)) continue;
      const Vector3 u = excess(p);
      if (!(tangential_length(u) > Thresholds::direct_push)) continue;
      slide(p, u);
      any = true;
    }
    if (any) of_.apply_changes();
    return any;
  };
  return solve_or_restore(turn, any_lag);
}

// Returns true if a contact slides with less friction than its load allows.
bool DirectSolver::lacks_friction() const {
  return std::ranges::any_of(of_.points, [&](const DirectPoint& p) {
    const double least = (1 - Thresholds::direct_lag) * p.friction * p.impulse[2] - tolerance_;
    return p.status == DirectStatus::slips && tangential_length(p.impulse) < least &&
           tangential_length(excess(p)) > Thresholds::direct_slip;
  });
}

// Opens the contacts that would pull, and lets the contacts slide that need more friction than they have.
void DirectSolver::release() {
  for (DirectPoint& p : of_.points) {
    const Vector3 initial = p.impulse, next = p.impulse + p.change;
    if (p.status != DirectStatus::open && leaves_cone(p, next)) {
      const double normal = std::max(next[2], 0.0), size = tangential_length(next);
      const double share = size > 0 ? p.friction * normal / size : 0;
      p.has_left = p.status == DirectStatus::sticks;
      p.status = normal > 0 ? DirectStatus::slips : DirectStatus::open;
      p.impulse = {share * next[0], share * next[1], normal};
    }
    p.change = p.impulse - initial;
  }
  of_.apply_changes();
  for (DirectRow& row : of_.rows) {
    const double next = row.impulse + row.change, bound = std::clamp(next, row.least, row.largest);
    const bool leaves = row.is_held && leaves_bounds(row, next);
    row.change = leaves ? bound - row.impulse : 0;
    if (!leaves) continue;
    row.is_held = false;
    row.impulse = bound;
  }
  of_.apply_row_changes();
}

bool DirectSolver::leaves_bounds(const DirectRow& row, double impulse) const {
  return impulse < row.least - tolerance_ || impulse > row.largest + tolerance_;
}

// Holds the rows at a bound that would have to change their impulse away from it. Returns true if there are any.
bool DirectSolver::hold_rows() {
  bool any = false;
  for (DirectRow& row : of_.rows) {
    if (row.is_held || !(row.least < row.largest)) continue;
    const double miss = of_.miss_of(row);
    row.is_held = row.impulse <= row.least ? miss < -Thresholds::direct_approach : miss > Thresholds::direct_approach;
    any = any || row.is_held;
  }
  return any;
}

void DirectSolver::keep_rows_in_bounds() {
  for (DirectRow& row : of_.rows) {
    const double next = std::clamp(row.impulse, row.least, row.largest);
    row.change = next - row.impulse;
    row.impulse = next;
  }
  of_.apply_row_changes();
}

// Holds the open contacts that approach, and the sliding contacts that friction would push. Contacts that have left
// their cones before slide against their slip first. Returns true if there are any.
bool DirectSolver::hold_approaching() {
  bool any = false;
  for (DirectPoint& p : of_.points) {
    p.change = {};
    if (p.status == DirectStatus::sticks) continue;
    const Vector3 u = excess(p);
    const double pushed = u[0] * p.impulse[0] + u[1] * p.impulse[1];
    const bool is_held = p.status == DirectStatus::open ? u[2] < -Thresholds::direct_approach
                                                        : pushed > Thresholds::direct_push * p.friction * p.impulse[2];
    if (!is_held) continue;
    any = true;
    if (!p.has_left) {
      p.status = DirectStatus::sticks;
      continue;
    }
    p.has_left = p.status == DirectStatus::open;
    p.status = DirectStatus::slips;
    if (tangential_length(u) > 0) slide(p, u);
  }
  if (any) of_.apply_changes();
  return any;
}

void DirectSolver::keep_in_cones() {
  for (DirectPoint& p : of_.points) {
    const Vector3 initial = p.impulse;
    const bool is_nothing = !(p.impulse[2] > Thresholds::direct_nothing * mean_momentum_);
    p.impulse = is_nothing ? Vector3{} : with_friction_within(p.friction * p.impulse[2], p.impulse);
    p.change = p.impulse - initial;
  }
  of_.apply_changes();
}

// Velocities that are prescribed may wedge a body. Returns true if the island has gained more energy than they have.
bool DirectSolver::is_thrown() const {
  for (const DirectRow& row : of_.rows)
    if (row.wanted != 0 || row.compliance > 0) return false;
  double fastest = 0;
  for (const DirectPoint& p : of_.points) {
    const Vector3 target = {p.target[0], p.target[1], std::max(p.target[2], 0.0)};
    fastest = std::max(fastest, dot(target, target));
    for (const auto& [body, lever] : {std::pair{p.a, p.r_a}, std::pair{p.b, p.r_b}}) {
      if (body < of_.movable) continue;
      const Twist& t = of_.free[body];
      const Vector3 v = velocity_at(t, lever);
      fastest = std::max(fastest, dot(v, v));
    }
  }
  if (!(fastest > 0)) return false;
  double energy = 0, mass = 0;
  for (std::size_t i = 0; i < of_.movable; ++i) {
    const DirectBody& body = of_.bodies[i];
    energy += (product(body, of_.velocity[i], of_.velocity[i]) - product(body, of_.free[i], of_.free[i])) / 2;
    mass += body.mass;
  }
  return !(energy <= Thresholds::direct_drive * mass * fastest);
}

// The interior point ends at a tolerance, and friction may push by one. Impulses that do work at the new velocities are
// reduced, all by one share, until they do none. The work of moving surfaces and of targets does not count.
void DirectSolver::keep_energy() {
  double work = 0, answer = 0;
  for (const DirectPoint& p : of_.points) {
    const Vector3 now = velocity(p), change = now - of_.velocity_of(p, of_.free);
    work += dot(p.impulse, now - Vector3{p.target[0], p.target[1], std::max(p.target[2], 0.0)});
    answer += dot(p.impulse, change);
  }
  for (const DirectRow& row : of_.rows) {
    const double now = of_.velocity_of(row, of_.velocity);
    work += row.impulse * (now - row.target);
    answer += row.impulse * (now - of_.velocity_of(row, of_.free));
  }
  if (!(work > Thresholds::direct_work_left * of_.mean_weight * of_.weight_speed)) return;
  const double share = answer > work ? (answer - work) / answer : 0;
  for (DirectPoint& p : of_.points) p.impulse = share * p.impulse;
  for (DirectRow& row : of_.rows) row.impulse = std::min(std::max(share * row.impulse, row.least), row.largest);
}

// Sets the velocities from the impulses.
void DirectSolver::take_impulses() {
  of_.velocity = of_.free;
  for (DirectPoint& p : of_.points) p.change = p.impulse;
  of_.apply_changes();
  for (const DirectRow& row : of_.rows) of_.accelerate(row, row.impulse, of_.velocity);
}

void DirectSolver::hold_rows_within_bounds() {
  for (DirectRow& row : of_.rows) row.is_held = row.impulse > row.least && row.impulse < row.largest;
}

// The bounds of springs change from step to step.
void DirectSolver::put_rows_on_bounds() {
  for (DirectRow& row : of_.rows) {
    row.change = 0;
    if (!row.is_held || !has_bound(row)) continue;
    const double most = Thresholds::direct_near_bound * std::abs(row.impulse);
    const bool at_least = row.impulse - row.least < most;
    row.is_held = !at_least && !(row.largest - row.impulse < most);
    if (row.is_held) continue;
    const double bound = at_least ? row.least : row.largest;
    row.change = bound - row.impulse;
    row.impulse = bound;
  }
  of_.apply_row_changes();
}

double DirectSolver::row_residual() const {
  double most = 0;
  for (const DirectRow& row : of_.rows) {
    const double miss = of_.miss_of(row);
    if (miss > 0 ? row.impulse > row.least : row.impulse < row.largest) most = std::max(most, std::abs(miss));
  }
  return most;
}

// True if the impulses to begin with meet all targets within rounding.
bool DirectSolver::is_settled() const {
  if (substeps_ > 1 || is_hit_ || rebounds_) return false;
  const double most = Thresholds::direct_settled * of_.weight_speed;
  bool is_loaded = false;
  for (const DirectPoint& p : of_.points) {
    const Vector3 u = excess(p);
    if (u[2] < -most) return false;
    if (p.status == DirectStatus::open) continue;
    is_loaded = true;
    if (!(std::max({std::abs(u[0]), std::abs(u[1]), std::abs(u[2])}) <= most)) return false;
    if (p.status == DirectStatus::slips && leaves_cone(p, p.impulse)) return false;
  }
  for (const DirectRow& row : of_.rows)
    if (!row.is_held || !(std::abs(of_.miss_of(row)) <= most)) return false;
  return is_loaded;
}

bool DirectSolver::find_impulses() {
  double greatest = 0;
  for (const DirectPoint& p : of_.points) greatest = std::max(greatest, p.impulse[2]);
  tolerance_ = Thresholds::direct_cone * std::max(greatest, of_.mean_weight);
  std::vector<Vector3> initial;
  for (const DirectPoint& p : of_.points) initial.push_back(p.impulse);
  const std::vector<DirectRow> initial_rows = of_.rows;
  set_statuses(greatest > 0);
  hold_rows_within_bounds();
  if (greatest > 0 && is_settled()) {
    of_.algorithm = IslandAlgorithm::last_impulses;
    return true;
  }
  put_rows_on_bounds();
  const bool have_bounds = std::ranges::any_of(of_.rows, has_bound<DirectRow>);
  const int tries = Thresholds::direct_tries + (have_bounds ? Thresholds::direct_bound_tries : 0);
  Verdict verdict = Verdict::contradicted;
  for (int i = 1; i <= tries && verdict == Verdict::contradicted; ++i)
    verdict = factor() ? solve_statuses(i == tries) : Verdict::failed;
  if (verdict == Verdict::accepted) {
    // Every solve leaves a fraction of the error of new impulses. If it is large, or unknown, more solves follow.
    const bool are_rows_known = of_.points.empty() && std::ranges::any_of(of_.rows, [&](const DirectRow& row) {
                                  const SceneRow& given = state_.rows[row.row];
                                  return std::clamp(given.warm_impulse, given.least, given.largest) != 0;
                                });
    const bool are_new = is_hit_ || (!(greatest > 0) && !are_rows_known);
    for (int i = 0; i < Thresholds::direct_repeats; ++i) {
      const bool misses =
          missed_ > Thresholds::direct_miss *
                        (of_.weight_speed + Thresholds::direct_moving * std::max(approach_ - of_.weight_speed, 0.0)) ||
          row_residual() > Thresholds::direct_push;
      if (!misses && (!are_new || i >= Thresholds::direct_tries)) break;
      if (!solve_or_restore([] { return true; })) break;
    }
    for (int i = 0; i < Thresholds::direct_turns; ++i)
      if (!turn_friction()) break;
    const bool slips =
        std::ranges::any_of(of_.points, [](const DirectPoint& p) { return p.status == DirectStatus::slips; });
    if (slips || missed_ > Thresholds::direct_miss * of_.weight_speed) keep_energy();
    // Friction that follows its load may move light bodies.
    const double most = Thresholds::direct_left * of_.weight_speed + Thresholds::direct_converged * approach_;
    if (of_.violation() > most || is_thrown() || lacks_friction()) verdict = Verdict::contradicted;
  }
  if (verdict != Verdict::accepted) {
    if (!may_use_interior_point_) return false;
    for (std::size_t i = 0; i < initial.size(); ++i) of_.points[i].impulse = initial[i];
    of_.rows = initial_rows;
    take_impulses();
    if (!solve_by_interior_point(of_)) return false;
    of_.algorithm = IslandAlgorithm::interior_point;
    take_impulses();
    // Contacts may not approach, and may not have an impulse while they separate.
    double error = of_.violation();
    for (const DirectPoint& p : of_.points) {
      const double both = std::min(excess(p)[2], p.impulse[2] * p.inverse_mass);
      if (!(both <= error)) error = both;
    }
    if (!(error <= Thresholds::direct_failure * std::max(approach_, of_.weight_speed))) return false;
    keep_in_cones();
    keep_rows_in_bounds();
    keep_energy();
    take_impulses();
    return !is_thrown();
  }
  take_impulses();
  return true;
}

}  // namespace carom::reference
