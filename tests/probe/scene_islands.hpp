// The promises of docs/scenes.md about islands and their bodies: overflow, momentum, motion and the residual.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "probe/scene_sight.hpp"

namespace carom::probe {

template <class T>
class IslandsJudge : SceneAspect<T> {
  using Base = SceneAspect<T>;
  using Base::d_, Base::drawn_, Base::made_, Base::o_, Base::s_, Base::v_;
  using Base::epsilon;
  using typename Base::R, typename Base::V;

 public:
  using Base::Base;

  void judge() {
    judge_overflow();
    judge_bodies();
    judge_residual();
  }

 private:
  /// Only numbers near the range, endless friction or rows between rotors in substeps may make an island overflow.
  /// Bodies that no sound contact or row moves keep their velocities.
  void judge_overflow() {
    std::map<std::size_t, std::array<bool, 2>> seen;  // per island: has a sound contact or row, has an overflowed one
    const auto see = [&](Status found, Status given, std::int32_t a, std::int32_t b) {
      if (s_.is_in(found, given)) seen[s_.island_of(a, b)][found == Status::overflow ? 1 : 0] = true;
    };
    for (std::size_t i = 0; i < d_.contact_count(); ++i)
      if (!is_fault(made_.arrays.status[i]) || made_.arrays.status[i] == Status::overflow)
        see(made_.arrays.status[i], drawn_.fault[i], d_.body_a[i], d_.body_b[i]);
    for (std::size_t r = 0; r < d_.row_count(); ++r)
      if (s_.is_in(made_.arrays.joint_status[r], drawn_.row_fault[r]))
        see(made_.arrays.joint_status[r], drawn_.row_fault[r], d_.joints.rows[r].body_a, d_.joints.rows[r].body_b);
    std::size_t overflowed = 0;
    // Scenes near the range are not judged: there a single K or row beyond the range is left out, without its island.
    for (const auto& [island, of] : seen) overflowed += of[1] && !of[0] ? 1 : 0;
    if (overflowed > 0 && !s_.near_range() && !s_.has_endless_friction() && !s_.has_jointed_rotors())
      v_.add("ordinary numbers do not overflow", 2 * bound);
    for (std::size_t b = 0; b < d_.body_count(); ++b) {
      const auto found = seen.find(s_.root(b));
      if (s_.has_bodies_at_fault()) continue;
      const bool keeps = !s_.moves(static_cast<std::int32_t>(b)) || found == seen.end() || !found->second[0];
      if (!keeps) continue;
      for (std::size_t c = 0; c < 3; ++c)
        v_.add("a body that nothing moves keeps its bits",
               same(d_.bodies.velocity[c][b], made_.arrays.velocity[c][b]) &&
                       same(d_.bodies.angular_velocity[c][b], made_.arrays.angular_velocity[c][b])
                   ? 0
                   : 2 * bound);
    }
  }
  static bool same(T a, T b) { return a == b || (a != a && b != b); }

  /// Judges conservation of momentum: the impulses account for the change of every velocity. Every visit of a contact
  /// rounds in proportion to the velocities and impulses at that moment. Shock propagation does not conserve momentum,
  /// and where the audit removed energy, no impulse accounts for it.
  void judge_bodies() {
    if (o_.bender_schmitt.shock_propagation > 0) return;
    const std::size_t n = d_.body_count();
    std::vector<V> linear(n), angular(n);
    std::vector<R> terms(n), spins(n);
    std::vector<R> visits(n, R(1));
    const auto give = [&](std::int32_t body, const V& p, const V& l, R terms_p, R terms_l) {
      if (!s_.moves(body)) return;
      const auto b = static_cast<std::size_t>(body);
      linear[b] = sum(linear[b], p);
      angular[b] = sum(angular[b], l);
      terms[b] += terms_p;
      spins[b] += terms_l;
      visits[b] += R(1);
    };
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      if (!s_.is_sound(made_.arrays.status[i])) continue;
      const V p = s_.vector(made_.arrays.impulse, i), ra = s_.vector(d_.r_a, i), rb = s_.vector(d_.r_b, i);
      R begun = 0;
      if (!d_.warm_impulse[0].empty()) begun = length(s_.vector(d_.warm_impulse, i));
      const R size = length(p) + begun;
      const R largest = size + on_the_way(i);
      give(d_.body_a[i], p, cross(ra, p), size, largest * length(ra));
      give(d_.body_b[i], times(-1, p), cross(rb, times(-1, p)), size, largest * length(rb));
      const V m = s_.vector(made_.arrays.angular_impulse, i);
      R resistance = 0;  // bound of the intermediate moments, which may exceed the final one
      if (!d_.rolling_friction.empty())
        resistance = size * (static_cast<R>(d_.rolling_friction[i]) + static_cast<R>(d_.spinning_friction[i]));
      give(d_.body_a[i], V{}, m, R(0), resistance);
      give(d_.body_b[i], V{}, times(-1, m), R(0), resistance);
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
    R sweeps = static_cast<R>(larger(made_.report.iterations, iterations()) + 10);
    sweeps *= static_cast<R>(s_.in_substeps() ? o_.substeps.inner_iterations : o_.pgs.inner_iterations);
    const R on_the_way = speed_on_the_way();
    for (std::size_t b = 0; b < n; ++b) {
      const V v = s_.vector(made_.arrays.velocity, b), w = s_.vector(made_.arrays.angular_velocity, b);
      const V v0 = s_.vector(d_.bodies.velocity, b), w0 = s_.vector(d_.bodies.angular_velocity, b);
      if (s_.is_finite(v0) && s_.is_finite(w0))
        v_.add("velocities are finite", s_.is_finite(v) && s_.is_finite(w) ? 0 : 2 * bound);
      if (s_.in_substeps() && !s_.has_bodies_at_fault()) judge_motion(b, visits[b] == R(1));
      if (!s_.moves(static_cast<std::int32_t>(b)) || s_.near_range() || s_.has_bodies_at_fault() ||
          s_.has_endless_friction() || s_.has_run_away() || made_.report.energy_removed > 0)
        continue;
      const R m = d_.bodies.inverse_mass[b], visited = sweeps * visits[b];
      const R size = length(v) + length(v0) + m * terms[b] + on_the_way + visited * R(1e-30);
      const R spin = length(w) + length(w0) + s_.trace(b) * spins[b] + on_the_way + visited * R(1e-30);
      v_.add("momentum", length(less(less(v, v0), times(m, linear[b]))) / (epsilon * visited * size));
      // With joints, substeps turn lever arms and inertia, so the initial ones no longer apply.
      if (s_.in_substeps() && d_.row_count() > 0) continue;
      v_.add("angular momentum", length(less(less(w, w0), s_.turned(b, angular[b]))) / (epsilon * visited * spin));
    }
  }

  /// Maximum number of iterations of the method.
  int iterations() const {
    if (s_.is_sequential_impacts()) return o_.sequential_impacts.max_impacts;
    return s_.is_bender_schmitt() ? o_.bender_schmitt.max_iterations : o_.pgs.iterations;
  }

  /// Bound of the intermediate impulses of a contact whose K is nearly singular. They may be far above the final ones.
  R on_the_way(std::size_t i) const {
    if (drawn_.kind != SceneKind::rotors) return R(0);
    return s_.max_speed() / larger(s_.response(i), R(32) * epsilon * s_.turning(i));
  }

  /// Bound of intermediate speeds: of the bodies, of the approach, of the speeds that close gaps and vanish at the end
  /// of the step, and of points of bodies that almost only turn, whose impulses along their arms turn them by the
  /// rounding of r × p.
  R speed_on_the_way() const {
    R farthest = 0;
    const auto see = [&](T x) {
      const R size = absolute(static_cast<R>(x));
      if (size > farthest) farthest = size;  // not NaN
    };
    for (const T separation : d_.separation) see(separation);
    for (const auto& row : d_.joints.rows) see(row.position_error);
    const double step = s_.in_substeps() ? o_.time_step / static_cast<double>(o_.substeps.max_substeps) : o_.time_step;
    R by_rounding = 0;
    if (drawn_.kind == SceneKind::rotors)
      for (std::size_t i = 0; i < d_.contact_count(); ++i)
        if (s_.is_sound(made_.arrays.status[i]))
          by_rounding = larger(by_rounding, epsilon * s_.turning(i) * length(s_.vector(made_.arrays.impulse, i)));
    const R closing = step > 0 ? farthest / static_cast<R>(step) : R(0);
    const double approach = made_.report.max_approach_speed;
    return closing + R(0.1L) * s_.max_speed() + (std::isfinite(approach) ? R(approach) : R(0)) + by_rounding;
  }

  /// Judges the displacement of a body. A body without contacts or rows moves with its velocity, under forces applied
  /// over the min number of substeps.
  void judge_motion(std::size_t b, bool is_alone) {
    const V x = s_.vector(made_.arrays.displacement, b), turn = s_.vector(made_.arrays.rotation, b);
    const V v0 = s_.vector(d_.bodies.velocity, b), w0 = s_.vector(d_.bodies.angular_velocity, b);
    if (!s_.is_finite(v0) || !s_.is_finite(w0)) return;
    const V v1 = s_.vector(made_.arrays.velocity, b), w1 = s_.vector(made_.arrays.angular_velocity, b);
    const R way = R(o_.time_step) * (length(v0) + length(w0) + length(v1) + length(w1));
    if (way * R(bound) < R(std::numeric_limits<T>::max()))
      v_.add("motion is finite", s_.is_finite(x) && s_.is_finite(turn) ? 0 : 2 * bound);
    if (!is_alone || s_.near_range()) return;
    const bool direct = o_.substeps.min_substeps == 1 && o_.substeps.max_substeps > 1;
    const R h = o_.time_step,
            late = direct ? R(0.5) : R(0.5) * (R(1) - R(1) / static_cast<R>(o_.substeps.min_substeps));
    const bool forced = !d_.velocity_change[0].empty() && s_.moves(static_cast<std::int32_t>(b));
    const V by_forces = forced ? s_.vector(d_.velocity_change, b) : V{},
            spun_by_forces = forced ? s_.vector(d_.angular_velocity_change, b) : V{};
    const auto judge_one = [&](const V& moved, const V& v, const V& change) {
      const R size = h * (length(v) + length(change)) + R(1e-30);
      v_.add("a body that nothing touches moves with its velocity",
             length(less(moved, times(h, less(v, times(late, change))))) / (epsilon * size));
    };
    judge_one(x, v0, by_forces);
    judge_one(turn, w0, spun_by_forces);
  }

  /// Recomputes the residual of the report.
  void judge_residual() {
    v_.add("residuals are no NaN", made_.report.residual >= 0 ? 0 : 2 * bound);
    if (made_.report.count(Status::overflow) + made_.report.count_joints(Status::overflow) > 0) return;
    const bool knows_targets =
        o_.procedure == Procedure::pgs || o_.procedure == Procedure::ncp || s_.is_sequential_impacts();
    if (!knows_targets || s_.near_range()) return;
    // A contact without an answer still approaches.
    const bool has_unanswered = !ends_every_collision(o_.collision) || made_.report.count(Status::no_solution) > 0;
    if (s_.is_sequential_impacts() && has_unanswered) return;
    R worst = 0;
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      if (!s_.is_sound(made_.arrays.status[i])) continue;
      const R least = d_.target_velocity.empty() ? T(0) : d_.target_velocity[i];
      const R wanted = s_.is_sequential_impacts() ? least : s_.target(i);
      R given = 0;
      if (!d_.normal_compliance.empty())
        given = static_cast<R>(d_.normal_compliance[i]) * dot(s_.vector(made_.arrays.impulse, i), s_.normal(i));
      worst = larger(worst, wanted - dot(s_.relative(made_.arrays, i), s_.normal(i)) - given);
    }
    for (std::size_t r = 0; r < d_.row_count(); ++r) {
      if (made_.arrays.joint_status[r] != Status::ok) continue;
      const auto& row = d_.joints.rows[r];
      const R impulse = made_.arrays.joint_impulse[r];
      const R rest = s_.row_velocity(made_.arrays, r) + static_cast<R>(row.compliance) * impulse -
                     static_cast<R>(row.target_velocity);
      const bool held = (rest > 0 && impulse <= static_cast<R>(row.min_impulse)) ||
                        (rest < 0 && impulse >= static_cast<R>(row.max_impulse));
      if (!held) worst = larger(worst, absolute(rest));
    }
    v_.add("the residual is that of the velocities",
           absolute(static_cast<R>(made_.report.residual) - worst) /
               (epsilon * (s_.max_speed() + worst) + std::numeric_limits<T>::denorm_min()));
    // Convergence of an island is measured in speeds of its bodies; lever arms magnify them at the contacts.
    R levers = 1;
    for (std::size_t i = 0; i < d_.contact_count(); ++i)
      if (s_.is_sound(made_.arrays.status[i]) && s_.response(i) > 0)
        levers = larger(levers, R(1) + s_.turning(i) / s_.response(i));
    const R done = R(20) * levers * R(o_.tolerance) * R(made_.report.max_approach_speed);
    // The error of the method ncp includes friction.
    if (made_.report.not_converged > 0 && o_.procedure != Procedure::ncp)
      v_.add("what has not converged has a residual", made_.report.residual > 0 ? 0 : 2 * bound);
    else if (drawn_.kind != SceneKind::rotors && !s_.is_sequential_impacts() &&
             o_.bender_schmitt.shock_propagation == 0 && made_.report.iterations == 4000)
      v_.add("what reaches the bound of sweeps is told",
             worst > done + R(64) * epsilon * s_.max_speed() ? 2 * bound : 0);
  }
};

}  // namespace carom::probe
