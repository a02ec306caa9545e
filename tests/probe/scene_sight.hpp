// The common view of all judges of a solved scene: the scene, its results, and quantities of contacts, rows and
// islands, computed from the caller's numbers only.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <numeric>
#include <type_traits>
#include <vector>

#include "probe/judge.hpp"
#include "probe/promises.hpp"
#include "probe/scene_draw.hpp"

namespace carom::probe {

using scene::CallOptions;

template <class T>
struct SolvedScene {
  explicit SolvedScene(const scenes::SceneData<T>& data) : arrays(data) {}
  scenes::SceneArrays<T> arrays;
  SceneReport report;
};

template <class R>
Vector<R, 3> times(std::type_identity_t<R> a, const Vector<R, 3>& v) {
  return {a * v[0], a * v[1], a * v[2]};
}
template <class R>
Vector<R, 3> sum(const Vector<R, 3>& a, const Vector<R, 3>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class R>
Vector<R, 3> less(const Vector<R, 3>& a, const Vector<R, 3>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

template <class T>
class SceneSight {
  using R = Real<T>;
  using V = Vector<R, 3>;
  static constexpr R epsilon = std::numeric_limits<T>::epsilon();

 public:
  SceneSight(const DrawnScene<T>& drawn, const SolvedScene<T>& solved)
      : drawn_(drawn), d_(drawn.data), o_(scene::call_options(drawn.options)), made_(solved) {
    near_range_ = drawn.kind == SceneKind::range || !keeps_in_range(drawn.options);
    find_islands();
  }

  const DrawnScene<T>& drawn() const { return drawn_; }
  const CallOptions& options() const { return o_; }
  const SolvedScene<T>& made() const { return made_; }

  static V vector(const support::Vectors3<T>& columns, std::size_t i) {
    return {static_cast<R>(columns[0][i]), static_cast<R>(columns[1][i]), static_cast<R>(columns[2][i])};
  }
  static bool is_finite(const V& v) {
    for (const R x : v)
      if (!(absolute(x) <= static_cast<R>(std::numeric_limits<T>::max()))) return false;
    return true;
  }
  V normal(std::size_t i) const {
    const V n = vector(d_.normal, i);
    return times(R(1) / length(n), n);
  }
  bool moves(std::int32_t body) const {
    if (body < 0) return false;
    const auto b = static_cast<std::size_t>(body);
    return d_.bodies.inverse_mass[b] > 0 || trace(b) > 0;
  }
  V turned(std::size_t body, const V& l) const {
    const auto& j = d_.bodies.inverse_inertia;
    const auto at = [&](std::size_t c) { return static_cast<R>(j[c][body]); };
    return {at(0) * l[0] + at(1) * l[1] + at(2) * l[2], at(1) * l[0] + at(3) * l[1] + at(4) * l[2],
            at(2) * l[0] + at(4) * l[1] + at(5) * l[2]};
  }
  R trace(std::size_t body) const {
    const auto& j = d_.bodies.inverse_inertia;
    return static_cast<R>(j[0][body]) + static_cast<R>(j[3][body]) + static_cast<R>(j[5][body]);
  }
  /// Sum of both bodies' inverse masses: a lower bound of K33. Converts impulses to velocities.
  R response(std::size_t i) const {
    R sum = 0;
    for (const std::int32_t body : {d_.body_a[i], d_.body_b[i]})
      if (moves(body)) sum += static_cast<R>(d_.bodies.inverse_mass[static_cast<std::size_t>(body)]);
    return sum;
  }
  /// Upper bound of the contribution of rotation to K33.
  R turning(std::size_t i) const {
    R sum = 0;
    const auto add = [&](std::int32_t body, const V& r) {
      if (moves(body)) sum += trace(static_cast<std::size_t>(body)) * dot(r, r);
    };
    add(d_.body_a[i], vector(d_.r_a, i));
    add(d_.body_b[i], vector(d_.r_b, i));
    return sum;
  }
  /// Definiteness of a contact's K.
  Definiteness definiteness_of_contact(std::size_t i) const {
    Matrix<R, 3> k{};
    const R mass = response(i);
    for (std::size_t c = 0; c < 3; ++c) {
      k[c][c] += mass;
      V axis{};
      axis[c] = 1;
      const auto add = [&](std::int32_t body, const V& r) {
        if (!moves(body)) return;
        const V turn = cross(turned(static_cast<std::size_t>(body), cross(r, axis)), r);
        for (std::size_t x = 0; x < 3; ++x) k[c][x] += turn[x];
      };
      add(d_.body_a[i], vector(d_.r_a, i));
      add(d_.body_b[i], vector(d_.r_b, i));
    }
    return definiteness<T>(min_of(eigenvalues(k)), 3 * mass + turning(i), mass > 0);
  }
  /// Definiteness of a row's response, which includes its compliance.
  Definiteness definiteness_of_row(std::size_t r) const {
    const auto& row = d_.joints.rows[r];
    R response = static_cast<R>(row.compliance), terms = response, masses = 0;
    const auto add = [&](std::int32_t body, const auto& linear, const auto& angular) {
      if (!moves(body)) return;
      const auto b = static_cast<std::size_t>(body);
      const auto wide = [](const auto& v) {
        return V{static_cast<R>(v[0]), static_cast<R>(v[1]), static_cast<R>(v[2])};
      };
      const V l = wide(linear), a = wide(angular);
      const R mass = static_cast<R>(d_.bodies.inverse_mass[b]) * dot(l, l);
      masses += mass;
      response += mass + dot(a, turned(b, a));
      terms += mass + trace(b) * dot(a, a);
    };
    add(row.body_a, row.linear_a, row.angular_a);
    add(row.body_b, row.linear_b, row.angular_b);
    return definiteness<T>(response, terms, masses > 0 || row.compliance > 0);
  }
  static bool is_sound(Status status) { return status == Status::ok || status == Status::separating; }
  static std::size_t number(Status status) { return static_cast<std::size_t>(status); }

  template <class Columns, class Spins>
  V point_velocity(const Columns& velocity, const Spins& spin, std::int32_t body, const V& lever) const {
    if (body < 0) return {};
    const auto b = static_cast<std::size_t>(body);
    return sum(vector(velocity, b), cross(vector(spin, b), lever));
  }
  /// u minus the tangential surface velocity.
  template <class Bodies>
  V relative(const Bodies& bodies, std::size_t i) const {
    V u = less(point_velocity(bodies.velocity, bodies.angular_velocity, d_.body_a[i], vector(d_.r_a, i)),
               point_velocity(bodies.velocity, bodies.angular_velocity, d_.body_b[i], vector(d_.r_b, i)));
    if (!d_.surface_velocity[0].empty()) {
      const V s = vector(d_.surface_velocity, i), n = normal(i);
      u = less(u, less(s, times(dot(s, n), n)));
    }
    return u;
  }
  R row_velocity(const auto& bodies, std::size_t r) const {
    const auto& row = d_.joints.rows[r];
    const auto of = [&](std::int32_t body, const auto& linear, const auto& angular) {
      R sum = 0;
      if (body < 0) return sum;
      for (std::size_t c = 0; c < 3; ++c)
        sum += static_cast<R>(linear[c]) * static_cast<R>(bodies.velocity[c][static_cast<std::size_t>(body)]) +
               static_cast<R>(angular[c]) * static_cast<R>(bodies.angular_velocity[c][static_cast<std::size_t>(body)]);
      return sum;
    };
    return of(row.body_a, row.linear_a, row.angular_a) + of(row.body_b, row.linear_b, row.angular_b);
  }
  R max_speed() const {
    R most = 0;
    for (std::size_t b = 0; b < d_.body_count(); ++b)
      for (const auto* v :
           {&d_.bodies.velocity, &d_.bodies.angular_velocity, &made_.arrays.velocity, &made_.arrays.angular_velocity})
        most = larger(most, length(vector(*v, b)));
    return R(10) * most;  // of points at lever arms of a few metres
  }

  /// Target velocity of contacts under the method simultaneous: docs/scenes.md.
  R target(std::size_t i) const {
    const V n = normal(i);
    const bool gives_way = !d_.normal_compliance.empty() && d_.normal_compliance[i] > 0;
    const R before = dot(relative(d_.bodies, i), n), e = gives_way ? T(0) : d_.restitution[i];
    const R least = d_.target_velocity.empty() ? T(0) : d_.target_velocity[i];
    R change = 0;
    if (!d_.velocity_change[0].empty())
      change =
          dot(less(point_velocity(d_.velocity_change, d_.angular_velocity_change, d_.body_a[i], vector(d_.r_a, i)),
                   point_velocity(d_.velocity_change, d_.angular_velocity_change, d_.body_b[i], vector(d_.r_b, i))),
              n);
    const R threshold = static_cast<T>(o_.restitution_threshold);
    if (before >= least) return least > 0 || !(before - change > threshold) ? least : -larger(-least, e * before);
    if (e == 0 || change - before < threshold) return least;
    const R rebound = -e * (before - change / 2) + change / 2;
    return rebound > 0 ? larger(least, rebound) : least;
  }

  /// True if the contact or row is sound, or part of an overflowed island.
  static bool is_in(Status status, Status given) {
    return is_sound(status) || (status == Status::overflow && given == Status::ok);
  }
  std::size_t root(std::size_t body) const {
    while (island_[body] != body) body = island_[body];
    return body;
  }
  std::size_t island_of(std::int32_t a, std::int32_t b) const {
    return root(static_cast<std::size_t>(moves(a) ? a : b));
  }
  /// True if friction is so large that intermediate impulses may be, too.
  bool has_endless_friction() const {
    const auto is_endless = [](T mu) { return mu > T(1e6); };
    return std::ranges::any_of(d_.friction, is_endless) || std::ranges::any_of(d_.static_friction, is_endless);
  }
  /// Excessive relaxation may drive velocities to enormous values and back. The results then no longer show at which
  /// size the visits rounded.
  bool has_run_away() const {
    return o_.pgs.relaxation > 1 && made_.report.not_converged > 0 &&
           made_.report.energy_after > 1e12 * made_.report.energy_before;
  }
  /// Fraction of the greatest approach speed at which an island has converged. Relaxation below 1 makes all changes of
  /// impulses smaller, and convergence is measured by them.
  R tolerance() const {
    const bool relaxes = o_.procedure == Procedure::pgs && o_.pgs.relaxation < 1;
    return R(o_.tolerance) / (relaxes ? R(o_.pgs.relaxation) : R(1));
  }
  bool in_substeps() const { return o_.procedure == Procedure::substeps; }
  bool has_jointed_rotors() const { return in_substeps() && drawn_.kind == SceneKind::rotors && d_.row_count() > 0; }
  bool is_sequential_impacts() const { return o_.procedure == Procedure::sequential_impacts; }
  bool is_bender_schmitt() const {
    return o_.procedure == Procedure::collisions || o_.procedure == Procedure::resting ||
           o_.procedure == Procedure::both_phases;
  }
  /// True if contacts of BenderSchmitt may collide several times.
  bool repeats_collisions() const {
    return is_bender_schmitt() && o_.procedure != Procedure::resting &&
           o_.bender_schmitt.filter == ContactFilter::colliding;
  }
  /// True if numbers of the scene or of its options are near the range of the precision.
  bool near_range() const { return near_range_; }
  /// True if options may make faults of sound bodies. Forces do not act on these.
  bool has_bodies_at_fault() const {
    return rounding_may_be_a_fault<T>(drawn_.options.data) || !keeps_in_range(drawn_.options);
  }
  /// True if forces change velocities in the step.
  bool has_forces() const { return !d_.velocity_change[0].empty(); }

 private:
  void find_islands() {
    island_.resize(d_.body_count());
    std::iota(island_.begin(), island_.end(), std::size_t{0});
    const auto unite = [&](std::int32_t a, std::int32_t b) {
      if (moves(a) && moves(b)) island_[root(static_cast<std::size_t>(a))] = root(static_cast<std::size_t>(b));
    };
    for (std::size_t i = 0; i < d_.contact_count(); ++i)
      if (is_in(made_.arrays.status[i], drawn_.fault[i])) unite(d_.body_a[i], d_.body_b[i]);
    for (std::size_t r = 0; r < d_.row_count(); ++r)
      if (is_in(made_.arrays.joint_status[r], drawn_.row_fault[r]))
        unite(d_.joints.rows[r].body_a, d_.joints.rows[r].body_b);
  }

  const DrawnScene<T>& drawn_;
  const scenes::SceneData<T>& d_;
  const CallOptions o_;
  const SolvedScene<T>& made_;
  bool near_range_ = false;
  std::vector<std::size_t> island_;
};

/// Judges one kind of promise and adds its findings to a verdict.
template <class T>
class SceneAspect {
 public:
  SceneAspect(const SceneSight<T>& sight, Verdict& verdict)
      : s_(sight),
        drawn_(sight.drawn()),
        d_(sight.drawn().data),
        o_(sight.options()),
        made_(sight.made()),
        v_(verdict) {}

 protected:
  using R = Real<T>;
  using V = Vector<R, 3>;
  static constexpr R epsilon = std::numeric_limits<T>::epsilon();

  const SceneSight<T>& s_;
  const DrawnScene<T>& drawn_;
  const scenes::SceneData<T>& d_;
  const CallOptions& o_;
  const SolvedScene<T>& made_;
  Verdict& v_;
};

}  // namespace carom::probe
