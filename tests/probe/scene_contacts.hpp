// The promises of docs/scenes.md about single contacts and rows: statuses, impulses within bounds, and the law.
#pragma once

#include <array>
#include <cmath>

#include "probe/scene_sight.hpp"

namespace carom::probe {

template <class T>
class ContactsJudge : SceneAspect<T> {
  using Base = SceneAspect<T>;
  using Base::d_, Base::drawn_, Base::made_, Base::o_, Base::s_, Base::v_;
  using Base::epsilon;
  using typename Base::R, typename Base::V;

 public:
  using Base::Base;

  void judge() {
    judge_statuses();
    for (std::size_t i = 0; i < d_.contact_count(); ++i) judge_contact(i);
    for (std::size_t r = 0; r < d_.row_count(); ++r) judge_row(r);
  }

  /// Judges Coulomb's law at the contacts of a scene at rest.
  void judge_law() {
    const R least = R(1000) * (s_.tolerance() * R(made_.report.max_approach_speed) + epsilon * s_.max_speed());
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      // Convergence is measured as impulse changes divided by masses, which rotors lack.
      if (made_.arrays.status[i] != Status::ok || !(s_.response(i) > 0)) continue;
      const V n = s_.normal(i), p = s_.vector(made_.arrays.impulse, i), u = s_.relative(made_.arrays, i);
      const R pn = dot(p, n), un = dot(u, n), mu = d_.friction[i], k = s_.response(i);
      // Iterations end when impulse changes, divided by masses, are small. Contacts with long lever arms change more.
      const R left = least * (R(1) + s_.turning(i) / k);
      if (mu > R(1e6) || pn * k < left) continue;
      v_.add("a contact under an impulse is at its target", absolute(un - s_.target(i)) / left * bound);
      const V slip = less(u, times(un, n)), friction = less(p, times(pn, n));
      if (mu * pn * k < left || length(slip) < left) continue;
      // If the slip is known to a thousandth, so is its direction, and friction of full length opposes it.
      v_.add("friction opposes slip", (R(1) + dot(friction, slip) / (mu * pn * length(slip))) / R(0.02) * bound);
    }
  }

 private:
  void judge_statuses() {
    const bool has_rotors = drawn_.kind == SceneKind::rotors;
    const Tolerances& data = drawn_.options.data;
    const auto is_of_body = [&](Status found) {
      const bool may_be = found == Status::inverse_inertia_not_positive_semidefinite || found == Status::infinite;
      return may_be && s_.has_bodies_at_fault();
    };
    const auto is_unanswered = [&](Status found) {
      if (!s_.is_sequential_impacts()) return false;
      return (found == Status::step_budget_reached && !ends_every_collision(o_.collision)) ||
             (found == Status::no_solution && may_have_no_solution(o_.collision.law));
    };
    const auto judge_one = [&](Status found, Status given, const char* name, auto&& definiteness) {
      if (is_of_body(found) || is_unanswered(found)) return;
      if (given != Status::ok) {
        v_.want(name, found == given);
      } else if (has_rotors && definiteness() != Definiteness::definite) {
        const bool is_fault = found == Status::collision_matrix_not_positive_definite;
        v_.want("a singular K is a fault", is_fault || definiteness() == Definiteness::either);
      } else if (!s_.is_sound(found) && !s_.near_range() && !s_.has_endless_friction() &&
                 !(found == Status::overflow && s_.has_jointed_rotors())) {
        v_.want("sound data are no fault", false);
      }
    };
    ContactCounts count, rows;
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      count.add(made_.arrays.status[i], i);
      const NormalFault<T, R> normal(length(s_.vector(d_.normal, i)), data);
      if (drawn_.fault[i] == Status::ok || drawn_.fault[i] == Status::normal_not_unit) {
        const bool is_fault = made_.arrays.status[i] == Status::normal_not_unit;
        const bool must_be = normal.must_be && !is_of_body(made_.arrays.status[i]);
        v_.want("a normal is a fault beyond its tolerance", is_fault ? normal.may_be : !must_be);
      }
      if (!normal.may_be)
        judge_one(made_.arrays.status[i], drawn_.fault[i], "a faulty contact has its status",
                  [&] { return s_.definiteness_of_contact(i); });
    }
    for (std::size_t r = 0; r < d_.row_count(); ++r) {
      judge_one(made_.arrays.joint_status[r], drawn_.row_fault[r], "a faulty row has its status",
                [&] { return s_.definiteness_of_row(r); });
      rows.add(made_.arrays.joint_status[r], r);
    }
    v_.add("the report counts statuses and has the first of each",
           count == made_.report.by_status && rows == made_.report.joints_by_status ? 0 : 2 * bound);
  }

  void judge_contact(std::size_t i) {
    const Status status = made_.arrays.status[i];
    const V p = s_.vector(made_.arrays.impulse, i);
    v_.add("impulses are finite", s_.is_finite(p) ? 0 : 2 * bound);
    if (is_fault(status)) {
      v_.add("a fault has no impulse", length(p) > 0 ? 2 * bound : 0);
      return;
    }
    v_.add("velocities of separation are finite",
           s_.is_finite(s_.vector(made_.arrays.separation_velocity, i)) ? 0 : 2 * bound);
    if (s_.near_range()) return;
    v_.add("ok means an impulse", (status == Status::ok) == (length(p) > 0) ? 0 : 2 * bound);
    const V n = s_.normal(i);
    const R pn = dot(p, n), pt = length(less(p, times(pn, n))),
            unit = epsilon * length(p) + std::numeric_limits<T>::denorm_min();
    R mu = d_.friction[i];
    if (!d_.static_friction.empty()) mu = larger(mu, static_cast<R>(d_.static_friction[i]));
    if (!(length(p) > 0)) return;
    if (s_.is_sequential_impacts() && !(stays_in_the_cone(o_.collision.law) && is_exact(o_.collision))) return;
    v_.add("p_n >= 0", -pn / unit);
    // Impulses are sums over impacts, and every impact rounds.
    if (mu < R(1e6) && drawn_.kind != SceneKind::models)
      v_.add("the cone of friction", (pt - mu * pn) / (unit * (R(1) + mu)) /
                                         (s_.is_sequential_impacts() || s_.repeats_collisions() ? R(10) : R(1)));
  }

  void judge_row(std::size_t r) {
    const auto& row = d_.joints.rows[r];
    const T impulse = made_.arrays.joint_impulse[r];
    v_.add("impulses of rows are finite", std::isfinite(impulse) ? 0 : 2 * bound);
    if (made_.arrays.joint_status[r] != Status::ok) {
      v_.add("a faulty row has no impulse", impulse != 0 ? 2 * bound : 0);
      return;
    }
    // The reference adds up one part of the bound per substep.
    const R beyond = larger(static_cast<R>(row.min_impulse) - impulse, impulse - static_cast<R>(row.max_impulse));
    if (s_.in_substeps() && beyond > 0) {
      v_.add("bounds of rows", beyond / (epsilon * static_cast<R>(o_.substeps.max_substeps) * absolute(R(impulse))));
      return;
    }
    v_.add("bounds of rows", impulse >= row.min_impulse && impulse <= row.max_impulse ? 0 : 2 * bound);
  }
};

}  // namespace carom::probe
