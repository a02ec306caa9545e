// Gradients of the algebraic laws. Laws in closed form are evaluated again in dual numbers, for the case that applied.
// For the other laws the impulse is the root of three equations, and one step of Newton's method from it has the
// derivatives. docs/laws.md has the laws.
#include <algorithm>
#include <cmath>

#include "gradients.hpp"
#include "reference/contact/laws_parts.hpp"
#include "reference/contact/vector.hpp"

namespace carom::reference {
namespace {

using N = LawNumber;
using P = Three<N>;

/// Numbers that depend on the impulse as well.
using M = Dual<derivatives_by_weight + 3>;

M with_impulse(const N& x) {
  M y = x.value;
  std::copy(x.d.begin(), x.d.end(), y.d.begin());
  return y;
}
template <std::size_t n>
std::array<M, n> with_impulse(const std::array<N, n>& x) {
  std::array<M, n> y;
  for (std::size_t i = 0; i < n; ++i) y[i] = with_impulse(x[i]);
  return y;
}
Six<M> with_impulse(const Six<N>& k) {
  return {with_impulse(k.xx), with_impulse(k.xy), with_impulse(k.xz),
          with_impulse(k.yy), with_impulse(k.yz), with_impulse(k.zz)};
}

class AlgebraicGradient {
 public:
  AlgebraicGradient(Law law, const Collision& c, const LawParameters& parameters, double tolerance)
      : law_(law), plain_(c), c_(c), tolerance_(tolerance) {
    const Own<double> given = flat(parameters);
    columns::each_parameter(
        [&](const auto&, columns::Parameter parameter, N& own, double value) {
          own = N::variable(value, derivatives_by_own + static_cast<std::size_t>(parameter));
        },
        own_, given);
    found_.say(-c.u0[2] <= tolerance * std::hypot(c.u0[0], c.u0[1], c.u0[2]), GradientStatus::one_sided);
  }

  Response<N> run(const Vector3& p) {
    const N normal = -(c_.u0[2] / c_.k.zz);
    frictionless_ = {0, 0, normal};
    switch (law_) {
      case Law::frictionless:
        found_.p = first();
        break;
      case Law::no_slip:
        found_.p = (1 + c_.restitution) * sticking();
        break;
      case Law::chatterjee_ruina:
        found_.p = chatterjee_ruina();
        break;
      case Law::bilinear:
        found_.p = bilinear();
        break;
      case Law::whittaker:
        found_.p = last_slip(p, c_.restitution);
        break;
      case Law::smith:
        found_.p = slip() > 0 ? smith(p) : last_slip(p, c_.restitution);
        break;
      case Law::anitescu_potra:
        found_.p = anitescu_potra(p);
        break;
      case Law::brach:
        found_.p = brach();
        break;
      case Law::projected:
        found_.p = projected();
        break;
      case Law::polar:
        found_.p = polar();
        break;
      default:
        found_.status = GradientStatus::none;
    }
    return found_;
  }

 private:
  template <class V>
  struct Own {
    V tangential_restitution{}, impulse_ratio_1{}, impulse_ratio_2{}, polar_angle{}, azimuth{}, fraction{};
    struct {
      V x{}, y{}, z{};
    } candidate{};
  };
  static Own<double> flat(const LawParameters& p) {
    return {p.tangential_restitution,
            p.impulse_ratio_1,
            p.impulse_ratio_2,
            p.polar_angle,
            p.azimuth,
            p.fraction,
            {p.candidate[0], p.candidate[1], p.candidate[2]}};
  }

  double slip() const { return std::hypot(plain_.u0[0], plain_.u0[1]); }
  P first() const { return (1 + c_.restitution) * frictionless_; }
  P sticking() const {
    const P p = c_.k.solve(c_.u0);
    return {-p[0], -p[1], -p[2]};
  }
  N by_friction(const N& x) const { return c_.friction * x; }

  /// The response has a kink where two bounds meet.
  void near(double a, double b, GradientStatus worse = GradientStatus::one_sided) {
    // An inactive bound is infinite.
    found_.say(std::isfinite(b) && std::abs(a - b) <= tolerance_ * (std::abs(a) + std::abs(b)), worse);
  }

  P chatterjee_ruina() {
    const P way = sticking() - frictionless_, start = first();
    const N candidate = 1 + own_.tangential_restitution;
    const double along = std::hypot(way[0].value, way[1].value);
    if (along == 0) return start + candidate * way;
    const N rate = length(way[0], way[1]) - by_friction(way[2]), room = by_friction(start[2]);
    near(candidate.value * rate.value, room.value);
    const bool slips = candidate.value * rate.value > room.value;
    return start + (slips ? room / rate : candidate) * way;
  }

  P bilinear() {
    const P start = first(), stick = sticking();
    if (slip() == 0) {
      found_.say(true, GradientStatus::undefined);
      P p = start;
      for (N& x : p) x.d[derivatives_by_u0] = x.d[derivatives_by_u0 + 1] = std::nan("");
      return p;
    }
    const N friction = (1 + own_.tangential_restitution) * length(stick[0], stick[1]), room = by_friction(start[2]);
    near(friction.value, room.value);
    const N size = friction.value > room.value ? room : friction, r = length(c_.u0[0], c_.u0[1]);
    return {-(size * c_.u0[0] / r), -(size * c_.u0[1] / r), start[2]};
  }

  // The root of f(u, p) = 0 at p.
  template <class F>
  P root(const Vector3& p, const F& f) {
    std::array<M, 3> x;
    for (std::size_t i = 0; i < 3; ++i) x[i] = M::variable(p[i], derivatives_by_weight + i);
    const std::array<M, 3> u = with_impulse(c_.u0) + with_impulse(c_.k).times(x);
    std::array<M, 3> value = f(u, x);
    // Elimination with pivoting; a pivot that vanishes is a double root.
    Matrix3 a;
    for (std::size_t i = 0; i < 3; ++i) {
      double largest = 0;
      for (std::size_t j = 0; j < 3; ++j) largest = std::max(largest, std::abs(value[i].d[derivatives_by_weight + j]));
      for (std::size_t j = 0; j < 3; ++j) a[i][j] = value[i].d[derivatives_by_weight + j] / largest;
      for (double& d : value[i].d) d /= largest;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      std::size_t pivot = i;
      for (std::size_t j = i + 1; j < 3; ++j)
        if (std::abs(a[j][i]) > std::abs(a[pivot][i])) pivot = j;
      std::swap(a[i], a[pivot]);
      std::swap(value[i], value[pivot]);
      found_.say(!(std::abs(a[i][i]) > tolerance_), GradientStatus::unbounded);
      for (std::size_t j = i + 1; j < 3; ++j) {
        const double factor = a[j][i] / a[i][i];
        a[j] = a[j] - factor * a[i];
        for (std::size_t d = 0; d < derivatives_by_weight; ++d) value[j].d[d] -= factor * value[i].d[d];
      }
    }
    P y = {p[0], p[1], p[2]};
    for (std::size_t d = 0; d < derivatives_by_weight; ++d)
      for (std::size_t i = 3; i-- > 0;) {
        double rest = -value[i].d[d];
        for (std::size_t j = i + 1; j < 3; ++j) rest -= a[i][j] * y[j].d[d];
        y[i].d[d] = rest / a[i][i];
      }
    return y;
  }

  // u_z = -e u0_z, and u_t = 0 or friction on the cone against u_t.
  P last_slip(const Vector3& p, const N& restitution) {
    const M target = with_impulse(restitution * c_.u0[2]), mu = with_impulse(c_.friction);
    const double size = std::hypot(p[0], p[1]), bound = plain_.friction * p[2];
    const bool sticks = does_stick(plain_.u0, p);
    if (sticks) near(size, bound);
    if (plain_.friction == 0) return friction_begins(restitution);
    return root(p, [&](const auto& u, const auto& x) -> std::array<M, 3> {
      const M normal = u[2] + target;
      if (sticks) return {u[0], u[1], normal};
      return {x[0] * u[1] - x[1] * u[0], length(x[0], x[1]) - mu * x[2], normal};
    });
  }

  // Without friction: only the column of μ differs from the frictionless law's. It is -p_z û, and its effect.
  P friction_begins(const N& restitution) {
    P p = (1 + restitution) * frictionless_;
    const P u = c_.u0 + c_.k.times(p);
    const double r = std::hypot(u[0].value, u[1].value);
    found_.say(r == 0, GradientStatus::one_sided);
    const double x = r > 0 ? u[0].value / r : 0, y = r > 0 ? u[1].value / r : 0;
    const double along = plain_.k[0][2] * x + plain_.k[1][2] * y, pz = p[2].value;
    p[0].d[0] = -pz * x;
    p[1].d[0] = -pz * y;
    p[2].d[0] = pz * along / plain_.k[2][2];
    return p;
  }

  // True if the slip that is left is rounding.
  bool does_stick(const Vector3& from, const Vector3& p) const {
    const Vector3 u = from + plain_.k * p;
    const Vector3 stick = Cholesky::of(plain_.k)->solve({-from[0], -from[1], u[2] - from[2]});
    const Vector3 d = p - stick;
    return dot(d, d) <= 1e-24 * dot(stick, stick);
  }

  P anitescu_potra(const Vector3& p) {
    const N& e = c_.restitution;
    if (plain_.friction == 0) {
      // Each phase has friction against its own last slip, the expansion e times the impulse of the compression.
      const P first = friction_begins(0), whole = friction_begins(e);
      P all = (1 + e) * first;
      for (std::size_t i = 0; i < 2; ++i) {
        const double of_whole = whole[i].d[0] / (1 + plain_.restitution);
        all[i].d[0] = first[i].d[0] + plain_.restitution * of_whole;
      }
      return all;
    }
    const Vector3 p1 = friction_against_last_slip(plain_.k, Cone(plain_.friction), plain_.u0, -plain_.u0[2]).p;
    const P compression = last_slip(p1, 0);
    if (plain_.restitution > 0) return expansion(p, compression);
    // The start of expansion: the contact slips further, or friction holds it, or it leaves sticking.
    const double pz = p1[2];
    std::array<double, 2> friction{};
    const auto q = c_.k.solve_tangential(c_.k.xz, c_.k.yz);
    if (!does_stick(plain_.u0, p1)) {
      friction = {p1[0] / pz, p1[1] / pz};
    } else if (std::hypot(q[0].value, q[1].value) <= plain_.friction) {
      friction = {-q[0].value, -q[1].value};
    } else {
      const double angle = diverging_ray(plain_.k, plain_.friction);
      friction = {-plain_.friction * std::cos(angle), -plain_.friction * std::sin(angle)};
    }
    P all = compression;
    all[0].d[1] = friction[0] * pz;
    all[1].d[1] = friction[1] * pz;
    all[2].d[1] = pz;
    return all;
  }

  // p_z = (1 + e) p1_z, and u_t = 0 or the friction since p1 on its bound against u_t. If that does not suffice, u_z =
  // 0 replaces the first equation, and the bound is μ times the normal impulse since p1.
  P expansion(const Vector3& p, const P& compression) {
    const auto p1 = with_impulse(compression);
    const M pz = with_impulse((1 + c_.restitution) * compression[2]), mu = with_impulse(c_.friction);
    const bool more = p[2] > (1 + 1e-9) * pz.value, sticks = does_stick(plain_.u0, p);
    const double size = std::hypot(p[0] - p1[0].value, p[1] - p1[1].value);
    if (sticks) near(size, plain_.friction * (p[2] - p1[2].value));
    return root(p, [&](const auto& u, const auto& x) -> std::array<M, 3> {
      const M normal = more ? u[2] : x[2] - pz;
      if (sticks) return {u[0], u[1], normal};
      const M dx = x[0] - p1[0], dy = x[1] - p1[1];
      return {dx * u[1] - dy * u[0], length(dx, dy) - mu * (x[2] - p1[2]), normal};
    });
  }

  P smith(const Vector3& p) {
    const M mu = with_impulse(c_.friction), target = with_impulse(c_.restitution * c_.u0[2]);
    const auto u0 = with_impulse(c_.u0);
    return root(p, [&](const auto& u, const auto& x) -> std::array<M, 3> {
      const M a = length(u0[0], u0[1]);
      const M b = std::hypot(u[0].value, u[1].value) > 0 ? length(u[0], u[1]) : M(0);
      const M square = a * a + b * b;
      const M mx = (a * u0[0] + b * u[0]) / square, my = (a * u0[1] + b * u[1]) / square;
      return {x[0] + mu * x[2] * mx, x[1] + mu * x[2] * my, u[2] + target};
    });
  }

  // Axes 1 and 2. They jump at u0_t = 0.
  P in_axes(const N& along, const N& across, const N& normal) {
    N x = 1, y = 0;
    if (slip() > 0) {
      const N r = length(c_.u0[0], c_.u0[1]);
      x = -(c_.u0[0] / r);
      y = -(c_.u0[1] / r);
    } else {
      found_.say(true, GradientStatus::undefined);
      x.d[derivatives_by_u0] = x.d[derivatives_by_u0 + 1] = std::nan("");
      y.d[derivatives_by_u0] = y.d[derivatives_by_u0 + 1] = std::nan("");
    }
    return {x * along - y * across, y * along + x * across, normal};
  }

  // Minimum of the bounds that are active. These are positive.
  class Least {
   public:
    void add(bool bounds, const N& s) {
      if (!bounds) return;
      if (s.value < best_.value) {
        second_ = best_.value;
        best_ = s;
      } else {
        second_ = std::min(second_, s.value);
      }
    }
    const N& best() const { return best_; }
    double second() const { return second_; }

   private:
    N best_ = infinity;
    double second_ = infinity;
  };

  // How far from f P_I along d the energy lets one go: energy + rate s + ½ curvature s² = 0.
  static N energy_reach(const N& energy, const N& rate, const N& curvature) {
    const N square = rate * rate - 2 * curvature * energy;
    if (!(square.value > 0)) return 0;
    const N root = sqrt(square);
    return rate.value > 0 ? -2 * energy / (rate + root) : (root - rate) / curvature;
  }

  P brach() {
    const P start = first();
    const N& r1 = own_.impulse_ratio_1;
    const N& r2 = own_.impulse_ratio_2;
    if (r1.value == 0 && r2.value == 0) {
      // p_t = r p_z to first order.
      const P r = in_axes(r1, r2, 0);
      const N coupling = (c_.k.xz * r[0] + c_.k.yz * r[1]) / c_.k.zz, pz = start[2];
      return {r[0] * pz, r[1] * pz, pz - coupling * pz};
    }
    const P r = in_axes(r1, r2, 0);
    const N coupling = (c_.k.xz * r[0] + c_.k.yz * r[1]) / c_.k.zz;
    const P way = {r[0], r[1], -coupling};
    const N &e = c_.restitution, &pz = start[2];
    Least w;
    w.add((1 + coupling).value > 0, pz / (1 + coupling));
    const N grip = length(r[0], r[1]) + by_friction(coupling);
    w.add(grip.value > 0, by_friction(pz) / grip);
    // Above e = 1 the gain that (1 + e) P_I has is allowed.
    const N energy = plain_.restitution > 1 ? N(0) : -(0.5 * (1 - e * e) * c_.u0[2] * c_.u0[2] / c_.k.zz);
    const P kway = c_.k.times(way);
    const N rate = dot(way, c_.u0) + pz * kway[2], curvature = dot(way, kway);
    w.add(true, energy_reach(energy, rate, curvature));
    near(w.best().value, w.second());
    return start + w.best() * way;
  }

  // From P_0 along d: as far as `most`, or the region.
  N reach_of(const P& d, Least s) {
    const N& pz = frictionless_[2];
    const P kd = c_.k.times(d);
    const N energy = -(0.375 * c_.u0[2] * c_.u0[2] / c_.k.zz);
    s.add(true, energy_reach(energy, dot(d, c_.u0) + 1.5 * pz * kd[2], dot(d, kd)));
    s.add(kd[2].value < 0, 0.5 * c_.u0[2] / kd[2]);
    const bool aside = d[0].value != 0 || d[1].value != 0;
    const N approach = (aside ? length(d[0], d[1]) : N(0)) - by_friction(d[2]);
    s.add(approach.value > 0, by_friction(1.5 * pz) / approach);
    near(s.best().value, s.second());
    return s.best();
  }

  P projected() {
    const P start = 1.5 * frictionless_;
    const P d = P{own_.candidate.x, own_.candidate.y, own_.candidate.z} - start;
    Least s;
    s.add(true, 1);
    if (d[0].value == 0 && d[1].value == 0 && d[2].value == 0) return start + d;
    return start + reach_of(d, s) * d;
  }

  P polar() {
    const N across = sin(own_.polar_angle);
    const P d = in_axes(across * cos(own_.azimuth), across * sin(own_.azimuth), cos(own_.polar_angle));
    return 1.5 * frictionless_ + own_.fraction * reach_of(d, {}) * d;
  }

  Law law_;
  Collision plain_;
  Varied<N> c_;
  double tolerance_;
  Own<N> own_;
  P frictionless_{};
  Response<N> found_;
};

}  // namespace

Response<LawNumber> differentiate_algebraic(Law law, const Collision& c, const LawParameters& parameters,
                                            const Vector3& p, double tolerance) {
  return AlgebraicGradient(law, c, parameters, tolerance).run(p);
}

}  // namespace carom::reference
