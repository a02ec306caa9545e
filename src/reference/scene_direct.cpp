#include "reference/scene_direct.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "reference/scene_energy.hpp"
#include "reference/scene_models.hpp"
#include "reference/vector.hpp"

namespace carom::reference {
namespace {

using Thresholds = SceneThresholds;

constexpr double least_pivot = 1e-15;  // relative to the diagonal element
constexpr double immovable = 1e30;     // [m²] inertia over mass, about axes about which a body cannot turn
constexpr int more_tries = 2;          // of an island whose rows have bounds

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

// The axes of the world that have no part in an inverse inertia: about them the body cannot turn.
std::array<bool, 3> locked_axes(const Matrix3& m) {
  return {m[0] == Vector3{}, m[1] == Vector3{}, m[2] == Vector3{}};
}

// The inverse of a symmetric matrix that is positive definite by more than rounding, without the locked axes.
std::optional<Matrix3> inverse_of(Matrix3 m, const std::array<bool, 3>& locked) {
  const std::size_t count = static_cast<std::size_t>(std::ranges::count(locked, true));
  if (count == 3) return Matrix3{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      if (locked[i] || locked[k]) m[i][k] = 0;
  const double diagonal = m[0][0] + m[1][1] + m[2][2];
  for (std::size_t i = 0; i < 3; ++i)
    if (locked[i]) m[i][i] = diagonal;
  const Matrix3 cofactors = {cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])};
  const double determinant = dot(m[0], cofactors[0]), trace = m[0][0] + m[1][1] + m[2][2];
  if (!(determinant > 1e-12 * trace * trace * trace) || !(determinant < 1e300)) return std::nullopt;
  Matrix3 made{1 / determinant * cofactors[0], 1 / determinant * cofactors[1], 1 / determinant * cofactors[2]};
  for (std::size_t i = 0; i < 3; ++i)
    if (locked[i]) made[i][i] = 0;
  return made;
}

// The power of 4 nearest to a ratio, in [1/64, 4].
double power_of_4(double ratio) {
  return std::clamp(std::exp2(2 * std::floor(std::log2(ratio) / 2 + 0.5)), 1.0 / 64, 4.0);
}

// Multiply-adds of a sparse factorisation with 6 × 6 blocks, for the order of minimum degree. Ties go to the lower
// index. The count stops above `most`.
double work_of_factorisation(const DirectIsland& island, double most) {
  std::vector<std::set<std::size_t>> neighbours(island.movable);
  const auto connect = [&](std::size_t a, std::size_t b) {
    if (a >= island.movable || b >= island.movable) return;
    neighbours[a].insert(b);
    neighbours[b].insert(a);
  };
  for (const auto& [first, end] : island.manifolds) connect(island.points[first].a, island.points[first].b);
  for (const DirectRow& row : island.rows) connect(row.a, row.b);
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
  void add_group(const SceneBlock& block);
  int number_of_substeps() const;
  void begin_substep(int substep);
  bool run_substep();
  void end_substep();
  void stiffen();
  void set_row_targets();
  Twist ahead(std::size_t body, const Twists& velocities) const;
  double error_of(const DirectRow& row, const Twist& a, const Twist& b, double elapsed) const;
  bool keep_rows(Twists& gain);
  double row_residual() const;
  bool leaves_bounds(const DirectRow& row, double impulse) const;
  bool hold_rows();
  void hold_rows_within_bounds();
  void keep_rows_in_bounds();

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
  bool solve_again();
  void release();
  bool hold_approaching();
  void keep_in_cones();
  void keep_energy();
  bool is_thrown() const;
  void take_impulses();
  void move();
  Twists correct_positions();
  void rebound();
  bool is_in_range() const;

  SceneState& state_;
  const SceneIsland& island_;
  const SubstepsOptions& options_;
  const SceneOptions& all_;
  DirectIsland of_;
  int substeps_ = 1;
  double h_ = 0, elapsed_ = 0;                   // [s] of a substep; at its end
  Twists forces_, moved_;                        // of the whole step; since its start
  std::map<std::size_t, std::size_t> index_of_;  // of a place, in of_.bodies
  Twists moving_;                                // velocities of the motion
  double approach_ = 0, residual_ = 0;           // [m/s]
  double mean_momentum_ = 0;                     // [N s] of a body with the forces of the step
  double missed_ = 0;     // [m/s] max. by which held contacts missed their targets in the last solve
  double tolerance_ = 0;  // [N s] by which impulses may leave their cones
  bool is_struck_ = false, rebounds_ = false, may_use_interior_point_ = false;
};

bool is_plain(const SceneContact& c) {
  return !has_model(c) && !std::isfinite(c.frequency);
}

bool Direct::add_body(std::size_t place) {
  const Body& from = state_.bodies[place];
  DirectBody body;
  body.place = place;
  Twist now = {from.velocity, from.angular_velocity}, forces;
  if (state_.is_movable(place)) {
    body.locked = locked_axes(from.inverse_inertia);
    const std::optional<Matrix3> inertia = inverse_of(from.inverse_inertia, body.locked);
    for (std::size_t i = 0; i < 3; ++i)
      if (body.locked[i] && now.angular_velocity[i] != 0) return false;
    body.inverse_mass = from.inverse_mass;
    body.mass = 1 / from.inverse_mass;
    if (!(from.inverse_mass > 0) || !std::isfinite(body.mass) || !inertia) return false;
    body.inverse_inertia = body.first_inverse_inertia = from.inverse_inertia;
    body.inertia = body.first_inertia = *inertia;
  }
  if (place < state_.changes.size()) forces = state_.changes[place];
  index_of_[place] = of_.bodies.size();
  of_.bodies.push_back(body);
  of_.free.push_back(now);
  of_.before.push_back(now - forces);
  forces_.push_back(forces);
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
    p.gap = p.first_gap = c.gap;
    p.slop = slop_of(state_, c, options_);
    p.restitution = c.data.restitution;
    p.least_velocity = c.least_velocity;
    p.inverse_mass = of_.bodies[p.a].inverse_mass + of_.bodies[p.b].inverse_mass;
    p.target = p.axes * c.surface_velocity;
    const Vector3 warm = options_.warm_start * (p.axes * c.warm_impulse);
    const double size = tangential_length(warm), most = p.friction * warm[2], cut = size > most ? most / size : 1;
    if (warm[2] > 0) p.next_impulse = {cut * warm[0], cut * warm[1], warm[2]};
    of_.points.push_back(p);
  }
  of_.manifolds.push_back({begin, of_.points.size()});
}

void Direct::add_group(const SceneBlock& block) {
  for (std::size_t place : {block.a, block.b})
    if (!index_of_.contains(place)) add_body(place);
  for (std::size_t i : block.items) {
    const SceneRow& from = state_.rows[i];
    DirectRow row;
    row.row = i;
    row.a = index_of_[block.a];
    row.b = index_of_[block.b];
    row.linear_a = from.linear_a;
    row.angular_a = from.angular_a;
    row.linear_b = from.linear_b;
    row.angular_b = from.angular_b;
    row.first_arm_a = row.arm_a = from.arm_a;
    row.first_arm_b = row.arm_b = from.arm_b;
    row.wanted = from.target;
    row.first_error = row.error = from.error;
    row.least = from.least;
    row.largest = from.largest;
    row.allowed_error = slop_of(state_, block.a, block.b, options_) *
                        (from.has_error ? Thresholds::direct_closed : Thresholds::direct_joint_drift);
    row.keeps_position = std::isinf(from.frequency);
    const double share = has_two_bounds(from) ? options_.warm_start : options_.joint_warm_start;
    row.next_impulse = std::clamp(share * from.warm_impulse, from.least, from.largest);
    const DirectBody &a = of_.bodies[row.a], &b = of_.bodies[row.b];
    const double mass =
        a.inverse_mass * dot(row.linear_a, row.linear_a) + b.inverse_mass * dot(row.linear_b, row.linear_b);
    const double spin =
        dot(row.angular_a, a.inverse_inertia * row.angular_a) + dot(row.angular_b, b.inverse_inertia * row.angular_b);
    row.response = from.diagonal;
    row.mass = 1 / (mass > 0 ? mass : spin);
    row.weight = Thresholds::direct_joint_weight * row.mass;
    of_.rows.push_back(row);
  }
}

// The arms of joints turn by no more than a small angle in a substep.
int Direct::number_of_substeps() const {
  double fastest = 0;
  const auto take = [&](std::size_t body, const Vector3& arm) {
    const Vector3 speed = cross(of_.free[body].angular_velocity, arm);
    if (body < of_.movable && dot(arm, arm) > 0)
      fastest = std::max(fastest, std::sqrt(dot(speed, speed) / dot(arm, arm)));
  };
  for (const DirectRow& row : of_.rows) {
    take(row.a, row.first_arm_a);
    take(row.b, row.first_arm_b);
  }
  const double angle = fastest * options_.time_step;
  if (!(angle > Thresholds::direct_still_turn)) return 1;
  int substeps = 2;
  while (angle > Thresholds::direct_arm_turn * substeps) substeps *= 2;
  while (substeps > std::min(Thresholds::direct_substeps, options_.most)) substeps /= 2;
  return substeps;
}

// Returns false for an island with other than plain contacts and rows of bodies with a mass and an inertia.
bool Direct::load() {
  if (static_cast<double>(island_.bodies.size()) > Thresholds::direct_bodies) return false;
  for (std::size_t i : island_.contacts)
    if (!is_plain(state_.contacts[i])) return false;
  for (std::size_t place : island_.bodies)
    if (!add_body(place)) return false;
  of_.movable = of_.bodies.size();
  for (const SceneBlock& block : island_.blocks) block.is_group ? add_group(block) : add(block);
  substeps_ = number_of_substeps();
  h_ = options_.time_step / substeps_;
  of_.weight_speed /= substeps_;
  for (DirectPoint& p : of_.points) p.next_impulse = 1.0 / substeps_ * p.next_impulse;
  for (DirectRow& row : of_.rows) {
    row.next_impulse /= substeps_;
    row.least /= substeps_;
    row.largest /= substeps_;
    // A frequency makes a spring and a damper, integrated implicitly.
    const SceneRow& from = state_.rows[row.row];
    row.compliance = substeps_ * from.compliance;
    if (from.frequency > 0 && std::isfinite(from.frequency)) {
      const double omega = 2 * std::numbers::pi * std::min(from.frequency, 0.25 / h_);
      const double stiffness = 2 * from.damping_ratio + h_ * omega;
      row.spring_rate = omega / stiffness;
      row.compliance += row.response / (h_ * omega * stiffness);
    }
    row.weight = 1 / (1 / row.weight + row.compliance);
    row.first_velocity = DirectIsland::velocity_of(row, of_.free);
  }
  double mass = 0;
  for (const DirectBody& body : of_.bodies) mass += body.mass;
  of_.mean_weight = of_.weight_speed * mass / static_cast<double>(of_.movable);
  return true;
}

bool Direct::is_small(int substeps) {
  const auto points = static_cast<double>(of_.points.size());
  const double visits = options_.rounds * (options_.sweeps + options_.relaxing);
  const double sweeps = (80 * points + 48 * static_cast<double>(of_.rows.size())) * visits * substeps;
  const double most = std::min(Thresholds::direct_work, sweeps / Thresholds::direct_tries);
  const double work = work_of_factorisation(of_, most);
  // The credit of an island without a past.
  const double price = (Thresholds::direct_tries * work + 12 * (work + 350 * points)) / sweeps;
  may_use_interior_point_ = price <= std::max(Thresholds::direct_income, Thresholds::direct_credit) &&
                            (of_.rows.empty() || of_.movable <= Thresholds::direct_joint_bodies);
  return work <= most;
}

// Contacts may close their gap. A small gap of a loaded contact counts as closed.
void Direct::set_targets() {
  for (DirectPoint& p : of_.points) {
    const bool is_closed = p.gap <= 0 || (p.gap < Thresholds::direct_closed * p.slop && p.impulse[2] > 0);
    p.target[2] = p.least_velocity - (is_closed ? 0 : p.gap / h_);
  }
}

void Direct::measure_approach() {
  approach_ = 0;
  is_struck_ = rebounds_ = false;
  for (const DirectRow& row : of_.rows) {
    // The direction in which a row acts alone: 1, -1, or 0 for both.
    const double acts = row.least == 0 ? 1 : row.largest == 0 ? -1 : 0;
    const double now = DirectIsland::velocity_of(row, of_.free) - row.wanted;
    const double before = DirectIsland::velocity_of(row, of_.before) - row.wanted;
    approach_ = std::max(approach_, acts == 0 ? std::abs(now) : -acts * now);
    const double free_way = row.keeps_position ? std::max(acts * row.error, 0.0) : 0;
    if (row.keeps_position && acts != 0 && -acts * before - free_way / h_ > Thresholds::direct_blow * of_.weight_speed)
      is_struck_ = true;
  }
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
    leaves = leaves || !is_finite(p.change) || leaves_cone(p, p.impulse + p.change);
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

// The friction of sliding contacts follows their loads and slips, with the same matrix. Returns false, and changes
// nothing, if no contact slides or if the solution contradicts the statuses.
bool Direct::turn_friction() {
  const std::vector<DirectPoint> kept = of_.points;
  const std::vector<DirectRow> kept_rows = of_.rows;
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
  of_.rows = kept_rows;
  of_.velocity = kept_velocity;
  return false;
}

// Solves once more with the same matrix. Changes nothing if the solution contradicts the statuses.
bool Direct::solve_again() {
  const std::vector<DirectPoint> kept = of_.points;
  const std::vector<DirectRow> kept_rows = of_.rows;
  const Twists kept_velocity = of_.velocity;
  if (solve_statuses(true) == Verdict::accepted) return true;
  of_.points = kept;
  of_.rows = kept_rows;
  of_.velocity = kept_velocity;
  return false;
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

bool Direct::leaves_bounds(const DirectRow& row, double impulse) const {
  return impulse < row.least - tolerance_ || impulse > row.largest + tolerance_;
}

// Holds the rows at a bound that would have to change their impulse away from it. Returns true if there are any.
bool Direct::hold_rows() {
  bool any = false;
  for (DirectRow& row : of_.rows) {
    if (row.is_held || !(row.least < row.largest)) continue;
    const double miss = of_.miss_of(row);
    row.is_held = row.impulse <= row.least ? miss < -Thresholds::direct_approach : miss > Thresholds::direct_approach;
    any = any || row.is_held;
  }
  return any;
}

void Direct::keep_rows_in_bounds() {
  for (DirectRow& row : of_.rows) {
    const double next = std::clamp(row.impulse, row.least, row.largest);
    row.change = next - row.impulse;
    row.impulse = next;
  }
  of_.apply_row_changes();
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
  for (const DirectRow& row : of_.rows)
    if (row.wanted != 0 || row.compliance > 0) return false;
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
  for (const DirectRow& row : of_.rows) {
    const double now = of_.velocity_of(row, of_.velocity);
    work += row.impulse * (now - row.target);
    answer += row.impulse * (now - of_.velocity_of(row, of_.free));
  }
  if (!(work > Thresholds::direct_work_left * of_.mean_weight * of_.weight_speed)) return;
  const double share = answer > work ? (answer - work) / answer : 0;
  for (DirectPoint& p : of_.points) p.impulse = share * p.impulse;
  for (DirectRow& row : of_.rows) row.impulse *= share;
}

// Sets the velocities from the impulses.
void Direct::take_impulses() {
  of_.velocity = of_.free;
  for (DirectPoint& p : of_.points) p.change = p.impulse;
  of_.apply_changes();
  for (const DirectRow& row : of_.rows) of_.accelerate(row, row.impulse, of_.velocity);
}

bool is_bounded(const DirectRow& row) {
  return std::isfinite(row.least) || std::isfinite(row.largest);
}

void Direct::hold_rows_within_bounds() {
  for (DirectRow& row : of_.rows) row.is_held = row.impulse > row.least && row.impulse < row.largest;
}

double Direct::row_residual() const {
  double most = 0;
  for (const DirectRow& row : of_.rows) {
    const double miss = of_.miss_of(row);
    if (miss > 0 ? row.impulse > row.least : row.impulse < row.largest) most = std::max(most, std::abs(miss));
  }
  return most;
}

bool Direct::find_impulses() {
  double greatest = 0;
  for (const DirectPoint& p : of_.points) greatest = std::max(greatest, p.impulse[2]);
  tolerance_ = Thresholds::direct_cone * std::max(greatest, of_.mean_weight);
  std::vector<Vector3> initial;
  for (const DirectPoint& p : of_.points) initial.push_back(p.impulse);
  const std::vector<DirectRow> initial_rows = of_.rows;
  set_statuses(greatest > 0);
  hold_rows_within_bounds();
  const bool have_bounds = std::ranges::any_of(of_.rows, is_bounded);
  const int tries = Thresholds::direct_tries + (have_bounds ? more_tries : 0);
  Verdict verdict = Verdict::contradicted;
  for (int i = 1; i <= tries && verdict == Verdict::contradicted; ++i)
    verdict = factor() ? solve_statuses(i == tries) : Verdict::failed;
  if (verdict == Verdict::accepted) {
    // Every solve leaves a share of the error of new impulses. Where it is large, or has not been seen, more follow.
    const bool are_new = is_struck_ || !(greatest > 0);
    for (int i = 0; i < Thresholds::direct_repeats; ++i) {
      const bool misses =
          missed_ > Thresholds::direct_miss * of_.weight_speed || row_residual() > Thresholds::direct_push;
      if (!misses && (!are_new || i >= Thresholds::direct_tries)) break;
      if (!solve_again()) break;
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
    of_.rows = initial_rows;
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
    keep_rows_in_bounds();
    keep_energy();
    take_impulses();
    return !is_thrown();
  }
  take_impulses();
  return true;
}

bool Direct::run() {
  moved_.assign(of_.bodies.size(), {});
  double approach = 0;
  for (int k = 0; k < substeps_; ++k) {
    begin_substep(k);
    if (!run_substep()) return false;
    end_substep();
    if (k == 0) approach = approach_;
  }
  approach_ = approach;
  return is_in_range();
}

void Direct::begin_substep(int substep) {
  if (substep > 0) of_.before = of_.velocity;
  for (std::size_t i = 0; i < of_.movable; ++i) of_.free[i] = of_.before[i] + 1.0 / substeps_ * forces_[i];
  for (DirectPoint& p : of_.points) {
    p.gap = p.first_gap + of_.velocity_of(p, moved_)[2];
    p.impulse = p.initial_impulse = p.next_impulse;
  }
  for (DirectRow& row : of_.rows) {
    const auto turn = [&](std::size_t body, const Vector3& first, const Vector3& linear, Vector3& arm,
                          Vector3& angular) {
      if (first == Vector3{} || substep == 0) return;
      arm = rotation_matrix(moved_[body].angular_velocity) * first;
      angular = cross(arm, linear);
    };
    turn(row.a, row.first_arm_a, row.linear_a, row.arm_a, row.angular_a);
    turn(row.b, row.first_arm_b, row.linear_b, row.arm_b, row.angular_b);
    row.impulse = row.initial_impulse = row.next_impulse;
    if (substep > 0) row.error = error_of(row, moved_[row.a], moved_[row.b], elapsed_);
  }
  if (!of_.rows.empty()) stiffen();
  elapsed_ = (substep + 1) * h_;
}

// Joints in tension turn their bodies back. A part of that stiffness, times h², is added to the inertia.
void Direct::stiffen() {
  std::vector<Matrix3> tension(of_.bodies.size());
  const auto add = [&](std::size_t body, const Vector3& arm, double load) {
    if (body >= of_.movable || !(load > 0) || !(dot(arm, arm) > 0)) return;
    const double unit = std::exp2(std::floor(std::log2(load)) - 3);  // the load has four bits
    const double stiffness = Thresholds::direct_tension * h_ * std::ceil(load / unit) * unit;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        tension[body][i][k] += stiffness * ((i == k ? 1 : 0) - arm[i] * arm[k] / dot(arm, arm));
  };
  for (std::size_t i = 0; i < of_.rows.size();) {
    const DirectRow& first = of_.rows[i];
    double load_a = 0, load_b = 0;
    for (; i < of_.rows.size(); ++i) {
      const DirectRow& row = of_.rows[i];
      if (row.a != first.a || row.b != first.b || row.arm_a != first.arm_a || row.arm_b != first.arm_b) break;
      load_a += row.impulse * dot(row.linear_a, row.arm_a);
      load_b += row.impulse * dot(row.linear_b, row.arm_b);
    }
    add(first.a, first.arm_a, load_a);
    add(first.b, first.arm_b, load_b);
  }
  const auto trace = [](const Matrix3& m) { return m[0][0] + m[1][1] + m[2][2]; };
  for (std::size_t i = 0; i < of_.movable; ++i) {
    DirectBody& body = of_.bodies[i];
    const Vector3& rotation = moved_[i].angular_velocity;
    body.inertia = body.first_inertia;
    body.inverse_inertia = body.first_inverse_inertia;
    body.curve = 1;
    if (dot(rotation, rotation) > Thresholds::direct_turned * Thresholds::direct_turned) {
      const Matrix3 r = rotation_matrix(rotation);
      body.inertia = r * body.inertia * transpose(r);
      body.inverse_inertia = r * body.inverse_inertia * transpose(r);
    }
    if (!(trace(tension[i]) > 0)) continue;
    body.curve = std::min(1.0, Thresholds::direct_curve_tension * trace(body.inertia) / trace(tension[i]));
    const Matrix3 stiff = body.inertia + tension[i];
    if (const std::optional<Matrix3> inverse = inverse_of(stiff, body.locked)) {
      body.inertia = stiff;
      body.inverse_inertia = *inverse;
    }
  }
}

// Arms turn during the substep: joints aim at where they will be. In a rebound they hold the velocities of now.
void Direct::set_row_targets() {
  for (DirectRow& row : of_.rows) {
    // The error of a row that acts one way may close where the row does not act.
    const bool has_way = (row.keeps_position || row.spring_rate > 0) &&
                         ((row.least == 0 && row.error > 0) || (row.largest == 0 && row.error < 0));
    row.target = row.wanted - (has_way ? 1 / h_ : row.spring_rate) * row.error;
    if (rebounds_) continue;
    const auto add = [&](std::size_t body, const Vector3& linear, const Vector3& arm) {
      if (body >= of_.movable) return;
      const Vector3& spin = of_.free[body].angular_velocity;
      const double angle = h_ * std::sqrt(dot(spin, spin)), most = Thresholds::direct_curve;
      const double share = of_.bodies[body].curve * (angle > most ? most * most / (angle * angle) : 1);
      row.target -= h_ / 2 * share * dot(linear, cross(spin, cross(spin, arm)));
    };
    add(row.a, row.linear_a, row.arm_a);
    add(row.b, row.linear_b, row.arm_b);
  }
}

bool Direct::run_substep() {
  set_targets();
  measure_approach();
  mean_momentum_ = 0;
  for (std::size_t i = 0; i < of_.movable; ++i)
    mean_momentum_ += of_.bodies[i].mass * std::sqrt(dot(of_.free[i].velocity, of_.free[i].velocity)) /
                      static_cast<double>(of_.movable);
  set_row_targets();
  take_impulses();
  if (!find_impulses()) return false;
  residual_ = std::max(of_.violation(), row_residual());
  if (!(row_residual() <= Thresholds::direct_left * of_.weight_speed + Thresholds::direct_rows_left * approach_))
    return false;
  move();
  if (rebounds_) rebound();
  return true;
}

// Displacements at the end of the substep.
Twist Direct::ahead(std::size_t body, const Twists& velocities) const {
  const Twist& now = moved_[body];
  return {now.velocity + h_ * velocities[body].velocity,
          combined(now.angular_velocity, h_ * velocities[body].angular_velocity)};
}

// Bodies move. The next substep starts from these impulses; after a blow they are limited to the growth of a load.
void Direct::end_substep() {
  for (std::size_t i = 0; i < of_.bodies.size(); ++i) moved_[i] = ahead(i, moving_);
  const auto share = [&](double size, double initial, std::size_t a, std::size_t b) {
    const double most = 2 * initial + of_.weight_speed * (of_.bodies[a].mass + of_.bodies[b].mass);
    return is_struck_ && size > most ? most / size : 1;
  };
  for (DirectPoint& p : of_.points) {
    p.sum = p.sum + p.impulse;
    const bool separates = is_struck_ && velocity(p)[2] > of_.weight_speed;
    p.next_impulse = (separates ? 0 : share(p.impulse[2], p.initial_impulse[2], p.a, p.b)) * p.impulse;
  }
  for (DirectRow& row : of_.rows) {
    const SceneRow& given = state_.rows[row.row];
    row.sum = std::clamp(row.sum + row.impulse, given.least, given.largest);
    const double length = std::sqrt(dot(row.linear_a, row.linear_a));
    row.next_impulse =
        row.impulse * share(length * std::abs(row.impulse), length * std::abs(row.initial_impulse), row.a, row.b);
  }
}

// Bodies without impulses fly under their forces. The others move with their new velocities, and out of their overlaps
// and errors.
void Direct::move() {
  moving_ = of_.velocity;
  std::vector<bool> is_pushed(of_.bodies.size(), false);
  for (const DirectPoint& p : of_.points)
    if (p.impulse != Vector3{}) is_pushed[p.a] = is_pushed[p.b] = true;
  for (const DirectRow& row : of_.rows) is_pushed[row.a] = is_pushed[row.b] = true;
  for (std::size_t i = 0; i < of_.movable; ++i)
    if (!is_pushed[i]) moving_[i] = 0.5 * (of_.before[i] + of_.velocity[i]);
  const Twists correction = correct_positions();
  for (std::size_t i = 0; i < of_.movable; ++i) moving_[i] = moving_[i] + correction[i];
}

double Direct::error_of(const DirectRow& row, const Twist& a, const Twist& b, double elapsed) const {
  const auto turned = [](const Vector3& linear, const Vector3& angular, const Vector3& arm, const Vector3& rotation) {
    return arm == Vector3{} ? dot(angular, rotation) : dot(linear, rotation_matrix(rotation) * arm - arm);
  };
  return row.first_error + dot(row.linear_a, a.velocity) + dot(row.linear_b, b.velocity) - elapsed * row.wanted +
         turned(row.linear_a, row.angular_a, row.first_arm_a, a.angular_velocity) +
         turned(row.linear_b, row.angular_b, row.first_arm_b, b.angular_velocity);
}

// Velocities that reduce the overlaps and the errors of joints, and that are not kept. Loaded contacts hold; friction
// does not count.
Twists Direct::correct_positions() {
  const Twists none(of_.bodies.size());
  bool any = std::ranges::any_of(of_.points, [](const DirectPoint& p) { return p.gap < -p.slop; });
  std::vector<double> row_wanted;
  hold_rows_within_bounds();
  for (DirectRow& row : of_.rows) {
    double error =
        row.keeps_position ? error_of(row, ahead(row.a, of_.velocity), ahead(row.b, of_.velocity), elapsed_) : 0;
    // A row that acts one way corrects nothing on its other side, and its errors count even without an impulse.
    if (row.largest == 0) error = std::max(error, 0.0);
    if (row.least == 0) error = std::min(error, 0.0);
    if ((row.least == 0 || row.largest == 0) && error != 0) row.is_held = true;
    if (!row.is_held) error = 0;
    any = any || std::abs(error) > row.allowed_error;
    row_wanted.push_back(-error / h_);
  }
  if (!any) return none;
  const double rate = options_.push_out / h_;
  std::vector<double> wanted;
  for (DirectPoint& p : of_.points) {
    const double pushed = std::min(rate * std::max(-p.gap - p.slop, 0.0), options_.largest_push_out_speed);
    const double missing = pushed - std::max(velocity(p)[2], 0.0);
    wanted.push_back(p.gap <= 0 ? std::max(missing, 0.0) : 0);
    p.status = p.impulse[2] > 0 || wanted.back() > 0 ? DirectStatus::slips : DirectStatus::open;
  }
  if (!factor()) return none;
  std::vector<double> right = of_.right_hand_side();
  for (std::size_t i = 0; i < wanted.size(); ++i)
    of_.add(of_.points[i], {0, 0, of_.points[i].weight * wanted[i]}, right);
  for (std::size_t i = 0; i < row_wanted.size(); ++i) of_.add(of_.rows[i], of_.rows[i].weight * row_wanted[i], right);
  Twists correction = of_.solve(right);
  double fastest = 0;
  for (const Twist& t : correction) fastest = std::max(fastest, dot(t.angular_velocity, t.angular_velocity));
  const double angle = std::sqrt(fastest) * h_;
  if (!std::isfinite(angle)) return none;
  if (angle > Thresholds::direct_turn)
    for (Twist& t : correction) t = Thresholds::direct_turn / angle * t;
  return correction;
}

// Adds the impulses of joints to velocities that other impulses have made, so that joints hold. Returns false if there
// are none.
bool Direct::keep_rows(Twists& gain) {
  if (of_.rows.empty()) return true;
  for (DirectPoint& p : of_.points) p.status = DirectStatus::open;
  hold_rows_within_bounds();
  if (!factor()) return false;
  std::vector<double> kept(of_.rows.size());
  for (int n = 0; n < Thresholds::direct_tries + 1; ++n) {
    std::vector<double> right = of_.right_hand_side();
    for (std::size_t i = 0; i < kept.size(); ++i) {
      DirectRow& row = of_.rows[i];
      row.change = -DirectIsland::velocity_of(row, gain) - row.compliance * kept[i];
      if (row.is_held) of_.add(row, row.weight * row.change, right);
    }
    const Twists change = of_.solve(right);
    of_.find_row_changes(change);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] += of_.rows[i].change;
    for (std::size_t i = 0; i < of_.movable; ++i) gain[i] = gain[i] + change[i];
  }
  for (std::size_t i = 0; i < kept.size(); ++i) of_.rows[i].change = kept[i];
  return true;
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
    const std::vector<DirectRow> kept_rows = of_.rows;
    const Twists kept_velocity = of_.velocity;
    if (!find_impulses()) {
      points = kept;
      of_.rows = kept_rows;
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
  if (!keep_rows(gain)) return;
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
  for (const DirectRow& row : of_.rows) {
    const double first = DirectIsland::velocity_of(row, of_.free), now = DirectIsland::velocity_of(row, of_.velocity);
    lost -= row.impulse * ((first + now) / 2 - row.wanted);
    linear += row.change * now;
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
  of_.take_row_changes(share);
  if (!of_.rows.empty()) {
    // A rope does not push because the bodies rebound.
    for (DirectRow& row : of_.rows) row.impulse = std::clamp(row.impulse, row.least, row.largest);
    return take_impulses();
  }
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
         std::ranges::all_of(of_.points, [&](const DirectPoint& p) { return is_within(p.sum); }) &&
         std::ranges::all_of(of_.rows, [&](const DirectRow& row) { return std::abs(row.sum) < most; });
}

SceneOutcome Direct::store() {
  for (std::size_t i = 0; i < of_.movable; ++i) {
    Body& body = state_.bodies[of_.bodies[i].place];
    body.velocity = of_.velocity[i].velocity;
    body.angular_velocity = of_.velocity[i].angular_velocity;
    state_.moved[of_.bodies[i].place] = moved_[i];
  }
  for (const DirectPoint& p : of_.points) {
    SceneContact& c = state_.contacts[p.contact];
    c.impulse = c.frame.to_contact * (transpose(p.axes) * p.sum);
    c.next_impulse = c.frame.to_contact * (transpose(p.axes) * (static_cast<double>(substeps_) * p.next_impulse));
    const double bound = p.friction * p.sum[2] * (1 - 1e-6);
    if (p.sum != Vector3{}) c.path.course = tangential_length(p.sum) >= bound ? Course::slip : Course::stick;
  }
  for (const DirectRow& row : of_.rows) {
    state_.rows[row.row].impulse = row.sum;
    state_.rows[row.row].work += row.sum * (row.first_velocity + DirectIsland::velocity_of(row, of_.velocity)) / 2;
  }
  SceneOutcome outcome;
  outcome.iterations = of_.solves;
  outcome.substeps = substeps_;
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

double DirectIsland::velocity_of(const DirectRow& row, const Twists& twists) {
  const Twist &a = twists[row.a], &b = twists[row.b];
  return dot(row.linear_a, a.velocity) + dot(row.angular_a, a.angular_velocity) + dot(row.linear_b, b.velocity) +
         dot(row.angular_b, b.angular_velocity);
}

double DirectIsland::miss_of(const DirectRow& row) const {
  return velocity_of(row, velocity) + row.compliance * row.impulse - row.target;
}

void DirectIsland::accelerate(const DirectRow& row, double impulse, Twists& twists) const {
  const auto push = [&](std::size_t i, const Vector3& linear, const Vector3& angular) {
    if (i >= movable) return;
    twists[i].velocity = twists[i].velocity + impulse * bodies[i].inverse_mass * linear;
    twists[i].angular_velocity = twists[i].angular_velocity + bodies[i].inverse_inertia * (impulse * angular);
  };
  push(row.a, row.linear_a, row.angular_a);
  push(row.b, row.linear_b, row.angular_b);
}

void DirectIsland::add(const DirectRow& row, double impulse, std::vector<double>& right) const {
  const auto push = [&](std::size_t i, const Vector3& linear, const Vector3& angular) {
    if (i >= movable) return;
    for (std::size_t c = 0; c < 3; ++c) {
      right[6 * i + c] += impulse * linear[c];
      right[6 * i + 3 + c] += impulse * angular[c];
    }
  };
  push(row.a, row.linear_a, row.angular_a);
  push(row.b, row.linear_b, row.angular_b);
}

void DirectIsland::add_rows(std::vector<double>& right) {
  for (DirectRow& row : rows) {
    row.change = row.is_held ? row.barrier_velocity - miss_of(row) : 0;
    add(row, row.weight * row.change, right);
  }
}
void DirectIsland::find_row_changes(const Twists& solution) {
  for (DirectRow& row : rows) row.change = row.is_held ? row.weight * (row.change - velocity_of(row, solution)) : 0;
}
void DirectIsland::apply_row_changes() {
  for (const DirectRow& row : rows)
    if (row.change != 0) accelerate(row, row.change, velocity);
}
void DirectIsland::take_row_changes(double share) {
  for (DirectRow& row : rows) row.impulse += share * row.change;
}

void DirectIsland::apply_changes() {
  for (const DirectPoint& p : points)
    if (p.change != Vector3{}) accelerate(p, p.change, velocity);
}

void DirectIsland::begin_matrix() {
  std::vector<std::size_t> first(6 * movable);
  for (std::size_t i = 0; i < movable; ++i)
    for (std::size_t c = 0; c < 6; ++c) first[6 * i + c] = 6 * i;
  const auto connect = [&](std::size_t a, std::size_t b) {
    const std::size_t low = std::min(a, b), high = std::max(a, b);
    if (high < movable)
      for (std::size_t c = 0; c < 6; ++c) first[6 * high + c] = std::min(first[6 * high + c], 6 * low);
  };
  for (const auto& [begin, end] : manifolds) connect(points[begin].a, points[begin].b);
  for (const DirectRow& row : rows) connect(row.a, row.b);
  matrix.clear(first);
  for (std::size_t i = 0; i < movable; ++i)
    for (std::size_t r = 0; r < 3; ++r) {
      matrix.at(6 * i + r, 6 * i + r) = bodies[i].mass;
      for (std::size_t c = 0; c <= r; ++c) matrix.at(6 * i + 3 + r, 6 * i + 3 + c) = bodies[i].inertia[r][c];
      if (bodies[i].locked[r]) matrix.at(6 * i + 3 + r, 6 * i + 3 + r) = immovable * bodies[i].mass;
    }
  for (const DirectRow& row : rows) {
    if (!row.is_held) continue;
    // Jᵀ of the row, where it is not 0.
    std::map<std::size_t, double> j;
    const auto take = [&](std::size_t body, const Vector3& linear, const Vector3& angular) {
      for (std::size_t c = 0; c < 3 && body < movable; ++c) {
        j[6 * body + c] += linear[c];
        j[6 * body + 3 + c] += angular[c];
      }
    };
    take(row.a, row.linear_a, row.angular_a);
    take(row.b, row.linear_b, row.angular_b);
    for (const auto& [i, x] : j)
      for (const auto& [k, y] : j)
        if (k <= i) matrix.at(i, k) += row.weight * x * y;
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
