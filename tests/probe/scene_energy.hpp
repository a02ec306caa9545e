// The promises of docs/scenes.md about energy.
#pragma once

#include <cmath>
#include <limits>

#include "probe/scene_sight.hpp"

namespace carom::probe {

template <class T>
class EnergyJudge : SceneAspect<T> {
  using Base = SceneAspect<T>;
  using Base::d_, Base::drawn_, Base::made_, Base::o_, Base::s_, Base::v_;
  using Base::epsilon;
  using typename Base::R, typename Base::V;

 public:
  using Base::Base;

  void judge(bool rests) {
    if (s_.near_range() || drawn_.kind == SceneKind::driven || drawn_.kind == SceneKind::faults) return;
    const bool is_composite = o_.collision.law == Law::composite;  // one with the bilinear law
    if (s_.is_sequential_impacts() && !never_gains_energy(o_.collision, is_composite)) return;
    bool plain = true;  // rows without targets, and with bounds that include 0
    bool unbounded = true;
    for (const auto& row : d_.joints.rows) {
      plain = plain && row.target_velocity == 0 && row.min_impulse <= 0 && row.max_impulse >= 0;
      unbounded = unbounded && row.compliance == 0 && std::isinf(row.min_impulse) && std::isinf(row.max_impulse);
    }
    if (!plain || o_.bender_schmitt.shock_propagation > 0) return;
    if (drawn_.kind == SceneKind::rotors) {
      // Convergence is measured with masses, which rotors lack.
      if (s_.is_sequential_impacts()) judge_rotors();
      return;
    }
    R impulses = 0, condition = 1;
    for (std::size_t i = 0; i < d_.contact_count(); ++i) impulses += length(s_.vector(made_.arrays.impulse, i));
    for (const T p : made_.arrays.joint_impulse) impulses += absolute(static_cast<R>(p));
    for (std::size_t b = 0; b < d_.body_count(); ++b) condition = larger(condition, s_.trace(b) / smallest(b));
    const R before = kinetic_energy(d_.bodies), after = kinetic_energy(made_.arrays);
    const R visits =
        static_cast<R>(larger(made_.report.iterations, 20) * static_cast<int>(1 + d_.contact_count() + d_.row_count()));
    const R rounding = epsilon * visits * (condition * (before + after) + s_.max_speed() * impulses) + tiny();
    if (s_.is_sequential_impacts()) {
      v_.add("a sequence gains no energy", (after - before) / rounding);
      return;
    }
    if (!rests || s_.has_forces()) return;
    bool plastic = true, frictionless = true, one = true;
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      const bool gives_way = !d_.normal_compliance.empty() && d_.normal_compliance[i] > 0;
      plastic = plastic && (d_.restitution[i] == 0 || gives_way);
      frictionless = frictionless && d_.friction[i] == 0 && (d_.static_friction.empty() || d_.static_friction[i] == 0);
      one = one && d_.restitution[i] == d_.restitution[0];
    }
    if (o_.restitution_threshold > 0 && !plastic) return;
    // Work of the remaining differences between contacts or rows and their targets.
    const R left = R(4) * (R(made_.report.residual) + s_.tolerance() * R(made_.report.max_approach_speed)) * impulses;
    if (plastic) v_.add("plastic contacts gain no energy", (after - before) / (rounding + left));
    if (drawn_.kind == SceneKind::models || !frictionless || !one || d_.contact_count() == 0 || !unbounded) return;
    const R e = d_.restitution[0], work = larger(R(0), R(made_.report.joint_work));
    v_.add("a gain is no more than joints' work allows",
           (after - before - R(2) * e / (R(1) + e) * work) / (rounding + left));
  }

 private:
  static R tiny() { return R(std::numeric_limits<T>::denorm_min()); }

  /// Computes the energy gain of a sequence as the work of its impulses, since the inverse inertia may be singular.
  void judge_rotors() {
    R work = 0, impulses = 0, turning = 0;
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      if (!s_.is_sound(made_.arrays.status[i])) continue;
      const V p = s_.vector(made_.arrays.impulse, i);
      work += dot(p, sum(s_.relative(d_.bodies, i), s_.relative(made_.arrays, i))) / R(2);
      impulses += length(p);
      turning = larger(turning, s_.response(i) + s_.turning(i));
    }
    for (std::size_t r = 0; r < d_.row_count(); ++r) {
      if (made_.arrays.joint_status[r] != Status::ok) continue;
      const R impulse = made_.arrays.joint_impulse[r];
      work += impulse * (s_.row_velocity(d_.bodies, r) + s_.row_velocity(made_.arrays, r)) / R(2);
      impulses += absolute(impulse);
    }
    const R visits =
        static_cast<R>(larger(made_.report.iterations, 20) * static_cast<int>(1 + d_.contact_count() + d_.row_count()));
    const R rounding = epsilon * visits * impulses * (s_.max_speed() + turning * impulses) + tiny();
    v_.add("a sequence gains no energy", work / rounding);
  }

  R kinetic_energy(const auto& bodies) const {
    R sum = 0;
    for (std::size_t b = 0; b < d_.body_count(); ++b) {
      if (!s_.moves(static_cast<std::int32_t>(b))) continue;
      const V v = s_.vector(bodies.velocity, b), w = s_.vector(bodies.angular_velocity, b);
      sum += dot(v, v) / (R(2) * static_cast<R>(d_.bodies.inverse_mass[b]));
      const auto& j = d_.bodies.inverse_inertia;
      const auto at = [&](std::size_t c) { return static_cast<R>(j[c][b]); };
      const V x{at(0), at(1), at(2)}, y{at(1), at(3), at(4)}, z{at(2), at(4), at(5)};
      const V l{dot(w, cross(y, z)), dot(x, cross(w, z)), dot(x, cross(y, w))};
      sum += dot(w, l) / (R(2) * dot(x, cross(y, z)));
    }
    return sum;
  }
  R smallest(std::size_t b) const {
    const auto& j = d_.bodies.inverse_inertia;
    const auto at = [&](std::size_t c) { return static_cast<R>(j[c][b]); };
    const V x{at(0), at(1), at(2)}, y{at(1), at(3), at(4)}, z{at(2), at(4), at(5)};
    return s_.trace(b) > 0 ? dot(x, cross(y, z)) / (s_.trace(b) * s_.trace(b)) : R(1);
  }
};

}  // namespace carom::probe
