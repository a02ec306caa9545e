// The promises of docs/ about one solved contact, each as an error in units of rounding; docs/accuracy.md states the
// units and the bound. The judge reads only the caller's numbers, p, u and the new velocities.
//
//   η    the smallest subnormal number of the precision    U    sum of the terms of u0; T = tr K
//   unit of velocity   ε (U + T |p|) + η (1 + T)           of impulse   ε |p| + η
//   unit of energy     ε (cond K ½ u0·K⁻¹u0 + U |p|) + η (U + T |p|)
#pragma once

#include <carom/law_info.hpp>
#include <optional>

#include "probe/encounter.hpp"
#include "probe/promises.hpp"
#include "probe/singular.hpp"
#include "probe/verdict.hpp"

namespace carom::probe {

template <class T, std::size_t D>
class Judge {
  using R = Real<T>;
  using V = Vector<R, D>;
  static constexpr R epsilon = std::numeric_limits<T>::epsilon(), least = std::numeric_limits<T>::denorm_min();

 public:
  Judge(const AnyContacts<T>& contacts, const Encounter<R, D>& encounter, std::size_t i)
      : contacts_(contacts),
        e_(encounter),
        i_(i),
        friction_(contacts.at("friction", i)),
        restitution_(contacts.at("restitution", i)),
        cone_t_(friction_ > 1 ? 1 : friction_),
        cone_n_(friction_ > 1 ? 1 / friction_ : 1) {}

  /// Returns nullopt if the contact rightly has no result to judge.
  std::optional<Verdict> judge(const Options& options, const Outcomes<T>& o) {
    const Status status = o.status[i_];
    const Law law = options.law;
    Verdict v;
    if (has_bodies(contacts_.form) && !judge_tolerances(v, options.data, status)) {
      if (v.broken()) return v;
      return std::nullopt;
    }
    if (has_bodies(contacts_.form) && e_.definiteness == Definiteness::singular) {
      v.want("a singular K is a fault", is_fault(status) || status == Status::separating);
      if (v.broken()) return v;
      return std::nullopt;
    }
    if (!e_.solvable) {
      // An inverse inertia may be indefinite within its tolerance, and the caller's K within its rounding.
      const bool is_open = has_bodies(contacts_.form) || e_.definiteness == Definiteness::either;
      v.want("K is indefinite", is_open || is_fault(status) || status == Status::separating);
      if (v.broken()) return v;
      return std::nullopt;
    }
    p_ = into<R, D>(e_.frame, {o.impulse[0][i_], o.impulse[1][i_], o.impulse[2][i_]});
    if (status == Status::separating) {
      v.add("it approaches", -e_.u0[D - 1] / (epsilon * e_.u0_terms + least));
      v.add("no impulse", length(p_) > 0 ? 2 * bound : 0);
      return v;
    }
    if (status == Status::collision_matrix_not_positive_definite) {
      // A mass keeps K definite; the caller's K may be singular within 24 ε, as degenerate_test derives.
      const bool is_definite = has_bodies(contacts_.form) ? e_.has_mass || e_.definiteness == Definiteness::definite
                                                          : e_.condition * 24 * epsilon < 1;
      v.want("it has an answer", !is_definite);
      if (v.worst > 0) return v;
      return std::nullopt;
    }
    if (status == Status::no_solution) {
      const bool searches = law == Law::smith || (law == Law::composite && parameter("weight_smith") > 0);
      v.add("it has an answer", D == 2 || !searches || e_.condition * square_root(epsilon) < 1 ? 2 * bound : 0);
      if (v.worst > 0) return v;
      return std::nullopt;
    }
    if (status == Status::overflow) {
      const R largest = std::numeric_limits<T>::max();
      const R speed = larger(e_.u0_terms, length(e_.u0)), impulse = speed / e_.trace * e_.condition;
      const R reach = larger(larger(e_.k_terms, 1 / e_.trace), larger(speed, larger(impulse, impulse * e_.trace)));
      v.add("it has an answer", reach * bound > largest ? 0 : 2 * bound);
      return v;
    }
    if (status == Status::step_budget_reached && !ends_every_collision(options)) return std::nullopt;
    if (!is_resolved(status)) {
      v.add(carom::to_string(status), 2 * bound);
      return v;
    }
    v.add("it separates", e_.u0[D - 1] / (epsilon * e_.u0_terms + least));
    u_ = into<R, D>(e_.frame, {o.velocity[0][i_], o.velocity[1][i_], o.velocity[2][i_]});
    size_ = length(p_);
    const R k33 = e_.k[D - 1][D - 1];
    const R rounding = epsilon * additions(options);
    centre_ = (epsilon * (e_.u0_terms - e_.trace * n(e_.u0) / k33) + least) / k33;
    velocity_ = rounding * (e_.u0_terms + e_.trace * size_) + least * (1 + e_.trace);
    impulse_ = rounding * size_ + least;
    // A step of Euler's method may miss the slip by step times T, which becomes an impulse where the contact sticks.
    step_ = is_exact(options) ? R(0) : e_.condition * length(e_.u0) / (options.steps * e_.trace);
    energy_ = rounding * (condition() * e_.energy + e_.u0_terms * size_) + least * (e_.u0_terms + e_.trace * size_);
    const V kp = times(e_.k, p_);
    v.add("u = u0 + K p", length(plus(plus(u_, R(-1), e_.u0), R(-1), kp)) / velocity_);
    if (has_bodies(contacts_.form)) judge_bodies(v, o);
    judge_region(v, options, kp);
    if (is_exact(options)) judge_law(v, law, options.restitution_law, o);
    return v;
  }

 private:
  /// Judges faults of normals and inverse inertias, which the tolerances may make of rounding. Returns whether the
  /// contact has another status.
  bool judge_tolerances(Verdict& v, const Tolerances& data, Status status) const {
    R square = 0;
    for (const char* name : {"normal_x", "normal_y", "normal_z"})
      if (D == 3 || std::string_view(name) != "normal_z") square += parameter(name) * parameter(name);
    const NormalFault<T, R> normal(square_root(square), data);
    const bool is_normal_fault = status == Status::normal_not_unit;
    v.want("a normal is a fault beyond its tolerance", is_normal_fault ? normal.may_be : !normal.must_be);
    const bool is_inertia_fault = status == Status::inverse_inertia_not_positive_semidefinite;
    v.want("a positive semidefinite inertia is no fault", !is_inertia_fault || rounding_may_be_a_fault<T>(data));
    return !is_normal_fault && !is_inertia_fault;
  }
  /// Number of sums that the impulse is: Euler's method adds up its steps.
  R additions(const Options& options) const {
    if (is_exact(options)) return 1;
    const R speed = length(e_.u0);
    return speed > 0 ? 1 + options.steps * (1 + size_ * e_.trace / speed) : R(1);
  }
  /// Condition of K for the unit of energy. Without inverse mass it is limited to 1 / (64 ε): rounding hides larger
  /// condition numbers, and the unit would allow any gain.
  R condition() const {
    const bool turns_only = has_bodies(contacts_.form) && !e_.has_mass;
    return turns_only && e_.condition * 64 * epsilon > 1 ? 1 / (64 * epsilon) : e_.condition;
  }
  /// True if the initial slip is so small that rounding determines its direction.
  bool uncertain(R slip) const { return has_bodies(contacts_.form) && slip <= bound * (epsilon * e_.u0_terms + least); }
  R t(const V& v) const { return length(tangential(v)); }
  R n(const V& v) const { return v[D - 1]; }
  R parameter(const char* name) const { return contacts_.at(name, i_); }
  /// Excess of |p_t| over the friction cone, divided by max(1, μ).
  R beyond(const V& p) const { return cone_n_ * t(p) - cone_t_ * n(p); }
  static V normal_vector(R size) {
    V v{};
    v[D - 1] = size;
    return v;
  }

  void judge_bodies(Verdict& v, const Outcomes<T>& o) const {
    V after_all{};
    R stored = 0;  // speeds whose rounding, when the new velocities are stored, changes u
    for (const char* side : {"a", "b"}) {
      const bool a = *side == 'a';
      const BodyState<R> b = body_at<R>(contacts_, side, i_);
      Vector<R, 3> p{o.impulse[0][i_], o.impulse[1][i_], o.impulse[2][i_]};
      if (!a)
        for (R& x : p) x = -x;
      const auto& linear = a ? o.velocity_a : o.velocity_b;
      const auto& angular = a ? o.spin_a : o.spin_b;
      const Vector<R, 3> turn = times(b.inverse_inertia, cross(b.lever, p));
      R inertia = 0;
      for (std::size_t x = 0; x < 3; ++x) inertia += b.inverse_inertia[x][x];
      for (std::size_t x = 0; x < 3; ++x) {
        const R after = b.velocity[x] + b.inverse_mass * p[x];
        v.add("velocity from the impulse",
              absolute(linear[x][i_] - after) /
                  (epsilon * (absolute(b.velocity[x]) + b.inverse_mass * absolute(p[x])) + least));
        const R spin = b.spin[x] + turn[x];
        const R terms = absolute(b.spin[x]) + length(turn) + inertia * length(b.lever) * size_;
        v.add("angular velocity from the impulse",
              absolute(angular[x][i_] - spin) / (epsilon * terms + least * (1 + inertia)));
      }
      const Vector<R, 3> v_new{linear[0][i_], linear[1][i_], linear[2][i_]};
      const Vector<R, 3> w_new{angular[0][i_], angular[1][i_], angular[2][i_]};
      after_all = plus(after_all, R(a ? 1 : -1), into<R, D>(e_.frame, plus(v_new, R(1), cross(w_new, b.lever))));
      stored += length(v_new) + (length(turn) + length(w_new)) * length(b.lever);
    }
    v.add("u from the new velocities",
          length(plus(after_all, R(-1), u_)) / (velocity_ + epsilon * stored + least * (1 + e_.k_terms)));
  }

  void judge_region(Verdict& v, const Options& options, const V& kp) const {
    const bool couples =
        options.law == Law::bilinear || (options.law == Law::composite && parameter("weight_bilinear") > 0);
    if (never_gains_energy(options, couples)) v.add("no energy", (dot(p_, e_.u0) + dot(p_, kp) / 2) / energy_);
    // A velocity within rounding of 0 would still count as an approach in a sequence of impacts.
    if (!couples) v.add("no penetration", n(u_) < 0 && !has_bodies(contacts_.form) ? R(2 * bound) : -n(u_) / velocity_);
    if (!stays_in_the_cone(options.law)) return;
    v.add("no pull", -n(p_) / impulse_);
    if (options.law == Law::frictionless) return;
    v.add("cone", beyond(p_) / (impulse_ + step_ / bound));
  }

  void judge_law(Verdict& v, Law law, RestitutionLaw restitution_law, const Outcomes<T>& o) const {
    const R rise = n(u_) + restitution_ * n(e_.u0);
    switch (law) {
      case Law::incremental: {
        if (restitution_law == RestitutionLaw::kinematic) v.add("u_z = -e u0_z", absolute(rise) / velocity_);
        const R given = o.work_decompression[i_], taken = o.work_compression[i_];
        v.add("work in compression", taken / energy_);
        v.add("work in decompression", -given / energy_);
        if (restitution_law == RestitutionLaw::energetic)
          v.add("W_d = -e² W_c", absolute(given + restitution_ * restitution_ * taken) / energy_);
        break;
      }
      case Law::frictionless:
        v.add("u_z = -e u0_z", absolute(rise) / velocity_);
        v.add("no friction", t(p_) / impulse_);
        break;
      case Law::no_slip:
        v.add("u = -e u0", length(plus(u_, restitution_, e_.u0)) / velocity_);
        break;
      case Law::chatterjee_ruina:
        v.add("u_z = -e u0_z", absolute(rise) / velocity_);
        judge_ray(v);
        break;
      case Law::bilinear:
        v.add("p_z = (1 + e) P_I", absolute(e_.k[D - 1][D - 1] * n(p_) + (1 + restitution_) * n(e_.u0)) / velocity_);
        judge_bilinear(v);
        break;
      case Law::whittaker:
        v.add("u_z = -e u0_z", absolute(rise) / velocity_);
        judge_last_slip(v, p_, u_, velocity_);
        break;
      case Law::smith:
        v.add("u_z = -e u0_z", absolute(rise) / velocity_);
        judge_mean_slip(v);
        break;
      case Law::brach:
        v.add("u_z = -e u0_z", absolute(rise) / velocity_);
        judge_ratios(v);
        break;
      case Law::anitescu_potra:
        judge_phases(v);
        break;
      case Law::pfeiffer_glocker:
        if (parameter("tangential_restitution") <= 0) judge_phases(v);
        break;
      case Law::projected:
        judge_projected(v);
        break;
      case Law::polar:
        judge_polar(v);
        break;
      default:
        break;
    }
  }

  /// p = (1 + e) P_I + κ D with K D = -w, where w is the slip that P_I leaves; κ = 1 + e_t unless the cone limits it.
  void judge_ray(Verdict& v) const {
    const R k33 = e_.k[D - 1][D - 1], plastic = -n(e_.u0) / k33;
    const V k = tangential(times(e_.k, normal_vector(1)));
    const V w = plus(tangential(e_.u0), plastic, k);
    const V d = plus(plus(tangential(u_), R(-1), tangential(e_.u0)), -(1 + restitution_) * plastic, k);
    R velocity = velocity_;
    // Rounding of K changes K_33, and with it P_I. This shows in w where K is singular to rounding.
    if (e_.definiteness == Definiteness::either) velocity += epsilon * e_.k_terms * plastic * t(k) / k33;
    const R size = dot(w, w);
    const R kappa = size > 0 ? -dot(d, w) / size : R(0);
    v.add("on the ray of P_I and P_II", length(plus(d, kappa, w)) / velocity);
    const R candidate = 1 + parameter("tangential_restitution");
    const R missing = (candidate - kappa) * square_root(size) / velocity;
    v.add("kappa in its range", larger(-missing, -kappa * square_root(size) / velocity));
    const R slack = -beyond(p_) / impulse_;
    v.add("as far as the cone lets it", missing < slack ? missing : slack);
  }

  void judge_bilinear(Verdict& v) const {
    const R slip = t(e_.u0);
    if (uncertain(slip)) return;
    if (slip == 0) {
      v.add("no friction without slip", t(p_) / impulse_);
      return;
    }
    const R direction = impulse_ * (1 + e_.u0_terms / slip);
    const V along = plus(tangential(p_), t(p_) / slip, tangential(e_.u0));
    v.add("friction opposes the first slip", length(along) / direction);
    const R candidate = (1 + parameter("tangential_restitution")) * t(e_.stop);
    const R forward = epsilon * e_.condition * (length(e_.stop) + e_.u0_terms / e_.trace) + impulse_ +
                      least * e_.condition * (1 + 1 / e_.trace);
    const R missing = (candidate - t(p_)) / forward, slack = -beyond(p_) / impulse_;
    v.add("friction up to what stops", -missing);
    v.add("as far as the cone lets it", missing < slack ? missing : slack);
  }

  /// u_t = 0, or p is on the cone and opposes u_t.
  void judge_last_slip(Verdict& v, const V& p, const V& u, R velocity) const {
    const R unit = size_ * velocity + impulse_ * (t(u) + least);
    const V pt = tangential(p), ut = tangential(u);
    v.add("friction dissipates the most", (cone_t_ * n(p) * t(u) + cone_n_ * dot(pt, ut)) / unit);
    v.add("friction opposes the last slip", (t(p) * t(u) + dot(pt, ut)) / unit);
  }

  void judge_mean_slip(Verdict& v) const {
    const R first = t(e_.u0), last = t(u_), largest = larger(first, last);
    if (largest <= bound * velocity_) return;
    const R a = first / largest, b = last / largest, sum = a * a + b * b;
    V m{};
    for (std::size_t i = 0; i + 1 < D; ++i) m[i] = (a * e_.u0[i] / largest + b * u_[i] / largest) / sum;
    const V missing = plus(cone_n_ * R(1) == 0 ? V{} : scaled(tangential(p_), cone_n_), cone_t_ * n(p_), m);
    v.add("friction against the mean slip", length(missing) / (impulse_ + cone_t_ * size_ * velocity_ / largest));
    // With large friction its size does not determine its direction.
    const V pt = tangential(p_);
    const R along = dot(pt, m), across = length(m) * length(plus(pt, -along / larger(dot(m, m), R(0x1p-100)), m));
    v.add("friction along the mean slip", larger(along, across) / (impulse_ + size_ * velocity_ / largest));
  }
  static V scaled(V v, R s) {
    for (R& x : v) x *= s;
    return v;
  }

  void judge_ratios(Verdict& v) const {
    const R slip = t(e_.u0);
    if (uncertain(slip)) return;
    const V r = ratio_vector();
    const R size = length(r);
    const R direction = impulse_ * (1 + (slip > 0 ? e_.u0_terms / slip : R(0)));
    if (size == 0) {
      v.add("no friction", t(p_) / impulse_);
      return;
    }
    const V axis = scaled(r, 1 / size);
    const R along = dot(p_, axis);
    v.add("friction along the ratios", length(plus(tangential(p_), -along, axis)) / direction);
    // p_t <= r p_z, divided by the larger of 1 and r.
    const R f_t = size > 1 ? R(1) : size, f_n = size > 1 ? 1 / size : R(1);
    const R by_ratio = (f_t * n(p_) - f_n * along) / direction, by_cone = -beyond(p_) / impulse_;
    const V kp = times(e_.k, p_);
    const R by_energy = -(dot(p_, e_.u0) + dot(p_, kp) / 2) / energy_, by_pull = n(p_) / impulse_;
    v.add("ratios in their range", larger(-by_ratio, -along / direction));
    v.add("as far as the bounds let it", smallest(smallest(by_ratio, by_cone), smallest(by_energy, by_pull)));
  }
  static R smallest(R a, R b) { return a < b ? a : b; }

  /// Axis 1 is -û0, axis 2 is n x axis 1; in 2D the tangent along which the slip is stopped.
  V direction_at(R one, R two) const {
    const R slip = t(e_.u0);
    V d{};
    if constexpr (D == 3) {
      const R x = slip > 0 ? -e_.u0[0] / slip : R(1), y = slip > 0 ? -e_.u0[1] / slip : R(0);
      d = {one * x - two * y, one * y + two * x, 0};
    } else {
      d[0] = e_.u0[0] > 0 ? -one : one;
    }
    return d;
  }
  V ratio_vector() const {
    return direction_at(parameter("impulse_ratio_1"), D == 3 ? parameter("impulse_ratio_2") : R(0));
  }

  /// Judges the compression: p minus the impulse of the expansion, which follows from restitution and the final slip.
  void judge_phases(Verdict& v) const {
    const R slip = t(u_), second_n = n(p_) * restitution_ / (1 + restitution_);
    if (slip <= bound * velocity_ || friction_ > 1e6) return;
    const R position = (impulse_ + second_n * velocity_ / slip) * larger(friction_, R(1));
    V second = scaled(tangential(u_), -friction_ * second_n / slip);
    second[D - 1] = second_n;
    const V first = plus(p_, R(-1), second);
    const V u1 = plus(e_.u0, R(1), times(e_.k, first));
    const R unit = velocity_ + e_.trace * position;
    v.add("compression ends at u_z = 0", absolute(n(u1)) / unit);
    v.add("compression stays in the cone", beyond(first) / position);
    const R separation = cone_t_ * n(first) * t(u1) + cone_n_ * dot(tangential(first), tangential(u1));
    v.add("friction dissipates the most in compression", separation / (size_ * unit + t(u1) * position));
  }

  V centre() const { return normal_vector(R(-1.5L) * n(e_.u0) / e_.k[D - 1][D - 1]); }

  /// Smallest margin of the region at p, each in its unit; p is known to `position` [N s].
  R margin(const V& p, R position) const {
    const V kp = times(e_.k, p), u = plus(e_.u0, R(1), kp);
    const R energy = -(dot(p, e_.u0) + dot(p, kp) / 2);
    const R energy_unit = energy_ + (length(u) + e_.trace * position) * position;
    const R velocity_unit = velocity_ + e_.trace * position;
    return smallest(smallest(energy / energy_unit, n(u) / velocity_unit),
                    smallest(n(p) / position, -beyond(p) / position));
  }

  void judge_projected(Verdict& v) const {
    Vector<R, 3> given{parameter("candidate_x"), parameter("candidate_y"), parameter("candidate_z")};
    const V candidate = into<R, D>(e_.frame, given), p0 = centre();
    const V way = plus(candidate, R(-1), p0), went = plus(p_, R(-1), p0);
    const R size = length(way);
    if (!(size > 0)) return;
    const V d = scaled(way, 1 / size);
    const R along = dot(went, d);
    const R unit = impulse_ + centre_ + epsilon * length(p0);
    v.add("between P_0 and the candidate", length(plus(went, -along, d)) / unit);
    v.add("between P_0 and the candidate", -along / unit);
    const R missing = (size - along) / (unit + (along < size / 2 ? R(0) : epsilon * size));
    v.add("between P_0 and the candidate", -missing);
    v.add("as far as the region lets it", smallest(missing, margin(p_, unit)));
  }

  void judge_polar(Verdict& v) const {
    const R slip = t(e_.u0);
    if (uncertain(slip)) return;
    const long double angle = static_cast<long double>(parameter("polar_angle"));
    const long double azimuth = D == 3 ? static_cast<long double>(parameter("azimuth")) : 0.0L;
    const R across = std::sin(angle);
    V d = direction_at(across * static_cast<R>(std::cos(azimuth)), across * static_cast<R>(std::sin(azimuth)));
    d[D - 1] = std::cos(angle);
    const V went = plus(p_, R(-1), centre());
    const R along = dot(went, d), fraction = parameter("fraction");
    const R unit = (impulse_ + centre_ + epsilon * length(centre())) * (1 + (slip > 0 ? e_.u0_terms / slip : R(0)));
    v.add("along its direction", length(plus(went, -along, d)) / unit);
    v.add("along its direction", -along / unit);
    if (friction_ == 0 || fraction < R(1e-3)) return;
    const V end = plus(centre(), along / fraction, d);
    v.add("its fraction of the way to the boundary", absolute(margin(end, unit / fraction + epsilon * length(end))));
  }

  const AnyContacts<T>& contacts_;
  const Encounter<R, D>& e_;
  const std::size_t i_;
  const R friction_, restitution_, cone_t_, cone_n_;
  V p_{}, u_{};
  R size_ = 0, centre_ = 0, velocity_ = 0, impulse_ = 0, energy_ = 0, step_ = 0;
};

}  // namespace carom::probe
