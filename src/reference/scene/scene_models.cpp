#include "scene_models.hpp"

#include <algorithm>
#include <cmath>

#include "reference/contact/vector.hpp"

namespace carom::reference {
namespace {

struct Matrix2 {
  double xx = 0, xy = 0, yy = 0;

  double largest() const { return (xx + yy) / 2 + std::hypot((xx - yy) / 2, xy); }
  Vector2 operator*(const Vector2& v) const { return {xx * v[0] + xy * v[1], xy * v[0] + yy * v[1]}; }
};

// x with (S + λ) x = -c; the shortest one if S + λ is singular to rounding.
Vector2 against(const Matrix2& s, double lambda, const Vector2& c) {
  const double xx = s.xx + lambda, yy = s.yy + lambda, determinant = xx * yy - s.xy * s.xy, trace = xx + yy;
  constexpr double rounding = 64 * 2.2e-16;
  if (determinant > rounding * trace * trace)
    return {-(yy * c[0] - s.xy * c[1]) / determinant, -(xx * c[1] - s.xy * c[0]) / determinant};
  if (!(trace > 0)) return {};
  // Along the eigenvector of the larger eigenvalue, and perpendicular to it if the smaller one is not the rounding of
  // 0.
  const double large = trace / 2 + std::hypot((xx - yy) / 2, s.xy);
  const double angle = 0.5 * std::atan2(2 * s.xy, xx - yy), x = std::cos(angle), y = std::sin(angle);
  const double along = -(x * c[0] + y * c[1]) / large;
  const double small = determinant / large;
  // A component of c that is rounding of the other has no x.
  const double across = x * c[1] - y * c[0];
  const double other = small > 0 && std::abs(across) > rounding * std::hypot(c[0], c[1]) ? -across / small : 0;
  return {x * along - y * other, y * along + x * other};
}

struct Point {
  Vector2 q{};
  double length = 0;  // of the cone there
};

// The λ >= 0 at which |q| = L - k·q, q = -(S + λ)⁻¹ c: from a bracket by the method of Illinois.
Point on_cone(const Matrix2& s, const Vector2& c, const Vector2& k, double length) {
  const auto at = [&](double lambda) {
    const Vector2 q = against(s, lambda, c);
    return Point{q, length - dot(k, q)};
  };
  const auto excess = [&](const Point& p) { return std::hypot(p.q[0], p.q[1]) / length - p.length / length; };
  double low = 0, high = std::hypot(c[0], c[1]) * (1 + std::hypot(k[0], k[1])) / length;
  double at_low = excess(at(low)), at_high = excess(at(high));
  for (int i = 0; i < 30 && at_high > 0; ++i) at_high = excess(at(high *= 2));
  Point found = at(high);
  int side = 0;
  for (int i = 0; i < 400; ++i) {
    // The excess spans many orders of size: halves in turn with the secant.
    double middle =
        i % 3 == 2 || !std::isfinite(at_low) ? (low + high) / 2 : (low * at_high - high * at_low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = (low + high) / 2;
    if (!(middle > low && middle < high)) break;
    found = at(middle);
    const double here = excess(found);
    if (here == 0) break;
    if (here > 0) {
      low = middle;
      at_low = here;
      if (side == 1) at_high /= 2;
      side = 1;
    } else {
      high = middle;
      at_high = here;
      if (side == -1) at_low /= 2;
      side = -1;
    }
  }
  const double size = std::hypot(found.q[0], found.q[1]);
  found.length = std::max(found.length, 0.0);
  if (size > 0) found.q = found.length / size * found.q;
  return found;
}

// p_t with both axes of friction as long as the larger one.
Vector2 rounded(const Vector3& p, double friction_1, double friction_2, double most) {
  return {friction_1 > 0 ? p[0] * most / friction_1 : 0, friction_2 > 0 ? p[1] * most / friction_2 : 0};
}

double static_ratio_of(const SceneContact& c) {
  return c.friction > 0 ? c.static_friction / c.friction : 1;
}

}  // namespace

EllipseStep ellipse_step(const SceneContact& c, const Vector3& velocity) {
  EllipseStep step{c.frame.k,         velocity, c.impulse, c.friction, c.has_ellipse ? c.friction_2 : c.friction,
                   static_ratio_of(c)};
  step.k[0][0] += c.slip_give;
  step.k[1][1] += c.slip_give;
  step.k[2][2] += c.give;
  return step;
}

RoundImpulse rounded(const SceneContact& c, const Vector3& impulse) {
  if (!c.has_ellipse) return {impulse, c.friction};
  const double most = std::max(c.friction, c.friction_2);
  const Vector2 q = rounded(impulse, c.friction, c.friction_2, most);
  return {{q[0], q[1], impulse[2]}, most};
}

Vector3 first_impulse(const SceneContact& c, double share) {
  Vector3 p = share * (c.frame.to_contact * c.warm_impulse);
  p[2] = std::max(p[2], 0.0);
  const RoundImpulse round = rounded(c, p);
  const double length = std::hypot(round.impulse[0], round.impulse[1]);
  // With friction 0, static friction has a separate ratio.
  const double bound = c.has_ellipse ? static_ratio_of(c) * round.friction * p[2] : c.static_friction * p[2];
  const double scale = length > bound ? bound / length : 1;
  const bool along = !c.has_ellipse || c.friction > 0, across = !c.has_ellipse || c.friction_2 > 0;
  return {along ? scale * p[0] : 0, across ? scale * p[1] : 0, p[2]};
}

EllipseImpulse step_on_ellipse(const EllipseStep& step, double relaxation) {
  const auto& [k, v, p, friction_1, friction_2, static_ratio] = step;
  const double k33 = k[2][2], kappa_x = k[0][2] / k33, kappa_y = k[1][2] / k33;
  const double need = p[2] + kappa_x * p[0] + kappa_y * p[1] - v[2] / k33;
  const double most = std::max(friction_1, friction_2);
  // Relaxed impulses of a contact that separates shrink until their squares have too few digits for the cone.
  constexpr double least = 1e-140;
  EllipseImpulse next{{0, 0, need > least ? need : 0}, false};
  if (need > least && most > 0) {
    const double d1 = friction_1 / most, d2 = friction_2 / most;
    const Matrix2 s{k[0][0] - k[0][2] * kappa_x, k[0][1] - k[0][2] * kappa_y, k[1][1] - k[1][2] * kappa_y};
    const Vector2 without = Vector2{v[0] - kappa_x * v[2], v[1] - kappa_y * v[2]} - s * Vector2{p[0], p[1]};
    const Matrix2 scaled{d1 * d1 * s.xx, d1 * d2 * s.xy, d2 * d2 * s.yy};
    const Vector2 c{d1 * without[0], d2 * without[1]};
    const Vector2 rise{most * d1 * kappa_x, most * d2 * kappa_y};
    Point found;
    found.q = against(scaled, 0, c);
    found.length = most * need - dot(rise, found.q);
    next.sticks = std::hypot(found.q[0], found.q[1]) <= static_ratio * found.length;
    if (!next.sticks) found = on_cone(scaled, c, rise, most * need);
    next.impulse = {d1 * found.q[0], d2 * found.q[1], found.length / most};
  }
  if (relaxation == 1) return next;
  Vector3& to = next.impulse;
  for (std::size_t i = 0; i < 3; ++i) to[i] = p[i] + relaxation * (to[i] - p[i]);
  if (std::hypot(to[0], to[1], to[2]) < least) return {};
  to[2] = std::max(to[2], 0.0);
  const Vector2 q = rounded(to, friction_1, friction_2, most);
  const double size = std::hypot(q[0], q[1]), bound = most * to[2];
  if (size > std::max(static_ratio, 1.0) * bound)
    for (std::size_t i = 0; i < 2; ++i) to[i] *= bound / size;
  return next;
}

bool has_model(const SceneContact& c) {
  return c.has_ellipse || c.normal_compliance > 0 || c.tangential_compliance > 0 || std::isfinite(c.stiffness) ||
         c.rolling_friction > 0 || c.spinning_friction > 0;
}

bool has_model(const SceneState& state, const SceneBlock& block) {
  return !block.is_group &&
         std::ranges::any_of(block.items, [&](std::size_t i) { return has_model(state.contacts[i]); });
}

void turn_to_axes_of_friction(SceneContact& c) {
  if (!c.has_ellipse) return;
  const Vector3 n = c.frame.to_contact[2], d = c.friction_direction;
  const Vector3 across = d - dot(d, n) * n;
  const Vector3 t1 = normalized(across);
  const Matrix3 axes{t1, cross(n, t1), n};
  const Matrix3 turn = axes * transpose(c.frame.to_contact);
  c.frame.a = rotate(axes, c.data.a);
  c.frame.b = rotate(axes, c.data.b);
  c.frame.r_a = axes * c.data.r_a;
  c.frame.r_b = axes * c.data.r_b;
  c.frame.u0 = turn * c.frame.u0;
  c.frame.k = turn * c.frame.k * transpose(turn);
  c.frame.to_contact = axes;
}

SceneMoments::SceneMoments(SceneState& state, const SceneIsland& island)
    : state_(state), island_(island), groups_(island.sweep_order.size()) {
  for (std::size_t n = 0; n < groups_.size(); ++n) {
    const SceneBlock& block = island.sweep_order[n];
    groups_[n].is_there = !block.is_group && std::ranges::any_of(block.items, [&](std::size_t i) {
      return state.contacts[i].rolling_friction > 0 || state.contacts[i].spinning_friction > 0;
    });
  }
}

SceneMoments::Limits SceneMoments::limits(const SceneBlock& block, bool of_sum) const {
  Limits limits;
  for (std::size_t i : block.items) {
    const SceneContact& c = state_.contacts[i];
    const double normal = c.impulse[2] + (of_sum ? c.impulse_before[2] : 0);
    limits.roll += c.rolling_friction * normal;
    limits.spin += c.spinning_friction * normal;
  }
  return limits;
}

namespace {

Vector3 cut(const Vector3& m, double roll, double spin) {
  const double size = std::hypot(m[0], m[1]), share = size > roll ? roll / size : 1;
  return {share * m[0], share * m[1], std::clamp(m[2], -spin, spin)};
}

// I_A⁻¹ + I_B⁻¹ of a contact's bodies, in its frame.
Matrix3 turning(const SceneContact& c) {
  return c.frame.a.inverse_inertia + c.frame.b.inverse_inertia;
}

bool may_spin(const Matrix3& k) {
  return k[2][2] > 64 * 2.2e-16 * trace(k);
}

}  // namespace

void SceneMoments::begin(double share) {
  for (std::size_t n = 0; n < groups_.size(); ++n) {
    if (!groups_[n].is_there) continue;
    const SceneBlock& block = island_.sweep_order[n];
    const SceneContact& first = state_.contacts[block.items[0]];
    Vector3 sum{};
    for (std::size_t i : block.items) sum = sum + state_.contacts[i].warm_angular_impulse;
    const Limits most = limits(block);
    Vector3& moment = groups_[n].moment;
    moment = cut(share * (first.frame.to_contact * sum), most.roll, most.spin);
    if (!may_spin(turning(first))) moment[2] = 0;
  }
}

void SceneMoments::set(std::size_t n, const Vector3& moment) {
  const SceneContact& c = state_.contacts[island_.sweep_order[n].items[0]];
  const Vector3 change = moment - groups_[n].moment;
  const Matrix3 to_world = transpose(c.frame.to_contact);
  if (state_.is_movable(c.a)) {
    Vector3& w = state_.bodies[c.a].angular_velocity;
    w = w + to_world * (c.frame.a.inverse_inertia * change);
  }
  if (state_.is_movable(c.b)) {
    Vector3& w = state_.bodies[c.b].angular_velocity;
    w = w - to_world * (c.frame.b.inverse_inertia * change);
  }
  groups_[n].moment = moment;
}

void SceneMoments::apply() {
  for (std::size_t n = 0; n < groups_.size(); ++n) {
    if (!groups_[n].is_there) continue;
    const Vector3 moment = groups_[n].moment;
    groups_[n].moment = {};
    set(n, moment);
  }
}

void SceneMoments::add_up() {
  for (Group& group : groups_) group.sum = group.sum + group.moment;
}

void SceneMoments::begin_rebound() {
  for (std::size_t n = 0; n < groups_.size(); ++n) {
    const std::vector<std::size_t>& items = island_.sweep_order[n].items;
    if (!groups_[n].is_there || std::ranges::any_of(items, [&](std::size_t i) { return state_.contacts[i].give > 0; }))
      continue;
    groups_[n].sum = groups_[n].sum + groups_[n].moment;
    groups_[n].moment = {};
  }
}

void SceneMoments::roll(std::size_t n, const Vector3& velocity, Matrix3 k) {
  Group& group = groups_[n];
  group.before = group.moment;
  const SceneBlock& block = island_.sweep_order[n];
  const SceneContact& c = state_.contacts[block.items[0]];
  const Vector3 o = c.frame.to_contact * (state_.bodies[c.a].angular_velocity - state_.bodies[c.b].angular_velocity);
  const Matrix3 free = turning(c);
  Matrix2 b{free[0][0], free[0][1], free[1][1]};
  Vector2 slip{o[0], o[1]};
  // A body that the contact holds turns about it.
  const bool turns_all_ways = b.xx * b.yy - b.xy * b.xy > 1e-12 * (b.xx + b.yy) * (b.xx + b.yy);
  Matrix3 k_mp =
      c.frame.a.inverse_inertia * cross_matrix(c.frame.r_a) + c.frame.b.inverse_inertia * cross_matrix(c.frame.r_b);
  // Friction along an axis with coefficient 0 does not hold the contact.
  const double frictions[] = {c.friction, c.has_ellipse ? c.friction_2 : c.friction};
  for (std::size_t axis = 0; axis < 2; ++axis)
    for (std::size_t i = 0; i < 3 && frictions[axis] == 0; ++i) {
      k_mp[i][axis] = 0;
      if (i != axis) k[i][axis] = k[axis][i] = 0;
    }
  if (const auto factor = Cholesky::of(k); group.stuck && factor && turns_all_ways) {
    const Vector3 x = factor->solve(k_mp[0]), y = factor->solve(k_mp[1]);
    b = {b.xx - dot(k_mp[0], x), b.xy - dot(k_mp[0], y), b.yy - dot(k_mp[1], y)};
    slip = slip - Vector2{dot(x, velocity), dot(y, velocity)};
  }
  const Vector2 now{group.moment[0], group.moment[1]};
  const double most = limits(block).roll;
  Vector2 next{};
  if (most > 0) {
    const Vector2 c0 = slip - b * now;
    next = against(b, 0, c0);
    if (std::hypot(next[0], next[1]) > most) next = on_cone(b, c0, {}, most).q;
  }
  set(n, {next[0], next[1], group.moment[2]});
}

double SceneMoments::spin(std::size_t n) {
  Group& group = groups_[n];
  const SceneBlock& block = island_.sweep_order[n];
  const SceneContact& c = state_.contacts[block.items[0]];
  const Matrix3 k = turning(c);
  const Vector3 o = c.frame.to_contact * (state_.bodies[c.a].angular_velocity - state_.bodies[c.b].angular_velocity);
  Vector3 next = group.moment;
  next[2] = may_spin(k) ? next[2] - o[2] / k[2][2] : 0;
  const Limits most = limits(block);
  set(n, cut(next, most.roll, most.spin));
  // The speed that an impulse makes which takes as much energy.
  const double mass = state_.bodies[c.a].inverse_mass + state_.bodies[c.b].inverse_mass;
  const Vector3 change = group.moment - group.before;
  return std::max(std::hypot(change[0], change[1]) * std::sqrt(mass * Matrix2{k[0][0], k[0][1], k[1][1]}.largest()),
                  std::abs(change[2]) * std::sqrt(mass * std::max(k[2][2], 0.0)));
}

// By the limits of the contacts, with the impulses of the step or of the last substep.
void SceneMoments::share_out(const SceneBlock& block, const Vector3& moment, bool of_sum, Vector3 SceneContact::*to) {
  const Limits most = limits(block, of_sum);
  for (std::size_t i : block.items) {
    SceneContact& c = state_.contacts[i];
    const double normal = c.impulse[2] + (of_sum ? c.impulse_before[2] : 0);
    const double roll = most.roll > 0 ? c.rolling_friction * normal / most.roll : 0;
    const double spin = most.spin > 0 ? c.spinning_friction * normal / most.spin : 0;
    c.*to = {roll * moment[0], roll * moment[1], spin * moment[2]};
  }
}

void SceneMoments::share_out() {
  for (std::size_t n = 0; n < groups_.size(); ++n)
    if (groups_[n].is_there)
      share_out(island_.sweep_order[n], groups_[n].sum + groups_[n].moment, true, &SceneContact::angular_impulse);
}

void SceneMoments::share_out_next(double substeps) {
  for (std::size_t n = 0; n < groups_.size(); ++n)
    if (groups_[n].is_there)
      share_out(island_.sweep_order[n], substeps * groups_[n].moment, false, &SceneContact::next_angular_impulse);
}

}  // namespace carom::reference
