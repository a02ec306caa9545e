// Smith's law: friction against a mean of the first and the last slip. A. Chatterjee, A. Ruina, A New Algebraic Rigid
// Body Collision Law Based on Impulse Space Considerations, 1998, eq. 8.
//
//   M, k, K33    K[0:2, 0:2], (K13, K23) and the rest of K; fn, ft the friction cone
//   c            the rise of u_z, -(1 + e) u0_z
//   a, û0        first slip |u0_t| and its direction, here the x axis
//   b, û         last slip; its direction is at the angle 2ψ
//   t            b² / (a² + b²)
//   m            û0 + t (û - û0), the mean
//   s            c / D: p = (-ft m, fn) s
//   D            fn K33 - ft k·m > 0
//   F            D u_t = D u0_t + c (fn k - ft M m)
//   C, S         cosψ, sinψ up to a common factor; N = C² + S²
//   Θ            (C² - S², 2 C S) = N û
//   û - û0       2 S (-S, C) / N, so that D = D0 + 2 S t / N D1 and F = F0 + 2 S t / N F1
//
// û x F = 0 is linear in t, b = û·F / D, and t (a² + b²) = b² leaves
//
//   N (F0 x F1)² (2 S Θ x F1 + N Θ x F0) + a² (Θ x F0) (D0 Θ x F1 - D1 Θ x F0)² = 0
//
// of degree 8 in C and S. Its roots start Newton's method on the law itself, which is the judge of them.
//
// Where nothing pushes the slip aside, F0 and F1 lie along û0, as in the plane, and all of that is 0 = 0: û is û0, so
// that m is, or û is -û0 and b a root of
//
//   (a + b) (fn K33 (a² + b²) - ft k_x (a² - b²)) + c (fn k_x (a² + b²) - ft M_xx (a² - b²)) = 0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "laws_parts.hpp"
#include "laws_polynomial.hpp"
#include "vector.hpp"

namespace carom::reference {
namespace {

Vector2 tangential(const Vector3& v) {
  return {v[0], v[1]};
}

double max_entry(const Matrix3& k) {
  return std::max({k[0][0], k[1][1], k[2][2]});
}

// The solution x of A x = b; not finite if A is singular.
Vector3 solve(Matrix3 a, Vector3 b) {
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < 3; ++j)
      if (std::abs(a[j][i]) > std::abs(a[pivot][i])) pivot = j;
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    for (std::size_t j = i + 1; j < 3; ++j) {
      const double factor = a[j][i] / a[i][i];
      a[j] = a[j] - factor * a[i];
      b[j] -= factor * b[i];
    }
  }
  for (std::size_t i = 3; i-- > 0;) {
    for (std::size_t j = i + 1; j < 3; ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  return b;
}

class Smith {
 public:
  explicit Smith(const Collision& c)
      : k_(c.k),
        u0_(c.u0),
        cone_(c.friction),
        rise_(-(1 + c.restitution) * c.u0[2]),
        a_(std::hypot(c.u0[0], c.u0[1])),
        axis_{c.u0[0] / a_, c.u0[1] / a_} {}

  // Starting points of Newton's method, as (p_t, s). There is one near every solution.
  std::vector<Vector3> starts(const Collision& c) const {
    std::vector<Vector3> found;
    constexpr int sectors = 4;
    for (int i = 0; i < sectors; ++i) {
      const double from = (static_cast<double>(i) / sectors - 0.5) * std::numbers::pi;
      const double to = (static_cast<double>(i + 1) / sectors - 0.5) * std::numbers::pi;
      const Bernstein cosine{std::cos(from), std::cos(to)}, sine{std::sin(from), std::sin(to)};
      for (double x : equation(cosine, sine).roots()) add(with_friction_of(slip_at(cosine(x), sine(x))), found);
    }
    add(with_friction_of({u0_[0], u0_[1]}), found);
    const Bernstein first{1, 0}, last{0, 1};
    for (double x : straight_back(first, last).roots()) {
      const double ratio = -x / (1 - x);
      add(with_friction_of({ratio * u0_[0], ratio * u0_[1]}), found);
    }
    // For u0_t so small, or friction so large, that the roots are lost to rounding.
    add(with_impulse(stopping(small_slip(whittaker(c).p))), found);
    return found;
  }

  // Newton's method on the law, from (p_t, s). True if it solves the law in the end.
  bool polish(Vector3& x) const {
    double least = infinity;
    Vector3 best = x;
    for (int i = 0, idle = 0; i < 100 && idle < 2; ++i) {
      const Residual r = residual(x);
      if (r.relative < least)
        idle = 0;
      else
        ++idle;
      if (r.relative < least) least = r.relative, best = x;
      if (r.relative == 0) break;
      const Vector3 step = solve(r.slope, r.value);
      if (!is_finite(step)) break;
      x = x - step;
    }
    x = best;
    // m is a mean of unit vectors, so |m| <= 1. A larger value shows that the direction of a tiny u0_t is a rounding
    // error.
    return least <= 16 && length(tangential(x)) <= (1 + 16 * epsilon) * cone_.tangential * x[2];
  }

  Vector3 impulse(const Vector3& x) const { return {x[0], x[1], cone_.normal * x[2]}; }

  // The impulse that reverses the slip: the limit for unbounded friction, if it does not pull.
  Vector3 reversal() const { return stopping({-u0_[0], -u0_[1]}); }

 private:
  struct Residual {
    Vector3 value{};
    Matrix3 slope{};
    double relative = 0;  // in units of the rounding errors of its terms
  };

  static void add(const Vector3& x, std::vector<Vector3>& found) {
    if (is_finite(x)) found.push_back(x);
  }

  // p_t + ft s m = 0 and (K p)_z = c.
  Residual residual(const Vector3& x) const {
    const Vector3 u = u0_ + k_ * impulse(x);
    const double b = std::hypot(u[0], u[1]), square = a_ * a_ + b * b;
    const Vector2 m{(a_ * u0_[0] + b * u[0]) / square, (a_ * u0_[1] + b * u[1]) / square};
    const double friction = cone_.tangential * x[2];
    // The rounding of u_t is relative to this speed, and turns m by this angle.
    const double speed = length(tangential(u0_)) + 3 * max_entry(k_) * std::hypot(x[0], x[1], cone_.normal * x[2]);
    const double tilt = 3 * speed / std::sqrt(square);

    Residual r;
    r.value[2] = dot(k_[2], impulse(x)) - rise_;
    r.slope[2] = {k_[2][0], k_[2][1], cone_.normal * k_[2][2]};
    r.relative = std::abs(r.value[2]) / (speed * epsilon);
    for (std::size_t i = 0; i < 2; ++i) {
      r.value[i] = x[i] + friction * m[i];
      for (std::size_t j = 0; j < 2; ++j) {
        const double uu = b > 0 ? u[i] * u[j] / b : 0;
        const double dm = ((i == j ? b : 0) + uu - 2 * m[i] * u[j]) / square;
        r.slope[i] = r.slope[i] + friction * dm * Vector3{k_[j][0], k_[j][1], cone_.normal * k_[j][2]};
      }
      r.slope[i][i] += 1;
      r.slope[i][2] += cone_.tangential * m[i];
      const double size = length(tangential(x)) + std::abs(friction) * (1 + tilt);
      r.relative = std::max(r.relative, std::abs(r.value[i]) / (size * epsilon));
    }
    return r;
  }

  // The impulse that leaves the slip u_t.
  Vector3 stopping(const Vector2& u_t) const {
    return Cholesky::of(k_)->solve({u_t[0] - u0_[0], u_t[1] - u0_[1], rise_});
  }
  Vector3 with_impulse(const Vector3& p) const { return {p[0], p[1], p[2] / cone_.normal}; }

  // Returns the law's impulse for the last slip u_t.
  Vector3 with_friction_of(const Vector2& u_t) const {
    const double b = length(u_t), square = a_ * a_ + b * b;
    const Vector2 m{(a_ * u0_[0] + b * u_t[0]) / square, (a_ * u0_[1] + b * u_t[1]) / square};
    const double d = cone_.normal * k_[2][2] - cone_.tangential * (k_[0][2] * m[0] + k_[1][2] * m[1]);
    const double s = rise_ / d;
    return {-s * cone_.tangential * m[0], -s * cone_.tangential * m[1], s};
  }

  // Returns the last slip for which friction has the fraction |p_t| / (μ p_z) of the cone, if it is of the order of
  // u0_t: m is on the line from û0 through it to û.
  Vector2 small_slip(const Vector3& p) const {
    const double scale = cone_.normal / (cone_.tangential * p[2]);
    const Vector2 m{-scale * p[0], -scale * p[1]};
    const Vector2 way{m[0] - axis_[0], m[1] - axis_[1]};
    const double square = way[0] * way[0] + way[1] * way[1];
    const double beyond = -2 * (axis_[0] * way[0] + axis_[1] * way[1]) / square;  // û = û0 + beyond * way
    const double b = a_ / std::sqrt(beyond - 1);
    return {b * (axis_[0] + beyond * way[0]), b * (axis_[1] + beyond * way[1])};
  }

  // From here on in the frame of û0.
  double kx() const { return axis_[0] * k_[0][2] + axis_[1] * k_[1][2]; }
  double ky() const { return axis_[0] * k_[1][2] - axis_[1] * k_[0][2]; }
  double mxx() const { return axis_[0] * mx()[0] + axis_[1] * mx()[1]; }
  double mxy() const { return axis_[0] * mx()[1] - axis_[1] * mx()[0]; }
  double myy() const { return k_[0][0] + k_[1][1] - mxx(); }
  Vector2 mx() const { return {k_[0][0] * axis_[0] + k_[0][1] * axis_[1], k_[0][1] * axis_[0] + k_[1][1] * axis_[1]}; }
  double d0() const { return cone_.normal * k_[2][2] - cone_.tangential * kx(); }
  Vector2 f0() const {
    return {a_ * d0() + rise_ * (cone_.normal * kx() - cone_.tangential * mxx()),
            rise_ * (cone_.normal * ky() - cone_.tangential * mxy())};
  }

  // Terms in C and S, which are numbers or linear polynomials.
  template <class X>
  struct Terms {
    X one, d1, f1_x, f1_y, theta_x, theta_y, theta_f0, theta_f1, f0_f1;
  };
  template <class X>
  Terms<X> terms(const X& c, const X& s) const {
    const auto [fx, fy] = f0();
    const double ft = cone_.tangential;
    X one = c * c + s * s;
    X d1 = ft * kx() * s - ft * ky() * c;
    X f1_x = a_ * d1 + ft * rise_ * mxx() * s - ft * rise_ * mxy() * c;
    X f1_y = ft * rise_ * mxy() * s - ft * rise_ * myy() * c;
    X theta_x = c * c - s * s, theta_y = 2.0 * (c * s);
    return {one,
            d1,
            f1_x,
            f1_y,
            theta_x,
            theta_y,
            fy * theta_x - fx * theta_y,
            theta_x * f1_y - theta_y * f1_x,
            fx * f1_y - fy * f1_x};
  }

  Bernstein equation(const Bernstein& c, const Bernstein& s) const {
    const auto t = terms(c, s);
    const Bernstein both = d0() * t.theta_f1 - t.d1 * t.theta_f0;
    return t.one * t.f0_f1 * t.f0_f1 * (2.0 * (s * t.theta_f1) + t.one * t.theta_f0) +
           a_ * a_ * (t.theta_f0 * both * both);
  }

  // The cubic for û = -û0, with a : b = a : s in the place of a : b.
  Bernstein straight_back(const Bernstein& a, const Bernstein& s) const {
    const double stiff = cone_.normal * k_[2][2], coupled = cone_.tangential * kx();
    const double lifted = rise_ * cone_.normal * kx(), slowed = rise_ * cone_.tangential * mxx();
    const Bernstein aa = a * a, ss = s * s;
    return a_ * ((a + s) * ((stiff - coupled) * aa + (stiff + coupled) * ss)) +
           a * ((lifted - slowed) * aa + (lifted + slowed) * ss);
  }

  Vector2 slip_at(double c, double s) const {
    const auto t = terms(c, s);
    const double b = std::abs(t.f0_f1 / (d0() * t.theta_f1 - t.d1 * t.theta_f0));  // b N² / N³ · |Θ| = b
    return {b * (axis_[0] * t.theta_x - axis_[1] * t.theta_y), b * (axis_[1] * t.theta_x + axis_[0] * t.theta_y)};
  }

  Matrix3 k_;
  Vector3 u0_;
  Cone cone_;
  double rise_, a_;
  Vector2 axis_;
};

}  // namespace

Solutions smith(const Collision& c) {
  if (c.friction == 0 || (c.u0[0] == 0 && c.u0[1] == 0)) return whittaker(c);
  const Smith law(c);
  Solutions found;
  // The solution with the smallest s is selected. s also orders p_z if p_z is 0 for several, with unbounded friction.
  double least = infinity;
  std::vector<Vector3> solutions;
  const auto add = [&](const Vector3& p, double s) {
    const auto same = [&](const Vector3& other) {
      const Vector3 d = p - other;
      return dot(d, d) <= 1e-12 * dot(p, p);
    };
    if (std::any_of(solutions.begin(), solutions.end(), same)) return;
    if (s < least || solutions.empty()) least = s, found.p = p;
    solutions.push_back(p);
  };
  if (const Vector3 reversal = law.reversal(); std::isinf(c.friction) && reversal[2] >= 0) add(reversal, infinity);
  for (Vector3 x : law.starts(c))
    if (law.polish(x)) add(law.impulse(x), x[2]);
  found.count = static_cast<int>(solutions.size());
  return found;
}

}  // namespace carom::reference
