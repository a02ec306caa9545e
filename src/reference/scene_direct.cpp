#include "reference/scene_direct.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reference/scene_models.hpp"
#include "reference/vector.hpp"

namespace carom::reference {
namespace {

using Thresholds = SceneThresholds;

constexpr double least_pivot = 1e-15;  // relative to the diagonal element

// x·M y
double product(const DirectBody& body, const Twist& x, const Twist& y) {
  return body.mass * dot(x.velocity, y.velocity) + dot(x.angular_velocity, body.inertia * y.angular_velocity);
}

double tangential_length(const Vector3& v) {
  return std::sqrt(v[0] * v[0] + v[1] * v[1]);
}

// Two tangents and the unit normal. Duff et al., Building an Orthonormal Basis, Revisited, JCGT 2017.
Matrix3 axes_of(const Vector3& n) {
  const double sign = std::copysign(1.0, n[2]), a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  return {Vector3{1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}, Vector3{b, sign + n[1] * n[1] * a, -n[1]}, n};
}

// The inverse of a symmetric matrix that is positive definite by more than rounding.
std::optional<Matrix3> inverse_of(const Matrix3& m) {
  const Matrix3 cofactors = {cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])};
  const double determinant = dot(m[0], cofactors[0]), trace = m[0][0] + m[1][1] + m[2][2];
  if (!(determinant > 1e-12 * trace * trace * trace) || !(determinant < 1e300)) return std::nullopt;
  return Matrix3{1 / determinant * cofactors[0], 1 / determinant * cofactors[1], 1 / determinant * cofactors[2]};
}

// The power of 4 nearest to a ratio, in [1/64, 4].
double power_of_4(double ratio) {
  return std::clamp(std::exp2(2 * std::floor(std::log2(ratio) / 2 + 0.5)), 1.0 / 64, 4.0);
}

// Multiply-adds of a sparse factorisation with 6 × 6 blocks, for the order of minimum degree. Ties go to the lower
// index. The count stops above `most`.
double work_of_factorisation(const DirectIsland& island, double most) {
  std::vector<std::set<std::size_t>> neighbours(island.movable);
  for (const auto& [first, end] : island.manifolds) {
    const DirectPoint& p = island.points[first];
    if (p.a >= island.movable || p.b >= island.movable) continue;
    neighbours[p.a].insert(p.b);
    neighbours[p.b].insert(p.a);
  }
  std::set<std::pair<std::size_t, std::size_t>> left;  // degrees and bodies
  for (std::size_t i = 0; i < neighbours.size(); ++i) left.insert({neighbours[i].size(), i});
  double work = 0;
  while (!left.empty() && !(work > most)) {
    const std::size_t body = left.begin()->second;
    left.erase(left.begin());
    const std::set<std::size_t>& border = neighbours[body];
    const auto blocks = static_cast<double>(border.size());
    work += 112 + 126 * blocks + 108 * blocks * (blocks + 1);
    for (std::size_t i : border) {
      left.erase({neighbours[i].size(), i});
      neighbours[i].insert(border.begin(), border.end());
      neighbours[i].erase(i);
      neighbours[i].erase(body);
      left.insert({neighbours[i].size(), i});
    }
  }
  return work;
}

class Direct {
 public:
  Direct(SceneState& state, const SceneIsland& island, const SceneOptions& options)
      : state_(state), island_(island), options_(options.substeps), all_(options) {
    of_.weight_speed = options.rest.gravity * options.substeps.time_step;
  }

  bool load();
  /// True if the factorisation is cheap enough for the sweeps that it replaces.
  bool is_small(int substeps);
  bool run();
  SceneOutcome store();

 private:
  enum class Verdict : std::uint8_t { accepted, contradicted, failed };

  bool add_body(std::size_t place);
  void add(const SceneBlock& block);

  Vector3 velocity(const DirectPoint& p) const { return of_.velocity_of(p, of_.velocity); }
  // Velocity relative to the target.
  Vector3 excess(const DirectPoint& p) const { return velocity(p) - p.target; }

  void set_targets();
  void measure_approach();
  bool find_impulses();
  void set_statuses(bool is_loaded);
  void set_weights();
  bool factor();
  Verdict solve_statuses(bool is_last);
  bool leaves_cone(const DirectPoint& p, const Vector3& impulse) const;
  bool turn_friction();
  void solve_again();
  void release();
  bool hold_approaching();
  void keep_in_cones();
  void keep_energy();
  bool is_thrown() const;
  void take_impulses();
  void move();
  Twists correct_overlaps();
  void rebound();
  bool is_in_range() const;

  SceneState& state_;
  const SceneIsland& island_;
  const SubstepsOptions& options_;
  const SceneOptions& all_;
  DirectIsland of_;
  std::map<std::size_t, std::size_t> index_of_;  // of a place, in of_.bodies
  Twists moving_;                                // velocities of the motion
  double approach_ = 0, residual_ = 0;           // [m/s]
  double mean_momentum_ = 0;                     // [N s] of a body with the forces of the step
  double missed_ = 0;     // [m/s] max. by which held contacts missed their targets in the last solve
  double tolerance_ = 0;  // [N s] by which impulses may leave their cones
  bool is_struck_ = false, rebounds_ = false, may_use_interior_point_ = false;
};

bool is_plain(const SceneContact& c) {
  return !has_model(c) && !std::isfinite(c.frequency) && !(c.static_friction > c.friction);
}

bool Direct::add_body(std::size_t place) {
  const Body& from = state_.bodies[place];
  DirectBody body;
  body.place = place;
  Twist now = {from.velocity, from.angular_velocity}, forces;
  if (state_.is_movable(place)) {
    const std::optional<Matrix3> inertia = inverse_of(from.inverse_inertia);
    body.inverse_mass = from.inverse_mass;
    body.mass = 1 / from.inverse_mass;
    if (!(from.inverse_mass > 0) || !std::isfinite(body.mass) || !inertia) return false;
    body.inverse_inertia = from.inverse_inertia;
    body.inertia = *inertia;
    if (place < state_.changes.size()) forces = state_.changes[place];
  }
  index_of_[place] = of_.bodies.size();
  of_.bodies.push_back(body);
  of_.free.push_back(now);
  of_.before.push_back(now - forces);
  return true;
}

void Direct::add(const SceneBlock& block) {
  const std::size_t begin = of_.points.size();
  for (std::size_t place : {block.a, block.b})
    if (!index_of_.contains(place)) add_body(place);
  for (std::size_t i : block.items) {
    const SceneContact& c = state_.contacts[i];
    DirectPoint p;
    p.contact = i;
    p.a = index_of_[block.a];
    p.b = index_of_[block.b];
    p.axes = axes_of(1 / std::sqrt(dot(c.data.normal, c.data.normal)) * c.data.normal);
    p.lever_a = c.data.lever_a;
    p.lever_b = c.data.lever_b;
    p.friction = c.friction;
    p.gap = c.gap;
    p.slop = slop_of(state_, c, options_);
    p.restitution = c.data.restitution;
    p.least_velocity = c.least_velocity;
    p.inverse_mass = of_.bodies[p.a].inverse_mass + of_.bodies[p.b].inverse_mass;
    p.target = p.axes * c.surface_velocity;
    const Vector3 warm = options_.warm_start * (p.axes * c.warm_impulse);
    const double size = tangential_length(warm), most = p.friction * warm[2], cut = size > most ? most / size : 1;
    if (warm[2] > 0) p.impulse = {cut * warm[0], cut * warm[1], warm[2]};
    p.initial_impulse = p.impulse;
    of_.points.push_back(p);
  }
  of_.manifolds.push_back({begin, of_.points.size()});
}

// Returns false for an island with other than plain contacts of bodies with a mass and an inertia.
bool Direct::load() {
  if (!island_.rows.empty() || static_cast<double>(island_.bodies.size()) > Thresholds::direct_bodies) return false;
  for (std::size_t i : island_.contacts)
    if (!is_plain(state_.contacts[i])) return false;
  for (std::size_t place : island_.bodies)
    if (!add_body(place)) return false;
  of_.movable = of_.bodies.size();
  for (const SceneBlock& block : island_.blocks) add(block);
  double mass = 0;
  for (const DirectBody& body : of_.bodies) mass += body.mass;
  of_.mean_weight = of_.weight_speed * mass / static_cast<double>(of_.movable);
  return true;
}

bool Direct::is_small(int substeps) {
  const auto points = static_cast<double>(of_.points.size());
  const double visits = options_.rounds * (options_.sweeps + options_.relaxing);
  const double sweeps = 80 * visits * points * substeps;
  const double most = std::min(Thresholds::direct_work, sweeps / Thresholds::direct_tries);
  const double work = work_of_factorisation(of_, most);
  // The credit of an island without a past.
  const double price = (Thresholds::direct_tries * work + 12 * (work + 350 * points)) / sweeps;
  may_use_interior_point_ = price <= std::max(Thresholds::direct_income, Thresholds::direct_credit);
  return work <= most;
}

// Contacts may close their gap. A small gap of a loaded contact counts as closed.
void Direct::set_targets() {
  for (DirectPoint& p : of_.points) {
    const bool is_closed = p.gap <= 0 || (p.gap < Thresholds::direct_closed * p.slop && p.impulse[2] > 0);
    p.target[2] = p.least_velocity - (is_closed ? 0 : p.gap / options_.time_step);
  }
}

void Direct::measure_approach() {
  for (const DirectPoint& p : of_.points) {
    const double now = of_.velocity_of(p, of_.free)[2], before = of_.velocity_of(p, of_.before)[2];
    approach_ = std::max(approach_, p.least_velocity - now);
    if (!(now < p.target[2])) continue;
    if (p.target[2] - before > Thresholds::direct_blow * of_.weight_speed) is_struck_ = true;
    const double at_rest = std::max(all_.restitution_threshold, Thresholds::direct_blow * std::abs(now - before));
    if (p.restitution > 0 && -before > at_rest) rebounds_ = true;
  }
}

// Statuses by the impulses of the last step. A contact near the boundary of its cone which slips against its friction
// slides, and its friction turns against the slip. Without any impulses all closed contacts stick.
void Direct::set_statuses(bool is_loaded) {
  bool any = false;
  for (DirectPoint& p : of_.points) {
    p.change = {};
    if (!is_loaded) {
      p.status = p.gap <= 0 ? DirectStatus::sticks : DirectStatus::open;
      continue;
    }
    const double size = tangential_length(p.impulse), most = p.friction * p.impulse[2];
    p.status = !(p.impulse[2] > 0)        ? DirectStatus::open
               : size < most * (1 - 1e-6) ? DirectStatus::sticks
                                          : DirectStatus::slips;
    if (p.status == DirectStatus::open || !(size > Thresholds::direct_slipping * most)) continue;
    const Vector3 u = excess(p);
    const double slip = tangential_length(u), along = u[0] * p.impulse[0] + u[1] * p.impulse[1];
    if (!(slip > Thresholds::direct_slip)) continue;
    if (!(along < (p.status == DirectStatus::slips ? 0 : -0.9 * slip * size))) continue;
    p.status = DirectStatus::slips;
    p.change = Vector3{-most / slip * u[0], -most / slip * u[1], p.impulse[2]} - p.impulse;
    p.impulse = p.impulse + p.change;
    any = true;
  }
  if (any) of_.apply_changes();
}

// A contact with a small share of the load of its manifold has a smaller weight, so that its impulse stays positive.
void Direct::set_weights() {
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
bool Direct::factor() {
  set_weights();
  of_.begin_matrix();
  for (const DirectPoint& p : of_.points) {
    if (p.status == DirectStatus::open) continue;
    const double friction = p.status == DirectStatus::sticks ? p.weight : 0;
    of_.add(p, Matrix3{Vector3{friction, 0, 0}, Vector3{0, friction, 0}, Vector3{0, 0, p.weight}});
  }
  return of_.matrix.factor();
}

bool Direct::leaves_cone(const DirectPoint& p, const Vector3& impulse) const {
  const double most = p.friction * std::max(impulse[2], 0.0);
  // The friction of a sliding contact follows its normal impulse in the next step.
  const double lag = p.status == DirectStatus::slips ? Thresholds::direct_lag * p.friction * p.impulse[2] : 0;
  return impulse[2] < -tolerance_ || tangential_length(impulse) > most * (1 + 1e-6) + std::max(tolerance_, lag);
}

Direct::Verdict Direct::solve_statuses(bool is_last) {
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
  const Twists change = of_.solve(right);
  bool leaves = false;
  missed_ = 0;
  for (DirectPoint& p : of_.points) {
    if (p.status == DirectStatus::open) continue;
    const Vector3 miss = held(p, p.change - of_.velocity_of(p, change));
    for (const double x : miss) missed_ = std::max(missed_, std::abs(x));
    p.change = p.weight * miss;
    leaves = leaves || !is_finite(p.change) || leaves_cone(p, p.impulse + p.change);
  }
  if (leaves) {
    if (!is_last) release();
    return Verdict::contradicted;
  }
  for (DirectPoint& p : of_.points) p.impulse = p.impulse + p.change;
  for (std::size_t i = 0; i < of_.movable; ++i) of_.velocity[i] = of_.velocity[i] + change[i];
  if (hold_approaching()) return Verdict::contradicted;
  keep_in_cones();
  return Verdict::accepted;
}

// The friction of sliding contacts follows their loads and slips, with the same matrix. Returns false, and changes
// nothing, if there are none or if the solution contradicts the statuses.
bool Direct::turn_friction() {
  const std::vector<DirectPoint> kept = of_.points;
  const Twists kept_velocity = of_.velocity;
  bool any = false;
  for (DirectPoint& p : of_.points) {
    p.change = {};
    if (p.status != DirectStatus::slips || !(p.impulse[2] > 0)) continue;
    const Vector3 u = excess(p);
    const double slip = tangential_length(u), most = p.friction * p.impulse[2];
    if (!(slip > Thresholds::direct_push)) continue;
    p.change = Vector3{-most / slip * u[0], -most / slip * u[1], p.impulse[2]} - p.impulse;
    p.impulse = p.impulse + p.change;
    any = true;
  }
  if (!any) return false;
  of_.apply_changes();
  if (solve_statuses(true) == Verdict::accepted) return true;
  of_.points = kept;
  of_.velocity = kept_velocity;
  return false;
}

// Solves once more with the same matrix. Changes nothing if the solution contradicts the statuses.
void Direct::solve_again() {
  const std::vector<DirectPoint> kept = of_.points;
  const Twists kept_velocity = of_.velocity;
  if (solve_statuses(true) == Verdict::accepted) return;
  of_.points = kept;
  of_.velocity = kept_velocity;
}

// Opens the contacts that would pull, and lets the contacts slide that need more friction than they have.
void Direct::release() {
  for (DirectPoint& p : of_.points) {
    const Vector3 initial = p.impulse, next = p.impulse + p.change;
    if (p.status != DirectStatus::open && leaves_cone(p, next)) {
      const double normal = std::max(next[2], 0.0), size = tangential_length(next);
      const double share = size > 0 ? p.friction * normal / size : 0;
      p.status = normal > 0 ? DirectStatus::slips : DirectStatus::open;
      p.impulse = {share * next[0], share * next[1], normal};
    }
    p.change = p.impulse - initial;
  }
  of_.apply_changes();
}

// Holds the open contacts that approach, and the sliding contacts that friction would push. Returns true if there are
// any.
bool Direct::hold_approaching() {
  bool any = false;
  for (DirectPoint& p : of_.points) {
    if (p.status == DirectStatus::sticks) continue;
    const Vector3 u = excess(p);
    const double pushed = u[0] * p.impulse[0] + u[1] * p.impulse[1];
    const bool is_held = p.status == DirectStatus::open ? u[2] < -Thresholds::direct_approach
                                                        : pushed > Thresholds::direct_push * p.friction * p.impulse[2];
    if (!is_held) continue;
    p.status = DirectStatus::sticks;
    any = true;
  }
  return any;
}

void Direct::keep_in_cones() {
  for (DirectPoint& p : of_.points) {
    const Vector3 initial = p.impulse;
    const double size = tangential_length(p.impulse), most = p.friction * p.impulse[2];
    if (!(p.impulse[2] > Thresholds::direct_nothing * mean_momentum_))
      p.impulse = {};
    else if (size > most)
      p.impulse = {most / size * p.impulse[0], most / size * p.impulse[1], p.impulse[2]};
    p.change = p.impulse - initial;
  }
  of_.apply_changes();
}

// Velocities that are prescribed may wedge a body. Returns true if the island has gained more energy than they have.
bool Direct::is_thrown() const {
  double fastest = 0;
  for (const DirectPoint& p : of_.points) {
    const Vector3 target = {p.target[0], p.target[1], std::max(p.target[2], 0.0)};
    fastest = std::max(fastest, dot(target, target));
    for (const auto& [body, lever] : {std::pair{p.a, p.lever_a}, std::pair{p.b, p.lever_b}}) {
      if (body < of_.movable) continue;
      const Twist& t = of_.free[body];
      const Vector3 v = t.velocity + cross(t.angular_velocity, lever);
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
void Direct::keep_energy() {
  double work = 0, answer = 0;
  for (const DirectPoint& p : of_.points) {
    const Vector3 now = velocity(p), change = now - of_.velocity_of(p, of_.free);
    work += dot(p.impulse, now - Vector3{p.target[0], p.target[1], std::max(p.target[2], 0.0)});
    answer += dot(p.impulse, change);
  }
  if (!(work > Thresholds::direct_work_left * of_.mean_weight * of_.weight_speed)) return;
  const double share = answer > work ? (answer - work) / answer : 0;
  for (DirectPoint& p : of_.points) p.impulse = share * p.impulse;
}

// Sets the velocities from the impulses.
void Direct::take_impulses() {
  of_.velocity = of_.free;
  for (DirectPoint& p : of_.points) p.change = p.impulse;
  of_.apply_changes();
}

bool Direct::find_impulses() {
  double greatest = 0;
  for (const DirectPoint& p : of_.points) greatest = std::max(greatest, p.impulse[2]);
  tolerance_ = Thresholds::direct_cone * std::max(greatest, of_.mean_weight);
  std::vector<Vector3> initial;
  for (const DirectPoint& p : of_.points) initial.push_back(p.impulse);
  set_statuses(greatest > 0);
  Verdict verdict = Verdict::contradicted;
  for (int i = 1; i <= Thresholds::direct_tries && verdict == Verdict::contradicted; ++i)
    verdict = factor() ? solve_statuses(i == Thresholds::direct_tries) : Verdict::failed;
  if (verdict == Verdict::accepted) {
    // Every solve leaves a share of the error of new impulses. Where it is large, or has not been seen, more follow.
    const bool are_new = is_struck_ || !(greatest > 0);
    for (int i = 0; i < Thresholds::direct_repeats; ++i) {
      const bool misses = missed_ > Thresholds::direct_miss * of_.weight_speed;
      if (!misses && (!are_new || i >= Thresholds::direct_tries)) break;
      solve_again();
    }
    for (int i = 0; i < Thresholds::direct_turns; ++i)
      if (!turn_friction()) break;
    if (std::ranges::any_of(of_.points, [](const DirectPoint& p) { return p.status == DirectStatus::slips; }))
      keep_energy();
    // Friction that follows its load may move light bodies.
    const double most = Thresholds::direct_left * of_.weight_speed + Thresholds::direct_converged * approach_;
    if (of_.violation() > most || is_thrown()) verdict = Verdict::contradicted;
  }
  if (verdict != Verdict::accepted) {
    if (!may_use_interior_point_) return false;
    for (std::size_t i = 0; i < initial.size(); ++i) of_.points[i].impulse = initial[i];
    take_impulses();
    if (!solve_by_interior_point(of_)) return false;
    take_impulses();
    // Contacts may neither approach nor have an impulse and separate.
    double error = of_.violation();
    for (const DirectPoint& p : of_.points) {
      const double both = std::min(excess(p)[2], p.impulse[2] * p.inverse_mass);
      if (!(both <= error)) error = both;
    }
    if (!(error <= Thresholds::direct_failure * std::max(approach_, of_.weight_speed))) return false;
    keep_in_cones();
    keep_energy();
    take_impulses();
    return !is_thrown();
  }
  take_impulses();
  return true;
}

bool Direct::run() {
  set_targets();
  measure_approach();
  for (std::size_t i = 0; i < of_.movable; ++i)
    mean_momentum_ += of_.bodies[i].mass * std::sqrt(dot(of_.free[i].velocity, of_.free[i].velocity)) /
                      static_cast<double>(of_.movable);
  take_impulses();
  if (!find_impulses()) return false;
  residual_ = of_.violation();
  move();
  if (rebounds_) rebound();
  return is_in_range();
}

// Bodies without impulses fly under their forces. The others move with their new velocities, and out of their overlaps.
void Direct::move() {
  moving_ = of_.velocity;
  std::vector<bool> is_pushed(of_.bodies.size(), false);
  for (const DirectPoint& p : of_.points)
    if (p.impulse != Vector3{}) is_pushed[p.a] = is_pushed[p.b] = true;
  for (std::size_t i = 0; i < of_.movable; ++i)
    if (!is_pushed[i]) moving_[i] = 0.5 * (of_.before[i] + of_.velocity[i]);
  const Twists correction = correct_overlaps();
  for (std::size_t i = 0; i < of_.movable; ++i) moving_[i] = moving_[i] + correction[i];
}

// Velocities that reduce the overlaps, and that are not kept. Loaded contacts hold; friction does not count.
Twists Direct::correct_overlaps() {
  const Twists none(of_.bodies.size());
  if (std::ranges::none_of(of_.points, [](const DirectPoint& p) { return p.gap < -p.slop; })) return none;
  const double rate = options_.push_out / options_.time_step;
  std::vector<double> wanted;
  for (DirectPoint& p : of_.points) {
    const double pushed = std::min(rate * std::max(-p.gap - p.slop, 0.0), options_.largest_push_out_speed);
    wanted.push_back(p.gap <= 0 ? std::max(pushed - std::max(velocity(p)[2], 0.0), 0.0) : 0);
    p.status = p.impulse[2] > 0 || wanted.back() > 0 ? DirectStatus::slips : DirectStatus::open;
  }
  if (!factor()) return none;
  std::vector<double> right = of_.right_hand_side();
  for (std::size_t i = 0; i < wanted.size(); ++i)
    of_.add(of_.points[i], {0, 0, of_.points[i].weight * wanted[i]}, right);
  Twists correction = of_.solve(right);
  double fastest = 0;
  for (const Twist& t : correction) fastest = std::max(fastest, dot(t.angular_velocity, t.angular_velocity));
  const double angle = std::sqrt(fastest) * options_.time_step;
  if (!std::isfinite(angle)) return none;
  if (angle > Thresholds::direct_turn)
    for (Twist& t : correction) t = Thresholds::direct_turn / angle * t;
  return correction;
}

// Poisson's hypothesis: the impulses of the blow return, times the restitution, with at most e² of the energy that the
// blow took. e² is the mean of the contacts.
void Direct::rebound() {
  // Loaded contacts that may close their gap are stopped first: the bodies have moved until they touch.
  std::vector<DirectPoint>& points = of_.points;
  if (std::ranges::any_of(points,
                          [](const DirectPoint& p) { return p.impulse[2] > 0 && p.target[2] < p.least_velocity; })) {
    for (DirectPoint& p : points)
      if (p.impulse[2] > 0) p.target[2] = p.least_velocity;
    const std::vector<DirectPoint> kept = points;
    const Twists kept_velocity = of_.velocity;
    if (!find_impulses()) {
      points = kept;
      of_.velocity = kept_velocity;
    }
  }
  Twists gain(of_.bodies.size());
  double weight = 0, squares = 0;
  for (DirectPoint& p : points) {
    const double blow = std::max(p.impulse[2] - p.initial_impulse[2], 0.0);
    p.change = {0, 0, p.restitution * blow};
    of_.accelerate(p, p.change, gain);
    weight += blow;
    squares += p.restitution * p.restitution * blow;
  }
  // The energy with a share s of the gain is linear s + square s². Bodies and surfaces that move by themselves are the
  // frame of the energy that the blow took: the work of the impulses, less the work of forces over the way that the
  // bodies have not moved.
  double lost = 0, linear = 0, square = 0;
  for (const DirectPoint& p : points) {
    const Vector3 first = of_.velocity_of(p, of_.free), now = of_.velocity_of(p, of_.velocity);
    const Vector3 surface = {p.target[0], p.target[1], 0};
    lost -= dot(p.impulse, 0.5 * (first + now) - surface);
    linear += p.change[2] * now[2];
  }
  for (std::size_t i = 0; i < of_.movable; ++i) {
    const DirectBody& body = of_.bodies[i];
    const Twist forces = of_.free[i] - of_.before[i];
    lost -= product(body, forces, 0.5 * (of_.before[i] + of_.free[i]) - moving_[i]);
    square += product(body, gain[i], gain[i]) / 2;
  }
  if (!(weight > 0) || !(square > 0)) return;
  const double most = std::max(lost, 0.0) * squares / weight;
  const double root = std::sqrt(std::max(linear * linear + 4 * square * most, 0.0));
  const double share = std::clamp((root - linear) / (2 * square), 0.0, 1.0);
  for (DirectPoint& p : points) p.impulse[2] += share * p.change[2];
  for (std::size_t i = 0; i < of_.movable; ++i) of_.velocity[i] = of_.velocity[i] + share * gain[i];
}

// Squares stay within the range of double.
bool Direct::is_in_range() const {
  const double most = std::sqrt(std::numeric_limits<double>::max() / 16);
  const auto is_within = [&](const Vector3& v) {
    return std::ranges::all_of(v, [&](double x) { return std::abs(x) < most; });
  };
  return std::ranges::all_of(of_.velocity,
                             [&](const Twist& t) { return is_within(t.velocity) && is_within(t.angular_velocity); }) &&
         std::ranges::all_of(of_.points, [&](const DirectPoint& p) { return is_within(p.impulse); });
}

SceneOutcome Direct::store() {
  for (std::size_t i = 0; i < of_.movable; ++i) {
    Body& body = state_.bodies[of_.bodies[i].place];
    body.velocity = of_.velocity[i].velocity;
    body.angular_velocity = of_.velocity[i].angular_velocity;
    state_.moved[of_.bodies[i].place] = options_.time_step * moving_[i];
  }
  for (const DirectPoint& p : of_.points) {
    SceneContact& c = state_.contacts[p.contact];
    c.impulse = c.frame.to_contact * (transpose(p.axes) * p.impulse);
    // The next step starts from these impulses. After a blow they are limited to the growth of a load in a step.
    const double mass = of_.bodies[p.a].mass + of_.bodies[p.b].mass;
    const bool separates = velocity(p)[2] > of_.weight_speed;
    const double most = separates ? 0 : 2 * p.initial_impulse[2] + of_.weight_speed * mass;
    c.next_impulse = (is_struck_ && p.impulse[2] > most ? most / p.impulse[2] : 1) * c.impulse;
    const double bound = p.friction * p.impulse[2] * (1 - 1e-6);
    if (p.impulse != Vector3{}) c.path.course = tangential_length(p.impulse) >= bound ? Course::slip : Course::stick;
  }
  SceneOutcome outcome;
  outcome.iterations = of_.solves;
  outcome.approach = approach_;
  outcome.residual = residual_;
  if (residual_ > std::max(Thresholds::direct_push, Thresholds::direct_converged * approach_))
    outcome.status = IslandStatus::not_converged;
  return outcome;
}

}  // namespace

void DirectMatrix::clear(const std::vector<std::size_t>& first) {
  first_ = first;
  rows_.resize(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) rows_[i].assign(i + 1 - first[i], 0.0);
}

bool DirectMatrix::factor() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t j = first_[i]; j <= i; ++j) {
      const double element = at(i, j);
      double rest = element;
      for (std::size_t k = std::max(first_[i], first_[j]); k < j; ++k) rest -= at(i, k) * at(j, k);
      if (j < i) {
        at(i, j) = rest / at(j, j);
        continue;
      }
      // Rounding may have made the pivot too small.
      rest = std::max(rest, least_pivot * element);
      if (!(rest > 0) || !std::isfinite(rest)) return false;
      at(i, i) = std::sqrt(rest);
    }
  }
  return true;
}

void DirectMatrix::solve(std::vector<double>& x) const {
  const auto element = [&](std::size_t i, std::size_t j) { return rows_[i][j - first_[i]]; };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t j = first_[i]; j < i; ++j) x[i] -= element(i, j) * x[j];
    x[i] /= element(i, i);
  }
  for (std::size_t i = rows_.size(); i-- > 0;) {
    x[i] /= element(i, i);
    for (std::size_t j = first_[i]; j < i; ++j) x[j] -= element(i, j) * x[i];
  }
}

Vector3 DirectIsland::velocity_of(const DirectPoint& p, const Twists& twists) const {
  const Twist &a = twists[p.a], &b = twists[p.b];
  return p.axes *
         (a.velocity + cross(a.angular_velocity, p.lever_a) - b.velocity - cross(b.angular_velocity, p.lever_b));
}

double DirectIsland::violation() const {
  double most = 0;
  for (const DirectPoint& p : points) {
    const double missing = p.target[2] - velocity_of(p, velocity)[2];
    if (!(missing <= most)) most = missing;
  }
  return most;
}

void DirectIsland::accelerate(const DirectPoint& p, const Vector3& impulse, Twists& twists) const {
  const Vector3 force = transpose(p.axes) * impulse;
  const auto push = [&](std::size_t i, const Vector3& lever, const Vector3& by) {
    if (i >= movable) return;
    twists[i].velocity = twists[i].velocity + bodies[i].inverse_mass * by;
    twists[i].angular_velocity = twists[i].angular_velocity + bodies[i].inverse_inertia * cross(lever, by);
  };
  push(p.a, p.lever_a, force);
  push(p.b, p.lever_b, -1.0 * force);
}

void DirectIsland::apply_changes() {
  for (const DirectPoint& p : points)
    if (p.change != Vector3{}) accelerate(p, p.change, velocity);
}

void DirectIsland::begin_matrix() {
  std::vector<std::size_t> first(6 * movable);
  for (std::size_t i = 0; i < movable; ++i)
    for (std::size_t c = 0; c < 6; ++c) first[6 * i + c] = 6 * i;
  for (const auto& [begin, end] : manifolds) {
    const std::size_t low = std::min(points[begin].a, points[begin].b),
                      high = std::max(points[begin].a, points[begin].b);
    if (high < movable)
      for (std::size_t c = 0; c < 6; ++c) first[6 * high + c] = std::min(first[6 * high + c], 6 * low);
  }
  matrix.clear(first);
  for (std::size_t i = 0; i < movable; ++i)
    for (std::size_t r = 0; r < 3; ++r) {
      matrix.at(6 * i + r, 6 * i + r) = bodies[i].mass;
      for (std::size_t c = 0; c <= r; ++c) matrix.at(6 * i + 3 + r, 6 * i + 3 + c) = bodies[i].inertia[r][c];
    }
}

void DirectIsland::add(const DirectPoint& p, const Matrix3& weight) {
  // Rows of the Jacobian of a body: an axis, and lever × axis.
  struct Side {
    std::size_t body;
    std::array<std::array<double, 6>, 3> j;
  };
  std::vector<Side> sides;
  const auto add_side = [&](std::size_t body, const Vector3& lever, double sign) {
    if (body >= movable) return;
    Side side{body, {}};
    for (std::size_t r = 0; r < 3; ++r) {
      const Vector3 turn = cross(lever, p.axes[r]);
      for (std::size_t c = 0; c < 3; ++c) {
        side.j[r][c] = sign * p.axes[r][c];
        side.j[r][3 + c] = sign * turn[c];
      }
    }
    sides.push_back(side);
  };
  add_side(p.a, p.lever_a, 1);
  add_side(p.b, p.lever_b, -1);
  for (const Side& x : sides)
    for (const Side& y : sides)
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 6; ++k) {
          const std::size_t row = 6 * x.body + i, column = 6 * y.body + k;
          if (column > row) continue;
          for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c) matrix.at(row, column) += x.j[r][i] * weight[r][c] * y.j[c][k];
        }
}

void DirectIsland::add(const DirectPoint& p, const Vector3& impulse, std::vector<double>& right) const {
  const Vector3 force = transpose(p.axes) * impulse;
  const auto push = [&](std::size_t i, const Vector3& lever, const Vector3& by) {
    if (i >= movable) return;
    const Vector3 torque = cross(lever, by);
    for (std::size_t c = 0; c < 3; ++c) {
      right[6 * i + c] += by[c];
      right[6 * i + 3 + c] += torque[c];
    }
  };
  push(p.a, p.lever_a, force);
  push(p.b, p.lever_b, -1.0 * force);
}

Twists DirectIsland::solve(std::vector<double> right) const {
  matrix.solve(right);
  Twists made(bodies.size());
  for (std::size_t i = 0; i < movable; ++i) {
    const double* const x = &right[6 * i];
    made[i] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
  return made;
}

std::optional<SceneOutcome> solve_direct(SceneState& state, const SceneIsland& island, const SceneOptions& options,
                                         int substeps) {
  Direct direct(state, island, options);
  if (!direct.load() || !direct.is_small(substeps) || !direct.run()) return std::nullopt;
  return direct.store();
}

}  // namespace carom::reference
