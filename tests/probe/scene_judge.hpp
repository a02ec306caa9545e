// The promises of docs/ about one solved scene, each as an error in units of what rounding and the residual may do;
// docs/accuracy.md states the units and the bound. Judged from the host's numbers and the results alone.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "probe/judge.hpp"
#include "probe/scene_draw.hpp"

namespace carom::probe {

template <class T>
struct SolvedScene {
  explicit SolvedScene(const scenes::SceneData<T>& data) : arrays(data) {}
  scenes::SceneArrays<T> arrays;
  SceneReport report;
};

template <class T>
class SceneJudge {
  using R = Real<T>;
  using V = Vector<R, 3>;
  static constexpr R epsilon = std::numeric_limits<T>::epsilon();

 public:
  SceneJudge(const DrawnScene<T>& drawn, const SolvedScene<T>& solved)
      : drawn_(drawn), d_(drawn.data), o_(drawn.options), made_(solved) {
    find_islands();
  }

  Verdict judge() {
    judge_statuses();
    judge_overflow();
    judge_bodies();
    for (std::size_t i = 0; i < d_.contact_count(); ++i) judge_contact(i);
    for (std::size_t r = 0; r < d_.row_count(); ++r) judge_row(r);
    judge_residual();
    judge_energy(false);
    return v_;
  }

  /// True where simultaneous sweeps have come to an end: called again with the impulses of `made`, they were done at
  /// the first look at both numbers of docs/scenes.md.
  static bool rests(const SolvedScene<T>& made, const SolvedScene<T>& again) {
    return made.report.not_converged == 0 && again.report.not_converged == 0 && again.report.iterations <= 4;
  }

  /// Coulomb's law at the contacts of a scene that rests.
  Verdict judge_law() {
    judge_energy(true);
    const R least =
        R(1000) * (R(o_.relative_tolerance) * R(made_.report.greatest_approach) + epsilon * largest_speed());
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      if (made_.arrays.status[i] != Status::ok) continue;
      const V n = normal(i), p = vector(made_.arrays.impulse, i), u = relative(made_.arrays, i);
      const R pn = dot(p, n), un = dot(u, n), mu = d_.friction[i], k = response(i);
      // Sweeps end by the velocities that changes of impulses give to masses; a contact far from them has more.
      const R left = least * (R(1) + turning(i) / k);
      if (mu > R(1e6) || pn * k < left) continue;
      v_.add("a contact under an impulse is at its target", absolute(un - target(i)) / left * bound);
      const V slip = less(u, times(un, n)), friction = less(p, times(pn, n));
      if (mu * pn * k < left || length(slip) < left) continue;
      // A slip that is known to a thousandth has a direction that is, and friction of full length opposes it.
      v_.add("friction opposes slip", (R(1) + dot(friction, slip) / (mu * pn * length(slip))) / R(0.02) * bound);
    }
    return v_;
  }

 private:
  static V vector(const support::Vectors3<T>& columns, std::size_t i) {
    return {static_cast<R>(columns[0][i]), static_cast<R>(columns[1][i]), static_cast<R>(columns[2][i])};
  }
  static V times(R a, const V& v) { return {a * v[0], a * v[1], a * v[2]}; }
  static V plus(const V& a, const V& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
  static V less(const V& a, const V& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
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
    return d_.bodies.inverse_mass[b] > 0 || d_.bodies.inverse_inertia[0][b] > 0;
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
  /// The sum of both bodies' inverse masses: a lower bound of K33, and what turns an impulse into a velocity.
  R response(std::size_t i) const {
    R sum = 0;
    for (const std::int32_t body : {d_.body_a[i], d_.body_b[i]})
      if (moves(body)) sum += static_cast<R>(d_.bodies.inverse_mass[static_cast<std::size_t>(body)]);
    return sum;
  }
  /// A bound of what turning adds to it.
  R turning(std::size_t i) const {
    R sum = 0;
    const auto add = [&](std::int32_t body, const V& r) {
      if (moves(body)) sum += trace(static_cast<std::size_t>(body)) * dot(r, r);
    };
    add(d_.body_a[i], vector(d_.lever_a, i));
    add(d_.body_b[i], vector(d_.lever_b, i));
    return sum;
  }
  static bool is_sound(Status status) { return status == Status::ok || status == Status::separating; }
  static std::size_t number(Status status) { return static_cast<std::size_t>(status); }

  template <class Columns, class Spins>
  V point_velocity(const Columns& velocity, const Spins& spin, std::int32_t body, const V& lever) const {
    if (body < 0) return {};
    const auto b = static_cast<std::size_t>(body);
    return plus(vector(velocity, b), cross(vector(spin, b), lever));
  }
  /// u less the surface velocity across the normal.
  template <class Bodies>
  V relative(const Bodies& bodies, std::size_t i) const {
    V u = less(point_velocity(bodies.velocity, bodies.angular_velocity, d_.body_a[i], vector(d_.lever_a, i)),
               point_velocity(bodies.velocity, bodies.angular_velocity, d_.body_b[i], vector(d_.lever_b, i)));
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
  R largest_speed() const {
    R most = 0;
    for (std::size_t b = 0; b < d_.body_count(); ++b)
      for (const auto* v :
           {&d_.bodies.velocity, &d_.bodies.angular_velocity, &made_.arrays.velocity, &made_.arrays.angular_velocity})
        most = larger(most, length(vector(*v, b)));
    return R(10) * most;  // of points at lever arms of a few metres
  }

  /// The target of simultaneous contacts: docs/scenes.md.
  R target(std::size_t i) const {
    const V n = normal(i);
    const R before = dot(relative(d_.bodies, i), n), e = d_.restitution[i];
    const R least = d_.target_velocity.empty() ? T(0) : d_.target_velocity[i];
    R change = 0;
    if (!d_.velocity_change[0].empty())
      change =
          dot(less(point_velocity(d_.velocity_change, d_.angular_velocity_change, d_.body_a[i], vector(d_.lever_a, i)),
                   point_velocity(d_.velocity_change, d_.angular_velocity_change, d_.body_b[i], vector(d_.lever_b, i))),
              n);
    const R threshold = static_cast<T>(o_.restitution_threshold);
    if (before >= least) return least > 0 || !(before - change > threshold) ? least : -larger(-least, e * before);
    if (e == 0 || change - before < threshold) return least;
    const R rebound = -e * (before - change / 2) + change / 2;
    return rebound > 0 ? larger(least, rebound) : least;
  }

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
  /// Sound, or part of an island that has overflowed.
  static bool is_in(Status status, Status given) {
    return is_sound(status) || (status == Status::overflow && given == Status::ok);
  }
  std::size_t root(std::size_t body) {
    while (island_[body] != body) body = island_[body] = island_[island_[body]];
    return body;
  }
  std::size_t island_of(std::int32_t a, std::int32_t b) { return root(static_cast<std::size_t>(moves(a) ? a : b)); }

  void judge_statuses() {
    const auto judge_one = [&](Status found, Status given, const char* name) {
      if (given != Status::ok)
        v_.add(name, found == given ? 0 : 2 * bound);
      else if (!is_sound(found) && drawn_.kind != SceneKind::range && !has_endless_friction())
        v_.add("sound data are no fault", 2 * bound);
    };
    std::array<std::size_t, status_room> count{}, rows{};
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      judge_one(made_.arrays.status[i], drawn_.fault[i], "a faulty contact has its status");
      ++count[number(made_.arrays.status[i])];
    }
    for (std::size_t r = 0; r < d_.row_count(); ++r) {
      judge_one(made_.arrays.joint_status[r], drawn_.row_fault[r], "a faulty row has its status");
      ++rows[number(made_.arrays.joint_status[r])];
    }
    v_.add("the report counts statuses",
           count == made_.report.by_status && rows == made_.report.joints_by_status ? 0 : 2 * bound);
  }

  /// Of an island all overflow or none does; its bodies are as they came.
  void judge_overflow() {
    std::map<std::size_t, std::array<bool, 2>> seen;  // of islands: a sound contact or row, one that has overflowed
    const auto see = [&](Status found, Status given, std::int32_t a, std::int32_t b) {
      if (is_in(found, given)) seen[island_of(a, b)][found == Status::overflow ? 1 : 0] = true;
    };
    for (std::size_t i = 0; i < d_.contact_count(); ++i)
      if (!is_fault(made_.arrays.status[i]) || made_.arrays.status[i] == Status::overflow)
        see(made_.arrays.status[i], drawn_.fault[i], d_.body_a[i], d_.body_b[i]);
    for (std::size_t r = 0; r < d_.row_count(); ++r)
      if (is_in(made_.arrays.joint_status[r], drawn_.row_fault[r]))
        see(made_.arrays.joint_status[r], drawn_.row_fault[r], d_.joints.rows[r].body_a, d_.joints.rows[r].body_b);
    std::size_t overflowed = 0;
    // A K or a row beyond the range is left out alone, so that this can be told of other kinds only; there is none
    // there.
    for (const auto& [island, of] : seen) overflowed += of[1] && !of[0] ? 1 : 0;
    if (overflowed > 0 && drawn_.kind != SceneKind::range && !has_endless_friction())
      v_.add("ordinary numbers do not overflow", 2 * bound);
    for (std::size_t b = 0; b < d_.body_count(); ++b) {
      const auto found = seen.find(root(b));
      const bool keeps = !moves(static_cast<std::int32_t>(b)) || found == seen.end() || !found->second[0];
      if (!keeps) continue;
      for (std::size_t c = 0; c < 3; ++c)
        v_.add("a body that nothing moves keeps its bits",
               same(d_.bodies.velocity[c][b], made_.arrays.velocity[c][b]) &&
                       same(d_.bodies.angular_velocity[c][b], made_.arrays.angular_velocity[c][b])
                   ? 0
                   : 2 * bound);
    }
  }
  /// Impulses on the way to the answer may be as large then.
  bool has_endless_friction() const {
    const auto is_endless = [](T mu) { return mu > T(1e6); };
    return std::ranges::any_of(d_.friction, is_endless) || std::ranges::any_of(d_.static_friction, is_endless);
  }
  /// Too large a relaxation may take velocities out of the range of numbers and back. Nothing is left then of the sizes
  /// at which the visits rounded.
  bool has_run_away() const {
    return o_.simultaneous.relaxation > 1 && made_.report.not_converged > 0 &&
           made_.report.energy_after > 1e12 * made_.report.energy_before;
  }
  static bool same(T a, T b) { return a == b || (a != a && b != b); }

  /// The velocities are those that the impulses make, if momentum is kept. Every visit rounds, at the size of what is
  /// there then.
  void judge_bodies() {
    if (o_.shock_propagation.enabled) return;
    const std::size_t n = d_.body_count();
    std::vector<V> linear(n), angular(n);
    std::vector<R> terms(n), spins(n);
    std::vector<R> visits(n, R(1));
    const auto give = [&](std::int32_t body, const V& p, const V& l, R terms_p, R terms_l) {
      if (!moves(body)) return;
      const auto b = static_cast<std::size_t>(body);
      linear[b] = plus(linear[b], p);
      angular[b] = plus(angular[b], l);
      terms[b] += terms_p;
      spins[b] += terms_l;
      visits[b] += R(1);
    };
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      if (!is_sound(made_.arrays.status[i])) continue;
      const V p = vector(made_.arrays.impulse, i), ra = vector(d_.lever_a, i), rb = vector(d_.lever_b, i);
      R begun = 0;
      if (!d_.warm_impulse[0].empty()) begun = length(vector(d_.warm_impulse, i));
      const R size = length(p) + begun;
      give(d_.body_a[i], p, cross(ra, p), size, size * length(ra));
      give(d_.body_b[i], times(-1, p), cross(rb, times(-1, p)), size, size * length(rb));
    }
    for (std::size_t r = 0; r < d_.row_count(); ++r) {
      if (made_.arrays.joint_status[r] != Status::ok) continue;
      const auto& row = d_.joints.rows[r];
      const R impulse = made_.arrays.joint_impulse[r],
              size = absolute(impulse) + absolute(static_cast<R>(row.warm_impulse));
      const auto side = [&](std::int32_t body, const auto& l, const auto& a) {
        const V j{static_cast<R>(l[0]), static_cast<R>(l[1]), static_cast<R>(l[2])};
        const V w{static_cast<R>(a[0]), static_cast<R>(a[1]), static_cast<R>(a[2])};
        give(body, times(impulse, j), times(impulse, w), size * length(j), size * length(w));
      };
      side(row.body_a, row.linear_a, row.angular_a);
      side(row.body_b, row.linear_b, row.angular_b);
    }
    R sweeps = static_cast<R>(larger(made_.report.iterations, o_.simultaneous.iterations) + 10);
    if (in_substeps()) sweeps *= static_cast<R>(o_.substeps.rounds);
    for (std::size_t b = 0; b < n; ++b) {
      const V v = vector(made_.arrays.velocity, b), w = vector(made_.arrays.angular_velocity, b);
      const V v0 = vector(d_.bodies.velocity, b), w0 = vector(d_.bodies.angular_velocity, b);
      if (is_finite(v0) && is_finite(w0)) v_.add("velocities are finite", is_finite(v) && is_finite(w) ? 0 : 2 * bound);
      if (in_substeps()) judge_motion(b, visits[b] == R(1));
      if (!moves(static_cast<std::int32_t>(b)) || drawn_.kind == SceneKind::range || has_endless_friction() ||
          has_run_away())
        continue;
      const R m = d_.bodies.inverse_mass[b], visited = sweeps * visits[b];
      const R size = length(v) + length(v0) + m * terms[b] + visited * R(1e-30);
      const R spin = length(w) + length(w0) + trace(b) * spins[b] + visited * R(1e-30);
      v_.add("momentum", length(less(less(v, v0), times(m, linear[b]))) / (epsilon * visited * size));
      // Lever arms that turn in substeps are not those of the start.
      if (in_substeps() && turns_arms()) continue;
      v_.add("angular momentum", length(less(less(w, w0), turned(b, angular[b]))) / (epsilon * visited * spin));
    }
  }

  bool turns_arms() const {
    return std::ranges::any_of(d_.joints.rows, [](const auto& row) {
      return row.arm_a != typename JointRowData<T>::Vector{} || row.arm_b != typename JointRowData<T>::Vector{};
    });
  }
  bool in_substeps() const { return o_.method == SceneMethod::substeps; }

  /// The displacement of a body; that of one which nothing touches follows its velocity, from forces that have acted
  /// in the fewest substeps.
  void judge_motion(std::size_t b, bool is_alone) {
    const V x = vector(made_.arrays.displacement, b), turn = vector(made_.arrays.rotation, b);
    const V v0 = vector(d_.bodies.velocity, b), w0 = vector(d_.bodies.angular_velocity, b);
    if (!is_finite(v0) || !is_finite(w0)) return;
    v_.add("motion is finite", is_finite(x) && is_finite(turn) ? 0 : 2 * bound);
    if (!is_alone || drawn_.kind == SceneKind::range) return;
    const R h = o_.substeps.time_step, late = R(0.5) * (R(1) - R(1) / static_cast<R>(o_.substeps.least));
    const bool forced = !d_.velocity_change[0].empty() && moves(static_cast<std::int32_t>(b));
    const V by_forces = forced ? vector(d_.velocity_change, b) : V{},
            spun_by_forces = forced ? vector(d_.angular_velocity_change, b) : V{};
    const auto judge_one = [&](const V& moved, const V& v, const V& change) {
      const R size = h * (length(v) + length(change)) + R(1e-30);
      v_.add("a body that nothing touches moves with its velocity",
             length(less(moved, times(h, less(v, times(late, change))))) / (epsilon * size));
    };
    judge_one(x, v0, by_forces);
    judge_one(turn, w0, spun_by_forces);
  }

  void judge_contact(std::size_t i) {
    const Status status = made_.arrays.status[i];
    const V p = vector(made_.arrays.impulse, i);
    v_.add("impulses are finite", is_finite(p) ? 0 : 2 * bound);
    if (is_fault(status)) {
      v_.add("a fault has no impulse", length(p) > 0 ? 2 * bound : 0);
      return;
    }
    v_.add("velocities of separation are finite",
           is_finite(vector(made_.arrays.separation_velocity, i)) ? 0 : 2 * bound);
    if (drawn_.kind == SceneKind::range) return;
    v_.add("ok means an impulse", (status == Status::ok) == (length(p) > 0) ? 0 : 2 * bound);
    const V n = normal(i);
    const R pn = dot(p, n), pt = length(less(p, times(pn, n))), unit = epsilon * length(p);
    R mu = d_.friction[i];
    if (!d_.static_friction.empty()) mu = larger(mu, static_cast<R>(d_.static_friction[i]));
    if (!(unit > 0)) return;
    v_.add("p_n >= 0", -pn / unit);
    // Impulses of a sequence are sums over its impacts, each of which is rounded.
    if (mu < R(1e6))
      v_.add("the cone of friction", (pt - mu * pn) / (unit * (R(1) + mu)) / (is_sequence() ? R(10) : R(1)));
  }
  bool is_sequence() const { return o_.method == SceneMethod::sequence; }

  void judge_row(std::size_t r) {
    const auto& row = d_.joints.rows[r];
    const T impulse = made_.arrays.joint_impulse[r];
    v_.add("impulses of rows are finite", std::isfinite(impulse) ? 0 : 2 * bound);
    if (made_.arrays.joint_status[r] != Status::ok) {
      v_.add("a faulty row has no impulse", impulse != 0 ? 2 * bound : 0);
      return;
    }
    // The reference adds up as many shares of a bound as there are substeps.
    const R beyond = larger(static_cast<R>(row.least_impulse) - impulse, impulse - static_cast<R>(row.largest_impulse));
    if (in_substeps() && beyond > 0) {
      v_.add("bounds of rows", beyond / (epsilon * static_cast<R>(o_.substeps.most) * absolute(R(impulse))));
      return;
    }
    v_.add("bounds of rows", impulse >= row.least_impulse && impulse <= row.largest_impulse ? 0 : 2 * bound);
  }

  /// What the report calls the residual, computed anew.
  void judge_residual() {
    v_.add("residuals are no NaN", made_.report.residual >= 0 ? 0 : 2 * bound);
    if (made_.report.by_status[number(Status::overflow)] + made_.report.joints_by_status[number(Status::overflow)] > 0)
      return;
    const bool knows_targets = o_.method == SceneMethod::simultaneous || is_sequence();
    if (!knows_targets || drawn_.kind == SceneKind::range) return;
    R worst = 0;
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      if (!is_sound(made_.arrays.status[i])) continue;
      const R least = d_.target_velocity.empty() ? T(0) : d_.target_velocity[i];
      const R wanted = is_sequence() ? least : target(i);
      worst = larger(worst, wanted - dot(relative(made_.arrays, i), normal(i)));
    }
    for (std::size_t r = 0; r < d_.row_count(); ++r) {
      if (made_.arrays.joint_status[r] != Status::ok) continue;
      const auto& row = d_.joints.rows[r];
      const R impulse = made_.arrays.joint_impulse[r];
      const R rest = row_velocity(made_.arrays, r) + static_cast<R>(row.compliance) * impulse -
                     static_cast<R>(row.target_velocity);
      const bool held = (rest > 0 && impulse <= static_cast<R>(row.least_impulse)) ||
                        (rest < 0 && impulse >= static_cast<R>(row.largest_impulse));
      if (!held) worst = larger(worst, absolute(rest));
    }
    v_.add("the residual is that of the velocities",
           absolute(static_cast<R>(made_.report.residual) - worst) / (epsilon * (largest_speed() + worst)));
    // An island that is done has had its last changes measured as speeds of its bodies, which levers magnify.
    R levers = 1;
    for (std::size_t i = 0; i < d_.contact_count(); ++i)
      if (is_sound(made_.arrays.status[i]) && response(i) > 0) levers = larger(levers, R(1) + turning(i) / response(i));
    const R done = R(20) * levers * R(o_.relative_tolerance) * R(made_.report.greatest_approach);
    if (made_.report.not_converged > 0)
      v_.add("what has not converged has a residual", made_.report.residual > 0 ? 0 : 2 * bound);
    else if (!is_sequence() && !o_.shock_propagation.enabled && made_.report.iterations == 4000)
      v_.add("what reaches the bound of sweeps is told",
             worst > done + R(64) * epsilon * largest_speed() ? 2 * bound : 0);
  }

  R kinetic_energy(const auto& bodies) const {
    R sum = 0;
    for (std::size_t b = 0; b < d_.body_count(); ++b) {
      if (!moves(static_cast<std::int32_t>(b))) continue;
      const V v = vector(bodies.velocity, b), w = vector(bodies.angular_velocity, b);
      sum += dot(v, v) / (R(2) * static_cast<R>(d_.bodies.inverse_mass[b]));
      const auto& j = d_.bodies.inverse_inertia;
      const auto at = [&](std::size_t c) { return static_cast<R>(j[c][b]); };
      const V x{at(0), at(1), at(2)}, y{at(1), at(3), at(4)}, z{at(2), at(4), at(5)};
      const V l{dot(w, cross(y, z)), dot(x, cross(w, z)), dot(x, cross(y, w))};
      sum += dot(w, l) / (R(2) * dot(x, cross(y, z)));
    }
    return sum;
  }

  void judge_energy(bool rests) {
    if (drawn_.kind == SceneKind::range || drawn_.kind == SceneKind::driven || drawn_.kind == SceneKind::faults) return;
    bool plain = true;  // rows without targets, and without bounds that leave out 0
    bool unbounded = true;
    for (const auto& row : d_.joints.rows) {
      plain = plain && row.target_velocity == 0 && row.least_impulse <= 0 && row.largest_impulse >= 0;
      unbounded = unbounded && row.compliance == 0 && std::isinf(row.least_impulse) && std::isinf(row.largest_impulse);
    }
    if (!plain || o_.shock_propagation.enabled) return;
    R impulses = 0, condition = 1;
    for (std::size_t i = 0; i < d_.contact_count(); ++i) impulses += length(vector(made_.arrays.impulse, i));
    for (const T p : made_.arrays.joint_impulse) impulses += absolute(static_cast<R>(p));
    for (std::size_t b = 0; b < d_.body_count(); ++b) condition = larger(condition, trace(b) / smallest(b));
    const R before = kinetic_energy(d_.bodies), after = kinetic_energy(made_.arrays);
    const R visits =
        static_cast<R>(larger(made_.report.iterations, 20) * static_cast<int>(1 + d_.contact_count() + d_.row_count()));
    const R rounding = epsilon * visits * (condition * (before + after) + largest_speed() * impulses);
    if (is_sequence()) {
      v_.add("a sequence gains no energy", (after - before) / rounding);
      return;
    }
    if (!rests) return;
    bool plastic = true, frictionless = true, one = true;
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      plastic = plastic && d_.restitution[i] == 0;
      frictionless = frictionless && d_.friction[i] == 0 && (d_.static_friction.empty() || d_.static_friction[i] == 0);
      one = one && d_.restitution[i] == d_.restitution[0];
    }
    if (o_.restitution_threshold > 0 && !plastic) return;
    // Contacts and rows are at their targets but for that.
    const R left =
        R(4) * (R(made_.report.residual) + R(o_.relative_tolerance) * R(made_.report.greatest_approach)) * impulses;
    if (plastic) v_.add("plastic contacts gain no energy", (after - before) / (rounding + left));
    if (!frictionless || !one || d_.contact_count() == 0 || !unbounded) return;
    const R e = d_.restitution[0], work = larger(R(0), R(made_.report.joint_work));
    v_.add("a gain is no more than joints' work allows",
           (after - before - R(2) * e / (R(1) + e) * work) / (rounding + left));
  }
  R smallest(std::size_t b) const {
    const auto& j = d_.bodies.inverse_inertia;
    const auto at = [&](std::size_t c) { return static_cast<R>(j[c][b]); };
    const V x{at(0), at(1), at(2)}, y{at(1), at(3), at(4)}, z{at(2), at(4), at(5)};
    return trace(b) > 0 ? dot(x, cross(y, z)) / (trace(b) * trace(b)) : R(1);
  }

  const DrawnScene<T>& drawn_;
  const scenes::SceneData<T>& d_;
  const SceneOptions& o_;
  const SolvedScene<T>& made_;
  std::vector<std::size_t> island_;
  Verdict v_;
};

}  // namespace carom::probe
