// The promises of docs/contact-models.md: cones of forces and moments after every call, and the law of a scene that
// rests.
#pragma once

#include "probe/scene_sight.hpp"

namespace carom::probe {

template <class T>
class ModelsJudge : SceneAspect<T> {
  using Base = SceneAspect<T>;
  using Base::d_, Base::drawn_, Base::made_, Base::o_, Base::s_, Base::v_;
  using Base::epsilon;
  using typename Base::R, typename Base::V;

 public:
  using Base::Base;

  /// Checks that impulses are in the ellipse and moments within their bounds.
  void judge() {
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      if (!s_.is_sound(made_.arrays.status[i])) continue;
      const Parts of = parts(i);
      const R size = absolute(of.pn) + hypotenuse(of.p1, of.p2), unit = epsilon * size / of.sine;
      if (!(size > 0)) {
        v_.add("no moment without an impulse", of.mr + absolute(of.ms) > 0 ? 2 * bound : 0);
        continue;
      }
      const R ratio = d_.static_friction.empty() || !(of.mu1 > 0) ? R(1) : number(d_.static_friction, i) / of.mu1;
      const R most = larger(of.mu1, of.mu2);
      // |D⁻¹ p_t| <= p_n, without a division by 0.
      const R beyond = hypotenuse(of.mu2 * of.p1, of.mu1 * of.p2) - ratio * of.mu1 * of.mu2 * of.pn;
      v_.add("the ellipse of friction", beyond / (unit * (most + of.mu1 * of.mu2) + R(1e-30)));
      const R lengths = unit * (of.roll + of.spin) + tiny();
      v_.add("resistance to rolling has its limit", (of.mr - of.roll * of.pn) / lengths);
      v_.add("resistance to spinning has its limit", (absolute(of.ms) - of.spin * of.pn) / lengths);
    }
  }

  /// Complementarity and maximal dissipation, where the iterations have converged.
  void judge_law() {
    const R least = R(1000) * (s_.tolerance() * R(made_.report.max_approach_speed) + epsilon * s_.max_speed());
    // Smaller impulses may still decrease to 0.
    R impulse = 0;
    for (std::size_t i = 0; i < d_.contact_count(); ++i)
      impulse = larger(impulse, larger(length(s_.vector(made_.arrays.impulse, i)), least / s_.response(i)));
    for (std::size_t i = 0; i < d_.contact_count(); ++i) {
      if (made_.arrays.status[i] != Status::ok) continue;
      const Parts of = parts(i);
      const R left = least * (R(1) + s_.turning(i) / s_.response(i)) * (R(1) + of.compliance + of.slip_compliance);
      const R zn = of.un + of.compliance * of.pn - s_.target(i);
      v_.add("a contact under an impulse is at its target, less what it gives way",
             absolute(of.pn * zn) / (impulse * left) * bound);
      const R z1 = of.u1 + of.slip_compliance * of.p1, z2 = of.u2 + of.slip_compliance * of.p2;
      const R wasted = of.pn * hypotenuse(of.mu1 * z1, of.mu2 * z2) + of.p1 * z1 + of.p2 * z2;
      v_.add("friction dissipates the most", absolute(wasted) / (impulse * left) * bound);
      const R turning = left * (of.roll + of.spin) * R(10);
      if (!(turning > 0)) continue;
      v_.add("rolling dissipates the most",
             absolute(of.roll * of.pn * of.turning + of.rolled) / (impulse * turning) * bound);
      v_.add("spinning dissipates the most",
             absolute(of.spin * of.pn * absolute(of.os) + of.ms * of.os) / (impulse * turning) * bound);
    }
  }

 private:
  struct Parts {
    R pn, p1, p2, un, u1, u2, mr, ms, os;
    R turning, rolled;  // |o_r|, m_r·o_r
    R mu1, mu2, roll, spin, compliance, slip_compliance;
    R sine;  // of the angle between the direction of friction, from which the tangents come, and the normal
  };

  static R number(const std::vector<T>& column, std::size_t i) { return column.empty() ? R(0) : R(column[i]); }
  static R hypotenuse(R x, R y) { return length(V{x, y, R(0)}); }
  static R tiny() { return R(std::numeric_limits<T>::min()); }

  Parts parts(std::size_t i) const {
    const V n = s_.normal(i), p = s_.vector(made_.arrays.impulse, i), m = s_.vector(made_.arrays.angular_impulse, i);
    const V u = s_.relative(made_.arrays, i);
    const V x{R(1), R(0), R(0)}, y{R(0), R(1), R(0)};
    V t1 = cross(n, absolute(n[0]) < R(0.7) ? x : y);
    R mu1 = d_.friction[i], mu2 = mu1, sine = R(1);
    if (d_.friction_2[i] != d_.friction[i]) {
      mu2 = d_.friction_2[i];
      const V d = s_.vector(d_.friction_direction, i);
      t1 = less(d, times(dot(d, n), n));
      sine = length(t1) / length(d);
    }
    t1 = times(R(1) / length(t1), t1);
    const V t2 = cross(n, t1);
    const auto spin_of = [&](std::int32_t body) {
      return body < 0 ? V{} : s_.vector(made_.arrays.angular_velocity, static_cast<std::size_t>(body));
    };
    const V o = less(spin_of(d_.body_a[i]), spin_of(d_.body_b[i]));
    const R os = dot(o, n), ms = dot(m, n);
    const V across = less(o, times(os, n)), rolling = less(m, times(ms, n));
    return {dot(p, n),
            dot(p, t1),
            dot(p, t2),
            dot(u, n),
            dot(u, t1),
            dot(u, t2),
            length(rolling),
            ms,
            os,
            length(across),
            dot(rolling, across),
            mu1,
            mu2,
            number(d_.rolling_friction, i),
            number(d_.spinning_friction, i),
            number(d_.normal_compliance, i),
            number(d_.tangential_compliance, i),
            sine};
  }
};

}  // namespace carom::probe
