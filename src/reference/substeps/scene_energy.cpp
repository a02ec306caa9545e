#include "scene_energy.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/contact/algorithm.hpp"
#include "reference/contact/vector.hpp"

namespace carom::reference {
namespace {

using reference::operator*;

// [1] Rounding changes an energy by less than this share.
constexpr double rounding = 1e-12, tiny = 1e-30;
// A body whose velocity a substep changes by a tenth is braked in full. A body falls if forces accelerate it and
// impulses change less than the second share of its energy.
constexpr double braking = 100, falling = 2e-12;
// [rad] Two rotations whose order matters less are added.
constexpr double small_turn = 1e-4;
constexpr double farthest_turn = 1e9;  // double does not resolve the angle of longer vectors

struct Quaternion {
  double w = 1;
  Vector3 v{};
};
Quaternion quaternion_of(const Vector3& rotation) {
  const double angle = std::sqrt(dot(rotation, rotation));
  if (angle == 0) return {};
  return {std::cos(angle / 2), std::sin(angle / 2) / angle * rotation};
}

// The inverse without the axes about which the body cannot turn.
Matrix3 inertia_of(const Matrix3& inverse) {
  const auto [values, vectors] = eigenvectors(inverse);
  const double least = 16 * epsilon * std::max({values[0], values[1], values[2]});
  Matrix3 sum{};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 3 && values[k] > least; ++i)
      for (std::size_t j = 0; j < 3; ++j) sum[i][j] += vectors[k][i] * vectors[k][j] / values[k];
  return sum;
}

}  // namespace

Vector3 combined(const Vector3& first, const Vector3& second) {
  if (!(dot(first, first) + dot(second, second) < farthest_turn * farthest_turn)) return first + second;
  const Vector3 order = cross(second, first), sum = first + second + 0.5 * order;
  if (!(dot(order, order) > small_turn * small_turn)) return sum;
  const Quaternion a = quaternion_of(first), b = quaternion_of(second);
  const double w = a.w * b.w - dot(a.v, b.v);
  const Vector3 v = b.w * a.v + a.w * b.v + cross(b.v, a.v);
  const double size = std::sqrt(dot(v, v));
  if (!(size > 1e-9)) return sum;
  const Vector3 axis = 1 / size * v;
  const double angle = 2 * std::atan2(size, w), turn = 2 * std::numbers::pi;
  return (angle + turn * std::round((dot(axis, sum) - angle) / turn)) * axis;
}

Matrix3 rotation_matrix(const Vector3& rotation) {
  const Quaternion q = quaternion_of(rotation);
  const auto turned = [&](const Vector3& x) {
    const Vector3 across = cross(q.v, x);
    return x + 2 * (q.w * across + cross(q.v, across));
  };
  return transpose(Matrix3{turned({1, 0, 0}), turned({0, 1, 0}), turned({0, 0, 1})});
}

Matrix3 turned(const Matrix3& m, const Vector3& rotation) {
  const Matrix3 r = rotation_matrix(rotation);
  return r * m * transpose(r);
}

SceneEnergy::SceneEnergy(SceneState& state, const SceneIsland& island, const SceneMoments& moments, int substeps,
                         bool relaxes, double stiffest)
    : state_(state), island_(island), moments_(moments), substeps_(substeps), relaxes_(relaxes), stiffest_(stiffest) {}

Twist SceneEnergy::forces(std::size_t body) const {
  return 1 / substeps_ * state_.change_of(body);
}

double SceneEnergy::product(std::size_t body, const Twist& x, const Twist& y) const {
  const double inverse = state_.bodies[body].inverse_mass;
  const double linear = inverse > 0 ? dot(x.velocity, y.velocity) / inverse : 0;
  return linear + dot(x.angular_velocity, inertia_.at(body) * y.angular_velocity);
}

Twist SceneEnergy::relative(std::size_t body) const {
  return {state_.bodies[body].velocity - frame_, state_.bodies[body].angular_velocity};
}

SceneEnergy::Measured SceneEnergy::measured() const {
  Measured sum;
  for (std::size_t i : island_.bodies) {
    const Twist v = relative(i);
    sum.kinetic += energy(i, v);
    sum.by_forces += product(i, forces(i), v);
    const double inverse = state_.bodies[i].inverse_mass;
    if (inverse > 0) sum.momentum = sum.momentum + 1 / inverse * state_.bodies[i].velocity;
  }
  return sum;
}

// Energy is measured in the frame of the immovable bodies, if they have one velocity.
void SceneEnergy::find_frame() {
  std::optional<Vector3> found;
  for (const SceneBlock& block : island_.blocks)
    for (std::size_t body : {block.a, block.b}) {
      if (state_.is_movable(body)) continue;
      const Vector3& v = state_.bodies[body].velocity;
      if (found && *found != v) return;
      found = v;
    }
  if (found) frame_ = *found;
}

void SceneEnergy::begin() {
  find_frame();
  for (std::size_t i : island_.bodies)
    inertia_[i] = inertia_at_start_[i] = inertia_of(state_.bodies[i].inverse_inertia);
  at_start_ = measured();
  for (std::size_t i : island_.bodies) {
    half_change_ += energy(i, forces(i));
    const double inverse = state_.bodies[i].inverse_mass;
    if (inverse > 0) momentum_by_forces_ = momentum_by_forces_ + 1 / inverse * forces(i).velocity;
  }
}

void SceneEnergy::begin_substep() {
  for (std::size_t i : island_.bodies) before_[i] = twist_of(state_.bodies[i]);
}

void SceneEnergy::turn() {
  if (island_.rows.empty()) return;
  for (std::size_t i : island_.bodies) {
    const Vector3& rotation = state_.moved[i].angular_velocity;
    if (!(dot(rotation, rotation) > noticed_turn * noticed_turn)) continue;
    inertia_[i] = turned(inertia_at_start_[i], rotation);
  }
}

bool SceneEnergy::is_loaded() const {
  return std::ranges::any_of(island_.contacts, [&](std::size_t i) { return state_.contacts[i].impulse[2] > 0; });
}

// An island in contact with an immovable body may transfer momentum to it.
bool SceneEnergy::is_grounded() const {
  const auto is_still = [&](std::size_t a, std::size_t b) { return !state_.is_movable(a) || !state_.is_movable(b); };
  return std::ranges::any_of(island_.rows,
                             [&](std::size_t i) { return is_still(state_.rows[i].a, state_.rows[i].b); }) ||
         std::ranges::any_of(island_.contacts, [&](std::size_t i) {
           const SceneContact& c = state_.contacts[i];
           return c.impulse[2] > 0 && is_still(c.a, c.b);
         });
}

// The part of a velocity that impulses do not change.
Twist SceneEnergy::driven(std::size_t body) const {
  const Body& b = state_.bodies[body];
  return {b.inverse_mass > 0 ? Vector3{} : b.velocity, trace(b.inverse_inertia) > 0 ? Vector3{} : b.angular_velocity};
}
Twist SceneEnergy::mean(std::size_t body) const {
  const Twist now = twist_of(state_.bodies[body]);
  const auto before = before_.find(body);
  return before == before_.end() ? now : 0.5 * (before->second + now);
}

double SceneEnergy::work() const {
  double sum = 0;
  for (std::size_t i : island_.contacts) {
    const SceneContact& c = state_.contacts[i];
    const auto of = [&](const Twist& a, const Twist& b) {
      return c.frame.to_contact * (velocity_at(a, c.data.r_a) - velocity_at(b, c.data.r_b));
    };
    const bool is_soft = !relaxes_ && c.frequency > 0 && std::isfinite(c.frequency);
    const bool is_spring = std::isfinite(c.stiffness);
    const double normal = is_soft || is_spring ? of(mean(c.a), mean(c.b))[2] : std::max(c.min_velocity, 0.0);
    sum += c.impulse[2] * normal - dot(c.impulse, of(driven(c.a), driven(c.b)) - c.frame.to_contact * c.surface_slip);
  }
  for (std::size_t n = 0; n < island_.sweep_order.size(); ++n) {
    const SceneBlock& block = island_.sweep_order[n];
    if (!moments_.is_there(n)) continue;
    const Vector3 spin = driven(block.a).angular_velocity - driven(block.b).angular_velocity;
    sum -= dot(moments_.moment(n), state_.contacts[block.items[0]].frame.to_contact * spin);
  }
  for (std::size_t i : island_.rows) {
    const SceneRow& row = state_.rows[i];
    const bool is_soft = !relaxes_ && row.frequency > 0 && row.frequency < stiffest_;
    const double target = is_soft ? row.times(mean(row.a), mean(row.b)) : row.target;
    sum += row.impulse * (target - row.times(driven(row.a), driven(row.b)));
  }
  return sum;
}

void SceneEnergy::check() {
  const Measured now = measured();
  if (!std::isfinite(now.kinetic)) return;
  const double strict = at_start_.kinetic + (at_start_.by_forces + now.by_forces) / 2;
  const double loose = at_start_.kinetic + at_start_.by_forces + half_change_;
  const double done = work() - dot(frame_, now.momentum - at_start_.momentum - momentum_by_forces_);
  const double scale = at_start_.kinetic + std::abs(at_start_.by_forces) + std::abs(now.by_forces) + std::abs(done);
  const double allowed = (is_loaded() ? strict : loose) + done;
  Measured end = now;
  if (now.kinetic > allowed + rounding * scale + tiny) {
    if (is_loaded() && is_grounded())
      brake(std::max(allowed, 0.0));
    else
      scale_impulses(allowed, true);
    end = measured();
    removed_ += std::max(now.kinetic - end.kinetic, 0.0);
  }
  lost_ += at_start_.kinetic + (at_start_.by_forces + end.by_forces) / 2 + done - end.kinetic;
  at_start_ = end;
}

double SceneEnergy::share(std::size_t body) const {
  const double kinetic = energy(body, relative(body));
  const Twist change = twist_of(state_.bodies[body]) - before_.at(body);
  return kinetic > 0 ? std::min(1.0, braking * energy(body, change) / kinetic) : 0;
}

bool SceneEnergy::falls(std::size_t body) const {
  const Twist by = forces(body), by_impulses = twist_of(state_.bodies[body]) - before_.at(body) - by;
  const bool has_joint = std::ranges::any_of(island_.rows, [&](std::size_t i) {
    const SceneRow& row = state_.rows[i];
    return row.a == body || row.b == body;
  });
  return !has_joint && product(body, by, relative(body)) > 0 &&
         energy(body, by_impulses) < falling * energy(body, relative(body));
}

// v ← (1 - λ r) v, with r of each body, in the frame of the ground. Bodies that fall keep their energy.
void SceneEnergy::brake(double allowed) {
  double s0 = 0, s1 = 0, s2 = 0, of_forces = 0;
  for (std::size_t i : island_.bodies) {
    const Twist v = relative(i);
    const double kinetic = energy(i, v), r = share(i);
    if (falls(i)) {
      allowed -= kinetic;
      continue;
    }
    s0 += kinetic;
    s1 += r * kinetic;
    s2 += r * r * kinetic;
    of_forces += r * product(i, forces(i), v) / 2;
  }
  allowed = std::max(allowed, 0.0);
  const double b = of_forces - 2 * s1, c = s0 - allowed, discriminant = b * b - 4 * s2 * c;
  double part = 2, all = 1;
  if (c <= 0)
    part = 0;
  else if (discriminant >= 0 && s2 > 0)
    part = (-b - std::sqrt(discriminant)) / (2 * s2);
  else if (discriminant >= 0 && b < 0)
    part = -c / b;
  if (!(part >= 0 && part <= 1)) {
    part = 1;
    const double left = s0 - 2 * s1 + s2, goal = std::max(0.0, allowed - of_forces);
    if (left > goal) all = std::sqrt(goal / left);
  }
  for (std::size_t i : island_.bodies) {
    if (falls(i)) continue;
    const double r = share(i);
    Twist v = relative(i);
    const Body& body = state_.bodies[i];
    if (!(body.inverse_mass > 0)) v.velocity = {};
    if (!(trace(body.inverse_inertia) > 0)) v.angular_velocity = {};
    accelerate(state_.bodies[i], ((1 - part * r) * all - 1) * v);
  }
}

// Multiplies the velocity changes by impulses by the largest s <= 1 that leaves the energy allowed.
void SceneEnergy::scale_impulses(double allowed, bool with_forces) {
  std::map<std::size_t, Twist> made;
  double s0 = 0, s1 = 0, s2 = 0;
  for (std::size_t i : island_.bodies) {
    Twist free = before_.at(i) + (with_forces ? forces(i) : Twist{});
    made[i] = twist_of(state_.bodies[i]) - free;
    free.velocity = free.velocity - frame_;
    s0 += energy(i, free);
    s1 += product(i, free, made[i]);
    s2 += energy(i, made[i]);
    if (!with_forces) s1 += product(i, forces(i), made[i]) / 2;
  }
  if (!(s2 > 0)) return;
  const double discriminant = s1 * s1 - 4 * s2 * (s0 - allowed);
  const double scale = std::clamp((-s1 + (discriminant > 0 ? std::sqrt(discriminant) : 0)) / (2 * s2), 0.0, 1.0);
  for (std::size_t i : island_.bodies) accelerate(state_.bodies[i], (scale - 1) * made[i]);
}

void SceneEnergy::begin_rebound() {
  begin_substep();
  work_before_ = work();
}

void SceneEnergy::check_rebound() {
  double restitution = 0;
  for (std::size_t i : island_.contacts) restitution = std::max(restitution, state_.contacts[i].data.restitution);
  const Measured now = measured();
  if (!std::isfinite(now.kinetic)) return;
  const double done = work() - work_before_ - dot(frame_, now.momentum - at_start_.momentum);
  const double allowed = at_start_.kinetic + restitution * restitution * std::max(lost_, 0.0) + done;
  // At mid substep: half of its forces have acted.
  const double more = (now.by_forces - at_start_.by_forces) / 2;
  const double scale = now.kinetic + std::abs(now.by_forces) + std::abs(at_start_.by_forces) + std::abs(done);
  if (!(now.kinetic + more > allowed + rounding * scale + tiny)) return;
  scale_impulses(allowed, false);
  removed_ += std::max(now.kinetic - measured().kinetic, 0.0);
}

}  // namespace carom::reference
