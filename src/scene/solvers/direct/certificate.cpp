#include "certificate.hpp"

#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "direct_island.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// α while the set of loaded contacts changes. Once it stays, an iteration multiplies the miss by |1 - α|, which lies
/// between the next two numbers. With α = 1 the miss then falls at once, to less than the last share.
constexpr double relaxation = 1.6, min_ring = 0.55, max_ring = 0.65, falls = 0.3;
// Impulses below this share of the mean are 0.
constexpr double nothing = 1e-6;
constexpr int max_fails = 6;
// Iterations between two measurements of the speeds. In the solution of an island that can rest, the speeds decrease
// from one measurement to the next, or are below slow_motion, a fraction of the max. velocity change by forces. If no
// impulses can hold the island, impulses and speeds grow with the iterations.
constexpr int between_measures = 8;
constexpr double slow_motion = 3e-4;
/// Multiply-adds of a point in an iteration, and of a block in a triangular solution. A solution waits for memory and
/// takes this multiple of the time of the same operations in a factorisation.
constexpr double work_of_point = 100, work_of_block = 72, slowness = 4;

/// The nearest point of the cone |p_t| <= friction × p_n.
Vector3 projection(const Vector3& w, double friction) {
  const double length = std::sqrt(w[0] * w[0] + w[1] * w[1]);
  if (length <= friction * w[2]) return w;
  if (friction * length <= -w[2]) return {};
  const double normal = (w[2] + friction * length) / (1 + friction * friction), share = friction * normal / length;
  return {share * w[0], share * w[1], normal};
}

}  // namespace

void Certificate::reserve(std::size_t bodies, std::size_t manifolds, std::size_t points) {
  make_room(bodies, bodies_, sorted_, right_, x_, radius_, touches_);
  make_room(manifolds, manifolds_);
  make_room(points, points_, names_);
}

void Certificate::forget() {
  phase_ = Phase::idle;
  bodies_.clear();
  name_ = 0;
  was_direct = false;
  is_cheap = true;
}

bool Certificate::recall(const Array<std::uint32_t>& bodies, std::uint64_t name, double time_step) {
  sorted_.assign(bodies.begin(), bodies.end());
  std::sort(sorted_.begin(), sorted_.end());
  if (name == name_ && time_step == time_step_ && sorted_ == bodies_) return true;
  bodies_.swap(sorted_);
  // The first body and the first contact may be the same: a body has come or gone.
  was_direct = was_direct && name == name_ && time_step == time_step_;
  name_ = name;
  time_step_ = time_step;
  phase_ = Phase::idle;
  wait = held = refused = fails_ = 0;
  is_certified = holds = is_late = false;
  saved_ = 0;
  return false;
}

void Certificate::fail() {
  phase_ = Phase::idle;
  fails_ = std::min(fails_ + 1, max_fails);
  wait = 1 << fails_;
  holds = false;
}

void Certificate::succeed(bool is_certified_now) {
  phase_ = Phase::idle;
  was_direct = true;
  is_certified = is_certified_now;
  holds = false;
  fails_ = 0;
  wait = held = refused = 0;
}

void Certificate::begin(const DirectIsland& island, const Column<const std::uint64_t>& key, bool is_held) {
  phase_ = Phase::factors;
  is_certified = false;
  holds = is_held;
  column_ = 0;
  iterations_ = 0;
  relaxation_ = relaxation;
  waited = 0;
  saved_ = miss_ = fastest_ = fastest_loaded_ = 0;
  const std::size_t n = island.bodies().size();
  right_.assign(n, BodyRow{});
  x_.assign(n, BodyRow{});
  radius_.resize(n);
  double speed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Body& body = island.bodies()[i];
    const BodyRow& change = island.forces(i);
    const Vector3 spin = symmetric(body.inertia) * angular(change);
    for (std::size_t c = 0; c < 3; ++c) {
      right_[i].at[c] = body.mass * change.at[c];
      right_[i].at[3 + c] = spin[c];
    }
    const auto& j = body.inertia;
    radius_[i] = std::sqrt(std::max(j[0] + j[3] + j[5], 0.0) / body.mass);
    speed = std::max(speed, length(linear(change)));
  }
  unbalanced_ = Thresholds::large_unbalanced * speed;
  slow_motion_ = slow_motion * speed;
  enough_ = Thresholds::large_converged * speed;
  manifolds_.clear();
  points_.clear();
  names_.clear();
  for (const direct::Manifold& m : island.manifolds()) {
    Manifold to;
    to.a = m.a;
    to.b = m.b;
    to.axis = m.axis;
    to.friction = Thresholds::large_cone * m.friction;
    to.weight = 0;
    to.first = static_cast<std::uint32_t>(points_.size());
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      const direct::Point& p = island.points()[i];
      if (!(p.weight > 0)) continue;
      to.weight = p.weight;
      names_.push_back(
          {key[p.contact], static_cast<std::uint32_t>(points_.size()), static_cast<std::uint32_t>(manifolds_.size())});
      points_.push_back({m.axis * p.r_a, m.axis * p.r_b, p.impulse, {}, p.target[2]});
    }
    to.end = static_cast<std::uint32_t>(points_.size());
    if (to.end > to.first) manifolds_.push_back(to);
  }
  std::sort(names_.begin(), names_.end(), [](const Named& a, const Named& b) { return a.key < b.key; });
}

bool Certificate::touches_everywhere(const DirectIsland& island) {
  std::size_t touched = 0;
  bool is_grounded = false;
  touches_.assign(island.bodies().size(), 0);
  for (const direct::Manifold& m : island.manifolds()) {
    bool touches = false;
    for (std::uint32_t i = m.first; i < m.end; ++i)
      touches = touches || island.points()[i].separation < Thresholds::large_closed * island.points()[i].slop;
    if (!touches) continue;
    for (const std::int32_t row : {m.a, m.b}) {
      const auto i = static_cast<std::size_t>(row);
      if (i >= touches_.size()) {
        is_grounded = true;
      } else if (touches_[i] == 0) {
        touches_[i] = 1;
        ++touched;
      }
    }
  }
  return is_grounded && touched == touches_.size();
}

void Certificate::work(BlockFactor& factor, double budget) {
  if (factor.bodies() != x_.size()) return drop();
  saved_ += budget;
  if (phase_ == Phase::factors) {
    std::size_t end = column_;
    for (; end < factor.bodies() && saved_ > 0; ++end) saved_ -= factor.work_of_column(end);
    if (!factor.factor(column_, end)) return fail();
    column_ = end;
    if (column_ < factor.bodies()) return;
    phase_ = Phase::iterates;
  }
  if (phase_ != Phase::iterates) return;
  const double price = slowness * work_of_block * static_cast<double>(factor.blocks() + factor.bodies()) +
                       work_of_point * static_cast<double>(points_.size());
  for (; saved_ >= price; saved_ -= price) {
    const double last = miss_;
    iterate(factor);
    ++iterations_;
    const double share = iterations_ > 1 ? miss_ / last : 1;
    if (relaxation_ > 1 ? share > min_ring && share < max_ring : share > falls)
      relaxation_ = relaxation_ > 1 ? 1 : relaxation;
    const bool is_converged = miss_ < enough_;
    if (is_converged || iterations_ % between_measures == 0) {
      const double before = fastest_loaded_;
      measure();
      const bool gains_speed = iterations_ > between_measures && fastest_loaded_ > std::max(before, slow_motion_);
      if (gains_speed || (iterations_ > between_measures && fastest_loaded_ > unbalanced_)) return fail();
    }
    if (is_converged) {
      drop_small_impulses();
      phase_ = Phase::is_complete;
      return;
    }
    const int most = holds ? Thresholds::large_iterations_held : Thresholds::large_iterations;
    if (!(miss_ < 1e30) || iterations_ >= most) return fail();
  }
}

void Certificate::iterate(BlockFactor& factor) {
  const auto n = static_cast<std::int32_t>(x_.size());
  std::copy(right_.begin(), right_.end(), x_.begin());
  const auto add = [&](std::int32_t body, const Manifold& m, double sign, const Vector3& force, const Vector3& torque) {
    if (body >= n) return;
    double* const to = x_[static_cast<std::size_t>(body)].at;
    const Vector3 t = transpose(m.axis) * torque;
    for (std::size_t c = 0; c < 3; ++c) {
      to[c] += sign * force[c];
      to[3 + c] += sign * t[c];
    }
  };
  for (const Manifold& m : manifolds_) {
    Vector3 force{}, torque_a{}, torque_b{};
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      const Point& p = points_[i];
      const Vector3 f = p.impulse + m.weight * p.velocity;
      force = force + f;
      torque_a = torque_a + cross(p.r_a, f);
      torque_b = torque_b + cross(p.r_b, f);
    }
    const Vector3 world = transpose(m.axis) * force;
    add(m.a, m, 1, world, torque_a);
    add(m.b, m, -1, world, torque_b);
  }
  factor.solve(x_.data());
  const auto row = [&](std::int32_t body) { return body < n ? x_[static_cast<std::size_t>(body)] : BodyRow{}; };
  miss_ = 0;
  for (const Manifold& m : manifolds_) {
    const BodyRow a = row(m.a), b = row(m.b);
    const Vector3 u = m.axis * (linear(a) - linear(b)), spin_a = m.axis * angular(a), spin_b = m.axis * angular(b);
    const double compliance = 1 / m.weight;
    for (std::uint32_t i = m.first; i < m.end; ++i) {
      Point& p = points_[i];
      const Vector3 now = u + cross(spin_a, p.r_a) - cross(spin_b, p.r_b);
      Vector3 w;
      for (std::size_t c = 0; c < 3; ++c)
        w[c] = p.impulse[c] -
               m.weight * (relaxation_ * now[c] + (1 - relaxation_) * p.velocity[c] - (c == 2 ? p.target : 0));
      const Vector3 y = projection(w, m.friction);
      Vector3 z = compliance * (y - w);
      z[2] += p.target;
      const Vector3 miss = now - z, change = z - p.velocity;
      const double size = length(miss) + length(change);
      miss_ = size <= miss_ ? miss_ : size;  // keeps NaN
      p.impulse = y;
      p.velocity = z;
    }
  }
}

void Certificate::drop_small_impulses() {
  double sum = 0;
  std::size_t count = 0;
  for (const Point& p : points_)
    if (p.impulse[2] > 0) {
      sum += p.impulse[2];
      ++count;
    }
  const double least = count > 0 ? nothing * sum / static_cast<double>(count) : 0;
  for (Point& p : points_)
    if (!(p.impulse[2] > least)) p.impulse = {};
}

void Certificate::measure() {
  const auto speed = [&](std::size_t i) { return length(linear(x_[i])) + radius_[i] * length(angular(x_[i])); };
  fastest_ = fastest_loaded_ = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) fastest_ = std::max(fastest_, speed(i));
  for (const Manifold& m : manifolds_) {
    bool is_loaded = false;
    for (std::uint32_t i = m.first; i < m.end; ++i) is_loaded = is_loaded || points_[i].impulse[2] > 0;
    for (const std::int32_t body : {m.a, m.b})
      if (is_loaded && static_cast<std::size_t>(body) < x_.size())
        fastest_loaded_ = std::max(fastest_loaded_, speed(static_cast<std::size_t>(body)));
  }
}

Vector3 Certificate::in_world(const Named& of) const {
  return transpose(manifolds_[of.manifold].axis) * points_[of.point].impulse;
}

Vector3 Certificate::impulse(std::uint64_t key, std::size_t& hint) const {
  if (hint < names_.size() && names_[hint].key == key) return in_world(names_[hint++]);
  const auto found = std::lower_bound(names_.begin(), names_.end(), key,
                                      [](const Named& of, std::uint64_t wanted) { return of.key < wanted; });
  if (found == names_.end() || found->key != key) return {};
  hint = static_cast<std::size_t>(found - names_.begin()) + 1;
  return in_world(*found);
}

}  // namespace carom::scene::direct
