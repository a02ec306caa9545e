// The gradient of the incremental law. Sliding is a Taylor series in slip time τ, ds = r dτ, of numbers that carry
// their derivatives. Within a step these are taken at fixed τ; after it they go back to fixed normal impulse s, where
// they stay as small as the distance of two solutions, which never move apart.
//
//   u       separation velocity, r = |u_t|, û = u_t / r
//   s       normal impulse, p_z; du/ds = K (-μ û, 1)
//   W       work of the normal force in the current phase
//   E       remaining work of the law of restitution; the collision ends at E = 0
//   λ       dr/ds on a ray
//
// The zero of an event function f is at s + Δ with Δ = -f / (df/ds). The value of Δ vanishes, and its derivatives give
// the motion of the event. There is no exit to rays: the series continues until the slip has vanished.
#include <algorithm>
#include <optional>
#include <vector>

#include "gradients.hpp"
#include "reference/contact/vector.hpp"

namespace carom::reference {
namespace {

using N = SlideNumber;
constexpr std::size_t order = 20;
using Series = std::array<N, order + 1>;
using Polynomial = std::array<double, order + 1>;

template <class Coefficients, class X>
X value_at(const Coefficients& c, const X& h) {
  X v = c[order];
  for (std::size_t m = order; m-- > 0;) v = v * h + c[m];
  return v;
}

Polynomial values_of(const Series& c) {
  Polynomial v{};
  for (std::size_t m = 0; m <= order; ++m) v[m] = c[m].value;
  return v;
}

// ∫ c dτ.
Series integral(const Series& c) {
  Series s;
  for (std::size_t m = order; m > 0; --m) s[m] = c[m - 1] / static_cast<double>(m);
  return s;
}

Series cauchy_product(const Series& a, const Series& b) {
  Series c;
  for (std::size_t m = 0; m <= order; ++m)
    for (std::size_t j = 0; j <= m; ++j) c[m] += a[j] * b[m - j];
  return c;
}

// The first place in (0, h] at which c - level changes its sign upwards or, if not `rising`, downwards.
std::optional<double> first_crossing(const Polynomial& c, double level, double h, bool rising) {
  const double sign = rising ? 1 : -1;
  Polynomial f{}, slope{};
  for (std::size_t m = 0; m <= order; ++m) f[m] = sign * (m == 0 ? c[0] - level : c[m]);
  for (std::size_t m = 0; m < order; ++m) slope[m] = static_cast<double>(m + 1) * f[m + 1];
  const auto bisect = [](const auto& changes, double low, double high) {
    for (int i = 0; i < 100; ++i) {
      const double middle = 0.5 * (low + high);
      (changes(middle) ? high : low) = middle;
    }
    return high;
  };
  // A crest between two of these is one of them.
  constexpr int samples = 24;
  std::vector<double> places;
  for (int i = 0; i < samples; ++i) {
    const double low = h * i / samples, high = h * (i + 1) / samples;
    if (value_at(slope, low) > 0 && value_at(slope, high) < 0)
      places.push_back(bisect([&](double t) { return value_at(slope, t) < 0; }, low, high));
    places.push_back(high);
  }
  double low = 0;
  bool below = f[0] < 0 || (f[0] == 0 && slope[0] <= 0);
  for (const double high : places) {
    const bool above = value_at(f, high) > 0;
    if (above && below) return bisect([&](double t) { return value_at(f, t) > 0; }, low, high);
    below = !above;
    low = high;
  }
  return std::nullopt;
}

struct Slide {
  Series x, y, z, r, sum_x, sum_y, sum_r, sum_zr;

  Slide(const Varied<N>& c, const Three<N>& u) {
    const Six<N>& k = c.k;
    x[0] = u[0];
    y[0] = u[1];
    z[0] = u[2];
    r[0] = length(u[0], u[1]);
    const Six<N> n = {c.friction * k.xx, c.friction * k.xy, c.friction * k.xz,
                      c.friction * k.yy, c.friction * k.yz, k.zz};
    for (std::size_t m = 1; m <= order; ++m) {
      const double inverse = 1 / static_cast<double>(m);
      x[m] = inverse * (k.xz * r[m - 1] - n.xx * x[m - 1] - n.xy * y[m - 1]);
      y[m] = inverse * (k.yz * r[m - 1] - n.xy * x[m - 1] - n.yy * y[m - 1]);
      z[m] = inverse * (k.zz * r[m - 1] - n.xz * x[m - 1] - n.yz * y[m - 1]);
      N square = 0;
      for (std::size_t j = 0; j <= m; ++j) square += x[j] * x[m - j] + y[j] * y[m - j];
      for (std::size_t j = 1; j < m; ++j) square = square - r[j] * r[m - j];
      r[m] = square / (2 * r[0]);
    }
    sum_x = integral(x);
    sum_y = integral(y);
    sum_r = integral(r);
    sum_zr = integral(cauchy_product(z, r));
  }

  // Steps short enough that the last two orders, and their derivatives, are below rounding.
  double step() const {
    double h = 4;
    for (const Series* c : {&x, &y, &r, &z, &sum_zr})
      for (std::size_t m = order - 1; m <= order; ++m) {
        const double unit = c == &z || c == &sum_zr ? 1 : r[0].value, size = std::abs((*c)[m].value) / unit;
        if (size > 0) h = std::min(h, std::pow(0x1p-60 / size, 1 / static_cast<double>(m)));
      }
    return h;
  }
};

class SlidingEnd {
 public:
  SlidingEnd(const Collision& c, RestitutionLaw law, double tolerance) : c_(c), law_(law), tolerance_(tolerance) {
    u_ = c_.u0;
    first_slip_ = std::hypot(c.u0[0], c.u0[1]);
    speed_ = std::hypot(first_slip_, c.u0[2]);
    found_.say(-c.u0[2] <= tolerance * speed_, GradientStatus::one_sided);
  }

  Response<N> run(std::int32_t step_budget) {
    // Such a small slip counts as zero, because its square would vanish.
    if (first_slip_ <= 1e-140) {
      rest(true);
      return found_;
    }
    for (std::int32_t steps = 0; steps < step_budget; ++steps) {
      if (slip() <= 1e-18 * first_slip_) {
        arrive();
        return found_;
      }
      if (step()) return found_;
    }
    found_.status = GradientStatus::none;
    return found_;
  }

 private:
  double slip() const { return std::hypot(u_[0].value, u_[1].value); }

  // dp/ds and du/ds of sliding.
  Three<N> impulse_rate() const {
    const N r = length(u_[0], u_[1]);
    return {-(c_.friction * (u_[0] / r)), -(c_.friction * (u_[1] / r)), 1};
  }

  // True if the collision is over.
  bool step() {
    const Slide s(c_, u_);
    double h = s.step();
    bool turns = false, ends = false;
    if (const auto turn = first_crossing(values_of(s.z), 0, h, compressing_)) h = *turn, turns = true;
    if (!compressing_) {
      const Polynomial q = values_of(law_ == RestitutionLaw::energetic ? s.sum_zr
                                     : law_ == RestitutionLaw::kinetic ? s.sum_r
                                                                       : s.z);
      const double level = law_ == RestitutionLaw::kinematic ? -(c_.restitution * c_.u0[2]).value : -lacking().value;
      if (const auto end = first_crossing(q, level, h, true)) h = *end, turns = false, ends = true;
    }
    const N ds = value_at(s.sum_r, N(h)), dx = value_at(s.sum_x, N(h)), dy = value_at(s.sum_y, N(h));
    u_ = {value_at(s.x, N(h)), value_at(s.y, N(h)), value_at(s.z, N(h))};
    p_ = {p_[0] - c_.friction * dx, p_[1] - c_.friction * dy, p_[2] + ds};
    work_ += value_at(s.sum_zr, N(h));
    // Back to fixed s.
    N back = -p_[2];
    back.value = 0;
    shift(back, impulse_rate());
    if (turns) return turn();
    if (ends) finish_slide();
    return ends;
  }

  void shift(const N& ds, const Three<N>& rate) {
    const Three<N> du = c_.k.times(rate);
    work_ += u_[2] * ds;
    u_ = u_ + ds * du;
    p_ = p_ + ds * rate;
  }

  // The next phase begins at u_z = 0. Returns true if there is no rebound.
  bool turn() {
    const N slope = c_.k.times(impulse_rate())[2];
    u_[2].value = 0;
    const N event = p_[2] - u_[2] / slope;
    found_.say(law_ == RestitutionLaw::kinetic && std::abs(slope.value) <= tolerance_ * c_.k.zz.value,
               GradientStatus::unbounded);
    if (compressing_ && c_.restitution.value == 0 && law_ != RestitutionLaw::kinematic) {
      add_phase(event);
      end_at(event - p_[2] + small_restitution(slope), impulse_rate());
      return true;
    }
    add_phase(event);
    compressing_ = !compressing_;
    work_ = 0;
    const bool over = !compressing_ && c_.restitution.value == 0;
    if (over) finish_slide();
    return over;
  }

  // How far the first bit of restitution moves the end.
  N small_restitution(const N& slope) const {
    N e = c_.restitution;
    return law_ == RestitutionLaw::energetic ? e * std::sqrt(std::max(-2 * wc_.value / slope.value, 0.0))
                                             : e * pc_.value;
  }

  // `s` is where the phase ends.
  void add_phase(const N& s) {
    (compressing_ ? wc_ : wd_) += work_;
    (compressing_ ? pc_ : pd_) += s - phase_begin_;
    phase_begin_ = s;
  }

  // E at the end of the finished phases, for the energetic and the kinetic law.
  N lacking() const {
    const N& e = c_.restitution;
    if (law_ == RestitutionLaw::energetic) return e * e * wc_ + wd_ + work_;
    return pd_ + (p_[2] - phase_begin_) - e * pc_;
  }

  void end_at(const N& ds, const Three<N>& rate) { found_.p = p_ + ds * rate; }

  void finish_slide() {
    const Three<N> rate = impulse_rate();
    const N slope = c_.k.times(rate)[2], uz = u_[2];
    N ds;
    if (law_ == RestitutionLaw::energetic)
      ds = -(lacking() / uz.value);
    else if (law_ == RestitutionLaw::kinetic)
      ds = -lacking();
    else
      ds = -((uz + c_.restitution * c_.u0[2]) / slope.value);
    ds.value = 0;
    found_.say(slip() <= tolerance_ * speed_, GradientStatus::one_sided);
    found_.say(law_ == RestitutionLaw::energetic && uz.value <= tolerance_ * c_.restitution.value * -c_.u0[2].value,
               GradientStatus::unbounded);
    found_.say(law_ == RestitutionLaw::kinematic && std::abs(slope.value) <= tolerance_ * c_.k.zz.value,
               GradientStatus::unbounded);
    end_at(ds, rate);
  }

  // The slip is r, 1e-18 of the first one, and ends at s + Δ, Δ = -r / λ, λ = û·du_t/ds. In that stretch u and p
  // change by rounding, but their derivatives may not. With n = ê·N ê, b = δk - δN û, and z and y the parts of δu_t
  // along û and across it (ê), these obey at fixed s
  //
  //   y' = -n y / r + b_e     z' = -(û·N ê) y / r + b_u     δp_t' = -μ ê y / r - û δμ     r' = λ
  //
  // 1. The end of the slip moves by δs = -z / λ. Take u and p there with their rates: z becomes 0, and y its value at
  //    fixed r. This falls like r^(n/|λ|): nothing is left of it on a ray that attracts, where n >= |λ|. At fixed s,
  //    y has the part -δs ê·du_t/ds besides, which does not fall with r. Next to where two rays merge the slip still
  //    turns as it stops, so that this part is large.
  // 2. On a ray that repels, y may be there still. It is 0 at the end, so η = ∫ y / r ds = (y + b_e Δ) / n. Friction
  //    takes it away by the impulse -μ η ê = -ê (y + b_e Δ) / (ê·M ê).
  // 3. K makes a part along û of that impulse. The end of the slip moves by it once more.
  //
  // Steps 1 and 3 move along a constant û. Its derivative ê y / r has no bound; step 2 contains all that it does.
  void arrive() {
    const double r = slip(), x = u_[0].value / r, y = u_[1].value / r;
    const Six<N>& k = c_.k;
    // The direction of the current slip. No slip may be left after the first step to rest.
    const Three<N> rate = {-(x * c_.friction), -(y * c_.friction), 1}, du = k.times(rate);
    const double lambda = x * du[0].value + y * du[1].value;
    const auto to_rest = [&] { shift(-((x * u_[0] + y * u_[1]) / lambda), rate); };
    to_rest();
    if (c_.friction.value > 0) {
      const double stiffness = k.xx.value * y * y - 2 * k.xy.value * x * y + k.yy.value * x * x;
      const N across = (x * u_[1] - y * u_[0]) / stiffness;
      const Three<N> stop = {y * across, -x * across, 0};
      p_ = p_ + stop;
      u_ = u_ + k.times(stop);
      to_rest();
    }
    rest(false);
  }

  // From rest, at p_[2], with the derivatives of the arrival.
  void rest(bool at_start) {
    const Six<N>& k = c_.k;
    const auto q = k.solve_tangential(k.xz, k.yz);
    const double size = std::hypot(q[0].value, q[1].value), mu = c_.friction.value;
    const bool held = size <= mu;
    found_.say(std::abs(size - mu) <= tolerance_ * (size + mu), GradientStatus::one_sided);
    found_.say(law_ == RestitutionLaw::kinetic && !at_start && std::abs(u_[2].value) <= tolerance_ * speed_,
               GradientStatus::one_sided);
    Three<N> rate;
    if (held) {
      rate = {-q[0], -q[1], 1};
      // Friction has stopped the slip.
      const auto stop = k.solve_tangential(c_.u0[0] + k.xz * p_[2], c_.u0[1] + k.yz * p_[2]);
      const double uz = u_[2].value;
      p_ = {-stop[0], -stop[1], p_[2]};
      u_[2] = c_.u0[2] + k.times(p_)[2];
      u_[2].value = uz;
    } else {
      const auto away = leaving();
      rate = {-(c_.friction * away[0]), -(c_.friction * away[1]), 1};
      if (at_start) found_.say(true, GradientStatus::undefined);
    }
    const N slope = k.times(rate)[2];
    const N& e = c_.restitution;
    N ds = 0, last = u_[2];
    bool from_zero = false;
    if (compressing_) {
      ds = -(u_[2] / slope);
      work_ += 0.5 * u_[2] * ds;
      add_phase(p_[2] + ds);
      from_zero = wd_.value == 0 && pd_.value == 0;
      last = 0;
    } else {
      wd_ += work_;
      pd_ += p_[2] - phase_begin_;
    }
    const N first = last;
    if (law_ == RestitutionLaw::kinematic) {
      last = -(e * c_.u0[2]);
    } else if (law_ == RestitutionLaw::kinetic) {
      last = first + slope * (e * pc_ - pd_);
    } else if (from_zero) {
      last = e * sqrt(-2 * slope * wc_);
    } else {
      const N square = first * first - 2 * slope * (e * e * wc_ + wd_);
      last = square.value > 0 ? sqrt(square) : N(0);
    }
    found_.say(!compressing_ && last.value - first.value <= tolerance_ * speed_, GradientStatus::one_sided);
    end_at(ds + (last - first) / slope, rate);
    if (at_start && !held)
      for (N& x : found_.p) x.d[derivatives_by_u0] = x.d[derivatives_by_u0 + 1] = std::nan("");
  }

  // The direction of the diverging ray: (λ + μ M)⁻¹ k of length 1.
  std::array<N, 2> leaving() const {
    const Matrix3 m = {Vector3{c_.k.xx.value, c_.k.xy.value, c_.k.xz.value},
                       Vector3{c_.k.xy.value, c_.k.yy.value, c_.k.yz.value},
                       Vector3{c_.k.xz.value, c_.k.yz.value, c_.k.zz.value}};
    const double angle = diverging_ray(m, c_.friction.value), x = std::cos(angle), y = std::sin(angle);
    const N& mu = c_.friction;
    N lambda = x * m[0][2] + y * m[1][2] - mu.value * (m[0][0] * x * x + 2 * m[0][1] * x * y + m[1][1] * y * y);
    std::array<N, 2> w;
    for (int i = 0; i < 4; ++i) {
      const Six<N> b = {mu * c_.k.xx + lambda, mu * c_.k.xy, 0, mu * c_.k.yy + lambda, 0, 1};
      w = b.solve_tangential(c_.k.xz, c_.k.yz);
      const auto v = b.solve_tangential(w[0], w[1]);
      const N norm = length(w[0], w[1]);
      lambda += (norm - 1) * norm / (w[0] * v[0] + w[1] * v[1]);
    }
    return w;
  }

  Varied<N> c_;
  RestitutionLaw law_;
  double tolerance_, first_slip_, speed_;
  Three<N> u_, p_{};
  N work_ = 0, wc_ = 0, wd_ = 0, pc_ = 0, pd_ = 0, phase_begin_ = 0;
  bool compressing_ = true;
  Response<N> found_;
};

}  // namespace

Response<SlideNumber> differentiate_incremental(const Collision& c, RestitutionLaw law, std::int32_t step_budget,
                                                double tolerance) {
  return SlidingEnd(c, law, tolerance).run(step_budget);
}

}  // namespace carom::reference
